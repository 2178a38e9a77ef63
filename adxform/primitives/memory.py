"""Loads, stores, tapes and shapes: the primitives that the transforms know by themselves, with their effects."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from adxform import runtime
from adxform.ir import intrinsics
from adxform.ir.ops import Call, Lit, Operand, Pack, Var
from adxform.ir.types import BOOL, Array, Object, Scalar, Size, Type, rank
from adxform.ir.walk import variables
from adxform.primitives.declare import constant, general, linear, primitive, scalar
from adxform.primitives.facets import Algebra, Chooses, Gives, Kernel, Layout, Moves, Reduces, Views
from adxform.primitives.record import (
    MARKS,
    OPAQUE,
    PURE,
    RAISES,
    SHAPE_ONLY,
    VIEWS_FIRST,
    WRITES_FIRST,
    Effect,
    Memory,
    Primitive,
)
from adxform.runtime import kernel_scalars, revolve

IndexKind = Literal["basic", "fancy", "unknown"]
RESHAPES = (np.reshape, np.ndarray.reshape)
ADDING = frozenset({intrinsics.accumulate, intrinsics.deduct})
"""What changes elements of an array by adding to them: ``x[i] += v`` and ``x[i] -= v``."""
STORES = ADDING | {operator.setitem}
"""What writes to elements of an array."""
ACCESSES = STORES | {operator.getitem}
"""What has an index for its second operand."""


def index_kind(index: Operand) -> IndexKind:
    """Whether `index` selects by position and stride (a load is then a view), by arrays (a copy), or cannot be told.

    >>> index_kind(Pack("tuple", (Lit(0), Pack("slice", (Lit(1), Lit(None), Lit(None))))))
    'basic'
    >>> index_kind(Pack("list", (Lit(0), Lit(2))))
    'fancy'
    """
    match index:
        case Pack("tuple", items):
            kinds = [_item_kind(item) for item in items]
            return "fancy" if "fancy" in kinds else "unknown" if "unknown" in kinds else "basic"
        case Lit(tuple() as items):
            return "fancy" if any(_item_kind(Lit(item)) == "fancy" for item in items) else "basic"
        case _:
            return _item_kind(index)


def is_whole_mask(index: Operand, axes: int | None) -> bool:
    """Whether `index` is a mask that has a truth value for each element of an array of so many `axes`, or may have.

    >>> is_whole_mask(Var("m", Array("bool", (3,))), 1), is_whole_mask(Var("m", Array("bool", (3,))), 2)
    (True, False)
    """
    match index:
        case Pack("tuple", (only,)):
            return is_whole_mask(only, axes)
        case Pack("list", (Var(_, Scalar("bool")), *_)):
            return axes == 1
        case Var(_, Array("bool") as type_):
            return axes is None or rank(type_) in (axes, None)
        case Lit(tuple() | np.ndarray() as value):
            found = value[0] if isinstance(value, tuple) and len(value) == 1 else value
            return isinstance(found, np.ndarray) and found.dtype == bool and axes in (found.ndim, None)
        case _:
            return False


def reshapes_vector(call: Call) -> bool:
    """Whether `call` reshapes an array of one axis: that is a view of it, whatever its stride."""
    if not isinstance(call.fn, Lit) or call.fn.value not in RESHAPES or call.kwargs or not call.args:
        return False
    return isinstance(call.args[0], Var) and isinstance(call.args[0].type, Array) and rank(call.args[0].type) == 1


def _item_kind(item: Operand) -> IndexKind:
    match item:
        case Pack(kind="slice") | Lit(slice()):
            return "basic"
        case Pack() | Lit(bool() | np.bool() | list() | tuple() | np.ndarray()):
            return "fancy"
        case Lit():
            return "basic"
        case Var(_, Scalar(dtype)):
            return "fancy" if dtype == "bool" else "basic"
        case Var(_, Array()):
            return "fancy"
        case Var():
            return "unknown"


def _load_effect(call: Call) -> Effect:
    x = call.args[0]
    if not (isinstance(x, Var) and isinstance(x.type, Array)):
        return PURE if not (isinstance(x, Var) and isinstance(x.type, Object)) else VIEWS_FIRST
    if call.outs and isinstance(call.outs[0].type, Scalar):
        return PURE
    return PURE if index_kind(call.args[1]) == "fancy" else VIEWS_FIRST


IN_BUFFER = Effect(views=(0,), reads=False)


def _private(x: Any) -> Any:
    def pullback(ct: Any) -> Any:
        return ct

    return runtime.private(x), pullback


def _shaped_like(operands: tuple[Operand, ...], named: Mapping[str, Operand]) -> Type | None:
    """Shaped as the second operand, where no sample could tell: of unknown rank, or of lengths that go by several names."""
    match operands:
        case (Var(type=Scalar(dtype) | Array(dtype)) as value, Var(type=Array(_, shape)) as like) if None in (
            rank(value.type),
            rank(like.type),
        ):
            return Array(dtype, shape)
        case (Var(type=Array(dtype, tuple() as given)), Var(type=Array(_, tuple() as shape))) if len(given) == len(shape) and any(
            one != other and _is_several(one) and _is_several(other) for one, other in zip(given, shape, strict=True)
        ):
            return Array(dtype, shape)
        case _:
            return None


def _summed_like(operands: tuple[Operand, ...], named: Mapping[str, Operand]) -> Type | None:
    """As `_shaped_like` for what is summed to a shape: it stays one, or what may be one, along axes that are so already."""
    shaped = _shaped_like(operands, named)
    match shaped, operands[0]:
        case Array(dtype, tuple() as shape), Var(type=Array(_, tuple() as given)) if len(given) == len(shape):
            pairs = zip(given, shape, strict=True)
            return Array(dtype, tuple(mine if _is_several(other) and not _is_several(mine) else other for mine, other in pairs))
        case _:
            return shaped


def _is_several(size: Size) -> bool:
    return size != 1 if isinstance(size, int) else not size.may_be_one


def _picked(operands: tuple[Operand, ...], named: Mapping[str, Operand]) -> Type | None:
    """An array of unknown rank where nothing is known of the index."""
    x, index = operands
    known = not any(isinstance(var.type, Object) for var in variables(index))
    return None if known or not isinstance(x, Var) or not isinstance(x.type, Array) else Array(x.type.dtype, None)


LOADS_AND_STORES = (
    primitive(operator.getitem, Memory(), effect=_load_effect, recomputed=True, short=True),
    primitive(operator.setitem, Memory(), effect=WRITES_FIRST),
    primitive(intrinsics.accumulate, Memory(), effect=WRITES_FIRST),
    primitive(intrinsics.deduct, Memory(), effect=WRITES_FIRST),
    primitive(np.add.at, Memory(), effect=WRITES_FIRST),
)

_IN_ORDER = (runtime.left, runtime.check_errors, runtime.check_errors_at)
"""What a ``with`` means to the run: nothing is computed by it, and everything stays on its side."""
CONTEXTS = (
    *(constant(fn, effect=OPAQUE) for fn in _IN_ORDER),
    primitive(runtime.entered, None, effect=OPAQUE),  # what a manager gives may be what it was given
)

_QUESTIONS = (
    *(runtime.raised_by, runtime.raised_by_storing, runtime.raised_by_writing, runtime.raised_under),
    *(runtime.error_of, runtime.is_caught),
)
"""What is asked of exceptions that are values: each answer follows from what is asked."""
ATTEMPTS = tuple(constant(fn) for fn in _QUESTIONS)

TAPES = (
    primitive(intrinsics.new_stack, Memory()),
    primitive(intrinsics.push, Memory(), effect=WRITES_FIRST),
    primitive(intrinsics.pop, Memory(), effect=WRITES_FIRST),
    primitive(intrinsics.turning_point, Memory(), effect=MARKS),
)


def _shape_effect(call: Call) -> Effect:
    """Arrays keep their shape; another sized object can change its length."""
    return SHAPE_ONLY if isinstance(call.args[0], Var) and isinstance(call.args[0].type, Array | Scalar) else PURE


BELIEFS = (
    constant(runtime.seen),
    constant(runtime.Beliefs),
    *(constant(fn, effect=RAISES) for fn in (runtime.check_seen, runtime.check_entry, runtime.check_array, runtime.check_number)),
)
"""Checks that stand where they are, and change nothing: see `adxform.runtime.beliefs`."""

SHAPES = (
    *(constant(fn, effect=_shape_effect, measures=True, recomputed=True) for fn in (intrinsics.dim, len)),
    *(constant(fn, effect=_shape_effect, measures=True) for fn in (np.shape, np.ndim, np.size)),
    constant(runtime.trip_count, effect=_shape_effect, recomputed=True, kernel=Kernel.FORM, form=kernel_scalars.trip_count),
    constant(runtime.from_front, effect=_shape_effect, recomputed=True, kernel=Kernel.FORM, form=kernel_scalars.from_front),
)

RECORDS: tuple[Primitive, ...] = (
    *LOADS_AND_STORES,
    *TAPES,
    *CONTEXTS,
    *BELIEFS,
    *ATTEMPTS,
    *SHAPES,
    constant(intrinsics.stop_gradient, effect=VIEWS_FIRST),
    constant(intrinsics.own),
    scalar(intrinsics.valued, lambda y, value, movement: (None, 1.0), of_complex=True),
    scalar(runtime.python_number, lambda y, x: (1.0,), (1.5,), of_complex=True),
    linear(
        runtime.unbroadcast,
        lambda ct, value, like: runtime.broadcast_like(ct, value),
        (np.ones((3, 2)), np.ones((1, 2))),
        (np.ones((3, 2)), 1.0),
        effect=VIEWS_FIRST,
        result=_summed_like,
        shapes=(1,),
        reduces=Reduces.SUM_LIKE,
        layout=Layout.AS_FIRST,
        faithful=True,
        open_integers=True,
    ),
    linear(
        runtime.tangent,
        lambda ct, value, like, rule: ct,
        (np.ones(2), np.zeros(2), "a rule"),
        shapes=(1,),
        effect=VIEWS_FIRST,
        result=lambda operands, named: operands[1].type if isinstance(operands[1], Var) else None,
    ),
    linear(
        runtime.cotangent,
        lambda ct, value, like, rule, place, pushed=False: runtime.cotangent(ct, value, rule, place, not pushed),
        (np.ones(2), np.zeros(2), "a rule", 0),
        effect=VIEWS_FIRST,
        result=lambda operands, named: operands[1].type if isinstance(operands[1], Var) else None,
        shapes=(1,),
    ),
    linear(
        runtime.unshifted,
        lambda ct, value, at_zero, rule: ct,
        (np.ones(2), np.zeros(2), "a rule"),
        shapes=(1,),
        effect=VIEWS_FIRST,
        result=lambda operands, named: operands[0].type if isinstance(operands[0], Var) else None,
    ),
    linear(
        runtime.broadcast_like,
        lambda ct, value, like: runtime.unbroadcast(ct, value),
        (np.ones((1, 2)), np.ones((3, 2))),
        effect=VIEWS_FIRST,
        result=_shaped_like,
        shapes=(1,),
        moves=Moves.SPREAD,
        view=Views.ALWAYS,
        faithful=True,
        keeps_sign=True,
        open_integers=True,
    ),
    linear(
        runtime.gather_last,
        lambda ct, x, index: runtime.scatter_last(ct, x, index),
        (np.arange(3.0), np.array([0, 2, 0])),
        result=_picked,
        chooses=Chooses.SOME,
    ),
    linear(
        runtime.scatter_last,
        lambda ct, values, x, index: runtime.gather_last(ct, index),
        (np.arange(3.0), np.ones(4), np.array([0, 2, 0])),
        result=lambda operands, named: operands[1].type if isinstance(operands[1], Var) else None,
        shapes=(1,),
    ),
    constant(revolve.next_snapshot),
    constant(revolve.snapshots_within, effect=SHAPE_ONLY),
    constant(runtime.shares_memory, effect=SHAPE_ONLY),
    constant(runtime.by_rows, effect=SHAPE_ONLY, result=lambda operands, named: BOOL),
    constant(runtime.check_apart, effect=Effect(reads=False, raises=True)),
    constant(runtime.check_shape_set, effect=Effect(reads=False, raises=True)),
    constant(runtime.staged, effect=SHAPE_ONLY),
    constant(runtime.allocate, effect=IN_BUFFER),
    constant(runtime.allocate_like, effect=IN_BUFFER),
    constant(runtime.allocate_product, effect=IN_BUFFER),
    linear(
        runtime.tangent_view,
        lambda ct, view, shares: ct,
        (np.arange(3.0), True),
        effect=VIEWS_FIRST,
        shapes=(1,),
        layout=Layout.AS_FIRST,
    ),
    linear(
        runtime.cotangent_view,
        lambda ct, view, shares: ct if shares else np.zeros_like(ct),
        (np.arange(3.0), True),
        effect=VIEWS_FIRST,
        shapes=(1,),
        layout=Layout.AS_FIRST,
    ),
    linear(runtime.own, lambda ct, value: ct, (np.arange(3.0),)),
    linear(runtime.laid_out, lambda ct, value, like: ct, (np.arange(3.0), np.ones(3)), shapes=(1,)),
    general(
        runtime.private,
        _private,
        (np.arange(3.0),),
        tangent=lambda y, args, args_t: runtime.laid_out(args_t[0], args[0]),
        moves=Moves.LAY_OUT,
        layout=Layout.AS_FIRST,
        linear_in=(0,),
        of_complex=True,
    ),
    linear(
        runtime.masked_product,
        {
            0: lambda ct, x, p: runtime.unbroadcast(runtime.masked_product(ct, p), x),
            1: lambda ct, x, p: runtime.unbroadcast(runtime.masked_product(ct, x), p),
        },
        (np.array([1.0, 2.0]), np.array([3.0, 4.0])),
        algebra=Algebra.PRODUCT,
        gives=Gives.FLOAT,
        broadcasts=True,
        masks=operator.mul,
        kernel=Kernel.FORM,
        form=kernel_scalars.masked_product,
        complex_form=kernel_scalars.masked_product,
        takes_out=True,
    ),
)
