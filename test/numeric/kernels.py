"""Small kernels that the tests of edited stage files start from, each with the inputs that tell a
right one from a wrong one: tails, several key tiles, rows without keys, NaN under the mask."""
import numpy as np

from case import Shape, random_qkv, sdpa_config
from cases_layer import layer_case

HEADS = {"hq": 4, "hkv": 2, "d": 16, "dv": 24}


def shape(b, sq, sk):
    return Shape(b=b, sq=sq, sk=sk, **HEADS)


def config(**rest):
    return sdpa_config(shape(1, 1, 1), **rest)


CONFIGS = {
    "full": config(),
    "full_f64": config(dtype="f64"),
    "causal": config(query_offset="end", mask=["causal"]),
    "weights": config(query_offset="end", mask=["causal"], outputs=["out", "weights"]),
    "window": config(query_offset="end", mask=[{"window": {"left": 150, "right": 2}}],
                     score=[{"softcap": 3.0}]),
    "alibi": config(query_offset=3, mask=["causal", "kv_lengths"], score=["alibi"]),
    "padded": config(mask=["kv_lengths"]),
    "bias": config(mask=[{"tensor": {"shape": ["batch", 1, "query", "kv"]}}],
                   score=[{"bias": {"shape": [1, "heads", "query", "kv"]}}]),
    # One query at a time: the heads of a group are the rows of a tile.
    "decode": config(mask=["kv_lengths", {"tensor": {"shape": ["batch", 1, "query", "kv"]}}],
                     length={"query": 1, "kv": "any"}),
    "layer": layer_case("layer", sq=60, heads=(4, 2), dims=(16, 24), model=32, out_dim=20,
                        biases=("q", "k", "v", "o"), dynamic=True, mask=["causal"]).config,
}


def random_inputs(name, b, sq, sk):
    """Inputs of one of CONFIGS, of these lengths."""
    of = CONFIGS[name]
    if name == "layer":
        return layer_case("layer", batch=b, sq=sq, heads=(4, 2), dims=(16, 24), model=32,
                          out_dim=20, biases=("q", "k", "v", "o"), dynamic=True).inputs
    inputs = random_qkv("%s %d %d" % (name, sq, sk), shape(b, sq, sk), of["dtype"])
    random = np.random.default_rng(sq * 1000 + sk)
    if "kv_lengths" in of.get("mask", ()):
        inputs["kv_lengths"] = np.linspace(sk // 2, sk // 3, b).astype(np.int64)
    if name == "decode":
        inputs["mask"] = random.random((b, 1, sq, sk)) < 0.7
    if name == "bias":
        inputs["bias"] = random.normal(size=(1, 4, sq, sk)).astype(np.float32)
        inputs["mask"] = random.random((b, 1, sq, sk)) < 0.7
        inputs["mask"][:, :, -1] = False  # a row without keys
    return inputs


def large_scores(inputs):
    """Scores in the hundreds: without a maximum taken off, exponentials overflow."""
    return dict(inputs, q=inputs["q"] * 40)


def growing_scores(inputs):
    """Each key tile has a larger maximum than the one before it."""
    keys = inputs["k"].shape[2]
    k = inputs["k"] * np.linspace(0.1, 3, keys, dtype=np.float32)[:, None]
    return dict(inputs, k=k.astype(inputs["k"].dtype))


def nan_at_the_last_key(inputs):
    """Under a causal mask only the last query may see it."""
    v = inputs["v"].copy()
    v[:, :, -1] = np.nan
    return dict(inputs, v=v)


def nan_where_masked(inputs):
    """A key that the mask tensor forbids to all queries."""
    mask, v = inputs["mask"].copy(), inputs["v"].copy()
    mask[..., 5] = False
    v[:, :, 5] = np.nan
    return dict(inputs, mask=mask, v=v)


def checks(name):
    """{check: inputs} of one of CONFIGS."""
    if name == "decode":
        found = {"tiles": random_inputs(name, 2, 1, 1300), "tails": random_inputs(name, 1, 1, 131)}
        found["large scores"] = large_scores(found["tiles"])
        found["growing scores"] = growing_scores(found["tiles"])
        found["NaN under the mask"] = nan_where_masked(found["tiles"])
        return found
    found = {"tiles": random_inputs(name, 2, 70, 300), "tails": random_inputs(name, 1, 131, 131)}
    if name == "layer":
        return found
    found["one query"] = random_inputs(name, 2, 1, 129)
    found["large scores"] = large_scores(found["tiles"])
    found["growing scores"] = growing_scores(found["tiles"])
    if name == "causal":
        found["NaN at the last key"] = nan_at_the_last_key(found["tails"])
        found["more queries than keys"] = random_inputs(name, 1, 60, 9)  # rows without keys
    if name == "bias":
        found["NaN under the mask"] = nan_where_masked(found["tails"])
    return found
