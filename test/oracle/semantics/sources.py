"""Where keys and values come from: plain tensors, or a cache (S11)."""
import numpy as np

from .config import head_counts
from .layouts import split_heads
from .positions import rotate


def keys_and_values(config, inputs):
    """(k, v), each [B, Hkv, Sk, D] in float64, before anything is written in place."""
    layout, (_, hkv) = config.get("layout", "bhsd"), head_counts(config)
    cache = config.get("cache") or {}
    if "paged" in cache:
        table = inputs["page_table"].astype(np.int64)
        return gather_pages(inputs["k_pages"], table), gather_pages(inputs["v_pages"], table)
    k, v = (split_heads(inputs[name].astype(np.float64), layout, hkv) for name in "kv")
    if "append" not in cache:
        return k, v
    past_k, past_v = (inputs[name].astype(np.float64) for name in ("past_k", "past_v"))
    if config.get("rope") and config["keys_rotated"]:
        # The cache holds rotated keys: rotate the new ones before they join it.
        at = np.broadcast_to(past_k.shape[2] + np.arange(k.shape[2]), (k.shape[0], k.shape[2]))
        k = rotate(k, at, config["rope"], inputs)
    return np.concatenate([past_k, k], axis=2), np.concatenate([past_v, v], axis=2)


def gather_pages(pages, table):
    """[pages, P, Hkv, D] through a table [B, n] to [B, Hkv, n * P, D]."""
    rows = pages.astype(np.float64)[table]
    return rows.reshape(table.shape[0], -1, *pages.shape[2:]).transpose(0, 2, 1, 3)


def write_in_place(config, inputs, k, v, q_lengths, kv_lengths):
    """The new rows join the preallocated cache, ending at kv_lengths[b]."""
    layout, (_, hkv) = config.get("layout", "bhsd"), head_counts(config)
    new_k, new_v = (split_heads(inputs[name].astype(np.float64), layout, hkv)
                    for name in ("new_k", "new_v"))
    if config.get("rope") and config["keys_rotated"]:
        at = (kv_lengths - q_lengths)[:, None] + np.arange(new_k.shape[2])
        new_k = rotate(new_k, at, config["rope"], inputs)
    k, v = k.copy(), v.copy()
    for b, (count, end) in enumerate(zip(q_lengths, kv_lengths)):
        k[b, :, end - count:end] = new_k[b, :, :count]
        v[b, :, end - count:end] = new_v[b, :, :count]
    return k, v
