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


def fibonacci(x: Any, n: int) -> Any:
    return x if n < 2 else 0.9 * fibonacci(x, n - 1) + fibonacci(x * x, n - 2)


def thousands_of_calls_for_known_numbers(x: Any) -> Any:
    return fibonacci(x, 14)


def halves_until(x: Any, low: Any, high: Any, depth: int) -> Any:
    middle = 0.5 * (low + high)
    if abs(x * (high - low)) < 1e-2 or depth > 12:
        return x * middle * (high - low)
    return halves_until(x, low, middle, depth + 1) + halves_until(x * 0.5, middle, high, depth + 1)


def halved_to_a_known_depth(x: Any) -> Any:
    return halves_until(x, 0.0, 1.0, 0)


def balanced(x: Any, depth: int) -> Any:
    return None if depth == 0 else (balanced(0.5 * x, depth - 1), x * depth, balanced(0.6 * x, depth - 1))


def sum_of(tree: Any) -> Any:
    return 0.0 if tree is None else sum_of(tree[0]) + tree[1] + sum_of(tree[2])


def a_tree_of_tuples_of_known_depth(x: Any) -> Any:
    return sum_of(balanced(x, 8))


@pytest.mark.parametrize(
    "program", [thousands_of_calls_for_known_numbers, halved_to_a_known_depth, a_tree_of_tuples_of_known_depth]
)
def test_calls_for_known_numbers_are_written_out_only_if_nothing_else_helps(program: Callable[[float], Any]) -> None:
    step = 1e-6
    slope = (program(0.9 + step) - program(0.9 - step)) / (2 * step)
    assert adxform.grad(program, engine="python")(0.9) == pytest.approx(slope, rel=1e-6)
