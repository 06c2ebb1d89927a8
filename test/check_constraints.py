"""Checks that constraint ids agree between specification, code and tests.

Usage: check_constraints.py [REPOSITORY]

Every constraint of an attn operation has an id such as `sdpa_c3`. It stands in
the operation's description (include/fovea/Dialect/Attn/IR/*.td), in a comment
of the verifier that checks it (lib/Dialect/Attn/IR/*.cpp) and in the name of a
function of the test that breaks it (test/Dialect/Attn/IR/*-errors.mlir). Prints
each id that is missing in one of the three, or known to the code or tests only,
and exits 1.
"""
import pathlib
import re
import sys

ID = r"[a-z]+(?:_[a-z]+)*_c[0-9]+"


def read(folder, pattern):
    """The texts of the files of `folder`."""
    files = sorted(folder.glob(pattern))
    if not files:
        sys.exit(f"error: no file {pattern} in {folder}")
    return [path.read_text() for path in files]


def find_in_descriptions(texts):
    """A range, `sdpa_c9` to `sdpa_c13`, only refers to another operation's."""
    return {name for text in texts
            for name in re.findall(rf"`({ID})`(?!\s+to\s)", text)}


def find_in_comments(texts):
    """`// sdpa_c10 to sdpa_c13` names all the ids between as well."""
    found = set()
    for text in texts:
        for first, last in re.findall(rf"// ({ID})\b(?: to ({ID}))?", text):
            stem, begin = first.rsplit("_c", 1)
            end = last.rsplit("_c", 1)[1] if last else begin
            found.update(f"{stem}_c{n}"
                         for n in range(int(begin), int(end) + 1))
    return found


def find_in_tests(texts):
    """A section counts if it expects an error."""
    return {name for text in texts for section in text.split("// -----")
            if "expected-error" in section
            for name in re.findall(rf"@({ID})(?![0-9])", section)}


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")
    spec = find_in_descriptions(
        read(root / "include/fovea/Dialect/Attn/IR", "*.td"))
    code = find_in_comments(read(root / "lib/Dialect/Attn/IR", "Verify*.cpp"))
    tests = find_in_tests(read(root / "test/Dialect/Attn/IR", "*-errors.mlir"))
    problems = []
    for where, ids in (("a description of include/fovea/Dialect/Attn/IR", spec),
                       ("a comment of lib/Dialect/Attn/IR/Verify*.cpp", code),
                       ("a test of test/Dialect/Attn/IR/*-errors.mlir", tests)):
        for name in sorted((spec | code | tests) - ids):
            problems.append(f"{name} is not in {where}")
    for problem in problems:
        print(f"error: {problem}", file=sys.stderr)
    if problems:
        sys.exit(1)
    print(f"{len(spec)} constraint ids agree")


if __name__ == "__main__":
    main()
