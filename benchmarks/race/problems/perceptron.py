"""A network of three layers on a batch: its products are BLAS calls."""

from __future__ import annotations

from itertools import pairwise
from math import exp, tanh

import numpy as np

from benchmarks.race.problem import Problem

SCALARS = "its graph of scalars would have a node for each product"


def perceptron(w1, b1, w2, b2, w3, b3, x, y):
    """The mean cross-entropy. w1: (d, h1), w2: (h1, h2), w3: (h2, c), b: the widths, x: (n, d), y: (n, c) of ones and zeros"""
    a1 = np.tanh(x @ w1 + b1)
    a2 = np.tanh(a1 @ w2 + b2)
    z = a2 @ w3 + b3
    normal = np.log(np.sum(np.exp(z), 1))
    return np.sum(normal) / x.shape[0] - np.sum(z * y) / x.shape[0]


def make(size):
    """The batch, then the widths."""
    n, *widths = size
    chance = np.random.default_rng(1)
    weights = []
    for before, after in pairwise(widths):
        weights += [chance.normal(size=(before, after)) / before**0.5, 0.1 * chance.normal(size=after)]
    return *weights, chance.normal(size=(n, widths[0])), np.eye(widths[-1])[chance.integers(widths[-1], size=n)]


def by_hand(w1, b1, w2, b2, w3, b3, x, y):
    """Backpropagation."""
    a1 = x @ w1
    a1 += b1
    np.tanh(a1, out=a1)
    a2 = a1 @ w2
    a2 += b2
    np.tanh(a2, out=a2)
    p = np.exp(a2 @ w3 + b3)
    p /= np.sum(p, axis=1)[:, None]
    p -= y
    p /= x.shape[0]
    c2 = p @ w3.T
    c2 *= 1.0 - a2 * a2
    c1 = c2 @ w2.T
    c1 *= 1.0 - a1 * a1
    return x.T @ c1, np.sum(c1, axis=0), a1.T @ c2, np.sum(c2, axis=0), a2.T @ p, np.sum(p, axis=0)


def limit(w1, b1, w2, b2, w3, b3, x, y):
    """The same products; everything between them in one sweep."""
    n = x.shape[0]
    a1 = np.dot(x, w1)
    for i in range(n):
        for j in range(a1.shape[1]):
            a1[i, j] = tanh(a1[i, j] + b1[j])
    a2 = np.dot(a1, w2)
    for i in range(n):
        for j in range(a2.shape[1]):
            a2[i, j] = tanh(a2[i, j] + b2[j])
    p = np.dot(a2, w3)
    s3 = np.zeros(p.shape[1])
    for i in range(n):
        total = 0.0
        for j in range(p.shape[1]):
            p[i, j] = exp(p[i, j] + b3[j])
            total += p[i, j]
        total = 1.0 / total
        for j in range(p.shape[1]):
            p[i, j] = (p[i, j] * total - y[i, j]) / n
            s3[j] += p[i, j]
    c2, s2 = np.dot(p, w3.T), np.zeros(a2.shape[1])
    for i in range(n):
        for j in range(a2.shape[1]):
            c2[i, j] *= 1.0 - a2[i, j] * a2[i, j]
            s2[j] += c2[i, j]
    c1, s1 = np.dot(c2, w2.T), np.zeros(a1.shape[1])
    for i in range(n):
        for j in range(a1.shape[1]):
            c1[i, j] *= 1.0 - a1[i, j] * a1[i, j]
            s1[j] += c1[i, j]
    return np.dot(x.T, c1), s1, np.dot(a1.T, c2), s2, np.dot(a2.T, p), s3


def with_jax():
    """The library's `logsumexp`."""
    from jax import numpy as jnp
    from jax.scipy.special import logsumexp

    def f(w1, b1, w2, b2, w3, b3, x, y):
        a1 = jnp.tanh(x @ w1 + b1)
        z = jnp.tanh(a1 @ w2 + b2) @ w3 + b3
        return jnp.mean(logsumexp(z, axis=1) - jnp.sum(z * y, axis=1))

    return f


def with_torch():
    """The library's `cross_entropy`."""
    import torch

    def f(w1, b1, w2, b2, w3, b3, x, y):
        a1 = torch.tanh(torch.addmm(b1, x, w1))
        a2 = torch.tanh(torch.addmm(b2, a1, w2))
        return torch.nn.functional.cross_entropy(torch.addmm(b3, a2, w3), y)

    return f


RACE = Problem(
    "mlp",
    "Network of three layers (batch, widths)",
    perceptron,
    make,
    (3, 4, 3, 2, 2),
    ((32, 16, 32, 32, 4), (256, 784, 512, 256, 10)),
    by_hand,
    limit,
    {"jax": with_jax, "torch": with_torch},
    {"casadi": SCALARS},
    wrt=(0, 1, 2, 3, 4, 5),
)
