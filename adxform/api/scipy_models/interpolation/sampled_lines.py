"""`interp1d`: lines, steps and splines between samples, which move with these and with the places that are asked for."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate

from adxform.api.scipy_models.interpolation.basis_splines import de_boor, knots_through, through
from adxform.api.scipy_models.interpolation.made_interpolants import at_each, first_axis, knots, linear, placed
from adxform.api.scipy_models.solving import moving, solve
from adxform.primitives.definitions.definition import Definition, Value, unsupported

_STEPS = ("nearest", "nearest-up", "previous", "next")
_DEGREES = {"linear": 1, "slinear": 1, "quadratic": 2, "cubic": 3}


class Samples:
    """What `interp1d` makes; beyond its ends SciPy says what it gives."""

    def __init__(self, x: Any, y: Any, kind: Any, axis: Any, bounds_error: Any, fill_value: Any) -> None:
        self.x, self.y, self.kind, self.axis, self.bounds_error = x, y, kind, axis, bounds_error
        below, above = fill_value if isinstance(fill_value, tuple) else (fill_value, fill_value)
        self.below, self.above = _filled(below), _filled(above)

    def __call__(self, x: Any) -> Any:
        """The values at the places."""
        at = np.asarray(x) * 1.0
        given = self.x, self.y, self.kind, self.axis, at, self.bounds_error, self.below, self.above
        value = solve(_value, (), (), (np.ndim(at) + np.ndim(self.y) - 1,), *given)
        rows = first_axis(self.y, self.axis)
        found = _between(self.x, rows, self.kind, at)
        if not isinstance(self.below, str):
            low, high = at_each(at < self.x[0], rows), at_each(at > self.x[-1], rows)
            found = np.where(low, self.below, np.where(high, self.above, found))
        return moving(value, placed(found, at, self.y, self.axis))


def _filled(given: Any) -> Any:
    """What there is beyond an end: a number, or SciPy's word for going on."""
    return given if isinstance(given, str) else np.reshape(np.asarray(given) * 1.0, ())


def _between(x: Any, y: Any, kind: Any, at: Any) -> Any:
    if kind in _STEPS:
        return y[solve(_nearest, (), (), (at,), x, kind, at).astype(int)]
    if _DEGREES[kind] == 1:
        return linear(x, y, at)
    degree = _DEGREES[kind]
    t = knots_through(x, degree)
    c = through(t, degree, x, np.reshape(y, (x.shape[0], -1)))
    return np.reshape(de_boor(t, c, degree, at), np.shape(at) + y.shape[1:])


def _nearest(x: Any, kind: Any, at: Any) -> Any:
    """Which of the values at `x` the places `at` have."""
    numbered = interpolate.interp1d(x, np.arange(len(x)) * 1.0, kind, bounds_error=False, fill_value="extrapolate")
    return np.nan_to_num(numbered(at))


def _value(x: Any, y: Any, kind: Any, axis: Any, at: Any, bounds_error: Any, below: Any, above: Any) -> Any:
    fill_value = below if isinstance(below, str) else (below, above)
    return interpolate.interp1d(x, y, kind, axis, bounds_error=bounds_error, fill_value=fill_value)(at)


def _interp1d(x: Any, y: Any, kind: Any = "linear", axis: Any = -1, *, bounds_error: Any = None, fill_value: Any = np.nan) -> Any:
    if kind not in _STEPS and kind not in _DEGREES:
        unsupported("interp1d has a derivative for steps and for the kinds linear, slinear, quadratic and cubic")
    x, y = knots(x, y)
    order = np.argsort(x, kind="stable")
    x, y = x[order], y[order] if np.ndim(y) == 1 else np.take(y, order, axis=axis)
    return Samples(x, y, kind, axis, bounds_error, fill_value)


DEFINITIONS: tuple[Definition, ...] = (Definition(interpolate.interp1d, _interp1d, Value.FOLLOWED, sequences=True),)
