"""Lists, dicts and sets that two paths hold, made alike before the paths are joined: as many items, of one kind, held alike."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from typing import Any

from adxform.frontend.containers import keyed_lists, list_arrays, lists_of_lists, object_lists, object_sets
from adxform.frontend.containers.list_arrays import are_lists, as_list_of_rows, become_floats, irregular
from adxform.frontend.containers.list_kinds import kind_on_paths, row_type
from adxform.frontend.containers.tuple_columns import kind_of
from adxform.frontend.evaluate.control_flow.noted_choices import Side
from adxform.frontend.evaluate.control_flow.templates import changed_objects, what_is_there
from adxform.frontend.evaluate.objects import doubtful_keys
from adxform.frontend.evaluate.objects.heap import Heap
from adxform.frontend.evaluate.objects.object_contents import (
    Collected,
    Columns,
    Contents,
    HeldByRun,
    ListFamily,
    Portion,
)
from adxform.frontend.evaluate.signals import Grows, Kind
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Ref, Tuple, Value

Before = Container[Ref] | None
"""The objects that there were before a ``try``, where the sides of a branch are what an exception ends and what comes after."""


def made_alike(
    interp: Interpreter, values: tuple[Sequence[Value], Sequence[Value]], sides: list[Side], start: Heap, before: Before
) -> list[Ref] | None:
    """The objects that either side changed, with lists on both made alike; ``None`` where one from before is held anew."""
    heaps = [side.heap for side in sides]
    lists = list(lists_at_one_place(values, changed_objects(start, heaps), heaps))
    if any(_level_families(interp, pair, sides, start, before) for pair in lists):
        return None
    for pair in zip(*values, strict=True):
        _level_lists(interp, pair, sides)
    changed = changed_objects(start, heaps)
    if any(is_held_anew(interp, ref, start, heaps, before) for ref in changed):
        return None
    exchanged = {one for pair in lists for one in pair if _of_other_lengths(pair, heaps)}
    growing = (_other_items(interp, ref, start, heaps, exchanged) for ref in changed)
    if any(grows is not None and hold_anew(interp, grows) for grows in growing):
        return None
    for ref in changed:
        _level_lists(interp, (ref, ref), sides)
    return changed


def is_held_anew(interp: Interpreter, ref: Ref, start: Heap, heaps: list[Heap], before: Before) -> bool:
    """Whether a list or dict can be, and now is, held as a path has it: what a ``try`` made joins no family there."""
    together = _put_together(ref, start, heaps)
    if together is None or (together.family is not None and before is not None and ref not in before):
        return False
    return hold_anew(interp, together)


def _put_together(ref: Ref, start: Heap, heaps: list[Heap]) -> Grows | None:
    """What a list or dict becomes that is held on a path as one is of which only a run can tell the parts."""
    before: Any = start.contents[ref]
    sides = [heap.contents[ref] for heap in heaps]
    return next((grows for side in sides if (grows := list_arrays.held_anew(ref, before, side)) is not None), None)


def hold_anew(interp: Interpreter, grows: Grows) -> bool:
    """Whether a list or dict can be, and now is, held as what it becomes on a path."""
    if not as_list_of_rows(interp, grows) and not holds_lists(interp, grows):
        return False
    interp.anew = grows
    return True


def holds_lists(interp: Interpreter, grows: Grows) -> bool:
    """Whether a list of lists can be, and now is, one of as many as only a run can tell; or a dict one of such keys."""
    if grows.keyed:
        return keyed_lists.begun(interp, grows.ref)
    if grows.ref.kind in ("dict", "instance"):
        return doubtful_keys.begun(interp, grows.ref)
    if grows.of_objects:
        if grows.ref.kind == "set":
            return object_sets.begun(interp, grows.ref, grows.elements)
        return object_lists.begun(interp, grows.ref)
    return grows.of_lists and lists_of_lists.begun(interp, grows.ref, stored=grows.stored, family=grows.family)


def _other_items(interp: Interpreter, ref: Ref, start: Heap, heaps: list[Heap], exchanged: set[Ref]) -> Grows | None:
    """What a list or dict becomes that has other items on each path: floats where they were whole numbers, more tuples, keys.

    Names hold another one of the lists `exchanged` on either path.
    """
    before: Any = start.contents[ref]
    after: list[Any] = [heap.contents[ref] for heap in heaps]
    if ref.kind == "dict":
        return keyed_lists.on_paths(interp, ref, [before, *after])
    if all(isinstance(side, Collected) and side.done for side in (before, *after)):
        return next((irregular(ref, side) for side in after if row_type(side).dtype != row_type(before).dtype), None)
    if ref.kind != "list" or ref.outside or ref.shared or not isinstance(before, Contents):
        return None
    columns = next(((heap, side) for heap, side in zip(heaps, after, strict=True) if isinstance(side, Columns)), None)
    if columns is not None:
        return Grows(ref, kind_of(interp, *columns))
    if not all(isinstance(side, Contents) for side in after) or after[0].keys == after[1].keys:
        return None
    return _of_another_length(interp, ref, start, heaps, exchanged)


def _of_another_length(interp: Interpreter, ref: Ref, start: Heap, heaps: list[Heap], exchanged: set[Ref]) -> Grows | None:
    """What a list of known items becomes that has another number of them on each path, if they are tuples or lists."""
    sides: list[Any] = [heap.contents[ref] for heap in (start, *heaps)]
    kind = kind_on_paths(interp, sides, (start, *heaps))
    items = tuple(item for side in sides for item in side.items)
    lists = [item for item in items if isinstance(item, Ref)]
    other = any(item in exchanged or (item in start.contents and is_changed(item, start, heaps)) for item in lists)
    if (other or not kind.is_known) and are_lists(items):
        return Grows(ref, of_lists=True)
    if not kind.is_known and object_lists.are_objects(interp, items):
        return Grows(ref, of_objects=True)
    return Grows(ref, kind) if kind.fields else None


def is_changed(ref: Ref, start: Heap, heaps: list[Heap]) -> bool:
    """Whether an object holds something else on a path than it did before."""
    return any(heap.contents[ref] is not start.contents[ref] for heap in heaps)


def lists_at_one_place(
    values: tuple[Sequence[Value], Sequence[Value]], objects: Iterable[Ref], heaps: Sequence[Heap]
) -> Iterator[tuple[Ref, Ref]]:
    """Each two lists of which a name, or an item of a tuple or of one of the `objects`, holds one on either path."""
    pending = list(zip(*values, strict=True))
    for ref in objects:
        left, right = (heap.contents[ref] for heap in heaps)
        if type(left) is type(right) is Contents and len(left.items) == len(right.items):
            pending += zip(left.items, right.items, strict=True)
    while pending:
        a, b = pending.pop(0)
        if isinstance(a, Tuple) and isinstance(b, Tuple) and len(a.items) == len(b.items):
            pending += zip(a.items, b.items, strict=True)
        if isinstance(a, Ref) and isinstance(b, Ref) and a is not b and a.kind == b.kind == "list":
            yield a, b


def _of_other_lengths(lists: tuple[Ref, Ref], heaps: Sequence[Heap]) -> bool:
    """Whether two lists, one on each path, are not known to have as many items."""
    left, right = (heap.contents[one] for one, heap in zip(lists, heaps, strict=True))
    return not (isinstance(left, Contents) and isinstance(right, Contents) and left.keys == right.keys)


def of_a_family(lists: tuple[Ref, Ref], heaps: Sequence[Heap]) -> tuple[int, ListFamily] | None:
    """Which of two lists, one on each path, is to be one of a family of which the other is one; ``None`` if neither is."""
    left, right = (heap.contents[one] for one, heap in zip(lists, heaps, strict=True))
    if isinstance(left, Portion) is isinstance(right, Portion):
        return None
    return (0, right.of) if isinstance(right, Portion) else (1, left.of) if isinstance(left, Portion) else None


def _level_families(interp: Interpreter, lists: tuple[Ref, Ref], sides: list[Side], start: Heap, before: Before) -> bool:
    """Let a list be one of a family, where another path has one of these; whether both paths are to be run again for that."""
    found = of_a_family(lists, [side.heap for side in sides])
    if found is None or found[1].pairs not in start.contents:
        return False
    which, family = found
    if lists[which] in start.contents:
        return (before is None or lists[which] in before) and hold_anew(interp, Grows(lists[which], family=family))
    outer = interp.builder, interp.heap
    interp.builder, interp.heap = sides[which].builder, sides[which].heap
    interp.take_in(family, lists[which])
    interp.builder, interp.heap = outer
    return False


def _level_lists(interp: Interpreter, values: tuple[Value, Value], sides: list[Side]) -> None:
    """Make lists on both paths arrays of their items where they have another number of them on each, or floats on one only."""
    left, right = map(what_is_there, values)
    if not (isinstance(left, Ref) and isinstance(right, Ref) and left.kind == right.kind == "list" and left.cls is right.cls):
        return
    held: list[Any] = [side.heap.contents[ref] for side, ref in zip(sides, (left, right), strict=True)]
    filling = next((contents for contents in held if _is_being_filled(contents, held[0])), None)
    if filling is not None:
        raise irregular(left if filling is held[0] else right, filling)
    if not all(isinstance(contents, Contents | Collected | Columns) for contents in held):
        _level_objects(interp, (left, right), held, sides)
        return
    if all(isinstance(contents, Contents) for contents in held) and held[0].keys == held[1].keys:
        return
    target, item = _level_item(interp, left, held, sides)
    outer = interp.builder, interp.heap
    for ref, contents, side in zip((left, right), held, sides, strict=True):
        interp.builder, interp.heap = side.builder, side.heap
        other = isinstance(contents, Contents) or (target is not None and become_floats(contents, target))
        if other and not ref.outside and not ref.shared:
            as_list_of_rows(interp, Grows(ref, item))
    interp.builder, interp.heap = outer
    if target is None and not item.is_known:
        _level_objects(interp, (left, right), held, sides)
    _level_columns(interp, left, right, sides)


def _level_objects(interp: Interpreter, lists: tuple[Ref, Ref], held: list[Any], sides: list[Side]) -> None:
    """Let the run have lists of texts and other objects on both paths, where it has one, or they differ in length."""
    known = [contents for contents in held if isinstance(contents, Contents)]
    items = tuple(item for contents in known for item in contents.items)
    if len(known) == len(held) and not object_lists.are_objects(interp, items):
        return
    if not all(isinstance(contents, Contents | HeldByRun) for contents in held):
        return
    outer = interp.builder, interp.heap
    for ref, side in zip(lists, sides, strict=True):
        interp.builder, interp.heap = side.builder, side.heap
        object_lists.begun(interp, ref)
    interp.builder, interp.heap = outer


def _level_columns(interp: Interpreter, left: Ref, right: Ref, sides: list[Side]) -> None:
    """Do so with the lists for each place of a list of tuples."""
    held: list[Any] = [side.heap.contents[ref] for side, ref in zip(sides, (left, right), strict=True)]
    if all(isinstance(contents, Columns) for contents in held) and len(held[0].lists) == len(held[1].lists):
        for pair in zip(held[0].lists, held[1].lists, strict=True):
            _level_lists(interp, pair, sides)


def _level_item(interp: Interpreter, ref: Ref, held: list[Any], sides: list[Side]) -> tuple[Collected | None, Kind]:
    """The longer list whose items are kept as they are, if one of `held` is such a list, and what all their items become."""
    columns = [(side.heap, contents) for side, contents in zip(sides, held, strict=True) if isinstance(contents, Columns)]
    if columns:
        return None, kind_of(interp, *columns[0])
    long = [contents for contents in held if isinstance(contents, Collected)]
    if not long:
        return None, kind_on_paths(interp, held, [side.heap for side in sides])
    target = next((one for one in long if any(become_floats(other, one) for other in long)), long[0])
    return target, irregular(ref, target).item


def _is_being_filled(contents: Any, first: Any) -> bool:
    """Whether a loop is filling a list with `contents`, other than the array of `first` whose items are counted."""
    same = isinstance(contents, Collected) and isinstance(first, Collected) and contents.buffer == first.buffer
    return isinstance(contents, Collected) and not contents.done and not (same and contents.counted)
