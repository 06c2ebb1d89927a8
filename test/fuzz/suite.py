"""Runs fovea-fuzz over some hundreds of configs, and sees that it finds what is wrong.

Prints `N passed, M failed`: a config or a test each.
"""
import argparse
import re
import subprocess
import sys

SEED = 20
# What --inject does after each kernel ran, and what that must be called.
INJECTIONS = {"output": "wrong", "gap": "memory", "input": "memory", "guard": "fault",
              "crash": "crash", "refusal": "refused"}


class Suite:
    def __init__(self, fuzzer):
        self.fuzzer = fuzzer
        self.passed = self.failed = 0

    def run(self, *flags):
        done = subprocess.run([self.fuzzer, *flags], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True)
        return done.returncode, done.stdout

    def expect(self, name, holds, output):
        if holds:
            self.passed += 1
            return
        self.failed += 1
        print("FAIL %s\n%s" % (name, output))

    def configs(self, count, jobs):
        code, output = self.run("--seed=%d" % SEED, "--count=%d" % count, "--jobs=%d" % jobs)
        ran = re.search(r"^configs: (\d+),", output, re.MULTILINE)
        findings = len(re.findall(r"^finding: ", output, re.MULTILINE))
        if not ran or int(ran.group(1)) != count or code != (2 if findings else 0):
            findings = max(findings, 1)
        self.passed += count - findings
        self.failed += findings
        if findings:
            print(output)
        pairs = re.search(r"^pairs of features: (\d+) of (\d+)$", output, re.MULTILINE)
        # Hundreds cover nearly all, as pairs not covered yet are looked for.
        covered, possible = map(int, pairs.groups()) if pairs else (0, 1)
        self.expect("pairs of features", covered > 0.99 * possible, output)

    def injection(self, fault, kind):
        """What goes wrong is found, and found again by the printed command."""
        flag = "--inject=" + fault
        code, output = self.run("--seed=%d" % SEED, "--count=1", flag, "--no-shrink")
        found = re.search(r"^finding: (\w+), seed (0x[0-9a-f]+), call", output, re.MULTILINE)
        rerun = re.search(r"^  rerun: fovea-fuzz (.+)$", output, re.MULTILINE)
        self.expect("inject %s is found" % fault,
                    code == 2 and found and found.group(1) == kind, output)
        code, again = self.run(*rerun.group(1).split(), "--no-shrink") if rerun else (0, output)
        self.expect("inject %s is found again" % fault,
                    code == 2 and found and found.group(0) in again, again)

    def shrinking(self):
        """A fault that every case has leaves the smallest case there is."""
        code, output = self.run("--seed=%d" % SEED, "--count=1", "--inject=output")
        self.expect("a case is made smaller",
                    code == 2 and "    batch: 1\n    heads: {query: 1, kv: 1}\n"
                    "    head_dim: {qk: 1, v: 1}\n    length: {query: 1, kv: 1}\n"
                    "    outputs: [out]\n" in output, output)

    def usage(self):
        code, output = self.run("--only=7", "--list-pairs")
        self.expect("one seed", code == 0 and "\nconfigs: 1, " in output, output)
        lines = output.splitlines()
        count = lambda word: sum(line.startswith(word + " ") for line in lines)
        pairs = re.search(r"^pairs of features: (\d+) of (\d+)$", output, re.MULTILINE)
        self.expect("listed pairs add up", pairs and count("covered") == int(pairs.group(1))
                    and count("covered") + count("missed") == int(pairs.group(2)), output[-500:])
        self.expect("impossible pairs have a reason",
                    count("impossible") and all(line.endswith(")") for line in lines
                                                if line.startswith("impossible ")),
                    output[-500:])
        again = self.run("--only=7", "--list-pairs")[1]
        timeless = lambda text: re.sub(r"^time: .*", "", text, flags=re.MULTILINE)
        self.expect("a seed repeats", timeless(output) == timeless(again), again[-500:])
        for flags, message in ((["--inject=fire"], "'--inject' knows no fault 'fire'"),
                               (["--count=many"], "'--count' expects a number, but got 'many'"),
                               (["--cuont=3"], "unknown flag '--cuont=3'")):
            code, output = self.run(*flags)
            self.expect(flags[0], code == 1 and message in output, output)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fuzzer", required=True)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    suite = Suite(options.fuzzer)
    suite.configs(options.count, options.jobs)
    for fault, kind in INJECTIONS.items():
        suite.injection(fault, kind)
    suite.shrinking()
    suite.usage()
    print("%d passed, %d failed" % (suite.passed, suite.failed))
    return 1 if suite.failed else 0


if __name__ == "__main__":
    sys.exit(main())
