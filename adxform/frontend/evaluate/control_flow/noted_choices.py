"""Which object a branch has chosen: names that hold one object on one path and another on the other, and what that one holds.

One that a branch inside has chosen, as ``elif`` does, is one of all that either chooses from, at a place that the run counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TypeVar

from adxform.frontend.evaluate.control_flow.templates import changed_objects, what_is_there
from adxform.frontend.evaluate.objects import chosen_items
from adxform.frontend.evaluate.objects.heap import ChosenObject, Heap
from adxform.frontend.evaluate.objects.object_contents import Contents
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Ref, Tuple, Value, is_undefined
from adxform.ir.build import Builder
from adxform.ir.ops import Operand, Var
from adxform.ir.types import INT

T = TypeVar("T")

Place = tuple[Var, tuple[Operand, ...]]
"""A variable for the place of a chosen object, and what it is at the end of each side."""


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a branch: the values with which it ends, if it does, and the heap then."""

    values: list[Value] | None
    builder: Builder
    heap: Heap


def note_choices(
    interp: Interpreter, cond: Operand, values: list[Value], changed: Iterable[Ref], sides: list[Side], start: Heap
) -> list[Place]:
    """Note which one an object is after a branch that is one of some from before it, and return the places among these.

    It is one of `values`, or in one of the objects that the sides have `changed`.
    """
    ends = [list(side.values or ()) for side in sides]
    for ref in changed:
        held = [heap.contents[ref] for heap in (interp.heap, *(side.heap for side in sides))]
        contents = [one for one in held if isinstance(one, Contents) and one.keys == getattr(held[0], "keys", None)]
        if len(contents) == len(held):
            values, ends = (
                [*values, *contents[0].items],
                [[*end, *one.items] for end, one in zip(ends, contents[1:], strict=True)],
            )
    return _noted(interp, cond, list(zip(values, *ends, strict=True)), sides, start)


def _noted(interp: Interpreter, cond: Operand, joined: list[tuple[Value, ...]], sides: list[Side], start: Heap) -> list[Place]:
    """As `note_choices`, of values that are `joined` of two at the ends of the sides."""
    places: list[Place] = []
    for value, *ends in joined:
        if isinstance(value, Tuple) and all(isinstance(end, Tuple) and len(end.items) == len(value.items) for end in ends):
            inner = (value.items, *(end.items for end in ends if isinstance(end, Tuple)))
            places += _noted(interp, cond, list(zip(*inner, strict=True)), sides, start)
        value, *ends = map(what_is_there, (value, *ends))
        if not isinstance(value, Ref) or not isinstance(cond, Var) or value in ends:  # it may be one from before itself
            continue
        objects = [_from_before(interp, end, start) for end in ends]
        if all(isinstance(end, Ref) and own == (end,) for end, own in zip(ends, objects, strict=True)):
            interp.heap.note_choice(value, ChosenObject(cond, (*objects[0], *objects[1])))
            continue
        together = tuple(dict.fromkeys((*objects[0], *objects[1])))
        if value not in together and all(own or is_undefined(end) for end, own in zip(ends, objects, strict=True)):
            which = Var(interp.names.fresh("which"), INT)
            among = [partial(chosen_items.place_among, interp, end, together) for end in ends]
            found = [_within(interp, side, place) for side, place in zip(sides, among, strict=True)]
            places.append((which, tuple(map(interp.operand, found))))
            interp.heap.note_choice(value, ChosenObject(which, together, by_place=True))
    return places


def _from_before(interp: Interpreter, value: Value, start: Heap) -> tuple[Ref, ...]:
    """The objects from before the branch of which `value` is one, none of them chosen; none where it may be another."""
    if not isinstance(value, Ref):
        return ()
    found = chosen_items.of_several(interp, value)
    if all(one in start.contents for one in found):
        return found
    return (value,) if value in start.contents else ()


def renew_chosen(interp: Interpreter, sides: Sequence[Side], start: Heap) -> None:
    """Let objects of which the run chose one hold what that one holds at the end of each side.

    They are among its values or in them, or in what one of the sides has changed. One that there was before the branch, and
    that is only out of date, stays so: what it holds is told where it is read.
    """
    stale = [side for side in sides if side.values is not None and any(map(side.heap.is_outdated, side.heap.contents.chosen))]
    changed = changed_objects(start, [side.heap for side in sides]) if stale else []
    for side in stale:
        if side.values is not None:
            waits = {ref for ref in changed if side.heap.is_outdated(ref) and ref in start.contents}
            _within(interp, side, partial(_renew, interp, [*side.values, *(ref for ref in changed if ref not in waits)]))


def _renew(interp: Interpreter, pending: list[Value]) -> None:
    """Renew what is among the `pending` values, and in them."""
    seen = set[Ref]()
    while pending:
        value = pending.pop()
        if isinstance(value, Tuple):
            pending += value.items
        if isinstance(value, Ref) and not value.outside and value not in seen:
            seen.add(value)
            held = interp.contents_or_doubt(value) if interp.heap.is_outdated(value) else interp.heap.contents.get(value)
            pending += held.items if isinstance(held, Contents) else ()


def _within(interp: Interpreter, side: Side, told: Callable[[], T]) -> T:
    """What is `told` at the end of `side`."""
    outer, heap = interp.builder, interp.heap
    interp.builder, interp.heap = side.builder, side.heap
    try:
        return told()
    finally:
        interp.builder, interp.heap = outer, heap
