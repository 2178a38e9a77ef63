"""Least sums under linear conditions: the corner moves as the conditions do that keep it there.

Source: Fiacco, *Introduction to Sensitivity and Stability Analysis in Nonlinear Programming* (1983), chapter 3.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import optimize

from adxform.api.scipy_models.solving import Search, moving, solve
from adxform.primitives.definitions.definition import Definition
from adxform.runtime.run_time_checks import without_derivative

_TIED = 1e-9


class Corner(Search):
    """What `linprog` found: where, the sum there, and how far the conditions are from holding."""

    def __init__(self, x: Any, fun: Any, slack: Any, con: Any, found: Any) -> None:
        self.x, self.fun, self.slack, self.con, self.found = x, fun, slack, con, found

    def __getitem__(self, name: Any) -> Any:
        return getattr(self, name)


def _box(bounds: Any, n: Any) -> Any:
    """The lower and the upper bounds of `n` numbers; those of SciPy's where none are given."""
    if bounds is None:
        return np.zeros(n), np.full(n, np.inf)
    if isinstance(bounds, np.ndarray):
        sides = np.zeros((n, 2)) + bounds
        return sides[:, 0], sides[:, 1]
    pairs = [bounds] if len(bounds) == 2 and not isinstance(bounds[0], tuple | list | np.ndarray) else bounds
    low = np.array([-np.inf if pair[0] is None else 1.0 * pair[0] for pair in pairs])
    high = np.array([np.inf if pair[1] is None else 1.0 * pair[1] for pair in pairs])
    return np.zeros(n) + low, np.zeros(n) + high


def _corner_value(c: Any, a: Any, b: Any, equal: Any, exact: Any, low: Any, high: Any, method: Any, options: Any) -> Any:
    """The corner, the sum and the slacks there, and which conditions keep it: above, at lower and at upper bounds.

    Where more conditions hold than keep it, the corner has a kink, and moves on one side of it.

    Raises:
        UnsupportedOperationError: there is no corner, or others would do as well.
    """
    found = optimize.linprog(c, a, b, equal, exact, np.column_stack((low, high)), method, options=options)
    if found.status != 0:
        raise without_derivative(f"linprog has found no corner, so that there is none which has a derivative: {found.message}")
    least = _TIED * (1.0 + np.max(np.abs(c), initial=0.0))
    above, upper = found.ineqlin.marginals < -least, found.upper.marginals < -least
    lower = ((found.lower.marginals > least) & ~upper) | (low == high)
    rows = np.vstack((equal, a[above], np.eye(len(c))[lower | upper]))
    if np.linalg.matrix_rank(rows) < len(c):
        raise without_derivative("linprog has found one of several corners that are as good, which has no derivative")
    return found.x, found.fun, found.slack, found.con, 1.0 * above, 1.0 * lower, 1.0 * (upper & ~lower), found


def _linprog(
    c: Any,
    A_ub: Any = None,
    b_ub: Any = None,
    A_eq: Any = None,
    b_eq: Any = None,
    bounds: Any = (0, None),
    method: Any = "highs",
    *,
    options: Any = None,
) -> Any:
    c = np.ravel(np.asarray(c) * 1.0)
    n = c.shape[0]
    above = np.zeros((0, n)) if A_ub is None else np.atleast_2d(np.asarray(A_ub) * 1.0)
    most = np.zeros(0) if b_ub is None else np.ravel(np.asarray(b_ub) * 1.0)
    equal = np.zeros((0, n)) if A_eq is None else np.atleast_2d(np.asarray(A_eq) * 1.0)
    exact = np.zeros(0) if b_eq is None else np.ravel(np.asarray(b_eq) * 1.0)
    low, high = _box(bounds, n)
    kinds = (1, "float", 1, 1, 1, 1, 1, "any")
    given = c, above, most, equal, exact, low, high, method, options
    value, least, slack, con, held, lower, upper, found = solve(_corner_value, (), (), kinds, *given)
    rows = np.concatenate((equal, held[:, None] * above))
    sides = np.where(lower > 0.0, np.where(lower > 0.0, low, 0.0), np.where(upper > 0.0, np.where(upper > 0.0, high, 0.0), 0.0))
    normal = rows.T @ rows + np.diag(lower + upper)
    x = np.linalg.solve(normal, equal.T @ exact + above.T @ (held * most) + sides)
    return Corner(moving(value, x), moving(least, c @ x), moving(slack, most - above @ x), moving(con, exact - equal @ x), found)


DEFINITIONS: tuple[Definition, ...] = (Definition(optimize.linprog, _linprog, sequences=True),)
