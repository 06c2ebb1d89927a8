"""`kind: layer`: projections, attention, output projection (S12)."""
import numpy as np

from .config import input_dtype
from .sdpa import sdpa_outputs


def layer_outputs(config, inputs, emulated=None):
    """out = concat_h(sdpa(x Wq, c Wk, c Wv)) Wo, where c is the context, or x itself."""
    real = emulated or np.float64
    dtype = input_dtype(config) if emulated else np.float64
    biases = {bias[-1] for bias in config.get("biases") or []}  # q and bq mean the same
    x = inputs["x"]
    context = inputs["context"] if config.get("source", "self") == "cross" else x

    def project(rows, name):
        rows = rows if rows.ndim == 3 else rows[None]
        y = rows.astype(real) @ inputs["w" + name].astype(real)
        if name in biases:
            y = y + inputs["b" + name].astype(real)
        return y.astype(dtype)

    projected = {"q": project(x, "q"), "k": project(context, "k"), "v": project(context, "v")}
    got = sdpa_outputs(dict(config, layout="bsd"), dict(inputs, **projected), emulated)
    if "out_dim" in config:
        got["out"] = project(got["out"].astype(dtype), "o")
    if x.ndim == 2:
        got["out"] = got["out"][0]
    return got
