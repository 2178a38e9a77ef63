"""What primitives do to dependences, by what kind of function they are.

Each kind has a module, with a table of its functions. One that is in no table goes by its rule: an elementwise function unites
its operands, one without a derivative depends on nothing, and any other depends on all on which its operands depend.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from adxform.ir.ops import Call
from adxform.ir.types import Array, is_complex
from adxform.primitives.record import Constant, General
from adxform.primitives.table import lookup, record_of, registered
from adxform.sparse import array_creation, elementwise, moves, pattern_contractions, pattern_reductions, stores
from adxform.sparse.calls import Handler, Tracing, everything, filled, is_number, result_shape, run
from adxform.sparse.elementwise import united
from adxform.sparse.graph import CONST, GiveUp
from adxform.sparse.pattern_values import UNTOLD, Flow, Integers, NotKnown, arrays_in, concrete
from adxform.sparse.stores import store


def apply(trace: Tracing, call: Call, fn: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """What ``fn(*args, **kwargs)`` is, as far as the trace can tell."""
    if "out" in kwargs:
        return _into(trace, call, fn, args, kwargs)
    handler = None if fn in registered() else HANDLERS.get(fn)
    if handler is not None:
        try:
            return handler(trace, call, args, kwargs)
        except NotKnown:
            raise GiveUp("how long an array is depends on the run") from None
    record = lookup(fn)
    if record is None:
        return _opaque(trace, call, args)
    try:
        return run(fn, [concrete(arg) for arg in args], concrete(kwargs))
    except NotKnown:
        pass
    if len(call.outs) > 1:
        return [_item(trace, call, fn, args, kwargs, place) for place in range(len(call.outs))]
    if record.elementwise:
        return united(trace, call, fn, args, kwargs)
    match record.derivative:
        case Constant():
            return filled(call, () if is_number(call) else result_shape(fn, args, kwargs), CONST)
        case None:
            raise GiveUp(f"`{record.name}` has no rule")
        case _:
            return everything(trace, call, fn, args, kwargs)


def _item(trace: Tracing, call: Call, fn: Any, args: list[Any], kwargs: dict[str, Any], place: int) -> Any:
    """The result at `place` of a function with several."""
    record, single = record_of(fn), replace(call, outs=(call.outs[place],))

    def item(*given: Any, **named: Any) -> Any:
        return fn(*given, **named)[place]

    if isinstance(record.derivative, General) and place in record.derivative.constant and not is_complex(single.outs[0].type):
        return filled(single, () if is_number(single) else result_shape(item, args, kwargs), CONST)
    return (united if record.elementwise else everything)(trace, single, item, args, kwargs)


def _into(trace: Tracing, call: Call, fn: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """``fn(…, out=x)``: the result is stored in `x`."""
    rest = {key: value for key, value in kwargs.items() if key != "out"}
    out = kwargs["out"]
    if out is None:
        return apply(trace, call, fn, args, rest)
    store(trace, out, ..., apply(trace, call, fn, args, rest))
    return out


def _opaque(trace: Tracing, call: Call, args: list[Any]) -> Any:
    """A function of which nothing is known: it is not run, and may have written to its arrays anything that has no derivative."""
    for value in arrays_in(args):
        match value:
            case Flow(np.ndarray() as ids) if ids.flags.writeable:
                trace.noted(ids, ...)
                np.maximum(ids, CONST, out=ids)
            case Integers(np.ndarray() as values) if values.flags.writeable:
                trace.noted(values, ..., False)
                values[...] = UNTOLD
            case _:
                pass
    if call.outs and isinstance(call.outs[0].type, Array):
        raise GiveUp("it takes an array from a function without a rule")
    return filled(call, (), CONST)


HANDLERS: Mapping[Callable[..., Any], Handler] = MappingProxyType(
    {
        **array_creation.HANDLERS,
        **pattern_contractions.HANDLERS,
        **elementwise.HANDLERS,
        **moves.HANDLERS,
        **pattern_reductions.HANDLERS,
        **stores.HANDLERS,
    }
)
