"""Promise: splines by knots and coefficients, radial functions and grids of SciPy have the right derivative and its value.

The oracle is differences of SciPy itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import adxform

pytest.importorskip("scipy")
from scipy import interpolate

from tests.scipy_judge import Model, judge
from tests.tables import cell

RNG = np.random.default_rng(20261127)
X, Y = np.arange(6.0), np.arange(5.0)
AT = np.array([0.3, 2.2, 4.9])
TABLE = np.cos(np.add.outer(X, Y**1.2))
POINTS, DATA, ASKED = RNG.normal(size=(7, 2)), RNG.normal(size=7), RNG.normal(size=(3, 2))
WITH_KNOTS = np.array([0.0, 0, 0, 0, 2.5, 5, 5, 5, 5])


def waves(p: Any) -> Any:
    return np.cos(X * p[0])


def fitpack(p: Any, k: Any = 3) -> Any:
    return interpolate.splrep(X * p[1], waves(p), k=k)


def coordinates(p: Any) -> Any:
    return np.stack((waves(p), X * p[1], waves(p) * p[0]))


def spline(p: Any, k: Any = 3) -> Any:
    return interpolate.make_interp_spline(X * p[1], waves(p), k=k)


def univariate(p: Any, ext: Any = 0) -> Any:
    return interpolate.InterpolatedUnivariateSpline(X * p[1], waves(p), ext=ext)


def surface(p: Any) -> Any:
    return interpolate.RectBivariateSpline(X * p[0], Y, TABLE * p[1])


SMOOTHED = interpolate.UnivariateSpline(np.arange(12.0), np.cos(np.arange(12.0)), s=0.1)
HELD = interpolate.UnivariateSpline(np.arange(12.0), np.cos(np.arange(12.0)), s=0.1, ext="const")
SURFACE = interpolate.RectBivariateSpline(X, Y, TABLE)
SCATTERED = interpolate.SmoothBivariateSpline(*RNG.normal(size=(3, 40)))
RADIAL = interpolate.RBFInterpolator(POINTS, DATA)
RADIALS = interpolate.RBFInterpolator(POINTS, np.stack((DATA, DATA**2), 1), kernel="gaussian", epsilon=0.7, smoothing=0.1)
GRID = (np.linspace(0.0, 2.0, 4), np.linspace(0.0, 3.0, 5))
HEIGHTS = np.cos(np.add.outer(*GRID))
ON_GRID = interpolate.RegularGridInterpolator(GRID, HEIGHTS)
FILLED = interpolate.RegularGridInterpolator(GRID, HEIGHTS, bounds_error=False, fill_value=7.0)
TWO = np.array([1.0, 2.0])

SPLINES: dict[str, Model] = {
    "splev": lambda p: np.sum(interpolate.splev(AT * p[0], fitpack(p)) ** 2) + interpolate.splev(2.3, fitpack(p), der=1),
    "splint": lambda p: interpolate.splint(-1.0, 3.0 * p[1], fitpack(p)),
    "splder": lambda p: interpolate.splev(2.3 * p[1], interpolate.splder(fitpack(p), 2)),
    "splantider": lambda p: interpolate.splev(2.3 * p[1], interpolate.splantider(fitpack(p))),
    "curve": lambda p: sum(
        np.sum(part * part)
        for part in interpolate.splev(AT * p[0], [fitpack(p)[0], coordinates(p)[:, [*range(6), 0, 0, 0, 0]], 3])
    ),
    "integrals_of_a_curve": lambda p: sum(
        k * part
        for k, part in enumerate(interpolate.splint(0.1, 3.0 * p[1], (WITH_KNOTS, [p[0] * X[:5], np.cos(X[:5] * p[1])], 3)), 1)
    ),
    "splrep_with_knots": lambda p: interpolate.splev(2.3, interpolate.splrep(X, waves(p), w=1.0 + X, t=[2.2 * p[1]])),
    "degrees": lambda p: sum(interpolate.splev(2.3, fitpack(p, k=k)) for k in (1, 2, 4, 5)),
    "degrees_made": lambda p: sum(spline(p, k=k)(2.3) for k in (1, 2, 5)),
    "vectors": lambda p: np.sum(interpolate.make_interp_spline(X * p[1], np.outer(waves(p), p))(AT) ** 2),
    "slopes": lambda p: spline(p).derivative(2)(2.3) + np.sum(spline(p)(AT, 1)) + spline(p).derivative()(p[0]),
    "integrals": lambda p: spline(p, k=5).antiderivative()(2.3) + spline(p).integrate(0.1, 7.0 * p[1]),
    "parts": lambda p: spline(p).c[2] * spline(p).t[4] + univariate(p).get_coeffs()[2] * univariate(p).get_knots()[1],
    "with_knots": lambda p: interpolate.make_interp_spline(X, waves(p), 3, np.array([0, 0, 0, 0, 2 * p[1], 3, 5, 5, 5, 5]))(1.7),
    "least_squares": lambda p: interpolate.make_lsq_spline(X, waves(p), WITH_KNOTS + (WITH_KNOTS == 2.5) * p[1], w=1.0 + X)(
        1.7 * p[0]
    ),
    "univariate": lambda p: np.sum(univariate(p)(AT * p[0]) ** 2) + univariate(p).derivative()(2.0) + univariate(p)(1.1, nu=2),
    "univariate_integral": lambda p: univariate(p).integral(-1.0, p[0]) + univariate(p).antiderivative()(2.0),
    "univariate_beyond": lambda p: np.sum(
        univariate(p, "zeros")(AT * 2.0 - 1.0) + univariate(p, 3)(AT * 2.0 - 1.0) + univariate(p, 3).derivative()(AT * 2.0 - 1.0)
    ),
    "slopes_where_a_spline_is_held": lambda p: (
        interpolate.splev(9.0 * p[0], fitpack(p), der=1, ext=3)
        + interpolate.splev(-p[1], fitpack(p), der=2, ext=3)
        + univariate(p, "const")(9.0 * p[0], 1)
        + univariate(p)(-p[1], 1, 3)
    ),
    "beyond_the_degree": lambda p: sum(
        made(X * p[1], waves(p))(2.3, 4) + made(X * p[1], waves(p)).derivative(4)(2.3) + p[0] ** 2
        for made in (interpolate.CubicSpline, interpolate.PchipInterpolator, interpolate.Akima1DInterpolator)
    ),
    "splines_beyond_the_degree": lambda p: spline(p)(2.3, 4) + spline(p)(2.3 * p[0], 3) + np.sum(spline(p)(AT, 7)),
    "univariate_not_smoothed": lambda p: interpolate.UnivariateSpline(X, waves(p), s=0)(2.3 * p[1]),
    "univariate_with_knots": lambda p: interpolate.LSQUnivariateSpline(X, waves(p), [2.2 * p[1]], w=1.0 + X)(1.4 * p[0]),
    "outer": lambda p: (
        np.sum(SMOOTHED(AT * p[0])) + SMOOTHED.derivative()(p[0]) + SMOOTHED.integral(0.1, p[1]) + SMOOTHED(p[0], nu=1)
    ),
    "outer_beyond": lambda p: (
        np.sum(HELD(AT * 9.0 * p[0] - 5.0) ** 2) + HELD(13.0 * p[0], ext=0) + HELD.derivative()(13.0 * p[0])
    ),
}


@pytest.mark.parametrize("name", SPLINES)
def test_splines(name: str) -> None:
    judge(
        SPLINES[name],
        np.array([0.9, 1.2]),
        step=1e-3,
        second=name in ("splev", "vectors", "least_squares", "univariate", "outer"),
    )


KERNELS = (
    "thin_plate_spline",
    "linear",
    "cubic",
    "quintic",
    "multiquadric",
    "inverse_multiquadric",
    "inverse_quadratic",
    "gaussian",
)
SURFACES: dict[str, Model] = {
    **{
        kernel: lambda p, kernel=kernel: np.sum(
            interpolate.RBFInterpolator(POINTS * p[0], DATA * p[1], kernel=kernel, epsilon=p[1])(ASKED * p[0] * p[1]) ** 2
        )
        for kernel in KERNELS
    },
    "radial_of_two": lambda p: np.sum(
        interpolate.RBFInterpolator(POINTS * p[0], np.outer(DATA, p), smoothing=0.1 * p[0], degree=2)(ASKED * p[1]) ** 2
    ),
    "radial_at_the_points": lambda p: np.sum(
        interpolate.RBFInterpolator(POINTS, DATA * p[0] ** p[1], smoothing=0.3)(POINTS) ** 2
    ),
    "radial_without_a_tail": lambda p: np.sum(interpolate.RBFInterpolator(POINTS, DATA, kernel="linear", degree=-1)(ASKED * p)),
    "radial_outer": lambda p: RADIAL(ASKED * p) @ np.arange(3.0) + np.sum(RADIALS(ASKED * p) ** 2),
    "surface": lambda p: np.sum(
        surface(p)(np.array([0.2, 1.3]), np.array([0.4, 2.2 * p[0], 3.0])) * np.arange(6.0).reshape(2, 3)
    ),
    "surface_pairs": lambda p: (
        np.sum(surface(p).ev(1.3 * p, 2.2 * p, dx=1)) + surface(p)(1.3, p[0], grid=False) + surface(p)(1.3, 0.4)[0, 0]
    ),
    "surface_degrees": lambda p: interpolate.RectBivariateSpline(X, Y * p[0], TABLE * p[1], kx=2, ky=1).ev(1.3, 2.2 * p[1]),
    "surface_outer": lambda p: np.sum(SURFACE(p, p**2) ** 2) + SURFACE.ev(p[0], 9.0 * p[1]) + np.sum(SURFACE(p, p, dy=1)),
    "surface_scattered": lambda p: np.sum(SCATTERED.ev(p, p[1]) ** 2) + SCATTERED(p[0], p[1], dx=1, grid=False),
}


@pytest.mark.parametrize("name", SURFACES)
def test_surfaces(name: str) -> None:
    judge(SURFACES[name], np.array([0.9, 1.2]), step=1e-3)


def grid(p: Any, **options: Any) -> Any:
    return interpolate.RegularGridInterpolator(GRID, HEIGHTS * p[0], **options)


PLACES: dict[str, Model] = {
    "a_tuple_of_two_places": lambda p: grid(p)((AT[:2] * p[0] / 2.0, np.array([0.2, 1.9]) * p[1])) @ TWO,
    "a_tuple_of_three_places": lambda p: grid(p)((AT / 3.0 * p[0], AT / 2.0 * p[1])) @ AT,
    "a_tuple_of_numbers": lambda p: grid(p)((p[0], p[1])) * ON_GRID((p[0], 1.1)),
    "a_tuple_for_an_outer_grid": lambda p: ON_GRID((AT[:2] * p[0] / 2.0, np.array([0.2, 1.9]) * p[1])) @ TWO,
    "a_tuple_that_broadcasts": lambda p: ON_GRID((AT / 3.0 * p[0], p[1])) @ AT,
    "a_mesh": lambda p: (
        ON_GRID(tuple(np.meshgrid(p, p * 1.1)))[0, 1] + np.sum(grid(p)(np.meshgrid(p, p)[0][:, :, None] * TWO / 2.0))
    ),
    "lists": lambda p: ON_GRID([[p[0], p[1]], [p[1], p[0]]]) @ TWO + ON_GRID([p[0], p[1]])[0],
    "one_line": lambda p: ON_GRID(np.concatenate((p, p[::-1]))) @ TWO + grid(p)(p)[0],
    "beyond": lambda p: grid(p, bounds_error=False, fill_value=None)((p * 3.0, p)) @ TWO,
    "filled": lambda p: grid(p, bounds_error=False, fill_value=p[1])((p * 1.8, p)) @ TWO + FILLED((p * 1.8, p)) @ TWO,
    "interpn": lambda p: interpolate.interpn(GRID, HEIGHTS * p[0], (p * 1.2, p)) @ TWO,
    "interpn_along_one": lambda p: (
        interpolate.interpn((GRID[0],), HEIGHTS[:, 0] * p[0], p, bounds_error=False, fill_value=0.0) @ TWO
    ),
}


@pytest.mark.parametrize("name", PLACES)
def test_places_on_a_grid(name: str) -> None:
    judge(PLACES[name], np.array([0.9, 1.2]), step=1e-3)


def knots_changed(p: Any) -> Any:
    knots = np.array([0.0, 0, 0, 0, 2 * p[1], 3, 5, 5, 5, 5])
    made = interpolate.make_interp_spline(X, waves(p), 3, knots)
    knots[4] = 2.0
    return made(1.7)


def nearest_knots_changed(p: Any) -> Any:
    knots = WITH_KNOTS * 1.0
    made = interpolate.make_lsq_spline(X, waves(p), knots)
    knots[4] = p[0]
    return made(1.7)


def points_changed(p: Any) -> Any:
    points = POINTS * 1.0
    made = interpolate.RBFInterpolator(points, DATA * p[0])
    points[0] = 2.0
    return made(ASKED)[0]


HELD_INSIDE = interpolate.BSpline(WITH_KNOTS, np.cos(Y), 3, extrapolate=False)
KINDS: dict[str, Model] = {
    "splev": lambda p: interpolate.splev(2.3 * p[0], fitpack(p)),
    "splint": lambda p: interpolate.splint(0.1, p[0], fitpack(p)),
    "univariate": lambda p: univariate(p)(2.3 * p[0]),
    "univariate_at_no_place": lambda p: univariate(p)(np.zeros(0) * p[0]),
    "univariate_integral": lambda p: univariate(p).integral(0.1, p[0]),
    "cubic": lambda p: interpolate.CubicSpline(X, waves(p))(p[1]),
    "cubic_slope": lambda p: interpolate.CubicSpline(X, waves(p)).derivative()(p[1]),
    "cubic_integral": lambda p: interpolate.PchipInterpolator(X, waves(p)).integrate(0.1, p[1]),
    "line": lambda p: interpolate.interp1d(X, waves(p))(p[1]),
    "spline": lambda p: spline(p)(p[1]),
    "spline_integral": lambda p: spline(p).integrate(0.1, p[1]),
    "surface": lambda p: surface(p).ev(0.3, p[1]),
}


@pytest.mark.parametrize("name", KINDS)
def test_values_are_of_their_own_kind(name: str) -> None:
    verdict = cell.judge(cell.Cell(name, KINDS[name], (np.array([0.9, 1.2]),)))
    assert verdict.kind == "right", verdict.reason


def test_radial_functions_that_need_a_width() -> None:
    with pytest.raises(ValueError, match="`epsilon` must be specified"):
        adxform.grad(lambda p: np.sum(interpolate.RBFInterpolator(POINTS, DATA * p, kernel="gaussian")(ASKED)))(1.3)
    judge(lambda p: np.sum(interpolate.RBFInterpolator(POINTS, DATA * p[0], epsilon=None)(ASKED) ** 2), np.array([1.3]))


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (lambda p: interpolate.RectBivariateSpline(X, Y, p[0] * TABLE, s=0.5).ev(0.3, 0.4), "knots that FITPACK chooses"),
        (lambda p: interpolate.make_interp_spline(X, p[0] * X, bc_type="natural")(0.3), "without conditions at the ends"),
        (lambda p: interpolate.make_interp_spline(X, p[0] * X, k=0)(0.3), "degrees of 1 to 5"),
        (lambda p: interpolate.CubicSpline(X, p[0] * X)(0.3, extrapolate=False), "`__call__` with `extrapolate`"),
        (knots_changed, "may hold itself"),
        (nearest_knots_changed, "may hold itself"),
        (points_changed, "may hold itself"),
        (lambda p: np.nansum(HELD_INSIDE.derivative()(p * 4.0)), "goes on beyond its ends"),
        (lambda p: univariate(p)(0.3, 0, 0, 1), "`__call__` with so many parameters"),
        (lambda p: interpolate.RBFInterpolator(POINTS, DATA * p[0], neighbors=4)(ASKED)[0], "`neighbors`"),
        (lambda p: interpolate.RBFInterpolator(POINTS, DATA, neighbors=4)(ASKED * p[0])[0], "without `neighbors`"),
    ],
)
def test_what_is_refused(model: Model, message: str) -> None:
    with pytest.raises(adxform.AdxError, match=message):
        adxform.grad(model)(np.array([1.3, 2.1]))


MADE = (interpolate.CubicSpline, interpolate.PchipInterpolator, interpolate.Akima1DInterpolator)
BENDS = np.stack((np.cos(X), np.sin(2.0 * X) + 0.3 * X), axis=1)
CUBE = np.stack((BENDS, BENDS**2 + 1.0, np.cos(3.0 * BENDS)), axis=0)


def rows(p: Any) -> Any:
    """Two values at each knot."""
    return BENDS * p[0] + p[1] ** 2 * np.outer(np.cos(np.arange(len(X))), np.array([1.0, -0.5]))


def weighed(x: Any) -> Any:
    return np.sum(np.ravel(x) * np.cos(np.arange(np.size(x))))


OF_VECTORS: dict[str, Model] = {
    **{
        f"{made.__name__} rows": lambda p, made=made: (
            weighed(made(X * p[1], rows(p))(AT * p[0]))
            + weighed(made(X, rows(p))(2.3 * p[0], 1))
            + weighed(made(X, rows(p)).derivative()(AT))
            + weighed(made(X, rows(p)).integrate(0.2, 2.0 * p[1]))
        )
        for made in MADE
    },
    **{
        f"{made.__name__} columns": lambda p, made=made: (
            weighed(made(X * p[1], rows(p).T, axis=1)(AT * p[0])) + weighed(made(X, rows(p).T, 1)(np.stack((AT, AT * p[0]))))
        )
        for made in MADE
    },
    **{
        f"{made.__name__} in the middle": lambda p, made=made: (
            weighed(made(X, CUBE * p[0], axis=1)(0.8 * AT * p[1])) + weighed(made(X, CUBE * p[0], axis=-2)(1.7 * p[1]))
        )
        for made in MADE
    },
    "ends of rows": lambda p: (
        weighed(interpolate.CubicSpline(X, rows(p), bc_type="natural")(AT * p[0]))
        + weighed(interpolate.CubicSpline(X, rows(p).T, 1, "clamped")(AT * p[0]))
    ),
    "slopes at the ends": lambda p: weighed(
        interpolate.CubicSpline(X * p[1], waves(p), bc_type=((1, p[0]), (2, p[1] ** 2)))(AT * p[0])
    ),
    "bends at the ends": lambda p: weighed(
        interpolate.CubicSpline(X * p[1], waves(p), bc_type=((2, p[0]), (1, p[1] ** 2))).derivative()(AT * p[0])
    ),
    "ends of two kinds": lambda p: (
        weighed(interpolate.CubicSpline(X, waves(p), bc_type=("natural", "not-a-knot"))(AT * p[0]))
        + interpolate.CubicSpline(X, waves(p), bc_type=("clamped", (2, 0.5 * p[1]))).integrate(0.1, p[0])
    ),
    "slopes of rows at the ends": lambda p: weighed(
        interpolate.CubicSpline(X, rows(p), bc_type=((1, p), (1, np.array([0.2, -0.4]))))(AT * p[0])
    ),
    "lines of rows": lambda p: (
        weighed(interpolate.interp1d(X * p[1], rows(p), axis=0)(AT * p[0]))
        + weighed(interpolate.interp1d(X, rows(p).T)(np.stack((AT, AT * p[0]))))
        + weighed(interpolate.interp1d(X, CUBE * p[0], axis=1, bounds_error=False, fill_value=p[1])(9.0 * AT - 4.0))
    ),
    "cubics of rows": lambda p: weighed(interpolate.interp1d(X[::-1], rows(p)[::-1].T, "cubic")(AT * p[0])),
}


@pytest.mark.parametrize("name", OF_VECTORS)
def test_interpolants_of_vectors(name: str) -> None:
    judge(OF_VECTORS[name], np.array([0.9, 1.2]), step=1e-3)
