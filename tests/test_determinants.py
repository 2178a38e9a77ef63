"""Determinants of singular matrices: their Hessians are those of the minors, and their logarithms have no slope."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

import adxform

DIRECTION = np.cos(np.arange(9.0)).reshape(3, 3)


def determinant(a: Any) -> Any:
    return np.linalg.det(a)


def log_of_size(a: Any) -> Any:
    return np.linalg.slogdet(a)[1]


def minors(a: Any) -> Any:
    """The gradient of the determinant of a matrix of three, as it is defined."""
    rows = [[np.linalg.det(np.delete(np.delete(a, i, 0), k, 1)) * (-1) ** (i + k) for k in range(3)] for i in range(3)]
    return np.array(rows)


@pytest.mark.parametrize("engine", ["python", "numba"])
@pytest.mark.parametrize("a", [np.ones((3, 3)), np.zeros((3, 3)), np.arange(9.0).reshape(3, 3), np.diag([0.0, 2.0, -1.0])])
def test_first_and_second_derivatives_of_singular_determinants(a: Any, engine: Any) -> None:
    np.testing.assert_allclose(adxform.grad(determinant, engine=engine)(a), minors(a), atol=1e-12)
    slope = (minors(a + 1e-4 * DIRECTION) - minors(a - 1e-4 * DIRECTION)) / 2e-4
    np.testing.assert_allclose(adxform.hvp(determinant, engine=engine)(a, DIRECTION), slope, atol=1e-9)
    moved = adxform.jvp(determinant, (a,), (DIRECTION,), engine=engine)[1]
    np.testing.assert_allclose(moved, np.sum(minors(a) * DIRECTION), atol=1e-12)


@pytest.mark.parametrize("engine", ["python", "numba"])
def test_the_logarithm_of_zero_has_no_slope_unless_nothing_moves(engine: Any) -> None:
    a, still = np.ones((3, 3)), np.zeros((3, 3))
    assert np.isnan(adxform.grad(log_of_size, engine=engine)(a)).all()
    assert np.isnan(adxform.jvp(log_of_size, (a,), (DIRECTION,), engine=engine)[1])
    assert np.isnan(adxform.hvp(log_of_size, engine=engine)(a, DIRECTION)).all()
    assert adxform.jvp(log_of_size, (a,), (still,), engine=engine)[1] == 0.0
    np.testing.assert_array_equal(adxform.hvp(log_of_size, engine=engine)(a, still), still)


def test_logarithms_that_are_not_used_have_slope_zero() -> None:
    def used(a: Any) -> Any:
        sign, size = np.linalg.slogdet(a)
        return np.sum(np.where(sign != 0.0, size, 0.0))

    both = np.stack([np.ones((2, 2)), np.diag([2.0, 4.0])])
    np.testing.assert_allclose(adxform.grad(used)(both), [np.zeros((2, 2)), np.diag([0.5, 0.25])])


@pytest.mark.parametrize("rank", [0, 1, 2, 3, 4])
def test_third_derivatives_are_sums_of_determinants_with_three_rows_replaced(rank: int) -> None:
    rng = np.random.default_rng(rank)
    a = rng.normal(size=(4, rank)) @ rng.normal(size=(rank, 4))
    v, w = rng.normal(size=(2, 4, 4))
    expected = np.zeros((4, 4))
    for i, j, k in itertools.permutations(range(4), 3):
        for column in range(4):
            rows = a.copy()
            rows[i], rows[j], rows[k] = v[i], w[j], np.eye(4)[column]
            expected[k, column] += np.linalg.det(rows)
    product = adxform.hvp(lambda a: np.linalg.det(a))
    np.testing.assert_allclose(adxform.grad(lambda a: np.sum(product(a, v) * w))(a), expected, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(adxform.jvp(lambda a: product(a, v), (a,), (w,))[1], expected, rtol=1e-10, atol=1e-12)
