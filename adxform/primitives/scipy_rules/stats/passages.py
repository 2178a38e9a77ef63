"""Families of times until a level is reached."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special, stats

from adxform.primitives.scipy_rules.stats.family import Family
from adxform.primitives.scipy_rules.stats.simple import EULER, HALF_LOG_TAU, above_zero, one, zero


def _wave(z: Any, mu: Any) -> Any:
    """The second part of the distribution function of the inverse Gaussian distribution."""
    return np.exp(2.0 / mu + special.log_ndtr(-(z / mu + 1.0) / np.sqrt(z)))


def _inverse_gaussian_logpdf(z: Any, mu: Any) -> Any:
    return -HALF_LOG_TAU - 1.5 * np.log(z) - 0.5 * ((z - mu) / mu) ** 2 / z


def _inverse_gaussian_cdf(z: Any, mu: Any) -> Any:
    return special.ndtr((z / mu - 1.0) / np.sqrt(z)) + _wave(z, mu)


def _inverse_gaussian_sf(z: Any, mu: Any) -> Any:
    return special.ndtr((1.0 - z / mu) / np.sqrt(z)) - _wave(z, mu)


def _inverse_gaussian_entropy(mu: Any) -> Any:
    return HALF_LOG_TAU + 0.5 + 1.5 * np.log(mu) - 1.5 * np.exp(2.0 / mu) * special.exp1(2.0 / mu)


def _fatigue_logpdf(z: Any, c: Any) -> Any:
    return np.log1p(z) - np.log(2.0 * c) - HALF_LOG_TAU - 1.5 * np.log(z) - 0.5 * ((z - 1.0) / c) ** 2 / z


def _fatigue_place(z: Any, c: Any) -> Any:
    return (np.sqrt(z) - 1.0 / np.sqrt(z)) / c


def _fatigue_quantile(x: Any, c: Any) -> Any:
    return 0.25 * (c * x + np.sqrt(c * x * c * x + 4.0)) ** 2


FAMILIES: tuple[Family, ...] = (
    Family(
        of=stats.invgauss,
        shapes=("mu",),
        lower=zero,
        inner=one,
        logpdf=above_zero(_inverse_gaussian_logpdf, -np.inf),
        cdf=above_zero(_inverse_gaussian_cdf, 0.0),
        sf=above_zero(_inverse_gaussian_sf, 1.0),
        mean=lambda mu: mu,
        var=lambda mu: mu**3,
        entropy=_inverse_gaussian_entropy,
    ),
    Family(
        of=stats.wald,
        lower=zero,
        inner=one,
        logpdf=above_zero(lambda z: _inverse_gaussian_logpdf(z, 1.0), -np.inf),
        cdf=above_zero(lambda z: _inverse_gaussian_cdf(z, 1.0), 0.0),
        sf=above_zero(lambda z: _inverse_gaussian_sf(z, 1.0), 1.0),
        mean=one,
        var=one,
        entropy=lambda: _inverse_gaussian_entropy(1.0),
    ),
    Family(
        of=stats.fatiguelife,
        shapes=("c",),
        lower=zero,
        inner=one,
        logpdf=above_zero(_fatigue_logpdf, -np.inf),
        cdf=above_zero(lambda z, c: special.ndtr(_fatigue_place(z, c)), 0.0),
        sf=above_zero(lambda z, c: special.ndtr(-_fatigue_place(z, c)), 1.0),
        logcdf=above_zero(lambda z, c: special.log_ndtr(_fatigue_place(z, c)), -np.inf),
        logsf=above_zero(lambda z, c: special.log_ndtr(-_fatigue_place(z, c)), 0.0),
        ppf=lambda q, c: _fatigue_quantile(special.ndtri(q), c),
        isf=lambda q, c: _fatigue_quantile(-special.ndtri(q), c),
        mean=lambda c: 1.0 + 0.5 * c * c,
        var=lambda c: c * c * (1.0 + 1.25 * c * c),
    ),
    Family(
        of=stats.levy,
        lower=zero,
        inner=one,
        logpdf=above_zero(lambda z: -HALF_LOG_TAU - 1.5 * np.log(z) - 0.5 / z, -np.inf),
        cdf=above_zero(lambda z: special.erfc(np.sqrt(0.5 / z)), 0.0),
        sf=above_zero(lambda z: special.erf(np.sqrt(0.5 / z)), 1.0),
        ppf=lambda q: special.ndtri(0.5 * q) ** -2.0,
        isf=lambda q: 0.5 * special.erfinv(q) ** -2.0,
        entropy=lambda: 0.5 * (1.0 + 3.0 * EULER + math.log(16.0 * math.pi)),
    ),
)
