"""Zeros of either sign through arithmetic that changes nothing but them: ``0.0 + x`` is 0.0 where `x` is -0.0."""

from __future__ import annotations

import functools
import itertools
import math
import operator
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.tables.cell import Cell, program

NEUTRAL = ("0", "0.0", "-0.0", "1", "1.0", "-1", "-1.0", "False", "True", "np.float64(0.0)", "np.int64(0)", "z")
"""What is beside `x`; `z` is an argument, a zero of either sign or one."""
OPERATIONS = {
    **{f"x {sign} c": f"x {sign} {{c}}" for sign in ("+", "-", "*")},
    **{f"c {sign} x": f"{{c}} {sign} x" for sign in ("+", "-", "*")},
    "twice": "{c} + x + {c}",
    "both": "{c} + (x - {c})",
    "opposite": "-x + {c}",
    "opposite of a sum": "-({c} + x)",
    "difference of opposites": "{c} - -x",
    "product added": "x * 2.0 + {c}",
    "quotient added": "{c} + x / 3.0",
    "np.add": "np.add(x, {c})",
    "np.subtract": "np.subtract({c}, x)",
    "maximum": "np.maximum(x, {c})",
    "where": "np.where(x > 0.5, {c}, x)",
    "max": "max(x, {c}) if np.ndim(x) == 0 else x + {c}",
    "augmented": "grown(x, {c})",
    "augmented before": "grown({c}, x)",
    "sum from": "sum([x], {c})",
    "sum of two from": "sum((x, x), {c})",
    "reduce": "functools.reduce(operator.add, [x, x], {c})",
}
ALONE = {
    "sum of one": "sum([x])",
    "sum of two": "sum([x, x])",
    "sum of a generator": "sum(x for _ in range(1))",
    "sum of a generator of two": "sum(x * k for k in (1, 1))",
    "sum in a loop": "added([x])",
    "sum in a loop of unknown length": "added_while(x, z)",
    "np.sum": "np.sum([x, x])",
    "np.sum of the opposite": "np.sum(-np.array([x, x]), axis=0)",
    "np.sum of nothing": "np.sum(np.array([x, x])[:0] * -1.0, axis=0)",
    "np.sum of what cancels": "np.sum(-np.array([x + 1.0, -x - 1.0]), axis=0)",
    "np.sum of an array": "np.sum(np.array([x, x]), axis=0)",
    "dot": "np.dot(np.array([1.0, 1.0]), np.array([x, x]))",
    "cumsum": "np.cumsum(np.array([x, x]))",
    "stored": "stored(x)",
    "added to what is stored": "added_to(x)",
    "difference": "x - x",
    "opposite": "-x",
    "zero": "0 * x",
    "power": "x ** 1",
    "quotient": "x / 1",
    "converted": "float(x) if np.ndim(x) == 0 else x.astype(float)",
    "abs": "abs(x)",
    "by zero": "x / 0",
    "by a zero float": "x / -0.0",
    "by a zero known by its shape": "x / (np.size(np.ones(1)) - 1)",
    "divided by zero": "np.divide(x, 0) * z",
    "by zero, masked": "np.where(z > 3, x / 0, x)",
    "whole part by zero": "x // 0 + z",
    "rest by zero": "x % 0 + z",
}
KINDS: dict[str, Any] = {
    "number": float,
    "float64": np.float64,
    "float32": np.float32,
    "array": lambda v: np.array([v, 0.3]),
    "float32 array": lambda v: np.array([v, 0.3], np.float32),
}


def grown(x, c):
    x = x + 0
    x += c
    return x


def added(xs):
    total = 0.0
    for x in xs:
        total = total + x
    return total


def added_while(x, z):
    total, k = 0, 0
    while k < 2 - abs(z):
        total += x
        k += 1
    return total


def stored(x):
    y = np.empty((2, np.size(x)))
    y[:] = x
    return y[0]


def added_to(x):
    y = np.zeros((2, np.size(x)))
    y[1] += x
    return y


def cells() -> Iterator[Cell]:
    """Every operation on a zero of either sign and on one, of every kind, beside every neutral number."""
    given: dict[str, Any] = {"functools": functools, "operator": operator, "math": math, "grown": grown, "added": added}
    given |= {"added_while": added_while, "stored": stored, "added_to": added_to}
    forms = [(f"{name}, {c}", text.format(c=c)) for (name, text), c in itertools.product(OPERATIONS.items(), NEUTRAL)]
    forms += list(ALONE.items())
    for name, text in forms:
        function = program(f"def f(x, z):\n    return {text}\n", **given)
        for (kind, make), value in itertools.product(KINDS.items(), (0.0, -0.0, 1.0)):
            for z in (0.0, -0.0, 1.0) if re.search(r"\bz\b", text) else (1.0,):
                smooth = not any(kink in text for kink in ("max", "abs", "where"))
                yield Cell(f"{name}: {kind} {value}, {z}", function, (make(value), z), smooth)
