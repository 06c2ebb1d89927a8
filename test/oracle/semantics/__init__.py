"""The meaning of an attention config, in NumPy: `attention(config, inputs)`."""
import numpy as np

from .config import input_dtype
from .layer import layer_outputs
from .sdpa import sdpa_outputs


def attention(config, inputs, emulate=False):
    """Returns {output name: array} of a config (a dict, as read from YAML).

    The result is float64, computed from the inputs' exact values. With `emulate`, half and
    single precision configs are computed as a kernel may: float32 arithmetic, softmax streamed
    over blocks of keys, weights rounded to the input type before the second product.
    """
    kind = config.get("kind", "sdpa")
    if kind not in ("sdpa", "layer"):
        raise SystemExit("kind: expected sdpa or layer, found '%s'" % kind)
    emulated = np.float32 if emulate and input_dtype(config).itemsize < 8 else None
    outputs = layer_outputs if kind == "layer" else sdpa_outputs
    return outputs(config, inputs, emulated)
