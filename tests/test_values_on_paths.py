"""Functions and bounded deques that one of several paths chose, in every way in which a program chooses, against differences."""

from __future__ import annotations

import dataclasses
import functools
import types
from collections import deque
from typing import Any

import numpy as np
import pytest

from tests.tables.cell import Cell, judge, program

POINTS = np.array([0.31, 0.52, 0.73, 0.22]), np.array([0.29, 0.42, 0.43, 0.92])


def scaled(v: Any, k: Any = 1.0, shift: Any = 0.0) -> Any:
    return v * k + shift


def scaling(s: Any, t: Any = 0.5) -> Any:
    def scale(v: Any, s: Any = s, *, t: Any = t) -> Any:
        return v * s + t

    return scale


@dataclasses.dataclass
class Gain:
    """An object with a method, and which may be called."""

    w: Any
    n: int = 0

    def of(self, v: Any, k: Any = 2.0) -> Any:
        return self.w * v * k + self.n

    def __call__(self, v: Any, *, k: Any = 1.0) -> Any:
        return self.w * v * k


NAMES = {"np": np, "deque": deque, "partial": functools.partial, "types": types}
NAMES |= {"scaled": scaled, "scaling": scaling, "Gain": Gain}
VALUES = {
    "defaults": ("scaling(x[0])", "scaling(x[1], x[2])", "d(x[2]) * d(x[3], t=2.0)"),
    "known defaults": ("scaling(2.0)", "scaling(3.0)", "d(x[2])"),
    "keywords of partial": ("partial(scaled, k=x[0])", "partial(scaled, k=x[1])", "d(x[2]) + d(x[1], shift=3.0)"),
    "known keywords": ("partial(scaled, k=2.0)", "partial(scaled, k=3.0)", "d(x[2])"),
    "a partial of a partial": (
        "partial(partial(scaled, k=x[0]), shift=x[1])",
        "partial(partial(scaled, k=x[3]), shift=2.0)",
        "d(x[2])",
    ),
    "a method": ("Gain(x[0], 1).of", "Gain(x[1], 2).of", "d(x[2])"),
    "a partial of a method": ("partial(Gain(x[0], 1).of, k=3.0)", "partial(Gain(x[1], 1).of, k=x[2])", "d(x[2])"),
    "a partial of an object": ("partial(Gain(x[0]), k=x[3])", "partial(Gain(x[1]), k=2.0)", "d(x[2])"),
    "in an object": (
        "types.SimpleNamespace(f=partial(scaled, k=x[1]))",
        "types.SimpleNamespace(f=partial(scaled, k=x[3]))",
        "d.f(x[0])",
    ),
    "in a tuple": ("(scaling(x[0]), 1)", "(scaling(x[1]), 2)", "d[0](x[2]) * d[1]"),
    "a deque": ("deque([v for v in x if v > 0.3], maxlen=2)", "deque([v * v for v in x if v > 0.1], maxlen=2)", "kept(d, x)"),
    "a deque of tuples": (
        "deque([(v, v) for v in x if v > 0.3], 2)",
        "deque([(v * v, v) for v in x if v > 0.1], 2)",
        "kept_pairs(d, x)",
    ),
}
WAYS = {
    "a branch": "d = {a}\nif x[0] > 0.3: d = {b}",
    "an expression": "d = {a} if x[0] > 0.3 else {b}",
    "a loop that is left": "d = {a}\nfor k in range(len(x)):\n    if x[k] > 0.4:\n        d = {b}\n        break",
    "a loop": "d = {a}\nfor k in range(len(x)):\n    other = {b}\n    if x[k] > 0.6: d = other",
    "an attribute": "o = Gain({a})\nif x[0] > 0.3: o.w = {b}\nd = o.w",
    "a dict": "q = {{'a': {a}, 'b': {b}}}\nd = q['a' if x[0] > 0.3 else 'b']",
    "a list": "q = [{a}, {b}]\nd = q[int(x[0] > 0.3)]",
    "a helper": "def one(c):\n    if c: return {a}\n    return {b}\nd = one(x[0] > 0.3)",
    "while": "d, n = {a}, 0\nwhile n < 3 and x[n] < 0.6:\n    d, n = {b}, n + 1",
    "try": "try:\n    d = {a}\n    if x[0] > 0.3: raise ValueError\nexcept ValueError:\n    d = {b}",
    "None": "d = None\nif x[0] > 0.1: d = {a}\nif d is None: return x[0]",
    "a generator": "def both():\n    yield {a}\n    yield {b}\nfor d in both():\n    if x[0] > 0.3: break",
    "nonlocal": "d = {a}\ndef see(v):\n    nonlocal d\n    if v > 0.6: d = {b}\nfor v in x: see(v)",
    "a recursion": "def turn(n, d):\n    if n * x[0] > 1: return {use}\n    return turn(n * 2, {b}) + {use}\nreturn turn(1, {a})",
}
HELPERS = """def kept(d, x):
    e = d.copy()
    e.append(x[0])
    e.appendleft(x[1] * x[2])
    e.append(x[2])
    return sum((i + 1) * v for i, v in enumerate(e)) * len(e)

def kept_pairs(d, x):
    e = d.copy()
    e.append((x[0], x[1]))
    e.append((x[1], x[2]))
    return sum((i + 1) * v * w for i, (v, w) in enumerate(e)) * len(e)

"""


# (a list that a loop fills is not given to a function that calls itself)
CASES = [(value, way) for value in VALUES for way in WAYS if way != "a recursion" or "deque" not in value]


@pytest.mark.parametrize("point", range(len(POINTS)))
@pytest.mark.parametrize(("value", "way"), CASES)
def test_what_a_path_chose_is_what_the_function_uses(value: str, way: str, point: int) -> None:
    a, b, use = VALUES[value]
    body = (WAYS[way].format(a=a, b=b, use=use) + f"\nreturn {use} + x[3]").replace("\n", "\n    ")
    f = program(f"{HELPERS}def f(x):\n    {body}\n", **NAMES)
    verdict = judge(Cell(f"{value}, by {way}", f, (POINTS[point],), orders=1, bits=False))
    assert verdict.kind == "right", verdict.reason
