"""What functions of NumPy and SciPy without a rule return where nothing moves: arrays, told by samples and checked by the run."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
import scipy.signal

import adxform
from adxform import runtime
from adxform.errors import MissingRuleError, UnsupportedOperationError
from tests.tables.cell import Cell, judge, program

X, T = np.array([0.5, 1.5, -0.7, 2.0]), np.array([1.0, 2.0, 3.0, 5.0])


@pytest.mark.parametrize(
    "line",
    [
        "r = np.sum((np.vander(t, 4) @ x) ** 2)",
        "v = np.vander(t, 2); c = np.linalg.solve(v.T @ v, v.T @ x); r = c @ c",
        "r = np.sum(np.vander(np.arange(5.0), len(x)) @ x)",
        "r = np.sum(np.polynomial.chebyshev.chebvander(t, 3) @ x)",
        "b, a = scipy.signal.butter(2, 0.3); r = np.sum(scipy.signal.lfilter(b, a, x) ** 2)",
        "w = scipy.signal.get_window('hann', 4); r = (x * w) @ x",
        "p, w = np.polynomial.legendre.leggauss(4); p[0] = 2.0; r = (w * x) @ (p + x)",
        "q, y = scipy.signal.freqz(t, worN=4); r = x @ np.abs(y) + (q @ x) ** 2",
        "r = x @ scipy.linalg.toeplitz(t) @ x + x @ scipy.linalg.hilbert(4) @ x",
    ],
)
def test_what_a_function_without_a_rule_returns_is_an_array(line: str) -> None:
    lines = line.replace("; ", "\n    ")
    fn = program(f"def f(x, t):\n    {lines}\n    return r\n", scipy=scipy)
    constant = program("def g(x):\n    return f(x, t)\n", "g", f=fn, t=T)
    verdict = judge(Cell(line, constant, (X,), bits=False))
    assert verdict.kind == "right", verdict.reason


def test_what_moves_has_no_rule_and_a_view_has_no_type() -> None:
    moves = program("def f(x):\n    return np.sum(np.i0(x) @ np.ones(3))\n")
    with pytest.raises(MissingRuleError, match=r"numpy\.i0"):
        adxform.grad(moves)(X)
    view = program("def f(x, t):\n    return np.sum(np.lib.stride_tricks.as_strided(t, (2, 2), (8, 8)) @ x[:2])\n")
    with pytest.raises(MissingRuleError, match="as_strided"):
        adxform.grad(view)(X, T)
    windows = program("def f(x, t):\n    return np.sum(np.lib.stride_tricks.as_strided(t, (2, 2), (8, 8)) * x[:2])\n")
    rows = np.lib.stride_tricks.as_strided(T, (2, 2), (8, 8))
    np.testing.assert_allclose(adxform.grad(windows)(X, T)[:2], np.sum(rows, axis=0))


@pytest.mark.parametrize(
    "value",
    [(T,), [T, T * 2], (T, T), (T, T[:2]), (T, np.array([1, 2])), (T, T[None] * 2), (T, 2.0)],
    ids=lambda value: str(len(value)),
)
def test_a_tuple_of_other_arrays_than_samples_had_is_refused(value: object) -> None:
    kinds = (("float64", 1), ("float64", 1))
    with pytest.raises(UnsupportedOperationError, match=r"was taken to return|returned a view"):
        runtime.of_kinds(value, kinds)
    found = (T, T * 2)
    assert runtime.of_kinds(found, kinds) is found
    with pytest.raises(UnsupportedOperationError, match="returned a view"):
        runtime.of_kinds(found, kinds, T)
