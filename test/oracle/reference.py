#!/usr/bin/env python3
"""The oracle of the numeric tests: what a config means, in NumPy float64.

  reference.py run CONFIG [--emulate] --input=NAME=FILE.npy ... --output=NAME=FILE.npy ...

The command line is that of `fovea run`, so either can stand in for the other; --target, --threads
and --simulate, which only say how to compute, are accepted and do nothing. With --emulate, half and
single precision configs are computed as a kernel may compute them: this is the yardstick by which
a kernel's error is judged. Written for clarity: memory is O(Sq * Sk). It checks only what it needs
to mean something. Needs numpy, PyYAML and, for bf16, ml_dtypes.
"""
import sys

import numpy as np
import yaml

from semantics import attention
from semantics.config import input_dtype, numpy_dtype, statistics_dtype

IGNORED = ("--target=", "--threads=", "--simulate")


def load(path):
    """An array; bf16 travels in .npy as two-byte void."""
    value = np.load(path)
    return value.view(numpy_dtype("bf16")) if value.dtype.kind == "V" else value


def parse(words):
    """(inputs, {output name: path}, emulate)."""
    inputs, outputs, emulate = {}, {}, False
    for word in words:
        key, _, rest = word.partition("=")
        if key in ("--input", "--output"):
            name, _, path = rest.partition("=")
            if key == "--input":
                inputs[name] = load(path)
            else:
                outputs[name] = path
        elif word == "--emulate":
            emulate = True
        elif not word.startswith(IGNORED):
            raise SystemExit("unknown argument '%s'" % word)
    return inputs, outputs, emulate


def main(arguments):
    if len(arguments) < 2 or arguments[0] != "run":
        raise SystemExit(__doc__)
    with open(arguments[1]) as file:
        config = yaml.safe_load(file)
    inputs, outputs, emulate = parse(arguments[2:])
    got = attention(config, inputs, emulate)
    for name, path in outputs.items():
        kept = statistics_dtype(config) if name == "lse" else input_dtype(config)
        with np.errstate(over="ignore"):
            np.save(path, got[name].astype(kept))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
