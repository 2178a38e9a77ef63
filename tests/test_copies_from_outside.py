"""Objects from outside that a function copies and then changes: settings, templates, `dataclasses.replace` of a default."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

import adxform
from tests.tables.cell import Cell, judge, program

HEAD = """
import copy
import dataclasses
import types

import numpy as np


@dataclasses.dataclass
class Inner:
    c: float = 3.0


@dataclasses.dataclass
class Settings:
    rate: float = 0.1
    n: int = 3
    name: str = "a"
    w: object = None
    history: list = dataclasses.field(default_factory=list)
    inner: Inner = dataclasses.field(default_factory=Inner)

    def f(self, x):
        return x * self.rate + self.n


@dataclasses.dataclass(frozen=True)
class Frozen:
    a: float
    b: float = 2.0

    def __post_init__(self):
        object.__setattr__(self, "product", self.a * self.b)


class Plain:
    def __init__(self, a):
        self.a, self.row = a, [1.0, 2.0]

    def clone(self, **changes):
        new = copy.copy(self)
        new.__dict__.update(changes)
        return new


SETTINGS, FROZEN, PLAIN = Settings(0.5, w=np.ones(2)), Frozen(1.5), Plain(2.0)
SPACE = types.SimpleNamespace(a=1.0, b=2.0)


"""
PROGRAMS = (
    "r = dataclasses.replace(SETTINGS, rate=x[0]).f(x[1])",
    "r = dataclasses.replace(FROZEN, a=x[0]).product + dataclasses.replace(dataclasses.replace(FROZEN, b=x[0]), a=x[1]).product",
    "c = dataclasses.replace(SETTINGS, rate=x[0]); c.n += 1; r = c.f(x[1]) + SETTINGS.n",
    "r = dataclasses.asdict(SETTINGS)['rate'] * x[0] + dataclasses.asdict(SETTINGS)['inner']['c'] * x[1]",
    "a, b = dataclasses.astuple(FROZEN); r = a * x[0] + b * x[1]",
    "r = sum(getattr(FROZEN, field.name) * x[0] for field in dataclasses.fields(FROZEN))",
    "c = Settings(**{**dataclasses.asdict(SETTINGS), 'rate': x[0]}); r = c.f(x[1]) + c.w.sum() * x[2]",
    "c = copy.copy(SETTINGS); c.rate = x[0]; r = c.f(x[1]) + SETTINGS.rate * x[2]",
    "c = copy.deepcopy(SETTINGS); c.rate = x[0]; c.w[0] = x[1]; r = c.f(x[1]) * c.w.sum() + SETTINGS.w[0] * x[0]",
    "c = copy.deepcopy(SETTINGS); c.history.append(x[2]); c.inner.c = x[0]; r = c.inner.c * SETTINGS.inner.c + len(c.history)",
    "o = copy.copy(PLAIN); o.a = x[0]; r = o.a * x[1] + PLAIN.a * x[2] + sum(o.row)",
    "o = copy.deepcopy(PLAIN); o.a = x[0]; o.row[0] = x[1]; r = o.a * o.row[0] + PLAIN.row[0] * x[2]",
    "r = PLAIN.clone(a=x[0]).a * PLAIN.a + PLAIN.clone().a * x[1]",
    "s = copy.copy(SPACE); s.a = x[0]; r = s.a * s.b + SPACE.a * x[1]",
)


@pytest.mark.parametrize("line", PROGRAMS)
def test_copies_are_the_functions_own(line: str) -> None:
    body = line.replace("; ", "\n").replace("\n", "\n    ")
    verdict = judge(Cell(line, program(f"{HEAD}def f(x):\n    {body}\n    return r\n"), (np.array([0.7, 1.3, 0.4]),), bits=False))
    assert verdict.kind == "right", verdict.reason


class Thing:
    def __init__(self, a: float) -> None:
        self.a = a
        self.one = [1.0]
        self.other = [2.0]


class Other(Thing):
    pass


THING: Any = Thing(2.0)


def changed(x):
    own = copy.deepcopy(THING)
    own.one[0] = x
    return own.one[0] * own.other[0] * own.a * (1.0 + hasattr(own, "more")) * len(vars(own))


def test_each_call_copies_what_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    gradient = adxform.grad(changed)
    assert gradient(0.5) == 2.0 * 2.0 * 3
    monkeypatch.setattr(THING, "a", 3.0)
    assert gradient(0.5) == 2.0 * 3.0 * 3
    monkeypatch.setattr(THING, "more", 1, raising=False)
    assert gradient(0.5) == 2.0 * 3.0 * 2.0 * 4
    monkeypatch.setattr(f"{__name__}.THING", Other(5.0))
    assert gradient(0.5) == 2.0 * 5.0 * 3


def test_what_is_held_twice_is_no_two_copies() -> None:
    gradient = adxform.grad(changed)
    gradient(0.5)
    kept, THING.other = THING.other, THING.one
    try:
        with pytest.raises(adxform.errors.AdxError):
            gradient(0.5)
    finally:
        THING.other = kept
