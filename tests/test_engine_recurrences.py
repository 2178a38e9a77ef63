"""Functions in loops that run one pass after the other: those of the C library, where forms for lanes would take longer."""

from __future__ import annotations

import math
from collections.abc import Callable
from textwrap import indent
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.ir.ops import For, While
from adxform.ir.text import read
from adxform.ir.verify import verify
from adxform.passes.loops.recurrences import is_recurrence

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


TESTED = """a: f64 = operator.getitem(x, i)
c: bool = operator.lt(a, 0.0)
b: f64 = if c:
    d: f64 = {}
    yield d
else:
    yield t
yield b, u"""


@pytest.mark.parametrize(
    ("body", "one_by_one"),
    [
        ("a: f64 = np.sin(t)\nb: f64 = np.sin(u)\nyield a, b", True),
        # from one number to another, and back again
        ("a: f64 = np.sin(u)\nb: f64 = np.sin(t)\nyield a, b", True),
        ("a: f64 = operator.getitem(x, i)\nb: f64 = np.sin(t)\nyield a, b", False),
        # sums, extremes, and what goes on as it is
        ("a: f64 = operator.getitem(x, i)\nb: f64 = runtime.add_up(t, a)\nyield b, u", False),
        ("a: f64 = operator.getitem(x, i)\nb: f64 = runtime.larger(a, u)\nyield t, b", False),
        # in a branch, what is kept in the other one
        (TESTED.format("np.sin(t)"), True),
        (TESTED.format("runtime.add_up(t, a)"), False),
        # through a loop inside
        (
            "b: f64 = for j: int in range(0, n, 1) with v: f64 = t:\n    d: f64 = operator.mul(v, 0.5)\n    yield d\nyield b, u",
            True,
        ),
    ],
)
def test_a_recurrence_computes_a_number_from_itself(body: str, one_by_one: bool) -> None:
    fn = read(f"""
def f(x: f64[x.0], n: int):
    s: f64, r: f64 = for i: int in range(0, n, 1) with t: f64 = 0.0, u: f64 = 1.0:
{indent(body, 8 * " ")}
    return s, r""")
    verify(fn)
    (loop,) = fn.body.ops
    assert isinstance(loop, For | While)
    assert is_recurrence(loop) is one_by_one


def logistic(y: Any, steps: int, function: Callable[[Any], Any]) -> Any:
    total = 0.0
    for _ in range(steps):
        y = 0.25 + 0.5 * function(0.3 * y)
        total = total + y * y
    return total


FUNCTIONS = [np.exp, np.exp2, np.expm1, np.log1p, np.sin, np.cos, np.tan, np.arcsin, np.arctan, np.sinh, np.cosh, np.tanh]


@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
@pytest.mark.parametrize("steps", [0, 1, 7])
def test_functions_in_recurrences(function: Callable[[Any], Any], steps: int) -> None:
    def f(y: float) -> Any:
        return logistic(y, steps, function)

    found = float(adxform.grad(f, engine="numba")(0.7))
    step = np.imag(f(0.7 + 1e-30j)) / 1e-30
    assert found == pytest.approx(step, rel=1e-13)


@pytest.mark.parametrize("point", [math.nan, math.inf, -math.inf, -2.0, 0.0])
def test_what_is_no_number_is_that_on_both_engines(point: float) -> None:
    def f(y: float) -> Any:
        for _ in range(3):
            y = np.log(y) + np.sin(y) + np.arccosh(y)
        return y

    found = [adxform.value_and_grad(f, engine=engine)(point) for engine in ("numba", "python")]
    np.testing.assert_allclose(*found, rtol=1e-14)


def test_loops_over_elements_keep_their_forms() -> None:
    def f(x: Any) -> Any:
        total = 0.0
        for i in range(x.shape[0]):
            total = total + np.sin(x[i])
        return total

    x = np.linspace(0.0, 1.0, 5)
    assert "vector_math.circular" in adxform.source(f, x, engine="numba")
    assert "np.sin" in adxform.source(logistic, 0.7, 9, np.sin, engine="numba")
