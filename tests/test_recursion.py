"""Third derivatives of recursive functions, by every order of modes, against central differences of the second."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform import grad, hvp, jvp
from tests.corpus import recursion
from tests.corpus.case import Program, programs_of
from tests.oracle import Vector, central_jacobian

Scalar = Callable[[Any], Any]
NESTED = ("gradient", "pullback", "hessian", "tangent", "one_recursion")
PROGRAMS = [
    program
    for program in programs_of(recursion)
    if not program.name.partition(".")[2].startswith(NESTED) and np.ndim(program.function(*program.points[0].fresh())) == 0
]


def direction(x: Vector, seed: float) -> Vector:
    """Return a direction in general position."""
    found: Vector = np.cos(np.arange(x.size) + seed)
    return found


def slope(f: Scalar, v: Vector) -> Scalar:
    """Return the derivative of `f` along `v` by reverse mode."""
    return lambda x: np.sum(grad(f)(x) * v)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_third_order(program: Program) -> None:
    (point,) = program.points[0].fresh()
    x = np.atleast_1d(point).astype(float)
    f = program.function if isinstance(point, np.ndarray) else lambda y: program.function(y[0])
    v, w = direction(x, 1.0), direction(x, 2.0)
    second = slope(slope(f, v), w)
    jacobian, _ = central_jacobian(lambda y: np.atleast_1d(second(y)), x)
    expected = jacobian[0]
    tolerance = 1e-7 * max(1.0, float(np.max(np.abs(expected))))
    assert np.max(np.abs(grad(second)(x) - expected)) < tolerance
    assert abs(jvp(second, (x,), (v,))[1] - expected @ v) < tolerance * x.size
    assert np.max(np.abs(grad(lambda y: np.sum(hvp(f)(y, v) * w))(x) - expected)) < tolerance


def test_pullbacks_of_a_gradient_can_be_called_again() -> None:
    x = recursion.POINT
    _, pullback = adxform.vjp(grad(recursion.fills_a_buffer), x)
    (first,), (again,) = pullback(x), pullback(x)
    assert np.array_equal(first, again)
    assert np.allclose(first, hvp(recursion.fills_a_buffer)(x, x), rtol=1e-12)
