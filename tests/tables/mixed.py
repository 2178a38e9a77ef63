"""Lists of numbers that differ in kind: by what two kinds are in them, by how they come together, by what is done with them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from tests.tables.cell import Cell, Written

NUMBERS = {
    "small": "k + 1",
    "large": "k + 10**18",
    "truth": "(k > 1)",
    "float": "0.1 * k",
    "moving": "x[k % 4] * (k + 1)",
    "Python's moving": "(float(x[k % 4]) - 0.2)",
    "of NumPy": "c[k % 4]",
    "truth of NumPy": "(c[k % 4] > 4)",
}
"""Item `k`; `x` holds floats of double or of single precision, `c` integers."""
FLOATS = {"float", "moving", "Python's moving"}
OF_CLASSES = {"single", "name of its class"}
SOURCES = {
    "appended": "ks = [{a}]\n    for k in range(n):\n        ks.append({b})",
    "by either path": "ks = [{a} if k % 2 else {b} for k in range(n)]",
    "by a branch": (
        "ks = []\n    for k in range(n):\n        if k == 1:\n            ks.append({a})\n"
        "        else:\n            ks.append({b})"
    ),
    "joined": "ks = [{a} for k in range(n)] + [{b} for k in range(n)]",
    "joined to a known one": "ks = [{a}] + [{b} for k in range(n)]",
    "a known one joined": "ks = [{b} for k in range(n)] + [{a}]",
    "extended": "ks = [{a}]\n    ks.extend([{b} for k in range(n)])",
    "set": "ks = [{b} for k in range(n)]\n    k = 1\n    ks[1] = {a}",
    "set in a loop": "ks = [{b} for k in range(n)]\n    for k in range(2):\n        ks[k + 1] = {a}",
    "set where repeated": "ks = [{b}] * n\n    for k in range(n - 1):\n        ks[k + 1] = {a}",
    "put in": "ks = [{b} for k in range(n)]\n    ks.insert(0, {a})",
    "repeated": "ks = [{a}, {b}] * n",
    "one of two": "if x[0] > 0:\n        ks = [{a} for k in range(n)]\n    else:\n        ks = [{b} for k in range(n)]",
    "the other of two": "if x[0] < 0:\n        ks = [{a} for k in range(n)]\n    else:\n        ks = [{b} for k in range(n)]",
    "chained": "ks = list(itertools.chain([{a}], [{b} for k in range(n)]))",
    "a row": "rows = []\n    for j in range(n):\n        rows.append([{a}, {b}])\n    ks = rows[1]",
    "made anew": "ks = [{a} for k in range(n)]\n    for j in range(n - 1):\n        ks = [{b} for k in range(n)]",
    "made anew on a path": "ks = [{a} for k in range(n)]\n    if x[2] < 0:\n        ks = [{b} for k in range(n)]",
    "left as they are": "ks = [{a} for k in range(n)]\n    if x[2] > 0:\n        ks[0] = {b}",
    "rows": (
        "rows = [[{a} for k in range(n)]]\n    for j in range(n):\n        rows.append([{b} for k in range(n)])\n    ks = rows[0]"
    ),
}
USES = {
    "first": "ks[0] * 3",
    "last": "ks[-1] * 3",
    "second": "ks[1] * x",
    "power": "ks[0] ** 30 % 1009",
    "rest": "ks[0] % 1009",
    "sum": "sum(ks)",
    "twice": "(ks[0] + ks[0]) * 1.5",
    "array": "np.array(ks) * 0.3",
    "largest": "max(ks)",
    "running": "running(ks)",
    "whole": "isinstance(ks[0], int) + 2 * isinstance(ks[-1], float)",
    "class": "(type(ks[0]) is int) + 2.0",
    "name of its class": "len(type(ks[-1]).__name__)",
    "text": "len(str(ks[0]) + f'{ks[-1]}')",
    "bits": "(ks[0] & 5)",
    "quotient": "(ks[0] // 2 + divmod(ks[-1], 3)[1])",
    "root": "abs(ks[0] ** 0.5)",
    "index": "x[ks[0] % 4]",
    "places": "np.sum(x[: ks[-1]])",
    "single": "ks[0] * np.float32(0.3)",
    "stored to": "stored(np.array(ks))",
    "filled": "stored(np.full(3, ks[0]))",
    "like": "stored(np.zeros_like(ks))",
}


def running(ks: list[float]) -> float:
    """A number that every item moves."""
    total = 0.5
    for k in ks:
        total = total * 0.3 + k % 1009
    return total


def stored(a: np.ndarray) -> float:
    """The sum of an array in which a float is stored."""
    a[0] = 0.7
    return float(np.sum(a))


def cells() -> Iterator[Cell]:
    """Every use of every list of every two kinds of numbers, beside floats of either precision.

    The result is multiplied with a float: of which class a whole number of a list is that has floats too is left open. So is of
    which class a float of Python's is beside one of NumPy's.
    """
    given = {"itertools": itertools, "math": math, "running": running, "stored": stored}
    kinds = itertools.permutations(NUMBERS.items(), 2)
    for precision, ((one, a), (other, b)), (source, made), (use, r) in itertools.product(
        (np.float64, np.float32), kinds, SOURCES.items(), USES.items()
    ):
        if {one, other} <= FLOATS and use in OF_CLASSES:
            continue
        text = "def f(x, c, s):\n    n = 0\n    while s > 0.1:\n        s, n, k = s * 0.5, n + 1, 0\n"
        text += f"    {made.format(a=a, b=b)}\n    return ({r}) * x[0]\n"
        args = (np.array([0.7, 1.3, -0.4, 2.1], precision), np.arange(4) + 3, 1.5)
        smooth = use in ("first", "last", "second", "sum", "twice", "array")
        yield Cell(f"{precision.__name__}, {one} beside {other}, {source}: {use}", Written(text, given), args, smooth, orders=1)
