"""Copies that lie as what they copy, so that views of them behave alike."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import numpy as np


def filled(out: Any, values: Any) -> Any:
    """Return the array `out` with these values."""
    out[...] = values
    return out


def shares_memory(view: Any, base: Any) -> bool:
    """Return whether `view`, made from `base` by a function that copies only where it must, is a view of it."""
    return view.size == 0 or bool(np.may_share_memory(view, base))


def by_rows(x: Any, copied: bool) -> bool:
    """Return whether NumPy, where it follows memory, goes through the array `x` row by row; or through a copy of it, if `copied`.

    A copy lies forwards, and an axis along which `x` is repeated lies innermost in it; in `x` itself that can be anywhere.

    >>> by_rows(np.zeros((2, 3)), False), by_rows(np.zeros((2, 3)).T, False), by_rows(np.zeros(3)[::-1], False)
    (True, False, False)
    """
    steps = [step for length, step in zip(x.shape, x.strides, strict=True) if length > 1 and (copied or step != 0)]
    if not copied and any(step < 0 for step in steps):
        return False
    return all(abs(outer) >= abs(inner) for outer, inner in pairwise(steps))


def tangent_view(view: Any, shares: bool) -> Any:
    """Return `view`, made from a tangent as in the primal, as a view or as a copy, whichever the primal got."""
    return view if shares else private(view)


def cotangent_view(view: Any, shares: bool) -> Any:
    """Return `view`, made from a cotangent as in the primal; zeros of its shape where the primal got a copy."""
    return view if shares else np.zeros_like(view)


def laid_out(value: Any, like: Any) -> Any:
    """Return a copy of `value` with the strides of `like`, so that views of it behave as views of `like`."""
    copy = private(like)
    copy[...] = value
    return copy


def private(x: Any) -> Any:
    """Return a copy of the array `x` with the same strides, so that views of it behave as views of `x`.

    Where elements of a read-only `x` share a place (`np.broadcast_to`), each has its own in the copy, whose rows lie apart: where
    a reshape of `x` would copy, so that it can be written to, one of the copy does.
    """
    if _shares_places(x):
        apart = np.empty(tuple(n + 1 for n in x.shape), x.dtype)[tuple(slice(n) for n in x.shape)]
        return filled(apart, x)
    return _as_it_lies(x)


def own(value: Any) -> Any:
    """Return a copy of an array, and anything else as it is."""
    return private(value) if isinstance(value, np.ndarray) else value


def to_be_read(x: Any) -> Any:
    """Return a copy of the array `x` which lies as `x` does, read-only where elements of a read-only `x` share a place.

    In which order NumPy adds up depends on that: it walks over what is repeated along an axis as over no other array.
    """
    copy = _as_it_lies(x)
    if _shares_places(x):
        copy.flags.writeable = False
    return copy


def own_copy(value: Any) -> Any:
    """Return a copy of `value`: an array, a sparse matrix, or a list, tuple or dict of such. Nobody else knows of it."""
    match value:
        case np.ndarray():
            return to_be_read(value)
        case list() | tuple():
            return type(value)(map(own_copy, value))
        case dict():
            return {key: own_copy(item) for key, item in value.items()}
        case _:
            return value.copy() if hasattr(type(value), "tocoo") else value


def _as_it_lies(x: Any) -> Any:
    if x.flags.c_contiguous or x.flags.f_contiguous or x.size == 0:
        return x.copy(order="K")
    low, high = _reach(x)
    return filled(np.ndarray(x.shape, x.dtype, np.empty(high - low + x.itemsize, np.uint8), offset=-low, strides=x.strides), x)


def _shares_places(x: Any) -> bool:
    """Whether elements of a read-only `x` lie at the same place."""
    if x.flags.writeable or x.flags.c_contiguous or x.flags.f_contiguous or x.size == 0:
        return False
    low, high = _reach(x)
    return bool((high - low) // (math.gcd(*x.strides) or 1) + 1 < x.size)


def _reach(x: Any) -> tuple[int, int]:
    """Where in memory the first and the last element of `x` lie, in bytes from the element at zero."""
    steps = [(n - 1) * s for n, s in zip(x.shape, x.strides, strict=True)]
    return sum(min(0, step) for step in steps), sum(max(0, step) for step in steps)
