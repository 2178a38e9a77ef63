"""Splines by their knots and coefficients, also those that SciPy finds: through places, or nearest to them between given knots.

SciPy's own knots and coefficients give the values; that they solve a linear system of values of the basis tells how they move.

Source: de Boor, *A Practical Guide to Splines* (1978), chapters IX, X and XIII; Dierckx, *Curve and Surface Fitting with Splines*
(1993).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate

from adxform.api.scipy_models.solving import as_it_stays, fixed, in_floats, moving, solve
from adxform.primitives.definitions.definition import Definition, Value, unsupported

# -- values, derivatives and integrals ----------------------------------------------------------------------------------


def _place(t: Any, k: Any, at: Any) -> Any:
    """The interval of each place; the first and the last one go on beyond."""
    return np.clip(np.searchsorted(t, at, side="right") - 1, k, t.shape[0] - k - 2)


def de_boor(t: Any, c: Any, k: Any, at: Any) -> Any:
    """The values of a spline with the knots `t` and the coefficients `c`, of which each may be an array."""
    place = _place(t, k, at)
    parts = [c[place - k + j] for j in range(k + 1)]
    for r in range(1, k + 1):
        found = []
        for j in range(r, k + 1):
            left, right = t[place - k + j], t[place + 1 + j - r]
            share = _spread((at - left) / (right - left), c)
            found.append((1.0 - share) * parts[j - r] + share * parts[j - r + 1])
        parts = found
    return parts[0]


def _spread(share: Any, c: Any) -> Any:
    """`share` of each place, for coefficients with further axes."""
    return share if np.ndim(c) == 1 else np.reshape(share, (*np.shape(share), *((1,) * (np.ndim(c) - 1))))


def basis(t: Any, k: Any, at: Any) -> Any:
    """The interval of each place, and the `k + 1` functions of the basis that are not zero there."""
    place = _place(t, k, at)
    parts = [1.0 + 0.0 * at]
    for r in range(1, k + 1):
        found = []
        before = 0.0
        for j in range(r):
            left, right = t[place + 1 + j - r], t[place + 1 + j]
            part = parts[j] / (right - left)
            found.append(before + (right - at) * part)
            before = (at - left) * part
        parts = [*found, before]
    return place, parts


def collocation(t: Any, k: Any, x: Any) -> Any:
    """The matrix of the values of the basis at `x`."""
    place, parts = basis(t, k, x)
    matrix = np.zeros((x.shape[0], t.shape[0] - k - 1))
    rows = np.arange(x.shape[0])
    for j in range(k + 1):
        matrix[rows, place - k + j] = parts[j]
    return matrix


def slopes_of(t: Any, c: Any, k: Any) -> Any:
    """The coefficients of the derivative, whose knots are ``t[1:-1]``."""
    n = t.shape[0] - k - 1
    return k * (c[1:n] - c[: n - 1]) / _spread(t[k + 1 : n + k] - t[1:n], c)


def derived(t: Any, c: Any, k: Any, nu: Any) -> Any:
    """The knots, coefficients and degree of the derivative of the order `nu`."""
    for _ in (None,) * fixed(nu):  # a tuple, so that each step has a degree of its own
        t, c, k = t[1:-1], slopes_of(t, c, k), k - 1
    return t, c, k


def integrated(t: Any, c: Any, k: Any) -> Any:
    """The knots, coefficients and degree of the integral from the first knot."""
    n = t.shape[0] - k - 1
    sums = np.cumsum(c[:n] * _spread(t[k + 1 :] - t[:n], c), axis=0) / (k + 1)
    wider = np.concatenate((t[:1], t, t[-1:]))
    return wider, np.concatenate((np.zeros_like(sums[:1]), sums)), k + 1


def padded(t: Any, c: Any, k: Any) -> Any:
    """Coefficients as SciPy keeps them beside the knots `t`, with zeros at the end."""
    return np.concatenate((c, np.zeros_like(c[: t.shape[0] - c.shape[0]])))


class BasisSpline:
    """A spline by its knots and coefficients that the function has made."""

    def __init__(self, t: Any, c: Any, k: Any) -> None:
        self.t, self.c, self.k = t, c, k

    def __call__(self, x: Any, nu: Any = None) -> Any:
        """The values at the places."""
        at, nu = np.asarray(x) * 1.0, 0 if nu is None else nu
        if fixed(nu) > self.k:  # zero beyond the degree
            found = 0.0 * de_boor(self.t, self.c, self.k, at)
        else:
            t, c, k = derived(self.t, self.c, self.k, nu)
            found = de_boor(t, c, k, at)
        return moving(solve(_basis_value, (), (), (np.ndim(found),), self.t, self.c, self.k, at, nu), found)

    def derivative(self, nu: Any = None) -> Any:
        """The derivative of the order `nu` as a spline of its own."""
        nu = 1 if nu is None else fixed(nu)
        if nu > self.k:
            unsupported("a derivative of a spline beyond its degree is zero")
        t, c = solve(_basis_derivative, (), (), (1, np.ndim(self.c)), self.t, self.c, self.k, nu)
        to, coefficients, k = derived(self.t, self.c, self.k, nu)
        return BasisSpline(moving(t, to), moving(c, padded(to, coefficients, k)), k)

    def antiderivative(self, nu: Any = None) -> Any:
        """The integral from the first knot as a spline of its own."""
        if nu is not None and fixed(nu) != 1:
            unsupported("splines that a function makes are integrated once")
        t, c = solve(_basis_antiderivative, (), (), (1, np.ndim(self.c)), self.t, self.c, self.k)
        wider, sums, k = integrated(self.t, self.c, self.k)
        return BasisSpline(moving(t, wider), moving(c, continued(wider, sums)), k)

    def integrate(self, a: Any, b: Any) -> Any:
        """The integral between two places."""
        ends = np.array([1.0 * a, 1.0 * b])
        t, c, k = integrated(self.t, self.c, self.k)
        found = de_boor(t, c, k, ends)
        total = found[1] - found[0]
        return moving(solve(_basis_integral, (), (), (np.ndim(total),), self.t, self.c, self.k, ends), total)


def continued(t: Any, sums: Any) -> Any:
    """Coefficients as SciPy keeps those of an integral beside the knots `t`: the last one stands on to the end."""
    more = np.zeros_like(t[: t.shape[0] - sums.shape[0]])
    return np.concatenate((sums, _spread(more, sums) + sums[-1]))


def _basis_value(t: Any, c: Any, k: Any, at: Any, nu: Any) -> Any:
    return interpolate.BSpline(t, c, k)(at, nu)


def _basis_derivative(t: Any, c: Any, k: Any, nu: Any) -> Any:
    found = interpolate.BSpline(t, c, k).derivative(nu)
    return found.t, found.c


def _basis_antiderivative(t: Any, c: Any, k: Any) -> Any:
    found = interpolate.BSpline(t, c, k).antiderivative()
    return found.t, found.c


def _basis_integral(t: Any, c: Any, k: Any, ends: Any) -> Any:
    return np.asarray(interpolate.BSpline(t, c, k).integrate(*ends))


def _basis_spline(t: Any, c: Any, k: Any) -> Any:
    knots = as_it_stays(in_floats(t, np.float64(0.5)))  # SciPy looks at them once and holds them, changed or not
    return BasisSpline(knots, in_floats(c, np.float64(0.5)), fixed(k))


# -- splines through places ---------------------------------------------------------------------------------------------


def knots_through(x: Any, k: Any) -> Any:
    """The knots of the spline of the degree `k` through values at `x`: those that both SciPy and FITPACK choose."""
    if k == 1:
        inner = x[1:-1]
    elif k % 2:
        inner = x[(k + 1) // 2 : -((k + 1) // 2)]
    else:
        inner = (0.5 * (x[1:] + x[:-1]))[k // 2 : -(k // 2)]
    ends = np.zeros(k + 1)
    return np.concatenate((ends + x[0], inner, ends + x[-1]))


def through(t: Any, k: Any, x: Any, y: Any) -> Any:
    """The coefficients of the spline with the knots `t` through the values `y` at `x`."""
    return np.linalg.solve(collocation(t, k, x), y)


def nearest(t: Any, k: Any, x: Any, y: Any, w: Any) -> Any:
    """The coefficients of the spline with the knots `t` that comes nearest to the values `y` at `x`."""
    matrix = collocation(t, k, x)
    q, r = np.linalg.qr(matrix if w is None else matrix * w[:, None])
    return np.linalg.solve(r, np.swapaxes(q, 0, 1) @ (y if w is None else _spread(w, y) * y))


def samples(x: Any, y: Any, k: Any) -> Any:
    """Places and values for a spline of a degree that is followed."""
    if k < 1 or k > 5:
        unsupported("splines that a function makes have a derivative for degrees of 1 to 5")
    x, y = np.asarray(x) * 1.0, np.asarray(y) * 1.0
    if np.iscomplexobj(y):
        unsupported("splines that a function makes have a derivative for real values")
    return x, y


def _interpolating(x: Any, y: Any, k: Any = 3, t: Any = None, bc_type: Any = None) -> Any:
    if bc_type is not None and bc_type != "not-a-knot":
        unsupported("make_interp_spline has a derivative without conditions at the ends: use CubicSpline for those")
    k = fixed(k)
    x, y = samples(x, y, k)
    found, c = solve(_interpolating_value, (), (), (1, np.ndim(y)), x, y, k, t)
    knots = knots_through(x, k) if t is None else as_it_stays(np.asarray(t)) * 1.0
    return BasisSpline(moving(found, knots), moving(c, through(knots, k, x, y)), k)


def _interpolating_value(x: Any, y: Any, k: Any, t: Any) -> Any:
    found = interpolate.make_interp_spline(x, y, k, t)
    return found.t, found.c


def _least_squares_spline(x: Any, y: Any, t: Any, k: Any = 3, w: Any = None) -> Any:
    k = fixed(k)
    x, y = samples(x, y, k)
    knots, weights = as_it_stays(np.asarray(t)) * 1.0, None if w is None else np.asarray(w) * 1.0
    c = solve(_least_squares_value, (), (), (np.ndim(y),), x, y, knots, k, weights)
    return BasisSpline(knots, moving(c, nearest(knots, k, x, y, weights)), k)


def _least_squares_value(x: Any, y: Any, t: Any, k: Any, w: Any) -> Any:
    return interpolate.make_lsq_spline(x, y, t, k, w).c


DEFINITIONS: tuple[Definition, ...] = (
    Definition(interpolate.BSpline, _basis_spline, Value.FOLLOWED),
    Definition(interpolate.make_interp_spline, _interpolating, Value.FOLLOWED, sequences=True),
    Definition(interpolate.make_lsq_spline, _least_squares_spline, Value.FOLLOWED, sequences=True),
)
