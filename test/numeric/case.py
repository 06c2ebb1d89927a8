"""What a numeric test is, and short ways to write one.

A Case is one `fovea run` call judged against the oracle. A Relation is several calls whose outputs
must stand in a relation to each other (each call may be judged against the oracle too). Names begin
with the id of the fault that they guard against, where it has one (A01: see CASES.md), or with the
clause of the semantics (S5).
"""
import dataclasses
import os
import sys
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))

import numpy as np

from semantics.config import input_dtype, statistics_dtype

LENGTH_WORDS = ("batch", "heads", "query", "kv")


@dataclasses.dataclass
class Case:
    name: str
    config: dict
    inputs: dict
    # Known answers {output: array}: the oracle is checked against them, then the tool against it.
    expected: dict = None
    # Absolute tolerance {output: number}, where the usual one (tolerance.py) says nothing useful.
    within: dict = dataclasses.field(default_factory=dict)
    flags: tuple = ()

    @property
    def calls(self):
        return [self]

    def relation(self, results):
        return None


@dataclasses.dataclass
class Relation:
    """`relation` takes [{output: array}], one a call, and returns what is wrong, or None."""
    name: str
    calls: list
    relation: object


@dataclasses.dataclass(frozen=True)
class Shape:
    b: int = 1
    hq: int = 1
    hkv: int = None
    sq: int = 1
    sk: int = 1
    d: int = 8
    dv: int = None

    def __post_init__(self):
        object.__setattr__(self, "hkv", self.hkv or self.hq)
        object.__setattr__(self, "dv", self.dv or self.d)

    @property
    def scores(self):
        return self.b, self.hq, self.sq, self.sk


def sdpa_config(shape, dtype="f32", static=False, **rest):
    """A config of this shape; unless `static`, batch and lengths are `any`."""
    size = (lambda n: n) if static else (lambda n: "any")
    config = {"kind": "sdpa", "dtype": dtype, "batch": size(shape.b),
              "heads": {"query": shape.hq, "kv": shape.hkv},
              "head_dim": {"qk": shape.d, "v": shape.dv},
              "length": {"query": size(shape.sq), "kv": size(shape.sk)},
              "outputs": ["out", "lse"]}
    config.update(rest)
    return config


def generator(name):
    """Random numbers that depend on the test's name only."""
    return np.random.default_rng(zlib.crc32(name.encode()))


def random_qkv(name, shape, dtype="f32"):
    random = generator(name)
    real = input_dtype({"dtype": dtype})
    make = lambda *dims: random.normal(size=dims).astype(real)
    return {"q": make(shape.b, shape.hq, shape.sq, shape.d),
            "k": make(shape.b, shape.hkv, shape.sk, shape.d),
            "v": make(shape.b, shape.hkv, shape.sk, shape.dv)}


def random_case(name, shape, dtype="f32", static=False, inputs=None, within=None, **rest):
    """Random q, k, v under a config; `inputs` adds to them or replaces them."""
    given = random_qkv(name, shape, dtype)
    given.update(inputs or {})
    return Case(name, sdpa_config(shape, dtype, static, **rest), given, within=within or {})


def flat_scores(shape, v, dtype="f32"):
    """q = k = 0 and the given values, so that out is a mean of allowed rows of v."""
    real = input_dtype({"dtype": dtype})
    return {"q": np.zeros((shape.b, shape.hq, shape.sq, shape.d), real),
            "k": np.zeros((shape.b, shape.hkv, shape.sk, shape.d), real),
            "v": np.broadcast_to(np.asarray(v, real).reshape(-1, 1),
                                 (shape.b, shape.hkv, shape.sk, shape.dv)).copy()}


def column(values, dtype=np.float64):
    """Values as [1, 1, S, 1]."""
    return np.asarray(values, dtype).reshape(1, 1, -1, 1)


def row(values, dtype=np.float64):
    """Values as [1, 1, S] (an lse)."""
    return np.asarray(values, dtype).reshape(1, 1, -1)


def broadcast_words(full, shape=None):
    """A declared shape with the dims in `full` whole and the others 1.

    With a Shape the dims are numbers, else the words for lengths known at run time only.
    """
    whole = shape.scores if shape else LENGTH_WORDS
    return [whole[n] if n in full else 1 for n in range(4)]


def broadcast_size(full, shape):
    return tuple(shape.scores[n] if n in full else 1 for n in range(4))


def statistic(values, dtype="f32"):
    """Slopes or scale in the type that the kernel takes."""
    return np.asarray(values, statistics_dtype({"dtype": dtype}))
