"""Few queries: the heads of a group are the rows of one tile, with the head dim in lanes where
the rows are few enough, else with the rows in lanes. Lengths stand around the key tiles of either
(128 and 512 keys), numbers of queries around where the kernel takes another way."""
import itertools

import numpy as np

from case import Shape, broadcast_words, generator, random_case
from cases_expr import documents
from cases_half import on
from cases_masks import holed_mask

GROUPS = ((1, 1), (4, 2), (6, 2), (8, 2), (10, 2), (8, 1), (24, 2), (35, 1))
HEAD_DIMS = (1, 3, 8, 24, 40, 100, 128, 130, 260)
LENGTHS = (0, 1, 2, 15, 17, 127, 129, 511, 512, 513, 1030)


def shape_of(sq=1, sk=300, heads=(8, 2), d=24, dv=None, b=2):
    return Shape(b=b, hq=heads[0], hkv=heads[1], sq=sq, sk=sk, d=d, dv=dv)


def everywhere(case):
    yield case
    yield on("x86-64-v3", case)


def sizes():
    for d in HEAD_DIMS:
        yield from everywhere(random_case("B05_decode_d_%d" % d, shape_of(d=d, dv=d)))
    for dtype, (d, dv) in itertools.product(("f64", "f16", "bf16"), ((40, 100), (33, 7))):
        yield from everywhere(random_case("B06_decode_%s_qk_%d_v_%d" % (dtype, d, dv),
                                          shape_of(d=d, dv=dv), dtype))
    for sk in LENGTHS:
        yield random_case("A01_decode_keys_%d" % sk, shape_of(sk=sk), mask=["causal"],
                          query_offset="end")
    for heads in GROUPS:
        yield from everywhere(random_case("A13_decode_heads_%d_%d" % heads,
                                          shape_of(heads=heads)))


def queries():
    """C07: each row of a packed group has its own query's limit."""
    for heads, counts in (((8, 2), (2, 3, 5, 6, 7, 12, 13)), ((2, 2), (2, 4, 5, 8, 9)),
                          ((9, 3), (2, 5, 16, 17))):
        for sq in counts:
            case = random_case("C07_heads_%d_queries_%d" % (heads[0], sq),
                               shape_of(sq=sq, sk=131, heads=heads), query_offset="end",
                               mask=["causal", {"window": {"left": 100, "right": 0}}],
                               score=[{"alibi": {}}], outputs=["out", "lse", "weights"])
            yield from everywhere(case)
    for sq in (1, 3):
        yield random_case("C07_static_queries_%d" % sq, shape_of(sq=sq, sk=131), static=True,
                          mask=["causal"], query_offset="end")


def masks():
    keep = holed_mask("decode", (2, 1, 1, 700))
    tensor = {"tensor": {"shape": broadcast_words((0, 2, 3))}}
    bias = {"bias": {"shape": ["batch", "heads", "query", "kv"]}}
    random = generator("decode")
    for dtype in ("f32", "f64", "bf16"):
        shape = shape_of(sk=700)
        given = {"mask": keep, "kv_lengths": np.array([700, 390])}
        if dtype != "bf16":
            given["bias"] = random.normal(size=(2, 8, 1, 700)).astype(
                {"f32": "f4", "f64": "f8"}[dtype])
        yield from everywhere(random_case(
            "S4_decode_everything_" + dtype, shape, dtype, mask=[tensor, "kv_lengths"],
            score=[{"softcap": 20.0}] + ([bias] if "bias" in given else []),
            outputs=["out", "lse", "weights"], inputs=given))
    # B11, A03: entries without a key beside others.
    for heads in ((8, 2), (3, 3)):
        yield random_case("B11_decode_lengths_%d" % heads[0], shape_of(b=5, sk=600, heads=heads),
                          mask=["kv_lengths"],
                          inputs={"kv_lengths": np.array([0, 1, 600, 0, 513])})
    ids = documents("k", 2, 700, 9).astype(np.int64)
    yield from everywhere(random_case(
        "C05_decode_documents", shape_of(sk=700), mask=[{"expr": "mine[b, i] == theirs[b, j]"}],
        tensors={"mine": {"dtype": "i64", "shape": ["batch", "query"]},
                 "theirs": {"dtype": "i64", "shape": ["batch", "kv"]}},
        inputs={"mine": ids[:, 40:41].copy(), "theirs": ids}))


def special_values():
    """S5: what forbidden keys and values hold does not matter, in any vector of a tile."""
    shape = shape_of(sk=140)
    for value, at in itertools.product((np.nan, np.inf), (0, 7, 130)):
        keep = np.ones((1, 1, 1, 140), bool)
        keep[..., at] = False
        case = random_case("S5_decode_%s_at_%d" % (value, at), shape,
                           mask=[{"tensor": {"shape": broadcast_words((3,))}}],
                           inputs={"mask": keep})
        for which in "kv":
            case.inputs[which] = case.inputs[which].copy()
            case.inputs[which][:, :, at] = value
        yield case
    yield random_case("A09_decode_large_scores", shape_of(sk=700), scale=40.0)
    yield random_case("A31_decode_negative_scale", shape_of(sk=700), scale=-0.7)


def cases():
    for make in (sizes, queries, masks, special_values):
        yield from make()
