"""Jacobi's iteration in two dimensions, as NPBench has it: the gradient of the summed final state by the initial one."""

from __future__ import annotations

import numpy as np

from benchmarks.race.problem import Problem

ASSIGNS = "its arrays take no assignments"
SCALARS = "its graph of scalars would have a node for each point and step"
prange = range


def jacobi(a0, steps):
    """a0: (n, n)"""
    A = a0.copy()
    B = a0.copy()
    for _ in range(steps):
        B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
        A[1:-1, 1:-1] = 0.2 * (B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1])
    return np.sum(A)


def make(size):
    """A square of side `n` and a number of steps."""
    n, steps = size
    return np.random.default_rng(1).uniform(size=(n, n)), steps


def by_hand(a0, steps):
    """The stencil is symmetric: its transpose gathers from a square whose rim is zero, and the rim collects what reaches it."""
    P = np.zeros_like(a0)
    P[1:-1, 1:-1] = 1.0
    Q = np.zeros_like(a0)
    rim = np.ones_like(a0)
    for _ in range(2 * steps):
        rim[0, 1:-1] += 0.2 * P[1, 1:-1]
        rim[-1, 1:-1] += 0.2 * P[-2, 1:-1]
        rim[1:-1, 0] += 0.2 * P[1:-1, 1]
        rim[1:-1, -1] += 0.2 * P[1:-1, -2]
        inner = Q[1:-1, 1:-1]
        np.add(P[1:-1, 1:-1], P[1:-1, :-2], out=inner)
        inner += P[1:-1, 2:]
        inner += P[2:, 1:-1]
        inner += P[:-2, 1:-1]
        inner *= 0.2
        P, Q = Q, P
    rim[1:-1, 1:-1] = P[1:-1, 1:-1]
    return rim


def limit(a0, steps):
    """The same, row by row."""
    n, m = a0.shape
    P, Q = np.zeros((n, m)), np.zeros((n, m))
    rim = np.ones((n, m))
    P[1 : n - 1, 1 : m - 1] = 1.0
    for _ in range(2 * steps):
        for j in range(1, m - 1):
            rim[0, j] += 0.2 * P[1, j]
            rim[n - 1, j] += 0.2 * P[n - 2, j]
        for i in prange(1, n - 1):
            rim[i, 0] += 0.2 * P[i, 1]
            rim[i, m - 1] += 0.2 * P[i, m - 2]
            for j in range(1, m - 1):
                Q[i, j] = 0.2 * (P[i, j] + P[i, j - 1] + P[i, j + 1] + P[i + 1, j] + P[i - 1, j])
        P, Q = Q, P
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            rim[i, j] = P[i, j]
    return rim


def with_jax():
    """`scan` over the steps, `at[].set` for the assignments."""
    from jax import lax
    from jax import numpy as jnp

    def smoothed(u):
        return 0.2 * (u[1:-1, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] + u[2:, 1:-1] + u[:-2, 1:-1])

    def f(a0, steps):
        def step(state, _):
            A, B = state
            B = B.at[1:-1, 1:-1].set(smoothed(A))
            A = A.at[1:-1, 1:-1].set(smoothed(B))
            return (A, B), None

        (A, _), _ = lax.scan(step, (a0, a0), length=steps)
        return jnp.sum(A)

    return f


def with_torch():
    """As NumPy has it: assignments to slices are recorded."""

    def f(a0, steps):
        A, B = a0.clone(), a0.clone()
        for _ in range(steps):
            B[1:-1, 1:-1] = 0.2 * (A[1:-1, 1:-1] + A[1:-1, :-2] + A[1:-1, 2:] + A[2:, 1:-1] + A[:-2, 1:-1])
            A[1:-1, 1:-1] = 0.2 * (B[1:-1, 1:-1] + B[1:-1, :-2] + B[1:-1, 2:] + B[2:, 1:-1] + B[:-2, 1:-1])
        return A.sum()

    return f


RACE = Problem(
    "jacobi",
    "Jacobi 2-D (side, steps)",
    jacobi,
    make,
    (5, 3),
    ((150, 50), (700, 200)),
    by_hand,
    limit,
    {"jax": with_jax, "torch": with_torch},
    {"autograd": ASSIGNS, "casadi": SCALARS},
)
