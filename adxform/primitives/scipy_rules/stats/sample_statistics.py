"""Statistics of samples: means of other kinds, scores, moments, spreads, transforms, and the entropy of a table of weights."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import special, stats

from adxform.ir.ops import Operand, Var
from adxform.ir.types import Array, Scalar, Type
from adxform.primitives.declare import constant
from adxform.primitives.definitions.definition import Definition, Value, unsupported
from adxform.primitives.record import Primitive


def number_along(a: Any, axis: Any) -> Any:
    """How many numbers of `a` make one sample: those along an axis, along several, or all."""
    if axis is None:
        return np.size(a)
    if not isinstance(axis, tuple):
        return a.shape[axis]
    n = 1
    for one in axis:
        n = n * a.shape[one]
    return n


def _zscore(a: Any, axis: Any = 0, ddof: Any = 0) -> Any:
    return (a - np.mean(a, axis=axis, keepdims=True)) / np.std(a, axis=axis, ddof=ddof, keepdims=True)


def _gzscore(a: Any, axis: Any = 0, ddof: Any = 0) -> Any:
    return _zscore(np.log(a), axis, ddof)


def _zmap(scores: Any, compare: Any, axis: Any = 0, ddof: Any = 0) -> Any:
    mean = np.mean(compare, axis=axis, keepdims=True)
    return (scores - mean) / np.std(compare, axis=axis, ddof=ddof, keepdims=True)


def _gmean(a: Any, axis: Any = 0, weights: Any = None) -> Any:
    return np.exp(np.average(np.log(a), axis=axis, weights=weights))


def _hmean(a: Any, axis: Any = 0, weights: Any = None) -> Any:
    return 1.0 / np.average(1.0 / a, axis=axis, weights=weights)


def _pmean(a: Any, p: Any, *, axis: Any = 0, weights: Any = None) -> Any:
    if p == 0:
        return _gmean(a, axis, weights)
    return np.average(a**p, axis=axis, weights=weights) ** (1.0 / p)


def _gstd(a: Any, axis: Any = 0, ddof: Any = 1) -> Any:
    return np.exp(np.std(np.log(a), axis=axis, ddof=ddof))


def _variation(a: Any, axis: Any = 0, *, ddof: Any = 0) -> Any:
    return np.std(a, axis=axis, ddof=ddof) / np.mean(a, axis=axis)


def _iqr(x: Any, axis: Any = None, rng: Any = (25, 75), scale: Any = 1.0) -> Any:
    if isinstance(scale, str):
        unsupported("iqr has a derivative with a `scale` that is a number")
    return (np.percentile(x, rng[1], axis) - np.percentile(x, rng[0], axis)) / scale


def _median_abs_deviation(x: Any, axis: Any = 0, *, scale: Any = 1.0) -> Any:
    if isinstance(scale, str):
        unsupported("median_abs_deviation has a derivative with a `scale` that is a number")
    return np.median(np.abs(x - np.median(x, axis=axis, keepdims=True)), axis=axis) / scale


def _sem(a: Any, axis: Any = 0, ddof: Any = 1) -> Any:
    return np.std(a, axis=axis, ddof=ddof) / np.sqrt(number_along(a, axis))


def _moment(a: Any, order: Any = 1, axis: Any = 0, *, center: Any = None) -> Any:
    if np.ndim(order) > 0:
        unsupported("moment has a derivative of one order at a time")
    if center is None:
        return _moment_about_mean(a, order, axis)
    return np.mean((a - center) ** order, axis=axis)


def _moment_about_mean(a: Any, order: Any, axis: Any) -> Any:
    return np.mean((a - np.mean(a, axis=axis, keepdims=True)) ** order, axis=axis)


def _skew(a: Any, axis: Any = 0, bias: Any = True) -> Any:
    found = _moment_about_mean(a, 3, axis) / np.var(a, axis=axis) ** 1.5
    n = number_along(a, axis)
    return found if bias or n < 3 else found * (np.sqrt(n * (n - 1.0)) / (n - 2.0))


def _kurtosis(a: Any, axis: Any = 0, fisher: Any = True, bias: Any = True) -> Any:
    found = _moment_about_mean(a, 4, axis) / np.var(a, axis=axis) ** 2
    n = number_along(a, axis)
    if not bias and n > 3:
        found = ((n * n - 1.0) * found - 3.0 * (n - 1.0) ** 2) / ((n - 2.0) * (n - 3.0)) + 3.0
    return found - 3.0 if fisher else found


def _kstat(data: Any, n: Any = 2, *, axis: Any = None) -> Any:
    """Source: Weisstein, k-Statistic, MathWorld: the unbiased estimates of cumulants, here by moments about the mean."""
    count = 1.0 * number_along(data, axis)
    if n == 1:
        return np.mean(data, axis=axis)
    apart = data - np.mean(data, axis=axis, keepdims=True)
    squares = np.sum(apart**2, axis=axis)
    if n == 2:
        return squares / (count - 1.0)
    if n == 3:
        return count * np.sum(apart**3, axis=axis) / ((count - 1.0) * (count - 2.0))
    fourth = count * (count + 1.0) * np.sum(apart**4, axis=axis) - 3.0 * (count - 1.0) * squares**2
    return fourth / ((count - 1.0) * (count - 2.0) * (count - 3.0))


def _kstatvar(data: Any, n: Any = 2, *, axis: Any = None) -> Any:
    count = 1.0 * number_along(data, axis)
    if n == 1:
        return _kstat(data, 2, axis=axis) / count
    second, fourth = _kstat(data, 2, axis=axis), _kstat(data, 4, axis=axis)
    return (2.0 * count * second**2 + (count - 1.0) * fourth) / (count * (count + 1.0))


def _left_in(a: Any, limits: Any, inclusive: Any, axis: Any) -> Any:
    """A sample, the axis along which it is one, and where it lies between limits."""
    a = np.asarray(a)
    if axis is None:
        a, axis = np.ravel(a), 0
    inside = np.full(np.shape(a), True)
    low, high = (None, None) if limits is None else limits
    if low is not None:
        inside = inside & (a >= low if inclusive[0] else a > low)
    if high is not None:
        inside = inside & (a <= high if inclusive[1] else a < high)
    return a, axis, inside


def _within_limits(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
    """The type of a statistic of a vector between limits, between which samples may have nothing."""
    match args[0]:
        case Var(_, Array("float64", (_,))):
            return Scalar("float64", False)
        case _:
            return None


def _tmean(a: Any, limits: Any = None, inclusive: Any = (True, True), axis: Any = None) -> Any:
    a, axis, inside = _left_in(a, limits, inclusive, axis)
    return np.sum(np.where(inside, a, 0.0), axis=axis) / np.sum(inside, axis=axis)


def _tvar(a: Any, limits: Any = None, inclusive: Any = (True, True), axis: Any = 0, ddof: Any = 1) -> Any:
    a, axis, inside = _left_in(a, limits, inclusive, axis)
    n = np.sum(inside, axis=axis, keepdims=True)
    apart = np.where(inside, a - np.sum(np.where(inside, a, 0.0), axis=axis, keepdims=True) / n, 0.0)
    return np.sum(apart * apart, axis=axis) / (np.sum(inside, axis=axis) - ddof)


def _tstd(a: Any, limits: Any = None, inclusive: Any = (True, True), axis: Any = 0, ddof: Any = 1) -> Any:
    return np.sqrt(_tvar(a, limits, inclusive, axis, ddof))


def _tsem(a: Any, limits: Any = None, inclusive: Any = (True, True), axis: Any = 0, ddof: Any = 1) -> Any:
    a, axis, inside = _left_in(a, limits, inclusive, axis)
    return np.sqrt(_tvar(a, limits, inclusive, axis, ddof) / np.sum(inside, axis=axis))


def _normal_fit(data: Any) -> Any:
    return np.mean(data), np.std(data)


def _expon_fit(data: Any) -> Any:
    return np.min(data), np.mean(data) - np.min(data)


def _uniform_fit(data: Any) -> Any:
    return np.min(data), np.ptp(data)


def _angles(samples: Any, high: Any, low: Any, axis: Any) -> Any:
    """The means of the sines and cosines of `samples` that go round from `low` to `high`."""
    turned = samples * (2.0 * np.pi / (high - low))
    return np.mean(np.sin(turned), axis=axis), np.mean(np.cos(turned), axis=axis)


def _circmean(samples: Any, high: Any = 2.0 * np.pi, low: Any = 0.0, axis: Any = None) -> Any:
    sine, cosine = _angles(samples, high, low, axis)
    period = high - low
    return (np.arctan2(sine, cosine) * (period / (2.0 * np.pi)) - low) % period + low


def _circvar(samples: Any, high: Any = 2.0 * np.pi, low: Any = 0.0, axis: Any = None) -> Any:
    return 1.0 - np.hypot(*_angles(samples, high, low, axis))


def _circstd(samples: Any, high: Any = 2.0 * np.pi, low: Any = 0.0, axis: Any = None, *, normalize: Any = False) -> Any:
    spread = np.sqrt(-2.0 * np.log(np.hypot(*_angles(samples, high, low, axis))))
    return spread if normalize else spread * (high - low) / (2.0 * np.pi)


def _trim_mean(a: Any, proportiontocut: Any, axis: Any = 0) -> Any:
    rows = np.ravel(a) if axis is None else np.moveaxis(a, axis, 0)
    n = rows.shape[0]
    cut = int(proportiontocut * n)
    return np.mean(np.sort(rows, axis=0)[cut : n - cut], axis=0)


def _shares_below(values: Any, weights: Any, places: Any) -> Any:
    """What of `values` lies at or below each of the `places`."""
    if weights is None:
        return np.searchsorted(np.sort(values), places, "right") / values.shape[0]
    order = np.argsort(values)
    sums = np.concatenate((np.zeros(1), np.cumsum(weights[order])))
    return sums[np.searchsorted(values[order], places, "right")] / sums[-1]


def _steps(u: Any, v: Any, u_weights: Any, v_weights: Any) -> Any:
    """How far apart two distribution functions are between the places where they step, and the lengths between these."""
    if np.ndim(u) != 1 or np.ndim(v) != 1:
        unsupported("a distance of two samples has a derivative where they are vectors")
    places = np.sort(np.concatenate((u, v)))
    return _shares_below(u, u_weights, places[:-1]) - _shares_below(v, v_weights, places[:-1]), places[1:] - places[:-1]


def _wasserstein_distance(u_values: Any, v_values: Any, u_weights: Any = None, v_weights: Any = None) -> Any:
    apart, lengths = _steps(u_values, v_values, u_weights, v_weights)
    return np.sum(np.abs(apart) * lengths)


def _energy_distance(u_values: Any, v_values: Any, u_weights: Any = None, v_weights: Any = None) -> Any:
    apart, lengths = _steps(u_values, v_values, u_weights, v_weights)
    found = 2.0 * np.sum(apart * apart * lengths)
    differs = found > 0.0  # of two equal samples the distance is zero, and has slope zero as a length has
    return np.where(differs, np.sqrt(np.where(differs, found, 1.0)), 0.0)


def _entropy(pk: Any, qk: Any = None, base: Any = None, axis: Any = 0) -> Any:
    p = pk / np.sum(pk, axis=axis, keepdims=True)
    if qk is None:
        found = -np.sum(special.xlogy(p, p), axis=axis)
    else:
        q = qk / np.sum(qk, axis=axis, keepdims=True)
        found = np.sum(special.xlogy(p, p) - special.xlogy(p, q), axis=axis)
    return found if base is None else found / np.log(base)


def by_power(x: Any, lmbda: Any) -> Any:
    """Box and Cox's transform of positive numbers."""
    return special.boxcox(x, lmbda)


def _boxcox_llf(lmb: Any, data: Any) -> Any:
    spread = np.var(special.boxcox(data, lmb), axis=0)
    return (lmb - 1.0) * np.sum(np.log(data), axis=0) - 0.5 * data.shape[0] * np.log(spread)


def by_signed_power(x: Any, lmbda: Any) -> Any:
    """Yeo and Johnson's transform of numbers of both signs."""
    above = x >= 0
    over = special.boxcox1p(np.where(above, x, 0.0), lmbda)
    return np.where(above, over, -special.boxcox1p(np.where(above, 0.0, -x), 2.0 - lmbda))


def _yeojohnson_llf(lmb: Any, data: Any) -> Any:
    spread = np.var(by_signed_power(data, lmb), axis=0)
    signed = np.sum(np.sign(data) * np.log1p(np.abs(data)), axis=0)
    return (lmb - 1.0) * signed - 0.5 * data.shape[0] * np.log(spread)


RECORDS: tuple[Primitive, ...] = (constant(stats.rankdata),)

DEFINITIONS: tuple[Definition, ...] = (
    Definition(stats.zscore, _zscore, Value.OWN),
    Definition(stats.gmean, _gmean, Value.OWN),
    Definition(stats.hmean, _hmean, Value.OWN),
    Definition(stats.sem, _sem, Value.OWN),
    Definition(stats.skew, _skew, Value.OWN),
    Definition(stats.kurtosis, _kurtosis, Value.OWN),
    Definition(stats.gzscore, _gzscore, Value.OWN),
    Definition(stats.kstat, _kstat, Value.OWN),
    Definition(stats.kstatvar, _kstatvar, Value.OWN),
    Definition(stats.zmap, _zmap, Value.OWN),
    Definition(stats.pmean, _pmean, Value.OWN),
    Definition(stats.gstd, _gstd, Value.OWN),
    Definition(stats.variation, _variation, Value.OWN),
    Definition(stats.moment, _moment, Value.OWN),
    Definition(stats.iqr, _iqr, Value.OWN, sequences=True),
    Definition(stats.median_abs_deviation, _median_abs_deviation, Value.OWN),
    Definition(stats.tmean, _tmean, Value.OWN, sequences=True, result=_within_limits),
    Definition(stats.tvar, _tvar, Value.OWN, sequences=True, result=_within_limits),
    Definition(stats.tstd, _tstd, Value.OWN, sequences=True, result=_within_limits),
    Definition(stats.tsem, _tsem, Value.OWN, sequences=True, result=_within_limits),
    Definition(stats.norm.fit, _normal_fit, Value.OWN),
    Definition(stats.expon.fit, _expon_fit, Value.OWN),
    Definition(stats.uniform.fit, _uniform_fit, Value.OWN),
    Definition(stats.boxcox_llf, _boxcox_llf, Value.OWN),
    Definition(stats.yeojohnson_llf, _yeojohnson_llf, Value.OWN),
    Definition(stats.entropy, _entropy, Value.OWN),
    Definition(stats.circmean, _circmean, Value.OWN),
    Definition(stats.circvar, _circvar, Value.OWN),
    Definition(stats.circstd, _circstd, Value.OWN),
    Definition(stats.trim_mean, _trim_mean, Value.OWN),
    Definition(stats.wasserstein_distance, _wasserstein_distance, Value.OWN),
    Definition(stats.energy_distance, _energy_distance, Value.OWN),
)
