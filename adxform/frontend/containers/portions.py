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

from adxform.frontend.containers import list_arrays, list_kinds, tuple_columns
from adxform.frontend.evaluate import chosen_items
from adxform.frontend.evaluate.signals import Grows
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import (
    NO_OTHERS,
    AnyContents,
    Collected,
    Columns,
    Contents,
    Originals,
    Portion,
    Portions,
    Range,
    Ref,
    Static,
    Tuple,
    Value,
    is_int,
    list_contents,
)
from adxform.ir.ops import Lit, Var
from adxform.primitives.definitions import iterations

_T = TypeVar("_T")


def among(interp: Interpreter, items: tuple[Value, ...], index: Var) -> Value | None:
    """The one of `items`, which are lists, at `index`, which only a run can tell; ``None`` for what is no such list."""
    lists = [item for item in items if isinstance(item, Ref) and item.kind == "list" and item.cls is list]
    if not lists or len(lists) < len(items) or interp.followed(index) or _are_alike(interp, lists):
        return None
    leaves = _leaves(interp, lists)
    if leaves is None:
        return None
    if not interp.chooses:
        interp.would_choose = True
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
    portions = [interp.portion(one) for one in lists]
    if all(portion is None for portion in portions):
        columns = zip(*(interp.contents(one).items for one in lists), strict=True)
        inner = [_chosen(interp, [item for item in column if isinstance(item, Ref)], index) for column in columns]
        if any(item is None for item in inner):
            return None
        found = list_contents(tuple(item for item in inner if item is not None))
        made = interp.heap.new("list", list, found.keys, found.items, shared=True)
        interp.heap.note_originals(made, Originals(frozenset(lists)))
        return made
    pairs = portions[0].pairs if portions[0] is not None else None
    if pairs is None or any(portion is None or portion.pairs is not pairs for portion in portions):
        return None
    places = tuple(portion.place for portion in portions if portion is not None)
    within = interp.within.get(index) == len(places)
    place = index if within else interp.call(Static(iterations.place_of_item), (index, Lit(len(places))))
    if places != tuple(map(Lit, range(len(places)))):
        place = interp.call(Lit(operator.getitem), (Tuple(places), place))
    return named(interp, pairs, place, portions[0].group if portions[0] is not None else (), index)


def begun(interp: Interpreter, ref: Ref, *, stored: bool = False) -> bool:
    """Whether `ref`, a list of lists known one by one, can be, and now is, one of as many lists as only a run can tell.

    `stored`: other lists are stored in it where only a run knows.
    """
    held = interp.heap.contents.get(ref)
    if isinstance(held, Portions) and stored and held.places is None:
        places = interp.call(Lit(list), (Range(Lit(0), held.count, Lit(1)),))
        assert isinstance(places, Ref)
        interp.hold(ref, replace(held, places=places))
        return True
    if not isinstance(held, Contents) or ref.outside or ref.shared:
        return False
    lists = [item for item in held.items if isinstance(item, Ref) and item.kind == "list" and item.cls is list]
    found = _together(interp, lists) if len(set(lists)) == len(held.items) else None
    if found is None:
        return False
    pairs, own, count = found
    places = interp.new_list(tuple(own))
    interp.hold(ref, Portions(pairs, Lit(count), places if stored or own != [Lit(k) for k in range(count)] else None))
    return True


def _together(interp: Interpreter, lists: list[Ref]) -> tuple[Ref, list[Value], int] | None:
    """The list of the items of all of `lists`, at which place each is, and how many there are; ``None`` where there is none."""
    known = [interp.portion(one) for one in lists]
    first = next((portion for portion in known if portion is not None), None)
    if first is not None:
        whole = first.group and all(portion is not None and portion.pairs is first.pairs for portion in known)
        return (first.pairs, [portion.place for portion in known if portion is not None], len(first.group)) if whole else None
    if any(one.outside or one.shared or interp.identity(one) is not None for one in lists):
        return None
    rows = [interp.heap.contents[one] for one in lists]
    items = [row.items for row in rows if isinstance(row, Contents)]
    if len(items) < len(rows):
        return None
    pairs = _pairs(interp, items)
    for k, one in enumerate(lists):
        interp.write(one, Portion(pairs, Lit(k)))
    return pairs, [Lit(k) for k in range(len(lists))], len(lists)


def add(interp: Interpreter, ref: Ref, portions: Portions, item: Value) -> None:
    """Put the list `item` after the lists so far."""
    if portions.places is None and interp.portion(item) is not None and begun(interp, ref, stored=True):
        portions = interp.portions(ref) or portions
    place = _taken_in(interp, ref, portions, item)
    if portions.places is not None:
        interp.call(interp.attribute(portions.places, "append"), (place,))


def _taken_in(interp: Interpreter, ref: Ref, portions: Portions, item: Value) -> Value:
    """The place of `item`, which is one of the lists of `ref` from here on, if it was none, under all names that it has."""
    portion = interp.portion(item)
    if portion is not None and portion.pairs is portions.pairs:
        return portion.place
    held = interp.heap.contents.get(item) if isinstance(item, Ref) and item.kind == "list" and item.cls is list else None
    known = isinstance(held, Contents | Columns) or (isinstance(held, Collected) and held.done)
    own = isinstance(item, Ref) and not item.outside and interp.identity(item) is None
    if not known or not own or (isinstance(item, Ref) and interp.heap.contents.originals.get(item, NO_OTHERS).refs):
        raise interp.error(
            "what is put into a list of lists of which only a run can tell which one is taken is no new list",
            "put `[]` there, and its items into that",
        )
    assert isinstance(item, Ref)
    assert held is not None
    items = interp.heap.new("list", list, (), ())
    interp.heap.contents[items] = held
    place = interp.call(Lit(int), (portions.count,))
    if item.shared:  # what stands for a new list on each path
        interp.heap.contents[item] = Portion(portions.pairs, place)
    else:
        interp.write(item, Portion(portions.pairs, place))
    if isinstance(held, Contents):
        for value in held.items:
            interp.call(interp.attribute(item, "append"), (value,))
    else:
        extend(interp, item, items)
    interp.write(ref, replace(portions, count=interp.call(Lit(operator.add), (portions.count, Lit(1)))))
    return place


def adopted(interp: Interpreter, ref: Ref, item: Value) -> Value:
    """`item`, a list, as one of the lists of which the list of lists `ref` has some."""
    if begun(interp, ref, stored=True) or interp.portions(ref) is not None:
        several = interp.portions(ref)
        assert several is not None
        _taken_in(interp, ref, several, item)
    return item


def store(interp: Interpreter, ref: Ref, index: Value, value: Value) -> bool:
    """Whether the list `value` can be, and now is, stored at `index` of the list of lists `ref`, which only a run can tell."""
    several = interp.portions(ref)
    if not isinstance(value, Ref) or value.kind != "list" or not is_int(index):
        return False
    if several is None:
        items = interp.contents(ref).items
        if not isinstance(index, Var) or interp.followed(index) or not list_arrays.are_lists((*items, value)):
            return False
        if not interp.chooses or _of_one_length(interp, (*items, value)):
            interp.would_choose |= not interp.chooses
            return False
    if (several is None or several.places is None) and not begun(interp, ref, stored=True):
        return False
    several = interp.portions(ref)
    assert several is not None
    assert several.places is not None
    interp.call(Lit(operator.setitem), (several.places, index, _taken_in(interp, ref, several, value)))
    return True


def _of_one_length(interp: Interpreter, lists: tuple[Value, ...]) -> bool:
    """Whether lists have as many items each, so that one array may have them all."""
    held = [interp.heap.contents[one] for one in lists if isinstance(one, Ref)]
    lengths = {len(one.keys) if isinstance(one, Contents) else 0 for one in held}
    return len(lengths) == 1 and all(lengths)


def at(interp: Interpreter, portions: Portions, index: Value) -> Value:
    """The list at `index` of as many as only a run can tell."""
    if not is_int(index):
        raise interp.error("a slice of a list of lists of which only a run can tell how many there are", "take them one by one")
    if portions.places is not None:
        return named(interp, portions.pairs, interp.call(Lit(operator.getitem), (portions.places, index)), (), index)
    return named(interp, portions.pairs, interp.call(Static(iterations.place_of_item), (index, portions.count)), (), index)


def named(interp: Interpreter, pairs: Ref, place: Value, group: tuple[Ref, ...], index: Value | None = None) -> Ref:
    """A name for the list at `place` of those whose items are in `pairs`."""
    ref = Ref("list", list, shared=True)
    interp.heap.contents[ref] = Portion(pairs, interp.call(Lit(int), (place,)), group, index)
    return ref


def put_together(interp: Interpreter, group: tuple[Ref, ...]) -> bool:
    """Whether the items of the lists `group` can be, and now are, in one list."""
    if len(set(group)) < len(group):
        return False
    rows: list[tuple[Value, ...]] = []
    for ref in group:
        held: Any = interp.heap.contents.get(ref)
        if not isinstance(held, Contents) or ref.shared or ref.outside:
            return False
        rows.append(held.items)
    pairs = _pairs(interp, rows)
    for k, ref in enumerate(group):
        interp.write(ref, Portion(pairs, Lit(k), group))  # what stands for it on some paths does not follow it from here on
    return True


def _pairs(interp: Interpreter, rows: list[tuple[Value, ...]]) -> Ref:
    """The items of several lists in one, each beside the place of its list."""
    return interp.new_list(tuple(Tuple((Lit(k), item)) for k, items in enumerate(rows) for item in items))


def _of_outside(interp: Interpreter, lists: list[Ref], index: Var) -> Value:
    """The one of `lists`, which belong to the caller's program, at `index`: none of them changes."""
    pairs = _pairs(interp, [interp.contents(one).items for one in lists])
    place = interp.call(Static(iterations.place_of_item), (index, Lit(len(lists))))
    return _kept(interp, taken(interp, Portion(pairs, interp.call(Lit(int), (place,)))))


def _kept(interp: Interpreter, made: Ref) -> Ref:
    """A list like `made` that belongs to the caller's program."""
    ref = Ref("list", list, outside=True)
    contents = interp.heap.contents[made]
    if isinstance(contents, Columns):
        contents = Columns(tuple(_kept(interp, part) for part in contents.lists), contents.cls)
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
    interp.call(Static(iterations.append_all), (ref, more))


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
    found = interp.call(Static(iterations.with_portion), (others, portion.place, made))
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
