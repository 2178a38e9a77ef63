"""Promise: the options that solvers of SciPy are given, and what else they return, leave derivatives right.

The oracle is differences of SciPy itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import adxform

pytest.importorskip("scipy")
from scipy import optimize

from tests.scipy_judge import Model, judge
from tests.tables import cell

TIMES = np.linspace(0.0, 3.0, 9)
SEEN = np.exp(-TIMES) + 0.1 * np.cos(9.0 * TIMES) + 2.0 * (TIMES == 1.5)
SMALL = {"options": {"xtol": 1e-12}}
FINEST = {"xtol": 1e-14, "ftol": 1e-14, "gtol": 1e-14}


def cubic(x: Any, p: Any) -> Any:
    return x**3 + p[0] * x - p[1]


def slope(x: Any, p: Any) -> Any:
    return 3.0 * x**2 + p[0]


def system(x: Any, p: Any) -> Any:
    return np.array([x[0] ** 3 + p[0] * x[1] - 1.0, x[1] + np.sin(x[0]) * p[1]])


def system_slopes(x: Any, p: Any) -> Any:
    return np.array([[3.0 * x[0] ** 2, p[0]], [np.cos(x[0]) * p[1], 1.0]])


def bowl(x: Any, p: Any) -> Any:
    return np.sum(np.cosh(x - p)) + x @ x


def bowl_slope(x: Any, p: Any) -> Any:
    return np.sinh(x - p) + 2.0 * x


def bowl_hessian(x: Any, p: Any) -> Any:
    return np.diag(np.cosh(x - p) + 2.0)


def bowl_product(x: Any, v: Any, p: Any) -> Any:
    return bowl_hessian(x, p) @ v


def misfit(q: Any, p: Any) -> Any:
    return q[0] * np.exp(-q[1] * TIMES * p[1]) - SEEN * p[0]


def misfit_slopes(q: Any, p: Any) -> Any:
    decay = np.exp(-q[1] * TIMES * p[1])
    return np.stack((decay, -q[0] * TIMES * p[1] * decay), 1)


def newton_told(p: Any) -> Any:
    x, found = optimize.newton(cubic, 1.0, fprime=slope, args=(p,), fprime2=lambda x, p: 6.0 * x, full_output=True)
    return x * found.root if found.converged else 0.0 * x


def bracketed(p: Any) -> Any:
    x, found = optimize.brentq(cubic, 0.0, 3.0, args=(p,), full_output=True)
    return x + found.root**2 * (found.flag == "converged")


def solved_and_told(p: Any) -> Any:
    x, how, status, message = optimize.fsolve(system, [0.5, -0.5], args=(p,), fprime=system_slopes, full_output=True, xtol=1e-13)
    if status != 1:
        raise RuntimeError(message)
    return x @ x + 0.0 * how["nfev"]


def with_covariance(p: Any) -> Any:
    found = optimize.least_squares(misfit, [1.0, 1.0], jac=misfit_slopes, args=(p,), **FINEST)
    spread = np.linalg.inv(found.jac.T @ found.jac) * (2.0 * found.cost / (len(TIMES) - 2))
    return spread[0, 1] + spread[1, 1] ** 2 + found["cost"]


def fitted_the_old_way(p: Any) -> Any:
    x, status = optimize.leastsq(misfit, [1.0, 1.0], args=(p,), ftol=1e-14, xtol=1e-14)
    assert status in (1, 2, 3, 4)
    again, spread, _, _, _ = optimize.leastsq(misfit, x, args=(p,), Dfun=misfit_slopes, full_output=True, ftol=1e-14, xtol=1e-14)
    return x[1] + again[0] ** 2 + spread[0, 1]


def misfits_told(p: Any) -> Any:
    x, _, how, _, _ = optimize.leastsq(misfit, [1.0, 1.0], (p,), misfit_slopes, True, ftol=1e-14, xtol=1e-14)
    return np.sum(how["fvec"] ** 3) + x[0] + 0.0 * how["nfev"]


def changed_since(p: Any) -> Any:
    seen = SEEN * p[0]
    decay = np.exp(-TIMES * p[1])
    found = optimize.least_squares(lambda q: decay * q - seen, [1.0], lambda q: decay[:, None], **FINEST)
    seen[0] = decay[1] = 3.0
    return found.cost + np.sum(found.jac**3) + found.x[0]


def with_loss(p: Any, loss: Any) -> Any:
    found = optimize.least_squares(misfit, [1.0, 1.0], misfit_slopes, args=(p,), loss=loss, f_scale=0.3 * p[0], **FINEST)
    return found.x @ np.array([1.0, 2.0]) + found.cost


def value_and_slope(x: Any, p: Any) -> Any:
    return bowl(x, p), bowl_slope(x, p)


OPTIONS: dict[str, Model] = {
    "newton": newton_told,
    "brentq": bracketed,
    "toms748": lambda p: optimize.toms748(cubic, 0.0, 3.0, args=(p,)) + optimize.toms748(cubic, 0, 3, (p,), full_output=True)[0],
    "root_scalar": lambda p: optimize.root_scalar(cubic, args=(p,), x0=1.0, fprime=slope, method="newton").root,
    "halley": lambda p: (
        optimize.root_scalar(cubic, args=(p,), x0=1.0, fprime=slope, fprime2=lambda x, p: 6.0 * x, method="halley").root
    ),
    "fsolve": solved_and_told,
    "root": lambda p: optimize.root(system, [0.5, -0.5], args=(p,), jac=system_slopes, tol=1e-13).x @ np.array([1.0, 2.0]),
    "root_of_both": lambda p: np.sum(
        optimize.root(lambda x: (system(x, p), system_slopes(x, p)), [0.5, -0.5], jac=True, tol=1e-13).x ** 2
    ),
    "minimize_both": lambda p: optimize.minimize(value_and_slope, np.zeros(2), args=(p,), jac=True, tol=1e-12).x[0],
    "hessian": lambda p: (
        optimize.minimize(bowl, np.zeros(2), (p,), "trust-exact", bowl_slope, bowl_hessian, tol=1e-13).x @ np.array([1.0, 2.0])
    ),
    "product": lambda p: optimize.minimize(bowl, np.zeros(2), (p,), "Newton-CG", bowl_slope, hessp=bowl_product, **SMALL).fun,
    "least_squares": with_covariance,
    "leastsq": fitted_the_old_way,
    "misfits": misfits_told,
    "changed_since": changed_since,
    **{loss: lambda p, loss=loss: with_loss(p, loss) for loss in ("soft_l1", "cauchy", "arctan")},
}


@pytest.mark.parametrize("name", OPTIONS)
def test_options_of_solvers(name: str) -> None:
    judge(OPTIONS[name], np.array([0.9, 1.2]), step=1e-2, rtol=1e-5)


def test_a_loss_with_a_corner() -> None:
    judge(lambda p: with_loss(p, "huber"), np.array([0.9, 1.2]), step=1e-3, rtol=1e-4)


TWO = np.array([1.0, 2.0])
QUIET = {"disp": 0}


def told_at_the_end(p: Any) -> Any:
    x, cost, told = optimize.fmin_l_bfgs_b(value_and_slope, np.zeros(2), args=(p,), factr=0.1, pgtol=1e-12)
    return x @ TWO + cost + 0.0 * told["warnflag"]


OLDER: dict[str, Model] = {
    "fmin": lambda p: optimize.fmin(bowl, np.zeros(2), (p,), 1e-11, 1e-15, **QUIET) @ TWO,
    "fmin_powell": lambda p: optimize.fmin_powell(bowl, [0.1, 0.2], args=(p,), xtol=1e-11, ftol=1e-15, disp=0) @ TWO,
    "fmin_bfgs": lambda p: (
        optimize.fmin_bfgs(bowl, np.zeros(2), bowl_slope, (p,), gtol=1e-11, **QUIET) @ TWO
        + optimize.fmin_bfgs(bowl, np.zeros(2), args=(p,), disp=0)[0] * 0.0
    ),
    "fmin_cg": lambda p: optimize.fmin_cg(bowl, np.zeros(2), fprime=bowl_slope, args=(p,), gtol=1e-11, disp=0) @ TWO,
    "fmin_l_bfgs_b": told_at_the_end,
    "fmin_l_bfgs_b by slopes": lambda p: (
        optimize.fmin_l_bfgs_b(bowl, np.zeros(2), bowl_slope, (p,), factr=0.1, pgtol=1e-12)[0] @ TWO
    ),
    "fmin_l_bfgs_b within": lambda p: (
        optimize.fmin_l_bfgs_b(bowl, np.full(2, 0.1), bowl_slope, (p,), 0, [(0.0, 0.2), (None, 9.0)], factr=0.1, pgtol=1e-12)[0]
        @ TWO
    ),
    "fminbound": lambda p: optimize.fminbound(lambda x, p: np.cosh(x - p[0]) + p[1] * x**2, -1.0, 2.0, (p,), 1e-12, disp=0),
    "brent": lambda p: optimize.brent(lambda x, p: np.cosh(x - p[0]) + p[1] * x**2, (p,), (-1.0, 2.0), tol=1e-12),
    "golden": lambda p: optimize.golden(lambda x: np.cosh(x - p[0]) + p[1] * x**2, tol=1e-12),
}


@pytest.mark.parametrize("name", OLDER)
def test_older_minimizers(name: str) -> None:
    """The places of minima are found to half of the digits, so that differences take long steps."""
    judge(OLDER[name], np.array([0.9, 1.2]), step=1e-1 if name in ("fminbound", "brent", "golden") else 5e-2, rtol=3e-4)


def test_the_slope_at_the_end_of_a_search_is_refused() -> None:
    with pytest.raises(adxform.AdxError, match="zero but for rounding"):
        adxform.grad(lambda p: optimize.fmin_l_bfgs_b(bowl, np.zeros(2), bowl_slope, (p,))[2]["grad"][0])(TWO)


BOUNDED: dict[str, Model] = {
    "both": lambda p: optimize.minimize(
        bowl, np.full(2, 0.1), (p,), jac=bowl_slope, bounds=optimize.Bounds([0.0, 0.0], [0.2, 9.0]), **TIGHT
    ),
    "moving": lambda p: optimize.minimize(bowl, p, (p,), jac=bowl_slope, bounds=optimize.Bounds(p[0] / 2.0, np.inf), **TIGHT),
    "kept": lambda p: optimize.least_squares(
        misfit, [0.5, 0.5], misfit_slopes, optimize.Bounds([0.0, 0.0], [9.0, p[0]]), args=(p,), **FINEST
    ),
}
TIGHT: dict[str, Any] = {"method": "L-BFGS-B", "options": {"ftol": 1e-16, "gtol": 1e-11}}


@pytest.mark.parametrize("name", BOUNDED)
def test_bounds_that_the_function_makes(name: str) -> None:
    judge(lambda p: BOUNDED[name](p).x @ np.array([1.0, 2.0]), np.array([0.9, 1.2]), step=1e-2, rtol=1e-4)


KINDS: dict[str, Model] = {
    **{
        name: lambda p, name=name: optimize.root_scalar(lambda x: x**2 - p, bracket=(0, 5), method=name).root
        for name in ("brentq", "toms748", None)
    },
    "secant": lambda p: optimize.root_scalar(lambda x: x**2 - p, x0=1.0, x1=2.0, method="secant").root,
    "fixed_point": lambda p: optimize.fixed_point(lambda x: np.cos(p * x), 0.5),
    "fixed_point_by_steps": lambda p: optimize.fixed_point(lambda x: np.cos(p * x), 0.5, method="iteration"),
    "bounds": lambda p: optimize.Bounds(p, 2.0 * p).ub,
}


@pytest.mark.parametrize("name", KINDS)
def test_solutions_are_of_their_own_kind(name: Any) -> None:
    verdict = cell.judge(cell.Cell(str(name), KINDS[name], (0.7,), bits=False))
    assert verdict.kind == "right", verdict.reason


def test_what_is_not_followed_of_options() -> None:
    def robust(p: Any) -> Any:
        return np.sum(optimize.least_squares(misfit, [1.0, 1.0], args=(p,), loss="cauchy").jac)

    def of_its_own(p: Any) -> Any:
        return optimize.least_squares(misfit, [1.0, 1.0], args=(p,), loss=lambda z: np.stack((z, 0.0 * z + 1.0, 0.0 * z))).x[0]

    def in_one(p: Any) -> Any:
        return optimize.root_scalar(lambda x: (cubic(x, p), slope(x, p)), x0=1.0, fprime=True, method="newton").root

    def factors(p: Any) -> Any:
        return np.sum(optimize.fsolve(system, [0.5, -0.5], args=(p,), full_output=True)[1]["r"])

    def factors_of_a_fit(p: Any) -> Any:
        return np.sum(optimize.leastsq(misfit, [1.0, 1.0], args=(p,), full_output=True)[2]["fjac"])

    for model, message in (
        (factors, "what MINPACK tells"),
        (factors_of_a_fit, "what MINPACK tells"),
        (robust, "with a loss"),
        (of_its_own, "losses that SciPy names"),
        (in_one, "f returns the value alone"),
    ):
        with pytest.raises(adxform.AdxError, match=message) as caught:
            adxform.grad(model)(np.array([0.9, 1.2]))
        assert caught.value.span.file == __file__
