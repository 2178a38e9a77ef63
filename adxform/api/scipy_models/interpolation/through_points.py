"""Polynomials through points, which move with these, with the values there and with the places that are asked for.

Source: Berrut & Trefethen, *Barycentric Lagrange interpolation* (2004), equation 1.2.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate

from adxform.api.scipy_models.interpolation.made_interpolants import first_axis, placed
from adxform.api.scipy_models.solving import as_it_stays, in_floats, moving, solve
from adxform.primitives.definitions.definition import Definition, Value, unsupported


class Polynomial:
    """What SciPy's class `made` makes of points."""

    def __init__(self, made: Any, xi: Any, yi: Any, axis: Any) -> None:
        self.made, self.xi, self.yi, self.axis = made, xi, yi, axis

    def __call__(self, x: Any) -> Any:
        """The values at the places."""
        at = np.asarray(x) * 1.0
        value = solve(_value, (), (), (np.ndim(at) + np.ndim(self.yi) - 1,), self.made, self.xi, self.yi, self.axis, at)
        found = _through(self.xi, first_axis(self.yi, self.axis), at)
        return moving(value, placed(found, at, self.yi, self.axis))


def _value(made: Any, xi: Any, yi: Any, axis: Any, at: Any) -> Any:
    return np.asarray(made(xi, yi, axis)(at))


def _through(xi: Any, rows: Any, at: Any) -> Any:
    """The sum of the values, each by the polynomial that is one at its point and zero at the others."""
    n = xi.shape[0]
    away = np.expand_dims(at, -1) - xi
    others = np.where(np.eye(n) > 0.0, 1.0, away[..., None, :])
    apart = np.where(np.eye(n) > 0.0, 1.0, xi[:, None] - xi[None, :])
    shares = np.prod(others, axis=-1) / np.prod(apart, axis=-1)
    return np.tensordot(shares, rows, 1)


def _made_by(made: Any) -> Any:
    def body(xi: Any, yi: Any = None, axis: Any = 0) -> Any:
        if yi is None:
            unsupported("polynomials through points have a derivative where the values are given at once")
        xi = as_it_stays(np.asarray(xi)) * 1.0  # of which SciPy keeps what follows, and the points themselves
        yi = in_floats(yi, np.float64(0.5)) if made is interpolate.BarycentricInterpolator else np.asarray(yi) * 1.0
        if np.ndim(xi) != 1 or np.iscomplexobj(yi):
            unsupported("polynomials through points have a derivative for a vector of points and real values")
        return Polynomial(made, xi, yi, axis)

    return body


def _once(made: Any) -> Any:
    def body(xi: Any, yi: Any, x: Any, *, axis: Any = 0) -> Any:
        return _made_by(made)(xi, yi, axis)(x)

    return body


DEFINITIONS: tuple[Definition, ...] = (
    Definition(
        interpolate.BarycentricInterpolator, _made_by(interpolate.BarycentricInterpolator), Value.FOLLOWED, sequences=True
    ),
    Definition(interpolate.KroghInterpolator, _made_by(interpolate.KroghInterpolator), Value.FOLLOWED, sequences=True),
    Definition(interpolate.barycentric_interpolate, _once(interpolate.BarycentricInterpolator), sequences=True),
    Definition(interpolate.krogh_interpolate, _once(interpolate.KroghInterpolator), sequences=True),
)
