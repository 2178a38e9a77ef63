"""Generators: the code of one runs where it is walked over, with what is done with an item in the place of each ``yield``.

The loops of a generator so become the loops that walk over it, and what it changes is changed when Python changes it. What a walk
carries from item to item is held by an object meanwhile, which control flow joins as it joins any other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from adxform.frontend.evaluate.control_flow import walks
from adxform.frontend.evaluate.levels import Frame, TryLevel
from adxform.frontend.evaluate.objects.object_contents import Contents
from adxform.frontend.evaluate.signals import Thrown, Unreachable
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import FunctionValue, Generator, Once, Static, Value
from adxform.ir.ops import Lit
from adxform.primitives.definitions.of_python import iterations
from adxform.primitives.raising import meets

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
    depth, level = len(interp.frames), interp.level

    def give(item: Value) -> Value:
        _refuse_closing(interp, level, depth, leaves=leaves)
        inner, span, within = interp.frames[depth:], interp.span, interp.level
        here = interp.level = None if level is None else replace(level, forks=[])
        del interp.frames[depth:]
        try:
            going, values = step(item, list(interp.contents(carried).items))
        finally:
            interp.frames[depth:], interp.level = inner, within
        if here is not None and here.forks:
            message = "what is done with an item of a generator may raise in a way that is not followed in a `try`"
            raise interp.error(message, "make a list of the items first: `list(…)`")
        interp.span = span
        interp.heap.contents[carried] = Contents(tuple(hints), tuple(values))
        return going

    body = generator.part if leaves else generator.whole
    with _variables_held(interp):
        _enter(interp, body, generator.args, give)
    return list(interp.contents(carried).items)


@contextmanager
def _variables_held(interp: Interpreter) -> Iterator[None]:
    """Let an object hold the variables of the ``try`` around a walk: control flow of the generator, which has none, joins it."""
    level = interp.level
    if level is None or level.meanwhile is not None or level.frame is not (interp.frames[-1] if interp.frames else None):
        yield
        return
    before = dict(level.marks)
    level.meanwhile = interp.heap.new("carried", Generator, tuple(name.lstrip("%?") for name in before), tuple(before.values()))
    try:
        yield
    except (Thrown, Unreachable):
        level.marks.update(level.variables(interp.heap))
        raise
    except BaseException:
        level.marks.update(before)
        raise
    else:
        level.marks.update(level.variables(interp.heap))
    finally:
        level.meanwhile = None


def _refuse_closing(interp: Interpreter, outer: TryLevel | None, depth: int, *, leaves: bool) -> None:
    """Refuse an item that is given in a part of the generator which runs, or sees an exception, where the walk ends there."""
    own = () if interp.level is None else interp.level.wanted[len(outer.wanted) if outer else 0 :]
    entered = leaves and any(frame is one for frame in interp.frames[depth:] for one, _ in interp.managers)
    if entered or meets((GeneratorExit,), own):
        what = "a `with` whose manager" if entered else "a `try` whose `finally` or handler of every exception"
        message = f"a `yield` stands in {what} does something when Python closes the generator, which may be left there"
        raise interp.error(message, "compute the items in that part, and `yield` them after it")


def _enter(interp: Interpreter, body: FunctionValue, args: tuple[Value, ...], give: Callable[[Value], Value]) -> None:
    """Run the `body` of a generator, of which `give` is given the items."""
    if sum(frame.fn is body.fn for frame in interp.frames) >= _DEPTH:
        message = "a generator walks over generators of its own function, deeper than is known before the run"
        raise interp.error(message, "collect the items in a list that a recursive function fills")
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
    """The items of a generator, from the first on, as a list; in a ``try`` by a loop, in which appending may raise."""
    if interp.level is not None:
        anew = walks.iterator(interp, once.open, cls=once.cls, generator=once.generator)
        return interp.call(Static(iterations.all_of), (anew,), hint="items")
    items = interp.new_list(())
    append = interp.attribute(items, "append")

    def step(item: Value, carried: list[Value]) -> tuple[Value, list[Value]]:
        interp.call(append, (item,), wanted=False)
        return Lit(True), []

    run(interp, once, (), (), step, leaves=False)
    return items
