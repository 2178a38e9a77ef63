"""Tests of the shape of a sample, and of tables of counts: statistics that come close to normal numbers, and their p-values.

Source: D'Agostino, Biometrika 57 (1970), of the skewness; Anscombe & Glynn, Biometrika 70 (1983), of the kurtosis; D'Agostino &
Pearson, Biometrika 60 (1973), of both; Yates, J. Roy. Stat. Soc. Suppl. 1 (1934), of tables with one degree of freedom.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import special, stats

from adxform.api.scipy_models.solving import moving, solve
from adxform.api.scipy_models.statistics.sample_tests import Tested, along, power_divergence
from adxform.primitives.definitions.definition import Definition, Value, unsupported
from adxform.primitives.scipy_rules.stats.sample_statistics import number_along


class Contingency(Tested):
    """The statistic and the p-value of a table, with its degrees of freedom and the counts that its margins lead to expect."""

    def __init__(self, statistic: Any, pvalue: Any, dof: Any, expected_freq: Any) -> None:
        self.statistic, self.pvalue, self.dof, self.expected_freq = statistic, pvalue, dof, expected_freq

    def __iter__(self) -> Iterator[Any]:
        return iter((self.statistic, self.pvalue, self.dof, self.expected_freq))

    def __getitem__(self, k: Any) -> Any:
        return (self.statistic, self.pvalue, self.dof, self.expected_freq)[k]

    def __len__(self) -> int:
        return 4


def _count(x: Any, axis: Any, least: Any) -> Any:
    """How many numbers make one sample; of fewer than `least` SciPy says nothing."""
    n = 1.0 * number_along(x, axis)
    return n if n >= least else np.nan


def _of_skewness(x: Any, axis: Any) -> Any:
    n = _count(x, axis, 8)
    y = stats.skew(x, axis=axis) * np.sqrt((n + 1.0) * (n + 3.0) / (6.0 * (n - 2.0)))
    beta = 3.0 * (n * n + 27.0 * n - 70.0) * (n + 1.0) * (n + 3.0) / ((n - 2.0) * (n + 5.0) * (n + 7.0) * (n + 9.0))
    square = np.sqrt(2.0 * (beta - 1.0)) - 1.0
    return np.arcsinh(y / np.sqrt(2.0 / (square - 1.0))) / np.sqrt(0.5 * np.log(square))


def _of_kurtosis(x: Any, axis: Any) -> Any:
    n = _count(x, axis, 5)
    variance = 24.0 * n * (n - 2.0) * (n - 3.0) / ((n + 1.0) ** 2 * (n + 3.0) * (n + 5.0))
    apart = (stats.kurtosis(x, axis=axis, fisher=False) - 3.0 * (n - 1.0) / (n + 1.0)) / np.sqrt(variance)
    beta = 6.0 * (n * n - 5.0 * n + 2.0) / ((n + 7.0) * (n + 9.0))
    beta = beta * np.sqrt(6.0 * (n + 3.0) * (n + 5.0) / (n * (n - 2.0) * (n - 3.0)))
    a = 6.0 + 8.0 / beta * (2.0 / beta + np.sqrt(1.0 + 4.0 / (beta * beta)))
    below = 1.0 + apart * np.sqrt(2.0 / (a - 4.0))
    root = np.sign(below) * ((1.0 - 2.0 / a) / np.abs(below)) ** (1.0 / 3.0)
    return (1.0 - 2.0 / (9.0 * a) - root) / np.sqrt(2.0 / (9.0 * a))


def _normal_tail(z: Any, alternative: Any) -> Any:
    """What is as far out as `z`: below, above or on both sides."""
    if alternative == "less":
        return special.ndtr(z)
    if alternative == "greater":
        return special.ndtr(-z)
    return 2.0 * special.ndtr(-np.abs(z))


def _one_moment(test: Callable[..., Any], statistic: Callable[..., Any]) -> Callable[..., Any]:
    def value(a: Any, axis: Any, alternative: Any) -> Any:
        return tuple(test(a, axis, alternative=alternative))

    def body(a: Any, axis: Any = 0, *, alternative: Any = "two-sided") -> Any:
        a, axis = along(a, axis)
        z = statistic(a, axis)
        found, chance = solve(value, (), (), (z, z), a, axis, alternative)
        return Tested(moving(found, z), moving(chance, _normal_tail(z, alternative)))

    return body


def _normal_value(a: Any, axis: Any) -> Any:
    return tuple(stats.normaltest(a, axis))


def _normaltest(a: Any, axis: Any = 0) -> Any:
    a, axis = along(a, axis)
    total = _of_skewness(a, axis) ** 2 + _of_kurtosis(a, axis) ** 2
    found, chance = solve(_normal_value, (), (), (total, total), a, axis)
    return Tested(moving(found, total), moving(chance, np.exp(-0.5 * total)))


def _contingency_value(observed: Any, correction: Any, power: Any) -> Any:
    found = stats.chi2_contingency(observed, correction, power)
    return np.float64(found.statistic), np.float64(found.pvalue), found.expected_freq


def _chi2_contingency(observed: Any, correction: Any = True, lambda_: Any = None) -> Any:
    observed = np.asarray(observed) * 1.0
    if np.ndim(observed) != 2:
        unsupported("chi2_contingency has a derivative of a table with rows and columns")
    rows, columns = np.sum(observed, axis=1, keepdims=True), np.sum(observed, axis=0, keepdims=True)
    expected = rows * columns / np.sum(observed)
    dof = (observed.shape[0] - 1) * (observed.shape[1] - 1)
    chi, p, means = solve(_contingency_value, (), (), ("number", "number", expected), observed, correction, lambda_)
    if dof == 0:
        return Contingency(chi, p, dof, moving(means, expected))
    counts = observed
    if correction and dof == 1:
        apart = expected - observed
        counts = observed + np.minimum(0.5, np.abs(apart)) * np.sign(apart)
    total = power_divergence(np.ravel(counts), np.ravel(expected), 0, 0, lambda_).statistic
    return Contingency(moving(chi, total), moving(p, special.chdtrc(1.0 * dof, total)), dof, moving(means, expected))


DEFINITIONS: tuple[Definition, ...] = (
    Definition(stats.skewtest, _one_moment(stats.skewtest, _of_skewness), Value.FOLLOWED),
    Definition(stats.kurtosistest, _one_moment(stats.kurtosistest, _of_kurtosis), Value.FOLLOWED),
    Definition(stats.normaltest, _normaltest, Value.FOLLOWED),
    Definition(stats.chi2_contingency, _chi2_contingency, Value.FOLLOWED),
)
