"""Unpacking: ``a, b = value``, and ``a, *rest = value`` also where only a run can tell how many items there are."""

from __future__ import annotations

import operator
from functools import partial
from typing import Any

from adxform import runtime
from adxform.frontend.containers.methods import Answer, Args, Handler, Kwargs
from adxform.frontend.evaluate.control_flow import iteration, loop_trips, walks
from adxform.frontend.evaluate.control_flow.branches import truth
from adxform.frontend.evaluate.control_flow.one_of_several import values_on_each
from adxform.frontend.evaluate.signals import Promote
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, Enumerate, OneOf, Range, Ref, Slice, Tuple, Value, Zip
from adxform.frontend.known.items.iterables import listed
from adxform.ir import intrinsics
from adxform.ir.ops import Lit, Var
from adxform.ir.types import Array, Dim, Object


def _items_of(interp: Interpreter, counts: Args, value: Value) -> list[Value]:
    """What `value` is unpacked into."""
    return list(interp.items(interp.call(Lit(intrinsics.unpack), (value, *counts))))


def _unpack(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    value, count = args[0], interp.static(args[1], "a count")
    if isinstance(value, OneOf):
        return Tuple(tuple(values_on_each(interp, value, partial(_items_of, interp, args[1:]), ["item"] * count)))
    if isinstance(value, Var) and isinstance(value.type, Object):
        items = interp.emit(runtime.unpacked, (value, *map(interp.operand, args[1:])), Object(), "items")
        if value in interp.of_run.followed:
            interp.of_run.followed[items] = interp.of_run.followed[value]
        return Tuple(tuple(iteration.item_at(interp, items, Lit(k)) for k in range(count)))
    if len(args) > 2:
        return _starred(interp, walks.opened(interp, value), count - 1, interp.static(args[2], "a place"), hint)
    if isinstance(value, Var) and isinstance(value.type, Array):
        shape = value.type.shape
        if shape is not None and shape and isinstance(shape[0], int) and shape[0] != count:
            return interp.fail(ValueError, f"expected {count} values to unpack, got {shape[0]}")
        if shape and isinstance(shape[0], Dim):
            return _as_many(interp, value, count)
        return Tuple(tuple(iteration.item_at(interp, value, Lit(k)) for k in range(count)))
    if _is_counted_by_a_run(interp, value):
        return _as_many(interp, value, count)
    found = interp.items(value)
    if len(found) != count:
        word = "too many" if len(found) > count else "not enough"
        return interp.fail(ValueError, f"{word} values to unpack (expected {count}, got {len(found)})")
    return Tuple(tuple(found))


def _is_counted_by_a_run(interp: Interpreter, value: Value) -> bool:
    """Whether `value` is a list of which only a run can tell how many items it has, and no parameter does."""
    long = isinstance(value, Ref) and value.kind == "list" and interp.is_long(value)
    return long and iteration.literal_trips(interp, value) is None and not loop_trips.deciding(interp, value)


def _as_many(interp: Interpreter, value: Value, count: int) -> Value:
    """The items of `value`; the run raises if it has not `count` of them."""
    as_many = truth(interp, interp.call(Lit(operator.eq), (iteration.length(interp, value), Lit(count))))
    message = f"too many or not enough values to unpack (expected {count})"
    if as_many is False:
        return interp.fail(ValueError, message)
    if isinstance(as_many, Var):
        interp.require(as_many, ValueError, message)
    return Tuple(tuple(iteration.item_at(interp, value, Lit(k)) for k in range(count)))


def _starred(interp: Interpreter, source: Value, single: int, place: int, hint: str) -> Value:
    """A tuple of the first `place` items, a list of those in between, and the last ones; `single` are taken one by one."""
    last = single - place
    if iteration.literal_trips(interp, source) is not None:
        items = interp.items(source)
        if len(items) < single:
            return _too_few(interp, single, f", got {len(items)}")
        end = len(items) - last
        return Tuple((*items[:place], interp.new_list(tuple(items[place:end])), *items[end:]))
    params = loop_trips.promotable(interp, source)
    if params and not isinstance(source, Var | Range):
        raise Promote(params)
    count = iteration.length(interp, source)
    enough = truth(interp, interp.call(Lit(operator.ge), (count, Lit(single))))
    if enough is False:
        return _too_few(interp, single)
    if isinstance(enough, Var):
        interp.require(enough, ValueError, _few(single))
    if not isinstance(source, Var | Ref | Range | Zip | Enumerate):
        source = listed(interp, source)
    cut = Slice(Lit(place), Lit(-last) if last else NONE, NONE)
    rest = listed(interp, interp.call(Lit(operator.getitem), (source, cut), hint=hint), hint)
    first = [iteration.item_at(interp, source, Lit(k)) for k in range(place)]
    final = [iteration.item_at(interp, source, iteration.subtract(interp, count, Lit(k))) for k in range(last, 0, -1)]
    return Tuple((*first, rest, *final))


def _few(single: int, found: str = "") -> str:
    return f"not enough values to unpack (expected at least {single}{found})"


def _too_few(interp: Interpreter, single: int, found: str = "") -> Value:
    return interp.fail(ValueError, _few(single, found))


TABLE: dict[Any, Handler] = {intrinsics.unpack: _unpack}
