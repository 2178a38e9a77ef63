"""Calls of one of several functions, of which the run knows which, and what looks into one: each in a branch of its own."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

from adxform.frontend.evaluate.control_flow.attempts import branch
from adxform.frontend.evaluate.objects.object_contents import Contents
from adxform.frontend.evaluate.objects.value_parts import parts_of, with_parts
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import FunctionValue, Method, OneFunction, Ref, Tuple, Value
from adxform.ir.ops import Lit


def call_chosen(
    interp: Interpreter, fn: OneFunction, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str, wanted: bool
) -> Value:
    """The result of a call of the function that the run has."""
    return on_each(interp, fn, lambda one: interp.call(one, args, kwargs, hint, wanted), hint)


def on_each(interp: Interpreter, fn: OneFunction, run: Callable[[Value], Value], hint: str) -> Value:
    """What `run` gives for the function that the run has."""

    def among(functions: tuple[Value, ...]) -> list[Value]:
        first, *others = functions
        if not others:
            return [run(first)]
        number = Lit(interp.heap.contents.number_of(first))
        chosen = interp.operand(interp.call(Lit(operator.eq), (fn.which, number)))
        return branch(interp, chosen, lambda: [run(first)], lambda: among(tuple(others)), [hint], interp.span)

    return among(fn.functions)[0]


def for_each(interp: Interpreter, given: Value, run: Callable[[Value], Value], hint: str) -> Value:
    """What `run` makes of `given`, in which the functions that the run chooses are the chosen ones, each in a branch of its own.

    What looks into a function reads all that it captured, and what another path's captured is not there.
    """
    one = chosen_in(interp, given)
    if one is None:
        return run(given)

    def with_one(fn: Value) -> Value:
        contents = interp.heap.contents
        reached = [(ref, contents[ref]) for ref in _reached(interp, given)]
        before = [(ref, held) for ref, held in reached if any(part is one for part in _spread(held))]
        contents.update((ref, _with(held, one, fn)) for ref, held in before)
        try:
            return for_each(interp, _with(given, one, fn), run, hint)
        finally:
            contents.update(before)

    return on_each(interp, one, with_one, hint)


def chosen_in(interp: Interpreter, value: Value) -> OneFunction | None:
    """A function that the run chooses in `value`, in what functions in it captured, or in objects that these reach."""
    held = (interp.heap.contents[ref] for ref in _reached(interp, value))
    return next((part for whole in (value, *held) for part in _spread(whole) if isinstance(part, OneFunction)), None)


def _reached(interp: Interpreter, value: Value) -> list[Ref]:
    """The objects that `value` reaches of which it is known what they hold."""
    found: list[Ref] = []
    waiting: list[Any] = [value]
    while waiting:
        for part in _spread(waiting.pop()):
            if isinstance(part, Ref) and part not in found and isinstance(held := interp.heap.contents[part], Contents):
                found.append(part)
                waiting.append(held)
    return found


def _spread(whole: Any) -> Iterator[Any]:
    """`whole`, and all parts of functions and tuples in it."""
    yield whole
    for part in parts_of(whole) if isinstance(whole, FunctionValue | Method | Tuple | Contents) else ():
        yield from _spread(part)


def _with(value: Any, one: OneFunction, fn: Value) -> Any:
    """`value`, or what an object holds, with `fn` in each place of `one`."""
    if value is one:
        return fn
    if not any(part is one for part in _spread(value)):
        return value
    return with_parts(value, (_with(part, one, fn) for part in parts_of(value)))
