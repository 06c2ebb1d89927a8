#!/usr/bin/env python3
"""Edits stage files the way a user may, and checks the numbers against NumPy.

  edits.py --fovea build/bin/fovea [--only SUBSTRING] [--jobs N]

Two kinds. What must not change the numbers: other tile sizes, another target, and every transform
left out or put in (A/B). What changes their meaning: the scale, and elementwise operations put
between the tile operations; these must give what NumPy says of the new meaning, which must not be
what the unedited kernel gives. Prints a FAIL line for each failed edit and `N passed, N failed`
last; exits 1 when one failed.
"""
import argparse
import concurrent.futures
import dataclasses
import re
import sys
import time

import numpy as np

from kernels import CONFIGS, checks
from semantics import attention
from stage_edit import NothingToChange, ToolFailed, Tools, chain, define, judge, replace

CHECKS = ("tiles", "one query", "NaN under the mask")
STEP = r"^(\s*)%weights, %new_max, %new_sum, %rescale = attn\.softmax_step .*: (vector<\S+>),.*\n"


@dataclasses.dataclass
class Edit:
    name: str
    kernel: str
    # From the tools and the kernel's config, the edited module.
    build: object
    # The config whose numbers it must give, where they are not the kernel's own; or a function of
    # the inputs that gives {output: array}.
    means: object = None


def tiling(heads, queries, keys):
    return replace(r"heads = \d+, queries = \d+, keys = \d+",
                   "heads = %d, queries = %d, keys = %d" % (heads, queries, keys))


def at_stage(stage, change):
    return lambda tools, config: change(tools.stage(config, stage))


def set_stage(stage):
    return replace('attn.stage = "[a-z]+"', 'attn.stage = "%s"' % stage, 1)


def through(first, last, *passes):
    """The stage file `first` after these passes and no others, as stage `last`."""
    return lambda tools, config: set_stage(last)(
        tools.passes(tools.stage(config, first), *passes))


def without_cleanup(tools, config):
    """No canonicalize and no cse after attn-tile and attn-fuse-softmax."""
    return through("attention", "fused", "--attn-tile", "--verify-tiled", "--attn-fuse-softmax",
                   "--verify-fused")(tools, config)


def implied(tools, config):
    """The causal mask with a condition more, that it implies."""
    return replace(r"^(\s+)(%\w+) = arith\.cmpi sle, %j, %p : index\n\s+attn\.yield .*",
                   r"\1%far = arith.constant 3 : index\n\1%next = arith.addi %p, %far : index\n"
                   r"\1%near = arith.cmpi sle, %j, %p : index\n"
                   r"\1%weak = arith.cmpi sle, %j, %next : index\n"
                   r"\1%both = arith.andi %weak, %near : i1\n\1attn.yield %both : i1")(
                       tools.stage(config, "attention"))


def simplified(tools, config):
    text = tools.passes(implied(tools, config), "--attn-simplify-masks", "--canonicalize")
    if "andi" in text:
        raise NothingToChange("attn-simplify-masks kept the implied condition")
    return text


def row_tile(queries):
    """At stage tiled the row tile stands in two places, which go together."""
    return chain(replace(r"queries = \d+", "queries = %d" % queries),
                 replace(r"(scf\.forall .*step \(1, 1, )\d+", r"\g<1>%d" % queries))


def same_numbers():
    edits = []
    for kernel in CONFIGS:
        config = CONFIGS[kernel]
        for sizes in ((1, 40, 37), (1, 7, 1), (1, 96, 256), (2, 24, 64), (2, 13, 50)):
            edits.append(Edit("attention, tiles of %d heads, %d queries, %d keys" % sizes, kernel,
                              at_stage("attention", tiling(*sizes))))
        edits.append(Edit("no canonicalize, no cse", kernel, without_cleanup))
        edits.append(Edit("round-full", kernel, through(
            "tiled", "fused", "--attn-fuse-softmax=round-full=true", "--canonicalize", "--cse",
            "--verify-fused")))
        edits.append(Edit("x86-64-v3", kernel, lambda tools, config: tools.stage(
            config, "fused", ["--target=x86-64-v3"])))
    for keys in (64, 37):
        edits.append(Edit("tiled, %d keys" % keys, "causal",
                          at_stage("tiled", replace(r"keys = \d+", "keys = %d" % keys))))
    for queries in (24, 40):
        edits.append(Edit("tiled, %d queries" % queries, "causal",
                          at_stage("tiled", row_tile(queries))))
    edits.append(Edit("a mask that another implies", "causal", implied))
    edits.append(Edit("attn-simplify-masks", "causal", simplified))
    return edits


def after_scores(operations):
    """Operations on every tile of scores: `$` is the scores, `%changed` what is used after."""
    def change(module):
        kind = re.search(r"attn\.softmax_step .*: (vector<\S+>),", module).group(1)
        body = "".join("        %s : %s\n" % (line.replace("$", r"\2"), kind)
                       for line in operations)
        return replace(r"^( *%weights.* = attn\.softmax_step) (%scores\w*)",
                       body + r"\1 %changed")(module)
    return change


def after_weights(operation):
    def change(module):
        module = replace(STEP, r"\g<0>\1%changed = " + operation + r" : \2\n")(module)
        return replace(r"attn\.accumulate %weights", "attn.accumulate %changed")(module)
    return change


def splat(name, value):
    return lambda module: define(name, value, re.escape(re.search(
        r"attn\.softmax_step .*: (vector<\S+>),", module).group(1)))(module)


def softmax_of(config, change):
    """What NumPy says of a kernel whose scores are changed before the softmax."""
    def outputs(inputs):
        exact = attention(dict(config, scores_after="mask"), inputs)
        scores = change(exact["scores"])
        top = scores.max(axis=-1, keepdims=True)
        weights = np.exp(scores - np.where(np.isneginf(top), 0, top))
        total = weights.sum(axis=-1, keepdims=True)
        groups = scores.shape[1] // inputs["v"].shape[1]
        v = np.repeat(inputs["v"].astype(np.float64), groups, axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            out = np.where(total == 0, 0, (weights @ v) / total)
            lse = np.where(total == 0, -np.inf, top + np.log(total))[..., 0]
        return {"out": out, "lse": lse}
    return outputs


def twice_the_weights(config):
    def outputs(inputs):
        exact = attention(config, inputs)
        return {"out": 2 * exact["out"], "lse": exact["lse"]}
    return outputs


def shifted_queries(config):
    return lambda inputs: attention(config, dict(inputs, q=inputs["q"].astype(np.float64) + 1))


def weights_by_scores(config):
    """Scores are used after the softmax too: the output is the sum of weight * score * value."""
    def outputs(inputs):
        exact = attention(dict(config, scores_after="mask"), inputs)
        groups = exact["scores"].shape[1] // inputs["v"].shape[1]
        v = np.repeat(inputs["v"].astype(np.float64), groups, axis=1)
        return {"out": (exact["weights"] * exact["scores"]) @ v, "lse": exact["lse"]}
    return outputs


def shift_queries(module):
    kind = re.search(r"attn\.load_queries .* -> (vector<\S+>)", module).group(1)
    return chain(define("one", "1.0", re.escape(kind)),
                 replace(r"^(\s+)(%\w+)( = attn\.load_queries .*)",
                         r"\1\2\3\n\1%shifted = arith.addf \2, %one : " + kind),
                 replace(r"attn\.scores %\w+", "attn.scores %shifted"))(module)


def two_scales(module):
    """Each loop has a scale of its own, both twice the kernel's."""
    head = "".join("    %%scale%d = arith.constant 5.000000e-01 : f32\n" % n for n in (0, 1))
    module = replace(r"^(  func\.func @.*\{\n)", r"\g<1>" + head, 1)(module)
    for name in ("%scale0", "%scale1"):
        module = replace(r"scale\(%cst\w* ", "scale(" + name + " ", 1)(module)
    return module


def new_meanings():
    fused = lambda change: at_stage("fused", change)
    two, doubled = splat("two", "2.0"), after_weights("arith.mulf %weights, %two")
    edits = []
    for kernel in ("full", "causal", "window", "alibi", "bias", "full_f64"):
        config = CONFIGS[kernel]
        single = "f64" if kernel == "full_f64" else "f32"
        edits += [
            Edit("scale doubled", kernel, fused(replace(
                r"2\.500000e-01 : " + single, "5.000000e-01 : " + single, 1)),
                dict(config, scale=0.5)),
            Edit("weights doubled", kernel, fused(chain(two, doubled)), twice_the_weights(config)),
            Edit("scores doubled", kernel, fused(chain(two, after_scores(
                ["%changed = arith.mulf $, %two"]))), softmax_of(config, lambda s: 2 * s)),
            Edit("scores added to themselves", kernel, fused(after_scores(
                ["%changed = arith.addf $, $"])), softmax_of(config, lambda s: 2 * s)),
        ]
    full, causal = CONFIGS["full"], CONFIGS["causal"]
    edits += [
        Edit("queries shifted", "causal", fused(shift_queries), shifted_queries(causal)),
        Edit("weights by scores", "full", fused(after_weights("arith.mulf %weights, %scores")),
             weights_by_scores(full)),
        Edit("two scales of the same value", "causal", fused(two_scales), dict(causal, scale=0.5)),
        Edit("a softcap of the user's own", "full", fused(chain(
            splat("half", "0.5"), two, after_scores(
                ["%less = arith.mulf $, %half", "%bent = math.tanh %less",
                 "%changed = arith.mulf %bent, %two"]))), dict(full, score=[{"softcap": 2.0}])),
        Edit("scores clamped", "causal", fused(chain(splat("two", "0.5"), after_scores(
            ["%changed = arith.minimumf $, %two"]))),
            softmax_of(causal, lambda s: np.minimum(s, 0.5))),
    ]
    return edits


def close(config, want, got):
    """What is wrong with outputs that no config stands for, or None."""
    small = 1e-12 if config.get("dtype") == "f64" else 1e-5
    for name in config["outputs"]:
        if not np.allclose(got[name], want[name], rtol=small, atol=small):
            with np.errstate(invalid="ignore"):
                worst = np.nanmax(np.abs(got[name] - want[name]))
            return "%s: largest error %.3g" % (name, worst)
    return None


def wrong(edit, config, inputs, got):
    if callable(edit.means):
        return close(config, edit.means(inputs), got)
    return judge(edit.means or config, inputs, got)


def check(tools, edit, inputs):
    """What is wrong, or None."""
    config = CONFIGS[edit.kernel]
    try:
        text = edit.build(tools, config)
        for name in [name for name in CHECKS if name in inputs]:
            if callable(edit.means) and "NaN" in name:
                continue  # plain NumPy multiplies NaN by 0
            got = tools.run(text, inputs[name], config["outputs"])
            problem = wrong(edit, config, inputs[name], got)
            if problem:
                return "%s: %s" % (name, problem)
        if edit.means:
            plain = tools.run(tools.stage(config, "fused"), inputs["tiles"], config["outputs"])
            if not wrong(edit, config, inputs["tiles"], plain):
                return "the unedited kernel gives the same numbers"
    except (NothingToChange, ToolFailed) as failure:
        return str(failure)
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fovea", default="build/bin/fovea")
    parser.add_argument("--only", default="", help="the edits whose kernel and name hold this")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    tools = Tools(options.fovea)
    inputs = {kernel: checks(kernel) for kernel in CONFIGS}
    chosen = [edit for edit in same_numbers() + new_meanings()
              if options.only in "%s: %s" % (edit.kernel, edit.name)]

    def run(edit):
        problem = check(tools, edit, inputs[edit.kernel])
        if problem:
            print("FAIL %s: %s: %s" % (edit.kernel, edit.name, problem), flush=True)
        return not problem

    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(max_workers=options.jobs) as pool:
        passed = sum(pool.map(run, chosen))
    failed = len(chosen) - passed
    print("%.0f s" % (time.monotonic() - start))
    print("%d passed, %d failed" % (passed, failed))
    return 1 if failed or not chosen else 0


if __name__ == "__main__":
    sys.exit(main())
