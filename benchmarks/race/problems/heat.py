"""The heat equation in three dimensions, as NPBench has it: the gradient of the summed final state by the initial one."""

from __future__ import annotations

import numpy as np

from benchmarks.race.problem import Problem
from benchmarks.race.problems.jacobi import ASSIGNS, SCALARS

prange = range


def heat(a0, steps):
    """a0: (n, n, n)"""
    A = a0.copy()
    B = a0.copy()
    for _ in range(steps):
        B[1:-1, 1:-1, 1:-1] = (
            0.125 * (A[2:, 1:-1, 1:-1] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[:-2, 1:-1, 1:-1])
            + 0.125 * (A[1:-1, 2:, 1:-1] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[1:-1, :-2, 1:-1])
            + 0.125 * (A[1:-1, 1:-1, 2:] - 2.0 * A[1:-1, 1:-1, 1:-1] + A[1:-1, 1:-1, :-2])
            + A[1:-1, 1:-1, 1:-1]
        )
        A[1:-1, 1:-1, 1:-1] = (
            0.125 * (B[2:, 1:-1, 1:-1] - 2.0 * B[1:-1, 1:-1, 1:-1] + B[:-2, 1:-1, 1:-1])
            + 0.125 * (B[1:-1, 2:, 1:-1] - 2.0 * B[1:-1, 1:-1, 1:-1] + B[1:-1, :-2, 1:-1])
            + 0.125 * (B[1:-1, 1:-1, 2:] - 2.0 * B[1:-1, 1:-1, 1:-1] + B[1:-1, 1:-1, :-2])
            + B[1:-1, 1:-1, 1:-1]
        )
    return np.sum(A)


def make(size):
    """A cube of side `n` and a number of steps."""
    n, steps = size
    return np.random.default_rng(1).uniform(size=(n, n, n)), steps


def by_hand(a0, steps):
    """The stencil is symmetric.

    Its transpose gathers from a cube whose faces are zero, and the faces collect what reaches them.
    """
    P = np.zeros_like(a0)
    P[1:-1, 1:-1, 1:-1] = 1.0
    Q = np.zeros_like(a0)
    rim = np.ones_like(a0)
    for _ in range(2 * steps):
        for axis in range(3):
            faces, within = np.moveaxis(rim, axis, 0), np.moveaxis(P, axis, 0)
            faces[0] += 0.125 * within[1]
            faces[-1] += 0.125 * within[-2]
        inner = Q[1:-1, 1:-1, 1:-1]
        np.multiply(P[1:-1, 1:-1, 1:-1], 2.0, out=inner)
        inner += P[2:, 1:-1, 1:-1]
        inner += P[:-2, 1:-1, 1:-1]
        inner += P[1:-1, 2:, 1:-1]
        inner += P[1:-1, :-2, 1:-1]
        inner += P[1:-1, 1:-1, 2:]
        inner += P[1:-1, 1:-1, :-2]
        inner *= 0.125
        P, Q = Q, P
    rim[1:-1, 1:-1, 1:-1] = P[1:-1, 1:-1, 1:-1]
    return rim


def limit(a0, steps):
    """The same, row by row."""
    n = a0.shape[0]
    P, Q = np.zeros((n, n, n)), np.zeros((n, n, n))
    rim = np.ones((n, n, n))
    for i in range(1, n - 1):
        P[i, 1 : n - 1, 1 : n - 1] = 1.0
    for _ in range(2 * steps):
        for j in range(1, n - 1):
            for k in range(1, n - 1):
                rim[0, j, k] += 0.125 * P[1, j, k]
                rim[n - 1, j, k] += 0.125 * P[n - 2, j, k]
        for i in prange(1, n - 1):
            for k in range(1, n - 1):
                rim[i, 0, k] += 0.125 * P[i, 1, k]
                rim[i, n - 1, k] += 0.125 * P[i, n - 2, k]
            for j in range(1, n - 1):
                rim[i, j, 0] += 0.125 * P[i, j, 1]
                rim[i, j, n - 1] += 0.125 * P[i, j, n - 2]
                for k in range(1, n - 1):
                    Q[i, j, k] = 0.25 * P[i, j, k] + 0.125 * (
                        P[i + 1, j, k] + P[i - 1, j, k] + P[i, j + 1, k] + P[i, j - 1, k] + P[i, j, k + 1] + P[i, j, k - 1]
                    )
        P, Q = Q, P
    for i in range(1, n - 1):
        for j in range(1, n - 1):
            for k in range(1, n - 1):
                rim[i, j, k] = P[i, j, k]
    return rim


def with_jax():
    """`scan` over the steps, `at[].set` for the assignments."""
    from jax import lax
    from jax import numpy as jnp

    def stepped(u):
        inner = u[1:-1, 1:-1, 1:-1]
        return (
            0.125 * (u[2:, 1:-1, 1:-1] - 2.0 * inner + u[:-2, 1:-1, 1:-1])
            + 0.125 * (u[1:-1, 2:, 1:-1] - 2.0 * inner + u[1:-1, :-2, 1:-1])
            + 0.125 * (u[1:-1, 1:-1, 2:] - 2.0 * inner + u[1:-1, 1:-1, :-2])
            + inner
        )

    def f(a0, steps):
        def step(state, _):
            A, B = state
            B = B.at[1:-1, 1:-1, 1:-1].set(stepped(A))
            A = A.at[1:-1, 1:-1, 1:-1].set(stepped(B))
            return (A, B), None

        (A, _), _ = lax.scan(step, (a0, a0), length=steps)
        return jnp.sum(A)

    return f


def with_torch():
    """As NumPy has it: assignments to slices are recorded."""

    def stepped(u):
        inner = u[1:-1, 1:-1, 1:-1]
        return (
            0.125 * (u[2:, 1:-1, 1:-1] - 2.0 * inner + u[:-2, 1:-1, 1:-1])
            + 0.125 * (u[1:-1, 2:, 1:-1] - 2.0 * inner + u[1:-1, :-2, 1:-1])
            + 0.125 * (u[1:-1, 1:-1, 2:] - 2.0 * inner + u[1:-1, 1:-1, :-2])
            + inner
        )

    def f(a0, steps):
        A, B = a0.clone(), a0.clone()
        for _ in range(steps):
            B[1:-1, 1:-1, 1:-1] = stepped(A)
            A[1:-1, 1:-1, 1:-1] = stepped(B)
        return A.sum()

    return f


RACE = Problem(
    "heat",
    "Heat 3-D (side, steps)",
    heat,
    make,
    (4, 3),
    ((25, 25), (70, 100)),
    by_hand,
    limit,
    {"jax": with_jax, "torch": with_torch},
    {"autograd": ASSIGNS, "casadi": SCALARS},
)
