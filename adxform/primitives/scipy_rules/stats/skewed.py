"""Families of all real numbers, and of angles."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special, stats

from adxform.primitives.scipy_rules.stats.family import Family
from adxform.primitives.scipy_rules.stats.simple import EULER, normal_logpdf, zero


def _skewness(a: Any) -> Any:
    return math.sqrt(2.0 / math.pi) * a / np.sqrt(1.0 + a * a)


def _log_tail(z: Any, k: Any) -> Any:
    """The logarithm of the exponential part of a normal number plus an exponential one."""
    return 0.5 / (k * k) - z / k + special.log_ndtr(z - 1.0 / k)


def _peak(beta: Any) -> Any:
    """The density at zero of the generalised normal distribution."""
    return 0.5 / special.gamma(1.0 + 1.0 / beta)


def _power_cdf(z: Any, beta: Any) -> Any:
    """Powers of zero have no slope there, the distribution function has."""
    middle = z == 0.0
    upper = 0.5 * special.gammaincc(1.0 / beta, np.abs(np.where(middle, 1.0, z)) ** beta)
    return np.where(middle, 0.5 + z * _peak(beta), np.where(z > 0.0, 1.0 - upper, upper))


def _power_quantile(q: Any, beta: Any) -> Any:
    middle, above = q == 0.5, q > 0.5
    share = np.where(middle, 0.5, np.where(above, 2.0 - 2.0 * q, 2.0 * q))
    size = special.gammainccinv(1.0 / beta, share) ** (1.0 / beta)
    return np.where(middle, (q - 0.5) / _peak(beta), np.where(above, size, -size))


def _two_sided_cdf(z: Any, k: Any) -> Any:
    total = k + 1.0 / k
    return np.where(z >= 0.0, 1.0 - np.exp(-np.where(z >= 0.0, z, 0.0) * k) / (k * total), k * np.exp(z / k) / total)


def _two_sided_sf(z: Any, k: Any) -> Any:
    return _two_sided_cdf(-z, 1.0 / k)


def _two_sided_quantile(q: Any, k: Any) -> Any:
    total = k + 1.0 / k
    return np.where(q >= k / total, -np.log((1.0 - q) * total * k) / k, k * np.log(q * total / k))


def _johnson(z: Any, a: Any, b: Any) -> Any:
    return a + b * np.arcsinh(z)


def _johnson_variance(a: Any, b: Any) -> Any:
    w = b**-2.0
    return 0.5 * np.expm1(w) * (np.exp(w) * np.cosh(2.0 * a / b) + 1.0)


def _angle_entropy(kappa: Any) -> Any:
    whole = special.i0e(kappa)
    return math.log(2.0 * math.pi) + np.log(whole) + kappa * (whole - special.i1e(kappa)) / whole


FAMILIES: tuple[Family, ...] = (
    Family(
        of=stats.skewnorm,
        shapes=("a",),
        logpdf=lambda z, a: math.log(2.0) + normal_logpdf(z) + special.log_ndtr(a * z),
        cdf=lambda z, a: special.ndtr(z) - 2.0 * special.owens_t(z, a),
        sf=lambda z, a: special.ndtr(-z) + 2.0 * special.owens_t(z, a),
        mean=_skewness,
        var=lambda a: 1.0 - _skewness(a) ** 2,
    ),
    Family(
        of=stats.exponnorm,
        shapes=("K",),
        logpdf=lambda z, k: _log_tail(z, k) - np.log(k),
        cdf=lambda z, k: special.ndtr(z) - np.exp(_log_tail(z, k)),
        sf=lambda z, k: special.ndtr(-z) + np.exp(_log_tail(z, k)),
        mean=lambda k: k,
        var=lambda k: 1.0 + k * k,
    ),
    Family(
        of=stats.gennorm,
        shapes=("beta",),
        logpdf=lambda z, beta: np.log(0.5 * beta) - special.gammaln(1.0 / beta) - np.abs(z) ** beta,
        cdf=_power_cdf,
        sf=lambda z, beta: _power_cdf(-z, beta),
        ppf=_power_quantile,
        isf=lambda q, beta: -_power_quantile(q, beta),
        mean=zero,
        var=lambda beta: np.exp(special.gammaln(3.0 / beta) - special.gammaln(1.0 / beta)),
        entropy=lambda beta: 1.0 / beta - np.log(0.5 * beta) + special.gammaln(1.0 / beta),
    ),
    Family(
        of=stats.laplace_asymmetric,
        shapes=("kappa",),
        logpdf=lambda z, k: np.where(z >= 0.0, -z * k, z / k) - np.log(k + 1.0 / k),
        cdf=_two_sided_cdf,
        sf=_two_sided_sf,
        ppf=_two_sided_quantile,
        isf=lambda q, k: -_two_sided_quantile(q, 1.0 / k),
        mean=lambda k: 1.0 / k - k,
        var=lambda k: 1.0 / (k * k) + k * k,
        entropy=lambda k: 1.0 + np.log(k + 1.0 / k),
    ),
    Family(
        of=stats.hypsecant,
        logpdf=lambda z: math.log(2.0 / math.pi) - np.logaddexp(z, -z),
        cdf=lambda z: 2.0 / math.pi * np.arctan(np.exp(z)),
        sf=lambda z: 2.0 / math.pi * np.arctan(np.exp(-z)),
        ppf=lambda q: np.log(np.tan(0.5 * math.pi * q)),
        isf=lambda q: -np.log(np.tan(0.5 * math.pi * q)),
        mean=zero,
        var=lambda: 0.25 * math.pi**2,
        entropy=lambda: math.log(2.0 * math.pi),
    ),
    Family(
        of=stats.loggamma,
        shapes=("c",),
        logpdf=lambda z, c: c * z - np.exp(z) - special.gammaln(c),
        cdf=lambda z, c: special.gammainc(c, np.exp(z)),
        sf=lambda z, c: special.gammaincc(c, np.exp(z)),
        ppf=lambda q, c: np.log(special.gammaincinv(c, q)),
        isf=lambda q, c: np.log(special.gammainccinv(c, q)),
        mean=lambda c: special.psi(c),
        var=lambda c: special.polygamma(1, c),
        entropy=lambda c: special.gammaln(c) - c * special.psi(c) + c,
    ),
    Family(
        of=stats.genlogistic,
        shapes=("c",),
        logpdf=lambda z, c: np.log(c) - z - (c + 1.0) * np.logaddexp(0.0, -z),
        cdf=lambda z, c: np.exp(-c * np.logaddexp(0.0, -z)),
        sf=lambda z, c: -np.expm1(-c * np.logaddexp(0.0, -z)),
        logcdf=lambda z, c: -c * np.logaddexp(0.0, -z),
        ppf=lambda q, c: -np.log(np.expm1(-np.log(q) / c)),
        isf=lambda q, c: -np.log(np.expm1(-np.log1p(-q) / c)),
        mean=lambda c: EULER + special.psi(c),
        var=lambda c: math.pi**2 / 6.0 + special.polygamma(1, c),
        entropy=lambda c: 1.0 + EULER - np.log(c) + special.psi(c + 1.0),
    ),
    Family(
        of=stats.johnsonsu,
        shapes=("a", "b"),
        logpdf=lambda z, a, b: np.log(b) - 0.5 * np.log1p(z * z) + normal_logpdf(_johnson(z, a, b)),
        cdf=lambda z, a, b: special.ndtr(_johnson(z, a, b)),
        sf=lambda z, a, b: special.ndtr(-_johnson(z, a, b)),
        logcdf=lambda z, a, b: special.log_ndtr(_johnson(z, a, b)),
        logsf=lambda z, a, b: special.log_ndtr(-_johnson(z, a, b)),
        ppf=lambda q, a, b: np.sinh((special.ndtri(q) - a) / b),
        isf=lambda q, a, b: -np.sinh((special.ndtri(q) + a) / b),
        mean=lambda a, b: -np.exp(0.5 * b**-2.0) * np.sinh(a / b),
        var=_johnson_variance,
    ),
    Family(
        of=stats.powernorm,
        shapes=("c",),
        logpdf=lambda z, c: np.log(c) + normal_logpdf(z) + (c - 1.0) * special.log_ndtr(-z),
        cdf=lambda z, c: -np.expm1(c * special.log_ndtr(-z)),
        sf=lambda z, c: np.exp(c * special.log_ndtr(-z)),
        logsf=lambda z, c: c * special.log_ndtr(-z),
        ppf=lambda q, c: -special.ndtri(np.exp(np.log1p(-q) / c)),
        isf=lambda q, c: -special.ndtri(q ** (1.0 / c)),
    ),
    Family(
        of=stats.vonmises,
        shapes=("kappa",),
        logpdf=lambda z, kappa: kappa * special.cosm1(z) - math.log(2.0 * math.pi) - np.log(special.i0e(kappa)),
        entropy=_angle_entropy,
    ),
)
