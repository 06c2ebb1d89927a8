#!/usr/bin/env python3
"""Checks what the objects of the shipped configs need, and how long compiling takes.

  objects.py --fovea build/bin/fovea

The undefined symbols of an object are names of libc and libm only, and a shared library links from
it with nothing undefined. Compile time does not blow up with the head dim, the number of score and
mask entries, or the target. Needs no NumPy. Prints a FAIL line for each failed check and `N passed,
N failed` last; exits 1 when one failed.
"""
import argparse
import glob
import itertools
import os
import subprocess
import sys
import tempfile
import time

CONFIGS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "configs")
LIBC = {"aligned_alloc", "free", "memcpy", "memmove", "memset", "strlen", "vsnprintf"}
LIBM = {name + suffix for suffix in ("", "f")
        for name in ("exp", "exp2", "log", "log2", "tanh", "sqrt", "fma", "pow")}
# A whole process, on a busy machine. Unrolled vectors once took other compilers minutes.
TIME_LIMIT = 10
HEAD_DIMS = (64, 128, 256)
DEEP = """\
kind: sdpa
dtype: %s
batch: any
heads: {query: 8, kv: 2}
head_dim: {qk: %d}
length: {query: any, kv: any}
query_offset: end
score: [softcap: 30.0, alibi, bias: {shape: [batch, heads, query, kv]}]
mask: [causal, window: {left: 100, right: 3}, kv_lengths, tensor: {shape: [1, 1, query, kv]}]
outputs: [out, lse, weights]
"""
# A41: rounding to 16 bits must not call a function that a plain libgcc lacks, whether rows of out
# are whole vectors or have a rest.
HALF = """\
kind: sdpa
dtype: %s
batch: any
heads: {query: 2}
head_dim: {qk: %d}
length: {query: any, kv: any}
mask: [kv_lengths]
outputs: [out, lse]
"""
HALF_LAYER = """\
kind: layer
dtype: %s
batch: any
heads: {query: 2}
head_dim: {qk: %d}
length: {query: any, kv: any}
model_dim: 64
out_dim: 64
biases: [q, k, v, o]
"""
TARGETS = ("host", "x86-64-v4", "x86-64-v3")
HALF_DIMS = (1, 12, 24, 64)


def call(command):
    """What is wrong, or None."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
    except subprocess.TimeoutExpired:
        return "no end after 60 s"
    said = done.stderr.strip().splitlines()
    return "exit %d: %s" % (done.returncode, said[0] if said else "") if done.returncode else None


def undefined(path):
    shown = subprocess.run(["nm", "-u", path], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1].split("@")[0] for line in shown.splitlines() if line.strip()}


class Checks:
    def __init__(self, fovea, folder):
        self.fovea, self.folder = fovea, folder
        self.passed = self.failed = 0

    def note(self, what, problem):
        if problem:
            print("FAIL %s: %s" % (what, problem), flush=True)
        self.failed += bool(problem)
        self.passed += not problem

    def compile_in_time(self, what, config, *flags):
        """The object's path, or None."""
        path = os.path.join(self.folder, "k%d.o" % (self.passed + self.failed))
        start = time.monotonic()
        problem = call([self.fovea, "compile", config, "--name=k", "-o", path] + list(flags))
        seconds = time.monotonic() - start
        if not problem and seconds > TIME_LIMIT:
            problem = "took %.1f s, expected at most %d" % (seconds, TIME_LIMIT)
        self.note(what + " compiles in time", problem)
        return path if os.path.exists(path) else None

    def needs_libc_only(self, what, path):
        others = undefined(path) - LIBC - LIBM
        self.note(what + " needs libc and libm only",
                  others and "it needs " + ", ".join(sorted(others)))
        self.note(what + " links", call([os.environ.get("CC", "cc"), "-shared", "-Wl,-z,defs",
                                         path, "-lm", "-o", path[:-2] + ".so"]))

    def run(self):
        for config in sorted(glob.glob(os.path.join(CONFIGS, "*.yaml"))):
            name = os.path.basename(config)
            path = self.compile_in_time(name, config)
            if path:
                self.needs_libc_only(name, path)
        for dtype in ("f32", "f64", "f16", "bf16"):
            for dim in HEAD_DIMS if len(dtype) == 3 and dtype != "f16" else HEAD_DIMS[1:2]:
                for target in TARGETS if "16" in dtype else ("host", "x86-64-v3"):
                    self.check("every entry", DEEP, dtype, dim, target)
        for dtype, dim, target in itertools.product(("f16", "bf16"), HALF_DIMS, TARGETS):
            self.check("half", HALF, dtype, dim, target)
            if dim != 1:
                self.check("half layer", HALF_LAYER, dtype, dim, target)

    def check(self, what, text, dtype, dim, target):
        """One of the configs above compiles in time and links."""
        config = os.path.join(self.folder, "config.yaml")
        with open(config, "w") as file:
            file.write(text % (dtype, dim))
        what += ", %s, head dim %d, %s" % (dtype, dim, target)
        path = self.compile_in_time(what, config, "--target=" + target)
        if path:
            self.needs_libc_only(what, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fovea", default="build/bin/fovea")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="fovea-objects-") as folder:
        checks = Checks(options.fovea, folder)
        checks.run()
    print("%d passed, %d failed" % (checks.passed, checks.failed))
    return 1 if checks.failed or not checks.passed else 0


if __name__ == "__main__":
    sys.exit(main())
