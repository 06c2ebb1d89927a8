"""Layouts of q, k, v and out (S10): bshd [B, S, H, D] and bsd [B, S, H * D] beside bhsd."""
import dataclasses
import itertools

import numpy as np

from case import Relation, Shape, broadcast_words, generator, random_case
from cases_special_values import entries, poisoned
from metamorphic import same_bits
from semantics.config import head_counts
from semantics.layouts import merge_heads, split_heads

LAYOUTS = ("bshd", "bsd")
SHAPE = Shape(b=2, hq=4, hkv=2, sq=50, sk=131, d=24, dv=20)


def arranged(case, layout):
    """A case of layout bhsd in another."""
    inputs = dict(case.inputs)
    for name in "qkv":
        inputs[name] = np.ascontiguousarray(merge_heads(inputs[name], layout))
    return dataclasses.replace(case, name="S10_%s_%s" % (case.name, layout), inputs=inputs,
                               config=dict(case.config, layout=layout))


def kinds():
    """Every kind of entry that reads by position, each in both layouts."""
    odd = Shape(b=2, hq=3, hkv=1, sq=17, sk=33, d=7, dv=5)
    bias = {"bias": {"shape": broadcast_words((0, 1, 2, 3))}}
    tensor = {"tensor": {"shape": broadcast_words((1, 2, 3))}}
    keep = generator("layouts").random((1, 4, 50, 131)) < 0.6
    bias_values = generator("layouts").normal(size=(2, 4, 50, 131)).astype(np.float32)
    hidden = entries(20, 71, d=12)
    nan = dict(poisoned("layouts", hidden, slice(33, None)), kv_lengths=np.full(hidden.b, 33))
    yield random_case("odd_sizes", odd)
    yield random_case("odd_sizes_static_f64", odd, "f64", static=True)
    yield random_case("odd_sizes_bf16", odd, "bf16")
    yield random_case("decode_f16", Shape(b=3, hq=4, hkv=2, sq=1, sk=129, d=64), "f16",
                      mask=["causal"], query_offset="end")
    yield random_case("window_and_lengths", SHAPE, query_offset="end",
                      mask=[{"window": {"left": 60, "right": 4}}, "kv_lengths", "q_lengths"],
                      inputs={"kv_lengths": np.array([131, 40]), "q_lengths": np.array([7, 50])})
    yield random_case("bias_tensor_weights", SHAPE, score=[bias, {"softcap": 9.0}], mask=[tensor],
                      outputs=["out", "lse", "weights"],
                      inputs={"bias": bias_values, "mask": keep})
    # Sizes at which one dim could be taken for another.
    yield random_case("as_many_tokens_as_heads", Shape(b=1, hq=3, sq=3, sk=3, d=5), static=True)
    yield random_case("one_static_query", Shape(b=2, hq=2, sq=1, sk=1, d=5), static=True)
    yield random_case("no_static_queries", Shape(b=2, hq=2, sq=0, sk=3, d=5), static=True)
    yield random_case("no_static_keys", Shape(b=2, hq=2, sq=3, sk=0, d=5), static=True)
    yield random_case("nan_under_the_mask", hidden, mask=["kv_lengths"], inputs=nan)


def invariance():
    """The same values in each layout give the same bits."""
    causal = {"mask": ["causal"], "query_offset": "end", "outputs": ["out", "lse", "weights"]}
    for dtype, target in (("f32", "host"), ("f64", "host"), ("f16", "host"), ("bf16", "host"),
                          ("f16", "x86-64-v3")):
        name = "%s_%s" % (dtype, target)
        plain = dataclasses.replace(random_case(name, SHAPE, dtype, **causal),
                                    flags=("--target=" + target,))

        def same(got, heads=head_counts(plain.config)[0]):
            for layout, other in zip(LAYOUTS, got[1:]):
                out = np.ascontiguousarray(split_heads(other["out"], layout, heads))
                problem = same_bits(got[0], dict(other, out=out))
                if problem:
                    return "%s: %s" % (layout, problem)
            return None

        yield Relation("S10_same_bits_" + name,
                       [plain] + [arranged(plain, layout) for layout in LAYOUTS], same)


def cases():
    for case, layout in itertools.product(kinds(), LAYOUTS):
        yield arranged(case, layout)
    yield from invariance()
