"""The fields of tuples, dicts and objects, which a list that holds as many as only a run can tell has in a list for each.

log = []                                  # log.t, log.y = [], []
log.append({"t": t, "y": y})              # log.t.append(t); log.y.append(y)
log[-1]["y"]                              # log.y[-1]

A dict or an object in such a list has been copied, and one that is taken from it is made anew. That cannot be told from the
original, unless one is changed: then the list, and what was taken from it before, is read no more.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from adxform.frontend.evaluate.objects.heap import Originals
from adxform.frontend.evaluate.objects.object_contents import Columns, Contents, PutIn
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
    if not isinstance(item, Ref) or item.kind not in ("dict", "instance") or (item.kind == "dict" and item.cls is not dict):
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


def put_in(interp: Interpreter, columns: Columns, items: Iterable[Value]) -> None:
    """Note that a list, which consists of `columns`, has copies of `items`."""
    for item in items if columns.keys is not None else ():
        found = originals(interp, item) if isinstance(item, Ref) else None
        if found is not None:
            interp.heap.contents.copied |= found
            for one in columns.copied:
                one.refs |= found


def whole(interp: Interpreter, columns: Columns, parts: Iterable[Value]) -> Value:
    """A tuple, dict or object of a list, with `parts` in its fields."""
    items = tuple(parts)
    if columns.keys is None:
        return Tuple(items, columns.cls)
    ref = Ref("dict" if columns.cls is dict else "instance", columns.cls, shared=True)
    interp.heap.contents[ref] = Contents(columns.keys, items)
    interp.heap.note_originals(ref, Originals(params=interp.heap.deciding(columns), made=all_copied(columns.copied)))
    return ref


def all_copied(copied: Iterable[PutIn]) -> frozenset[Ref]:
    """The objects of which there are copies."""
    return frozenset(ref for one in copied for ref in one.refs)
