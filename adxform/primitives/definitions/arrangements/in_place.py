"""Functions that write into an array, as stores."""

from __future__ import annotations

from typing import Any

import numpy as np

from adxform.primitives.definitions.definition import Definition


def _fill(x: Any, value: Any) -> None:
    if isinstance(x, np.ndarray):  # of a number NumPy changes a copy
        x[...] = value


def _copyto(dst: Any, src: Any, *, where: Any = True) -> None:
    dst[...] = np.where(where, src, dst)


def _putmask(a: Any, mask: Any, values: Any) -> None:
    if np.size(mask) != np.size(a):
        raise ValueError("putmask: mask and data must be the same size")
    chosen = np.reshape(mask, np.shape(a)) != 0
    if np.ndim(values) == 0:
        a[chosen] = values
    elif np.size(values) > 0:
        a[chosen] = in_turn(values, np.flatnonzero(chosen))


def in_turn(values: Any, counts: Any) -> Any:
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
        a[places] = in_turn(v, np.arange(np.size(ind)))
    elif np.size(a) == 0 and np.size(ind) > 0:
        raise IndexError("cannot replace elements of an empty array")


def _place(arr: Any, mask: Any, vals: Any) -> None:
    if np.size(mask) != np.size(arr):
        raise ValueError("place: mask and data must be the same size")
    chosen = np.reshape(mask, np.shape(arr)) != 0
    count = np.count_nonzero(chosen)
    if np.size(vals) == 0 and count > 0:
        raise ValueError("Cannot insert from an empty array!")
    if np.size(vals) > 0:
        arr[chosen] = in_turn(vals, np.arange(count))


def _put_along_axis(arr: Any, indices: Any, values: Any, axis: Any = -1) -> None:
    if axis is None:
        arr, axis = np.reshape(arr, -1), 0
    rank = np.ndim(arr)
    axis = axis % rank
    places = []
    for k in range(rank):
        shape = tuple([-1 if other == k else 1 for other in range(rank)])
        places.append(indices if k == axis else np.reshape(np.arange(arr.shape[k]), shape))
    arr[tuple(places)] = values


def _put_method(self: Any, indices: Any, values: Any) -> None:
    _put(self, indices, values)


def _partition_in_place(self: Any, kth: Any, axis: Any = -1, kind: Any = "introselect") -> None:
    if axis is None:
        raise TypeError("'NoneType' object cannot be interpreted as an integer")
    self[...] = np.partition(self, kth, axis, kind)


def _fill_diagonal(a: Any, val: Any) -> None:
    if np.ndim(a) < 2:
        raise ValueError("array must be at least 2-d")
    if np.ndim(a) > 2 and min(a.shape) != max(a.shape):
        raise ValueError("All dimensions of input must be of equal length")
    places = np.arange(min(a.shape))
    if np.ndim(val) == 0:
        a[(places,) * np.ndim(a)] = val
    elif np.size(val) > 0:
        a[(places,) * np.ndim(a)] = in_turn(val, places)


def _sort_in_place(x: Any, axis: Any = -1) -> None:
    x[...] = np.sort(x, axis=axis)


DEFINITIONS: tuple[Definition, ...] = (
    Definition(np.ndarray.fill, _fill),
    Definition(np.copyto, _copyto),
    Definition(np.putmask, _putmask),
    Definition(np.put, _put, sequences=True),
    Definition(np.ndarray.put, _put_method, sequences=True),
    Definition(np.place, _place, interleaved=True),
    Definition(np.put_along_axis, _put_along_axis),
    Definition(np.ndarray.partition, _partition_in_place),
    Definition(np.fill_diagonal, _fill_diagonal, interleaved=True),
    Definition(np.ndarray.sort, _sort_in_place),
)
