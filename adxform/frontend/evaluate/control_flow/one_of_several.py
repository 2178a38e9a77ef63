"""One of several functions, or objects from outside, of which the run knows which: what is asked of it is asked in branches.

site = min(SITES, key=…)        if which == 0: x = SITES[0].x
… site.x …                      else: x = SITES[1].x
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from adxform.frontend.evaluate.control_flow.attempts import branch
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import OneOf, Static, Value
from adxform.ir.ops import Lit
from adxform.ir.spans import own_attribute


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
    if found is None or not isinstance(fn, Static | Lit) or not _looks_into(fn.value, found[0]):
        return None
    place, chosen = found
    before, after = args[:place], args[place + 1 :]
    return on_each(interp, chosen, lambda one: interp.call(fn, (*before, one, *after), kwargs, hint, wanted), hint)


def on_each(interp: Interpreter, value: OneOf, run: Callable[[Value], Value], hint: str) -> Value:
    """What `run` gives for the one of several that the run has."""

    def among(things: tuple[Value, ...]) -> list[Value]:
        first, *others = things
        if not others:
            return [run(first)]
        number = Lit(interp.heap.contents.number_of(first))
        chosen = interp.operand(interp.call(Lit(operator.eq), (value.which, number)))
        return branch(interp, chosen, lambda: [run(first)], lambda: among(tuple(others)), [hint], interp.span)

    return among(value.things)[0]


def _looks_into(fn: Any, place: int) -> bool:
    """Whether `fn` asks its argument at `place` for what it is, or has: operators and builtins do, but for what they store."""
    of_python = own_attribute(fn, "__module__") in (operator.add.__module__, len.__module__)
    return of_python and not (fn is operator.setitem and place == 2)
