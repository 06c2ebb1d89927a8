"""`expr` entries: masks and scores as formulas, and the tiles that such masks skip.

The random masks are drawn from the seed in their name; FOVEA_RANDOM_EXPRS sets how many.
"""
import os

import numpy as np

from case import Shape, generator, random_case

SHAPE = Shape(b=2, hq=2, sq=100, sk=300)
ROWS = {"dtype": "i64", "shape": ["batch", "query"]}
KEYS = {"dtype": "i64", "shape": ["batch", "kv"]}


def expr_case(name, mask=None, score=None, shape=SHAPE, dtype="f32", **rest):
    entries = lambda texts: [{"expr": text} for text in texts]
    rest.setdefault("query_offset", "end")
    if mask:
        rest["mask"] = entries([mask]) if isinstance(mask, str) else mask
    if score:
        rest["score"] = entries([score]) if isinstance(score, str) else score
    return random_case(name, shape, dtype, **rest)


def masks():
    texts = {
        "causal": "j <= p",
        "window": "p - j < 64 && j - p <= 5",
        "band": "abs(p - j) < 40",
        "dilated": "(p - j) % 3 == 0 && j <= p",
        "blocks": "i // 64 == j // 64",
        "blocks_by_remainder": "i - i % 32 == j - j % 32",
        "stairs": "j < (i // 16 + 1) * 40",
        "negative_divisor": "(p - 150) % -7 <= j // -50 + 3",
        "heads": "h == 0 || j % 2 == b % 2",
        "not": "!(j > p) && !(j < 5 && i < 3)",
        "exclusive": "(i < 50) != (j < 130)",
        "equal_conditions": "(i < 50) == (j < 130)",
        "select": "select(h == 1, j <= p, j >= p - 20)",
        "select_of_numbers": "j < select(i % 2 == 0, 100, 250) - 10",
        "min_max": "max(i, 30) * 2 >= min(j, 200)",
        "real": "j < 0.37 * i + 20.5",
        "quotient": "j / (i + 1) < 2.5",
        "real_remainder": "(p - 130.5) % 17 < 9",
        "functions": "exp(0.01 * (j - p)) < 1.2 && sqrt(abs(p - j)) + tanh(0.1 * i) <= 9.3",
        "logarithm": "log(j + 1.0) > log(0.5 * i + 1)",
        "by_a_variable": "p % (h * 3 + 2) == j // (b + 1) % 2",
        "by_zero": "p % h == 0 && i // h <= j",
        "never": "i + 1000 < j",
        "always": "i + 1000 > j",
        "no_name": "1 < 2",
        "false": "2 < 1",
        "wide": "i * 100000000 + j * 3 > 5000000000",
        "wide_product": "(i * 1000003 + j * 998244353) % 5 < 3",
    }
    for name, text in texts.items():
        yield expr_case("S4_expr_" + name, text)
    yield expr_case("S4_expr_f64", texts["real"], dtype="f64")
    yield expr_case("S4_expr_static", texts["blocks"], static=True)
    yield expr_case("S4_expr_beside_others", query_offset="input",
                    mask=["causal", {"expr": "j % 5 != 1"}, {"window": {"left": 90, "right": -1}},
                          {"expr": "i // 20 != 2"}],
                    inputs={"query_offset": np.array([-40, 210])})
    yield expr_case("S4_expr_weights", texts["blocks"], outputs=["out", "lse", "weights"])
    # Known to forbid every key, so that nothing but outputs is left.
    for sq in (1, 100):
        yield expr_case("S6_expr_no_key_%d_queries" % sq, "j < 0", static=True,
                        shape=Shape(b=2, hq=4, hkv=2, sq=sq, sk=20),
                        outputs=["out", "lse", "weights"])


def documents(name, batch, length, count):
    return np.sort(generator(name).integers(0, count, (batch, length)), axis=1)


def captures():
    ids = {"ids": documents("ids", 2, 300, 5)}
    of_keys = {"ids": KEYS}
    for name, text in (("documents", "ids[b, p] == ids[b, j]"),
                       ("documents_of_rows", "ids[b, i] == ids[b, j]"),
                       ("documents_causal", "ids[b, p] == ids[b, j] && j <= p"),
                       ("other_documents", "ids[b, p] != ids[b, j]"),
                       ("next_document", "ids[b, p] + 1 >= ids[b, j]"),
                       ("past_the_end", "ids[b, j + 200] >= ids[b, j - 100] + 1"),
                       ("of_a_read", "ids[b, ids[b, j] * 7] == 1")):
        yield expr_case("S4_expr_" + name, text, tensors=of_keys, inputs=ids)
    for kind in (np.int32, np.int64):
        yield expr_case("S4_expr_documents_" + np.dtype(kind).name, "mine[b, i] == theirs[b, j]",
                        tensors={"mine": ROWS, "theirs": KEYS},
                        inputs={"mine": documents("q", 2, 100, 9).astype(kind),
                                "theirs": documents("k", 2, 300, 9).astype(kind)})
    ends = {"ids": np.array([[-2 ** 63, 2 ** 63 - 1, 5]] * 2).repeat(100, axis=1)}
    for text in ("ids[b, p] == ids[b, j]", "ids[b, p] + 1 > ids[b, j]",
                 "ids[b, j] * 3 == ids[b, p] * 3", "abs(ids[b, j]) > 4"):
        yield expr_case("S4_expr_ends_of_64_bits_%d" % len(text), text, tensors=of_keys,
                        inputs=ends)
    keep = generator("keep").random((2, 300)) < 0.5
    keep[0, :140], keep[1, 130:] = True, False
    yield expr_case("S4_expr_bools", "keep[b, j] || (i == 3 && !keep[b, j])",
                    tensors={"keep": {"dtype": "bool", "shape": ["batch", "kv"]}},
                    inputs={"keep": keep})
    for dtype, kind in (("f32", np.float32), ("f64", np.float64)):
        real = generator(dtype).normal(size=(2, 300)).astype(kind)
        yield expr_case("S4_expr_reals_" + dtype, "x[b, j] < 0.5 && x[b, i] * 2 > x[1 - b, j]",
                        tensors={"x": {"dtype": dtype, "shape": ["batch", "kv"]}},
                        inputs={"x": real})
    # A mask compares in f64 what is read in the scores' type.
    for dtype, kind in (("f16", np.float16), ("f32", np.float32), ("f64", np.float64)):
        real = generator("by both " + dtype).normal(size=(100, 300)).astype(kind)
        for kernel in ("f16", "f32"):
            yield expr_case("S4_expr_%s_by_query_and_key_in_%s" % (dtype, kernel),
                            "x[i, j] < 0.5", dtype=kernel,
                            tensors={"x": {"dtype": dtype, "shape": ["query", "kv"]}},
                            inputs={"x": real})
    # What nothing is known of does not keep another condition from skipping.
    yield expr_case("S4_expr_documents_and_reals", "ids[b, i] == ids[b, j] && x[b, j] < 0.5",
                    tensors=dict(of_keys, x={"dtype": "f32", "shape": ["batch", "kv"]}),
                    inputs=dict(ids, x=generator("x").normal(size=(2, 300)).astype("f4")))
    shape = Shape(b=2, hq=4, hkv=2, sq=60, sk=140)
    yield expr_case("S4_expr_kv_heads", "j < limit[h // 2, b] && j >= first[h]", shape=shape,
                    tensors={"limit": {"dtype": "i32", "shape": ["kv_heads", "batch"]},
                             "first": {"dtype": "i64", "shape": ["heads"]}},
                    inputs={"limit": np.array([[140, 20], [70, 0]], np.int32),
                            "first": np.array([0, 5, 60, 139])})


def scores():
    texts = {
        "add": "s + 1",
        "alibi": "s - 0.05 * (h + 1) * abs(p - j)",
        "softcap": "20 * tanh(s / 20)",
        "select": "select(j % 2 == 0, s, 0.5 * s)",
        "integer": "j % 3",
        "functions": "max(min(s, 1.5), -1.5) + log(1 + exp(-s)) - sqrt(abs(s))",
        "remainder": "s % 1 - (0 - s) % -0.75",
        "quotient": "(s + 0.1 * i) / (j + 20)",
        "negative": "-s * -2",
    }
    for name, text in texts.items():
        yield expr_case("S3_expr_" + name, score=text)
    yield expr_case("S3_expr_f64", score=texts["functions"], dtype="f64")
    yield expr_case("S3_expr_in_order", score=[{"expr": "s * 3"}, {"softcap": 2.0},
                                               {"expr": "s + h"}])
    table = generator("table").normal(size=(2, 401)).astype("f4")
    yield expr_case("S3_expr_relative_bias", score="s + table[h, p - j + 200]",
                    mask="abs(p - j) <= 250",
                    tensors={"table": {"dtype": "f32", "shape": ["heads", 401]}},
                    inputs={"table": table})
    yield expr_case("S3_expr_f64_tensor", score="s + x[b, j]",
                    tensors={"x": {"dtype": "f64", "shape": ["batch", "kv"]}},
                    inputs={"x": generator("x").normal(size=(2, 300))})


class RandomExpr:
    """Draws masks that hold an allowed and a forbidden key now and then."""

    def __init__(self, seed):
        self.random = generator("random expr %d" % seed)

    def pick(self, *choices):
        return choices[self.random.integers(len(choices))]

    def integer(self, depth):
        if depth <= 0:
            return self.pick("i", "p", "j", "j", "b", "h", "ids[b, j]", "ids[b, i]", "ids[b, p]",
                             str(self.random.integers(0, 200)))
        a, b = self.integer(depth - 1), self.integer(self.random.integers(0, depth))
        constant = self.random.integers(1, 100)
        return self.pick("(%s + %s)" % (a, b), "(%s - %s)" % (a, b), "(%s * %s)" % (a, b),
                         "(%s %% %d)" % (a, constant), "(%s // %d)" % (a, constant),
                         "(%s // -%d)" % (a, constant), "(%s // %s)" % (a, b),
                         "(%s - %s %% %d)" % (a, a, constant), "min(%s, %s)" % (a, b),
                         "max(%s, %s)" % (a, b), "abs(%s)" % a, "ids[b, %s]" % a,
                         "select(%s < %s, %s, %s)" % (b, self.integer(0), a, b))

    def condition(self, depth):
        if depth <= 0:
            a = self.integer(self.random.integers(0, 3))
            if self.random.integers(8) == 0:
                a = "(%s * 0.25 - 3)" % a
            relation = self.pick("<", "<=", ">", ">=", "==", "!=")
            return "%s %s %s" % (a, relation, self.integer(self.random.integers(0, 2)))
        a, b = self.condition(depth - 1), self.condition(depth - 1)
        return self.pick("(%s && %s)" % (a, b), "(%s || %s)" % (a, b), "!(%s)" % a,
                         "((%s) != (%s))" % (a, b),
                         "select(%s, %s, %s)" % (a, b, self.condition(0)))


def random_masks():
    ids = {"ids": documents("random ids", 2, 300, 5)}
    for seed in range(int(os.environ.get("FOVEA_RANDOM_EXPRS", "40"))):
        text = RandomExpr(seed).condition(seed % 3)
        yield expr_case("S4_expr_random_%d" % seed, text, tensors={"ids": KEYS}, inputs=ids,
                        query_offset=("end", 0, -30)[seed % 3])


def cases():
    for make in (masks, captures, scores, random_masks):
        yield from make()
