"""Small inputs whose answer is known without an oracle (CASES.md)."""
import numpy as np

from case import Case, Shape, column, flat_scores, random_qkv, row, sdpa_config, statistic

INFINITY = np.inf


def f32(*dims, fill=0.0):
    return np.full(dims, fill, np.float32)


def one_query(name, q, k, v, out, lse=None, inputs=None, within=None, **rest):
    """Sq = 1, head dim 1: logits are q * k with scale 1."""
    given = {"q": np.float32(q).reshape(1, 1, 1, 1), "k": column(k, np.float32),
             "v": column(v, np.float32)}
    given.update(inputs or {})
    expected = {"out": np.full((1, 1, 1, 1), out)}
    if lse is not None:
        expected["lse"] = np.full((1, 1, 1), lse)
    shape = Shape(sk=len(k), d=1)
    rest.setdefault("scale", 1.0)
    return Case(name, sdpa_config(shape, **rest), given, expected, within or {})


def tails():
    for sk in (10, 31, 33, 38, 39, 65, 70, 127, 129, 1025):
        shape = Shape(sk=sk, d=4, dv=1)
        yield Case("A01_tail_flat_sk_%d" % sk, sdpa_config(shape, scale=1.0),
                   flat_scores(shape, np.ones(sk)),
                   {"out": column([1.0]), "lse": row([np.log(sk)])})
        negative = flat_scores(shape, np.arange(sk))
        negative["q"][:], negative["k"][:] = 5, -4
        yield Case("A01_tail_all_negative_sk_%d" % sk, sdpa_config(shape, scale=1.0), negative,
                   {"out": column([(sk - 1) / 2]), "lse": row([-80 + np.log(sk)])})


def negative_logits():
    yield one_query("A02_all_negative_logits", 200, [-1, -1, -1], [0, 1, 2], 1, -198.9013877)
    scale = 128 ** -0.5
    yield one_query("A27_logits_below_a_sentinel", 448, [-558] * 3, [0, 1, 2], 1, -22094.574,
                    scale=scale)
    yield one_query("A27_one_key_below_a_sentinel", 448, [-558], [7], 7, -448 * 558 * scale,
                    scale=scale)
    for logit in (-5e3, -2.45e5, -1e9, -1e30, -1e38):
        for keys in (1, 5, 130):
            yield one_query("A27_logits_of_%g_keys_%d" % (logit, keys), 1, [logit] * keys,
                            range(keys), (keys - 1) / 2, within={"out": 1e-5 * keys})


def max_subtraction():
    for base in (151.29, 2000.0, -2000.0, 700.0, -100.0):
        k = np.float32([base, base - 1])
        yield one_query("A33_logits_near_%g" % base, 1, k, [1, 0],
                        1 / (1 + np.exp(np.float64(k[1]) - k[0])),
                        np.logaddexp(np.float64(k[0]), np.float64(k[1])))


def contraction():
    """fma(s, c, -round(max * c)) is not 0 for the largest element when the logits are huge."""
    for name, d, value in (("d_64", 64, 133120), ("d_1", 1, 133120), ("d_1_odd", 1, 98765.4321),
                           ("d_3", 3, 33333.333)):
        shape = Shape(d=d)
        x = np.full((1, 1, 1, d), value, np.float32)
        yield Case("A29_one_huge_logit_" + name, sdpa_config(shape), {"q": x, "k": x, "v": x},
                   {"out": x}, within={"out": 0.02})
    shape = Shape(sk=130, d=1)
    x = np.full((1, 1, 130, 1), 98765.4321, np.float32)
    # A sum of 130 equal terms rounds at every addition, half a unit in the last place at most.
    yield Case("A29_equal_huge_logits", sdpa_config(shape, outputs=["out"]),
               {"q": x[:, :, :1], "k": x, "v": x}, {"out": x[:, :, :1]},
               within={"out": 98765.43 * 130 * 2.0 ** -24})


def alignment():
    shape = Shape(sq=2, sk=5, d=1)
    inputs = flat_scores(shape, np.arange(5))
    corner = {"top_left": ([0, .5], [0, .6931472]),
              "bottom_right": ([1.5, 2], [1.3862944, 1.6094379])}
    for static in (False, True):
        for offset, where in ((0, "top_left"), ("end", "bottom_right"), (3, "bottom_right")):
            out, lse = corner[where]
            yield Case("A05_causal_%s_offset_%s%s" % (where, offset, "_static" * static),
                       sdpa_config(shape, static=static, mask=["causal"], query_offset=offset),
                       inputs, {"out": column(out), "lse": row(lse)})
    for index in (np.int32, np.int64):
        yield Case("A05_causal_offset_input_%s" % np.dtype(index).name,
                   sdpa_config(shape, mask=["causal"], query_offset="input"),
                   dict(inputs, query_offset=np.array([3], index)), {"out": column([1.5, 2])})
    shape = Shape(sk=8, d=1)
    for offset, out in ((0, 0), ("end", 3.5), (7, 3.5), (-1, 0), (100, 3.5)):
        lse = {0: 0.0, -1: -INFINITY}.get(offset, np.log(8))
        yield Case("A05_decode_offset_%s" % offset,
                   sdpa_config(shape, mask=["causal"], query_offset=offset),
                   flat_scores(shape, np.arange(8)), {"out": column([out]), "lse": row([lse])})


def softcap_and_bias():
    shape = Shape(sk=8, d=1)
    inputs = flat_scores(shape, [0] + [1] * 7)
    only_first = np.arange(8).reshape(1, 1, 1, 8) == 0
    tensor = {"tensor": {"shape": [1, 1, 1, 8]}}
    yield Case("A09_softcap_before_mask", sdpa_config(shape, static=True, score=[{"softcap": 1.0}],
                                                      mask=[tensor]),
               dict(inputs, mask=only_first), {"out": column([0]), "lse": row([0])})
    shape = Shape(sk=2, d=1)
    bias = {"bias": {"shape": [1, 1, 1, 2]}}
    for name, score, b, v, out in (
            ("A09_softcap_before_bias", [{"softcap": 1.0}, bias], [0, -100], [0, 1], 0),
            ("A09_softcap_after_bias", [bias, {"softcap": 1.0}], [0, -100], [0, 1], .2689414),
            ("A21_bias_is_not_in_base_2", [bias], [0, 2], [0, 1], .8807971)):
        yield Case(name, sdpa_config(shape, static=True, score=score),
                   dict(flat_scores(shape, v), bias=np.float32(b).reshape(1, 1, 1, 2)),
                   {"out": column([out])})
    yield one_query("A31_softcap_of_20_and_0", 1, [20, 0], [1, 0], .9932848,
                    5.0 * np.tanh(4) - np.log(.9932848), score=[{"softcap": 5.0}])
    yield one_query("A31_without_softcap", 1, [20, 0], [1, 0], 1, 20)


def scale():
    shape = Shape(sk=2, d=64, dv=1)
    q, k = f32(1, 1, 1, 64), f32(1, 1, 2, 64)
    q[..., 0], k[0, 0, 0, 0] = 1, 2
    inputs = {"q": q, "k": k, "v": column([1, 0], np.float32)}
    for value in (1.0, 0.125, 0.5, 0.0, -1.0, 1, 3):
        out = {"out": column([1 / (1 + np.exp(-2.0 * value))])}
        yield Case("A23_scale_%r" % value, sdpa_config(shape, scale=value), inputs, out)
        yield Case("A23_scale_input_%r" % value, sdpa_config(shape, scale="input"),
                   dict(inputs, scale=statistic(value)), out)
    yield Case("A23_scale_default_is_of_qk", sdpa_config(shape), inputs,
               {"out": column([.5621765])})
    yield Case("A23_scale_default_in_words", sdpa_config(shape, scale="default"), inputs,
               {"out": column([.5621765])})


def mask_bytes():
    for value in (1, 2, 255, 128):
        for keys in (8, 70):
            shape = Shape(sk=keys, d=1)
            stored = np.zeros((1, 1, 1, keys), np.uint8)
            stored[..., ::2] = value
            yield Case("A11_true_is_%d_sk_%d" % (value, keys),
                       sdpa_config(shape, static=True,
                                   mask=[{"tensor": {"shape": [1, 1, 1, keys]}}]),
                       dict(flat_scores(shape, np.arange(keys)), mask=stored.view(bool)),
                       {"out": column([np.arange(0, keys, 2).mean()])})


def windows():
    shape = Shape(sq=8, sk=8, d=1)
    v = np.arange(8.0)
    rows = lambda left, right: [v[max(0, i - left):i + right + 1].mean() for i in range(8)]
    for left, right, causal in ((2, -1, True), (0, -1, True), (100, -1, True), (7, -1, True),
                                (-1, 0, False), (2, 0, False), (0, 0, False), (3, -1, True),
                                (1, 2, False), (-1, -1, False), (6, 0, True), (0, 5, True)):
        mask = (["causal"] if causal else []) + [{"window": {"left": left, "right": right}}]
        reach = 0 if causal else right if right >= 0 else 7
        yield Case("B01_window_%d_%d%s" % (left, right, "_causal" * causal),
                   sdpa_config(shape, static=True, mask=mask), flat_scores(shape, v),
                   {"out": column(rows(left if left >= 0 else 7, reach))})
    shape = Shape(sq=9, sk=5, d=1)
    yield Case("B03_two_sided_window_empty_rows",
               sdpa_config(shape, mask=[{"window": {"left": 1, "right": 1}}], query_offset="end"),
               flat_scores(shape, np.arange(5)),
               {"out": column([0, 0, 0, 0, .5, 1, 2, 3, 3.5]),
                "lse": row([-INFINITY] * 3 + [0] + [np.log(2)] + [np.log(3)] * 3 + [np.log(2)])})


def padding():
    tensor = lambda *dims: {"tensor": {"shape": list(dims)}}
    shape = Shape(sq=7, sk=7, d=1)
    keep = np.array([0, 1, 1, 0, 0, 1, 0], bool).reshape(1, 1, 1, 7)
    yield Case("B27_causal_with_left_padding",
               sdpa_config(shape, static=True, mask=["causal", tensor(1, 1, 1, 7)]),
               dict(flat_scores(shape, np.arange(7)), mask=keep),
               {"out": column([0, 1, 1.5, 1.5, 1.5, 8 / 3, 8 / 3]),
                "lse": row([-INFINITY, 0] + [np.log(2)] * 3 + [np.log(3)] * 2)})
    shape = Shape(b=2, hq=2, sq=6, sk=10)
    keep = np.tril(np.ones((6, 10), bool))
    keep[5] = False
    yield Case("A03_one_row_fully_masked",
               sdpa_config(shape, static=True, scale=0.125, mask=[tensor(1, 1, 6, 10)]),
               dict(random_qkv("A03", shape), mask=keep.reshape(1, 1, 6, 10)))


def exponent():
    """exp at the points where polynomials and clamps go wrong: two keys with logits 0 and x."""
    bias = {"bias": {"shape": [1, 1, 1, 2]}}
    shape = Shape(sk=2, d=1)
    for x in (-INFINITY, -1e4, -104, -103.9, -88, -87.34, -87.3, -20, -1e-7, 0.0, 87.3, 88.8, 1e4):
        weight = 1 / (1 + np.exp(np.float64(-x))) if x > -700 else 0.0
        yield Case("B23_exp_of_%g" % x,
                   sdpa_config(shape, static=True, score=[bias], outputs=["out", "lse", "weights"]),
                   dict(flat_scores(shape, [0, 1]), bias=np.float32([0, x]).reshape(1, 1, 1, 2)),
                   {"out": column([weight])})
    for name, x in (("nan", np.nan), ("plus_infinity", INFINITY)):
        yield Case("B23_exp_of_" + name, sdpa_config(shape, static=True, score=[bias]),
                   dict(flat_scores(shape, [0, 1]), bias=np.float32([0, x]).reshape(1, 1, 1, 2)))


def long_sums():
    """Sums over many keys, which stall when they are kept in too few bits."""
    for sk in (4096, 4097):
        shape = Shape(sk=sk, d=8, dv=1)
        yield Case("A25_sum_of_ones_sk_%d" % sk, sdpa_config(shape),
                   flat_scores(shape, np.ones(sk)), {"out": column([1]), "lse": row([np.log(sk)])})
        yield Case("A25_half_ones_sk_%d" % sk, sdpa_config(shape),
                   flat_scores(shape, np.arange(sk) < 2048), {"out": column([2048 / sk])})


def cases():
    for make in (tails, negative_logits, max_subtraction, contraction, alignment, softcap_and_bias,
                 scale, mask_bytes, windows, padding, exponent, long_sums):
        yield from make()
