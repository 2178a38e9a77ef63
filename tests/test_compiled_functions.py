"""Functions that Numba compiles: followed by their Python code where they are given what moves, with the values of Numba."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import AdxError, MissingRuleError
from tests.tables.cell import Cell, judge

numba = pytest.importorskip("numba")

X = np.array([0.3, 1.7, 0.9])
M = np.array([[2.0, 0.3, 0.1], [0.2, 1.7, 0.4], [0.15, 0.25, 1.3]])


@numba.njit
def inner(a, b):
    found = 0.0
    for i in range(len(a)):
        found += a[i] * b[i]
    return found


@numba.njit
def length(a):
    return math.sqrt(inner(a, a))


@numba.njit(parallel=True)
def image(m, v):
    out = np.empty(m.shape[0])
    for i in numba.prange(m.shape[0]):
        out[i] = inner(m[i], v)
    return out


@numba.njit
def fill(out, x):
    for i in range(out.size):
        out[i] = x[i] ** 2


@numba.njit
def capped(x):
    if x > 5.0:
        return 1
    return x


@numba.njit
def several(x):
    return x.sum(), 2.0 * x, len(x)


@numba.njit
def power(x, n=2, scale=1.5):
    return scale * x**n


@numba.njit("float64(float64,int64)")
def of_a_signature(x, n):
    return x**n


@numba.njit
def itself(x, n):
    return 1.0 if n == 0 else x * itself(x, n - 1)


@numba.njit
def applied(f, x):
    return f(x) + 1.0


@numba.njit
def square(x):
    return x * x


@numba.njit
def logarithm(x):
    if x < 0.0:
        raise ValueError("below zero")
    return math.log(x)


@numba.njit
def grid(n):
    return np.arange(n) * 0.5


class Holder:
    def __init__(self) -> None:
        self.f = square


HOLDER = Holder()


def one_in_another(x):
    return 2.0 * length(x) + np.sum(image(M, x) * x)


def memory_that_is_written(x):
    y = np.zeros(3)
    fill(y, x)
    return y @ x


def numbers_of_python(x):
    total, twice, count = several(x)
    classes = type(total) is float and type(count) is int and type(length(x)) is float and type(capped(x[0])) is float
    return total * twice.sum() / count if classes else 0.0 * total


def parameters_by_default(x):
    return power(x[0]) + power(x[1], scale=2.0) * power(x[2], 3) + of_a_signature(x[0], 3) + itself(x[1], 4)


def functions_that_are_given(x):
    return applied(square, x[0]) + HOLDER.f(x[1]) + sum(map(square, x)) + (length if x[0] > 0.0 else inner)(x)


def what_raises(x):
    try:
        found = logarithm(x[0] - 1.0)
    except ValueError:
        found = 2.0 * x[0]
    return found + logarithm(x[1])


def what_does_not_move(x):
    return np.sum(grid(3) * x) * capped(x[1])


PROGRAMS: list[Callable[..., Any]] = [
    one_in_another,
    memory_that_is_written,
    numbers_of_python,
    parameters_by_default,
    functions_that_are_given,
    what_raises,
    what_does_not_move,
]


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_followed(program: Callable[..., Any]) -> None:
    verdict = judge(Cell(program.__name__, program, (X,)))
    assert verdict.kind == "right", verdict.reason


def test_derivatives_of_one_itself() -> None:
    np.testing.assert_allclose(adxform.grad(length)(X), X / np.linalg.norm(X))


@numba.njit
def falling(x, n):
    return x * n**-1


@numba.njit
def raised(x, n, k):
    return x * n**k


@numba.njit("float64(int64,float64)")
def whole(n, x):
    return n * x


def test_what_numba_computes_otherwise_is_refused() -> None:
    def single(x: Any) -> Any:
        return length(x)

    with pytest.raises(MissingRuleError, match="which Numba has compiled"):
        adxform.grad(single)(X.astype(np.float32))

    def cut(x: Any) -> Any:
        return whole(x[0], x[1])

    with pytest.raises(MissingRuleError, match="which Numba compiled for types"):
        adxform.grad(cut)(X)
    for program, args in ((lambda x: falling(x, int(x)), (2.5,)), (lambda x, k: raised(x, 2, k), (2.5, -1))):
        with pytest.raises(AdxError, match="to a power below zero"):
            adxform.vjp(program, *args)
