"""Statistics of samples: means of other kinds, scores, moments, and the entropy of a table of weights."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special, stats

from adxform.primitives.definitions.definition import Definition, Value


def _zscore(a: Any, axis: Any = 0, ddof: Any = 0) -> Any:
    return (a - np.mean(a, axis=axis, keepdims=True)) / np.std(a, axis=axis, ddof=ddof, keepdims=True)


def _gmean(a: Any, axis: Any = 0, weights: Any = None) -> Any:
    return np.exp(np.average(np.log(a), axis=axis, weights=weights))


def _hmean(a: Any, axis: Any = 0, weights: Any = None) -> Any:
    return 1.0 / np.average(1.0 / a, axis=axis, weights=weights)


def _sem(a: Any, axis: Any = 0, ddof: Any = 1) -> Any:
    n = np.size(a) if axis is None else a.shape[axis]
    return np.std(a, axis=axis, ddof=ddof) / np.sqrt(n)


def _moment_about_mean(a: Any, order: Any, axis: Any) -> Any:
    return np.mean((a - np.mean(a, axis=axis, keepdims=True)) ** order, axis=axis)


def _skew(a: Any, axis: Any = 0) -> Any:
    return _moment_about_mean(a, 3, axis) / np.var(a, axis=axis) ** 1.5


def _kurtosis(a: Any, axis: Any = 0, fisher: Any = True) -> Any:
    found = _moment_about_mean(a, 4, axis) / np.var(a, axis=axis) ** 2
    return found - 3.0 if fisher else found


def _entropy(pk: Any, qk: Any = None, base: Any = None, axis: Any = 0) -> Any:
    p = pk / np.sum(pk, axis=axis, keepdims=True)
    if qk is None:
        found = -np.sum(special.xlogy(p, p), axis=axis)
    else:
        q = qk / np.sum(qk, axis=axis, keepdims=True)
        found = np.sum(special.xlogy(p, p) - special.xlogy(p, q), axis=axis)
    return found if base is None else found / np.log(base)


DEFINITIONS: tuple[Definition, ...] = (
    Definition(stats.zscore, _zscore, Value.OWN),
    Definition(stats.gmean, _gmean, Value.OWN),
    Definition(stats.hmean, _hmean, Value.OWN),
    Definition(stats.sem, _sem, Value.OWN),
    Definition(stats.skew, _skew, Value.OWN),
    Definition(stats.kurtosis, _kurtosis, Value.OWN),
    Definition(stats.entropy, _entropy, Value.OWN),
)
