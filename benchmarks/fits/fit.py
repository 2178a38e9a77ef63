"""What a fit is, how it is found with adxform's derivatives, and how with differences."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import optimize

import adxform

Function = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Fit:
    """A program that a user of SciPy writes: `function` of the parameters, to be solved from `start` on.

    `by` is the solver: `minimize` takes a cost, `least_squares` residuals, `root` an equation. `answer`: the solution, where a
    closed form or the data tell it; else it is found by differences.
    """

    function: Function
    start: Any
    by: str = "minimize"
    answer: Callable[[], Any] | None = None

    @property
    def name(self) -> str:
        """The name of the program."""
        return self.function.__name__


@dataclass(frozen=True, slots=True)
class Found:
    """What a solver returned: the parameters, and how often it asked for the function and for derivatives."""

    x: Any
    functions: int
    derivatives: int


def solved(fit: Fit) -> Found:
    """The solution with adxform's derivatives: gradients and Hessian products, or Jacobians."""
    match fit.by:
        case "minimize":
            options = {"gtol": 1e-8}
            gradient, product = adxform.grad(fit.function), adxform.hvp(fit.function)
            found = optimize.minimize(fit.function, fit.start, method="trust-ncg", jac=gradient, hessp=product, options=options)
            return Found(found.x, found.nfev, found.njev + found.nhev)
        case "least_squares":
            found = optimize.least_squares(fit.function, fit.start, jac=adxform.jacobian(fit.function), **TIGHT)
            return Found(found.x, found.nfev, found.njev)
        case _:
            found = optimize.root(fit.function, fit.start, jac=adxform.jacobian(fit.function), tol=1e-12)
            return Found(found.x, found.nfev, found.njev)


TIGHT = {"xtol": 1e-13, "ftol": 1e-13, "gtol": 1e-12}


def by_differences(fit: Fit) -> Found:
    """The solution without derivatives, as SciPy finds it."""
    match fit.by:
        case "minimize":
            found = optimize.minimize(fit.function, fit.start, jac="3-point", options={"gtol": 1e-7})
        case "least_squares":
            found = optimize.least_squares(fit.function, fit.start, jac="3-point", **TIGHT)
        case _:
            found = optimize.root(fit.function, fit.start, tol=1e-12)
    return Found(found.x, found.nfev, 0)


def slopes_differ(fit: Fit, p: Any) -> float:
    """How far adxform's derivatives at `p` are from extrapolated differences, by the largest entry: the worst order of two."""
    if fit.by == "minimize":
        gradient = adxform.grad(fit.function)
        v = np.cos(np.arange(float(len(p))))
        first = _apart(gradient(p), slopes_by_differences(fit, p))
        along = _difference(gradient, p, v)
        return max(first, _apart(adxform.hvp(fit.function)(p, v), along))
    return _apart(adxform.jacobian(fit.function)(p), slopes_by_differences(fit, p))


def slopes_by_differences(fit: Fit, p: Any) -> Any:
    """The gradient or the Jacobian at `p` by extrapolated differences."""
    found = _differences(fit.function, p)
    return found if fit.by == "minimize" else found.T


def _apart(got: Any, wanted: Any) -> float:
    return float(np.max(np.abs(got - wanted)) / max(1.0, np.max(np.abs(wanted))))


def _differences(f: Function, p: Any) -> Any:
    return np.array([_difference(f, p, unit) for unit in np.eye(len(p))])


def _difference(f: Function, p: Any, v: Any, step: float = 1e-3) -> Any:
    wide, fine = ((f(p + h * v) - f(p - h * v)) / (2.0 * h) for h in (step, step / 2.0))
    return (4.0 * fine - wide) / 3.0
