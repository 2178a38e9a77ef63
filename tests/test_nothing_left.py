"""Means and variances that have nothing to divide by, and no number: every mode, order and engine says that they do not move."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform

POINT = np.array([2.0, 1.0, 3.0])
ORDERS = ("forward-over-reverse", "reverse-over-forward", "forward-over-forward", "reverse-over-reverse")


def variances_of_the_first(x: Any, start: int) -> Any:
    return sum(np.var(x[:n], ddof=1) for n in range(start, 3))


FUNCTIONS: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "variance of one": (lambda x: np.var(x[:1], ddof=1) + x[0] ** 2, lambda x: x[0] ** 2),
    "spread of one": (lambda x: np.std(x[:1], ddof=1) + x[0] ** 2, lambda x: x[0] ** 2),
    "spreads of rows": (lambda x: np.sum(np.std(x[:, None], axis=1, ddof=1)) + x[1] ** 3, lambda x: x[1] ** 3),
    "variances of columns": (lambda x: np.sum(x[None].var(axis=0, ddof=1, keepdims=True)) + x[1] ** 3, lambda x: x[1] ** 3),
    "variance of all, less three": (lambda x: np.var(x, ddof=3) + x[0] * x[1], lambda x: x[0] * x[1]),
    "spread of all, less four": (lambda x: np.std(x, ddof=4) + x[0] * x[1], lambda x: x[0] * x[1]),
    "variances of the first": (lambda x: variances_of_the_first(x, 1), lambda x: variances_of_the_first(x, 2)),
    "mean of nothing": (lambda x: np.mean(x[:0]) + x[2] ** 2, lambda x: x[2] ** 2),
    "mean of what no mask takes": (lambda x: x[x > 10.0].mean() + x[2] ** 2, lambda x: x[2] ** 2),
    "mean of what is missing": (lambda x: np.nanmean(np.where(x > 0.0, np.nan, x)) + x[2] ** 2, lambda x: x[2] ** 2),
    "means of no rows": (lambda x: np.sum(np.mean(x[None][:0], axis=0)) + x[2] ** 2, lambda x: x[2] ** 2),
    "spread of nothing": (lambda x: np.std(x[3:]) + np.var(x[3:]) + x[2] ** 2, lambda x: x[2] ** 2),
}


COMPILED = ("variances of the first", "spreads of rows", "mean of nothing")


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_has_nothing_to_divide_by_does_not_move(name: str) -> None:
    judge(name, "python", ORDERS)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("name", COMPILED)
def test_it_does_not_move_compiled_either(name: str) -> None:
    judge(name, "numba", ORDERS[:1])


def judge(name: str, engine: Any, orders: tuple[Any, ...]) -> None:
    f, rest = FUNCTIONS[name]
    expected = adxform.grad(rest)(POINT)
    np.testing.assert_allclose(adxform.grad(f, engine=engine)(POINT), expected)
    for v in np.eye(3):
        np.testing.assert_allclose(adxform.jvp(f, (POINT,), (v,), engine=engine)[1], expected @ v)
        product = adxform.hvp(rest)(POINT, v)
        for order in orders:
            np.testing.assert_allclose(adxform.hvp(f, mode=order, engine=engine)(POINT, v), product, err_msg=order)
