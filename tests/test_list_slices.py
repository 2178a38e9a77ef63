"""Slices of lists whose length only a run can tell, set and deleted: what Python's own lists do, with derivatives."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tests.tables.cell import Cell, judge, program

POINTS = (np.array([0.8, 1.3, 0.35, 0.9, 0.6]), np.array([1.2, 0.45, 0.7, 1.1, 0.5, 0.2]))
LISTS = {
    "floats": ("l = [v * 1.0 for v in x if v > 0.4]", "sum(v * (i + 1) for i, v in enumerate(l))"),
    "appended": (
        "l = []\n    for v in x:\n        if v > 0.4:\n            l.append(v)",
        "sum(v * (i + 1) for i, v in enumerate(l))",
    ),
    "pairs": ("l = [(v, v * v) for v in x if v > 0.4]", "sum(a * b * (i + 1) for i, (a, b) in enumerate(l))"),
    "arrays": ("l = [x * v for v in x if v > 0.4]", "sum(np.sum(v) * (i + 1) for i, v in enumerate(l))"),
}
ITEM = {"floats": "{}", "appended": "{}", "pairs": "({0}, x[0])", "arrays": "({} * x)"}
CHANGES = """
l[1:2] = [A, B] | l[:0] = [C] | l[len(l):] = [A] | l[2:] = [] | l[-2:] = [A] | l[:] = l[::-1] | l[5:9] = [B]
l[2:1] = [A, B] | l[k:k + 1] = [C] | l[1:3] = l | l[1:2] = (B,) | l[True:] = [A] | l[None:1] = [C] | l[np.int64(1):] = [B]
l[0:2], l[-1:] = [C], [A] | l[:1] += [A] | m = l; m[1:2] = [B] | m = l[:]; m[1:2] = [B] | l[1:1] = (v for v in l[:k])
del l[1:2] | del l[:] | del l[-1:] | del l[2:1] | del l[k:] | del l[-99:1] | l[::2] = l[::2] | del l[::2] | l[1:2] = 5.0
"""
STEPS = ("l[::2] = l[::2]", "del l[::2]")


@pytest.mark.parametrize("held", LISTS)
def test_they_are_those_of_python(held: str) -> None:
    made, read = LISTS[held]
    kinds: Counter[str] = Counter()
    for change in (part.strip() for line in CHANGES.strip().split("\n") for part in line.split(" | ")):
        lines = change.replace("; ", "\n    ")
        for name, number in {"A": "x[0] * 3", "B": "x[1]", "C": "x[2] ** 2"}.items():
            lines = lines.replace(name, ITEM[held].format(number))
        text = f"def f(x):\n    k = int(x[0] * 2)\n    {made}\n    {lines}\n    return {read} + len(l) * x[0]\n"
        f = program(text)
        for point in POINTS:
            verdict = judge(Cell(change, f, (point,)))
            assert verdict.kind != "wrong", f"{change}: {verdict.reason}"
            assert verdict.kind == "right" or change in (*STEPS, "l[1:2] = 5.0"), f"{change}: {verdict.reason}"
            kinds[verdict.kind] += 1
    assert kinds["right"] >= 50
