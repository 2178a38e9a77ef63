"""What `outer`, `reduce`, `accumulate` and `at` of ufuncs mean."""

from __future__ import annotations

from typing import Any

import numpy as np

from adxform.primitives.definitions.definition import Definition, Value
from adxform.primitives.families.numpy_reductions import restore


def _columns(a: Any, b: Any) -> Any:
    """`a` with an axis of one behind for each axis of `b`: the first operand of an outer product."""
    return np.reshape(a, np.shape(a) + (1,) * np.ndim(b))


def _add_outer(a: Any, b: Any) -> Any:
    return _columns(a, b) + b


def _subtract_outer(a: Any, b: Any) -> Any:
    return _columns(a, b) - b


def _multiply_outer(a: Any, b: Any) -> Any:
    return _columns(a, b) * b


def _divide_outer(a: Any, b: Any) -> Any:
    return _columns(a, b) / b


def _maximum_outer(a: Any, b: Any) -> Any:
    return np.maximum(_columns(a, b), b)


def _minimum_outer(a: Any, b: Any) -> Any:
    return np.minimum(_columns(a, b), b)


def _add_reduce(x: Any, axis: Any = 0) -> Any:
    return np.sum(x, axis=axis)


def _multiply_reduce(x: Any, axis: Any = 0) -> Any:
    return np.prod(x, axis=axis)


def _maximum_reduce(x: Any, axis: Any = 0) -> Any:
    return np.max(x, axis=axis)


def _minimum_reduce(x: Any, axis: Any = 0) -> Any:
    return np.min(x, axis=axis)


def _logaddexp_reduce(x: Any, axis: Any = 0) -> Any:
    if np.size(x) == 0:
        return np.sum(x, axis=axis) - np.inf
    largest = np.max(x, axis=axis)
    shift = np.where(np.isfinite(largest), largest, 0.0)
    return np.log(np.sum(np.exp(x - restore(shift, axis, False)), axis=axis)) + shift


def _check_accumulates(x: Any, axis: Any) -> None:
    rank = np.ndim(x)
    if rank == 0 and axis not in (0, -1, None):
        raise np.exceptions.AxisError("axis is out of bounds for array of dimension 0")
    if rank == 0:
        raise TypeError("cannot accumulate on a scalar")
    if axis is None and rank > 1:
        raise ValueError("accumulate does not allow multiple axes")


def _add_accumulate(x: Any, axis: Any = 0) -> Any:
    _check_accumulates(x, axis)
    return np.cumsum(x, axis=axis)


def _multiply_accumulate(x: Any, axis: Any = 0) -> Any:
    _check_accumulates(x, axis)
    return np.cumprod(x, axis=axis)


def _accumulated(join: Any, x: Any, axis: Any) -> Any:
    """Each row along `axis` joined with what came of those before it."""
    _check_accumulates(x, axis)
    axis = 0 if axis is None else axis
    rows = np.copy(x if axis == 0 else np.swapaxes(x, 0, axis))
    for k in range(1, rows.shape[0]):
        rows[k] = join(rows[k - 1], rows[k])
    return rows if axis == 0 else np.swapaxes(rows, 0, axis)


def _maximum_accumulate(x: Any, axis: Any = 0) -> Any:
    return _accumulated(np.maximum, x, axis)


def _minimum_accumulate(x: Any, axis: Any = 0) -> Any:
    return _accumulated(np.minimum, x, axis)


def _fmax_accumulate(x: Any, axis: Any = 0) -> Any:
    return _accumulated(np.fmax, x, axis)


def _fmin_accumulate(x: Any, axis: Any = 0) -> Any:
    return _accumulated(np.fmin, x, axis)


def _cumulative_sum(x: Any, *, axis: Any = None, include_initial: Any = False) -> Any:
    rows = np.atleast_1d(x)
    axis = _running_axis(rows, axis)
    totals = np.cumsum(rows, axis=axis)
    return _after(0, totals, axis) if include_initial else totals


def _cumulative_prod(x: Any, *, axis: Any = None, include_initial: Any = False) -> Any:
    rows = np.atleast_1d(x)
    axis = _running_axis(rows, axis)
    products = np.cumprod(rows, axis=axis)
    return _after(1, products, axis) if include_initial else products


def _running_axis(x: Any, axis: Any) -> Any:
    if axis is None and np.ndim(x) > 1:
        raise ValueError("For arrays which have more than one dimension ``axis`` argument is required.")
    return 0 if axis is None else axis


def _after(start: Any, rows: Any, axis: Any) -> Any:
    """`rows` along `axis` with one that holds `start` before them."""
    shape = tuple([1 if k == axis % np.ndim(rows) else rows.shape[k] for k in range(np.ndim(rows))])
    return np.concatenate((np.full(shape, start, rows.dtype), rows), axis)


def _subtract_at(a: Any, indices: Any, b: Any) -> None:
    if isinstance(b, (list, tuple)):
        b = np.asarray(b)
    if np.asarray(b).dtype.kind in "bu":  # without a sign there is nothing below zero
        b = np.asarray(b).astype(np.int64)
    np.add.at(a, indices, -b)


DEFINITIONS: tuple[Definition, ...] = (
    Definition(np.add.outer, _add_outer),
    Definition(np.subtract.outer, _subtract_outer),
    Definition(np.multiply.outer, _multiply_outer),
    Definition(np.divide.outer, _divide_outer),
    Definition(np.maximum.outer, _maximum_outer),
    Definition(np.minimum.outer, _minimum_outer),
    Definition(np.add.reduce, _add_reduce),
    Definition(np.multiply.reduce, _multiply_reduce),
    Definition(np.maximum.reduce, _maximum_reduce),
    Definition(np.minimum.reduce, _minimum_reduce),
    Definition(np.logaddexp.reduce, _logaddexp_reduce, Value.IN_KERNELS),
    Definition(np.add.accumulate, _add_accumulate),
    Definition(np.multiply.accumulate, _multiply_accumulate),
    Definition(np.maximum.accumulate, _maximum_accumulate),
    Definition(np.minimum.accumulate, _minimum_accumulate),
    Definition(np.fmax.accumulate, _fmax_accumulate, Value.OWN),
    Definition(np.fmin.accumulate, _fmin_accumulate, Value.OWN),
    Definition(np.cumulative_sum, _cumulative_sum),
    Definition(np.cumulative_prod, _cumulative_prod),
    Definition(np.subtract.at, _subtract_at),
)
