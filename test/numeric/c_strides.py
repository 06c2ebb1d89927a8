"""Strides: the same values laid out otherwise give the same bits, and gaps stay untouched."""
import itertools

import numpy as np

from c_library import random_inputs, refusal
from c_memory import (MAP_NORESERVE, Output, Placed, bytes_at, compact_strides, extent, mapped,
                      place)


def ordered_strides(shape, order, pad=0, step=1):
    """Strides with the dims in memory in `order` (outermost first); `pad` elements follow each
    innermost row and each row takes the room of `step` rows."""
    strides, reach = [0] * len(shape), 1
    for place_in_order, dim in enumerate(reversed(order)):
        strides[dim] = reach
        reach = reach * max(shape[dim], 1)
        if place_in_order == 0:
            reach = (reach + pad) * step
    return strides


ORDERS = {"bhds": (0, 1, 3, 2), "shdb": (2, 1, 3, 0), "bhsd": (0, 1, 2, 3), "bshd": (0, 2, 1, 3), "sbhd": (2, 0, 1, 3), "hbsd": (1, 0, 2, 3)}
LAYOUTS = {"compact": ("bhsd", 0, 1), "heads_inside": ("bshd", 0, 1), "padded_rows": ("bhsd", 5, 1),
           "every_second_row": ("bhsd", 0, 2), "length_outside": ("sbhd", 0, 1),
           "heads_outside": ("hbsd", 3, 1), "heads_inside_padded": ("bshd", 7, 3),
           "length_inside": ("bhds", 0, 1), "length_inside_padded": ("bhds", 3, 2),
           "batch_inside": ("shdb", 1, 1)}


def layout_strides(shape, layout):
    order, pad, step = LAYOUTS[layout]
    return ordered_strides(shape, ORDERS[order], pad, step)


def same_bits(expected, result):
    for name, x in expected.items():
        if x.tobytes() != result.arrays()[name].tobytes():
            return name + ": not the bits of the compact layout"
    return None


def check_layouts(checks, title, library, inputs, strides, expected, **placing):
    result = library.run(inputs, strides, **placing)
    checks.check(title, library.problem(inputs, result) or same_bits(expected, result))


def layouts(checks):
    """A15, A17, B31: each tensor in every layout alone, then all mixed."""
    for name in ("plain", "plain_f64", "plain_f16", "odd_dim", "odd_bf16", "masked"):
        library = checks.library(name)
        inputs = random_inputs(library.config, 2, 50, 131)
        expected = library.run(inputs).arrays()
        out_shape = expected["out"].shape
        shapes = {"q": inputs["q"].shape, "k": inputs["k"].shape, "v": inputs["v"].shape,
                  "out": out_shape}
        for tensor, layout in itertools.product(shapes, LAYOUTS):
            if layout != "compact" and (name == "plain" or layout in ("heads_inside", "length_inside")):
                check_layouts(checks, "%s_%s_%s" % (name, tensor, layout), library, inputs,
                              {tensor: layout_strides(shapes[tensor], layout)}, expected)
        for turn in range(len(LAYOUTS) if name == "plain" else 2):
            chosen = {tensor: list(LAYOUTS)[(turn + n) % len(LAYOUTS)]
                      for n, tensor in enumerate(shapes)}
            check_layouts(checks, "%s_mixed_%d" % (name, turn), library, inputs,
                          {t: layout_strides(shapes[t], layout) for t, layout in chosen.items()},
                          expected)
    library = checks.library("plain")
    for b, sq, sk in ((1, 1, 33), (3, 1, 129), (2, 49, 1)):
        inputs = random_inputs(library.config, b, sq, sk)
        expected = library.run(inputs).arrays()
        strides = {t: layout_strides(x.shape, "heads_inside_padded") for t, x in inputs.items()}
        check_layouts(checks, "plain_%d_%d_%d" % (b, sq, sk), library, inputs, strides, expected)


def tokens(checks):
    """bshd and bsd: rows of tokens with gaps, batch and length the other way round, heads apart."""
    orders = {"bshd": {"padded": ((0, 1, 2, 3), 5, 1), "length_outside": ((1, 0, 2, 3), 0, 1),
                       "heads_outside": ((0, 2, 1, 3), 3, 1), "every_third": ((0, 1, 2, 3), 0, 3)},
              "bsd_bf16": {"padded": ((0, 1, 2), 1, 1), "length_outside": ((1, 0, 2), 7, 1),
                           "every_third": ((0, 1, 2), 0, 3)}}
    for name, ways in orders.items():
        library = checks.library(name)
        for b, sq, sk in ((2, 50, 131), (3, 1, 33)):
            inputs = random_inputs(library.config, b, sq, sk)
            expected = library.run(inputs).arrays()
            shapes = dict({n: inputs[n].shape for n in "qkv"}, out=expected["out"].shape)
            for way, (order, pad, step) in ways.items():
                strides = {n: ordered_strides(shape, order, pad, step)
                           for n, shape in shapes.items()}
                title = "%s_%s_sq_%d" % (name, way, sq)
                check_layouts(checks, title, library, inputs, strides, expected)
                check_layouts(checks, title + "_unaligned", library, inputs, strides, expected,
                              shift=inputs["q"].itemsize)


def outputs_apart(checks):
    """lse and weights through strides of their own."""
    library = checks.library("masked")
    inputs = random_inputs(library.config, 2, 50, 131)
    expected = library.run(inputs).arrays()
    lse = [expected["lse"].shape[1] * 100, expected["lse"].shape[2] + 3, 1]
    weights = ordered_strides(expected["weights"].shape, (0, 2, 1, 3), 9)
    for title, strides in (("lse_padded", {"lse": lse}), ("weights_padded", {"weights": weights})):
        check_layouts(checks, title, library, inputs, strides, expected)


def broadcast_heads(checks):
    """B29: a stride of 0 over heads, batch or both, is the copied tensor."""
    library = checks.library("plain")
    for sk in (33, 34, 129):
        inputs = random_inputs(library.config, 3, 20, sk)
        for zero in ((1,), (0,), (0, 1)):
            given = dict(inputs)
            strides = {}
            for name in "kv":
                index = tuple(slice(0, 1) if d in zero else slice(None) for d in range(4))
                given[name] = np.broadcast_to(inputs[name][index], inputs[name].shape).copy()
                strides[name] = [0 if d in zero else s
                                 for d, s in enumerate(compact_strides(inputs[name][index].shape))]
            expected = library.run(given).arrays()
            check_layouts(checks, "sk_%d_dims_%s" % (sk, "_".join(map(str, zero))), library, given,
                          strides, expected)
    given = dict(inputs, q=np.broadcast_to(inputs["q"][:, :, :1], inputs["q"].shape).copy())
    strides = {"q": [4 * 16, 16, 0, 1]}
    check_layouts(checks, "queries_all_the_same", library, given, strides,
                  library.run(given).arrays())


def masks_and_biases(checks):
    """A19: rows of a mask further apart than Sk; the gap holds bytes that are true."""
    library = checks.library("masked")
    inputs = random_inputs(library.config, 2, 50, 131)
    expected = library.run(inputs).arrays()
    mask, bias = inputs["mask"].shape, inputs["bias"].shape
    for title, strides in (
            ("mask_row_gap", {"mask": ordered_strides(mask, (0, 1, 2, 3), 5)}),
            ("mask_row_gap_1", {"mask": ordered_strides(mask, (0, 1, 2, 3), 1)}),
            ("bias_row_gap", {"bias": ordered_strides(bias, (0, 1, 2, 3), 3)}),
            ("bias_heads_inside", {"bias": ordered_strides(bias, (0, 2, 1, 3))}),
            ("mask_batch_inside", {"mask": ordered_strides(mask, (2, 0, 1, 3), 7)})):
        check_layouts(checks, title, library, inputs, strides, expected)
    rows = dict(inputs, mask=np.broadcast_to(inputs["mask"][:, :, :1], mask).copy())
    check_layouts(checks, "mask_rows_by_stride_0", library, rows, {"mask": [131, 131, 0, 1]},
                  library.run(rows).arrays())
    for value in (2, 255):
        stored = np.where(inputs["mask"], value, 0).astype(np.uint8)
        given = dict(inputs, mask=stored.view(bool))
        result = library.run(given)
        checks.check("true_is_%d" % value, library.problem(inputs, result)
                     or same_bits(expected, result))


def unit_dims(checks):
    """The stride of a dim of one element means nothing, as DLPack has it."""
    library = checks.library("plain")
    inputs = random_inputs(library.config, 1, 1, 33)
    expected = library.run(inputs).arrays()
    for title, value in (("huge", 2 ** 50), ("negative", -7), ("zero", 0)):
        placed = {name: place(x, compact_strides(x.shape)) for name, x in inputs.items()}
        outputs = library.outputs_for(inputs)
        for tensor in list(placed.values()) + list(outputs.values()):
            c = tensor.c
            if not c.strides:
                continue
            for d in range(c.ndim):
                if c.shape[d] == 1:
                    c.strides[d] = value
        result = library.call(placed, outputs)
        checks.check(title, library.problem(inputs, result) or same_bits(expected, result))


def unaligned(checks):
    """B15: bases aligned to an element and no more; and byte_offset."""
    for name in ("plain", "plain_f64", "plain_f16", "odd_dim", "odd_bf16"):
        library = checks.library(name)
        inputs = random_inputs(library.config, 2, 50, 131)
        expected = library.run(inputs).arrays()
        size = inputs["q"].itemsize
        for count in (1, 2, 3):
            check_layouts(checks, "%s_shift_%d" % (name, count), library, inputs, {}, expected,
                          shift=count * size)
            check_layouts(checks, "%s_shift_before_%d" % (name, count), library, inputs, {},
                          expected, shift=count * size, side="before")
        check_layouts(checks, name + "_byte_offset", library, inputs, {}, expected,
                      byte_offset=4096 + size)
        placed = {n: place(x) for n, x in inputs.items()}
        outputs = {n: Output(x.shape, x.dtype, base_shift=x.itemsize) for n, x in expected.items()}
        result = library.call(placed, outputs)
        checks.check(name + "_outputs",
                     library.problem(inputs, result) or same_bits(expected, result))


def sparse(values, strides):
    """The values at strides that span gigabytes, of which only the touched pages exist."""
    values = np.asarray(values)
    size = extent(values.shape, strides) * values.itemsize
    placed = Placed(mapped(size, MAP_NORESERVE), values.shape, values.dtype, strides)
    np.copyto(placed.array, values)
    return placed


def huge_strides(checks):
    """B13: elements beyond 2^31, and beyond 2^32, from the base."""
    far = 2 ** 30 + 8
    library = checks.library("plain")
    inputs = random_inputs(library.config, 3, 3, 3)
    expected = library.run(inputs).arrays()
    dims = {"row": (2,), "head": (1,), "batch": (0,), "far_batch": (0,)}
    for title, (dim,) in dims.items():
        for tensor in ("q", "k", "v", "out"):
            placed = {n: place(x) for n, x in inputs.items()}
            outputs = library.outputs_for(inputs)
            shape = expected["out"].shape if tensor == "out" else inputs[tensor].shape
            strides = compact_strides(shape)
            strides[dim] = far * (2 if title == "far_batch" else 1)
            if tensor == "out":
                outputs["out"] = SparseOutput(shape, strides, expected["out"].dtype)
            else:
                placed[tensor] = sparse(inputs[tensor], strides)
            result = library.call(placed, outputs)
            checks.check("%s_%s" % (tensor, title),
                         library.problem(inputs, result) or same_bits(expected, result))
    library = checks.library("masked")
    inputs = random_inputs(library.config, 2, 3, 70)
    expected = library.run(inputs).arrays()
    for tensor, stride in (("mask", 2 ** 31 + 8), ("bias", far)):
        placed = {n: place(x) for n, x in inputs.items()}
        strides = compact_strides(inputs[tensor].shape)
        strides[2] = stride
        strides[0 if tensor == "mask" else 1] = 4 * stride
        placed[tensor] = sparse(inputs[tensor], strides)
        result = library.call(placed, library.outputs_for(inputs))
        checks.check(tensor + "_rows",
                     library.problem(inputs, result) or same_bits(expected, result))


class SparseOutput(Output):
    """An output at huge strides: its gaps are watched right behind each row only."""

    def __init__(self, shape, strides, dtype):
        self.placed = sparse(np.zeros(shape, dtype), strides)

    def strays(self):
        element, row = self.array.itemsize, self.array.shape[-1]
        starts = sorted(sum(i * s for i, s in zip(index, self.placed.strides))
                        for index in np.ndindex(*self.array.shape[:-1]))
        gaps = [(start + row, min(16, following - start - row))
                for start, following in zip(starts, starts[1:])]
        return sum(int((bytes_at(self.placed.address + at * element, count * element) != 0).sum())
                   for at, count in gaps if count)


def innermost(checks):
    """Rows of another stride than 1: every second element, and one element for a whole row."""
    library = checks.library("plain")
    inputs = random_inputs(library.config, 2, 5, 7)
    shapes = dict({n: x.shape for n, x in inputs.items()},
                  out=library.output_shapes(inputs)["out"][0])
    expected = library.run(inputs).arrays()
    for tensor, shape in shapes.items():
        strides = {tensor: [2 * s for s in compact_strides(shape)]}
        check_layouts(checks, tensor + "_stride_2", library, inputs, strides, expected)
    for tensor in ("q", "k", "v"):
        same = dict(inputs)
        same[tensor] = np.broadcast_to(inputs[tensor][..., :1], inputs[tensor].shape)
        expected = library.run({n: np.ascontiguousarray(x) for n, x in same.items()}).arrays()
        strides = {tensor: compact_strides(shapes[tensor])[:3] + [0]}
        check_layouts(checks, tensor + "_stride_0", library, same, strides, expected)


def negative(checks):
    """Refused, with a sentence and without a write."""
    library = checks.library("plain")
    inputs = random_inputs(library.config, 2, 5, 7)
    placed = {n: place(x, compact_strides(x.shape)) for n, x in inputs.items()}
    placed["k"].c.strides[2] *= -1
    checks.check("k_negative", refusal(library.call(placed, library.outputs_for(inputs)), "k"))


TESTS = [layouts, tokens, outputs_apart, broadcast_heads, masks_and_biases, unit_dims, unaligned,
         huge_strides, innermost, negative]
