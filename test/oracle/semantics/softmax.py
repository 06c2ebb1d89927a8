"""The softmax and its product with the values (S5 to S8)."""
import numpy as np


def exact_attention(s, keep, v, sinks):
    """(out, lse, weights) in float64.

    s and keep are [B, Hkv, G, Sq, Sk] with s = -inf where forbidden, v is [B, Hkv, Sk, Dv] and
    sinks [Hkv, G, 1, 1] or None.
    """
    top = s.max(axis=-1, keepdims=True, initial=-np.inf)
    if sinks is not None:
        top = np.maximum(top, sinks)
    empty = np.isneginf(top)
    shift = np.where(empty, 0.0, top)
    with np.errstate(all="ignore"):
        e = np.exp(s - shift)
        total = e.sum(axis=-1, keepdims=True)
        if sinks is not None:
            total = total + np.exp(sinks - shift)
        weights = np.where(empty, 0.0, e / np.where(total == 0, 1.0, total))
        lse = np.where(empty, -np.inf, np.log(total) + shift)[..., 0]
        return weighted_values(weights, keep, v), lse, weights


def weighted_values(weights, keep, v):
    """A forbidden key is left out of the sum; multiplying it by zero would let NaN through."""
    finite = np.isfinite(v)
    out = weights @ np.where(finite, v, 0.0)[:, :, None]
    for b, g, j, d in zip(*np.nonzero(~finite)):
        column = weights[b, g, :, :, j]
        out[b, g, :, :, d] += np.where(keep[b, g, :, :, j], column * v[b, g, j, d], 0.0)
    return out


def streamed_attention(s, keep, v, sinks, dtype, real, block=64):
    """The same as a kernel may compute it: running max, sum and rescale over blocks of keys."""
    v = v.astype(real)
    top = np.full(s.shape[:-1] + (1,), -np.inf, real)
    total = np.zeros_like(top)
    if sinks is not None:
        top = np.broadcast_to(sinks.astype(real), top.shape)
        total = np.ones_like(top)
    out = np.zeros(s.shape[:-1] + (v.shape[-1],), real)
    with np.errstate(all="ignore"):
        for j in range(0, s.shape[-1], block):
            keys = slice(j, j + block)
            new = np.maximum(top, s[..., keys].max(axis=-1, keepdims=True))
            shift = np.where(np.isneginf(new), real(0), new)
            e = np.exp(s[..., keys] - shift)
            decay = np.exp(top - shift)
            total = total * decay + e.sum(axis=-1, keepdims=True, dtype=real)
            rounded = e.astype(dtype).astype(real)
            out = out * decay + weighted_values(rounded, keep[..., keys], v[:, :, keys])
            top = new
        some = total != 0
        divisor = np.where(some, total, real(1))
        shift = np.where(np.isneginf(top), real(0), top)
        weights = np.where(some, np.exp(s - shift) / divisor, real(0))
        lse = np.where(some, top + np.log(divisor), -np.inf)[..., 0].astype(real)
        return np.where(some, out / divisor, real(0)), lse, weights
