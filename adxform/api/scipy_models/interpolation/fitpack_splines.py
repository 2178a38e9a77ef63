"""Splines of FITPACK: its functions of knots, coefficients and degrees, and the objects that hold these.

Source: Dierckx, *Curve and Surface Fitting with Splines* (1993).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate

from adxform.api.scipy_models.interpolation.basis_splines import (
    continued,
    de_boor,
    derived,
    integrated,
    knots_through,
    nearest,
    padded,
    samples,
    through,
)
from adxform.api.scipy_models.interpolation.smoothed_splines import smoothed
from adxform.api.scipy_models.orders import to_third_order
from adxform.api.scipy_models.solving import fixed, moving, solve, still
from adxform.primitives.definitions.definition import Definition, Value, unsupported

_BEYOND = {"extrapolate": 0, "zeros": 1, "raise": 2, "const": 3}


def at_places(t: Any, c: Any, k: Any, at: Any, nu: Any, ext: Any) -> Any:
    """What FITPACK gives at places, by the derivative of the order `nu`, and beyond the ends as `ext` says.

    Where the spline is constant there (`ext` 3), FITPACK's derivatives go on.
    """
    low, high = t[k], t[-k - 1]
    to, slopes, degree = derived(t, c, k, nu)
    found = de_boor(to, slopes, degree, np.clip(at, low, high) if ext == 3 and nu == 0 else at)
    return np.where((at < low) | (at > high), 0.0, found) if ext == 1 else found


def between_places(t: Any, c: Any, k: Any, a: Any, b: Any) -> Any:
    """The integral that FITPACK gives, of a spline that is zero beyond its ends."""
    ends = np.clip(np.array([1.0 * a, 1.0 * b]), t[k], t[-k - 1])
    wider, sums, degree = integrated(t, c, k)
    found = de_boor(wider, sums, degree, ends)
    return found[1] - found[0]


def mode_of(ext: Any) -> Any:
    """What FITPACK does beyond the ends, as a number."""
    return _BEYOND[ext] if isinstance(ext, str) else ext


class FitpackSpline:
    """A spline of FITPACK's that the function has made."""

    def __init__(self, t: Any, c: Any, k: Any, ext: Any) -> None:
        self.t, self.c, self.k, self.ext = t, c, k, ext

    def __call__(self, x: Any, nu: Any = None, ext: Any = None) -> Any:
        """The values at the places."""
        at, nu, ext = np.asarray(x) * 1.0, 0 if nu is None else nu, fixed(self.ext if ext is None else mode_of(ext))
        value = solve(_spline_value, (), (), (np.ndim(at),), at, self.t, self.c, self.k, nu, ext)
        return moving(value, at_places(self.t, self.c, self.k, at, nu, ext))

    def derivative(self, n: Any = None) -> Any:
        """The derivative of the order `n` as a spline of its own."""
        t, c, k = _splder((self.t, self.c, self.k), 1 if n is None else n)
        return FitpackSpline(t, c, k, 1 if self.ext == 3 else self.ext)

    def antiderivative(self, n: Any = None) -> Any:
        """The integral from the first knot as a spline of its own."""
        t, c, k = _splantider((self.t, self.c, self.k), 1 if n is None else n)
        return FitpackSpline(t, c, k, self.ext)

    def integral(self, a: Any, b: Any) -> Any:
        """The integral between two places."""
        return _splint(a, b, (self.t, self.c, self.k))

    def roots(self) -> Any:
        """Where the spline is zero, as it crosses."""
        at = solve(_roots_value, (), (), (1,), self.t, self.c, self.k)
        slope, places = still(at_places(self.t, self.c, self.k, at, 1, 0)), at
        for _ in range(3):
            places = places - at_places(self.t, self.c, self.k, places, 0, 0) / slope
        return moving(at, to_third_order(places))

    def get_coeffs(self) -> Any:
        """The coefficients."""
        return self.c[: self.t.shape[0] - self.k - 1]

    def get_knots(self) -> Any:
        """The knots without those that stand beside the ends."""
        return self.t[self.k : self.t.shape[0] - self.k]


def _roots_value(t: Any, c: Any, k: Any) -> Any:
    return interpolate.UnivariateSpline._from_tck((t, c, k)).roots()


def _splrep(x: Any, y: Any, w: Any = None, *, k: Any = 3, s: Any = None, t: Any = None) -> Any:
    k = fixed(k)
    x, y = samples(x, y, k)
    weights = None if w is None else np.asarray(w) * 1.0
    if t is None and (s is not None or w is not None) and not (isinstance(s, (int, float)) and s == 0):
        knots, coefficients = smoothed(x, y, weights, k, s, True)
        return knots, coefficients, k
    found, c = solve(_splrep_value, (), (), (1, 1), x, y, weights, k, s, t)
    if t is None:
        knots = knots_through(x, k)
        movement = through(knots, k, x, y)
    else:
        ends = np.zeros(k + 1)
        knots = np.concatenate((ends + x[0], np.asarray(t) * 1.0, ends + x[-1]))
        movement = nearest(knots, k, x, y, weights)
    return moving(found, knots), moving(c, padded(knots, movement, k)), k


def _splrep_value(x: Any, y: Any, w: Any, k: Any, s: Any, t: Any) -> Any:
    found, c, _ = interpolate.splrep(x, y, w, k=k, s=s, t=t)
    return found, c


def _splprep_value(x: Any, u: Any, w: Any, k: Any) -> Any:
    (t, c, _), found = interpolate.splprep(list(x), w, u, k=k, s=0)
    return (t, found, *c)


def _splprep(x: Any, w: Any = None, u: Any = None, *, k: Any = 3, s: Any = None) -> Any:
    if not isinstance(s, (int, float)) or s != 0 or not isinstance(x, (list, tuple)):
        unsupported("splprep has a derivative with s=0, of a list of coordinates")
    k, parts = fixed(k), [np.asarray(one) * 1.0 for one in x]
    if u is None:
        steps = np.sqrt(sum([np.diff(one) ** 2 for one in parts]))
        length = np.concatenate((np.zeros(1), np.cumsum(steps)))
        places = length / length[-1]
    else:
        places = np.asarray(u) * 1.0
    found, at, *own = solve(_splprep_value, (), (), (1, 1, *(1,) * len(parts)), np.stack(parts), u, w, k)
    knots = knots_through(places, k)
    heights = [moving(own[n], through(knots, k, places, parts[n])) for n in range(len(parts))]
    return [moving(found, knots), heights, k], moving(at, places)


def _splev(x: Any, tck: Any, der: Any = 0, ext: Any = 0) -> Any:
    (t, c, k), ext = tck, fixed(ext)
    if isinstance(c, list):
        return [_splev(x, (t, one, k), der, ext) for one in c]
    at = np.asarray(x) * 1.0
    t, c = np.asarray(t) * 1.0, np.asarray(c) * 1.0
    if c.ndim > 1:  # a curve: a spline for each of its coordinates
        return [_splev(x, (t, part, k), der, ext) for part in c]
    return moving(solve(_splev_value, (), (), (np.ndim(at),), at, t, c, k, der, ext), at_places(t, c, k, at, der, ext))


def _splev_value(at: Any, t: Any, c: Any, k: Any, der: Any, ext: Any) -> Any:
    return interpolate.splev(at, (t, c, k), der, ext)


def _spline_value(at: Any, *given: Any) -> Any:
    return _splev_value(at, *given) if at.size > 0 else np.array([])


def _splint(a: Any, b: Any, tck: Any) -> Any:
    t, c, k = tck
    t, c = np.asarray(t) * 1.0, np.asarray(c) * 1.0
    if c.ndim > 1:
        return [_splint(a, b, (t, part, k)) for part in c]
    return moving(solve(_splint_value, (), (), ("float",), 1.0 * a, 1.0 * b, t, c, k), between_places(t, c, k, a, b))


def _splint_value(a: Any, b: Any, t: Any, c: Any, k: Any) -> Any:
    return float(interpolate.splint(a, b, (t, c, k)))


def _splder(tck: Any, n: Any = 1) -> Any:
    t, c, k = tck
    t, c = np.asarray(t) * 1.0, np.asarray(c) * 1.0
    found, own = solve(_splder_value, (), (), (1, 1), t, c, k, n)
    to, coefficients, degree = derived(t, c, k, n)
    return moving(found, to), moving(own, padded(to, coefficients, degree)), degree


def _splder_value(t: Any, c: Any, k: Any, n: Any) -> Any:
    return interpolate.splder((t, c, k), n)[:2]


def _splantider(tck: Any, n: Any = 1) -> Any:
    if fixed(n) != 1:
        unsupported("splines that a function makes are integrated once")
    t, c, k = tck
    t, c = np.asarray(t) * 1.0, np.asarray(c) * 1.0
    found, own = solve(_splantider_value, (), (), (1, 1), t, c, k)
    wider, sums, degree = integrated(t, c, k)
    return moving(found, wider), moving(own, continued(wider, sums)), degree


def _splantider_value(t: Any, c: Any, k: Any) -> Any:
    return interpolate.splantider((t, c, k))[:2]


def _univariate(x: Any, y: Any, w: Any = None, *, k: Any = 3, s: Any = None, ext: Any = 0) -> Any:
    if isinstance(s, (int, float)) and s == 0:
        return _interpolated_univariate(x, y, w, k=k, ext=ext)
    k = fixed(k)
    x, y = samples(x, y, k)
    t, c = smoothed(x, y, None if w is None else np.asarray(w) * 1.0, k, s, False)
    return FitpackSpline(t, c, k, mode_of(ext))


def _interpolated_univariate(x: Any, y: Any, w: Any = None, *, k: Any = 3, ext: Any = 0) -> Any:
    k = fixed(k)
    x, y = samples(x, y, k)
    t, c = solve(_univariate_value, (), (), (1, 1), x, y, k)
    knots = knots_through(x, k)
    movement = through(knots, k, x, y)
    return FitpackSpline(moving(t, knots), moving(c, padded(knots, movement, k)), k, mode_of(ext))


def _univariate_value(x: Any, y: Any, k: Any) -> Any:
    return interpolate.InterpolatedUnivariateSpline(x, y, k=k)._eval_args[:2]


def _least_squares_univariate(x: Any, y: Any, t: Any, w: Any = None, *, k: Any = 3, ext: Any = 0) -> Any:
    k = fixed(k)
    x, y = samples(x, y, k)
    weights, inner, ends = None if w is None else np.asarray(w) * 1.0, np.asarray(t) * 1.0, np.zeros(k + 1)
    found, c = solve(_least_squares_univariate_value, (), (), (1, 1), x, y, inner, weights, k)
    knots = np.concatenate((ends + x[0], inner, ends + x[-1]))
    movement = nearest(knots, k, x, y, weights)
    return FitpackSpline(moving(found, knots), moving(c, padded(knots, movement, k)), k, mode_of(ext))


def _least_squares_univariate_value(x: Any, y: Any, t: Any, w: Any, k: Any) -> Any:
    return interpolate.LSQUnivariateSpline(x, y, t, w, k=k)._eval_args[:2]


DEFINITIONS: tuple[Definition, ...] = (
    Definition(interpolate.splrep, _splrep, sequences=True),
    Definition(interpolate.splprep, _splprep, sequences=True),
    Definition(interpolate.splev, _splev, sequences=True),
    Definition(interpolate.splint, _splint, sequences=True),
    Definition(interpolate.splder, _splder, sequences=True),
    Definition(interpolate.splantider, _splantider, sequences=True),
    Definition(interpolate.UnivariateSpline, _univariate, Value.FOLLOWED, sequences=True),
    Definition(interpolate.InterpolatedUnivariateSpline, _interpolated_univariate, Value.FOLLOWED, sequences=True),
    Definition(interpolate.LSQUnivariateSpline, _least_squares_univariate, Value.FOLLOWED, sequences=True),
)
