"""Wrong tensors, contexts and workspaces: a status, a sentence, and nothing is written."""
import ctypes

import numpy as np

from c_library import (Context, INVALID, INPUT_ORDER, OK, OUTPUT_ORDER, WORKSPACE_TOO_SMALL,
                       pointers, random_inputs, refusal)
from c_memory import CANARY_BYTES, Output, Placed, bytes_at, compact_strides, guarded, place


def parts(library, b=2, sq=5, sk=7, with_strides=False):
    inputs = random_inputs(library.config, b, sq, sk)
    placed = {n: place(x, compact_strides(x.shape) if with_strides else None)
              for n, x in inputs.items()}
    return inputs, placed, library.outputs_for(inputs)


def set_field(**fields):
    def change(tensor):
        for name, value in fields.items():
            setattr(tensor, name, value)
    return change


def set_size(dim, size):
    def change(tensor):
        tensor.shape[dim] = size
    return change


def no_shape(tensor):
    tensor.shape = ctypes.POINTER(ctypes.c_int64)()


# (title, library, tensor, change, tensor that the message must name)
WRONG = [
    ("rank_3", "plain", "q", set_field(ndim=3), "q"),
    ("rank_5_of_out", "plain", "out", set_field(ndim=5), "out"),
    ("rank_0", "plain", "k", set_field(ndim=0), "k"),
    ("negative_rank", "plain", "v", set_field(ndim=-1), "v"),
    ("f64_in_f32", "plain", "q", set_field(bits=64), "q"),
    ("f32_in_f64", "plain_f64", "v", set_field(bits=32), "v"),
    ("f16_out", "plain", "out", set_field(bits=16), "out"),
    ("integer_keys", "plain", "k", set_field(code=0), "k"),
    ("bfloat_values", "plain", "v", set_field(code=4), "v"),
    ("two_lanes", "plain", "q", set_field(lanes=2), "q"),
    ("no_lanes", "plain", "q", set_field(lanes=0), "q"),
    ("f16_in_bf16", "odd_bf16", "q", set_field(code=2), "q"),
    ("bf16_in_f16", "plain_f16", "k", set_field(code=4), "k"),
    ("f32_in_bf16", "odd_bf16", "v", set_field(code=2, bits=32), "v"),
    ("lse_of_bf16", "odd_bf16", "lse", set_field(code=4, bits=16), "lse"),
    ("rank_2_in_bsd", "bsd_bf16", "q", set_field(ndim=2), "q"),
    ("width_of_bsd", "bsd_bf16", "k", set_size(2, 31), "k"),
    ("heads_of_bshd", "bshd", "q", set_size(2, 3), "q"),
    ("key_lengths_of_bshd", "bshd", "v", set_size(1, 6), "v"),
    ("rows_of_bsd_out", "bsd_bf16", "out", set_size(1, 4), "out"),
    ("lse_of_f64", "plain", "lse", set_field(bits=64), "lse"),
    ("on_a_gpu", "plain", "k", set_field(device_type=2), "k"),
    ("no_device", "plain", "out", set_field(device_type=0), "out"),
    ("mask_of_floats", "masked", "mask", set_field(code=2, bits=32), "mask"),
    ("mask_of_i32", "masked", "mask", set_field(code=0, bits=32), "mask"),
    ("mask_of_bits", "masked", "mask", set_field(bits=1), "mask"),
    ("lengths_of_floats", "lengths", "kv_lengths", set_field(code=2, bits=32), "kv_lengths"),
    ("lengths_of_i16", "lengths", "q_lengths", set_field(bits=16), "q_lengths"),
    ("unsigned_offset", "lengths", "query_offset", set_field(code=1), "query_offset"),
    ("scale_of_rank_1", "slopes", "scale", set_field(ndim=1), "scale"),
    ("slopes_of_f64", "slopes", "slopes", set_field(bits=64), "slopes"),
    ("too_few_slopes", "slopes", "slopes", set_size(0, 3), "slopes"),
    ("head_dim", "plain", "q", set_size(3, 15), "q"),
    ("head_dim_of_v", "plain", "v", set_size(3, 16), "v"),
    ("query_heads", "plain", "q", set_size(1, 3), "q"),
    ("key_heads", "plain", "k", set_size(1, 1), "k"),
    ("batch_of_k", "plain", "k", set_size(0, 1), "k"),
    ("key_lengths_disagree", "plain", "v", set_size(2, 6), "v"),
    ("rows_of_out", "plain", "out", set_size(2, 4), "out"),
    ("rows_of_lse", "plain", "lse", set_size(2, 4), "lse"),
    ("negative_length", "plain", "q", set_size(2, -1), "q"),
    ("length_beyond_the_limit", "plain", "k", set_size(2, 2 ** 40), "k"),
    ("fixed_batch", "fixed", "q", set_size(0, 1), "q"),
    ("fixed_keys", "fixed", "k", set_size(2, 69), "k"),
    ("mask_rows", "masked", "mask", set_size(2, 4), "mask"),
    ("mask_heads", "masked", "mask", set_size(1, 4), "mask"),
    ("bias_keys", "masked", "bias", set_size(3, 6), "bias"),
    ("lengths_of_another_batch", "lengths", "kv_lengths", set_size(0, 1), "kv_lengths"),
    ("no_data", "plain", "k", set_field(data=None), "k"),
    ("no_data_for_out", "plain", "out", set_field(data=None), "out"),
    ("no_shape", "plain", "v", no_shape, "v"),
    ("half_an_element_off", "plain", "q", set_field(byte_offset=2), "q"),
    ("weight_rows", "projected", "wq", set_size(0, 31), "wq"),
    ("bias_of_another_width", "projected", "bo", set_size(0, 21), "bo"),
    ("tokens_of_another_width", "projected", "x", set_size(2, 33), "x"),
]


def wrong_tensors(checks):
    for title, name, tensor, change, named in WRONG:
        library = checks.library(name)
        keys = {"fixed": 70, "projected": 5}.get(name, 7)
        _, placed, outputs = parts(library, sk=keys)
        change(outputs[tensor].c if tensor in outputs else placed[tensor].c)
        checks.check(title, refusal(library.call(placed, outputs), named))


def wrong_memory(checks):
    library = checks.library("plain")
    _, placed, outputs = parts(library)
    for order, name in [(placed, n) for n in "qkv"] + [(outputs, n) for n in ("out", "lse")]:
        kept, order[name] = order[name], None
        watched = {n: o for n, o in outputs.items() if o is not None}
        result = library.call(placed, outputs)
        result.outputs = watched
        checks.check("null_" + name, refusal(result, name))
        order[name] = kept
    for title, other in (("start_of_q", "q"), ("middle_of_v", "v"), ("last_element_of_k", "k")):
        _, placed, outputs = parts(library)
        arena = guarded(placed[other].bytes + outputs["out"].placed.bytes)
        moved = Placed(arena, placed[other].array.shape, np.float32)
        np.copyto(moved.array, placed[other].array)
        placed[other], before = moved, bytes(bytes_at(arena, moved.bytes))
        outputs["out"].c.data = arena + {"q": 0, "v": 40, "k": moved.bytes - 4}[other]
        checks.check("out_overlaps_" + title, refusal(library.call(placed, outputs), "out"))
        checks.check("out_overlaps_%s_kept" % title, bytes(bytes_at(arena, moved.bytes)) == before)
    _, placed, outputs = parts(library)
    outputs["lse"].c.data = outputs["out"].c.data
    checks.check("lse_overlaps_out", refusal(library.call(placed, outputs), "lse"))
    _, placed, outputs = parts(library)
    apart = Output((2, 4, 5, 24), np.float32, compact_strides((2, 4, 5, 24)))
    apart.c.strides[2] = 0
    outputs["out"] = apart
    checks.check("rows_of_out_overlap", refusal(library.call(placed, outputs), "out"))


def null_arrays(checks):
    library = checks.library("plain")
    _, placed, outputs = parts(library)
    message = ctypes.create_string_buffer(200)
    context = Context(size=ctypes.sizeof(Context), version=1, message=ctypes.addressof(message),
                      message_bytes=200)
    inputs, results = pointers(placed, INPUT_ORDER), pointers(outputs, OUTPUT_ORDER)
    for title, arguments in (("inputs", (None, results)), ("outputs", (inputs, None))):
        status = library.function(ctypes.addressof(context), *arguments)
        checks.check(title, status == INVALID and title.encode() in message.value or
                     "status %d: %r" % (status, message.value))


def contexts(checks):
    library = checks.library("plain")
    inputs, placed, outputs = parts(library)
    status = library.function(None, pointers(placed, INPUT_ORDER), pointers(outputs, OUTPUT_ORDER))
    result = library.call(placed, outputs)
    checks.check("null_context", library.problem(inputs, result) if status == OK else
                 "status %d" % status)
    checks.check("empty_message_after_success", result.message == "" or result.message)

    def refused(title, change):
        _, placed, outputs = parts(library)
        message = ctypes.create_string_buffer(b"x" * 100, 200)
        context = Context(size=ctypes.sizeof(Context), version=1, message=ctypes.addressof(message),
                          message_bytes=200)
        change(context)
        status = library.function(ctypes.addressof(context), pointers(placed, INPUT_ORDER),
                                  pointers(outputs, OUTPUT_ORDER))
        clean = all(output.untouched() for output in outputs.values())
        checks.check(title, status == INVALID and clean or "status %d" % status)
        return message.value

    said = refused("unknown_version", set_field(version=99))
    checks.check("unknown_version_is_said", b"version" in said or repr(said))
    said = refused("too_small_a_struct", set_field(size=8))
    checks.check("too_small_a_struct_writes_no_message", said == b"x" * 100 or repr(said))
    _, placed, outputs = parts(library)
    larger = ctypes.create_string_buffer(ctypes.sizeof(Context) + 64)
    context = Context.from_buffer(larger)
    context.size, context.version = len(larger), 1
    status = library.function(ctypes.addressof(context), pointers(placed, INPUT_ORDER),
                              pointers(outputs, OUTPUT_ORDER))
    checks.check("larger_struct", status == OK or "status %d" % status)


def messages(checks):
    """The buffer is always ended, never overrun, and may be missing."""
    library = checks.library("plain")
    for size in (0, 1, 2, 8, 30, 400):
        _, placed, outputs = parts(library)
        placed["k"].c.ndim = 3
        buffer = np.full(512, 0x7E, np.uint8)
        context = Context(version=1, message=buffer.ctypes.data, message_bytes=size)
        result = library.call(placed, outputs, context)
        ended = size == 0 or 0 in buffer[:size]
        inside = (buffer[size:] == 0x7E).all()
        checks.check("buffer_of_%d" % size, result.status == INVALID and ended and inside or
                     "status %d, ended %s, inside %s" % (result.status, ended, inside))
    _, placed, outputs = parts(library)
    placed["k"].c.ndim = 3
    result = library.call(placed, outputs, message_bytes=0)
    checks.check("no_buffer", result.status == INVALID)


def workspaces(checks):
    for name in ("plain", "lengths", "masked", "projected", "wide"):
        library = checks.library(name)
        b, sq, sk = (1, 100, 100) if name == "wide" else (2, 50, 50)
        inputs, placed, outputs = parts(library, b, sq, sk)
        if name == "lengths":  # index inputs of 32 bits take room in the workspace
            for index in ("kv_lengths", "q_lengths", "query_offset"):
                inputs[index] = inputs[index].astype(np.int32)
                placed[index] = place(inputs[index])
        size = library.workspace_bytes(placed, 1)
        checks.check(name + "_size", size >= 0 or "%d bytes" % size)
        checks.check(name + "_more_threads_take_more",
                     library.workspace_bytes(placed, 3) >= size)
        for shift in (0, 1, 17):
            outputs = library.outputs_for(inputs)
            room = np.full(size + shift + 2 * CANARY_BYTES, 0xD7, np.uint8)
            context = Context(version=1, workspace=room.ctypes.data + CANARY_BYTES + shift,
                              workspace_bytes=size)
            result = library.call(placed, outputs, context if size else None)
            around = np.r_[room[:CANARY_BYTES + shift], room[CANARY_BYTES + shift + size:]]
            checks.check("%s_given_at_%d" % (name, shift), library.problem(inputs, result)
                         or ("bytes around it were written" if (around != 0xD7).any() else None))
        if size:
            outputs = library.outputs_for(inputs)
            room = np.full(64, 0xD7, np.uint8)
            context = Context(version=1, workspace=room.ctypes.data, workspace_bytes=8)
            checks.check(name + "_too_small", refusal(library.call(placed, outputs, context), None,
                                                      WORKSPACE_TOO_SMALL))
            checks.check(name + "_too_small_untouched", bool((room == 0xD7).all()))
        placed["q" if "q" in placed else "x"].c.ndim = 2
        checks.check(name + "_of_wrong_tensors", library.workspace_bytes(placed, 1) == -1)
    library = checks.library("plain")
    _, placed, _ = parts(library)
    checks.check("no_threads", library.workspace_bytes(placed, 0) == -1)
    for tensor in placed.values():
        tensor.c.data = None
    checks.check("without_data", library.workspace_bytes(placed, 1) >= 0)


TESTS = [wrong_tensors, wrong_memory, null_arrays, contexts, messages, workspaces]
