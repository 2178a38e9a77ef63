"""Functions of two vectors whose prepared derivatives are to make no arrays: tapes, loops, matrices, helpers that write."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def elementwise(x, w):
    y = np.sin(x) * w + x**2
    return np.sum(np.where(y > 0.5, y, 0.1 * y)) + np.log(np.sum(np.exp(x - np.max(x))))


def stepped(x, w):
    y = x.copy()
    for _ in range(4):
        y[1:-1] = y[1:-1] + 0.1 * (y[2:] - 2.0 * y[1:-1] + y[:-2]) * w[1:-1]
        y = np.tanh(y) + 0.1 * y
    return np.sum(y**2)


def searching(x, w):
    y, k = x * w, 0
    while np.sum(y * y) > 1e-3 * x.shape[0] and k < 20:
        y = 0.5 * y + 0.01 * np.sin(y) * y
        k += 1
    return np.sum(y**2) + np.sum(x * w)


def products(x, w):
    n = round(x.shape[0] ** 0.5)
    a, b = np.reshape(w, (n, n)) / n, np.reshape(x, (n, n)).copy()
    c = np.zeros((n, n))
    total = 0.0
    for _ in range(3):
        np.matmul(a, b, out=c)
        b[:] = 0.1 * (c @ b)
        total += np.sum(c * b)
    return total / n


def scaled(y, w):
    y *= w
    y[0] = 1.0
    y += np.cos(y)


def helped(x, w):
    y = x.copy()
    scaled(y, w)
    scaled(y[1:], w[1:])
    return np.sum(y * x)


def guarded(x, w):
    return np.sum(np.sqrt(1.0 + x**2) * np.abs(w) ** 1.5) + np.linalg.norm(x * w) + np.sum(np.log1p(w**2) / (1.0 + x**2))


PROGRAMS: tuple[Callable[[Any, Any], Any], ...] = (elementwise, stepped, searching, products, helped, guarded)
