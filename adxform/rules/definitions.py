"""NumPy functions by what they mean in terms of others; the front end inlines these, so they need no rule of their own."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from adxform import runtime
from adxform.rules.declare import constant, general
from adxform.rules.record import Primitive


def _ptp(x: Any, axis: Any = None, out: Any = None, keepdims: Any = False) -> Any:
    return np.max(x, axis=axis, keepdims=keepdims) - np.min(x, axis=axis, keepdims=keepdims)


def _diff(x: Any, n: Any = 1, axis: Any = -1) -> Any:
    if np.ndim(x) == 1:
        for _ in range(n):
            x = x[1:] - x[:-1]
        return x
    rows = np.swapaxes(x, 0, axis)
    for _ in range(n):
        rows = rows[1:] - rows[:-1]
    return np.swapaxes(rows, 0, axis)


def _trapezoid(y: Any, x: Any = None, dx: Any = 1.0, axis: Any = -1) -> Any:
    if x is None:
        if np.ndim(y) == 1:
            return dx * np.sum(y[1:] + y[:-1]) / 2.0
        rows = np.swapaxes(y, -1, axis)
        return dx * np.sum(rows[..., 1:] + rows[..., :-1], axis=-1) / 2.0
    if np.ndim(y) == 1:
        return np.sum((x[1:] - x[:-1]) * (y[1:] + y[:-1])) / 2.0
    rows = np.swapaxes(y, -1, axis)
    places = x if np.ndim(x) == 1 else np.swapaxes(x, -1, axis)
    return np.sum((places[..., 1:] - places[..., :-1]) * (rows[..., 1:] + rows[..., :-1]), axis=-1) / 2.0


def _average(x: Any, axis: Any = None, weights: Any = None, returned: Any = False, *, keepdims: Any = False) -> Any:
    if weights is None:
        return np.mean(x, axis=axis, keepdims=keepdims)
    if np.ndim(weights) == np.ndim(x):
        spread = weights
    else:
        spread = np.reshape(weights, tuple([-1 if i == axis % np.ndim(x) else 1 for i in range(np.ndim(x))]))
    total = np.sum(spread * np.ones_like(x), axis=axis, keepdims=keepdims)
    return np.sum(x * spread, axis=axis, keepdims=keepdims) / total


def _median(x: Any, axis: Any = None, out: Any = None, overwrite_input: Any = False, keepdims: Any = False) -> Any:
    if axis is None:
        ordered = np.sort(np.ravel(x))
        n = ordered.shape[0]
        return 0.5 * (ordered[(n - 1) // 2] + ordered[n // 2])
    rows = np.sort(np.swapaxes(x, 0, axis), axis=0)
    n = rows.shape[0]
    middle = np.swapaxes(0.5 * (rows[(n - 1) // 2 : (n - 1) // 2 + 1] + rows[n // 2 : n // 2 + 1]), 0, axis)
    return middle if keepdims else np.squeeze(middle, axis)


def _split_at(x: Any, places: Any, axis: Any) -> Any:
    rows = x if axis == 0 else np.swapaxes(x, 0, axis)
    parts = []
    start = 0
    for stop in places:
        parts.append(rows[start:stop] if axis == 0 else np.swapaxes(rows[start:stop], 0, axis))
        start = stop
    parts.append(rows[start:] if axis == 0 else np.swapaxes(rows[start:], 0, axis))
    return parts


def _split(x: Any, indices_or_sections: Any, axis: Any = 0) -> Any:
    if isinstance(indices_or_sections, int):
        width = x.shape[axis] // indices_or_sections
        return _split_at(x, [width * i for i in range(1, indices_or_sections)], axis)
    return _split_at(x, indices_or_sections, axis)


def _hstack(parts: Any) -> Any:
    arrays = [np.atleast_1d(part) for part in parts]
    if np.ndim(arrays[0]) == 1:
        return np.concatenate(arrays, 0)
    return np.concatenate(arrays, 1)


def _vstack(parts: Any) -> Any:
    return np.concatenate([np.atleast_2d(part) for part in parts], 0)


def _column_stack(parts: Any) -> Any:
    return np.concatenate([part if np.ndim(part) >= 2 else np.atleast_2d(part).T for part in parts], 1)


def _append(x: Any, values: Any, axis: Any = None) -> Any:
    if axis is None:
        return np.concatenate((np.ravel(x), np.ravel(values)))
    return np.concatenate((x, values), axis)


def _meshgrid(a: Any, b: Any, *, indexing: Any = "xy") -> Any:
    if indexing == "ij":
        return np.expand_dims(a, 1) + np.zeros_like(b), np.zeros_like(np.expand_dims(a, 1)) + b
    return a + np.zeros_like(np.expand_dims(b, 1)), np.zeros_like(a) + np.expand_dims(b, 1)


def _divmod(a: Any, b: Any) -> Any:
    return a // b, a % b


def _slogdet(a: Any) -> Any:
    return runtime.sign_of_determinant(a), runtime.log_of_determinant(a)


def _log_of_determinant(a: Any) -> Any:
    def pullback(ct: Any) -> Any:
        return np.expand_dims(ct, (-2, -1)) * np.swapaxes(np.linalg.inv(a), -1, -2)

    return runtime.log_of_determinant(a), pullback


def _matrix_power(a: Any, n: Any) -> Any:
    if n < 0:
        a = np.linalg.inv(a)
    result = np.eye(a.shape[0], dtype=a.dtype)
    for _ in range(abs(n)):
        result = result @ a
    return result


DEFINITIONS: Mapping[Callable[..., Any], Callable[..., Any]] = MappingProxyType(
    {
        np.ptp: _ptp,
        np.diff: _diff,
        np.trapezoid: _trapezoid,
        np.average: _average,
        np.median: _median,
        np.split: _split,
        np.hstack: _hstack,
        np.vstack: _vstack,
        np.column_stack: _column_stack,
        np.append: _append,
        np.meshgrid: _meshgrid,
        np.linalg.slogdet: _slogdet,
        np.linalg.matrix_power: _matrix_power,
        builtins.divmod: _divmod,
        np.divmod: _divmod,
    }
)

_S = np.array([[2.0, 0.5], [-0.25, 1.5]])

RECORDS: tuple[Primitive, ...] = (
    general(
        runtime.log_of_determinant,
        _log_of_determinant,
        (_S,),
        tangent=lambda y, args, args_t: np.trace(np.linalg.solve(args[0], args_t[0])),
    ),
    constant(runtime.sign_of_determinant),
)
