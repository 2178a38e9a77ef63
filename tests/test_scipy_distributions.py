"""Promise: distributions of SciPy have the right derivative and its value, at ends of the support too, or are refused.

The oracle is differences of SciPy itself, and mpmath where SciPy's own digits do not tell.
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import MissingRuleError

pytest.importorskip("scipy")
from scipy import stats

from tests.scipy_families import AT_PLACES, AT_SHARES, CONTINUOUS, DISCRETE, WITHOUT_FORMULA
from tests.scipy_judge import judge

OF_PLACES = [
    (name, method) for name in CONTINUOUS for method in (*AT_PLACES, *AT_SHARES) if method not in WITHOUT_FORMULA.get(name, ())
]


@pytest.mark.parametrize(("name", "method"), OF_PLACES)
def test_functions_of_a_distribution(name: str, method: str) -> None:
    dist, shapes = getattr(stats, name), CONTINUOUS[name]
    n, called = len(shapes), getattr(getattr(stats, name), method)
    whole = np.array([*shapes, 0.3, 1.4, 1.0])
    places = dist.ppf([0.1, 0.45, 0.6, 0.8], *whole[:-1])
    beyond = [place for place in (dist.ppf(0.0, *whole[:-1]) - 1.0, dist.ppf(1.0, *whole[:-1]) + 1.0) if np.isfinite(place)]
    at = np.array([0.1, 0.45, 0.8]) if method in AT_SHARES else np.array([*places, *beyond])
    weights = np.cos(np.arange(len(at))) + 1.5

    def all_move(p: Any) -> Any:
        y = called(at * p[n + 2], *[p[k] for k in range(n)], p[n], scale=p[n + 1])
        return np.sum(weights * np.where(np.isfinite(y), y, 0.0))

    judge(all_move, whole)


@pytest.mark.parametrize("dist", [stats.norm, stats.expon])
@pytest.mark.parametrize("method", ["logpdf", "cdf", "ppf"])
def test_a_scale_that_is_not_allowed_has_no_slope(dist: Any, method: str) -> None:
    called = getattr(dist, method)
    g = adxform.grad(lambda p: called(p[0], p[1], scale=p[2]))(np.array([0.3, 0.2, -1.0]))
    assert np.all(np.isnan(g[:1] if method == "ppf" else g))


MOMENTS = [
    (name, method)
    for name in CONTINUOUS
    for method in ("mean", "var", "std", "entropy", "median")
    if method not in WITHOUT_FORMULA.get(name, ())
]


@pytest.mark.parametrize(("name", "method"), MOMENTS)
def test_moments_of_a_distribution(name: str, method: str) -> None:
    n, called = len(CONTINUOUS[name]), getattr(getattr(stats, name), method)

    def moment(p: Any) -> Any:
        return called(*[p[k] for k in range(n)], loc=p[n], scale=p[n + 1])

    judge(moment, np.array([*CONTINUOUS[name], 0.3, 1.4]))


@pytest.mark.parametrize("name", WITHOUT_FORMULA)
def test_what_has_no_formula_is_refused(name: str) -> None:
    if name in DISCRETE:
        (fixed, parameter), called = DISCRETE[name], getattr(stats, name).cdf
        with pytest.raises(MissingRuleError, match="cdf"):
            adxform.grad(lambda p: called(2, *fixed, p))(parameter)
        return
    shapes = CONTINUOUS[name]
    for method in WITHOUT_FORMULA[name]:
        called = getattr(getattr(stats, name), method)
        with pytest.raises(MissingRuleError, match=method):
            adxform.grad(lambda scale: called(*([0.4] if method in (*AT_PLACES, *AT_SHARES) else []), *shapes, scale=scale))(1.4)


@pytest.mark.parametrize("name", CONTINUOUS)
def test_a_number_outside_of_the_support_does_not_move(name: str) -> None:
    dist, shapes = getattr(stats, name), CONTINUOUS[name]
    for method, end in itertools.product(("pdf", "cdf", "sf"), dist.support(*shapes)):
        if np.isfinite(end) and method not in WITHOUT_FORMULA.get(name, ()):
            called, outside = getattr(dist, method), float(end + (1.0 if end > dist.median(*shapes) else -1.0))
            assert adxform.grad(lambda x: called(x, *shapes))(outside) == 0.0
            assert adxform.jvp(lambda x: called(x, *shapes), (outside,), (1.0,))[1] == 0.0


@pytest.mark.parametrize("method", ["cdf", "sf"])
@pytest.mark.parametrize("name", CONTINUOUS)
def test_distribution_functions_have_the_slope_of_the_inside_at_ends_and_at_zero(name: str, method: str) -> None:
    dist, shapes = getattr(stats, name), CONTINUOUS[name]
    called, sign = getattr(dist, method), 1.0 if method == "cdf" else -1.0
    for end in {*map(float, dist.support(*shapes)), 0.0}:
        if np.isfinite(end) and method not in WITHOUT_FORMULA.get(name, ()):
            g = adxform.grad(lambda x: called(x, *shapes))(end)
            np.testing.assert_allclose(g, sign * dist.pdf(end, *shapes), rtol=1e-12, atol=1e-300)


STARTS: dict[str, tuple[tuple[float, ...], float]] = {
    "chi": ((1.0,), math.sqrt(2.0 / math.pi)),
    "nakagami": ((0.5,), math.sqrt(2.0 / math.pi)),
    "gengamma": ((0.5, 2.0), 2.0 / math.sqrt(math.pi)),
    "fisk": ((1.0,), 1.0),
    "burr": ((2.0, 0.5), 1.0),
    "burr12": ((1.0, 2.0), 2.0),
    "exponweib": ((0.5, 2.0), 1.0),
    "betaprime": ((1.0, 4.0), 4.0),
    "halfgennorm": ((1.7,), 1.0 / math.gamma(1.0 + 1.0 / 1.7)),
    "powerlaw": ((1.0,), 1.0),
    "lomax": ((3.0,), 3.0),
}


@pytest.mark.parametrize("name", STARTS)
def test_a_density_that_begins_at_a_finite_height_is_the_slope_at_zero(name: str) -> None:
    (shapes, density), dist = STARTS[name], getattr(stats, name)
    for method, sign in (("cdf", 1.0), ("sf", -1.0)):
        called = getattr(dist, method)
        np.testing.assert_allclose(adxform.grad(lambda x: called(x, *shapes))(0.0), sign * density, rtol=1e-12)


EXTREMES: dict[str, dict[str, Any]] = {
    "genextreme": {
        "logpdf": lambda m, x, c: -(y := m.log(1 - c * x) / -c) - m.exp(-y) - m.log(1 - c * x),
        "cdf": lambda m, x, c: m.exp(-m.exp(m.log(1 - c * x) / c)),
        "sf": lambda m, x, c: 1 - m.exp(-m.exp(m.log(1 - c * x) / c)),
        "logcdf": lambda m, x, c: -m.exp(m.log(1 - c * x) / c),
        "ppf": lambda m, x, c: (1 - (-m.log(x)) ** c) / c,
        "isf": lambda m, x, c: (1 - (-m.log(1 - x)) ** c) / c,
        "mean": lambda m, x, c: (1 - m.gamma(1 + c)) / c,
        "var": lambda m, x, c: (m.gamma(1 + 2 * c) - m.gamma(1 + c) ** 2) / c**2,
    },
    "genpareto": {
        "logpdf": lambda m, x, c: -(1 + 1 / c) * m.log(1 + c * x),
        "cdf": lambda m, x, c: 1 - (1 + c * x) ** (-1 / c),
        "sf": lambda m, x, c: (1 + c * x) ** (-1 / c),
        "logsf": lambda m, x, c: -m.log(1 + c * x) / c,
        "ppf": lambda m, x, c: ((1 - x) ** -c - 1) / c,
        "isf": lambda m, x, c: (x**-c - 1) / c,
        "mean": lambda m, x, c: 1 / (1 - c),
        "var": lambda m, x, c: 1 / ((1 - c) ** 2 * (1 - 2 * c)),
    },
}


@pytest.mark.parametrize("c", [0.0, 1e-9, -1e-9, 0.013, -0.031, 0.1, -0.2])
@pytest.mark.parametrize(("name", "method"), [(name, method) for name, formulas in EXTREMES.items() for method in formulas])
def test_extremes_of_shapes_about_zero(name: str, method: str, c: float) -> None:
    """Against differences of the plain formulas in sixty digits."""
    mp = pytest.importorskip("mpmath", reason="mpmath computes the slopes").mp.clone()
    mp.dps = 60
    called, formula = getattr(getattr(stats, name), method), EXTREMES[name][method]

    def total(c: Any) -> Any:
        return called(c) if method in ("mean", "var") else called(0.4, c)

    def exact(at: Any) -> Any:
        return formula(mp, mp.mpf(0.4), at)

    step = mp.mpf(10) ** -12
    below, middle, above = (exact(mp.mpf(c) + k * step + step / 7) for k in (-1, 0, 1))
    slope = adxform.grad(total)
    np.testing.assert_allclose(slope(c), float((above - below) / (2 * step)), rtol=1e-10)
    np.testing.assert_allclose(adxform.grad(slope)(c), float((above - 2 * middle + below) / step**2), rtol=1e-9)


COUNTS = [
    (name, method)
    for name in DISCRETE
    for method in ("logpmf", "pmf", "cdf", "sf", "logcdf", "logsf", "mean", "var", "std")
    if method not in WITHOUT_FORMULA.get(name, ())
]


@pytest.mark.parametrize(("name", "method"), COUNTS)
def test_discrete_distributions(name: str, method: str) -> None:
    fixed, parameter = DISCRETE[name]
    called = getattr(getattr(stats, name), method)
    k = np.array([-1, 0, 1, 2, 5, 9])
    weights = np.cos(np.arange(6)) + 1.5

    def model(p: Any) -> Any:
        if method in ("mean", "var", "std"):
            return called(*fixed, p[0], loc=1)
        y = called(k, *fixed, p[0])
        return np.sum(weights * np.where(np.isfinite(y), y, 0.0))

    judge(model, np.array([parameter]))
