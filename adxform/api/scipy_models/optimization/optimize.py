"""SciPy's solvers of equations and its minima, as what they find moves: see `implicit_solutions`."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import optimize

from adxform.api import grad
from adxform.api.scipy_models import orders
from adxform.api.scipy_models.implicit_solutions import (
    GIVEN,
    Report,
    Result,
    Sides,
    as_tuple,
    bounded_moving,
    chosen,
    limits,
    number_moving,
    option,
    or_values,
    slope_beside,
    slope_of,
    start_of,
    vector_moving,
)
from adxform.api.scipy_models.optimization import global_minima, least_squares_fits, linear_programs, older_minimizers
from adxform.api.scipy_models.optimization.constrained_minima import LinearCondition, NonlinearCondition, constrained, listed
from adxform.api.scipy_models.solving import solve
from adxform.api.second_order import jacobian
from adxform.primitives.declare import constant
from adxform.primitives.definitions.definition import Definition, Value, unsupported
from adxform.primitives.record import Primitive

_ROUNDING = 4 * np.finfo(float).eps
_BRACKETED = ("brentq", "brenth", "ridder", "bisect")


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

    def value(f: Any, a: Any, b: Any, xtol: Any, rtol: Any, maxiter: Any) -> Any:
        return method(f, a, b, (), xtol=xtol, rtol=rtol, maxiter=maxiter, full_output=True)

    def body(
        f: Any,
        a: Any,
        b: Any,
        args: Any = (),
        xtol: Any = 2e-12,
        rtol: Any = _ROUNDING,
        maxiter: Any = 100,
        full_output: Any = False,
    ) -> Any:
        def residual(x: Any) -> Any:
            return f(x, *as_tuple(args))

        found, search = solve(value, (residual,), ((1.0 * a,),), ("float", "any"), a, b, xtol, rtol, maxiter)
        x = number_moving(residual, found)
        return (x, Root(x, search)) if full_output else x

    return body


def _toms748_value(f: Any, a: Any, b: Any, k: Any, xtol: Any, rtol: Any, maxiter: Any) -> Any:
    return optimize.toms748(f, a, b, (), k, xtol, rtol, maxiter, True)


def _toms748(
    f: Any,
    a: Any,
    b: Any,
    args: Any = (),
    k: Any = 1,
    xtol: Any = 2e-12,
    rtol: Any = _ROUNDING,
    maxiter: Any = 100,
    full_output: Any = False,
) -> Any:
    def residual(x: Any) -> Any:
        return f(x, *as_tuple(args))

    found, search = solve(_toms748_value, (residual,), ((1.0 * a,),), ("float", "any"), a, b, k, xtol, rtol, maxiter)
    x = number_moving(residual, found)
    return (x, Root(x, search)) if full_output else x


def _newton_value(
    f: Any, slope: Any, bend: Any, x0: Any, tol: Any, maxiter: Any, x1: Any, rtol: Any, with_slope: Any, with_bend: Any
) -> Any:
    fprime, fprime2 = slope if with_slope else None, bend if with_bend else None
    root, found = optimize.newton(f, x0, fprime, (), tol, maxiter, fprime2, x1, rtol, full_output=True)
    return np.float64(root), found


def _newton(
    func: Any,
    x0: Any,
    fprime: Any = None,
    args: Any = (),
    tol: Any = 1.48e-08,
    maxiter: Any = 50,
    fprime2: Any = None,
    x1: Any = None,
    rtol: Any = 0.0,
    full_output: Any = False,
) -> Any:
    if np.ndim(x0) > 0:
        unsupported("newton has a derivative for one number x0")

    def residual(x: Any) -> Any:
        return func(x, *as_tuple(args))

    slope, bend = or_values(fprime, residual, args), or_values(fprime2, residual, args)
    start = np.float64(x0)
    given = x0, tol, maxiter, x1, rtol, fprime is not None, fprime2 is not None
    found, search = solve(_newton_value, (residual, slope, bend), ((start,), (start,), (start,)), ("number", "any"), *given)
    x = number_moving(residual, found)
    return (x, Root(x, search)) if full_output else x


def _root_scalar_value(
    f: Any, slope: Any, bend: Any, method: Any, bracket: Any, with_slope: Any, with_bend: Any, *given: Any
) -> Any:
    fprime, fprime2 = slope if with_slope else None, bend if with_bend else None
    found = optimize.root_scalar(f, (), method, bracket, fprime, fprime2, *given)
    return found.root, found


def _root_scalar(
    f: Any,
    args: Any = (),
    method: Any = None,
    bracket: Any = None,
    fprime: Any = None,
    fprime2: Any = None,
    x0: Any = None,
    x1: Any = None,
    xtol: Any = None,
    rtol: Any = None,
    maxiter: Any = None,
) -> Any:
    if fprime is True or fprime2 is True:
        unsupported("root_scalar has a derivative where fprime and fprime2 are functions of their own: f returns the value alone")

    def residual(x: Any) -> Any:
        return f(x, *as_tuple(args))

    slope, bend = or_values(fprime, residual, args), or_values(fprime2, residual, args)
    start = 1.0 * (x0 if bracket is None else bracket[0])
    given = method, bracket, fprime is not None, fprime2 is not None, x0, x1, xtol, rtol, maxiter
    functions, examples = (residual, slope, bend), ((start,), (start,), (start,))
    kind = "float" if method in _BRACKETED or (method is None and bracket is not None) else "number"
    x, search = solve(_root_scalar_value, functions, examples, (kind, "any"), *given)
    return Root(number_moving(residual, x), search)


def _fsolve_value(f: Any, slopes: Any, x0: Any, with_slopes: Any, *given: Any) -> Any:
    return optimize.fsolve(f, x0, (), slopes if with_slopes else None, True, *given)


def _fsolve(
    func: Any,
    x0: Any,
    args: Any = (),
    fprime: Any = None,
    full_output: Any = False,
    col_deriv: Any = False,
    xtol: Any = 1.49012e-08,
    maxfev: Any = 0,
) -> Any:
    def residual(x: Any) -> Any:
        return np.atleast_1d(np.asarray(func(x, *as_tuple(args))))

    slopes = slope_of(fprime, args)
    start = start_of(x0)
    given = start, fprime is not None, col_deriv, xtol, maxfev
    found, how, status, message = solve(
        _fsolve_value, (residual, slopes), ((start,), (start,)), (start, "any", "any", "any"), *given
    )
    x = vector_moving(residual, found)
    return (x, Report(residual(x), how), status, message) if full_output else x


def _root_value(f: Any, slopes: Any, x0: Any, method: Any, jac: Any, tol: Any, options: Any) -> Any:
    found = optimize.root(f, x0, (), method, chosen(slopes, jac), tol, None, options)
    return found.x, found


def _root(
    fun: Any, x0: Any, args: Any = (), method: Any = "hybr", jac: Any = None, tol: Any = None, *, options: Any = None
) -> Any:
    def residual(x: Any) -> Any:
        found = fun(x, *as_tuple(args))
        return np.atleast_1d(np.asarray(found[0] if jac is True else found))

    slopes = slope_beside(fun, jac, args)
    start = start_of(x0)
    given = start, method, GIVEN if jac is True else option(jac), tol, options
    found, search = solve(_root_value, (residual, slopes), ((start,), (start,)), (start, "any"), *given)
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
        x = number_moving(residual, solve(_fixed_point_value, (step,), ((start,),), ("number",), start, xtol, maxiter, method))
        return np.asarray(x) if method == "del2" else x
    start = start_of(x0)
    return vector_moving(residual, solve(_fixed_point_value, (step,), ((start,),), (start,), start, xtol, maxiter, method))


def _minimize_value(
    f: Any,
    slope: Any,
    bend: Any,
    product: Any,
    x0: Any,
    method: Any,
    tol: Any,
    options: Any,
    jac: Any,
    hess: Any,
    with_product: Any,
    low: Any,
    high: Any,
    bounded: Any,
) -> Any:
    found = optimize.minimize(
        f,
        x0,
        (),
        method,
        chosen(slope, jac),
        chosen(bend, hess),
        product if with_product else None,
        list(zip(low, high, strict=True)) if bounded else None,
        tol=tol,
        options=options,
    )
    held = np.where(found.x <= low, -1.0, np.where(found.x >= high, 1.0, 0.0))
    return found.x, held, found


def _minimize(
    fun: Any,
    x0: Any,
    args: Any = (),
    method: Any = None,
    jac: Any = None,
    hess: Any = None,
    hessp: Any = None,
    bounds: Any = None,
    constraints: Any = (),
    tol: Any = None,
    *,
    options: Any = None,
) -> Any:
    def value(x: Any) -> Any:
        found = fun(x, *as_tuple(args))
        return found[0] if jac is True else found

    def bend(x: Any) -> Any:
        return np.asarray(hess(x, *as_tuple(args))) if callable(hess) else np.zeros_like(x)

    def product(x: Any, p: Any) -> Any:
        return np.zeros_like(x) if hessp is None else np.asarray(hessp(x, p, *as_tuple(args)))

    slope, start = slope_beside(fun, jac, args), start_of(x0)
    low, high = limits(bounds, start.shape[0])
    conditions = listed(constraints)
    if len(conditions) > 0:
        given = method, tol, options, GIVEN if jac is True else option(jac), option(hess), hessp is not None
        functions = value, slope, bend, product
        return constrained(functions, start, low, high, conditions, (*given, low, high, bounds is not None))
    found, held, search = solve(
        _minimize_value,
        (value, slope, bend, product),
        ((start,), (start,), (start,), (start, start)),
        (start, start, "any"),
        start,
        method,
        tol,
        options,
        GIVEN if jac is True else option(jac),
        option(hess),
        hessp is not None,
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
    Definition(optimize.toms748, _toms748, sequences=True, calls_back=True),
    Definition(optimize.newton, _newton, sequences=True, calls_back=True),
    Definition(optimize.root_scalar, _root_scalar, sequences=True, calls_back=True),
    Definition(optimize.fsolve, _fsolve, sequences=True, calls_back=True),
    Definition(optimize.root, _root, sequences=True, calls_back=True),
    Definition(optimize.fixed_point, _fixed_point, sequences=True, calls_back=True),
    Definition(optimize.Bounds, Sides, Value.FOLLOWED, sequences=True),
    Definition(optimize.LinearConstraint, LinearCondition, Value.FOLLOWED, sequences=True),
    Definition(optimize.NonlinearConstraint, NonlinearCondition, Value.FOLLOWED, sequences=True),
    Definition(optimize.minimize, _minimize, sequences=True, calls_back=True),
    Definition(optimize.minimize_scalar, _minimize_scalar, sequences=True, calls_back=True),
    *older_minimizers.DEFINITIONS,
    *global_minima.DEFINITIONS,
    *least_squares_fits.DEFINITIONS,
    *linear_programs.DEFINITIONS,
    Definition(optimize.rosen, _rosen, Value.OWN),
    Definition(optimize.rosen_der, _rosen_der, Value.OWN),
    Definition(optimize.rosen_hess_prod, lambda x, p: _rosen_hess(x) @ p, Value.OWN),
    Definition(optimize.rosen_hess, _rosen_hess, Value.OWN),
)
