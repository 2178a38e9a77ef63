"""Matrix products as loops and in place, and a reduction to a number by way of a temporary."""

from __future__ import annotations

from math import log1p

import numpy as np

from benchmarks.race.problem import Problem, under

SCALARS = "its graph of scalars would have a node for each product"


def matmul_nest(A, B):
    """A: (m, k), B: (k, n)"""
    m, inner = A.shape
    n = B.shape[1]
    C = np.zeros((m, n))
    for i in range(m):
        for j in range(n):
            for k in range(inner):
                C[i, j] += A[i, k] * B[k, j]
    return np.sum(C * C)


def make_square(n):
    """Two square matrices."""
    return tuple(np.random.default_rng(1).normal(size=(2, n, n)))


def matmul_by_hand(A, B):
    """Three products."""
    C = A @ B
    C *= 2.0
    return C @ B.T, A.T @ C


def matmul_limit(A, B):
    """The same, from BLAS."""
    C = np.dot(A, B)
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            C[i, j] *= 2.0
    return np.dot(C, B.T), np.dot(A.T, C)


def product():
    """The product: nobody writes it as loops."""
    return lambda A, B: ((A @ B) ** 2).sum()


def product_in_casadi():
    """Scalars: the product is unrolled."""
    import casadi

    return lambda A, B: casadi.sumsqr(A @ B)


def reduction(x, y, w):
    """Weighted logarithms of squared differences, element by element. x, y, w: (n,)"""
    total = 0.0
    for i in range(x.shape[0]):
        difference = x[i] - y[i]
        square = difference * difference
        total += w[i] * np.log1p(square)
    return total


def make_vectors(n):
    """Three vectors."""
    return tuple(np.random.default_rng(1).normal(size=(3, n)))


def reduction_by_hand(x, y, w):
    """Whole vectors."""
    difference = x - y
    square = difference * difference
    slope = 2.0 * w * difference / (1.0 + square)
    return slope, np.log1p(square)


def reduction_limit(x, y, w):
    """The temporary is computed again; there is no tape."""
    n = x.shape[0]
    x_ct, w_ct = np.empty(n), np.empty(n)
    for i in range(n):
        difference = x[i] - y[i]
        one = 1.0 + difference * difference
        x_ct[i] = 2.0 * w[i] * difference / one
        w_ct[i] = log1p(difference * difference)
    return x_ct, w_ct


def reduction_in_jax():
    """Whole vectors."""
    from jax import numpy as jnp

    return lambda x, y, w: jnp.sum(w * jnp.log1p((x - y) ** 2))


def reduction_in_torch():
    """Whole vectors."""
    import torch

    return lambda x, y, w: torch.sum(w * torch.log1p((x - y) ** 2))


def reduction_in_casadi():
    """Whole vectors."""
    import casadi

    return lambda x, y, w: casadi.sum1(w * casadi.log1p((x - y) ** 2))


def in_place(A, B, c0):
    """A product that overwrites what was used before. A: (m, k), B: (k, n), c0: (m, n)"""
    C = c0.copy()
    total = np.sum(C * C)
    np.matmul(A, B, out=C)
    return total + np.sum(C * C * C)


def make_in_place(size):
    """The three sizes of a product."""
    m, k, n = size
    chance = np.random.default_rng(1)
    return chance.normal(size=(m, k)), chance.normal(size=(k, n)), chance.normal(size=(m, n))


def in_place_by_hand(A, B, c0):
    """Nothing has to be saved but the argument itself."""
    C = A @ B
    C *= C
    C *= 3.0
    return C @ B.T, A.T @ C, 2.0 * c0


def in_place_limit(A, B, c0):
    """Loops for one small product, BLAS for the others."""
    C = np.dot(A, B)
    c_ct = np.empty_like(c0)
    for i in range(C.shape[0]):
        for j in range(C.shape[1]):
            C[i, j] = 3.0 * C[i, j] * C[i, j]
            c_ct[i, j] = 2.0 * c0[i, j]
    return np.dot(C, B.T), np.dot(A.T, C), c_ct


def _not_in_place(A, B, c0):
    """Without the assignment."""
    return np.sum(c0 * c0) + np.sum((A @ B) * (A @ B) * (A @ B))


def in_place_in_casadi():
    """Without the assignment."""
    import casadi

    return lambda A, B, c0: casadi.sumsqr(c0) + casadi.sum1(casadi.sum2((A @ B) ** 3))


RACES = (
    Problem(
        "matmul-nest",
        "Matrix product as a nest of loops",
        matmul_nest,
        make_square,
        3,
        (16, 64),
        matmul_by_hand,
        matmul_limit,
        {"jax": product, "torch": product, "casadi": product_in_casadi, "autograd": product},
        wrt=(0, 1),
    ),
    Problem(
        "reduction",
        "Reduction with a temporary",
        reduction,
        make_vectors,
        5,
        (1_000, 100_000),
        reduction_by_hand,
        reduction_limit,
        {"jax": reduction_in_jax, "torch": reduction_in_torch, "casadi": reduction_in_casadi},
        wrt=(0, 2),
    ),
    Problem(
        "matmul-in-place",
        "Matrix product in place (rows, inner, columns)",
        in_place,
        make_in_place,
        (3, 4, 2),
        ((16, 32, 8), (128, 128, 128)),
        in_place_by_hand,
        in_place_limit,
        {
            "jax": under(_not_in_place, "jax.numpy"),
            "torch": under(_not_in_place, "torch"),
            "autograd": under(_not_in_place, "autograd.numpy"),
            "casadi": in_place_in_casadi,
        },
        wrt=(0, 1, 2),
    ),
)
