#!/usr/bin/env python3
"""Tests of the C interface: compiled shared libraries called through ctypes.

  c_interface.py --fovea build/bin/fovea [--only SUBSTRING] [--target TARGET] [--list]
                 [--library-dir DIR]

Each test runs in a process of its own, since tensors end at unreadable pages: a read or write out
of bounds is a signal there, and counts as a failure. --library-dir takes compiled libraries
(NAME.so) from a folder instead of compiling them. The last line is `N passed, N failed`; exits 1 on
failure.
"""
import argparse
import os
import signal
import subprocess
import sys
import tempfile
import traceback

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import c_errors
import c_parallel
import c_shapes
import c_strides
from c_library import Library, compile_all, configs

TESTS = {test.__name__: test
         for module in (c_shapes, c_strides, c_errors, c_parallel) for test in module.TESTS}
TIME_LIMIT = 120


class Checks:
    """Given to a test: loads libraries and notes outcomes."""

    def __init__(self, folder):
        self._folder = folder

    def library(self, name):
        return Library(self._folder, name)

    def check(self, name, problem):
        """`problem` is what is wrong, or None; True and False are good and bad."""
        good = problem in (None, True)
        print("ok %s" % name if good else "FAIL %s: %s" % (name, problem or "not so"), flush=True)


def run_child(name, folder):
    try:
        TESTS[name](Checks(folder))
    except Exception:  # a fault of the test itself
        traceback.print_exc()
        return 1
    return 0


def run_test(name, folder):
    """(passed, failed) of the checks of one test."""
    command = [sys.executable, os.path.abspath(__file__), "--child", name, "--library-dir", folder]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT)
        lines, code, said = done.stdout.splitlines(), done.returncode, done.stderr
    except subprocess.TimeoutExpired as expired:
        lines, code, said = (expired.stdout or b"").decode().splitlines(), None, ""
    passed = sum(line.startswith("ok ") for line in lines)
    failed = 0
    for line in lines:
        if line.startswith("FAIL "):
            failed += 1
            print("FAIL %s/%s" % (name, line[5:]), flush=True)
    if code == 0 and passed + failed > 0:
        return passed, failed
    last = lines[-1] if lines else "none"
    if code is None:
        why = "no end after %d s" % TIME_LIMIT
    elif code < 0:
        why = "died of %s" % signal.Signals(-code).name
    else:
        why = "exit %d: %s" % (code, said.strip().splitlines()[-1:] or "no check was made")
    print("FAIL %s: %s (last check: %s)" % (name, why, last), flush=True)
    return passed, failed + 1


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fovea", default="build/bin/fovea")
    parser.add_argument("--only", default="", help="run the tests whose name holds this")
    parser.add_argument("--target", default="")
    parser.add_argument("--list", action="store_true", help="print names and stop")
    parser.add_argument("--library-dir", help="folder of compiled libraries")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        return run_child(options.child, options.library_dir)
    names = [name for name in TESTS if options.only in name]
    if options.list:
        print("\n".join(names))
        return 0
    passed = failed = 0
    with tempfile.TemporaryDirectory() as scratch:
        folder = options.library_dir or scratch
        if not options.library_dir:
            for name, problem in compile_all(options.fovea, folder, options.target,
                                             configs()).items():
                print("FAIL compile %s: %s" % (name, problem), flush=True)
                failed += 1
        for name in names:
            good, bad = run_test(name, folder)
            passed, failed = passed + good, failed + bad
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
