"""Lists of tuples, dicts and objects whose length only a run can tell: a list for each place in the tuples, for each key."""

from __future__ import annotations

import operator
from collections import deque
from dataclasses import replace

from adxform.frontend.containers import collecting, list_arrays, list_kinds, object_lists
from adxform.frontend.evaluate.control_flow import iteration
from adxform.frontend.evaluate.keys import refuse_index
from adxform.frontend.evaluate.objects.fields import Fields, all_copied, fields_of, note_repeated, put_in, whole
from adxform.frontend.evaluate.objects.heap import Heap
from adxform.frontend.evaluate.objects.object_contents import Columns, Contents, PutIn, list_contents
from adxform.frontend.evaluate.signals import Grows, Kind
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, Ref, Slice, Value, Zip
from adxform.ir.ops import Lit, Var


def start(interp: Interpreter, growing: Grows) -> bool:
    """Whether the list of `growing` can be, and now is, a list for each place in its tuples."""
    ref, item = growing.ref, growing.item
    contents: object = interp.heap.contents[ref]
    if not item.fields or ref.kind != "list" or ref.cls not in (list, deque) or not isinstance(contents, Contents):
        return False
    places = range(len(item.fields))
    parts = tuple(interp.new_list(()) for _ in places)
    columns = Columns(parts, item.cls, item.keys, frozenset((PutIn(repeated=interp.knowledge.put_again),)))
    rows = [row.items for one in contents.items if (row := fields_of(interp, one)) is not None and row.is_like(columns)]
    if len(rows) < len(contents.items):
        return False
    for k, part in enumerate(parts):
        interp.write(part, list_contents(tuple(row[k] for row in rows)))
    if not all(object_lists.begun(interp, part) for part, field in zip(parts, item.fields, strict=True) if field.objects):
        return False
    put_in(interp, columns, contents.items)
    hold(interp, ref, columns)
    interp.makes_records |= item.keys is not None
    return True


def hold(interp: Interpreter, ref: Ref, columns: Columns) -> None:
    """Let a list consist of `columns`."""
    interp.hold(ref, columns)


def assign(interp: Interpreter, columns: Columns, others: Columns) -> bool:
    """Let the lists of `columns` hold what those of `others` do; whether there are as many of them."""
    if not Fields(columns.lists, columns.cls, columns.keys).is_like(others):
        return False
    share(columns, others)
    for part, other in zip(columns.lists, others.lists, strict=True):
        inner, theirs = interp.columns(part), interp.columns(other)
        if inner is None and theirs is None:
            interp.write(part, interp.heap.contents[other])
        elif inner is None or theirs is None or not assign(interp, inner, theirs):
            return False
    return True


def made(interp: Interpreter, columns: Columns, cls: type = list) -> Ref:
    """A new list (or tuple) that consists of `columns`."""
    ref = interp.heap.new("list", cls, (), ())
    interp.heap.contents[ref] = columns
    return ref


def kind_of(interp: Interpreter, heap: Heap, columns: Columns) -> Kind:
    """What the tuples are."""
    held = interp.heap
    interp.heap = heap
    try:
        fields = []
        for part in columns.lists:
            filled, inner = interp.filled(part), interp.columns(part)
            if inner is not None:
                fields.append(kind_of(interp, heap, inner))
            elif filled is not None:
                fields.append(list_kinds.kind_of(filled))
            elif interp.seen(part) is not part:
                fields.append(Kind(objects=True))
            else:
                fields.append(list_kinds.common_item(interp, interp.contents(part).items))
        return Kind(fields=tuple(fields), cls=columns.cls, keys=columns.keys)
    finally:
        interp.heap = held


def load(interp: Interpreter, ref: Ref, columns: Columns, index: Value, hint: str) -> Value:
    """``list[index]``"""
    refuse_index(interp, index, "list")
    parts = tuple(interp.call(Lit(operator.getitem), (part, index), hint=hint) for part in columns.lists)
    if not isinstance(index, Slice):
        return whole(interp, columns, parts, ref, index)
    return made(interp, replace(columns, lists=_lists(parts)))


def copied(interp: Interpreter, columns: Columns, cls: type = list) -> Ref:
    """A copy of the list, as a list or a tuple."""
    everything = Slice(NONE, NONE, NONE)
    parts = tuple(interp.call(Lit(operator.getitem), (part, everything), hint="items") for part in columns.lists)
    return made(interp, replace(columns, lists=_lists(parts)), cls)


def zipped(interp: Interpreter, parts: tuple[Value, ...], cls: type = list) -> Value:
    """``list(zip(*parts))`` of new lists, of which each is cut off where the shortest ends."""
    lists = _lists(as_long_as_one_another(interp, parts))
    return made(interp, Columns(lists), cls) if len(lists) == len(parts) else Zip(parts)


def as_long_as_one_another(interp: Interpreter, parts: tuple[Value, ...]) -> tuple[Value, ...]:
    """`parts`, each cut off where the shortest of them ends."""
    counts = [iteration.length(interp, part) for part in parts]
    sizes = [interp.integers.sizes.get(count) if isinstance(count, Var) else count for count in counts]
    if None not in sizes and len(dict.fromkeys(sizes)) == 1:
        return parts
    within = Slice(NONE, iteration.length(interp, Zip(parts)), NONE)
    return tuple(interp.call(Lit(operator.getitem), (part, within)) for part in parts)


def _lists(parts: tuple[Value, ...]) -> tuple[Ref, ...]:
    return tuple(part for part in parts if isinstance(part, Ref))


def store(interp: Interpreter, ref: Ref, columns: Columns, index: Value, value: Value) -> None:
    """``list[index] = value``"""
    if isinstance(index, Slice):
        _splice(interp, ref, columns, index, value)
        return
    for part, item in zip(columns.lists, _parts(interp, columns, value), strict=True):
        interp.call(Lit(operator.setitem), (part, index, item))


def _splice(interp: Interpreter, ref: Ref, columns: Columns, cut: Slice, items: Value) -> None:
    """``list[cut] = items``"""
    before = collecting.spliced(interp, ref, *collecting.bounds(interp, ref, cut), items)
    made = interp.columns(before)
    if made is None or not assign(interp, columns, made):
        raise interp.error("the items of this list differ in kind", _ALIKE)


def delete(interp: Interpreter, columns: Columns, index: Value) -> None:
    """``del list[index]``"""
    for part in columns.lists:
        interp.call(Lit(operator.delitem), (part, index))


def call(interp: Interpreter, columns: Columns, name: str, args: tuple[Value, ...]) -> Value:
    """What the method `name` returns: of what each of the lists does."""
    return whole(interp, columns, [interp.call(interp.attribute(part, name), args) for part in columns.lists])


def append(interp: Interpreter, columns: Columns, item: Value) -> None:
    """Put `item` after the tuples so far."""
    for part, own in zip(columns.lists, _parts(interp, columns, item), strict=True):
        interp.call(interp.attribute(part, "append"), (own,))


def insert(interp: Interpreter, columns: Columns, index: Value, item: Value) -> None:
    """Put `item` before the tuple at `index`."""
    for part, own in zip(columns.lists, _parts(interp, columns, item), strict=True):
        interp.call(interp.attribute(part, "insert"), (index, own))


def extend(interp: Interpreter, columns: Columns, more: Value) -> None:
    """Put the tuples of `more` after those so far."""
    known = iteration.known_items(interp, more)
    other = interp.columns(more if known is not None else interp.call(Lit(list), (more,)))
    if known is not None:
        for item in known:
            append(interp, columns, item)
    elif other is not None and Fields(other.lists, other.cls, other.keys).is_like(columns):
        share(columns, other)
        for part, own in zip(columns.lists, other.lists, strict=True):
            interp.call(interp.attribute(part, "extend"), (own,))
    else:
        raise interp.error("a list is extended by one whose items are not like its own", "append them in a loop")


def _parts(interp: Interpreter, columns: Columns, item: Value) -> tuple[Value, ...]:
    """The parts of an item that is like those of the list, and is in it from here on."""
    found = fields_of(interp, item)
    if found is None or not found.is_like(columns):
        raise interp.error("the items of this list differ in kind", _ALIKE)
    put_in(interp, columns, (item,))
    return found.items


_ALIKE = "let all items be tuples of one length, or objects of one class with the same attributes"


def share(columns: Columns, others: Columns) -> None:
    """Note that a list, which consists of `columns`, has copies of all that another one has copies of."""
    for one in columns.copied:
        note_repeated(one)
        one.refs |= all_copied(others.copied)


def ordered(interp: Interpreter, columns: Columns, order: Value) -> Ref:
    """The tuples in the `order` of an array of places."""
    parts: list[Ref] = []
    for part in columns.lists:
        if interp.seen(part) is not part:
            parts.append(object_lists.in_order(interp, interp.seen(part), order))
            continue
        if not interp.is_long(part):
            list_arrays.as_list_of_rows(interp, Grows(part, list_kinds.common_item(interp, interp.contents(part).items)))
        inner = interp.columns(part)
        if inner is not None:
            parts.append(ordered(interp, inner, order))
            continue
        filled = interp.filled(part)
        if filled is None:
            raise interp.error("tuples are put in order whose items differ in kind", "make them one kind, e.g. with `float(…)`")
        found = interp.call(Lit(operator.getitem), (list_arrays.so_far(interp, filled), order))
        parts.append(collecting.new_list(interp, found, filled.nested, weak=filled.weak, kinds=filled.kinds))
    return made(interp, replace(columns, lists=tuple(parts)))
