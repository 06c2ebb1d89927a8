"""Score entries: scale, softcap, bias, ALiBi, in any order and beside masks."""
import itertools

import numpy as np

from case import (Shape, broadcast_size, broadcast_words, generator, random_case,
                  statistic)

SHAPE = Shape(b=2, hq=4, hkv=2, sq=50, sk=140, d=16)


def bias_of(name, dims, dtype="f32", spread=3.0):
    values = generator(name).normal(size=dims) * spread
    return values.astype({"f32": np.float32, "f64": np.float64}[dtype])


def scales():
    for scale in (-0.5, 0.0, 0.3, 1, -2.0, 1e-8):
        yield random_case("A23_scale_number_%g" % scale, SHAPE, scale=scale, mask=["causal"],
                          query_offset="end")
    for scale in (-0.5, 0.0, 0.25):
        for dtype in ("f32", "f64"):
            yield random_case("A23_scale_input_%g_%s" % (scale, dtype), SHAPE, dtype, scale="input",
                              inputs={"scale": statistic(scale, dtype)})


def softcaps():
    for cap in (0.5, 5.0, 50.0, 1e-3, 1e6):
        yield random_case("A31_softcap_%g" % cap, SHAPE, score=[{"softcap": cap}])
    yield random_case("A31_softcap_f64", SHAPE, "f64", score=[{"softcap": 5.0}])
    yield random_case("A31_softcap_far_out", SHAPE, score=[{"softcap": 30.0}], scale=10.0)
    yield random_case("A31_two_softcaps", SHAPE, score=[{"softcap": 2.0}, {"softcap": 1.0}])


def biases():
    for count in range(5):
        for full in itertools.combinations(range(4), count):
            name = "S3_bias_full_in_%s" % ("_".join("bhij"[n] for n in full) or "nothing")
            bias = bias_of(name, broadcast_size(full, SHAPE))
            both = full in ((2, 3), (0, 1, 2, 3), (3,), (1, 2))
            for dynamic in (False, True) if both else (count % 2 == 1,):
                words = broadcast_words(full, None if dynamic else SHAPE)
                yield random_case(name + "_any" * dynamic, SHAPE, static=not dynamic,
                                  score=[{"bias": {"shape": words}}], inputs={"bias": bias})
    matrix = broadcast_words((2, 3))
    yield random_case("S3_bias_f64", SHAPE, "f64", score=[{"bias": {"shape": matrix}}],
                      inputs={"bias": bias_of("f64", (1, 1, 50, 140), "f64")})
    yield random_case("S3_two_biases", SHAPE,
                      score=[{"bias": {"shape": matrix, "name": "place"}},
                             {"bias": {"shape": broadcast_words((0, 1)), "name": "head"}}],
                      inputs={"place": bias_of("place", (1, 1, 50, 140)),
                              "head": bias_of("head", (2, 4, 1, 1))})
    holes = bias_of("holes", (1, 1, 50, 140))
    holes[..., ::3], holes[:, :, 7], holes[:, :, :, :130] = -np.inf, -np.inf, -np.inf
    yield random_case("S3_bias_of_minus_infinity", SHAPE, score=[{"bias": {"shape": matrix}}],
                      inputs={"bias": holes}, outputs=["out", "lse", "weights"])
    lowest = np.zeros((1, 1, 50, 140), np.float32)
    lowest[:, :, ::2, 50:] = np.finfo(np.float32).min
    yield random_case("S0_bias_of_f32_min", SHAPE, score=[{"bias": {"shape": matrix}}],
                      inputs={"bias": lowest})
    lowest = np.full((1, 1, 50, 140), np.finfo(np.float32).min, np.float32)
    yield random_case("S0_whole_rows_of_f32_min", SHAPE, score=[{"bias": {"shape": matrix}}],
                      inputs={"bias": lowest}, outputs=["out"], within={"out": 1e-5})


def alibi():
    for heads in (1, 2, 3, 5, 6, 7, 8, 12, 16):
        yield random_case("S3_alibi_heads_%d" % heads, Shape(hq=heads, sq=20, sk=70, d=8),
                          score=[{"alibi": {}}], query_offset="end")
    for name, offset in (("0", 0), ("end", "end"), ("100", 100), ("minus_60", -60)):
        yield random_case("S3_alibi_offset_" + name, SHAPE, score=["alibi"], query_offset=offset)
    for dtype in ("f32", "f64"):
        yield random_case("S3_alibi_slopes_input_" + dtype, SHAPE, dtype, mask=["causal"],
                          score=[{"alibi": {"slopes": "input"}}], query_offset="end",
                          inputs={"slopes": statistic([0.5, 0.0, -0.1, 1.5], dtype)})
    yield random_case("S3_alibi_far_away", Shape(hq=2, sq=3, sk=3000, d=8), score=["alibi"],
                      query_offset="end")
    yield random_case("S3_alibi_equal_lengths_no_offset", Shape(hq=2, sq=70, sk=70), static=True,
                      score=["alibi"])
    yield random_case("S3_alibi_offset_input", SHAPE, score=["alibi"], query_offset="input",
                      inputs={"query_offset": np.array([-10, 90], np.int32)})


def orders():
    """Every order of the three entries, and every pair beside every mask."""
    entry = {"softcap": {"softcap": 4.0}, "alibi": {"alibi": {}},
             "bias": {"bias": {"shape": broadcast_words((0, 2, 3))}}}
    inputs = {"bias": bias_of("orders", (2, 1, 50, 140))}
    for count in (2, 3):
        for names in itertools.permutations(entry, count):
            yield random_case("A09_" + "_then_".join(names), SHAPE, score=[entry[n] for n in names],
                              query_offset="end", inputs=inputs if "bias" in names else {},
                              outputs=["out", "lse"] + ["weights"] * (count == 3))
    masks = {"causal": ("causal", {}), "window": ({"window": {"left": 40, "right": 3}}, {}),
             "kv_lengths": ("kv_lengths", {"kv_lengths": np.array([129, 0])}),
             "q_lengths": ("q_lengths", {"q_lengths": np.array([3, 50])}),
             "tensor": ({"tensor": {"shape": broadcast_words((1, 3))}},
                        {"mask": generator("orders").random((1, 4, 1, 140)) < 0.6})}
    for (score, given), (mask, (option, more)) in itertools.product(entry.items(), masks.items()):
        chosen = dict(inputs if score == "bias" else {}, **more)
        yield random_case("A09_%s_with_%s" % (score, mask), SHAPE, score=[given], mask=[option],
                          query_offset="end", inputs=chosen)


def weights():
    for dtype in ("f32", "f64"):
        for static in (False, True):
            yield random_case("S13_weights_%s%s" % (dtype, "_static" * static), SHAPE, dtype,
                              static, outputs=["out", "lse", "weights"], mask=["causal"],
                              query_offset=5)
    yield random_case("S13_weights_only_with_out", SHAPE, outputs=["out", "weights"])
    yield random_case("S13_out_only", SHAPE, outputs=["out"])


def cases():
    for make in (scales, softcaps, biases, alibi, orders, weights):
        yield from make()
