"""Context managers that the run enters: what they give has no derivative, so nothing that moves may come of it."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest

import adxform
from adxform.errors import AdxError
from tests.tables.cell import program


@contextlib.contextmanager
def doubled(value):
    yield value * 2.0


@contextlib.contextmanager
def in_a_list(value):
    yield [value, 1.0]


class Maker:
    @contextlib.contextmanager
    def doubled(self, value):
        yield value * 2.0


MAKER = Maker()


@pytest.mark.parametrize("manager", ["doubled(x[0])", "in_a_list(x[0])", "MAKER.doubled(x[0])", "doubled(float(x[0]))"])
def test_what_a_manager_from_outside_gives_of_what_moves_is_refused(manager: str) -> None:
    """Nobody looks into it: what it gives would come back without its derivative."""
    text = f"def f(x):\n    with {manager} as y:\n        r = np.sum(y) * x[1]\n    return r\n"
    made = program(text, "f", doubled=doubled, in_a_list=in_a_list, MAKER=MAKER)
    assert made(np.array([1.3, 0.7])) > 0.0
    for mode in (adxform.grad(made), lambda x: adxform.jvp(made, (x,), (x,))):
        with pytest.raises(AdxError):
            mode(np.array([1.3, 0.7]))
