"""Lists of pairs and ranges whose length only a run can tell: how they come to be, what is done with them, how long they are."""

from __future__ import annotations

import itertools
from collections import namedtuple
from collections.abc import Iterator

import numpy as np

from tests.tables.cell import Cell, program

PAIRS = {
    "zipped": "s = list(zip(x, y))",
    "zipped to the shortest": "s = list(zip(x[1:], y))",
    "zipped with a range": "s = list(zip(range(n), x))",
    "enumerated": "s = list(enumerate(x))",
    "enumerated from one": "s = list(enumerate(x * y, 1))",
    "a tuple of them": "s = tuple(zip(x, y))",
    "a comprehension": "s = [(x[k], y[k] ** 2) for k in range(n)]",
    "a comprehension of items": "s = [(v, 2.0 * v * w) for v, w in zip(x, y)]",
    "some of the passes": "s = [(v, k) for k, v in enumerate(x) if k != 1]",
    "appended": "s = []\n    for v, w in zip(x, y):\n        s.append((v * w, w))",
    "appended in a branch": "s = []\n    for v, w in zip(x, y):\n        if v > 0.4:\n            s.append((v * w, w))",
    "appended by while": "s = []\n    k = 0\n    while k < n:\n        s.append((x[k], k))\n        k += 1",
    "appended after a first": "s = [(y[0], 1.0)]\n    for v in x:\n        s.append((s[-1][0] * v, s[-1][1] + v))",
    "appended by turns": "s = []\n    for v in x:\n        s.append((v, 1.0))\n        s.append((v * v, 2.0))",
    "appended in nested loops": "s = []\n    for v in x:\n        for w in y:\n            s.append((v, w))",
    "of a namedtuple": "s = [Pair(v, w * w) for v, w in zip(x, y)]",
    "joined at last": "s = []\n    for v in x:\n        s.append((v, v))\n    if n > 2:\n        s.append((y[0], y[1]))",
    "one in a branch": "s = [(x[0], y[0])]\n    if x[0] > 0.1:\n        s.append((y[0], x[-1]))",
    "extended": "s = [(x[0], y[0])]\n    s.extend(zip(x, y))",
    "with rows": "s = []\n    for v in x:\n        s.append((v, v * y))",
    "in pairs": "s = [(v, (w, v * w)) for v, w in zip(x, y)]",
}
PAIR_USES = {
    "an item": "a, b = s[1]; r = a + f_(b)",
    "an item of an item": "r = s[1][0] * f_(s[0][1])",
    "the last": "a, b = s[-1]; r = a * f_(b)",
    "at a variable": "k = n // 2; r = s[k][0]",
    "at a negative variable": "k = -1 - n // 4; r = s[k][0]",
    "beyond the end": "r = s[7][0]",
    "a sum": "r = sum(a * f_(b) for a, b in s)",
    "a loop": "r = 0.0\n    for a, b in s:\n        r = 0.5 * r + a * f_(b)",
    "a loop over places": "r = 0.0\n    for k in range(len(s)):\n        r = r + s[k][0] * (k + 1)",
    "a loop backwards": "r = 1.0\n    for a, b in reversed(s):\n        r = 0.5 * r + a",
    "numbered": "r = 1.0\n    for k, (a, b) in enumerate(s):\n        r = 0.5 * r + a * k",
    "neighbours": "r = 1.0\n    for (a, b), (c, d) in zip(s, s[1:]):\n        r = 0.5 * r + a * c",
    "the length": "r = len(s) * x[0]",
    "truth": "r = x[0] if s else 3.0",
    "a slice": "r = sum(a for a, b in s[1:]) + sum(a * a for a, b in s[:-1])",
    "backwards": "r = s[::-1][0][0] ** 2",
    "the first and the rest": "(a, b), *rest = s; r = a * sum(c for c, d in rest)",
    "the last and the rest": "*rest, (a, b) = s; r = a * len(rest)",
    "the largest by key": "r = max(s, key=lambda p: p[0])[0] ** 2",
    "a column": "r = np.sum(np.array([a for a, b in s]) ** 2)",
    "columns": "a, b = zip(*s); r = sum(a) * a[0]",
    "an array": "r = np.sum(np.array(s)[:, 0] ** 2)",
    "appended to": "s.append((x[0], s[0][1])); r = sum(a for a, b in s)",
    "popped": "a, b = s.pop(); r = a * len(s) + sum(c for c, d in s)",
    "popped in a loop": "r = 0.0\n    while s:\n        a, b = s.pop()\n        r = 0.5 * r + a",
    "set": "s[0] = (2.0 * x[0], s[1][1]); r = sum(a * f_(b) for a, b in s)",
    "a copy": "t = s.copy(); t.pop(); r = sum(a for a, b in s) * len(t)",
    "another name": "t = s; t.append(s[0]); r = sum(a for a, b in s)",
    "deleted": "del s[0]; r = sum(a for a, b in s)",
    "reversed in place": "s.reverse(); r = s[0][0] ** 2",
    "sorted by key": "s = sorted(s, key=lambda p: p[0]); r = s[0][0] * 3.0 + s[-1][0]",
    "joined": "s = s + s; r = sum(a for a, b in s)",
    "any": "r = x[0] if any(a > 0.5 for a, b in s) else x[-1]",
    "a dict": "d = dict(s); r = x[0]",
}
RANGES = {
    "a range": "s = range(n)",
    "from one": "s = range(1, n)",
    "by two": "s = range(0, n, 2)",
    "backwards": "s = range(n - 1, -1, -1)",
    "below zero": "s = range(-n, n)",
    "of four": "s = range(4)",
}
PLACES = ("0", "1", "-1", "-2", "3", "9", "-9", "n - 1", "n - n - 1", "True", "1.0")
BOUNDS = ("", "1", "-1", "9", "-9", "n - 2")
STEPS = ("", "2", "-1", "-3", "0")
RANGE_USES = {
    "a starred target": "a, *b, c = s; r = x[a] + sum(x[k] ** 2 for k in b) * x[c]",
    "a starred first": "*b, c = s; r = x[c] * len(b)",
    "a starred last": "a, *b = s[::-1]; r = x[a] * len(b)",
}
Pair = namedtuple("Pair", "first second")


def cells() -> Iterator[Cell]:
    """Each way a list of pairs comes to be with each use, and each range with each place and slice, at several lengths."""
    for (how, made), (use, line) in itertools.product(PAIRS.items(), PAIR_USES.items()):
        yield from _cells(f"{how}: {use}", made, line)
    for (how, made), place in itertools.product(RANGES.items(), PLACES):
        yield from _cells(f"{how}: [{place}]", made, f"r = x[0] * s[{place}]")
    for (how, made), (use, line) in itertools.product(RANGES.items(), RANGE_USES.items()):
        yield from _cells(f"{how}: {use}", made, line)
    for (how, made), start, stop, step in itertools.product(RANGES.items(), BOUNDS, BOUNDS, STEPS):
        cut = f"{start}:{stop}:{step}"
        yield from _cells(f"{how}: [{cut}]", made, f"r = 1.0\n    for k in s[{cut}]:\n        r = 0.5 * r + k * x[0]", (4,))


def _cells(name: str, made: str, line: str, lengths: tuple[int, ...] = (1, 2, 5)) -> Iterator[Cell]:
    lines = line.replace("; ", "\n    ")
    text = f"def f(x, y):\n    n = len(x)\n    {made}\n    {lines}\n    return r\n"
    fn = program(text, Pair=Pair, f_=_number)
    for n in lengths:
        k = np.arange(n)
        yield Cell(f"{name}, {n}", fn, (np.cos(1.0 + 2.0 * k) * 0.5 + 0.6, 0.7 + 0.1 * k), orders=1, bits=False)


def _number(b):  # type: ignore[no-untyped-def]
    """What is left of the second of a pair, which may be a number, an array or a pair itself."""
    return b[0] if isinstance(b, tuple) else np.sum(b)
