#!/usr/bin/env python3
"""Breaks kernels on purpose and requires that the numeric checks turn red: a test of the tests.

  mutants.py --fovea build/bin/fovea [--only SUBSTRING] [--jobs N]

Each mutant is a kernel's stage file with one fault written into it. It is caught if a check against
NumPy fails that the unbroken kernel, which goes the same way, passes; or, where the table says so,
if the stage's verifier refuses it with the text that it should. Prints one line a mutant, how it
was caught, and `N passed, N failed` last: a caught mutant is a pass. Exits 1 when one lives.
"""
import argparse
import concurrent.futures
import dataclasses
import re
import sys
import time

from kernels import CONFIGS, checks
from stage_edit import NothingToChange, ToolFailed, Tools, chain, define, judge, replace

LOOP = r"scf\.for (%\w+) = (%\w+) to (%\w+) step (%\w+)"
ROW = r"vector<\d+xf32>"
ZEROS, ONES = define("zeros", "0.0", ROW), define("ones", "1.0", ROW)
MINIMA = define("minima", "0xFF800000", ROW)
ACC_ZEROS = define("zeros", "0.0", r"vector<\d+x24xf32>")
KEEP_ALL = define("all", "true", r"vector<\d+x\d+xi1>")


@dataclasses.dataclass
class Mutant:
    name: str
    kernel: str
    stage: str
    change: object
    # What the stage's verifier says when it refuses the mutant; None: its numbers must be wrong.
    refused: str = None


def key_loops(lines):
    """Where the loops over key tiles begin."""
    found = [n for n, line in enumerate(lines) if "scf.for" in line and "iter_args" in line]
    if not found:
        raise NothingToChange("no loop over key tiles")
    return found


def bound(loop, which, change):
    """Moves the lower or upper bound of a loop over key tiles (0: the first)."""
    def edit(module):
        lines = module.split("\n")
        at = key_loops(lines)[loop]
        lower, upper = re.search(LOOP, lines[at]).group(2, 3)
        old, new, value = {"lower": ("= %s to" % lower, "= %moved to", lower),
                           "upper": ("to %s step" % upper, "to %moved step", upper)}[which]
        if which == "upper":  # the tile's count of keys follows from it
            count = next(n for n in range(at, len(lines)) if "subi %s, %%arg" % value in lines[n])
            lines[count] = lines[count].replace("subi %s," % value, "subi %moved,")
        lines[at:at + 1] = ["      %%by = arith.constant %d : index" % change,
                            "      %%moved = arith.addi %s, %%by : index" % value,
                            lines[at].replace(old, new)]
        return "\n".join(lines)
    return edit


def yield_old(position):
    """The first loop over key tiles yields the state it was given, of max, sum, accumulator."""
    def edit(module):
        lines = module.split("\n")
        at = key_loops(lines)[0]
        state = re.findall(r"(%arg\d+) = ", lines[at].split("iter_args")[1])
        end = next(n for n in range(at, len(lines)) if "scf.yield" in lines[n])
        values, types = lines[end].split("scf.yield ")[1].split(" : ")
        values = values.split(", ")
        values[position] = state[position]
        indent = lines[end].split("scf.yield")[0]
        lines[end] = "%sscf.yield %s : %s" % (indent, ", ".join(values), types)
        return "\n".join(lines)
    return edit


def second_loop_state(position, value):
    """The second loop starts with `value`, not with what the first one carried there."""
    return replace(r"(iter_args\(.* = )%\d+#" + str(position) + r"\b", r"\g<1>" + value, 1)


def row_type(module):
    """The type of a value a row, such as vector<48xf32>."""
    return re.search(ROW, module).group(0)


def no_rescale(where):
    """The accumulator keeps its scale although the maximum has grown."""
    def edit(module):
        kind = row_type(module)
        return chain(ONES, replace(
            r"^(\s+)(%\w+ = attn\.accumulate .*" + where + r".*)rescale\((%\w+)\)",
            r"\1%kept = arith.maximumf \3, %ones : " + kind + r"\n\1\2rescale(%kept)"))(module)
    return edit


# Name, kernel of kernels.py, change.
FUSED = [
    # The streamed softmax.
    ("rescale dropped", "full", no_rescale("")),
    ("rescale dropped on masked tiles", "causal", no_rescale(r"keep\(")),
    ("max forgotten between loops", "causal", chain(MINIMA, second_loop_state(0, "%minima"))),
    ("sum forgotten between loops", "causal", chain(ZEROS, second_loop_state(1, "%zeros"))),
    ("accumulator forgotten between loops", "causal",
     chain(ACC_ZEROS, second_loop_state(2, "%zeros"))),
    ("lse without the max", "full",
     lambda module: replace(r"^(\s+)(attn\.store_output .*)max\((%[\w#]+)\)",
                            r"\1%none = arith.subf \3, \3 : " + row_type(module)
                            + r"\n\1\2max(%none)", 1)(module)),
    ("max in place of the sum", "full",
     replace(r"(attn\.store_output .*max\()(%[\w#]+)\) sum\(%[\w#]+\)", r"\1\2) sum(\2)", 1)),
    # Masks and bounds.
    ("causal mask one key short", "causal", replace("cmpi sle, %j, %p", "cmpi slt, %j, %p")),
    ("causal mask one key long", "causal",
     replace(r"^(\s+)(%\w+) = arith\.cmpi sle, %j, %p : index",
             r"\1%by = arith.constant 1 : index\n\1%next = arith.addi %p, %by : index\n"
             r"\1\2 = arith.cmpi sle, %j, %next : index")),
    ("causal mask dropped", "causal", replace("cmpi sle, %j, %p", "cmpi sle, %p, %p")),
    ("window one key short", "window", replace("cmpi sge, %j", "cmpi sgt, %j")),
    ("unmasked loop one key long", "causal",
     chain(bound(0, "upper", 1),
           replace(r"= %\w+ to (.*iter_args\(%\w+ = %\d+#0)", r"= %moved to \1", 1))),
    ("one key counted twice", "causal", bound(0, "upper", 1)),
    ("one key left out between loops", "causal", bound(1, "lower", 1)),
    ("last key left out", "causal", bound(1, "upper", -1)),
    ("first key left out", "full", bound(0, "lower", 1)),
    ("window starts a key late", "window", bound(0, "lower", 1)),
    ("every second key tile left out", "full",
     chain(define("wide", "256", "index"),
           replace(r"(scf\.for .*) step %c128", r"\1 step %wide", 1))),
    ("last column of each tile left out", "full",
     chain(define("narrow", "127", "index"), replace(r"(minsi %\d+), %c128", r"\1, %narrow"))),
    # These two read keys past the sequence's length, which the tensor has.
    ("key lengths ignored", "padded", replace(r"minsi (%dim_\d+), %\d+", r"minsi \1, \1", 1)),
    ("count ignored", "padded", replace(r"minsi %\d+, %c128", "minsi %c128, %c128")),
    ("mask tensor turned round", "bias", replace(r"cmpi ne,(.* : i8)", r"cmpi eq,\1")),
    ("mask tensor of another query", "bias",
     replace(r"%mask\[(.*), %i, %j\]", r"%mask[\1, %c0, %j]")),
    ("keep of all keys", "causal",
     chain(KEEP_ALL, replace(r"^(\s+)(.*keep\()%keep : (vector<\S+>)",
                             r"\1%kept = arith.ori %keep, %all : \3\n\1\2%kept : \3"))),
    # Addresses.
    ("first queries for every row tile", "full",
     replace(r"(attn\.load_queries %\w+)\[%\w+\]", r"\1[%c0]")),
    ("first keys for every key tile", "full",
     replace(r"(attn\.scores %\w+, %\w+)\[%\w+\]", r"\1[%c0]")),
    ("first values for every key tile", "full",
     replace(r"(attn\.accumulate %\w+, %\w+)\[%\w+\]", r"\1[%c0]")),
    ("heads share keys by remainder", "full", replace("arith.divui", "arith.remui", 1)),
    ("lse of the first rows for all weights", "weights",
     replace(r"(attn\.load_lse %\w+)\[%\w+\]", r"\1[%c0]")),
    # Scores.
    ("scale doubled", "full", replace("2.500000e-01 : f32", "5.000000e-01 : f32", 1)),
    ("scale off by a thousandth", "full", replace("2.500000e-01 : f32", "2.502500e-01 : f32", 1)),
    ("query offset turned round", "causal",
     replace(r"subi (%dim_\d+), (%dim) :", r"subi \2, \1 :", 1)),
    ("softcap without its factor", "window",
     replace(r"(math\.tanh .*\n.* = )arith\.mulf (%\w+), %\w+", r"\1arith.addf \2, \2")),
    ("alibi turned round", "alibi", replace(r"arith\.subf %s,", "arith.addf %s,")),
    ("alibi slope of the first head", "alibi", replace(r"(%\d+)\[%h\]", r"\1[%c0]")),
    ("bias subtracted", "bias", replace(r"arith\.addf %s,", "arith.subf %s,")),
    # The other strategy of vectorization.
    ("rescale dropped for one query", "decode", no_rescale("")),
    ("first keys for every key tile of one query", "decode",
     replace(r"(attn\.scores %\w+, %\w+)\[%\w+\]", r"\1[%c0]")),
    ("group of the first head for one query", "decode",
     replace("arith.divui", "arith.remui", 1)),
    ("last column of each tile left out for one query", "decode",
     chain(define("narrow", "511", "index"), replace(r"(minsi %\d+), %c512", r"\1, %narrow"))),
]

# Name, change of the causal kernel, what verify-fused says.
REFUSED = [
    ("sum not carried", chain(ZEROS, replace(r"sum\(%arg\d+\)", "sum(%zeros)")),
     "expects its sum to be carried"),
    ("max not carried", chain(MINIMA, replace(r"max\(%arg\d+\)", "max(%minima)")),
     "expects its max to be carried"),
    ("max never updated", yield_old(0), "to yield its new max"),
    ("sum never updated", yield_old(1), "to yield its new sum"),
    ("accumulator never updated", yield_old(2), "to yield its new accumulator"),
    ("keep dropped", replace(r"keep\(%keep : vector<\d+x\d+xi1>\) ", ""),
     "expects the keep of its masked scores"),
]

VECTORIZED = [
    ("max never taken", "full", replace(r"cmpf olt, (%\w+, %\d+#\d+)", r"cmpf ogt, \1")),
    ("exponential off by 1e-4 of a term", "full",
     replace("dense<0.240226522>", "dense<0.240250544>")),
    ("rows without keys divided by zero", "causal",
     replace(r"( = arith\.divf .*\n.* arith\.select %\w+, )%\w+, (%\w+)", r"\1\2, \2")),
    ("values under the mask not looked at", "causal",
     replace(r"cmpf uno, (%\w+), %\w+", r"cmpf ogt, \1, \1")),
    ("max never taken for one query", "decode",
     replace(r"cmpf olt, (%arg\d+, %\d+)", r"cmpf ogt, \1")),
    ("one lane of the products twice", "decode",
     replace(r"(vector\.shuffle .*) \[0, 8, 1, 9,", r"\1 [0, 8, 0, 8,")),
    ("values under the mask not looked at for one query", "decode",
     replace(r"cmpf uno, (%\w+), %\w+", r"cmpf ogt, \1, \1")),
    ("sum of weights without the last", "full",
     replace(r"arith\.addf (%arg\d+), (%\d+)", r"arith.subf \1, \2")),
]


def mutants():
    return ([Mutant(name, kernel, "fused", change) for name, kernel, change in FUSED]
            + [Mutant(name, "causal", "fused", *rest) for name, *rest in REFUSED]
            + [Mutant(name, kernel, "vectorized", change) for name, kernel, change in VECTORIZED])


class Suite:
    def __init__(self, tools):
        self.tools = tools
        self.texts, self.inputs = {}, {}

    def unbroken(self, kernel, stage):
        """Reads a kernel's stage file; it must pass its own checks. What is wrong, or None."""
        text = self.tools.stage(CONFIGS[kernel], stage)
        self.texts[kernel, stage] = text
        self.inputs.setdefault(kernel, checks(kernel))
        refused = self.tools.refusal(text, stage)
        if refused:
            return "the verifier refuses it: " + refused
        red = self.first_red(kernel, text)
        return red and "it must pass: " + red

    def first_red(self, kernel, text):
        """The first check that fails, or None."""
        config = CONFIGS[kernel]
        for check, inputs in self.inputs[kernel].items():
            problem = judge(config, inputs, self.tools.run(text, inputs, config["outputs"]))
            if problem:
                return "%s: %s" % (check, problem)
        return None

    def caught(self, mutant):
        """(whether it is caught, how or why not)."""
        try:
            text = mutant.change(self.texts[mutant.kernel, mutant.stage])
            refusal = self.tools.refusal(text, mutant.stage)
            if mutant.refused:
                if refusal and mutant.refused in refusal:
                    return True, "verify-%s: %s" % (mutant.stage, mutant.refused)
                return False, "verify-%s should say '%s', but says %s" % (
                    mutant.stage, mutant.refused, refusal or "nothing")
            if refusal:
                return False, "refused, where numbers should be wrong: " + refusal
            red = self.first_red(mutant.kernel, text)
            return bool(red), red or "no check turned red"
        except NothingToChange as failure:
            return False, str(failure)
        except ToolFailed as failure:
            return False, "it does not run: %s" % failure


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fovea", default="build/bin/fovea")
    parser.add_argument("--only", default="", help="the mutants whose name holds this")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    suite = Suite(Tools(options.fovea))
    chosen = [mutant for mutant in mutants() if options.only in mutant.name]
    passed = failed = 0
    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(max_workers=options.jobs) as pool:
        kernels = sorted({(mutant.kernel, mutant.stage) for mutant in chosen})
        for (kernel, stage), problem in zip(kernels, pool.map(lambda of: suite.unbroken(*of),
                                                              kernels)):
            print("%s unbroken %s at %s%s" % ("FAIL" if problem else "ok  ", kernel, stage,
                                              ": " + problem if problem else ""), flush=True)
            failed += bool(problem)
            passed += not problem
        for mutant, (good, how) in zip(chosen, pool.map(suite.caught, chosen)):
            print("%s %s (%s at %s): %s" % ("ok  " if good else "FAIL", mutant.name, mutant.kernel,
                                            mutant.stage, how), flush=True)
            failed += not good
            passed += good
    print("%.0f s" % (time.monotonic() - start))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
