"""Compares two .npy files of float64: compare.py GOT EXPECTED TOLERANCE.

Reads the format by hand, so that a demonstration needs no NumPy."""
import ast
import struct
import sys


def load(path):
    with open(path, "rb") as f:
        data = f.read()
    major = data[6]
    size, = struct.unpack_from("<H" if major == 1 else "<I", data, 8)
    start = (10 if major == 1 else 12) + size
    header = ast.literal_eval(data[start - size:start].decode("latin1"))
    if header["descr"] != "<f8":
        sys.exit("%s: expects float64, but got %s" % (path, header["descr"]))
    return header["shape"], struct.unpack("<%dd" % ((len(data) - start) // 8),
                                          data[start:])


def main():
    got_path, want_path, tolerance = sys.argv[1:]
    (shape, got), (_, want) = load(got_path), load(want_path)
    if len(got) != len(want):
        sys.exit("%s: %d elements, expected %d" % (got_path, len(got), len(want)))
    largest = max(abs(a - b) for a, b in zip(got, want))
    right = largest <= float(tolerance)
    print("%s %s: largest difference %.1e, %s %s" % (
        got_path, list(shape), largest, "within" if right else "NOT within",
        tolerance))
    sys.exit(0 if right else 1)


if __name__ == "__main__":
    main()
