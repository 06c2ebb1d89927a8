"""f16 and bf16: kept in 16 bits, computed in float32, on every kind of processor.

bf16 keys are multiplied in pairs where the processor can (AVX512_BF16), so odd key counts and odd
head dims have a lonely last element. The other targets widen to float32.
"""
import dataclasses
import itertools

import numpy as np

from case import (Case, Relation, Shape, broadcast_words, column, flat_scores, generator,
                  random_case, random_qkv, row, sdpa_config, statistic)
from cases_layer import layer_case
from cases_masks import holed_mask
from cases_special_values import entries, poisoned
from metamorphic import same_bits
from semantics.config import numpy_dtype

DTYPES = ("bf16", "f16")
OTHER_TARGETS = ("x86-64-v4", "x86-64-v3")
HEAD_DIMS = (1, 3, 7, 16, 33, 64, 80, 128)
SHAPE = Shape(b=2, hq=4, hkv=2, sq=50, sk=131, d=24)


def on(target, case):
    """The case for a target other than this machine."""
    return dataclasses.replace(case, name="%s_%s" % (case.name, target),
                               flags=("--target=" + target,))


def everywhere(case):
    yield case
    for target in OTHER_TARGETS:
        yield on(target, case)


def head_dims():
    for dtype, d in itertools.product(DTYPES, HEAD_DIMS):
        case = random_case("B05_head_dim_%d_%s" % (d, dtype), Shape(hq=2, sq=13, sk=71, d=d), dtype)
        yield from everywhere(case) if d == 33 else [case]
    for dtype, d, dv in (("bf16", 64, 33), ("bf16", 33, 128), ("f16", 3, 5)):
        yield random_case("B06_qk_%d_v_%d_%s" % (d, dv, dtype),
                          Shape(hq=2, sq=50, sk=131, d=d, dv=dv), dtype)
    # Rows of 92 bytes are aligned to 4.
    yield random_case("B15_bf16_d_46", Shape(hq=3, sq=50, sk=131, d=46), "bf16")
    for dtype, d in itertools.product(DTYPES, (64, 128)):
        yield random_case("A39_%s_d_%d" % (dtype, d), Shape(sq=1024, sk=1024, d=d), dtype,
                          static=True, scale=0.125)


def lengths():
    for sq, sk in ((1, 1), (2, 3), (9, 129), (17, 33), (25, 65), (49, 127), (1, 255)):
        yield random_case("A01_bf16_sq_%d_sk_%d" % (sq, sk), Shape(b=2, hq=2, sq=sq, sk=sk, d=20),
                          "bf16", static=sk == 65)
    for sq, sk in ((33, 17), (48, 257), (1, 5)):
        yield random_case("A01_f16_sq_%d_sk_%d" % (sq, sk), Shape(b=2, hq=2, sq=sq, sk=sk, d=20),
                          "f16")
    for dtype in DTYPES:
        shape = Shape(b=132, sq=3, sk=131, d=8)
        yield from everywhere(random_case(
            "A01_all_kv_lengths_" + dtype, shape, dtype, mask=["kv_lengths"],
            inputs={"kv_lengths": np.arange(132)}))
        yield random_case("S0_no_keys_" + dtype, Shape(b=2, hq=2, sq=5, sk=0, d=8), dtype,
                          outputs=["out", "lse", "weights"])


def masks():
    tensor = {"tensor": {"shape": broadcast_words((0, 2, 3))}}
    keep = holed_mask("half", (2, 1, 50, 131))
    for dtype in DTYPES:
        name = lambda mask: "S4_%s_%s" % (mask, dtype)
        yield from everywhere(random_case(name("causal_end"), SHAPE, dtype, mask=["causal"],
                                          query_offset="end", outputs=["out", "lse", "weights"]))
        yield random_case(name("window"), SHAPE, dtype, query_offset=60,
                          mask=[{"window": {"left": 30, "right": 3}}])
        yield random_case(name("lengths"), SHAPE, dtype, mask=["kv_lengths", "q_lengths"],
                          inputs={"kv_lengths": np.array([129, 3], np.int32),
                                  "q_lengths": np.array([50, 7])})
        yield random_case(name("tensor"), SHAPE, dtype, mask=[tensor], inputs={"mask": keep})


def scores():
    bias = {"bias": {"shape": broadcast_words((1, 2, 3))}}
    for dtype in DTYPES:
        values = 3 * generator("bias " + dtype).normal(size=(1, 4, 50, 131))
        given = {"bias": values.astype(numpy_dtype(dtype))}
        name = lambda score: "S3_%s_%s" % (score, dtype)
        yield random_case(name("softcap"), SHAPE, dtype, score=[{"softcap": 2.0}])
        yield random_case(name("bias"), SHAPE, dtype, score=[bias], inputs=given)
        yield random_case(name("slopes_and_scale"), SHAPE, dtype, query_offset=5, scale="input",
                          score=[{"alibi": {"slopes": "input"}}],
                          inputs={"slopes": statistic([0.5, 0.0, -0.1, 1.5]),
                                  "scale": statistic(-0.3)})
        case = random_case(name("everything"), SHAPE, dtype, mask=["causal", "kv_lengths"],
                           query_offset="end", score=[{"softcap": 20.0}, bias, "alibi"],
                           outputs=["out", "lse", "weights"],
                           inputs=dict(given, kv_lengths=np.array([131, 70])))
        yield case
        yield on("x86-64-v3", case)
        holes = values.copy()
        holes[..., ::3], holes[:, :, 7] = -np.inf, -np.inf
        yield random_case(name("bias_of_minus_infinity"), SHAPE, dtype, score=[bias],
                          inputs={"bias": holes.astype(numpy_dtype(dtype))})
        shape = Shape(b=2, hq=9, hkv=3, sq=5, sk=37, d=16)
        yield random_case("A13_heads_9_3_" + dtype, shape, dtype)


def layers():
    for dtype in DTYPES:
        everything = layer_case("half_self_everything_" + dtype, dtype, sq=49, heads=(6, 2),
                                dims=(9, 12), model=41, out_dim=23, biases="qkvo", mask=["causal"],
                                score=[{"softcap": 3.0}, "alibi"],
                                outputs=["out", "lse", "weights"])
        yield everything
        yield on("x86-64-v3" if dtype == "bf16" else "x86-64-v4", everything)
        yield layer_case("half_cross_" + dtype, dtype, sk=71, context=25, dynamic=True, out_dim=16)


def special_values():
    """Every entry of the batch but the last holds NaN or an infinity where no query may look."""
    for dtype in DTYPES:
        # An odd length shares its last pair of keys with the first poisoned one.
        for sk, length in ((140, 129), (71, 70), (131, 127)):
            name = "S5_kv_length_%d_of_%d_%s" % (length, sk, dtype)
            shape = entries(50, sk, d=12)
            inputs = dict(poisoned(name, shape, slice(length, None), dtype),
                          kv_lengths=np.full(shape.b, length))
            case = random_case(name, shape, dtype, mask=["kv_lengths"], inputs=inputs)
            yield from everywhere(case) if sk == 140 else [case]
        for key in (5, 6):  # either half of a pair, the other being seen
            name = "S5_tensor_without_key_%d_%s" % (key, dtype)
            shape = entries(20, 71)
            keep = np.arange(71).reshape(1, 1, 1, 71) != key
            yield random_case(name, shape, dtype, mask=[{"tensor": {"shape": [1, 1, 1, "kv"]}}],
                              inputs=dict(poisoned(name, shape, key, dtype), mask=keep))
        name = "S5_window_past_and_future_" + dtype
        shape = entries(30, 300)
        yield random_case(name, shape, dtype, mask=[{"window": {"left": 10, "right": 10}}],
                          query_offset=101,
                          inputs=poisoned(name, shape, np.r_[0:91, 141:300], dtype))
        name = "S5_seen_by_some_causal_" + dtype
        shape = entries(50, 131, d=7)
        yield random_case(name, shape, dtype, mask=["causal"], query_offset=0,
                          inputs=poisoned(name, shape, 21, dtype))


def long_sums():
    """Sums that stall at 2048 (f16) or 256 (bf16) when they are kept in 16 bits."""
    for dtype, sk in itertools.product(DTYPES, (4096, 4097)):
        shape = Shape(sk=sk, d=8, dv=1)
        yield Case("A25_sum_of_ones_%s_%d" % (dtype, sk), sdpa_config(shape, dtype),
                   flat_scores(shape, np.ones(sk), dtype),
                   {"out": column([1]), "lse": row([np.log(sk)])})
        if sk == 4096:
            yield Case("A25_half_ones_" + dtype, sdpa_config(shape, dtype),
                       flat_scores(shape, np.arange(sk) < 2048, dtype), {"out": column([0.5])})
    shape = Shape(sk=130, d=64, dv=3)
    large = flat_scores(shape, np.full(130, 60000), "f16")
    large["q"][:], large["k"][:, :, ::2], large["k"][:, :, 1::2] = 200, 200, 190
    yield Case("A25_f16_scores_and_sums_beyond_65504", sdpa_config(shape, "f16", scale=1.0), large,
               {"out": np.full(1, 60000.0)})


def extremes():
    for d in (64, 3):
        shape = Shape(d=d)
        x = np.full((1, 1, 1, d), 133120, numpy_dtype("bf16"))
        yield Case("A29_one_huge_logit_bf16_d_%d" % d, sdpa_config(shape, "bf16"),
                   {"q": x, "k": x, "v": x}, {"out": np.float64(x)})
    shape = Shape(hq=2, sq=64, sk=256, d=64)
    inputs = random_qkv("B21", shape, "bf16")
    inputs["k"] *= numpy_dtype("bf16").type(64)
    yield random_case("B21_bf16_keys_times_64", shape, "bf16", inputs=inputs)
    shape = Shape(sk=3, d=1)
    low = flat_scores(shape, [0, 1, 2], "bf16")
    low["q"][:], low["k"][:] = 448, -560
    yield Case("A27_bf16_logits_below_a_sentinel", sdpa_config(shape, "bf16", scale=1.0), low,
               {"out": column([1]), "lse": row([-448 * 560 + np.log(3)])})


def rounding():
    """B25: results half way between two numbers of the type go to the even one."""
    for dtype in DTYPES:
        real, shape = numpy_dtype(dtype), Shape(sk=2, d=1, dv=512)
        top = 0x7BFE if dtype == "f16" else 0x7EFE  # the sum of two must be finite in float32
        # Neighbours, from the smallest subnormal number to the largest; mantissas that carry too.
        bits = np.r_[0:64, np.linspace(64, top, 384), np.arange(64) + 0x3BE0].astype(np.uint16)
        if dtype == "bf16":  # the mean of f32 subnormal numbers may be flushed
            bits = np.maximum(bits, 0x0100)
        inputs = flat_scores(shape, [0, 0], dtype)
        inputs["v"][0, 0] = np.stack([bits, bits + 1]).astype(np.uint16).view(real)
        inputs["v"][..., ::3] *= real.type(-1)
        want = inputs["v"].astype(np.float64).mean(axis=2, keepdims=True).astype(real)
        for target in ("host", "x86-64-v3") if dtype == "bf16" else ("host",):
            call = Case("", sdpa_config(shape, dtype, outputs=["out"]), inputs,
                        flags=("--target=" + target,))
            yield Relation("B25_ties_%s_%s" % (dtype, target), [call],
                           lambda got, want=want: same_bits({"out": want}, got[0]))


def relations():
    for dtype in DTYPES:
        inputs = dict(random_qkv("S15", SHAPE, dtype), kv_lengths=np.array([129, 40]))
        config = sdpa_config(SHAPE, dtype, mask=["causal", "kv_lengths"], query_offset="end")
        whole = Case("", config, inputs)
        alone = Case("", config, {name: x[1:] for name, x in inputs.items()})
        three = dataclasses.replace(whole, flags=("--threads=3",))
        padded = dict(inputs, kv_lengths=np.full(2, 131))
        more = dict(padded, **{n: np.pad(inputs[n], [(0, 0), (0, 0), (0, 41), (0, 0)],
                                         constant_values=np.nan) for n in "kv"})
        last = lambda got: {name: x[1:] for name, x in got.items()}
        yield Relation("S15_threads_and_batch_alone_" + dtype, [whole, three, alone],
                       lambda got: same_bits(got[0], got[1]) or same_bits(last(got[0]), got[2]))
        bare = sdpa_config(SHAPE, dtype, mask=["kv_lengths"])
        yield Relation("meta_padding_with_nan_" + dtype,
                       [Case("", bare, padded), Case("", bare, more)],
                       lambda got: same_bits(*got))


def cases():
    for make in (head_dims, lengths, masks, scores, layers, special_values, long_sums, extremes,
                 rounding, relations):
        yield from make()
