"""Minima that SciPy searches for within bounds or from many starts, and its other solvers of equations and of bounded minima.

What they find moves as what `minimize` and `root` find: see `implicit_solutions`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import optimize

from adxform.api import grad
from adxform.api.scipy_models.implicit_solutions import (
    Result,
    Sides,
    as_tuple,
    bounded_moving,
    limits,
    start_of,
    vector_moving,
)
from adxform.api.scipy_models.solving import solve
from adxform.primitives.definitions.definition import Definition, unsupported

_NEAR = 1e-6


def _between(bounds: Any) -> Any:
    """The lower and the upper bounds, of pairs or of an object of SciPy's."""
    if isinstance(bounds, optimize.Bounds | Sides):
        return np.atleast_1d(bounds.lb) * 1.0, np.atleast_1d(bounds.ub) * 1.0
    return limits(bounds, len(bounds))


def _held(x: Any, low: Any, high: Any) -> Any:
    """Which numbers lie at a bound, to the tolerance of a search that does not come to it itself."""
    near = _NEAR * (1.0 + np.abs(x))
    return np.where(x <= low + near, -1.0, np.where(x >= high - near, 1.0, 0.0))


def _within(method: Any) -> Any:
    """A search of the box between bounds, with options that do not move."""

    def search(f: Any, low: Any, high: Any, options: Any) -> Any:
        found = method(f, list(zip(low, high, strict=True)), **options)
        return found.x, _held(found.x, low, high), found

    def body(func: Any, bounds: Any, args: Any = (), **options: Any) -> Any:
        if "constraints" in options:
            unsupported(f"{method.__name__} has a derivative without constraints: use minimize from where the minimum lies")

        def value(x: Any) -> Any:
            return func(x, *as_tuple(args))

        low, high = _between(bounds)
        found, held, how = solve(search, (value,), ((low,),), (low, low, "any"), low, high, options)
        x = bounded_moving(value, found, held, low, high)
        return Result(x, value(x), how)

    return body


def _basinhopping_value(f: Any, x0: Any, options: Any) -> Any:
    found = optimize.basinhopping(f, x0, **options)
    return found.x, found


def _basinhopping(func: Any, x0: Any, **options: Any) -> Any:
    start = start_of(x0)
    found, how = solve(_basinhopping_value, (func,), ((start,),), (start, "any"), start, options)
    x = vector_moving(lambda at: grad(func)(at), found)
    return Result(x, func(x), how)


def _slope_of(fprime: Any, args: Any) -> Any:
    def slope(x: Any) -> Any:
        return np.zeros_like(x) if fprime is None else np.asarray(fprime(x, *as_tuple(args)))

    return slope


def _slsqp_value(f: Any, slope: Any, x0: Any, with_slope: Any, low: Any, high: Any, bounded: Any, options: Any) -> Any:
    sides = list(zip(low, high, strict=True)) if bounded else ()
    found = optimize.fmin_slsqp(f, x0, bounds=sides, fprime=slope if with_slope else None, **options)
    return found, _held(found, low, high)


def _fmin_slsqp(func: Any, x0: Any, *, bounds: Any = (), fprime: Any = None, args: Any = (), **options: Any) -> Any:
    for name in ("eqcons", "f_eqcons", "ieqcons", "f_ieqcons", "full_output"):
        if name in options:
            unsupported(f"fmin_slsqp has a derivative without `{name}`: use minimize(method='SLSQP')")

    def value(x: Any) -> Any:
        return func(x, *as_tuple(args))

    start = start_of(x0)
    bounded = len(bounds) > 0
    low, high = limits(bounds if bounded else None, start.shape[0])
    given = start, fprime is not None, low, high, bounded, options
    functions, examples = (value, _slope_of(fprime, args)), ((start,), (start,))
    found, held = solve(_slsqp_value, functions, examples, (start, start), *given)
    return bounded_moving(value, found, held, low, high) if bounded else vector_moving(lambda at: grad(value)(at), found)


def _ncg_value(f: Any, slope: Any, x0: Any, options: Any) -> Any:
    return optimize.fmin_ncg(f, x0, slope, **options)


def _fmin_ncg(f: Any, x0: Any, fprime: Any, *, args: Any = (), **options: Any) -> Any:
    for name in ("fhess", "fhess_p", "full_output", "retall", "callback"):
        if name in options:
            unsupported(f"fmin_ncg has a derivative without `{name}`: use minimize(method='Newton-CG')")

    def value(x: Any) -> Any:
        return f(x, *as_tuple(args))

    start = start_of(x0)
    functions, examples = (value, _slope_of(fprime, args)), ((start,), (start,))
    return vector_moving(lambda at: grad(value)(at), solve(_ncg_value, functions, examples, (start,), start, options))


def _of_equations(method: Any) -> Any:
    """A method that solves equations by products alone."""

    def search(f: Any, x0: Any, options: Any) -> Any:
        return method(f, x0, **options)

    def body(F: Any, xin: Any, **options: Any) -> Any:
        if np.ndim(xin) > 1:
            unsupported(f"{method.__name__} has a derivative for a vector of unknowns")
        if "callback" in options or "full_output" in options:
            unsupported(f"{method.__name__} has a derivative without `callback` and `full_output`")
        start = start_of(xin)

        def residual(x: Any) -> Any:
            return np.atleast_1d(np.asarray(F(x)))

        return vector_moving(residual, solve(search, (residual,), ((start,),), (start,), start, options))

    return body


_SEARCHES = (optimize.differential_evolution, optimize.dual_annealing, optimize.shgo, optimize.direct)
_OF_EQUATIONS = (
    optimize.newton_krylov,
    optimize.broyden1,
    optimize.broyden2,
    optimize.anderson,
    optimize.linearmixing,
    optimize.diagbroyden,
    optimize.excitingmixing,
)

DEFINITIONS: tuple[Definition, ...] = (
    *(Definition(method, _within(method), sequences=True, calls_back=True) for method in _SEARCHES),
    Definition(optimize.basinhopping, _basinhopping, sequences=True, calls_back=True),
    Definition(optimize.fmin_slsqp, _fmin_slsqp, sequences=True, calls_back=True),
    Definition(optimize.fmin_ncg, _fmin_ncg, sequences=True, calls_back=True),
    *(Definition(method, _of_equations(method), sequences=True, calls_back=True) for method in _OF_EQUATIONS),
)
