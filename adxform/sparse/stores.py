"""What reading and writing elements does to dependences."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from adxform.ir import intrinsics
from adxform.ir.ops import Call, Lit
from adxform.sparse.calls import Handler, Tracing, filled, numbered, run
from adxform.sparse.graph import CONST, GiveUp
from adxform.sparse.pattern_values import OPAQUE, UNTOLD, Flow, Integers, NotKnown, arrays_in, concrete, ids_of, stand_in


def _load(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """``x[index]``"""
    x, index = args
    try:
        place = concrete(index)
    except NotKnown:
        return _load_somewhere(trace, call, x, index)
    match x:
        case Flow(ids):
            return Flow(run(operator.getitem, [np.asarray(ids), place], {}))
        case Integers(np.ndarray() as values, dtype):
            found = run(operator.getitem, [values, place], {})
            return Integers(None if not np.ndim(found) and found == UNTOLD else found, dtype)
        case tuple() | list() | dict():
            return run(operator.getitem, [x, place], {})
        case _:
            return OPAQUE if x is OPAQUE else run(operator.getitem, [x, place], {})


def _load_somewhere(trace: Tracing, call: Call, x: Any, index: Any) -> Any:
    """An element or a part that only a run can tell."""
    if not isinstance(x, Flow | Integers) or any(
        isinstance(part, Integers) and part.dtype == "bool" for part in arrays_in([index])
    ):
        raise GiveUp("how much an index takes is not known")
    shape = np.shape(run(operator.getitem, [stand_in(x), stand_in(index)], {}))
    found = trace.graph.whole(ids_of(x)) if isinstance(x, Flow) else CONST
    return filled(call, shape, max(found, CONST))


def store(trace: Tracing, x: Any, index: Any, value: Any) -> None:
    """``x[index] = value``"""
    try:
        place: Any = concrete(index)
        known = True
    except NotKnown:
        place, known = ..., False
    match x:
        case Flow(np.ndarray() as ids):
            trace.noted(ids, place)
            new = ids_of(value)
            run(operator.setitem, [ids, place, new if known else trace.graph.unions(ids, trace.graph.whole(new))], {})
        case Integers(np.ndarray() as values):
            trace.noted(values, place, False)
            try:
                run(operator.setitem, [values, place, concrete(value) if known else UNTOLD], {})
            except NotKnown:
                told = value.values if isinstance(value, Integers) and value.values is not None else UNTOLD
                run(operator.setitem, [values, place, told], {})
        case _:
            raise GiveUp("it writes to something that is no array of numbers")


def _store(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    store(trace, args[0], args[1], args[2])


def _accumulate(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """``x[index] += value`` and ``x[index] -= value``"""
    x, index, value = args
    match x:
        case Flow(np.ndarray() as ids):
            try:
                place = concrete(index)
            except NotKnown:
                store(trace, x, index, value)
            else:
                trace.noted(ids, place)
                before = run(operator.getitem, [ids, place], {})
                run(operator.setitem, [ids, place, trace.graph.unions(before, ids_of(value))], {})
        case Integers(np.ndarray() as values, dtype):
            fn = operator.add if call.fn == Lit(intrinsics.accumulate) else operator.sub
            try:
                place = concrete(index)
                old = concrete(Integers(run(operator.getitem, [values, place], {}), dtype))
                store(trace, x, index, run(fn, [old, concrete(value)], {}))
            except NotKnown:
                store(trace, x, index, Integers(None, dtype))
        case _:
            raise GiveUp("it writes to something that is no array of numbers")


def _add_at(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """``np.add.at(x, index, value)``: repeated places take several."""
    x, index, value = args
    if not isinstance(x, Flow):
        store(trace, x, ..., Integers(None, "int64"))
        return
    try:
        places = run(operator.getitem, [numbered(x.ids.shape), concrete(index)], {})
    except NotKnown:
        store(trace, x, index, value)
        return
    taken, groups = np.unique(places, return_inverse=True)
    added = trace.graph.grouped(groups, np.broadcast_to(ids_of(value), np.shape(places)), len(taken))
    where = np.unravel_index(taken, x.ids.shape)
    trace.noted(x.ids, where)
    x.ids[where] = trace.graph.unions(x.ids[where], added)


HANDLERS: Mapping[Callable[..., Any], Handler] = MappingProxyType(
    {
        **dict.fromkeys((intrinsics.accumulate, intrinsics.deduct), _accumulate),
        np.add.at: _add_at,
        operator.getitem: _load,
        operator.setitem: _store,
    }
)
