"""The fields of tuples, dicts and objects, which a list that holds as many as only a run can tell has in a list for each.

log = []                                  # log.t, log.y = [], []
log.append({"t": t, "y": y})              # log.t.append(t); log.y.append(y)
log[-1]["y"]                              # log.y[-1]

A dict or an object in such a list has been copied, and one that is taken from it is made anew. That cannot be told from the
original, unless one is changed. A change of one that was taken from a list is one of the item there, if each is in one place;
other lists with copies of it, and what was taken from one before, are read no more.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from adxform.frontend.evaluate.objects.heap import Originals, Row
from adxform.frontend.evaluate.objects.object_contents import AnyContents, Columns, Contents, PutIn
from adxform.frontend.evaluate.signals import PutAgain
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Ref, Tuple, Value
from adxform.ir.ops import Lit


@dataclass(frozen=True, slots=True)
class Fields:
    """The `items` of a tuple of class `cls`, or what a dict or an object of that class has under its `keys`."""

    items: tuple[Value, ...]
    cls: type
    keys: tuple[Any, ...] | None = None

    def is_like(self, other: Fields | Columns) -> bool:
        """Whether `other` is of the same class, with the same keys in the same order, or as many items."""
        count = len(other.items) if isinstance(other, Fields) else len(other.lists)
        return self.cls is other.cls and len(self.items) == count and Lit(self.keys) == Lit(other.keys)


def fields_of(interp: Interpreter, item: Value) -> Fields | None:
    """The fields of a tuple, a dict or an object that the function made; ``None`` of anything else."""
    if isinstance(item, Tuple):
        return Fields(item.items, item.cls)
    if (
        not interp.knowledge.follows_records
        or not isinstance(item, Ref)
        or item.kind not in ("dict", "instance")
        or (item.kind == "dict" and item.cls is not dict)
    ):
        return None
    held: Any = interp.heap.contents[item]
    if type(held) is not Contents or item in interp.heap.contents.attributes or originals(interp, item) is None:
        return None
    return Fields(held.items, item.cls, held.keys)


def originals(interp: Interpreter, item: Ref) -> set[Ref] | None:
    """All that may be one object with `item`; ``None`` where that is not known, or it belongs to the caller's program."""
    others = interp.heap.others(item)
    if others is None or any(interp.identity(one) is not None for one in (item, *others)):
        return None
    return {item, *others}


def change(interp: Interpreter, ref: Ref, contents: AnyContents) -> bool:
    """Whether `ref` was taken from a list in which it is in one place, and it, like `ref`, now has `contents`.

    Other lists that have copies of it, and what was taken from any of them before, are read no more.
    """
    row, held = interp.heap.contents.rows.get(ref), interp.heap.contents[ref]
    columns = None if row is None else interp.columns(row.owner)
    others = interp.heap.others(ref)
    if row is None or columns is None or others is None or not isinstance(held, Contents) or not isinstance(contents, Contents):
        return False
    if contents.keys != held.keys or any(one.repeated for one in columns.copied) or row.held != _held(interp, columns):
        return False
    for one in columns.copied:
        one.changed = True
    for part, before, now in zip(columns.lists, held.items, contents.items, strict=True):
        if now is not before:
            interp.call(Lit(operator.setitem), (part, row.index, now))
    interp.heap.outdate_others(ref, others)
    interp.heap.contents[row.owner] = columns
    interp.heap.contents[ref] = contents
    interp.heap.contents.rows[ref] = Row(row.owner, row.index, _held(interp, columns))
    return True


def _held(interp: Interpreter, columns: Columns) -> tuple[AnyContents, ...]:
    """What the lists of `columns` hold: others than these where an item is put in or taken out, or comes to another place."""
    return tuple(interp.heap.contents[part] for part in columns.lists)


def put_in(interp: Interpreter, columns: Columns, items: Iterable[Value]) -> None:
    """Note that a list, which consists of `columns`, has copies of `items`."""
    for item in items if columns.keys is not None else ():
        found = originals(interp, item) if isinstance(item, Ref) else None
        if found is not None:
            interp.heap.contents.copied |= found
            for one in columns.copied:
                if len(found) > 1 or not found.isdisjoint(one.refs):
                    note_repeated(one)
                one.refs |= found


def note_repeated(lists: PutIn) -> None:
    """Note that an object may be in several places of `lists`.

    Raises:
        PutAgain: one has been changed, in a loop perhaps that comes back there, as if each were in one place.
    """
    if lists.changed and not lists.repeated:
        raise PutAgain
    lists.repeated = True


def whole(
    interp: Interpreter, columns: Columns, parts: Iterable[Value], owner: Ref | None = None, index: Value | None = None
) -> Value:
    """A tuple, dict or object of a list, with `parts` in its fields: the item at `index` of `owner`, if it is one."""
    items = tuple(parts)
    if columns.keys is None:
        return Tuple(items, columns.cls)
    ref = Ref("dict" if columns.cls is dict else "instance", columns.cls, shared=True)
    interp.heap.contents[ref] = Contents(columns.keys, items)
    if owner is not None and index is not None:
        interp.heap.contents.rows[ref] = Row(owner, index, _held(interp, columns))
    interp.heap.note_originals(ref, Originals(params=interp.heap.deciding(columns), made=all_copied(columns.copied)))
    return ref


def all_copied(copied: Iterable[PutIn]) -> frozenset[Ref]:
    """The objects of which there are copies."""
    return frozenset(ref for one in copied for ref in one.refs)
