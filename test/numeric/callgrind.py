#!/usr/bin/env python3
"""Counts instructions: S5 (a forbidden key contributes nothing, whatever it holds) costs full tiles
nothing.

  callgrind.py --fovea build/bin/fovea

A causal kernel is compiled as it is, and once more with the `keep` operand, which S5 hangs on,
edited away from its partial tiles at stage fused. Both run under valgrind's callgrind where every
tile is full (the queries stand behind all keys): each instruction that runs more often than once a
key tile must run equally often, and as many of them, in both. What runs once a key tile or less, the
frame around the loops, may differ by what registers the rest of the function takes, but S5 may
not add more than a ten thousandth of the whole to it. On partial tiles the counts must differ, or
the comparison could not fail. A kernel without a mask must have no `keep` at all.

Prints `N passed, N failed` last. Needs no NumPy.
"""
import argparse
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# What valgrind can run whatever the machine is: 3.19 knows no AVX-512.
TARGET = "x86-64-v3"
CONFIG = """name: attend
dtype: %s
batch: any
heads: {query: 1}
head_dim: {qk: %d}
length: {query: 24, kv: any}
"""
CAUSAL = "query_offset: input\nmask: [causal]\n"
KEEP = re.compile(r" keep\(%\w+ : vector<[^>]*>\)")
QUERIES, KEYS = 24, 1024
UNSUPPORTED_CPU = 3  # fovea_status


class Failed(Exception):
    pass


class Unsupported(Exception):
    pass


def call(command, accept=(0,)):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode not in accept:
        raise Failed("exit %d of %s\n%s" % (done.returncode, " ".join(command), done.stdout[-2000:]))
    return done


class Kernel:
    """A program that calls one kernel."""

    def __init__(self, program):
        self.program = program

    def counts(self, queries, keys, offset):
        """(instructions of the call, {times: how many instructions of the kernel ran so often})."""
        out = self.program + ".callgrind"
        done = call(["valgrind", "--tool=callgrind", "--dump-instr=yes", "--toggle-collect=attend",
                     "--callgrind-out-file=" + out, self.program, str(queries), str(keys),
                     str(offset)], accept=(0, UNSUPPORTED_CPU))
        if done.returncode == UNSUPPORTED_CPU:
            raise Unsupported("this machine, or valgrind on it, has no " + TARGET)
        with open(out) as file:
            return parse(file)


def parse(file):
    """The counts of a file of callgrind with addresses; calls' inclusive costs are left out."""
    names, runs = {}, collections.Counter()
    function, address, total, is_call = "", 0, 0, False
    for line in file:
        named = re.match(r"(c?fn)=\((\d+)\)(?: (\S+))?", line)
        if named:
            names.setdefault(named.group(2), named.group(3))
            if named.group(1) == "fn":
                function = names[named.group(2)]
        elif line.startswith("calls="):
            is_call = True  # the next line is the cost of what is called
        elif line[0] in "0+-*" and len(line.split()) == 3:
            where, _, cost = line.split()
            if where != "*":
                address = int(where, 16) if where.startswith("0x") else address + int(where)
            if not is_call:
                total += int(cost)
                if function.startswith("attend."):
                    runs[address] += int(cost)
            is_call = False
    return total, collections.Counter(runs.values())


class Builder:
    def __init__(self, fovea, folder):
        self.fovea, self.folder = fovea, folder
        self.opt = os.path.join(os.path.dirname(fovea), "fovea-opt")

    def fused(self, dtype, dim, rest):
        path = os.path.join(self.folder, "attend.yaml")
        with open(path, "w") as file:
            file.write(CONFIG % (dtype, dim) + rest)
        return call([self.fovea, "compile", path, "--target=" + TARGET, "--stop-after=fused",
                     "-o", "-"]).stdout

    def kernel(self, name, module, dtype, dim):
        """From a module at stage fused. Its verifier, which refuses a missing keep, is not asked."""
        folder = os.path.join(self.folder, name)
        os.makedirs(folder)
        path = lambda file: os.path.join(folder, file)
        with open(path("fused.mlir"), "w") as file:
            file.write(module)
        call([self.opt, path("fused.mlir"), "--fovea-to-vectorized", "-o", path("vectorized.mlir")])
        call([self.fovea, "compile", path("vectorized.mlir"), "-o", path("attend.o")])
        call(["cc", "-O1", "-std=c11", "-DDIM=%d" % dim] + (["-DHALF"] if dtype == "bf16" else [])
             + ["-I" + os.path.join(SOURCE, "runtime", "include"), "-I" + folder,
                os.path.join(SOURCE, "test", "numeric", "callgrind.c"), path("attend.o"), "-lm",
                "-o", path("call")])
        return Kernel(path("call"))


def compare_full(module, with_s5, without):
    """What is wrong on full tiles, or None."""
    keys_of_tile = int(re.search(r"attn\.softmax_step .*: vector<\d+x(\d+)x", module).group(1))
    key_tiles = KEYS // keys_of_tile
    (total, runs), (bare_total, bare_runs) = (
        kernel.counts(QUERIES, KEYS, 2 * KEYS) for kernel in (with_s5, without))
    inner = lambda counter: {times: n for times, n in counter.items() if times > key_tiles}
    share = sum(times * n for times, n in inner(runs).items()) / total
    print("  full tiles: %d instructions with S5, %d without; %.2f%% of them in loops over keys"
          % (total, bare_total, 100 * share))
    if share < 0.95:
        return "expects the loops to be nearly all of the call, found %.1f%%" % (100 * share)
    if inner(runs) != inner(bare_runs):
        return "expects equal counts {times: instructions}, found %s with S5 and %s without" % (
            sorted(inner(runs).items()), sorted(inner(bare_runs).items()))
    if total > bare_total * 1.0001:
        return "expects S5 to add nothing, found %d more" % (total - bare_total)
    return None


def compare_partial(with_s5, without):
    (total, runs), (bare_total, bare_runs) = (
        kernel.counts(QUERIES, QUERIES, 0) for kernel in (with_s5, without))
    print("  partial tiles: %d instructions with S5, %d without" % (total, bare_total))
    if total <= bare_total or runs == bare_runs:
        return "expects more instructions with S5, found %d and %d" % (total, bare_total)
    return None


def check_type(builder, dtype, dim):
    """Yields (check, problem or None)."""
    if KEEP.search(builder.fused(dtype, dim, "")):
        yield "no mask, no keep", "found a keep operand"
    else:
        yield "no mask, no keep", None
    module = builder.fused(dtype, dim, CAUSAL)
    bare, found = KEEP.subn("", module)
    if found != 1:
        yield "keep to edit away", "expects one accumulate with keep, found %d" % found
        return
    name = "%s_%d" % (dtype, dim)
    with_s5 = builder.kernel(name, module, dtype, dim)
    without = builder.kernel(name + "_bare", bare, dtype, dim)
    yield "full tiles", compare_full(module, with_s5, without)
    yield "partial tiles", compare_partial(with_s5, without)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fovea", default="build/bin/fovea")
    options = parser.parse_args()
    if not shutil.which("valgrind"):
        print("UNSUPPORTED: instruction counts need valgrind")
        return 77
    passed = failed = 0
    for dtype, dim in (("f32", 64), ("f32", 80), ("bf16", 64)):
        print("%s, head dim %d" % (dtype, dim))
        try:
            with tempfile.TemporaryDirectory() as folder:
                for name, problem in check_type(
                        Builder(os.path.abspath(options.fovea), folder), dtype, dim):
                    passed, failed = passed + (not problem), failed + bool(problem)
                    if problem:
                        print("FAIL %s %d, %s: %s" % (dtype, dim, name, problem))
        except Failed as failure:
            failed += 1
            print("FAIL %s %d: %s" % (dtype, dim, failure))
        except Unsupported as reason:
            print("UNSUPPORTED: instruction counts: %s" % reason)
            return 77
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
