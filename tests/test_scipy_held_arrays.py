"""Objects of SciPy's that hold the arrays they were made of, or copies: what they give once these are changed."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import interpolate, signal

from tests.tables.cell import Cell, judge, program

PLACES = np.array([[0.0, 0.0], [1.0, 0.1], [0.2, 1.0], [1.1, 1.2], [0.5, 0.6], [0.3, 0.1], [0.7, 0.9]])
X = np.array([0.31, 1.7, 0.9, 2.3, 0.55, 1.2, 0.8])
MADE = {
    "held values in the plane": ("x * 1.0", "interpolate.LinearNDInterpolator(places, a)", "o(0.4, 0.5)"),
    "held nearest values": ("x * 1.0", "interpolate.NearestNDInterpolator(places, a)", "o(0.4, 0.5)"),
    "held values of barycentric weights": ("x * 1.0", "interpolate.BarycentricInterpolator(np.arange(7.0), a)", "o(0.3)"),
    "values that are copied": ("x * 1.0", "interpolate.KroghInterpolator(np.arange(7.0), a)", "o(0.3)"),
    "a polynomial that is copied": ("x[:1] * 1.0", "signal.TransferFunction(a, [1.0, 0.4])", "o.freqresp([1.0, 2.0])[1]"),
    "matrices that are held": (
        "np.diag(x[:2])",
        "signal.StateSpace(a, np.ones((2, 1)), np.ones((1, 2)), np.zeros((1, 1)))",
        "o.freqresp([1.0, 2.0])[1]",
    ),
}
REFUSED = {
    "points in the plane": ("places * x[0]", "interpolate.LinearNDInterpolator(a, x)", "o(0.4, 0.5)"),
    "points on a line": ("np.cumsum(x)", "interpolate.BarycentricInterpolator(a, x)", "o(0.8)"),
}


def cell(name: str, array: str, made: str, asked: str) -> Cell:
    text = (
        f"def f(x):\n    a = {array}\n    o = {made}\n    before = np.sum(np.abs({asked}))\n    a *= 1.3\n"
        f"    return before * np.sum(np.abs({asked}))\n"
    )
    return Cell(name, program(text, interpolate=interpolate, signal=signal, places=PLACES), (X,), bits=False)


@pytest.mark.parametrize("name", MADE)
def test_what_an_object_holds_is_what_it_gives(name: str) -> None:
    verdict = judge(cell(name, *MADE[name]))
    assert verdict.kind == "right", verdict.reason


@pytest.mark.parametrize("name", REFUSED)
def test_points_that_scipy_holds_beside_what_follows_from_them_are_not_changed(name: str) -> None:
    verdict = judge(cell(name, *REFUSED[name]))
    assert verdict.kind == "refused"
    assert "may hold itself" in verdict.reason
