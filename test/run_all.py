"""Runs every suite and adds up what they say; the last line is
`N passed, N failed`. Each suite's own output is printed only if it fails; what
it can't run here, it says in a line that begins with UNSUPPORTED, and ends with
77 if that is all of it."""
import argparse
import os
import re
import shutil
import subprocess
import sys
import time

PATTERNS = {
    # suite kind: (passed, failed) patterns; each may occur several times
    "lit": (r"^\s*Passed\s*:\s*(\d+)",
            r"^\s*(?:Failed|Timed Out|Unresolved|Unexpectedly Passed)\s*:\s*(\d+)"),
    "gtest": (r"^\[  PASSED  \] (\d+) test", r"^ *(\d+) FAILED TEST"),
    "plain": (r"^(\d+) passed, \d+ failed", r"^\d+ passed, (\d+) failed"),
    # the last line only: what comes before may quote other suites
    "sum": (r"^(\d+) passed, \d+ failed\s*\Z",
            r"^\d+ passed, (\d+) failed\s*\Z"),
}
# Of a suite that can't run here.
UNSUPPORTED = 77


def sanitizer_suites(source, build, fovea):
    """Suites of builds of their own, under `build`."""
    clang = shutil.which("clang++-22")
    runtime = clang and subprocess.run(
        [clang, "-print-file-name=lib/linux/libclang_rt.fuzzer-x86_64.a"],
        capture_output=True, text=True).stdout.strip()
    if not runtime or not os.path.exists(runtime):
        print("UNSUPPORTED: sanitizers and libFuzzer need clang++-22 and "
              "libclang-rt-22-dev")
        return []
    suite = lambda *path: [sys.executable, os.path.join(source, "test", *path)]
    asan, venv = os.path.join(build, "asan"), os.path.join(build, "venv")
    return [
        ("ASan, UBSan", "sum",
         suite("sanitizers", "address.py") + ["--build", asan, "--venv", venv]),
        ("TSan", "sum", suite("sanitizers", "thread.py")
         + fovea + ["--build", os.path.join(build, "tsan")]),
        ("libFuzzer", "sum", suite("libfuzzer", "run.py") + ["--build", asan]),
    ]


def count(pattern, text):
    return sum(int(n) for n in re.findall(pattern, text, re.MULTILINE))


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True)
    parser.add_argument("--also-failed", type=int, default=0,
                        help="failures counted before, such as the format check")
    parser.add_argument("--only", default="", help="suites whose name holds this")
    options = parser.parse_args()
    source = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    build = os.path.abspath(options.build)
    binary = lambda name: os.path.join(build, "bin", name)
    python = os.path.join(build, "venv", "bin", "python3")
    in_test = lambda *path: os.path.join(source, "test", *path)

    suites = [
        ("unit: runtime", "gtest", [binary("fovea_runtime_tests")]),
        ("unit: attn", "gtest", [binary("fovea_attn_tests")]),
        ("unit: support", "gtest", [binary("fovea_support_tests")]),
        ("unit: reference", "gtest", [binary("fovea_reference_tests")]),
        ("unit: ptx", "gtest", [binary("fovea_ptx_simulator_tests")]),
        ("lit", "lit", ["lit-22", "-sv", os.path.join(build, "test")]),
    ]
    fovea = ["--fovea", binary("fovea")]
    suites += [("stages", "plain",
                [sys.executable, in_test("numeric", "stages.py")] + fovea),
               ("objects", "plain",
                [sys.executable, in_test("numeric", "objects.py")] + fovea)]
    if os.path.exists(os.path.join(build, "venv", "ready")):
        suites += [
            ("numeric", "plain", [python, in_test("numeric", "run.py")] + fovea),
            ("C interface", "plain",
             [python, in_test("numeric", "c_interface.py")] + fovea),
            ("edits", "plain",
             [python, in_test("numeric", "edits.py")] + fovea),
            ("mutants", "plain",
             [python, in_test("numeric", "mutants.py")] + fovea),
            ("ONNX", "plain",
             [python, in_test("oracle", "onnx_attention.py"), "--scope-list"]
             + fovea),
        ]
    else:
        print("UNSUPPORTED: numeric, C interface and ONNX suites need numpy and "
              "onnx from PyPI")
    suites.append(("fuzz", "plain", [sys.executable, in_test("fuzz", "suite.py"),
                                     "--fuzzer", binary("fovea-fuzz")]))
    suites.append(("callgrind", "plain",
                   [sys.executable, in_test("numeric", "callgrind.py")] + fovea))
    suites += sanitizer_suites(source, build, fovea)

    passed, failed = 1 - min(1, options.also_failed), options.also_failed
    for name, kind, command in suites:
        if options.only not in name:
            continue
        start = time.time()
        done = subprocess.run(command, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, cwd=source)
        good, bad = (count(pattern, done.stdout) for pattern in PATTERNS[kind])
        for line in done.stdout.splitlines():
            if line.startswith("UNSUPPORTED") and kind != "lit":
                print(line)
        if done.returncode == UNSUPPORTED:
            continue
        if done.returncode and not bad:
            bad = 1  # died without a count
        if not good and not bad:
            bad = 1  # ran nothing
        if bad:
            print(done.stdout)
        print("%-14s %5d passed, %d failed  (%.0f s)"
              % (name, good, bad, time.time() - start), flush=True)
        passed += good
        failed += bad
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
