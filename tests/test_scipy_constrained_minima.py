"""Promise: minima of SciPy's under conditions and bounds move as they do while the same conditions hold, or are refused.

The oracle is differences of SciPy's own minima.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import AdxError

pytest.importorskip("scipy")
from scipy import optimize

from tests.scipy_judge import Model, judge

POINT = np.array([1.3, 0.9, 0.6])
TIGHT: dict[str, Any] = {"method": "SLSQP", "options": {"ftol": 1e-15, "maxiter": 500}}
WEIGHTS = np.array([1.0, 2.5, -0.7])
START = np.array([0.4, 0.5, 0.3])


def cost(x: Any, p: Any) -> Any:
    return np.sum(np.cosh(x - p)) + 0.3 * x[0] * x[1]


def cost_slope(x: Any, p: Any) -> Any:
    return np.sinh(x - p) + 0.3 * np.array([x[1], x[0], 0.0])


def both(x: Any, p: Any) -> Any:
    return cost(x, p), cost_slope(x, p)


def within_a_ball(p: Any) -> Any:
    """A condition that holds, with arguments and slopes of its own."""
    ball = {"type": "ineq", "fun": lambda x, r: r - x @ x, "jac": lambda x, r: -2.0 * x, "args": (0.8 * p[1],)}
    found = optimize.minimize(cost, START, (p,), jac=cost_slope, constraints=ball, **TIGHT)
    return found.x @ WEIGHTS + found.fun * p[0]


def on_a_plane(p: Any) -> Any:
    plane = {"type": "eq", "fun": lambda x: np.sum(x) - p[1]}
    return optimize.minimize(cost, START, args=(p,), constraints=plane, **TIGHT).x @ WEIGHTS


def on_a_line(p: Any) -> Any:
    """Two conditions of one function."""
    line = {"type": "eq", "fun": lambda x: np.array([x[0] + x[1] - p[1], x[1] * x[2] - 0.1 * p[0]])}
    return optimize.minimize(both, START, (p,), jac=True, constraints=[line], **TIGHT).x @ WEIGHTS


def some_hold(p: Any) -> Any:
    """One that holds, one that does not, and one that always does."""
    conditions = [
        {"type": "ineq", "fun": lambda x: 0.9 * p[2] - x[0]},
        {"type": "ineq", "fun": lambda x: 9.0 - x @ x},
        {"type": "eq", "fun": lambda x: x[1] - x[2] ** 2 - 0.2 * p[0]},
    ]
    return optimize.minimize(cost, START, (p,), jac=cost_slope, constraints=conditions, **TIGHT).x @ WEIGHTS


def with_bounds(p: Any) -> Any:
    """Bounds of which one holds, beside a condition."""
    plane = ({"type": "eq", "fun": lambda x: np.sum(x) - 1.7 * p[1]},)
    bounds = [(0.0, 0.5 * p[2]), (None, None), (0.0, 5.0)]
    return optimize.minimize(cost, START, (p,), jac=cost_slope, bounds=bounds, constraints=plane, **TIGHT).x @ WEIGHTS


def by_another_method(p: Any) -> Any:
    plane = {"type": "eq", "fun": lambda x: np.sum(x) - p[1], "jac": lambda x: np.ones(3)}
    options = {"gtol": 1e-12, "xtol": 1e-14}
    found = optimize.minimize(cost, START, (p,), "trust-constr", cost_slope, constraints=plane, options=options)
    return found.x @ WEIGHTS


def between_two_planes(p: Any) -> Any:
    """Linear conditions of which one side holds, one both, one none, and that move with the matrix and the sides."""
    rows = np.array([[1.0, 1.0, 1.0], [1.0, -1.0, 0.0], [0.0, 0.0, 1.0]]) * np.array([1.0, p[0], 1.0])
    planes = optimize.LinearConstraint(rows, [-5.0, -0.1 * p[1], -9.0], [p[2], -0.1 * p[1], 9.0])
    return optimize.minimize(cost, START, (p,), jac=cost_slope, constraints=[planes], **TIGHT).x @ WEIGHTS


def beside_others(p: Any) -> Any:
    """Conditions of every kind."""
    conditions = (
        optimize.LinearConstraint([1.0, 0.0, 0.0], ub=0.9 * p[2]),
        {"type": "ineq", "fun": lambda x: 9.0 - x @ x},
        optimize.NonlinearConstraint(lambda x: [x[1] - x[2] ** 2, x[0]], [0.2 * p[0], -3.0], [0.2 * p[0], 3.0]),
    )
    return optimize.minimize(cost, START, (p,), jac=cost_slope, constraints=conditions, **TIGHT).x @ WEIGHTS


def outside_of_a_ball(p: Any) -> Any:
    ball = optimize.NonlinearConstraint(lambda x: x @ x, 3.5 * p[1], np.inf, jac=lambda x: 2.0 * x, keep_feasible=False)
    return optimize.minimize(cost, START, (p,), jac=cost_slope, constraints=ball, **TIGHT).x @ WEIGHTS


MADE_OUTSIDE = optimize.LinearConstraint(np.ones((1, 3)), 0.9, 0.9)
CURVED_OUTSIDE = optimize.NonlinearConstraint(lambda x: x[0] * x[1], -np.inf, 0.1, jac=lambda x: [x[1], x[0], 0.0])


def made_outside(p: Any) -> Any:
    conditions = [MADE_OUTSIDE, CURVED_OUTSIDE]
    return optimize.minimize(cost, START, (p,), jac=cost_slope, constraints=conditions, **TIGHT).x @ WEIGHTS


def within_a_ball_by_bends(p: Any) -> Any:
    """All slopes and bends are given to SciPy's interior method."""
    ball = optimize.NonlinearConstraint(
        lambda x: x @ x, -np.inf, 0.8 * p[1], jac=lambda x: 2.0 * x, hess=lambda x, v: 2.0 * v[0] * np.eye(3)
    )
    hess = lambda x, p: np.diag(np.cosh(x - p)) + 0.3 * np.array([[0.0, 1, 0], [1, 0, 0], [0, 0, 0]])
    options = {"gtol": 1e-12, "xtol": 1e-14}
    found = optimize.minimize(cost, START, (p,), "trust-constr", cost_slope, hess, constraints=ball, options=options)
    return found.x @ WEIGHTS + found.fun * p[0]


def on_a_fixed_place(p: Any) -> Any:
    """A number whose two bounds are one, beside a condition."""
    plane = optimize.LinearConstraint(np.ones(3), p[1], p[1])
    bounds = optimize.Bounds([-9.0, 0.3 * p[0], -9.0], [9.0, 0.3 * p[0], 9.0])
    return optimize.minimize(cost, START, (p,), jac=cost_slope, bounds=bounds, constraints=plane, **TIGHT).x @ WEIGHTS


MODELS: dict[str, Model] = {
    "on a plane": on_a_plane,
    "on a line": on_a_line,
    "within a ball": within_a_ball,
    "some hold": some_hold,
    "with bounds": with_bounds,
    "between two planes": between_two_planes,
    "beside others": beside_others,
    "outside of a ball": outside_of_a_ball,
    "made outside": made_outside,
    "on a fixed place": on_a_fixed_place,
    "far from all": lambda p: (
        optimize.minimize(cost, START, (p,), constraints={"type": "ineq", "fun": lambda x: 9.0 - x @ x}, **TIGHT).x @ WEIGHTS
    ),
    "no conditions": lambda p: optimize.minimize(cost, START, (p,), jac=cost_slope, constraints=(), **TIGHT).x @ WEIGHTS,
}


@pytest.mark.filterwarnings("ignore:Equality and inequality constraints")
@pytest.mark.parametrize("name", MODELS)
def test_minima_under_conditions(name: str) -> None:
    judge(MODELS[name], POINT, step=2e-2, rtol=1e-4)


@pytest.mark.filterwarnings("ignore:delta_grad")
def test_another_method() -> None:
    np.testing.assert_allclose(adxform.grad(by_another_method)(POINT), adxform.grad(on_a_plane)(POINT), rtol=1e-6)


@pytest.mark.filterwarnings("ignore:delta_grad")
def test_the_interior_method_with_bends() -> None:
    value, slopes = adxform.value_and_grad(within_a_ball_by_bends)(POINT)
    assert value == within_a_ball_by_bends(POINT)
    np.testing.assert_allclose(slopes, adxform.grad(within_a_ball)(POINT), rtol=1e-4)


def test_a_portfolio() -> None:
    """The least variance of shares that sum to one, of which none is negative, against its closed form where one is zero."""
    spread = np.array([[1.0, 1.2, 0.1], [1.2, 2.0, 0.2], [0.1, 0.2, 1.5]])

    def shares(spread: Any) -> Any:
        conditions = {"type": "eq", "fun": lambda w: np.sum(w) - 1.0}
        found = optimize.minimize(
            lambda w: w @ spread @ w, np.ones(3) / 3.0, bounds=[(0.0, 1.0)] * 3, constraints=conditions, **TIGHT
        )
        return found.x

    def closed(spread: Any) -> Any:
        kept = np.linalg.solve(0.5 * (spread + spread.T)[np.ix_([0, 2], [0, 2])], np.ones(2))
        return kept / np.sum(kept)

    np.testing.assert_allclose(shares(spread)[[0, 2]], closed(spread), rtol=1e-6)
    assert shares(spread)[1] < 1e-9
    turn = np.cos(np.arange(9.0)).reshape(3, 3)
    moved = adxform.jvp(shares, (spread,), (turn,))[1]
    np.testing.assert_allclose(moved[[0, 2]], adxform.jvp(closed, (spread,), (turn,))[1], rtol=1e-5)
    np.testing.assert_allclose(moved[1], 0.0, atol=1e-9)


def test_a_condition_that_just_holds_is_refused() -> None:
    def touching(p: Any) -> Any:
        plane = {"type": "ineq", "fun": lambda x: x[0] - p[0]}
        return optimize.minimize(lambda x: np.sum((x - p) ** 2), START, constraints=plane, **TIGHT).x[1]

    with pytest.raises(adxform.AdxError, match="just holds"):
        adxform.grad(touching)(POINT)


def test_what_did_not_converge_is_refused() -> None:
    def early(p: Any) -> Any:
        plane = {"type": "eq", "fun": lambda x: np.sum(x) - p[1]}
        return optimize.minimize(cost, START, (p,), constraints=plane, method="SLSQP", options={"maxiter": 1}).x[1]

    with pytest.raises(adxform.AdxError, match="no solution that has a derivative"):
        adxform.grad(early)(POINT)


REFUSED: dict[str, Model] = {
    "eq and ineq": lambda p: optimize.minimize(cost, START, (p,), constraints={"type": "lt", "fun": lambda x: x[0] - p[0]}).x[0],
}


@pytest.mark.parametrize("message", REFUSED)
def test_conditions_of_other_kinds_are_refused(message: str) -> None:
    with pytest.raises(AdxError, match=message):
        adxform.grad(REFUSED[message])(POINT)
