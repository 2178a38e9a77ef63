"""The functions of `dataclasses`, ``vars`` and copies, of objects that a function makes, against the plain function."""

from __future__ import annotations

import copy
import dataclasses
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


NAMES = {"Box": Box, "Point": Point, "dataclasses": dataclasses, "copy": copy}
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
        ("d = vars(Box(x[0])); r = d['first']", "the attributes of a Box, which may change, are taken as a dict"),
        ("p = Point(x[0]); vars(p)['a'] = x[1]; r = p.a", "a change to it cannot be followed"),
        ("r = dataclasses.asdict(Point(x[0]), dict_factory=list)[0][1]", "`dict_factory=` of another kind"),
    ],
)
def test_what_is_not_followed_says_so(line: str, said: str) -> None:
    lines = line.replace("; ", "\n    ")
    with pytest.raises(UnsupportedOperationError, match=said.replace("(", r"\(")):
        adxform.grad(program(f"def f(x):\n    {lines}\n    return r\n", **NAMES))(X)
