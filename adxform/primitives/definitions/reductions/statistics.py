"""What `np.average`, quantiles and covariances mean."""

from __future__ import annotations

from typing import Any

import numpy as np

from adxform.primitives.complex_numbers import adjoint
from adxform.primitives.definitions.definition import Definition, Value
from adxform.primitives.families.numpy_reductions import count


def _ptp(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    return np.max(x, axis=axis, keepdims=keepdims) - np.min(x, axis=axis, keepdims=keepdims)


def _average(x: Any, axis: Any = None, weights: Any = None, returned: Any = False, *, keepdims: Any = False) -> Any:
    x = np.asarray(x)
    if weights is None:
        mean = np.mean(x, axis=axis, keepdims=keepdims)
        return (mean, np.zeros_like(mean) + np.size(x) / np.size(mean)) if returned else mean
    weights = np.asarray(weights)
    weights = _spread(weights, axis, x)
    total = np.sum(weights * np.ones_like(x), axis=axis, keepdims=keepdims)
    mean = np.sum(x * weights, axis=axis, keepdims=keepdims) / total
    return (mean, total) if returned else mean


def _spread(weights: Any, axis: Any, x: Any) -> Any:
    """`weights` for the axes of `x` that `axis` names, in that order, with axes of length one where `x` has others."""
    rank = np.ndim(x)
    named = [one % rank for one in axis] if isinstance(axis, tuple) else [] if axis is None else [axis % rank]
    ordered = sorted(named)
    if np.ndim(weights) == rank and (named == ordered or np.shape(weights) == np.shape(x)):
        return weights
    turned = np.transpose(weights, tuple([named.index(one) for one in ordered]))
    return np.reshape(turned, tuple([x.shape[k] if k in named else 1 for k in range(rank)]))


def axes_of(axis: Any) -> Any:
    """`axis`, which may be a list here, as other functions take it."""
    return tuple(axis) if isinstance(axis, list) else axis


def _median(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    axis = axes_of(axis)
    rows = np.sort(rows_along(x, axis), axis=0)
    n = rows.shape[0]
    if n == 0:
        return reduced(np.sum(rows, axis=0), x, axis, keepdims)
    return reduced(0.5 * (rows[(n - 1) // 2] + rows[n // 2]), x, axis, keepdims)


def rows_along(x: Any, axis: Any) -> Any:
    """`x` with the axes to be reduced made one, the first."""
    if axis is None:
        return np.ravel(x)
    if isinstance(axis, (int, np.integer)):
        return np.moveaxis(x, axis, 0)
    moved = np.moveaxis(x, axis, tuple(range(len(axis))))
    return np.reshape(moved, (count(x, axis), *np.shape(moved)[len(axis) :]))


def reduced(y: Any, x: Any, axis: Any, keepdims: Any) -> Any:
    """`y`, of which the axes of `x` reduced along `axis` are gone, as `keepdims` wants it."""
    if not keepdims:
        return y
    return np.reshape(y, (1,) * np.ndim(x)) if axis is None else np.expand_dims(y, axis)


def _place(q: Any, n: Any, method: Any) -> Any:
    """Where among `n` sorted numbers, counted from zero, the quantile `q` lies by one of NumPy's methods.

    Source: Hyndman and Fan, Sample quantiles in statistical packages (1996).
    """
    place = q * (n - 1)
    if method == "lower":
        place = np.floor(place)
    elif method == "higher":
        place = np.ceil(place)
    elif method == "midpoint":
        place = 0.5 * (np.floor(place) + np.ceil(place))
    elif method == "interpolated_inverted_cdf":
        place = q * n - 1.0
    elif method == "hazen":
        place = q * n - 0.5
    elif method == "weibull":
        place = q * (n + 1) - 1.0
    elif method == "median_unbiased":
        place = q * (n + 1.0 / 3.0) - 2.0 / 3.0
    elif method == "normal_unbiased":
        place = q * (n + 0.25) - 0.625
    return min(max(place, 0.0), n - 1.0)


def _quantile(x: Any, q: Any, axis: Any = None, *, method: Any = "linear", keepdims: Any = False) -> Any:
    if np.ndim(q) > 0:
        return np.array([_quantile(x, one, axis, method=method, keepdims=keepdims) for one in q])
    x, axis = np.asarray(x), axes_of(axis)
    rows = np.sort(rows_along(x, axis), axis=0)
    last = rows.shape[0] - 1
    place = q * last if method == "linear" else _place(q, rows.shape[0], method)
    left = min(int(place), last)
    right = min(left + 1, last)
    return reduced(rows[left] + (place - left) * (rows[right] - rows[left]), x, axis, keepdims)


def _percentile(x: Any, q: Any, axis: Any = None, *, method: Any = "linear", keepdims: Any = False) -> Any:
    if np.ndim(q) > 0:
        return np.array([_percentile(x, one, axis, method=method, keepdims=keepdims) for one in q])
    return _quantile(x, q / 100.0, axis, method=method, keepdims=keepdims)


def _centred(m: Any, y: Any, rowvar: Any) -> Any:
    """A row for each variable, less its mean."""
    rows = np.atleast_2d(m) if rowvar or np.ndim(m) == 1 else np.atleast_2d(m).T
    if y is not None:
        more = np.atleast_2d(y)
        rows = np.concatenate((rows, more if rowvar or more.shape[0] == 1 else more.T), 0)
    return rows - np.mean(rows, axis=1, keepdims=True)


def _cov(m: Any, y: Any = None, rowvar: Any = True, bias: Any = False, ddof: Any = None) -> Any:
    centred = _centred(m, y, rowvar)
    lost = (0 if bias else 1) if ddof is None else ddof
    return np.squeeze(centred @ adjoint(centred) / np.float64(max(centred.shape[1] - lost, 0)))


def _corrcoef(x: Any, y: Any = None, rowvar: Any = True) -> Any:
    centred = _centred(x, y, rowvar)
    products = np.squeeze(centred @ adjoint(centred))
    if np.ndim(products) == 0:
        return products / products
    squares = np.real(centred) ** 2 + np.imag(centred) ** 2 if np.iscomplexobj(centred) else centred * centred
    lengths = np.sqrt(np.sum(squares, axis=1))
    return products / lengths[:, None] / lengths[None, :]


_METHODS = ("linear", "lower", "higher", "midpoint", "interpolated_inverted_cdf", "hazen", "weibull", "median_unbiased",
            "normal_unbiased")  # fmt: skip

DEFINITIONS: tuple[Definition, ...] = (
    Definition(np.ptp, _ptp, Value.IN_KERNELS, interleaved=True),
    Definition(np.average, _average, Value.IN_KERNELS, sequences=True),
    Definition(np.median, _median, Value.OWN),
    Definition(np.quantile, _quantile, Value.OWN, sequences=True, only={"method": _METHODS}),
    Definition(np.percentile, _percentile, Value.OWN, sequences=True, only={"method": _METHODS}),
    Definition(np.cov, _cov, Value.OWN),
    Definition(np.corrcoef, _corrcoef, Value.OWN),
)
