"""NaN and infinity where no query may look (S5) and where one may; extreme but finite values."""
import itertools

import numpy as np

from case import (Case, Shape, broadcast_words, flat_scores, generator, random_case, random_qkv,
                  sdpa_config)

VALUES = (np.nan, np.inf, -np.inf)
PLACES = ("k", "v", "kv")


def poisoned(name, shape, keys, dtype="f32"):
    """Random inputs; each entry of the batch has another value in another tensor, the last none."""
    inputs = random_qkv(name, shape, dtype)
    for b, (value, places) in enumerate(itertools.product(VALUES, PLACES)):
        for place in places:
            inputs[place][b, :, keys] = value
    return inputs


def entries(sq, sk, **rest):
    return Shape(b=len(VALUES) * len(PLACES) + 1, hq=2, hkv=1, sq=sq, sk=sk, **rest)


def forbidden_keys():
    """No query may see the poisoned keys: every output is finite."""
    for sk, length in ((140, 129), (140, 128), (140, 127), (140, 50), (16, 9), (300, 1), (70, 0)):
        for dtype in ("f32", "f64") if length in (127, 9) else ("f32",):
            shape = entries(50, sk, d=12)
            name = "S5_kv_length_%d_of_%d_%s" % (length, sk, dtype)
            inputs = poisoned(name, shape, slice(length, None), dtype)
            inputs["kv_lengths"] = np.full(shape.b, length)
            yield random_case(name, shape, dtype, mask=["kv_lengths"], inputs=inputs,
                              outputs=["out", "lse"] + ["weights"] * (length == 9))
    for sq, sk, offset in ((50, 140, 0), (20, 140, 100), (3, 129, 64), (97, 257, -40)):
        shape = entries(sq, sk, d=12)
        name = "S5_causal_future_%d_%d_%d" % (sq, sk, offset)
        yield random_case(name, shape, mask=["causal"], query_offset=offset,
                          inputs=poisoned(name, shape, slice(sq + offset, None)))
    shape = entries(30, 300)
    name = "S5_window_past_and_future"
    outside = np.r_[0:90, 140:300]  # positions 100..129, left 10, right 10
    yield random_case(name, shape, mask=[{"window": {"left": 10, "right": 10}}], query_offset=100,
                      inputs=poisoned(name, shape, outside))
    for dtype in ("f32", "f64"):
        shape = entries(20, 140)
        name = "S5_tensor_" + dtype
        keep = generator(name).random((1, 1, 20, 140)) < 0.5
        keep[..., ::7], keep[..., 64:128] = False, False
        inputs = poisoned(name, shape, np.flatnonzero(~keep.any(axis=(0, 1, 2))), dtype)
        yield random_case(name, shape, dtype, mask=[{"tensor": {"shape": broadcast_words((2, 3))}}],
                          inputs=dict(inputs, mask=keep), outputs=["out", "lse", "weights"])
    shape = entries(50, 140)
    name = "S5_causal_and_kv_lengths_and_tensor"
    keep = np.arange(140).reshape(1, 1, 1, 140) % 5 != 2
    dead = (np.arange(140) >= 130) | (np.arange(140) % 5 == 2)
    inputs = poisoned(name, shape, dead)
    yield random_case(name, shape, mask=["causal", "kv_lengths",
                                         {"tensor": {"shape": broadcast_words((3,))}}],
                      query_offset="end", inputs=dict(inputs, mask=keep,
                                                      kv_lengths=np.full(shape.b, 130)))


def keys_some_rows_see():
    """Rows that may see the poisoned key are not finite, all others are."""
    for name, key, rest in (
            ("causal", 20, {"mask": ["causal"], "query_offset": 0}),
            ("causal_tile_edge", 47, {"mask": ["causal"], "query_offset": 0}),
            ("causal_second_tile", 130, {"mask": ["causal"], "query_offset": 90}),
            ("window", 60, {"mask": [{"window": {"left": 5, "right": 3}}], "query_offset": 30}),
            ("no_mask", 139, {})):
        for dtype in ("f32", "f64") if name in ("causal", "no_mask") else ("f32",):
            shape = entries(50, 140, d=8)
            full = "S5_seen_by_some_%s_%s" % (name, dtype)
            yield random_case(full, shape, dtype, inputs=poisoned(full, shape, key, dtype), **rest)
    shape = entries(50, 140)
    keep = generator("seen").random((1, 2, 50, 140)) < 0.5
    yield random_case("S5_seen_by_some_tensor", shape,
                      mask=[{"tensor": {"shape": broadcast_words((1, 2, 3))}}],
                      inputs=dict(poisoned("seen", shape, 77), mask=keep))
    one_value = random_qkv("S5_one_value", Shape(b=1, hq=2, sq=50, sk=140, d=8))
    one_value["v"][0, 1, 100, 3] = np.nan
    yield random_case("S5_one_element_of_v", Shape(hq=2, sq=50, sk=140, d=8), inputs=one_value)
    unlikely = flat_scores(Shape(sk=70, d=1), np.arange(70))
    unlikely["q"][:], unlikely["k"][0, 0, 5] = 1, -1e4
    unlikely["v"][0, 0, 5] = np.nan
    yield Case("S5_allowed_key_of_weight_0", sdpa_config(Shape(sk=70, d=1)), unlikely)


def queries():
    shape = Shape(b=3, hq=2, sq=50, sk=70)
    inputs = random_qkv("S5_query", shape)
    for b, value in enumerate(VALUES):
        inputs["q"][b, :, 30:] = value
    yield random_case("S5_queries_beyond_their_length", shape, mask=["q_lengths"],
                      inputs=dict(inputs, q_lengths=np.full(3, 30)))
    yield random_case("S5_query_rows_do_not_mix", shape, inputs=inputs)
    inputs = random_qkv("S6_query", shape)
    inputs["q"][:, :, 7] = np.nan
    keep = np.ones((1, 1, 50, 1), bool)
    keep[:, :, 7] = False
    yield random_case("S6_empty_row_of_a_nan_query", shape, inputs=dict(inputs, mask=keep),
                      mask=[{"tensor": {"shape": broadcast_words((2,))}}])


def biases():
    shape = Shape(hq=2, sq=50, sk=140)
    bias = generator("S5_bias").normal(size=(1, 1, 50, 140)).astype(np.float32)
    bias[..., 100:120], bias[..., 120:130], bias[..., 130:] = np.nan, np.inf, -np.inf
    score = [{"bias": {"shape": broadcast_words((2, 3))}}]
    yield random_case("S5_bias_at_forbidden_keys", shape, score=score, mask=["kv_lengths"],
                      inputs={"bias": bias, "kv_lengths": np.array([100])})
    one = np.zeros((1, 1, 50, 140), np.float32)
    one[0, 0, 10, 3], one[0, 0, 20, 3], one[0, 0, 30] = np.nan, np.inf, -np.inf
    yield random_case("S3_bias_of_nan_and_infinity", shape, score=score, inputs={"bias": one})
    inputs = random_qkv("S3_nan_key", shape)
    inputs["k"][0, 0, 5] = np.nan
    minus = np.zeros((1, 1, 50, 140), np.float32)
    minus[..., 5] = -np.inf
    yield random_case("S3_bias_of_minus_infinity_is_no_mask", shape, score=score,
                      inputs=dict(inputs, bias=minus))


def wide_logits():
    shape = Shape(hq=2, sq=64, sk=256, d=64)
    for factor in (32, 64):
        inputs = random_qkv("B21", shape)
        inputs["k"] *= np.float32(factor)
        yield random_case("B21_keys_times_%d" % factor, shape, inputs=inputs)
    for block in (16, 64, 128):
        for direction in (1, -1):
            shape = Shape(sq=3, sk=520, d=1, dv=4)
            name = "B21_max_%s_each_%d" % ("rises" if direction > 0 else "falls", block)
            inputs = random_qkv(name, shape)
            steps = 20.0 * (np.arange(520) // block) * direction
            inputs["q"][:], inputs["k"][0, 0, :, 0] = 1, steps + inputs["k"][0, 0, :, 0]
            yield random_case(name, shape, inputs=inputs, scale=1.0)
    shape = Shape(sq=5, sk=140, d=4)
    for magnitude in (1e-30, 1e-20, 1e15):
        inputs = random_qkv("range", shape)
        inputs["q"] *= np.float32(magnitude)
        inputs["v"] *= np.float32(1e30)
        if magnitude < 1:
            yield random_case("B21_queries_times_%g" % magnitude, shape, inputs=inputs)
        else:  # one key wins every row
            yield random_case("B21_queries_times_%g" % magnitude, shape, inputs=inputs,
                              within={"out": 1e24}, outputs=["out"])
    inputs = random_qkv("softcap", shape)
    inputs["k"][0, 0, 3], inputs["k"][0, 0, 4] = np.inf, -np.inf
    inputs["q"] = np.abs(inputs["q"])
    yield random_case("A31_softcap_of_infinity", shape, inputs=inputs, score=[{"softcap": 5.0}])
    for cap in (1.0, 30.0):
        yield random_case("A31_softcap_%g_of_huge_scores" % cap, shape, scale=1e6,
                          score=[{"softcap": cap}])


def cases():
    for make in (forbidden_keys, keys_some_rows_see, queries, biases, wide_logits):
        yield from make()
