"""Relations between outputs of several calls, which need no oracle (the end of CASES.md)."""
import numpy as np

from case import (Case, Relation, Shape, broadcast_words, generator, random_qkv, sdpa_config)

SHAPE = Shape(b=2, hq=4, hkv=2, sq=50, sk=140, d=16)
CAUSAL = {"mask": ["causal"], "query_offset": "end"}


def call(inputs, shape=SHAPE, dtype="f32", flags=(), **rest):
    return Case("", sdpa_config(shape, dtype, **rest), inputs, flags=flags)


def same_bits(a, b):
    for name in a:
        if a[name].tobytes() != b[name].tobytes():
            return "%s: expected the same bits, %d elements differ" % (
                name, int((a[name] != b[name]).sum()))
    return None


def near(a, b, what):
    """Equal up to what two ways of rounding may do to numbers of order 1."""
    if a.shape != b.shape:
        return "%s: shapes %s and %s" % (what, a.shape, b.shape)
    limit = 2e-5 if a.dtype == np.float32 else 1e-11
    if np.allclose(a, b, rtol=limit, atol=limit, equal_nan=True):
        return None
    return "%s: differ by up to %.3g" % (what, np.nanmax(np.abs(a - b)))


def all_near(a, b, what=""):
    return next(filter(None, (near(a[n], b[n], (what + " " + n).strip()) for n in a)), None)


def padding():
    for dtype, length in (("f32", 129), ("f32", 127), ("f32", 64), ("f64", 64)):
        name = "meta_padding_with_nan_%s_%d" % (dtype, length)
        shape = Shape(b=2, hq=2, sq=50, sk=length, d=8)
        inputs = dict(random_qkv(name, shape, dtype), kv_lengths=np.full(2, length))
        padded = dict(inputs)
        for which in "kv":
            padded[which] = np.pad(inputs[which], [(0, 0), (0, 0), (0, 41), (0, 0)],
                                   constant_values=np.nan)
        yield Relation(name, [call(inputs, shape, dtype, mask=["kv_lengths"]),
                              call(padded, shape, dtype, mask=["kv_lengths"])],
                       lambda got: same_bits(*got))


def permuted_keys():
    inputs = random_qkv("meta_permute", SHAPE)
    order = generator("order").permutation(SHAPE.sk)
    permuted = dict(inputs, k=inputs["k"][:, :, order], v=inputs["v"][:, :, order])
    yield Relation("meta_permuted_keys", [call(inputs), call(permuted)], lambda got: all_near(*got))


def shifted_bias():
    bias = generator("meta_bias").normal(size=(1, 1, 50, 140)).astype(np.float32)
    shift = np.linspace(-8, 8, 50, dtype=np.float32)
    score = [{"bias": {"shape": broadcast_words((2, 3))}}]
    inputs = random_qkv("meta_shift", SHAPE)
    yield Relation("meta_constant_added_to_a_bias_row",
                   [call(dict(inputs, bias=b), score=score, **CAUSAL)
                    for b in (bias, bias + shift[:, None])],
                   lambda got: near(got[0]["out"], got[1]["out"], "out")
                   or near(got[0]["lse"] + shift, got[1]["lse"], "lse"))


def split_keys():
    inputs = random_qkv("meta_split", SHAPE)

    def merged(got):
        whole, first, second = got
        lse = np.logaddexp(first["lse"], second["lse"])
        out = sum(part["out"] * np.exp(part["lse"] - lse)[..., None] for part in (first, second))
        return near(whole["lse"], lse, "lse") or near(whole["out"], out, "out")

    for at in (1, 64, 77):
        parts = [dict(inputs, k=inputs["k"][:, :, rows], v=inputs["v"][:, :, rows])
                 for rows in (slice(None), slice(0, at), slice(at, None))]
        yield Relation("meta_split_at_%d_and_merged_by_lse" % at, [call(part) for part in parts],
                       merged)


def affine_values():
    inputs = random_qkv("meta_affine", SHAPE)
    changed = dict(inputs, v=-3 * inputs["v"] + np.float32(2))
    yield Relation("meta_affine_values", [call(inputs, **CAUSAL), call(changed, **CAUSAL)],
                   lambda got: near(-3 * got[0]["out"] + 2, got[1]["out"], "out"))


def taken_alone():
    """One batch entry alone has the same bits; one head or one row alone is near."""
    lengths = np.array([129, 40])
    for dtype in ("f32", "f64"):
        inputs = dict(random_qkv("meta_alone", SHAPE, dtype), kv_lengths=lengths)
        masks = {"mask": ["causal", "kv_lengths"], "query_offset": "end"}
        for b in range(2):
            alone = {name: x[b:b + 1] for name, x in inputs.items()}
            yield Relation("S15_batch_entry_%d_alone_%s" % (b, dtype),
                           [call(inputs, dtype=dtype, **masks), call(alone, dtype=dtype, **masks)],
                           lambda got, b=b: same_bits({n: x[b:b + 1] for n, x in got[0].items()},
                                                      got[1]))
    inputs = random_qkv("meta_alone", SHAPE)
    head = {"q": inputs["q"][:, 2:3], "k": inputs["k"][:, 1:2], "v": inputs["v"][:, 1:2]}
    yield Relation("meta_head_alone", [call(inputs), call(head, Shape(d=16))],
                   lambda got: all_near({n: x[:, 2:3] for n, x in got[0].items()}, got[1]))
    for rows in ((0, 1), (8, 9), (47, 50)):
        some = dict(inputs, q=inputs["q"][:, :, slice(*rows)])
        yield Relation("B33_rows_%d_to_%d_alone" % rows, [call(inputs), call(some)],
                       lambda got, rows=rows: all_near(
                           {n: x[:, :, slice(*rows)] for n, x in got[0].items()}, got[1]))
    last = dict(inputs, q=inputs["q"][:, :, -1:])
    yield Relation("meta_decode_is_the_last_row", [call(inputs, **CAUSAL), call(last, **CAUSAL)],
                   lambda got: all_near({n: x[:, :, -1:] for n, x in got[0].items()}, got[1]))


def documents_apart():
    """C05: what one document of a batch entry holds does not move another, nor another entry."""
    ids = np.zeros((2, 140), np.int64)
    ids[0, 60:], ids[1, 20:] = 1, 1
    inputs = dict(random_qkv("meta_documents", Shape(b=2, hq=4, hkv=2, sq=140, sk=140, d=16)),
                  ids=ids)
    changed = dict(inputs, k=inputs["k"].copy(), v=inputs["v"].copy())
    for which in "kv":
        changed[which][0, :, :60] = 7  # document 0 of entry 0
    shape = Shape(b=2, hq=4, hkv=2, sq=140, sk=140, d=16)
    rest = {"mask": [{"expr": "ids[b, i] == ids[b, j]"}],
            "tensors": {"ids": {"dtype": "i64", "shape": ["batch", "kv"]}}}

    def check(got):
        for name in got[0]:
            one, other = (x[name].copy() for x in got)
            if (one[0, :, :60] == other[0, :, :60]).all():
                return name + ": the change is not felt where it is"
            one[0, :, :60] = other[0, :, :60] = 0
            if one.tobytes() != other.tobytes():
                return name + ": another document moved"
        return None

    yield Relation("C05_documents_apart", [call(inputs, shape, **rest),
                                           call(changed, shape, **rest)], check)


def threads():
    for dtype, shape in (("f32", SHAPE), ("f64", SHAPE), ("f32", Shape(sq=500, sk=300, d=32))):
        inputs = random_qkv("meta_threads", shape, dtype)
        calls = [call(inputs, shape, dtype, ("--threads=%d" % n,), **CAUSAL) for n in (1, 2, 3)]
        yield Relation("S15_threads_%s_sq_%d" % (dtype, shape.sq), calls,
                       lambda got: same_bits(got[0], got[1]) or same_bits(got[0], got[2]))


def equal_configs():
    """Two ways to write the same attention."""
    square = Shape(b=2, hq=4, hkv=2, sq=140, sk=140, d=16)
    inputs = random_qkv("meta_equal", square)
    lower = np.tril(np.ones((1, 1, 140, 140), bool))
    same = lambda **rest: call(inputs, square, query_offset=0, **rest)
    causal = same(mask=["causal"])
    window = lambda left, right: same(mask=[{"window": {"left": left, "right": right}}])
    bare = call(inputs, square)
    for name, one, other in (
            ("window_unbounded_0_is_causal", causal, window(-1, 0)),
            ("window_beyond_all_keys_is_causal", causal, window(139, 0)),
            ("tensor_is_causal", causal,
             Case("", sdpa_config(square, mask=[{"tensor": {"shape": broadcast_words((2, 3))}}]),
                  dict(inputs, mask=lower))),
            ("bias_is_causal", causal,
             Case("", sdpa_config(square, score=[{"bias": {"shape": broadcast_words((2, 3))}}]),
                  dict(inputs, bias=np.where(lower, 0, -np.inf).astype(np.float32)))),
            ("unbounded_window_is_none", bare, window(-1, -1)),
            ("full_lengths_are_none", bare,
             Case("", sdpa_config(square, mask=["kv_lengths", "q_lengths"]),
                  dict(inputs, kv_lengths=np.full(2, 140), q_lengths=np.full(2, 140)))),
            ("static_is_any", causal, same(mask=["causal"], static=True)),
            ("huge_softcap_is_none", bare, call(inputs, square, score=[{"softcap": 1e7}]))):
        yield Relation("meta_" + name, [one, other], lambda got: all_near(*got))

    def weights_times_v(got):
        weights, v = got[0]["weights"], inputs["v"].repeat(2, axis=1)
        return (near(weights @ v, got[0]["out"], "weights times v")
                or near(weights.sum(-1), np.ones((2, 4, 140), np.float32), "sum of weights"))

    yield Relation("S13_weights_times_v", [same(mask=["causal"], outputs=["out", "weights"])],
                   weights_times_v)


def configs_that_differ():
    """A cache of compiled code must tell apart configs that differ in one field: A, B, then A."""
    inputs = dict(random_qkv("B35", SHAPE),
                  mask=generator("B35").random((1, 1, 50, 140)) < 0.5)
    tensor = lambda *full: {"mask": [{"tensor": {"shape": broadcast_words(full)}}]}
    fields = {"scale": ({"scale": 1.0}, {"scale": 0.5}),
              "scale_sign": ({"scale": 1.0}, {"scale": -1.0}),
              "scale_default": ({"scale": 1.0}, {}),
              "softcap": ({"score": [{"softcap": 1.0}]}, {"score": [{"softcap": 2.0}]}),
              "window": ({"mask": [{"window": {"left": 3, "right": 0}}], "query_offset": 90},
                         {"mask": [{"window": {"left": 4, "right": 0}}], "query_offset": 90}),
              "alignment": ({"mask": ["causal"], "query_offset": 0}, CAUSAL),
              "offset": ({"mask": ["causal"], "query_offset": 3},
                         {"mask": ["causal"], "query_offset": 4}),
              "mask": ({}, tensor(2, 3))}
    for name, pair in fields.items():
        calls = []
        for rest in (pair[0], pair[1], pair[0]):
            names = ["q", "k", "v"] + ["mask"] * ("tensor" in str(rest.get("mask")))
            calls.append(call({n: inputs[n] for n in names}, **rest))
        yield Relation("B35_differ_in_" + name, calls,
                       lambda got: same_bits(got[0], got[2])
                       or ("the two configs gave the same output"
                           if np.array_equal(got[0]["out"], got[1]["out"]) else None))


def layer_of_sdpa():
    """A layer is its projections around an sdpa."""
    random = generator("meta_layer")
    make = lambda *dims: random.normal(size=dims)
    x, wq, wk, wv, wo = make(2, 50, 24), make(24, 32), make(24, 16), make(24, 16), make(32, 10)
    heads = lambda y, count: y.reshape(2, 50, count, 8).transpose(0, 2, 1, 3).copy()
    config = {"kind": "layer", "dtype": "f64", "batch": "any", "heads": {"query": 4, "kv": 2},
              "head_dim": {"qk": 8, "v": 8}, "length": {"query": "any", "kv": "any"},
              "model_dim": 24, "out_dim": 10, "query_offset": 0, "mask": ["causal"],
              "outputs": ["out", "lse"]}
    shape = Shape(b=2, hq=4, hkv=2, sq=50, sk=50, d=8)
    projected = {"q": heads(x @ wq, 4), "k": heads(x @ wk, 2), "v": heads(x @ wv, 2)}
    inner = call(projected, shape, "f64", mask=["causal"], query_offset=0)
    yield Relation("meta_layer_is_projections_and_sdpa",
                   [Case("", config, {"x": x, "wq": wq, "wk": wk, "wv": wv, "wo": wo}), inner],
                   lambda got: near(got[0]["lse"], got[1]["lse"], "lse") or near(
                       got[0]["out"],
                       got[1]["out"].transpose(0, 2, 1, 3).reshape(2, 50, 32) @ wo, "out"))


def cases():
    for make in (padding, permuted_keys, shifted_bias, split_keys, affine_values, taken_alone,
                 documents_apart, threads, equal_configs, configs_that_differ, layer_of_sdpa):
        yield from make()
