#!/usr/bin/env python3
"""AddressSanitizer, with its search for leaks, and UBSanitizer over tools and tests.

  address.py --build build/asan [--venv build/venv] [--every N]

Builds libFovea, fovea, fovea-opt and the unit tests with them, and with assertions; runs the unit
tests, the lit tests of configs, dialect, passes, stages, reference and tools, and each N-th numeric
case. MLIR and LLVM themselves come without sanitizers. Before that come faults made on purpose,
which must be reported. Prints `N passed, N failed` last.
"""
import argparse
import os
import sys

from sanitized import GTEST, LIT, PLAIN, SOURCE, WITH_FUZZERS, BuildFailed, Tally, build, call

TARGETS = ["fovea", "fovea-opt", "fovea_runtime_tests", "fovea_support_tests",
           "fovea_reference_tests", "fovea_attn_tests", "Fault"]
# What a report of each fault says.
FAULTS = {"heap": "AddressSanitizer: heap-buffer-overflow",
          "stack": "AddressSanitizer: stack-buffer-overflow",
          "overflow": "runtime error: signed integer overflow",
          "null": "runtime error: load of null pointer",
          "leak": "LeakSanitizer: detected memory leaks"}
# The others need fovea-lsp-server, an installed copy, or timings; or run the numeric suites.
LIT_TESTS = "^Fovea :: (Config|Dialect|Reference|Target|Tools)/"


def check_faults(tally, folder):
    for fault, report in FAULTS.items():
        code, output = call([os.path.join(folder, "bin", "Fault"), fault])
        tally.check("fault: " + fault, None if code and report in output else
                    "expects '%s', found exit %d:\n%s" % (report, code, output))


def check(tally, folder, venv, every):
    build(SOURCE, folder, "address,undefined", TARGETS, WITH_FUZZERS)
    check_faults(tally, folder)
    for part in ("runtime", "support", "reference", "attn"):
        tally.suite("unit: " + part, GTEST, [os.path.join(folder, "bin", "fovea_%s_tests" % part)])
    has_numpy = os.path.exists(os.path.join(venv, "ready"))
    link = os.path.join(folder, "venv")
    if has_numpy and not os.path.lexists(link):
        os.symlink(os.path.relpath(venv, folder), link)  # where lit looks for it
    tally.suite("lit", LIT, ["lit-22", "-sv", "--filter=" + LIT_TESTS, os.path.join(folder, "test")])
    if not has_numpy:
        print("UNSUPPORTED: numeric cases need numpy from PyPI")
        return
    tally.suite("numeric", PLAIN, [
        os.path.join(venv, "bin", "python3"), os.path.join(SOURCE, "test", "numeric", "run.py"),
        "--fovea", os.path.join(folder, "bin", "fovea"), "--every=%d" % every])


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/asan", help="folder of the build")
    parser.add_argument("--venv", default="build/venv", help="the tests' Python")
    parser.add_argument("--every", type=int, default=10, metavar="N", help="numeric cases")
    options = parser.parse_args()
    tally = Tally()
    try:
        check(tally, os.path.abspath(options.build), os.path.abspath(options.venv), options.every)
    except BuildFailed as failure:
        tally.check("build", str(failure))
    return tally.end()


if __name__ == "__main__":
    sys.exit(main())
