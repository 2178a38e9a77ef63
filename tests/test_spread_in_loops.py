"""Arrays that show the elements of others several times, read in loops: cotangents come together outside of the loop."""

from __future__ import annotations

import numpy as np
import pytest

import adxform
from tests.tables.cell import Cell, judge, program

SPREAD = {
    "broadcast_to": "np.broadcast_to({}, (3, 3))",
    "broadcast_to of one row": "np.broadcast_to(({})[0], (3, 3))",
    "broadcast_arrays": "np.broadcast_arrays({}, np.ones((3, 3)))[0]",
    "windows": "np.lib.stride_tricks.sliding_window_view(({}).ravel(), 3)",
    "added to what may be longer": "({}) + np.zeros((3, 3))",
}
OF = {
    "a value": "x * x",
    "an argument": "x",
    "an element of a list": "[x * x, x][0]",
    "a view": "(x * x).T",
    "what is read too": "y",
}
READS = {
    "elements": "for i in range(3):\n        s += w[i, 0] * w[0, i]",
    "rows": "for row in w:\n        s += np.sum(row * row)",
    "stores": "L = np.zeros(3)\n    for i in range(3):\n        L[i] = w[i, 0] if i == 0 else w[i, 0] / L[0]\n    s = np.sum(L)",
    "a while loop": "i = 0\n    while i < 3:\n        s += w[i, i] ** 2\n        i += 1",
    "a branch": "if w[0, 0] > 0:\n        s += w[1, 2] ** 2 * w[0, 1]",
}
X = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]])


@pytest.mark.parametrize("reads", READS)
@pytest.mark.parametrize("spread", SPREAD)
def test_read_in_loops(spread: str, reads: str) -> None:
    for of in OF.values():
        w = SPREAD[spread].format(of)
        f = program(f"def f(x):\n    y = x * x\n    s = y[0, 1]\n    w = {w}\n    {READS[reads]}\n    return s * 1.0\n")
        verdict = judge(Cell(w, f, (X,)))
        assert verdict.kind == "right", (w, verdict.reason)


def test_tangents_of_what_is_spread() -> None:
    def f(x: np.ndarray) -> float:
        y = x @ x.T + 3 * np.eye(3)
        lower = np.zeros_like(y)
        for i in range(3):
            for j in range(i + 1):
                s = y[i, j] - lower[i, :j] @ lower[j, :j]
                lower[i, j] = np.sqrt(s) if i == j else s / lower[j, j]
        return np.sum(lower)

    v = np.arange(9.0).reshape(3, 3) / 10
    expected = (adxform.grad(f)(X + 1e-5 * v) - adxform.grad(f)(X - 1e-5 * v)) / 2e-5
    for mode in ("forward-over-reverse", "reverse-over-forward", "reverse-over-reverse", "forward-over-forward"):
        assert np.allclose(adxform.hvp(f, mode=mode)(X, v), expected, atol=1e-6), mode
