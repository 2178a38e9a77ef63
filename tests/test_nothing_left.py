"""Means and variances that have nothing to divide by: every mode, order and engine says the same of how they move."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform

POINT = np.array([2.0, 1.0, 3.0])
ORDERS = ("forward-over-reverse", "reverse-over-forward", "forward-over-forward", "reverse-over-reverse")


def variances_of_the_first(x: Any, start: int) -> Any:
    return sum(np.var(x[:n], ddof=1) for n in range(start, 3))


def spreads_that_are_written(x: Any) -> Any:
    spreads = np.std(x[:1].reshape(1, 1), axis=1, ddof=1)
    spreads[0] *= 2.0
    return np.sum(spreads)


def spreads_that_one_replaces(x: Any, moments: Any = np.std) -> Any:
    spreads = moments(x.reshape(3, 1), axis=1, ddof=1)
    spreads[1] = x[1] ** 3
    spreads[2] = 0.0
    return np.sum(spreads)


NAN = np.nan
FUNCTIONS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any], tuple[int, ...]]] = {
    "variance of one": (lambda x: np.var(x[:1], ddof=1) + x[0] ** 2, lambda x: x[0] ** 2, (0,)),
    "spread of one": (lambda x: np.std(x[:1], ddof=1) + x[1] ** 2, lambda x: x[1] ** 2, (0,)),
    "spread of one row": (lambda x: np.sum(np.std(x[:1][None], axis=0, ddof=1)) + x[2] ** 3, lambda x: x[2] ** 3, (0,)),
    "variance of a column": (lambda x: x[None, :1].var(axis=0, ddof=1, keepdims=True)[0, 0], lambda x: 0.0 * x[0], (0,)),
    "variance of two, less three": (lambda x: np.var(x[1:], ddof=3) + x[0] ** 2, lambda x: x[0] ** 2, (1, 2)),
    "variances of the first": (lambda x: variances_of_the_first(x, 1), lambda x: variances_of_the_first(x, 2), (0,)),
    "mean of nothing": (lambda x: np.mean(x[:0]) + x[2] ** 2, lambda x: x[2] ** 2, ()),
    "mean of what no mask takes": (lambda x: x[x > 10.0].mean() + x[2] ** 2, lambda x: x[2] ** 2, ()),
    "mean of what is missing": (lambda x: np.nanmean(np.where(x > 0.0, np.nan, x)) + x[2] ** 2, lambda x: x[2] ** 2, ()),
    "means of no rows": (lambda x: np.sum(np.mean(x[None][:0], axis=0)) + x[2] ** 2, lambda x: x[2] ** 2, ()),
    "spread of nothing": (lambda x: np.std(x[3:]) + np.var(x[3:]) + x[2] ** 2, lambda x: x[2] ** 2, ()),
    "spreads that are written": (spreads_that_are_written, lambda x: 0.0 * x[2], (0,)),
    "variances that one replaces": (lambda x: spreads_that_one_replaces(x, np.var), lambda x: x[1] ** 3, (0,)),
    "spread of nothing, less one": (lambda x: np.std(x[3:], ddof=1) + x[2] ** 2, lambda x: x[2] ** 2, ()),
}
"""Functions, what is left of each without the variance or mean, and which numbers that takes."""
COMPILED = ("variances of the first", "spread of one", "mean of nothing")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_only_what_moves_something_has_an_undefined_slope(name: str) -> None:
    judge(name, "python", ORDERS)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_spread_that_another_number_replaces_takes_nothing() -> None:
    np.testing.assert_array_equal(adxform.grad(spreads_that_one_replaces)(POINT), [NAN, 3.0, 0.0])


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", COMPILED)
def test_the_slopes_are_the_same_ones_compiled(name: str) -> None:
    judge(name, "numba", ORDERS[:1])


def judge(name: str, engine: Any, orders: tuple[Any, ...]) -> None:
    """Compare slopes and Hessian products, by all modes, with those of what is left, but for NaN where it has to be."""
    f, rest, taken = FUNCTIONS[name]
    expected = adxform.grad(rest)(POINT)
    expected[list(taken)] = NAN
    np.testing.assert_allclose(adxform.grad(f, engine=engine)(POINT), expected)
    for k, v in enumerate(np.eye(3)):
        np.testing.assert_allclose(adxform.jvp(f, (POINT,), (v,), engine=engine)[1], expected[k])
        product = adxform.hvp(rest)(POINT, v)
        for order in orders:
            found = adxform.hvp(f, mode=order, engine=engine)(POINT, v)
            np.testing.assert_allclose(np.isnan(found), np.isin(np.arange(3), taken) & (k in taken), err_msg=order)
            np.testing.assert_allclose(found[~np.isnan(found)], product[~np.isnan(found)], err_msg=order)


@pytest.mark.parametrize("engine", ["python", "numba"])
@pytest.mark.parametrize("mode", ["forward-over-reverse", "reverse-over-forward", "reverse-over-reverse", "forward-over-forward"])
@pytest.mark.parametrize(
    "nothing",
    [
        lambda x: np.mean(np.sin(x[5:])),
        lambda x: np.sin(x[5:]).mean(),
        lambda x: float(np.mean(x[:0] ** 2)),
        lambda x: np.average(np.sin(x[5:])),
        lambda x: np.mean(np.sin(x[x > 9.0])),
        lambda x: math.sqrt(1.0 + np.mean(x[:0] * x[:0])),
    ],
)
@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_means_of_nothing_move_nothing_at_second_order(nothing: Any, mode: Any, engine: Any) -> None:
    x = np.array([0.5, -1.5, 2.0])

    def f(x: Any) -> Any:
        return np.sum(x**2) + nothing(x)

    np.testing.assert_allclose(adxform.hvp(f, mode=mode, engine=engine)(x, x), 2.0 * x)
    np.testing.assert_allclose(adxform.grad(f, engine=engine)(x), 2.0 * x)
