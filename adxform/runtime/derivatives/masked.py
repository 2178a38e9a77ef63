"""Products in which zero times what is infinite or missing is zero."""

from __future__ import annotations

import cmath
import math
from typing import Any

import numpy as np

from adxform.runtime.strides import filled


def masked_product(ct: Any, partial: Any, out: Any = None) -> Any:
    """Return ``ct * partial``, and zero wherever one of them is zero though the other be infinite or NaN; in `out`, where given.

    >>> masked_product(np.array([2.0, 0.0, np.inf]), np.array([3.0, np.inf, 0.0]))
    array([6., 0., 0.])
    """
    if isinstance(partial, float) and isinstance(ct, float):
        known = ct != 0.0 != partial or (math.isfinite(ct) and math.isfinite(partial))
        return ct * partial if known else ct * 0.0 if math.isfinite(ct) else partial * 0.0
    if _needs_no_mask(ct, partial):
        return np.multiply(ct, partial, out)
    if out is not None and (np.may_share_memory(out, ct) or np.may_share_memory(out, partial)):
        return np.multiply(ct, partial, out=out) if _has_finite_sum(ct, partial) else filled(out, masked_product(ct, partial))
    with np.errstate(invalid="ignore"):
        found = np.multiply(ct, partial, out=out)
        if cmath.isfinite(np.add.reduce(found, axis=None)):
            return found
        masked = np.isnan(found) & (np.equal(ct, 0) | np.equal(partial, 0))
    return np.where(masked, found.dtype.type(0), found)[()] if out is None else filled(out, np.where(masked, 0, found))


_DOUBLE = np.dtype(np.float64)
ONE_THREAD = 8192
"""Longer vectors are multiplied by several threads, which others may keep waiting."""


def _needs_no_mask(ct: Any, partial: Any) -> bool:
    """Whether a quick look tells that no zero meets what is infinite or missing, as of most numbers and short arrays."""
    for number, other in ((partial, ct), (ct, partial)):
        if isinstance(number, float):  # which is infinite, maybe, as soon as it is as narrow as the array
            return number != 0.0 and math.isfinite(number) and getattr(other, "dtype", None) == _DOUBLE
    arrays = isinstance(ct, np.ndarray) and isinstance(partial, np.ndarray)
    return arrays and ct.ndim > 0 < partial.ndim and ct.size < ONE_THREAD and _has_finite_products(ct, partial)


def _has_finite_sum(a: Any, b: Any) -> bool:
    """Whether the products of the elements of `a` and `b` have a finite sum, where that is told without making an array."""
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        number, array = (a, b) if np.ndim(a) == 0 else (b, a)
        return bool(cmath.isfinite(number) and cmath.isfinite(np.add.reduce(array, axis=None)))
    return _has_finite_products(a, b)


def _has_finite_products(a: np.ndarray, b: np.ndarray) -> bool:
    """Whether the inner product of `a` and `b`, of one shape and in one order, is finite. Unlike ``np.dot`` it never warns."""
    if a.shape != b.shape or a.dtype != b.dtype or not (a.flags.c_contiguous and b.flags.c_contiguous):
        return False
    return cmath.isfinite(np.vdot(a, b))


def masked_matmul(a: Any, b: Any, out: Any = None) -> Any:
    """Return ``a @ b``, in which zero times what is infinite or missing is zero; in `out`, where given.

    It and those below cost one look at the result more than the plain product, unless something there is not finite. An element
    of the result in which something infinite or missing is multiplied by another number than zero is that of the plain product.

    >>> masked_matmul(np.array([2.0, 0.0]), np.array([[1.0, 3.0], [np.nan, np.inf]]))
    array([2., 6.])
    """
    with np.errstate(invalid="ignore"):
        found = np.matmul(a, b, out=out)
    return found if _is_finite(found) else _into(out, _masked_sums(np.matmul, found, a, b))


def masked_outer(a: Any, b: Any, out: Any = None) -> Any:
    """Return ``np.outer(a, b)``, in which zero times what is infinite or missing is zero; in `out`, where given."""
    if _is_finite(a) and _is_finite(b):
        return np.outer(a, b, out=out)
    with np.errstate(invalid="ignore"):
        return _into(out, _masked_sums(np.outer, np.outer(a, b), a, b))


def masked_tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """Return ``np.tensordot(a, b, axes)``, in which zero times what is infinite or missing is zero."""
    with np.errstate(invalid="ignore"):
        found = np.tensordot(a, b, axes)
    return found if _is_finite(found) else _masked_sums(lambda one, other: np.tensordot(one, other, axes), found, a, b)


def masked_einsum(subscripts: str, *operands: Any, out: Any = None) -> Any:
    """Return ``np.einsum(subscripts, *operands)``, in `out`, where given; zero times what is infinite or missing is zero."""
    with np.errstate(invalid="ignore"):
        found = np.einsum(subscripts, *operands, out=out)
    if _is_finite(found):
        return found
    return _into(out, _masked_sums(lambda *given: np.einsum(subscripts, *given), found, *operands))


def masked_cross(a: Any, b: Any) -> Any:
    """Return ``np.cross(a, b)`` of vectors of three, in which zero times what is infinite or missing is zero."""
    with np.errstate(invalid="ignore"):
        found = a.take(_NEXT, -1) * b.take(_LAST, -1) - a.take(_LAST, -1) * b.take(_NEXT, -1)
    if _is_finite(found):
        return found
    turns = np.zeros((3, 3, 3), found.dtype)
    turns[(0, 1, 2), (1, 2, 0), (2, 0, 1)] = 1
    turns[(0, 2, 1), (2, 1, 0), (1, 0, 2)] = -1
    return masked_einsum("ijk,...j,...k->...i", turns, a, b)


_NEXT, _LAST = np.array((1, 2, 0)), np.array((2, 0, 1))
"""Of each of three axes, the one after it and the one before it: ``np.cross`` costs ten times as much on short arrays."""


def _is_finite(array: Any) -> bool:
    """Whether `array` holds nothing infinite or missing, where its sum tells."""
    return cmath.isfinite(np.add.reduce(array, axis=None))


def _masked_sums(fn: Any, found: Any, *operands: Any) -> Any:
    """What `fn`, sums of products of elements of its `operands` that are `found`, is where a product is zero if a factor is.

    Calls it again: without what is not finite, and to see where that meets what is not zero.
    """
    lanes = [~np.isfinite(operand) for operand in operands]
    finite = fn(*(np.where(lane, np.zeros_like(operand), operand) for lane, operand in zip(lanes, operands, strict=True)))
    met: Any = 0
    for place, lane in enumerate(lanes):
        if np.any(lane):
            used = (lane if k == place else np.not_equal(operand, 0) for k, operand in enumerate(operands))
            met = met + fn(*(each.astype(finite.dtype) for each in used))
    return np.where(met == 0, finite, found)[()]


def _into(out: Any, found: Any) -> Any:
    """`found`, in `out` where that is given."""
    return found if out is None else filled(out, found)


def check_finite(total: Any) -> None:
    """See that `total`, a sum over products that compiled code has not masked, holds nothing infinite or missing.

    Raises:
        ArithmeticError: it does, so that Python has to mask them.
    """
    if not math.isfinite(total):
        raise ArithmeticError("zero may have met what is infinite or missing")
