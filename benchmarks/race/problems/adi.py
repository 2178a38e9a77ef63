"""Alternating directions, implicit, as NPBench has it: the gradient of the summed final state by the initial one."""

from __future__ import annotations

import numpy as np

from benchmarks.race.problem import Problem
from benchmarks.race.problems.jacobi import ASSIGNS, SCALARS


def adi(u0, steps):
    """u0: (n, n)"""
    n = u0.shape[0]
    u = u0.copy()
    v = np.zeros((n, n))
    p = np.zeros((n, n))
    q = np.zeros((n, n))
    first = 2.0 * n * n / steps
    second = 1.0 * n * n / steps
    a = c = -first / 2.0
    b = 1.0 + first
    d = f = -second / 2.0
    e = 1.0 + second
    for _ in range(steps):
        v[0, 1:-1] = 1.0
        p[1:-1, 0] = 0.0
        q[1:-1, 0] = v[0, 1:-1]
        for j in range(1, n - 1):
            p[1:-1, j] = -c / (a * p[1:-1, j - 1] + b)
            q[1:-1, j] = (-d * u[j, :-2] + (1.0 + 2.0 * d) * u[j, 1:-1] - f * u[j, 2:] - a * q[1:-1, j - 1]) / (
                a * p[1:-1, j - 1] + b
            )
        v[n - 1, 1:-1] = 1.0
        for j in range(n - 2, 0, -1):
            v[j, 1:-1] = p[1:-1, j] * v[j + 1, 1:-1] + q[1:-1, j]
        u[1:-1, 0] = 1.0
        p[1:-1, 0] = 0.0
        q[1:-1, 0] = u[1:-1, 0]
        for j in range(1, n - 1):
            p[1:-1, j] = -f / (d * p[1:-1, j - 1] + e)
            q[1:-1, j] = (-a * v[:-2, j] + (1.0 + 2.0 * a) * v[1:-1, j] - c * v[2:, j] - d * q[1:-1, j - 1]) / (
                d * p[1:-1, j - 1] + e
            )
        u[1:-1, n - 1] = 1.0
        for j in range(n - 2, 0, -1):
            u[1:-1, j] = p[1:-1, j] * u[1:-1, j + 1] + q[1:-1, j]
    return np.sum(u)


def make(size):
    """A square of side `n` and a number of steps."""
    n, steps = size
    return np.random.default_rng(1).uniform(size=(n, n)), steps


def _pivots(n, below, diagonal):
    """What elimination multiplies and divides by: the same in every row."""
    p, over = np.zeros(n), np.ones(n)
    for j in range(1, n - 1):
        over[j] = 1.0 / (below * p[j - 1] + diagonal)
        p[j] = -below * over[j]
    return p, over


def by_hand(u0, steps):
    """The map is linear, with tridiagonal systems of constant coefficients; both sweeps run the other way."""
    n = u0.shape[0]
    a, d = -1.0 * n * n / steps, -0.5 * n * n / steps
    p1, over1 = _pivots(n, a, 1.0 - 2.0 * a)
    p2, over2 = _pivots(n, d, 1.0 - 2.0 * d)
    U, V = np.ones_like(u0), np.zeros_like(u0)
    for _ in range(steps):
        for into, out, p, over, own, other in ((U.T, V.T, p2, over2, d, a), (V, U, p1, over1, a, d)):
            q = np.zeros((n, n - 2))
            for j in range(1, n - 1):
                q[j] = into[j, 1:-1]
                into[j + 1, 1:-1] += p[j] * q[j]
                into[j, 1:-1] = 0.0
            into[n - 1, 1:-1] = 0.0
            for j in range(n - 2, 0, -1):
                s = q[j] * over[j]
                out[j, :-2] -= other * s
                out[j, 1:-1] += (1.0 + 2.0 * other) * s
                out[j, 2:] -= other * s
                q[j - 1] -= own * s
            into[0, 1:-1] = 0.0
    return U


def limit(u0, steps):
    """Every sweep along rows of contiguous numbers: half of the work is done on transposed copies."""
    n = u0.shape[0]
    here, there = np.ones((n, n)), np.zeros((n, n))
    q = np.zeros((n, n))
    pivots, divisors = np.zeros((2, n)), np.ones((2, n))
    for half in range(2):
        own = (-0.5 if half == 0 else -1.0) * n * n / steps
        for j in range(1, n - 1):
            divisors[half, j] = 1.0 / (own * pivots[half, j - 1] + 1.0 - 2.0 * own)
            pivots[half, j] = -own * divisors[half, j]
    for turn in range(2 * steps):
        half = turn % 2
        own = (-0.5 if half == 0 else -1.0) * n * n / steps
        other = (-1.0 if half == 0 else -0.5) * n * n / steps
        middle = 1.0 + 2.0 * other
        for i in range(1, n - 1):
            q[1, i] = here[1, i]
        for j in range(2, n - 1):
            p = pivots[half, j - 1]
            for i in range(1, n - 1):
                q[j, i] = here[j, i] + p * q[j - 1, i]
        for j in range(n):
            for i in range(1, n - 1):
                here[j, i] = 0.0
        for j in range(n - 2, 0, -1):
            over, back = divisors[half, j], own * divisors[half, j]
            for i in range(1, n - 1):
                q[j - 1, i] -= back * q[j, i]
                q[j, i] *= over
            q[j, 0], q[j, n - 1] = 0.0, 0.0
            there[j, 0] -= other * q[j, 1]
            there[j, n - 1] -= other * q[j, n - 2]
            for i in range(1, n - 1):
                there[j, i] += middle * q[j, i] - other * (q[j, i - 1] + q[j, i + 1])
        here, there = there.T.copy(), here.T.copy()
    return here.T.copy()


def with_jax():
    """Scans: over the steps, and in each over the columns there and back."""
    from jax import lax
    from jax import numpy as jnp

    def half(into, u, own, diagonal, other):
        def forward(carried, rows):
            p, q = carried
            over = 1.0 / (own * p + diagonal)
            p, q = -own * over, (-other * rows[:-2] + (1.0 + 2.0 * other) * rows[1:-1] - other * rows[2:] - own * q) * over
            return (p, q), (p, q)

        ones = jnp.ones(u.shape[0] - 2)
        _, (ps, qs) = lax.scan(forward, (0.0, ones), u[1:-1])

        def backward(v, pq):
            v = pq[0] * v + pq[1]
            return v, v

        _, vs = lax.scan(backward, ones, (ps, qs), reverse=True)
        return into.at[0, 1:-1].set(1.0).at[-1, 1:-1].set(1.0).at[1:-1, 1:-1].set(vs)

    def f(u0, steps):
        n = u0.shape[0]
        a, d = -1.0 * n * n / steps, -0.5 * n * n / steps

        def step(state, _):
            u, v = state
            v = half(v, u, a, 1.0 - 2.0 * a, d)
            u = half(u.T, v.T, d, 1.0 - 2.0 * d, a).T
            return (u, v), None

        return jnp.sum(lax.scan(step, (u0, jnp.zeros_like(u0)), length=steps)[0][0])

    return f


def with_torch():
    """Lists of rows, stacked: assignments in such a loop would be as many copies."""
    import torch

    def half(into, u, own, diagonal, other):
        p, q, rows = 0.0, torch.ones(u.shape[0] - 2, dtype=u.dtype), []
        right = -other * u[1:-1, :-2] + (1.0 + 2.0 * other) * u[1:-1, 1:-1] - other * u[1:-1, 2:]
        for row in right:
            over = 1.0 / (own * p + diagonal)
            p, q = -own * over, (row - own * q) * over
            rows.append((p, q))
        v, found = torch.ones_like(q), [torch.ones_like(q)]
        for p, q in reversed(rows):
            v = p * v + q
            found.append(v)
        found.append(torch.ones_like(q))
        into = into.clone()
        into[:, 1:-1] = torch.stack(found[::-1])
        return into

    def f(u0, steps):
        n = u0.shape[0]
        a, d = -1.0 * n * n / steps, -0.5 * n * n / steps
        u, v = u0, torch.zeros_like(u0)
        for _ in range(steps):
            v = half(v, u, a, 1.0 - 2.0 * a, d)
            u = half(u.T, v.T, d, 1.0 - 2.0 * d, a).T
        return u.sum()

    return f


RACE = Problem(
    "adi",
    "ADI (side, steps)",
    adi,
    make,
    (6, 3),
    ((50, 20), (200, 50)),
    by_hand,
    limit,
    {"jax": with_jax, "torch": with_torch},
    {"autograd": ASSIGNS, "casadi": SCALARS},
)
