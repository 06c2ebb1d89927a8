#!/usr/bin/env python3
"""ThreadSanitizer over the runtime and over compiled kernels.

  thread.py --fovea build/bin/fovea --build build/tsan

Builds the runtime by itself with -fsanitize=thread and runs its unit tests. Then compiles kernels
to LLVM IR, instruments that too, and calls each from several threads at the same time, with the
pool of the runtime and with a loop hook of its own. Last come races made on purpose, in a task of a
pool and in a kernel's scratch memory, which must be reported: a watch that sees nothing proves
nothing. Prints `N passed, N failed` last.
"""
import argparse
import os
import re
import sys
import tempfile

from sanitized import GTEST, SOURCE, BuildFailed, Tally, build, call, must

SDPA = """batch: any
heads: {query: 4, kv: 2}
head_dim: {qk: 16}
length: {query: any, kv: any}
query_offset: end
mask: [causal]
score: [{bias: {shape: [1, heads, query, kv]}}]
outputs: [out, lse, weights]
"""
LAYER = """kind: layer
batch: any
heads: {query: 4, kv: 2}
head_dim: {qk: 16}
length: {query: any, kv: any}
model_dim: 32
out_dim: 24
mask: [causal]
"""
# name: config, and the shapes of inputs and outputs for KernelThreads.
KERNELS = {
    "sdpa": (SDPA, "2x4x70x16 2x2x150x16 2x2x150x16 1x4x70x150 / 2x4x70x16 2x4x70 2x4x70x150"),
    "layer": (LAYER, "2x90x32 32x64 32x32 32x32 64x24 / 2x90x24"),
}
REPORT = "WARNING: ThreadSanitizer: data race"
EXIT_CODE = 66  # of a program with reports


def compile_watched(fovea, name, text, folder):
    """A shared library of the kernel, all of whose loads and stores are watched."""
    path = lambda suffix: os.path.join(folder, name + suffix)
    with open(path(".yaml"), "w") as file:
        file.write(text)
    must([fovea, "compile", path(".yaml"), "--emit=llvm", "--target=x86-64-v3", "-o", path(".ll")])
    with open(path(".ll")) as file:
        module = file.read()
    with open(path(".ll"), "w") as file:
        file.write(re.sub(r"^(attributes #\d+ = \{)", r"\1 sanitize_thread", module, flags=re.M))
    # The instrumentation passes over loads and stores of more than 16 bytes: they are split first.
    must(["opt-22", "-passes=function(scalarizer<load-store>,tsan),module(tsan-module)",
          path(".ll"), "-o", path(".bc")])
    must(["clang-22", "-O1", "-shared", "-fPIC", "-Wno-override-module", path(".bc"), "-o",
          path(".so"), "-lm"])
    return path(".so")


def unwanted(code, output):
    """The problem of a program that must be free of races and right, or None."""
    return None if code == 0 and REPORT not in output else output[-8000:] or "exit %d" % code


def missing(code, output, place):
    """The problem of a program whose race must be reported at `place`, or None."""
    if code == EXIT_CODE and REPORT in output and place in output:
        return None
    return "expects exit %d and a race in %s, found exit %d:\n%s" % (EXIT_CODE, place, code,
                                                                    output[-3000:])


def check(tally, fovea, folder):
    build(os.path.join(SOURCE, "runtime"), folder, "thread")
    tally.suite("unit: runtime", GTEST, [os.path.join(folder, "tests", "fovea_runtime_tests")])
    tally.check("race of two tasks", missing(
        *call([os.path.join(folder, "sanitizers", "Race")]), "addWithoutOrder"))
    threads = os.path.join(folder, "sanitizers", "KernelThreads")
    with tempfile.TemporaryDirectory() as temporary:
        for name, (text, shapes) in KERNELS.items():
            library = compile_watched(fovea, name, text, temporary)
            run = lambda hook: call([threads, hook, library, name] + shapes.split())
            for hook in ("pool", "threads"):
                tally.check("%s, %s" % (name, hook), unwanted(*run(hook)))
            tally.check(name + ", workers that clash", missing(*run("clash"), name + ".task"))


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fovea", default="build/bin/fovea")
    parser.add_argument("--build", default="build/tsan", help="folder of the build")
    options = parser.parse_args()
    tally = Tally()
    try:
        check(tally, os.path.abspath(options.fovea), os.path.abspath(options.build))
    except BuildFailed as failure:
        tally.check("build", str(failure))
    return tally.end()


if __name__ == "__main__":
    sys.exit(main())
