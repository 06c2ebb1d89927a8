#!/usr/bin/env python3
"""Holds the documentation to what the tools do: check_docs.py FOVEA.

  - every yaml block of the documents that is a whole config compiles;
  - what docs/config.md calls "not built yet" is refused by name, and the words
    beside it are not;
  - links to files lead somewhere.
"""
import glob
import os
import re
import subprocess
import sys
import tempfile

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BASE = """batch: 1
heads: {query: 2}
head_dim: {qk: 4}
length: {query: 4, kv: 4}
"""
REFUSAL = "is known but not built yet in this version"
# A config line for an entry that takes options.
OPTIONS = {"softcap": "softcap: 5.0", "bias": "bias: {shape: [1, 1, 1, kv]}",
           "window": "window: {left: 1}", "tensor": "tensor: {shape: [1, 1, 1, kv]}",
           "blocks": "blocks: {query: 2, kv: 2}", "expr": 'expr: "j < 3"'}
# Words of the key table that need more than the base config.
VALUES = {"tensors": "{}", "sinks": "true", "rope": "{style: half}", "cache": "{append: 1}",
          "keys_rotated": "true", "scores_after": "qk"}

problems = []


def compile(fovea, text, name="config.yaml"):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, name)
        with open(path, "w") as file:
            file.write(text)
        done = subprocess.run([fovea, "compile", path, "--stop-after=attention", "--emit=mlir"],
                              capture_output=True, text=True)
        return done.returncode, done.stderr


def expect(fovea, what, text, built):
    status, message = compile(fovea, text)
    if built and status:
        problems.append("%s: does not compile: %s" % (what, message.splitlines()[0]))
    if not built and REFUSAL not in message:
        problems.append("%s: is not refused as not built: %s" % (what, message or "compiles"))


def words(cell):
    return re.findall(r"`([\w]+)", cell)


def check_key_table(fovea, text):
    keys = dict(re.findall(r"^\| `(dtype|layout|outputs)` \| (.*?) \|", text, re.MULTILINE))
    for key, cell in keys.items():
        built, _, later = cell.partition("Not built yet:")
        later = later.split(".")[0]
        for cellwords, good in ((built, True), (later, False)):
            for word in words(cellwords):
                value = "[%s]" % word if key == "outputs" else word
                expect(fovea, "%s %s" % (key, word), BASE + "%s: %s\n" % (key, value), good)
    row, = re.findall(r"^\| (`sinks`.*?) \| not built yet", text, re.MULTILINE)
    for word in words(row):
        expect(fovea, word, BASE + "%s: %s\n" % (word, VALUES[word]), False)


def check_entries(fovea, text, key, heading):
    table = text[text.index(heading):].split("\n## ")[0]
    for row in re.findall(r"^\| (`.*)$", table, re.MULTILINE):
        cells = [cell.strip() for cell in re.split(r" \|", row)]
        for word in words(cells[0]):
            if word not in ("name", "shape"):
                entry = "{%s}" % OPTIONS[word] if word in OPTIONS else word
                if key == "score" and word == "expr":
                    entry = '{expr: "s"}'
                expect(fovea, "%s %s" % (key, word), BASE + "%s: [%s]\n" % (key, entry),
                       "not built" not in cells[1])


def main():
    fovea = sys.argv[1]
    paths = [os.path.join(SOURCE, "README.md")] + glob.glob(os.path.join(SOURCE, "docs", "*.md"))
    paths += glob.glob(os.path.join(SOURCE, "examples", "**", "README.md"), recursive=True)
    for path in sorted(paths):
        with open(path) as file:
            text = file.read()
        name = os.path.relpath(path, SOURCE)
        for number, block in enumerate(re.findall(r"^```yaml\n(.*?)^```", text, re.M | re.S)):
            if "heads:" in block:
                expect(fovea, "%s: yaml block %d" % (name, number), block, True)
        for link in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text):
            if not os.path.exists(os.path.join(os.path.dirname(path), link)):
                problems.append("%s: links to %s, which is not there" % (name, link))
    with open(os.path.join(SOURCE, "docs", "config.md")) as file:
        text = file.read()
    check_key_table(fovea, text)
    check_entries(fovea, text, "score", "## Score entries")
    check_entries(fovea, text, "mask", "## Mask entries")
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
