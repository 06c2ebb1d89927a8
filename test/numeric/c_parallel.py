"""The context's loop hook, and calls at the same time."""
import threading

import numpy as np

from c_library import Context, OK, ParallelFor, random_inputs
from c_memory import place


class Hook:
    """A parallel_for in Python: tasks in a random order, on so many threads."""

    def __init__(self, threads, seed=0):
        self.threads, self.random = threads, np.random.default_rng(seed)
        self.loops, self.problem = [], None
        self.callback = ParallelFor(self._run)

    def _run(self, pool, task, argument, count):
        self.loops.append(count)
        if pool != 0x1234:
            self.problem = "the hook got another pool"
        indices = list(self.random.permutation(count))
        lock = threading.Lock()

        def work(worker):
            while True:
                with lock:
                    if not indices:
                        return
                    index = indices.pop()
                task(argument, int(index), worker)

        workers = [threading.Thread(target=work, args=(n,)) for n in range(1, self.threads)]
        for worker in workers:
            worker.start()
        work(0)
        for worker in workers:
            worker.join()

    def context(self):
        return Context(version=1, pool=0x1234, parallel_for=self.callback, threads=self.threads)


def hooks(checks):
    """S15: the bits of a serial run, whatever the order and the number of threads."""
    for name in ("plain", "plain_f64", "lengths", "masked", "projected"):
        library = checks.library(name)
        for b, sq, sk in ((3, 130, 130), (1, 1, 1), (2, 0, 0), (1, 1, 700)):
            if name == "projected":
                sk = sq
            inputs = random_inputs(library.config, b, sq, sk)
            serial = library.run(inputs)
            expected = serial.arrays()
            for threads, seed in ((1, 1), (3, 2), (3, 3), (8, 4)):
                hook = Hook(threads, seed)
                result = library.run(inputs, context=hook.context())
                title = "%s_%d_%d_%d_threads_%d_seed_%d" % (name, b, sq, sk, threads, seed)
                problem = hook.problem or library.problem(inputs, result)
                for output, x in expected.items():
                    if not problem and x.tobytes() != result.arrays()[output].tobytes():
                        problem = output + ": not the bits of the serial run"
                checks.check(title, problem)
            if sq > 100:
                checks.check("%s_%d_uses_the_hook" % (name, sq), max(hook.loops, default=0) > 1
                             or "loops of %s tasks" % hook.loops)


def no_threads(checks):
    library = checks.library("plain")
    inputs = random_inputs(library.config, 1, 3, 3)
    hook = Hook(1)
    context = hook.context()
    context.threads = 0
    result = library.run(inputs, context=context)
    checks.check("hook_without_threads", result.status == 1 and "thread" in result.message
                 or "status %d: %s" % (result.status, result.message))
    context = Context(version=1, threads=0)
    checks.check("serial_ignores_threads", library.problem(inputs,
                                                           library.run(inputs, context=context)))


def reentrant(checks):
    """Two threads in one kernel, each with shapes of its own."""
    library = checks.library("masked")
    jobs = []
    for n in range(24):
        inputs = random_inputs(library.config, 1 + n % 3, 20 + 7 * n, 150 - 5 * n, seed=n)
        placed = {name: place(x) for name, x in inputs.items()}
        expected = library.call(placed, library.outputs_for(inputs)).arrays()
        jobs.append((inputs, placed, expected))
    wrong = []

    def work(numbers):
        for n in numbers:
            inputs, placed, expected = jobs[n]
            for _ in range(4):
                result = library.call(placed, library.outputs_for(inputs))
                if result.status != OK or any(x.tobytes() != result.arrays()[name].tobytes()
                                              for name, x in expected.items()):
                    wrong.append(n)

    threads = [threading.Thread(target=work, args=(order,))
               for order in (range(24), reversed(range(24)), range(0, 24, 2))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    checks.check("three_threads", "jobs %s differ" % sorted(set(wrong)) if wrong else None)


TESTS = [hooks, no_threads, reentrant]
