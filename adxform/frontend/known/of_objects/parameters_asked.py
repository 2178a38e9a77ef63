"""What functions take, asked by ``inspect``: it follows from their code, so what moves has no part in it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from adxform.frontend.containers.methods import Answer, Args, Handler, Kwargs
from adxform.frontend.evaluate.outside.guards import constant, pin
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Method, Static, Tuple, Value
from adxform.ir.ops import Lit


def _specification(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """``inspect.getfullargspec``, which tells of the first parameter of a method too."""
    fn, _ = _function(interp, args[0]) if len(args) == 1 and not kwargs else (None, 0)
    if fn is None:
        return None
    found = inspect.getfullargspec(fn)
    return Tuple(tuple(_part(interp, part) for part in found), type(found))


def _part(interp: Interpreter, part: Any) -> Value:
    """A part of a specification; a list of names is one that was made for this call."""
    return interp.new_list(tuple(map(Lit, part))) if isinstance(part, list) else constant(interp, part)


def _signature(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """``inspect.signature``, without the parameters of a method that are bound."""
    fn, bound = _function(interp, args[0]) if len(args) == 1 and not kwargs else (None, 0)
    if fn is None:
        return None
    found = inspect.signature(fn)
    return constant(interp, found.replace(parameters=[*found.parameters.values()][bound:]))


def _function(interp: Interpreter, value: Value) -> tuple[Callable[..., Any] | None, int]:
    """The function, or class, from outside that `value` is, or that a method of an object calls with so many bound arguments."""
    bound = 0
    while isinstance(value, Method) and not value.partial and not value.kwargs:
        bound += len(value.args)
        value = value.fn
    match value:
        case Static(fn) if callable(fn):
            return pin(interp, value), bound
        case Lit(fn) if callable(fn):
            return fn, bound
        case _:
            return None, 0


TABLE: dict[Any, Handler] = {inspect.getfullargspec: _specification, inspect.signature: _signature}
