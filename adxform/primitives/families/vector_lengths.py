"""Lengths and angles: roots of sums of squares, whose slope is the direction in which they grow, and the directions themselves.

At the origin there is no direction. There the slope is zero, and its change is zero for what does not move and no number for what
does, whatever it is multiplied by. To know the one from the other, a derivative of the slope must not be given a product in which
what moves has already been multiplied by a weight: so the slope times a cotangent, and times a tangent, are two primitives, of
which the one tells what moves from its cotangent and the other from its tangent. They say how these products move, no more: their
values are computed as each rule says, with one division for each length.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adxform import runtime
from adxform.ir import intrinsics
from adxform.primitives.complex_numbers import conjugate
from adxform.primitives.declare import general
from adxform.primitives.facets import Algebra, Gives, Kernel, Reduces
from adxform.primitives.families.numpy_reductions import deviations, freedom, restore, shared, to_largest, undefined_unless
from adxform.primitives.record import Primitive
from adxform.runtime import kernel_scalars


def _side(ct: Any, a: Any, y: Any) -> Any:
    """The cotangent of the side `a` of a triangle, of that of its hypotenuse `y`."""
    return runtime.unbroadcast(intrinsics.valued(ct * runtime.ratio(a, y), runtime.side_cotangent(ct, a, y)), a)


def _hypot(a: Any, b: Any) -> Any:
    y = np.hypot(a, b)

    def pullback(ct: Any) -> Any:
        return _side(ct, a, y), _side(ct, b, y)

    return y, pullback


def _math_hypot(*sides: Any) -> Any:
    y = math.hypot(*sides)

    def pullback(ct: Any) -> Any:
        return tuple([_side(ct, side, y) for side in sides])

    return y, pullback


def _arctan2(a: Any, b: Any) -> Any:
    y = np.arctan2(a, b)

    def pullback(ct: Any) -> Any:
        return _turned(ct, a, b, np.hypot(a * 1.0, b * 1.0))  # integers may be small ones

    return y, pullback


def _math_atan2(a: Any, b: Any) -> Any:
    y = math.atan2(a, b)

    def pullback(ct: Any) -> Any:
        return _turned(ct, a, b, math.hypot(a, b))

    return y, pullback


def _turned(ct: Any, a: Any, b: Any, length: Any) -> Any:
    """The cotangents of the sides `a` and `b`, with a hypotenuse of this `length`, of that of the angle between them.

    The square of the length is not computed, which may be beyond all numbers, or zero, where no derivative is.
    """
    a_ct = ct * runtime.ratio(runtime.ratio(b, length), length)
    b_ct = ct * -runtime.ratio(runtime.ratio(a, length), length)
    weight = ct * runtime.ratio(1.0, length)
    a_turn, b_turn = runtime.side_cotangent(weight, b, length), -runtime.side_cotangent(weight, a, length)
    return runtime.unbroadcast(intrinsics.valued(a_ct, a_turn), a), runtime.unbroadcast(intrinsics.valued(b_ct, b_turn), b)


def _side_cotangent(ct: Any, a: Any, y: Any) -> Any:
    along = runtime.ratio(a, y)

    def pullback(a_t: Any) -> Any:
        ct_t = intrinsics.valued(a_t * along, runtime.side_tangent(a_t, a, y))
        y_t = runtime.ratio(1.0, y) * along * ct * a_t
        return runtime.unbroadcast(ct_t, ct), runtime.unbroadcast(_turn(ct, a_t, y), a), runtime.unbroadcast(-y_t, y)

    return ct * along, pullback


def _side_tangent(a_t: Any, a: Any, y: Any) -> Any:
    along = runtime.ratio(a, y)

    def pullback(ct: Any) -> Any:
        a_ct = intrinsics.valued(ct * along, runtime.side_cotangent(ct, a, y))
        y_ct = runtime.ratio(1.0, y) * along * a_t * ct
        return runtime.unbroadcast(a_ct, a_t), runtime.unbroadcast(_turn(ct, a_t, y), a), runtime.unbroadcast(-y_ct, y)

    return a_t * along, pullback


def _ratio(a: Any, b: Any) -> Any:
    y = runtime.ratio(a, b)

    def pullback(ct: Any) -> Any:
        return runtime.unbroadcast(runtime.rate(ct, b), a), runtime.unbroadcast(-runtime.rate(y, b) * ct, b)

    return y, pullback


def _rate(change: Any, length: Any) -> Any:
    y = runtime.rate(change, length)

    def pullback(ct: Any) -> Any:
        return runtime.unbroadcast(runtime.rate(ct, length), change), runtime.unbroadcast(-runtime.rate(y, length) * ct, length)

    return y, pullback


def _turn(weight: Any, change: Any, length: Any) -> Any:
    """What the slope of a length changes by where its side changes, times `weight`.

    No number times no rate is none here: the product with a rate is no product that derivatives mask.
    """
    turned = runtime.masked_product(change, weight * runtime.rate(1.0, length))
    return intrinsics.valued(turned, runtime.turn(weight, change, length))


def _turn_rule(weight: Any, change: Any, length: Any) -> Any:
    y = weight * runtime.rate(change, length)

    def pullback(ct: Any) -> Any:
        weight_ct = runtime.unbroadcast(runtime.rate(ct * change, length), weight)
        change_ct = runtime.unbroadcast(_turn(weight, ct, length), change)
        return weight_ct, change_ct, runtime.unbroadcast(-runtime.rate(y, length) * ct, length)

    return y, pullback


def _length_cotangent(ct: Any, x: Any, y: Any, axis: Any, keepdims: Any) -> Any:
    lengths, weights = restore(y, axis, keepdims), restore(ct, axis, keepdims)

    def pullback(x_t: Any) -> Any:
        along = np.sum(x * x_t, axis=axis, keepdims=keepdims)
        ct_t = intrinsics.valued(runtime.ratio(along, y), runtime.length_tangent(x_t, x, y, axis, keepdims))
        return ct_t, _turn(weights, x_t, lengths), -runtime.ratio(runtime.ratio(along, y), y) * ct

    return runtime.ratio(weights, lengths) * x, pullback


def _length_tangent(x_t: Any, x: Any, y: Any, axis: Any, keepdims: Any) -> Any:
    lengths = restore(y, axis, keepdims)
    y_t = runtime.ratio(np.sum(x * x_t, axis=axis, keepdims=keepdims), y)

    def pullback(ct: Any) -> Any:
        x_ct = restore(runtime.ratio(ct, y), axis, keepdims) * x
        moved = intrinsics.valued(x_ct, runtime.length_cotangent(ct, x, y, axis, keepdims))
        return moved, _turn(restore(ct, axis, keepdims), x_t, lengths), -runtime.ratio(y_t, y) * ct

    return y_t, pullback


def length_pullback(ct: Any, x: Any, y: Any, axis: Any, keepdims: Any) -> Any:
    """The cotangent of `x`, of that of its length `y` along `axis`."""
    if np.iscomplexobj(x):  # a length of all real and imaginary parts
        x_ct = restore(runtime.ratio(ct, y), axis, keepdims) * np.conjugate(x)
        across = runtime.length_cotangent(ct, np.imag(x), y, axis, keepdims)
        return intrinsics.valued(x_ct, runtime.length_cotangent(ct, np.real(x), y, axis, keepdims) - 1j * across)
    x_ct = restore(runtime.ratio(ct, y), axis, keepdims) * x
    return intrinsics.valued(x_ct, runtime.length_cotangent(ct, x, y, axis, keepdims))


def _norm(x: Any, ord: Any = None, axis: Any = None, keepdims: Any = False) -> Any:
    y = np.linalg.norm(x, ord=ord, axis=axis, keepdims=keepdims)

    def pullback(ct: Any) -> Any:
        if ord is None or ord == "fro" or ord == "f":
            return length_pullback(ct, x, y, axis, keepdims)
        if np.ndim(x) > 1 and (axis is None or (isinstance(axis, tuple) and len(axis) == 2)):
            rows = (0, 1) if axis is None else tuple([one % np.ndim(x) for one in axis])
            return _matrix_norm_cotangent(restore(ct, rows, keepdims), x, restore(y, rows, keepdims), ord, rows)
        return _norm_cotangent(ct, x, y, ord, axis, keepdims)

    return y, pullback


def _matrix_norm_cotangent(ct: Any, x: Any, y: Any, ord: Any, axes: Any) -> Any:
    """The cotangent of matrices `x`, which are in `axes`, of that of their norms `y`, which have kept them.

    Source: Watson, Characterization of the subdifferential of some matrix norms (1992); of several largest singular values the
    first, and of what is beyond the rank nothing, is what moves.
    """
    if ord == "nuc" or abs(ord) == 2:
        if axes != (np.ndim(x) - 2, np.ndim(x) - 1):
            matrices, weights = np.moveaxis(x, axes, (-2, -1)), np.moveaxis(ct, axes, (-2, -1))
            last = (np.ndim(x) - 2, np.ndim(x) - 1)
            return np.moveaxis(_matrix_norm_cotangent(weights, matrices, y, ord, last), (-2, -1), axes)
        u, s, v = np.linalg.svd(x, full_matrices=False)
        if ord == "nuc":
            moving = ~(s <= 0)  # what is missing stays missing
        else:
            moving = np.arange(s.shape[-1]) == (0 if ord == 2 else s.shape[-1] - 1)
        return runtime.singular_values_cotangent(x, u, s, v, runtime.masked_product(ct[..., 0], moving), False)
    sizes = np.abs(x)
    sums = np.sum(sizes, axis=axes[0] if abs(ord) == 1 else axes[1], keepdims=True)
    return _directions(x) * to_largest(ct, y, sums, axes, True)


def _directions(x: Any) -> Any:
    """The cotangent of each of `x` of that of its size: its sign, where it is real."""
    return runtime.ratio(np.conjugate(x), np.abs(x)) if np.iscomplexobj(x) else np.sign(x)


def _norm_cotangent(ct: Any, x: Any, y: Any, ord: Any, axis: Any, keepdims: Any) -> Any:
    """The cotangent of vectors `x`, of that of their norm `y`."""
    if ord == 2:
        return length_pullback(ct, x, y, axis, keepdims)
    if ord == 0:
        return np.zeros_like(x)
    if ord == 1:
        return restore(ct, axis, keepdims) * _directions(x)
    if abs(ord) == np.inf:
        return _directions(x) * to_largest(ct, y, np.abs(x), axis, keepdims)
    lengths = restore(y, axis, keepdims)
    if np.iscomplexobj(x) and ord >= 2:
        weights = restore(ct, axis, keepdims) * np.where(lengths == 0, 1.0, runtime.ratio(np.abs(x), lengths)) ** (ord - 2)
        across = runtime.side_cotangent(weights, np.imag(x), lengths)
        x_ct = weights * runtime.ratio(np.conjugate(x), lengths)
        return intrinsics.valued(x_ct, runtime.side_cotangent(weights, np.real(x), lengths) - 1j * across)
    if np.iscomplexobj(x):
        return _norm_cotangent(ct, np.abs(x), y, ord, axis, keepdims) * _directions(x)
    if ord > 1:
        # Of a length that is zero no share moves: only `side_cotangent` says what has no rate of change there.
        share = np.where(lengths == 0, 1.0, np.abs(runtime.ratio(x, np.where(lengths == 0, 1.0, lengths))))
        x_ct = restore(ct, axis, keepdims) * np.sign(runtime.ratio(x, lengths)) * share ** (ord - 1)
        if ord < 2:
            weights = np.where(lengths == 0, restore(ct, axis, keepdims), 0.0)  # elsewhere `x_ct` says all
            return intrinsics.valued(x_ct, x_ct + runtime.side_cotangent(weights, x, lengths))
        weights = restore(ct, axis, keepdims) * share ** (ord - 2)
        return intrinsics.valued(x_ct, runtime.side_cotangent(weights, x, lengths))
    share = np.abs(runtime.ratio(x, lengths))
    slope = np.where(share == 0, 0.0, np.where(share == 0, 1.0, share) ** (ord - 1))
    return restore(ct, axis, keepdims) * np.sign(x) * slope


def _std(x: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False) -> Any:
    y = np.std(x, axis=axis, dtype=dtype, ddof=ddof, keepdims=keepdims)

    def pullback(ct: Any) -> Any:
        left = freedom(x, axis, ddof)
        share, centred, weight = shared(1.0, left, ddof), deviations(x, axis, left, ddof), undefined_unless(left, ct, ddof)
        length = np.fmax(y, 0.0)  # zero where it is no number, for nothing is left: the slope is that of `weight`
        x_ct = restore(runtime.ratio(weight, length) * share, axis, keepdims) * conjugate(centred)
        if np.iscomplexobj(x):
            return undefined_unless(left, x_ct, ddof)
        movement = runtime.length_cotangent(weight * share, centred, length, axis, keepdims)
        movement = movement - np.mean(movement, axis=axis, keepdims=True)  # all moved alike is not moved
        return undefined_unless(left, intrinsics.valued(x_ct, movement), ddof)

    return y, pullback


def _std_tangent(y: Any, args: Any, args_t: Any, **named: Any) -> Any:
    return _spread_change(args_t[0], y, *args, **named)


def _spread_change(x_t: Any, y: Any, x: Any, axis: Any = None, dtype: Any = None, ddof: Any = 0, keepdims: Any = False) -> Any:
    """The tangent, stated as that of a variance is."""
    left = freedom(x, axis, ddof)
    centred, length = deviations(x, axis, left, ddof), np.fmax(y, 0.0)
    moved = undefined_unless(left, x_t, ddof)
    moved = moved - np.mean(moved, axis=axis, keepdims=True)
    if np.iscomplexobj(x):
        along = np.sum(np.real(np.conjugate(centred) * moved), axis=axis, keepdims=keepdims)
        return undefined_unless(left, runtime.ratio(along, length) * shared(1.0, left, ddof), ddof)
    along = runtime.ratio(np.sum(centred * moved, axis=axis, keepdims=keepdims), length)
    along = intrinsics.valued(along, runtime.length_tangent(moved, centred, length, axis, keepdims))
    return undefined_unless(left, along * shared(1.0, left, ddof), ddof)


_REAL = np.array([0.5, -1.5, 2.0])
_COLUMN = np.array([[1.25], [-0.7]])
_M = np.array([[1.0, 2.0, -0.5], [0.25, -1.0, 3.0]])
_T = np.arange(12.0).reshape(2, 3, 2) / 7 - 0.5
_SPREADS = ((_REAL,), (_M,), (_M, 0), (_M, -1), (_T, (0, 2)))
_ROWS = np.array([1.5, 2.5])

RECORDS: tuple[Primitive, ...] = (
    general(np.hypot, _hypot, (_REAL, _COLUMN), elementwise=True, gives=Gives.FLOAT, kernel=Kernel.FLOATS, length=True),
    general(
        math.hypot,
        _math_hypot,
        (3.0, 4.0),
        (-1.0,),
        (1.0, 2.0, 3.0),
        elementwise=True,
        kernel=Kernel.FLOATS,
        arity=2,
        folds=True,
        length=True,
    ),
    general(np.arctan2, _arctan2, (_REAL, _COLUMN), elementwise=True, gives=Gives.FLOAT, kernel=Kernel.FLOATS, length=True),
    general(math.atan2, _math_atan2, (0.7, -1.2), elementwise=True, kernel=Kernel.FLOATS, folds=True, total=True, length=True),
    general(runtime.side_cotangent, _side_cotangent, (0.5, 3.0, 5.0), (_REAL, _REAL, 3.0), elementwise=True),
    general(runtime.side_tangent, _side_tangent, (0.5, 3.0, 5.0), (_REAL, _REAL, 3.0), elementwise=True),
    general(
        runtime.ratio,
        _ratio,
        (_REAL, _COLUMN),
        elementwise=True,
        algebra=Algebra.QUOTIENT,
        gives=Gives.FLOAT,
        kernel=Kernel.FORM,
        form=kernel_scalars.ratio,
        complex_form=kernel_scalars.ratio,
        takes_out=True,
        of_complex=True,
    ),
    general(runtime.turn, _turn_rule, (_REAL, _REAL, _COLUMN), elementwise=True),
    general(
        runtime.rate,
        _rate,
        (_REAL, _COLUMN),
        elementwise=True,
        algebra=Algebra.QUOTIENT,
        gives=Gives.FLOAT,
        kernel=Kernel.FORM,
        form=kernel_scalars.rate,
        takes_out=True,
        of_complex=True,
    ),
    general(runtime.length_cotangent, _length_cotangent, (0.5, _REAL, 3.0, None, False), (_ROWS, _M, _ROWS, 1, False)),
    general(runtime.length_tangent, _length_tangent, (_REAL, _REAL, 3.0, None, False), (_M, _M, _ROWS, 1, False)),
    general(
        np.linalg.norm,
        _norm,
        (_REAL,),
        (_M,),
        (_REAL, 1),
        (_REAL, 2),
        (_REAL, 0),
        (_REAL, 3),
        (_REAL, 0.5),
        (_REAL, np.inf),
        (_M, "fro"),
        (_M, None, 1),
        (_M, None, 0, True),
        (_M, 1, 1),
        length=True,
        reduces=Reduces.LENGTH,
        of_complex=True,
    ),
    general(
        np.std,
        _std,
        *_SPREADS,
        (_M, 0, None, None, 1),
        (_M, 0, None, None, 1, True),
        tangent=_std_tangent,
        length=True,
        reduces=Reduces.SPREAD,
        of_complex=True,
    ),
    general(
        np.ndarray.std,
        _std,
        *_SPREADS,
        (_M, 0, None, None, 1, True),
        tangent=_std_tangent,
        length=True,
        reduces=Reduces.SPREAD,
        of_complex=True,
    ),
)
