"""The functions of `dataclasses`, ``vars`` and copies, of objects that a function makes, against the plain function."""

from __future__ import annotations

import copy
import dataclasses
import types
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import UnsupportedOperationError
from tests.tables.cell import Cell, judge, program

X = np.array([0.5, 1.5, -0.7, 2.0])


@dataclasses.dataclass
class Box:
    first: Any
    second: Any = 2.0
    third: Any = None


@dataclasses.dataclass(frozen=True)
class Point:
    a: Any
    b: Any = 2.0


class Slots:
    __slots__ = ("__dict__", "a")

    def __init__(self, a: Any, b: Any) -> None:
        self.a = a
        self.b = b


class Rated:
    """An object with a property, whose setter is not asked for what is stored in its dict."""

    def __init__(self, rate: Any) -> None:
        self._rate = rate

    @property
    def rate(self) -> Any:
        return self._rate * 2

    @rate.setter
    def rate(self, value: Any) -> None:
        self._rate = value * 3


class Logged:
    """An object that stores what it is given otherwise than it is named."""

    def __init__(self) -> None:
        object.__setattr__(self, "log", 0.0)

    def __setattr__(self, name: str, value: Any) -> None:
        self.__dict__[name] = value * 2
        self.__dict__["log"] = self.log + value


SPACE = types.SimpleNamespace(a=2.0, n=3)
NAMES = {
    "Box": Box,
    "Point": Point,
    "Slots": Slots,
    "Rated": Rated,
    "Logged": Logged,
    "SPACE": SPACE,
    "dataclasses": dataclasses,
    "copy": copy,
    "types": types,
}
LINES = (
    "d = dataclasses.asdict(Box(x[0], x[1])); r = d['first'] * d['second']",
    "p = Point(**dataclasses.asdict(Point(x[0], x[1]))); r = p.a * p.b",
    "a, b = dataclasses.astuple(Point(x[0], x[1])); r = a * b",
    "d = dataclasses.asdict(Box(x[0], Point(x[1], x[2]), [Point(x[3]), x[1]])); r = d['second']['a'] * d['third'][0]['a']",
    "t = dataclasses.astuple(Box(x[0], {'k': Point(x[1], x[2])})); r = t[1]['k'][0] * t[1]['k'][1] * t[0]",
    "p = Box(x, [x[0]]); d = dataclasses.asdict(p); d['first'][0] = 5.0; d['second'].append(x[1]); r = p.first[0]",
    "p = Point(x[0], x[1]); r = sum(getattr(p, f.name) ** 2 for f in dataclasses.fields(p))",
    "p = Point(x[0], x[1]); r = sum(v ** 2 for v in vars(p).values())",
    "p = Point(x[0], x[1]); r = p.__dict__['a'] * p.b",
    "d = vars(Box(x[0])); r = d['first'] * d['second']",
    "b = Box(x[0]); d = b.__dict__; d['first'] = x[1]; d['more'] = x[2]; r = b.first * b.more + d['first'] * len(d)",
    "b = Box(x[0]); vars(b).update(first=x[1]); vars(b).pop('third'); r = b.first * len(vars(b))",
    "p = Point(x[0]); vars(p)['a'] = x[1]; r = p.a * p.b",
    "b = Box(x[0]); c = Box(**vars(b)); b.first = x[1]; r = b.first * c.first ** 2",
    "b = Box(x[0]); c = copy.copy(b); c.__dict__['first'] = x[1]; r = b.first * c.first ** 2",
    "c = Rated(x[0]); c.__dict__['rate'] = x[1]; c.rate = x[2]; r = c.rate * c.__dict__['rate'] + c._rate",
    "c = Logged(); c.q = x[0]; c.q = x[1]; r = c.q * c.log",
    "n = types.SimpleNamespace(**vars(SPACE)); n.n += 1; n.a *= x[0]; r = n.a ** n.n * SPACE.a",
    "n = types.SimpleNamespace(a=x[0]); del n.a; n.a = x[1]; r = n.a * (not hasattr(n, 'b'))",
    "m, n = types.SimpleNamespace(a=2.0, b=[1]), types.SimpleNamespace(b=[1], a=2.0); r = x[0] if m == n else x[1]",
    "m, n = types.SimpleNamespace(a=2.0), types.SimpleNamespace(a=3.0); r = x[0] if m != n else x[1]",
    "m = types.SimpleNamespace(a=x[1] > 1.0); r = x[0] if m == types.SimpleNamespace(a=True) else x[1]",
    "p = Point(x[0], x[1]); q = dataclasses.replace(p, b=x[2] * p.a); r = q.a * q.b + p.b",
    "p = Box(x[0], [x[1]]); q = copy.copy(p); q.first = x[3]; q.second[0] = x[2]; r = p.first * q.first * p.second[0]",
    "p = Box(x[0], [x[1]]); q = copy.deepcopy(p); q.first = x[3]; q.second[0] = x[2]; r = p.first * q.first * p.second[0]",
)


@pytest.mark.parametrize("line", LINES)
def test_a_function_of_dataclasses_means_what_it_does(line: str) -> None:
    lines = line.replace("; ", "\n    ")
    verdict = judge(Cell(line, program(f"def f(x):\n    {lines}\n    return r\n", **NAMES), (X,), orders=1, bits=False))
    assert verdict.kind == "right", verdict.reason


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("b = Box(x[0]); d = vars(b); b.first = x[1]; r = d['first']", "it may be the same object as another, which is changed"),
        ("r = vars(Slots(x[0], x[1]))['b']", "the attributes of a Slots are taken as a dict, and not all are in one"),
        ("b = Box(x[0]); vars(b)[x[1] > 0] = x[1]; r = b.first", "a key that only a run can tell is stored in a dict"),
        ("b = Box(x[0]); vars(b)[3] = x[1]; r = b.first", "an attribute is stored under a key that is no text"),
        ("r = x[0] if types.SimpleNamespace(a=1) == SPACE else x[1]", "an object from outside is compared with one"),
        ("r = dataclasses.asdict(Point(x[0]), dict_factory=list)[0][1]", "`dict_factory=` of another kind"),
    ],
)
def test_what_is_not_followed_says_so(line: str, said: str) -> None:
    lines = line.replace("; ", "\n    ")
    with pytest.raises(UnsupportedOperationError, match=said.replace("(", r"\(")):
        adxform.grad(program(f"def f(x):\n    {lines}\n    return r\n", **NAMES))(X)
