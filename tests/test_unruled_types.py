"""What functions of NumPy and SciPy without a rule return where nothing moves: arrays, told by samples and checked by the run."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg

import adxform
from adxform.errors import MissingRuleError
from tests.tables.cell import Cell, judge, program

X, T = np.array([0.5, 1.5, -0.7, 2.0]), np.array([1.0, 2.0, 3.0, 5.0])


@pytest.mark.parametrize(
    "line",
    [
        "r = np.sum((np.vander(t, 4) @ x) ** 2)",
        "v = np.vander(t, 2); c = np.linalg.solve(v.T @ v, v.T @ x); r = c @ c",
        "r = np.sum(np.vander(np.arange(5.0), len(x)) @ x)",
        "r = np.sum(np.polynomial.chebyshev.chebvander(t, 3) @ x)",
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
