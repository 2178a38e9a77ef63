"""`math.fsum` rounds once, and so do its derivatives: what cancels in them cancels exactly, in both modes and at every order."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform

SCALES = np.array([1e100, 1.0, -1e100])
POINT, DIRECTION = np.ones(3), np.ones(3)
ORDERS = ("forward-over-reverse", "reverse-over-forward", "forward-over-forward", "reverse-over-reverse")
SUMS: dict[str, Callable[[Any], Any]] = {
    "of an array": lambda x: math.fsum(SCALES * x),
    "of a list": lambda x: math.fsum([1e100 * x[0], x[1], -1e100 * x[2]]),
    "of a tuple": lambda x: math.fsum((1e100 * x[0], x[1], -1e100 * x[2])),
    "of a generator": lambda x: math.fsum(a * b for a, b in zip(SCALES, x, strict=True)),
    "of a list of any length": lambda x: math.fsum([SCALES[i] * x[i] for i in range(x.shape[0])]),
    "of numbers that do not move as well": lambda x: math.fsum([1e100 * x[0], 1, x[1], True, -1e100 * x[2], -2.0]),
}


@pytest.mark.parametrize("engine", ["python", "numba"])
@pytest.mark.parametrize("name", SUMS)
def test_tangents_of_exact_sums_are_exact(name: str, engine: Any) -> None:
    f = SUMS[name]
    assert adxform.jvp(f, (POINT,), (DIRECTION,), engine=engine)[1] == 1.0
    np.testing.assert_array_equal(adxform.grad(f, engine=engine)(POINT), SCALES)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", SUMS)
def test_second_derivatives_of_exact_sums_are_exact(name: str, order: Any) -> None:
    f = SUMS[name]
    product = adxform.hvp(lambda x: f(x) ** 2, mode=order)(POINT, DIRECTION)
    np.testing.assert_array_equal(product, 2.0 * SCALES)


@pytest.mark.parametrize("order", ORDERS)
def test_second_derivatives_of_exact_sums_are_exact_compiled(order: Any) -> None:
    product = adxform.hvp(lambda x: math.fsum(SCALES * x) ** 2, mode=order, engine="numba")(POINT, DIRECTION)
    np.testing.assert_array_equal(product, 2.0 * SCALES)


def test_tangents_beyond_all_numbers_raise_nothing() -> None:
    value, tangent = adxform.jvp(lambda x: math.fsum(x), (POINT,), (np.array([np.inf, -np.inf, 0.0]),))
    assert value == 3.0
    assert np.isnan(tangent)


def test_sums_are_sparse_where_their_terms_are() -> None:
    cubes = adxform.prepare_hessian(lambda x: math.fsum(x**3), POINT, sparse=True)
    assert cubes(POINT).nnz == POINT.size
