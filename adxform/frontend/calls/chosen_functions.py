"""Functions that the run chooses, within what a solver or an integral is given: each is the chosen one in a branch of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from adxform.frontend.evaluate.control_flow.one_of_several import on_each
from adxform.frontend.evaluate.objects.object_contents import Contents
from adxform.frontend.evaluate.objects.value_parts import parts_of, with_parts
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import FunctionValue, Method, OneOf, Ref, Tuple, Value


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


def chosen_in(interp: Interpreter, value: Value) -> OneOf | None:
    """A function that the run chooses in `value`, in what functions in it captured, or in objects that these reach."""
    held = (interp.heap.contents[ref] for ref in _reached(interp, value))
    return next((part for whole in (value, *held) for part in _spread(whole) if isinstance(part, OneOf)), None)


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


def _with(value: Any, one: OneOf, fn: Value) -> Any:
    """`value`, or what an object holds, with `fn` in each place of `one`."""
    if value is one:
        return fn
    if not any(part is one for part in _spread(value)):
        return value
    return with_parts(value, (_with(part, one, fn) for part in parts_of(value)))
