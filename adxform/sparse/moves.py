"""What functions that only move elements do to dependences: they run on the ids themselves.

So views of an array of ids are the views of the array that it stands for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from adxform import runtime
from adxform.ir import intrinsics
from adxform.ir.ops import Call, Lit, Var
from adxform.ir.types import Array, Scalar, is_float
from adxform.primitives.facets import Moves
from adxform.primitives.table import having
from adxform.sparse.calls import Handler, Tracing, apply_known, everything, filled, result_shape, run
from adxform.sparse.graph import CONST, GiveUp
from adxform.sparse.pattern_values import Flow, Integers, NotKnown, concrete, ids_of, stand_in


def _moved(fn: Any) -> Handler:
    def handle(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
        try:
            rest, named = [concrete(arg) for arg in args[1:]], concrete(kwargs)
        except NotKnown:
            return everything(trace, call, fn, args, kwargs)
        if "constant_values" in named:
            named["constant_values"] = CONST
        named = {key: value for key, value in named.items() if key not in ("dtype", "casting")}
        match args[0]:
            case Flow(ids):
                return Flow(run(fn, [np.asarray(ids), *rest], named))
            case Integers(np.ndarray() as values, dtype):
                return Integers(run(fn, [values, *rest], named), dtype)
            case Integers(None):
                return filled(call, result_shape(fn, args, kwargs), CONST)
            case tuple() | list() as parts if any(isinstance(part, Flow) for part in parts):
                return Flow(run(fn, [[np.asarray(ids_of(part)) for part in parts], *rest], named))
            case _:
                return apply_known(trace, call, fn, args, kwargs)

    return handle


def _gather(fn: Any) -> Handler:
    """Functions of values and of arrays that give shapes, or indices that must be known."""

    def handle(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
        try:
            rest = [np.asarray(arg.ids) if isinstance(arg, Flow) else concrete(arg) for arg in args[1:]]
        except NotKnown:
            return everything(trace, call, fn, args, kwargs)
        return Flow(run(fn, [np.asarray(ids_of(args[0])), *rest], concrete(kwargs)))

    return handle


GATHERS = (
    runtime.broadcast_like,
    runtime.exact_shares,
    runtime.gather_last,
    runtime.scatter_last,
    runtime.tile_like,
    runtime.add_diagonal,
)


def _identity(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """The argument, or a copy where its dtype is another."""
    match args[0]:
        case Flow(np.ndarray() as ids):
            own, out = call.args[0], call.outs[0].type
            same = isinstance(own, Var) and isinstance(own.type, Array) and isinstance(out, Array) and own.type.dtype == out.dtype
            return Flow(ids) if same else Flow(ids.copy()) if is_float(out) else filled(call, ids.shape, CONST)
        case Flow(ids):
            return Flow(ids) if is_float(call.outs[0].type) else filled(call, (), CONST)
        case Integers(np.ndarray() as values, dtype) if not is_float(call.outs[0].type):
            return Integers(values, dtype)
        case value:
            return _array(trace, call, [value], kwargs)


def _array(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """A new array of numbers or of arrays."""
    type_ = call.outs[0].type
    if is_float(type_):
        return Flow(np.array(ids_of(args[0]), np.int64))
    try:
        return np.array(concrete(args[0])).astype(type_.dtype if isinstance(type_, Array | Scalar) else None)
    except NotKnown:
        return filled(call, np.shape(stand_in(args[0])), CONST)


def _astype(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    copies = kwargs.get("copy", True) is not False and len(args) <= 2
    return _array(trace, call, args[:1], {}) if copies else _identity(trace, call, args[:1], {})


def _laid_out(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """A copy of the first argument with the layout of the second."""
    if not isinstance(args[1], Flow):
        raise GiveUp("a layout is taken from something that is no array of floats")
    return Flow(runtime.laid_out(ids_of(args[0]), args[1].ids))


def _shares(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Whether two arrays are views of one: so are their ids."""
    arrays = [arg.ids if isinstance(arg, Flow) else arg.values for arg in args if isinstance(arg, Flow | Integers)]
    return run(runtime.shares_memory, arrays, {})


def _view_again(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """``tangent_view`` and ``cotangent_view``"""
    if args[1] is True:
        return args[0]
    ids = ids_of(args[0])
    return Flow(np.copy(ids) if call.fn == Lit(runtime.tangent_view) else np.zeros_like(ids))


def _stop_gradient(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """A number without its inputs; an array keeps them, as it may be written where it came from."""
    match args[0]:
        case Flow(int() as id_):
            return Flow(min(id_, CONST))
        case value:
            return value


MOVED = having(lambda record: record.moves not in (None, Moves.CONVERT)) - frozenset(GATHERS)
CONVERTED = having(lambda record: record.moves is Moves.CONVERT)

HANDLERS: Mapping[Callable[..., Any], Handler] = MappingProxyType(
    {
        **{fn: _moved(fn) for fn in MOVED},
        **{fn: _gather(fn) for fn in GATHERS},
        **dict.fromkeys(CONVERTED, _identity),
        np.array: _array,
        np.ndarray.astype: _astype,
        intrinsics.stop_gradient: _stop_gradient,
        runtime.laid_out: _laid_out,
        runtime.shares_memory: _shares,
        runtime.tangent_view: _view_again,
        runtime.cotangent_view: _view_again,
    }
)
