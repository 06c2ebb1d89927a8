#!/usr/bin/env python3
"""Runs the numeric tests: `fovea run` on generated configs against NumPy.

  run.py --fovea build/bin/fovea [--only SUBSTRING] [--target TARGET] [--list] [--keep DIR]
         [--extra-flag FLAG]... [--expect-failures N] [--jobs N]

Prints a FAIL line for each failed case, with the command to repeat it, and `N passed, N failed`
last; exits 1 when a case failed. --extra-flag adds a flag to each `fovea run` call. With
--expect-failures the exit status is 0 only if at least N cases fail: so the suite itself is tested,
on a compiler made wrong on purpose. Files of failed cases stay in --keep (or a temporary folder).
"""
import argparse
import concurrent.futures
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the oracle must not take the tool's cores

import numpy as np
import yaml

import cases_closed_form
import cases_decode
import cases_expr
import cases_gqa
import cases_half
import cases_layer
import cases_layouts
import cases_masks
import cases_scores
import cases_shipped
import cases_special_values
import cases_tails
import metamorphic
from reference import load
from tolerance import Judge

MODULES = (cases_closed_form, cases_decode, cases_tails, cases_masks, cases_expr, cases_scores,
           cases_gqa, cases_layer, cases_shipped, cases_special_values, cases_half, cases_layouts, metamorphic)
TIME_LIMIT = 60  # seconds for one call, compiling included


class ToolFailed(Exception):
    pass


def all_cases(only=""):
    found = [case for module in MODULES for case in module.cases()]
    names = [case.name for case in found]
    twice = {name for name in names if names.count(name) > 1}
    if twice:
        raise SystemExit("two cases have the same name: " + ", ".join(sorted(twice)))
    return [case for case in found if only in case.name]


def write_files(call, folder):
    """Writes config and inputs; returns (arguments of `fovea run`, {output: path})."""
    os.makedirs(folder, exist_ok=True)
    config = os.path.join(folder, "config.yaml")
    with open(config, "w") as file:
        yaml.safe_dump(call.config, file, sort_keys=False, default_flow_style=None)
    arguments = [config]
    for name, value in call.inputs.items():
        path = os.path.join(folder, name + ".npy")
        np.save(path, value)
        arguments.append("--input=%s=%s" % (name, path))
    outputs = {name: os.path.join(folder, "got_%s.npy" % name) for name in call.config["outputs"]}
    arguments += ["--output=%s=%s" % item for item in outputs.items()]
    return arguments + list(call.flags), outputs


def execute(call, folder, options):
    """Runs the tool once; returns {output: array}."""
    arguments, outputs = write_files(call, folder)
    command = [options.fovea, "run"] + arguments
    if options.target:
        command.append("--target=" + options.target)
    command += options.extra_flag
    with open(os.path.join(folder, "command.sh"), "w") as file:
        file.write(shlex.join(command) + "\n")
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT)
    except subprocess.TimeoutExpired:
        raise ToolFailed("no end after %d s" % TIME_LIMIT)
    if done.returncode:
        said = (done.stderr or done.stdout).strip().splitlines()
        raise ToolFailed("exit %d: %s" % (done.returncode, said[0] if said else "no message"))
    try:
        return {name: load(path) for name, path in outputs.items()}
    except (OSError, ValueError) as error:
        raise ToolFailed("output not readable: %s" % error)


def known_answers_problem(case, judge):
    """Known answers and the oracle must agree, or one of them is wrong."""
    for name, answer in (getattr(case, "expected", None) or {}).items():
        want = judge.exact[name]
        answer = np.broadcast_to(np.asarray(answer, np.float64), want.shape)
        if not np.allclose(want, answer, rtol=1e-6, atol=1e-7):
            return "%s: the oracle is not as the case expects: %s, expected %s" % (
                name, want.ravel()[:4], answer.ravel()[:4])
    return None


def check(case, folder, options):
    """(problem or None, folder of the call that shows it)."""
    results = []
    for number, call in enumerate(case.calls):
        place = os.path.join(folder, str(number)) if len(case.calls) > 1 else folder
        try:
            got = execute(call, place, options)
        except ToolFailed as failure:
            return str(failure), place
        judge = Judge(call.config, call.inputs, call.within)
        problem = known_answers_problem(call, judge)
        for name in call.config["outputs"]:
            problem = problem or judge.problem(name, got[name])
        if problem:
            return problem, place
        results.append(got)
    problem = case.relation(results)
    return problem, os.path.join(folder, "0") if len(case.calls) > 1 else folder


def run_one(case, root, options):
    folder = os.path.join(root, case.name)
    try:
        problem, place = check(case, folder, options)
    except Exception as error:  # a fault of the suite; it must not hide the other cases
        problem, place = "the test itself failed: %r" % error, folder
    if problem:
        print("FAIL %s: %s\n     sh %s" % (case.name, problem, os.path.join(place, "command.sh")),
              flush=True)
    else:
        shutil.rmtree(folder, ignore_errors=True)
    return problem is None


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fovea", default="build/bin/fovea")
    parser.add_argument("--only", default="", help="run the cases whose name holds this")
    parser.add_argument("--every", type=int, default=1, metavar="N",
                        help="of these, each N-th only")
    parser.add_argument("--target", default="")
    parser.add_argument("--list", action="store_true", help="print names and stop")
    parser.add_argument("--keep", help="folder for the files of failed cases")
    parser.add_argument("--extra-flag", action="append", default=[], help="added to each call")
    parser.add_argument("--expect-failures", type=int, metavar="N",
                        help="succeed only if at least N cases fail")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    cases = all_cases(options.only)[::options.every]
    if options.list:
        print("\n".join(case.name for case in cases))
        print("%d cases, %d calls" % (len(cases), sum(len(case.calls) for case in cases)))
        return 0
    root = options.keep or tempfile.mkdtemp(prefix="fovea-numeric-")
    start = time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(max_workers=options.jobs) as pool:
        good = sum(pool.map(lambda case: run_one(case, root, options), cases))
    failed = len(cases) - good
    if not failed and not options.keep:
        shutil.rmtree(root, ignore_errors=True)
    print("%.0f s" % (time.monotonic() - start))
    print("%d passed, %d failed" % (good, failed))
    if options.expect_failures is not None:
        return 0 if failed >= options.expect_failures else 1
    return 1 if failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
