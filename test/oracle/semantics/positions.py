"""Lengths, the query offset, and the rotary embedding (S2, S9)."""
import numpy as np

from .config import names


def index(inputs, name):
    return inputs[name].astype(np.int64).reshape(-1)


def lengths(config, inputs, batch, sq, sk):
    """(q_lengths, kv_lengths), each [B] and clamped to what the tensors hold."""
    listed, cache = names(config, "mask"), config.get("cache") or {}
    q_lengths = np.full(batch, sq)
    kv_lengths = np.full(batch, sk)
    if "q_lengths" in listed:
        q_lengths = np.clip(index(inputs, "q_lengths"), 0, sq)
    if "kv_lengths" in listed or "paged" in cache or "in_place" in cache:
        kv_lengths = np.clip(index(inputs, "kv_lengths"), 0, sk)
    return q_lengths, kv_lengths


def is_positional(config):
    return bool(config.get("rope") or {"causal", "window", "prefix"} & set(names(config, "mask"))
                or "alibi" in names(config, "score"))


def query_positions(config, inputs, q_lengths, kv_lengths, sq, sk):
    """The key position p of each query, [B, Sq]."""
    offset = config.get("query_offset")
    if offset is None:
        if is_positional(config) and sq != sk:
            raise SystemExit("query_offset is needed: 0 puts query 0 on key 0 (top-left), end puts "
                             "the last query on the last key (bottom-right)")
        offset = 0
    if offset == "end":
        offset = kv_lengths - q_lengths
    elif offset == "input":
        offset = index(inputs, "query_offset")
    offset = np.broadcast_to(np.asarray(offset), q_lengths.shape)
    return offset[:, None] + np.arange(sq)


def rotate(x, positions, rope, inputs):
    """The rotary embedding of x [B, H, S, D] at integer positions [B, S]."""
    dims = rope.get("dims", x.shape[-1])
    if rope.get("tables") == "input":
        cos, sin = (inputs[name].astype(np.float64)[positions][:, None]
                    for name in ("rope_cos", "rope_sin"))
    else:
        frequency = float(rope.get("base", 10000.0)) ** (-np.arange(0, dims, 2) / dims)
        angle = positions[:, None, :, None] * frequency
        cos, sin = np.cos(angle), np.sin(angle)
    if rope.get("style", "half") == "interleaved":
        first, second = slice(0, dims, 2), slice(1, dims, 2)
    else:
        first, second = slice(0, dims // 2), slice(dims // 2, dims)
    rotated = x.copy()
    rotated[..., first] = x[..., first] * cos - x[..., second] * sin
    rotated[..., second] = x[..., second] * cos + x[..., first] * sin
    return rotated
