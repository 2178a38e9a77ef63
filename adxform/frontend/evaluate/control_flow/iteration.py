"""What a loop walks over: items that are known now or loaded by their places, and how many there are."""

from __future__ import annotations

import enum
import operator
import sys
from collections.abc import Callable, Iterable
from functools import partial

from adxform import runtime
from adxform.frontend.evaluate import constant_arrays
from adxform.frontend.evaluate.levels import unwatched
from adxform.frontend.evaluate.objects.fields import whole
from adxform.frontend.evaluate.objects.object_contents import Columns, Contents
from adxform.frontend.evaluate.outside import guards
from adxform.frontend.evaluate.outside.settled import is_listed, may_change
from adxform.frontend.evaluate.parts import indexing
from adxform.frontend.evaluate.set_orders import ordered
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import (
    Enumerate,
    Mapped,
    Range,
    Ref,
    Rest,
    Reversed,
    Static,
    Stream,
    Tuple,
    Value,
    View,
    Zip,
)
from adxform.ir.ops import Lit, Var
from adxform.ir.types import INT, Array, Object

Place = Callable[[], Value]
ZERO, ONE = Lit(0), Lit(1)

ENDLESS = sys.maxsize
"""Where the range ends that stands for ``itertools.count``."""

_WITHIN = 16
"""How many items of a sequence are walked over one by one, each if a sequence beside it has as many."""


def known_items(interp: Interpreter, source: Value) -> list[Value] | None:
    """The items of `source`, where they are known one by one."""
    places = known_places(interp, source)
    return None if places is None else [item() for item in places]


def known_places(interp: Interpreter, source: Value) -> list[Place] | None:
    """What gives each item of `source` when its turn comes, where they are known one by one."""
    match source:
        case Ref() if interp.seen(source) is not source:
            return None
        case Ref(kind="list") if interp.is_long(source):
            return _places_of_row(interp, source)
        case Ref(kind="list") if interp.portions(source) is not None or are_portions(interp, source):
            return None
        case Zip(parts):
            return _known_zip(interp, parts)
        case Mapped(_, items) | Enumerate(items) | Reversed(items) | Rest(items):
            known = known_places(interp, items)
            return None if known is None else _places_from(interp, source, known)
        case Range(Lit(start), Lit(stop), Lit(step)) if step and not range(start, stop, step):
            return []
        case Var(_, Array(_, (0, *_))):
            return []
    held = _held_items(interp, source)
    if held is None:
        held = None if (found := _objects_in(interp, source)) is None else [guards.itself(interp, item) for item in found]
    return None if held is None else settled(held)


def are_portions(interp: Interpreter, source: Ref) -> bool:
    """Whether a list is one of many lists whose items are in one: a loop goes through it as through an array."""
    if interp.portion(source) is not None or interp.portions(source) is not None or interp.is_long(source):
        return False
    if interp.seen(source) is not source:
        return False
    items = interp.contents(source).items
    found = [interp.portion(item) for item in items] if len(items) > _SHORT else []
    return bool(found) and all(one is not None and one.of is getattr(found[0], "of", None) for one in found)


def _held_items(interp: Interpreter, source: Value) -> Iterable[Value] | None:
    """The items of a tuple, a list or a view of a dict that the program made."""
    match source:
        case Tuple(items):
            return items
        case Ref(kind="list"):
            return interp.contents(source).items
        case View(of, part):
            return _viewed(interp, interp.contents(of), part)
        case _:
            return None


def _objects_in(interp: Interpreter, source: Value) -> Iterable[object] | None:
    """What there is in a dict or a set, or in what comes from outside and does not change."""
    found: Iterable[object] | None = None
    match source:
        case Ref(kind="dict"):
            found = interp.contents(source).keys
        case Ref(kind="set"):
            found = ordered(interp, interp.contents(source))
        case Lit(frozenset() as value):
            found = ordered(interp, value)
        case Static(frozenset() as value) if type(value) is frozenset and not may_change(value):
            found = ordered(interp, interp.pin(source))
        case Static(value) if is_listed(value):
            found = interp.settle(source)
        case Lit(value) if isinstance(value, str | bytes | tuple | dict | range):
            found = value
        case Static(enum.EnumMeta() as value) if type(value).__iter__ is enum.EnumMeta.__iter__:
            found = interp.pin(source)
        case Static(tuple() as value) if type(value).__iter__ is tuple.__iter__:
            found = tuple.__iter__(interp.pin(source))
    return found


def _places_from(interp: Interpreter, walk: Mapped | Enumerate | Reversed | Rest, items: list[Place]) -> list[Place]:
    """What gives the items of a `walk` over `items`."""
    match walk:
        case Mapped(fn):
            return [partial(_applied, interp, fn, item) for item in items]
        case Enumerate(_, start):
            return [partial(_counted, interp, start, k, item) for k, item in enumerate(items)]
        case Rest(_, taken):
            return items[taken:]
        case Reversed(_, first):
            return items[::-1] if first is None else _places_before(interp, items, first)


def _places_before(interp: Interpreter, known: list[Place], first: int) -> list[Place]:
    """The first `first` of the places of a list, backwards: it began there, however long the list has become."""
    if first > len(known):
        raise interp.error("a list becomes shorter while it is walked over backwards", "walk over a copy: `reversed(list(…))`")
    return known[:first][::-1]


_SHORT = 16
"""How long a list in a list is at most whose items are taken one by one, as those of a list that is written out are."""


def _places_of_row(interp: Interpreter, row: Ref) -> list[Place] | None:
    """What gives each item of a list that is held as a short array of known length, or as lists that nothing is in yet."""
    if (columns := interp.columns(row)) is not None:
        return _places_of_tuples(interp, columns)
    filled = interp.filled(row)
    shape = filled.buffer.type.shape if filled is not None and filled.done and isinstance(filled.buffer.type, Array) else None
    if not shape or not isinstance(shape[0], int) or shape[0] > _SHORT:
        return None
    return [partial(item_at, interp, row, Lit(k)) for k in range(shape[0])]


def _places_of_tuples(interp: Interpreter, columns: Columns) -> list[Place] | None:
    """What gives each tuple of a list for each place in them, where one of those has not begun to be of the run's length."""
    known = [part for part in columns.lists if not interp.is_long(part) and interp.seen(part) is part]
    if not known:
        return None
    places = range(len(interp.contents(known[0]).items))
    return settled(whole(interp, columns, [item_at(interp, part, Lit(k)) for part in columns.lists]) for k in places)


def settled(items: Iterable[Value]) -> list[Place]:
    """Places of items that no code in between can change."""
    return [partial(_itself, item) for item in items]


def _itself(item: Value) -> Value:
    return item


def _applied(interp: Interpreter, fn: Value, items: Place) -> Value:
    return interp.call(fn, tuple(interp.items(items())))


def _counted(interp: Interpreter, start: Value, k: int, item: Place) -> Value:
    return Tuple((add(interp, start, Lit(k)), item()))


def _together(items: tuple[Place, ...]) -> Value:
    return Tuple(tuple(item() for item in items))


def _viewed(interp: Interpreter, contents: Contents, part: str) -> list[Value]:
    keys = [guards.itself(interp, key) for key in contents.keys]
    if part == "items":
        return [Tuple(pair) for pair in zip(keys, contents.items, strict=True)]
    return [*keys] if part == "keys" else [*contents.items]


def _known_zip(interp: Interpreter, parts: tuple[Value, ...]) -> list[Place] | None:
    lists = [known_places(interp, part) for part in parts]
    if all(known is None for known in lists):
        return None if parts else []
    counts = _counts(interp, lists, parts)
    if any(count is None for count in counts):
        message = "`zip` of a sequence of known length with one whose length only a run can tell"
        raise interp.error(message, "make both arrays, or index the array")
    return _items_together(interp, lists, parts, min(count for count in counts if count is not None))


def _counts(interp: Interpreter, lists: list[list[Place] | None], parts: tuple[Value, ...]) -> list[int | None]:
    """How many items each of `parts` has, of which `lists` are known one by one, where that is known."""
    return [
        ENDLESS if is_endless(part) else literal_trips(interp, part) if known is None else len(known)
        for known, part in zip(lists, parts, strict=True)
    ]


def _items_together(interp: Interpreter, lists: list[list[Place] | None], parts: tuple[Value, ...], shortest: int) -> list[Place]:
    loaded = [
        [partial(item_at, interp, part, Lit(k)) for k in range(shortest)] if known is None else known
        for known, part in zip(lists, parts, strict=True)
    ]
    return [partial(_together, items) for items in zip(*loaded, strict=False)]


def places_within(interp: Interpreter, source: Value) -> tuple[list[Place], Value] | None:
    """The items of a `zip` in which some lengths are known, and the shortest of those that only a run can tell; else nothing."""
    match source:
        case Enumerate(items, start):
            found = places_within(interp, items)
            return found and ([partial(_counted, interp, start, k, item) for k, item in enumerate(found[0])], found[1])
        case Zip(parts):
            lists = [known_places(interp, part) for part in parts]
            counts = _counts(interp, lists, parts)
            shortest = min((count for count in counts if count is not None), default=ENDLESS)
            unknown = [part for part, count in zip(parts, counts, strict=True) if count is None]
            if all(known is None for known in lists) or not unknown or shortest > _WITHIN:
                return None
            limit = _shortest(interp, [length(interp, part) for part in unknown])
            return _items_together(interp, lists, parts, shortest), limit
        case _:
            return None


def is_endless(source: Value) -> bool:
    """Whether `source` has no end, as ``itertools.count`` has none."""
    match source:
        case Range(_, Lit(stop), _):
            return bool(stop == ENDLESS)
        case Enumerate(items) | Mapped(_, items):
            return is_endless(items)
        case Zip(parts):
            return bool(parts) and all(map(is_endless, parts))
        case _:
            return False


def literal_trips(interp: Interpreter, source: Value) -> int | None:
    """How many items `source` has, where that is known."""
    if is_endless(source):
        return None
    match source:
        case Range(Lit(start), Lit(stop), Lit(step)) if step:
            return len(range(start, stop, step))
        case Var(_, Array(_, shape)) if shape:
            return shape[0] if isinstance(shape[0], int) else None
        case Reversed(_, int(first)):
            return first
        case Ref(kind="list") if not interp.is_long(source) and are_portions(interp, source):
            return len(interp.contents(source).items)
        case Enumerate(items) | Reversed(items) | Mapped(_, items):
            return literal_trips(interp, items)
        case Zip(parts) if parts:
            counts = [literal_trips(interp, part) for part in parts if not is_endless(part)]
            return None if None in counts else min(count for count in counts if count is not None)
        case _:
            known = known_places(interp, source)
            return None if known is None else len(known)


def add(interp: Interpreter, a: Value, b: Value) -> Value:
    """``a + b`` of integers."""
    if a == ZERO:
        return b
    return a if b == ZERO else interp.call(Lit(operator.add), (a, b))


def subtract(interp: Interpreter, a: Value, b: Value) -> Value:
    """``a - b`` of integers."""
    return a if b == ZERO else interp.call(Lit(operator.sub), (a, b))


def length(interp: Interpreter, source: Value) -> Value:
    """``len(source)``, also of what Python does not let one ask."""
    if is_endless(source):
        raise interp.error("an iterator without an end is walked over to its end", "end it: `itertools.islice(…, n)`, or `range`")
    match source:
        case Ref() if (seen := interp.seen(source)) is not source:
            return length(interp, seen)
        case Ref() | View(Ref()) if (held := interp.keyed(source.of if isinstance(source, View) else source)) is not None:
            return length(interp, held.keys)
        case Var(_, Array(_, shape)):
            if shape is not None and not shape:
                raise interp.error("a 0-d array has no length", "use the value itself")
            return indexing.dim(interp, source, 0)
        case Var(_, Object()):
            return interp.emit(len, (source,), INT, "n")
        case Range():
            return _length_of_range(interp, source)
        case Zip(parts):
            return _shortest(interp, [length(interp, part) for part in parts if not is_endless(part)])
        case Reversed(_, int(first)):
            return Lit(first)
        case Enumerate(items) | Reversed(items) | Mapped(_, items):
            return length(interp, items)
        case Ref(kind="list"):
            return _length_of_list(interp, source)
        case _:
            known = known_places(interp, source)
            if known is None:
                raise interp.error("this cannot be iterated over", "iterate over a range, an array, a tuple or a list")
            return Lit(len(known))


def same_length(interp: Interpreter, first: Value, part: Value) -> bool:
    """Whether two sources are known to have as many items as each other."""
    lengths = [length(interp, source) for source in (first, part)]
    sizes = [interp.integers.sizes.get(length) if isinstance(length, Var) else length for length in lengths]
    return sizes[0] is not None and sizes[0] == sizes[1]


def _length_of_list(interp: Interpreter, source: Ref) -> Value:
    """How many items a list has, whatever holds them."""
    if (columns := interp.columns(source)) is not None:
        return length(interp, interp.counted_list(columns))
    if (several := interp.portions(source)) is not None:
        return interp.made_lists(several.of) if several.places is None else length(interp, several.places)
    filled = interp.filled(source)
    return Lit(len(interp.contents(source).keys)) if filled is None else interp.filled_length(filled)


def _length_of_range(interp: Interpreter, source: Range) -> Value:
    """How many integers a range has."""
    match source:
        case Range(start, stop, Lit(1)) if start == ZERO:
            return stop if stop in interp.integers.counted else interp.call(Lit(max), (stop, ZERO))
        case Range(start, stop, Lit(1)):
            return interp.call(Lit(max), (subtract(interp, stop, start), ZERO))
        case Range(Lit(start), Lit(stop), Lit(step)):
            return Lit(len(range(start, stop, step)))
    end = add(interp, subtract(interp, source.stop, source.start), source.step)
    rounded = interp.call(Lit(operator.floordiv), (subtract(interp, end, _sign(interp, source.step)), source.step))
    return interp.call(Lit(max), (rounded, ZERO))


def _sign(interp: Interpreter, step: Value) -> Value:
    return Lit(1 if interp.static(step, "the step of this range") > 0 else -1)


def _shortest(interp: Interpreter, counts: list[Value]) -> Value:
    distinct: list[Value] = []
    for count in counts:
        size = interp.integers.sizes.get(count) if isinstance(count, Var) else count
        known = [interp.integers.sizes.get(other) if isinstance(other, Var) else other for other in distinct]
        if size is None or size not in known:
            distinct.append(count)
    return distinct[0] if len(distinct) == 1 else interp.call(Lit(min), distinct)


def item_at(interp: Interpreter, source: Value, k: Value) -> Value:
    """Item `k`, counted from zero, of `source`."""
    match source:
        case Var(_, Array()):
            constant = constant_arrays.item(interp, source, k.value) if isinstance(k, Lit) else None
            return loaded(interp, source, k, "item") if constant is None else constant
        case Var(_, Object()):
            return indexing.load(interp, source, k, "item")
        case Stream(of=of) if of is not None:
            return item_at(interp, of, k)
        case Stream(cursor, part):
            item = interp.emit(runtime.item_of, (cursor,), Object(), "item")
            return item if part is None else interp.emit(operator.getitem, (item, Lit(part)), Object(), "item")
        case Range(start, _, step):
            return add(interp, start, k if step == ONE else interp.call(Lit(operator.mul), (k, step)))
        case Zip(parts):
            return Tuple(tuple(item_at(interp, part, k) for part in parts))
        case Enumerate(items, start):
            return Tuple((add(interp, start, k), item_at(interp, items, k)))
        case Mapped(fn, items):
            return _applied(interp, fn, lambda: item_at(interp, items, k))
        case Reversed(items):
            last = subtract(interp, length(interp, items), ONE)
            return item_at(interp, items, interp.call(Lit(operator.sub), (last, k)))
        case Ref(kind="list") if (found := _item_of_list(interp, source, k)) is not None:
            return found
        case _:
            known = known_places(interp, source)
            if known is None:
                raise interp.error("this cannot be iterated over", "iterate over a range, an array, a tuple or a list")
            place: int = interp.static(k, "an index into a tuple or list")
            return known[place]()


def loaded(interp: Interpreter, x: Value, k: Value, hint: str) -> Value:
    """Element `k` of an array, which it has."""
    with unwatched(interp):
        return indexing.load(interp, x, k, hint)


def _item_of_list(interp: Interpreter, source: Ref, k: Value) -> Value | None:
    """Item `k` of a list that arrays hold, or of one of lists; ``None`` of one whose items are known by their places."""
    with unwatched(interp):
        if (seen := interp.seen(source)) is not source:
            return item_at(interp, seen, k)
        if (filled := interp.filled(source)) is not None:
            return interp.filled_item(source, filled, k)
        if (columns := interp.columns(source)) is not None:
            return whole(interp, columns, [item_at(interp, part, k) for part in columns.lists], source, k)
        if (several := interp.portions(source)) is not None:
            return interp.one_of_portions(several, k)
    if isinstance(k, Var) and (found := interp.one_of_lists(interp.contents(source).items, k)) is not None:
        return found
    if are_portions(interp, source):
        at: int = interp.static(k, "an index into a list")
        return interp.contents(source).items[at]
    return None
