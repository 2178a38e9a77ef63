"""What reductions of the numbers that are there mean, which leave out NaN."""

from __future__ import annotations

from typing import Any

import numpy as np

from adxform import runtime
from adxform.primitives.definitions.definition import Definition, Value
from adxform.primitives.definitions.reductions.chosen_reductions import variance
from adxform.primitives.definitions.reductions.statistics import axes_of, reduced, rows_along


def _nanmax(a: Any, axis: Any = None, *, keepdims: Any = False, initial: Any = None, where: Any = True) -> Any:
    found = np.where(np.isnan(a), -np.inf, a)
    if initial is None:
        return np.max(found, axis=axis, keepdims=keepdims)
    return np.max(found, axis=axis, keepdims=keepdims, initial=initial, where=where)


def _nanmin(a: Any, axis: Any = None, *, keepdims: Any = False, initial: Any = None, where: Any = True) -> Any:
    found = np.where(np.isnan(a), np.inf, a)
    if initial is None:
        return np.min(found, axis=axis, keepdims=keepdims)
    return np.min(found, axis=axis, keepdims=keepdims, initial=initial, where=where)


def _present(x: Any, otherwise: Any) -> Any:
    return np.where(np.isnan(x), otherwise, x)


def _nanprod(a: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False) -> Any:
    return np.prod(_present(a, 1), axis=axis, dtype=dtype, keepdims=keepdims)


def _nancumsum(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    return np.cumsum(_present(a, 0), axis=axis, dtype=dtype)


def _nancumprod(a: Any, axis: Any = None, dtype: Any = None) -> Any:
    return np.cumprod(_present(a, 1), axis=axis, dtype=dtype)


def _nanvar(a: Any, axis: Any = None, *, ddof: Any = 0, keepdims: Any = False, where: Any = True) -> Any:
    return variance(a, axis, ddof=ddof, keepdims=keepdims, where=~np.isnan(a) & where)


def _nanstd(a: Any, axis: Any = None, *, ddof: Any = 0, keepdims: Any = False, where: Any = True) -> Any:
    return np.sqrt(_nanvar(a, axis, ddof=ddof, keepdims=keepdims, where=where))


def _nanmedian(a: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    return _nanquantile(a, 0.5, axis, keepdims=keepdims)


def _nanquantile(a: Any, q: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    if np.ndim(q) > 0:
        _check_several(a)
        return np.array([_nanquantile(a, one, axis, keepdims=keepdims) for one in q])
    a, axis = np.asarray(a), axes_of(axis)
    rows = np.sort(rows_along(a, axis), axis=0)  # what is missing comes last
    if rows.shape[0] == 0:
        return reduced(np.sum(rows, axis=0), a, axis, keepdims)
    last = np.maximum(np.sum(~np.isnan(rows), axis=0, keepdims=True) - 1, 0)
    place = q * last
    left = np.minimum(np.floor(place).astype(np.int64), last)
    right = np.minimum(left + 1, last)
    low, high = np.take_along_axis(rows, left, 0), np.take_along_axis(rows, right, 0)
    return reduced((low + (place - left) * (high - low))[0], a, axis, keepdims)


def _check_several(a: Any) -> None:
    if np.size(a) == 0:
        raise runtime.without_derivative("several quantiles of an array without elements: NumPy's result has no axis for them")


def _nanpercentile(a: Any, q: Any, axis: Any = None, *, keepdims: Any = False) -> Any:
    if np.ndim(q) > 0:
        _check_several(a)
        return np.array([_nanpercentile(a, one, axis, keepdims=keepdims) for one in q])
    return _nanquantile(a, q / 100.0, axis, keepdims=keepdims)


DEFINITIONS: tuple[Definition, ...] = (
    Definition(np.nanmax, _nanmax, Value.OWN),
    Definition(np.nanmin, _nanmin, Value.OWN),
    Definition(np.nanprod, _nanprod, Value.OWN, makes=True),
    Definition(np.nancumsum, _nancumsum, Value.OWN, makes=True),
    Definition(np.nancumprod, _nancumprod, Value.OWN, makes=True),
    Definition(np.nanvar, _nanvar, Value.OWN),
    Definition(np.nanstd, _nanstd, Value.OWN),
    Definition(np.nanmedian, _nanmedian, Value.OWN),
    Definition(np.nanquantile, _nanquantile, Value.OWN, sequences=True),
    Definition(np.nanpercentile, _nanpercentile, Value.OWN, sequences=True),
)
