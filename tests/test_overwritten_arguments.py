"""Options by which a function may write to what it is given (`overwrite_a=True`): refused where what it had is used after."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.fft
import scipy.linalg as la
import scipy.signal

import adxform
from adxform.errors import AdxError
from tests.tables.cell import Cell, judge, program

M = np.array([[2.0, 0.3, 0.1], [0.2, 1.7, 0.4], [0.15, 0.25, 1.3]])
B = np.array([1.0, 2.0, -0.5])
AB = np.array([[0.0, 0.5, -0.25], [2.0, 1.5, 3.0], [0.25, -0.5, 0.0]])
NAMES = {"la": la, "fft": scipy.fft, "signal": scipy.signal, "OUTSIDE": M.copy()}

FOLLOWED = {
    "solve": "return np.sum(la.solve(m * 2, b * b, overwrite_a=True, overwrite_b=True) ** 2)",
    "solve by position": "return np.sum(la.solve(m * 2, b * b, False, True, True) ** 2)",
    "solve of arguments": "return np.sum(la.solve(m, b, overwrite_a=True) ** 2)",
    "solve of lists": "return np.sum(la.solve([[b[0], 1.0], [0.5, b[1]]], [b[2], 1.0], overwrite_a=True))",
    "solve_banded": "return np.sum(la.solve_banded((1, 1), m * 1.0, b * b, overwrite_ab=True, overwrite_b=True) ** 2)",
    "solveh_banded": "return np.sum(la.solveh_banded(m[:2] * 1.0, b * b, overwrite_ab=True, overwrite_b=True) ** 2)",
    "inv": "return np.sum(la.inv(m.copy(), overwrite_a=True) @ b)",
    "det": "return la.det(m * 2.0, overwrite_a=True) * b[0]",
    "cholesky": "return np.sum(la.cholesky(m @ m.T, lower=True, overwrite_a=True) @ b)",
    "cho_factor": "c = la.cho_factor(m @ m.T, overwrite_a=True)\nreturn np.sum(la.cho_solve(c, b * b, overwrite_b=True))",
    "lu_factor": "return np.sum(la.lu_solve(la.lu_factor(m * 1.0, overwrite_a=True), b * b, overwrite_b=True))",
    "lstsq": "return np.sum(la.lstsq(m * 1.0, b * b, overwrite_a=True, overwrite_b=True)[0])",
    "eigh": "return np.sum(la.eigh(m + m.T, overwrite_a=True, eigvals_only=True) * b)",
    "solve_triangular": "return np.sum(la.solve_triangular(np.tril(m), b * b, lower=True, overwrite_b=True))",
    "qr": "return np.sum(la.qr(m * 1.0, mode='economic', overwrite_a=True)[1] @ b)",
    "fft": "return np.sum(np.abs(fft.fft(b * b, overwrite_x=True)) ** 2) + np.sum(fft.dct(b * 1.0, overwrite_x=True) ** 2)",
    "detrend": "return np.sum(signal.detrend(b * b, overwrite_data=True) ** 3)",
    "median": "return np.median(b * 2.0, overwrite_input=True) + np.percentile(m * 1.0, 30.0, overwrite_input=True)",
    "in a loop": (
        "s = 0.0\nfor k in range(len(b)):\n    a = m * (k + 1.0)\n    s += np.sum(la.solve(a, b * b, overwrite_a=True))\nreturn s"
    ),
    "read before": "a = m * 1.0\ns = np.sum(a)\nreturn s * np.sum(la.solve(a, b, overwrite_a=True)) * a.shape[0]",
    "off": "a = m * 1.0\nreturn np.sum(la.solve(a, b, overwrite_a=False)) * a[0, 0]",
}
REFUSED = {
    "read after": "a = m * 1.0\nx = la.solve(a, b, overwrite_a=True)\nreturn np.sum(x) * a[0, 0]",
    "a view read after": "a = m * 1.0\nv = a[1:]\nx = la.solve(a, b, overwrite_a=True)\nreturn np.sum(x) * v[0, 0]",
    "written after": "c = b * 1.0\nx = la.solve(m, c, overwrite_b=True)\nc[0] = 3.0\nreturn np.sum(x)",
    "returned": "a = m * 1.0\nreturn np.sum(la.solve(a, b, overwrite_a=True)), a",
    "an argument read after": "x = la.solve(m, b, overwrite_a=True)\nreturn np.sum(x) * m[0, 0]",
    "twice": "a = m * 1.0\ns = 0.0\nfor k in range(len(b)):\n    s += np.sum(la.solve(a, b, overwrite_a=True))\nreturn s",
    "in a list": "l = [m * 1.0]\nx = la.solve(l[0], b, overwrite_a=True)\nreturn np.sum(x) * l[0][0, 0]",
    "from outside": "return np.sum(la.solve(OUTSIDE, b, overwrite_a=True))",
    "as the run says": "return np.sum(la.solve(m * 1.0, b, overwrite_a=b[0] > 0.0))",
    "on a path": "a = m * 1.0\nx = b\nif b[0] > 0.0:\n    x = la.solve(a, b, overwrite_a=True)\nreturn np.sum(x) * a[0, 0]",
}


def written(text: str) -> str:
    """A program of these lines."""
    return "def f(m, b):\n" + "".join(f"    {line}\n" for line in text.split("\n"))


@pytest.mark.parametrize("name", FOLLOWED)
def test_a_copy_is_given(name: str) -> None:
    matrix = AB if "banded" in name else M
    verdict = judge(Cell(name, program(written(FOLLOWED[name]), **NAMES), (matrix.copy(), B), bits=False))
    assert verdict.kind == "right", verdict.reason


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_used_after_is_refused(name: str) -> None:
    with pytest.raises(AdxError) as refused:
        adxform.vjp(program(written(REFUSED[name]), **NAMES), M.copy(), B)
    assert refused.value.span.line
