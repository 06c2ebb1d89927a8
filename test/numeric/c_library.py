"""A compiled kernel called through its C interface."""
import ctypes
import os
import subprocess

import numpy as np
import yaml

import case  # noqa: F401 (puts the oracle on the path)
from c_memory import Output, Tensor, place
from semantics.config import head_counts, head_dims, input_dtype, statistics_dtype
from semantics.layouts import merge_heads
from tolerance import Judge

OK, INVALID, OUT_OF_MEMORY, UNSUPPORTED_CPU, WORKSPACE_TOO_SMALL = range(5)
# Inputs and outputs come in this order, those that the config uses.
INPUT_ORDER = ("q", "k", "v", "x", "context", "wq", "wk", "wv", "wo", "bq", "bk", "bv", "bo",
               "bias", "mask", "kv_lengths", "q_lengths", "query_offset", "slopes", "scale")
OUTPUT_ORDER = ("out", "lse", "weights")

Task = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int32)
ParallelFor = ctypes.CFUNCTYPE(None, ctypes.c_void_p, Task, ctypes.c_void_p, ctypes.c_int64)


class Context(ctypes.Structure):
    """fovea_context."""
    _fields_ = [("size", ctypes.c_uint32), ("version", ctypes.c_uint32), ("pool", ctypes.c_void_p),
                ("parallel_for", ParallelFor), ("threads", ctypes.c_int32),
                ("workspace", ctypes.c_void_p), ("workspace_bytes", ctypes.c_uint64),
                ("stream", ctypes.c_void_p), ("message", ctypes.c_void_p),
                ("message_bytes", ctypes.c_uint64)]


def configs():
    """{name: config} of the libraries that the tests call."""
    base = lambda **rest: dict({"kind": "sdpa", "dtype": "f32", "batch": "any",
                                "heads": {"query": 4, "kv": 2}, "head_dim": {"qk": 16, "v": 24},
                                "length": {"query": "any", "kv": "any"}, "outputs": ["out", "lse"]},
                               **rest)
    return {
        "plain": base(),
        "plain_f64": base(dtype="f64"),
        "plain_f16": base(dtype="f16"),
        "odd_dim": base(head_dim={"qk": 46, "v": 45}, heads={"query": 4, "kv": 4}),
        "odd_bf16": base(dtype="bf16", head_dim={"qk": 46, "v": 45}, mask=["causal"],
                         query_offset="end"),
        "bshd": base(layout="bshd"),
        "bsd_bf16": base(layout="bsd", dtype="bf16", head_dim={"qk": 15, "v": 24},
                         mask=["causal"], query_offset="end"),
        "lengths": base(mask=["causal", "kv_lengths", "q_lengths"], query_offset="input"),
        "masked": base(mask=[{"tensor": {"shape": ["batch", 1, "query", "kv"]}}],
                       score=[{"bias": {"shape": [1, "heads", "query", "kv"]}}],
                       outputs=["out", "lse", "weights"]),
        "slopes": base(score=[{"alibi": {"slopes": "input"}}], scale="input", query_offset="end"),
        "fixed": base(batch=2, length={"query": 5, "kv": 70}, outputs=["out"]),
        "wide": base(head_dim={"qk": 256, "v": 256}, heads={"query": 1, "kv": 1}, mask=["causal"],
                     query_offset="end"),
        "projected": base(kind="layer", model_dim=32, out_dim=20, biases=["q", "o"]),
    }


def compile_all(fovea, folder, target, names):
    """Compiles each config to FOLDER/NAME.so; returns {name: what went wrong}."""
    problems = {}
    for name in names:
        path = os.path.join(folder, name + ".yaml")
        with open(path, "w") as file:
            yaml.safe_dump(configs()[name], file, sort_keys=False, default_flow_style=None)
        command = [fovea, "compile", path, "-o", os.path.join(folder, name + ".so")]
        command += ["--target=" + target] if target else []
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        if done.returncode:
            problems[name] = (done.stderr or done.stdout).strip()
    return problems


class Result:
    def __init__(self, status, message, outputs):
        self.status, self.message, self.outputs = status, message, outputs

    def arrays(self):
        return {name: np.array(output.array) for name, output in self.outputs.items()}


class Library:
    def __init__(self, folder, name):
        self.config = configs()[name]
        self.path = os.path.join(folder, name + ".so")
        library = ctypes.CDLL(self.path, mode=os.RTLD_NOW)
        self.function = getattr(library, name)
        self.function.restype = ctypes.c_int
        self.function.argtypes = [ctypes.c_void_p] * 3
        self.workspace_function = getattr(library, name + "_workspace_bytes")
        self.workspace_function.restype = ctypes.c_int64
        self.workspace_function.argtypes = [ctypes.c_void_p, ctypes.c_int]

    def output_shapes(self, inputs):
        """{name: (shape, dtype)} for the shapes of these inputs."""
        q = inputs["q"] if "q" in inputs else inputs["x"]
        k = inputs.get("k", q)
        (hq, _), (_, dv) = head_counts(self.config), head_dims(self.config)
        real, statistic = input_dtype(self.config), statistics_dtype(self.config)
        if self.config["kind"] == "layer":
            b, sq, sk = q.shape[0], q.shape[1], q.shape[1]
            out = (b, sq, self.config.get("out_dim", hq * dv))
        else:
            layout = self.config.get("layout", "bhsd")
            length = 2 if layout == "bhsd" else 1
            b, sq, sk = q.shape[0], q.shape[length], k.shape[length]
            out = merge_heads(np.empty((b, hq, sq, dv), np.int8), layout).shape
        shapes = {"out": (out, real), "lse": ((b, hq, sq), statistic),
                  "weights": ((b, hq, sq, sk), real)}
        return {name: shapes[name] for name in self.config["outputs"]}

    def outputs_for(self, inputs, **strides):
        return {name: Output(shape, dtype, strides.get(name))
                for name, (shape, dtype) in self.output_shapes(inputs).items()}

    def call(self, placed, outputs, context=None, message_bytes=400):
        """Calls the kernel on {name: Placed or Tensor or None} and {name: Output}."""
        inputs = pointers(placed, INPUT_ORDER)
        results = pointers(outputs, OUTPUT_ORDER)
        context = context or Context()
        context.size, context.version = ctypes.sizeof(Context), context.version or 1
        message = None
        if message_bytes and not context.message:
            message = ctypes.create_string_buffer(message_bytes)
            context.message = ctypes.addressof(message)
            context.message_bytes = message_bytes
        status = self.function(ctypes.addressof(context), inputs, results)
        text = message.value.decode(errors="replace") if message is not None else ""
        return Result(status, text, outputs)

    def workspace_bytes(self, placed, threads):
        return self.workspace_function(pointers(placed, INPUT_ORDER), threads)

    def run(self, inputs, strides=None, context=None, **placing):
        """Places the inputs in guarded memory, calls, and returns the Result.

        `strides` gives those of inputs and outputs by name.
        """
        strides = strides or {}
        placed = {name: place(x, strides.get(name), **placing) for name, x in inputs.items()}
        return self.call(placed, self.outputs_for(inputs, **strides), context)

    def problem(self, inputs, result):
        """What is wrong with a call that should have succeeded, or None."""
        if result.status != OK:
            return "status %d: %s" % (result.status, result.message)
        judge = Judge(self.config, inputs)
        for name, output in result.outputs.items():
            if output.strays():
                return "%s: %d bytes around it were written" % (name, output.strays())
            wrong = judge.problem(name, np.array(output.array))
            if wrong:
                return wrong
        return None


def refusal(result, tensor, status=INVALID):
    """What is wrong with a call that should have been refused, naming the tensor; or None."""
    if result.status != status:
        return "expected status %d, found %d (%s)" % (status, result.status, result.message)
    if tensor and "'%s'" % tensor not in result.message:
        return "the message does not name '%s': %s" % (tensor, result.message)
    if len(result.message.split()) < 4 or result.message.endswith("."):
        return "not a sentence without its full stop: '%s'" % result.message
    if not all(output.untouched() for output in result.outputs.values()):
        return "an output was written"
    return None


def pointers(tensors, order):
    """An array of pointers to the tensors, in the interface's order."""
    unknown = set(tensors) - set(order)
    assert not unknown, unknown
    chosen = [tensors[name] for name in order if name in tensors]
    structs = [tensor.c if hasattr(tensor, "c") else tensor for tensor in chosen]
    array = (ctypes.POINTER(Tensor) * len(structs))()
    for n, struct in enumerate(structs):
        if struct is not None:
            array[n] = ctypes.pointer(struct)
    return array


def random_inputs(config, b, sq, sk, seed=0):
    """{name: array} for the inputs that a config of `configs` takes."""
    random = np.random.default_rng([seed, b, sq, sk])
    real, statistic = input_dtype(config), statistics_dtype(config)
    (hq, hkv), (dqk, dv) = head_counts(config), head_dims(config)
    make = lambda *dims: random.normal(size=dims).astype(real)
    if config["kind"] == "layer":
        model, width = config["model_dim"], config["out_dim"]
        return {"x": make(b, sq, model), "wq": make(model, hq * dqk) / 6,
                "wk": make(model, hkv * dqk) / 6, "wv": make(model, hkv * dv) / 6,
                "wo": make(hq * dv, width) / 10, "bq": make(hq * dqk), "bo": make(width)}
    inputs = {"q": make(b, hq, sq, dqk), "k": make(b, hkv, sk, dqk), "v": make(b, hkv, sk, dv)}
    inputs = {name: np.ascontiguousarray(merge_heads(x, config.get("layout", "bhsd")))
              for name, x in inputs.items()}
    entries = str(config.get("mask")) + str(config.get("score"))
    if "bias" in entries:
        inputs["bias"] = make(1, hq, sq, sk)
    if "tensor" in entries:
        inputs["mask"] = random.random((b, 1, sq, sk)) < 0.7
    if "kv_lengths" in entries:
        inputs["kv_lengths"] = random.integers(0, sk + 1, b)
        inputs["q_lengths"] = random.integers(0, sq + 1, b)
        inputs["query_offset"] = random.integers(-2, sk + 1, b)
    if "slopes" in entries:
        inputs["slopes"] = random.random(hq).astype(statistic)
        inputs["scale"] = np.asarray(0.3, statistic)
    return inputs
