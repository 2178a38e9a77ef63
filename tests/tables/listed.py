"""Lists whose length only a run can tell: by what numbers are in them, by how they come to be, by what is done with them."""

from __future__ import annotations

import functools
import itertools
import math
import operator
import statistics
from collections import deque
from collections.abc import Iterator

import numpy as np

from tests.tables.cell import Cell, program

NUMBERS = {
    "small": "k",
    "large": "k + 10**18",
    "truth values": "k > 1",
    "floats": "0.5 * k",
    "of NumPy": "c[k] * 4 + 10**18",
    "that move": "x[k] * (k + 1)",
    "Python's, that move": "float(x[k]) - 0.2",
}
"""Item `k` of `n`; the first is zero, false or small. `c` holds integers, `x` floats."""
SOURCES = {
    "a comprehension": "ks = [{v} for k in range(n)]",
    "appended": "ks = []\n    for k in range(n):\n        ks.append({v})",
    "appended by while": "ks = []\n    k = 0\n    while k < n:\n        ks.append({v})\n        k += 1",
    "some of the passes": "ks = [{v} for k in range(n) if k != 2]",
    "repeated": "k = 1\n    ks = [{v}] * n",
    "mapped": "ks = list(map(lambda k: {v}, range(n)))",
    "filtered": "ks = list(filter(lambda v: v == v, [{v} for k in range(n)]))",
    "reversed": "ks = list(reversed([{v} for k in range(n)]))",
    "reversed in place": "ks = [{v} for k in range(n)]\n    ks.reverse()",
    "backwards": "ks = [{v} for k in range(n)][::-1]",
    "sorted": "ks = sorted([{v} for k in range(n)], reverse=True)",
    "sorted by a key": "ks = sorted([{v} for k in range(n)], key=lambda v: -v)",
    "a tuple": "ks = tuple([{v} for k in range(n)])",
    "a row": "rows = [[{v} for k in range(n)] for j in range(n)]\n    ks = rows[n - 1]",
    "a row that was appended": (
        "rows = []\n    for j in range(n):\n        row = []\n        for k in range(n):\n            row.append({v})\n"
        "        rows.append(row)\n    ks = rows.pop()"
    ),
    "joined": "ks = [{v} for k in range(n)] + [{v} for k in range(2)]",
    "extended": "ks = [{v} for k in range(2)]\n    ks.extend([{v} for k in range(n)])",
    "accumulated": "ks = list(itertools.accumulate([{v} for k in range(n)]))",
    "a column": "ks = [a for a, b in zip([{v} for k in range(n)], range(n))]",
    "chained": "ks = list(itertools.chain([{v} for k in range(n)], [{v} for k in range(2)]))",
    "a copy": "ks = [{v} for k in range(n)].copy()",
    "of one path": "ks = [{v} for k in range(n)]\n    if n > 40:\n        ks = ks + [{v} for k in range(1)]",
    "set one by one": "ks = [{v} for k in range(n)]\n    for k in range(n):\n        ks[k] = {v}",
    "a part replaced": "ks = [{v} for k in range(n)]\n    ks[1:n] = [{v} for k in range(2)]",
    "a part put in": "ks = [{v} for k in range(n)]\n    ks[n - 1 : 1] = [{v} for k in range(3)]",
    "a part deleted": "ks = [{v} for k in range(n + 2)]\n    del ks[-n:3]",
    "a queue": "ks = deque()\n    for k in range(n):\n        ks.append({v})",
    "a range": "ks = list(range(n))",
    "a range backwards": "ks = list(reversed(range(n)))",
    "a sorted range": "ks = sorted(range(n), key=lambda k: -k)",
}
USES = {
    "sum": "sum(ks)",
    "items": "ks[0] * ks[-1] * 100 + ks[1]",
    "power": "ks[-1] ** 5",
    "extremes": "max(ks) * 10 - min(ks) * 11",
    "extreme by a key": "max(ks, key=lambda v: -v) * 30",
    "math.prod": "math.prod(ks)",
    "math.fsum": "math.fsum(ks)",
    "math.hypot": "math.hypot(*ks)",
    "reduce": "functools.reduce(operator.mul, ks)",
    "reduce from": "functools.reduce(lambda a, b: a * b + 1, ks, 2)",
    "products": "sum(a * b for a, b in zip(ks, ks))",
    "numbered": "sum(i * v for i, v in enumerate(ks))",
    "statistics.mean": "statistics.mean(ks)",
    "statistics.median": "statistics.median(ks)",
    "text": "len(str(ks))",
    "text of an item": "len(str(ks[0]))",
    "class": "isinstance(ks[0], int) + 2 * isinstance(ks[0], float) + 4 * isinstance(ks[0], bool)",
    "whole division": "ks[-1] // 7",
    "rest": "ks[-1] % 7",
    "division": "1.0 / (ks[0] + 0.5)",
    "division by zero": "(ks[1] + 2.0) / (ks[0] * 0)",
    "root": "math.sqrt(ks[-1] + 4)",
    "rounded": "round(ks[-1])",
    "float": "float(ks[1])",
    "int": "int(ks[1]) * 1000",
    "equal": "ks[0] == ks[-1]",
    "place": "ks.index(ks[1])",
    "count": "ks.count(ks[0])",
    "contained": "ks[1] in ks",
    "any and all": "any(ks) + 2 * all(ks)",
    "array": "np.array(ks)[-1] * 2",
    "np.mean": "np.mean(ks)",
    "np.sum of products": "np.sum(np.array(ks) * 2)",
    "a display": "np.sum(np.multiply([ks, ks], 2.0)[1])",
    "a tuple with an array": "np.sum(np.add((ks, np.ones(len(ks))), ks))",
    "an argument with a meaning": "np.trapezoid(ks, dx=0.5)",
    "weights": "np.average(x[: len(ks)][0] * np.ones(len(ks)), weights=np.abs(ks) + np.ones(len(ks)))",
    "an array of its own": "written(ks)",
    "a loop": "running(ks)",
    "length": "len(ks)",
}


def running(ks: list[float]) -> float:
    """A number that every item multiplies."""
    total = 1
    for k in ks:
        total = total * k + 1
    return total


def written(ks: list[float]) -> float:
    """A number that knows whether the list changes with an array that NumPy makes of it."""
    row = np.ravel(ks)
    row[...] = row[::-1]
    return float(np.sum(row[:1])) * 3 + ks[0]


def cells() -> Iterator[Cell]:
    """Every use of every list of every kind of numbers."""
    given = {"itertools": itertools, "functools": functools, "math": math, "operator": operator, "statistics": statistics}
    for (numbers, v), (source, made), (use, r) in itertools.product(NUMBERS.items(), SOURCES.items(), USES.items()):
        if "{v}" not in made and numbers != "small":
            continue
        text = f"def f(x, c, n):\n    {made.format(v=v)}\n    r = {r}\n    return r * x[0] + r\n"
        args = (np.array([0.7, 1.3, -0.4, 2.1]), np.arange(4), 4)
        smooth = use not in ("division by zero", "extreme by a key") or numbers not in ("that move", "Python's, that move")
        names = {**given, "running": running, "written": written, "deque": deque}
        yield Cell(f"{numbers}, {source}: {use}", program(text, **names), args, smooth)
