"""Families of numbers between two ends."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
from scipy import special, stats

from adxform.primitives.scipy_rules.stats.family import Family
from adxform.primitives.scipy_rules.stats.simple import half, normal_logpdf, one, zero


def _triangle_logpdf(z: Any, c: Any) -> Any:
    return np.where(z < c, np.log(2.0 * z / c), np.log(2.0 * (1.0 - z) / (1.0 - c)))


def _triangle_cdf(z: Any, c: Any) -> Any:
    return np.where(z < c, z * z / c, 1.0 - (1.0 - z) ** 2 / (1.0 - c))


def _triangle_sf(z: Any, c: Any) -> Any:
    return np.where(z < c, 1.0 - z * z / c, (1.0 - z) ** 2 / (1.0 - c))


def _triangle_quantile(q: Any, c: Any) -> Any:
    return np.where(q < c, np.sqrt(c * q), 1.0 - np.sqrt((1.0 - c) * (1.0 - q)))


def _orders(a: Any, b: Any) -> Any:
    return np.log(b) - np.log(a)


def _log_uniform_mean(a: Any, b: Any) -> Any:
    return (b - a) / _orders(a, b)


def _cut_mean(b: Any) -> Any:
    return 1.0 - b / np.expm1(b)


def _cut_variance(b: Any) -> Any:
    return 1.0 - b * b * np.exp(b) / np.expm1(b) ** 2


def _johnson(z: Any, a: Any, b: Any) -> Any:
    return a + b * special.logit(z)


def _johnson_logpdf(z: Any, a: Any, b: Any) -> Any:
    ends = (z == 0.0) | (z == 1.0)
    y = np.where(ends, 0.5, z)
    return np.where(ends, -np.inf, np.log(b) - np.log(y) - np.log1p(-y) + normal_logpdf(_johnson(y, a, b)))


_LOG_UNIFORM = Family(
    of=stats.loguniform,
    shapes=("a", "b"),
    lower=lambda a, b: a,
    upper=lambda a, b: b,
    inner=lambda a, b: np.sqrt(a * b),
    logpdf=lambda z, a, b: -np.log(z) - np.log(_orders(a, b)),
    cdf=lambda z, a, b: _orders(a, z) / _orders(a, b),
    sf=lambda z, a, b: _orders(z, b) / _orders(a, b),
    ppf=lambda q, a, b: a * np.exp(q * _orders(a, b)),
    isf=lambda q, a, b: b * np.exp(-q * _orders(a, b)),
    mean=_log_uniform_mean,
    var=lambda a, b: 0.5 * (b * b - a * a) / _orders(a, b) - _log_uniform_mean(a, b) ** 2,
    entropy=lambda a, b: 0.5 * (np.log(a) + np.log(b)) + np.log(_orders(a, b)),
)

FAMILIES: tuple[Family, ...] = (
    Family(
        of=stats.triang,
        shapes=("c",),
        lower=zero,
        upper=one,
        inner=half,
        logpdf=_triangle_logpdf,
        cdf=_triangle_cdf,
        sf=_triangle_sf,
        ppf=_triangle_quantile,
        isf=lambda q, c: 1.0 - _triangle_quantile(q, 1.0 - c),
        mean=lambda c: (1.0 + c) / 3.0,
        var=lambda c: (1.0 - c + c * c) / 18.0,
        entropy=lambda c: 0.5 - math.log(2.0) + 0.0 * c,
    ),
    Family(
        of=stats.powerlaw,
        shapes=("a",),
        lower=zero,
        upper=one,
        inner=half,
        logpdf=lambda z, a: np.log(a) + special.xlogy(a - 1.0, z),
        cdf=lambda z, a: z**a,
        sf=lambda z, a: 1.0 - z**a,
        logcdf=lambda z, a: a * np.log(z),
        ppf=lambda q, a: q ** (1.0 / a),
        isf=lambda q, a: np.exp(np.log1p(-q) / a),
        mean=lambda a: a / (a + 1.0),
        var=lambda a: a / ((a + 2.0) * (a + 1.0) ** 2),
        entropy=lambda a: 1.0 - 1.0 / a - np.log(a),
    ),
    _LOG_UNIFORM,
    replace(_LOG_UNIFORM, of=stats.reciprocal),
    Family(
        of=stats.arcsine,
        lower=zero,
        upper=one,
        inner=half,
        logpdf=lambda z: -math.log(math.pi) - 0.5 * np.log(z) - 0.5 * np.log1p(-z),
        cdf=lambda z: 2.0 / math.pi * np.arcsin(np.sqrt(z)),
        sf=lambda z: 2.0 / math.pi * np.arcsin(np.sqrt(1.0 - z)),
        ppf=lambda q: np.sin(0.5 * math.pi * q) ** 2,
        isf=lambda q: np.cos(0.5 * math.pi * q) ** 2,
        mean=half,
        var=lambda: 0.125,
        entropy=lambda: math.log(0.25 * math.pi),
    ),
    Family(
        of=stats.truncexpon,
        shapes=("b",),
        lower=zero,
        upper=lambda b: b,
        inner=lambda b: 0.5 * b,
        logpdf=lambda z, b: -z - np.log(-np.expm1(-b)),
        cdf=lambda z, b: np.expm1(-z) / np.expm1(-b),
        sf=lambda z, b: np.exp(-b) * np.expm1(b - z) / -np.expm1(-b),
        ppf=lambda q, b: -np.log1p(q * np.expm1(-b)),
        isf=lambda q, b: -np.log1p((1.0 - q) * np.expm1(-b)),
        mean=_cut_mean,
        var=_cut_variance,
        entropy=lambda b: _cut_mean(b) + np.log(-np.expm1(-b)),
    ),
    Family(
        of=stats.johnsonsb,
        shapes=("a", "b"),
        lower=zero,
        upper=one,
        inner=half,
        logpdf=_johnson_logpdf,
        cdf=lambda z, a, b: special.ndtr(_johnson(z, a, b)),
        sf=lambda z, a, b: special.ndtr(-_johnson(z, a, b)),
        logcdf=lambda z, a, b: special.log_ndtr(_johnson(z, a, b)),
        logsf=lambda z, a, b: special.log_ndtr(-_johnson(z, a, b)),
        ppf=lambda q, a, b: special.expit((special.ndtri(q) - a) / b),
        isf=lambda q, a, b: special.expit((-special.ndtri(q) - a) / b),
    ),
)
