"""Reductions and scans, with ``axis`` (none, one, several) and ``keepdims``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from adxform import runtime
from adxform.ir import intrinsics
from adxform.ir.ops import Operand
from adxform.ir.types import FLOAT, Type
from adxform.primitives.complex_numbers import conjugate, real_part
from adxform.primitives.contraction_types import shaped_like_second
from adxform.primitives.declare import constant, general, linear, primitive
from adxform.primitives.facets import Chooses, Kernel, Moves, Reduces
from adxform.primitives.record import OPAQUE, Primitive
from adxform.runtime import kernel_scalars


def restore(ct: Any, axis: Any, keepdims: Any) -> Any:
    """`ct`, shaped as the result of a reduction, with the reduced axes back as ones, ready to broadcast."""
    if axis is None or keepdims:
        return ct
    return np.expand_dims(ct, axis)


def count(x: Any, axis: Any) -> Any:
    """How many elements of `x` each element of a reduction over `axis` stands for."""
    if axis is None:
        return np.size(x)
    if isinstance(axis, tuple):
        n = 1
        for a in axis:
            n = n * x.shape[a]
        return n
    return x.shape[axis]


def freedom(x: Any, axis: Any, ddof: Any) -> Any:
    """By how many a sum of squares along `axis` is divided; none are left of one element, or none, with a `ddof` of one.

    Where none are, what moves has no slope: see `undefined_unless`.
    """
    n = count(x, axis)
    return np.float64(n if ddof == 0 else max(n - ddof, 0))


def shared(amount: Any, left: Any, ddof: Any) -> Any:
    """`amount` divided by what is `left`. Not zero where that is nothing: what is undefined would be zero by that."""
    return runtime.ratio(amount, left) if ddof == 0 else amount / (left if left > 0.0 else np.float64(1.0))


def undefined_unless(left: Any, ct: Any, ddof: Any) -> Any:
    """`ct`, and NaN for what of it is not zero where `left` of a sum of squares is nothing; of nothing at all nothing moves."""
    return ct if ddof == 0 else runtime.masked_product(ct, runtime.quotient(left, left))


def deviations(x: Any, axis: Any, left: Any, ddof: Any) -> Any:
    """`x` without its mean.

    One element is its own mean, and yet where it moves, what is made of nothing `left` has no slope: one stands for the
    deviation there, since zero times what is undefined would be zero.
    """
    if ddof == 0:
        return x - np.mean(x, axis=axis, keepdims=True)
    moved = undefined_unless(left, x, ddof)
    mean = np.mean(x, axis=axis, keepdims=True) - (left <= 0.0)
    return intrinsics.valued(x - mean, moved - np.mean(moved, axis=axis, keepdims=True))


def _sum_transpose(ct: Any, x: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False, *, where: Any = True) -> Any:
    over = axis if np.ndim(x) > 0 else None  # of a number NumPy takes 0 and -1 as well
    if where is True:
        return runtime.broadcast_like(restore(ct, over, keepdims), x)
    return runtime.broadcast_like(np.where(where, restore(ct, over, keepdims), 0.0), x)


def _mean_transpose(ct: Any, x: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Any:
    return runtime.broadcast_like(restore(ct, axis, keepdims) / count(x, axis), x)


def _mean_transpose_of_a_part(ct: Any, x: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Any:
    """The same where `x` may be empty: a cotangent that is one of Python's numbers raises where it is divided by zero."""
    return runtime.broadcast_like(restore(ct, axis, keepdims) / max(count(x, axis), 1), x)


def _mean_tangent(x: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Any:
    """The mean of a tangent, and zero of an empty one: where nothing is, nothing moves."""
    wide = x.astype(np.float32) if x.dtype == np.float16 else x  # as a mean adds up
    return np.sum(wide, axis=axis, keepdims=keepdims) / max(count(x, axis), 1)


def _exact_sum_transpose(ct: Any, x: Any) -> Any:
    """The cotangent of each element; what differentiates it in turn adds up exactly as well."""
    return runtime.exact_shares(ct, x)


def _exact_shares_transpose(shares_ct: Any, ct: Any, x: Any) -> Any:
    return runtime.exact_sum(shares_ct)


def _python_float(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type:
    return FLOAT


def _nansum(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    y = np.nansum(x, axis=axis, keepdims=keepdims)

    def pullback(ct: Any) -> Any:
        return np.where(np.isnan(x), 0.0, ct if np.ndim(x) == 0 else restore(ct, axis, keepdims))

    return y, pullback


def _nanmean(x: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Any:
    y = np.nanmean(x, axis=axis, dtype=dtype, keepdims=keepdims)

    def pullback(ct: Any) -> Any:
        present = np.logical_not(np.isnan(x))
        if np.ndim(x) == 0:
            return np.where(present, ct, 0.0)
        share = restore(ct, axis, keepdims) / np.maximum(np.sum(present, axis=axis, keepdims=True), 1)
        return np.where(present, share, 0.0)

    return y, pullback


def _var(x: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False) -> Any:
    y = np.var(x, axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims)

    def pullback(ct: Any) -> Any:
        left = freedom(x, axis, ddof)
        weight = restore(undefined_unless(left, ct, ddof), axis, keepdims) * shared(2.0, left, ddof)
        return undefined_unless(left, weight * conjugate(deviations(x, axis, left, ddof)), ddof)

    return y, pullback


def _var_tangent(y: Any, args: Any, args_t: Any, **named: Any) -> Any:
    return _variance_change(args_t[0], *args, **named)


def _variance_change(x_t: Any, x: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False) -> Any:
    """The tangent, stated: what moves has no slope where nothing is left, also where its deviation is zero, which masks."""
    left = freedom(x, axis, ddof)
    products = real_part(undefined_unless(left, x_t, ddof) * conjugate(deviations(x, axis, left, ddof)))
    return undefined_unless(left, np.sum(products, axis=axis, keepdims=keepdims) * shared(2.0, left, ddof), ddof)


def to_largest(ct: Any, y: Any, x: Any, axis: Any, keepdims: Any) -> Any:
    """`ct` for those elements of `x` that are the extreme value `y`, zero for others: equal ones share equally.

    None is where there is NaN among them.
    """
    if np.ndim(x) == 0:
        return ct
    chosen = x == restore(y, axis, keepdims)
    if axis is None:  # counts as floats: kernels hold quotients of those
        return runtime.ratio(ct, np.count_nonzero(chosen) * 1.0) * chosen
    return runtime.ratio(restore(ct, axis, keepdims), np.sum(chosen, axis=axis, keepdims=True) * 1.0) * chosen


def _max(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    y = np.max(x, axis=axis, keepdims=keepdims)

    def pullback(ct: Any) -> Any:
        return to_largest(ct, y, x, axis, keepdims)

    return y, pullback


def _min(x: Any, axis: Any = None, keepdims: Any = False) -> Any:
    y = np.min(x, axis=axis, keepdims=keepdims)

    def pullback(ct: Any) -> Any:
        return to_largest(ct, y, x, axis, keepdims)

    return y, pullback


def _others(flat: Any) -> Any:
    """For each row of `flat` the product of all other rows, right also where rows hold zeros."""
    one = np.ones_like(flat[:1])
    before = np.concatenate((one, np.cumprod(flat[:-1], axis=0)))
    after = np.concatenate((one, np.cumprod(np.flip(flat, 0)[:-1], axis=0)))
    return before * np.flip(after, 0)


def _prod(x: Any, axis: Any = None, dtype: Any = None, keepdims: Any = False) -> Any:
    y = np.prod(x, axis=axis, dtype=dtype, keepdims=keepdims)

    def pullback(ct: Any) -> Any:
        if axis is None or np.ndim(x) == 0:
            return runtime.masked_product(ct, np.reshape(_others(np.ravel(x)), np.shape(x)))
        if isinstance(axis, tuple):
            if len(axis) == 0:
                return ct
            first = tuple(range(len(axis)))
            rows = np.moveaxis(x, axis, first)
            flat = np.reshape(rows, (count(x, axis), *np.shape(rows)[len(axis) :]))
            others = np.reshape(_others(flat), np.shape(rows))
            return runtime.masked_product(restore(ct, axis, keepdims), np.moveaxis(others, first, axis))
        others = np.swapaxes(_others(np.swapaxes(x, 0, axis)), 0, axis)
        return runtime.masked_product(restore(ct, axis, keepdims), others)

    return y, pullback


def _cumsum_transpose(ct: Any, x: Any, axis: Any = None, dtype: Any = None) -> Any:
    if axis is None or np.ndim(x) == 0:
        return np.reshape(np.flip(np.cumsum(np.flip(ct))), np.shape(x))
    return np.flip(np.cumsum(np.flip(ct, axis), axis=axis), axis)


def _cumprod(x: Any, axis: Any = None, dtype: Any = None) -> Any:
    y = np.cumprod(x, axis=axis, dtype=dtype)

    def pullback(ct: Any) -> Any:
        if axis is None or np.ndim(x) == 0:
            return np.reshape(_cumprod_rows(ct, np.ravel(x), y), np.shape(x))
        return np.swapaxes(_cumprod_rows(np.swapaxes(ct, 0, axis), np.swapaxes(x, 0, axis), np.swapaxes(y, 0, axis)), 0, axis)

    return y, pullback


def _cumprod_rows(ct: Any, x: Any, y: Any) -> Any:
    """The cotangent of ``y = cumprod(x, axis=0)``; divides by nothing, so zeros in `x` are right."""
    x_ct = np.zeros_like(x)
    n = x.shape[0]
    carried = np.zeros_like(x)
    for i in range(n - 1, 0, -1):
        carried[i] += ct[i]
        x_ct[i] = carried[i] * y[i - 1]
        carried[i - 1] += carried[i] * x[i]
    if n > 0:
        x_ct[0] = carried[0] + ct[0]
    return x_ct


def _sort(x: Any, axis: Any = -1, kind: Any = None, *, stable: Any = None) -> Any:
    flat = np.ravel(x) if axis is None else x
    along = 0 if axis is None else axis
    order = np.argsort(flat, axis=along, kind=kind, stable=stable)

    def pullback(ct: Any) -> Any:
        return np.reshape(np.take_along_axis(ct, np.argsort(order, axis=along), along), np.shape(x))

    return np.sort(x, axis=axis, kind=kind, stable=stable), pullback


def _take_along_transpose(ct: Any, x: Any, indices: Any, axis: Any = -1) -> Any:
    if axis is None:
        return np.reshape(runtime.add_along_axis(ct, np.ravel(x), indices, 0), np.shape(x))
    return runtime.add_along_axis(ct, x, indices, axis)


_V = np.array([0.5, -1.5, 2.0])
_M = np.array([[1.0, 2.0, -0.5], [0.25, -1.0, 3.0]])
_T = np.arange(12.0).reshape(2, 3, 2) / 7 - 0.5
_Z = np.array([0.5, 0.0, 2.0, 0.0])

_CONSTANT = (
    np.argsort,
    np.ndarray.argsort,
    np.searchsorted,
    np.ndarray.searchsorted,
    np.digitize,
    np.argpartition,
    np.ndarray.argpartition,
    np.lexsort,
    np.nanargmax,
    np.nanargmin,
    runtime.partition_places,
    np.triu_indices_from,
    np.tril_indices_from,
    np.diag_indices_from,
    np.ix_,
    np.unravel_index,
    np.ravel_multi_index,
)

_SAMPLES = ((_V,), (_M,), (_M, 0), (_M, -1), (_T, (0, 2)))
_KEPT = ((_M, 0, None, None, True), (_M, None, None, None, True))

_MEANS: tuple[Any, ...] = (np.mean, np.ndarray.mean)


def _extreme(fn: Callable[..., Any], body: Callable[..., Any], *samples: tuple[Any, ...], **facets: Any) -> Primitive:
    return general(fn, body, *samples, chooses=Chooses.SOME, keeps_sign=True, **facets)


RECORDS: tuple[Primitive, ...] = (
    primitive(np.unique, None, unsized=True),
    constant(runtime.add_up, faithful=True, in_lanes=True, kernel=Kernel.FORM),
    *(constant(fn, kernel=Kernel.FORM) for fn in (runtime.larger, runtime.smaller)),
    constant(runtime.first_largest, reduces=Reduces.FIRST_LARGEST),
    constant(runtime.first_smallest, reduces=Reduces.FIRST_SMALLEST),
    constant(runtime.places_in_order),
    primitive(runtime.some, None, effect=OPAQUE, kernel=Kernel.FORM, form=kernel_scalars.check_some),
    linear(np.sum, _sum_transpose, *_SAMPLES, *_KEPT, reduces=Reduces.SUM, faithful=True, keeps_sign=True, takes_out=True),
    linear(
        np.ndarray.sum, _sum_transpose, *_SAMPLES, *_KEPT, reduces=Reduces.SUM, faithful=True, keeps_sign=True, takes_out=True
    ),
    *(
        linear(
            fn,
            _mean_transpose,
            *_SAMPLES,
            *_KEPT,
            of_a_part=(_mean_tangent, _mean_transpose_of_a_part),
            reduces=Reduces.MEAN,
            faithful=True,
            keeps_sign=True,
            takes_out=True,
        )
        for fn in _MEANS
    ),
    linear(
        runtime.exact_sum,
        _exact_sum_transpose,
        (_V,),
        result=_python_float,
        reduces=Reduces.EXACT_SUM,
        faithful=True,
        of_complex=False,
    ),
    linear(runtime.exact_shares, _exact_shares_transpose, (0.5, _V), shapes=(1,), of_complex=False),
    general(np.prod, _prod, *_SAMPLES, (_Z,), reduces=Reduces.PRODUCT, takes_out=True, of_complex=True),
    general(np.ndarray.prod, _prod, *_SAMPLES, (_Z,), reduces=Reduces.PRODUCT, takes_out=True, of_complex=True),
    _extreme(np.max, _max, *_SAMPLES, (_M, 0, None, True), reduces=Reduces.LARGEST, takes_out=True),
    _extreme(np.min, _min, *_SAMPLES, (_M, 0, None, True), reduces=Reduces.SMALLEST, takes_out=True),
    _extreme(np.ndarray.max, _max, *_SAMPLES, reduces=Reduces.LARGEST, takes_out=True),
    _extreme(np.ndarray.min, _min, *_SAMPLES, reduces=Reduces.SMALLEST, takes_out=True),
    _extreme(np.amax, _max, *_SAMPLES, reduces=Reduces.LARGEST),
    _extreme(np.amin, _min, *_SAMPLES, reduces=Reduces.SMALLEST),
    general(
        np.var,
        _var,
        *_SAMPLES,
        (_M, 0, None, None, 1),
        (_M, 0, None, None, 1, True),
        tangent=_var_tangent,
        reduces=Reduces.VARIANCE,
        of_complex=True,
    ),
    general(
        np.ndarray.var,
        _var,
        *_SAMPLES,
        (_M, 0, None, None, 1, True),
        tangent=_var_tangent,
        reduces=Reduces.VARIANCE,
        of_complex=True,
    ),
    general(np.nansum, _nansum, *_SAMPLES, reduces=Reduces.PRESENT_SUM, chooses=Chooses.SOME, linear_in=(0,)),
    general(np.nanmean, _nanmean, *_SAMPLES, reduces=Reduces.PRESENT_MEAN, chooses=Chooses.SOME, linear_in=(0,)),
    linear(
        np.cumsum, _cumsum_transpose, (_V,), (_M,), (_M, 0), (_M, 1), reduces=Reduces.RUNNING_SUM, faithful=True, takes_out=True
    ),
    linear(
        np.ndarray.cumsum, _cumsum_transpose, (_V,), (_M, 0), (_M, 1), reduces=Reduces.RUNNING_SUM, faithful=True, takes_out=True
    ),
    general(
        np.cumprod,
        _cumprod,
        (_V,),
        (_Z,),
        (_M,),
        (_M, 0),
        (_M, 1),
        reduces=Reduces.RUNNING_PRODUCT,
        takes_out=True,
        of_complex=True,
    ),
    general(np.ndarray.cumprod, _cumprod, (_V,), (_Z,), (_M, 1), reduces=Reduces.RUNNING_PRODUCT, of_complex=True),
    general(np.sort, _sort, (_V,), (_M,), (_M, 0), (_M, None), chooses=Chooses.SOME),
    linear(
        np.take_along_axis,
        _take_along_transpose,
        (_M, np.argsort(_M, axis=1), 1),
        (_M, np.argsort(_M, axis=0), 0),
        moves=Moves.PICK,
        chooses=Chooses.SOME,
    ),
    linear(
        runtime.add_along_axis,
        lambda ct, values, x, indices, axis: np.take_along_axis(ct, indices, axis),
        (_M, np.ones((2, 4)), np.argsort(_M, axis=1), 1),
        shapes=(1,),
        result=shaped_like_second,
    ),
    constant(np.any, reduces=Reduces.ANY, takes_out=True),
    constant(np.ndarray.any, reduces=Reduces.ANY),
    constant(np.all, reduces=Reduces.ALL, takes_out=True),
    constant(np.ndarray.all, reduces=Reduces.ALL),
    constant(np.count_nonzero, reduces=Reduces.COUNT),
    *(constant(fn, reduces=Reduces.PLACE_OF_LARGEST) for fn in (np.argmax, np.ndarray.argmax)),
    *(constant(fn, reduces=Reduces.PLACE_OF_SMALLEST) for fn in (np.argmin, np.ndarray.argmin)),
    *(constant(fn, unsized=True) for fn in (np.flatnonzero, np.argwhere)),
    *(constant(fn, tabulates=True) for fn in (np.triu_indices, np.tril_indices, np.diag_indices)),
    *(constant(fn) for fn in _CONSTANT),
)
