"""Second derivatives of lengths that are zero: zero for what does not move, no number for what does, by every way to them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform

ENGINE: Any = "python"
LENGTHS: dict[str, Callable[[Any], Any]] = {
    "norm": lambda x: np.linalg.norm(x),
    "norm along an axis": lambda x: np.sum(np.linalg.norm(x[None], axis=1)),
    "norm that keeps its axis": lambda x: np.sum(np.linalg.norm(x[None], axis=-1, keepdims=True)),
    "hypot": lambda x: np.hypot(x[0], x[1]),
    "hypot of three numbers": lambda x: math.hypot(x[0], x[1], 2.0 * x[1]),
    "norm of order three": lambda x: np.linalg.norm(x, 3),
    "spread": lambda x: np.std(x),
}
WAYS: dict[str, Callable[[Callable[[Any], Any], Any, Any], Any]] = {
    "hvp": lambda f, x, v: adxform.hvp(f, engine=ENGINE)(x, v),
    "tangent of the gradient": lambda f, x, v: adxform.jvp(adxform.grad(f), (x,), (v,), engine=ENGINE)[1],
    "gradient of the tangent": lambda f, x, v: adxform.grad(lambda x: adxform.jvp(f, (x,), (v,))[1], engine=ENGINE)(x),
    "gradient of the gradient": lambda f, x, v: adxform.grad(lambda x: np.sum(adxform.grad(f)(x) * v), engine=ENGINE)(x),
}
each_length = pytest.mark.parametrize("length", LENGTHS.values(), ids=LENGTHS)
each_way = pytest.mark.parametrize("way", WAYS.values(), ids=WAYS)


@each_length
@each_way
def test_what_does_not_move_has_a_second_derivative_of_zero(length, way) -> None:
    for f in (length, lambda x: length(x) ** 2, lambda x: 0.0 * length(x), lambda x: np.exp(length(x))):
        np.testing.assert_array_equal(way(f, np.zeros(2), np.zeros(2)), np.zeros(2))


@each_length
@each_way
def test_what_moves_has_none_whatever_it_is_multiplied_by(length, way) -> None:
    """The square of a length has one that is not zero: no way may say that it is."""
    with np.errstate(invalid="ignore"):
        for f in (length, lambda x: length(x) ** 2):
            assert np.isnan(way(f, np.zeros(2), np.array([1.0, -2.0]))).all()


@each_length
def test_away_from_zero_it_is_that_of_differences(length) -> None:
    x, v, h = np.array([0.7, -1.1]), np.array([0.3, 0.5]), 1e-4
    gradient = adxform.grad(length, engine=ENGINE)
    expected = (gradient(x + h * v) - gradient(x - h * v)) / (2 * h)
    for way in WAYS.values():
        np.testing.assert_allclose(way(length, x, v), expected, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("name", [name for name in LENGTHS if "order" not in name])
def test_third_derivatives_of_what_does_not_move_are_zero(name) -> None:
    still = np.zeros(2)
    third = adxform.grad(lambda x: np.sum(adxform.hvp(LENGTHS[name])(x, still)), engine=ENGINE)(still)
    np.testing.assert_array_equal(third, still)


def test_rates_are_those_of_what_changes() -> None:
    found = adxform.runtime.rate(np.array([3.0, 3.0, 0.0, np.nan]), np.array([2.0, 0.0, 0.0, 0.0]))
    np.testing.assert_array_equal(found, [1.5, np.nan, 0.0, np.nan])
