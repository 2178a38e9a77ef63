"""Elements of arrays in other places: picked by numbers or truths, put in and left out, turned, cut to what is not zero."""

from __future__ import annotations

from collections.abc import Callable, Set
from typing import Any

import numpy as np

from adxform import runtime
from adxform.primitives.definitions.definition import Definition, Value, unsupported


def _choose(a: Any, choices: Any, *, mode: Any = "raise") -> Any:
    count = len(choices)
    places = np.asarray(a)
    if mode == "wrap":
        places = places % count
    elif mode == "clip":
        places = np.clip(places, 0, count - 1)
    y = choices[0] + np.zeros(np.shape(places), dtype=bool)
    for k in range(1, count):
        y = np.where(places == k, choices[k], y)
    return y


def _choose_method(self: Any, *choices: Any, mode: Any = "raise") -> Any:
    return _choose(self, choices[0] if len(choices) == 1 else choices, mode=mode)


def _compress(condition: Any, a: Any, axis: Any = None) -> Any:
    if np.ndim(condition) != 1:
        raise ValueError("condition must be a 1-d array")
    return np.take(a, np.flatnonzero(condition), axis=axis)


def _compress_method(self: Any, condition: Any, axis: Any = None) -> Any:
    return _compress(condition, self, axis)


def _extract(condition: Any, arr: Any) -> Any:
    return np.take(np.ravel(arr), np.flatnonzero(condition))


def _partition(a: Any, kth: Any, axis: Any = -1, kind: Any = "introselect") -> Any:
    if axis is None:
        return _partition(np.ravel(a), kth, -1, kind)
    return np.take_along_axis(a, runtime.partition_places(a, kth, axis, kind), axis)


def _along_axis(axis: Any, rank: Any, part: Any) -> Any:
    """The index that takes `part` of one axis, and all of the others."""
    return tuple([part if k == axis % rank else slice(None) for k in range(rank)])


def _pad_with(array: Any, pad_width: Any, mode: Any = "constant", *, constant_values: Any) -> Any:
    if mode != "constant":
        unsupported("np.pad is given `constant_values` for the mode constant only")
    y = np.pad(array, pad_width)
    rank = np.ndim(y)
    widths = np.broadcast_to(np.asarray(pad_width), (rank, 2))
    values = np.broadcast_to(np.asarray(constant_values).astype(y.dtype), (rank, 2))
    for axis in range(rank):  # one axis after the other, as NumPy does: a corner has the values of the last one
        n = y.shape[axis]
        place = np.reshape(np.arange(n), tuple([n if k == axis else 1 for k in range(rank)]))
        y = np.where(place < widths[axis, 0], values[axis, 0], np.where(place < n - widths[axis, 1], y, values[axis, 1]))
    return y


def _delete(arr: Any, obj: Any, axis: Any = None) -> Any:
    if axis is None:
        arr, axis = np.ravel(arr), 0
    rank = np.ndim(arr)
    length = arr.shape[axis]
    if isinstance(obj, (int, np.integer)):
        if not -length <= obj < length:
            raise IndexError("index is out of bounds for the axis")
        place = obj % length
        before, after = arr[_along_axis(axis, rank, slice(None, place))], arr[_along_axis(axis, rank, slice(place + 1, None))]
        return np.concatenate((before, after), axis)
    kept = np.ones(length, dtype=bool)
    kept[obj] = False
    return np.take(arr, np.flatnonzero(kept), axis=axis)


def _insert(arr: Any, obj: Any, values: Any, axis: Any = None) -> Any:
    """One slice, or several at one place."""
    if axis is None:
        arr, axis = np.ravel(arr), 0
    if not isinstance(obj, (int, np.integer)):
        unsupported("np.insert has a derivative for one place only: put it together with np.concatenate")
    arr, values = np.asarray(arr), np.asarray(values)
    rank = np.ndim(arr)
    length = arr.shape[axis]
    if not -length <= obj <= length:
        raise IndexError("index is out of bounds for the axis")
    place = obj + length if obj < 0 else obj
    before, after = arr[_along_axis(axis, rank, slice(None, place))], arr[_along_axis(axis, rank, slice(place, None))]
    more = (
        values
        if np.ndim(values) == 0
        else np.moveaxis(np.reshape(values, (1,) * (rank - np.ndim(values)) + np.shape(values)), 0, axis)
    )
    count = 1 if np.ndim(more) == 0 else more.shape[axis]
    shape = tuple([count if k == axis % rank else arr.shape[k] for k in range(rank)])
    return np.concatenate((before, np.broadcast_to(more, shape).astype(arr.dtype), after), axis)


def _view(self: Any, dtype: Any = None) -> Any:
    if dtype is not None and np.dtype(dtype) != self.dtype:
        unsupported("ndarray.view reads the bytes of numbers as those of others: use astype")
    return self[...]


def _diagflat(v: Any, k: Any = 0) -> Any:
    return np.diag(np.ravel(v), k)


def spread_together(*args: Any) -> Any:
    """Views of arrays, of the shape that they have together."""
    if len(args) == 0:
        return ()
    whole = np.zeros_like(args[0], dtype=bool)
    for one in args[1:]:
        whole = whole & np.zeros_like(one, dtype=bool)
    return tuple([np.broadcast_to(one, np.shape(whole)) for one in args])


def _resize(a: Any, new_shape: Any) -> Any:
    shape = new_shape if isinstance(new_shape, (tuple, list)) else (new_shape,)
    total = 1
    for length in shape:
        if length < 0:
            raise ValueError("all elements of `new_shape` must be non-negative")
        total = total * length
    flat = np.ravel(a)
    if total == 0 or flat.shape[0] == 0:
        return np.zeros(tuple(shape), dtype=flat.dtype)
    return np.reshape(np.take(flat, np.arange(total) % flat.shape[0]), tuple(shape))


def _rollaxis(a: Any, axis: Any, start: Any = 0) -> Any:
    n = np.ndim(a)
    if not -n <= axis < n or not -n <= start <= n:
        raise np.exceptions.AxisError("axis or start is out of bounds")
    axis = axis % n
    start = start + n if start < 0 else start
    return np.moveaxis(a, axis, start - 1 if axis < start else start)


def _trim_zeros(filt: Any, trim: Any = "fb") -> Any:
    if np.ndim(filt) != 1:
        unsupported("np.trim_zeros has a derivative for arrays of one axis only")
    places = np.flatnonzero(np.asarray(filt))
    if places.shape[0] == 0:
        return filt[:0]
    first = int(places[0]) if "f" in trim.lower() else 0
    last = int(places[-1]) + 1 if "b" in trim.lower() else len(filt)
    return filt[first:last]


def _unstack(x: Any, *, axis: Any = 0) -> Any:
    if np.ndim(x) == 0:
        raise ValueError("Input array must be at least 1-d.")
    rows = x if axis == 0 else np.moveaxis(x, axis, 0)
    return tuple([rows[k] for k in range(rows.shape[0])])


DEFINITIONS: tuple[Definition, ...] = (
    Definition(np.choose, _choose, Value.OWN, sequences=True),
    Definition(np.ndarray.choose, _choose_method, Value.OWN, sequences=True),
    Definition(np.compress, _compress),
    Definition(np.ndarray.compress, _compress_method),
    Definition(np.extract, _extract),
    Definition(np.partition, _partition, Value.OWN, makes=True),
    Definition(np.pad, _pad_with, Value.OWN, taken_with=("constant_values",), where_unknown=True),
    Definition(np.delete, _delete, makes=True),
    Definition(np.insert, _insert, makes=True),
    Definition(np.ndarray.view, _view),
    Definition(np.diagflat, _diagflat, makes=True),
    Definition(np.broadcast_arrays, spread_together),
    Definition(np.resize, _resize, sequences=True),
    Definition(np.rollaxis, _rollaxis),
    Definition(np.trim_zeros, _trim_zeros, sequences=True),
    Definition(np.unstack, _unstack),
)

CUTTING: Set[Callable[..., Any]] = frozenset((np.trim_zeros,))
"""Functions that give a part of a sequence as one of its class."""
