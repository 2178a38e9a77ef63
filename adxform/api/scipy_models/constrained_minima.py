"""Minima under conditions, which move as the equations of Karush, Kuhn and Tucker do while the same conditions hold.

Source: Fiacco, *Introduction to Sensitivity and Stability Analysis in Nonlinear Programming* (1983), chapter 3.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import optimize

from adxform.api import grad
from adxform.api.scipy_models.implicit_solutions import Result, as_tuple, chosen, vector_moving
from adxform.api.scipy_models.solving import solve
from adxform.api.second_order import jacobian
from adxform.primitives.definitions.definition import unsupported

_TIED = 1e-6


def listed(constraints: Any) -> Any:
    """The conditions that SciPy is given, as a list of dicts."""
    return [constraints] if isinstance(constraints, dict) else list(constraints)


def _function(one: Any, name: str) -> Callable[..., Any]:
    args = one.get("args", ())

    def condition(x: Any) -> Any:
        return np.atleast_1d(np.asarray(one[name](x, *as_tuple(args))) * 1.0)

    return condition


def _slopes(one: Any) -> Callable[..., Any]:
    """The slopes of a condition, where these are given; else what is not called."""
    if "jac" in one:
        return _function(one, "jac")
    return _function(one, "fun")


def _value(f: Any, slope: Any, *given: Any) -> Any:
    *functions, x0, method, tol, options, jac, low, high, bounded, kinds, sloped = given
    count = len(kinds)
    conditions = []
    for k in range(count):
        one = {"type": kinds[k], "fun": functions[k]}
        conditions.append({**one, "jac": functions[count + k]} if sloped[k] else one)
    found = optimize.minimize(
        f,
        x0,
        (),
        method,
        chosen(slope, jac),
        bounds=list(zip(low, high, strict=True)) if bounded else None,
        constraints=conditions,
        tol=tol,
        options=options,
    )
    return found.x, found


def _held(x: Any, conditions: Any, slopes: Any, slope: Any, equal: Any) -> Any:
    """The minimum with the multipliers of all conditions, and which of these hold.

    Raises:
        RuntimeError: a condition just holds, or nearly, without keeping the minimum from moving, so that it may leave it or not.
    """
    near = _TIED * (1.0 + np.max(np.abs(x), initial=0.0))
    active = (equal != 0) | (conditions <= near)
    pushes = np.linalg.lstsq((slopes * active[:, None]).T, slope, rcond=None)[0]
    least = _TIED * (1.0 + np.max(np.abs(slope), initial=0.0))
    if np.any(active & (equal == 0) & (pushes <= least)):
        raise RuntimeError("a condition just holds at the minimum, which has no derivative there: leave the condition out")
    return np.concatenate((x, pushes)), active * 1.0


def constrained(
    value: Any,
    slope: Any,
    start: Any,
    low: Any,
    high: Any,
    bounded: Any,
    constraints: Any,
    method: Any,
    tol: Any,
    options: Any,
    jac: Any,
) -> Any:
    """What `minimize` finds under conditions and bounds, as it moves."""
    kinds = tuple([one["type"] for one in constraints])
    if any(kind not in ("eq", "ineq") for kind in kinds):
        unsupported("minimize has a derivative for conditions of the types eq and ineq")
    functions = [_function(one, "fun") for one in constraints]
    sloped = tuple(["jac" in one for one in constraints])
    every = (value, slope, *functions, *[_slopes(one) for one in constraints])
    given = start, method, tol, options, jac, low, high, bounded, kinds, sloped
    found, search = solve(_value, every, tuple([(start,) for _ in every]), (start, "any"), *given)

    def conditions(x: Any) -> Any:
        parts = [f(x) for f in functions]
        above = np.where(np.isfinite(low), x - np.where(np.isfinite(low), low, 0.0), 1.0)
        below = np.where(np.isfinite(high), np.where(np.isfinite(high), high, 0.0) - x, 1.0)
        return np.concatenate((*parts, above, below))

    equal = np.concatenate(
        (
            *[(1.0 if kind == "eq" else 0.0) + np.zeros(f(found).shape[0]) for kind, f in zip(kinds, functions, strict=True)],
            np.zeros(2 * start.shape[0]),
        )
    )
    n = start.shape[0]
    at = conditions(found)
    whole, active = solve(_held, (), (), (1, 1), found, at, jacobian(conditions)(found), grad(value)(found), equal)

    def residual(z: Any) -> Any:
        def lagrangian(x: Any) -> Any:
            return value(x) - z[n:] @ conditions(x)

        return np.concatenate((grad(lagrangian)(z[:n]), np.where(active > 0.0, conditions(z[:n]), z[n:])))

    x = vector_moving(residual, whole)[:n]
    return Result(x, value(x), search)
