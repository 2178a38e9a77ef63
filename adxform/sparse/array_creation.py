"""What new arrays depend on, and what only shapes or whole numbers matter for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from adxform import runtime
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Call
from adxform.ir.types import Array, is_float
from adxform.primitives.record import Primitive
from adxform.primitives.table import having
from adxform.sparse.calls import Handler, Tracing, filled, run
from adxform.sparse.graph import CONST, GiveUp
from adxform.sparse.pattern_values import OPAQUE, Flow, Integers, NotKnown, common_shape, concrete, ids_of, shape_of


def _empty(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """An array with anything in it."""
    fn = callee(call)
    shape: Any
    if fn is np.empty_like:
        shape = shape_of(args[0]) if kwargs.get("shape") is None else concrete(kwargs["shape"])
    elif fn is runtime.allocate_like:
        shape = common_shape(args[1:])
    else:
        shape = concrete(args[1] if fn is runtime.allocate else args[0] if args else kwargs["shape"])
    return filled(call, shape, CONST)


def _like(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """``zeros_like``, ``ones_like``, ``full_like``"""
    fn = callee(call)
    value = (0 if fn is np.zeros_like else 1) if fn is not np.full_like else args[1] if len(args) > 1 else kwargs["fill_value"]
    shape = concrete(kwargs.get("shape"))
    return _spread(call, shape_of(args[0]) if shape is None else shape, value)


def _full(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    shape = concrete(args[0] if args else kwargs["shape"])
    return _spread(call, shape, args[1] if len(args) > 1 else kwargs["fill_value"])


def _spread(call: Call, shape: Any, value: Any) -> Any:
    """A new array that is `value` everywhere."""
    type_ = call.outs[0].type
    if is_float(type_):
        return Flow(np.array(np.broadcast_to(ids_of(value), shape)))
    try:
        dtype = type_.dtype if isinstance(type_, Array) else None
        return np.array(np.broadcast_to(np.asarray(concrete(value)).astype(dtype), shape))
    except NotKnown:
        return filled(call, np.broadcast_shapes(shape), CONST)


def _linspace(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    try:
        return run(np.linspace, [concrete(arg) for arg in args], concrete(kwargs))
    except NotKnown:
        pass
    count = args[2] if len(args) > 2 else kwargs.get("num", 50)
    ends = trace.graph.unions(ids_of(args[0]), ids_of(args[1]))
    try:
        return Flow(np.array(np.broadcast_to(np.maximum(ends, CONST), (concrete(count), *np.shape(ends)))))
    except NotKnown:
        raise GiveUp("how many numbers there are is not known") from None


def _of_shape(fn: Any) -> Handler:
    """A function that asks for shapes only."""

    def handle(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
        try:
            plain = [np.empty(shape_of(arg), np.int8) if isinstance(arg, Flow | Integers) else arg for arg in args]
            return run(fn, plain, {key: concrete(value) for key, value in kwargs.items()})
        except NotKnown:
            return OPAQUE

    return handle


def _unsized(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """A function whose result is as long as the values say."""
    fn = callee(call)
    try:
        return run(fn, [concrete(arg) for arg in args], concrete(kwargs))
    except NotKnown:
        raise GiveUp("how long an array is depends on what it is made of") from None


def _is_empty(record: Primitive) -> bool:
    return record.fresh is not None and record.fresh.number is None and not record.fresh.given


def _is_filled_like(record: Primitive) -> bool:
    return record.fresh is not None and record.fresh.like and not _is_empty(record)


HANDLERS: Mapping[Callable[..., Any], Handler] = MappingProxyType(
    {
        **dict.fromkeys((*having(_is_empty), runtime.allocate, runtime.allocate_like), _empty),
        **dict.fromkeys(having(_is_filled_like), _like),
        **dict.fromkeys(having(lambda record: record.unsized), _unsized),
        **{fn: _of_shape(fn) for fn in having(lambda record: record.measures)},
        np.full: _full,
        np.linspace: _linspace,
    }
)
