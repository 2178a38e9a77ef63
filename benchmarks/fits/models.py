"""Spectral methods, splines, images, implicit layers, differential equations, integrals."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import fft, integrate, interpolate, ndimage, optimize

from benchmarks.fits.fit import Fit

RNG = np.random.default_rng(61)
GRID = np.arange(64) / 64.0
BLUR = fft.rfft(np.exp(-0.5 * ((GRID + 0.5) % 1.0 - 0.5) ** 2 / 0.03**2) / (64 * 0.03 * np.sqrt(2.0 * np.pi)))
BLURRED = fft.irfft(fft.rfft(np.maximum(0.0, np.sin(6.0 * np.pi * GRID))) * BLUR, 64) + 0.01 * RNG.normal(size=64)
ROUGH = 1e-3 * (2.0 * np.pi * np.arange(33) / 64.0) ** 2
FREQUENCIES = 2.0 * np.pi * np.arange(17)
FORCE = np.exp(np.sin(2.0 * np.pi * np.arange(32) / 32.0))
KNOTS, PLACES = np.linspace(0.0, 1.0, 7), np.sort(RNG.uniform(0.0, 1.0, 40))
HEIGHTS = np.exp(-3.0 * PLACES) * np.cos(8.0 * PLACES) + 0.02 * RNG.normal(size=40)
ROWS, COLUMNS = np.meshgrid(np.arange(24.0), np.arange(24.0), indexing="ij")
IMAGE = np.exp(-0.03 * ((ROWS - 10.0) ** 2 + 2.0 * (COLUMNS - 13.0) ** 2)) + 0.5 * np.exp(
    -0.05 * ((ROWS - 16.0) ** 2 + (COLUMNS - 7.0) ** 2)
)
TURN = np.array([0.1, 0.8, -0.6])
ANOMALIES = np.linspace(0.2, 6.0, 12)
ORBIT = np.array([1.3, 0.35])
WEIGHTS = 0.4 * RNG.normal(size=(4, 4))
INPUTS = RNG.normal(size=(6, 4))
OUTPUTS = RNG.normal(size=(6, 4)) * 0.3
HOURS = np.linspace(0.5, 6.0, 12)
PREY = np.array([1.1, 0.4, 0.9, 0.3])
DAYS = np.arange(1.0, 13.0)
DEBYE = np.array([0.3, 0.6, 1.0, 1.5, 2.5])


def deblurred(x: Any) -> Any:
    """A periodic signal whose blurred form was measured, with a penalty on what is rough."""
    spectrum = fft.rfft(x)
    return np.sum((fft.irfft(spectrum * BLUR, 64) - BLURRED) ** 2) + np.sum(fft.irfft(spectrum * np.sqrt(ROUGH), 64) ** 2)


def deblurred_answer() -> Any:
    """Wiener's filter."""
    return fft.irfft(np.conj(BLUR) * fft.rfft(BLURRED) / (np.abs(BLUR) ** 2 + ROUGH), 64)


def periodic_equation(u: Any) -> Any:
    """``u - u''/50 + u**3 = force`` on a circle, by Fourier's derivative."""
    return u - fft.irfft(-(FREQUENCIES**2) * fft.rfft(u), 32) / 50.0 + u**3 - FORCE


def spline_heights(c: Any) -> Any:
    """What a cubic spline through values at knots leaves of measurements between them."""
    return interpolate.CubicSpline(KNOTS, c)(PLACES) - HEIGHTS


def spline_answer() -> Any:
    """The spline is linear in its values: least squares by a matrix."""
    columns = [interpolate.CubicSpline(KNOTS, unit)(PLACES) for unit in np.eye(7)]
    return np.linalg.lstsq(np.stack(columns, axis=1), HEIGHTS, rcond=None)[0]


def moved(p: Any) -> Any:
    """The image, turned by an angle about its middle, and shifted."""
    c, s = np.cos(p[0]), np.sin(p[0])
    rows, columns = ROWS - 11.5, COLUMNS - 11.5
    at = np.stack([c * rows - s * columns + 11.5 + p[1], s * rows + c * columns + 11.5 + p[2]])
    return ndimage.map_coordinates(IMAGE, at, order=3, mode="mirror")


TARGET = moved(TURN)


def registration(p: Any) -> Any:
    """What is left between an image that was turned and shifted, and another."""
    return np.ravel(moved(p) - TARGET)


def kepler(p: Any) -> Any:
    """Places on an orbit, for which Kepler's equation is solved: the half axis and the eccentricity."""
    found = []
    for k in range(len(ANOMALIES)):
        angle = optimize.newton(lambda e, m: e - p[1] * np.sin(e) - m, ANOMALIES[k], args=(ANOMALIES[k],), tol=1e-13)
        found.append(p[0] * (np.cos(angle) - p[1]))
    return np.array(found)


SEEN = kepler(ORBIT)


def orbit(p: Any) -> Any:
    """What is left between places on an orbit, and those that were seen."""
    return kepler(p) - SEEN


def equilibrium(p: Any) -> Any:
    """A layer whose output is its own input, for each row of the data: the weights of what comes in."""
    gains, total = p[:4], 0.05 * np.sum(p**2)
    for k in range(len(INPUTS)):
        z = optimize.fixed_point(
            lambda z, x: np.tanh(0.5 * WEIGHTS @ z + gains * x + p[4:]), np.zeros(4), args=(INPUTS[k],), xtol=1e-12
        )
        total += np.sum((z - OUTPUTS[k]) ** 2)
    return total


def populations(p: Any) -> Any:
    """Prey and predators after Lotka and Volterra."""
    path = integrate.solve_ivp(
        lambda t, y: np.stack([p[0] * y[0] - p[1] * y[0] * y[1], p[3] * y[0] * y[1] - p[2] * y[1]]),
        (0.0, 6.0), [2.0, 1.0], t_eval=HOURS, rtol=1e-9, atol=1e-10,
    )  # fmt: skip
    return np.ravel(path.y)


COUNTED = populations(PREY) * (1.0 + 0.02 * RNG.normal(size=24))


def lotka_volterra(p: Any) -> Any:
    """What is left between the path of an equation and what was counted."""
    return populations(p) - COUNTED


def epidemic(p: Any) -> Any:
    """An epidemic, fitted by the likelihood of the numbers of the infected."""
    rate, recovery = np.exp(p[0]), np.exp(p[1])
    path = integrate.solve_ivp(
        lambda t, y: np.stack([-rate * y[0] * y[1], rate * y[0] * y[1] - recovery * y[1]]),
        (0.0, 12.0), [0.99, 0.01], t_eval=DAYS, rtol=1e-8, atol=1e-10,
    )  # fmt: skip
    ill = 1000.0 * path.y[1]
    return np.sum(ill - ILL * np.log(ill)) / 1000.0


ILL = np.array([19.0, 40.0, 66.0, 110.0, 175.0, 226.0, 270.0, 297.0, 290.0, 268.0, 247.0, 221.0])


def heat_of_a_crystal(p: Any) -> Any:
    """Debye's heat capacity: an integral up to a temperature that is fitted, and a scale."""
    found = []
    for k in range(len(DEBYE)):
        top = p[0] / DEBYE[k]
        whole = integrate.quad(lambda x: x**4 * np.exp(-x) / (1.0 - np.exp(-x)) ** 2, 1e-6, top, epsabs=1e-12)[0]
        found.append(9.0 * p[1] * whole / top**3)
    return np.array(found)


HEAT = heat_of_a_crystal(np.array([2.0, 1.1]))


def debye(p: Any) -> Any:
    """What is left between a heat capacity and measurements of it."""
    return heat_of_a_crystal(p) - HEAT


FITS = (
    Fit(deblurred, np.zeros(64), answer=deblurred_answer),
    Fit(periodic_equation, np.zeros(32), "root"),
    Fit(spline_heights, np.zeros(7), "least_squares", spline_answer),
    Fit(registration, np.zeros(3), "least_squares", lambda: TURN),
    Fit(orbit, np.array([1.0, 0.1]), "least_squares", lambda: ORBIT),
    Fit(equilibrium, np.full(8, 0.1)),
    Fit(lotka_volterra, np.array([1.0, 0.5, 1.0, 0.25]), "least_squares"),
    Fit(epidemic, np.array([0.0, -1.0])),
    Fit(debye, np.array([1.5, 1.0]), "least_squares", lambda: np.array([2.0, 1.1])),
)
