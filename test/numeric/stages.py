#!/usr/bin/env python3
"""Checks that compilation may stop at each stage and go on from the file, to the same bytes.

  stages.py --fovea build/bin/fovea [--only SUBSTRING] [--jobs N]

For each shipped config and target: compiling twice gives the same object; what --stages-dir writes
is what --stop-after writes; and from each of these files, with --start-from and from the module's
own attributes alone, comes the object and header that the config gives. Needs no NumPy. Prints a
FAIL line for each failed check and `N passed, N failed` last; exits 1 when one failed.
"""
import argparse
import concurrent.futures
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import time

CONFIGS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "configs")
STAGES = ("attention", "tiled", "fused", "vectorized", "llvm")
TARGETS = ("host", "x86-64-v3")
TIME_LIMIT = 60  # seconds for one call


def read(path):
    with open(path, "rb") as file:
        return file.read()


def first_difference(ours, theirs):
    """Where two files differ, for a failure's text."""
    if len(ours) != len(theirs):
        return "%d and %d bytes" % (len(ours), len(theirs))
    at = next(n for n, (a, b) in enumerate(zip(ours, theirs)) if a != b)
    return "they differ at byte %d" % at


class Job:
    """One config compiled for one target, and the checks that it passed and failed."""

    def __init__(self, fovea, config, target, root):
        self.fovea, self.config, self.target = fovea, config, target
        self.stem = os.path.basename(config)[:-len(".yaml")]
        self.folder = os.path.join(root, target, self.stem)
        self.passed, self.failed = 0, 0

    def path(self, *parts):
        path = os.path.join(self.folder, *parts)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        return path

    def compile(self, source, *flags):
        """What is wrong, or None."""
        command = [self.fovea, "compile", source] + list(flags)
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT)
        except subprocess.TimeoutExpired:
            return "no end after %d s" % TIME_LIMIT
        if done.returncode:
            said = done.stderr.strip().splitlines()
            return "exit %d: %s" % (done.returncode, said[0] if said else "no message")
        return None

    def check(self, what, problem):
        if problem:
            print("FAIL %s for %s, %s: %s" % (self.stem, self.target, what, problem), flush=True)
        self.failed += bool(problem)
        self.passed += not problem

    def same(self, problem, *pairs):
        """`problem`, or how the first pair of files that are not the same differs."""
        for ours, theirs in pairs:
            if not problem and read(ours) != read(theirs):
                problem = "%s and %s are not the same: %s" % (
                    ours, theirs, first_difference(read(ours), read(theirs)))
        return problem

    def resume(self, what, stage, file, *flags):
        """The rest of the way from a stage file gives the object and header of the whole way."""
        name = stage + "-" + what
        problem = self.compile(file, "-o", self.path(name, "k.o"), *flags)
        self.check("object from %s, %s" % (stage, what), self.same(
            problem, (self.path(name, "k.o"), self.path("whole", "k.o")),
            (self.path(name, "k.h"), self.path("whole", "k.h"))))

    def run(self):
        target = "--target=" + self.target
        problem = self.compile(self.config, target, "-o", self.path("whole", "k.o"))
        if problem:
            return self.check("whole", problem)
        problem = self.compile(self.config, target, "-o", self.path("again", "k.o"),
                               "--stages-dir=" + self.path("stages"))
        self.check("compiled twice", self.same(
            problem, (self.path("again", "k.o"), self.path("whole", "k.o"))))
        wanted = ["%02d-%s.mlir" % item for item in enumerate(STAGES, 1)]
        found = sorted(os.listdir(self.path("stages", "")))
        self.check("--stages-dir", None if found == wanted else
                   "expected the files %s, found %s" % (", ".join(wanted), ", ".join(found)))
        if found != wanted:
            return None  # nothing to compare with
        for file, stage in zip(wanted, STAGES):
            stopped = self.path("stopped", file)
            problem = self.compile(self.config, target, "--stop-after=" + stage, "-o", stopped)
            self.check("--stop-after=" + stage,
                       self.same(problem, (stopped, self.path("stages", file))))
            if problem:
                continue
            self.resume("by attribute", stage, stopped)
            # For one target only: reading the stage's name is all that it adds.
            if self.target == "host":
                self.resume("by flag", stage, stopped, "--start-from=" + stage)
        return None


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fovea", default="build/bin/fovea")
    parser.add_argument("--only", default="", help="check the configs whose name holds this")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    root = tempfile.mkdtemp(prefix="fovea-stages-")
    configs = [path for path in sorted(glob.glob(os.path.join(CONFIGS, "*.yaml")))
               if options.only in os.path.basename(path)]
    jobs = [Job(options.fovea, config, target, root) for config in configs for target in TARGETS]
    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(max_workers=options.jobs) as pool:
        list(pool.map(Job.run, jobs))
    passed, failed = sum(job.passed for job in jobs), sum(job.failed for job in jobs)
    if not failed:
        shutil.rmtree(root, ignore_errors=True)
    print("%.0f s" % (time.monotonic() - start))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    sys.exit(main())
