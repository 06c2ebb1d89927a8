"""Prints the PTX in a gpu.binary that mlir-opt printed on standard input."""
import re
import sys

text = re.search(r'assembly = "((?:[^"\\]|\\.)*)"', sys.stdin.read()).group(1)
text = re.sub(r"\\([0-9A-Fa-f]{2})", lambda m: chr(int(m.group(1), 16)), text)
print(text.replace("\\\\", "\\").replace('\\"', '"').rstrip("\0"))
