"""SciPy's solvers of equations and its minima, as what they find moves: see `implicit_solutions`."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import optimize

from adxform.api import grad
from adxform.api.scipy_models import least_squares_fits, orders
from adxform.api.scipy_models.implicit_solutions import (
    Result,
    as_tuple,
    bounded_moving,
    limits,
    number_moving,
    start_of,
    vector_moving,
)
from adxform.api.scipy_models.solving import solve
from adxform.api.second_order import jacobian
from adxform.primitives.declare import constant
from adxform.primitives.definitions.definition import Definition, Value, unsupported
from adxform.primitives.record import Primitive

_ROUNDING = 4 * np.finfo(float).eps


class Root:
    """What a solver for one number found."""

    def __init__(self, root: Any, found: Any) -> None:
        self.root, self.found = root, found

    @property
    def converged(self) -> Any:
        """Whether it was found."""
        return self.found.converged

    @property
    def flag(self) -> Any:
        """Why the search ended, in words."""
        return self.found.flag

    @property
    def iterations(self) -> Any:
        """How many steps there were."""
        return self.found.iterations

    @property
    def function_calls(self) -> Any:
        """How often the function was called."""
        return self.found.function_calls


def _bracketing(method: Any) -> Any:
    """A method that finds the root of a function of one number between two places."""

    def body(f: Any, a: Any, b: Any, args: Any = (), xtol: Any = 2e-12, rtol: Any = _ROUNDING, maxiter: Any = 100) -> Any:
        def residual(x: Any) -> Any:
            return f(x, *as_tuple(args))

        x = solve(method, (residual,), ((1.0 * a,),), ("float",), a, b, (), xtol, rtol, maxiter)
        return number_moving(residual, x)

    return body


def _newton_value(f: Any, slope: Any, x0: Any, tol: Any, maxiter: Any, rtol: Any, with_slope: Any) -> Any:
    found = optimize.newton(f, x0, slope if with_slope else None, (), tol, maxiter, rtol=rtol)
    return np.float64(found)


def _newton(
    func: Any, x0: Any, fprime: Any = None, args: Any = (), tol: Any = 1.48e-08, maxiter: Any = 50, *, rtol: Any = 0.0
) -> Any:
    if np.ndim(x0) > 0:
        unsupported("newton has a derivative for one number x0")

    def residual(x: Any) -> Any:
        return func(x, *as_tuple(args))

    def slope(x: Any) -> Any:
        return residual(x) if fprime is None else fprime(x, *as_tuple(args))

    start = np.float64(x0)
    x = solve(_newton_value, (residual, slope), ((start,), (start,)), ("number",), x0, tol, maxiter, rtol, fprime is not None)
    return number_moving(residual, x)


def _root_scalar_value(f: Any, method: Any, bracket: Any, x0: Any, x1: Any, xtol: Any, rtol: Any, maxiter: Any) -> Any:
    found = optimize.root_scalar(f, (), method, bracket, None, None, x0, x1, xtol, rtol, maxiter)
    return float(found.root), found


def _root_scalar(
    f: Any,
    args: Any = (),
    method: Any = None,
    bracket: Any = None,
    *,
    x0: Any = None,
    x1: Any = None,
    xtol: Any = None,
    rtol: Any = None,
    maxiter: Any = None,
) -> Any:
    def residual(x: Any) -> Any:
        return f(x, *as_tuple(args))

    start = 1.0 * (x0 if bracket is None else bracket[0])
    x, search = solve(
        _root_scalar_value, (residual,), ((start,),), ("float", "any"), method, bracket, x0, x1, xtol, rtol, maxiter
    )
    return Root(number_moving(residual, x), search)


def _fsolve_value(f: Any, x0: Any, xtol: Any, maxfev: Any) -> Any:
    return optimize.fsolve(f, x0, xtol=xtol, maxfev=maxfev)


def _fsolve(func: Any, x0: Any, args: Any = (), *, xtol: Any = 1.49012e-08, maxfev: Any = 0) -> Any:
    def residual(x: Any) -> Any:
        return np.atleast_1d(np.asarray(func(x, *as_tuple(args))))

    start = start_of(x0)
    return vector_moving(residual, solve(_fsolve_value, (residual,), ((start,),), (start,), start, xtol, maxfev))


def _root_value(f: Any, x0: Any, method: Any, tol: Any, options: Any) -> Any:
    found = optimize.root(f, x0, (), method, None, tol, None, options)
    return found.x, found


def _root(fun: Any, x0: Any, args: Any = (), method: Any = "hybr", *, tol: Any = None, options: Any = None) -> Any:
    def residual(x: Any) -> Any:
        return np.atleast_1d(np.asarray(fun(x, *as_tuple(args))))

    start = start_of(x0)
    found, search = solve(_root_value, (residual,), ((start,),), (start, "any"), start, method, tol, options)
    x = vector_moving(residual, found)
    return Result(x, residual(x), search)


def _fixed_point_value(f: Any, x0: Any, xtol: Any, maxiter: Any, method: Any) -> Any:
    found = optimize.fixed_point(f, x0, (), xtol, maxiter, method)
    return np.float64(found) if np.ndim(found) == 0 else found


def _fixed_point(func: Any, x0: Any, args: Any = (), xtol: Any = 1e-08, maxiter: Any = 500, method: Any = "del2") -> Any:
    def step(x: Any) -> Any:
        return func(x, *as_tuple(args))

    def residual(x: Any) -> Any:
        return x - step(x)

    if np.ndim(x0) == 0:
        start = np.float64(x0)
        return number_moving(residual, solve(_fixed_point_value, (step,), ((start,),), ("number",), start, xtol, maxiter, method))
    start = start_of(x0)
    return vector_moving(residual, solve(_fixed_point_value, (step,), ((start,),), (start,), start, xtol, maxiter, method))


def _minimize_value(
    f: Any, slope: Any, x0: Any, method: Any, tol: Any, options: Any, with_slope: Any, low: Any, high: Any, bounded: Any
) -> Any:
    bounds = list(zip(low, high, strict=True)) if bounded else None
    found = optimize.minimize(f, x0, (), method, slope if with_slope else None, bounds=bounds, tol=tol, options=options)
    held = np.where(found.x <= low, -1.0, np.where(found.x >= high, 1.0, 0.0))
    return found.x, held, found


def _minimize(
    fun: Any,
    x0: Any,
    args: Any = (),
    method: Any = None,
    jac: Any = None,
    *,
    bounds: Any = None,
    tol: Any = None,
    options: Any = None,
) -> Any:
    if jac is True:
        unsupported("minimize has a derivative where jac is a function of its own: fun returns the value alone")

    def value(x: Any) -> Any:
        return fun(x, *as_tuple(args))

    def slope(x: Any) -> Any:
        return np.zeros_like(x) if jac is None else np.asarray(jac(x, *as_tuple(args)))

    start = start_of(x0)
    low, high = limits(bounds, start.shape[0])
    found, held, search = solve(
        _minimize_value,
        (value, slope),
        ((start,), (start,)),
        (start, start, "any"),
        start,
        method,
        tol,
        options,
        jac is not None,
        low,
        high,
        bounds is not None,
    )
    if bounds is None:
        x = vector_moving(lambda at: grad(value)(at), found)
    else:
        x = bounded_moving(value, found, held, low, high)
    return Result(x, value(x), search)


def _minimize_scalar_value(f: Any, bracket: Any, bounds: Any, method: Any, tol: Any, options: Any) -> Any:
    found = optimize.minimize_scalar(f, bracket, bounds, (), method, tol, options)
    return np.float64(found.x), found


def _minimize_scalar(
    fun: Any, bracket: Any = None, bounds: Any = None, args: Any = (), method: Any = None, tol: Any = None, options: Any = None
) -> Any:
    def value(x: Any) -> Any:
        return fun(x, *as_tuple(args))

    def residual(x: Any) -> Any:
        return grad(value)(x)

    found, search = solve(
        _minimize_scalar_value, (value,), ((np.float64(1.0),),), ("number", "any"), bracket, bounds, method, tol, options
    )
    x = number_moving(residual, found)
    return Result(x, value(x), search)


def _rosen(x: Any) -> Any:
    return np.sum(100.0 * (x[1:] - x[:-1] ** 2.0) ** 2.0 + (1 - x[:-1]) ** 2.0, axis=0)


def _rosen_der(x: Any) -> Any:
    return grad(_rosen)(x)


def _rosen_hess(x: Any) -> Any:
    return jacobian(_rosen_der)(x)


RECORDS: tuple[Primitive, ...] = (
    *orders.RECORDS,
    constant(optimize.linear_sum_assignment),
)

DEFINITIONS: tuple[Definition, ...] = (
    *(
        Definition(method, _bracketing(method), sequences=True, calls_back=True)
        for method in (optimize.brentq, optimize.brenth, optimize.ridder, optimize.bisect)
    ),
    Definition(optimize.newton, _newton, sequences=True, calls_back=True),
    Definition(optimize.root_scalar, _root_scalar, sequences=True, calls_back=True),
    Definition(optimize.fsolve, _fsolve, sequences=True, calls_back=True),
    Definition(optimize.root, _root, sequences=True, calls_back=True),
    Definition(optimize.fixed_point, _fixed_point, sequences=True, calls_back=True),
    Definition(optimize.minimize, _minimize, sequences=True, calls_back=True),
    Definition(optimize.minimize_scalar, _minimize_scalar, sequences=True, calls_back=True),
    *least_squares_fits.DEFINITIONS,
    Definition(optimize.rosen, _rosen, Value.OWN),
    Definition(optimize.rosen_der, _rosen_der, Value.OWN),
    Definition(optimize.rosen_hess, _rosen_hess, Value.OWN),
)
