"""Arrays that kernels fill lie in memory as NumPy lays them out, where the program can tell: its reshapes copy or do not."""

from __future__ import annotations

import numpy as np
import pytest

import adxform
from tests.tables.cell import program

pytestmark = pytest.mark.usefixtures("interpreted")
MATRIX = np.array([[2.0, 0.3, -0.4], [0.2, 3.0, 0.5], [0.7, -0.8, 1.5]])
FILL = "for i in range(3):\n        for j in range(3):\n            b[i, j] = m[i, j] * (i + 1)"
MADE = {
    "zeros": "b = np.zeros_like(m.T)",
    "empty": "b = np.empty_like((m * s).T)",
    "full": "b = np.full_like(m, s)",
    "a copy of what lies backwards": "b = np.copy(m[::-1].T)",
    "as one that is made as well": "b = np.zeros_like(np.ones_like(m.T))",
    "turned": "b = np.zeros_like(m).T",
    "single precision": "b = np.zeros_like(m.T, dtype=np.float32)",
    "on one path": "b = np.zeros_like(m.T) if s > 0 else m * s",
    "in a loop": "b = m.T\n    for k in range(2):\n        c = np.zeros_like(b)\n        c[0] = b[1] * k\n        b = c",
    "by rows": "b = np.zeros((3, 3))",
}


@pytest.mark.parametrize("made", MADE.values(), ids=MADE)
def test_what_a_reshape_of_a_filled_array_does(made: str) -> None:
    f = program(
        f"def f(m, s):\n    {made}\n    {FILL}\n    b.ravel()[1] = s\n    return np.sum(b[0] ** 2) + np.sum(b[:, 0] ** 3)"
    )
    step, near = (1e-2, 0.1) if "32" in made else (1e-5, 1e-6)
    for m in (MATRIX, np.asfortranarray(MATRIX)):
        value, (by_m, by_s) = adxform.value_and_grad(f, (0, 1), engine="numba")(m, 0.7)
        assert np.isclose(value, f(m, 0.7), rtol=near)
        assert np.isclose(by_s, (f(m, 0.7 + step) - f(m, 0.7 - step)) / (2 * step), atol=near)
        for place in np.ndindex(3, 3):
            moved = np.zeros_like(m)
            moved[place] = step
            assert np.isclose(by_m[place], (f(m + moved, 0.7) - f(m - moved, 0.7)) / (2 * step), atol=near)


def test_the_layout_is_kept_only_where_it_is_read() -> None:
    f = program(f"def f(m, s):\n    b = np.zeros_like(m.T)\n    {FILL}\n    return np.sum(b.ravel() ** 2) * s")
    assert "np.zeros_like(T)" not in adxform.source(f, MATRIX, 0.7, engine="numba")
