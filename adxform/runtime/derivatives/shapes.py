"""Sums and scatters that undo what a call did with the shape of its argument, which only the run can tell."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from adxform.runtime.strides import filled


def unbroadcast(ct: Any, like: Any, out: Any = None) -> Any:
    """Return `ct` summed over the axes along which `like` was broadcast, so that it has the shape of `like`.

    What is summed goes into `out`, where given.

    >>> unbroadcast(np.ones((3, 2)), np.ones((1, 2)))
    array([[3., 3.]])
    >>> float(unbroadcast(np.ones((3, 2)), 1.0))
    6.0
    """
    if isinstance(ct, np.ndarray) and isinstance(like, np.ndarray) and ct.shape == like.shape:
        return ct
    shape, target = np.shape(ct), np.shape(like)
    if shape == target:
        return np.asarray(ct) if shape == () and isinstance(like, np.ndarray) else ct
    lead = len(shape) - len(target)
    if lead < 0:  # stored, with axes of length one in front, where there are none
        return unbroadcast(np.reshape(ct, (1,) * -lead + shape), like, out)
    ones = tuple(lead + i for i, (n, m) in enumerate(zip(shape[lead:], target, strict=True)) if m == 1 and n != 1)
    if any(n != m and n != 1 != m for n, m in zip(shape[lead:], target, strict=True)):
        raise ValueError(f"no array of shape {target} was broadcast to one of shape {shape}")
    if out is None:
        ct = np.sum(ct, axis=(*range(lead), *ones), keepdims=True)
        return np.reshape(ct, ct.shape[lead:])[()]
    if any(n == 1 != m for n, m in zip(shape[lead:], target, strict=True)):  # `out` has the shape of `like`, and is filled
        return filled(out, unbroadcast(ct, like))
    np.sum(ct, axis=(*range(lead), *ones), keepdims=True, out=np.reshape(out, (1,) * lead + target))
    return out


def broadcast_like(value: Any, like: Any) -> Any:
    """Return `value` broadcast to the shape of `like` (a read-only view when the shapes differ)."""
    if isinstance(value, np.ndarray) and isinstance(like, np.ndarray) and value.shape == like.shape:
        return value
    shape = np.shape(like)
    return value if np.shape(value) == shape else np.broadcast_to(value, shape)


def add_along_axis(values: Any, x: Any, indices: Any, axis: int) -> Any:
    """Return zeros shaped as `x` with `values` added at `indices`: the transpose of ``np.take_along_axis``."""
    out = np.zeros(np.shape(x), np.result_type(values))
    places: list[Any] = list(np.indices(out.shape, sparse=True))
    places[axis] = indices
    np.add.at(out, tuple(places), values)
    return out


def add_diagonal(values: Any, x: Any, k: int) -> Any:
    """Return zeros shaped as the matrix `x` with `values` on diagonal `k`: the transpose of ``np.diagonal``."""
    out = np.zeros(np.shape(x), np.result_type(values))
    rows = np.arange(len(values)) + max(-k, 0)
    out[rows, rows + k] = values
    return out


def sum_windows(values: Any, x: Any, window_shape: Any, axis: Any) -> Any:
    """Return zeros shaped as `x` with the `values` of each window added where it lies: the transpose of `sliding_window_view`.

    >>> sum_windows(np.ones((3, 2)), np.ones(4), 2, None)
    array([1., 2., 2., 1.])
    """
    out = np.zeros(np.shape(x), np.result_type(values))
    windows = sliding_window_view(out, window_shape, axis, writeable=True)
    for place in np.ndindex(windows.shape[out.ndim :]):
        windows[(..., *place)] += values[(..., *place)]  # of each window the same element: no two of these are one
    return out


def diagonal(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Return a view of the diagonal that ``np.diagonal`` gives, one that can be written to.

    >>> x = np.zeros((2, 2))
    >>> diagonal(x)[:] = 1.0
    >>> x
    array([[1., 0.],
           [0., 1.]])
    """
    view = np.diagonal(x, offset, axis1, axis2)
    view.flags.writeable = x.flags.writeable
    return view


def tile_like(x: Any, tiles: Any) -> Any:
    """Return `x` repeated as often as `tiles` holds it: the transpose of `sum_tiles`."""
    padded = (1,) * (np.ndim(tiles) - np.ndim(x)) + np.shape(x)
    return np.tile(x, tuple(n // max(m, 1) for n, m in zip(np.shape(tiles), padded, strict=True)))


def sum_tiles(tiles: Any, x: Any) -> Any:
    """Return the sum of the copies of `x` in `tiles`: the transpose of ``np.tile``."""
    padded = (1,) * (np.ndim(tiles) - np.ndim(x)) + np.shape(x)
    pairs = [(n // max(m, 1), m) for n, m in zip(np.shape(tiles), padded, strict=True)]
    parts = np.reshape(tiles, [n for pair in pairs for n in pair])
    return np.reshape(np.sum(parts, axis=tuple(range(0, 2 * len(pairs), 2))), np.shape(x))


def sum_padding(padded: Any, x: Any, pad_width: Any, mode: Any) -> Any:
    """Return the sum of the copies of each element of `x` in `padded`: the transpose of ``np.pad`` in a mode that repeats."""
    for axis, (before, after) in enumerate(np.broadcast_to(pad_width, (np.ndim(x), 2)).tolist()):
        rows = np.moveaxis(padded, axis, 0)
        sums = np.zeros((np.shape(x)[axis], *rows.shape[1:]), np.result_type(padded))
        np.add.at(sums, np.pad(np.arange(len(sums)), (before, after), mode), rows)
        padded = np.moveaxis(sums, 0, axis)
    return padded


def sum_repeats(repeated: Any, x: Any, repeats: Any, axis: int | None) -> Any:
    """Return the sum of the repetitions of each element: the transpose of ``np.repeat``."""
    if np.ndim(x) == 0:  # which NumPy takes for an array of one element, along either of its axes
        axis = None
    rows = np.reshape(repeated, -1) if axis is None else np.moveaxis(repeated, axis, 0)
    shape = (np.size(x),) if axis is None else np.moveaxis(x, axis, 0).shape
    out = np.zeros(shape, np.result_type(repeated))
    np.add.at(out, np.repeat(np.arange(shape[0]), repeats), rows)
    return np.reshape(out, np.shape(x)) if axis is None else np.moveaxis(out, 0, axis)


def gather_last(x: Any, index: Any) -> Any:
    """Return ``x[index]`` with zero wherever a later entry of `index` names the same element.

    The adjoint of ``x[index] = v``: of repeated entries only the last one was stored.

    >>> gather_last(np.array([5.0, 7.0]), np.array([0, 0, 1]))
    array([0., 5., 7.])
    """
    picked = x[index]
    order = np.arange(picked.size).reshape(picked.shape)
    winner = np.full(x.shape, -1)
    winner[index] = order
    return np.where(winner[index] == order, picked, 0)


def scatter_last(values: Any, x: Any, index: Any) -> Any:
    """Return zeros shaped as `x` after ``zeros[index] = values``: the transpose of `gather_last`."""
    out = np.zeros_like(x)
    out[index] = values
    return out


def partition_places(x: Any, kth: Any, axis: int, kind: Any = "introselect") -> Any:
    """Return where the elements of ``np.partition(x, kth, axis)`` stand in `x`, each once: equal ones in their order.

    >>> partition_places(np.array([3.0, 1.0, 2.0]), 0, -1)
    array([1, 2, 0])
    """
    parted = np.partition(x, kth, axis, kind)
    places = np.empty(np.shape(x), np.intp)
    np.put_along_axis(places, np.argsort(parted, axis, "stable"), np.argsort(x, axis, "stable"), axis)
    return places
