"""Classes defined inside a function: one for all calls, made of what is known beforehand."""

from __future__ import annotations

import collections
from typing import Any

from adxform.frontend.containers.methods import Answer, Handler
from adxform.frontend.evaluate.operands import are_static
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Ref, Static, Value
from adxform.frontend.lowering.local_classes import LocalClass
from adxform.ir import intrinsics
from adxform.ir.ops import Lit
from adxform.runtime.memos import Memo

_made: Memo[Any, tuple[type, Any]] = Memo(256)


def _local_class(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Answer:
    text, given = args
    scope = interp.frames[-1].scope
    assert isinstance(text, Lit)
    assert isinstance(given, Ref)
    found: LocalClass = text.value
    contents = interp.contents(given)
    if scope is None or not all(isinstance(item, Static | Lit) for item in contents.items):
        raise interp.error("a class inside a function is made of what only the run knows", "define it outside of the function")
    names = {
        key: interp.pin(item) if isinstance(item, Static) else interp.static(item, "what a class is made of")
        for key, item in zip(contents.keys, contents.items, strict=True)
    }
    key = found, id(scope.fn.__globals__), tuple((name, id(value)) for name, value in names.items())

    def make() -> tuple[type, Any]:
        try:
            return found.make(scope.fn, names), names  # which keeps them, and their places
        except Exception as error:
            raise interp.error(f"this class cannot be made beforehand: {error}", "define it outside of the function") from error

    return Static(_made.get(key, make)[0])


def _named_tuple(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Answer:
    """``namedtuple(name, fields)``: one class for all calls, as of a class statement; ``None`` where that is told by the run."""
    if not are_static(interp, (*args, *kwargs.values())):
        return None
    given = [interp.static(arg, "what a named tuple is made of") for arg in args]
    named = {name: interp.static(arg, "what a named tuple is made of") for name, arg in kwargs.items()}
    scope = interp.frames[-1].scope
    named.setdefault("module", None if scope is None else scope.fn.__module__)

    def make() -> tuple[type, Any]:
        try:
            return collections.namedtuple(*given, **named), None
        except (TypeError, ValueError) as error:
            interp.fail(type(error), str(error))
            raise AssertionError from error

    return Static(_made.get((repr(given), repr(sorted(named.items()))), make)[0])


TABLE: dict[Any, Handler] = {intrinsics.local_class: _local_class, collections.namedtuple: _named_tuple}
