"""Families of maxima, minima and what exceeds a threshold. Where a shape is zero, the logarithms and powers are their limits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special, stats

from adxform.primitives.scipy_rules.stats.family import Family
from adxform.primitives.scipy_rules.stats.simple import EULER, HALF_LOG_TAU, above_zero, nowhere, one, weibull_variance, zero

_NEAR = 0.05
_TERMS = 18
_LOG_GAMMA = tuple((-1.0) ** k * float(special.zeta(k)) / k for k in range(2, _TERMS + 2))
"""The series of ``gammaln(1 + c)`` after its first term: coefficients of ``c**2``, ``c**3``, …"""


def _log_ratio(c: Any, z: Any, times: float = 0.0) -> Any:
    """``log(1 + c * z) * (1 / c + times)``, which is `z` where `c` is zero.

    By a series where the quotient would lose what it divides by. Both logarithms in one product: where they are infinite, at the
    end of a support, their sum would not be known.
    """
    u = c * z
    near = np.abs(u) < _NEAR
    small, far = np.where(near, u, 0.0), np.where(near, 1.0, u)
    series: Any = 1.0 / _TERMS
    for k in range(_TERMS - 1, 0, -1):
        series = 1.0 / k - small * series
    return (z + times * u if times else z) * np.where(near, series, special.xlog1py(1.0, far) / far)


def _series(coefficients: Any, c: Any) -> Any:
    found: Any = coefficients[-1]
    for k in range(len(coefficients) - 2, -1, -1):
        found = coefficients[k] + c * found
    return found


_DOUBLED = tuple((2.0 ** (k + 2) - 2.0) * coefficient for k, coefficient in enumerate(_LOG_GAMMA))


def _log_gamma_slope(c: Any) -> Any:
    """``gammaln(1 + c) / c``."""
    near = np.abs(c) < _NEAR
    small, far = np.where(near, c, 0.0), np.where(near, 1.0, c)
    return np.where(near, small * _series(_LOG_GAMMA, small) - EULER, special.gammaln(1.0 + far) / far)


def _log_gamma_bend(c: Any) -> Any:
    """``(gammaln(1 + 2 * c) - 2 * gammaln(1 + c)) / c**2``."""
    near = np.abs(c) < _NEAR
    small, far = np.where(near, c, 0.0), np.where(near, 0.25, c)
    plain = (special.gammaln(1.0 + 2.0 * far) - 2.0 * special.gammaln(1.0 + far)) / (far * far)
    return np.where(near, _series(_DOUBLED, small), plain)


def _extreme_mean(c: Any) -> Any:
    slope = _log_gamma_slope(c)
    return -slope * special.exprel(c * slope)


def _extreme_variance(c: Any) -> Any:
    bend = _log_gamma_bend(c)
    return np.exp(2.0 * special.gammaln(1.0 + c)) * bend * special.exprel(c * c * bend)


def _end(c: Any, beyond: Any) -> Any:
    """``1 / c`` where `c` is positive, and else `beyond`."""
    ends = c > 0.0
    return np.where(ends, 1.0 / np.where(ends, c, 1.0), beyond)


def _gumbel(z: Any, c: Any) -> Any:
    """The place of Gumbel's distribution that belongs to one of the extreme values."""
    return _log_ratio(-c, z)


def _extreme_logpdf(z: Any, c: Any) -> Any:
    return -np.exp(-_gumbel(z, c)) - _log_ratio(-c, z, 1.0)


def _from_gumbel(y: Any, c: Any) -> Any:
    return y * special.exprel(-c * y)


FAMILIES: tuple[Family, ...] = (
    Family(
        of=stats.genextreme,
        shapes=("c",),
        lower=lambda c: -_end(-c, np.inf),
        upper=lambda c: _end(c, np.inf),
        inner=zero,
        logpdf=_extreme_logpdf,
        cdf=lambda z, c: np.exp(-np.exp(-_gumbel(z, c))),
        sf=lambda z, c: -np.expm1(-np.exp(-_gumbel(z, c))),
        logcdf=lambda z, c: -np.exp(-_gumbel(z, c)),
        ppf=lambda q, c: _from_gumbel(-np.log(-np.log(q)), c),
        isf=lambda q, c: _from_gumbel(-np.log(-np.log1p(-q)), c),
        mean=_extreme_mean,
        var=_extreme_variance,
        entropy=lambda c: EULER * (1.0 - c) + 1.0,
    ),
    Family(
        of=stats.genpareto,
        shapes=("c",),
        lower=zero,
        upper=lambda c: _end(-c, np.inf),
        inner=zero,
        logpdf=lambda z, c: -_log_ratio(c, z, 1.0),
        cdf=lambda z, c: -np.expm1(-_log_ratio(c, z)),
        sf=lambda z, c: np.exp(-_log_ratio(c, z)),
        logsf=lambda z, c: -_log_ratio(c, z),
        ppf=lambda q, c: -np.log1p(-q) * special.exprel(-c * np.log1p(-q)),
        isf=lambda q, c: -np.log(q) * special.exprel(-c * np.log(q)),
        mean=lambda c: 1.0 / (1.0 - c),
        var=lambda c: 1.0 / ((1.0 - c) ** 2 * (1.0 - 2.0 * c)),
        entropy=lambda c: 1.0 + c,
    ),
    Family(
        of=stats.gumbel_l,
        logpdf=lambda z: z - np.exp(z),
        cdf=lambda z: -np.expm1(-np.exp(z)),
        sf=lambda z: np.exp(-np.exp(z)),
        logsf=lambda z: -np.exp(z),
        ppf=lambda q: np.log(-np.log1p(-q)),
        isf=lambda q: np.log(-np.log(q)),
        mean=lambda: -EULER,
        var=lambda: math.pi**2 / 6.0,
        entropy=lambda: EULER + 1.0,
    ),
    Family(
        of=stats.weibull_max,
        shapes=("c",),
        lower=nowhere,
        upper=zero,
        inner=lambda c: -1.0,
        logpdf=lambda z, c: np.log(c) + special.xlogy(c - 1.0, -z) - (-z) ** c,
        cdf=lambda z, c: np.exp(-((-z) ** c)),
        sf=lambda z, c: -np.expm1(-((-z) ** c)),
        logcdf=lambda z, c: -((-z) ** c),
        ppf=lambda q, c: -((-np.log(q)) ** (1.0 / c)),
        isf=lambda q, c: -((-np.log1p(-q)) ** (1.0 / c)),
        mean=lambda c: -np.exp(special.gammaln(1.0 + 1.0 / c)),
        var=weibull_variance,
        entropy=lambda c: EULER + 1.0 - EULER / c - np.log(c),
    ),
    Family(
        of=stats.invweibull,
        shapes=("c",),
        lower=zero,
        inner=one,
        logpdf=above_zero(lambda z, c: np.log(c) - (c + 1.0) * np.log(z) - z**-c, -np.inf),
        cdf=above_zero(lambda z, c: np.exp(-(z**-c)), 0.0),
        sf=above_zero(lambda z, c: -np.expm1(-(z**-c)), 1.0),
        logcdf=above_zero(lambda z, c: -(z**-c), -np.inf),
        ppf=lambda q, c: (-np.log(q)) ** (-1.0 / c),
        isf=lambda q, c: (-np.log1p(-q)) ** (-1.0 / c),
        mean=lambda c: special.gamma(1.0 - 1.0 / c),
        var=lambda c: special.gamma(1.0 - 2.0 / c) - special.gamma(1.0 - 1.0 / c) ** 2,
        entropy=lambda c: 1.0 + EULER + EULER / c - np.log(c),
    ),
    Family(
        of=stats.lomax,
        shapes=("c",),
        lower=zero,
        inner=one,
        logpdf=lambda z, c: np.log(c) - (c + 1.0) * np.log1p(z),
        cdf=lambda z, c: -np.expm1(-c * np.log1p(z)),
        sf=lambda z, c: np.exp(-c * np.log1p(z)),
        logsf=lambda z, c: -c * np.log1p(z),
        ppf=lambda q, c: np.expm1(-np.log1p(-q) / c),
        isf=lambda q, c: np.expm1(-np.log(q) / c),
        mean=lambda c: 1.0 / (c - 1.0),
        var=lambda c: c / ((c - 1.0) ** 2 * (c - 2.0)),
        entropy=lambda c: 1.0 + 1.0 / c - np.log(c),
    ),
    Family(
        of=stats.moyal,
        logpdf=lambda z: -0.5 * (z + np.exp(-z)) - HALF_LOG_TAU,
        cdf=lambda z: special.erfc(np.exp(-0.5 * z) * math.sqrt(0.5)),
        sf=lambda z: special.erf(np.exp(-0.5 * z) * math.sqrt(0.5)),
        ppf=lambda q: -np.log(2.0 * special.erfcinv(q) ** 2),
        isf=lambda q: -np.log(2.0 * special.erfinv(q) ** 2),
        mean=lambda: EULER + math.log(2.0),
        var=lambda: math.pi**2 / 2.0,
        entropy=lambda: HALF_LOG_TAU + 0.5 * (EULER + math.log(2.0) + 1.0),
    ),
    Family(
        of=stats.gompertz,
        shapes=("c",),
        lower=zero,
        inner=one,
        logpdf=lambda z, c: np.log(c) + z - c * np.expm1(z),
        cdf=lambda z, c: -np.expm1(-c * np.expm1(z)),
        sf=lambda z, c: np.exp(-c * np.expm1(z)),
        logsf=lambda z, c: -c * np.expm1(z),
        ppf=lambda q, c: np.log1p(-np.log1p(-q) / c),
        isf=lambda q, c: np.log1p(-np.log(q) / c),
        mean=lambda c: np.exp(c) * special.exp1(c),
        entropy=lambda c: 1.0 - np.log(c) - np.exp(c) * special.exp1(c),
    ),
)
