"""What `max`, `min` and `sorted` make of lists whose length only a run can tell, with NaN and zeros of both signs among them."""

from __future__ import annotations

import numpy as np
import pytest

import adxform
from tests.tables.cell import Cell, judge, program

ORDERS = (
    *("max(y)", "min(y)", "max(y, default=2.0)", "max(y.tolist())", "min([abs(v) for v in y])", "max(v * 2 for v in y)"),
    *("sorted(y)[0]", "sorted(y)[-1]", "sorted(y, reverse=True)[1]", "sorted(y, key=abs)[1]", "max(list(y), key=abs)"),
    "sorted(range(len(x)), key=lambda k: y[k])[-1] * x[0]",
)
PLACED = (
    *([0.3, np.nan, 1.0, 0.2], [np.nan, 0.3, 1.0, 0.2], [0.3, 1.0, 0.2, np.nan], [np.inf, np.nan, -np.inf, np.nan]),
    *([0.0, -0.0, 0.0, -0.0], [-0.0, 0.0, -0.0, 0.0]),
)


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("held", PLACED)
def test_numbers_are_compared_as_python_does(order: str, held: list[float]) -> None:
    text = f"def f(x):\n    y = x * 1.0\n    found = {order}\n    return np.sin(found) * 2.0 + x[0]\n"
    verdict = judge(Cell(text, program(text), (np.array(held),), smooth=False))
    assert verdict.kind == "right", f"{verdict.reason}\n{text}"


@pytest.mark.parametrize("held", PLACED)
def test_pairs_are_compared_as_python_does_or_the_run_refuses(held: list[float]) -> None:
    text = "def f(x):\n    y = x * 1.0\n    found = max(zip(y, x))[0]\n    return np.sin(found) * 2.0 + x[0]\n"
    verdict = judge(Cell(text, program(text), (np.array(held),), smooth=False))
    may_refuse = bool(np.isnan(held).any()) and "NaN is compared with NaN" in verdict.reason
    assert verdict.kind == "right" or may_refuse, f"{verdict.reason}\n{text}"


def test_compiled_code_finds_what_python_finds() -> None:
    text = (
        "def f(x):\n    total = 0.0\n    for i in range(x.shape[0]):\n"
        "        row = [x[i, j] * x[i, 0] + 0.5 for j in range(x.shape[1])]\n        total += max(row) - 2.0 * min(row)\n"
        "    return total\n"
    )
    f = program(text)
    for place in ((), (2, 1), (2, 0)):
        x = np.arange(12.0).reshape(4, 3) / 7 - 0.5
        if place:
            x[place] = np.nan
        value, slope = adxform.value_and_grad(f, engine="numba")(x)
        plain, expected = adxform.value_and_grad(f, engine="python")(x)
        np.testing.assert_array_equal([value, plain], f(x))
        np.testing.assert_allclose(slope, expected, rtol=1e-12)


@pytest.mark.parametrize("made", ["(v * x[0], v)", "(1.0, v * x[0])"])
def test_tuples_with_missing_numbers_are_not_put_in_order(made: str) -> None:
    text = f"def f(x):\n    return sorted({made} for v in x)[-1][1]\n"
    verdict = judge(Cell(text, program(text), (np.array([0.3, np.nan, 1.0]),), smooth=False))
    assert (verdict.kind, "NaN" in verdict.reason) == ("refused", True), verdict.reason
