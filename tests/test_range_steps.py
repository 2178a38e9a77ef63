"""Ranges with a step that is an argument: walked over, asked and made arrays of; a step of zero raises what Python raises."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tables.cell import Cell, judge, program

X = np.arange(1.0, 7.0) / 5
USES = (
    "[x[i] for i in range(0, 6, n)]",
    "list(zip(range(0, 6, n), x))",
    "list(reversed(range(0, 6, n)))",
    "list(range(9, 0, n))",
    "sorted(range(0, 6, n))",
    "np.array(range(0, 6, n))",
    "[3 in range(0, 9, n), n in range(0, 9, n), x[0] in range(0, 9, n)]",
    "[len(range(0, 9, n)), max(range(0, 6, n), default=0), range(9, 0, n).step]",
    "[x[i] for i in range(0, int(x[5] * 4), n)]",
    "[v for i, v in zip(range(0, int(x[5] * 4), n), x)]",
)


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("n", [1, 2, 7, -1, -2, 0])
def test_a_step_that_is_an_argument(use: str, n: int) -> None:
    text = f"def f(x, n):\n    total = 0.0\n    for v in {use}:\n        total = total + np.sum(v) * x[0]\n    return total\n"
    verdict = judge(Cell(text, program(text), (X, n)))
    assert verdict.kind == "right", f"{verdict.reason}\n{text}"


def test_portions_that_a_generator_gives() -> None:
    text = (
        "def portions(x, n):\n    for i in range(0, len(x), n):\n        yield x[i:i + n]\n"
        "def f(x, n):\n    seen = []\n    for part in portions(x, n):\n        seen.append(part.sum())\n"
        "    return sum(v * v for v in seen) + len(seen)\n"
    )
    verdict = judge(Cell(text, program(text), (X, 2)))
    assert verdict.kind == "right", verdict.reason


@pytest.mark.parametrize("asked", ["t = x[0]", "for i in r: t = t + x[i]"])
def test_a_step_of_zero_is_told_by_the_call_and_caught(asked: str) -> None:
    text = (
        "def f(x, n):\n    t = 0.0\n    try:\n        r = range(0, 6, n)\n    except ValueError:\n        return x[1] ** 2\n"
        f"    {asked}\n    return t\n"
    )
    f = program(text)
    for n in (2, 0, -1):
        verdict = judge(Cell(text, f, (X, n)))
        assert verdict.kind == "right", verdict.reason
