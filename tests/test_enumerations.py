"""Which member of an enumeration a name holds may depend on the run: the source of a rule names it where it was found."""

from __future__ import annotations

import enum
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import UnsupportedOperationError
from adxform.testing import check_derivatives


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


class Level(enum.IntEnum):
    LOW = 0
    HIGH = 1


def level_that_only_the_run_knows(x: Any) -> Any:
    level = Level.LOW
    for v in x:
        if v > 1:
            level = Level.HIGH
    return x[0] * (3.0 if level is Level.HIGH else 2.0)


def test_members_that_are_numbers_are_refused() -> None:
    with pytest.raises(UnsupportedOperationError, match="on one path"):
        adxform.grad(level_that_only_the_run_knows)(np.array([0.3, 1.2]))
