"""Parameters that lie in one vector, in parts and in other shapes: their cotangents are parts of one vector as well."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.backends.numba.machine import kernels
from tests.oracle import central_jacobian
from tests.test_engine_sizes import agree, outcome


@pytest.fixture(autouse=True)
def interpreted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Leave kernels to CPython."""
    for make in (kernels.kernel, kernels.kernel_from_either_end):
        monkeypatch.setattr(make, "__code__", (lambda fn: fn).__code__)


def network(theta, x, k):  # type: ignore[no-untyped-def]
    """Weights, shifts and a last layer, of which parts are read."""
    d = x.shape[1]
    weights, shifts = theta[: k * d].reshape(k, d), theta[k * d : k * d + k]
    last = np.reshape(theta[k * d + k :], (1, k))
    hidden = np.tanh(x @ weights.transpose() + shifts)
    return np.sum((hidden @ last[0]) ** 2) + np.sum(weights[:, :1] ** 3)


def centred(theta, x, k):  # type: ignore[no-untyped-def]
    """Products of what is the same for all points, in tangents, and of points that are centred at means in the vector."""
    d = x.shape[1]
    means, factors = theta[: k * d].reshape(k, d), theta[k * d :].reshape(k, d, d)
    z = (x[None, :, :] - means[:, None, :]) @ factors.transpose(0, 2, 1)
    return np.sum(np.log(1.0 + np.sum(z**2, axis=2))) + np.sum(factors[:, 0] ** 2)


def loops(theta, x, k):  # type: ignore[no-untyped-def]
    """Elements of a matrix in the vector, in a loop, and of a matrix of that matrix's row."""
    w = theta[k:].reshape(k, -1)
    total = 0.0
    for i in range(x.shape[0]):
        for j in range(k):
            total += np.sin(w[j, 0] * x[i, 0]) * theta[j]
        row = w[0].reshape(1, -1)
        total += row[0, 0] * row[0, -1]
    return total


def overlapping(theta, x, k):  # type: ignore[no-untyped-def]
    """Parts that share elements, and all of it in two shapes."""
    n = theta.shape[0]
    first, second = theta[: n - 1], theta[1:]
    whole, again = theta.reshape(-1, 1), np.reshape(theta, (1, n))
    return np.sum(first * second**2) + np.sum(whole[1:] @ again[:, :2]) + np.sum(np.exp(again[0, ::2])) * x[0, 0]


def written(theta, x, k):  # type: ignore[no-untyped-def]
    """A copy that is changed under two shapes."""
    own = theta.copy()
    square = own[: k * k].reshape(k, k)
    square[0] *= x[0, 0]
    own[1:] += np.sin(own[:-1])
    return np.sum(square @ square) + np.sum(own**2)


def chosen(theta, x, k):  # type: ignore[no-untyped-def]
    """A matrix that a branch makes, of one part or of the other."""
    if x[0, 0] > 0.0:
        w = theta[: k * k].reshape(k, k)
    else:
        w = theta[k:].reshape(k, -1)
    return np.sum(w[:, 0] * w[0, 0]) + np.sum(w[1:] ** 3)


CASES: list[tuple[Callable[..., Any], list[tuple[int, tuple[int, int], int]]]] = [
    (network, [(12, (4, 2), 3), (12, (0, 2), 3), (3, (1, 1), 1), (0, (4, 2), 0), (13, (4, 2), 3), (8, (4, 2), 3)]),
    (
        centred,
        [(18, (4, 2), 3), (36, (5, 3), 3), (18, (0, 2), 3), (6, (1, 2), 1), (2, (3, 1), 1), (0, (4, 2), 0), (17, (4, 2), 3)],
    ),
    (loops, [(9, (4, 2), 3), (12, (4, 2), 3), (2, (1, 1), 1), (9, (0, 2), 3), (10, (4, 2), 3), (3, (4, 2), 3)]),
    (overlapping, [(5, (1, 1), 0), (2, (1, 1), 0), (1, (1, 1), 0)]),
    (written, [(10, (1, 1), 3), (9, (1, 1), 3), (4, (1, 1), 2), (1, (1, 1), 1), (3, (1, 1), 2)]),
    (chosen, [(12, (1, 1), 3), (9, (1, 1), 3), (2, (1, 1), 1), (8, (1, 1), 3)]),
]


@pytest.mark.parametrize(
    ("fn", "sizes"), [pytest.param(fn, sizes, id=f"{fn.__name__}-{sizes}") for fn, points in CASES for sizes in points]
)
def test_gradients_and_products(fn: Callable[..., Any], sizes: tuple[int, tuple[int, int], int]) -> None:
    """On both engines, of vectors of any stride, also of what is no number, and against differences."""
    length, shape, k = sizes
    x = np.cos(np.arange(float(np.prod(shape))) + length).reshape(shape)
    long = np.sin(np.arange(2.0 * length) + 0.3)
    bad = np.where(np.arange(length) == 1, np.nan, long[:length])
    with np.errstate(all="ignore"):
        for theta in (long[:length], long[::2], long[::-2], bad):
            v = np.cos(theta + 1.0)
            expected = outcome(adxform.grad(fn, engine="python"), theta, x, k)
            agree(outcome(adxform.grad(fn, engine="numba"), theta, x, k), expected)
            along = outcome(adxform.hvp(fn, engine="python"), theta, x, k, v)
            agree(outcome(adxform.hvp(fn, engine="numba"), theta, x, k, v), along)
    theta = long[:length]
    value = outcome(fn, theta, x, k)
    expected = outcome(adxform.grad(fn, engine="python"), theta, x, k)
    assert isinstance(value, type) == isinstance(expected, type)
    if isinstance(value, type) or not length:
        return
    slope, error = central_jacobian(lambda t: np.atleast_1d(fn(t, x, k)), theta)
    np.testing.assert_allclose(expected, slope.ravel(), atol=1e-6 + 10.0 * error)
    curvature, error = central_jacobian(lambda t: adxform.grad(fn, engine="python")(t, x, k), theta)
    v = np.cos(theta + 1.0)
    np.testing.assert_allclose(adxform.hvp(fn, engine="python")(theta, x, k, v), curvature @ v, atol=1e-6 + 10.0 * error)


def test_one_kernel_does_it_all() -> None:
    """What Python does ahead is views: none of them cuts the kernel in two."""
    args = np.linspace(0.1, 1.0, 18), np.ones((4, 2)), 3
    for make in (adxform.source(centred, *args, engine="numba"), adxform.source(centred, *args, engine="numba", mode="hvp")):
        assert make.count("@kernel") == 1, make
        assert "shares_memory" not in make
