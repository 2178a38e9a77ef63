"""Elementwise functions with ``where=`` and ``out=``: each against the plain call, both modes, differences and second order."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import adxform
from adxform.errors import UnsupportedOperationError
from tests.oracle import central_jacobian
from tests.tables.cell import Cell, judge, program

X, Y = np.array([0.0, 1.5, -2.0, 3.0]), np.array([2.0, 0.3, -1.0, 0.5])
M = np.arange(12.0).reshape(3, 4) - 4.3
APART = {
    "np.divide": "np.divide(y, x, where=m, out={})",
    "np.log": "np.log(x, where=m, out={})",
    "np.power": "np.power(x, y, where=m, out={})",
    "np.arctan2": "np.arctan2(x, y, where=m, out={})",
    "np.remainder": "np.remainder(x, y, where=y > 0.4, out={})",
    "np.logaddexp": "np.logaddexp(x, y, where=m, out={})",
    "np.floor": "np.floor(x + 0.2, where=y > 0, out={})",
    "np.positive": "np.positive(x, where=y > 0, out={})",
    "a number and an array": "np.divide(1.0, x, where=m, out={})",
    "numbers": "np.divide(1.0, y[0], where=m, out={})",
    "numbers, nowhere": "np.divide(y[0], x[0], where=x > 9, out={})",
    "a list": "np.multiply([x[0], 2.0, y[1], x[3]], y, where=m, out={})",
    "one for all": "np.multiply(x[3:], y, where=y > 0, out={})",
    "a tuple for out": "np.sqrt(x, where=m, out=({},))",
    "out by position": "np.sqrt(x, {}, where=m)",
    "a mask of numbers": "np.exp(x, where=[1, 0, 2, 0], out={})",
    "a mask of one": "np.exp(x, where=x[1:2] > 0, out={})",
    "one truth value": "np.exp(x, where=x[1] > 0, out={})",
    "everywhere": "np.exp(x, where=True, out={})",
    "nowhere": "np.exp(x, where=False, out={})",
    "a mask of the run": "np.exp(x, where=[x[1] > 0, True, y[0] > 9, False], out={})",
    "itself": "np.add({}, y, where=m, out=a)",
    "itself backwards": "np.subtract({}[::-1], a, where=y > 0, out=a)",
}
ARRAYS = {
    "zeros": "a = np.zeros_like(x)",
    "a view": "w = np.ones((4, 3)) * y[0]\na = w[:, 1]",
    "what moves": "a = x * y",
    "wider": "a = np.ones((2, 4)) * x",
}


def written(*lines: str) -> str:
    """A program of these lines, of which each may be several."""
    return "def f(x, y):\n" + "".join(f"    {line}\n" for text in lines for line in text.split("\n"))


@pytest.mark.parametrize("array", ARRAYS)
@pytest.mark.parametrize("way", APART)
def test_chosen_elements_are_computed(way: str, array: str) -> None:
    text = written(
        ARRAYS[array], f"z = {APART[way].format('a')}", f"return np.sum({'w' if array == 'a view' else 'a'} ** 2) + np.sum(z * x)"
    )
    verdict = judge(Cell(way, program(text), (X, Y)))
    assert verdict.kind == "right", verdict.reason


SHARED = {
    "before": "np.multiply(a[:4], y, where=x > -1, out=a[1:5])",
    "behind": "np.multiply(a[1:5], y, where=x > -1, out=a[:4])",
    "backwards": "np.multiply(a[3::-1], y, where=x > -1, out=a[:4])",
    "strided": "np.multiply(a[::2], y, where=x > -1, out=a[2:6])",
}


@pytest.mark.parametrize("way", SHARED)
def test_operands_that_share_memory_with_out_are_read_before_it_is_written(way: str) -> None:
    text = written("a = np.concatenate((x * y, x))", SHARED[way], "return np.sum(a * a)")
    verdict = judge(Cell(way, program(text), (X, Y)))
    assert verdict.kind == "right", verdict.reason


PROGRAMS = {
    "a mask by rows": (M, "a = np.ones(x.shape) * y; np.sqrt(x, where=(x > 0).all(axis=1, keepdims=True), out=a)", "a**2 * x"),
    "a mask by columns": (M, "a = x * 2; np.power(x, 3, where=y > 0, out=a)", "a"),
    "Fortran order": (np.asfortranarray(M), "a = np.ones_like(x) * y; np.sqrt(x, where=x > 0, out=a)", "a**2 * x"),
    "a transpose": (M, "a = np.ones((4, 3)); np.sqrt(x.T, where=x.T > 0, out=a)", "a.T**2 * x * y"),
    "no axes": (X, "a = np.zeros(()); np.log(x[1], where=x[1] > 0, out=a)", "a * y"),
    "no axes, left": (X, "a = np.array(y[1]); np.log(x[0], where=x[0] > 0, out=a)", "a * y"),
    "no elements": (np.zeros(0), "a = np.zeros_like(x); np.log(x, where=x > 0, out=a)", "a * a"),
    "single": (np.float32(X), "a = np.zeros_like(x); np.divide(1.0, x, where=x != 0, out=a)", "a * a"),
    "from single": (np.float32(X), "a = np.zeros(4); np.divide(1.0, x, where=x != 0, out=a)", "a * a"),
    "to single": (X, "a = np.zeros(4, dtype=np.float32); np.divide(1.0, x, where=x != 0, out=a)", "a"),
    "truth values": (X, "m = x > 0; np.logical_not(m, where=m, out=m)", "y[m]"),
    "truth values along": (
        X,
        "m = np.append(x > 0, y > 0); np.logical_not(m[:-1], where=m[1:], out=m[1:])",
        "np.append(x, y)[m]",
    ),
    "whole numbers": (X, "k = np.arange(4); np.add(k, 1, where=k > 1, out=k)", "y * k"),
    "complex numbers": (X, "z = x + 1j * y; a = z * 0; np.divide(1, z, where=x > 0, out=a)", "np.abs(a[1::2]) ** 2"),
    "an argument": (X, "np.divide(y, x, where=x != 0, out=x)", "x * x"),
    "a loop": (X + 0.1, "a = x * 0\nfor k in range(3): np.divide(y, x - k, where=x != k, out=a); x = x + a * 0.1", "a * x"),
    "a loop of the run": (X + 0.1, "a = x * 1\nwhile a[1] < 9: np.multiply(a, 1.5, where=a < 20, out=a)", "a * y"),
    "a branch": (X, "a = x * 0\nif x[1] > 0: np.divide(x, y, where=y > 0, out=a)\nelse: a = a + 1", "a * x"),
    "a stable logistic": (
        np.array([900.0, 0.5, -900.0, -0.5]),
        """a, m = np.empty_like(x), x > 0
np.exp(-x, where=m, out=a)
np.exp(x, where=~m, out=a)
np.divide(1.0, 1.0 + a, where=m, out=a)
np.divide(a, 1.0 + a, where=~m, out=a)""",
        "a * x",
    ),
    "options in a dict": (X, "options = dict(where=y > 0, out=x * y); a = np.add(x, y, **options)", "a * y"),
    "another length": (X, "a = np.zeros(3); np.add(x, y, where=x > 1, out=a)", "a"),
    "a mask too large": (X, "a = np.zeros(4); np.add(x, y, where=np.ones((3, 4), dtype=bool), out=a)", "a"),
    "an array of numbers as a mask": (X, "a = np.zeros(4); np.add(x, y, where=np.arange(4), out=a)", "a"),
    "errors that raise": (X, "a = x * 2\nwith np.errstate(all='raise'): np.divide(y, x, where=x != 0, out=a)", "a * y"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str) -> None:
    x, text, result = PROGRAMS[name]
    verdict = judge(Cell(name, program(written(text, f"return np.sum({result})")), (x, Y)))
    assert verdict.kind == "right", verdict.reason


REFUSED = {
    "np.log(x, where=x > 0)": "without `out=`",
    "np.log(x, where=x > 0, out=None)": "without `out=`",
    "np.modf(x, where=x > 0, out=(x * 2, x * 3))": "`out=` is not an array",
    "np.log(x, where=x > 0, out=np.zeros(4, dtype=int))": "another dtype",
    "np.log(x, where=x > 0, out=[1.0, 2.0, 3.0, 4.0])": "`out=` is not an array",
}


@pytest.mark.parametrize("call", REFUSED)
def test_what_is_refused_has_a_place(call: str) -> None:
    f = program(written(f"return np.sum({call})"))
    with pytest.raises(UnsupportedOperationError, match=REFUSED[call]) as refused:
        adxform.grad(f)(X, Y)
    assert refused.value.span.line == 2


def test_derivatives_warn_where_the_plain_call_does() -> None:
    f = program(
        written("a = np.zeros(4)", "np.divide(y, x, where=x != 0, out=a)", "np.sqrt(a, where=a > 0, out=a)", "return a @ y")
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        gradient = adxform.grad(f, (0, 1))(X, Y)
        adxform.hvp(f, (0, 1))(X, Y, (X, Y))
        prepared = adxform.prepare_gradient(f, X, Y, argnums=(0, 1))(X, Y)
    assert np.all(np.isfinite(gradient))
    assert np.array_equal(gradient, prepared)
    there, moving = X[[0]], X != 0  # at its first element the program jumps
    slopes, error = central_jacobian(lambda x: np.atleast_1d(f(np.concatenate((there, x)), Y)), X[moving], step=1e-3)
    assert error < 1e-6
    np.testing.assert_allclose(gradient[0][moving], slopes[0], rtol=1e-7)
