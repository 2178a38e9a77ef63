"""The discrete families; they move with their parameters, not with the places and the location, which are whole numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special, stats

from adxform.primitives.definitions.definition import Definition, Value
from adxform.primitives.scipy_rules.stats.family import given, moments
from adxform.primitives.scipy_rules.stats.simple import betaln

Formula = Callable[..., Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class DiscreteFamily:
    """A family `of` SciPy's by formulas of a whole number `k` and the shapes, as `Family` is one of real numbers."""

    of: Any
    shapes: tuple[str, ...]
    lower: float = 0.0
    upper: Formula | None = None
    logpmf: Formula
    cdf: Formula | None = None
    sf: Formula | None = None
    mean: Formula
    var: Formula
    entropy: Formula | None = None


def _mass(one: DiscreteFamily, log: bool) -> Formula:
    names, formula, lower, upper = one.shapes, one.logpmf, one.lower, one.upper

    def body(k: Any, *args: Any, **kwds: Any) -> Any:
        shapes, loc, _scale = given(names, args, kwds)
        k = k if loc is None else k - loc
        whole = np.floor(k)
        inside = (k >= lower) & (k == whole)
        if upper is not None:
            inside = inside & (k <= upper(*shapes))
        y = formula(np.where(inside, whole, lower), *shapes)
        return np.where(inside, y, -np.inf) if log else np.where(inside, np.exp(y), 0.0)

    return body


def _distribution(one: DiscreteFamily, formula: Formula, below: float, above: float) -> Formula:
    names, lower, upper = one.shapes, one.lower, one.upper

    def body(k: Any, *args: Any, **kwds: Any) -> Any:
        shapes, loc, _scale = given(names, args, kwds)
        whole = np.floor(k if loc is None else k - loc)
        inside = whole >= lower
        if upper is not None:
            inside = inside & (whole < upper(*shapes))
        y = formula(np.where(inside, whole, lower), *shapes)
        return np.where(inside, y, np.where(whole < lower, below, above))

    return body


def _logarithm(method: Any) -> Formula:
    def body(k: Any, *args: Any, **kwds: Any) -> Any:
        y = method(k, *args, **kwds)
        return np.where(y > 0.0, np.log(np.where(y > 0.0, y, 1.0)), -np.inf)

    return body


def _definitions_of(one: DiscreteFamily) -> tuple[Definition, ...]:
    bodies = {
        "logpmf": _mass(one, True),
        "pmf": _mass(one, False),
        **dict(moments(one.shapes, one.mean, one.var, one.entropy)),
    }
    if one.cdf is not None and one.sf is not None:
        bodies |= {
            "cdf": _distribution(one, one.cdf, 0.0, 1.0),
            "sf": _distribution(one, one.sf, 1.0, 0.0),
            "logcdf": _logarithm(one.of.cdf),
            "logsf": _logarithm(one.of.sf),
        }
    return tuple(Definition(getattr(one.of, name), body, Value.OWN) for name, body in bodies.items())


def _choices(n: Any, k: Any) -> Any:
    """The logarithm of the number of ways to choose `k` of `n`."""
    return special.gammaln(n + 1.0) - special.gammaln(k + 1.0) - special.gammaln(n - k + 1.0)


def _coin_entropy(p: Any) -> Any:
    return -special.xlogy(p, p) - special.xlog1py(1.0 - p, -p)


def _below(k: Any, a: Any) -> Any:
    """The distribution function of Laplace's discrete distribution, below zero."""
    return np.exp(-a * np.abs(k)) / (1.0 + np.exp(-a))


def _difference_of_counts(k: Any, m: Any, n: Any) -> Any:
    root = np.sqrt(m * n)
    apart = 0.5 * k * (np.log(m) - np.log(n)) - (np.sqrt(m) - np.sqrt(n)) ** 2
    return apart + np.log(special.ive(np.abs(k), 2.0 * root))


FAMILIES = (
    DiscreteFamily(
        of=stats.poisson,
        shapes=("mu",),
        logpmf=lambda k, mu: special.xlogy(k, mu) - mu - special.gammaln(k + 1.0),
        cdf=lambda k, mu: special.gammaincc(k + 1.0, mu),
        sf=lambda k, mu: special.gammainc(k + 1.0, mu),
        mean=lambda mu: mu,
        var=lambda mu: mu,
    ),
    DiscreteFamily(
        of=stats.binom,
        shapes=("n", "p"),
        upper=lambda n, p: n,
        logpmf=lambda k, n, p: _choices(n, k) + special.xlogy(k, p) + special.xlog1py(n - k, -p),
        cdf=lambda k, n, p: special.betainc(n - k, k + 1.0, 1.0 - p),
        sf=lambda k, n, p: special.betainc(k + 1.0, n - k, p),
        mean=lambda n, p: n * p,
        var=lambda n, p: n * p * (1.0 - p),
    ),
    DiscreteFamily(
        of=stats.bernoulli,
        shapes=("p",),
        upper=lambda p: 1.0,
        logpmf=lambda k, p: special.xlogy(k, p) + special.xlog1py(1.0 - k, -p),
        cdf=lambda k, p: 1.0 - p,
        sf=lambda k, p: p,
        mean=lambda p: p,
        var=lambda p: p * (1.0 - p),
        entropy=_coin_entropy,
    ),
    DiscreteFamily(
        of=stats.nbinom,
        shapes=("n", "p"),
        logpmf=lambda k, n, p: (
            special.gammaln(k + n) - special.gammaln(k + 1.0) - special.gammaln(n) + n * np.log(p) + special.xlog1py(k, -p)
        ),
        cdf=lambda k, n, p: special.betainc(n, k + 1.0, p),
        sf=lambda k, n, p: special.betainc(k + 1.0, n, 1.0 - p),
        mean=lambda n, p: n * (1.0 - p) / p,
        var=lambda n, p: n * (1.0 - p) / (p * p),
    ),
    DiscreteFamily(
        of=stats.geom,
        shapes=("p",),
        lower=1.0,
        logpmf=lambda k, p: special.xlog1py(k - 1.0, -p) + np.log(p),
        cdf=lambda k, p: -np.expm1(k * np.log1p(-p)),
        sf=lambda k, p: np.exp(k * np.log1p(-p)),
        mean=lambda p: 1.0 / p,
        var=lambda p: (1.0 - p) / (p * p),
    ),
    DiscreteFamily(
        of=stats.betabinom,
        shapes=("n", "a", "b"),
        upper=lambda n, a, b: n,
        logpmf=lambda k, n, a, b: _choices(n, k) + betaln(k + a, n - k + b) - betaln(a, b),
        mean=lambda n, a, b: n * a / (a + b),
        var=lambda n, a, b: n * a * b * (a + b + n) / ((a + b) ** 2 * (a + b + 1.0)),
    ),
    DiscreteFamily(
        of=stats.betanbinom,
        shapes=("n", "a", "b"),
        logpmf=lambda k, n, a, b: _choices(n + k - 1.0, k) + betaln(a + n, b + k) - betaln(a, b),
        mean=lambda n, a, b: n * b / (a - 1.0),
        var=lambda n, a, b: n * b * (n + a - 1.0) * (a + b - 1.0) / ((a - 2.0) * (a - 1.0) ** 2),
    ),
    DiscreteFamily(
        of=stats.logser,
        shapes=("p",),
        lower=1.0,
        logpmf=lambda k, p: k * np.log(p) - np.log(k) - np.log(-np.log1p(-p)),
        mean=lambda p: p / ((p - 1.0) * np.log1p(-p)),
        var=lambda p: -p * (p + np.log1p(-p)) / ((1.0 - p) * np.log1p(-p)) ** 2,
    ),
    DiscreteFamily(
        of=stats.planck,
        shapes=("lambda_",),
        logpmf=lambda k, rate: np.log(-np.expm1(-rate)) - rate * k,
        cdf=lambda k, rate: -np.expm1(-rate * (k + 1.0)),
        sf=lambda k, rate: np.exp(-rate * (k + 1.0)),
        mean=lambda rate: 1.0 / np.expm1(rate),
        var=lambda rate: np.exp(rate) / np.expm1(rate) ** 2,
    ),
    DiscreteFamily(
        of=stats.dlaplace,
        shapes=("a",),
        lower=-np.inf,
        logpmf=lambda k, a: np.log(np.tanh(0.5 * a)) - a * np.abs(k),
        cdf=lambda k, a: np.where(k >= 0.0, 1.0 - np.exp(-a * np.abs(k)) / (np.exp(a) + 1.0), _below(k, a)),
        sf=lambda k, a: np.where(k >= 0.0, np.exp(-a * np.abs(k)) / (np.exp(a) + 1.0), 1.0 - _below(k, a)),
        mean=lambda a: 0.0 * a,
        var=lambda a: 2.0 * np.exp(a) / np.expm1(a) ** 2,
    ),
    DiscreteFamily(
        of=stats.skellam,
        shapes=("mu1", "mu2"),
        lower=-np.inf,
        logpmf=_difference_of_counts,
        mean=lambda m, n: m - n,
        var=lambda m, n: m + n,
    ),
)

DEFINITIONS: tuple[Definition, ...] = tuple(one for family in FAMILIES for one in _definitions_of(family))
