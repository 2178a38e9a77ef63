"""Which member of an enumeration a name holds may depend on the run: the source of a rule names it where it was found."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import AdxError
from adxform.testing import check_derivatives
from tests.tables.cell import Cell, judge, program


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


class Phase(enum.Enum):
    CLIMB = 0
    CRUISE = 1


def gain_by_member(x: Any) -> Any:
    colour = Colour.RED
    gain = {Colour.RED: x[0], Colour.BLUE: x[1] ** 2}
    total = 0.0
    for v in x:
        total += gain[colour] * v * (2.0 if colour is Colour.BLUE else 1.0)
        if v > 1:
            colour = Colour.BLUE
    return total + len(colour.name)


def phases_of_a_flight(x: Any) -> Any:
    phase, height = Phase.CLIMB, 0.0
    for v in x:
        if phase == Phase.CLIMB:
            height += v
            if height > 1.0:
                phase = Phase.CRUISE
        else:
            height -= 0.1 * v**2
    return height * (3.0 if phase is Phase.CRUISE else 2.0)


@pytest.mark.parametrize("f", [gain_by_member, phases_of_a_flight])
@pytest.mark.parametrize("x", [(0.3, 1.2, -0.7, 0.9), (0.2, 0.1, 0.3, 0.2)])
def test_members_that_only_the_run_knows(f: Any, x: tuple[float, ...]) -> None:
    for check in check_derivatives(f, np.array(x)):
        assert check.ok, check


NUMBERED = """
import enum
class Level(enum.IntEnum):
    LOW = 0
    HIGH = 1
class Gain(float, enum.Enum):
    LOW = 0.5
    HIGH = 1.5
class Name(enum.StrEnum):
    LOW = "low"
    HIGH = "high"
class Access(enum.IntFlag):
    LOW = 1
    HIGH = 2
def f(x):
    level, gain, name, access = Level.LOW, Gain.LOW, Name.LOW, Access.LOW
    for v in x:
        if v > 1:
            level, gain, name, access = Level.HIGH, Gain.HIGH, Name.HIGH, Access.HIGH
    return {}
"""
"""Members that are numbers or texts themselves, which the run chooses."""
FOLLOWED = (
    "x[0] * (3.0 if level is Level.HIGH else 2.0)",
    "x[0] * (3.0 if level == 1 else 2.0)",
    "x[0] * (3.0 if level > Level.LOW else 2.0)",
    "x[0] * (3.0 if level is not Level.LOW and gain is Gain.HIGH else 2.0)",
    "x[0] if level else x[1] ** 2",
    "x[level] ** 2 + [x[0], x[2]][level] * {0: x[1], 1: x[2]}[level]",
    "sum(x[k] ** 2 for k in range(level + 1))",
    "x[0] * int(level) + x[1] * float(gain) + x[2] * level.value",
    "x[0] * {'low': 2.0, 'high': 3.0}[name] * len(name)",
    "x[0] * 2.0 if access & Access.HIGH else x[1]",
    "np.sum(np.zeros(level + 1) + x[1] ** 2)",
)
REFUSED = ("x[0] * gain", "np.sin(x[0]) + level", "x[0] ** level", "max(x[0], gain) * x[1]", "np.array([level, x[0]]) * x[1]")
POINTS = (np.array([0.3, 0.7, -0.2]), np.array([0.3, 1.2, -0.2]))


@pytest.mark.parametrize("x", POINTS, ids=["low", "high"])
@pytest.mark.parametrize("result", FOLLOWED)
def test_members_that_are_numbers_or_texts(result: str, x: Any) -> None:
    verdict = judge(Cell(result, program(NUMBERED.replace("{}", result)), (x,)))
    assert verdict.kind == "right", verdict.reason


@pytest.mark.parametrize("result", REFUSED)
def test_members_in_arithmetic_with_what_moves_are_refused(result: str) -> None:
    with pytest.raises(AdxError):
        adxform.grad(program(NUMBERED.replace("{}", result)))(POINTS[1])
