"""Interpolants from outside are followed where they are called, with their knots and coefficients as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate

from adxform import runtime
from adxform.api.scipy_models.interpolation.basis_splines import BasisSpline, de_boor
from adxform.api.scipy_models.interpolation.fitpack_splines import FitpackSpline, at_places, between_places, mode_of
from adxform.api.scipy_models.interpolation.grid_interpolants import METHODS, by_method, inside_of, places_of, splined
from adxform.api.scipy_models.interpolation.made_interpolants import linear, within_period
from adxform.api.scipy_models.solving import moving, solve
from adxform.primitives.definitions.definition import Definition, Value, unsupported


def _outer_piecewise(made: Any, x: Any, nu: Any = 0) -> Any:
    """What an object with polynomials between its knots gives, of which the program has the coefficients."""
    at = np.asarray(x) * 1.0
    return _piecewise(made.x, made.c, within_period(made.x[0], made.x[-1], at) if made.extrapolate == "periodic" else at, nu)


def _piecewise(places: Any, c: Any, at: Any, nu: Any) -> Any:
    """The values at places of polynomials between knots, whose coefficients are rows of `c`, that of the highest power first."""
    k = np.clip(np.searchsorted(places, at, side="right") - 1, 0, places.shape[0] - 2)
    s = at - places[k]
    wide = np.reshape(s, (*np.shape(s), *((1,) * (np.ndim(c) - 2))))
    degree = c.shape[0] - 1
    found = 0.0 * c[0][k]
    for j in range(c.shape[0] - nu):
        found = found * wide + _falling(degree - j, nu) * c[j][k]
    return found


def _falling(power: Any, nu: Any) -> Any:
    """The factor that a power has in its derivative of the order `nu`."""
    factor = 1.0
    for i in range(nu):
        factor = factor * (power - i)
    return factor


def _outer_integral(made: Any, a: Any, b: Any) -> Any:
    if made.extrapolate == "periodic":
        raise runtime.without_derivative("a periodic interpolant has no derivative rule: reduce its argument to one period")
    places, c = made.x, made.c
    widths = np.reshape(places[1:] - places[:-1], (-1, *((1,) * (np.ndim(c) - 2))))
    degree = c.shape[0]
    higher = np.stack([c[j] / (degree - j) for j in range(degree)])
    whole = 0.0 * higher[0]
    for j in range(degree):
        whole = (whole + higher[j]) * widths
    higher = np.concatenate((higher, np.expand_dims(np.cumsum(whole, axis=0) - whole, 0)))
    return _piecewise(places, higher, np.asarray(b) * 1.0, 0) - _piecewise(places, higher, np.asarray(a) * 1.0, 0)


class OuterDerivative:
    """The derivative of an interpolant from outside."""

    def __init__(self, made: Any, nu: Any) -> None:
        self.made, self.nu = made, nu

    def __call__(self, x: Any) -> Any:
        """The values at the places."""
        at = np.asarray(x) * 1.0
        found = _outer_piecewise(self.made, at, self.nu)
        return moving(solve(_outer_slope, (), (), (np.ndim(found),), self.made, self.nu, at), found)


def _outer_slope(made: Any, nu: Any, at: Any) -> Any:
    return made.derivative(nu)(at)


def _outer_derivative(made: Any, nu: Any = 1) -> Any:
    return OuterDerivative(made, nu)


def _outer_line(made: Any, x: Any) -> Any:
    """What `interp1d` gives between knots, and beyond them where it goes on."""
    if not isinstance(made, interpolate.interp1d) or made._kind != "linear" or np.ndim(made.y) != 1:
        unsupported("of interpolants from outside interp1d has a derivative that is linear, with one value at each knot")
    at = np.asarray(x) * 1.0
    found = linear(made.x, made.y, at)
    return found if made._extrapolate else np.where((at < made.x[0]) | (at > made.x[-1]), 0.0, found)


def _outer_basis(made: Any, x: Any) -> Any:
    _check_values(made)
    at = np.asarray(x) * 1.0
    if made.extrapolate == "periodic":
        at = within_period(made.t[made.k], made.t[-made.k - 1], at)
    return de_boor(made.t, made.c, made.k, at)


def _check_values(made: Any) -> None:
    if np.ndim(made.c) != 1:
        raise runtime.without_derivative("a spline from outside has a derivative for one value at each place")


def _check_basis(made: Any) -> None:
    _check_values(made)
    if made.extrapolate == "periodic":
        raise runtime.without_derivative("a periodic interpolant has no derivative rule: reduce its argument to one period")


def _basis_coefficients(made: Any, nu: Any) -> Any:
    """The knots and coefficients of a derivative, or of an antiderivative where `nu` is below zero."""
    found = made.derivative(nu) if nu > 0 else made.antiderivative(-nu)
    return found.t, found.c


def _outer_basis_derivative(made: Any, nu: Any = 1) -> Any:
    _check_basis(made)
    if not made.extrapolate:
        raise runtime.without_derivative("the derivative of a spline from outside is followed where it goes on beyond its ends")
    t, c = solve(_basis_coefficients, (), (), (1, 1), made, nu)
    return BasisSpline(t, c, made.k - nu)


def _outer_basis_integral(made: Any, a: Any, b: Any) -> Any:
    _check_basis(made)
    t, c = solve(_basis_coefficients, (), (), (1, 1), made, -1)
    ends = np.array([1.0 * a, 1.0 * b])
    if not made.extrapolate:
        ends = np.clip(ends, made.t[made.k], made.t[-made.k - 1])
    found = de_boor(t, c, made.k + 1, ends)
    return found[1] - found[0]


def _outer_fitpack(made: Any, x: Any, nu: Any = 0, ext: Any = None) -> Any:
    t, c, k = made._eval_args
    return at_places(t, c, k, np.asarray(x) * 1.0, nu, made.ext if ext is None else mode_of(ext))


def _outer_fitpack_integral(made: Any, a: Any, b: Any) -> Any:
    t, c, k = made._eval_args
    return between_places(t, c, k, a, b)


def _outer_fitpack_derivative(made: Any, n: Any = 1) -> Any:
    t, c, k = made._eval_args
    return FitpackSpline(t, c, k, made.ext).derivative(n)


def _outer_grid(made: Any, xi: Any) -> Any:
    if made.method not in METHODS:
        raise runtime.without_derivative("RegularGridInterpolator has no derivative for the method pchip")
    at = places_of(xi, len(made.grid))
    if made.method == "cubic" or made.method == "quintic":
        found = splined(made._spline.t, made._spline.c, at, 3 if made.method == "cubic" else 5)
    else:
        found = by_method(made.grid, made.values, at, made.method)
    if made.fill_value is None or made.bounds_error:
        return found
    return np.where(inside_of(made.grid, at, found), found, 0.0)


DEFINITIONS: tuple[Definition, ...] = (
    Definition(interpolate.PPoly.__call__, _outer_piecewise, Value.OWN),
    Definition(interpolate.PPoly.integrate, _outer_integral, Value.OWN),
    Definition(interpolate.PPoly.derivative, _outer_derivative, Value.FOLLOWED),
    Definition(interpolate.interp1d.__call__, _outer_line, Value.OWN),
    Definition(interpolate.BSpline.derivative, _outer_basis_derivative, Value.FOLLOWED),
    Definition(interpolate.BSpline.integrate, _outer_basis_integral, Value.OWN),
    Definition(interpolate.BSpline.__call__, _outer_basis, Value.OWN),
    Definition(interpolate.UnivariateSpline.__call__, _outer_fitpack, Value.OWN),
    Definition(interpolate.UnivariateSpline.integral, _outer_fitpack_integral, Value.OWN),
    Definition(interpolate.UnivariateSpline.derivative, _outer_fitpack_derivative, Value.FOLLOWED),
    Definition(interpolate.RegularGridInterpolator.__call__, _outer_grid, Value.OWN, sequences=True),
)
