"""Calls that make no new numbers: views, followed to the memory they are of, and one number spread over a shape."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from adxform.ir import intrinsics
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Call, Lit, Operand, Var
from adxform.ir.types import Array, Scalar, Size
from adxform.passes.arrays.block_scope import BlockScope
from adxform.passes.arrays.lane_dtypes import FLOATS, literals
from adxform.passes.arrays.maps import FIRST, AffineIndex, Counted, Elements, NestAccess, composed, loop_space, onto, region
from adxform.primitives.effects import effect_of
from adxform.primitives.facets import Moves, Views
from adxform.primitives.memory import index_kind
from adxform.primitives.record import PURE
from adxform.primitives.table import having, record_of

BROADCASTS = having(lambda record: record.moves is Moves.SPREAD)
RESHAPING = having(lambda record: record.moves in (Moves.RESHAPE, Moves.LENGTHEN) and record.effect is not PURE)
TURNING = having(lambda record: record.moves is Moves.TURN) | {np.flip}


def followed(op: Call, shape: tuple[Size, ...], scope: BlockScope) -> NestAccess | Counted | Operand | None:
    """Where the elements of the out of `op`, of `shape`, lie, if it is a view; the number, if they are all the same."""
    fn, args, out = callee(op), op.args, op.outs[0]
    if _spreads(fn):
        return _spread(op, shape, scope)
    if fn is np.arange:
        return _counted(op) if scope.fixed(out) else None
    if not args or not isinstance(args[0], Var) or not isinstance(args[0].type, Array) or args[0].type.shape is None:
        return None
    source = scope.source(args[0])
    if isinstance(source, NestAccess | Counted):
        ordered = record_of(fn).view is Views.ALWAYS or scope.fixed(out)
        return _viewed(op, source, args[0].type.shape, shape) if fn not in RESHAPING or ordered else None
    return source if fn in TURNING or fn in RESHAPING or (fn is operator.getitem and effect_of(op).views) else None


def _viewed(
    op: Call, source: NestAccess | Counted, own: tuple[Size, ...], shape: tuple[Size, ...]
) -> NestAccess | Counted | None:
    """Where the elements of the out of `op`, of `shape`, lie if those of its first argument, of the shape `own`, are `source`."""
    fn, args = callee(op), op.args
    if fn is operator.getitem:
        if index_kind(args[1]) != "basic" or op.kwargs:
            return None
        found = region(source, own, args[1], shape)
        return None if found is None or found.shape != shape else composed(source, found.axes)
    if fn is intrinsics.stop_gradient:
        return source
    if fn in RESHAPING:
        return _reshaped(source, own, shape)
    if record_of(fn).moves is Moves.DIAGONAL and len(own) == 2:
        square = own[0] == own[1] and len(args) == 1 and not op.kwargs
        return composed(source, [AffineIndex(0), AffineIndex(0)]) if square else None
    return composed(source, axes) if fn in TURNING and (axes := _turned(op, own)) is not None else None


def _spreads(fn: object) -> bool:
    """Whether what `fn` returns is one value, spread over a shape, or may be."""
    fresh = record_of(fn).fresh
    return fn in BROADCASTS or (fresh is not None and (fresh.given or (fresh.like and fresh.number is not None)))


def _spread(op: Call, shape: tuple[Size, ...], scope: BlockScope) -> NestAccess | Counted | Operand | None:
    """What a call that spreads a value over a shape takes it from."""
    fn, args, out = callee(op), op.args, op.outs[0]
    if fn in BROADCASTS:
        match args[0]:
            case Lit(float() | int()) | Var(type=Scalar()):
                return args[0]
            case Var(type=Array(_, own)) if own is not None:
                source = scope.source(args[0])
                return onto(source, own, shape) if isinstance(source, NestAccess | Counted) else source
            case _:
                return None
    if not scope.fixed(out) or op.kwargs or not isinstance(out.type, Array) or out.type.dtype not in FLOATS:
        return None
    match Lit(0.0) if fn is np.zeros_like else Lit(1.0) if fn is np.ones_like else args[1]:
        case Lit(float() | int()) as number:
            return number
        case Var(type=Scalar(out.type.dtype)) as variable:
            return variable
        case _:
            return None


def _counted(op: Call) -> Counted | None:
    """The elements of a range of integers that counts upwards from a number that is known, from zero on."""
    given = op.args if len(op.args) > 1 else (Lit(0), *op.args)
    match op.outs[0].type, given:
        case Array("int64"), (Lit(int() as start), Lit(int()) | Var(type=Scalar("int64"))) if start >= 0 and not op.kwargs:
            return Counted((AffineIndex(0, 1, start),))
        case _:
            return None


def _reshaped(source: Elements, own: tuple[Size, ...], shape: tuple[Size, ...]) -> Elements | None:
    """`source` by the axes of `shape`, where that differs from `own` by axes of length one only."""
    if loop_space(own) != loop_space(shape):
        return None
    where = (axis for axis, size in enumerate(shape) if size != 1)
    return composed(source, [FIRST if size == 1 else AffineIndex(next(where)) for size in own])


def _turned(op: Call, own: tuple[Size, ...]) -> list[AffineIndex] | None:
    """For each axis of the operand its place in the result of a transposition or a flip."""
    fn, rank = callee(op), len(own)
    try:
        rest = [literals(arg) for arg in op.args[1:]]
    except ValueError:
        return None
    if op.kwargs:
        return None
    if fn is np.flip:
        chosen = range(rank) if not rest or rest[0] is None else [axis % rank for axis in np.atleast_1d(rest[0]).tolist()]
        return [_backwards(axis, own[axis]) if axis in chosen else AffineIndex(axis) for axis in range(rank)]
    order = list(_order(fn, rest, rank))
    return [AffineIndex(order.index(axis)) for axis in range(rank)]


def _order(fn: Any, rest: list[Any], rank: int) -> Iterator[int]:
    """The axes of the operand in the order of the result."""
    probe = np.empty(tuple(range(2, 2 + rank)), dtype=bool)
    return (length - 2 for length in fn(probe, *rest).shape)


def _backwards(axis: int, size: Size) -> AffineIndex:
    return AffineIndex(axis, -1, size - 1) if isinstance(size, int) else AffineIndex(axis, -1, -1, size)
