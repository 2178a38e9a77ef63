"""What generated code calls beside NumPy: shapes that only the run can tell, and scatter with repeated indices."""

from __future__ import annotations

from typing import Any

import numpy as np


def unbroadcast(ct: Any, like: Any) -> Any:
    """Return `ct` summed over the axes along which `like` was broadcast, so that it has the shape of `like`.

    >>> unbroadcast(np.ones((3, 2)), np.ones((1, 2)))
    array([[3., 3.]])
    >>> float(unbroadcast(np.ones((3, 2)), 1.0))
    6.0
    """
    shape, target = np.shape(ct), np.shape(like)
    if shape == target:
        return ct
    ct = np.sum(ct, axis=tuple(range(len(shape) - len(target))))
    axes = tuple(i for i, (n, m) in enumerate(zip(np.shape(ct), target, strict=True)) if m == 1 and n != 1)
    return np.sum(ct, axis=axes, keepdims=True) if axes else ct


def broadcast_like(value: Any, like: Any) -> Any:
    """Return `value` broadcast to the shape of `like` (a read-only view when the shapes differ)."""
    shape = np.shape(like)
    return value if np.shape(value) == shape else np.broadcast_to(value, shape)


def masked_product(ct: Any, partial: Any) -> Any:
    """Return ``ct * partial``, and zero wherever `ct` is zero though `partial` be infinite or NaN.

    >>> masked_product(np.array([2.0, 0.0]), np.array([3.0, np.inf]))
    array([6., 0.])
    """
    if np.isfinite(partial).all():
        return ct * partial
    safe = np.where(np.equal(ct, 0), 0, partial)
    return ct * safe


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


def private(x: Any) -> Any:
    """Return a copy of the array `x` with the same strides, so that views of it behave as views of `x`."""
    if x.flags.c_contiguous or x.flags.f_contiguous or x.size == 0:
        return x.copy(order="K")
    low = sum(min(0, (n - 1) * s) for n, s in zip(x.shape, x.strides, strict=True))
    high = sum(max(0, (n - 1) * s) for n, s in zip(x.shape, x.strides, strict=True))
    buffer = np.empty(high - low + x.itemsize, np.uint8)
    copy: Any = np.ndarray(x.shape, x.dtype, buffer, offset=-low, strides=x.strides)
    copy[...] = x
    return copy
