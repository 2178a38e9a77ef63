"""Programs that several benchmarks share."""

from __future__ import annotations

import numpy as np


def rosenbrock(x):
    """x: (n,)"""
    total = 0.0
    for i in range(x.shape[0] - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


def logistic(w, x, y):
    """w: (d,), x: (n, d), y: (n,) in {0, 1}"""
    z = x @ w
    return np.sum(np.logaddexp(0.0, z) - y * z)


def network(w1, b1, w2, x, y):
    """w1: (h, d), b1: (h,), w2: (h,), x: (n, d), y: (n,)"""
    hidden = np.tanh(x @ w1.T + b1)
    error = hidden @ w2 - y
    return np.mean(error**2)
