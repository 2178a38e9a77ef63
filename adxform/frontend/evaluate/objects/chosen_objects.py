"""Objects of which the run knows which one they are: a change of one is a change of the one that it is."""

from __future__ import annotations

import operator
from functools import partial

from adxform.frontend.evaluate.control_flow.attempts import branch
from adxform.frontend.evaluate.identity import one_object
from adxform.frontend.evaluate.objects.chosen_items import place_in_list
from adxform.frontend.evaluate.objects.heap import ChosenObject
from adxform.frontend.evaluate.objects.object_contents import AnyContents, Contents
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Ref, Static, Tuple, Value
from adxform.ir.ops import Lit
from adxform.primitives.definitions.of_python import item_places


def renew(interp: Interpreter, ref: Ref) -> None:
    """Let `ref`, one of several objects of which the run knows which, hold what that one holds now."""
    choice = interp.heap.contents.chosen[ref]
    for one in choice.objects:
        interp.contents_or_doubt(one)
    if choice.by_place:
        items = Tuple(choice.objects)
        found = interp.call(Static(item_places.picked), (items, choice.which, Lit("list index out of range")), hint="chosen")
    else:
        first, second = choice.objects
        (found,) = branch(interp, choice.which, lambda: [first], lambda: [second], ["chosen"], interp.span)
    if isinstance(found, Ref):
        interp.heap.contents[ref] = interp.heap.contents[found]


def is_one(interp: Interpreter, a: Value, b: Value) -> Value | None:
    """Whether two things are one object, which the run tells of those that it has chosen; ``None`` where nobody can tell."""
    found = one_object(interp, a, b)
    if found is not None:
        return Lit(found)
    for ref, other in ((a, b), (b, a)):
        choice = interp.heap.contents.chosen.get(ref) if isinstance(ref, Ref) else None
        if choice is not None:
            return _is_chosen(interp, choice, other)
    return None


def _is_chosen(interp: Interpreter, choice: ChosenObject, other: Value) -> Value | None:
    """Whether the object that `choice` takes is `other`."""
    answers = [found for one in choice.objects if (found := is_one(interp, one, other)) is not None]
    if len(answers) < len(choice.objects):
        return None
    if not choice.by_place:
        return branch(interp, choice.which, lambda: answers[:1], lambda: answers[1:], ["same"], interp.span)[0]
    return interp.call(
        Static(item_places.picked), (Tuple(tuple(answers)), choice.which, Lit("list index out of range")), hint="same"
    )


def change(interp: Interpreter, ref: Ref, contents: AnyContents) -> bool:
    """Whether `ref` is one of several objects of which the run knows which, and that one, like `ref`, now has `contents`."""
    choice, held = interp.heap.contents.chosen.get(ref), interp.heap.contents[ref]
    if choice is None or not isinstance(held, Contents) or not isinstance(contents, Contents) or ref.kind == "list":
        return False
    new = {key: item for key, item in zip(contents.keys, contents.items, strict=True) if held.get(key) is not item}
    if any(contents.get(key) is None for key in held.keys):
        return False

    def changed(one: Ref) -> list[Value]:
        own = interp.contents(one)
        for key, item in new.items():
            own = own.put(key, item)
        interp.write(one, own)
        return []

    if choice.by_place:
        place = place_in_list(interp, choice.which, len(choice.objects))
        for k, one in enumerate(choice.objects):
            there = interp.operand(interp.call(Lit(operator.eq), (place, Lit(k))))
            branch(interp, there, partial(changed, one), list, [], interp.span)
    else:
        first, second = choice.objects
        branch(interp, choice.which, partial(changed, first), partial(changed, second), [], interp.span)
    interp.heap.contents[ref] = contents
    return True
