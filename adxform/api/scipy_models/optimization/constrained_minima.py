"""Minima under conditions, which move as the equations of Karush, Kuhn and Tucker do while the same conditions hold.

Source: Fiacco, *Introduction to Sensitivity and Stability Analysis in NonlinearCondition Programming* (1983), chapter 3.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import optimize

from adxform.api import grad
from adxform.api.scipy_models.implicit_solutions import GIVEN, Result, as_tuple, chosen, option, vector_moving
from adxform.api.scipy_models.solving import solve
from adxform.api.second_order import jacobian
from adxform.primitives.definitions.definition import unsupported
from adxform.runtime.run_time_checks import without_derivative

_TIED = 1e-6


class LinearCondition:
    """Conditions on sums of numbers, where the function makes the object of SciPy's that states them."""

    def __init__(self, A: Any, lb: Any = -np.inf, ub: Any = np.inf, keep_feasible: Any = False) -> None:
        self.A = np.atleast_2d(np.asarray(A) * 1.0)
        self.lb, self.ub, self.keep_feasible = np.atleast_1d(lb) * 1.0, np.atleast_1d(ub) * 1.0, keep_feasible


class NonlinearCondition:
    """Conditions on what a function gives, where the function that is differentiated makes the object that states them."""

    def __init__(
        self,
        fun: Any,
        lb: Any,
        ub: Any,
        jac: Any = "2-point",
        hess: Any = None,
        keep_feasible: Any = False,
        finite_diff_rel_step: Any = None,
    ) -> None:
        self.fun, self.lb, self.ub, self.jac, self.hess, self.keep_feasible = fun, lb, ub, jac, hess, keep_feasible
        self.finite_diff_rel_step = finite_diff_rel_step


def listed(constraints: Any) -> Any:
    """The conditions that SciPy is given, as a list."""
    alone = dict | LinearCondition | NonlinearCondition | optimize.LinearConstraint | optimize.NonlinearConstraint
    return [constraints] if isinstance(constraints, alone) else list(constraints)


def _kind(one: Any) -> Any:
    if isinstance(one, LinearCondition | optimize.LinearConstraint):
        return "linear"
    if isinstance(one, NonlinearCondition | optimize.NonlinearConstraint):
        return "nonlinear"
    if one["type"] not in ("eq", "ineq"):
        unsupported("minimize has a derivative for conditions of the types eq and ineq")
    return one["type"]


def _called(one: Any, name: str) -> Callable[..., Any]:
    args = one.get("args", ())

    def condition(x: Any) -> Any:
        return np.atleast_1d(np.asarray(one[name](x, *as_tuple(args))) * 1.0)

    return condition


def _function(one: Any, kind: Any) -> Callable[..., Any]:
    """What a condition is about, as a vector."""
    if kind == "linear":
        return lambda x: one.A @ x
    return (lambda x: np.atleast_1d(np.asarray(one.fun(x)) * 1.0)) if kind == "nonlinear" else _called(one, "fun")


def _slopes(one: Any, kind: Any) -> Callable[..., Any]:
    """The slopes of a condition, where these are given; else what is not called."""
    if kind == "nonlinear":
        return (lambda x: np.asarray(one.jac(x))) if callable(one.jac) else _function(one, kind)
    return _called(one, "jac") if kind != "linear" and "jac" in one else _function(one, kind)


def _bends(one: Any, kind: Any) -> Callable[..., Any]:
    """The bends of a condition, weighted by multipliers, where these are given; else what is not called."""
    if kind == "nonlinear" and callable(one.hess):
        return lambda x, v: np.asarray(one.hess(x, v))
    return lambda x, v: x


def _given(one: Any, kind: Any) -> Any:
    """The options of a condition: which of its functions are given, and what SciPy is to do without them."""
    if kind == "linear":
        return None, None, one.keep_feasible, None
    if kind == "nonlinear":
        return option(one.jac), option(one.hess), one.keep_feasible, one.finite_diff_rel_step
    return (GIVEN if "jac" in one else None), None, None, None


def _sides(one: Any, kind: Any, count: Any) -> Any:
    """The bounds of what a condition is about."""
    if kind == "eq":
        return np.zeros(count), np.zeros(count)
    if kind == "ineq":
        return np.zeros(count), np.full(count, np.inf)
    return np.zeros(count) + one.lb, np.zeros(count) + one.ub


def _condition(kind: Any, functions: Any, given: Any, matrix: Any, low: Any, high: Any) -> Any:
    """The object, or the dict, by which SciPy is told of a condition."""
    fun, slope, bend = functions
    jac, hess, feasible, step = given
    if kind == "linear":
        return optimize.LinearConstraint(matrix, low, high, feasible)
    if kind == "nonlinear":
        return optimize.NonlinearConstraint(fun, low, high, chosen(slope, jac), chosen(bend, hess), feasible, step)
    one = {"type": kind, "fun": fun}
    return one if jac is None else {**one, "jac": slope}


def _value(f: Any, slope: Any, bend: Any, product: Any, *given: Any) -> Any:
    *rest, x0, method, tol, options, jac, hess, with_product, low, high, bounded, kinds, told = given
    count = len(kinds)
    functions, arrays = rest[: 3 * count], rest[3 * count :]
    conditions = [_condition(kinds[k], functions[3 * k : 3 * k + 3], told[k], *arrays[3 * k : 3 * k + 3]) for k in range(count)]
    found = optimize.minimize(
        f,
        x0,
        (),
        method,
        chosen(slope, jac),
        chosen(bend, hess),
        product if with_product else None,
        list(zip(low, high, strict=True)) if bounded else None,
        conditions,
        tol,
        options=options,
    )
    return found.x, found


def _held(x: Any, conditions: Any, slopes: Any, slope: Any, equal: Any) -> Any:
    """The minimum with the multipliers of all conditions, and which of these hold.

    Raises:
        UnsupportedOperationError: a condition just holds, or nearly, without keeping the minimum from moving, so that it may
            leave it or not.
    """
    near = _TIED * (1.0 + np.max(np.abs(x), initial=0.0))
    active = (equal != 0) | (conditions <= near)
    pushes = np.linalg.lstsq((slopes * active[:, None]).T, slope, rcond=None)[0]
    least = _TIED * (1.0 + np.max(np.abs(slope), initial=0.0))
    if np.any(active & (equal == 0) & (pushes <= least)):
        raise without_derivative("a condition just holds at the minimum, which has no derivative there: leave the condition out")
    return np.concatenate((x, pushes)), active * 1.0


def constrained(functions: Any, start: Any, low: Any, high: Any, constraints: Any, given: Any) -> Any:
    """What `minimize` finds of `functions` (the cost, its slope, its bend and products with that) under conditions and bounds."""
    kinds = tuple([_kind(one) for one in constraints])
    told = tuple([_given(one, kind) for one, kind in zip(constraints, kinds, strict=True)])
    every, examples, arrays = [*functions], [(start,), (start,), (start,), (start, start)], []
    about, sides = [], []
    for one, kind in zip(constraints, kinds, strict=True):
        f = _function(one, kind)
        first = f(start)
        about.append(f)
        sides.append(_sides(one, kind, first.shape[0]))
        every += [f, _slopes(one, kind), _bends(one, kind)]
        examples += [(start,), (start,), (start, first)]
        arrays += [one.A if kind == "linear" else None, sides[-1][0], sides[-1][1]]
    found, search = solve(_value, tuple(every), tuple(examples), (start, "any"), *arrays, start, *given, kinds, told)

    def conditions(x: Any) -> Any:
        parts = [_above(f(x), ends[0]) for f, ends in zip(about, sides, strict=True)]
        parts += [_below(f(x), ends) for f, ends in zip(about, sides, strict=True)]
        return np.concatenate((*parts, _above(x, low), _below(x, (low, high))))

    n = start.shape[0]
    at = conditions(found)
    equal = np.zeros(at.shape[0])
    place = 0
    for ends in sides:
        equal[place : place + ends[0].shape[0]] = np.where(ends[0] == ends[1], 1.0, 0.0)
        place += ends[0].shape[0]
    equal[at.shape[0] - 2 * n : at.shape[0] - n] = np.where(low == high, 1.0, 0.0)
    value = functions[0]
    whole, active = solve(_held, (), (), (1, 1), found, at, jacobian(conditions)(found), grad(value)(found), equal)

    def residual(z: Any) -> Any:
        def lagrangian(x: Any) -> Any:
            return value(x) - z[n:] @ conditions(x)

        return np.concatenate((grad(lagrangian)(z[:n]), np.where(active > 0.0, conditions(z[:n]), z[n:])))

    x = vector_moving(residual, whole)[:n]
    return Result(x, value(x), search)


def _above(x: Any, low: Any) -> Any:
    """How far `x` lies above its lower bounds: one where there are none."""
    bounded = np.isfinite(low)
    return np.where(bounded, x - np.where(bounded, low, 0.0), 1.0)


def _below(x: Any, sides: Any) -> Any:
    """How far `x` lies below its upper bounds: one where there are none, or where the lower ones are the same."""
    low, high = sides
    bounded = np.isfinite(high) & (low != high)
    return np.where(bounded, np.where(bounded, high, 0.0) - x, 1.0)
