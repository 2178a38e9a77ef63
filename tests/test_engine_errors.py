"""What NumPy raises for values and lengths that only the run tells, both engines raise: NumPy itself is the oracle."""

from __future__ import annotations

import math
import signal
from collections.abc import Callable, Iterator
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


def reduced(x, n):  # type: ignore[no-untyped-def]
    s = 0.0
    while n > 0:
        a = n / x
        while a > 3.0:
            a -= 6.0
        s += a * x
        n -= 1
    return s


def ahead(x, n):  # type: ignore[no-untyped-def]
    y = 1.0 / x
    while y > 1.0:
        y -= 1.0
    return y * n


def angle(x, n):  # type: ignore[no-untyped-def]
    a = x / (n - 1.0)
    while a > math.pi:
        a -= 2.0 * math.pi
    return a


def in_a_for(x, n):  # type: ignore[no-untyped-def]
    y = 0.0
    for _ in range(n):
        y = math.exp(1.0 / x)
        while y > 1.0:
            y *= 0.5
    return y


def ahead_of_a_for(x, n):  # type: ignore[no-untyped-def]
    a, b = n / x, 0.0
    for _ in range(n):
        b = a
        while b > 3.0:
            b -= 6.0
    return a * b


def in_a_branch(x, n):  # type: ignore[no-untyped-def]
    a = n / x
    if n > 1:
        while a > 3.0:
            a -= 6.0
    return a * x


def ahead_of_a_while(x, n):  # type: ignore[no-untyped-def]
    a, b, k = n / x, 0.0, 0
    while k < n:
        b = a
        while b > 3.0:
            b -= 6.0
        k += 1
    return b * x


def until(x, n):  # type: ignore[no-untyped-def]
    y = math.log(x) * n
    while not y > 3.0:
        y += 1.0
    return y


@pytest.fixture
def bounded() -> Iterator[None]:
    """End the process if a test takes a minute: machine code that loops for ever listens to no handler."""
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(60)
    yield
    signal.alarm(0)


@pytest.mark.usefixtures("bounded")
@pytest.mark.parametrize("engine", ["numba", "auto"])
@pytest.mark.parametrize("f", [reduced, ahead, angle, in_a_for, ahead_of_a_for, in_a_branch, ahead_of_a_while, until])
def test_what_stands_for_an_error_ends_every_loop(f: Callable[..., Any], engine: str) -> None:
    """A kernel goes on with an infinity where Python raises: a `while` that waits for it to become small ends all the same."""
    derivative = adxform.value_and_grad(f, engine=engine)
    wrong = (2.5, 1) if f is angle else (0.0, 20)
    np.testing.assert_allclose(derivative(2.5, 20)[0], f(2.5, 20), rtol=1e-12)
    with pytest.raises(Exception) as expected:
        f(*wrong)
    with pytest.raises(expected.type):
        derivative(*wrong)
