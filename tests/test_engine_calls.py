"""Calls of compiled derivatives: gradients leave out the value, but nothing that might raise."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform

pytest.importorskip("numba")


def rosenbrock(x: Any) -> Any:
    total = 0.0
    for i in range(len(x) - 1):
        total += 100.0 * (x[i + 1] - x[i] ** 2) ** 2 + (1.0 - x[i]) ** 2
    return total


def with_a_logarithm(x: Any, c: float) -> Any:
    total = math.log(c)
    for i in range(len(x)):
        total += x[i] * x[i]
    return total


def with_a_quotient(x: Any, c: float) -> Any:
    total = 0.0
    for i in range(len(x)):
        total += x[i] * x[i] + 1.0 / c
    return total


def with_a_load(x: Any, w: Any) -> Any:
    total = w[3]
    for i in range(len(x)):
        total += x[i] * x[i]
    return total


def small(x: float, y: float) -> float:
    a = math.sin(x) * y
    b = math.exp(a) + x * x
    return a * b + math.tanh(b) * y


def same(one: Any, other: Any) -> None:
    """The same classes, and numbers up to rounding."""
    assert type(one) is type(other)
    if isinstance(one, tuple):
        for left, right in zip(one, other, strict=True):
            same(left, right)
    else:
        np.testing.assert_allclose(one, other, rtol=1e-13, atol=1e-15)


@pytest.mark.parametrize("size", [0, 1, 2, 7])
def test_gradient_and_value(size: int) -> None:
    x = np.linspace(-1.0, 2.0, size)
    compiled = adxform.prepare_gradient(rosenbrock, np.ones(3), engine="numba", strict=False)
    plain = adxform.prepare_gradient(rosenbrock, x)
    same(compiled(x), plain(x))
    value, gradient = compiled.value_and_gradient(x)
    assert value == pytest.approx(rosenbrock(x))
    same(gradient, plain(x))
    out, other = np.empty(size), np.empty(size)
    same(compiled(x, out=out), plain(x, out=other))
    assert "total" not in compiled.source or size == 1


def test_numbers_keep_their_classes() -> None:
    for args in ((0.3, 0.7), (np.float64(0.3), 0.7)):
        compiled = adxform.value_and_grad(small, (0, 1), engine="numba")
        same(compiled(*args), adxform.value_and_grad(small, (0, 1))(*args))
        same(adxform.grad(small, engine="numba")(*args), adxform.grad(small)(*args))


@pytest.mark.parametrize(
    ("f", "fine", "wrong", "error"),
    [
        (with_a_logarithm, 2.0, -1.0, ValueError),
        (with_a_quotient, 2.0, 0.0, ZeroDivisionError),
        (with_a_load, np.ones(4), np.ones(3), IndexError),
    ],
)
def test_what_the_value_raises_the_gradient_raises(f: Callable[..., Any], fine: Any, wrong: Any, error: type[Exception]) -> None:
    x = np.array([1.0, 2.0, 3.0])
    prepared = adxform.prepare_gradient(f, x, fine, engine="numba")
    np.testing.assert_array_equal(prepared(x, fine), 2.0 * x)
    with pytest.raises(error):
        prepared(x, wrong)
    with pytest.raises(error):
        prepared.value_and_gradient(x, wrong)
    np.testing.assert_array_equal(prepared(x, fine), 2.0 * x)
