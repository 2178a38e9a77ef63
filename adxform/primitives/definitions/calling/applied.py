"""Functions of NumPy's that call a function of the user's on parts of arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from adxform.primitives.definitions.definition import Definition


def _apply_along_axis(func1d: Any, axis: Any, arr: Any, *args: Any, **kwargs: Any) -> Any:
    arr = np.asarray(arr)
    moved = np.moveaxis(arr, axis, -1)
    shape = np.shape(moved)[:-1]
    count = 1
    for n in shape:
        count *= n
    if count == 0:
        raise ValueError("Cannot apply_along_axis when any iteration dimensions are 0")
    rows = np.reshape(moved, (count, moved.shape[-1]))
    values = np.array([func1d(row, *args, **kwargs) for row in rows])
    whole = np.reshape(values, shape + np.shape(values)[1:])
    first = len(shape)
    extra = np.ndim(whole) - first
    place = axis % np.ndim(arr)
    if extra == 0:
        return whole
    return np.moveaxis(whole, tuple(range(first, first + extra)), tuple(range(place, place + extra)))


def _apply_over_axes(func: Any, a: Any, axes: Any) -> Any:
    value = np.asarray(a)
    n = np.ndim(value)
    for axis in axes if isinstance(axes, (tuple, list)) else (axes,):
        along = axis + n if axis < 0 else axis
        found = func(value, along)
        value = found if np.ndim(found) == n else np.expand_dims(found, along)
    return value


def _piecewise(x: Any, condlist: Any, funclist: Any, *args: Any, **kw: Any) -> Any:
    x = np.asarray(x)
    if not isinstance(condlist, (list, tuple)):
        condlist = [condlist]
    conditions = [np.asarray(one) for one in condlist]
    if len(funclist) not in (len(conditions), len(conditions) + 1):
        raise ValueError("with these conditions, one function for each, and one for otherwise, are expected")
    if len(funclist) == len(conditions) + 1:
        covered = conditions[0]
        for one in conditions[1:]:
            covered = covered | one
        conditions = [*conditions, ~covered]
    y = np.zeros_like(x)
    for condition, function in zip(conditions, funclist, strict=True):
        if not callable(function):
            y[condition] = function
        elif np.any(condition):
            y[condition] = function(x[condition], *args, **kw)
    return y


def _fromfunction(function: Any, shape: Any, *, dtype: Any = float, **kwargs: Any) -> Any:
    return function(*np.indices(shape, dtype=dtype), **kwargs)


DEFINITIONS: tuple[Definition, ...] = (
    Definition(np.apply_along_axis, _apply_along_axis, sequences=True, makes=True),
    Definition(np.apply_over_axes, _apply_over_axes, sequences=True),
    Definition(np.piecewise, _piecewise, sequences=True, makes=True),
    Definition(np.fromfunction, _fromfunction, sequences=True),
)
