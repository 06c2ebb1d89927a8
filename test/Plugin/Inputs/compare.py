"""make DIR: draws q, k and v. check KIND DIR: compares DIR/out.npy (and lse.npy)
with causal attention in NumPy, changed as the plugin of examples/plugin does
it; plain attention must differ, or the test would pass without a plugin."""
import os
import sys

import numpy as np

BATCH, HEADS, QUERIES, KEYS, DIM = 2, 2, 131, 131, 16


def attention(q, k, v, score=lambda s: s, one=0.0):
    s = score(np.einsum("bhid,bhjd->bhij", q, k) * 0.25)
    i, j = np.arange(s.shape[2])[:, None], np.arange(s.shape[3])[None]
    e = np.where(j <= i, np.exp(s), 0.0)
    total = e.sum(-1, keepdims=True) + one
    return np.einsum("bhij,bhjd->bhid", e / total, v), np.log(total[..., 0])


KINDS = {
    "softsign": dict(score=lambda s: 2 * s / (2 + abs(s))),
    "plus-one": dict(one=1.0),
    "both": dict(score=lambda s: 2 * s / (2 + abs(s)), one=1.0),
}


def main():
    folder = sys.argv[-1]
    path = lambda name: os.path.join(folder, name + ".npy")
    if sys.argv[1] == "make":
        os.makedirs(folder, exist_ok=True)
        draw = np.random.default_rng(7)
        for name, length in ("q", QUERIES), ("k", KEYS), ("v", KEYS):
            tensor = draw.standard_normal((BATCH, HEADS, length, DIM))
            np.save(path(name), tensor.astype(np.float32))
        return
    q, k, v = (np.load(path(name)).astype(np.float64) for name in "qkv")
    changed = attention(q, k, v, **KINDS[sys.argv[2]])
    plain = attention(q, k, v)
    for n, name in enumerate(["out", "lse"]):
        if not os.path.exists(path(name)):
            continue
        found = np.load(path(name))
        error = abs(found - changed[n]).max()
        print("%s: error %s 1e-5" % (name, "below" if error < 1e-5 else error))
        away = abs(found - plain[n]).max()
        print("%s: plain attention %s"
              % (name, "differs" if away > 0.1 else "is as near as %g" % away))


if __name__ == "__main__":
    main()
