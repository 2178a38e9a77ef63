"""Deques whose items are known: lists that take and give items at both ends, and keep no more than their `meta` says.

A function's deques are objects of the run first; they are such lists where the function could not be followed so.
"""

from __future__ import annotations

import collections
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any

from adxform.frontend.containers.methods import METHODS, Answer, Args, Handler, Known, Kwargs
from adxform.frontend.evaluate.control_flow import walks
from adxform.frontend.evaluate.objects.object_contents import Columns, Contents
from adxform.frontend.evaluate.objects.value_parts import parts_of
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, Method, Ref, Static, Tuple, Value
from adxform.ir.ops import Lit, Var
from adxform.ir.types import is_inexact
from adxform.ir.walk import variables
from adxform.primitives.definitions.of_python import item_places


def made(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """``deque(items, maxlen)``; ``None`` where the run makes it: it may hold texts and what else no list of the IR does."""
    if not interp.knowledge.follows_deques and not _moves(interp, (*args, *kwargs.values())):
        interp.makes_deques = True
        return None
    given = {**dict(zip(("iterable", "maxlen"), args, strict=False)), **kwargs}
    if len(args) > 2 or not given.keys() <= {"iterable", "maxlen"}:
        return interp.fail(TypeError, "deque() takes at most 2 arguments")
    bound = interp.static(given.get("maxlen", NONE), "how many items a deque keeps")
    if bound is not None and (type(bound) is not int or bound < 0):
        return interp.fail(ValueError, "maxlen must be non-negative")
    ref = interp.heap.new("list", collections.deque, (), (), meta=Lit(bound))
    _extend(interp, (ref, given.get("iterable", Tuple(()))), {}, hint)
    return ref


def _moves(interp: Interpreter, values: Iterable[Value]) -> bool:
    """Whether a deque is made of what may carry a derivative, or of objects of the program's own."""
    for value in values:
        held = interp.heap.contents.get(value) if isinstance(value, Ref) else value
        if isinstance(value, Ref) and value.kind == "instance":
            return True
        if isinstance(held, Contents | Columns | Tuple):
            if _moves(interp, parts_of(held)):
                return True
        elif isinstance(value, Var | Ref) and any(is_inexact(var.type) for var in variables(interp.operand(value))):
            return True
    return False


def refuse(interp: Interpreter, values: Iterable[Value]) -> None:
    """Raise where `values`, which code that nobody looks into is given, hold a deque that is a list here."""
    for value in values:
        match value:
            case Tuple(items):
                refuse(interp, items)
            case Ref(cls=collections.deque):
                message = "a deque of which the items are followed is given to a function that adxform cannot look into"
                raise interp.error(message, "give it a list: `list(d)`")
            case Ref(outside=False) if isinstance(contents := interp.heap.contents.get(value), Contents):
                refuse(interp, contents.items)


def _of_list(name: str) -> Handler:
    return METHODS[list, name].handler


def _keeping(ref: Value, interp: Interpreter, meaning: Any) -> None:
    """Take out the item that is too many after one was added, by `meaning`."""
    assert isinstance(ref, Ref)
    if ref.meta is not None and ref.meta != NONE:
        interp.call(Static(meaning), (ref, ref.meta))


def _append(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    _of_list("append")(interp, args, kwargs, hint)
    _keeping(args[0], interp, item_places.keep_last)
    return NONE


def _append_left(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    _of_list("insert")(interp, (args[0], Lit(0), *args[1:]), kwargs, hint)
    _keeping(args[0], interp, item_places.keep_first)
    return NONE


def _extend(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """A bounded deque takes items one by one."""
    assert isinstance(args[0], Ref)
    if args[0].meta == NONE:
        return _of_list("extend")(interp, args, kwargs, hint)
    walks.refuse_in_part(interp, args[1])
    return interp.call(Static(item_places.append_all), (args[0], walks.opened(interp, args[1])))


def _extend_left(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    walks.refuse_in_part(interp, args[1])
    return interp.call(Static(item_places.append_all_left), (args[0], walks.opened(interp, args[1])))


def _pop_left(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    return _of_list("pop")(interp, (args[0], Lit(0)), kwargs, hint)


def _copy(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    assert isinstance(args[0], Ref)
    ref = interp.heap.new("list", collections.deque, (), (), meta=args[0].meta)
    _of_list("extend")(interp, (ref, args[0]), {}, hint)
    return ref


def _rotate(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    return interp.call(Static(item_places.rotate), (*args, Lit(1))[:2])


def _exactly(count: int, name: str, handler: Handler, least: int | None = None) -> Handler:
    """`handler`, for calls with `count` arguments, or from `least` on."""

    def bound(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        if kwargs or not (count if least is None else least) <= len(args) - 1 <= count:
            return interp.fail(TypeError, f"{name}() of a deque takes {count} argument{'s' * (count != 1)}")
        return handler(interp, args, kwargs, hint)

    return bound


_TABLE: Mapping[str, Handler] = {
    "append": _exactly(1, "append", _append),
    "appendleft": _exactly(1, "appendleft", _append_left),
    "extend": _exactly(1, "extend", _extend),
    "extendleft": _exactly(1, "extendleft", _extend_left),
    "pop": _exactly(0, "pop", _of_list("pop")),
    "popleft": _exactly(0, "popleft", _pop_left),
    "rotate": _exactly(1, "rotate", _rotate, least=0),
    "copy": _exactly(0, "copy", _copy),
    **{name: _of_list(name) for name in ("reverse", "clear", "remove", "index", "count")},
}
DEQUE_METHODS: Mapping[str, Known] = MappingProxyType({name: Known(f"deque.{name}", handler) for name, handler in _TABLE.items()})


def attribute(ref: Ref, name: str) -> Value | None:
    """The method `name` of a deque, or how many items it keeps; ``None`` for what is not followed, or not there."""
    if name == "maxlen":
        return ref.meta
    return Method(Lit(DEQUE_METHODS[name]), (ref,)) if name in DEQUE_METHODS else None
