"""Scores and the entries that change them, in the order written (S1, S3)."""
import numpy as np

from .config import entries
from .expression import evaluate


def score_scale(config, inputs, head_dim):
    scale = config.get("scale", "default")
    if scale == "default":
        return 1.0 / np.sqrt(head_dim)
    return float(inputs["scale"]) if scale == "input" else float(scale)


def alibi_slopes(heads):
    """The slopes of the ALiBi paper, with its rule for head counts that are no power of two."""
    def powers(count):
        ratio = 2.0 ** (-8.0 / count)
        return [ratio ** (n + 1) for n in range(count)]
    closest = 1 << (heads.bit_length() - 1)
    return np.array(powers(closest) + powers(2 * closest)[0::2][:heads - closest])


def all_scores(config, inputs, q, k, places, real):
    """{stage: scores} with stages `qk`, `softcap` and `final`, each [B, Hq, Sq, Sk]."""
    batch, hq, sq, dim = q.shape
    hkv, sk = k.shape[1:3]
    scale = real(score_scale(config, inputs, dim))
    grouped = q.astype(real).reshape(batch, hkv, hq // hkv, sq, dim)
    transposed = k.astype(real).swapaxes(-1, -2)[:, :, None]
    with np.errstate(all="ignore"):
        s = (scale * (grouped @ transposed)).reshape(batch, hq, sq, sk)
        stages = {"qk": s, "softcap": s}
        for name, options in entries(config, "score"):
            if name == "softcap":
                s = real(options) * np.tanh(s / real(options))
                stages["softcap"] = s
            elif name == "bias":
                s = s + inputs[options.get("name", "bias")].astype(real)
            elif name == "alibi":
                given = options.get("slopes") == "input"
                slopes = inputs["slopes"] if given else alibi_slopes(hq)
                distance = np.abs(places["p"] - places["j"]).astype(real)
                s = s - slopes.astype(real)[None, :, None, None] * distance
            elif name == "expr":
                changed = evaluate(options, dict(places, s=s), inputs)
                s = np.broadcast_to(changed, s.shape).astype(real)
            else:
                raise SystemExit("score: unknown entry '%s'" % name)
    stages["final"] = s
    return stages
