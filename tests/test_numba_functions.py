"""Functions that the decorators of Numba compiled: followed through the Python function of which they were made.

Values are those of the compiled function to the last bits, and derivatives are checked against differences of its own calls.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import MissingRuleError

numba = pytest.importorskip("numba")

X = np.array([[0.1, 1.0], [1.5, 2.4], [2.9, 3.8]])


@numba.njit
def bent(a: Any, b: Any) -> Any:
    return a * b + math.sin(a)


@numba.njit(parallel=True)
def energy_of_pairs(x: Any, box: float) -> Any:
    total = 0.0
    for i in numba.prange(x.shape[0]):
        for j in range(i + 1, x.shape[0]):
            d = x[i] - x[j]
            d -= box * np.round(d / box)
            total += bent(np.sum(d * d), 0.3)
    return total


@numba.njit
def filled(out: Any, x: Any) -> None:
    for i in range(len(out)):
        out[i] = x[i] * x[i]


@numba.njit
def made(x: Any) -> Any:
    out = np.empty_like(x)
    filled(out, x)
    out[0] += x[1]
    return out, out.sum()


@numba.jit(nopython=True)
def power(n: Any, x: Any) -> Any:
    return x if n == 0 else x * power(n - 1, x)


@numba.vectorize
def clipped(a: Any, b: Any) -> Any:
    return a * a * b if a > 1.2 else 0


@numba.vectorize([numba.float64(numba.float64, numba.float64)])
def declared(a: Any, b: Any) -> Any:
    return max(a * b, 1)


class Kernel:
    def __init__(self) -> None:
        self.of_numbers = bent

    def __call__(self, x: Any) -> Any:
        return sum([self.of_numbers(one, 1.5) for one in x])


LAWS = {"bent": bent}


def of_a_table(x: Any) -> Any:
    return LAWS["bent"](x[0, 0], x[1, 1])


def of_pairs(x: Any) -> Any:
    return energy_of_pairs(x, 3.0)


def of_filled(x: Any) -> Any:
    out, total = made(np.ravel(x))
    return total * out[1]


def of_recursion(x: Any) -> Any:
    return power(4, x[1, 0])


def of_an_object(x: Any) -> Any:
    return Kernel()(np.ravel(x))


def of_places(x: Any) -> Any:
    return np.sum(clipped(x, 2.0) * declared(x[0], x))


def of_numbers(x: Any) -> Any:
    return clipped(x[1, 0], x[0, 0]) / declared(x[0, 0], 0.5) + clipped(x[0, 0], 2.0)


PROGRAMS = (of_a_table, of_pairs, of_filled, of_recursion, of_an_object, of_places, of_numbers)


@pytest.mark.parametrize("engine", ["python", "auto"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda one: one.__name__)
def test_the_python_function_behind_is_followed(program: Callable[..., Any], engine: Any) -> None:
    value, found = adxform.value_and_grad(program, engine=engine)(X.copy())
    assert value == pytest.approx(program(X), rel=1e-14)
    steps = np.eye(X.size).reshape(X.size, *X.shape) * 1e-6
    slopes = np.array([(program(X + step) - program(X - step)) / 2e-6 for step in steps])
    np.testing.assert_allclose(found, slopes.reshape(X.shape), rtol=1e-7, atol=1e-8)
    along = adxform.jvp(program, (X,), (np.cos(X),))[1]
    assert along == pytest.approx(np.sum(slopes.reshape(X.shape) * np.cos(X)), rel=1e-7)
    tangent = np.sin(X)
    differences = (adxform.grad(program)(X + 1e-6 * tangent) - adxform.grad(program)(X - 1e-6 * tangent)) / 2e-6
    np.testing.assert_allclose(adxform.hvp(program, engine=engine)(X, tangent), differences, rtol=1e-6, atol=1e-7)


def test_a_compiled_function_is_differentiated_itself() -> None:
    np.testing.assert_array_equal(adxform.grad(energy_of_pairs)(X, 3.0), adxform.grad(of_pairs)(X))


def test_functions_of_parts_are_refused_with_a_way_out() -> None:
    @numba.guvectorize([(numba.float64[:], numba.float64, numba.float64[:])], "(n),()->(n)")
    def scaled(x: Any, y: Any, out: Any) -> None:
        for i in range(x.shape[0]):
            out[i] = x[i] * y

    with pytest.raises(MissingRuleError, match=r"guvectorize[\s\S]*njit"):
        adxform.grad(lambda x: np.sum(scaled(x, 2.0)))(X[0])


@numba.njit("float32(float32)")
def in_single_precision(a: Any) -> Any:
    return a * a


@numba.njit("int64(float64)")
def in_whole_numbers(a: Any) -> Any:
    return a * 3


@numba.njit(locals={"s": numba.float32})
def by_way_of_single_precision(a: Any) -> Any:
    s = a * 2
    return s + a


@numba.vectorize(["float32(float64)"])
def each_in_single_precision(a: Any) -> Any:
    return a * 0.1


@numba.vectorize(["int64(float64)"])
def each_in_whole_numbers(a: Any) -> Any:
    return a * 3


CONVERTING: tuple[Any, ...] = (
    in_single_precision,
    in_whole_numbers,
    by_way_of_single_precision,
    each_in_single_precision,
    each_in_whole_numbers,
)


@pytest.mark.parametrize("compiled", CONVERTING, ids=lambda one: one.__name__)
def test_functions_that_convert_numbers_are_refused_with_a_way_out(compiled: Any) -> None:
    with pytest.raises(MissingRuleError, match=r"converts numbers[\s\S]*types out"):
        adxform.grad(lambda x: compiled(x[0]) * x[1])(X[0])


@numba.njit("float64(float64[:])")
def squared(a: Any) -> Any:
    return np.sum(a * a)


@numba.vectorize(["int64(int64,int64)", "float32(float32,float32)", "float64(float64,float64)"])
def product(a: Any, b: Any) -> Any:
    return a * b


def test_functions_that_are_declared_for_doubles_are_followed() -> None:
    np.testing.assert_allclose(adxform.grad(squared)(X[0]), 2 * X[0], rtol=1e-15)
    np.testing.assert_allclose(adxform.grad(lambda x: np.sum(product(x, 2.0) * product(2, 3)))(X[0]), 12.0, rtol=1e-15)
