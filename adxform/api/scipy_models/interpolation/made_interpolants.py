"""Interpolants that a function makes: what they give moves with the values at the knots, with the knots, and with the places.

An interpolant is an object of adxform's own, which calls SciPy's for its value.

Source: de Boor, *A Practical Guide to Splines* (1978); Fritsch & Butland, SIAM J. Sci. Stat. Comput. 5 (1984); Akima, J. ACM 17
(1970).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate

from adxform import runtime
from adxform.api.scipy_models.solving import moving, solve
from adxform.primitives.definitions.definition import Definition, Value, unsupported

# -- the slopes at the knots --------------------------------------------------------------------------------------------
# Values have the knots along their first axis, and may have more.


def _wide(h: Any, y: Any) -> Any:
    """Widths along the first axis of `y`, as rows that its rows can be multiplied by."""
    return np.reshape(h, (-1,) + (1,) * (np.ndim(y) - 1))


def _spline_slopes(x: Any, y: Any, ends: Any, values: Any) -> Any:
    """The slopes at the knots of a spline with two continuous derivatives.

    `ends`: not-a-knot, periodic, or the order of a derivative that is given there.
    """
    n = x.shape[0]
    if n < 4:
        raise runtime.without_derivative("splines have a derivative for four or more knots")
    h = x[1:] - x[:-1]
    m = (y[1:] - y[:-1]) / _wide(h, y)
    matrix = np.zeros((n, n))
    right = np.zeros_like(y)
    for i in range(1, n - 1):
        matrix[i, i - 1] = h[i]
        matrix[i, i] = 2.0 * (h[i - 1] + h[i])
        matrix[i, i + 1] = h[i - 1]
        right[i] = 3.0 * (h[i] * m[i - 1] + h[i - 1] * m[i])
    if ends[0] == "periodic":
        matrix[0, n - 2], matrix[0, 0], matrix[0, 1] = h[0], 2.0 * (h[n - 2] + h[0]), h[n - 2]
        right[0] = 3.0 * (h[0] * m[n - 2] + h[n - 2] * m[0])
    elif ends[0] == "not-a-knot":
        first = x[2] - x[0]
        matrix[0, 0], matrix[0, 1] = h[1], first
        right[0] = ((h[0] + 2.0 * first) * h[1] * m[0] + h[0] ** 2 * m[1]) / first
    elif ends[0] == 1:
        matrix[0, 0] = 1.0
        right[0] = values[0]
    else:
        matrix[0, 0], matrix[0, 1] = 2.0, 1.0
        right[0] = 3.0 * m[0] - 0.5 * h[0] * values[0]
    if ends[1] == "periodic":
        matrix[n - 1, n - 1], matrix[n - 1, 0] = 1.0, -1.0
    elif ends[1] == "not-a-knot":
        last = x[-1] - x[-3]
        matrix[n - 1, n - 1], matrix[n - 1, n - 2] = h[-2], last
        right[n - 1] = (h[-1] ** 2 * m[-2] + (2.0 * last + h[-1]) * h[-2] * m[-1]) / last
    elif ends[1] == 1:
        matrix[n - 1, n - 1] = 1.0
        right[n - 1] = values[1]
    else:
        matrix[n - 1, n - 1], matrix[n - 1, n - 2] = 2.0, 1.0
        right[n - 1] = 3.0 * m[-1] + 0.5 * h[-1] * values[1]
    if np.ndim(y) <= 2:
        return np.linalg.solve(matrix, right)
    return np.reshape(np.linalg.solve(matrix, np.reshape(right, (n, -1))), y.shape)


def _monotone_end(h0: Any, h1: Any, m0: Any, m1: Any) -> Any:
    d = ((2.0 * h0 + h1) * m0 - h0 * m1) / (h0 + h1)
    bounded = np.where((np.sign(m0) != np.sign(m1)) & (np.abs(d) > 3.0 * np.abs(m0)), 3.0 * m0, d)
    return np.where(np.sign(d) != np.sign(m0), 0.0, bounded)


def _monotone_slopes(x: Any, y: Any) -> Any:
    """The slopes at the knots of the interpolant that goes up and down only where the values do."""
    if x.shape[0] < 3:
        raise runtime.without_derivative("PchipInterpolator has a derivative for three or more knots")
    h = _wide(x[1:] - x[:-1], y)
    m = (y[1:] - y[:-1]) / h
    left, right = m[:-1], m[1:]
    turns = (np.sign(left) != np.sign(right)) | (left == 0.0) | (right == 0.0)
    w1, w2 = 2.0 * h[1:] + h[:-1], h[1:] + 2.0 * h[:-1]
    mean = (w1 / np.where(turns, 1.0, left) + w2 / np.where(turns, 1.0, right)) / (w1 + w2)
    inner = np.where(turns, 0.0, 1.0 / np.where(turns, 1.0, mean))
    slopes = np.zeros_like(y)
    slopes[1:-1] = inner
    slopes[0] = _monotone_end(h[0], h[1], m[0], m[1])
    slopes[-1] = _monotone_end(h[-1], h[-2], m[-1], m[-2])
    return slopes


def _akima_slopes(x: Any, y: Any) -> Any:
    """The slopes at the knots by which an interpolant swings the least."""
    if x.shape[0] < 3:
        raise runtime.without_derivative("Akima1DInterpolator has a derivative for three or more knots")
    inner = (y[1:] - y[:-1]) / _wide(x[1:] - x[:-1], y)
    before = 2.0 * inner[:1] - inner[1:2]
    after = 2.0 * inner[-1:] - inner[-2:-1]
    m = np.concatenate((2.0 * before - inner[:1], before, inner, after, 2.0 * after - inner[-1:]))
    turns = np.abs(m[1:] - m[:-1])
    f1, f2 = turns[2:], turns[:-2]
    both = f1 + f2
    bent = both > 1e-9 * np.max(both, initial=0.0)
    return np.where(bent, (f1 * m[1:-2] + f2 * m[2:-1]) / np.where(bent, both, 1.0), 0.5 * (m[3:] + m[:-3]))


# -- values between the knots -------------------------------------------------------------------------------------------


def between(x: Any, at: Any) -> Any:
    """The interval of each place; the first and the last one go on beyond."""
    return np.clip(np.searchsorted(x, at, side="right") - 1, 0, x.shape[0] - 2)


def at_each(h: Any, y: Any) -> Any:
    """Numbers at places, as what the values at these places can be multiplied by."""
    return h if np.ndim(y) == 1 else np.reshape(h, np.shape(h) + (1,) * (np.ndim(y) - 1))


def hermite(x: Any, y: Any, slopes: Any, at: Any, nu: Any) -> Any:
    """The values, or derivatives of the order `nu`, of the cubics between knots with these values and slopes."""
    k = between(x, at)
    h, s = at_each(x[k + 1] - x[k], y), at_each(at - x[k], y)
    m = (y[k + 1] - y[k]) / h
    bend = (slopes[k] + slopes[k + 1] - 2.0 * m) / h
    a, b = bend / h, (m - slopes[k]) / h - bend
    if nu == 0:
        return ((a * s + b) * s + slopes[k]) * s + y[k]
    if nu == 1:
        return (3.0 * a * s + 2.0 * b) * s + slopes[k]
    if nu == 2:
        return 6.0 * a * s + 2.0 * b
    return 6.0 * a if nu == 3 else 0.0 * a


def _hermite_integral(x: Any, y: Any, slopes: Any, at: Any) -> Any:
    """The integrals of the cubics from the first knot to each place."""
    h = _wide(x[1:] - x[:-1], y)
    m = (y[1:] - y[:-1]) / h
    bend = (slopes[:-1] + slopes[1:] - 2.0 * m) / h
    a, b = bend / h, (m - slopes[:-1]) / h - bend
    whole = (((a * h / 4.0 + b / 3.0) * h + slopes[:-1] / 2.0) * h + y[:-1]) * h
    before = np.cumsum(whole, axis=0) - whole
    k = between(x, at)
    s = at_each(at - x[k], y)
    return before[k] + (((a[k] * s / 4.0 + b[k] / 3.0) * s + slopes[k] / 2.0) * s + y[k]) * s


def linear(x: Any, y: Any, at: Any) -> Any:
    """The values on the lines between knots; the first and the last one go on beyond."""
    k = between(x, at)
    return y[k] + at_each((at - x[k]) / (x[k + 1] - x[k]), y) * (y[k + 1] - y[k])


def knots(x: Any, y: Any) -> Any:
    """The knots and the values there as arrays of floats."""
    x, y = np.asarray(x) * 1.0, np.asarray(y) * 1.0
    if np.ndim(x) != 1 or np.ndim(y) == 0:
        unsupported("interpolants that a function makes have a derivative for a vector of knots")
    return x, y


def first_axis(y: Any, axis: Any) -> Any:
    """Values with the knots along their first axis."""
    return y if np.ndim(y) == 1 or axis == 0 else np.moveaxis(y, axis, 0)


def placed(found: Any, at: Any, y: Any, axis: Any) -> Any:
    """What was found at places, whose axes come first, with these where the values had the knots."""
    axes = np.ndim(at)
    place = axis % np.ndim(y)
    if axes == 0 or place == 0:
        return found
    return np.moveaxis(found, tuple(range(axes)), tuple(range(place, place + axes)))


class Cubic:
    """A piecewise cubic that the function has made: SciPy's of the class `made`, with the options that it was made with.

    `y` are the values as SciPy has them, with the knots along `axis`; `rows` have these along their first.
    """

    def __init__(self, made: Any, x: Any, y: Any, axis: Any, slopes: Any, ends: Any, values: Any, rows: Any = None) -> None:
        self.made, self.x, self.y, self.axis, self.slopes = made, x, y, axis, slopes
        self.rows = first_axis(y, axis) if rows is None else rows
        self.ends, self.first, self.last = ends, values[0], values[1]

    def __call__(self, x: Any, nu: Any = None) -> Any:
        """The values at the places."""
        at, nu = np.asarray(x) * 1.0, 0 if nu is None else nu
        found = placed(hermite(self.x, self.rows, self.slopes, self.within(at), nu), at, self.y, self.axis)
        given = self.made, self.ends, self.x, self.y, self.axis, self.first, self.last, at, nu
        return moving(solve(_cubic_value, (), (), (np.ndim(at) + np.ndim(self.y) - 1,), *given), found)

    def derivative(self, nu: Any = None) -> Any:
        """The derivative of the order `nu` as a function of its own."""
        return CubicDerivative(self, 1 if nu is None else nu)

    def integrate(self, a: Any, b: Any) -> Any:
        """The integral between two places."""
        ends = np.array([1.0 * a, 1.0 * b])
        given = self.made, self.ends, self.x, self.y, self.axis, self.first, self.last, ends
        value = solve(_cubic_integral, (), (), (np.ndim(self.y) - 1,), *given)
        inside = self.within(ends)
        found = _hermite_integral(self.x, self.rows, self.slopes, inside)
        total = found[1] - found[0]
        if self.ends == "periodic":
            whole = _hermite_integral(self.x, self.rows, self.slopes, self.x[-1:])[0]
            turns = np.round((ends - inside) / (self.x[-1] - self.x[0]))
            total = total + (turns[1] - turns[0]) * whole
        return moving(value, total)

    def within(self, at: Any) -> Any:
        """The places `at`, of a periodic interpolant those of its first period."""
        return within_period(self.x[0], self.x[-1], at) if self.ends == "periodic" else at


def within_period(start: Any, end: Any, at: Any) -> Any:
    """The places of the period from `start` to `end` where a periodic function is as at `at`."""
    return at - np.floor((at - start) / (end - start)) * (end - start)


class CubicDerivative:
    """The derivative of a piecewise cubic that the function has made."""

    def __init__(self, cubic: Any, nu: Any) -> None:
        self.cubic, self.nu = cubic, nu

    def __call__(self, x: Any) -> Any:
        """The values at the places."""
        at, one = np.asarray(x) * 1.0, self.cubic
        given = one.made, one.ends, one.x, one.y, one.axis, one.first, one.last, at, self.nu
        value = solve(_cubic_slope, (), (), (np.ndim(at) + np.ndim(one.y) - 1,), *given)
        return moving(value, placed(hermite(one.x, one.rows, one.slopes, one.within(at), self.nu), at, one.y, one.axis))


def _cubic_slope(made: Any, ends: Any, x: Any, y: Any, axis: Any, first: Any, last: Any, at: Any, nu: Any) -> Any:
    return _cubic_made(made, ends, x, y, axis, first, last).derivative(nu)(at)


def _cubic_integral(made: Any, ends: Any, x: Any, y: Any, axis: Any, first: Any, last: Any, limits: Any) -> Any:
    return np.asarray(_cubic_made(made, ends, x, y, axis, first, last).integrate(*limits))


def _cubic_made(made: Any, ends: Any, x: Any, y: Any, axis: Any, first: Any, last: Any) -> Any:
    if ends is None:
        return made(x, y, axis)
    if ends == "own":
        return made(x, y, axis, first, last)
    if isinstance(ends, str):
        return made(x, y, axis, ends)
    sides = ((kind if isinstance(kind, str) else (kind, value)) for kind, value in zip(ends, (first, last), strict=True))
    return made(x, y, axis, tuple(sides))


def _cubic_value(made: Any, ends: Any, x: Any, y: Any, axis: Any, first: Any, last: Any, at: Any, nu: Any) -> Any:
    return _cubic_made(made, ends, x, y, axis, first, last)(at, nu)


def _ends(bc_type: Any) -> Any:
    """Of each end whether it is not a knot or the order of a derivative that is given there, and the value of that."""
    if isinstance(bc_type, str):
        if bc_type not in ("not-a-knot", "natural", "clamped", "periodic"):
            unsupported("splines have a derivative for the ends that SciPy names, and for values given there")
        kind = {"clamped": 1, "natural": 2}.get(bc_type, bc_type)
        return (kind, kind), (0.0, 0.0)
    (first, one), (last, other) = _end(bc_type[0]), _end(bc_type[1])
    return (first, last), (one, other)


def _end(given: Any) -> Any:
    if isinstance(given, str):
        (kind, _), (value, _) = _ends(given)
        return kind, value
    return given[0], np.asarray(given[1]) * 1.0


def _cubic_spline(x: Any, y: Any, axis: Any = 0, bc_type: Any = "not-a-knot") -> Any:
    x, y = knots(x, y)
    ends, values = _ends(bc_type)
    slopes = _spline_slopes(x, first_axis(y, axis), ends, values)
    return Cubic(interpolate.CubicSpline, x, y, axis, slopes, bc_type if isinstance(bc_type, str) else ends, values)


def _hermite_spline(x: Any, y: Any, dydx: Any, axis: Any = 0) -> Any:
    x, y = knots(x, y)
    slopes = np.asarray(dydx) * 1.0
    return Cubic(_hermite_made, x, y, axis, first_axis(slopes, axis), "own", (slopes, 0.0))


def _hermite_made(x: Any, y: Any, axis: Any, slopes: Any, _: Any) -> Any:
    return interpolate.CubicHermiteSpline(x, y, slopes, axis)


def _smoothing(x: Any, y: Any, w: Any = None, lam: Any = None, *, axis: Any = 0) -> Any:
    """The natural spline of the least sum of squared misfits and of `lam` times the integral of its squared bends."""
    if lam is None:
        unsupported("make_smoothing_spline has a derivative with `lam`: what SciPy chooses in its place is not followed")
    x, y = knots(x, y)
    if x.shape[0] < 5:
        raise runtime.without_derivative("make_smoothing_spline has a derivative for five or more knots")
    rows, weights = first_axis(y, axis), np.ones(x.shape[0]) if w is None else np.asarray(w) * 1.0
    smooth = _smoothed(x, np.reshape(rows, (x.shape[0], -1)), weights, lam)
    heights = np.reshape(smooth, rows.shape)
    slopes = _spline_slopes(x, heights, (2, 2), (0.0, 0.0))
    return Cubic(_smoothing_made, x, y, axis, slopes, "own", (weights, lam), heights)


def _smoothed(x: Any, rows: Any, w: Any, lam: Any) -> Any:
    """The heights of the smoothing spline at its knots."""
    n = x.shape[0]
    h = x[1:] - x[:-1]
    turns, bends = np.zeros((n, n - 2)), np.zeros((n - 2, n - 2))
    for j in range(n - 2):
        turns[j, j], turns[j + 1, j], turns[j + 2, j] = 1.0 / h[j], -1.0 / h[j] - 1.0 / h[j + 1], 1.0 / h[j + 1]
        bends[j, j] = (h[j] + h[j + 1]) / 3.0
        if j < n - 3:
            bends[j, j + 1] = h[j + 1] / 6.0
            bends[j + 1, j] = h[j + 1] / 6.0
    inner = bends + lam * (turns.T @ (turns / w[:, None]))
    return rows - lam * ((turns @ np.linalg.solve(inner, turns.T @ rows)) / w[:, None])


def _smoothing_made(x: Any, y: Any, axis: Any, w: Any, lam: Any) -> Any:
    return interpolate.make_smoothing_spline(x, y, w, lam, axis=axis)


def _pchip(x: Any, y: Any, axis: Any = 0) -> Any:
    x, y = knots(x, y)
    return Cubic(interpolate.PchipInterpolator, x, y, axis, _monotone_slopes(x, first_axis(y, axis)), None, (0.0, 0.0))


def _akima(x: Any, y: Any, axis: Any = 0) -> Any:
    x, y = knots(x, y)
    return Cubic(interpolate.Akima1DInterpolator, x, y, axis, _akima_slopes(x, first_axis(y, axis)), None, (0.0, 0.0))


def _pchip_interpolate(xi: Any, yi: Any, x: Any, der: Any = 0, axis: Any = 0) -> Any:
    if isinstance(der, (list, tuple, np.ndarray)):
        unsupported("pchip_interpolate has a derivative for one order of the interpolant's")
    made = interpolate.PchipInterpolator(np.asarray(xi) * 1.0, np.asarray(yi) * 1.0, axis)
    return made(x) if der == 0 else made(x, der)


DEFINITIONS: tuple[Definition, ...] = (
    Definition(interpolate.CubicSpline, _cubic_spline, Value.FOLLOWED, sequences=True),
    Definition(interpolate.PchipInterpolator, _pchip, Value.FOLLOWED),
    Definition(interpolate.pchip_interpolate, _pchip_interpolate),
    Definition(interpolate.Akima1DInterpolator, _akima, Value.FOLLOWED),
    Definition(interpolate.CubicHermiteSpline, _hermite_spline, Value.FOLLOWED, sequences=True),
    Definition(interpolate.make_smoothing_spline, _smoothing, Value.FOLLOWED, sequences=True),
)
