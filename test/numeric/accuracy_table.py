#!/usr/bin/env python3
"""Writes the table of docs/accuracy.md from runs of `fovea run`.

  accuracy_table.py --fovea build/bin/fovea [--target TARGET] [--print]

Each number is the error of `out` against float64 over the error that `reference.py run --emulate`
makes on the same inputs, RMS and largest. S14 allows 1.5 and 3. --print shows the table and writes
nothing. Exits 1 if a ratio is beyond its limit.
"""
import argparse
import os
import re
import sys
import tempfile

import numpy as np

from case import Shape, broadcast_words, generator, random_case
from cases_layer import layer_case
from run import execute
from semantics.config import numpy_dtype
from tolerance import Judge, rms

DOCUMENT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs",
                        "accuracy.md")
DTYPES = ("f32", "f16", "bf16")
LIMITS = (1.5, 3.0)
SHAPE = Shape(b=2, hq=8, hkv=2, sq=200, sk=333, d=64)
CAUSAL = {"mask": ["causal"], "query_offset": "end"}


def features(dtype):
    """{feature: case}; each has its own inputs, the same for every type but for rounding."""
    bias = {"bias": {"shape": broadcast_words((1, 2, 3))}}
    of = {"none": {}, "causal": CAUSAL,
          "window": {"mask": [{"window": {"left": 64, "right": 0}}], "query_offset": "end"},
          "kv_lengths": {"mask": ["kv_lengths"]},
          "tensor mask": {"mask": [{"tensor": {"shape": broadcast_words((0, 2, 3))}}]},
          "softcap": {"score": [{"softcap": 2.0}]}, "bias": {"score": [bias]},
          "alibi, causal": dict(CAUSAL, score=["alibi"])}
    random = generator("accuracy")
    given = {"kv_lengths": {"kv_lengths": np.array([333, 129])},
             "tensor mask": {"mask": random.random((2, 1, 200, 333)) < 0.5},
             "bias": {"bias": random.normal(size=(1, 8, 200, 333)).astype(numpy_dtype(dtype))}}
    cases = {name: random_case("accuracy " + name, SHAPE, dtype, inputs=given.get(name),
                               **dict(rest, outputs=["out"])) for name, rest in of.items()}
    for name, shape in (("head dim 33", Shape(b=2, hq=8, hkv=2, sq=200, sk=333, d=33)),
                        ("head dim 128", Shape(b=2, hq=8, hkv=2, sq=200, sk=333, d=128)),
                        ("one query, 4097 keys", Shape(b=4, hq=8, hkv=2, sq=1, sk=4097, d=64))):
        cases[name] = random_case("accuracy " + name, shape, dtype, outputs=["out"])
    cases["layer"] = layer_case("accuracy", dtype, sq=100, heads=(8, 2), dims=(32, 32), model=96,
                                out_dim=64, biases="qkvo")
    return cases


def ratios(case, folder, options):
    """(RMS, largest) of the kernel's error over the emulation's."""
    got = execute(case, folder, options)["out"].astype(np.float64)
    judge = Judge(case.config, case.inputs)
    ours, theirs = got - judge.exact["out"], judge.emulated["out"] - judge.exact["out"]
    return rms(ours) / rms(theirs), np.abs(ours).max() / np.abs(theirs).max()


def make_table(options):
    """(lines of the table, whether all ratios are within their limits)."""
    lines = ["| feature | " + " | ".join("%s RMS | largest" % dtype for dtype in DTYPES) + " |",
             "|---|" + "---|" * (2 * len(DTYPES))]
    rows, good = {}, True
    with tempfile.TemporaryDirectory(prefix="fovea-accuracy-") as folder:
        for dtype in DTYPES:
            for number, (name, case) in enumerate(features(dtype).items()):
                place = os.path.join(folder, "%s-%d" % (dtype, number))
                found = ratios(case, place, options)
                rows.setdefault(name, []).extend("%.2f" % ratio for ratio in found)
                good = good and all(ratio <= limit for ratio, limit in zip(found, LIMITS))
    return lines + ["| %s | %s |" % (name, " | ".join(row)) for name, row in rows.items()], good


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fovea", default="build/bin/fovea")
    parser.add_argument("--target", default="")
    parser.add_argument("--print", action="store_true", help="write no file")
    options = parser.parse_args()
    options.extra_flag = []
    lines, good = make_table(options)
    print("\n".join(lines))
    if not options.print:
        with open(DOCUMENT) as file:
            text = file.read()
        table = re.compile(r"^\| feature .*?(?=\n\n|\Z)", re.MULTILINE | re.DOTALL)
        with open(DOCUMENT, "w") as file:
            file.write(table.sub(lambda _: "\n".join(lines), text).rstrip("\n") + "\n")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
