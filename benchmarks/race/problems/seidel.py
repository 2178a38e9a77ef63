"""Gauss and Seidel's iteration in two dimensions, as NPBench has it.

The gradient of the summed final state by the initial one.
"""

from __future__ import annotations

import numpy as np

from benchmarks.race.problem import Problem
from benchmarks.race.problems.jacobi import ASSIGNS, SCALARS


def seidel(a0, steps):
    """a0: (n, n)"""
    A = a0.copy()
    n = A.shape[0]
    for _ in range(steps):
        for i in range(1, n - 1):
            A[i, 1:-1] += A[i - 1, :-2] + A[i - 1, 1:-1] + A[i - 1, 2:] + A[i, 2:] + A[i + 1, :-2] + A[i + 1, 1:-1] + A[i + 1, 2:]
            for j in range(1, n - 1):
                A[i, j] += A[i, j - 1]
                A[i, j] /= 9.0
    return np.sum(A)


def make(size):
    """A square of side `n` and a number of steps."""
    n, steps = size
    return np.random.default_rng(1).uniform(size=(n, n)), steps


def by_hand(a0, steps):
    """Rows backwards; in each the recurrence backwards, then the row's stencil spreads."""
    n = a0.shape[0]
    A_ct = np.ones_like(a0)
    for _ in range(steps):
        for i in range(n - 2, 0, -1):
            row = A_ct[i]
            for j in range(n - 2, 0, -1):
                row[j] /= 9.0
                row[j - 1] += row[j]
            r = row[1:-1].copy()
            row[2:] += r
            for above in (A_ct[i - 1], A_ct[i + 1]):
                above[:-2] += r
                above[1:-1] += r
                above[2:] += r
    return A_ct


def limit(a0, steps):
    """The recurrence in a register, the rows gathered."""
    n = a0.shape[0]
    A_ct = np.ones((n, n))
    r = np.zeros(n)
    ninth = 1.0 / 9.0
    for _ in range(steps):
        for i in range(n - 2, 0, -1):
            for j in range(1, n - 1):
                r[j] = A_ct[i, j] * ninth
            carry = 0.0
            for j in range(n - 2, 0, -1):
                carry = r[j] + carry * ninth
                r[j] = carry
            A_ct[i, 0] += carry
            A_ct[i, n - 1] += r[n - 2]
            A_ct[i - 1, 0] += r[1]
            A_ct[i - 1, n - 1] += r[n - 2]
            A_ct[i + 1, 0] += r[1]
            A_ct[i + 1, n - 1] += r[n - 2]
            for j in range(1, n - 1):
                three = r[j - 1] + r[j] + r[j + 1]
                A_ct[i - 1, j] += three
                A_ct[i, j] = r[j] + r[j - 1]
                A_ct[i + 1, j] += three
    return A_ct


def with_jax():
    """`fori_loop` in `fori_loop` in `fori_loop`, `at[]` for the assignments."""
    from jax import lax
    from jax import numpy as jnp

    def f(a0, steps):
        n = a0.shape[0]

        def column(j, A_i):
            A, i = A_i
            return A.at[i, j].set((A[i, j] + A[i, j - 1]) / 9.0), i

        def row(i, A):
            up, here, down = A[i - 1], A[i], A[i + 1]
            A = A.at[i, 1:-1].add(up[:-2] + up[1:-1] + up[2:] + here[2:] + down[:-2] + down[1:-1] + down[2:])
            return lax.fori_loop(1, n - 1, column, (A, i))[0]

        return jnp.sum(lax.fori_loop(0, steps, lambda _, A: lax.fori_loop(1, n - 1, row, A), a0))

    return f


def with_jax_by_rows():
    """A scan over the rows whose recurrence is a scan over one row, carrying a number."""
    from jax import lax
    from jax import numpy as jnp

    def f(a0, steps):
        def row(up, rows):
            here, down = rows
            terms = here[1:-1] + up[:-2] + up[1:-1] + up[2:] + here[2:] + down[:-2] + down[1:-1] + down[2:]

            def column(left, term):
                new = (term + left) / 9.0
                return new, new

            _, inner = lax.scan(column, here[0], terms)
            new = jnp.concatenate([here[:1], inner, here[-1:]])
            return new, new

        def step(A, _):
            _, inner = lax.scan(row, A[0], (A[1:-1], A[2:]))
            return jnp.concatenate([A[:1], inner, A[-1:]]), None

        return jnp.sum(lax.scan(step, a0, length=steps)[0])

    return f


def with_torch():
    """As NumPy has it."""

    def f(a0, steps):
        A = a0.clone()
        n = A.shape[0]
        for _ in range(steps):
            for i in range(1, n - 1):
                A[i, 1:-1] += (
                    A[i - 1, :-2] + A[i - 1, 1:-1] + A[i - 1, 2:] + A[i, 2:] + A[i + 1, :-2] + A[i + 1, 1:-1] + A[i + 1, 2:]
                )
                for j in range(1, n - 1):
                    A[i, j] += A[i, j - 1]
                    A[i, j] /= 9.0
        return A.sum()

    return f


RACE = Problem(
    "seidel",
    "Gauss-Seidel 2-D (side, steps)",
    seidel,
    make,
    (6, 2),
    ((100, 15), (200, 40)),
    by_hand,
    limit,
    {"jax": with_jax, "jax, by an expert": with_jax_by_rows, "torch": with_torch},
    {"autograd": ASSIGNS, "casadi": SCALARS},
)
