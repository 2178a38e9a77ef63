"""Tests of samples and lines through them: statistics and their p-values, which are formulas of means, variances and tails.

Source: Snedecor & Cochran, *Statistical Methods* (1989); Welch, Biometrika 34 (1947), of samples of unequal variances.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from scipy import special, stats

from adxform.api.scipy_models.solving import moving, solve
from adxform.primitives.definitions.definition import Definition, Value, unsupported
from adxform.primitives.scipy_rules.stats.sample_statistics import number_along

_POWERS = {
    "pearson": 1.0,
    "log-likelihood": 0.0,
    "freeman-tukey": -0.5,
    "mod-log-likelihood": -1.0,
    "neyman": -2.0,
    "cressie-read": 2.0 / 3.0,
}


class Tested:
    """A statistic and its p-value, which a program may unpack."""

    def __init__(self, statistic: Any, pvalue: Any) -> None:
        self.statistic, self.pvalue = statistic, pvalue

    def __iter__(self) -> Iterator[Any]:
        return iter((self.statistic, self.pvalue))

    def __getitem__(self, k: Any) -> Any:
        return (self.statistic, self.pvalue)[k]

    def __len__(self) -> int:
        return 2


class StudentTested(Tested):
    """Those of Student's test, with its degrees of freedom."""

    def __init__(self, statistic: Any, pvalue: Any, df: Any) -> None:
        self.statistic, self.pvalue, self.df = statistic, pvalue, df


class Correlation(Tested):
    """A correlation and its p-value."""

    @property
    def correlation(self) -> Any:
        """The older name of the statistic."""
        return self.statistic


class Line:
    """A line through places, of which a program may unpack all but the last error."""

    def __init__(self, slope: Any, intercept: Any, rvalue: Any, pvalue: Any, stderr: Any, intercept_stderr: Any) -> None:
        self.slope, self.intercept, self.rvalue = slope, intercept, rvalue
        self.pvalue, self.stderr, self.intercept_stderr = pvalue, stderr, intercept_stderr

    def __iter__(self) -> Iterator[Any]:
        return iter((self.slope, self.intercept, self.rvalue, self.pvalue, self.stderr))

    def __getitem__(self, k: Any) -> Any:
        return (self.slope, self.intercept, self.rvalue, self.pvalue, self.stderr)[k]

    def __len__(self) -> int:
        return 5


class Described(NamedTuple):
    """How many numbers a sample has, between which they lie, and their moments."""

    nobs: Any
    minmax: Any
    mean: Any
    variance: Any
    skewness: Any
    kurtosis: Any


def _vector(x: Any, name: Any) -> Any:
    if np.ndim(x) != 1:
        unsupported(f"{name} has a derivative of vectors")
    return np.asarray(x) * 1.0


def along(a: Any, axis: Any) -> Any:
    """A sample as floats, and the axis along which it is one."""
    return (np.ravel(np.asarray(a) * 1.0), 0) if axis is None else (np.atleast_1d(np.asarray(a) * 1.0), axis)


def _student(t: Any, df: Any, alternative: Any) -> Any:
    """What is as far out as `t`: below, above or on both sides."""
    if alternative == "less":
        return special.stdtr(df, t)
    if alternative == "greater":
        return special.stdtr(df, -t)
    return 2.0 * special.stdtr(df, -np.abs(t))


def _line_value(x: Any, y: Any, alternative: Any) -> Any:
    found = stats.linregress(x, y, alternative)
    return (*(np.float64(one) for one in found), np.float64(found.intercept_stderr))


def _linregress(x: Any, y: Any, alternative: Any = "two-sided") -> Any:
    x, y = _vector(x, "linregress"), _vector(y, "linregress")
    kinds = ("number", "number", "number", "number", "number", "number")
    b, a, r, p, b_error, a_error = solve(_line_value, (), (), kinds, x, y, alternative)
    n, center = x.shape[0], np.mean(x)
    apart, height = x - center, y - np.mean(y)
    spread, both, total = np.mean(apart * apart), np.mean(apart * height), np.mean(height * height)
    slope = both / spread
    intercept = np.mean(y) - slope * center
    correlation = both / np.sqrt(spread * total)
    df = n - 2.0
    if n == 2:
        return Line(moving(b, slope), moving(a, intercept), moving(r, correlation), p, b_error, a_error)
    left = (1.0 - correlation) * (1.0 + correlation)
    pvalue = _student(correlation * np.sqrt(df / left), df, alternative)
    error = np.sqrt(left * total / spread / df)
    return Line(
        moving(b, slope),
        moving(a, intercept),
        moving(r, correlation),
        moving(p, pvalue),
        moving(b_error, error),
        moving(a_error, error * np.sqrt(spread + center * center)),
    )


def _pearson_value(x: Any, y: Any, alternative: Any) -> Any:
    found = stats.pearsonr(x, y, alternative=alternative)
    return np.float64(found.statistic), np.float64(found.pvalue)


def _pearsonr(x: Any, y: Any, *, alternative: Any = "two-sided") -> Any:
    x, y = _vector(x, "pearsonr"), _vector(y, "pearsonr")
    found, chance = solve(_pearson_value, (), (), ("number", "number"), x, y, alternative)
    apart, height = x - np.mean(x), y - np.mean(y)
    r = np.sum(apart * height) / np.sqrt(np.sum(apart * apart) * np.sum(height * height))
    if x.shape[0] == 2:
        return Correlation(moving(found, r), chance)
    a = 0.5 * x.shape[0] - 1.0
    if alternative == "less":
        pvalue = special.betainc(a, a, 0.5 + 0.5 * r)
    elif alternative == "greater":
        pvalue = special.betainc(a, a, 0.5 - 0.5 * r)
    else:
        pvalue = 2.0 * special.betainc(a, a, 0.5 - 0.5 * np.abs(r))
    return Correlation(moving(found, r), moving(chance, pvalue))


def _pointbiserialr(x: Any, y: Any) -> Any:
    return _pearsonr(x, y)


def _by_student(value: Any, given: Any, t: Any, df: Any, alternative: Any) -> Any:
    """What SciPy's test of what is `given` says, and how it moves."""
    freedom = df + 0.0 * t
    found, chance, count = solve(value, (), (), (t, t, freedom), *given, alternative)
    return StudentTested(moving(found, t), moving(chance, _student(t, df, alternative)), moving(count, freedom))


def _told(found: Any) -> Any:
    return found.statistic, found.pvalue, found.df


def _one_value(a: Any, mean: Any, axis: Any, alternative: Any) -> Any:
    return _told(stats.ttest_1samp(a, mean, axis, alternative=alternative))


def _ttest_1samp(a: Any, popmean: Any, axis: Any = 0, *, alternative: Any = "two-sided") -> Any:
    if np.ndim(popmean) > 0:
        unsupported("ttest_1samp has a derivative for a mean that is one number")
    a, axis = along(a, axis)
    n = number_along(a, axis)
    t = (np.mean(a, axis=axis) - popmean) / np.sqrt(np.var(a, axis=axis, ddof=1) / n)
    return _by_student(_one_value, (a, popmean, axis), t, n - 1.0, alternative)


def _pair_value(a: Any, b: Any, axis: Any, alternative: Any) -> Any:
    return _told(stats.ttest_rel(a, b, axis, alternative=alternative))


def _ttest_rel(a: Any, b: Any, axis: Any = 0, *, alternative: Any = "two-sided") -> Any:
    a, places = along(a, axis)
    b, _ = along(b, axis)
    n = number_along(a, places)
    t = np.mean(a - b, axis=places) / np.sqrt(np.var(a - b, axis=places, ddof=1) / n)
    return _by_student(_pair_value, (a, b, places), t, n - 1.0, alternative)


def _of_two(apart: Any, v1: Any, n1: Any, v2: Any, n2: Any, equal_var: Any) -> Any:
    """The statistic and the degrees of freedom of two samples, by their difference, their variances and their sizes."""
    if equal_var:
        df = n1 + n2 - 2.0
        return apart / np.sqrt(((n1 - 1.0) * v1 + (n2 - 1.0) * v2) / df * (1.0 / n1 + 1.0 / n2)), df
    first, second = v1 / n1, v2 / n2
    df = (first + second) ** 2 / (first**2 / (n1 - 1.0) + second**2 / (n2 - 1.0))
    return apart / np.sqrt(first + second), df


def _two_value(a: Any, b: Any, axis: Any, equal_var: Any, alternative: Any) -> Any:
    return _told(stats.ttest_ind(a, b, axis=axis, equal_var=equal_var, alternative=alternative))


def _ttest_ind(a: Any, b: Any, *, axis: Any = 0, equal_var: Any = True, alternative: Any = "two-sided") -> Any:
    a, places = along(a, axis)
    b, _ = along(b, axis)
    apart = np.mean(a, axis=places) - np.mean(b, axis=places)
    v1, v2 = np.var(a, axis=places, ddof=1), np.var(b, axis=places, ddof=1)
    t, df = _of_two(apart, v1, 1.0 * number_along(a, places), v2, 1.0 * number_along(b, places), equal_var)
    return _by_student(_two_value, (a, b, places, equal_var), t, df, alternative)


def _stats_value(*given: Any) -> Any:
    *numbers, equal_var, alternative = given
    return tuple(stats.ttest_ind_from_stats(*numbers, equal_var=equal_var, alternative=alternative))


def _ttest_ind_from_stats(
    mean1: Any,
    std1: Any,
    nobs1: Any,
    mean2: Any,
    std2: Any,
    nobs2: Any,
    equal_var: Any = True,
    alternative: Any = "two-sided",
) -> Any:
    t, df = _of_two(mean1 - mean2, std1**2, nobs1 * 1.0, std2**2, nobs2 * 1.0, equal_var)
    given = mean1, std1, nobs1, mean2, std2, nobs2, equal_var, alternative
    found, chance = solve(_stats_value, (), (), (t, t), *given)
    return Tested(moving(found, t), moving(chance, _student(t, df, alternative)))


def _f_value(axis: Any, *samples: Any) -> Any:
    return tuple(stats.f_oneway(*samples, axis=axis))


def _f_oneway(*samples: Any, axis: Any = 0) -> Any:
    made = [along(one, axis)[0] for one in samples]
    places = 0 if axis is None else axis
    total: Any = 0.0
    count, within = 0.0, 0.0
    for one in made:
        count = count + number_along(one, places)
        total = total + np.sum(one, axis=places)
        within = within + np.sum((one - np.mean(one, axis=places, keepdims=True)) ** 2, axis=places)
    between: Any = 0.0
    for one in made:
        between = between + number_along(one, places) * (np.mean(one, axis=places) - total / count) ** 2
    first, second = len(made) - 1.0, count - len(made)
    ratio = between / first / (within / second)
    found, chance = solve(_f_value, (), (), (ratio, ratio), places, *made)
    return Tested(moving(found, ratio), moving(chance, special.fdtrc(first, second, ratio)))


def _divergence(observed: Any, expected: Any, power: Any) -> Any:
    """The terms of Cressie and Read's divergence."""
    if power == 1:
        return (observed - expected) ** 2 / expected
    if power == 0:
        return 2.0 * special.xlogy(observed, observed / expected)
    if power == -1:
        return 2.0 * special.xlogy(expected, expected / observed)
    return 2.0 * observed * ((observed / expected) ** power - 1.0) / (power * (power + 1.0))


def _divergence_value(observed: Any, expected: Any, ddof: Any, axis: Any, power: Any) -> Any:
    return tuple(stats.power_divergence(observed, expected, ddof, axis, power))


def power_divergence(f_obs: Any, f_exp: Any = None, ddof: Any = 0, axis: Any = 0, lambda_: Any = None) -> Any:
    """Cressie and Read's test of counts."""
    power = 1.0 if lambda_ is None else _POWERS[lambda_] if isinstance(lambda_, str) else lambda_
    observed, places = along(f_obs, axis)
    mean = np.mean(observed, axis=places, keepdims=True)
    expected = mean + 0.0 * observed if f_exp is None else along(f_exp, axis)[0]
    total = np.sum(_divergence(observed, expected, power), axis=places)
    given = (observed, expected) if f_exp is not None else (observed, None)
    found, chance = solve(_divergence_value, (), (), (total, total), *given, ddof, places, power)
    return Tested(moving(found, total), moving(chance, special.chdtrc(number_along(observed, places) - 1.0 - ddof, total)))


def _chisquare(f_obs: Any, f_exp: Any = None, ddof: Any = 0, axis: Any = 0) -> Any:
    return power_divergence(f_obs, f_exp, ddof, axis)


def _bera_value(x: Any, axis: Any) -> Any:
    return tuple(stats.jarque_bera(x, axis=axis))


def _jarque_bera(x: Any, *, axis: Any = None) -> Any:
    x, places = along(x, axis)
    skewness, excess = stats.skew(x, axis=places), stats.kurtosis(x, axis=places)
    total = number_along(x, places) / 6.0 * (skewness**2 + 0.25 * excess**2)
    found, chance = solve(_bera_value, (), (), (total, total), x, places)
    return Tested(moving(found, total), moving(chance, np.exp(-0.5 * total)))


def _variance_value(a: Any, axis: Any, ddof: Any) -> Any:
    return stats.describe(a, axis, ddof).variance


def _describe(a: Any, axis: Any = 0, ddof: Any = 1) -> Any:
    a, places = along(a, axis)
    variance = np.var(a, axis=places, ddof=ddof)
    return Described(
        number_along(a, places),
        (np.min(a, axis=places), np.max(a, axis=places)),
        np.mean(a, axis=places),
        moving(solve(_variance_value, (), (), (variance,), a, places, ddof), variance),
        stats.skew(a, axis=places),
        stats.kurtosis(a, axis=places),
    )


DEFINITIONS: tuple[Definition, ...] = (
    Definition(stats.linregress, _linregress, Value.FOLLOWED),
    Definition(stats.pearsonr, _pearsonr, Value.FOLLOWED),
    Definition(stats.pointbiserialr, _pointbiserialr, Value.FOLLOWED),
    Definition(stats.ttest_1samp, _ttest_1samp, Value.FOLLOWED),
    Definition(stats.ttest_rel, _ttest_rel, Value.FOLLOWED),
    Definition(stats.ttest_ind, _ttest_ind, Value.FOLLOWED),
    Definition(stats.ttest_ind_from_stats, _ttest_ind_from_stats, Value.FOLLOWED),
    Definition(stats.f_oneway, _f_oneway, Value.FOLLOWED),
    Definition(stats.chisquare, _chisquare, Value.FOLLOWED),
    Definition(stats.power_divergence, power_divergence, Value.FOLLOWED),
    Definition(stats.jarque_bera, _jarque_bera, Value.FOLLOWED),
    Definition(stats.describe, _describe, Value.FOLLOWED),
)
