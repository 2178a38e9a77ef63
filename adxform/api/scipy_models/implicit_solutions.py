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
from scipy.linalg import lapack

from adxform.api import grad, jvp
from adxform.api.scipy_models.orders import to_third_order
from adxform.api.scipy_models.solving import Search, moving, solve, still
from adxform.api.second_order import jacobian
from adxform.primitives.definitions.definition import unsupported
from adxform.runtime.run_time_checks import without_derivative

GIVEN = "a function"
"""What stands for an option of a solver that is a function of the program."""
_STEPS = 3
_NEAR = 1e-3
_TIED = 1e-6
_TINY, _EPSILON = np.finfo(np.float64).tiny, np.finfo(np.float64).eps


class Result(Search):
    """What a solver found, with those attributes of SciPy's result that a program may ask for."""

    def __init__(self, x: Any, fun: Any, found: Any) -> None:
        self.x, self.fun, self.found = x, fun, found

    def __getitem__(self, name: Any) -> Any:
        return getattr(self, name)


class Report:
    """What MINPACK tells of a search besides where it ended: the residuals there move, and counts do not."""

    def __init__(self, residuals: Any, found: Any) -> None:
        self.found, self.fvec = found, moving(solve(_told, (), (), (residuals,), found), residuals)

    def __getitem__(self, name: Any) -> Any:
        if name == "fvec":
            return self.fvec
        if name != "nfev" and name != "njev":
            unsupported("of what MINPACK tells of a search fvec, nfev and njev are followed")
        return self.found[name]


def _told(found: Any) -> Any:
    return np.array(found["fvec"])


class Sides:
    """The bounds of numbers, where the function makes the object of SciPy's that holds them."""

    def __init__(self, lb: Any = -np.inf, ub: Any = np.inf, keep_feasible: Any = False) -> None:
        self.lb, self.ub, self.keep_feasible = np.atleast_1d(lb), np.atleast_1d(ub), keep_feasible


def as_tuple(args: Any) -> Any:
    """`args` of SciPy's, where one that is no tuple stands alone."""
    return args if isinstance(args, tuple) else (args,)


def option(given: Any) -> Any:
    """An option of a solver that may be a function, or words that say how the solver is to do without."""
    return GIVEN if callable(given) else given


def chosen(function: Any, given: Any) -> Any:
    """What SciPy is given for an option: the `function`, where `option` has said that it is one."""
    return function if given == GIVEN else given


def slope_of(fprime: Any, args: Any) -> Any:
    """`fprime` as a function of the place alone; zeros where there is none."""

    def slope(x: Any) -> Any:
        return np.zeros_like(x) if fprime is None else np.asarray(fprime(x, *as_tuple(args)))

    return slope


def slope_beside(fun: Any, jac: Any, args: Any) -> Any:
    """The slope that `jac` gives, or `fun` beside its value where `jac` is true, as a function of the place alone."""

    def slope(x: Any) -> Any:
        if jac is True:
            return np.asarray(fun(x, *as_tuple(args))[1])
        return np.asarray(jac(x, *as_tuple(args))) if callable(jac) else np.zeros_like(x)

    return slope


def or_values(fprime: Any, residual: Any, args: Any) -> Any:
    """`fprime` as a function of the place alone; `residual` where there is none, so that there is a function."""

    def slope(x: Any) -> Any:
        return residual(x) if fprime is None else fprime(x, *as_tuple(args))

    return slope


def checked(x: Any, step: Any) -> Any:
    """`x`, from which a step of Newton's leads no further than the rounding and the tolerance of a solver.

    Raises:
        UnsupportedOperationError: it is no solution, or none that moves with what the equations hold.
    """
    if not np.all(np.abs(step) <= _NEAR * (1.0 + np.abs(x))):
        raise without_derivative(
            "the solver has found no solution that has a derivative: it did not converge, or the slope there is singular"
        )
    return x


def determined(slopes: Any) -> Any:
    """`slopes`, if they say in one way how a solution moves: a matrix that only rounding keeps from being singular does not.

    Rows and columns are scaled first: a solution of large and of small numbers is determined.

    Raises:
        UnsupportedOperationError: they do not.
    """
    if slopes.size and np.all(np.isfinite(slopes)):
        scaled = slopes / np.maximum(np.max(np.abs(slopes), axis=1, keepdims=True), _TINY)
        scaled = scaled / np.maximum(np.max(np.abs(scaled), axis=0), _TINY)
        factors, _, exactly = lapack.dgetrf(scaled)
        share, _ = lapack.dgecon(factors, np.max(np.sum(np.abs(scaled), axis=0)))
        if exactly or share < len(slopes) * _EPSILON:
            raise without_derivative("the solver has found a solution that has no derivative: the slope there is singular")
    return slopes


def number_moving(residual: Any, x: Any) -> Any:
    """The root `x` of a function of one number, as it moves."""
    slope = still(jvp(residual, (x,), (1.0,))[1])
    y = solve(checked, (), (), (x,), x, residual(x) / slope)
    for _ in range(_STEPS):
        y = y - residual(y) / slope
    return moving(x, to_third_order(y))


def vector_moving(residual: Any, x: Any) -> Any:
    """The root `x` of a function of a vector, or of an array with more axes, as it moves."""
    if np.ndim(x) > 1:
        shape = x.shape
        return np.reshape(vector_moving(lambda at: np.ravel(residual(np.reshape(at, shape))), np.ravel(x)), shape)
    found = jacobian(residual)(x)
    slopes = solve(determined, (), (), (found,), found)
    y = solve(checked, (), (), (x,), x, np.linalg.solve(slopes, residual(x)))
    for _ in range(_STEPS):
        y = y - np.linalg.solve(slopes, residual(y))
    return moving(x, to_third_order(y))


def start_of(x0: Any) -> Any:
    """Where a search begins, as a vector of floats."""
    return np.atleast_1d(np.asarray(x0) * 1.0)


def limits(bounds: Any, n: Any) -> Any:
    """The lower and the upper bounds of `n` numbers, from pairs or an object of SciPy's; infinite ones where there are none."""
    if bounds is None:
        return np.full(n, -np.inf), np.full(n, np.inf)
    if isinstance(bounds, optimize.Bounds | Sides):
        return np.zeros(n) + bounds.lb, np.zeros(n) + bounds.ub
    low = np.array([-np.inf if pair[0] is None else 1.0 * pair[0] for pair in bounds])
    high = np.array([np.inf if pair[1] is None else 1.0 * pair[1] for pair in bounds])
    return low, high


def sides_of(bounds: Any, start: Any) -> Any:
    """The lower and the upper bounds of as many numbers as there are in `start`, from a pair of those or an object of SciPy's."""
    if bounds is None or isinstance(bounds, optimize.Bounds | Sides):
        return limits(bounds, start.shape[0])
    return np.zeros_like(start) + bounds[0], np.zeros_like(start) + bounds[1]


def _held(x: Any, held: Any, low: Any, high: Any, slope: Any, bend: Any) -> Any:
    """`held`: which numbers of a minimum `x` lie at their lower (-1) or upper (1) bound, where the cost rises inwards.

    Raises:
        UnsupportedOperationError: at a bound, or next to one, the cost falls inwards or has no slope, so that the minimum may
            leave it or not.
    """
    near = _TIED * (1.0 + np.abs(x))
    free = (held == 0) & (x - low > near) & (high - x > near)
    if not np.all(free | (low == high) | (-held * slope > near * np.abs(bend))):
        raise without_derivative(
            "at a bound of the minimum the cost has no slope that holds it, so that it has no derivative: leave the bound out"
        )
    return held


def bounded_moving(cost: Any, x: Any, held: Any, low: Any, high: Any) -> Any:
    """The minimum `x` as it moves: those of its numbers at a bound as that does, the others by the slope of the cost."""

    def slope(at: Any) -> Any:
        return grad(cost)(at)

    sides = solve(_held, (), (), (x,), x, held, low, high, slope(x), np.diagonal(jacobian(slope)(x)))

    def residual(at: Any) -> Any:
        return np.where(sides < 0, at - low, np.where(sides > 0, at - high, slope(at)))

    return vector_moving(residual, x)
