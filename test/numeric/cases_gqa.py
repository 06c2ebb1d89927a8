"""Query heads that share keys and values (A13): groups of any size, told apart by their values."""
import numpy as np

from case import Shape, random_case, random_qkv

GROUPS = ((9, 3), (28, 4), (6, 1), (48, 2), (40, 2), (80, 4), (5, 5), (7, 1), (12, 4), (14, 2),
          (32, 8), (3, 1))


def cases():
    for hq, hkv in GROUPS:
        for sq in (1, 5) if (hq, hkv) != (80, 4) else (2,):
            shape = Shape(b=2, hq=hq, hkv=hkv, sq=sq, sk=37, d=16)
            name = "A13_heads_%d_%d_sq_%d" % (hq, hkv, sq)
            inputs = random_qkv(name, shape)
            inputs["v"] += 10 * np.arange(hkv, dtype=np.float32)[:, None, None]
            yield random_case(name, shape, inputs=inputs)
    shape = Shape(hq=9, hkv=3, sq=5, sk=5, d=64)
    yield random_case("A13_heads_9_3_d_64_static", shape, static=True)
    for dtype in ("f32", "f64"):
        shape = Shape(b=2, hq=6, hkv=2, sq=50, sk=131, d=16, dv=24)
        bias = {"bias": {"shape": ["batch", "heads", 1, "kv"]}}
        yield random_case("A13_heads_6_2_everything_" + dtype, shape, dtype,
                          mask=["causal", "kv_lengths"], query_offset="end",
                          score=[{"softcap": 20.0}, bias, {"alibi": {}}],
                          outputs=["out", "lse", "weights"],
                          inputs={"kv_lengths": np.array([131, 70], np.int32),
                                  "bias": random_qkv("A13", Shape(2, 6, 6, 1, 131, 1), dtype)["k"]
                                  .reshape(2, 6, 1, 131)})
