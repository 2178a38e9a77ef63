"""Tests by ranks, which do not move but where two numbers meet, and tests of spreads, which do; values by bins.

Source: Levene, *Robust tests for equality of variances* (1960); Brown & Forsythe (1974); Bartlett (1937).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special, stats

from adxform.api.scipy_models.solving import moving, solve
from adxform.api.scipy_models.statistics.sample_tests import Correlation, Tested
from adxform.primitives.definitions.definition import Definition, Value, unsupported


def _told(found: Any) -> Any:
    return np.float64(found.statistic), np.float64(found.pvalue)


def _of_pair(test: Any, made: Any) -> Any:
    """A test of two samples by their ranks."""

    def value(x: Any, y: Any, options: Any) -> Any:
        return _told(test(x, y, **options))

    def body(x: Any, y: Any, **options: Any) -> Any:
        if np.ndim(x) != 1 or np.ndim(y) != 1:
            unsupported(f"{test.__name__} is followed for two vectors")
        found, chance = solve(value, (), (), ("number", "number"), np.asarray(x), np.asarray(y), options)
        return made(found, chance)

    return body


def _of_samples(test: Any) -> Any:
    """A test of several samples by their ranks."""

    def value(*samples: Any) -> Any:
        return _told(test(*samples))

    def body(*samples: Any) -> Any:
        if max([np.ndim(one) for one in samples]) != 1:
            unsupported(f"{test.__name__} is followed for vectors")
        found, chance = solve(value, (), (), ("number", "number"), *[np.asarray(one) for one in samples])
        return Tested(found, chance)

    return body


def _levene_value(center: Any, *samples: Any) -> Any:
    return _told(stats.levene(*samples, center=center))


def _levene(*samples: Any, center: Any = "median") -> Any:
    if center not in ("median", "mean") or max([np.ndim(one) for one in samples]) != 1:
        unsupported("levene has a derivative of vectors, about their medians or means")
    found, chance = solve(_levene_value, (), (), ("number", "number"), center, *[np.asarray(one) * 1.0 for one in samples])
    apart = [np.abs(one - (np.median(one) if center == "median" else np.mean(one))) for one in samples]
    groups, total = len(samples), sum([one.shape[0] for one in samples])
    middle = sum([np.sum(one) for one in apart]) / total
    between = sum([one.shape[0] * (np.mean(one) - middle) ** 2 for one in apart])
    within = sum([np.sum((one - np.mean(one)) ** 2) for one in apart])
    ratio = (total - groups) * between / ((groups - 1.0) * within)
    return Tested(moving(found, ratio), moving(chance, special.fdtrc(groups - 1.0, total - groups, ratio)))


def _bartlett_value(*samples: Any) -> Any:
    return _told(stats.bartlett(*samples))


def _bartlett(*samples: Any) -> Any:
    if max([np.ndim(one) for one in samples]) != 1:
        unsupported("bartlett has a derivative of vectors")
    found, chance = solve(_bartlett_value, (), (), ("number", "number"), *[np.asarray(one) * 1.0 for one in samples])
    groups, total = len(samples), sum([one.shape[0] for one in samples])
    spreads = [np.var(one, ddof=1) for one in samples]
    free = [one.shape[0] - 1.0 for one in samples]
    pooled = sum([free[k] * spreads[k] for k in range(groups)]) / (total - groups)
    above = (total - groups) * np.log(pooled) - sum([free[k] * np.log(spreads[k]) for k in range(groups)])
    below = 1.0 + (sum([1.0 / one for one in free]) - 1.0 / (total - groups)) / (3.0 * (groups - 1.0))
    return Tested(moving(found, above / below), moving(chance, special.chdtrc(groups - 1.0, above / below)))


class Binned:
    """Values by bins, of which a program may unpack the statistic, the edges and the numbers of the bins."""

    def __init__(self, statistic: Any, bin_edges: Any, binnumber: Any) -> None:
        self.statistic, self.bin_edges, self.binnumber = statistic, bin_edges, binnumber

    def __iter__(self) -> Any:
        return iter((self.statistic, self.bin_edges, self.binnumber))

    def __getitem__(self, k: Any) -> Any:
        return (self.statistic, self.bin_edges, self.binnumber)[k]

    def __len__(self) -> int:
        return 3


def _binned_value(x: Any, values: Any, statistic: Any, bins: Any, limits: Any) -> Any:
    found = stats.binned_statistic(x, values, statistic, bins, limits)
    return found.statistic, found.bin_edges, found.binnumber.astype(float)


def _binned_statistic(x: Any, values: Any, statistic: Any = "mean", bins: Any = 10, range: Any = None) -> Any:
    if statistic not in ("mean", "sum", "count", "std"):
        unsupported("binned_statistic has a derivative for mean, sum, count and std")
    if np.ndim(values) != 1 or np.ndim(bins) > 0:
        unsupported("binned_statistic has a derivative for one set of values, and a number of bins")
    at, given = np.asarray(x) * 1.0, np.asarray(values) * 1.0
    found, edges, numbers = solve(_binned_value, (), (), (1, 1, 1), at, given, statistic, bins, range)
    places = numbers.astype(int)
    low, high = (np.min(at), np.max(at)) if range is None else range
    count = np.bincount(places, minlength=bins + 2)[1:-1]
    some = np.maximum(count, 1)
    total: Any = np.bincount(places, given, minlength=bins + 2)[1:-1]
    shape: Any = total
    if statistic == "mean":
        shape = total / some
    elif statistic == "std":
        apart = given - np.concatenate((np.zeros(1), total / some, np.zeros(1)))[places]
        square = np.bincount(places, apart * apart, minlength=bins + 2)[1:-1] / some
        shape = np.where(square > 0.0, np.sqrt(np.where(square > 0.0, square, 1.0)), 0.0)
    elif statistic == "count":
        shape = 0.0 * total
    return Binned(moving(found, shape), moving(edges, np.linspace(low, high, bins + 1)), places)


DEFINITIONS: tuple[Definition, ...] = (
    Definition(stats.spearmanr, _of_pair(stats.spearmanr, Correlation), Value.FOLLOWED),
    Definition(stats.kendalltau, _of_pair(stats.kendalltau, Correlation), Value.FOLLOWED),
    Definition(stats.mannwhitneyu, _of_pair(stats.mannwhitneyu, Tested), Value.FOLLOWED),
    Definition(stats.wilcoxon, _of_pair(stats.wilcoxon, Tested), Value.FOLLOWED),
    Definition(stats.ranksums, _of_pair(stats.ranksums, Tested), Value.FOLLOWED),
    Definition(stats.ks_2samp, _of_pair(stats.ks_2samp, Tested), Value.FOLLOWED),
    Definition(stats.kruskal, _of_samples(stats.kruskal), Value.FOLLOWED),
    Definition(stats.friedmanchisquare, _of_samples(stats.friedmanchisquare), Value.FOLLOWED),
    Definition(stats.levene, _levene, Value.FOLLOWED),
    Definition(stats.bartlett, _bartlett, Value.FOLLOWED),
    Definition(stats.binned_statistic, _binned_statistic, Value.FOLLOWED),
)
