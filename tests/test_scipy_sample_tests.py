"""Promise: tests of samples, lines through them and distances between them have SciPy's numbers, and the right derivative."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import AdxError, MissingRuleError

pytest.importorskip("scipy")
from scipy import stats

from tests.scipy_judge import Model, judge

POINT = np.array([0.7, 1.1, 0.8, 0.6, 0.9, 1.6, 0.2, 1.3])
PLACES = np.array([0.3, 1.1, 1.4, 2.6, 2.9, 3.7, 4.1, 5.2])
OTHERS = np.array([1.4, 0.4, 1.2, 0.95, 2.1, 0.35])
EXPECTED = np.array([1.05, 0.9, 0.8, 0.7, 1.2, 1.4, 0.4, 0.8])
TABLE = np.cos(np.arange(24.0)).reshape(3, 8)
FLAGS = np.array([True, False, True, True, False, True, False, False])
SIDES = ("two-sided", "less", "greater")


def line(p: Any) -> Any:
    found = stats.linregress(PLACES * p[0], p)
    slope, intercept, r, chance, error = found
    same = slope * found[0] + found.rvalue * r + found.slope * len(found)
    return slope + 2.0 * intercept + 3.0 * r + 4.0 * chance + 5.0 * error + 6.0 * found.intercept_stderr + same


def described(p: Any) -> Any:
    found = stats.describe(p)
    n, (low, high), mean, variance, skewness, excess = found
    return n * low + 2.0 * high * mean + 3.0 * variance + 4.0 * skewness + 5.0 * excess + found.variance * found.mean


def described_rows(p: Any) -> Any:
    found = stats.describe(np.exp(TABLE * p), axis=1, ddof=0)
    return np.sum(found.mean * found.variance + found.skewness * found.kurtosis + found.minmax[0] * found.minmax[1])


def student(p: Any, side: Any) -> Any:
    one, two = stats.ttest_1samp(p, 0.8, alternative=side), stats.ttest_ind(p, OTHERS * p[0], alternative=side)
    three, four = stats.ttest_rel(p, EXPECTED, alternative=side), stats.ttest_ind(p, OTHERS, equal_var=False, alternative=side)
    t, chance = two
    parts = [found.statistic + 2.0 * found.pvalue for found in (one, two, three, four)]
    return sum(parts) + 3.0 * four.df + one.df * t + chance * one[1]


def student_rows(p: Any) -> Any:
    a, b = np.exp(TABLE * p), np.cos(TABLE) * p
    one, two = stats.ttest_ind(a, b, axis=1, equal_var=False), stats.ttest_rel(a, b, axis=0)
    three = stats.ttest_1samp(a, p[0], axis=None)
    return np.sum(one.statistic + one.pvalue * one.df) + np.sum(two.statistic * two.pvalue) + three.statistic


def student_of_numbers(p: Any) -> Any:
    t, chance = stats.ttest_ind_from_stats(p[0], p[1], 9, p[2], p[3], 7, equal_var=False)
    other = stats.ttest_ind_from_stats(p[:3], p[3:6], 9, p[2], p[3], 7, alternative="less")
    return t + chance + np.sum(other.statistic * other.pvalue)


def divergences(p: Any) -> Any:
    expected = EXPECTED * np.sum(p) / np.sum(EXPECTED)
    total, chance = stats.chisquare(p, expected)
    found = total + chance + stats.chisquare(p, ddof=1).pvalue + np.sum(stats.chisquare(TABLE**2 + p, axis=1).statistic)
    for name in ("log-likelihood", "mod-log-likelihood", "neyman", "cressie-read", 0.3):
        one = stats.power_divergence(p, expected, lambda_=name)
        found = found + one.statistic * one.pvalue
    return found


MODELS: dict[str, Model] = {
    "line": line,
    **{f"line of places {side}": lambda p, side=side: stats.linregress(p, EXPECTED, side).pvalue for side in SIDES},
    "line of two": lambda p: stats.linregress(p[:2], p[2:4]).slope + stats.linregress(p[:2], p[2:4])[2],
    **{f"correlation {side}": lambda p, side=side: sum(stats.pearsonr(p, EXPECTED, alternative=side)) for side in SIDES},
    "correlations": lambda p: (
        stats.pearsonr(PLACES, p).correlation + stats.pearsonr(p[:2], p[2:4]).pvalue + sum(stats.pointbiserialr(FLAGS, p))
    ),
    **{f"student {side}": lambda p, side=side: student(p, side) for side in SIDES},
    "student of rows": student_rows,
    "student of numbers": student_of_numbers,
    "variances": lambda p: sum(stats.f_oneway(p, OTHERS * p[0], EXPECTED)),
    "variances of rows": lambda p: np.sum(stats.f_oneway(TABLE * p, np.exp(TABLE), TABLE**2 + p, axis=1).statistic),
    "divergences": divergences,
    "normal": lambda p: sum(stats.jarque_bera(p)) + np.sum(stats.jarque_bera(np.exp(TABLE * p), axis=1).pvalue),
    "described": described,
    "described rows": described_rows,
    "unbiased": lambda p: (
        stats.skew(p, bias=False)
        + stats.kurtosis(p, bias=False)
        + np.sum(stats.kurtosis(np.exp(TABLE * p), axis=1, bias=False, fisher=False))
        + np.sum(stats.skew(np.exp(TABLE * p), axis=None, bias=False))
    ),
    "angles": lambda p: stats.circmean(3.0 * p) + 2.0 * stats.circvar(p) + 3.0 * stats.circstd(p, normalize=True),
    "angles between": lambda p: (
        stats.circmean(p[2:], high=3.0 * p[0], low=-p[1]) + stats.circstd(p, high=5.0, low=p[0]) + stats.circvar(p, high=4.0)
    ),
    "angles of rows": lambda p: np.sum(stats.circmean(TABLE * p, axis=1) * stats.circstd(TABLE * p, axis=1)),
    "trimmed": lambda p: (
        stats.trim_mean(p**2, 0.2)
        + np.sum(stats.trim_mean(np.exp(TABLE * p), 0.3, axis=1) ** 2)
        + stats.trim_mean(np.exp(TABLE * p), 0.1, axis=None)
    ),
    "transport": lambda p: stats.wasserstein_distance(p, OTHERS) + stats.wasserstein_distance(p[:4], p[4:] ** 2),
    "transport of weights": lambda p: stats.wasserstein_distance(PLACES, PLACES[::-1] * p[1], p, EXPECTED * p[0]),
    "energy": lambda p: stats.energy_distance(p, OTHERS) + stats.energy_distance(p, OTHERS * p[0], v_weights=p[:6]),
}


@pytest.mark.parametrize("name", MODELS)
def test_of_samples(name: str) -> None:
    judge(MODELS[name], POINT)


REFUSED: dict[str, Model] = {
    "trim=": lambda p: stats.ttest_ind(p, OTHERS, trim=0.1).statistic,
    "method=": lambda p: stats.pearsonr(p, EXPECTED, method=stats.PermutationMethod()).pvalue,
    "axis=": lambda p: np.sum(stats.linregress(TABLE * p, TABLE, axis=1).slope),
    "equal_var=": lambda p: stats.f_oneway(p, OTHERS, equal_var=False).statistic,
    "nan_policy=": lambda p: stats.ttest_rel(p, EXPECTED, nan_policy="omit").statistic,
}


@pytest.mark.parametrize("name", REFUSED)
def test_options_that_no_formula_covers_are_refused_by_name(name: str) -> None:
    with pytest.raises(MissingRuleError, match=name):
        adxform.grad(REFUSED[name])(POINT)


def test_what_is_no_vector_is_refused() -> None:
    with pytest.raises(AdxError, match="linregress has a derivative of vectors"):
        adxform.grad(lambda p: stats.linregress(np.stack((p, p)), TABLE[:2]).slope)(POINT)


def test_what_scipy_raises_comes_through() -> None:
    with pytest.raises(ValueError, match="identical"):
        adxform.grad(lambda p: stats.linregress(0.0 * p, p).slope)(POINT)
    with pytest.raises(ValueError, match="at least 2"):
        adxform.grad(lambda p: stats.pearsonr(p[:1], p[:1]).statistic)(POINT)


def test_means_of_angles_go_round() -> None:
    at = np.array([0.1, 2.0 * math.pi - 0.3])
    np.testing.assert_allclose(adxform.grad(stats.circmean)(at), [0.5, 0.5], rtol=1e-12)
