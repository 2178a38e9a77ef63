"""Splines that FITPACK smooths: the smoothest on the knots that it chose whose squares come to what is asked for.

The knots are some of the places and go with these. Between them the coefficients make the jumps of the last derivative the least
in sum of squares, where the sum of the squares of what is left of the values comes to what is given. FITPACK searches for the
weight of the two sums to a thousandth of that, and a derivative is that of its search, as `solve_ivp` moves with its steps.

Source: Dierckx, *Curve and Surface Fitting with Splines* (1993), sections 4.2 and 5.2.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import interpolate

from adxform.api.scipy_models.interpolation.basis_splines import collocation, derived, knots_through, nearest, padded, through
from adxform.api.scipy_models.solving import moving, solve, still
from adxform.runtime.run_time_checks import without_derivative

_NEAR = 0.001
_AS_LEAST_SQUARES, _SMOOTHED, _THROUGH = 0.0, 1.0, 2.0


def _value(x: Any, y: Any, w: Any, k: Any, s: Any, older: bool) -> Any:
    """Knots and coefficients, which places the inner knots are, and how the coefficients were found.

    Raises:
        UnsupportedOperationError: FITPACK has not come to the sum of squares that is asked for.
    """
    if older:
        (t, c, _), _, status, message = interpolate.splrep(x, y, w, k=k, s=s, full_output=1)
    else:
        made = interpolate.UnivariateSpline(x, y, w, k=k, s=s)
        (t, c, _), status = made._eval_args, made._data[-1]
        message = f"status {status} of FITPACK"
    if status > 0:
        raise without_derivative(f"a spline that FITPACK could not smooth as asked for has no derivative: {message.strip()}")
    inner = t[k + 1 : len(t) - k - 1]
    if len(t) == len(x) + k + 1 and status < 0:
        how = _THROUGH
    else:
        how = _AS_LEAST_SQUARES if status < 0 else _SMOOTHED
    return t, c, np.searchsorted(x, inner) * 1.0, how


def _jumps(t: Any, k: Any) -> Any:
    """The matrix of the jumps of the last derivative at the inner knots, in units of the distance between these."""
    n = t.shape[0] - k - 1
    _, steps, _ = derived(t, np.eye(n), k, k)
    inner = n - k
    return (steps[1:] - steps[:-1]) * (((t[-1] - t[0]) / inner) ** k / math.factorial(k))


def _through_zero(p1: Any, f1: Any, p2: Any, f2: Any, p3: Any, f3: Any) -> Any:
    """Where a quotient of lines through three places is zero; a negative `p3` stands for infinity."""
    if p3 < 0.0:
        return (p1 * (f1 - f3) * f2 - p2 * (f2 - f3) * f1) / ((f1 - f2) * f3)
    h1, h2, h3 = f1 * (f2 - f3), f2 * (f3 - f1), f3 * (f1 - f2)
    return -(p1 * p2 * h3 + p2 * p3 * h1 + p3 * p1 * h2) / (p1 * h1 + p2 * h2 + p3 * h3)


def _least(values: Any, jumps: Any, p: Any, heights: Any) -> Any:
    """The coefficients for a weight of the values against the jumps."""
    q, r = np.linalg.qr(np.concatenate((values, jumps / p)))
    return np.linalg.solve(r, np.swapaxes(q[: values.shape[0]], 0, 1) @ heights)


def _excess(values: Any, c: Any, heights: Any, s: Any) -> Any:
    apart = heights - values @ c
    return np.sum(apart * apart) - s


def _smoothest(t: Any, k: Any, x: Any, y: Any, weights: Any, s: Any) -> Any:
    """The coefficients that FITPACK's search for the weight of the values against the jumps ends with."""
    values, heights, jumps = collocation(t, k, x) * weights[:, None], weights * y, _jumps(t, k)
    ends = np.zeros(k + 1)
    whole = np.concatenate((ends + x[0], ends + x[-1]))
    p1, f1 = 0.0, _excess(collocation(whole, k, x) * weights[:, None], nearest(whole, k, x, y, weights), heights, s)
    p3, f3 = -1.0, _excess(values, nearest(t, k, x, y, weights), heights, s)
    p = values.shape[1] / np.sum(np.abs(np.diagonal(np.linalg.qr(values)[1])))
    c, above, below, near = heights[: values.shape[1]], False, False, _NEAR * s
    for _ in range(20):
        c = _least(values, jumps, p, heights)
        f2, p2 = _excess(values, c, heights, s), p
        if abs(f2) < near:
            break
        if not above and f2 - f3 <= near:
            p3, f3, p = p2, f2, p2 * 0.04
            if p <= p1:
                p = p1 * 0.9 + p2 * 0.1
            continue
        above = above or f2 < 0.0
        if not below and f1 - f2 <= near:
            p1, f1, p = p2, f2, p2 / 0.04
            if p3 >= 0.0 and p >= p3:
                p = p2 * 0.1 + p3 * 0.9
            continue
        below = below or f2 > 0.0
        p = _through_zero(p1, f1, p2, f2, p3, f3)
        if f2 >= 0.0:
            p1, f1 = p2, f2
        else:
            p3, f3 = p2, f2
    return c


def _agrees(c: Any, found: Any) -> Any:
    """`c`. Raises RuntimeError: FITPACK has found others."""
    if not np.allclose(c, found, 1e-5, 1e-5 * np.max(np.abs(found))):
        raise without_derivative(
            "the search of FITPACK for a smooth spline went another way than its derivative: use `make_lsq_spline`"
        )
    return c


def smoothed(x: Any, y: Any, w: Any, k: Any, s: Any, older: Any) -> Any:
    """The knots and the coefficients of a spline of the degree `k` that FITPACK smooths, as they move."""
    t, found, which, how = solve(_value, (), (), (1, 1, 1, "number"), x, y, w, k, s, older)
    ends = np.zeros(k + 1)
    knots = np.concatenate((ends + x[0], x[which.astype(int)], ends + x[-1]))
    weights = np.ones_like(x) if w is None else w
    n = knots.shape[0] - k - 1
    if how == _THROUGH:
        full = knots_through(x, k)
        return moving(t, full), moving(found, padded(full, through(full, k, x, y), k))
    if how == _SMOOTHED:
        count = x.shape[0]
        asked = s if s is not None else count - np.sqrt(2.0 * count) if older else 1.0 * count
        c = _smoothest(knots, k, x, y, weights, asked)
        c = c + 0.0 * solve(_agrees, (), (), (c,), still(c), found[:n])
    else:
        c = nearest(knots, k, x, y, weights)
    return moving(t, knots), moving(found, padded(knots, c, k))
