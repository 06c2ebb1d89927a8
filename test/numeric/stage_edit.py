"""Editing a stage file the way a user does, and running what comes out.

A change is a function from the text of a stage file to another text. A change that finds nothing to
change is an error: else a test of it would pass by testing the kernel as it was.
"""
import os
import re
import subprocess
import tempfile

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the oracle must not take the tool's cores

import numpy as np
import yaml

from tolerance import Judge

TIME_LIMIT = 60  # seconds for one call, compiling included


class ToolFailed(Exception):
    """A call ended with an error; the text is what it said first."""


class NothingToChange(Exception):
    pass


def replace(pattern, text, count=None):
    """A change: every match of a regular expression by `text` (only the first `count`)."""
    def change(module):
        changed, found = re.subn(pattern, text, module, count=count or 0, flags=re.MULTILINE)
        if not found:
            raise NothingToChange("nothing to change: no match of " + pattern)
        if count and found < count:
            raise NothingToChange("expected %d matches of %s, found %d" % (count, pattern, found))
        return changed
    return change


def chain(*changes):
    def change(module):
        for step in changes:
            module = step(module)
        return module
    return change


def define(name, value, kind):
    """A change: a constant at the head of the kernel, for other changes to use. `kind` is `index`,
    or a pattern of a vector type that the module has (`vector<.*xf32>` takes the first such)."""
    def change(module):
        found = re.search(kind, module)
        if not found:
            raise NothingToChange("no type like " + kind)
        shown = value if kind == "index" else "dense<%s>" % value
        line = "    %%%s = arith.constant %s : %s\n" % (name, shown, found.group(0))
        return replace(r"^(  func\.func @.*\{\n)", r"\g<1>" + line, 1)(module)
    return change


class Tools:
    """fovea and fovea-opt, and a folder to put files in."""

    def __init__(self, fovea, target=""):
        self.fovea = os.path.abspath(fovea)
        self.opt = os.path.join(os.path.dirname(self.fovea), "fovea-opt")
        self.target = ["--target=" + target] if target else []
        self.folder = tempfile.TemporaryDirectory(prefix="fovea-edits-")

    def call(self, command):
        try:
            done = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT)
        except subprocess.TimeoutExpired:
            raise ToolFailed("no end after %d s" % TIME_LIMIT)
        if done.returncode:
            said = [line for line in done.stderr.splitlines() if "error:" in line]
            raise ToolFailed("exit %d: %s" % (done.returncode, said[0] if said else "no message"))
        return done.stdout

    def refusal(self, text, stage):
        """What the verifier of a stage says of a module, or None."""
        try:
            self.passes(text, "--verify-" + stage)
        except ToolFailed as failure:
            return str(failure)
        return None

    def write(self, place, text):
        os.makedirs(place, exist_ok=True)
        path = os.path.join(place, "kernel.mlir")
        with open(path, "w") as file:
            file.write(text)
        return path

    def place(self):
        return tempfile.mkdtemp(dir=self.folder.name)

    def stage(self, config, stage, flags=()):
        """The text of a config's stage file, of one tiling: without those for short lengths."""
        path = os.path.join(self.place(), "kernel.yaml")
        with open(path, "w") as file:
            yaml.safe_dump(config, file, sort_keys=False, default_flow_style=None)
        flags = list(flags) or self.target
        compile = lambda path, stage: self.call(
            [self.fovea, "compile", path, "--stop-after=" + stage, "-o", "-"] + flags)
        text = re.sub(r" short\(\[[^]]*\]\)", "", compile(path, "attention"))
        if stage == "attention":
            return text
        return compile(self.write(self.place(), text), stage)

    def passes(self, text, *flags):
        """A module after passes of fovea-opt."""
        return self.call([self.opt, self.write(self.place(), text)] + list(flags))

    def run(self, text, inputs, outputs):
        """{output: array} of a stage file."""
        place = self.place()
        command = [self.fovea, "run", self.write(place, text)]
        for name, value in inputs.items():
            path = os.path.join(place, name + ".npy")
            np.save(path, value)
            command.append("--input=%s=%s" % (name, path))
        paths = {name: os.path.join(place, "got_%s.npy" % name) for name in outputs}
        command += ["--output=%s=%s" % item for item in paths.items()]
        self.call(command)
        return {name: np.load(path) for name, path in paths.items()}


def judge(config, inputs, got):
    """What is wrong with the outputs of a config, or None."""
    judged = Judge(config, inputs)
    for name in config["outputs"]:
        problem = judged.problem(name, got[name])
        if problem:
            return problem
    return None
