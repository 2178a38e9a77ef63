"""Interpolants of more than one place: by radial functions of scattered points, and by splines on a rectangular grid.

Source: Fasshauer, *Meshfree Approximation Methods with MATLAB* (2007); Dierckx, *Curve and Surface Fitting with Splines* (1993).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import interpolate

from adxform import runtime
from adxform.api.scipy_models.interpolation.basis_splines import basis, collocation, de_boor, derived, knots_through
from adxform.api.scipy_models.solving import as_it_stays, fixed, moving, solve, still
from adxform.primitives.definitions.definition import Definition, Value, unsupported

# -- radial functions ---------------------------------------------------------------------------------------------------


def _radial(kernel: Any, squares: Any) -> Any:
    """The radial function of the squares of distances."""
    if kernel == "thin_plate_spline":
        return 0.5 * squares * np.log(np.where(squares > 0.0, squares, 1.0))
    if kernel == "linear":
        return -np.where(squares > 0.0, np.sqrt(np.where(squares > 0.0, squares, 1.0)), 0.0)
    if kernel == "cubic":
        return squares**1.5
    if kernel == "quintic":
        return -(squares**2.5)
    if kernel == "multiquadric":
        return -np.sqrt(1.0 + squares)
    if kernel == "inverse_multiquadric":
        return 1.0 / np.sqrt(1.0 + squares)
    if kernel == "inverse_quadratic":
        return 1.0 / (1.0 + squares)
    return np.exp(-squares)


def _squares(x: Any, y: Any, epsilon: Any) -> Any:
    """The squares of the distances between the points of two sets, in units of `epsilon`."""
    return epsilon**2 * np.sum((x[:, None, :] - y[None, :, :]) ** 2, axis=2)


def _monomials(x: Any, y: Any, powers: Any) -> Any:
    """The monomials at the points of `x`, in units of the box that those of `y` fill: which box does not move what they span."""
    low, high = still(np.min(y, axis=0)), still(np.max(y, axis=0))
    half = np.where(high > low, 0.5 * (high - low), 1.0)
    place = (x - 0.5 * (low + high)) / half
    return np.prod(place[:, None, :] ** powers[None, :, :], axis=2)


def radial_weights(y: Any, d: Any, smoothing: Any, kernel: Any, epsilon: Any, powers: Any) -> Any:
    """The weights of the radial functions around the points `y`, and of monomials, that give the values `d` there."""
    tail = _monomials(y, y, powers)
    inner = _radial(kernel, _squares(y, y, epsilon)) + smoothing * np.eye(y.shape[0])
    corner = np.zeros((powers.shape[0], powers.shape[0]))
    matrix = np.concatenate(
        (np.concatenate((inner, tail), axis=1), np.concatenate((np.swapaxes(tail, 0, 1), corner), axis=1)), axis=0
    )
    return np.linalg.solve(matrix, np.concatenate((d, np.zeros((powers.shape[0], d.shape[1]))), axis=0))


def radial_values(x: Any, y: Any, weights: Any, kernel: Any, epsilon: Any, powers: Any) -> Any:
    """What radial functions around `y` and monomials of these weights give at `x`."""
    parts = np.concatenate((_radial(kernel, _squares(x, y, epsilon)), _monomials(x, y, powers)), axis=1)
    return parts @ weights


class Radial:
    """An interpolant by radial functions that the function has made."""

    def __init__(self, y: Any, d: Any, smoothing: Any, kernel: Any, epsilon: Any, degree: Any) -> None:
        self.y, self.d, self.smoothing, self.kernel, self.epsilon, self.degree = y, d, smoothing, kernel, epsilon, degree
        self.scale = 1.0 if epsilon is None else epsilon  # SciPy refuses to do without where it matters
        self.powers = solve(_powers, (), (), (2,), y, d, smoothing, kernel, epsilon, degree)
        columns = d if np.ndim(d) > 1 else d[:, None]
        self.weights = radial_weights(y, columns, smoothing, kernel, self.scale, self.powers)

    def __call__(self, x: Any) -> Any:
        """The values at the points."""
        at = np.asarray(x) * 1.0
        found = radial_values(at, self.y, self.weights, self.kernel, self.scale, self.powers)
        shaped = found if np.ndim(self.d) > 1 else found[:, 0]
        given = self.y, self.d, self.smoothing, self.kernel, self.epsilon, self.degree
        return moving(solve(_radial_value, (), (), (shaped,), at, *given), shaped)


def _made_radial(y: Any, d: Any, smoothing: Any, kernel: Any, epsilon: Any, degree: Any) -> Any:
    return interpolate.RBFInterpolator(y, d, smoothing=smoothing, kernel=kernel, epsilon=epsilon, degree=degree)


def _powers(*given: Any) -> Any:
    return _made_radial(*given).powers.astype(float)


def _radial_value(at: Any, *given: Any) -> Any:
    return _made_radial(*given)(at)


def _radial_interpolator(
    y: Any,
    d: Any,
    *,
    smoothing: Any = 0.0,
    kernel: Any = "thin_plate_spline",
    epsilon: Any = None,
    degree: Any = None,
) -> Any:
    y, d = as_it_stays(np.asarray(y)) * 1.0, np.asarray(d) * 1.0  # SciPy holds the points themselves
    if np.iscomplexobj(d) or np.ndim(d) > 2 or np.ndim(smoothing) > 0:
        unsupported("RBFInterpolator has a derivative for real numbers or vectors at each point, and one number as smoothing")
    return Radial(y, d, smoothing, kernel, epsilon, degree)


def _outer_radial(made: Any, x: Any) -> Any:
    if made.neighbors is not None or made.d_dtype is complex or len(made.d_shape) > 1:
        raise runtime.without_derivative("RBFInterpolator has a derivative without `neighbors`, and for real values")
    at = np.asarray(x) * 1.0
    parts = _radial(made.kernel, _squares(at, made.y, made.epsilon))
    powers = made.powers
    tail = np.prod(((at - made._shift) / made._scale)[:, None, :] ** powers[None, :, :], axis=2)
    found = np.concatenate((parts, tail), axis=1) @ made._coeffs
    return found if made.d_shape else found[:, 0]


# -- splines on a grid --------------------------------------------------------------------------------------------------


class Surface:
    """A spline of two places by its knots and coefficients that the function has made."""

    def __init__(self, tx: Any, ty: Any, c: Any, kx: Any, ky: Any) -> None:
        self.tx, self.ty, self.c, self.kx, self.ky = tx, ty, c, kx, ky

    def ev(self, xi: Any, yi: Any, dx: Any = None, dy: Any = None) -> Any:
        """The values at pairs of places."""
        return self._at(xi, yi, 0 if dx is None else dx, 0 if dy is None else dy, False)

    def __call__(self, x: Any, y: Any, dx: Any = None, dy: Any = None, grid: Any = None) -> Any:
        """The values at the places of a grid, or at pairs of places."""
        return self._at(x, y, 0 if dx is None else dx, 0 if dy is None else dy, grid is None or grid)

    def _at(self, x: Any, y: Any, dx: Any, dy: Any, grid: Any) -> Any:
        x, y = np.asarray(x) * 1.0, np.asarray(y) * 1.0
        if grid:
            x, y = np.atleast_1d(x), np.atleast_1d(y)
        found = surface(self.tx, self.ty, self.c, self.kx, self.ky, x, y, dx, dy, grid)
        given = self.tx, self.ty, np.ravel(self.c), self.kx, self.ky, x, y, dx, dy, grid
        return moving(solve(_surface_value, (), (), (np.ndim(found),), *given), found)


def surface(tx: Any, ty: Any, c: Any, kx: Any, ky: Any, x: Any, y: Any, dx: Any, dy: Any, grid: Any) -> Any:
    """The values of a spline with so many derivatives by each place; beyond the ends FITPACK gives what it has there."""
    x, y = np.clip(x, tx[kx], tx[-kx - 1]), np.clip(y, ty[ky], ty[-ky - 1])
    tx, c, kx = derived(tx, c, kx, dx)
    ty, turned, ky = derived(ty, np.swapaxes(c, 0, 1), ky, dy)
    c = np.swapaxes(turned, 0, 1)
    if grid:
        return np.swapaxes(de_boor(ty, np.swapaxes(de_boor(tx, c, kx, x), 0, 1), ky, y), 0, 1)
    row, along_x = basis(tx, kx, x)
    column, along_y = basis(ty, ky, y)
    total = 0.0
    for i, part in enumerate(tuple(along_x)):
        for j, share in enumerate(tuple(along_y)):
            total = total + part * share * c[row - kx + i, column - ky + j]
    return total


def _surface_value(tx: Any, ty: Any, c: Any, kx: Any, ky: Any, x: Any, y: Any, dx: Any, dy: Any, grid: Any) -> Any:
    made = interpolate.BivariateSpline._from_tck((tx, ty, c, kx, ky))
    return made(x, y, dx, dy, grid)


def _rectangular(x: Any, y: Any, z: Any, *, kx: Any = 3, ky: Any = 3, s: Any = 0) -> Any:
    if s != 0:
        raise runtime.without_derivative("a surface that is smoothed has knots that FITPACK chooses, and no derivative: s=0")
    kx, ky = fixed(kx), fixed(ky)
    x, y, z = np.asarray(x) * 1.0, np.asarray(y) * 1.0, np.asarray(z) * 1.0
    tx, ty, c = solve(_rectangular_value, (), (), (1, 1, 2), x, y, z, kx, ky)
    to_x, to_y = knots_through(x, kx), knots_through(y, ky)
    along = np.linalg.solve(collocation(to_x, kx, x), z)
    movement = np.swapaxes(np.linalg.solve(collocation(to_y, ky, y), np.swapaxes(along, 0, 1)), 0, 1)
    return Surface(moving(tx, to_x), moving(ty, to_y), moving(c, movement), kx, ky)


def _rectangular_value(x: Any, y: Any, z: Any, kx: Any, ky: Any) -> Any:
    tx, ty, c = interpolate.RectBivariateSpline(x, y, z, kx=kx, ky=ky).tck
    return tx, ty, c.reshape(len(tx) - kx - 1, len(ty) - ky - 1)


def _outer_surface(made: Any, x: Any, y: Any, dx: Any = 0, dy: Any = 0, grid: Any = True) -> Any:
    tx, ty, c = made.tck
    kx, ky = made.degrees
    x, y = np.asarray(x) * 1.0, np.asarray(y) * 1.0
    if grid:
        x, y = np.atleast_1d(x), np.atleast_1d(y)
    square = np.reshape(c, (tx.shape[0] - kx - 1, ty.shape[0] - ky - 1))
    return surface(tx, ty, square, kx, ky, x, y, dx, dy, grid)


def _outer_pairs(made: Any, xi: Any, yi: Any, dx: Any = 0, dy: Any = 0) -> Any:
    return _outer_surface(made, xi, yi, dx, dy, False)


DEFINITIONS: tuple[Definition, ...] = (
    Definition(interpolate.RBFInterpolator, _radial_interpolator, Value.FOLLOWED, sequences=True),
    Definition(interpolate.RBFInterpolator.__call__, _outer_radial, Value.OWN),
    Definition(interpolate.RectBivariateSpline, _rectangular, Value.FOLLOWED, sequences=True),
    Definition(interpolate.BivariateSpline.__call__, _outer_surface, Value.OWN),
    Definition(interpolate.BivariateSpline.ev, _outer_pairs, Value.OWN),
)
