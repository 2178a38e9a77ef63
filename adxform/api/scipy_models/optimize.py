"""Solutions of equations and minima, which move with what the equations hold: the implicit function theorem.

A solution `x` of ``f(x, p) = 0`` moves as a chord step does, ``x - f(x, p) / slope``, the slope held: each step makes one order
of derivatives right. There are three, so that derivatives of the third order are right, and those beyond are refused.

Source: Griewank & Walther, *Evaluating Derivatives* (2008), chapter 15; Christianson, *Reverse accumulation and implicit
functions* (1998).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import optimize

from adxform.api import grad, jvp
from adxform.api.scipy_models import orders
from adxform.api.scipy_models.orders import to_third_order
from adxform.api.scipy_models.solving import Search, moving, parameters, solve, still
from adxform.api.second_order import jacobian
from adxform.primitives.declare import constant
from adxform.primitives.definitions.definition import Definition, Value, unsupported
from adxform.primitives.record import Primitive

_STEPS = 3
_NEAR = 1e-3
_TIED = 1e-6
_ROUNDING = 4 * np.finfo(float).eps


class Result(Search):
    """What a solver found, with those attributes of SciPy's result that a program may ask for."""

    def __init__(self, x: Any, fun: Any, found: Any) -> None:
        self.x, self.fun, self.found = x, fun, found

    def __getitem__(self, name: Any) -> Any:
        return getattr(self, name)


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


def as_tuple(args: Any) -> Any:
    """`args` of SciPy's, where one that is no tuple stands alone."""
    return args if isinstance(args, tuple) else (args,)


def checked(x: Any, step: Any) -> Any:
    """`x`, from which a step of Newton's leads no further than the rounding and the tolerance of a solver.

    Raises:
        RuntimeError: it is no solution, or none that moves with what the equations hold.
    """
    if not np.all(np.abs(step) <= _NEAR * (1.0 + np.abs(x))):
        raise RuntimeError(
            "the solver has found no solution that has a derivative: it did not converge, or the slope there is singular"
        )
    return x


def number_moving(residual: Any, x: Any) -> Any:
    """The root `x` of a function of one number, as it moves."""
    slope = still(jvp(residual, (x,), (1.0,))[1])
    y = solve(checked, (), (), (x,), x, residual(x) / slope)
    for _ in range(_STEPS):
        y = y - residual(y) / slope
    return moving(x, to_third_order(y))


def vector_moving(residual: Any, x: Any) -> Any:
    """The root `x` of a function of a vector, as it moves."""
    slopes = still(jacobian(residual)(x))
    y = solve(checked, (), (), (x,), x, np.linalg.solve(slopes, residual(x)))
    for _ in range(_STEPS):
        y = y - np.linalg.solve(slopes, residual(y))
    return moving(x, to_third_order(y))


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


def _start(x0: Any) -> Any:
    return np.atleast_1d(np.asarray(x0) * 1.0)


def _fsolve_value(f: Any, x0: Any, xtol: Any, maxfev: Any) -> Any:
    return optimize.fsolve(f, x0, xtol=xtol, maxfev=maxfev)


def _fsolve(func: Any, x0: Any, args: Any = (), *, xtol: Any = 1.49012e-08, maxfev: Any = 0) -> Any:
    def residual(x: Any) -> Any:
        return np.atleast_1d(np.asarray(func(x, *as_tuple(args))))

    start = _start(x0)
    return vector_moving(residual, solve(_fsolve_value, (residual,), ((start,),), (start,), start, xtol, maxfev))


def _root_value(f: Any, x0: Any, method: Any, tol: Any, options: Any) -> Any:
    found = optimize.root(f, x0, (), method, None, tol, None, options)
    return found.x, found


def _root(fun: Any, x0: Any, args: Any = (), method: Any = "hybr", *, tol: Any = None, options: Any = None) -> Any:
    def residual(x: Any) -> Any:
        return np.atleast_1d(np.asarray(fun(x, *as_tuple(args))))

    start = _start(x0)
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
    start = _start(x0)
    return vector_moving(residual, solve(_fixed_point_value, (step,), ((start,),), (start,), start, xtol, maxiter, method))


def _limits(bounds: Any, n: Any) -> Any:
    """The lower and the upper bounds of `n` numbers, from pairs or an object of SciPy's; infinite ones where there are none."""
    if bounds is None:
        return np.full(n, -np.inf), np.full(n, np.inf)
    if isinstance(bounds, optimize.Bounds):
        return np.zeros(n) + bounds.lb, np.zeros(n) + bounds.ub
    low = np.array([-np.inf if pair[0] is None else 1.0 * pair[0] for pair in bounds])
    high = np.array([np.inf if pair[1] is None else 1.0 * pair[1] for pair in bounds])
    return low, high


def _held(x: Any, held: Any, low: Any, high: Any, slope: Any, bend: Any) -> Any:
    """`held`: which numbers of a minimum `x` lie at their lower (-1) or upper (1) bound, where the cost rises inwards.

    Raises:
        RuntimeError: at a bound, or next to one, the cost falls inwards or has no slope, so that the minimum may leave it or not.
    """
    near = _TIED * (1.0 + np.abs(x))
    free = (held == 0) & (x - low > near) & (high - x > near)
    if not np.all(free | (low == high) | (-held * slope > near * np.abs(bend))):
        raise RuntimeError(
            "at a bound of the minimum the cost has no slope that holds it, so that it has no derivative: leave the bound out"
        )
    return held


def _bounded(cost: Any, x: Any, held: Any, low: Any, high: Any) -> Any:
    """The minimum `x` as it moves: those of its numbers at a bound as that does, the others by the slope of the cost."""

    def slope(at: Any) -> Any:
        return grad(cost)(at)

    sides = solve(_held, (), (), (x,), x, held, low, high, slope(x), np.diagonal(jacobian(slope)(x)))

    def residual(at: Any) -> Any:
        return np.where(sides < 0, at - low, np.where(sides > 0, at - high, slope(at)))

    return vector_moving(residual, x)


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

    start = _start(x0)
    low, high = _limits(bounds, start.shape[0])
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
        x = _bounded(value, found, held, low, high)
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


def _least_squares_value(f: Any, x0: Any, method: Any, ftol: Any, xtol: Any, gtol: Any, low: Any, high: Any, bounded: Any) -> Any:
    bounds = (low, high) if bounded else (-np.inf, np.inf)
    found = optimize.least_squares(f, x0, bounds=bounds, method=method, ftol=ftol, xtol=xtol, gtol=gtol)
    return found.x, 1.0 * found.active_mask, found


def _least_squares(
    fun: Any,
    x0: Any,
    *,
    bounds: Any = None,
    method: Any = "trf",
    ftol: Any = 1e-08,
    xtol: Any = 1e-08,
    gtol: Any = 1e-08,
    args: Any = (),
) -> Any:
    def misfit(x: Any) -> Any:
        return np.atleast_1d(np.asarray(fun(x, *as_tuple(args))))

    def cost(x: Any) -> Any:
        return 0.5 * np.sum(misfit(x) ** 2)

    start = _start(x0)
    if bounds is None or isinstance(bounds, optimize.Bounds):
        low, high = _limits(bounds, start.shape[0])
    else:
        low, high = np.zeros_like(start) + bounds[0], np.zeros_like(start) + bounds[1]
    found, held, search = solve(
        _least_squares_value,
        (misfit,),
        ((start,),),
        (start, start, "any"),
        start,
        method,
        ftol,
        xtol,
        gtol,
        low,
        high,
        bounds is not None,
    )
    if bounds is None:
        x = vector_moving(lambda at: grad(cost)(at), found)
    else:
        x = _bounded(cost, found, held, low, high)
    return Result(x, misfit(x), search)


# -- fits -------------------------------------------------------------------------------------------------------------------


def _curve_fit_value(f: Any, x: Any, y: Any, p0: Any, sigma: Any, absolute_sigma: Any, method: Any, *limits: Any) -> Any:
    named = zip(("maxfev", "ftol", "xtol", "gtol"), limits, strict=True)
    options = {name: limit for name, limit in named if limit is not None}
    return optimize.curve_fit(lambda x, *p: f(np.array(p)), x, y, p0, sigma, absolute_sigma, method=method, **options)


def _curve_fit(
    f: Any,
    xdata: Any,
    ydata: Any,
    p0: Any = None,
    sigma: Any = None,
    absolute_sigma: Any = False,
    *,
    method: Any = None,
    maxfev: Any = None,
    ftol: Any = None,
    xtol: Any = None,
    gtol: Any = None,
) -> Any:
    x, y = np.asarray(xdata) * 1.0, np.asarray(ydata) * 1.0
    start = np.ones(parameters(f) - 1) if p0 is None else _start(p0)
    errors = 1.0 if sigma is None else np.asarray(sigma)
    if np.ndim(errors) > 1:
        unsupported("curve_fit has a derivative for errors `sigma` of each number, not for a covariance of them")

    def model(p: Any) -> Any:
        return f(x, *p)

    def misfit(p: Any) -> Any:
        return (model(p) - y) / errors

    def cost(p: Any) -> Any:
        return 0.5 * np.sum(misfit(p) ** 2)

    given = x, y, start, sigma, absolute_sigma, method, maxfev, ftol, xtol, gtol
    found, spread = solve(_curve_fit_value, (model,), ((start,),), (start, 2), *given)
    p = vector_moving(lambda at: grad(cost)(at), found)
    slopes = jacobian(misfit)(p)
    variances = np.linalg.inv(slopes.T @ slopes)
    if not absolute_sigma:
        variances = variances * (2.0 * cost(p) / (y.shape[0] - start.shape[0]))
    return p, moving(spread, variances)


def _nnls_value(a: Any, b: Any, maxiter: Any) -> Any:
    x, length = optimize.nnls(a, b, maxiter=maxiter)
    return x, np.where(x <= 0.0, -1.0, 0.0), length


def _nnls(A: Any, b: Any, *, maxiter: Any = None) -> Any:
    a, b = np.asarray(A) * 1.0, np.asarray(b) * 1.0
    start = np.zeros(a.shape[1])
    found, held, length = solve(_nnls_value, (), (), (start, start, "number"), a, b, maxiter)
    x = _bounded(lambda at: 0.5 * np.sum((a @ at - b) ** 2), found, held, start, np.full(a.shape[1], np.inf))
    return x, moving(length, np.linalg.norm(a @ x - b))


def _lsq_linear_value(a: Any, b: Any, low: Any, high: Any, method: Any, tol: Any) -> Any:
    found = optimize.lsq_linear(a, b, (low, high), method, tol)
    return found.x, 1.0 * found.active_mask, found


def _lsq_linear(A: Any, b: Any, bounds: Any = (-np.inf, np.inf), method: Any = "trf", tol: Any = 1e-10) -> Any:
    a, b = np.asarray(A) * 1.0, np.asarray(b) * 1.0
    start = np.zeros(a.shape[1])
    if isinstance(bounds, optimize.Bounds):
        low, high = _limits(bounds, start.shape[0])
    else:
        low, high = start + bounds[0], start + bounds[1]
    found, held, search = solve(_lsq_linear_value, (), (), (start, start, "any"), a, b, low, high, method, tol)
    x = _bounded(lambda at: 0.5 * np.sum((a @ at - b) ** 2), found, held, low, high)
    return Result(x, a @ x - b, search)


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
    Definition(optimize.least_squares, _least_squares, sequences=True, calls_back=True),
    Definition(optimize.curve_fit, _curve_fit, sequences=True, calls_back=True),
    Definition(optimize.nnls, _nnls, sequences=True),
    Definition(optimize.lsq_linear, _lsq_linear, sequences=True),
    Definition(optimize.rosen, _rosen, Value.OWN),
    Definition(optimize.rosen_der, _rosen_der, Value.OWN),
    Definition(optimize.rosen_hess, _rosen_hess, Value.OWN),
)
