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
    "norm of order two and a half": lambda x: np.linalg.norm(x, 2.5),
    "norm of order one and a half": lambda x: np.linalg.norm(x, 1.5),
    "norms of order four": lambda x: np.sum(np.linalg.norm(x[None], 4, axis=1)),
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


def _tangents_of_the_tangent(f, x, v):
    rows = np.eye(x.size)
    return np.array([adxform.jvp(lambda x: adxform.jvp(f, (x,), (v,))[1], (x,), (row,), engine=ENGINE)[1] for row in rows])


@each_length
def test_by_tangents_alone_it_is_the_same(length) -> None:
    for f in (length, lambda x: length(x) ** 2, lambda x: 0.0 * length(x), lambda x: np.exp(length(x))):
        np.testing.assert_array_equal(_tangents_of_the_tangent(f, np.zeros(2), np.zeros(2)), np.zeros(2))
    with np.errstate(invalid="ignore"):
        steep = "half" in next(
            name for name, f in LENGTHS.items() if f is length
        )  # the slope of its share is infinite: see the limitations
        for f in (length,) if steep else (length, lambda x: length(x) ** 2, lambda x: length(x) * length(x)):
            assert np.isnan(adxform.hvp(f, mode="forward-over-forward", engine=ENGINE)(np.zeros(2), np.array([1.0, -2.0]))).all()
    with np.errstate(invalid="ignore"):
        assert np.isnan(_tangents_of_the_tangent(length, np.zeros(2), np.array([1.0, -2.0]))).all()


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


def _rotation_angle(x):
    n = np.linalg.norm(x[:2])
    return x[2] * 2 if n < 1e-12 else np.sin(n) / n + x[2]


def _left_early(x):
    n = np.hypot(x[0], x[1])
    if n == 0:
        return x[2] ** 2
    return n + x[2]


def _bounded_sinc(x):
    r = np.linalg.norm(x)
    return np.where(r > 0, np.sin(r) / r, 1.0) + np.sum(x**2)


def _directions(x):
    n = np.linalg.norm(x.reshape(-1, 1), axis=1, keepdims=True)
    return np.sum(np.where(n > 0, x.reshape(-1, 1) / np.where(n > 0, n, 1.0), 0.0))


def _spreads(x):
    s = np.std(np.outer(x, np.array([1.0, 2.0])), axis=1)
    return np.sum(s[s > 0]) + x[0] ** 2


def _skipped(x):
    total = 0.0
    for i in range(2):
        r = math.hypot(x[i], x[i])
        if r == 0:
            continue
        total += r * x[2]
    return total


FROM_GRADIENTS = [way for name, way in WAYS.items() if name != "gradient of the tangent"]
"""The ways that ask where a gradient was left out: a tangent does not tell, and then there is no number, never a wrong one."""


@pytest.mark.parametrize("way", FROM_GRADIENTS)
@pytest.mark.parametrize(
    ("f", "second"),
    [
        (_rotation_angle, [0.0, 0.0, 0.0]),
        (_left_early, [0.0, 0.0, 1.0]),
        (_bounded_sinc, [0.6, 0.4, 1.0]),
        (_directions, [0.0, 0.0, 0.0]),
        (_spreads, [0.6, 0.0, 0.0]),
        (_skipped, [0.0, 0.0, 0.0]),
    ],
)
def test_what_a_program_leaves_out_has_a_second_derivative_of_zero(f, second, way) -> None:
    x = np.array([0.0, 0.0, 3.0 if f in (_rotation_angle, _left_early, _skipped) else 0.0])
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(way(f, x, np.array([0.3, 0.2, 0.5])), second)
        by_tangents = WAYS["gradient of the tangent"](f, x, np.array([0.3, 0.2, 0.5]))
    assert np.all(np.isnan(by_tangents) | (by_tangents == second))


def _squared_where_small(x):
    r = np.linalg.norm(x)
    return np.where(r < 1, r**2, 0.0)


def _squared_in_a_branch(x):
    r = np.linalg.norm(x)
    return r**2 if r < 1 else x[0]


def _used_beside_the_choice(x):
    r = np.linalg.norm(x)
    return np.where(r > 0, r, 0.0) + r**2


def _used_on_both_sides(x):
    r = np.linalg.norm(x)
    return np.where(r > 0, r, r**2)


def _spread_over_lanes(x):
    r = np.linalg.norm(x.reshape(2, 1), axis=0)
    return np.sum(np.where(np.array([True, False]), r**2, 0.0))


def _choice_of_another_lane(x):
    r = np.hypot(x, x)
    return np.sum(np.where(np.array([True, False]), r[::-1] ** 2, 0.0)) + np.sum(np.where(np.array([True, False]), r**2, 0.0))


def _mask_changed_later(x):
    r, mask = np.hypot(x, x), np.array([True, True])
    y = np.where(mask, r**2, 0.0)
    mask[:] = False
    return np.sum(y)


@pytest.mark.parametrize(
    "f",
    [
        _squared_where_small,
        _squared_in_a_branch,
        _used_beside_the_choice,
        _used_on_both_sides,
        _spread_over_lanes,
        _choice_of_another_lane,
        _mask_changed_later,
    ],
)
@pytest.mark.parametrize("way", [WAYS["hvp"], WAYS["gradient of the gradient"]], ids=["hvp", "gradient of the gradient"])
def test_what_is_used_has_none_though_its_slope_be_zero(f, way) -> None:
    """A cotangent of zero does not say that a length is left out: the square of it has a second derivative."""
    with np.errstate(all="ignore"):
        assert np.isnan(way(f, np.zeros(2), np.array([1.0, -2.0]))).all()
