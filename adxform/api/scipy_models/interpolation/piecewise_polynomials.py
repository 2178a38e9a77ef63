"""Piecewise polynomials by their coefficients, and the polynomial through points."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate

from adxform.api.scipy_models.interpolation.made_interpolants import between
from adxform.api.scipy_models.solving import fixed, in_floats, moving, solve
from adxform.primitives.definitions.definition import Definition, Value, unsupported
from adxform.primitives.definitions.polynomials.older_polynomials import PowersOfOne


class PiecewisePolynomial:
    """SciPy's `PPoly` of one polynomial between each two breakpoints, with the highest power first."""

    def __init__(self, c: Any, x: Any) -> None:
        self.c, self.x = c, x

    def __call__(self, x: Any, nu: Any = 0) -> Any:
        """The values at the places, or a derivative of the order `nu`."""
        at = np.asarray(x) * 1.0
        found = _at_places(_derived(self.c, nu), self.x, at)
        return moving(solve(_value, (), (), (np.ndim(at),), self.c, self.x, at, nu), found)

    def derivative(self, nu: Any = 1) -> Any:
        """The derivative of an order."""
        found = _derived(self.c, nu)
        return PiecewisePolynomial(moving(solve(_derivative, (), (), (2,), self.c, self.x, nu), found), self.x)

    def antiderivative(self, nu: Any = 1) -> Any:
        """The integral from the first breakpoint."""
        if fixed(nu) != 1:
            unsupported("a piecewise polynomial that a function makes is integrated once")
        found = _integrated(self.c, self.x)
        return PiecewisePolynomial(moving(solve(_antiderivative, (), (), (2,), self.c, self.x), found), self.x)

    def integrate(self, a: Any, b: Any) -> Any:
        """The integral between two places."""
        ends = np.array([1.0 * a, 1.0 * b])
        found = _at_places(_integrated(self.c, self.x), self.x, ends)
        return moving(solve(_integral, (), (), (0,), self.c, self.x, ends), found[1] - found[0])


def _at_places(c: Any, x: Any, at: Any) -> Any:
    k = between(x, at)
    s, found = at - x[k], c[0][k]
    for n in range(1, c.shape[0]):
        found = found * s + c[n][k]
    return found


def _derived(c: Any, nu: Any) -> Any:
    for _ in range(fixed(nu)):
        if c.shape[0] == 1:
            return 0.0 * c
        powers = np.arange(c.shape[0] - 1.0, 0.0, -1.0)
        c = c[:-1] * powers[:, None]
    return c


def _integrated(c: Any, x: Any) -> Any:
    powers = np.arange(c.shape[0], 0.0, -1.0)
    raised = np.concatenate((c / powers[:, None], np.zeros_like(c[:1])))
    before = np.concatenate((np.zeros(1), np.cumsum(_ends(raised, x))[:-1]))
    return np.concatenate((raised[:-1], before[None, :]))


def _ends(c: Any, x: Any) -> Any:
    """The value of each polynomial where the next one begins."""
    h, found = np.diff(x), c[0]
    for n in range(1, c.shape[0]):
        found = found * h + c[n]
    return found


def _value(c: Any, x: Any, at: Any, nu: Any) -> Any:
    return np.asarray(interpolate.PPoly(c, x)(at, nu))


def _derivative(c: Any, x: Any, nu: Any) -> Any:
    return interpolate.PPoly(c, x).derivative(nu).c


def _antiderivative(c: Any, x: Any) -> Any:
    return interpolate.PPoly(c, x).antiderivative().c


def _integral(c: Any, x: Any, ends: Any) -> Any:
    return np.asarray(interpolate.PPoly(c, x).integrate(*ends))


def _piecewise(c: Any, x: Any, extrapolate: Any = None) -> Any:
    if extrapolate is not None and extrapolate is not True:
        unsupported("PPoly has a derivative where it goes on beyond its ends")
    c, x = in_floats(c, np.float64(0.5)), in_floats(x, np.float64(0.5))
    if np.ndim(c) != 2:
        unsupported("PPoly has a derivative of one polynomial between each two breakpoints")
    return PiecewisePolynomial(c, x)


def _lagrange_value(x: Any, w: Any) -> Any:
    return interpolate.lagrange(x, w).coeffs


def _lagrange(x: Any, w: Any) -> Any:
    places, values = np.asarray(x) * 1.0, np.asarray(w) * 1.0
    own = solve(_lagrange_value, (), (), (1,), places, values)
    found = np.linalg.solve(np.vander(places), values)
    return PowersOfOne(moving(own, found[found.shape[0] - own.shape[0] :]))


DEFINITIONS: tuple[Definition, ...] = (
    Definition(interpolate.PPoly, _piecewise, Value.FOLLOWED),
    Definition(interpolate.lagrange, _lagrange, Value.FOLLOWED),
)
