#!/usr/bin/env python3
"""Runs the Attention node tests of the `onnx` package through `fovea run`.

  onnx_attention.py --fovea build/bin/fovea [--only SUBSTRING] [--keep DIR] [--list]
                    [--target TARGET] [--scope-list]

The cases and their expected outputs come from that package: nothing here computes attention. Each
case becomes a config, one .npy per tensor and one `fovea run` call, whose outputs are compared with
the expected ones. A case that the tool refuses as "not built yet" is counted apart, never as
passed, and makes the exit status 1; with --scope-list the refused cases are listed under the reason
that the tool gave, and the status is 0 when every other case passes. Needs onnx, numpy, ml_dtypes.
"""
import argparse
import collections
import concurrent.futures
import os
import re
import subprocess
import sys
import tempfile
import warnings

warnings.filterwarnings("ignore")  # the package computes its NaN cases noisily

import ml_dtypes
import numpy as np
import onnx
import yaml
from onnx.backend.test.case.node import collect_testcases

DTYPE = {np.dtype(np.float64): "f64", np.dtype(np.float32): "f32", np.dtype(np.float16): "f16",
         np.dtype(ml_dtypes.bfloat16): "bf16"}
# (relative, absolute), as wide as the rounding of the expected outputs' own type needs.
TOLERANCE = {"f64": (1e-7, 1e-7), "f32": (1e-3, 1e-5), "f16": (1e-2, 2e-3), "bf16": (2e-2, 2e-2)}
NODE_INPUTS = ("q", "k", "v", "attn_mask", "past_k", "past_v", "kv_lengths")
NODE_OUTPUTS = ("out", "present_k", "present_v", "scores")
SCORES_AFTER = ("qk", "softcap", "mask", "softmax")
REFUSAL = "not built yet"

Translation = collections.namedtuple("Translation", "config inputs expected")


def node_tensors(case):
    """(inputs, expected outputs) of a test case by the operator's slot names."""
    graph = case.model.graph
    given, expected = case.data_sets[0]
    values = {i.name: np.asarray(v) for i, v in zip(graph.input, given)}
    wanted = {o.name: np.asarray(v) for o, v in zip(graph.output, expected)}
    node = graph.node[0]
    return ({slot: values[name] for slot, name in zip(NODE_INPUTS, node.input) if name},
            {slot: wanted[name] for slot, name in zip(NODE_OUTPUTS, node.output) if name in wanted})


def shapes(tensors, attributes):
    """The config's layout, batch, heads, head_dim and (Sq, Sk without past)."""
    q, k, v = (tensors[name] for name in "qkv")
    if q.ndim == 3:
        hq, hkv = attributes["q_num_heads"], attributes["kv_num_heads"]
        dims = {"qk": q.shape[2] // hq, "v": v.shape[2] // hkv}
        return "bsd", q.shape[0], {"query": hq, "kv": hkv}, dims, (q.shape[1], k.shape[1])
    dims = {"qk": q.shape[3], "v": v.shape[3]}
    heads = {"query": q.shape[1], "kv": k.shape[1]}
    return "bhsd", q.shape[0], heads, dims, (q.shape[2], k.shape[2])


def full_mask(mask, keys):
    """The mask as rank 4; one too short forbids the keys that it does not reach."""
    short = keys - mask.shape[-1]
    if short > 0:
        forbidden = False if mask.dtype == bool else -np.inf
        mask = np.pad(mask, [(0, 0)] * (mask.ndim - 1) + [(0, short)], constant_values=forbidden)
    return mask.reshape((1,) * (4 - mask.ndim) + mask.shape)


def translate(case):
    attributes = {a.name: onnx.helper.get_attribute_value(a)
                  for a in case.model.graph.node[0].attribute}
    tensors, expected = node_tensors(case)
    layout, batch, heads, dims, (sq, new_keys) = shapes(tensors, attributes)
    past = tensors["past_k"].shape[2] if "past_k" in tensors else 0
    inputs = {name: x for name, x in tensors.items() if name != "attn_mask"}
    score, mask = [], []
    if attributes.get("softcap"):
        score.append({"softcap": float(attributes["softcap"])})
    if "attn_mask" in tensors:
        given = full_mask(tensors["attn_mask"], past + new_keys)
        boolean = given.dtype == bool
        (mask if boolean else score).append(
            {"tensor" if boolean else "bias": {"shape": list(given.shape)}})
        inputs["mask" if boolean else "bias"] = (
            given if boolean else given.astype(tensors["q"].dtype))
    if attributes.get("is_causal"):
        mask.append("causal")
    window = {side: attributes.get(side + "_window_size", -1) for side in ("left", "right")}
    if max(window.values()) >= 0:
        mask.append({"window": window})
    offset = past
    if "kv_lengths" in tensors:
        mask.append("kv_lengths")
        inputs["kv_lengths"] = tensors["kv_lengths"].astype(np.int64)
        offset = offset if "past_k" in tensors else "end"
    config = {"kind": "sdpa", "dtype": DTYPE[tensors["q"].dtype], "layout": layout, "batch": batch,
              "heads": heads, "head_dim": dims, "length": {"query": sq, "kv": past + new_keys},
              "query_offset": offset}
    if "scale" in attributes:
        config["scale"] = float(attributes["scale"])
    if "past_k" in tensors:
        config["cache"] = {"append": past}
    if score:
        config["score"] = score
    if mask:
        config["mask"] = mask
    config["outputs"] = ["out"] + [name for name in expected if name != "out"]
    if "scores" in expected:
        config["scores_after"] = SCORES_AFTER[attributes.get("qk_matmul_output_mode", 0)]
    return Translation(config, inputs, expected)


def differences(path_of, translation):
    """The first output that is not as expected, or None."""
    relative, absolute = TOLERANCE[translation.config["dtype"]]
    for name, want in translation.expected.items():
        got = np.load(path_of(name))
        if got.dtype.kind == "V":
            got = got.view(ml_dtypes.bfloat16)
        if got.shape != want.shape:
            return "%s: expected shape %s, found %s" % (name, want.shape, got.shape)
        got, want = got.astype(np.float64), want.astype(np.float64)
        if not np.allclose(got, want, rtol=relative, atol=absolute, equal_nan=True):
            finite = np.isfinite(got) & np.isfinite(want)
            largest = np.abs(got - want)[finite].max(initial=0.0)
            return "%s: largest difference %.3g (of finite elements)" % (name, largest)
    return None


def run(case, options, folder):
    """("passed" | "failed" | "refused", why)."""
    translation = translate(case)
    os.makedirs(folder, exist_ok=True)
    config = os.path.join(folder, "config.yaml")
    with open(config, "w") as file:
        yaml.safe_dump(translation.config, file, sort_keys=False, default_flow_style=None)
    command = [options.fovea, "run", config]
    if options.target:
        command.append("--target=" + options.target)
    for name, value in translation.inputs.items():
        path = os.path.join(folder, name + ".npy")
        np.save(path, value)
        command.append("--input=%s=%s" % (name, path))
    result_path = lambda name: os.path.join(folder, "got_%s.npy" % name)
    command += ["--output=%s=%s" % (name, result_path(name)) for name in translation.expected]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    said = (done.stderr or done.stdout).strip().splitlines()
    refusal = [line for line in said if REFUSAL in line]
    if done.returncode == 1 and refusal:
        return "refused", re.sub(r"^(.*?:\d+:\d+:|\w+:)?\s*(error:\s*)?", "", refusal[0])
    if done.returncode:
        return "failed", "exit %d: %s" % (done.returncode, said[0] if said else "no message")
    problem = differences(result_path, translation)
    return ("failed", problem) if problem else ("passed", "")


def report(results, options):
    """Prints the outcome; `results` is [(case name, outcome, why)]."""
    count = collections.Counter(outcome for _, outcome, _ in results)
    for name, outcome, why in results:
        if outcome == "failed" or (outcome == "refused" and not options.scope_list):
            print("%s %s: %s" % ("FAIL" if outcome == "failed" else "REFUSED", name, why))
    if options.scope_list:
        by_reason = collections.defaultdict(list)
        for name, outcome, why in results:
            if outcome == "refused":
                by_reason[why].append(name)
        for why, names in sorted(by_reason.items()):
            print("not in scope, %d cases: %s" % (len(names), why))
            for name in names:
                print("  " + name)
    print("%d passed, %d failed, %d refused" % (count["passed"], count["failed"], count["refused"]))
    return 1 if count["failed"] or (count["refused"] and not options.scope_list) else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fovea", default="build/bin/fovea")
    parser.add_argument("--only", default="", help="run the cases whose name holds this")
    parser.add_argument("--keep", help="keep configs and tensors in this folder")
    parser.add_argument("--list", action="store_true", help="print the configs and stop")
    parser.add_argument("--target", default="")
    parser.add_argument("--scope-list", action="store_true",
                        help="list refused cases by reason instead of failing on them")
    options = parser.parse_args()
    cases = [case for case in collect_testcases("Attention")
             if not case.name.endswith("_expanded") and options.only in case.name]
    if options.list:
        for case in cases:
            print("# " + case.name)
            print(yaml.safe_dump(translate(case).config, sort_keys=False, default_flow_style=None))
        return 0
    with tempfile.TemporaryDirectory() as scratch:
        root = options.keep or scratch
        with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
            outcomes = pool.map(lambda case: run(case, options, os.path.join(root, case.name)),
                                cases)
            results = [(case.name, *outcome) for case, outcome in zip(cases, outcomes)]
    return report(results, options)


if __name__ == "__main__":
    sys.exit(main())
