"""`kind: sdpa`: scaled dot product attention."""
import numpy as np

from .config import head_counts, input_dtype
from .layouts import merge_heads, split_heads
from .masks import allowed_keys
from .positions import lengths, query_positions, rotate
from .scores import all_scores
from .softmax import exact_attention, streamed_attention
from .sources import keys_and_values, write_in_place

PER_BATCH = ("kv_lengths", "q_lengths", "prefix_lengths", "query_offset")


def sdpa_outputs(config, inputs, emulated=None):
    """{output name: array}; `emulated` is the type to compute in, None for exact float64."""
    layout = config.get("layout", "bhsd")
    if layout == "thd":
        return ragged(config, inputs, emulated)
    real = emulated or np.float64
    cache, rope = config.get("cache") or {}, config.get("rope")
    hq, hkv = head_counts(config)
    q = split_heads(inputs["q"].astype(np.float64), layout, hq)
    k, v = keys_and_values(config, inputs)
    batch, sq, sk = q.shape[0], q.shape[2], k.shape[2]
    q_lengths, kv_lengths = lengths(config, inputs, batch, sq, sk)
    if "in_place" in cache:
        k, v = write_in_place(config, inputs, k, v, q_lengths, kv_lengths)
    present_k, present_v = k, v
    positions = query_positions(config, inputs, q_lengths, kv_lengths, sq, sk)
    if rope:
        q = rotate(q, positions, rope, inputs)
        if not (cache and config["keys_rotated"]):
            k = rotate(k, np.broadcast_to(np.arange(sk), (batch, sk)), rope, inputs)
    places = {"b": np.arange(batch)[:, None, None, None], "h": np.arange(hq)[None, :, None, None],
              "i": np.arange(sq)[None, None, :, None], "p": positions[:, None, :, None],
              "j": np.arange(sk)[None, None, None, :]}
    shape = (batch, hq, sq, sk)
    keep = allowed_keys(config, inputs, places, shape, q_lengths, kv_lengths)
    stages = all_scores(config, inputs, q, k, places, real)
    stages["mask"] = np.where(keep, stages["final"], real(-np.inf))

    group = (batch, hkv, hq // hkv, sq)
    arguments = [stages["mask"].reshape(group + (sk,)), keep.reshape(group + (sk,)), v,
                 inputs["sinks"].astype(np.float64).reshape(hkv, -1, 1, 1)
                 if config.get("sinks") else None]
    if emulated:
        out, lse, weights = streamed_attention(*arguments, input_dtype(config), real)
    else:
        out, lse, weights = exact_attention(*arguments)
    stages["softmax"] = weights.reshape(shape)
    return {"out": merge_heads(out.reshape(batch, hq, sq, v.shape[-1]), layout),
            "lse": lse.reshape(batch, hq, sq), "weights": stages["softmax"],
            "scores": stages[config.get("scores_after", "qk")],
            "present_k": present_k, "present_v": present_v}


def ragged(config, inputs, emulated):
    """layout thd: q [Tq, Hq, D], k and v [Tk, Hkv, D], each sequence attending to itself."""
    rest = {name: x for name, x in inputs.items() if name not in ("q_starts", "kv_starts")}
    parts = []
    for b in range(len(inputs["q_starts"]) - 1):
        one = {name: x[b:b + 1] if name in PER_BATCH else x for name, x in rest.items()}
        for name, starts in (("q", "q_starts"), ("k", "kv_starts"), ("v", "kv_starts")):
            one[name] = inputs[name][None, inputs[starts][b]:inputs[starts][b + 1]]
        parts.append(sdpa_outputs(dict(config, layout="bshd"), one, emulated))
    return {"out": np.concatenate([part["out"][0] for part in parts], axis=0),
            "lse": np.concatenate([part["lse"][0] for part in parts], axis=1)}
