#!/usr/bin/env python3
"""Runs the libFuzzer targets, built with FOVEA_FUZZERS and with Address- and UBSanitizer.

  run.py --build build/asan [--seconds N] [--seed N] [--only NAME] [--corpus FOLDER]

Builds them there. Each target starts from its seeds (shipped and tested configs; small .npy files and headers) and a
dictionary, in a folder made anew, or in FOLDER/NAME, which is kept and grows. Prints what libFuzzer
executed and covered, the input of a finding, and `N passed, N failed` last; exits 1 on a finding.
FuzzFault has a fault on purpose, which must be found.
"""
import argparse
import glob
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "sanitizers"))
from sanitized import WITH_FUZZERS, BuildFailed, build

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.dirname(os.path.dirname(HERE))
# An input beyond these is a finding. The timeout is by the clock, which runs on while a busy machine
# gives the time to others.
LIMITS = ["-rss_limit_mb=2048", "-timeout=60", "-max_len=8192"]


def npy(major, header, data):
    length = struct.pack("<H" if major == 1 else "<I", len(header))
    return b"\x93NUMPY" + bytes([major, 0]) + length + header + data


def npy_seeds():
    """A file and a header for every type, version and kind of shape."""
    for place, size in (("<f8", 8), ("<f4", 4), ("<f2", 2), ("<V2", 2), ("<i8", 8), ("<i4", 4),
                        ("|i1", 1), ("|u1", 1), ("|b1", 1), (">f4", 4), ("|O", 8)):
        for major, shape, count in ((1, "(2, 3)", 6), (2, "(5,)", 5), (3, "()", 1), (1, "(0, 4)", 0)):
            header = ("{'descr': '%s', 'fortran_order': False, 'shape': %s, }\n"
                      % (place, shape)).encode()
            yield header
            yield npy(major, header, bytes(range(1, size * count + 1)))
    yield b"{'descr': [('a', '<f4'), ('b', '<i8', (2,))], 'fortran_order': True, 'shape': (3L,)}"
    yield npy(1, b"{'shape': (2, 2), 'fortran_order': True, 'descr': \"<f4\"}", bytes(16))
    for path in glob.glob(os.path.join(SOURCE, "examples", "numpy", "*.npy")):
        with open(path, "rb") as file:
            yield file.read()


def config_seeds():
    for folder in ("configs", os.path.join("test", "Config")):
        for path in sorted(glob.glob(os.path.join(SOURCE, folder, "*.yaml"))):
            with open(path, "rb") as file:
                yield file.read()
    yield b'{"batch": 1, "heads": {"query": 2}, "head_dim": {"qk": 4}, "length": {"query": 3, "kv": 3}}'


def no_seeds():
    return []


FAULT = "FuzzFault"
TARGETS = {"FuzzConfig": (config_seeds, "config.dict"), "FuzzNpy": (npy_seeds, "npy.dict"),
           FAULT: (no_seeds, "config.dict")}


def seed_corpus(seeds, folder):
    os.makedirs(folder, exist_ok=True)
    for number, content in enumerate(seeds()):
        with open(os.path.join(folder, "seed-%03d" % number), "wb") as file:
            file.write(content)


def fuzz(binary, name, corpus, options):
    """The problem that was found, or None."""
    seeds, dictionary = TARGETS[name]
    seed_corpus(seeds, corpus)
    command = [binary, corpus, "-dict=" + os.path.join(HERE, dictionary),
               "-seed=%d" % options.seed, "-max_total_time=%d" % options.seconds,
               "-artifact_prefix=" + os.path.join(os.path.dirname(corpus), name + "-"),
               "-print_final_stats=1"] + LIMITS
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                          errors="replace")
    if name == FAULT:
        return None if "heap-buffer-overflow" in done.stdout else (
            "expects the fault made on purpose to be found:\n" + done.stdout[-2000:])
    if done.returncode:
        return done.stdout[-6000:]
    executed = re.search(r"stat::number_of_executed_units:\s*(\d+)", done.stdout)
    covered = re.findall(r"cov: (\d+) ft: (\d+)", done.stdout)
    if not executed or not covered:
        return "expects libFuzzer's figures, found none:\n" + done.stdout[-2000:]
    print("%s: %s executions, %s edges, %s features" % (name, executed.group(1), *covered[-1]))
    if len(covered) < 2 or int(covered[-1][0]) < 100:
        return "expects coverage of the reader, found %s edges" % covered[-1][0]
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default="build/asan")
    parser.add_argument("--seconds", type=int, default=20, help="for each target")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="", help="the targets whose name holds this")
    parser.add_argument("--corpus", help="folder that keeps the corpora and findings")
    options = parser.parse_args()
    build(SOURCE, os.path.abspath(options.build), "address,undefined", list(TARGETS),
          WITH_FUZZERS)
    passed = failed = 0
    with tempfile.TemporaryDirectory() as temporary:
        for name in TARGETS:
            if options.only not in name:
                continue
            binary = os.path.join(options.build, "bin", name)
            corpus = os.path.join(options.corpus or temporary, name)
            problem = fuzz(binary, name, corpus, options)
            if problem:
                print("FAIL %s\n%s" % (name, problem))
                failed += 1
            else:
                passed += 1
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not passed else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BuildFailed as failure:
        sys.exit(str(failure))
