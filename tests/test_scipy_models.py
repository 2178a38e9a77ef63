"""Promise: objects of statistics, integrals, solvers and interpolants of SciPy have the right derivative, or are refused.

The oracle is differences of SciPy itself.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import adxform

pytest.importorskip("scipy")
from scipy import integrate, interpolate, optimize, stats

from tests.scipy_judge import Model, differences, judge

# -- vectors and samples ------------------------------------------------------------------------------------------------------

X = np.array([[0.3, 1.2], [-0.4, 0.5], [1.0, 2.0]])
COV = np.array([[1.5, 0.3], [0.3, 0.9]])
OUTER = stats.norm(0.3, 2.0)
OUTER_VECTOR = stats.multivariate_normal(np.ones(2), COV)
DENSITY = stats.gaussian_kde(np.array([0.1, 0.5, 1.7, 2.0]), weights=[1.0, 2.0, 3.0, 1.0])
OUTER_ONE = stats.multivariate_normal(np.array([0.4]), np.array([[1.7]]))
DRAWN = np.array([1, 3, 2])
ALPHA = np.array([1.5, 2.0, 3.0])
POINT = np.array([0.2, 0.3, 0.5])
WEIGHTS = np.arange(1.0, 6.0)


def gamma_of(shape: Any) -> Any:
    """A frozen distribution, made by another function."""
    return stats.gamma(shape, scale=2.0)


VECTORS: dict[str, Model] = {
    "frozen": lambda p: np.sum(stats.norm(p[0], p[1]).logpdf(X)),
    "frozen_moments": lambda p: stats.norm(loc=p[0], scale=p[1]).mean() * stats.norm(loc=p[0], scale=p[1]).std(),
    "frozen_outside": lambda p: np.sum(OUTER.logpdf(X * p[0]) + OUTER.cdf(X * p[1])) + OUTER.mean(),
    "frozen_constants": lambda p: np.sum(stats.norm(0, 1).logpdf(X * p[0])),
    "frozen_helper": lambda p: np.sum(gamma_of(p[0]).logpdf(np.abs(X))),
    "frozen_discrete": lambda p: np.sum(stats.poisson(p[0]).logpmf([1, 2, 3])),
    "matrix": lambda p: np.sum(stats.multivariate_normal.logpdf(X * p[4], p[:2], cov=COV * p[2])),
    "lower_triangle": lambda p: stats.multivariate_normal.logpdf(X[0], p[:2], np.reshape(p[:4], (2, 2)) + 3.0 * np.eye(2)),
    "vector": lambda p: np.sum(stats.multivariate_normal.pdf(X * p[4], p[:2], p[2:4])),
    "scalar": lambda p: np.sum(stats.multivariate_normal.logpdf(X * p[4], p[:2], p[2])),
    "numbers": lambda p: np.sum(stats.multivariate_normal.logpdf(X[0] * p[4], p[1], p[2])),
    "no_mean": lambda p: np.sum(stats.multivariate_normal.logpdf(X * p[4], cov=COV * p[1])),
    "frozen_vector": lambda p: np.sum(stats.multivariate_normal(p[:2], COV * p[2]).logpdf(X * p[4])),
    "frozen_vector_outside": lambda p: np.sum(OUTER_VECTOR.logpdf(X * p[4])),
    "one component": lambda p: (
        stats.multivariate_normal.logpdf(X[0, :1] * p[0], p[1:2], np.reshape(p[2:3], (1, 1)))
        + stats.multivariate_normal.pdf(p[:1], p[1:2], p[2:3])
        + stats.multivariate_normal(p[3:4], np.reshape(p[2:3], (1, 1))).logpdf(p[:1])
        + OUTER_ONE.logpdf(p[:1] * p[1])
        + np.sum(stats.multivariate_normal.logpdf(X[:, :1] * p[0], p[1:2], np.reshape(p[2:3], (1, 1))))
        + np.sum(OUTER_ONE.logpdf(X[:, :1] * p[4]))
    ),
    "rows of given numbers": lambda p: np.sum(
        stats.multivariate_normal.logpdf(X, np.zeros(2), np.reshape(p[:4], (2, 2)) + 3.0 * np.eye(2))
        + stats.multivariate_normal.pdf(X, mean=np.zeros(2), cov=p[2:4])
        + stats.multivariate_normal.logpdf(X, cov=np.reshape(p[:4], (2, 2)) + 3.0 * np.eye(2), mean=p[:2])
        + stats.multivariate_normal.pdf(X[:, 0], 0.0, p[0])
        + stats.multivariate_normal.pdf(X[:, 0] * p[1])
        + stats.multivariate_normal.pdf(p[1])
        + stats.multivariate_t.pdf(X[:, 0] * p[1], p[2], p[3], p[4])
        + stats.multivariate_t.pdf(p[1], df=p[0])
    ),
    "heavy tails": lambda p: np.sum(stats.multivariate_t.logpdf(X * p[4], p[:2], COV * p[2], 3.0 + p[3])),
    "heavy tails of all forms": lambda p: (
        np.sum(stats.multivariate_t.pdf(X * p[4], p[:2], p[2:4], df=p[0]))
        + np.sum(stats.multivariate_t.logpdf(X * p[4], p[:2], p[2], df=4))
        + np.sum(stats.multivariate_t.logpdf(X * p[4], shape=np.reshape(p[:4], (2, 2)) + 3.0 * np.eye(2), df=p[1]))
        + stats.multivariate_t.logpdf(p[:1], p[1:2], p[2:3], p[3])
        + stats.multivariate_t(p[:2], shape=COV * p[2], df=p[3]).logpdf(X[0] * p[4])
    ),
    "counts": lambda p: (
        stats.multinomial.logpmf(DRAWN, 6, p[:3] / np.sum(p[:3]))
        + stats.multinomial.pmf(DRAWN, 6, p[1:4] / np.sum(p[1:4])) * p[4]
        + np.sum(stats.multinomial.logpmf(np.stack((DRAWN, DRAWN[::-1])), n=6, p=p[:3] / np.sum(p[:3])))
        + np.sum(stats.multinomial.mean(6, p[:3] / np.sum(p[:3])) * POINT)
        + stats.multinomial(6, p[:3] / np.sum(p[:3])).logpmf(DRAWN)
        + stats.multinomial.pmf(DRAWN, 7, p[1:4] / np.sum(p[1:4]))
    ),
    "dirichlet": lambda p: stats.dirichlet.logpdf(POINT, p[:3]) + stats.dirichlet.pdf(POINT, ALPHA * p[0]),
    "dirichlet_short": lambda p: stats.dirichlet.logpdf(POINT[:2] * p[3], p[:3]),
    "wishart": lambda p: stats.wishart.logpdf(COV * p[1], 4.0 + p[0], COV * p[2] + np.eye(2)),
    "zscore": lambda p: np.sum(stats.zscore(p) * WEIGHTS) + np.sum(stats.zscore(np.outer(p, p), axis=1, ddof=1) ** 3),
    "means": lambda p: stats.gmean(p) + stats.hmean(p) + stats.gmean(p, weights=WEIGHTS) + stats.sem(p),
    "shape": lambda p: stats.skew(p) + stats.kurtosis(p),
    "scores": lambda p: np.sum(stats.gzscore(p) * WEIGHTS) + np.sum(stats.zmap(WEIGHTS * p[0], p, ddof=1) ** 2),
    "power_means": lambda p: stats.pmean(p, 2.5) + stats.pmean(p, 0) + stats.pmean(p, p[0], weights=WEIGHTS),
    "spreads": lambda p: (
        stats.gstd(p) + stats.variation(p, ddof=1) + stats.iqr(p, rng=(20, 70)) + stats.median_abs_deviation(p**2, scale=0.5)
    ),
    "spreads_of_rows": lambda p: np.sum(
        stats.iqr(np.outer(p, WEIGHTS - 2.5), axis=1) * stats.median_abs_deviation(np.outer(p, WEIGHTS**2), axis=1)
    ),
    "moments": lambda p: stats.moment(p, 3) + stats.moment(p, order=2, center=p[1]) + stats.moment(p),
    "boxcox": lambda p: np.sum(stats.boxcox(p, 0.3) * WEIGHTS) + stats.boxcox_llf(p[0], p) + stats.boxcox_llf(0.0, p),
    "yeojohnson": lambda p: (
        np.sum(stats.yeojohnson(p - 0.75, p[1]) * WEIGHTS) + stats.yeojohnson_llf(p[2], p - 0.75) + stats.yeojohnson_llf(2.0, p)
    ),
    "ranks": lambda p: np.sum(stats.rankdata(p) * p),
    "entropy": lambda p: stats.entropy(p) + stats.entropy(p, WEIGHTS) + stats.entropy(p, base=2),
    "interval": lambda p: stats.norm(p[0], p[1]).interval(0.9)[1] + stats.norm.isf(0.2, p[2]),
    "density of a width": lambda p: np.sum(stats.gaussian_kde(p, p[0] ** 2)(X[0] * p[0]) + stats.gaussian_kde(p, 0.3)(X[0])),
    "density": lambda p: np.sum(stats.gaussian_kde(p)(X[0] * p[0]) + stats.gaussian_kde(p * p, "silverman")(X[0])),
    "densities": lambda p: np.sum(stats.gaussian_kde(np.stack((p, p**2 + np.cos(WEIGHTS))))(X.T * p[0])),
    "density_outside": lambda p: np.sum(DENSITY(X[0] * p[0])),
    "drawn": lambda p: p[1] * np.sum(stats.norm(0.0, 1.0).rvs(size=3, random_state=0)),
}


@pytest.mark.parametrize("name", VECTORS)
def test_objects_and_samples(name: str) -> None:
    judge(VECTORS[name], np.array([0.7, 1.1, 0.8, 0.6, 0.9]))


# -- functions of the program -------------------------------------------------------------------------------------------

PLACES = np.array([0.0, 0.3, 0.5, 1.1, 1.7, 2.0])
HEIGHTS = np.cos(PLACES) + 2.0
TIMES = np.linspace(0.0, 2.0, 5)
MATRIX = np.array([[2.0, 0.3], [0.1, 1.5]])


def cubic(x: Any, a: Any, b: Any) -> Any:
    return x**3 + a * x - b


def predators(t: Any, y: Any, a: Any, b: Any) -> Any:
    return [y[0] * (a - y[1]), y[1] * (y[0] - b)]


def bent(t: Any, a: Any) -> Any:
    return np.exp(-a * t**2)


FINE = {"rtol": 1e-9, "atol": 1e-11}

FUNCTIONS: dict[str, Model] = {
    "trapezoid": lambda p: (
        integrate.trapezoid(HEIGHTS * p[0], PLACES * p[1])
        + np.sum(integrate.cumulative_trapezoid(HEIGHTS ** p[0], PLACES * p[1], initial=0) ** 2)
        + np.sum(integrate.cumulative_trapezoid(np.outer(HEIGHTS ** p[0], HEIGHTS), dx=p[1], axis=0) ** 2)
    ),
    "simpson": lambda p: (
        integrate.simpson(HEIGHTS ** p[0], x=PLACES * p[1])
        + integrate.simpson(HEIGHTS[:5] ** p[0], x=PLACES[:5] * p[1])
        + np.sum(integrate.simpson(np.outer(HEIGHTS ** p[0], HEIGHTS), dx=p[1], axis=0))
    ),
    "cumulative_simpson": lambda p: (
        np.sum(integrate.cumulative_simpson(HEIGHTS ** p[0], x=PLACES * p[1], initial=0) ** 2)
        + np.sum(integrate.cumulative_simpson(HEIGHTS[:5] ** p[0], dx=p[1]) ** 2)
        + np.sum(integrate.cumulative_simpson(np.outer(HEIGHTS ** p[0], HEIGHTS), dx=p[1], axis=0) ** 2)
    ),
    "fixed_quad": lambda p: integrate.fixed_quad(lambda t, a: np.exp(-a * t * p[1]), p[0], p[1], args=(p[0],), n=4)[0],
    "quad_captured": lambda p: integrate.quad(lambda t: np.exp(-p[0] * t**2) * p[1], 0, 2)[0],
    "quad_limits": lambda p: integrate.quad(bent, p[0], p[1], args=(p[1],))[0],
    "quad_backwards": lambda p: integrate.quad(bent, p[1], p[0] - 1.0, args=(p[1],))[0],
    "quad_above": lambda p: integrate.quad(bent, p[0], np.inf, args=(p[1],))[0],
    "quad_below": lambda p: integrate.quad(bent, -np.inf, p[0], args=(p[1],))[0],
    "quad_line": lambda p: integrate.quad(lambda t: p[0] * bent(t, p[1]), -np.inf, np.inf)[0],
    "nquad": lambda p: (
        integrate.nquad(lambda x: np.exp(-p[0] * x), [(0.0, p[1])])[0]
        + integrate.nquad(lambda y, x, k: np.exp(-k * x * y), [lambda x, k: (0.0, k * x), (0.0, p[1])], args=(p[0],))[0]
    ),
    "romb": lambda p: (
        integrate.romb(np.exp(np.arange(9.0) * p[0] / 4.0), p[1])
        + np.sum(integrate.romb(np.outer(HEIGHTS[:5] ** p[0], HEIGHTS), axis=0) ** 2)
    ),
    "dblquad": lambda p: integrate.dblquad(lambda y, x, k: np.exp(-k * x * y), 0, p[1], 0.0, lambda x: p[0] * x, (p[0],))[0],
    "quad_points": lambda p: integrate.quad(lambda t: np.exp(-p[0] * abs(t - 0.5)) * p[1], 0, 2, points=[0.5])[0],
    "solve_ivp": lambda p: np.sum(integrate.solve_ivp(predators, (0, 2.0), p, args=(p[0], 1.0), **FINE).y[:, -1]),
    "solve_ivp_times": lambda p: np.sum(
        integrate.solve_ivp(predators, (0, 2.0), [1.0, p[1]], t_eval=TIMES, args=(p[0], 1.0), **FINE).y ** 2
    ),
    "solve_ivp_end": lambda p: integrate.solve_ivp(
        lambda t, y: -p[0] * y + np.sin(p[1] * t), [0, p[0]], [1.0], method="RK23", rtol=1e-7, atol=1e-9
    ).y[0, -1],
    "odeint": lambda p: np.sum(
        integrate.odeint(lambda y, t, a: predators(t, y, a, 1.0), p, TIMES, args=(p[0],), rtol=1e-11, atol=1e-11) ** 2
    ),
    "brentq": lambda p: p[1] * optimize.brentq(lambda x: x**3 + p[0] * x - p[1], 0.0, 3.0),
    "brentq_args": lambda p: optimize.brentq(cubic, 0, 3.0, args=(p[0], p[1])),
    "bisect": lambda p: optimize.bisect(cubic, 0.0, 3.0, args=(p[0], p[1]), xtol=1e-13),
    "newton": lambda p: optimize.newton(lambda x: x**3 + p[0] * x - p[1], 1.0, lambda x: 3 * x**2 + p[0]),
    "secant": lambda p: optimize.newton(cubic, 1.0, args=(p[0], p[1]), tol=1e-13),
    "root_scalar": lambda p: optimize.root_scalar(cubic, args=(p[0], p[1]), bracket=[0, 3.0]).root,
    "fixed_point": lambda p: optimize.fixed_point(lambda x: np.exp(-p[0] * x) * p[1], 0.5, xtol=1e-13),
    "fixed_points": lambda p: np.sum(optimize.fixed_point(lambda x: np.exp(-p * x) * p[1], np.full(2, 0.5), xtol=1e-13)),
    "fsolve": lambda p: (
        optimize.fsolve(lambda x: [x[0] ** 2 + p[0] * x[1] - 2.0, x[1] + x[0] * p[1] - 1.0], [1.0, 1.0], xtol=1e-13)
        @ np.array([1.0, 2.0])
    ),
    "root": lambda p: np.sum(
        optimize.root(lambda x, a: MATRIX @ x + np.tanh(x) * a - p, np.zeros(2), args=(p[0],), tol=1e-13).x ** 2
    ),
    "rosen": lambda p: optimize.rosen(p) + np.sum(optimize.rosen_der(p)) + np.sum(optimize.rosen_hess(p)),
}


TRIPLE: dict[str, Model] = {
    "tplquad": lambda p: integrate.tplquad(
        lambda z, y, x, k: k * x * y * z, 0, p[1], 0.0, lambda x: x, 0.0, lambda x, y: x + y, args=(p[0],)
    )[0],
    "nquad": lambda p: integrate.nquad(
        lambda z, y, x, k: k * x * y * z, [lambda y, x, k: (0.0, x + y), lambda x, k: [0.0, x], (0.0, p[1])], (p[0],)
    )[0],
}


@pytest.mark.parametrize("name", TRIPLE)
def test_integrals_of_three_variables(name: str) -> None:
    """Of ``k * x * y * z`` over ``z < x + y``, ``y < x < b``: ``17 / 144 * k * b**6``."""
    k, b = 0.7, 1.1
    if name == "tplquad":
        value, moved = adxform.jvp(TRIPLE[name], (np.array([k, b]),), (np.array([1.0, 2.0]),))
        assert value == TRIPLE[name](np.array([k, b]))
        np.testing.assert_allclose(value, 17.0 / 144.0 * k * b**6, rtol=1e-12)
        np.testing.assert_allclose(moved, 17.0 / 144.0 * (b**6 + 2.0 * 6.0 * k * b**5), rtol=1e-10)
        return
    slopes = adxform.grad(TRIPLE[name])(np.array([k, b]))
    np.testing.assert_allclose(slopes, [17.0 / 144.0 * b**6, 17.0 / 24.0 * k * b**5], rtol=1e-10)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_of_the_program(name: str) -> None:
    judge(FUNCTIONS[name], np.array([1.3, 2.1]))


def reported(p: Any) -> Any:
    """What SciPy says of its searches is asked for, as users do who raise where one has failed."""
    path = integrate.solve_ivp(predators, (0, 2.0), p, args=(p[0], 1.0), **FINE)
    if not path.success:
        raise RuntimeError(path.message)
    found = optimize.root(lambda x: MATRIX @ x + np.tanh(x) * p[0] - p, np.zeros(2), tol=1e-13)
    assert found.success, found["message"]
    one = optimize.root_scalar(cubic, args=(p[0], p[1]), bracket=[0, 3.0])
    if not one.converged:
        raise ValueError(one.flag)
    print(f"{path.status}: {path.message} {path.nfev}; {found.nfev}; {one.iterations} {one.function_calls} {one.flag}")
    return path.y[0, -1] * found.x[0] + one.root


def test_what_a_solver_says_of_its_search(capsys: pytest.CaptureFixture[str]) -> None:
    p = np.array([1.3, 2.1])
    reported(p)
    said = capsys.readouterr().out
    adxform.grad(reported)(p)
    assert capsys.readouterr().out == said
    judge(reported, p)


def stationary(x: Any, p: Any) -> Any:
    return 2.0 * MATRIX.T @ (MATRIX @ x - p) + 4.0 * p[0] * x**3


def test_minima_move_as_roots_of_the_slope() -> None:
    weights = np.array([1.0, 2.0])

    def least(p: Any) -> Any:
        def cost(x: Any) -> Any:
            return np.sum((MATRIX @ x - p) ** 2) + np.sum(x**4) * p[0]

        return optimize.minimize(cost, np.zeros(2), tol=1e-12).x @ weights

    def root(p: Any) -> Any:
        return optimize.fsolve(lambda x: stationary(x, p), np.zeros(2), xtol=1e-12) @ weights

    p, v = np.array([1.3, 2.1]), np.array([1.0, -0.5])
    np.testing.assert_allclose(adxform.grad(least)(p), differences(root, p), rtol=1e-5)
    np.testing.assert_allclose(adxform.hvp(least)(p, v), adxform.hvp(root)(p, v), rtol=1e-4)
    assert adxform.value_and_grad(least)(p)[0] == least(p)


def test_the_minimum_of_a_function_of_a_number() -> None:
    def least(p: Any) -> Any:
        return optimize.minimize_scalar(lambda x: x**4 + (x - p[0]) ** 2 * p[1], tol=1e-12).x

    def root(p: Any) -> Any:
        return optimize.brentq(lambda x: 4.0 * x**3 + 2.0 * (x - p[0]) * p[1], 0.0, 3.0)

    p = np.array([1.3, 2.1])
    assert adxform.value_and_grad(least)(p)[0] == least(p)
    np.testing.assert_allclose(adxform.grad(least)(p), adxform.grad(root)(p), rtol=1e-6)


def test_least_squares() -> None:
    def fitted(p: Any) -> Any:
        def misfit(x: Any) -> Any:
            return np.array([np.exp(x[0]) - p[0], x[1] * x[0] - p[1], x[1] - 1.0])

        return np.sum(optimize.least_squares(misfit, np.array([0.1, 0.1]), xtol=1e-15, ftol=1e-15, gtol=1e-15).x)

    def settled(p: Any) -> Any:
        """The same by the equations of the minimum, which a solver of equations solves to the last digits."""

        def slopes(x: Any) -> Any:
            above, beside = np.exp(x[0]) - p[0], x[1] * x[0] - p[1]
            return [np.exp(x[0]) * above + x[1] * beside, x[0] * beside + x[1] - 1.0]

        return np.sum(optimize.fsolve(slopes, np.array([0.5, 1.5]), xtol=1e-12))

    p = np.array([1.3, 2.1])
    assert adxform.value_and_grad(fitted)(p)[0] == fitted(p)
    expected = [(settled(p + step) - settled(p - step)) / 2e-4 for step in 1e-4 * np.eye(2)]
    gradient, v = adxform.grad(fitted)(p), np.array([0.3, -0.7])
    np.testing.assert_allclose(gradient, expected, rtol=1e-4)
    np.testing.assert_allclose(adxform.jvp(fitted, (p,), (v,))[1], gradient @ v, rtol=1e-9)


BOX = optimize.Bounds([-1.0, -np.inf], [1.5, 1.0])
WITHIN: dict[str, Model] = {
    "pairs": lambda p: optimize.minimize(cost, np.zeros(2), (p,), jac=cost_slope, bounds=[(0.0, 1.0), (None, 9.0)], **TIGHT).x,
    "both": lambda p: optimize.minimize(cost, np.zeros(2), (p,), jac=cost_slope, bounds=[(0.0, 1.0), (-1.0, 0.25)], **TIGHT).x,
    "moving": lambda p: (
        optimize.minimize(cost, np.zeros(2), (p,), jac=cost_slope, bounds=[(-9.0, p[1] / 4.0), (None, None)], **TIGHT).x
    ),
    "none_held": lambda p: (
        optimize.minimize(cost, np.zeros(2), (p,), jac=cost_slope, bounds=[(-9.0, 9.0), (None, None)], **TIGHT).x
    ),
    "fixed": lambda p: optimize.minimize(cost, np.zeros(2), (p,), jac=cost_slope, bounds=[(0.5, 0.5), (-9.0, 9.0)], **TIGHT).x,
    "object": lambda p: optimize.minimize(cost, np.zeros(2), (p,), jac=cost_slope, bounds=BOX, method="L-BFGS-B", **TIGHT).x,
    "value": lambda p: (
        np.ones(2) * optimize.minimize(cost, np.zeros(2), (p,), jac=cost_slope, bounds=[(0.0, 1.0), (None, 9.0)], **TIGHT).fun
    ),
    "least_squares": lambda p: (
        optimize.least_squares(
            lambda x: np.array([x[0] - p[0] * x[1], x[1] - p[1], x[0] * x[1] - 1.0]),
            [0.5, 0.5],
            bounds=([0.0, 0.0], [9.0, 0.75]),
            **FINEST,
        ).x
    ),
}
TIGHT: dict[str, Any] = {"options": {"ftol": 1e-16, "gtol": 1e-11}}
FINEST: dict[str, Any] = {"ftol": 1e-15, "xtol": 1e-15, "gtol": 1e-15, "method": "dogbox"}


def cost(x: Any, p: Any) -> Any:
    return (x[0] - p[0]) ** 2 + 0.5 * x[0] * x[1] * p[0] + np.exp(x[1] - p[1]) - x[1] + 0.1 * x[1] ** 4


def cost_slope(x: Any, p: Any) -> Any:
    first = 2.0 * (x[0] - p[0]) + 0.5 * x[1] * p[0]
    return np.array([first, 0.5 * x[0] * p[0] + np.exp(x[1] - p[1]) - 1.0 + 0.4 * x[1] ** 3])


@pytest.mark.parametrize("name", WITHIN)
def test_minima_within_bounds(name: str) -> None:
    model, p = WITHIN[name], np.array([1.9, 1.2])

    def total(p: Any) -> Any:
        return np.sum(model(p) * np.array([1.0, 2.0]))

    slopes, v = adxform.grad(total), np.array([0.6, -0.8])
    g = slopes(p)
    np.testing.assert_allclose(g, differences(total, p, 1e-3), rtol=1e-4, atol=1e-5)
    value, moved = adxform.jvp(total, (p,), (v,))
    assert value == total(p)
    np.testing.assert_allclose(moved, g @ v, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(
        adxform.hvp(total)(p, v), (slopes(p + 1e-4 * v) - slopes(p - 1e-4 * v)) / 2e-4, rtol=1e-4, atol=1e-5
    )


def test_a_minimum_that_just_touches_its_bound_is_refused() -> None:
    def touching(p: Any) -> Any:
        return optimize.minimize(lambda x: np.sum((x - p) ** 2), np.zeros(2), bounds=[(None, 1.3), (None, None)]).x[0]

    with pytest.raises(adxform.AdxError, match="no slope that holds it"):
        adxform.grad(touching)(np.array([1.3, 0.2]))


def test_assignments_are_constant() -> None:
    def cost(p: Any) -> Any:
        costs = np.outer(p, p[::-1]) + np.eye(3)
        rows, columns = optimize.linear_sum_assignment(costs)
        return np.sum(costs[rows, columns])

    judge(cost, np.array([1.0, 2.3, 3.7]))


# -- interpolants -------------------------------------------------------------------------------------------------------

WAVE = np.cos(3.0 * PLACES) + 2.0
RIPPLE = np.cos(np.arange(6.0))
ASKED = np.array([0.1, 0.47, 1.2])
GRID = (np.linspace(0.0, 2.0, 4), np.linspace(0.0, 3.0, 5))
TABLE = np.cos(np.add.outer(*GRID))
SPLINE = interpolate.CubicSpline(PLACES, WAVE)
SPLINES = interpolate.CubicSpline(PLACES, np.stack((WAVE, PLACES**2), 1))
MONOTONE = interpolate.PchipInterpolator(PLACES, WAVE)
AKIMA = interpolate.Akima1DInterpolator(PLACES, WAVE)
BASIS = interpolate.make_interp_spline(PLACES, WAVE)
ON_GRID = interpolate.RegularGridInterpolator(GRID, TABLE)
KNOTS = np.array([0.0, 0, 0, 0, 1, 2, 2, 2, 2])
TCK = interpolate.splrep(PLACES, WAVE, s=0)
LINES = interpolate.interp1d(PLACES, WAVE)
LINES_ON = interpolate.interp1d(PLACES, WAVE, fill_value="extrapolate")
FILLED = interpolate.interp1d(PLACES, WAVE, bounds_error=False, fill_value=(1.0, 3.0))


def heights(p: Any) -> Any:
    return WAVE * p[0] + RIPPLE * p[1]


INTERPOLANTS: dict[str, Model] = {
    "slopes_made": lambda p: np.sum(
        interpolate.CubicSpline(PLACES * p[0], heights(p)).derivative()(ASKED * p[1]) * np.arange(3.0)
    ),
    "bends_made": lambda p: np.sum(
        interpolate.PchipInterpolator(PLACES, heights(p)).derivative(2)(ASKED * p[1]) * np.arange(3.0)
    ),
    "integral_made": lambda p: interpolate.CubicSpline(PLACES * p[0], heights(p), bc_type="natural").integrate(
        0.2 * p[1], 1.4 * p[0]
    ),
    "integral_made_beyond": lambda p: interpolate.make_interp_spline(PLACES, heights(p)).integrate(0.4 * p[0], 0.9 * p[1]),
    "slopes_outside": lambda p: np.sum(SPLINE.derivative()(ASKED * p[1]) * np.arange(3.0)) + MONOTONE.derivative(2)(p[0]),
    "slopes_of_several": lambda p: np.sum(SPLINES.derivative()(ASKED * p[1]) * np.arange(2.0)),
    "integral_outside": lambda p: (
        SPLINE.integrate(p[0], 1.1 * p[1]) * AKIMA.integrate(0.1, p[0]) + np.sum(SPLINES.integrate(0.1, p[1]))
    ),
    "basis_slopes": lambda p: np.sum(BASIS.derivative()(ASKED * p[1]) * np.arange(3.0)) + BASIS.derivative(2)(p[0]),
    "basis_integral": lambda p: BASIS.integrate(0.3 * p[0], p[1]),
    "lines_outside": lambda p: np.sum(LINES(ASKED * p[1]) * np.arange(3.0)) + LINES_ON(3.0 * p[0]) + FILLED(9.0 * p[0]),
    "spline": lambda p: interpolate.CubicSpline(PLACES * p[1], heights(p))(ASKED * p[0]) @ ASKED,
    "natural": lambda p: np.sum(interpolate.CubicSpline(PLACES, heights(p), bc_type="natural")(ASKED * p[0]) ** 2),
    "clamped": lambda p: np.sum(interpolate.CubicSpline(PLACES, heights(p), bc_type="clamped")(ASKED * p[0], 1) ** 2),
    "at_a_number": lambda p: interpolate.CubicSpline(PLACES, heights(p))(p[1] / 2.0) * 1.0,
    "make_interp_spline": lambda p: np.sum(interpolate.make_interp_spline(PLACES, heights(p))(ASKED * p[0]) ** 2),
    "pchip": lambda p: np.sum(interpolate.PchipInterpolator(PLACES * p[1], heights(p))(ASKED * p[0]) ** 2),
    "akima": lambda p: np.sum(interpolate.Akima1DInterpolator(PLACES * p[1], heights(p))(ASKED * p[0]) ** 2),
    "interp1d": lambda p: np.sum(interpolate.interp1d(PLACES * p[1], heights(p))(ASKED * p[0]) ** 2),
    "extrapolated": lambda p: np.sum(interpolate.interp1d(PLACES, heights(p), fill_value="extrapolate")(ASKED * 4.0 * p[0]) ** 2),
    "filled": lambda p: np.sum(
        interpolate.interp1d(PLACES, heights(p), bounds_error=False, fill_value=0.0)(ASKED * 4.0 * p[0]) ** 2
    ),
    "interp1d_cubic": lambda p: np.sum(interpolate.interp1d(PLACES, heights(p), kind="cubic")(ASKED * p[0]) ** 2),
    "basis": lambda p: np.sum(interpolate.BSpline(KNOTS, np.array([1.0, 2, 1, 4, 2]) * p[0] + p[1], 3)(ASKED * p[0]) ** 2),
    "splev": lambda p: (
        np.sum(interpolate.splev(ASKED * p[0], TCK) ** 2) + np.sum(interpolate.splev(ASKED, (TCK[0], TCK[1] * p[1], 3)) ** 2)
    ),
    "grid": lambda p: np.sum(
        interpolate.RegularGridInterpolator(GRID, TABLE * p[0])(np.stack((ASKED * p[0], ASKED * p[1]), 1)) ** 2
    ),
    "grid_one_place": lambda p: interpolate.RegularGridInterpolator(GRID, TABLE * p[0])(np.array([p[0] / 2, p[1] / 2]))[0],
    "outer_spline": lambda p: SPLINE(ASKED * p[0]) @ ASKED + np.sum(SPLINE(ASKED * p[1], 1)) + SPLINE(p[0]),
    "outer_splines": lambda p: np.sum(SPLINES(ASKED * p[0])),
    "outer_others": lambda p: (
        np.sum(MONOTONE(ASKED * p[0]) ** 2) + np.sum(AKIMA(ASKED * p[1]) ** 2) + np.sum(BASIS(ASKED * p[0]) ** 2)
    ),
    "outer_grid": lambda p: np.sum(ON_GRID(np.stack((ASKED * p[0], ASKED * p[1]), 1)) ** 2),
}
PERIODIC = interpolate.make_interp_spline(np.arange(5.0), np.array([1.0, 2, 0, 3, 1]), bc_type="periodic")
FALLING = interpolate.RegularGridInterpolator((GRID[0][::-1], GRID[1]), TABLE, bounds_error=False, fill_value=7.0)
PARTS = np.stack((TABLE, TABLE**2, TABLE[::-1]), -1)
OF_PARTS = interpolate.RegularGridInterpolator(GRID, PARTS, bounds_error=False, fill_value=None)
BEYOND = np.array([[0.3, 0.4], [1.1, 9.0], [-1.0, 0.5]])
SHUFFLED = np.array([3, 0, 5, 1, 4, 2])
INTERPOLANTS |= {
    "fill_that_moves": lambda p: np.sum(
        interpolate.interp1d(PLACES, WAVE * p[0], bounds_error=False, fill_value=p[1])(ASKED * 4.0 - 1.0) ** 2
    ),
    "ends_held": lambda p: np.sum(
        interpolate.interp1d(PLACES, heights(p), bounds_error=False, fill_value=(heights(p)[0], p[0]))(ASKED * 4.0 - 1.0) ** 2
    ),
    "knots_in_any_order": lambda p: (
        np.sum(interpolate.interp1d((PLACES * p[1])[SHUFFLED], heights(p)[SHUFFLED])(ASKED * p[0]) ** 2)
        + np.sum(interpolate.interp1d(PLACES[SHUFFLED], heights(p)[SHUFFLED], kind="cubic")(ASKED) ** 2)
    ),
    "grid_that_falls": lambda p: np.sum(
        interpolate.RegularGridInterpolator((GRID[0], GRID[1][::-1]), TABLE * p[0])(np.stack((ASKED * p[0], ASKED * p[1]), 1))
        ** 2
    ),
    "grid_of_parts": lambda p: np.sum(
        interpolate.RegularGridInterpolator(GRID, PARTS * p[0])(np.stack((ASKED * p[0], ASKED * p[1]), 1)) @ ASKED
    ),
    "outer_grid_with_a_border": lambda p: np.sum(FALLING(BEYOND * p) ** 2),
    "outer_grid_of_parts": lambda p: np.sum(OF_PARTS(BEYOND * p) @ ASKED),
}


@pytest.mark.parametrize("name", INTERPOLANTS)
def test_interpolants(name: str) -> None:
    judge(INTERPOLANTS[name], np.array([1.3, 1.2]))


# -- whole programs -----------------------------------------------------------------------------------------------------


def test_a_likelihood_is_fitted() -> None:
    data = stats.norm.rvs(1.5, 0.7, size=200, random_state=3)

    def loss(p: Any) -> Any:
        return -np.sum(stats.norm(p[0], np.exp(p[1])).logpdf(data))

    found = optimize.minimize(loss, np.zeros(2), jac=adxform.grad(loss))
    np.testing.assert_allclose([found.x[0], np.exp(found.x[1])], [np.mean(data), np.std(data)], rtol=1e-5)


def test_a_path_is_fitted() -> None:
    def path(p: Any) -> Any:
        return integrate.solve_ivp(predators, (0, 2.0), [1.0, 0.5], t_eval=TIMES, args=(p[0], p[1]), rtol=1e-8, atol=1e-10).y

    seen = path(np.array([1.3, 0.8]))

    def loss(p: Any) -> Any:
        return np.sum((path(p) - seen) ** 2)

    found = optimize.minimize(loss, np.ones(2), jac=adxform.grad(loss), tol=1e-10)
    np.testing.assert_allclose(found.x, [1.3, 0.8], rtol=1e-4)


def test_a_root_in_a_loop_is_followed() -> None:
    def loss(p: Any) -> Any:
        total = 0.0
        for k in range(3):
            total += optimize.brentq(lambda x: x**3 + p[0] * x - p[1] - k, 0.0, 3.0) ** 2
        return total

    judge(loss, np.array([1.3, 2.1]))


def test_another_root_when_a_captured_number_is_another() -> None:
    def root(a: Any) -> Any:
        return optimize.brentq(lambda x: x * x - a, 0.0, 10.0)

    for a in (2.0, 9.0):
        np.testing.assert_allclose(adxform.grad(root)(a), 0.5 / np.sqrt(a), rtol=1e-9)
    third = adxform.grad(adxform.grad(adxform.grad(root)))
    np.testing.assert_allclose(third(4.0), 3.0 / 8.0 * 4.0**-2.5, rtol=1e-6)
    with pytest.raises(adxform.AdxError, match="beyond the third"):
        adxform.grad(third)(4.0)


# -- arrays that change after an object was made of them ---------------------------------------------------------------


def covariance_changes(p: Any) -> Any:
    c = np.diag(p)
    made = stats.multivariate_normal(np.zeros(2), c)
    c[0, 0] = 7.0 * p[1]
    return made.logpdf(np.array([0.3, -0.7])) + np.sum(c)


def scale_changes(p: Any) -> Any:
    c = np.diag(p)
    made = stats.wishart(4, scale=c)
    c[0, 0] = 7.0 * p[1]
    return made.logpdf(np.eye(2))


def samples_change(p: Any) -> Any:
    samples = RIPPLE * p[0]
    made = stats.gaussian_kde(samples)
    samples[0] = p[1]
    return made(0.2)[0]


def table_changes(p: Any) -> Any:
    table = TABLE * p[0]
    made = interpolate.RegularGridInterpolator(GRID, table)
    table[1, 2] = p[1]
    return made(np.array([0.8, 1.3]))[0]


def coefficients_change(p: Any) -> Any:
    c = np.array([1.0, 2, 1, 4, 2]) * p[0]
    made = interpolate.BSpline(KNOTS, c, 3)
    c[1] = p[1]
    return made(0.5) * 1.0


def heights_change(p: Any) -> Any:
    y = heights(p)
    made = interpolate.interp1d(PLACES, y)
    y[:] = 0.0
    return made(0.5 * p[0]) * 1.0


@pytest.mark.parametrize(
    "model", [covariance_changes, scale_changes, samples_change, table_changes, coefficients_change, heights_change]
)
def test_an_array_that_changes_after_an_object_was_made_of_it(model: Model) -> None:
    judge(model, np.array([0.7, 1.2]))


def test_a_covariance_from_outside_that_changes_or_is_singular() -> None:
    c = np.eye(2)
    made = stats.multivariate_normal(np.zeros(2), c)
    flat = stats.multivariate_normal(np.zeros(2), np.ones((2, 2)), allow_singular=True)
    for _ in range(2):
        judge(lambda p: made.logpdf(p) + made.pdf(2.0 * p), np.array([0.7, 1.2]))
        c[0, 0] = 9.0
    judge(lambda p: flat.logpdf(p[0] * np.ones(2)) * p[1], np.array([0.7, 1.2]))


# -- integrands that are steep ------------------------------------------------------------------------------------------

STEEP: dict[str, tuple[Model, list[float], list[float]]] = {
    "power": (lambda p: integrate.quad(lambda t: t ** -p[0], 0, 1)[0], [0.4], [1.0 / 0.36]),
    "logarithm": (
        lambda p: integrate.quad(lambda t: p[0] * np.log(t), 0, p[1])[0],
        [2.0, 0.5],
        [0.5 * np.log(0.5) - 0.5, 2 * np.log(0.5)],
    ),
    "other_end": (lambda p: integrate.quad(lambda t: p[0] / np.sqrt(1 - t), 0, 1)[0], [0.5], [2.0]),
    "turned": (lambda p: integrate.quad(lambda t: p[0] * np.log(t), 1, 0)[0], [0.5], [1.0]),
    "half_line": (
        lambda p: integrate.quad(lambda t: np.exp(-p[0] * t) / np.sqrt(t), 0, np.inf)[0],
        [0.5],
        [-0.5 * np.sqrt(np.pi) * 0.5**-1.5],
    ),
    "circle": (lambda p: integrate.quad(lambda t: np.sqrt(p[0] ** 2 - t**2), -p[0], p[0])[0], [1.5], [1.5 * np.pi]),
    "raises_there": (lambda p: integrate.quad(lambda t: p[0] * math.log(t), 0, 1)[0], [0.5], [-1.0]),
    "density": (lambda p: integrate.quad(lambda t: stats.beta.pdf(t, 0.5, 0.5) * p[0] * t, 0, 1)[0], [0.7], [0.5]),
}


@pytest.mark.parametrize("name", STEEP)
def test_integrands_that_are_steep_at_the_limits(name: str) -> None:
    model, p, expected = STEEP[name]
    at, v = np.array(p), np.ones(len(p))
    value, g = adxform.value_and_grad(model)(at)
    assert value == model(at)
    np.testing.assert_allclose(g, expected, rtol=1e-6)
    np.testing.assert_allclose(adxform.jvp(model, (at,), (v,))[1], np.sum(expected), rtol=1e-6)


def test_second_order_of_integrands_that_are_steep_at_limits_that_move() -> None:
    with pytest.raises(adxform.AdxError, match="of the first order only"):
        adxform.hvp(STEEP["circle"][0])(np.array([1.5]), np.ones(1))
    model, p, _ = STEEP["power"]
    np.testing.assert_allclose(adxform.hvp(model)(np.array(p), np.ones(1)), 2.0 / 0.6**3, rtol=1e-6)


def test_times_of_odeint_that_come_twice() -> None:
    judge(
        lambda p: np.sum(integrate.odeint(lambda y, t: -p[0] * y, p[1], np.array([0.0, 0, 1, 1, 2])) ** 2), np.array([0.4, 1.1])
    )


# -- what is refused ----------------------------------------------------------------------------------------------------


def appends(p: Any) -> Any:
    seen = []

    def integrand(t: Any) -> Any:
        seen.append(t)
        return t * p[0]

    return integrate.quad(integrand, 0, 1)[0]


REFUSED: dict[str, tuple[Model, str]] = {
    "mean_that_is_none": (lambda p: stats.cauchy.mean(p[0]), "no formula"),
    "draws": (lambda p: np.sum(stats.gamma.rvs(p[0], size=3)), "drawn with parameters which move"),
    "frozen_draws": (lambda p: np.sum(stats.t(p[0], 1.0).rvs(size=3)), "drawn with parameters which move"),
    "weight": (lambda p: integrate.quad(lambda t: p[0] * t, 0, 1, wopts=(1, None))[0], "`wopts`"),
    "complex": (lambda p: integrate.solve_ivp(lambda t, y: 1j * p[0] * y, (0, 1), [1j]).y[0, -1].imag, "real y0"),
    "ends": (lambda p: interpolate.CubicSpline(PLACES, p[0] * HEIGHTS, bc_type="parabolic")(0.3), "the ends"),
    "kind": (lambda p: interpolate.interp1d(PLACES, p[0] * HEIGHTS, kind="zero")(0.3), "for steps and for the kinds"),
    "state": (appends, "is changed in it"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_formula_is_refused(name: str) -> None:
    model, message = REFUSED[name]
    with pytest.raises(adxform.AdxError, match=message):
        adxform.grad(model)(np.array([1.3, 2.1]))


@pytest.mark.parametrize(
    ("model", "error", "message"),
    [
        (lambda p: optimize.root(lambda x: x**2 + p[0], np.array([1.0])).x[0], RuntimeError, "no solution"),
        (lambda p: integrate.quad(lambda t: abs(t - p[0]) ** -0.5, 0, 4)[0], RuntimeError, "singular place within"),
        (lambda p: PERIODIC.derivative()(p[0]), adxform.AdxError, "one period"),
        (lambda p: interpolate.CubicSpline(np.arange(3.0), p[0] * np.ones(3))(0.5), adxform.AdxError, "four or more knots"),
    ],
)
def test_what_a_run_finds_raises(model: Model, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        adxform.grad(model)(np.array([1.3, 2.1]))


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (lambda p: PERIODIC.derivative()(p[0]), "one period"),
        (lambda p: interpolate.CubicSpline(np.arange(3.0), p[0] * np.ones(3))(0.5), "four or more knots"),
        (lambda p: interpolate.PchipInterpolator(np.arange(2.0), p)(0.5), "three or more knots"),
        (lambda p: interpolate.CubicSpline(np.arange(4.0), np.append(p, p)).derivative().derivative()(0.5), "`derivative`"),
        (lambda p: interpolate.CubicSpline(np.arange(4.0), np.append(p, p)).antiderivative()(0.5), "`antiderivative`"),
    ],
)
def test_what_is_refused_of_interpolants_has_a_place(model: Model, message: str) -> None:
    with pytest.raises(adxform.AdxError, match=message) as caught:
        adxform.grad(model)(np.array([1.3, 2.1]))
    assert caught.value.span.file == __file__
