"""The shipped configs (configs/), each on a few short lengths of its own kind."""
import glob
import os

import numpy as np
import yaml

from case import Case, Shape, generator, random_qkv
from cases_layer import layer_inputs
from semantics.config import entries, head_counts, head_dims, names

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "configs")
LENGTHS = ((2, 1, 70), (1, 50, 131))


def size(declared, wanted):
    return wanted if declared == "any" else declared


def inputs_for(name, config, batch, sq, sk):
    if config.get("kind") == "layer":
        return layer_inputs(config, name, batch, sq, sk)
    (hq, hkv), (d, dv) = head_counts(config), head_dims(config)
    shape = Shape(b=batch, hq=hq, hkv=hkv, sq=sq, sk=sk, d=d, dv=dv)
    inputs = random_qkv(name, shape, config["dtype"])
    if config.get("scale") == 1.0:
        inputs["q"] /= np.float32(d ** 0.5)  # models without a scale train it into their weights
    for entry, options in entries(config, "score"):
        if entry == "bias":
            dims = [1 if word == 1 else whole
                    for word, whole in zip(options["shape"], shape.scores)]
            bias = generator(name + " bias").normal(size=dims).astype(np.float32)
            if "padding" in options["name"]:
                bias = np.where(bias < 0.5, 0, np.finfo(np.float32).min).astype(np.float32)
            inputs[options["name"]] = bias
    if "kv_lengths" in names(config, "mask"):
        inputs["kv_lengths"] = np.linspace(sk, 0, batch, dtype=np.int64)
    return inputs


def cases():
    for path in sorted(glob.glob(os.path.join(FOLDER, "*.yaml"))):
        with open(path) as file:
            config = yaml.safe_load(file)
        config.setdefault("outputs", ["out"])
        cross = config.get("kind") != "layer" or config.get("source") == "cross"
        for b, sq, sk in LENGTHS:
            batch = size(config["batch"], b) if "batch" in config else None
            sq = size(config["length"]["query"], sq)
            sk = size(config["length"]["kv"], sk) if cross else sq
            name = "shipped_%s_%d_%d" % (os.path.basename(path)[:-5], sq, sk)
            yield Case(name, config, inputs_for(name, config, batch, sq, sk))
            if "any" not in config["length"].values():
                break
