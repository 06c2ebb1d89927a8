"""Whole layers (S12): projections, biases, heads split and merged, output projection."""
import os

import numpy as np

from case import Case, generator
from semantics.config import head_counts, head_dims, input_dtype

EXAMPLE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "numpy")


def layer_case(name, dtype="f32", batch=2, sq=10, sk=None, heads=(2, 2), dims=(8, 8), model=16,
               context=None, out_dim=None, biases=(), dynamic=False, inputs=None, **rest):
    """A random layer; `sk` or `context` makes it cross attention, `batch` None is rank 2."""
    cross = sk is not None or context is not None
    sk, width = (sk or sq, context or model) if cross else (sq, model)
    size = (lambda n: "any") if dynamic else (lambda n: n)
    config = {"kind": "layer", "dtype": dtype, "heads": {"query": heads[0], "kv": heads[1]},
              "head_dim": {"qk": dims[0], "v": dims[1]}, "model_dim": model,
              "length": {"query": size(sq), "kv": size(sk)}, "source": "cross" if cross else "self"}
    if batch is not None:
        config["batch"] = size(batch)
    if context is not None:
        config["context_dim"] = context
    if out_dim is not None:
        config["out_dim"] = out_dim
    if biases:
        config["biases"] = list(biases)
    config["outputs"] = ["out"]
    config.update(rest)

    given = layer_inputs(config, name, batch, sq, sk)
    given.update(inputs or {})
    return Case("S12_" + name, config, given)


def layer_inputs(config, name, batch, sq, sk):
    """Random tokens, weights and biases that a layer's config takes; `batch` None is rank 2."""
    random, real = generator(name), input_dtype(config)
    make = lambda *of: random.normal(size=of).astype(real)
    tokens = lambda length, of: make(*([] if batch is None else [batch]), length, of)
    (hq, hkv), (dqk, dv) = head_counts(config), head_dims(config)
    model, cross = config["model_dim"], config.get("source") == "cross"
    width = config.get("context_dim", model) if cross else model
    weights = {"q": (model, hq * dqk), "k": (width, hkv * dqk), "v": (width, hkv * dv)}
    if "out_dim" in config:
        weights["o"] = (hq * dv, config["out_dim"])
    given = {"x": tokens(sq, model)}
    if cross:
        given["context"] = tokens(sk, width)
    for which, (rows, columns) in weights.items():
        given["w" + which] = make(rows, columns) / real.type(rows ** 0.5)
    for which in config.get("biases", ()):
        given["b" + which] = make(weights[which][1])
    return given


def numpy_example():
    load = lambda name: np.load(os.path.join(EXAMPLE, name + ".npy"))
    config = {"kind": "layer", "dtype": "f64", "model_dim": 8, "heads": {"query": 1},
              "head_dim": {"qk": 8, "v": 8}, "length": {"query": 4, "kv": 4}, "source": "self",
              "query_offset": 0, "mask": ["causal"], "outputs": ["out", "weights"]}
    inputs = {name: load(name) for name in ("x", "wq", "wk", "wv")}
    yield Case("S12_numpy_example", config, inputs,
               {"out": load("out"), "weights": load("weights")},
               within={"out": 1e-12, "weights": 1e-12})


def self_attention():
    for dtype in ("f32", "f64"):
        yield layer_case("self_" + dtype, dtype)
        yield layer_case("self_any_" + dtype, dtype, dynamic=True)
        yield layer_case("self_causal_any_" + dtype, dtype, sq=130, dynamic=True, mask=["causal"],
                         query_offset=0, outputs=["out", "lse", "weights"])
        yield layer_case("self_no_batch_" + dtype, dtype, batch=None, out_dim=5)
        yield layer_case("self_everything_" + dtype, dtype, sq=50, heads=(6, 2), dims=(8, 12),
                         model=40, out_dim=24, biases="qkvo", mask=["causal"], query_offset=0,
                         score=[{"softcap": 3.0}, {"alibi": {}}], outputs=["out", "lse", "weights"])
    for biases in ("q", "k", "v", "o", "qkv", "vo"):
        yield layer_case("biases_" + biases, biases=biases, out_dim=12)
    yield layer_case("biases_without_out_dim", biases="qkv")
    yield layer_case("no_batch_any", batch=None, dynamic=True, outputs=["out", "lse"])
    yield layer_case("batch_1", batch=1, out_dim=16)
    for heads in ((1, 1), (6, 2), (5, 1), (12, 12)):
        yield layer_case("heads_%d_%d" % heads, heads=heads, out_dim=20)
    for dims in ((8, 4), (4, 8), (5, 7), (64, 64), (1, 1)):
        yield layer_case("head_dims_%d_%d" % dims, dims=dims, out_dim=20)
    for model, out_dim in ((1, 1), (7, 13), (64, 64), (100, 33), (300, 10)):
        yield layer_case("model_%d_out_%d" % (model, out_dim), model=model, out_dim=out_dim, sq=49)
    for sq in (0, 1, 48, 129):
        yield layer_case("length_%d_any" % sq, sq=sq, dynamic=True, out_dim=10)
    yield layer_case("batch_0", batch=0, dynamic=True, out_dim=10)
    yield layer_case("scale_and_lengths", sq=50, scale=0.2, mask=["kv_lengths", "q_lengths"],
                     biases="qkvo", out_dim=9, outputs=["out", "lse"],
                     inputs={"kv_lengths": np.array([50, 0]), "q_lengths": np.array([20, 50])})


def cross_attention():
    for dtype in ("f32", "f64"):
        yield layer_case("cross_" + dtype, dtype, sk=70)
        yield layer_case("cross_any_" + dtype, dtype, sk=70, context=24, dynamic=True, out_dim=16)
    yield layer_case("cross_context_dim", sk=33, context=9, model=21, out_dim=5, biases="qkvo")
    yield layer_case("cross_no_batch", batch=None, sk=33, context=9)
    yield layer_case("cross_same_length", sk=10)
    yield layer_case("cross_no_keys", sk=0, context=9, dynamic=True, out_dim=5, biases="o")
    yield layer_case("cross_causal_end", sq=17, sk=33, mask=["causal"], query_offset="end",
                     heads=(4, 2), out_dim=16, outputs=["out", "lse", "weights"])
    yield layer_case("cross_bias_and_mask", sq=17, sk=33, heads=(4, 2),
                     score=[{"bias": {"shape": [1, 4, 17, 33]}}],
                     mask=[{"tensor": {"shape": [2, 1, 1, 33]}}],
                     inputs={"bias": generator("layer bias").normal(size=(1, 4, 17, 33))
                             .astype(np.float32),
                             "mask": generator("layer mask").random((2, 1, 1, 33)) < 0.7})


def cases():
    for make in (numpy_example, self_attention, cross_attention):
        yield from make()
