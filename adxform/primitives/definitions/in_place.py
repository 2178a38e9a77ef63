"""Functions that write into an array, as stores."""

from __future__ import annotations

from typing import Any

import numpy as np

from adxform.primitives.definitions.definition import Definition


def _fill(x: Any, value: Any) -> None:
    x[...] = value


def _copyto(dst: Any, src: Any) -> None:
    dst[...] = src


def _putmask(a: Any, mask: Any, values: Any) -> None:
    if np.size(mask) != np.size(a):
        raise ValueError("putmask: mask and data must be the same size")
    chosen = np.reshape(mask, np.shape(a)) != 0
    if np.ndim(values) == 0:
        a[chosen] = values
    elif np.size(values) > 0:
        a[chosen] = _in_turn(values, np.flatnonzero(chosen))


def _in_turn(values: Any, counts: Any) -> Any:
    """Those of `values` with these numbers; they begin anew where there are fewer."""
    return np.ravel(values)[counts % np.size(values)]


def _put(a: Any, ind: Any, v: Any) -> None:
    places: Any = np.ravel(ind)
    if isinstance(ind, (list, tuple)) or places.dtype == bool:
        places = places.astype(np.int64)
    if np.ndim(a) == 0:
        a = np.reshape(a, 1)
    if np.ndim(a) > 1:
        places = np.unravel_index(np.arange(np.size(a))[places], a.shape)  # from the end where they are negative
    if np.ndim(v) == 0:
        a[places] = v
    elif np.size(v) > 0:
        a[places] = _in_turn(v, np.arange(np.size(ind)))
    elif np.size(a) == 0 and np.size(ind) > 0:
        raise IndexError("cannot replace elements of an empty array")


def _fill_diagonal(a: Any, val: Any) -> None:
    if np.ndim(a) < 2:
        raise ValueError("array must be at least 2-d")
    if np.ndim(a) > 2 and min(a.shape) != max(a.shape):
        raise ValueError("All dimensions of input must be of equal length")
    places = np.arange(min(a.shape))
    if np.ndim(val) == 0:
        a[(places,) * np.ndim(a)] = val
    elif np.size(val) > 0:
        a[(places,) * np.ndim(a)] = _in_turn(val, places)


def _sort_in_place(x: Any, axis: Any = -1) -> None:
    x[...] = np.sort(x, axis=axis)


DEFINITIONS: tuple[Definition, ...] = (
    Definition(np.ndarray.fill, _fill),
    Definition(np.copyto, _copyto),
    Definition(np.putmask, _putmask),
    Definition(np.put, _put, sequences=True),
    Definition(np.fill_diagonal, _fill_diagonal),
    Definition(np.ndarray.sort, _sort_in_place),
)
