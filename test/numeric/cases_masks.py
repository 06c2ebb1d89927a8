"""Masks: alignment, bounds of skipped tiles, lengths, tensors, and their combinations.

A sweep over offsets or lengths is one call: each entry of the batch has its own.
"""
import itertools

import numpy as np

from case import (Case, Shape, broadcast_size, broadcast_words, flat_scores, generator,
                  random_case, sdpa_config)


def offsets_for(sq, sk):
    """Offsets around every place where the first or last row meets a key or a tile's edge."""
    edges = {e + s for e in (-sq, -sq // 2, 0, sk - sq, sk, 16, 64, 128) for s in (-1, 0, 1)}
    return np.array(sorted(edges), np.int64)


def causal():
    sizes = sorted(set(itertools.product((15, 16, 17), (63, 64, 65)))
                   | {(63, 15), (64, 64), (65, 17), (49, 129), (48, 128), (97, 257), (5, 6),
                      (1, 130)})
    for sq, sk in sizes:
        offsets = offsets_for(sq, sk)
        shape = Shape(b=len(offsets), sq=sq, sk=sk, d=1)
        v = generator("A07").normal(size=sk).astype(np.float32)
        sums = np.concatenate([[0], np.cumsum(v, dtype=np.float64)])
        count = np.clip(offsets[:, None] + np.arange(sq) + 1, 0, sk)
        mean = sums[count] / np.maximum(count, 1)
        yield Case("A07_causal_means_%d_%d" % (sq, sk),
                   sdpa_config(shape, mask=["causal"], query_offset="input"),
                   dict(flat_scores(shape, v), query_offset=offsets),
                   {"out": mean[:, None, :, None]})
    for sq, sk in ((63, 65), (129, 130), (200, 200), (1, 300), (300, 49)):
        for offset in (0, "end"):
            yield random_case("A07_causal_random_%d_%d_offset_%s" % (sq, sk, offset),
                              Shape(b=2, hq=2, sq=sq, sk=sk, d=16), mask=["causal"],
                              query_offset=offset)
    for dtype in ("f32", "f64"):
        yield random_case("A05_causal_equal_lengths_no_offset_" + dtype,
                          Shape(b=2, hq=2, sq=50, sk=50), dtype, static=True, mask=["causal"])
        for offset in (-3, 2, 200):
            yield random_case("A05_causal_offset_%d_%s" % (offset, dtype),
                              Shape(hq=2, sq=50, sk=131), dtype, mask=["causal"],
                              query_offset=offset)


def window():
    sq, sk = 145, 300
    offsets = offsets_for(sq, sk)
    shape = Shape(b=len(offsets), sq=sq, sk=sk, d=4)
    for left, right in ((0, 0), (1, -1), (0, -1), (31, 0), (32, 64), (127, 1), (128, 0), (129, 127),
                        (255, 5), (-1, 0), (-1, 3), (-1, 200), (1000, 1000), (5, 128)):
        yield random_case("B01_window_offsets_%d_%d" % (left, right), shape,
                          mask=[{"window": {"left": left, "right": right}}], query_offset="input",
                          inputs={"query_offset": offsets})
    yield random_case("B03_window_32_64_end", Shape(hq=2, sq=129, sk=60, d=16), query_offset="end",
                      mask=[{"window": {"left": 32, "right": 64}}])
    yield random_case("B01_window_one_side_left_out", Shape(sq=40, sk=40), static=True,
                      mask=[{"window": {"left": 7}}])
    yield random_case("B01_window_f64", Shape(hq=2, sq=100, sk=300), "f64", query_offset=150,
                      mask=["causal", {"window": {"left": 60, "right": -1}}])
    yield random_case("B01_two_windows", Shape(hq=2, sq=100, sk=300), query_offset=100,
                      mask=[{"window": {"left": 60, "right": 3}},
                            {"window": {"left": 20, "right": 90}}])


def lengths():
    sq, sk = 50, 140
    kv = np.array([0, 1, 2, 47, 48, 127, 128, 129, 139, 140, -5, 200, -2 ** 31, 2 ** 31 - 1])
    queries = np.array([50, 49, 1, 0, 47, 48, 24, -1, 60, 50, 50, 25, 50, 50])
    shape = Shape(b=len(kv), hq=2, sq=sq, sk=sk, d=8)
    both = {"kv_lengths": kv, "q_lengths": queries}
    for index in (np.int32, np.int64):
        given = {name: x.astype(index) for name, x in both.items()}
        for names in (["kv_lengths"], ["q_lengths"], ["kv_lengths", "q_lengths"]):
            name = "S4_%s_%s" % ("_".join(names), np.dtype(index).name)
            inputs = {n: given[n] for n in names}
            yield random_case(name, shape, mask=names, inputs=inputs)
            if index is np.int32:
                for offset in ("end", 0):
                    yield random_case("%s_causal_offset_%s" % (name, offset), shape, inputs=inputs,
                                      mask=["causal"] + names, query_offset=offset)
    mixed = {"kv_lengths": kv.astype(np.int32), "q_lengths": queries.astype(np.int64)}
    yield random_case("S4_lengths_of_mixed_types", shape, mask=["kv_lengths", "q_lengths"],
                      inputs=mixed)
    far = np.array([2 ** 32 + 5, 2 ** 63 - 1, -2 ** 40])
    for name in ("kv_lengths", "q_lengths"):
        for queries in (1, 3):
            yield random_case("S4_%s_beyond_32_bits_%d" % (name, queries),
                              Shape(b=3, hq=2, sq=queries, sk=70, d=17), mask=[name],
                              inputs={name: far})
    yield random_case("S4_lengths_f64_static", shape, "f64", static=True,
                      mask=["q_lengths", "kv_lengths"], inputs=both)


def holed_mask(name, dims, bits=0.5):
    """A random bool mask with whole rows, columns and tile-sized pieces of both kinds."""
    keep = generator(name).random(dims) < bits
    sq, sk = dims[2:]
    if sq > 3:
        keep[:, :, 1], keep[:, :, 3] = False, True
    if sk > 130:
        keep[..., :64], keep[..., 128:] = False, True
    return keep


def tensors():
    static = Shape(b=2, hq=4, hkv=2, sq=50, sk=140, d=8)
    for count in range(5):
        for full in itertools.combinations(range(4), count):
            name = "S4_tensor_full_in_%s" % ("_".join("bhij"[n] for n in full) or "nothing")
            mask = holed_mask(name, broadcast_size(full, static))
            known = full in ((2, 3), (0, 3), (0, 1, 2, 3), (1,), (2,))
            for dynamic in (False, True) if known else (count % 2 == 0,):
                words = broadcast_words(full, None if dynamic else static)
                yield random_case(name + "_any" * dynamic, static, static=not dynamic,
                                  mask=[{"tensor": {"shape": words}}], inputs={"mask": mask})
    both = (2, 3)
    yield random_case("S4_tensor_with_a_name", static,
                      inputs={"keep": holed_mask("k", (1, 1, 50, 140))},
                      mask=[{"tensor": {"shape": broadcast_words(both), "name": "keep"}}])
    yield random_case("S4_two_tensors", static,
                      inputs={"rows": holed_mask("r", (2, 1, 50, 1)),
                              "keys": holed_mask("c", (1, 4, 1, 140))},
                      mask=[{"tensor": {"shape": broadcast_words((0, 2)), "name": "rows"}},
                            {"tensor": {"shape": broadcast_words((1, 3)), "name": "keys"}}])
    for dtype, shape in (("f32", Shape(b=2, hq=2, sq=6, sk=10)), ("f64", Shape(sq=3, sk=3, d=4)),
                         ("f32", Shape(hq=2, sq=97, sk=300, d=16))):
        nothing = np.zeros((1, 1) + shape.scores[2:], bool)
        yield random_case("A03_everything_masked_%s_%d" % (dtype, shape.sk), shape, dtype,
                          mask=[{"tensor": {"shape": broadcast_words(both)}}],
                          outputs=["out", "lse", "weights"], inputs={"mask": nothing})
    shape = Shape(b=2, hq=2, sq=8, sk=16, d=64)
    keep = np.ones((2, 1, 1, 16), bool)
    keep[0, ..., :9], keep[1] = False, False
    yield random_case("B27_padding_of_a_whole_batch_entry", shape, inputs={"mask": keep},
                      mask=[{"tensor": {"shape": broadcast_words((0, 3))}}])


def combinations():
    shape = Shape(b=4, hq=4, hkv=2, sq=50, sk=150, d=8)
    inputs = {"kv_lengths": np.array([150, 129, 40, 0]), "q_lengths": np.array([50, 3, 48, 50]),
              "mask": holed_mask("combinations", (4, 1, 50, 150), 0.8)}
    all_masks = {"causal": "causal", "window": {"window": {"left": 70, "right": 10}},
                 "kv_lengths": "kv_lengths", "q_lengths": "q_lengths",
                 "tensor": {"tensor": {"shape": broadcast_words((0, 2, 3))}}}
    uses = {"kv_lengths": "kv_lengths", "q_lengths": "q_lengths", "tensor": "mask"}
    for count in (2, 3, 4, 5):
        for number, names in enumerate(itertools.combinations(all_masks, count)):
            offset = ("end", 100, 20)[number % 3]
            order = names if number % 2 else names[::-1]
            yield random_case("S4_" + "_and_".join(names), shape, query_offset=offset,
                              mask=[all_masks[n] for n in order],
                              inputs={uses[n]: inputs[uses[n]] for n in names if n in uses},
                              outputs=["out", "lse"] + ["weights"] * (count == 5))


def cases():
    for make in (causal, window, lengths, tensors, combinations):
        yield from make()
