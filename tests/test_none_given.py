"""What may be ``None`` is asked for that, raises what ``None`` raises, and is refused where neither is followed."""

from __future__ import annotations

import numpy as np
import pytest

import adxform
from adxform.errors import UnsupportedOperationError
from tests.tables.cell import Cell, judge, program

X = np.array([0.6, 1.3, -0.4, 2.1])
Y = np.array([2.05, 0.3, -1.1, 0.55])
ASKED = """
b is None | b == None | not b | b or y[1] | b and y[1] | b if b is not None else 3.0 | isinstance(b, float) | hasattr(b, 'shape')
b in (None, 1.0) | [b, 1.0].count(None) | sum(v for v in [b, y[0]] if v is not None) | (lambda v: 0.0 if v is None else v * v)(b)
b is b | [b][0] is b | (b is c) * 2.0 | (b is not c) * 2.0 | b == c | type(b) is float | str(b) | getattr(b, 'real', 5.0) | b.real
b + 1 | b * x | -b | b > 1 | abs(b) | float(b) | round(b) | np.sqrt(b) | math.exp(b) | max(b, 1.0) | sum([b, 1.0]) | x[b] | x[b:]
np.clip(y, b, None) | y.clip(None, b) | np.array([b, 1.0], dtype=float) | np.full(3, b, dtype=float) | np.where(x > 0, b, 1.0)
np.equal(b, x[0]) | np.logical_not(b) | np.logical_or(y > 0, b) | np.float64(b) | np.isnan(b)
x[0] if b is None or b > 0.1 else y[0] | (b is not None and b > 0.1) | {None: 1.0}.get(b, 2.0) | next((v for v in [b] if v), 7.0)
"""
USES = [use.strip() for line in ASKED.strip().split("\n") for use in line.split(" | ")]


@pytest.mark.parametrize("there", ["y[0] > 0", "y[0] < 0"])
@pytest.mark.parametrize("use", USES)
def test_a_use_is_right_or_refused(use: str, there: str) -> None:
    lines = f"b = x[0] if {there} else None", "c = x[1] if y[1] < 0 else None", f"r = {use}", "return r, x[0] * y[0]"
    text = "import math\n\n\ndef f(x, y):\n" + "".join(f"    {line}\n" for line in lines)
    verdict = judge(Cell(use, program(text), (X, Y)))
    assert verdict.kind in ("right", "refused"), verdict.reason


RIGHT = {
    "bounds": (
        "lo, hi = x[0] if y[1] > 0 else None, None if y[1] > 0 else x[1]"
        "\nreturn np.sum(np.clip(y, lo, hi) * x) + np.sum(y.clip(lo, hi) ** 2)"
    ),
    "an attribute in a try": (
        "b = x[0] if y[0] < 0 else None\ntry:\n    return b.real\nexcept AttributeError:"
        "\n    return y[0] ** 2"
    ),
    "an item in a try": "b = x if y[0] < 0 else None\ntry:\n    return b[0] * y[0]\nexcept TypeError:\n    return y[0] ** 2",
    "arrays": (
        "best = None\nfor k in range(4):\n    z = x * y[k]\n    if best is None or np.sum(z) > np.sum(best):\n        best = z"
        "\nreturn np.linalg.norm(best) + best[0] * len(best) + np.dot(best, x) + best.sum()"
    ),
    "its class": (
        "b = x[0] if y[0] < 0 else None"
        "\nreturn (y[0] if isinstance(b, float) else y[1]) * (x[1] if b in (None, 3.0) else 1)"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RIGHT)
def test_programs(name: str) -> None:
    text = "def f(x, y):\n" + "".join(f"    {line}\n" for line in RIGHT[name].split("\n"))
    verdict = judge(Cell(name, program(text), (X, Y)))
    assert verdict.kind == "right", verdict.reason


def test_the_run_refuses_none_where_it_is_not_followed() -> None:
    f = program("def f(x, y):\n    b = x[0] if y[0] < 0 else None\n    return np.sum(np.full(3, b, dtype=float))\n")
    assert adxform.grad(f)(X, -Y)[0] == 3.0
    with pytest.raises(UnsupportedOperationError, match="None here") as refused:
        adxform.grad(f)(X, Y)
    assert refused.value.span.line == 3
