"""Rosenbrock's function as a loop over elements."""

from __future__ import annotations

import numpy as np

from benchmarks.race.problem import Problem


def rosenbrock(x):
    """x: (n,)"""
    total = 0.0
    for i in range(x.shape[0] - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


def make(n):
    """A point between -1.5 and 1.5."""
    return (np.random.default_rng(1).uniform(-1.5, 1.5, n),)


def by_hand(x):
    """Two slices, and one product used twice."""
    x_ct = np.zeros_like(x)
    head = x[:-1]
    b = x[1:] - head * head
    x_ct[:-1] = -400.0 * b * head - 2.0 * (1.0 - head)
    x_ct[1:] += 200.0 * b
    return x_ct


def limit(x):
    """Gather: each component is written once, from both of its terms."""
    n = x.shape[0]
    x_ct = np.empty(n)
    x_ct[0] = -400.0 * (x[1] - x[0] * x[0]) * x[0] - 2.0 * (1.0 - x[0])
    for i in range(1, n - 1):
        a = x[i]
        x_ct[i] = 200.0 * (a - x[i - 1] * x[i - 1]) - 400.0 * (x[i + 1] - a * a) * a - 2.0 * (1.0 - a)
    x_ct[n - 1] = 200.0 * (x[n - 1] - x[n - 2] * x[n - 2])
    return x_ct


def with_jax():
    """A `fori_loop`, which reverses because its bounds are known."""
    from jax import lax

    def f(x):
        def body(i, total):
            return total + 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2

        return lax.fori_loop(0, x.shape[0] - 1, body, 0.0)

    return f


def with_jax_in_slices():
    """The loop rewritten."""
    from jax import numpy as jnp

    return lambda x: jnp.sum(100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2)


def with_torch():
    """Slices: a loop over elements takes milliseconds for a hundred of them."""

    def f(x):
        return (100.0 * (x[1:] - x[:-1] ** 2) ** 2 + (1.0 - x[:-1]) ** 2).sum()

    return f


def with_casadi():
    """The loop as it stands, unrolled into a graph of scalars."""

    def f(x):
        total = 0.0
        for i in range(x.shape[0] - 1):
            total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
        return total

    return f


RACE = Problem(
    "rosenbrock",
    "Rosenbrock as a loop",
    rosenbrock,
    make,
    7,
    (100, 1_000, 10_000, 1_000_000),
    by_hand,
    limit,
    {"jax": with_jax, "jax, by an expert": with_jax_in_slices, "torch": with_torch, "casadi": with_casadi},
)
