"""SciPy's older functions that find a minimum, each by one method; what they find moves as what `minimize` finds."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import optimize

from adxform.api import grad
from adxform.api.scipy_models.implicit_solutions import (
    as_tuple,
    bounded_moving,
    limits,
    number_moving,
    slope_of,
    start_of,
    vector_moving,
)
from adxform.api.scipy_models.solving import Search, solve
from adxform.primitives.definitions.definition import Definition, unsupported

_EPSILON = 1.4901161193847656e-08


class Ending(Search):
    """What `fmin_l_bfgs_b` tells of its search: counts and words; the slope where it ended is about zero."""

    def __init__(self, found: Any) -> None:
        self.found = found

    def __getitem__(self, name: Any) -> Any:
        if name == "grad":
            unsupported("the slope that `fmin_l_bfgs_b` ends with is not followed: it is zero but for rounding")
        return self.found[name]


def _without_slopes(method: Any, func: Any, x0: Any, args: Any, options: Any) -> Any:
    """What `method` finds, which is given values of the cost alone."""

    def value(x: Any) -> Any:
        return func(x, *as_tuple(args))

    start = start_of(x0)
    return vector_moving(lambda at: grad(value)(at), solve(method, (value,), ((start,),), (start,), start, *options))


def _fmin_value(f: Any, x0: Any, xtol: Any, ftol: Any, maxiter: Any, maxfun: Any, disp: Any, simplex: Any) -> Any:
    return optimize.fmin(f, x0, (), xtol, ftol, maxiter, maxfun, 0, disp, 0, None, simplex)


def _fmin(
    func: Any,
    x0: Any,
    args: Any = (),
    xtol: Any = 1e-4,
    ftol: Any = 1e-4,
    maxiter: Any = None,
    maxfun: Any = None,
    *,
    disp: Any = 1,
    initial_simplex: Any = None,
) -> Any:
    return _without_slopes(_fmin_value, func, x0, args, (xtol, ftol, maxiter, maxfun, disp, initial_simplex))


def _powell_value(f: Any, x0: Any, xtol: Any, ftol: Any, maxiter: Any, maxfun: Any, disp: Any, direc: Any) -> Any:
    return np.atleast_1d(optimize.fmin_powell(f, x0, (), xtol, ftol, maxiter, maxfun, 0, disp, 0, None, direc))


def _fmin_powell(
    func: Any,
    x0: Any,
    args: Any = (),
    xtol: Any = 1e-4,
    ftol: Any = 1e-4,
    maxiter: Any = None,
    maxfun: Any = None,
    *,
    disp: Any = 1,
    direc: Any = None,
) -> Any:
    return _without_slopes(_powell_value, func, x0, args, (xtol, ftol, maxiter, maxfun, disp, direc))


def _by_slopes(method: Any) -> Any:
    """A method that may be given the slope of the cost."""

    def search(
        f: Any,
        slope: Any,
        x0: Any,
        with_slope: Any,
        gtol: Any,
        norm: Any,
        epsilon: Any,
        maxiter: Any,
        disp: Any,
        c1: Any,
        c2: Any,
    ) -> Any:
        fprime = slope if with_slope else None
        return method(f, x0, fprime, (), gtol, norm, epsilon, maxiter, 0, disp, c1=c1, c2=c2)

    usual = 0.9 if method is optimize.fmin_bfgs else 0.4

    def body(
        f: Any,
        x0: Any,
        fprime: Any = None,
        args: Any = (),
        gtol: Any = 1e-5,
        norm: Any = np.inf,
        epsilon: Any = _EPSILON,
        maxiter: Any = None,
        *,
        disp: Any = 1,
        c1: Any = 1e-4,
        c2: Any = usual,
    ) -> Any:
        def value(x: Any) -> Any:
            return f(x, *as_tuple(args))

        start = start_of(x0)
        given = start, fprime is not None, gtol, norm, epsilon, maxiter, disp, c1, c2
        functions, examples = (value, slope_of(fprime, args)), ((start,), (start,))
        return vector_moving(lambda at: grad(value)(at), solve(search, functions, examples, (start,), *given))

    return body


def _within_value(
    f: Any, slope: Any, x0: Any, with_slope: Any, approximate: Any, low: Any, high: Any, bounded: Any, *given: Any
) -> Any:
    m, factr, pgtol, epsilon, maxfun, maxiter, maxls = given
    sides = list(zip(low, high, strict=True)) if bounded else None
    fprime = None if approximate else slope
    names = {"m": m, "factr": factr, "pgtol": pgtol, "epsilon": epsilon, "maxfun": maxfun, "maxiter": maxiter, "maxls": maxls}
    x, cost, found = optimize.fmin_l_bfgs_b(f, x0, fprime, (), approximate, sides, **names)
    held = np.where(x <= low, -1.0, np.where(x >= high, 1.0, 0.0))
    return x, held, np.float64(cost), found


def _fmin_l_bfgs_b(
    func: Any,
    x0: Any,
    fprime: Any = None,
    args: Any = (),
    approx_grad: Any = 0,
    bounds: Any = None,
    m: Any = 10,
    factr: Any = 1e7,
    pgtol: Any = 1e-5,
    epsilon: Any = 1e-8,
    maxfun: Any = 15000,
    maxiter: Any = 15000,
    maxls: Any = 20,
) -> Any:
    both = fprime is None and not approx_grad

    def value(x: Any) -> Any:
        found = func(x, *as_tuple(args))
        return found[0] if both else found

    def slope(x: Any) -> Any:
        if both:
            return np.asarray(func(x, *as_tuple(args))[1])
        return slope_of(fprime, args)(x)

    start = start_of(x0)
    low, high = limits(bounds, start.shape[0])
    found, held, _cost, how = solve(
        _within_value,
        (value, slope),
        ((start,), (start,)),
        (start, start, "number", "any"),
        start,
        fprime is not None,
        approx_grad,
        low,
        high,
        bounds is not None,
        m,
        factr,
        pgtol,
        epsilon,
        maxfun,
        maxiter,
        maxls,
    )
    if bounds is None:
        x = vector_moving(lambda at: grad(value)(at), found)
    else:
        x = bounded_moving(value, found, held, low, high)
    return x, value(x), Ending(how)


def _bounded_value(f: Any, low: Any, high: Any, xtol: Any, maxfun: Any, disp: Any) -> Any:
    return np.float64(optimize.fminbound(f, low, high, (), xtol, maxfun, 0, disp))


def _fminbound(func: Any, x1: Any, x2: Any, args: Any = (), xtol: Any = 1e-5, maxfun: Any = 500, *, disp: Any = 1) -> Any:
    def value(x: Any) -> Any:
        return func(x, *as_tuple(args))

    found = solve(_bounded_value, (value,), ((np.float64(x1),),), ("number",), x1, x2, xtol, maxfun, disp)
    return number_moving(lambda at: grad(value)(at), found)


def _bracketing(method: Any, usual: Any) -> Any:
    def search(f: Any, brack: Any, tol: Any, maxiter: Any) -> Any:
        return np.float64(method(f, (), brack, tol, 0, maxiter))

    steps = 500 if method is optimize.brent else 5000

    def body(func: Any, args: Any = (), brack: Any = None, tol: Any = usual, *, maxiter: Any = steps) -> Any:
        def value(x: Any) -> Any:
            return func(x, *as_tuple(args))

        found = solve(search, (value,), ((np.float64(1.0),),), ("number",), brack, tol, maxiter)
        return number_moving(lambda at: grad(value)(at), found)

    return body


DEFINITIONS: tuple[Definition, ...] = (
    Definition(optimize.fmin, _fmin, sequences=True, calls_back=True),
    Definition(optimize.fmin_powell, _fmin_powell, sequences=True, calls_back=True),
    Definition(optimize.fmin_bfgs, _by_slopes(optimize.fmin_bfgs), sequences=True, calls_back=True),
    Definition(optimize.fmin_cg, _by_slopes(optimize.fmin_cg), sequences=True, calls_back=True),
    Definition(optimize.fmin_l_bfgs_b, _fmin_l_bfgs_b, sequences=True, calls_back=True),
    Definition(optimize.fminbound, _fminbound, sequences=True, calls_back=True),
    Definition(optimize.brent, _bracketing(optimize.brent, 1.48e-8), sequences=True, calls_back=True),
    Definition(optimize.golden, _bracketing(optimize.golden, _EPSILON), sequences=True, calls_back=True),
)
