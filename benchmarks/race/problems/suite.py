"""The functions of an inter-framework suite: sums, products of Kronecker, maps, a small network, a Gaussian process, densities.

Source: Mooncake.jl, https://github.com/chalk-lab/Mooncake.jl, `bench/run_benchmarks.jl`: the same functions, in NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import cos, exp, log, sin
from types import SimpleNamespace
from typing import Any

import numpy as np

from benchmarks.race.problem import Function, Problem, under, with_import

MODULES = {"jax": "jax.numpy", "torch": "torch"}
SCALARS = "its graph of scalars would have a node for each number"
NUMBERS = 1_000


def whole_sum(x):
    """x: (n,)"""
    return np.sum(x)


def loop_sum(x):
    """x: (n,)"""
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i]
    return total


def sum_by_hand(x):
    """Ones."""
    return np.ones_like(x)


def sum_sin(x):
    """x: (n,)"""
    return np.sum(np.sin(x))


def loop_sum_sin(x):
    """x: (n,)"""
    total = 0.0
    for i in range(x.shape[0]):
        total += np.sin(x[i])
    return total


def sum_sin_by_hand(x):
    """The cosine."""
    return np.cos(x)


def sum_sin_limit(x):
    """The cosine."""
    y = np.empty(x.shape[0])
    for i in range(x.shape[0]):
        y[i] = cos(x[i])
    return y


def sin_cos_exp(x):
    """x: (n,)"""
    return np.sum(np.sin(np.cos(np.exp(x))))


def loop_sin_cos_exp(x):
    """x: (n,)"""
    y = np.empty_like(x)
    for i in range(x.shape[0]):
        y[i] = np.sin(np.cos(np.exp(x[i])))
    return np.sum(y)


def sin_cos_exp_by_hand(x):
    """The chain rule, twice."""
    e = np.exp(x)
    return -np.cos(np.cos(e)) * np.sin(e) * e


def sin_cos_exp_limit(x):
    """In one sweep."""
    y = np.empty(x.shape[0])
    for i in range(x.shape[0]):
        e = exp(x[i])
        y[i] = -cos(cos(e)) * sin(e) * e
    return y


def kron_sum(x, y):
    """x: (a, b), y: (c, d)"""
    return np.sum(np.kron(x, y))


def kron_by_hand(x, y):
    """The sum of a product of Kronecker is the product of the sums."""
    return np.full_like(x, np.sum(y)), np.full_like(y, np.sum(x))


def kron_limit(x, y):
    """The same."""
    first, second = 0.0, 0.0
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            first += x[i, j]
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            second += y[i, j]
    return np.full(x.shape, second), np.full(y.shape, first)


def network(w2, w1, y, x):
    """Squared errors of a network of two layers. w2: (o, h), w1: (h, d), y: (o, n), x: (d, n)"""
    hidden = w1 @ x
    return np.sum((y - w2 @ (hidden * (hidden > 0.0))) ** 2)


def network_by_hand(w2, w1, y, x):
    """Backpropagation, the data included."""
    hidden = w1 @ x
    active = np.maximum(hidden, 0.0)
    y_ct = 2.0 * (y - w2 @ active)
    hidden_ct = w2.T @ y_ct
    hidden_ct *= np.where(hidden > 0.0, -1.0, 0.0)
    return -(y_ct @ active.T), hidden_ct @ x.T, y_ct, w1.T @ hidden_ct


def network_limit(w2, w1, y, x):
    """The same, with fewer sweeps between the products."""
    active = np.dot(w1, x)
    for i in range(active.shape[0]):
        for j in range(active.shape[1]):
            active[i, j] = max(active[i, j], 0.0)
    y_ct = np.dot(w2, active)
    for i in range(y.shape[0]):
        for j in range(y.shape[1]):
            y_ct[i, j] = 2.0 * (y[i, j] - y_ct[i, j])
    hidden_ct = np.dot(w2.T, y_ct)
    for i in range(active.shape[0]):
        for j in range(active.shape[1]):
            hidden_ct[i, j] = -hidden_ct[i, j] if active[i, j] > 0.0 else 0.0
    w2_ct = np.dot(y_ct, active.T)
    for i in range(w2_ct.shape[0]):
        for j in range(w2_ct.shape[1]):
            w2_ct[i, j] = -w2_ct[i, j]
    return w2_ct, np.dot(hidden_ct, x.T), y_ct, np.dot(w1.T, hidden_ct)


def process(x, y, noise):
    """The log marginal likelihood of a Gaussian process. x: (n, d), y: (n,)"""
    n = x.shape[0]
    squares = np.sum(x * x, 1)
    kernel = np.exp(-0.5 * (squares[:, None] + squares[None, :] - 2.0 * (x @ x.T))) + noise * np.eye(n)
    factor = np.linalg.cholesky(kernel)
    return -0.5 * (y @ np.linalg.solve(kernel, y)) - np.sum(np.log(np.diag(factor))) - 0.9189385332046727 * n


def make_process(n):
    """Places, values and a variance."""
    chance = np.random.default_rng(1)
    return chance.normal(size=(n, 5)), chance.normal(size=n), 0.1


def process_by_hand(x, y, noise):
    """(a aᵀ - K⁻¹) / 2: Rasmussen and Williams (2006), Gaussian Processes for Machine Learning, equation 5.9."""
    n = x.shape[0]
    squares = np.einsum("ni,ni->n", x, x)
    plain = np.exp(-0.5 * (squares[:, None] + squares[None, :] - 2.0 * (x @ x.T)))
    inverse = np.linalg.inv(plain + noise * np.eye(n))
    a = inverse @ y
    kernel_ct = 0.5 * (np.outer(a, a) - inverse)
    weights = kernel_ct * plain
    return 2.0 * (weights @ x - np.sum(weights, axis=1)[:, None] * x), -a, np.trace(kernel_ct)


def process_limit(x, y, noise):
    """The same, with the kernel and its cotangent each in one sweep."""
    n, d = x.shape
    plain, kernel = np.empty((n, n)), np.empty((n, n))
    for i in range(n):
        for j in range(n):
            distance = 0.0
            for k in range(d):
                distance += (x[i, k] - x[j, k]) ** 2
            plain[i, j] = distance
        for j in range(n):
            plain[i, j] = exp(-0.5 * plain[i, j])
            kernel[i, j] = plain[i, j]
        kernel[i, i] += noise
    inverse = np.linalg.inv(kernel)
    a = np.dot(inverse, y)
    x_ct, noise_ct = np.zeros((n, d)), 0.0
    for i in range(n):
        noise_ct += 0.5 * (a[i] * a[i] - inverse[i, i])
        total = 0.0
        for j in range(n):
            weight = (a[i] * a[j] - inverse[i, j]) * plain[i, j]
            total += weight
            for k in range(d):
                x_ct[i, k] += weight * x[j, k]
        for k in range(d):
            x_ct[i, k] -= total * x[i, k]
    return x_ct, -a, noise_ct


def densities(mean, spread, x):
    """Log densities of normal and log-normal distributions, summed. mean: number, spread: number, x: (n,)"""
    normal = -0.5 * ((x - mean) / spread) ** 2 - np.log(spread) - 0.9189385332046727
    other = -0.5 * ((np.log(x) - mean) / spread) ** 2 - np.log(spread) - 0.9189385332046727 - np.log(x)
    return np.sum(normal) + np.sum(other)


def make_densities(n):
    """Parameters and positive numbers."""
    return 0.3, 1.2, np.random.default_rng(1).uniform(0.5, 2.0, n)


def densities_by_hand(mean, spread, x):
    """One logarithm of each number."""
    over = 1.0 / spread
    y = np.log(x)
    one, other = (x - mean) * over, (y - mean) * over
    both = np.sum(one) + np.sum(other)
    return both * over, (one @ one + other @ other - 2.0 * len(x)) * over, -one * over - (other * over + 1.0) / x


def densities_limit(mean, spread, x):
    """In one sweep."""
    n = x.shape[0]
    x_ct = np.empty(n)
    over = 1.0 / spread
    both, squares = 0.0, 0.0
    for i in range(n):
        one, other = (x[i] - mean) * over, (log(x[i]) - mean) * over
        both += one + other
        squares += one * one + other * other
        x_ct[i] = -one * over - (other * over + 1.0) / x[i]
    return both * over, (squares - 2.0 * n) * over, x_ct


def block(x):
    """A straight line of statements. x: (5,)"""
    a = np.cos(x[0]) * x[1]
    b = np.sin(a) + x[2] * x[2]
    c = np.exp(-0.1 * b) * x[3]
    d = np.tanh(c + x[4]) * a
    e = d * b - c * x[0]
    return e * e + a * d + b


def block_by_hand(x):
    """Statement by statement, on Python's numbers."""
    x0, x1, x2, x3, x4 = x.tolist()
    a = cos(x0) * x1
    b = sin(a) + x2 * x2
    decay = exp(-0.1 * b)
    c = decay * x3
    up = exp(2.0 * (c + x4))
    t = (up - 1.0) / (up + 1.0)
    d = t * a
    e_ct = 2.0 * (d * b - c * x0)
    d_ct = e_ct * b + a
    pre_ct = d_ct * a * (1.0 - t * t)
    c_ct = pre_ct - e_ct * x0
    b_ct = 1.0 + e_ct * d - 0.1 * c * c_ct
    a_ct = d + d_ct * t + b_ct * cos(a)
    return np.array([-a_ct * sin(x0) * x1 - e_ct * c, a_ct * cos(x0), b_ct * 2.0 * x2, c_ct * decay, pre_ct])


def block_limit(x):
    """Statement by statement."""
    x0, x1, x2, x3, x4 = x[0], x[1], x[2], x[3], x[4]
    a = cos(x0) * x1
    b = sin(a) + x2 * x2
    decay = exp(-0.1 * b)
    c = decay * x3
    up = exp(2.0 * (c + x4))
    t = (up - 1.0) / (up + 1.0)
    d = t * a
    e_ct = 2.0 * (d * b - c * x0)
    d_ct = e_ct * b + a
    pre_ct = d_ct * a * (1.0 - t * t)
    c_ct = pre_ct - e_ct * x0
    b_ct = 1.0 + e_ct * d - 0.1 * c * c_ct
    a_ct = d + d_ct * t + b_ct * cos(a)
    result = np.empty(5)
    result[0] = -a_ct * sin(x0) * x1 - e_ct * c
    result[1] = a_ct * cos(x0)
    result[2] = b_ct * 2.0 * x2
    result[3] = c_ct * decay
    result[4] = pre_ct
    return result


def process_in_torch():
    """The library's linear algebra."""
    import torch

    def f(x, y, noise):
        n = x.shape[0]
        squares = torch.sum(x * x, 1)
        plain = torch.exp(-0.5 * (squares[:, None] + squares[None, :] - 2.0 * (x @ x.T)))
        factor = torch.linalg.cholesky(plain + noise * torch.eye(n, dtype=x.dtype))
        a = torch.cholesky_solve(y[:, None], factor)[:, 0]
        return -0.5 * (y @ a) - torch.sum(torch.log(torch.diagonal(factor))) - 0.9189385332046727 * n

    return f


def _vector(*shape: int) -> np.ndarray:
    return np.random.default_rng(1).normal(size=shape)


def _vectors(n: int) -> tuple[Any, ...]:
    return (_vector(n),)


def _matrices(shapes: Any) -> tuple[Any, ...]:
    return tuple(_vector(*shape) for shape in shapes)


def _form(f: Function, **others: Callable[[], Function]) -> dict[str, Callable[[], Function]]:
    """The user's own code for those that take it with another module, but for the others given."""
    return {**{name: under(f, module) for name, module in MODULES.items()}, **others}


def _sums(name: str, title: str, whole: Function, loop: Function, by_hand: Function, limit: Function) -> tuple[Problem, Problem]:
    """The same function of vectors, vectorised and as a loop; who has no fast loops gets the vectorised one both times."""
    race = partial(
        Problem, make=_vectors, tiny=5, sizes=(NUMBERS,), by_hand=by_hand, limit=limit, forms=_form(whole, casadi=_folded(loop))
    )
    return race(name, title, whole), race(f"{name}-loop", f"{title}, as a loop", loop)


def _folded(loop: Function) -> Callable[[], Function]:
    """The loop as it stands, unrolled by CasADi."""

    def build() -> Function:
        import casadi

        names = SimpleNamespace(
            sin=casadi.sin, cos=casadi.cos, exp=casadi.exp, sum=casadi.sum1, empty_like=lambda x: casadi.SX(x.shape[0], 1)
        )
        return with_import(loop, "np", names)

    return build


RACES = (
    *_sums("sum", "Sum of 1000 numbers", whole_sum, loop_sum, sum_by_hand, sum_by_hand),
    *_sums("sum-sin", "Sum of 1000 sines", sum_sin, loop_sum_sin, sum_sin_by_hand, sum_sin_limit),
    *_sums("sin-cos-exp", "A map of 1000 numbers", sin_cos_exp, loop_sin_cos_exp, sin_cos_exp_by_hand, sin_cos_exp_limit),
    Problem(
        "kron",
        "Sum of a Kronecker product (shapes)",
        kron_sum,
        _matrices,
        ((2, 3), (3, 2)),
        (((20, 20), (40, 40)),),
        kron_by_hand,
        kron_limit,
        {"jax": under(kron_sum, "jax.numpy"), "torch": under(kron_sum, "torch")},
        {"casadi": SCALARS},
        wrt=(0, 1),
    ),
    Problem(
        "small-network",
        "Network of two layers by everything (shapes)",
        network,
        _matrices,
        ((2, 3), (3, 4), (2, 5), (4, 5)),
        (((64, 128), (128, 256), (64, 70), (256, 70)),),
        network_by_hand,
        network_limit,
        _form(network),
        {"casadi": SCALARS},
        wrt=(0, 1, 2, 3),
    ),
    Problem(
        "process",
        "Gaussian process, log marginal likelihood (points)",
        process,
        make_process,
        4,
        (30, 256),
        process_by_hand,
        process_limit,
        _form(process, torch=process_in_torch),
        {"casadi": "its Cholesky factors of graphs of scalars grow with the cube of the points"},
        wrt=(0, 1, 2),
    ),
    Problem(
        "densities",
        "Log densities of 1000 numbers",
        densities,
        make_densities,
        4,
        (NUMBERS,),
        densities_by_hand,
        densities_limit,
        _form(densities),
        {"casadi": SCALARS},
        wrt=(0, 1, 2),
    ),
    Problem(
        "block",
        "Six statements on five numbers",
        block,
        _vectors,
        5,
        (5,),
        block_by_hand,
        block_limit,
        _form(block, casadi=under(block, "casadi")),
    ),
)
