"""Lists whose length only a run can tell, as arrays of the items.

A list that gets one item on each iteration of a loop is an array made before the loop, and how many items there are so far. Any
other list of numbers (or of arrays of one shape) whose length depends on the run is an array that grows by making a new one.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from adxform import runtime
from adxform.errors import AdxError, LargeNumberError
from adxform.frontend.checks.held_copies import Filled, Widened
from adxform.frontend.containers.list_kinds import (
    common_item,
    differing,
    dtype_of,
    joined_items,
    kind_of,
    kinds_beside,
    of_one_kind,
    refuse_collected,
    row_of_numbers,
    row_type,
    type_of_number,
)
from adxform.frontend.evaluate.control_flow import iteration, loop_trips
from adxform.frontend.evaluate.control_flow.joined_types import number_type
from adxform.frontend.evaluate.objects.heap import Heap
from adxform.frontend.evaluate.objects.object_contents import (
    Collected,
    Columns,
    Contents,
    Doubtful,
    HeldByRun,
    Keyed,
    Portion,
    Portions,
)
from adxform.frontend.evaluate.parts import indexing
from adxform.frontend.evaluate.signals import Grows, Kind
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Ref, Slice, Tuple, Value
from adxform.ir.kinds import alternatives
from adxform.ir.ops import Lit, Operand, Pack, Var
from adxform.ir.types import Array, Dim, Scalar, Size, Type, is_float, rank
from adxform.primitives.unruled import missing_rule


def growth(interp: Interpreter, ref: Ref, old: Any, new: Any, *, owned: bool) -> Grows | None:
    """How the contents of `ref` grow on an iteration of a loop, if they do; the loop fills the list `ref` where it is `owned`."""
    if (anew := held_anew(ref, old, new)) is not None:
        return anew
    if isinstance(old, Doubtful) or isinstance(new, Doubtful):
        return None
    if isinstance(old, Collected) or isinstance(new, Collected):
        return _growth_of_collected(ref, old, new, owned=owned)
    if not isinstance(old, Contents) or not isinstance(new, Contents | Columns):
        return None
    if isinstance(new, Columns):
        return Grows(ref, interp.kind_of_columns(new))
    if old.keys == new.keys:
        return None
    return _growth_of_items(interp, ref, old.items, new.items) if ref.kind == "list" else Grows(ref)


def _growth_of_items(interp: Interpreter, ref: Ref, old: tuple[Value, ...], new: tuple[Value, ...]) -> Grows:
    """How a list grows that had the items `old` and has `new` ones, of what kind all of them are, and why no array holds them."""
    items = (*old, *new)
    item = common_item(interp, items)
    uneven = are_lists(new) and item.nested == 1 and interp.integers.is_uneven(item.type)
    item = Kind() if uneven else item
    regular = len(new) == len(old) + 1 and new[:-1] == old
    found = next((interp.of_run.unruled[item] for item in new if isinstance(item, Var) and item in interp.of_run.unruled), None)
    reason: AdxError | None = found and missing_rule(*found, "a list of what it returns cannot be followed")
    if item.type is None and all(isinstance(number_type(item), Scalar) for item in new):
        reason = differing(interp)
    family = next((portion.of for one in items if (portion := interp.portion(one)) is not None), None)
    objects = not item.is_known and interp.are_objects(items)
    growing = Grows(ref, item, regular=regular, reason=reason, of_lists=are_lists(items), family=family, uneven=uneven)
    growing.of_objects = objects
    return growing


def held_anew(ref: Ref, old: Any, new: Any) -> Grows | None:
    """How `ref` comes to be one of several lists, a list of as many as only a run can tell, or a dict of such keys."""
    if isinstance(new, Portion) and not isinstance(old, Portion):
        return Grows(ref, together=new.group) if new.group else Grows(ref, family=new.of)
    if isinstance(new, Portions) and (not isinstance(old, Portions) or new.places is not old.places):
        family = new.of if isinstance(old, Portions) else None
        return Grows(ref, of_lists=True, stored=new.places is not None, family=family)
    if isinstance(new, Keyed) and not isinstance(old, Keyed):
        return Grows(ref, keyed=True)
    if isinstance(new, HeldByRun) and not isinstance(old, HeldByRun):
        return Grows(ref, of_objects=True, elements=new.of)
    return None


def _growth_of_collected(ref: Ref, old: Any, new: Any, *, owned: bool) -> Grows | None:
    """As `growth`, where an array holds the list before the iteration, or after it."""
    if isinstance(old, Collected) and not old.done:
        once = owned and isinstance(new, Collected) and new.counted and new.passed <= 1
        return None if once else irregular(ref, old)
    if isinstance(old, Collected):
        other = isinstance(new, Collected) and row_type(old).dtype != row_type(new).dtype
        return irregular(ref, new) if other else None
    return irregular(ref, new) if isinstance(old, Contents) else None


def has_portion(interp: Interpreter, items: Iterable[Value]) -> bool:
    """Whether one of `items` is a list of a family, which changes wherever the run changes it."""
    return any(interp.portion(item) is not None for item in items)


def are_lists(items: tuple[Value, ...]) -> bool:
    """Whether there are items, which all are lists."""
    return bool(items) and all(isinstance(item, Ref) and item.kind == "list" and item.cls is list for item in items)


def rebinding(interp: Interpreter, old: Value, heap: Heap, new: Value, after: Heap) -> Grows | None:
    """How a name that holds the list `old` before a loop comes to hold one of another length, or of floats, in it, if it does."""
    if not (isinstance(old, Ref) and isinstance(new, Ref) and old.kind == new.kind == "list" and old.cls is new.cls):
        return None
    if old == new or old.outside:
        return None
    first: Any = heap.contents[old]
    last: Any = after.contents[new]
    if isinstance(first, Collected) and isinstance(last, Collected):
        return Grows(old, kind_of(last), rebound=True) if become_floats(first, last) else None
    if isinstance(first, Columns) and isinstance(last, Columns) and len(first.lists) == len(last.lists):
        parts = zip(first.lists, last.lists, strict=True)
        return next((grows for a, b in parts if (grows := rebinding(interp, a, heap, b, after)) is not None), None)
    if not isinstance(first, Contents):
        return None
    if isinstance(last, Columns):
        return Grows(old, interp.kind_of_columns(last), rebound=True)
    if isinstance(last, Collected):
        return Grows(old, kind_of(last), rebound=True) if last.done else None
    if not isinstance(last, Contents) or first.keys == last.keys:
        return None
    item = common_item(interp, (*first.items, *last.items))
    return Grows(old, item, rebound=True) if item.is_known else None


def become_floats(first: Collected, last: Collected) -> bool:
    """Whether `first` holds whole numbers of Python's, in lists as deep as those in which `last` holds floats."""
    settled = first.done and last.done and first.row_of is None and first.nested == last.nested
    return settled and first.weak and type_of_number(first).dtype == "int64" and is_float(type_of_number(last))


def irregular(ref: Ref, filled: Collected) -> Grows:
    """The growth of a list of such items that is no array made before a loop."""
    return Grows(ref, kind_of(filled))


def settle_rows(interp: Interpreter, items: Iterable[Value]) -> None:
    """Make those of `items` that are lists of numbers, known one by one, arrays of them: as such they go into another list."""
    for item in items:
        row = row_of_numbers(interp, item)
        if row is not None and isinstance(item, Ref):
            assert isinstance(row.type, Array)
            as_list_of_rows(interp, Grows(item, Kind(Scalar(row.type.dtype, row.weak), weak=row.weak)))


def finished(interp: Interpreter, contents: Collected, *, counted: bool) -> Collected:
    """The contents of a list after the loop that has filled it."""
    if counted:
        contents = replace(contents, buffer=so_far(interp, contents), counted=False)
        note_uneven(interp, contents.buffer)
    return replace(contents, count=contents.total, passed=0, done=True)


def note_uneven(interp: Interpreter, items: Value) -> None:
    """Note that `items`, those of a list, are another number of them on each path or iteration."""
    shape = items.type.shape if isinstance(items, Var) and isinstance(items.type, Array) else None
    if shape and isinstance(shape[0], Dim):
        interp.integers.uneven.add(shape[0].base)


def start(interp: Interpreter, growing: Grows, source: Value, *, counted: bool) -> Collected | None:
    """The contents of a list before a loop over `source` that appends an item on each iteration, if an array can hold them.

    `counted`: it appends on some passes only.
    """
    ref, kind, item = growing.ref, growing.item, growing.item.type
    initial = interp.contents(ref).items
    sizes = item_sizes(interp, item, initial)
    if not of_one_kind(kind):
        refuse_collected(interp)
    if sizes is None or item is None or iteration.is_endless(source) or has_portion(interp, initial):
        return None
    count = iteration.add(interp, iteration.length(interp, source), Lit(len(initial)))
    size_of = (
        interp.integers.dim_of(count)
        if isinstance(count, Var)
        else count.value
        if isinstance(count, Lit)
        else interp.integers.fresh_dim()
    )
    first = size_of if size_of is not None else interp.integers.fresh_dim()
    buffer = _empty(interp, interp.operand(count), first, item, sizes)
    settle_rows(interp, initial)
    note_items(interp, buffer)
    see_exact(interp, buffer, initial)
    for k, value in enumerate(initial):
        interp.builder.effect(operator.setitem, buffer, Lit(k), interp.operand(value), span=interp.span)
    params = frozenset() if counted else loop_trips.deciding(interp, source)
    filled = Collected(buffer, Lit(len(initial)), count, params, nested=kind.nested, counted=counted, weak=kind.weak)
    return replace(filled, kinds=kinds_beside(item), copied=lists_copied(interp, initial))


def lists_copied(interp: Interpreter, items: Iterable[Value]) -> frozenset[Ref]:
    """The lists among `items`, of which an array has copies from here on."""
    lists = [item for item in items if isinstance(item, Ref) and item.kind == "list"]
    behind = [interp.heap.contents.originals[one].refs for one in lists if one in interp.heap.contents.originals]
    found = frozenset(lists).union(*behind)
    interp.heap.contents.copied.update(found)
    return found


def as_list_of_rows(interp: Interpreter, growing: Grows) -> bool:
    """Whether the list of `growing` can be, and now is, an array of the items that it has here."""
    ref, kind, item = growing.ref, growing.item, growing.item.type
    contents: Any = interp.heap.contents.get(ref)
    if contents is None:  # an iteration made it
        return False
    if growing.together:
        return interp.put_together(growing.together)
    if growing.family is not None and not growing.of_lists:
        return interp.take_in(growing.family, ref)
    if not of_one_kind(kind):
        refuse_collected(interp)
    if kind.fields:
        return interp.as_columns(growing)
    if item is None or ref.kind != "list" or not isinstance(contents, Contents | Collected):
        return False
    made: _Made | None
    if isinstance(contents, Collected):
        made = _of_longer_list(interp, growing, contents, item)
    else:
        made = _of_known_items(interp, contents.items, item) if contents.items else _of_no_items(interp, item)
    if made is None:
        return False
    buffer, item, kinds, copied = made
    assert isinstance(buffer, Var)
    weak = kind.weak and (not isinstance(item, Scalar) or item.weak)
    note_items(interp, buffer)
    hold(interp, ref, Collected(buffer, done=True, nested=kind.nested, weak=weak, kinds=kinds, copied=copied))
    return True


_Made = tuple[Value, Scalar | Array, tuple[Scalar, ...], frozenset[Ref]]
"""The array of a list, the type of an item, the kinds of number that it may be, and the lists that it has copies of."""


def _of_longer_list(interp: Interpreter, growing: Grows, contents: Collected, item: Scalar | Array) -> _Made:
    """The array of a list that is one already, of numbers that may become those of `item`."""
    buffer = so_far(interp, contents)
    number = joined_items(interp, type_of_number(contents), Scalar(item.dtype, growing.item.weak))
    if number is None or row_type(contents).dtype == item.dtype:
        return buffer, item, kinds_beside(item), contents.copied
    rows: list[Any] = list(interp.heap.contents.values())
    if any(isinstance(row, Collected) and row.row_of == (growing.ref, buffer) for row in rows):
        raise growing  # rows that a name holds become stale, unless a loop further out takes them anew
    numbers = interp.operand(buffer)
    interp.builder.effect(runtime.check_exact, numbers, span=interp.span)
    wide = interp.call(Lit(np.ndarray.astype), (buffer, Lit(dtype_of(item).type)), hint="items")
    assert isinstance(numbers, Var)
    assert isinstance(wide, Var)
    interp.to_check.held.append(Widened(numbers, wide))
    return wide, item, kinds_beside(number), contents.copied


def _of_known_items(interp: Interpreter, items: tuple[Value, ...], item: Scalar | Array) -> _Made | None:
    """The array of known `items`, if these are of the dtype of `item`."""
    whole = common_item(interp, items).type
    joined = whole and joined_items(interp, whole, item)
    if joined is None or joined.dtype != item.dtype or rank(joined) != rank(item) or has_portion(interp, items):
        return None
    settle_rows(interp, items)
    copied = lists_copied(interp, items)
    _refuse_any_precision(interp, joined)
    buffer = interp.call(Lit(np.array), (Tuple(items),), {"dtype": Lit(dtype_of(joined).type)})
    see_exact(interp, buffer, items)
    return buffer, joined, kinds_beside(joined), copied


def _of_no_items(interp: Interpreter, item: Scalar | Array) -> _Made | None:
    """The array of a list that is empty so far, if the lengths of an item are known or the first one is to tell them."""
    sizes, kinds = item_sizes(interp, item, ()), kinds_beside(item)
    if sizes is None and isinstance(item, Array) and item.shape is not None:
        item = Array(item.dtype, (0,) * len(item.shape))
        sizes = item_sizes(interp, item, ())
    return None if sizes is None else (_empty(interp, Lit(0), 0, item, sizes), item, kinds, frozenset())


def with_floats(interp: Interpreter, ref: Ref, contents: Collected, item: Type) -> Collected:
    """The contents of a list of Python's whole numbers, now as floats, given that a float of the type `item` goes into it.

    Raises:
        Grows: the list is one of those in another.
    """
    error = differing(interp, contents)
    number = type_of_number(contents)
    if not contents.done or not contents.weak or number.dtype != "int64" or not isinstance(item, Scalar) or not is_float(item):
        raise error
    if contents.row_of is not None:
        owner = contents.row_of[0]
        whole = interp.filled(owner)
        while whole is not None and whole.row_of is not None:
            owner = whole.row_of[0]
            whole = interp.filled(owner)
        if whole is None or not whole.done:
            raise error
        row = row_type(whole)
        assert isinstance(row, Array)
        raise Grows(owner, Kind(Array(item.dtype, row.shape), whole.nested, item.weak), reason=error)
    widened = Kind(Scalar(item.dtype, item.weak), weak=item.weak)
    if isinstance(row_type(contents), Array) or not as_list_of_rows(interp, Grows(ref, widened)):
        raise error
    after = interp.filled(ref)
    assert after is not None
    return after


def see_exact(interp: Interpreter, buffer: Value, items: Iterable[Value]) -> None:
    """Raise, now or in the run, where a whole number among `items` may be another one as a float, if `buffer` is of floats."""
    if not isinstance(buffer, Var) or not is_float(buffer.type):
        return
    for item in items:
        type_ = number_type(item)
        if not isinstance(type_, Scalar) or all(kind.dtype != "int64" for kind in alternatives(type_)):
            continue
        if not isinstance(item, Lit):
            interp.builder.effect(runtime.check_exact, interp.operand(item), span=interp.span)
            continue
        try:
            runtime.check_exact(item.value)
        except LargeNumberError as error:
            raise interp.error(error.message, error.help, LargeNumberError) from None


def note_items(interp: Interpreter, items: Value) -> None:
    """Note that a list consists of `items`, copies of the arrays or lists that Python's list holds."""
    if isinstance(items, Var) and rank(items.type) != 1:
        interp.to_check.held.append(Filled(items))


def _empty(interp: Interpreter, count: Operand, size: Size, item: Scalar | Array, sizes: list[Operand]) -> Var:
    _refuse_any_precision(interp, item)
    total: Operand = Pack("tuple", (count, *sizes)) if sizes else count
    kwargs = {} if dtype_of(item) == np.float64 else {"dtype": Lit(dtype_of(item).type)}
    shape = item.shape if isinstance(item, Array) else ()
    assert shape is not None
    return interp.emit(np.empty, (total,), Array(item.dtype, (size, *shape)), "items", kwargs)


def _refuse_any_precision(interp: Interpreter, item: Scalar | Array) -> None:
    """Refuse numbers of which only a run can tell the precision: the widest stands for all, which an array would have."""
    given = {getattr(param.type, "dtype", "") for param in interp.parameters.values()}
    if item.dtype == "longdouble" and "longdouble" not in given:
        raise interp.error(
            "the numbers of this list are of several precisions", "make them one: `float(…)`, or `x.astype(float)`"
        )


def item_sizes(interp: Interpreter, item: Type | None, initial: tuple[Value, ...]) -> list[Operand] | None:
    """Operands for the lengths of an item; ``None`` where they cannot be told before the first."""
    sizes: list[Operand] = []
    if isinstance(item, Array):
        if item.shape is None:
            return None
        for axis, size in enumerate(item.shape):
            operand = Lit(size) if isinstance(size, int) else length_operand(interp, size, axis, initial)
            if operand is None:
                return None
            sizes.append(operand)
    return sizes


def length_operand(interp: Interpreter, size: Dim, axis: int, initial: tuple[Value, ...]) -> Operand | None:
    """An operand for the length `size`: that of an initial item or of a parameter."""
    for item in initial:
        if (
            isinstance(item, Var)
            and isinstance(item.type, Array)
            and item.type.shape is not None
            and item.type.shape[axis] == size
        ):
            return interp.operand(indexing.dim(interp, item, axis))
    for number in interp.parameters.values():
        if interp.integers.sizes.get(number) == size:
            return interp.operand(interp.call(Lit(max), (number, Lit(0))))
    name, _, place = size.base.rpartition(".")
    param = interp.parameters.get(name)
    if param is None or not place.isdigit():
        return None
    whole = indexing.dim(interp, param, int(place))
    if size.offset == 0:
        return interp.operand(whole)
    shorter = interp.call(Lit(operator.add), (whole, Lit(size.offset)))
    return interp.operand(shorter if size.offset > 0 else interp.call(Lit(max), (shorter, Lit(0))))


def hold(interp: Interpreter, ref: Ref, contents: Collected) -> None:
    """Let the list `ref` be held as `contents` from here on."""
    interp.hold(ref, contents)


def so_far(interp: Interpreter, contents: Collected) -> Var:
    """The items as one array."""
    if contents.done:
        return contents.buffer
    found = indexing.load(interp, contents.buffer, Slice(Lit(None), contents.count, Lit(None)), "items")
    assert isinstance(found, Var)
    return found
