"""Promise: fits, spectra and filters that choose have the right derivative and SciPy's value, or are refused.

The oracle is differences of SciPy and of Python themselves.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import AdxError

pytest.importorskip("scipy")
from scipy import ndimage, optimize, signal

Model = Callable[..., Any]

D = np.array([1.0, 2.2, 2.9, 4.3, 4.6, 6.1, 6.8, 8.3])
X = np.linspace(0.0, 1.0, 8)
TALL = np.array([[1.0, 2.0, 0.5], [0.3, 1.0, 2.0], [2.0, 1.0, 1.0], [1.0, 0.0, 3.0]])
SIGNS = np.array([-3.0, 3.0, 1.0, 2.0])
SERIES = np.random.default_rng(1).normal(size=40)
WEIGHTS = np.cos(np.arange(40.0))
IMAGE = np.random.default_rng(2).normal(size=30)


def judge(f: Model, p: np.ndarray, step: float = 1e-5, tolerance: float = 1e-7) -> None:
    """Check the value, both modes and a product of second order of `f` at `p`."""
    v, gradient = np.cos(np.arange(len(p))), adxform.grad(f)
    g = gradient(p)
    expected = np.array([(f(p + step * unit) - f(p - step * unit)) / (2.0 * step) for unit in np.eye(len(p))])
    scale = 1.0 + np.max(np.abs(expected))
    np.testing.assert_allclose(g / scale, expected / scale, rtol=0, atol=tolerance)
    value, moved = adxform.jvp(f, (p,), (v,))
    assert value == f(p)
    np.testing.assert_allclose(moved, g @ v, rtol=1e-9, atol=1e-12)
    bent = (gradient(p + step * v) - gradient(p - step * v)) / (2.0 * step)
    scale = 1.0 + np.max(np.abs(bent))
    np.testing.assert_allclose(adxform.hvp(f)(p, v) / scale, bent / scale, rtol=0, atol=tolerance)


# -- fits ---------------------------------------------------------------------------------------------------------------


def bell(x: Any, a: Any, m: Any, s: Any) -> Any:
    """A model with three parameters."""
    return a * np.exp(-0.5 * ((x - m) / s) ** 2)


def line_of_growth(d: Any) -> Any:
    """Parameters and their errors."""
    p, c = optimize.curve_fit(lambda x, a, b: a * np.exp(b * x), X, d, p0=[1.0, 1.0])
    return np.sum(p**2) + np.sum(np.sqrt(np.diag(c)))


def weighted(d: Any) -> Any:
    """Errors that move, places that move, and a model that has captured what moves."""
    p, c = optimize.curve_fit(
        lambda x, a, b: a * np.exp(b * x) * d[0], X * d[1], np.sin(0.2 * d), np.ones(2), 0.1 * d, absolute_sigma=True
    )
    return p[0] - p[1] + c[0, 1] + c[1, 1]


def summit(d: Any) -> Any:
    """How many parameters the model says."""
    limits = {"maxfev": 5000, "ftol": 1e-12, "xtol": 1e-12}
    popt, _ = optimize.curve_fit(bell, X, bell(X, d[0], 0.6, 0.7) + 0.01 * d, **limits)
    return popt[1]


TIGHT = {"ftol": 1e-12, "xtol": 1e-12, "gtol": 1e-12}
BETWEEN = optimize.Bounds([0.0, -2.0, 0.0], [9.0, 3.0, 9.0])


def between(d: Any) -> Any:
    """Bounds that hold nothing, which say how many parameters there are and where the search begins."""
    p, c = optimize.curve_fit(bell, X, bell(X, d[0], 0.6, 0.7) + 0.01 * d, bounds=([0.1, 0.1, 0.1], 2.0), **TIGHT)
    return p[0] + p[2] + c[1, 1]


def between_outer_bounds(d: Any) -> Any:
    """Bounds in an object of SciPy's, and errors of known size."""
    given = {"bounds": BETWEEN, "sigma": 0.1 + 0.0 * d, "absolute_sigma": True, **TIGHT}
    p, c = optimize.curve_fit(bell, X, bell(X, d[0], 0.6, 0.7) + 0.01 * d, [1.0, 0.5, 0.8], **given)
    return p[1] * p[2] + c[0, 0]


def at_a_bound_that_moves(d: Any) -> Any:
    """One parameter is held, and moves as its bound does; the others find the best fit beside it."""
    y = bell(X, 1.0, 0.6, 0.7) + 0.01 * d
    p, _ = optimize.curve_fit(bell, X, y, [1.0, 0.5, 1.5], bounds=([0.0, 0.0, 0.8 + 0.1 * d[0]], np.inf), **TIGHT)
    return p[0] + p[1] ** 2 + p[2]


def correlated(d: Any) -> Any:
    """Errors that are correlated, as their covariance says, which moves."""
    spread = 0.1 * np.eye(d.shape[0]) + 0.02 * np.outer(d, d)
    p, c = optimize.curve_fit(bell, X, bell(X, d[0], 0.6, 0.7) + 0.01 * d, [1.0, 0.5, 0.8], sigma=spread)
    return p[0] - p[1] + c[2, 2]


FITS: dict[str, Model] = {
    "line_of_growth": line_of_growth,
    "weighted": weighted,
    "summit": summit,
    "between": between,
    "between_outer_bounds": between_outer_bounds,
    "at_a_bound_that_moves": at_a_bound_that_moves,
    "correlated": correlated,
}


@pytest.mark.parametrize("case", FITS)
def test_fits_of_curves(case: str) -> None:
    judge(FITS[case], D, 1e-3, 1e-4)


def positive(d: Any) -> Any:
    """Numbers that are held at zero, and the rest."""
    x, left = optimize.nnls(TALL * d[5], SIGNS * d[:4])
    return np.sum(x * np.arange(1.0, 4.0)) * left


def between(d: Any) -> Any:
    """Bounds that move."""
    found = optimize.lsq_linear(TALL, d[:4], bounds=(0.0, d[0]))
    return np.sum(found.x**2) + np.sum(found.fun**3)


BOUNDED: dict[str, Model] = {
    "nnls": lambda d: np.sum(optimize.nnls(TALL * d[5], d[:4])[0] ** 2),
    "positive": positive,
    "between": between,
    "lsq_linear": lambda d: np.sum(optimize.lsq_linear(TALL, d[:4]).x ** 2),
}


@pytest.mark.parametrize("case", BOUNDED)
def test_linear_fits_within_bounds(case: str) -> None:
    judge(BOUNDED[case], D)


def test_a_fit_that_just_touches_its_bound_raises() -> None:
    b = TALL @ np.array([1.0, 0.0, 1.0])
    with pytest.raises(adxform.AdxError, match="no slope that holds it"):
        adxform.grad(lambda d: np.sum(optimize.nnls(TALL, d)[0]))(b)


# -- spectra, peaks ---------------------------------------------------------------------------------------------------------


def centroid(d: Any) -> Any:
    """The mean frequency."""
    f, p = signal.welch(d, nperseg=8)
    return np.sum(f * p) / np.sum(p)


def peaks(d: Any) -> Any:
    """Values at places that do not move."""
    places, _ = signal.find_peaks(d, height=0.1, distance=2)
    return np.sum(d[places] ** 2) + len(places) * d[0]


SPECTRA: dict[str, Model] = {
    "welch": lambda d: np.sum(signal.welch(d, fs=10.0, nperseg=8)[1] * WEIGHTS[:5]),
    "welch options": lambda d: np.sum(
        signal.welch(d, 10.0, "hamming", 9, 3, nfft=12, detrend="linear", scaling="spectrum")[1] * WEIGHTS[:7]
    ),
    "welch of rows": lambda d: np.sum(signal.welch(np.outer(WEIGHTS[:3], d), window=np.hanning(8), detrend=False)[1] ** 2),
    "welch of a short one": lambda d: np.sum(signal.welch(d)[1] * WEIGHTS[:21]),
    "centroid": centroid,
    "periodogram": lambda d: np.sum(signal.periodogram(d, 2.0, "hann", nfft=64)[1][:33] * WEIGHTS[:33]),
    "periodogram of a part": lambda d: np.sum(signal.periodogram(d, nfft=31, scaling="spectrum")[1] * WEIGHTS[:16]),
    "spectrogram": lambda d: np.sum(signal.spectrogram(d, 5.0, nperseg=8)[2] ** 2),
    "spectrogram options": lambda d: np.sum(signal.spectrogram(d, window="hann", nperseg=8, noverlap=6, nfft=16)[2] ** 2),
    "peaks": peaks,
}


@pytest.mark.filterwarnings("ignore:nperseg")
@pytest.mark.parametrize("case", SPECTRA)
def test_spectra_and_peaks(case: str) -> None:
    judge(SPECTRA[case], SERIES)


# -- filters that choose ------------------------------------------------------------------------------------------------

CHOSEN: dict[str, Model] = {
    "median_filter": lambda x: ndimage.median_filter(x, 3),
    "median of four": lambda x: ndimage.median_filter(x, size=(2, 4), mode="nearest"),
    "maximum_filter": lambda x: ndimage.maximum_filter(x, footprint=np.array([[0, 1, 0], [1, 1, 1]]), mode="wrap"),
    "minimum_filter": lambda x: ndimage.minimum_filter(x, size=3, origin=1, mode="mirror"),
    "percentile_filter": lambda x: ndimage.percentile_filter(x, 30, size=3),
    "rank_filter": lambda x: ndimage.rank_filter(x, -2, size=3),
    "maximum_filter1d": lambda x: ndimage.maximum_filter1d(x, 3, axis=0),
    "minimum_filter1d": lambda x: ndimage.minimum_filter1d(x, 4, mode="nearest"),
}


@pytest.mark.parametrize("case", CHOSEN)
def test_filters_that_choose_among_neighbours(case: str) -> None:
    weights = np.cos(np.arange(30.0)).reshape(5, 6)
    judge(lambda d: np.sum(weights * CHOSEN[case](d.reshape(5, 6) * d[0]) ** 2), IMAGE)


# -- statistics -----------------------------------------------------------------------------------------------------------


def line(d: Any) -> Any:
    """The two numbers, by unpacking."""
    slope, intercept = statistics.linear_regression([x * d[1] for x in X], [v * v for v in d])
    return slope * intercept


PAIRS: dict[str, Model] = {
    "correlation": lambda d: statistics.correlation(list(d), list(WEIGHTS[:8])),
    "correlation of arrays": lambda d: statistics.correlation(d, WEIGHTS[:8] * d[0] + d**2),
    "correlation of floats": lambda d: statistics.correlation(d.tolist(), [1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 2.0, 0.0]),
    "linear_regression": lambda d: statistics.linear_regression(X.tolist(), d.tolist()).slope,
    "proportional": lambda d: statistics.linear_regression(X, d, proportional=True)[0],
    "line": line,
}


@pytest.mark.parametrize("case", PAIRS)
def test_statistics_of_pairs(case: str) -> None:
    judge(PAIRS[case], D)


REFUSED: dict[str, tuple[Model, np.ndarray]] = {
    "cost": (lambda d: optimize.lsq_linear(TALL, d[:4]).cost, D),
    "axis": (lambda d: np.sum(signal.welch(d, axis=0, nperseg=8)[1]), SERIES),
    "both sides": (lambda d: np.sum(signal.welch(d, return_onesided=False, nperseg=8)[1]), SERIES),
    "average": (lambda d: np.sum(signal.welch(d, average="median", nperseg=8)[1]), SERIES),
    "rate": (lambda d: np.sum(signal.welch(d, fs=d[0], nperseg=8)[1]), SERIES),
    "properties": (lambda d: np.sum(signal.find_peaks(d, height=0.1)[1]["peak_heights"]), SERIES),
    "border": (lambda d: np.sum(ndimage.median_filter(d, 3, mode="constant")), D),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_not_followed_is_refused(case: str) -> None:
    f, x = REFUSED[case]
    with pytest.raises(AdxError) as caught:
        adxform.jvp(f, (x,), (np.ones_like(x),))
    assert caught.value.span.line
