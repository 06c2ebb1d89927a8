"""Many shapes on one library, between guard pages; and what a process around a kernel sees."""
import ctypes
import resource
import subprocess

import numpy as np

from c_library import random_inputs
from c_memory import libc, mapped, place

# 50 of (batch, Sq, Sk): zeros, ones, tile edges, primes.
SHAPES = (
    (1, 1, 1), (0, 5, 5), (2, 0, 5), (2, 5, 0), (0, 0, 0), (1, 0, 0), (3, 130, 0), (0, 130, 130),
    (1, 1, 2), (1, 1, 31), (1, 1, 127), (1, 1, 128), (1, 1, 129), (1, 1, 1000), (5, 1, 7),
    (2, 2, 3), (1, 7, 1), (3, 8, 8), (1, 15, 17), (1, 16, 16), (1, 17, 15), (2, 23, 65),
    (1, 24, 64), (1, 25, 63), (1, 31, 33), (1, 32, 32), (2, 33, 31), (1, 47, 129), (1, 48, 128),
    (1, 49, 127), (1, 63, 65), (1, 64, 64), (1, 65, 63), (3, 95, 11), (1, 96, 12), (1, 97, 13),
    (1, 127, 1), (1, 128, 256), (1, 129, 257), (1, 144, 255), (2, 145, 384), (1, 191, 385),
    (1, 200, 3), (7, 3, 200), (1, 257, 19), (1, 300, 300), (33, 2, 5), (1, 5, 513), (4, 4, 4),
    (2, 101, 103))


def fifty_shapes(checks):
    for name in ("plain", "lengths", "masked", "plain_f64", "plain_f16", "odd_dim", "odd_bf16",
                 "bshd", "bsd_bf16", "slopes", "projected"):
        library = checks.library(name)
        for side in ("after", "before"):
            for b, sq, sk in SHAPES if side == "after" else SHAPES[::7]:
                if library.config["kind"] == "layer":
                    sk = sq
                inputs = random_inputs(library.config, b, sq, sk)
                result = library.run(inputs, side=side)
                checks.check("%s_%d_%d_%d_guard_%s" % (name, b, sq, sk, side),
                             library.problem(inputs, result))


def exact_bounds_of_wide_heads(checks):
    library = checks.library("wide")
    for sq, sk in ((1, 1), (50, 130), (3, 129), (49, 64)):
        inputs = random_inputs(library.config, 1, sq, sk)
        checks.check("sq_%d_sk_%d" % (sq, sk), library.problem(inputs, library.run(inputs)))


def static_shape(checks):
    library = checks.library("fixed")
    inputs = random_inputs(library.config, 2, 5, 70)
    checks.check("fixed", library.problem(inputs, library.run(inputs)))


def no_data_where_no_elements(checks):
    library = checks.library("plain")
    for b, sq, sk, empty in ((2, 5, 0, ("k", "v")), (2, 0, 5, ("q",)), (0, 3, 4, ("q", "k", "v"))):
        inputs = random_inputs(library.config, b, sq, sk)
        placed = {name: place(x) for name, x in inputs.items()}
        outputs = library.outputs_for(inputs)
        for name in empty:
            placed[name].c.data = None
        for output in outputs.values():
            if 0 in output.array.shape:
                output.c.data = None
        checks.check("null_%d_%d_%d" % (b, sq, sk),
                     library.problem(inputs, library.call(placed, outputs)))


def index_types(checks):
    library = checks.library("lengths")
    inputs = random_inputs(library.config, 6, 50, 140)
    expected = library.run(inputs).arrays()
    for name, types in (("i32", (np.int32,) * 3), ("i64", (np.int64,) * 3),
                        ("mixed", (np.int32, np.int64, np.int32))):
        given = dict(inputs)
        for index, kind in zip(("kv_lengths", "q_lengths", "query_offset"), types):
            given[index] = inputs[index].astype(kind)
        result = library.run(given)
        checks.check(name, library.problem(given, result))
        checks.check(name + "_same_bits", all(
            x.tobytes() == result.arrays()[n].tobytes() for n, x in expected.items()))
    for stride in (0, 3):
        same = {name: np.full(6, x[0]) if name.endswith(("lengths", "offset")) and not stride else x
                for name, x in inputs.items()}
        strides = {name: [stride] for name in ("kv_lengths", "q_lengths", "query_offset")}
        checks.check("stride_%d" % stride, library.problem(same, library.run(same, strides)))


def shared_inputs(checks):
    """One tensor may be two inputs."""
    library = checks.library("odd_dim")
    inputs = random_inputs(library.config, 2, 9, 33)
    inputs["v"] = inputs["k"][..., :45]
    keys = place(inputs["k"])
    placed = {"q": place(inputs["q"]), "k": keys,
              "v": place(inputs["v"], [4 * 33 * 46, 33 * 46, 46, 1])}
    placed["v"].c.data = keys.address
    checks.check("v_inside_k", library.problem(inputs, library.call(placed,
                                                                  library.outputs_for(inputs))))


def on_a_stack_of(size, function):
    """Calls the function on a thread whose stack has an unreadable megabyte below it, so that no
    frame is large enough to step over the guard."""
    below = 1 << 20
    start = mapped(below + size)
    libc.mprotect(start, below, 0)
    attributes = (ctypes.c_char * 128)()
    thread = ctypes.c_ulong()
    entry = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(lambda _: function())
    libc.pthread_attr_init(attributes)
    libc.pthread_attr_setstack(attributes, ctypes.c_void_p(start + below), ctypes.c_size_t(size))
    if libc.pthread_create(ctypes.byref(thread), attributes, entry, None):
        raise RuntimeError("pthread_create failed")
    libc.pthread_join(thread, None)


def small_stack(checks):
    """A36: scratch does not live on the stack."""
    for name in ("plain", "wide", "plain_f64", "masked", "lengths", "odd_bf16", "plain_f16"):
        library = checks.library(name)
        inputs = random_inputs(library.config, 1, 130, 300)
        placed = {n: place(x) for n, x in inputs.items()}
        outputs, results = library.outputs_for(inputs), []
        on_a_stack_of(128 * 1024, lambda: results.append(library.call(placed, outputs)))
        checks.check(name, library.problem(inputs, results[0]))


def no_leak(checks):
    library = checks.library("plain")
    inputs = random_inputs(library.config, 1, 3, 5)
    placed = {name: place(x) for name, x in inputs.items()}
    outputs = library.outputs_for(inputs)
    peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    for _ in range(500):
        library.call(placed, outputs)
    before = peak()
    for _ in range(20000):
        library.call(placed, outputs)
    checks.check("memory_after_20000_calls", None if peak() - before < 512 else
                 "peak grew by %d KiB" % (peak() - before))


def needs_libc_and_libm_only(checks):
    system = [ctypes.CDLL("libc.so.6"), ctypes.CDLL("libm.so.6")]
    library = checks.library("plain")
    done = subprocess.run(["nm", "-D", "--undefined-only", library.path], capture_output=True,
                          text=True)
    needed = [line.split()[-1].split("@")[0] for line in done.stdout.splitlines()
              if line.split()[-2] == "U"]  # weak ones (__gmon_start__) may stay undefined
    unknown = [name for name in needed if not any(hasattr(lib, name) for lib in system)]
    checks.check("undefined_symbols",
                 "not in libc or libm: " + " ".join(unknown) if unknown else None)


TESTS = [fifty_shapes, exact_bounds_of_wide_heads, static_shape, no_data_where_no_elements,
         index_types, shared_inputs, small_stack, no_leak, needs_libc_and_libm_only]
