"""Promise: the corner that `linprog` finds moves with the costs, the conditions and the bounds, to every order.

The oracle is differences of SciPy's own corners, which are exact to rounding.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import adxform

pytest.importorskip("scipy")
from scipy import optimize
from scipy.spatial.distance import cdist

from tests.scipy_judge import Model, judge

P = np.array([1.0, 2.0, 0.4, 5.0])


def under_all(p: Any) -> Any:
    rows = np.array([[1.0, 1.0], [1.0, 3.0]]) * p[1]
    found = optimize.linprog(-p[:2], A_ub=rows, b_ub=[4.0 * p[3], 6.0 + p[2]])
    return found.fun + found.x[0] ** 2 + np.sum(found.slack)


def by_bounds(p: Any) -> Any:
    bounds = [(p[2], 3), (None, 0.7 * p[0]), (-1, 1)]
    found = optimize.linprog([p[0], -p[1], 0.3], A_ub=[[1, 1, 1]], b_ub=p[3], bounds=bounds, method="highs-ds")
    return found["fun"] + found.x[1] * found.x[2] + found.x[0]


def by_a_table(p: Any) -> Any:
    found = optimize.linprog(p, A_eq=np.ones((1, 4)), b_eq=[p[3]], bounds=np.array([[0, 2.0]] * 4))
    return found.fun * found.x[3] + found.con[0]


def held_fixed(p: Any) -> Any:
    """A number whose two bounds are one."""
    found = optimize.linprog([1.0, p[0]], A_ub=[[-1.0, -p[1]]], b_ub=[-1.0], bounds=[(p[2], p[2]), (None, None)])
    return found.x[1] + found.fun


def least_absolute(p: Any) -> Any:
    """A line with the least sum of distances, where conditions hold that do not keep the corner."""
    t = np.linspace(0.0, 1.0, 5)
    y = p[0] + p[1] * t + p[2] * np.sin(9.0 * t)
    basis = np.column_stack([np.ones(5), t])
    rows = np.block([[basis, -np.eye(5)], [-basis, -np.eye(5)]])
    found = optimize.linprog(np.r_[0, 0, np.ones(5)], A_ub=rows, b_ub=np.r_[y, -y], bounds=[(None, None)] * 2 + [(0, None)] * 5)
    return found.x[0] ** 2 + found.x[1]


def transport(p: Any) -> Any:
    """The cost of carrying masses between places: one of the conditions follows from the others."""
    places = np.array([[p[0], 0.3], [0.9, p[1]], [0.5, p[2]]])
    costs = cdist(places, np.array([[0.0, 0.1], [1.0, 0.4], [0.61, 0.6]]))
    rows = np.vstack([np.kron(np.eye(3), np.ones(3)), np.kron(np.ones(3), np.eye(3))])
    masses = np.concatenate([np.array([0.2, 0.3, 0.5]) * p[3], np.array([0.4, 0.35, 0.25]) * p[3]])
    return optimize.linprog(costs.ravel(), A_eq=rows, b_eq=masses, bounds=(0, None)).fun


MODELS: dict[str, Model] = {
    "under all": under_all,
    "by bounds": by_bounds,
    "by a table": by_a_table,
    "held fixed": held_fixed,
    "least absolute": least_absolute,
    "transport": transport,
}


@pytest.mark.parametrize("name", MODELS)
def test_corners(name: str) -> None:
    judge(MODELS[name], P)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (lambda p: optimize.linprog(p, A_eq=np.ones((1, 4)), b_eq=[-p[1]]).fun, "no corner"),
        (lambda p: optimize.linprog(p * 0.0 + 1.0, A_eq=np.ones((1, 4)), b_eq=[p[0]]).fun, "one of several corners"),
        (lambda p: optimize.linprog(p, A_eq=np.ones((1, 4)), b_eq=[p[0]]).eqlin.marginals[0], "`eqlin`"),
        (lambda p: optimize.linprog(p, A_eq=np.ones((1, 4)), b_eq=[p[0]], integrality=1).fun, "linprog"),
    ],
)
def test_what_is_refused(model: Model, message: str) -> None:
    with pytest.raises(adxform.AdxError, match=message):
        adxform.grad(model)(P)
