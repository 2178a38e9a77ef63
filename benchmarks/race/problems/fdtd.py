"""Finite differences in the time domain, two dimensions, as NPBench has it.

The gradient of the summed final fields by the initial ones.
"""

from __future__ import annotations

import numpy as np

from benchmarks.race.problem import Problem
from benchmarks.race.problems.jacobi import ASSIGNS, SCALARS


def fdtd(ex0, ey0, hz0, pulse):
    """ex0, ey0, hz0: (n, n), pulse: (steps,)"""
    ex = ex0.copy()
    ey = ey0.copy()
    hz = hz0.copy()
    for t in range(pulse.shape[0]):
        ey[0, :] = pulse[t]
        ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
        ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
        hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
    return np.sum(ex) + np.sum(ey) + np.sum(hz)


def make(size):
    """A square of side `n` and a number of steps."""
    n, steps = size
    return *np.random.default_rng(1).uniform(size=(3, n, n)), np.sin(0.1 * np.arange(steps))


def by_hand(ex0, ey0, hz0, pulse):
    """The three updates transposed, last first."""
    ex, ey, hz = np.ones_like(ex0), np.ones_like(ey0), np.ones_like(hz0)
    for _ in range(pulse.shape[0]):
        g = 0.7 * hz[:-1, :-1]
        ex[:-1, 1:] -= g
        ex[:-1, :-1] += g
        ey[1:, :-1] -= g
        ey[:-1, :-1] += g
        g = 0.5 * ex[:, 1:]
        hz[:, 1:] -= g
        hz[:, :-1] += g
        g = 0.5 * ey[1:]
        hz[1:] -= g
        hz[:-1] += g
        ey[0] = 0.0
    return ex, ey, hz


def limit(ex0, ey0, hz0, pulse):
    """All three in one sweep over the rows from below: each is gathered from rows that are as they have to be by then."""
    n, m = ex0.shape
    ex, ey, hz = np.ones((n, m)), np.ones((n, m)), np.ones((n, m))
    for _ in range(pulse.shape[0]):
        for i in range(n - 1, -1, -1):
            if i < n - 1:
                ex[i, 0] += 0.7 * hz[i, 0]
                for j in range(1, m - 1):
                    ex[i, j] += 0.7 * (hz[i, j] - hz[i, j - 1])
                ex[i, m - 1] -= 0.7 * hz[i, m - 2]
            if 0 < i < n - 1:
                for j in range(m - 1):
                    ey[i, j] += 0.7 * (hz[i, j] - hz[i - 1, j])
            elif i == 0:
                for j in range(m - 1):
                    ey[0, j] += 0.7 * hz[0, j]
            else:
                for j in range(m - 1):
                    ey[i, j] -= 0.7 * hz[i - 1, j]
            hz[i, 0] += 0.5 * ex[i, 1]
            for j in range(1, m - 1):
                hz[i, j] += 0.5 * (ex[i, j + 1] - ex[i, j])
            hz[i, m - 1] -= 0.5 * ex[i, m - 1]
            if i < n - 1:
                for j in range(m):
                    hz[i, j] += 0.5 * ey[i + 1, j]
            if i > 0:
                for j in range(m):
                    hz[i, j] -= 0.5 * ey[i, j]
        ey[0] = 0.0
    return ex, ey, hz


def with_jax():
    """`scan` over the steps, `at[]` for the assignments."""
    from jax import lax
    from jax import numpy as jnp

    def f(ex0, ey0, hz0, pulse):
        def step(fields, now):
            ex, ey, hz = fields
            ey = ey.at[0, :].set(now)
            ey = ey.at[1:, :].add(-0.5 * (hz[1:, :] - hz[:-1, :]))
            ex = ex.at[:, 1:].add(-0.5 * (hz[:, 1:] - hz[:, :-1]))
            hz = hz.at[:-1, :-1].add(-0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1]))
            return (ex, ey, hz), None

        (ex, ey, hz), _ = lax.scan(step, (ex0, ey0, hz0), pulse)
        return jnp.sum(ex) + jnp.sum(ey) + jnp.sum(hz)

    return f


def with_torch():
    """As NumPy has it."""

    def f(ex0, ey0, hz0, pulse):
        ex, ey, hz = ex0.clone(), ey0.clone(), hz0.clone()
        for now in pulse:
            ey[0, :] = now
            ey[1:, :] -= 0.5 * (hz[1:, :] - hz[:-1, :])
            ex[:, 1:] -= 0.5 * (hz[:, 1:] - hz[:, :-1])
            hz[:-1, :-1] -= 0.7 * (ex[:-1, 1:] - ex[:-1, :-1] + ey[1:, :-1] - ey[:-1, :-1])
        return ex.sum() + ey.sum() + hz.sum()

    return f


RACE = Problem(
    "fdtd",
    "FDTD 2-D (side, steps)",
    fdtd,
    make,
    (5, 3),
    ((100, 50), (500, 100)),
    by_hand,
    limit,
    {"jax": with_jax, "torch": with_torch},
    {"autograd": ASSIGNS, "casadi": SCALARS},
    wrt=(0, 1, 2),
)
