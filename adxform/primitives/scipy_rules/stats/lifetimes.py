"""Families of positive numbers: lifetimes, sizes and lengths."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special, stats

from adxform.primitives.scipy_rules.stats.family import Family
from adxform.primitives.scipy_rules.stats.simple import EULER, HALF_LOG_TAU, betaln, gamma_entropy, one, zero

Formula = Callable[..., Any]


def _from_zero(first: Formula, formula: Formula) -> tuple[Formula, Formula]:
    """A distribution function and its complement; at zero, where powers in `formula` have no slope, by their `first` term."""

    def cdf(z: Any, *shapes: Any) -> Any:
        begins = z == 0.0
        return np.where(begins, first(z, *shapes), formula(np.where(begins, 1.0, z), *shapes))

    def sf(z: Any, *shapes: Any) -> Any:
        return 1.0 - cdf(z, *shapes)

    return cdf, sf


def _softplus(x: Any) -> Any:
    return np.logaddexp(0.0, x)


def _log_logistic_variance(c: Any) -> Any:
    b = math.pi / c
    return 2.0 * b / np.sin(2.0 * b) - (b / np.sin(b)) ** 2


def _burr_moment(c: Any, d: Any, k: float) -> Any:
    return d * np.exp(betaln(1.0 - k / c, d + k / c))


def _burr12_moment(c: Any, d: Any, k: float) -> Any:
    return d * np.exp(betaln(1.0 + k / c, d - k / c))


def _burr_entropy(c: Any, d: Any) -> Any:
    log = (special.psi(d) + EULER) / c
    return (d + 1.0) * (1.0 / d + c * log) - np.log(c * d) - (c * d - 1.0) * log


def _burr12_entropy(c: Any, d: Any) -> Any:
    return (d + 1.0) / d - np.log(c * d) + (1.0 - 1.0 / c) * (special.psi(d) + EULER)


def _beta_prime_entropy(a: Any, b: Any) -> Any:
    rest = (a + b) * (special.psi(a + b) - special.psi(b))
    return betaln(a, b) - (a - 1.0) * (special.psi(a) - special.psi(b)) + rest


def _weibull_mass(z: Any, c: Any) -> Any:
    return -np.expm1(-(z**c))


def _gamma_moment(a: Any, c: Any, k: float) -> Any:
    return np.exp(special.gammaln(a + k / c) - special.gammaln(a))


def _powered_gamma_cdf(z: Any, a: Any, c: Any) -> Any:
    return np.where(c > 0.0, special.gammainc(a, z**c), special.gammaincc(a, z**c))


def _powered_gamma_quantile(q: Any, a: Any, c: Any) -> Any:
    return np.where(c > 0.0, special.gammaincinv(a, q), special.gammainccinv(a, q)) ** (1.0 / c)


def _powered_gamma_upper_quantile(q: Any, a: Any, c: Any) -> Any:
    return np.where(c > 0.0, special.gammainccinv(a, q), special.gammaincinv(a, q)) ** (1.0 / c)


def _chi_mean(df: Any) -> Any:
    return math.sqrt(2.0) * np.exp(special.gammaln(0.5 * df + 0.5) - special.gammaln(0.5 * df))


def _chi_entropy(df: Any) -> Any:
    return special.gammaln(0.5 * df) + 0.5 * (df - math.log(2.0) - (df - 1.0) * special.psi(0.5 * df))


def _nakagami_mean(nu: Any) -> Any:
    return np.exp(special.gammaln(nu + 0.5) - special.gammaln(nu)) / np.sqrt(nu)


def _nakagami_entropy(nu: Any) -> Any:
    return gamma_entropy(nu) - math.log(2.0) - 0.5 * (special.psi(nu) + np.log(nu))


def _odds(y: Any) -> Any:
    return y / (1.0 - y)


def _rice_mean(b: Any) -> Any:
    return math.sqrt(0.5 * math.pi) * special.hyp1f1(-0.5, 1.0, -0.5 * b * b)


def _folded_mean(c: Any) -> Any:
    return math.sqrt(2.0 / math.pi) * np.exp(-0.5 * c * c) + c * special.erf(c * math.sqrt(0.5))


def _half_power_logpdf(z: Any, beta: Any) -> Any:
    return np.log(beta) - special.gammaln(1.0 / beta) - z**beta


def _chi_start(z: Any, df: Any) -> Any:
    return z**df * 2.0 ** (-0.5 * df) / special.gamma(1.0 + 0.5 * df)


def _nakagami_start(z: Any, nu: Any) -> Any:
    return z ** (2.0 * nu) * nu**nu / special.gamma(1.0 + nu)


_BURR = _from_zero(lambda z, c, d: z ** (c * d), lambda z, c, d: np.exp(-d * _softplus(-c * np.log(z))))
_BURR12 = _from_zero(lambda z, c, d: d * z**c, lambda z, c, d: -np.expm1(-d * _softplus(c * np.log(z))))
_FISK = _from_zero(lambda z, c: z**c, lambda z, c: special.expit(c * np.log(z)))
_EXPONWEIB = _from_zero(lambda z, a, c: z ** (a * c), lambda z, a, c: _weibull_mass(z, c) ** a)
_GENGAMMA = _from_zero(lambda z, a, c: np.where(c > 0.0, z ** np.abs(a * c) / special.gamma(a + 1.0), 0.0), _powered_gamma_cdf)
_HALFGENNORM = _from_zero(
    lambda z, beta: z / special.gamma(1.0 + 1.0 / beta), lambda z, beta: special.gammainc(1.0 / beta, z**beta)
)
_CHI = _from_zero(_chi_start, lambda z, df: special.gammainc(0.5 * df, 0.5 * z * z))
_NAKAGAMI = _from_zero(_nakagami_start, lambda z, nu: special.gammainc(nu, nu * z * z))

FAMILIES: tuple[Family, ...] = (
    Family(
        of=stats.fisk,
        shapes=("c",),
        lower=zero,
        inner=one,
        logpdf=lambda z, c: np.log(c) + special.xlogy(c - 1.0, z) - 2.0 * _softplus(c * np.log(z)),
        cdf=_FISK[0],
        sf=_FISK[1],
        logcdf=lambda z, c: special.log_expit(c * np.log(z)),
        logsf=lambda z, c: special.log_expit(-c * np.log(z)),
        ppf=lambda q, c: np.exp(special.logit(q) / c),
        isf=lambda q, c: np.exp(-special.logit(q) / c),
        mean=lambda c: math.pi / c / np.sin(math.pi / c),
        var=_log_logistic_variance,
        entropy=lambda c: 2.0 - np.log(c),
    ),
    Family(
        of=stats.burr,
        shapes=("c", "d"),
        lower=zero,
        inner=one,
        logpdf=lambda z, c, d: np.log(c * d) + special.xlogy(c * d - 1.0, z) - (d + 1.0) * _softplus(c * np.log(z)),
        cdf=_BURR[0],
        sf=_BURR[1],
        logcdf=lambda z, c, d: -d * _softplus(-c * np.log(z)),
        ppf=lambda q, c, d: np.expm1(-np.log(q) / d) ** (-1.0 / c),
        isf=lambda q, c, d: np.expm1(-np.log1p(-q) / d) ** (-1.0 / c),
        mean=lambda c, d: _burr_moment(c, d, 1.0),
        var=lambda c, d: _burr_moment(c, d, 2.0) - _burr_moment(c, d, 1.0) ** 2,
        entropy=_burr_entropy,
    ),
    Family(
        of=stats.burr12,
        shapes=("c", "d"),
        lower=zero,
        inner=one,
        logpdf=lambda z, c, d: np.log(c * d) + special.xlogy(c - 1.0, z) - (d + 1.0) * _softplus(c * np.log(z)),
        cdf=_BURR12[0],
        sf=_BURR12[1],
        logsf=lambda z, c, d: -d * _softplus(c * np.log(z)),
        ppf=lambda q, c, d: np.expm1(-np.log1p(-q) / d) ** (1.0 / c),
        isf=lambda q, c, d: np.expm1(-np.log(q) / d) ** (1.0 / c),
        mean=lambda c, d: _burr12_moment(c, d, 1.0),
        var=lambda c, d: _burr12_moment(c, d, 2.0) - _burr12_moment(c, d, 1.0) ** 2,
        entropy=_burr12_entropy,
    ),
    Family(
        of=stats.exponweib,
        shapes=("a", "c"),
        lower=zero,
        inner=one,
        logpdf=lambda z, a, c: np.log(a * c) + special.xlogy(a - 1.0, _weibull_mass(z, c)) - z**c + special.xlogy(c - 1.0, z),
        cdf=_EXPONWEIB[0],
        sf=_EXPONWEIB[1],
        logcdf=lambda z, a, c: a * np.log(_weibull_mass(z, c)),
        ppf=lambda q, a, c: (-np.log1p(-(q ** (1.0 / a)))) ** (1.0 / c),
        isf=lambda q, a, c: (-np.log(-np.expm1(np.log1p(-q) / a))) ** (1.0 / c),
    ),
    Family(
        of=stats.gengamma,
        shapes=("a", "c"),
        lower=zero,
        inner=one,
        logpdf=lambda z, a, c: np.log(np.abs(c)) + special.xlogy(c * a - 1.0, z) - z**c - special.gammaln(a),
        cdf=_GENGAMMA[0],
        sf=_GENGAMMA[1],
        ppf=_powered_gamma_quantile,
        isf=_powered_gamma_upper_quantile,
        mean=lambda a, c: _gamma_moment(a, c, 1.0),
        var=lambda a, c: _gamma_moment(a, c, 2.0) - _gamma_moment(a, c, 1.0) ** 2,
        entropy=lambda a, c: gamma_entropy(a) - np.log(np.abs(c)) + (1.0 / c - 1.0) * special.psi(a),
    ),
    Family(
        of=stats.halflogistic,
        lower=zero,
        inner=one,
        logpdf=lambda z: math.log(2.0) - z - 2.0 * np.log1p(np.exp(-z)),
        cdf=lambda z: np.tanh(0.5 * z),
        sf=lambda z: 2.0 * special.expit(-z),
        logsf=lambda z: math.log(2.0) - _softplus(z),
        ppf=lambda q: 2.0 * np.arctanh(q),
        isf=lambda q: np.log(2.0 - q) - np.log(q),
        mean=lambda: 2.0 * math.log(2.0),
        var=lambda: math.pi**2 / 3.0 - 4.0 * math.log(2.0) ** 2,
        entropy=lambda: 2.0 - math.log(2.0),
    ),
    Family(
        of=stats.halfgennorm,
        shapes=("beta",),
        lower=zero,
        inner=one,
        logpdf=_half_power_logpdf,
        cdf=_HALFGENNORM[0],
        sf=_HALFGENNORM[1],
        ppf=lambda q, beta: special.gammaincinv(1.0 / beta, q) ** (1.0 / beta),
        isf=lambda q, beta: special.gammainccinv(1.0 / beta, q) ** (1.0 / beta),
        mean=lambda beta: _gamma_moment(1.0 / beta, beta, 1.0),
        var=lambda beta: _gamma_moment(1.0 / beta, beta, 2.0) - _gamma_moment(1.0 / beta, beta, 1.0) ** 2,
        entropy=lambda beta: 1.0 / beta - np.log(beta) + special.gammaln(1.0 / beta),
    ),
    Family(
        of=stats.maxwell,
        lower=zero,
        inner=one,
        logpdf=lambda z: 0.5 * math.log(2.0 / math.pi) + 2.0 * np.log(z) - 0.5 * z * z,
        cdf=lambda z: special.gammainc(1.5, 0.5 * z * z),
        sf=lambda z: special.gammaincc(1.5, 0.5 * z * z),
        ppf=lambda q: np.sqrt(2.0 * special.gammaincinv(1.5, q)),
        isf=lambda q: np.sqrt(2.0 * special.gammainccinv(1.5, q)),
        mean=lambda: 2.0 * math.sqrt(2.0 / math.pi),
        var=lambda: 3.0 - 8.0 / math.pi,
        entropy=lambda: EULER + HALF_LOG_TAU - 0.5,
    ),
    Family(
        of=stats.chi,
        shapes=("df",),
        lower=zero,
        inner=one,
        logpdf=lambda z, df: (
            (1.0 - 0.5 * df) * math.log(2.0) - special.gammaln(0.5 * df) + special.xlogy(df - 1.0, z) - 0.5 * z * z
        ),
        cdf=_CHI[0],
        sf=_CHI[1],
        ppf=lambda q, df: np.sqrt(2.0 * special.gammaincinv(0.5 * df, q)),
        isf=lambda q, df: np.sqrt(2.0 * special.gammainccinv(0.5 * df, q)),
        mean=_chi_mean,
        var=lambda df: df - _chi_mean(df) ** 2,
        entropy=_chi_entropy,
    ),
    Family(
        of=stats.nakagami,
        shapes=("nu",),
        lower=zero,
        inner=one,
        logpdf=lambda z, nu: (
            math.log(2.0) + nu * np.log(nu) - special.gammaln(nu) + special.xlogy(2.0 * nu - 1.0, z) - nu * z * z
        ),
        cdf=_NAKAGAMI[0],
        sf=_NAKAGAMI[1],
        ppf=lambda q, nu: np.sqrt(special.gammaincinv(nu, q) / nu),
        isf=lambda q, nu: np.sqrt(special.gammainccinv(nu, q) / nu),
        mean=_nakagami_mean,
        var=lambda nu: 1.0 - _nakagami_mean(nu) ** 2,
        entropy=_nakagami_entropy,
    ),
    Family(
        of=stats.betaprime,
        shapes=("a", "b"),
        lower=zero,
        inner=one,
        logpdf=lambda z, a, b: special.xlogy(a - 1.0, z) - (a + b) * np.log1p(z) - betaln(a, b),
        cdf=lambda z, a, b: special.betainc(a, b, z / (1.0 + z)),
        sf=lambda z, a, b: special.betainc(b, a, 1.0 / (1.0 + z)),
        ppf=lambda q, a, b: _odds(special.betaincinv(a, b, q)),
        isf=lambda q, a, b: 1.0 / _odds(special.betaincinv(b, a, q)),
        mean=lambda a, b: a / (b - 1.0),
        var=lambda a, b: a * (a + b - 1.0) / ((b - 2.0) * (b - 1.0) ** 2),
        entropy=_beta_prime_entropy,
    ),
    Family(
        of=stats.rice,
        shapes=("b",),
        lower=zero,
        inner=one,
        logpdf=lambda z, b: np.log(z) - 0.5 * (z - b) ** 2 + np.log(special.i0e(b * z)),
        cdf=lambda z, b: special.chndtr(z * z, 2.0, b * b),
        sf=lambda z, b: 1.0 - special.chndtr(z * z, 2.0, b * b),
        ppf=lambda q, b: np.sqrt(special.chndtrix(q, 2.0, b * b)),
        mean=_rice_mean,
        var=lambda b: 2.0 + b * b - _rice_mean(b) ** 2,
    ),
    Family(
        of=stats.foldnorm,
        shapes=("c",),
        lower=zero,
        inner=one,
        logpdf=lambda z, c: np.logaddexp(-0.5 * (z - c) ** 2, -0.5 * (z + c) ** 2) - HALF_LOG_TAU,
        cdf=lambda z, c: special.ndtr(z - c) - special.ndtr(-z - c),
        sf=lambda z, c: special.ndtr(c - z) + special.ndtr(-z - c),
        mean=_folded_mean,
        var=lambda c: 1.0 + c * c - _folded_mean(c) ** 2,
    ),
)
