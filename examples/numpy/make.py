#!/usr/bin/env python3
"""Writes the example's tensors: causal self-attention of 4 tokens of width 8, with one head.

  make.py [FOLDER]

x, wq, wk and wv are the inputs of configs/numpy-example.yaml; weights and out are what it should
give, computed here the way a textbook does. All are float64, and the same bits on every run.
"""
import os
import sys

import numpy as np

TOKENS, WIDTH = 4, 8


def softmax(scores):
    e = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return e / e.sum(axis=-1, keepdims=True)


def example():
    random = np.random.default_rng(0)
    x = random.normal(size=(TOKENS, WIDTH))
    wq, wk, wv = (random.normal(size=(WIDTH, WIDTH)) / np.sqrt(WIDTH) for _ in range(3))
    query, key, value = x @ wq, x @ wk, x @ wv
    scores = query @ key.T / np.sqrt(WIDTH)
    visible = np.tril(np.ones((TOKENS, TOKENS), dtype=bool))  # each token sees itself and the past
    weights = softmax(np.where(visible, scores, -np.inf))
    return {"x": x, "wq": wq, "wk": wk, "wv": wv, "weights": weights, "out": weights @ value}


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))
    tensors = example()
    for name, tensor in tensors.items():
        np.save(os.path.join(folder, name + ".npy"), tensor)
    print(tensors["weights"].round(2))


if __name__ == "__main__":
    main()
