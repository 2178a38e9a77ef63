"""Lists of which a program takes one at a place that only the run knows: cells, buckets, neighbours.

The items of all of them are in one list, `pairs`, each beside the place of the list that it is in: appending to one of them
appends a pair, and what one of them holds is what stands beside its place.

    cells[k].append(v)              # pairs.append((k, v))
    for v in cells[k]: …            # for v in [item for place, item in pairs if place == k]: …
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from adxform.errors import AdxError
from adxform.frontend.containers import list_arrays, list_kinds, tuple_columns
from adxform.frontend.evaluate.objects import chosen_items
from adxform.frontend.evaluate.objects.heap import NO_OTHERS, Originals
from adxform.frontend.evaluate.objects.object_contents import (
    AnyContents,
    Collected,
    Columns,
    Contents,
    ListFamily,
    Portion,
    Portions,
    list_contents,
)
from adxform.frontend.evaluate.signals import Grows
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Range, Ref, Static, Tuple, Value
from adxform.ir.ops import Lit, Var
from adxform.primitives.definitions.of_python import item_places

_T = TypeVar("_T")


def among(interp: Interpreter, items: tuple[Value, ...], index: Var) -> Value | None:
    """The one of `items`, which are lists, at `index`, which only a run can tell; ``None`` for what is no such list."""
    lists = [item for item in items if isinstance(item, Ref) and item.kind == "list" and item.cls is list]
    if not lists or len(lists) < len(items) or interp.integers.followed(index) or _are_alike(interp, lists):
        return None
    leaves = _leaves(interp, lists)
    if leaves is None:
        return None
    if not interp.loops.chooses:
        interp.loops.would_choose = True
        return None
    if all(leaf.outside for leaf in leaves):
        return _of_outside(interp, lists, index) if leaves == lists else None
    if any(interp.portion(leaf) is None for leaf in leaves) and not put_together(interp, tuple(leaves)):
        return None
    return _chosen(interp, lists, index)


def _are_alike(interp: Interpreter, lists: list[Ref]) -> bool:
    """Whether there are a few lists with as many items each, known one by one, of which a branch may choose each item."""
    if len(lists) > chosen_items.CHOICES or any(interp.portion(one) is not None or interp.is_long(one) for one in lists):
        return False
    held = [interp.contents(one).items for one in lists]
    numbers = not any(isinstance(item, Ref) and item.kind == "list" for items in held for item in items)
    return numbers and all(held) and len(set(map(len, held))) == 1


def _leaves(interp: Interpreter, lists: list[Ref]) -> list[Ref] | None:
    """The lists that are chosen in the end: `lists`, or those in them, as many in each; ``None`` where these differ."""
    held = [() if interp.portion(one) is not None or interp.is_long(one) else interp.contents(one).items for one in lists]
    inner = [item for items in held for item in items if isinstance(item, Ref) and item.kind == "list"]
    if not inner:
        return lists
    if len({len(items) for items in held}) > 1 or len(inner) < sum(map(len, held)):
        return None
    return _leaves(interp, inner)


def _chosen(interp: Interpreter, lists: list[Ref], index: Var) -> Value | None:
    """The list at `index`: a name for one of those that are in one list, or a list of such names."""
    found = [interp.portion(one) for one in lists]
    portions = [portion for portion in found if portion is not None]
    if not portions:
        columns = zip(*(interp.contents(one).items for one in lists), strict=True)
        inner = [_chosen(interp, [item for item in column if isinstance(item, Ref)], index) for column in columns]
        if any(item is None for item in inner):
            return None
        contents = list_contents(tuple(item for item in inner if item is not None))
        made = interp.heap.new("list", list, contents.keys, contents.items, shared=True)
        interp.heap.note_originals(made, Originals(frozenset(lists)))
        return made
    family = portions[0].of
    if len(portions) < len(lists) or any(portion.of is not family for portion in portions):
        return None
    places = tuple(portion.place for portion in portions)
    within = interp.integers.within.get(index) == len(places)
    place = index if within else interp.call(Static(item_places.place_of_item), (index, Lit(len(places))))
    if places != tuple(map(Lit, range(len(places)))):
        place = interp.call(Lit(operator.getitem), (Tuple(places), place))
    return named(interp, family, place, portions[0].group, index, tuple(lists))


def all_places(interp: Interpreter, family: ListFamily) -> Ref:
    """A list of the places of all lists of a family."""
    places = interp.call(Lit(list), (Range(Lit(0), interp.made_lists(family), Lit(1)),))
    assert isinstance(places, Ref)
    return places


def place_in_family(interp: Interpreter, family: ListFamily, item: Value, owner: Ref | None = None) -> Value:
    """The place of `item`, which is one of a family from here on, if it was none, under all names that it has.

    It is put into the list of lists `owner`.
    """
    portion = interp.portion(item)
    if portion is not None and portion.of is family:
        return portion.place
    held = interp.heap.contents.get(item) if isinstance(item, Ref) and item.kind == "list" and item.cls is list else None
    if isinstance(item, Ref) and isinstance(held, Collected) and not held.done:
        raise list_arrays.irregular(item, held)
    own = isinstance(item, Ref) and not item.outside and interp.identity(item) is None
    known = own and isinstance(held, Contents | Columns | Collected)
    if not known or (isinstance(item, Ref) and interp.heap.contents.originals.get(item, NO_OTHERS).refs):
        raise of_others(interp)
    assert isinstance(item, Ref)
    assert held is not None
    _tell_apart(interp, family, owner)
    items = interp.heap.new("list", list, (), ())
    interp.heap.contents[items] = held
    made = interp.made_lists(family)
    place = interp.call(Lit(int), (made,))
    if item.shared:  # what stands for a new list on each path
        interp.heap.contents[item] = Portion(family, place)
    else:
        interp.write(item, Portion(family, place))
    interp.heap.contents[family.made] = Contents(_MADE, (interp.call(Lit(operator.add), (made, Lit(1))),))
    if isinstance(held, Contents):
        for value in held.items:
            interp.call(interp.attribute(item, "append"), (value,))
    else:
        extend(interp, item, items)
    return place


def of_others(interp: Interpreter) -> AdxError:
    """What says that a list is of another family, or of none, so that it cannot be put among those of one."""
    return interp.error(
        "what is put into a list of lists of which only a run can tell which one is taken is no new list",
        "put `[]` there, and its items into that",
    )


def _tell_apart(interp: Interpreter, family: ListFamily, owner: Ref | None) -> None:
    """Let all lists of lists of a family but `owner` say which of its lists they have, of which there will be one more."""
    for ref, held in tuple(interp.heap.contents.items()):
        if ref is not owner and isinstance(held, Portions) and held.of is family and held.places is None:
            interp.hold(ref, replace(held, places=all_places(interp, family)))


def take_in(interp: Interpreter, family: ListFamily, ref: Ref) -> bool:
    """Whether the list `ref` can be, and now is, one of a family."""
    if family.pairs not in interp.heap.contents or not is_new(interp, ref):
        return False
    place_in_family(interp, family, ref)
    return True


def is_new(interp: Interpreter, ref: Ref) -> bool:
    """Whether the list `ref` is the program's own, of no family, and the same under all names."""
    held = interp.heap.contents.get(ref)
    settled = isinstance(held, Contents | Columns) or (isinstance(held, Collected) and held.done and held.row_of is None)
    own = settled and ref.kind == "list" and ref.cls is list and not ref.outside and interp.identity(ref) is None
    return own and not interp.heap.contents.originals.get(ref, NO_OTHERS).refs


def named(
    interp: Interpreter,
    family: ListFamily,
    place: Value,
    group: tuple[Ref, ...],
    index: Value | None = None,
    among: tuple[Value, ...] | ListFamily | None = None,
) -> Ref:
    """A name for the list at `place` of a family, found at `index` of a list that holds `among`."""
    ref = Ref("list", list, shared=True)
    interp.heap.contents[ref] = Portion(family, interp.call(Lit(int), (place,)), group, index, among)
    return ref


def put_together(interp: Interpreter, group: tuple[Ref, ...]) -> bool:
    """Whether the items of the lists `group` can be, and now are, in one list."""
    if len(set(group)) < len(group) or any(ref.shared or not is_new(interp, ref) for ref in group):
        return False
    family = family_of(interp, [])
    for ref in group:
        place = place_in_family(interp, family, ref)
        interp.heap.contents[ref] = Portion(family, place, group)
    return True


_MADE = ("made",)


def family_of(interp: Interpreter, rows: list[tuple[Value, ...]]) -> ListFamily:
    """Lists that have the items of `rows`."""
    pairs = interp.new_list(tuple(Tuple((Lit(k), item)) for k, items in enumerate(rows) for item in items))
    return ListFamily(pairs, interp.heap.new("carried", ListFamily, _MADE, (Lit(len(rows)),)))


def _of_outside(interp: Interpreter, lists: list[Ref], index: Var) -> Value:
    """The one of `lists`, which belong to the caller's program, at `index`: none of them changes."""
    family = family_of(interp, [interp.contents(one).items for one in lists])
    place = interp.call(Static(item_places.place_of_item), (index, Lit(len(lists))))
    return _kept(interp, taken(interp, Portion(family, interp.call(Lit(int), (place,)))))


def _kept(interp: Interpreter, made: Ref) -> Ref:
    """A list like `made` that belongs to the caller's program."""
    ref = Ref("list", list, outside=True)
    contents = interp.heap.contents[made]
    if isinstance(contents, Columns):
        contents = replace(contents, lists=tuple(_kept(interp, part) for part in contents.lists))
    interp.heap.contents[ref] = contents
    return ref


def taken(interp: Interpreter, portion: Portion) -> Ref:
    """A list of the items of one of those that are in one list, as they are now."""
    state = tuple(_contents_of(interp, portion.pairs))
    key = portion.pairs, portion.place
    known = interp.heap.contents.taken.get(key)
    if known is not None and len(known[0]) == len(state) and all(a is b for a, b in zip(known[0], state, strict=True)):
        return known[1]
    made = _taken(interp, portion)
    interp.heap.contents.taken[key] = tuple(_contents_of(interp, portion.pairs)), made
    return made


def _contents_of(interp: Interpreter, ref: Ref) -> Iterator[AnyContents]:
    """What a list, and each list of a place in its tuples, holds."""
    contents = interp.heap.contents[ref]
    yield contents
    if isinstance(contents, Columns):
        for part in contents.lists:
            yield from _contents_of(interp, part)


def _taken(interp: Interpreter, portion: Portion) -> Ref:
    columns = _in_columns(interp, portion.pairs)
    if columns is None:
        return interp.new_list(())
    order = _where(interp, columns, operator.eq, portion.place)
    found = interp.columns(tuple_columns.ordered(interp, Columns(columns.lists[1:], columns.cls), order))
    assert found is not None
    if (items := interp.filled(found.lists[0])) is not None:
        list_arrays.note_uneven(interp, items.buffer)
    return found.lists[0]


def _in_columns(interp: Interpreter, pairs: Ref) -> Columns | None:
    """The lists of the places and of the items of `pairs`; ``None`` where there are none so far."""
    if interp.columns(pairs) is None:
        items = interp.contents(pairs).items
        if not items:
            return None
        if not list_arrays.as_list_of_rows(interp, Grows(pairs, list_kinds.common_item(interp, items))):
            raise interp.error(_DIFFER, "let all of them be numbers, arrays of one shape, or tuples of those")
    empty = any(isinstance(part, Contents) and not part.items for part in _contents_of(interp, pairs))
    return None if empty else interp.columns(pairs)


_DIFFER = "the items of lists differ in kind of which only a run can tell which one is taken"


def _where(interp: Interpreter, columns: Columns, compare: Any, place: Value) -> Value:
    """Where the items stand whose places are as this one, by `compare`."""
    return interp.call(
        Lit(np.flatnonzero), (interp.call(Lit(compare), (_places(interp, columns.lists[0]), place)),), hint="order"
    )


def _places(interp: Interpreter, part: Ref) -> Value:
    """The places beside the items, as an array."""
    filled = interp.filled(part)
    if filled is not None:
        return list_arrays.so_far(interp, filled)
    return interp.call(Lit(np.array), (Tuple(interp.contents(part).items),))


def append(interp: Interpreter, portion: Portion, item: Value) -> None:
    """Put `item` after the items of a list."""
    interp.call(interp.attribute(portion.pairs, "append"), (Tuple((portion.place, item)),))


def extend(interp: Interpreter, ref: Ref, more: Value) -> None:
    """Put the items of `more` after those of the list `ref`."""
    interp.call(Static(item_places.append_all), (ref, more))


def put(interp: Interpreter, portion: Portion, contents: AnyContents) -> None:
    """Let a list hold `contents` instead of what it holds."""
    made = interp.heap.new("list", list, (), ())
    interp.heap.contents[made] = contents
    columns = _in_columns(interp, portion.pairs)
    if columns is None and isinstance(contents, Contents) and not contents.items:
        return  # none of the lists holds anything
    others: Value = interp.new_list(())
    if columns is not None:
        others = tuple_columns.ordered(interp, columns, _where(interp, columns, operator.ne, portion.place))
    found = interp.call(Static(item_places.with_portion), (others, portion.place, made))
    assert isinstance(found, Ref)
    now, then = interp.columns(portion.pairs), interp.columns(found)
    if now is None or then is None:
        interp.write(portion.pairs, interp.heap.contents[found])
    elif not tuple_columns.assign(interp, now, then):
        raise interp.error(_DIFFER, "let all of them be numbers, arrays of one shape, or tuples of those")


def changed(interp: Interpreter, portion: Portion, change: Callable[[Ref], _T], keeps: bool = True) -> _T:
    """What `change` returns of a list of the items of one of several lists; that one is as it leaves it, if it `keeps` that."""
    own = interp.call(Lit(list), (taken(interp, portion),))
    assert isinstance(own, Ref)
    found = change(own)
    if keeps:
        put(interp, portion, interp.heap.contents[own])
    return found
