"""Interpolants of scattered points, linear within triangles or constant next to points.

Which triangle or which point a place belongs to does not move; the values, the corners and the places do.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate

from adxform.api.scipy_models.solving import as_it_stays, in_floats, moving, solve
from adxform.primitives.definitions.definition import Definition, Value, unsupported


class Scattered:
    """What `LinearNDInterpolator` or `NearestNDInterpolator` makes of points and values."""

    def __init__(self, points: Any, values: Any, fill_value: Any, rescale: Any, nearest: Any) -> None:
        self.points, self.values, self.fill_value, self.rescale, self.nearest = points, values, fill_value, rescale, nearest

    def __call__(self, *args: Any) -> Any:
        """The values at the places."""
        at = _places(args, self.points.shape[1])
        ones = np.ndim(at) - 1 + np.ndim(self.values) - 1
        given = self.points, self.values, self.fill_value, self.rescale, at
        if self.nearest:
            value, which = solve(_nearest_value, (), (), (ones, np.ndim(at) - 1), *given)
            return moving(value, self.values[which.astype(int)])
        value, corners, inside = solve(_linear_value, (), (), (ones, np.ndim(at), np.ndim(at) - 1), *given)
        places, inner = corners.astype(int), inside > 0.0
        shares = _shares(self.points[places], at, inner)
        found = np.sum(_wide(shares, self.values) * self.values[places], axis=np.ndim(at) - 1)
        return moving(value, np.where(_wide(inner, self.values), found, self.fill_value))


def _places(args: Any, count: Any) -> Any:
    """Places of `count` numbers each along the last axis, given together or each of their numbers alone."""
    parts = args[0] if len(args) == 1 and isinstance(args[0], tuple) else args
    if len(parts) > 1:
        return np.stack(np.broadcast_arrays(*[np.asarray(one) * 1.0 for one in parts]), axis=-1)
    at = np.asarray(parts[0]) * 1.0
    return at if np.ndim(at) > 1 else np.reshape(at, (-1, count))


def _wide(shares: Any, values: Any) -> Any:
    return np.reshape(shares, (*np.shape(shares), *((1,) * (np.ndim(values) - 1))))


def _shares(corners: Any, at: Any, inner: Any) -> Any:
    """The weights of the `corners` of its triangle at each place."""
    sides = corners[..., :-1, :] - corners[..., -1:, :]
    products = sides @ np.swapaxes(sides, -1, -2)
    safe = np.where(inner[..., None, None], products, np.eye(products.shape[-1]))
    first = np.linalg.solve(safe, sides @ (at - corners[..., -1, :])[..., None])[..., 0]
    return np.concatenate((first, 1.0 - np.sum(first, axis=-1, keepdims=True)), axis=-1)


def _linear_value(points: Any, values: Any, fill_value: Any, rescale: Any, at: Any) -> Any:
    made = interpolate.LinearNDInterpolator(points, values, fill_value, rescale)
    scaled = (at - made.offset) / made.scale if rescale else at
    which = made.tri.find_simplex(scaled)
    return np.asarray(made(*_given(at))), 1.0 * made.tri.simplices[which], 1.0 * (which >= 0)


def _given(at: Any) -> tuple[Any, ...]:
    """The places as SciPy is to have them: one place as its numbers."""
    return (at,) if at.ndim > 1 else tuple(at)


def _nearest_value(points: Any, values: Any, fill_value: Any, rescale: Any, at: Any) -> Any:
    numbered = interpolate.NearestNDInterpolator(points, np.arange(len(points)) * 1.0, rescale)
    return np.asarray(interpolate.NearestNDInterpolator(points, values, rescale)(*_given(at))), np.asarray(numbered(*_given(at)))


def _scattered(points: Any, values: Any, fill_value: Any, rescale: Any, nearest: Any) -> Any:
    points, values = np.asarray(points) * 1.0, in_floats(values, np.float64(0.5))  # SciPy holds the values themselves
    if np.ndim(points) != 2 or np.iscomplexobj(values):
        unsupported("interpolants of scattered points have a derivative for real values at an array of points")
    return Scattered(points, values, fill_value, rescale, nearest)


def _linear_scattered(points: Any, values: Any, fill_value: Any = np.nan, rescale: Any = False) -> Any:
    return _scattered(as_it_stays(np.asarray(points)), values, fill_value, rescale, False)


def _nearest_scattered(x: Any, y: Any, rescale: Any = False) -> Any:
    return _scattered(as_it_stays(np.asarray(x)), y, np.nan, rescale, True)


def _griddata(points: Any, values: Any, xi: Any, method: Any = "linear", fill_value: Any = np.nan, rescale: Any = False) -> Any:
    if method not in ("linear", "nearest"):
        unsupported("griddata has a derivative for the methods linear and nearest")
    points = np.stack([np.asarray(one) * 1.0 for one in points], axis=-1) if isinstance(points, tuple) else np.asarray(points)
    if np.ndim(points) != 2:
        unsupported("griddata has a derivative for points of a plane or more: along a line use interp1d")
    return _scattered(points, values, fill_value, rescale, method == "nearest")(xi)


DEFINITIONS: tuple[Definition, ...] = (
    Definition(interpolate.LinearNDInterpolator, _linear_scattered, Value.FOLLOWED, sequences=True),
    Definition(interpolate.NearestNDInterpolator, _nearest_scattered, Value.FOLLOWED, sequences=True),
    Definition(interpolate.griddata, _griddata, sequences=True),
)
