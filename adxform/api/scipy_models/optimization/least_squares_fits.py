"""Fits: the least sum of squares, of misfits of a function, of a curve and of linear equations, also within bounds."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import optimize

from adxform.api import grad
from adxform.api.scipy_models.implicit_solutions import (
    Report,
    Result,
    as_tuple,
    bounded_moving,
    chosen,
    option,
    sides_of,
    start_of,
    vector_moving,
)
from adxform.api.scipy_models.solving import moving, parameters, solve
from adxform.api.second_order import jacobian
from adxform.primitives.definitions.definition import Definition, unsupported
from adxform.runtime.run_time_checks import without_derivative


class Fit(Result):
    """What a fit found: its misfits, and half their sum of squares or of what a loss makes of these."""

    def __init__(self, x: Any, misfits: Any, cost: Any, slopes: Any, found: Any) -> None:
        super().__init__(x, misfits, found)
        self.of_misfits = cost
        self.slopes = None if slopes is None else moving(solve(_slopes_found, (), (), (2,), found), slopes)

    @property
    def cost(self) -> Any:
        """What is the least."""
        return moving(solve(_cost_found, (), (), ("number",), self.found), self.of_misfits)

    @property
    def jac(self) -> Any:
        """The slopes of the misfits."""
        if self.slopes is None:
            unsupported("of what least_squares has found with a loss, the slopes of the misfits are not followed")
        return self.slopes

    @property
    def active_mask(self) -> Any:
        """Which numbers lie at a bound."""
        return self.found.active_mask


def _cost_found(found: Any) -> Any:
    return np.float64(found.cost)


def _slopes_found(found: Any) -> Any:
    return np.array(found.jac)


def _least_squares_value(
    f: Any, slopes: Any, x0: Any, jac: Any, low: Any, high: Any, bounded: Any, method: Any, *given: Any
) -> Any:
    bounds = (low, high) if bounded else (-np.inf, np.inf)
    ftol, xtol, gtol, x_scale, loss, f_scale, max_nfev = given
    options = {"loss": loss, "f_scale": f_scale, "max_nfev": max_nfev}
    if x_scale is not None:
        options["x_scale"] = x_scale
    found = optimize.least_squares(f, x0, chosen(slopes, jac), bounds, method, ftol, xtol, gtol, **options)
    return found.x, 1.0 * found.active_mask, found


def _loss(name: Any, z: Any) -> Any:
    """What a loss makes of squares."""
    if name == "linear":
        return z
    if name == "soft_l1":
        return 2.0 * ((1.0 + z) ** 0.5 - 1.0)
    if name == "huber":
        return np.where(z <= 1.0, z, 2.0 * np.where(z <= 1.0, 1.0, z) ** 0.5 - 1.0)
    if name == "cauchy":
        return np.log1p(z)
    return np.arctan(z)


def _least_squares(
    fun: Any,
    x0: Any,
    jac: Any = "2-point",
    bounds: Any = None,
    method: Any = "trf",
    ftol: Any = 1e-08,
    xtol: Any = 1e-08,
    gtol: Any = 1e-08,
    x_scale: Any = None,
    loss: Any = "linear",
    f_scale: Any = 1.0,
    *,
    max_nfev: Any = None,
    args: Any = (),
) -> Any:
    if callable(loss):
        unsupported("least_squares has a derivative for the losses that SciPy names, not for a function")

    def misfit(x: Any) -> Any:
        return np.atleast_1d(np.asarray(fun(x, *as_tuple(args))))

    def slopes(x: Any) -> Any:
        return np.asarray(jac(x, *as_tuple(args))) if callable(jac) else np.zeros_like(x)

    def cost(x: Any) -> Any:
        if loss == "linear":
            return 0.5 * np.sum(misfit(x) ** 2)
        return 0.5 * f_scale**2 * np.sum(_loss(loss, (misfit(x) / f_scale) ** 2))

    start = start_of(x0)
    low, high = sides_of(bounds, start)
    options = ftol, xtol, gtol, x_scale, loss, f_scale, max_nfev
    found, held, search = solve(
        _least_squares_value,
        (misfit, slopes),
        ((start,), (start,)),
        (start, start, "any"),
        start,
        option(jac),
        low,
        high,
        bounds is not None,
        method,
        *options,
    )
    if bounds is None:
        x = vector_moving(lambda at: grad(cost)(at), found)
    else:
        x = bounded_moving(cost, found, held, low, high)
    return Fit(x, misfit(x), cost(x), jacobian(misfit)(x) if loss == "linear" else None, search)


def _leastsq_value(f: Any, slopes: Any, x0: Any, with_slopes: Any, *given: Any) -> Any:
    found = optimize.leastsq(f, x0, (), slopes if with_slopes else None, True, *given)
    if found[1] is None:
        raise without_derivative(
            "leastsq has found no solution that has a derivative: the slopes of the misfits are singular there"
        )
    return found


def _leastsq(
    func: Any,
    x0: Any,
    args: Any = (),
    Dfun: Any = None,
    full_output: Any = False,
    col_deriv: Any = False,
    ftol: Any = 1.49012e-08,
    xtol: Any = 1.49012e-08,
    gtol: Any = 0.0,
    maxfev: Any = 0,
) -> Any:
    def misfit(x: Any) -> Any:
        return np.atleast_1d(np.asarray(func(x, *as_tuple(args))))

    def slopes(x: Any) -> Any:
        return np.zeros_like(x) if Dfun is None else np.asarray(Dfun(x, *as_tuple(args)))

    def cost(x: Any) -> Any:
        return 0.5 * np.sum(misfit(x) ** 2)

    start = start_of(x0)
    given = start, Dfun is not None, col_deriv, ftol, xtol, gtol, maxfev
    kinds = (start, 2, "any", "any", "any")
    found, spread, how, message, status = solve(_leastsq_value, (misfit, slopes), ((start,), (start,)), kinds, *given)
    x = vector_moving(lambda at: grad(cost)(at), found)
    if not full_output:
        return x, status
    at_solution = jacobian(misfit)(x)
    return x, moving(spread, np.linalg.inv(at_solution.T @ at_solution)), Report(misfit(x), how), message, status


def _curve_fit_value(
    f: Any,
    x: Any,
    y: Any,
    start: Any,
    inside: Any,
    sigma: Any,
    absolute_sigma: Any,
    method: Any,
    low: Any,
    high: Any,
    bounded: Any,
    *limits: Any,
) -> Any:
    if inside:  # the bounds, where SciPy begins if it is told no other place
        with np.errstate(invalid="ignore"):
            beside = np.where(np.isfinite(low), low + 1.0, np.where(np.isfinite(high), high - 1.0, start))
            start = np.where(np.isfinite(low) & np.isfinite(high), 0.5 * (low + high), beside)
    named = zip(("maxfev", "ftol", "xtol", "gtol"), limits, strict=True)
    options = {name: limit for name, limit in named if limit is not None}
    options["bounds"] = (low, high) if bounded else (-np.inf, np.inf)
    found, spread = optimize.curve_fit(lambda x, *p: f(np.array(p)), x, y, start, sigma, absolute_sigma, method=method, **options)
    near = options.get("xtol", 1e-8)  # as least_squares tells which numbers are at a bound
    at_low = found - low <= np.minimum(high - found, near * np.maximum(1.0, np.abs(low)))
    at_high = high - found <= np.minimum(found - low, near * np.maximum(1.0, np.abs(high)))
    return found, 1.0 * (at_high & np.isfinite(high)) - 1.0 * (at_low & np.isfinite(low)), spread


def _curve_fit(
    f: Any,
    xdata: Any,
    ydata: Any,
    p0: Any = None,
    sigma: Any = None,
    absolute_sigma: Any = False,
    *,
    bounds: Any = None,
    method: Any = None,
    maxfev: Any = None,
    ftol: Any = None,
    xtol: Any = None,
    gtol: Any = None,
) -> Any:
    x, y = np.asarray(xdata) * 1.0, np.atleast_1d(np.asarray(ydata) * 1.0)
    start = np.ones(parameters(f) - 1) if p0 is None else start_of(p0)
    low, high = sides_of(bounds, start)
    errors = 1.0 if sigma is None else np.asarray(sigma)

    def model(p: Any) -> Any:
        return f(x, *p)

    def misfit(p: Any) -> Any:
        if np.ndim(errors) > 1:
            return np.linalg.solve(np.linalg.cholesky(errors), model(p) - y)
        return (model(p) - y) / errors

    def cost(p: Any) -> Any:
        return 0.5 * np.sum(misfit(p) ** 2)

    given = x, y, start, p0 is None, sigma, absolute_sigma, method, low, high, bounds is not None, maxfev, ftol, xtol, gtol
    found, held, spread = solve(_curve_fit_value, (model,), ((start,),), (start, start, 2), *given)
    if bounds is None:
        p = vector_moving(lambda at: grad(cost)(at), found)
    else:
        p = bounded_moving(cost, found, held, low, high)
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
    x = bounded_moving(lambda at: 0.5 * np.sum((a @ at - b) ** 2), found, held, start, np.full(a.shape[1], np.inf))
    return x, moving(length, np.linalg.norm(a @ x - b))


def _lsq_linear_value(a: Any, b: Any, low: Any, high: Any, method: Any, tol: Any) -> Any:
    found = optimize.lsq_linear(a, b, (low, high), method, tol)
    return found.x, 1.0 * found.active_mask, found


def _lsq_linear(A: Any, b: Any, bounds: Any = (-np.inf, np.inf), method: Any = "trf", tol: Any = 1e-10) -> Any:
    a, b = np.asarray(A) * 1.0, np.asarray(b) * 1.0
    start = np.zeros(a.shape[1])
    low, high = sides_of(bounds, start)
    found, held, search = solve(_lsq_linear_value, (), (), (start, start, "any"), a, b, low, high, method, tol)
    x = bounded_moving(lambda at: 0.5 * np.sum((a @ at - b) ** 2), found, held, low, high)
    return Result(x, a @ x - b, search)


DEFINITIONS: tuple[Definition, ...] = (
    Definition(optimize.least_squares, _least_squares, sequences=True, calls_back=True),
    Definition(optimize.leastsq, _leastsq, sequences=True, calls_back=True),
    Definition(optimize.curve_fit, _curve_fit, sequences=True, calls_back=True),
    Definition(optimize.nnls, _nnls, sequences=True),
    Definition(optimize.lsq_linear, _lsq_linear, sequences=True),
)
