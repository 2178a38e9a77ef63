"""Loops over triangles: a Cholesky factor row by row, and the recursion of Durbin for a Toeplitz system.

The gradient of the logarithm of a determinant by the matrix, and of the summed solution by the autocorrelations. What iterations
of the inner loops touch are slices, each of another length: `A[i, :j]`, `r[:k]`.

Source: Golub and Van Loan, Matrix Computations, 4th edition (2013), algorithms 4.2.1 and 4.7.1; the gradient of the factor by
loops backwards: Smith, Differentiation of the Cholesky algorithm (1995).
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from benchmarks.race.problem import Problem
from benchmarks.race.problems.jacobi import ASSIGNS, SCALARS

WRITTEN = "its products keep what the next iteration writes to"


def cholesky(a):
    """a: (n, n), positive definite; its lower triangle is read"""
    A = a.copy()
    for i in range(A.shape[0]):
        for j in range(i):
            A[i, j] = (A[i, j] - A[i, :j] @ A[j, :j]) / A[j, j]
        A[i, i] = np.sqrt(A[i, i] - A[i, :i] @ A[i, :i])
    return 2.0 * np.sum(np.log(np.diag(A)))


def make_definite(size):
    """A product of a square matrix with itself, and some of the identity."""
    (n,) = size
    root = np.random.default_rng(1).uniform(size=(n, n))
    return (root @ root.T + n * np.eye(n),)


def cholesky_by_hand(a):
    """Rows backwards, in each the entries backwards."""
    n = a.shape[0]
    A = np.linalg.cholesky(a)
    A_ct, a_ct = np.zeros_like(a), np.zeros_like(a)
    A_ct[np.diag_indices(n)] = 2.0 / np.diag(A)
    for i in range(n - 1, -1, -1):
        a_ct[i, i] = A_ct[i, i] / (2.0 * A[i, i])
        A_ct[i, :i] -= 2.0 * a_ct[i, i] * A[i, :i]
        for j in range(i - 1, -1, -1):
            share = A_ct[i, j] / A[j, j]
            a_ct[i, j] = share
            A_ct[j, j] -= share * A[i, j]
            A_ct[i, :j] -= share * A[j, :j]
            A_ct[j, :j] -= share * A[i, :j]
    return a_ct


def cholesky_limit(a):
    """The same, the factor by loops too."""
    n = a.shape[0]
    A, A_ct, a_ct = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            total = a[i, j]
            for k in range(j):
                total -= A[i, k] * A[j, k]
            A[i, j] = sqrt(total) if i == j else total / A[j, j]
    for i in range(n):
        A_ct[i, i] = 2.0 / A[i, i]
    for i in range(n - 1, -1, -1):
        own = A_ct[i, i] / (2.0 * A[i, i])
        a_ct[i, i] = own
        for k in range(i):
            A_ct[i, k] -= 2.0 * own * A[i, k]
        for j in range(i - 1, -1, -1):
            share = A_ct[i, j] / A[j, j]
            a_ct[i, j] = share
            A_ct[j, j] -= share * A[i, j]
            for k in range(j):
                A_ct[i, k] -= share * A[j, k]
                A_ct[j, k] -= share * A[i, k]
    return a_ct


def cholesky_with_jax():
    """Loops of a known number of iterations, masks for the lengths."""
    from jax import lax
    from jax import numpy as jnp

    def f(a):
        n = a.shape[0]
        places = jnp.arange(n)

        def entry(j, state):
            A, i = state
            dot = jnp.sum(jnp.where(places < j, A[i] * A[j], 0.0))
            return jnp.where(j < i, A.at[i, j].set((A[i, j] - dot) / A[j, j]), A), i

        def row(i, A):
            A, _ = lax.fori_loop(0, n, entry, (A, i))
            below = jnp.where(places < i, A[i], 0.0)
            return A.at[i, i].set(jnp.sqrt(A[i, i] - below @ below))

        return 2.0 * jnp.sum(jnp.log(jnp.diag(lax.fori_loop(0, n, row, a))))

    return f


def cholesky_with_jax_by_lapack():
    """LAPACK's factor of what the lower triangle says."""
    from jax import numpy as jnp

    def f(a):
        below = jnp.tril(a, -1)
        return 2.0 * jnp.sum(jnp.log(jnp.diag(jnp.linalg.cholesky(below + below.T + jnp.diag(jnp.diag(a))))))

    return f


def durbin(r):
    """r: (n,), autocorrelations below one"""
    y = np.zeros(r.shape[0])
    alpha = -r[0]
    beta = 1.0
    y[0] = alpha
    for k in range(1, r.shape[0]):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return np.sum(y * y)


def make_correlations(size):
    """Autocorrelations that fall off."""
    (n,) = size
    return (0.5 ** np.arange(1, n + 1) * np.random.default_rng(1).uniform(0.5, 1.0, n),)


def durbin_by_hand(r):
    """Steps backwards, with the solutions of all steps kept."""
    n = r.shape[0]
    alphas, betas, ys = np.zeros(n), np.ones(n), np.zeros((n, n))
    alphas[0] = ys[0, 0] = -r[0]
    for k in range(1, n):
        betas[k] = betas[k - 1] * (1.0 - alphas[k - 1] ** 2)
        before = ys[k - 1, :k]
        alphas[k] = -(r[k] + r[:k][::-1] @ before) / betas[k]
        ys[k, :k] = before + alphas[k] * before[::-1]
        ys[k, k] = alphas[k]
    r_ct, y_ct = np.zeros(n), 2.0 * ys[n - 1]
    alpha_ct = beta_ct = 0.0
    for k in range(n - 1, 0, -1):
        before = ys[k - 1, :k]
        alpha_ct += y_ct[k] + y_ct[:k] @ before[::-1]
        share = -alpha_ct / betas[k]
        y_ct[:k] += alphas[k] * y_ct[:k][::-1] + share * r[:k][::-1]
        r_ct[k] += share
        r_ct[:k] += share * before[::-1]
        beta_ct += share * alphas[k]
        alpha_ct = -2.0 * alphas[k - 1] * betas[k - 1] * beta_ct
        beta_ct *= 1.0 - alphas[k - 1] ** 2
    r_ct[0] -= alpha_ct + y_ct[0]
    return r_ct


def durbin_limit(r):
    """The same in loops, two ends of a row at a time."""
    n = r.shape[0]
    alphas, betas, ys = np.zeros(n), np.ones(n), np.zeros((n, n))
    alphas[0] = ys[0, 0] = -r[0]
    for k in range(1, n):
        betas[k] = betas[k - 1] * (1.0 - alphas[k - 1] * alphas[k - 1])
        total = r[k]
        for i in range(k):
            total += r[k - 1 - i] * ys[k - 1, i]
        alpha = -total / betas[k]
        alphas[k] = alpha
        for i in range(k):
            ys[k, i] = ys[k - 1, i] + alpha * ys[k - 1, k - 1 - i]
        ys[k, k] = alpha
    r_ct, y_ct, kept = np.zeros(n), np.zeros(n), np.zeros(n)
    for i in range(n):
        y_ct[i] = 2.0 * ys[n - 1, i]
    alpha_ct = 0.0
    beta_ct = 0.0
    for k in range(n - 1, 0, -1):
        alpha_ct += y_ct[k]
        for i in range(k):
            alpha_ct += y_ct[i] * ys[k - 1, k - 1 - i]
            kept[i] = y_ct[i]
        share = -alpha_ct / betas[k]
        for i in range(k):
            y_ct[i] += alphas[k] * kept[k - 1 - i] + share * r[k - 1 - i]
            r_ct[i] += share * ys[k - 1, k - 1 - i]
        r_ct[k] += share
        beta_ct += share * alphas[k]
        alpha_ct = -2.0 * alphas[k - 1] * betas[k - 1] * beta_ct
        beta_ct *= 1.0 - alphas[k - 1] * alphas[k - 1]
    r_ct[0] -= alpha_ct + y_ct[0]
    return r_ct


def durbin_with_jax():
    """A loop over all of `y`, rolled to the length of the step."""
    from jax import lax
    from jax import numpy as jnp

    def f(r):
        n = r.shape[0]
        places = jnp.arange(n)

        def step(k, state):
            y, alpha, beta = state
            beta = beta * (1.0 - alpha * alpha)
            back = jnp.where(places < k, (k - 1 - places) % n, places)
            known = jnp.where(places < k, 1.0, 0.0)
            alpha = -(r[k] + jnp.sum(known * r[back] * y)) / beta
            return (y + alpha * known * y[back]).at[k].set(alpha), alpha, beta

        y = jnp.zeros(n).at[0].set(-r[0])
        y, _, _ = lax.fori_loop(1, n, step, (y, -r[0], 1.0))
        return jnp.sum(y * y)

    return f


RACES = (
    Problem(
        "cholesky-loops",
        "Cholesky by rows (side)",
        cholesky,
        make_definite,
        (4,),
        ((40,), (150,)),
        cholesky_by_hand,
        cholesky_limit,
        {"jax": cholesky_with_jax, "jax, by an expert": cholesky_with_jax_by_lapack},
        {"autograd": ASSIGNS, "casadi": SCALARS, "torch": WRITTEN},
    ),
    Problem(
        "durbin",
        "Durbin's recursion (numbers)",
        durbin,
        make_correlations,
        (5,),
        ((100,), (400,)),
        durbin_by_hand,
        durbin_limit,
        {"jax": durbin_with_jax},
        {"autograd": ASSIGNS, "casadi": SCALARS, "torch": WRITTEN},
    ),
)
