"""Shapes of results that follow from those of the operands: broadcast, products of matrices, reshaped arrays, slices."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from adxform.frontend.types.sampled_types import Types, each, sampled_type, sampled_types
from adxform.frontend.types.samples import FRESH
from adxform.ir.ops import Lit, Operand, Pack, Var
from adxform.ir.types import Array, Dim, Scalar, Size, Type


def broadcast(shapes: Sequence[tuple[Size, ...]]) -> tuple[Size, ...]:
    """The shape that `shapes` broadcast to, given that they do; `FRESH` where a length cannot be told.

    >>> [str(size) for size in broadcast([(Dim("x.0"), 1), (Dim("y.0"),)])]
    ['x.0', 'y.0']
    """
    rank = max(map(len, shapes), default=0)
    out: list[Size] = []
    for axis in range(-rank, 0):
        size: Size = 1
        for shape in shapes:
            if len(shape) >= -axis:
                size = _broadcast_sizes(size, shape[axis])
        out.append(size)
    return tuple(out)


def _broadcast_sizes(a: Size, b: Size) -> Size:
    if a == b or b == 1:
        return a
    if a == 1:
        return b
    if FRESH in (a, b):
        other = b if a == FRESH else a
        return other if isinstance(other, int) or not other.may_be_one else FRESH
    if isinstance(a, int):
        return a
    if isinstance(b, int):
        return b
    if not a.may_be_one:
        return a
    return b if not b.may_be_one else FRESH


def elementwise_type(
    fn: Callable[..., Any], args: tuple[Operand, ...], kwargs: Mapping[str, Operand], sizes: Mapping[Var, Dim]
) -> Types:
    """The type of an elementwise call: the dtype by sampling, the shape by broadcasting.

    Raises: `NoSample` when no sample can be run.
    """
    small = tuple(_with_small_shape(arg) for arg in args)
    result = sampled_types(fn, small, kwargs, sizes)
    shapes: list[tuple[Size, ...] | None] = []
    for arg in args:
        match arg:
            case Var(_, Array(_, shape)):
                shapes.append(shape)
            case Pack() | Lit(tuple() | list() | np.ndarray()):
                return sampled_types(fn, args, kwargs, sizes)
            case _:
                pass
    known = [shape for shape in shapes if shape is not None]
    shape = broadcast(known) if len(known) == len(shapes) else None
    return each(result, lambda one: Array(one.dtype, shape) if isinstance(one, Array) else one)


def _with_small_shape(arg: Operand) -> Operand:
    match arg:
        case Var(name, Array(dtype, shape)):
            return Var(name, Array(dtype, (1,) * (1 if shape is None else len(shape))))
        case _:
            return arg


def product_type(fn: Callable[..., Any], a: Operand, b: Operand) -> Type | None:
    """The type of the matrix product ``fn(a, b)`` of arrays of rank one or more, or ``None`` where sampling must tell."""
    match a, b:
        case Var(_, Array(_, left)), Var(_, Array(_, right)) if left and right:
            if (len(left) > 2 or len(right) > 2) and getattr(fn, "__name__", "") == "dot":
                return None
            result = sampled_type(fn, (_with_small_shape(a), _with_small_shape(b)), {}, {})
            if not isinstance(result, Array):
                return result
            batch = broadcast([left[:-2], right[:-2]])
            return Array(result.dtype, (*batch, *left[-2:-1], *(right[-1:] if len(right) > 1 else ())))
        case _:
            return None


def reshaped_type(args: tuple[Operand, ...], kwargs: Mapping[str, Operand], sizes: Mapping[Var, Dim]) -> Type | None:
    """The type of ``np.reshape(x, shape, order)`` or ``x.reshape(*shape)``."""
    x, *rest = args
    rest = [size for size in rest if not (isinstance(size, Lit) and isinstance(size.value, str))]
    given: Any = kwargs.get("shape", kwargs.get("newshape", rest[0] if len(rest) == 1 else Pack("tuple", tuple(rest))))
    if not isinstance(x, Var) or not isinstance(x.type, Array):
        return None
    match given:
        case Pack("tuple" | "list", parts):
            items = list(parts)
        case Lit(tuple() | list() as literal):
            items = [Lit(item) for item in literal]
        case _:
            items = [given]
    shape: list[Size] = []
    for item in items:
        match item:
            case Lit(int() as size):
                shape.append(FRESH if size < 0 else size)
            case Var(_, Scalar()):
                shape.append(sizes.get(item, FRESH))
            case _:
                return None
    open_ = [place for place, item in enumerate(items) if isinstance(item, Lit) and item.value == -1]
    left = None if len(open_) != 1 else _left_over(x.type.shape, shape[: open_[0]] + shape[open_[0] + 1 :])
    if left is not None:
        shape[open_[0]] = left
    return Array(x.type.dtype, tuple(shape))


def _left_over(whole: Sequence[Size] | None, others: Sequence[Size]) -> int | None:
    """The length of the one axis of a reshaped array that is not said, where all other lengths are known."""
    there, taken = _product(whole or (FRESH,)), _product(others)
    return there // taken if there is not None and taken and not there % taken else None


def _product(sizes: Sequence[Size]) -> int | None:
    known = [size for size in sizes if isinstance(size, int)]
    return math.prod(known) if len(known) == len(sizes) else None
