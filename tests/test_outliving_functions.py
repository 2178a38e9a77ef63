"""Functions that outlive the iteration of a loop whose variables they read, kept by other functions, objects and branches."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tables.cell import Cell, judge, program

WRAP = "def wrap(f):\n    return lambda t: f(t)\n"
OUTLIVING = (
    # Python shows them the variables of the last iteration, which is refused.
    "g = None\nfor v in x:\n    if g is None:\n        g = wrap(lambda t: t * v)\nreturn g(x[2])",
    "made = []\nfor v in (x[0], x[1]):\n    made.append(wrap(lambda t: t * v))\nreturn made[0](x[2])",
    "made = [wrap(lambda t: t * v) for v in x]\nreturn made[0](x[2])",
    "f = np.sin\nfor v in (x[0], x[1]):\n    f = wrap(lambda t: t * v) if v > 0 else f\nreturn f(x[2])",
    "f = g = np.sin\nfor v in (x[0], x[1]):\n    f, g = wrap(lambda t: t * v), f\nreturn g(x[2])",
    "f, r = np.sin, 0.0\nwhile r < 9:\n    v = x[3] + r\n    r = r + 1 + abs(f(x[1]))\n    f = wrap(lambda t: t * v)\nreturn r",
)
CALLED_AT_ONCE = (
    "r = 0.0\nfor i in range(len(x)):\n    v = x[i]\n    r = r + wrap(lambda t: t * v)(r + 1)\nreturn r",
    "r = 0.0\nfor v in x:\n    g = wrap(wrap(lambda t: t * v))\n    if v > 0:\n        r = g(r + 1)\nreturn r",
    "return sum([wrap(lambda t: t * v)(x[2]) for v in x])",
)
POINTS = ([0.5, 1.5, -0.7, 2.0], [-0.5, 0.3, 0.9, -1.2], [1.7, -2.0, 0.4, 0.1])


def _program(body: str) -> str:
    return WRAP + "def f(x):\n" + "".join(f"    {line}\n" for line in body.splitlines())


@pytest.mark.parametrize("body", OUTLIVING)
def test_one_that_is_called_later_is_refused(body: str) -> None:
    for point in POINTS:
        verdict = judge(Cell(body, program(_program(body)), (np.array(point),)))
        assert verdict.kind == "refused", verdict.reason
        assert "outlives the iteration" in verdict.reason


@pytest.mark.parametrize("body", CALLED_AT_ONCE)
def test_one_that_is_called_in_its_iteration_is_followed(body: str) -> None:
    for point in POINTS:
        verdict = judge(Cell(body, program(_program(body)), (np.array(point),)))
        assert verdict.kind == "right", verdict.reason
