"""Promise: periodic and smoothing splines, `interp1d` of every kind, polynomials through points, scattered points and splines on
grids of SciPy have the right derivative and its value.

The oracle is differences of SciPy itself.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import adxform

pytest.importorskip("scipy")
from scipy import interpolate

from tests.scipy_judge import Model, differences, judge

X = np.array([0.0, 1.0, 2.2, 3.0, 4.5, 5.0])
Y = np.array([1.0, 2.0, 0.5, 1.5, -1.0, 0.3])
AT, BEYOND = np.array([0.3, 2.25, 4.9]), np.array([-0.7, 2.25, 7.3])
P = np.array([0.9, 1.2])
ROUND = interpolate.CubicSpline(X, np.append(Y[:-1], Y[0]), bc_type="periodic")
ROUND_BASIS = interpolate.make_interp_spline(X, np.append(Y[:-1], Y[0]), bc_type="periodic")
LINE = np.linspace(0.0, 2.0, 6)
HEIGHTS = np.add.outer(np.sin(1.5 * LINE), np.cos(LINE)) + np.outer(LINE, LINE**2)
FLAT = np.array([[0.0, 0], [1, 0], [0, 1], [1, 1], [0.4, 0.6], [0.7, 0.2], [0.2, 0.3]])
VALUES = np.array([1.0, 2.0, 0.5, 1.5, 1.0, 0.3, 0.8])
PLACES = np.array([[0.33, 0.41], [0.51, 0.44], [5.0, 3.0]])
CUBIC, NEAREST = (interpolate.RegularGridInterpolator((LINE, LINE), HEIGHTS, method) for method in ("cubic", "nearest"))


def waves(p: Any) -> Any:
    return Y * p[0] + np.cos(X * p[1])


def rows(p: Any) -> Any:
    return np.stack((waves(p), waves(p) ** 2), axis=1)


def weighed(x: Any) -> Any:
    return np.sum(np.ravel(x) ** 2 * np.cos(np.arange(np.size(x))))


def periodic(p: Any) -> Any:
    made = interpolate.CubicSpline(X * p[1], np.append(waves(p)[:-1], waves(p)[0]), bc_type="periodic")
    return weighed(made(BEYOND)) + made(9.0 * p[0], 1) + made.derivative(2)(-0.3) + made.integrate(-1.0, 12.3 * p[0])


def periodic_rows(p: Any) -> Any:
    made = interpolate.CubicSpline(X, np.concatenate((rows(p)[:-1], rows(p)[:1])), bc_type="periodic")
    return weighed(made(BEYOND * p[1])) + weighed(made.integrate(-1.0, 2.0 * p[0]))


def hermite(p: Any) -> Any:
    made = interpolate.CubicHermiteSpline(X * p[1], rows(p).T, np.sin(rows(p)).T, axis=1)
    return weighed(made(BEYOND * p[0])) + weighed(made.derivative()(1.3)) + weighed(made.integrate(0.1, 3.0))


def smoothed(p: Any) -> Any:
    made = interpolate.make_smoothing_spline(X * p[1], waves(p), lam=0.3 * p[0] ** 2)
    weighted = interpolate.make_smoothing_spline(X, rows(p), w=1.0 + Y**2 * p[0], lam=0.3)
    return weighed(made(BEYOND)) + made.derivative()(1.3) + made.integrate(0.1, 3.0) + weighed(weighted(AT * p[0]))


def sampled(p: Any, kind: str, **options: Any) -> Any:
    one = interpolate.interp1d(X * p[1], waves(p), kind, **options)
    several = interpolate.interp1d(X[::-1], rows(p)[::-1].T, kind, axis=1, **options)
    return weighed(one(AT * p[0])) + weighed(several(np.stack((AT, AT * p[0]))))


def beyond(p: Any, kind: str, fill_value: Any) -> Any:
    return weighed(interpolate.interp1d(X, waves(p), kind, bounds_error=False, fill_value=fill_value)(BEYOND * p[1]))


def on_grid(p: Any, method: str) -> Any:
    made = interpolate.RegularGridInterpolator((LINE * p[1], LINE), HEIGHTS * p[0], method, bounds_error=False, fill_value=None)
    return weighed(made((p * 0.6, p[::-1] * 2.3))) + weighed(made(np.array([[0.21, 0.33], [0.9, 1.7]])))


def filled(p: Any) -> Any:
    made = interpolate.RegularGridInterpolator((LINE, LINE), np.stack((HEIGHTS, HEIGHTS**2), 2) * p[0], "quintic", False, p[1])
    return weighed(made(np.array([[0.21, 0.33], [0.9, 7.7]])))


def scattered(p: Any) -> Any:
    points, values = FLAT * p, VALUES * p[0]
    linear, nearest = interpolate.LinearNDInterpolator(points, values, 0.4), interpolate.NearestNDInterpolator(points, values)
    told = weighed(linear(PLACES)) + linear(0.3 * p[0], 0.51) + linear(np.array([0.3, 0.41]))[0] + weighed(nearest(PLACES))
    wide = interpolate.LinearNDInterpolator(points * np.array([1.0, 30.0]), np.stack((values, values**2), 1), rescale=True)
    return told + weighed(wide([[0.3, 9.0 * p[0]]])) + nearest(0.3, 0.4)


def gridded(p: Any) -> Any:
    mesh = np.meshgrid(AT[:2] / 5.0 * p[0], np.array([0.2, 0.4, 0.5]))
    linear = interpolate.griddata(FLAT, VALUES * p[1], tuple(mesh))
    of_lines = interpolate.griddata((FLAT[:, 0] * p[0], FLAT[:, 1]), np.outer(VALUES, p), PLACES, fill_value=0.0)
    return weighed(linear) + weighed(of_lines) + weighed(interpolate.griddata(FLAT, VALUES * p[0], PLACES, method="nearest"))


MODELS: dict[str, Model] = {
    "periodic": periodic,
    "periodic rows": periodic_rows,
    "periodic from outside": lambda p: weighed(ROUND(BEYOND * p[0])) + ROUND.derivative()(9.0 * p[1]) + ROUND(-p[0], 1),
    "periodic basis from outside": lambda p: weighed(ROUND_BASIS(BEYOND * p[0])),
    "hermite": hermite,
    "smoothed": smoothed,
    **{
        kind: lambda p, kind=kind: sampled(p, kind)
        for kind in ("slinear", "quadratic", "cubic", "nearest", "nearest-up", "previous", "next")
    },
    "quadratic beyond": lambda p: beyond(p, "quadratic", "extrapolate"),
    "cubic beyond": lambda p: beyond(p, "cubic", "extrapolate") + beyond(p, "cubic", (p[0], p[1] ** 2)),
    "steps beyond": lambda p: beyond(p, "previous", p[0]) + beyond(p, "nearest", "extrapolate"),
    "krogh": lambda p: weighed(interpolate.KroghInterpolator(X * p[1], rows(p))(AT * p[0])),
    "krogh at a point": lambda p: interpolate.krogh_interpolate(X, waves(p), 2.2) ** 2,
    "nearest on a grid": lambda p: on_grid(p, "nearest") + weighed(NEAREST(p)),
    "lines on a grid": lambda p: on_grid(p, "slinear"),
    "cubic from outside": lambda p: weighed(CUBIC((p, p[::-1]))),
    "scattered": scattered,
    "gridded": gridded,
}


@pytest.mark.parametrize("name", MODELS)
def test_interpolants(name: str) -> None:
    judge(MODELS[name], P, step=1e-3, second=name in ("periodic", "smoothed", "cubic", "krogh", "scattered"))


TO_A_TOLERANCE: dict[str, Model] = {
    "cubic": lambda p: on_grid(p, "cubic"),
    "quintic": filled,
    "barycentric": lambda p: weighed(interpolate.BarycentricInterpolator(X * p[1], rows(p))(AT * p[0])),
    "barycentric at once": lambda p: weighed(interpolate.barycentric_interpolate(X, waves(p), X[:2] * p[0])),
}


@pytest.mark.parametrize("name", TO_A_TOLERANCE)
def test_what_scipy_solves_to_a_tolerance_or_in_any_order(name: str) -> None:
    value, slopes = adxform.value_and_grad(TO_A_TOLERANCE[name])(P)
    np.testing.assert_allclose(value, TO_A_TOLERANCE[name](P), rtol=1e-12)
    np.testing.assert_allclose(slopes, differences(TO_A_TOLERANCE[name], P, 1e-3), rtol=2e-4)
    np.testing.assert_allclose(adxform.jvp(TO_A_TOLERANCE[name], (P,), (P,))[1], slopes @ P, rtol=1e-9)


@pytest.mark.parametrize(
    ("model", "message"),
    [
        (lambda p: interpolate.make_smoothing_spline(X, p[0] * Y)(0.3), "with `lam`"),
        (lambda p: interpolate.BarycentricInterpolator(X * p[0])(0.3), "values are given at once"),
        (lambda p: interpolate.griddata(X, p[0] * Y, AT)[0], "points of a plane"),
        (lambda p: interpolate.griddata(FLAT, p[0] * VALUES, PLACES, method="cubic")[0], "linear and nearest"),
        (lambda p: interpolate.RegularGridInterpolator((LINE, LINE), HEIGHTS * p[0])(p, method="cubic")[0], "was made with"),
        (lambda p: interpolate.RegularGridInterpolator((LINE, LINE), HEIGHTS * p[0], "pchip")(p)[0], "for the methods linear"),
    ],
)
def test_what_is_refused(model: Model, message: str) -> None:
    with pytest.raises(adxform.AdxError, match=message):
        adxform.grad(model)(P)
