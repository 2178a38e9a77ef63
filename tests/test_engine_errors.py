"""What NumPy raises for values and lengths that only the run tells, both engines raise: NumPy itself is the oracle."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform

X, M = np.arange(1.0, 5.0), np.array([[2.0, 1.0], [1.0, 3.0]])


def stored(x, n):  # type: ignore[no-untyped-def]
    w = np.zeros(4)
    w[:n] = x
    return np.sum(w * w)


CASES: tuple[tuple[Callable[..., Any], tuple[Any, ...], tuple[Any, ...]], ...] = (
    (lambda x, n: np.sum(np.ones(n) * x[0]) * np.sum(x * x), (X, 2), (X, -1)),
    (lambda x, n: np.sum(np.ones(len(x) - 2) * 3.0) * np.sum(x * x), (X, 0), (X[:1], 0)),
    (lambda x, n: np.sum(np.linspace(0.0, x[0], n)) * np.sum(x * x), (X, 2), (X, -1)),
    (lambda x, n: np.max(x[n:] * 2.0) + np.sum(x * x), (X, 1), (X, 5)),
    (lambda x, n: x[np.argmax(x[n:])] + np.sum(x * x), (X, 1), (X, 5)),
    (lambda x, n: np.sum(np.max(np.exp(x), axis=1) ** 2), (M, 0), (np.ones((0, 0)), 0)),
    (lambda x, n: np.sum((x * x).reshape(n, 2) ** 2), (X, 2), (X, 3)),
    (lambda x, n: np.sum(x[:n] * x), (X, 4), (X, 3)),
    (stored, (X, 4), (X, 3)),
    (lambda x, n: x[n] * np.sum(x * x), (X, -4), (X, -5)),
    (lambda x, n: np.sum(x[n] ** 2), (X, np.array([0, 3])), (X, np.array([0, 4]))),
    (lambda x, v: np.sum((x @ v) ** 2), (M, np.ones(2)), (M, np.ones(3))),
    (lambda x, n: np.sum(np.concatenate([x, np.ones((2, n))], axis=0) ** 2), (M, 2), (M, 3)),
    (lambda x, n: np.sum(np.stack([x, x[:n]]) ** 2), (X, 4), (X, 3)),
    (lambda x, n: np.sum(np.stack([x * k for k in range(n)]) ** 2), (X, 3), (X, 0)),
    (lambda x, n: np.sum(np.concatenate([x * k for k in range(n)]) ** 2), (X, 3), (X, 0)),
    (lambda x, n: np.sum(np.linalg.cholesky(x * n)), (M, 1.0), (M, -1.0)),
    (lambda x, v: np.sum(np.linalg.solve(x, v)), (M, np.ones(2)), (np.ones((2, 2)), np.ones(2))),
)


@pytest.mark.parametrize("engine", ["python", "numba"])
@pytest.mark.parametrize("place", range(len(CASES)))
def test_errors_of_values_and_lengths_are_those_of_numpy(place: int, engine: str) -> None:
    """One derivative takes arguments that are fine, those that are not, and the first ones again."""
    f, fine, wrong = CASES[place]
    derivative = adxform.value_and_grad(f, engine=engine)
    np.testing.assert_allclose(derivative(*fine)[0], f(*fine))
    with pytest.raises(Exception) as expected:
        f(*wrong)
    with pytest.raises(expected.type):
        derivative(*wrong)
    np.testing.assert_allclose(derivative(*fine)[0], f(*fine))
