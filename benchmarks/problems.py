"""Programs with their adjoints written by hand: what a careful NumPy programmer would write without a tool.

Each adjoint returns the value and the gradients with respect to the arguments named in `wrt`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True, slots=True)
class Problem:
    """A function, its adjoint by hand, its arguments for each size, and which of them are differentiated."""

    name: str
    primal: Callable[..., Any]
    by_hand: Callable[..., Any]
    arguments: Callable[[int], tuple[Any, ...]]
    sizes: tuple[int, ...]
    wrt: tuple[int, ...] = (0,)


# --- Rosenbrock: a loop over elements


def rosenbrock(x):
    """x: (n,)"""
    total = 0.0
    for i in range(x.shape[0] - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


def rosenbrock_by_hand(x):
    """One loop suffices: nothing is overwritten."""
    total = 0.0
    x_ct = np.zeros_like(x)
    for i in range(x.shape[0] - 1):
        a = x[i]
        b = x[i + 1] - a**2
        total += 100.0 * b**2 + (1.0 - a) ** 2
        x_ct[i] += -400.0 * b * a - 2.0 * (1.0 - a)
        x_ct[i + 1] += 200.0 * b
    return total, x_ct


# --- relaxation: a loop that writes, with a branch


def relax(k, u0, steps):
    """u0: (n,)"""
    u = u0.copy()
    loss = 0.0
    for t in range(steps):
        for i in range(1, u.shape[0] - 1):
            if u[i] > 0.0:
                u[i] = u[i] + k * (u[i - 1] - u[i]) * u[i + 1]
            else:
                u[i] = u[i] * k
        loss += u[t] ** 2
    return loss


def relax_by_hand(k, u0, steps):
    """Each write is saved on a tape and undone in reverse."""
    n = u0.shape[0]
    u = u0.copy()
    loss = 0.0
    saved = np.empty((steps, n))
    for t in range(steps):
        for i in range(1, n - 1):
            saved[t, i] = u[i]
            if u[i] > 0.0:
                u[i] = u[i] + k * (u[i - 1] - u[i]) * u[i + 1]
            else:
                u[i] = u[i] * k
        loss += u[t] ** 2
    k_ct = 0.0
    u_ct = np.zeros_like(u)
    for t in range(steps - 1, -1, -1):
        u_ct[t] += 2.0 * u[t]
        for i in range(n - 2, 0, -1):
            u[i] = saved[t, i]
            ct = u_ct[i]
            if u[i] > 0.0:
                k_ct += (u[i - 1] - u[i]) * u[i + 1] * ct
                u_ct[i - 1] += k * u[i + 1] * ct
                u_ct[i + 1] += k * (u[i - 1] - u[i]) * ct
                u_ct[i] = ct - k * u[i + 1] * ct
            else:
                k_ct += u[i] * ct
                u_ct[i] = k * ct
    return loss, k_ct, u_ct


# --- heat equation: slices updated in place, step by step


def heat(u0, conductivity, steps):
    """u0: (n,), conductivity: (n,)"""
    u = u0.copy()
    for _ in range(steps):
        u[1:-1] += conductivity[1:-1] * (u[2:] - 2.0 * u[1:-1] + u[:-2])
    return np.sum(u**2)


def heat_by_hand(u0, conductivity, steps):
    """The states are kept; the transposed stencil runs backwards."""
    u = u0.copy()
    inner = conductivity[1:-1]
    curvatures = np.empty((steps, u.shape[0] - 2))
    for t in range(steps):
        curvatures[t] = u[2:] - 2.0 * u[1:-1] + u[:-2]
        u[1:-1] += inner * curvatures[t]
    value = np.sum(u**2)
    u_ct = 2.0 * u
    c_ct = np.zeros_like(conductivity)
    for t in range(steps - 1, -1, -1):
        c_ct[1:-1] += u_ct[1:-1] * curvatures[t]
        flow = inner * u_ct[1:-1]
        u_ct[2:] += flow
        u_ct[1:-1] -= 2.0 * flow
        u_ct[:-2] += flow
    return value, u_ct, c_ct


# --- vectorised statistics and a small network


def logistic(w, x, y):
    """w: (d,), x: (n, d), y: (n,) in {0, 1}"""
    z = x @ w
    return np.sum(np.logaddexp(0.0, z) - y * z)


def logistic_by_hand(w, x, y):
    """X.T (sigmoid(z) - y)"""
    z = x @ w
    value = np.sum(np.logaddexp(0.0, z) - y * z)
    return value, x.T @ (1.0 / (1.0 + np.exp(-z)) - y)


def log_sum_exp(x):
    """x: (n,)"""
    top = np.max(x)
    return top + np.log(np.sum(np.exp(x - top)))


def log_sum_exp_by_hand(x):
    """The softmax; the maximum drops out."""
    top = np.max(x)
    e = np.exp(x - top)
    s = np.sum(e)
    return top + np.log(s), e / s


def network(w1, b1, w2, x, y):
    """w1: (h, d), b1: (h,), w2: (h,), x: (n, d), y: (n,)"""
    hidden = np.tanh(x @ w1.T + b1)
    error = hidden @ w2 - y
    return np.mean(error**2)


def network_by_hand(w1, b1, w2, x, y):
    """Backpropagation."""
    hidden = np.tanh(x @ w1.T + b1)
    error = hidden @ w2 - y
    error_ct = 2.0 * error / error.shape[0]
    pre_ct = np.outer(error_ct, w2) * (1.0 - hidden * hidden)
    return np.mean(error**2), pre_ct.T @ x, np.sum(pre_ct, axis=0), hidden.T @ error_ct


# --- the list


def _random(*shape: int) -> np.ndarray:
    return np.random.default_rng(0).normal(size=shape)


def _labels(n: int) -> np.ndarray:
    return (_random(n) > 0.0).astype(float)


PROBLEMS = (
    Problem("rosenbrock, loop", rosenbrock, rosenbrock_by_hand, lambda n: (_random(n),), (100, 1000, 10000)),
    Problem(
        "relax, loop with writes", relax, relax_by_hand, lambda n: (0.1, np.linspace(-1.0, 1.0, n), 10), (10, 100, 1000), (0, 1)
    ),
    Problem("heat, slices in place", heat, heat_by_hand, lambda n: (_random(n), np.full(n, 0.2), 50), (100, 1000, 10000), (0, 1)),
    Problem(
        "logistic, matrix", logistic, logistic_by_hand, lambda n: (_random(20), _random(n, 20), _labels(n)), (100, 1000, 10000)
    ),
    Problem("log-sum-exp", log_sum_exp, log_sum_exp_by_hand, lambda n: (_random(n),), (100, 10000, 1000000)),
    Problem(
        "network, two layers",
        network,
        network_by_hand,
        lambda n: (_random(32, 16), _random(32), _random(32) / 8.0, _random(n, 16), _labels(n)),
        (32, 256, 2048),
        (0, 1, 2),
    ),
)
