"""Items at places, and under keys, that only a run can tell: of a few things, each is chosen by its own branch."""

from __future__ import annotations

import operator

import numpy as np

from adxform import runtime
from adxform.frontend.evaluate.objects.heap import ChosenObject
from adxform.frontend.evaluate.objects.object_contents import Contents
from adxform.frontend.evaluate.outside.guards import constant
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.structures import all_leaves
from adxform.frontend.evaluate.values import NONE, Ref, Static, Tuple, Value
from adxform.ir.ops import Lit, Var
from adxform.ir.types import Array, Object, Scalar
from adxform.primitives.definitions.of_python import item_places

CHOICES = 32
"""Among how many items of different kinds a run may choose: each is a branch."""


def may_choose(interp: Interpreter, index: Value, count: int) -> bool:
    """Whether a branch may choose one of `count` items at `index`, which only a run can tell."""
    if not isinstance(index, Var) or interp.integers.followed(index) or not 0 < count <= CHOICES:
        return False
    interp.loops.would_choose |= not interp.loops.chooses
    return interp.loops.chooses


def columns_of(interp: Interpreter, items: tuple[Value, ...]) -> list[tuple[Value, ...]] | None:
    """What `items`, tuples of as many numbers or of tuples of those, have in each place; ``None`` for anything else."""
    if not items or not all(isinstance(item, Tuple) for item in items):
        return None
    rows = [item.items for item in items if isinstance(item, Tuple)]
    if len({(item.cls, len(item.items)) for item in items if isinstance(item, Tuple)}) > 1:
        return None
    columns = list(zip(*rows, strict=True))
    return columns if all(interp.of_numbers(column) or columns_of(interp, column) is not None for column in columns) else None


def of_the_run(interp: Interpreter, key: Value) -> Var | None:
    """What makes of `key`, a number, a text or a tuple of those, one that only a run can tell; ``None`` for any other."""
    if isinstance(key, Tuple):
        leaves = [part.type for part in all_leaves(interp, key) if isinstance(part, Var)]
        followed_else = interp.makes_deques  # then objects may be items of one, which are known where it is followed
        if any(isinstance(type_, Array) or (isinstance(type_, Object) and followed_else) for type_ in leaves):
            return None
        return next((found for part in key.items if (found := of_the_run(interp, part)) is not None), None)
    if not isinstance(key, Var) or isinstance(key.type, Array) or interp.integers.origins.get(key):
        return None
    return key


def place_of_key(interp: Interpreter, ref: Ref, key: Value) -> Value | None:
    """Where in a dict `key` is, which only a run can tell: of numbers, of tuples of those, or of what a branch may choose.

    ``None`` for anything else.
    """
    contents, told = interp.contents(ref), of_the_run(interp, key)
    if told is None or len(contents.keys) > CHOICES or not (contents.keys or _has_no_default(ref)):
        return None
    of_numbers = interp.of_numbers(contents.items) or columns_of(interp, contents.items) is not None
    if not of_numbers and not may_choose(interp, told, len(contents.keys)):
        return None
    return place_in_dict(interp, ref, key)


def _has_no_default(ref: Ref) -> bool:
    return ref.meta is None or ref.meta == NONE


def place_in_dict(interp: Interpreter, ref: Ref, key: Value) -> Value:
    """Where a dict has `key`, which only a run can tell: a new one is refused where a default would make its item."""
    keys = Tuple(tuple(constant(interp, own) for own in interp.contents(ref).keys))
    if _has_no_default(ref):
        return interp.call(Static(item_places.place_of), (key, keys))
    place = interp.call(Static(item_places.place_among), (key, keys))
    interp.require(interp.operand(interp.call(Lit(operator.ge), (place, Lit(0)))), runtime.new_key)
    return place


def under_number(interp: Interpreter, ref: Ref, key: Value) -> tuple[Tuple, Tuple] | None:
    """The whole numbers among the keys of a dict, and its items under them, where `key` is one that only a run can tell."""
    if not isinstance(key, Var) or interp.integers.followed(key) or not isinstance(key.type, Scalar):
        return None
    if np.dtype(key.type.dtype).kind not in "iub":
        return None
    contents = interp.contents(ref)
    found = [pair for pair in zip(contents.keys, contents.items, strict=True) if isinstance(pair[0], int)]
    return Tuple(tuple(Lit(own) for own, _ in found)), Tuple(tuple(item for _, item in found))


def one_of(interp: Interpreter, items: tuple[Value, ...], index: Var, what: str) -> Value:
    """The one of `items`, of whatever can be one thing on one path and another on another, that only a run can tell."""
    if len(items) > CHOICES:
        raise interp.error(
            f"the items of a {what} are numbers of different kinds, and only a run can tell which is taken",
            "make them one kind, e.g. with `float(…)`",
        )
    found = interp.call(Static(item_places.picked), (Tuple(items), index, Lit(f"{what} index out of range")))
    refs = tuple(item for item in items if isinstance(item, Ref))
    if isinstance(found, Ref) and len(refs) == len(items) and found not in refs:
        inner = [of_several(interp, one) for one in refs]
        together = tuple(dict.fromkeys(one for some in inner for one in some))
        which = index if together == refs else _chosen_among(interp, refs, together, index)
        interp.heap.note_choice(found, ChosenObject(which, together, by_place=True))
    return found


def of_several(interp: Interpreter, ref: Ref) -> tuple[Ref, ...]:
    """The objects of which `ref` is one, as the run has chosen, however often: none of them is one of several itself."""
    choice = interp.heap.contents.chosen.get(ref)
    found = (ref,) if choice is None else (one for inner in choice.objects for one in of_several(interp, inner))
    return tuple(dict.fromkeys(found))


def place_among(interp: Interpreter, value: Value, objects: tuple[Ref, ...]) -> Value:
    """The place among `objects` of the one that `value` is; any place where there is no object."""
    if not isinstance(value, Ref) or value in objects:
        return Lit(objects.index(value) if isinstance(value, Ref) else 0)
    choice = interp.heap.contents.chosen[value]
    if choice.by_place:
        return _chosen_among(interp, choice.objects, objects, choice.which)
    places = tuple(place_among(interp, one, objects) for one in choice.objects)
    return interp.call(Static(item_places.item_or), (choice.which, *places))


def _chosen_among(interp: Interpreter, refs: tuple[Ref, ...], objects: tuple[Ref, ...], which: Value) -> Var | Lit:
    """The place among `objects` of the one of `refs` at the place `which`."""
    places = Tuple(tuple(place_among(interp, one, objects) for one in refs))
    place = interp.call(Static(item_places.picked), (places, which, Lit("list index out of range")))
    assert isinstance(place, Var | Lit)
    return place


def place_to_store(interp: Interpreter, ref: Ref, key: Value) -> Value | None:
    """Where a dict of a few items has `key`, which only a run can tell, and which it must have; ``None`` for any other key."""
    contents, told = interp.contents(ref), of_the_run(interp, key)
    if told is None or not may_choose(interp, told, len(contents.keys)):
        return None
    keys = Tuple(tuple(constant(interp, own) for own in contents.keys))
    place = interp.call(Static(item_places.place_among), (key, keys))
    there = interp.operand(interp.call(Lit(operator.ge), (place, Lit(0))))
    if there != Lit(True):
        interp.require(there, runtime.new_key)
    return place


def place_in_list(interp: Interpreter, index: Value, count: int) -> Value:
    """The place from the start that `index` is in a list of `count` items."""
    return interp.call(Static(item_places.place_in_list), (index, Lit(count)))


def store(interp: Interpreter, ref: Ref, place: Value, value: Value) -> None:
    """Put `value` in the place of one of the items of `ref`."""
    contents = interp.contents(ref)
    items = (interp.call(Static(item_places.stored_at), (item, value, place, Lit(k))) for k, item in enumerate(contents.items))
    interp.write(ref, Contents(contents.keys, tuple(items)))
