"""Generators: the code of one runs where it is walked over, with what is done with an item in the place of each ``yield``.

The loops of a generator so become the loops that walk over it, and what it changes is changed when Python changes it. What a walk
carries from item to item is held by an object meanwhile, which control flow joins as it joins any other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from adxform.errors import AdxError
from adxform.frontend.evaluate.control_flow import walks
from adxform.frontend.evaluate.levels import Frame
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Contents, FunctionValue, Generator, Once, Value
from adxform.ir.ops import Lit

_DEPTH = 20
"""How many walks over generators of one function may be within one another."""

Step = Callable[[Value, list[Value]], tuple[Value, list[Value]]]
"""What is done with an item and the values that a walk carries: whether the walk goes on, and what it carries then."""


def code_of(value: Value) -> Generator | None:
    """The code of `value`, if it is a generator."""
    return value.generator if isinstance(value, Once) else None


def walk(
    interp: Interpreter, once: Once, inits: Sequence[Value], hints: Sequence[str], step: Step, *, leaves: bool
) -> list[Value]:
    """The values that a walk over a generator carries at its end, from `inits` on. It may end early where it `leaves`."""
    if walks.begin(interp, once) is None:
        return list(inits)
    found = run(interp, once, inits, hints, step, leaves=leaves)
    walks.leave(interp, once, walks.LEFT if leaves else "")
    return found


def run(
    interp: Interpreter, once: Once, inits: Sequence[Value], hints: Sequence[str], step: Step, *, leaves: bool
) -> list[Value]:
    """As `walk`, from the first item on, by someone who says himself that the items are taken."""
    generator = once.generator
    assert generator is not None
    carried = interp.heap.new("carried", Generator, tuple(hints), tuple(inits))
    depth = len(interp.frames)

    def give(item: Value) -> Value:
        if interp.level is not None:
            raise yields_in_try(interp)
        inner, span = interp.frames[depth:], interp.span
        del interp.frames[depth:]
        try:
            going, values = step(item, list(interp.contents(carried).items))
        finally:
            interp.frames[depth:] = inner
        interp.span = span
        interp.heap.contents[carried] = Contents(tuple(hints), tuple(values))
        return going

    body = generator.part if leaves else generator.whole
    _enter(interp, body, generator.args, give)
    return list(interp.contents(carried).items)


def yields_in_try(interp: Interpreter) -> AdxError:
    """The error where an item is given in a ``try`` of the generator."""
    message = "a `yield` stands in a `try`, whose handlers are not for what is done with the item"
    return interp.error(message, "compute the item in the `try`, and `yield` it after that")


def refuse_in_try(interp: Interpreter) -> None:
    """Refuse the code of a generator in a ``try``: what a walk carries when it raises is not what the handler would read."""
    if interp.level is not None:
        message = "a generator is walked over in a `try`"
        raise interp.error(message, "walk over it before the `try`: what was done so far is not followed where it raises")


def _enter(interp: Interpreter, body: FunctionValue, args: tuple[Value, ...], give: Callable[[Value], Value]) -> None:
    """Run the `body` of a generator, of which `give` is given the items."""
    if sum(frame.fn is body.fn for frame in interp.frames) >= _DEPTH:
        message = "a generator walks over generators of its own function, deeper than is known before the run"
        raise interp.error(message, "collect the items in a list that a recursive function fills")
    refuse_in_try(interp)
    span = interp.span
    interp.frames.append(Frame(body.fn, dict(body.captures), body.scope, None, give))
    try:
        for param, value in zip(body.fn.params, args, strict=True):
            interp.name(param.base, value)
        interp.run_block(body.fn.body, dict(zip(body.fn.params, args, strict=True)))
    finally:
        interp.frames.pop()
    interp.span = span


def listed(interp: Interpreter, once: Once) -> Value:
    """The items of a generator, from the first on, as a list."""
    items = interp.new_list(())
    append = interp.attribute(items, "append")

    def step(item: Value, carried: list[Value]) -> tuple[Value, list[Value]]:
        interp.call(append, (item,), wanted=False)
        return Lit(True), []

    run(interp, once, (), (), step, leaves=False)
    return items
