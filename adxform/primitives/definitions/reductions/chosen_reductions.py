"""Reductions that begin with a number (`initial=`) or leave elements out (`where=`): what they mean by plain ones.

The functions have rules of their own, which do without these parameters: they are taken where one of them is given.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adxform.primitives.definitions.definition import Definition, Value
from adxform.primitives.definitions.reductions.statistics import axes_of, reduced, rows_along


def _sum(a: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False, initial: Any = 0.0, where: Any = True) -> Any:
    return np.sum(np.where(where, a, 0.0), axis=axis, dtype=dtype, keepdims=keepdims) + initial


def _prod(a: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False, initial: Any = 1.0, where: Any = True) -> Any:
    return np.prod(np.where(where, a, 1.0), axis=axis, dtype=dtype, keepdims=keepdims) * initial


def _with_first(a: Any, axis: Any, first: Any, where: Any, otherwise: Any) -> Any:
    """The elements of `a` along an axis, the first, and `first` after them; `otherwise` for what is left out."""
    rows = rows_along(np.where(where, a, otherwise), axes_of(axis))
    return np.concatenate((rows, np.zeros((1, *np.shape(rows)[1:])).astype(rows.dtype) + first))


def _max(a: Any, axis: Any = None, *, keepdims: Any = False, initial: Any, where: Any = True) -> Any:
    found = np.max(_with_first(a, axis, initial, where, -np.inf), axis=0)
    return reduced(found, a, axes_of(axis), keepdims)


def _min(a: Any, axis: Any = None, *, keepdims: Any = False, initial: Any, where: Any = True) -> Any:
    found = np.min(_with_first(a, axis, initial, where, np.inf), axis=0)
    return reduced(found, a, axes_of(axis), keepdims)


def _count(a: Any, axis: Any, where: Any) -> Any:
    """How many elements there are that are not left out, along axes that are kept."""
    return np.sum(np.where(where, np.ones(np.shape(a)), 0.0), axis=axis, keepdims=True)


def _mean(a: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False, where: Any) -> Any:
    shares = np.where(where, a, 0.0) / _count(a, axis, where)
    return np.sum(shares, axis=axis, dtype=dtype, keepdims=keepdims)


def _nansum(a: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False, initial: Any = 0.0, where: Any = True) -> Any:
    return _sum(a, axis, dtype, keepdims=keepdims, initial=initial, where=~np.isnan(a) & where)


def _nanmean(a: Any, axis: Any = None, dtype: Any = None, *, keepdims: Any = False, where: Any) -> Any:
    return _mean(a, axis, dtype, keepdims=keepdims, where=~np.isnan(a) & where)


def variance(
    a: Any,
    axis: Any = None,
    dtype: Any = None,
    *,
    ddof: Any = 0,
    keepdims: Any = False,
    where: Any = True,
    mean: Any = None,
    correction: Any = None,
) -> Any:
    """The variance of those elements of `a` that `where` chooses, about their mean or a given one."""
    axis = axes_of(axis)
    if correction is not None:
        if ddof != 0:
            raise ValueError("ddof and correction can't be provided simultaneously.")
        ddof = correction
    count = _count(a, axis, where)
    if mean is None:
        mean = np.sum(np.where(where, a, 0.0), axis=axis, keepdims=True) / count
        mean = np.where(np.isfinite(mean), mean, mean * np.nan)  # its slope too: else tangents cancel to zero beside infinities
    centred = np.where(where, a - mean, 0.0)
    squares = np.real(centred) ** 2 + np.imag(centred) ** 2 if np.iscomplexobj(centred) else centred * centred
    left = np.where(count > ddof, count - ddof, np.nan)
    return np.sum(squares / left, axis=axis, dtype=dtype, keepdims=keepdims)


def _std(a: Any, axis: Any = None, dtype: Any = None, **options: Any) -> Any:
    return np.sqrt(variance(a, axis, dtype, **options))


_FORMS: tuple[tuple[tuple[Any, ...], Any, tuple[str, ...]], ...] = (
    ((np.sum, np.ndarray.sum), _sum, ("initial",)),
    ((np.prod, np.ndarray.prod), _prod, ("initial", "where")),
    ((np.max, np.amax, np.ndarray.max), _max, ("initial", "where")),
    ((np.min, np.amin, np.ndarray.min), _min, ("initial", "where")),
    ((np.mean, np.ndarray.mean), _mean, ("where",)),
    ((np.nansum,), _nansum, ("initial", "where")),
    ((np.nanmean,), _nanmean, ("where",)),
    ((np.var, np.ndarray.var), variance, ("where", "mean", "correction")),
    ((np.std, np.ndarray.std), _std, ("where", "mean", "correction")),
)

DEFINITIONS: tuple[Definition, ...] = tuple(
    Definition(fn, body, Value.OWN, taken_with=names) for fns, body, names in _FORMS for fn in dict.fromkeys(fns)
)
