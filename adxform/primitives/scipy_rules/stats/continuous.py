"""The continuous families, in standard form: location zero and scale one."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special, stats

from adxform.primitives.scipy_rules.stats.family import Family
from adxform.primitives.scipy_rules.stats.simple import (
    EULER,
    HALF_LOG_TAU,
    above_zero,
    betaln,
    gamma_entropy,
    half,
    log,
    one,
    weibull_variance,
    zero,
)


def _log_mass(lower: Any, upper: Any) -> Any:
    """The logarithm of what the normal distribution has between two places: in the tail that both are nearer to."""
    left = np.where(lower > 0.0, -upper, lower)
    right = np.where(lower > 0.0, -lower, upper)
    whole = special.log_ndtr(right)
    return whole + np.log1p(-np.exp(special.log_ndtr(left) - whole))


def _mass(lower: Any, upper: Any) -> Any:
    left = np.where(lower > 0.0, -upper, lower)
    return special.ndtr(np.where(lower > 0.0, -lower, upper)) - special.ndtr(left)


def _truncated_quantile(q: Any, a: Any, b: Any) -> Any:
    side = np.where(a > 0.0, -1.0, 1.0)
    return side * special.ndtri(special.ndtr(side * a) + side * q * _mass(a, b))


def _normal_density(x: Any) -> Any:
    return np.exp(-0.5 * x * x - HALF_LOG_TAU)


def _truncated_mean(a: Any, b: Any) -> Any:
    return (_normal_density(a) - _normal_density(b)) / _mass(a, b)


def _times_density(x: Any) -> Any:
    """``x * normal density``, which is zero at infinity."""
    finite = np.isfinite(x)
    return np.where(finite, np.where(finite, x, 0.0) * _normal_density(x), 0.0)


def _truncated_variance(a: Any, b: Any) -> Any:
    mean = _truncated_mean(a, b)
    return 1.0 + (_times_density(a) - _times_density(b)) / _mass(a, b) - mean * mean


def _truncated_entropy(a: Any, b: Any) -> Any:
    edge = 0.5 * (_times_density(a) - _times_density(b)) / _mass(a, b)
    return HALF_LOG_TAU + 0.5 + _log_mass(a, b) + edge


def _beta_entropy(a: Any, b: Any) -> Any:
    rest = (a + b - 2.0) * special.psi(a + b)
    return betaln(a, b) - (a - 1.0) * special.psi(a) - (b - 1.0) * special.psi(b) + rest


def _t_entropy(df: Any) -> Any:
    slope = special.psi(0.5 * df + 0.5) - special.psi(0.5 * df)
    return 0.5 * (df + 1.0) * slope + 0.5 * np.log(df) + betaln(0.5 * df, 0.5)


def _f_logpdf(z: Any, n: Any, m: Any) -> Any:
    heads = 0.5 * n * np.log(n) + 0.5 * m * np.log(m) + special.xlogy(0.5 * n - 1.0, z)
    return heads - 0.5 * (n + m) * np.log(m + n * z) - betaln(0.5 * n, 0.5 * m)


def _f_quantile(q: Any, n: Any, m: Any) -> Any:
    y = special.betaincinv(0.5 * n, 0.5 * m, q)
    return m * y / (n * (1.0 - y))


def _f_upper_quantile(q: Any, n: Any, m: Any) -> Any:
    y = special.betaincinv(0.5 * m, 0.5 * n, q)
    return m * (1.0 - y) / (n * y)


def _laplace_half(z: Any) -> Any:
    """Half of the exponential of minus the distance from zero; at zero with the slope of the left side."""
    return 0.5 * np.exp(np.where(z > 0.0, -z, z))


def _laplace_cdf(z: Any) -> Any:
    return np.where(z > 0.0, 1.0 - _laplace_half(z), _laplace_half(z))


def _laplace_logcdf(z: Any) -> Any:
    return np.where(z > 0.0, np.log1p(-_laplace_half(z)), z - math.log(2.0))


def _laplace_quantile(q: Any) -> Any:
    return np.where(q > 0.5, -1.0, 1.0) * np.log(np.where(q > 0.5, 2.0 - 2.0 * q, 2.0 * q))


FAMILIES: tuple[Family, ...] = (
    Family(
        of=stats.norm,
        logpdf=lambda z: -0.5 * z * z - HALF_LOG_TAU,
        cdf=lambda z: special.ndtr(z),
        sf=lambda z: special.ndtr(-z),
        logcdf=lambda z: special.log_ndtr(z),
        logsf=lambda z: special.log_ndtr(-z),
        ppf=lambda q: special.ndtri(q),
        isf=lambda q: -special.ndtri(q),
        mean=zero,
        var=one,
        entropy=lambda: HALF_LOG_TAU + 0.5,
    ),
    Family(
        of=stats.uniform,
        lower=zero,
        upper=one,
        inner=half,
        logpdf=lambda z: 0.0 * z,
        cdf=lambda z: z,
        sf=lambda z: 1.0 - z,
        ppf=lambda q: q,
        isf=lambda q: 1.0 - q,
        mean=half,
        var=lambda: 1.0 / 12.0,
        entropy=zero,
    ),
    Family(
        of=stats.expon,
        lower=zero,
        inner=one,
        logpdf=lambda z: -z,
        cdf=lambda z: -np.expm1(-z),
        sf=lambda z: np.exp(-z),
        logsf=lambda z: -z,
        ppf=lambda q: -np.log1p(-q),
        isf=lambda q: -np.log(q),
        mean=one,
        var=one,
        entropy=one,
    ),
    Family(
        of=stats.gamma,
        shapes=("a",),
        lower=zero,
        inner=one,
        logpdf=lambda z, a: special.xlogy(a - 1.0, z) - z - special.gammaln(a),
        cdf=lambda z, a: special.gammainc(a, z),
        sf=lambda z, a: special.gammaincc(a, z),
        ppf=lambda q, a: special.gammaincinv(a, q),
        isf=lambda q, a: special.gammainccinv(a, q),
        mean=lambda a: a,
        var=lambda a: a,
        entropy=gamma_entropy,
    ),
    Family(
        of=stats.beta,
        shapes=("a", "b"),
        lower=zero,
        upper=one,
        inner=half,
        logpdf=lambda z, a, b: special.xlogy(a - 1.0, z) + special.xlog1py(b - 1.0, -z) - betaln(a, b),
        cdf=lambda z, a, b: special.betainc(a, b, z),
        sf=lambda z, a, b: special.betainc(b, a, 1.0 - z),
        ppf=lambda q, a, b: special.betaincinv(a, b, q),
        isf=lambda q, a, b: 1.0 - special.betaincinv(b, a, q),
        mean=lambda a, b: a / (a + b),
        var=lambda a, b: a * b / ((a + b) ** 2 * (a + b + 1.0)),
        entropy=_beta_entropy,
    ),
    Family(
        of=stats.lognorm,
        shapes=("s",),
        lower=zero,
        inner=one,
        logpdf=above_zero(lambda z, s: -0.5 * (np.log(z) / s) ** 2 - np.log(s * z) - HALF_LOG_TAU, -np.inf),
        cdf=lambda z, s: special.ndtr(log(z) / s),
        sf=lambda z, s: special.ndtr(-log(z) / s),
        logcdf=lambda z, s: special.log_ndtr(log(z) / s),
        logsf=lambda z, s: special.log_ndtr(-log(z) / s),
        ppf=lambda q, s: np.exp(s * special.ndtri(q)),
        isf=lambda q, s: np.exp(-s * special.ndtri(q)),
        mean=lambda s: np.exp(0.5 * s * s),
        var=lambda s: np.expm1(s * s) * np.exp(s * s),
        entropy=lambda s: HALF_LOG_TAU + 0.5 + np.log(s),
    ),
    Family(
        of=stats.t,
        shapes=("df",),
        logpdf=lambda z, df: -0.5 * (df + 1.0) * np.log1p(z * z / df) - 0.5 * np.log(df) - betaln(0.5 * df, 0.5),
        cdf=lambda z, df: special.stdtr(df, z),
        sf=lambda z, df: special.stdtr(df, -z),
        ppf=lambda q, df: special.stdtrit(df, q),
        isf=lambda q, df: -special.stdtrit(df, q),
        mean=zero,
        var=lambda df: df / (df - 2.0),
        entropy=_t_entropy,
    ),
    Family(
        of=stats.chi2,
        shapes=("df",),
        lower=zero,
        inner=one,
        logpdf=lambda z, df: special.xlogy(0.5 * df - 1.0, z) - 0.5 * z - special.gammaln(0.5 * df) - 0.5 * math.log(2.0) * df,
        cdf=lambda z, df: special.gammainc(0.5 * df, 0.5 * z),
        sf=lambda z, df: special.gammaincc(0.5 * df, 0.5 * z),
        ppf=lambda q, df: 2.0 * special.gammaincinv(0.5 * df, q),
        isf=lambda q, df: 2.0 * special.gammainccinv(0.5 * df, q),
        mean=lambda df: df,
        var=lambda df: 2.0 * df,
        entropy=lambda df: 0.5 * df + special.gammaln(0.5 * df) + (1.0 - 0.5 * df) * special.psi(0.5 * df) + math.log(2.0),
    ),
    Family(
        of=stats.laplace,
        logpdf=lambda z: -np.abs(z) - math.log(2.0),
        cdf=_laplace_cdf,
        sf=lambda z: _laplace_cdf(-z),
        logcdf=_laplace_logcdf,
        logsf=lambda z: _laplace_logcdf(-z),
        ppf=_laplace_quantile,
        isf=lambda q: -_laplace_quantile(q),
        mean=zero,
        var=lambda: 2.0,
        entropy=lambda: 1.0 + math.log(2.0),
    ),
    Family(
        of=stats.logistic,
        logpdf=lambda z: -z - 2.0 * np.logaddexp(0.0, -z),
        cdf=lambda z: special.expit(z),
        sf=lambda z: special.expit(-z),
        logcdf=lambda z: -np.logaddexp(0.0, -z),
        logsf=lambda z: -np.logaddexp(0.0, z),
        ppf=lambda q: np.log(q) - np.log1p(-q),
        isf=lambda q: np.log1p(-q) - np.log(q),
        mean=zero,
        var=lambda: math.pi**2 / 3.0,
        entropy=lambda: 2.0,
    ),
    Family(
        of=stats.cauchy,
        logpdf=lambda z: -np.log1p(z * z) - math.log(math.pi),
        cdf=lambda z: 0.5 + np.arctan(z) / math.pi,
        sf=lambda z: 0.5 - np.arctan(z) / math.pi,
        ppf=lambda q: np.tan(math.pi * (q - 0.5)),
        isf=lambda q: -np.tan(math.pi * (q - 0.5)),
        entropy=lambda: math.log(4.0 * math.pi),
    ),
    Family(
        of=stats.weibull_min,
        shapes=("c",),
        lower=zero,
        inner=one,
        logpdf=lambda z, c: np.log(c) + special.xlogy(c - 1.0, z) - z**c,
        cdf=lambda z, c: -np.expm1(-(z**c)),
        sf=lambda z, c: np.exp(-(z**c)),
        logsf=lambda z, c: -(z**c),
        ppf=lambda q, c: (-np.log1p(-q)) ** (1.0 / c),
        isf=lambda q, c: (-np.log(q)) ** (1.0 / c),
        mean=lambda c: np.exp(special.gammaln(1.0 + 1.0 / c)),
        var=weibull_variance,
        entropy=lambda c: EULER + 1.0 - EULER / c - np.log(c),
    ),
    Family(
        of=stats.pareto,
        shapes=("b",),
        lower=one,
        inner=lambda b: 2.0,
        logpdf=lambda z, b: np.log(b) - (b + 1.0) * np.log(z),
        cdf=lambda z, b: 1.0 - z**-b,
        sf=lambda z, b: z**-b,
        logsf=lambda z, b: -b * np.log(z),
        ppf=lambda q, b: (1.0 - q) ** (-1.0 / b),
        isf=lambda q, b: q ** (-1.0 / b),
        mean=lambda b: b / (b - 1.0),
        var=lambda b: b / ((b - 1.0) ** 2 * (b - 2.0)),
        entropy=lambda b: 1.0 + 1.0 / b - np.log(b),
    ),
    Family(
        of=stats.invgamma,
        shapes=("a",),
        lower=zero,
        inner=one,
        logpdf=above_zero(lambda z, a: -(a + 1.0) * np.log(z) - special.gammaln(a) - 1.0 / z, -np.inf),
        cdf=above_zero(lambda z, a: special.gammaincc(a, 1.0 / z), 0.0),
        sf=above_zero(lambda z, a: special.gammainc(a, 1.0 / z), 1.0),
        ppf=lambda q, a: 1.0 / special.gammainccinv(a, q),
        isf=lambda q, a: 1.0 / special.gammaincinv(a, q),
        mean=lambda a: 1.0 / (a - 1.0),
        var=lambda a: 1.0 / ((a - 1.0) ** 2 * (a - 2.0)),
        entropy=lambda a: a - (a + 1.0) * special.psi(a) + special.gammaln(a),
    ),
    Family(
        of=stats.halfnorm,
        lower=zero,
        inner=one,
        logpdf=lambda z: 0.5 * math.log(2.0 / math.pi) - 0.5 * z * z,
        cdf=lambda z: 1.0 - 2.0 * special.ndtr(-z),
        sf=lambda z: 2.0 * special.ndtr(-z),
        logsf=lambda z: math.log(2.0) + special.log_ndtr(-z),
        ppf=lambda q: special.ndtri(0.5 + 0.5 * q),
        isf=lambda q: -special.ndtri(0.5 * q),
        mean=lambda: math.sqrt(2.0 / math.pi),
        var=lambda: 1.0 - 2.0 / math.pi,
        entropy=lambda: 0.5 * math.log(math.pi / 2.0) + 0.5,
    ),
    Family(
        of=stats.halfcauchy,
        lower=zero,
        inner=one,
        logpdf=lambda z: math.log(2.0 / math.pi) - np.log1p(z * z),
        cdf=lambda z: 2.0 / math.pi * np.arctan(z),
        sf=lambda z: 1.0 - 2.0 / math.pi * np.arctan(z),
        ppf=lambda q: np.tan(0.5 * math.pi * q),
        isf=lambda q: 1.0 / np.tan(0.5 * math.pi * q),
        entropy=lambda: math.log(2.0 * math.pi),
    ),
    Family(
        of=stats.truncnorm,
        shapes=("a", "b"),
        lower=lambda a, b: a,
        upper=lambda a, b: b,
        inner=lambda a, b: np.clip(0.0, a, b),
        logpdf=lambda z, a, b: -0.5 * z * z - HALF_LOG_TAU - _log_mass(a, b),
        cdf=lambda z, a, b: _mass(a, z) / _mass(a, b),
        sf=lambda z, a, b: _mass(z, b) / _mass(a, b),
        ppf=_truncated_quantile,
        isf=lambda q, a, b: -_truncated_quantile(q, -b, -a),
        mean=_truncated_mean,
        var=_truncated_variance,
        entropy=_truncated_entropy,
    ),
    Family(
        of=stats.gumbel_r,
        logpdf=lambda z: -z - np.exp(-z),
        cdf=lambda z: np.exp(-np.exp(-z)),
        sf=lambda z: -np.expm1(-np.exp(-z)),
        logcdf=lambda z: -np.exp(-z),
        ppf=lambda q: -np.log(-np.log(q)),
        isf=lambda q: -np.log(-np.log1p(-q)),
        mean=lambda: EULER,
        var=lambda: math.pi**2 / 6.0,
        entropy=lambda: EULER + 1.0,
    ),
    Family(
        of=stats.f,
        shapes=("dfn", "dfd"),
        lower=zero,
        inner=one,
        logpdf=_f_logpdf,
        cdf=lambda z, n, m: special.betainc(0.5 * n, 0.5 * m, n * z / (m + n * z)),
        sf=lambda z, n, m: special.betainc(0.5 * m, 0.5 * n, m / (m + n * z)),
        ppf=_f_quantile,
        isf=_f_upper_quantile,
        mean=lambda n, m: m / (m - 2.0) + 0.0 * n,
        var=lambda n, m: 2.0 * m * m * (n + m - 2.0) / (n * (m - 2.0) ** 2 * (m - 4.0)),
    ),
    Family(
        of=stats.rayleigh,
        lower=zero,
        inner=one,
        logpdf=lambda z: np.log(z) - 0.5 * z * z,
        cdf=lambda z: -np.expm1(-0.5 * z * z),
        sf=lambda z: np.exp(-0.5 * z * z),
        logsf=lambda z: -0.5 * z * z,
        ppf=lambda q: np.sqrt(-2.0 * np.log1p(-q)),
        isf=lambda q: np.sqrt(-2.0 * np.log(q)),
        mean=lambda: math.sqrt(math.pi / 2.0),
        var=lambda: 2.0 - math.pi / 2.0,
        entropy=lambda: 1.0 - 0.5 * math.log(2.0) + 0.5 * EULER,
    ),
)
