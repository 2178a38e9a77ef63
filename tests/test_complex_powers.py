"""Powers of Python's numbers that are complex: refused where they are made, in every mode; NumPy's are NaN."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import UnsupportedOperationError

PROGRAMS: list[Callable[[Any], Any]] = [
    lambda x: x**0.5,
    lambda x: abs((x - 1.0) ** 1.5),
    lambda x: pow(x, -0.5).real,
    lambda x: (x**0.5) ** 2 + x,
    lambda x: (-2.0 + 0.0 * x) ** (x + 2.5),
]


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("mode", ["reverse", "forward", "second"])
def test_a_complex_power_is_refused_where_it_is_made(program, mode) -> None:
    derivative = {
        "reverse": lambda: adxform.value_and_grad(program)(-2.0),
        "forward": lambda: adxform.jvp(program, (-2.0,), (1.0,)),
        "second": lambda: adxform.hvp(program)(-2.0, 1.0),
    }[mode]
    with pytest.raises(UnsupportedOperationError, match="complex") as caught:
        derivative()
    assert caught.value.span.line


def test_powers_that_are_real_have_derivatives() -> None:
    assert adxform.value_and_grad(lambda x: x**3.0)(-2.0) == (-8.0, 12.0)
    assert adxform.value_and_grad(lambda x, n: x**n)(-2.0, 3) == (-8.0, 12.0)
    assert adxform.grad(lambda x: x**0.5 if x > 0 else -x)(-2.0) == -1.0


def test_those_of_numpy_are_no_numbers() -> None:
    with np.errstate(invalid="ignore"):
        for program in (lambda x: x**0.5, lambda x: np.sqrt(x), lambda x: np.sum(np.stack([x, x]) ** 0.5)):
            value, slope = adxform.value_and_grad(program)(np.float64(-2.0))
            assert math.isnan(value)
            assert math.isnan(slope)


def test_kernels_leave_to_python_what_is_complex() -> None:
    pytest.importorskip("numba")

    def summed(x):
        total = 0.0
        for _ in range(3):
            total += (x - 1.0) ** 0.5 * x
        return total

    product = adxform.prepare_hvp(summed, 1.5, engine="numba")
    assert product(1.5, 1.0) == pytest.approx(adxform.hvp(summed, engine="python")(1.5, 1.0), rel=1e-12)
    with pytest.raises(UnsupportedOperationError, match="complex"):
        product(0.5, 1.0)
    with pytest.raises(UnsupportedOperationError, match="complex"):
        adxform.hessian(summed, engine="numba")(0.5)
