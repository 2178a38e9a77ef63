"""Where paths meet: the template of what an object holds, which one path made or each has in its own way."""

from __future__ import annotations

import collections
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from adxform.frontend.evaluate.control_flow.joined_types import alike_rows, number_type
from adxform.frontend.evaluate.control_flow.templates import NOT_THERE, Built, Slot, Template
from adxform.frontend.evaluate.objects.fields import Fields
from adxform.frontend.evaluate.objects.heap import NO_OTHERS, Heap, Originals
from adxform.frontend.evaluate.objects.object_contents import (
    Collected,
    Columns,
    Contents,
    Doubtful,
    HeldByRun,
    Keyed,
    Portion,
    Portions,
    SetElements,
    in_doubt,
)
from adxform.frontend.evaluate.objects.value_parts import with_parts
from adxform.frontend.evaluate.values import Poison, Ref, Value
from adxform.ir.kinds import alternatives, one_of
from adxform.ir.ops import Lit, Var
from adxform.ir.types import Object

_HALF_FILLED = Poison("it is a list that a loop is filling on one path only")

_OF_TUPLES = Poison("it is a list of tuples whose length only a run can tell, and another kind of list on another path")

_OF_KEYS = Poison("it is a dict of which only a run can tell the keys, and another one on another path")

_OF_OBJECTS = Poison("it is a list of objects of which only a run can tell how many there are, and another one on another path")

_OF_ANOTHER_CALL = Poison("it is an object that a call of the function by itself gives", way="return what it holds instead")

_OF_PORTIONS = Poison("it is one of several lists of which only a run can tell which is taken, and another one on another path")


@dataclass(frozen=True, slots=True)
class Paths:
    """The heaps of two paths, and the one `before` they parted."""

    left: Heap
    right: Heap
    before: Heap


class Joins(ABC):
    """What the join of objects asks of that of values: the templates of what is in them.

    `decided`: what decides on the path, parameters or lengths of arguments, which is known when compiling where values do not
    join. `collects`: lists are arrays of items that have kinds of their own where they are known one by one.
    """

    decided: frozenset[Var]
    collects: bool

    @abstractmethod
    def generalise(self, value: Value, *, numbers: bool) -> Template:
        """The template of `value` alone: variables, and with `numbers` literal numbers, become slots."""

    @abstractmethod
    def escape(self, value: Value, heap: Heap, old: Heap) -> Template:
        """As `generalise`, for a value that only one path has: objects made on that path are made anew after it."""

    @abstractmethod
    def merge(self, a: Template, b: Template, paths: Paths) -> Template:
        """The template of a value that is `a` on the left path of `paths` or `b` on its right one."""

    @abstractmethod
    def merge_all(self, left: tuple[Template, ...], right: tuple[Template, ...], paths: Paths) -> tuple[Template, ...]:
        """The templates of values of which each is in `left` on one path and in `right` on the other."""


def alone(joins: Joins, contents: Any) -> Any:
    """The template of what an object holds, as `Joins.generalise` makes one of a value."""
    match contents:
        case Collected():
            return rows(joins, contents)
        case SetElements():
            return contents
        case Contents() | Doubtful():
            return replace(contents, items=tuple(joins.generalise(item, numbers=True) for item in contents.items))
        case _:
            return contents


def after_one_path(joins: Joins, contents: Any, heap: Heap, old: Heap) -> Any:
    """The template of what an object of `old` holds after the only path that goes on, which ends with `heap`."""
    match contents:
        case Portion() | Portions():
            return _OF_PORTIONS
        case Collected():
            return rows(joins, contents)
        case SetElements():
            return contents
        case Contents() | Doubtful():
            return _escaped(joins, contents, heap, old)
        case _:
            return contents


def escape(joins: Joins, ref: Ref, heap: Heap, old: Heap) -> Template:
    """The template of an object that one path has made, which ends with `heap`."""
    contents: Any = heap.contents[ref]
    originals = _originals(joins, [ref], heap, old)
    match contents:
        case Poison():
            return contents
        case Collected(done=False):
            return _HALF_FILLED
        case Portions():
            return _OF_PORTIONS
        case Keyed():
            return _OF_KEYS
        case Portion(place=place):
            return _named(ref, contents, joins.generalise(place, numbers=True), old, originals)
        case Collected():
            return _built(ref, rows(joins, contents), originals)
        case Doubtful():
            return _built(ref, _escaped(joins, contents, heap, old), originals)
        case HeldByRun():
            return _built(ref, with_parts(contents, (Slot(Object()),)), originals)
        case Columns(lists):
            return _built(ref, _columns(contents, tuple(joins.escape(part, heap, old) for part in lists)), originals)
        case _:
            items = tuple(joins.escape(item, heap, old) for item in contents.items)
            return Built(ref.kind, ref.cls, contents.keys, items, ref.meta, originals)


def merge(joins: Joins, a: Ref | Built, b: Ref, paths: Paths) -> Template:
    """The template of an object that is `a` on one path and `b` on the other."""
    if b not in paths.right.contents and b not in paths.right.contents.foreign:
        return _OF_ANOTHER_CALL
    left: Any = a.whole() if isinstance(a, Built) else paths.left.contents[a]
    right: Any = paths.right.contents[b]
    decided = joins.decided
    if isinstance(left, Poison) or isinstance(right, Poison):
        return left if isinstance(left, Poison) else right
    if a.cls is b.cls is collections.deque and a.meta != b.meta:
        return Poison("it is a deque that keeps another number of items on another path", decided)
    originals = _originals(joins, [a, b], paths.right, paths.before)
    match left, right:
        case Portion(family), Portion(other) if family is other:
            return _named(b, right, joins.merge(left.place, right.place, paths), paths.before, originals)
        case (Portion() | Portions(), _) | (_, Portion() | Portions()):
            return _OF_PORTIONS._replace(params=decided)
        case (Keyed(), _) | (_, Keyed()):
            return _OF_KEYS._replace(params=decided)
        case (HeldByRun(), _) | (_, HeldByRun()):
            return _built(a, _merge_held_by_run(a, b, left, right, decided), originals)
    alike = _are_alike(a, b)
    whole = _merge_whole(joins, b, left, right, paths) if alike else None
    if whole is not None:
        return _built(a, whole, originals)
    if isinstance(left, Collected) or isinstance(right, Collected):
        return Poison("it is a list whose length only a run can tell on one path only", decided)
    if not alike or not _same_keys(a.kind, left, right):
        return Poison(f"it is a {a.cls.__name__} with other contents on another path", decided)
    return Built(a.kind, a.cls, left.keys, joins.merge_all(left.items, right.items, paths), a.meta, originals)


def _are_alike(a: Ref | Built, b: Ref) -> bool:
    """Whether two objects are of one kind and class, and made by the same."""
    return (a.kind, a.cls, a.meta) == (b.kind, b.cls, b.meta)


def _merge_held_by_run(a: Ref | Built, b: Ref, left: Any, right: Any, decided: frozenset[Var]) -> Any:
    """The template of what the run holds on one path, or on both and then of one kind."""
    of_one_kind = _are_alike(a, b) and isinstance(left, HeldByRun) and isinstance(right, HeldByRun) and left.of == right.of
    return with_parts(left, (Slot(Object()),)) if of_one_kind else _OF_OBJECTS._replace(params=decided)


def merge_contents(joins: Joins, ref: Ref, a: Any, b: Any, paths: Paths) -> Any:
    """The template of what `ref` holds, `a` on one path and `b` on the other."""
    match a, b:
        case (Poison() as poison, _) | (_, Poison() as poison):
            return poison
        case (Keyed(), _) | (_, Keyed()):
            return a if a == b else _OF_KEYS._replace(params=joins.decided)
        case (HeldByRun(), _) | (_, HeldByRun()):
            return a if a == b else _OF_OBJECTS._replace(params=joins.decided)
        case (Portion() | Portions(), _) | (_, Portion() | Portions()):
            return a if a == b else _OF_PORTIONS
    whole = _merge_whole(joins, ref, a, b, paths)
    if whole is not None:
        return whole
    if isinstance(a, Collected) or isinstance(b, Collected):
        return _HALF_FILLED._replace(params=joins.decided)
    of_set = isinstance(a, SetElements) or isinstance(b, SetElements)
    if not _same_keys("set" if of_set else "dict", a, b):
        return Poison("its length or keys depend on a run-time condition", joins.decided)
    if of_set:
        return a if isinstance(a, SetElements) and a.made in (None, b.made) else SetElements(a.keys, a.items, None)
    return Contents(a.keys, joins.merge_all(a.items, b.items, paths))


def _merge_whole(joins: Joins, ref: Ref, a: Any, b: Any, paths: Paths) -> Any:
    """The template of contents that are no items one by one; ``None`` where they are, or are such a list on one path only."""
    match a, b:
        case Collected(), Collected():
            return _merge_rows(joins, a, b, paths)
        case Columns(), Columns() if Fields(a.lists, a.cls, a.keys).is_like(b):
            return _columns(replace(a, copied=a.copied | b.copied), joins.merge_all(a.lists, b.lists, paths))
        case (Columns(), _) | (_, Columns()):
            return _OF_TUPLES._replace(params=joins.decided)
        case (Collected(), _) | (_, Collected()):
            return None
        case _:
            return _merge_doubtful(joins, a, b, paths) if _may_doubt(joins, ref, a, b) else None


def _may_doubt(joins: Joins, ref: Ref, a: Contents | Doubtful, b: Contents | Doubtful) -> bool:
    """Whether only the run is to know which keys `ref` has, a dict or an instance that has others on each path."""
    if isinstance(a, Doubtful) or isinstance(b, Doubtful):
        return True
    return ref.kind in ("dict", "instance") and not joins.decided and a.keys != b.keys


def _merge_doubtful(joins: Joins, a: Contents | Doubtful, b: Contents | Doubtful, paths: Paths) -> Doubtful:
    """The template of what an object holds of which only the run knows the keys, of all that either path knows."""
    a, b = in_doubt(a), in_doubt(b)
    keys = (*a.keys, *(key for key in b.keys if a.get(key) is None))
    pairs = [(a.get(key) or NOT_THERE, b.get(key) or NOT_THERE) for key in keys]
    there = tuple(joins.merge(one, other, paths) for (one, _), (other, _) in pairs)
    items = tuple(joins.merge(one, other, paths) for (_, one), (_, other) in pairs)
    ordered = a.ordered and b.ordered and Lit(tuple(key for key in keys if b.get(key) is not None)) == Lit(b.keys)
    return Doubtful(keys, items, there, ordered)


def _merge_rows(joins: Joins, a: Collected, b: Collected, paths: Paths) -> Collected | Poison:
    """The template of a list whose length only a run can tell: filled on both paths as far, or held in an array on each."""
    if a.counted and b.counted and a.buffer == b.buffer:
        count = joins.merge(a.count, b.count, paths)
        return replace(either(a, b, paths.before), count=count, passed=max(a.passed, b.passed))
    if not (a.done and b.done and a.nested == b.nested):
        return a if a == b else _HALF_FILLED
    if joins.collects and (a.weak, a.kinds) != (b.weak, b.kinds):
        return Poison("it is a list of numbers of another kind on each path", joins.decided)
    if a.buffer == b.buffer:
        return either(a, b, paths.before)
    if not alike_rows(number_type(a.buffer), number_type(b.buffer), a.weak is b.weak):
        return Poison("it is a list of numbers of different kinds on each path", joins.decided)
    buffer = joins.merge(a.buffer, b.buffer, paths)
    if isinstance(buffer, Poison):
        return buffer
    kept = either(a, b, paths.before)
    return Collected(buffer, done=True, nested=a.nested, weak=kept.weak, kinds=kept.kinds, copied=kept.copied)


def either(a: Collected, b: Collected, before: Heap | None = None) -> Collected:
    """`a`, whose numbers may be of the kinds that `b` has as well, with copies of the lists of both that there were `before`."""
    kinds = alternatives(one_of((*a.kinds, *b.kinds))) if a.kinds or b.kinds else ()
    copied = frozenset(ref for ref in a.copied | b.copied if before is None or ref in before.contents)
    return replace(a, weak=a.weak and b.weak, kinds=kinds, copied=copied)


def rows(joins: Joins, contents: Collected) -> Collected:
    """The template of a list whose length only a run can tell."""
    if contents.counted:
        return replace(contents, count=joins.generalise(contents.count, numbers=True))
    return replace(contents, buffer=joins.generalise(contents.buffer, numbers=True), params=frozenset(), row_of=None)


def _escaped(joins: Joins, contents: Contents | Doubtful, heap: Heap, old: Heap) -> Contents | Doubtful:
    """The template of what an object holds that only one path changes, or makes."""
    return replace(contents, items=tuple(joins.escape(item, heap, old) for item in contents.items))


def _built(ref: Ref | Built, whole: Any, originals: Originals) -> Template:
    """The template of an object that holds `whole`, which is no item one by one, made where paths meet."""
    return whole if isinstance(whole, Poison) else Built(ref.kind, ref.cls, (), (whole,), ref.meta, originals)


def _named(ref: Ref | Built, portion: Portion, place: Template, old: Heap, originals: Originals) -> Template:
    """The template of a name for one of several lists, at `place`, whose items are in a list from before the paths parted."""
    if portion.pairs not in old.contents or isinstance(place, Poison):
        return _OF_PORTIONS
    return _built(ref, replace(portion, place=place, index=None), originals)


def _originals(joins: Joins, objects: Iterable[Ref | Built], heap: Heap, old: Heap) -> Originals:
    """The objects of `old` that one may be which is one of `objects`, and those that the paths made."""
    known = heap.contents.originals
    inner = [one.originals if isinstance(one, Built) else known.get(one, NO_OTHERS) for one in objects]
    refs = {one for one in objects if isinstance(one, Ref)}.union(*(each.refs | each.made for each in inner))
    found = frozenset(ref for ref in refs if ref in old.contents)
    params = joins.decided.union(*(each.params for each in inner)) if found else frozenset()
    return Originals(found, params, frozenset(refs - found))


def _columns(columns: Columns, lists: tuple[Template, ...]) -> Columns | Poison:
    """`columns` made of the templates `lists`."""
    return next((part for part in lists if isinstance(part, Poison)), replace(columns, lists=lists))


def _same_keys(kind: str, a: Contents | Built, b: Contents | Built) -> bool:
    """Whether two objects have the same keys; ``1`` and ``True`` are equal, and a walk shows which of them it is."""
    return a.keys == b.keys and (kind not in ("set", "dict") or Lit(a.keys) == Lit(b.keys))
