"""Shapes: lengths around tile edges, head dims, types, and lengths of 0."""
import itertools

import numpy as np

from case import Shape, random_case

# Around multiples of 16, 24, 48, 64 and 128: the edges of likely query and key tiles.
QUERY_EDGES = (1, 2, 8, 9, 15, 17, 23, 24, 25, 47, 48, 49, 95, 97, 145)
KEY_EDGES = (1, 2, 7, 16, 31, 33, 63, 64, 65, 127, 128, 129, 130, 191, 255, 256, 257, 383, 385)

# Called through the C interface only (c_interface.py), since .npy files are always compact:
C_INTERFACE_CASES = {
    "A15": "K's strides are not V's",
    "A17": "transposed heads",
    "A19": "mask rows further apart than Sk",
    "A36": "a small stack",
    "B13": "offsets beyond 2^31 elements",
    "B15": "bases that are not aligned to a vector",
    "B29": "heads of K and V broadcast by a stride of 0",
    "B31": "out written through the caller's strides",
}


def lengths():
    pairs = {(sq, sk) for sq, sk in zip(QUERY_EDGES, KEY_EDGES[::-1])}
    pairs |= {(sq, 129) for sq in QUERY_EDGES} | {(3, sk) for sk in KEY_EDGES}
    for sq, sk in sorted(pairs):
        yield random_case("A01_tail_sq_%d_sk_%d" % (sq, sk), Shape(b=2, hq=2, sq=sq, sk=sk, d=20))
    for sk in (33, 128, 129, 1025):
        yield random_case("A01_tail_static_sk_%d" % sk, Shape(sq=5, sk=sk, d=16), static=True)
    for sq, sk in ((17, 33), (33, 17), (1, 65), (65, 1)):
        for static in (False, True):
            yield random_case("B37_sq_%d_sk_%d%s" % (sq, sk, "_static" * static),
                              Shape(hq=2, sq=sq, sk=sk, d=20), static=static)


def padded_lengths():
    """Every key length from 0 to past two tiles, one an entry of the batch."""
    for dtype, count, sk in (("f32", 132, 131), ("f32", 80, 270), ("f64", 132, 131)):
        given = np.linspace(0, sk, count).astype(np.int64)
        shape = Shape(b=count, sq=3, sk=sk, d=8)
        yield random_case("A01_all_kv_lengths_%s_%d" % (dtype, sk), shape, dtype,
                          mask=["kv_lengths"], inputs={"kv_lengths": given})


def dynamic_shapes():
    for b, sq, sk in ((1, 1, 1), (2, 7, 5), (1, 64, 64), (7, 1, 3), (3, 100, 1)):
        yield random_case("A37_any_%d_%d_%d" % (b, sq, sk), Shape(b=b, hq=2, sq=sq, sk=sk, d=64))
    shape = Shape(b=2, hq=2, sq=7, sk=9, d=16)
    sizes = {"batch": 2, "query": 7, "kv": 9}
    for dynamic in itertools.chain(*(itertools.combinations(sizes, n) for n in (1, 2))):
        size = lambda name: "any" if name in dynamic else sizes[name]
        yield random_case("A37_only_%s_any" % "_".join(dynamic), shape, batch=size("batch"),
                          length={"query": size("query"), "kv": size("kv")})


def head_dims():
    listed = (1, 3, 7, 8, 16, 31, 32, 33, 40, 59, 63, 64, 65, 72, 80, 96, 100, 128, 160, 192, 256)
    for d in listed:
        yield random_case("B05_head_dim_%d" % d, Shape(hq=2, sq=13, sk=70, d=d))
    for d in (1, 5, 32, 63, 128, 256):
        yield random_case("B05_head_dim_%d_f64" % d, Shape(hq=2, sq=13, sk=70, d=d), "f64")
    for d, dv in ((64, 32), (32, 64), (3, 5), (128, 1), (1, 128), (40, 72), (192, 128), (7, 256)):
        for dtype in ("f32", "f64") if (d, dv) in ((64, 32), (3, 5)) else ("f32",):
            yield random_case("B06_qk_%d_v_%d_%s" % (d, dv, dtype),
                              Shape(hq=2, sq=50, sk=131, d=d, dv=dv), dtype)


def types_and_sizes():
    for dtype, d in itertools.product(("f32", "f64"), (64, 72, 128)):
        yield random_case("A39_%s_d_%d" % (dtype, d), Shape(sq=257, sk=257, d=d), dtype,
                          static=True, scale=0.125)
    yield random_case("A39_f32_d_128_1024", Shape(sq=1024, sk=1024, d=128), static=True,
                      scale=0.125)
    for d in (64, 128, 256):  # these must compile in time, whatever the tiles
        yield random_case("A35_f32_d_%d" % d, Shape(sq=600, sk=600, d=d), mask=["causal"],
                          query_offset=0)


def thresholds():
    """Sizes at which a kernel may switch to another way of computing."""
    for sq in (1, 2, 3, 4, 5, 8, 9):
        yield random_case("B33_queries_%d" % sq, Shape(hq=4, hkv=2, sq=sq, sk=300, d=64))
    for b, hq in ((1, 1), (3, 1), (1, 33), (33, 1), (2, 16)):
        yield random_case("B33_batch_%d_heads_%d" % (b, hq), Shape(b=b, hq=hq, sq=10, sk=40, d=16))


def zero_lengths():
    positional = {"mask": ["causal"], "query_offset": "end"}
    for b, sq, sk in ((2, 5, 0), (2, 0, 5), (0, 5, 5), (0, 0, 0), (1, 0, 0), (3, 130, 0)):
        for static, rest in ((False, {}), (True, {}), (False, positional)):
            name = "S0_zero_%d_%d_%d%s%s" % (b, sq, sk, "_static" * static, "_causal" * bool(rest))
            yield random_case(name, Shape(b=b, hq=2, sq=sq, sk=sk, d=8), static=static,
                              outputs=["out", "lse", "weights"], **rest)
    for dtype in ("f32", "f64"):
        yield random_case("S6_lengths_of_zero_%s" % dtype, Shape(b=4, hq=2, sq=50, sk=70), dtype,
                          mask=["kv_lengths", "q_lengths"], outputs=["out", "lse", "weights"],
                          inputs={"kv_lengths": np.array([0, 70, 0, 3]),
                                  "q_lengths": np.array([50, 0, 0, 49])})


def cases():
    for make in (lengths, padded_lengths, dynamic_shapes, head_dims, types_and_sizes, thresholds,
                 zero_lengths):
        yield from make()
