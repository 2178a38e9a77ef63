"""Interpolants on grids, which move with the values there, with the axes of the grid and with the places."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate

from adxform.api.scipy_models.interpolation.basis_splines import basis, collocation, knots_through
from adxform.api.scipy_models.interpolation.made_interpolants import between
from adxform.api.scipy_models.solving import in_floats, moving, solve
from adxform.primitives.definitions.definition import Definition, Value, unsupported

_DEGREES = {"cubic": 3, "quintic": 5}
METHODS = ("linear", "slinear", "nearest", *_DEGREES)


class Grid:
    """An interpolant on a grid that the function has made; beyond its ends it goes on, has a value or raises."""

    def __init__(self, points: Any, values: Any, method: Any, bounds_error: Any, fill_value: Any) -> None:
        self.points, self.values, self.method, self.bounds_error, self.fill_value = (
            points,
            values,
            method,
            bounds_error,
            fill_value,
        )

    def __call__(self, xi: Any, method: Any = None) -> Any:
        """The values at the places."""
        if method is not None and method != self.method:
            unsupported("RegularGridInterpolator has a derivative for the method that it was made with")
        at = places_of(xi, len(self.points))
        points, values = _rising(self.points, self.values)
        found = by_method(points, values, at, self.method)
        if not self.bounds_error and self.fill_value is not None:
            found = np.where(inside_of(points, at, found), found, self.fill_value)
        given = points, values, self.method, at, self.bounds_error, self.fill_value
        return moving(solve(_grid_value, (), (), (found,), *given), found)


def _grid_value(points: Any, values: Any, method: Any, at: Any, bounds_error: Any, fill_value: Any) -> Any:
    made = interpolate.RegularGridInterpolator(points, values, method, bounds_error, fill_value)
    return made(at) if at.ndim > 1 else made(at[None])[0]


def inside_of(points: Any, at: Any, found: Any) -> Any:
    """Which places lie on the grid, for the values `found` there."""
    inside = True
    for axis in range(len(points)):
        x = points[axis]
        inside = inside & (at[..., axis] >= x[0]) & (at[..., axis] <= x[-1])
    return np.reshape(inside, (*np.shape(inside), *((1,) * (np.ndim(found) - np.ndim(inside)))))


def places_of(xi: Any, count: Any) -> Any:
    """Places of `count` numbers each along the last axis; of a tuple each item has one number of all places."""
    if isinstance(xi, tuple) and len(xi) > 1:
        return np.stack(np.broadcast_arrays(*[np.asarray(one) * 1.0 for one in xi]), axis=-1)
    at = np.asarray(xi[0] if isinstance(xi, tuple) else xi) * 1.0
    return at if np.ndim(at) > 1 else np.reshape(at, (-1, count))


def by_method(points: Any, values: Any, at: Any, method: Any) -> Any:
    """The values at the places by one of SciPy's methods."""
    if method == "linear" or method == "slinear":
        return on_grid(points, values, at)
    if method == "nearest":
        return nearest_on_grid(points, values, at)
    degree = _DEGREES[method]
    t = [knots_through(x, degree) for x in points]
    c = solve(_coefficients, (), (), (np.ndim(values),), points, values, method)
    return splined(t, moving(c, _through(t, points, values, degree)), at, degree)


def _coefficients(points: Any, values: Any, method: Any) -> Any:
    """The coefficients of SciPy's spline, which it solves for to a tolerance."""
    return interpolate.RegularGridInterpolator(points, values, method)._spline.c


def nearest_on_grid(points: Any, values: Any, at: Any) -> Any:
    """The value next to each place."""
    place = []
    for axis in range(len(points)):
        x, along = points[axis], at[..., axis]
        k = between(x, along)
        place.append(np.where((along - x[k]) / (x[k + 1] - x[k]) <= 0.5, k, k + 1))
    return values[tuple(place)]


def _through(t: Any, points: Any, values: Any, degree: Any) -> Any:
    """The coefficients of the spline with the knots `t` through the values on the grid."""
    c = values
    for axis in range(len(points)):
        along = np.moveaxis(c, axis, 0)
        solved = np.linalg.solve(collocation(t[axis], degree, points[axis]), np.reshape(along, (along.shape[0], -1)))
        c = np.moveaxis(np.reshape(solved, along.shape), 0, axis)
    return c


def splined(t: Any, c: Any, at: Any, degree: Any) -> Any:
    """The values at the places of the spline with the knots `t` along each axis, and the coefficients `c`."""
    parts: list[Any] = [((), 1.0)]
    for axis in range(len(t)):
        k, shares = basis(t[axis], degree, at[..., axis])
        parts = [((*place, k - degree + j), weight * share) for place, weight in parts for j, share in enumerate(tuple(shares))]
    total = 0.0
    for place, weight in parts:
        total = total + np.reshape(weight, (*np.shape(weight), *((1,) * (np.ndim(c) - len(t))))) * c[place]
    return total


def on_grid(points: Any, values: Any, at: Any) -> Any:
    """The mean of the values at the corners around each place, by what lies opposite to them."""
    corners: list[Any] = [((), 1.0)]
    for axis in range(len(points)):
        x, along = points[axis], at[..., axis]
        k = between(x, along)
        share = (along - x[k]) / (x[k + 1] - x[k])
        corners = [((*place, to), weight * part) for place, weight in corners for to, part in ((k, 1.0 - share), (k + 1, share))]
    total = 0.0
    for place, weight in corners:
        total = total + np.reshape(weight, (*np.shape(weight), *((1,) * (np.ndim(values) - len(points))))) * values[place]
    return total


def _regular_grid(points: Any, values: Any, method: Any = "linear", bounds_error: Any = True, fill_value: Any = np.nan) -> Any:
    if method not in METHODS:
        unsupported("RegularGridInterpolator has a derivative for the methods linear, slinear, nearest, cubic and quintic")
    return Grid(tuple([np.asarray(one) for one in points]), in_floats(values, 0.5), method, bounds_error, fill_value)


def _interpn(
    points: Any, values: Any, xi: Any, method: Any = "linear", bounds_error: Any = True, fill_value: Any = np.nan
) -> Any:
    return _regular_grid(points, values, method, bounds_error, fill_value)(xi)


def _rising(points: Any, values: Any) -> Any:
    """The grid with axes that rise, as its arrays are now: SciPy takes no copies of them."""
    rising = []
    for axis, one in enumerate(points):
        order = np.argsort(one)
        rising.append(one[order])
        values = np.take(values, order, axis=axis)
    return tuple(rising), values


DEFINITIONS: tuple[Definition, ...] = (
    Definition(interpolate.RegularGridInterpolator, _regular_grid, Value.FOLLOWED, sequences=True),
    Definition(interpolate.interpn, _interpn, sequences=True),
)
