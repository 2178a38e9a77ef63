"""Linear interpolants on grids, which move with the values there, with the axes of the grid and with the places."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate

from adxform.api.scipy_models.made_interpolants import between
from adxform.api.scipy_models.solving import in_floats, moving, solve
from adxform.primitives.definitions.definition import Definition, Value, unsupported


class Grid:
    """A linear interpolant on a grid that the function has made; beyond its ends it goes on, has a value or raises."""

    def __init__(self, points: Any, values: Any, bounds_error: Any, fill_value: Any) -> None:
        self.points, self.values, self.bounds_error, self.fill_value = points, values, bounds_error, fill_value

    def __call__(self, xi: Any) -> Any:
        """The values at the places."""
        at = places_of(xi, len(self.points))
        points, values = _rising(self.points, self.values)
        found = on_grid(points, values, at)
        if not self.bounds_error and self.fill_value is not None:
            found = np.where(inside_of(points, at, found), found, self.fill_value)
        given = points, values, at, self.bounds_error, self.fill_value
        return moving(solve(_grid_value, (), (), (found,), *given), found)


def _grid_value(points: Any, values: Any, at: Any, bounds_error: Any, fill_value: Any) -> Any:
    made = interpolate.RegularGridInterpolator(points, values, "linear", bounds_error, fill_value)
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
    if method != "linear":
        unsupported("RegularGridInterpolator has a derivative for the method linear")
    return Grid(tuple([np.asarray(one) for one in points]), in_floats(values, 0.5), bounds_error, fill_value)


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
