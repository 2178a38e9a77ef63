"""What an error of a statement is worth whose value nothing needs: Python's error, or the derivative without the statement."""

from __future__ import annotations

import numpy as np
import pytest

import adxform
from tests.tables.cell import Raised, outcome, program
from tests.tables.names import DEAD, indented

V = np.array([0.3, 1.7, 0.4])


@pytest.mark.parametrize("name", DEAD)
def test_an_error_of_what_nothing_needs_is_raised_or_passed_over(name: str) -> None:
    function = program("def f(x, v, n):\n" + indented(DEAD[name]))
    plain = outcome(lambda: function(0.7, V.copy(), 2))
    assert isinstance(plain, Raised)
    for got, passed in (
        (outcome(lambda: adxform.value_and_grad(function)(0.7, V.copy(), 2)), (0.7 * 0.7, 1.4)),
        (outcome(lambda: adxform.hvp(function)(0.7, V.copy(), 2, 1.0)), 2.0),
    ):
        assert got.kind is plain.kind if isinstance(got, Raised) else np.allclose(got, passed, rtol=1e-15)
