"""Reading a config's values."""
import numpy as np


def numpy_dtype(name):
    if name == "bf16":
        import ml_dtypes
        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype({"f16": np.float16, "f32": np.float32, "f64": np.float64}[name])


def input_dtype(config):
    return numpy_dtype(config.get("dtype", "f32"))


def statistics_dtype(config):
    """The type of lse, slopes, sinks and scale: float32, or float64 in f64 kernels."""
    return np.dtype(np.float64 if input_dtype(config).itemsize == 8 else np.float32)


def entries(config, key):
    """The [(name, options)] of a list whose items are a bare word or a map of one key."""
    found = []
    for item in config.get(key) or []:
        if isinstance(item, str):
            found.append((item, {}))
        else:
            (name, options), = item.items()
            found.append((name, {} if options is None else options))
    return found


def names(config, key):
    return [name for name, _ in entries(config, key)]


def head_counts(config):
    """(Hq, Hkv)."""
    query = config["heads"]["query"]
    return query, config["heads"].get("kv", query)


def head_dims(config):
    """(Dqk, Dv)."""
    qk = config["head_dim"]["qk"]
    return qk, config["head_dim"].get("v", qk)
