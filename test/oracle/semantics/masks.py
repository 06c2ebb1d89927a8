"""Mask entries: predicates over (b, h, i, p, j), and'ed (S4)."""
import numpy as np

from .config import entries
from .expression import evaluate
from .layouts import truth
from .positions import index


def allowed_keys(config, inputs, places, shape, q_lengths, kv_lengths):
    """The [B, Hq, Sq, Sk] array of which key each query may see."""
    i, p, j = places["i"], places["p"], places["j"]
    sq, sk = shape[2:]
    per_batch = lambda values: values[:, None, None, None]
    keep = np.broadcast_to(j < per_batch(kv_lengths), shape).copy()
    for name, options in entries(config, "mask"):
        if name == "causal":
            keep &= j <= p
        elif name == "window":
            left, right = options.get("left", -1), options.get("right", -1)
            if left >= 0:
                keep &= p - left <= j
            if right >= 0:
                keep &= j <= p + right
        elif name == "kv_lengths":
            pass  # above, as a cache implies them too
        elif name == "q_lengths":
            keep &= i < per_batch(q_lengths)
        elif name == "prefix":
            keep &= (j < per_batch(index(inputs, "prefix_lengths"))) | (j <= p)
        elif name == "documents":
            keep &= (inputs["q_documents"][:, None, :, None]
                     == inputs["kv_documents"][:, None, None, :])
        elif name == "tensor":
            keep &= truth(inputs[options.get("name", "mask")])
        elif name == "blocks":
            rows = truth(inputs["block_mask"]).repeat(options["query"], axis=2)[:, :, :sq]
            keep &= rows.repeat(options["kv"], axis=3)[..., :sk]
        elif name == "expr":
            keep &= np.broadcast_to(evaluate(options, places, inputs), shape).astype(bool)
        else:
            raise SystemExit("mask: unknown entry '%s'" % name)
    return keep
