"""Divisions by what a loop does not change: the quotients of the processor's division, and which loops have them."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.backends.numba.reciprocal_division import divide_by_reciprocals
from adxform.backends.numba.vector_math import DIVIDED
from adxform.ir.operand_facts import callee
from adxform.ir.text import read
from adxform.ir.verify import verify
from adxform.ir.walk import all_ops

numba = pytest.importorskip("numba")

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")

RANDOM = np.random.default_rng(11)
SPECIAL = np.array([0.0, 1.0, 3.0, np.inf, np.nan, 5e-324, 1e-310, 2.0**-1024, 2.0**-1022, 2.0**1022, 2.0**1023])
SPECIAL = np.concatenate([SPECIAL, -SPECIAL])
divided = DIVIDED.load()


@numba.njit(error_model="numpy")
def quotients(x: Any, divisor: Any, out: Any) -> Any:
    for i in range(x.shape[0]):
        out[i] = divided(x[i], divisor)
    return out


def divisors() -> list[float]:
    """Divisors of every size, the last floats before powers of two among them."""
    exponents = [-1074, -1060, -1023, -1022, -500, -1, 0, 1, 3, 500, 1022, 1023]
    mantissas = (1.0, np.nextafter(1.0, 2.0), 1.5, *RANDOM.uniform(1.0, 2.0, 3), np.nextafter(2.0, 1.0))
    sizes = [float(np.ldexp(mantissa, exponent)) for mantissa in mantissas for exponent in exponents]
    return [sign * k for k in (3.0, 49.0, 1e5, 9.0, *sizes) for sign in (1.0, -1.0)]


@pytest.mark.parametrize("size", [1.0, 2.0**-960, 2.0**960])
def test_quotients_are_rounded_as_the_processor_rounds_them(size: float) -> None:
    for divisor in divisors():
        whole = np.arange(-50.0, 50.0)
        x = np.concatenate([divisor * whole, size * np.concatenate([whole, RANDOM.normal(size=900)])])
        got, expected = quotients(x, divisor, np.empty_like(x)), x / divisor
        usual = (abs(x) >= 2.0**-960) & (abs(expected) >= 2.0**-960) & (2.0**-1000 < abs(divisor) < 2.0**1000)
        near = abs(got - expected) <= np.where(usual, 0.0, 2.0 * np.spacing(abs(expected)))
        wrong = ~near & (got != expected) & ~(np.isnan(got) & np.isnan(expected))
        assert not wrong.any(), (divisor, x[wrong], got[wrong], expected[wrong])


@pytest.mark.parametrize("divisor", SPECIAL)
@pytest.mark.parametrize("count", [0, 1, len(SPECIAL)])
def test_special_values_and_the_signs_of_zeros_are_those_of_a_division(divisor: float, count: int) -> None:
    x = SPECIAL[:count]
    got, expected = quotients(x, divisor, np.empty_like(x)), x / divisor
    np.testing.assert_array_equal(got, expected)
    assert (np.signbit(got) == np.signbit(expected))[~np.isnan(expected)].all()


def test_a_whole_number_divides() -> None:
    assert quotients(np.array([49.0, 1.0]), 7, np.empty(2)).tolist() == [7.0, 1.0 / 7.0]


BODIES = {
    "what a pass loads": ("v: f64 = operator.getitem(x, i)\n        u: f64 = operator.truediv(v, s)", True),
    "a literal": ("v: f64 = operator.getitem(x, i)\n        u: f64 = operator.truediv(v, 9.0)", True),
    "a power of two": ("v: f64 = operator.getitem(x, i)\n        u: f64 = operator.truediv(v, 4.0)", False),
    "a divisor of each pass": ("v: f64 = operator.getitem(x, i)\n        u: f64 = operator.truediv(s, v)", False),
    "nothing of the pass": ("u: f64 = operator.truediv(s, s)", False),
    "another place": (
        "k: int = operator.sub(i, 1)\n        v: f64 = operator.getitem(x, k)\n        u: f64 = operator.truediv(v, s)",
        False,
    ),
}


@pytest.mark.parametrize("name", BODIES)
def test_which_divisions_are_by_one_number(name: str) -> None:
    body, taken = BODIES[name]
    fn = divide_by_reciprocals(
        read(f"""
def f(x: f64[x.0], n: int, s: f64):
    for i: int in range(1, n, 1):
        {body}
        operator.setitem(x, i, u)
    return x""")
    )
    verify(fn)
    assert any(callee(op) is divided for op in all_ops(fn.body)) == taken


def test_a_number_that_passes_hand_on_is_divided_as_ever() -> None:
    fn = divide_by_reciprocals(
        read("""
def f(n: int, s: f64):
    t: f64 = for i: int in range(0, n, 1) with t.1: f64 = 1.0:
        u: f64 = operator.add(t.1, 1.0)
        t.2: f64 = operator.truediv(u, s)
        yield t.2
    return t""")
    )
    assert operator.truediv in {callee(op) for op in all_ops(fn.body)}


def softmax(x: Any, w: Any) -> Any:
    e = np.exp(x - np.max(x))
    return np.sum(e / np.sum(e) * w)


def standardised(x: Any, w: Any) -> Any:
    return np.sum(np.floor(x / w[0]) * w) + np.sum((x / w[1]) ** 2)


def by_loop(x: Any, w: Any) -> Any:
    total, scale = 0.0, float(w[0])
    for i in range(x.shape[0]):
        if x[i] / scale > 1.0:
            total += x[i] * w[i] / scale
    return total


@pytest.mark.parametrize("f", [softmax, standardised, by_loop])
@pytest.mark.parametrize("x", [np.arange(7.0) * 49.0, RANDOM.normal(size=33), np.array([1.0, np.nan, np.inf])])
@pytest.mark.parametrize("scale", [49.0, 0.3, 0.0, np.inf, 1e-310])
def test_derivatives_are_those_of_python(f: Callable[..., Any], x: Any, scale: float) -> None:
    w = np.full(len(x), 1.5)
    w[0] = scale
    outcomes = []
    for engine in ("python", "numba"):
        try:
            outcomes.append(adxform.value_and_grad(f, argnums=(0, 1), engine=engine)(x, w))
        except ZeroDivisionError as error:
            outcomes.append(str(error))
    expected, got = outcomes
    if isinstance(expected, str):
        assert got == expected
        return
    np.testing.assert_allclose(got[0], expected[0], rtol=1e-12)
    for one, other in zip(got[1], expected[1], strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-13)


def test_without_fast_mathematics_every_division_is_one() -> None:
    fast, strict = (
        adxform.source(softmax, np.ones(3), np.ones(3), engine="numba", fastmath=fastmath) for fastmath in (True, False)
    )
    assert "divided" in fast
    assert "divided" not in strict
