"""What the suites of the sanitizers share: builds of their own, and a count of what was checked."""
import os
import re
import subprocess

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# One build serves address.py and the fuzzers.
WITH_FUZZERS = ["-DFOVEA_FUZZERS=ON"]
# Stacks need lines only; -O1 runs several times faster than -O0 and loses no finding that matters
# here. No NDEBUG: assertions, those in LLVM's headers included, are checks too.
FLAGS = "-O1 -gline-tables-only"
GTEST = re.compile(r"^\[  PASSED  \] (\d+) test|^ *(\d+) FAILED TEST", re.MULTILINE)
PLAIN = re.compile(r"^(\d+) passed, (\d+) failed", re.MULTILINE)
LIT = re.compile(r"^\s*(?:Passed\s*:\s*(\d+)|(?:Failed|Timed Out|Unresolved|Unexpectedly Passed)"
                 r"\s*:\s*(\d+))", re.MULTILINE)


class BuildFailed(Exception):
    pass


def call(command, **options):
    """(exit code, all output)."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace", cwd=SOURCE, **options)
    return done.returncode, done.stdout


def must(command):
    code, said = call(command)
    if code:
        raise BuildFailed("%s\nexit %d of %s" % (said[-6000:], code, " ".join(command)))


def build(source, folder, sanitizers, targets=(), options=()):
    """Configures `folder` where that is not done yet, and builds targets there."""
    if not os.path.exists(os.path.join(folder, "build.ninja")):
        must(["cmake", "-G", "Ninja", "-S", source, "-B", folder, "-DCMAKE_BUILD_TYPE=Debug",
              "-DCMAKE_C_COMPILER=clang-22", "-DCMAKE_CXX_COMPILER=clang++-22",
              "-DCMAKE_C_FLAGS_DEBUG=" + FLAGS, "-DCMAKE_CXX_FLAGS_DEBUG=" + FLAGS,
              "-DCMAKE_EXE_LINKER_FLAGS=-fuse-ld=lld",
              "-DCMAKE_SHARED_LINKER_FLAGS=-fuse-ld=lld",
              "-DFOVEA_SANITIZE=" + sanitizers, *options])
    must(["cmake", "--build", folder] + (["--target", *targets] if targets else []))


class Tally:
    """Counts of passed and failed checks, printed as they come."""

    def __init__(self):
        self.passed = self.failed = 0

    def add(self, name, passed, failed, output=""):
        print("%-24s %4d passed, %d failed" % (name + ":", passed, failed), flush=True)
        if failed:
            print(output[-12000:], flush=True)
        self.passed += passed
        self.failed += failed

    def check(self, name, problem):
        self.add(name, 0 if problem else 1, 1 if problem else 0, problem or "")

    def suite(self, name, pattern, command, **options):
        """Adds what a command says by `pattern`; an exit code without a count is a failure."""
        code, output = call(command, **options)
        found = pattern.findall(output)
        passed, failed = (sum(int(pair[n] or 0) for pair in found) for n in (0, 1))
        if (code and not failed) or not passed + failed:
            failed = 1
        self.add(name, passed, failed, output)

    def end(self):
        """Prints the sum and gives the exit code."""
        print("%d passed, %d failed" % (self.passed, self.failed))
        return 1 if self.failed or not self.passed else 0
