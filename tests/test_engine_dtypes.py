"""Kernels of `float32` and `complex128`: the numbers are those of Python, to the bit where no sum is taken in another order."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pytest

import adxform
from adxform.runtime import kernel_scalars
from adxform.testing import check_derivatives

X = np.array([0.3, 0.8, -0.4, 1.1])
SINGLE = X.astype(np.float32)


def recurrence(x, k):
    y = x.copy()
    total = np.float32(0.0)
    for i in range(1, x.shape[0]):
        y[i] += k * y[i - 1] ** 2 + 0.1 * np.sin(x[i])
        if y[i] < 0.1:
            y[i] = 0.7 * i * x[i]
        total += y[i] / 3
    return total


def beside_doubles(x, w):
    total = 0.0
    for i in range(x.shape[0]):
        total += x[i] * w[i] + np.tanh(x[i]) * 0.1
    return total


def expression(x):
    return np.sum(np.exp(0.1 * x) / (2.0 + x * x))


def oscillator(x, w):
    z = complex(1.0, 0.0)
    energy = 0.0
    for i in range(x.shape[0]):
        z = z * np.exp((1j * w - 0.1) * 0.3) + x[i]
        energy += z.real * z.real + 2.0 * z.imag
    return energy


def orbit(c, n):
    z = 0j
    for _ in range(n):
        z = z**2 + c
    return abs(z)


def continued_fraction(z, n):
    y = 0.0 * z
    for k in range(1, n):
        y = np.conjugate(k / (z + y)) + np.sqrt(z)
    return np.real(y) - y.imag


def filled(x, c):
    z = np.zeros(x.shape[0], np.complex128)
    for i in range(x.shape[0]):
        z[i] = x[i]
        z[i] += c * x[i]
        if i > 0:
            z[i] = z[i] * z[i - 1] + 0.5
    return np.abs(z[x.shape[0] - 1])


CASES: tuple[tuple[Callable[..., Any], tuple[Any, ...], tuple[int, ...]], ...] = (
    (recurrence, (SINGLE, np.float32(0.4)), (0, 1)),
    (beside_doubles, (SINGLE, X), (0, 1)),
    (expression, (SINGLE,), (0,)),
    (oscillator, (X, 0.7), (0, 1)),
    (orbit, (0.1 + 0.2j, 6), (0,)),
    (continued_fraction, (0.7 + 0.4j, 5), (0,)),
    (filled, (X, 0.3 - 0.2j), (0, 1)),
)


def alike(found: Any, expected: Any) -> bool:
    found, expected = np.asarray(found), np.asarray(expected)
    digits = 1e-6 if expected.dtype == np.float32 else 1e-14
    return found.dtype == expected.dtype and bool(np.all(np.abs(found - expected) <= digits * np.max(np.abs(expected))))


@pytest.mark.parametrize(("f", "args", "places"), CASES, ids=[f.__name__ for f, _, _ in CASES])
def test_derivatives_are_those_of_python(f: Callable[..., Any], args: Any, places: tuple[int, ...]) -> None:
    if not any(getattr(arg, "dtype", None) == np.float32 for arg in args):
        check_derivatives(f, *args)
    assert "around" not in adxform.explain(f, *args, argnums=places, engine="numba")
    compiled, plain = (adxform.value_and_grad(f, places, engine=engine)(*args) for engine in ("numba", "python"))
    assert alike(compiled[0], plain[0])
    assert all(alike(*pair) for pair in zip(compiled[1], plain[1], strict=True))
    if f is recurrence:
        compiled, plain = (adxform.hvp(f, engine=engine)(*args, args[0]) for engine in ("numba", "python"))
        assert alike(compiled, plain)


def test_singles_have_the_derivative_of_doubles_in_their_own_digits() -> None:
    single = adxform.grad(recurrence, engine="numba")(SINGLE, np.float32(0.4))
    double = adxform.grad(recurrence, engine="python")(SINGLE.astype(np.float64), 0.4)
    np.testing.assert_allclose(single, double, rtol=1e-5)


def test_what_is_compared_is_compared_in_single_precision() -> None:
    def below(x):
        total = np.float32(0.0)
        for i in range(x.shape[0]):
            if x[i] < 0.1:
                total += x[i]
        return total

    assert np.array_equal(adxform.grad(below, engine="numba")(np.full(3, 0.1, np.float32)), np.zeros(3))


def test_a_complex_division_by_zero_is_that_of_python() -> None:
    def ratio(z, n):
        total = 0j
        for k in range(n):
            total += z / (z - k)
        return total.real

    for z, engine in ((1.0 + 0j, "numba"), (1.0 + 0j, "python")):
        with pytest.raises(ZeroDivisionError):
            adxform.grad(ratio, engine=engine)(z, 3)


EXTREMES = (0.0, -0.0, 1.0, -2.5, 709.5, 745.0, -800.0, math.inf, -math.inf, math.nan)


def test_the_exponential_of_complex_numbers_is_that_of_numpy() -> None:
    compiled = numba.njit(numba.complex128(numba.complex128))(kernel_scalars.complex_exponential)
    for z in (complex(x, y) for x in EXTREMES for y in EXTREMES):
        with np.errstate(all="ignore"):
            expected, found = np.exp(np.complex128(z)), np.complex128(compiled(z))
        np.testing.assert_allclose([found.real, found.imag], [expected.real, expected.imag], rtol=4e-16)


@pytest.mark.parametrize("b", [2.0, -2.0, 0.3, 0.0, math.inf, -math.inf, math.nan])
def test_remainders_are_those_of_numpy(b: float) -> None:
    for a in (0.0, -0.0, 1.5, -1.5, 6.0, -6.0, 1e300, math.inf, math.nan):
        with np.errstate(all="ignore"):
            expected, found = np.remainder(a, b), kernel_scalars.remainder(a, b)
        assert np.array_equal(found, expected, equal_nan=True)
        assert found != found or np.signbit(found) == np.signbit(expected)
