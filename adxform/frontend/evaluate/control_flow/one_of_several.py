"""One of several functions, or objects from outside, of which the run knows which: what is asked of it is asked in branches.

site = min(SITES, key=…)        if which == 0: x = SITES[0].x
… site.x …                      else: x = SITES[1].x
"""

from __future__ import annotations

import functools
import inspect
import operator
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from adxform.frontend.containers.methods import Known
from adxform.frontend.evaluate.control_flow.attempts import branch
from adxform.frontend.evaluate.presence import note_which
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import OneOf, Ref, Static, Tuple, Value
from adxform.ir.ops import Lit, Var
from adxform.ir.spans import is_user, own_attribute


def call_chosen(
    interp: Interpreter, fn: OneOf, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str, wanted: bool
) -> Value:
    """The result of a call of the function that the run has."""
    return on_each(interp, fn, lambda one: interp.call(one, args, kwargs, hint, wanted), hint)


def call_with_chosen(
    interp: Interpreter, fn: Value, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str, wanted: bool
) -> Value | None:
    """The result of a call that looks into an object of which the run knows which it is; ``None`` for any other call."""
    found = next(((k, arg) for k, arg in enumerate(args) if isinstance(arg, OneOf)), None)
    if found is None or not isinstance(fn, Static | Lit) or not _looks_into(fn.value, *found):
        return None
    place, chosen = found
    before, after = args[:place], args[place + 1 :]
    return on_each(interp, chosen, lambda one: interp.call(fn, (*before, one, *after), kwargs, hint, wanted), hint)


def on_each(interp: Interpreter, value: OneOf, run: Callable[[Value], Value], hint: str) -> Value:
    """What `run` gives for the one of several that the run has."""
    return values_on_each(interp, value, lambda one: [run(one)], [hint])[0]


def values_on_each(interp: Interpreter, value: OneOf, run: Callable[[Value], list[Value]], hints: list[str]) -> list[Value]:
    """What `run` gives for the one of several that the run has, as many values as there are `hints`."""

    def among(things: tuple[Value, ...]) -> list[Value]:
        first, *others = things
        if not others:
            return run(first)
        number, *numbers = map(interp.heap.contents.number_of, things)
        chosen = interp.operand(interp.call(Lit(operator.eq), (value.which, Lit(number))))
        note_which(interp.told, chosen, interp.operand(value.which), number, numbers)
        return branch(interp, chosen, lambda: run(first), lambda: among(tuple(others)), hints, interp.span)

    left = interp.left(value)
    return among(left.things if isinstance(left, OneOf) else (left,))


def _looks_into(fn: Any, place: int, value: OneOf) -> bool:
    """Whether `fn` asks `value`, its argument at `place`, for what it is, or has, and does not only pass it on or call it.

    Operators do, but for what they store, builtins and functions of libraries: of these, not those that call what they are given.
    """
    if isinstance(fn, Known) or (isinstance(fn, type) and hasattr(fn, "__next__")):
        return False
    if own_attribute(fn, "__module__") in (operator.add.__module__, len.__module__):
        return not (fn is operator.setitem and place == 2)
    return not all(map(_is_plain_function, value.things)) and _is_librarys(fn)


def _is_plain_function(value: Value) -> bool:
    """Whether `value` is a function or a class, and no object of the program that can be called."""
    return not isinstance(value, Ref | Tuple | Var) and (
        not isinstance(value, Static | Lit) or isinstance(value.value, _FUNCTIONS)
    )


_FUNCTIONS = (type, types.FunctionType, types.BuiltinFunctionType, types.MethodType, functools.partial, np.ufunc)


def _is_librarys(fn: Any) -> bool:
    """Whether the code of `fn` is a library's, and no class, which may keep what it is given."""
    if isinstance(fn, types.FunctionType):
        return not is_user(fn)
    return not isinstance(fn, type) and not isinstance(inspect.getattr_static(type(fn), "__call__", None), types.FunctionType)
