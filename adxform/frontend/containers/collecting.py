"""What programs do with lists whose length only a run can tell: `list_arrays` says what holds the items."""

from __future__ import annotations

import operator
from dataclasses import replace

import numpy as np

from adxform import runtime
from adxform.frontend.checks.held_copies import Taken
from adxform.frontend.containers.list_arrays import (
    hold,
    irregular,
    lists_copied,
    note_items,
    note_uneven,
    see_exact,
    settle_rows,
    so_far,
    with_floats,
)
from adxform.frontend.containers.list_kinds import (
    differing,
    dtype_of,
    is_weak_item,
    item_type,
    joined_items,
    kinds_beside,
    know_lengths,
    refuse_collected,
    row_type,
    type_of_number,
)
from adxform.frontend.evaluate.control_flow import iteration
from adxform.frontend.evaluate.control_flow.joined_objects import either
from adxform.frontend.evaluate.control_flow.joined_types import alike_rows
from adxform.frontend.evaluate.keys import refuse_index
from adxform.frontend.evaluate.objects.object_contents import Collected
from adxform.frontend.evaluate.parts import indexing, stored_items
from adxform.frontend.evaluate.signals import Grows, Kind
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, Ref, Slice, Static, Tuple, Value
from adxform.ir.ops import Lit, Operand, Var
from adxform.ir.types import Array, Dim, Object, Scalar, Size, is_float, rank
from adxform.primitives.definitions.of_python import item_places

_PYTHON: dict[str, type] = {"bool": bool, "int64": int, "float64": float, "complex128": complex}


NOTHING = Tuple(())


def new_list(
    interp: Interpreter,
    items: Value,
    nested: int = 0,
    cls: type = list,
    *,
    weak: bool = False,
    kinds: tuple[Scalar, ...] = (),
    row_of: tuple[Ref, Var] | None = None,
    params: frozenset[Var] = frozenset(),
) -> Ref:
    """A list (or tuple) whose items are the rows of an array of its own."""
    assert isinstance(items, Var)
    if not isinstance(items.type, Array):
        message = "an item of a list whose length only a run can tell is no number that NumPy has a dtype for"
        raise interp.error(message, "whole numbers beyond 64 bits: make them floats, `float(…)`")
    ref = interp.heap.new("list", cls, (), ())
    if row_of is None:
        note_items(interp, items)
    contents = Collected(items, done=True, nested=nested, weak=weak, kinds=kinds, row_of=row_of, params=params)
    interp.heap.contents[ref] = contents
    return ref


def length(interp: Interpreter, contents: Collected) -> Value:
    """How many items there are."""
    return indexing.dim(interp, contents.buffer, 0) if contents.done else contents.count


def append(interp: Interpreter, ref: Ref, contents: Collected, item: Value) -> None:
    """Put `item` after the items so far."""
    _refuse_portion(interp, ref, item)
    settle_rows(interp, (item,))
    type_ = item_type(interp, item)
    contents = replace(contents, copied=contents.copied | lists_copied(interp, (item,)))
    held = contents.buffer.type
    assert isinstance(held, Array)
    assert held.shape is not None
    if type_ is None or not isinstance(type_, Scalar | Array):
        raise differing(interp, contents)
    shape = type_.shape if isinstance(type_, Array) else ()
    if shape is None or len(shape) != len(held.shape) - 1:
        interp.promote_for_rank((item,))
        raise interp.error("the items of this list differ in shape", "append items of one shape")
    if shape != held.shape[1:]:
        _settled(ref, contents)
    whole = joined_items(interp, row_type(contents), type_)
    if whole is None or not alike_rows(held, type_, contents.weak is is_weak_item(interp, item)):
        raise differing(interp, contents) if contents.done else Grows(ref, reason=differing(interp))
    dtype = np.dtype(whole.dtype)
    weak = contents.weak and is_weak_item(interp, item)
    if (weak, kinds_beside(whole)) != (contents.weak, contents.kinds):
        refuse_collected(interp)
        if not contents.done:
            raise Grows(ref, Kind(whole, contents.nested, weak), regular=not contents.counted)
        contents = replace(contents, weak=weak, kinds=kinds_beside(whole))
    if contents.counted and contents.passed:
        raise irregular(ref, contents)
    if contents.done and dtype != np.dtype(held.dtype):
        raise differing(interp, contents)
    see_exact(interp, contents.buffer, (item,))
    if contents.done:
        _append_row(interp, ref, contents, shape, interp.operand(item))
        return
    if dtype != np.dtype(held.dtype):
        raise Grows(ref, Kind(whole, contents.nested, contents.weak), regular=True)
    interp.builder.effect(
        operator.setitem, contents.buffer, interp.operand(contents.count), interp.operand(item), span=interp.span
    )
    after = replace(contents, count=iteration.add(interp, contents.count, Lit(1)), passed=contents.passed + 1)
    interp.heap.contents[ref] = after
    interp.heap.outdate(ref)


def _append_row(interp: Interpreter, ref: Ref, contents: Collected, shape: tuple[Size, ...], item: Operand) -> None:
    """Let the array of a list, once that is filled, be one that is longer by `item`, which has this shape."""
    held = contents.buffer.type
    assert isinstance(held, Array)
    assert held.shape is not None
    if shape != held.shape[1:]:
        know_lengths(interp, (*shape, *held.shape[1:]))
    longer = Array(held.dtype, (interp.integers.uneven_dim(), *_row_sizes(interp, held.shape[1:], shape)))
    put = runtime.appended if shape == held.shape[1:] else runtime.appended_row
    buffer = interp.emit(put, (contents.buffer, item), longer, "items")
    _change(interp, ref, contents, buffer, contents.params)


def _refuse_portion(interp: Interpreter, ref: Ref, item: Value) -> None:
    """Refuse a list of a family as an item of an array, which would not follow what becomes of it.

    Raises:
        Grows: unless `ref` can be held as a list of such lists.
    """
    portion = interp.portion(item)
    if portion is not None:
        message = "a list of which only a run can tell which one it is, is put among lists of which an array has copies"
        reason = interp.error(message, "put in a copy: `list(…)`")
        raise Grows(ref, of_lists=True, stored=True, family=portion.of, reason=reason)


def _row_sizes(interp: Interpreter, held: tuple[Size, ...], given: tuple[Size, ...]) -> tuple[Size, ...]:
    """The lengths of the rows of a list, of those that it `held` and of one `given`, which a run finds to be the same."""
    return tuple(size if size == other else interp.integers.fresh_dim() for size, other in zip(held, given, strict=True))


def _change(interp: Interpreter, ref: Ref, contents: Collected, buffer: Value, params: frozenset[Var] = frozenset()) -> None:
    """Let the list have the items of another array, which would be known one by one if `params` were."""
    assert isinstance(buffer, Var)
    _refuse_stale(interp, contents)
    if contents.row_of is not None:
        raise interp.error("a list within a list changes its length", "build the inner list first, then append it")
    note_items(interp, buffer)
    hold(interp, ref, replace(contents, buffer=buffer, params=params))
    interp.heap.outdate(ref)


def _settled(ref: Ref, contents: Collected) -> None:
    """A list that is more than appended to is no array made before a loop."""
    if not contents.done:
        raise irregular(ref, contents)


def extend(interp: Interpreter, ref: Ref, contents: Collected, more: Value) -> None:
    """Put the items of `more` after those so far."""
    _settled(ref, contents)
    known = iteration.known_items(interp, more)
    if known is None:
        other = interp.call(Lit(list), (more,))
        filled = interp.filled(other)
        if filled is not None:
            if not alike_rows(contents.buffer.type, filled.buffer.type, contents.weak is filled.weak):
                raise differing(interp, contents, filled)
            if (contents.weak, contents.kinds) != (filled.weak, filled.kinds):
                refuse_collected(interp)
            _require_one_shape(interp, contents.buffer, filled.buffer)
            joined = interp.call(Lit(np.concatenate), (Tuple((contents.buffer, filled.buffer)),), hint="items")
            _change(interp, ref, either(contents, filled), joined)
            return
        known = interp.items(other)
    for item in known:
        append(interp, ref, interp.filled(ref) or contents, item)


def _require_one_shape(interp: Interpreter, items: Var, more: Var, *, rows: bool = True) -> None:
    """Raise, now or in the run, where the rows of one array have another shape than those of the other, or than `more` itself."""
    for axis in range(1, rank(items.type) or 1):
        other = indexing.dim(interp, more, axis if rows else axis - 1)
        equal = interp.operand(interp.call(Lit(operator.eq), (indexing.dim(interp, items, axis), other)))
        if equal == Lit(False):
            raise interp.error("the items of this list differ in shape", "keep items of one shape in it")
        if equal != Lit(True):
            refuse_collected(interp)
            interp.require(equal, runtime.differing_rows)


def pop(interp: Interpreter, ref: Ref, contents: Collected, index: Value, hint: str) -> Value:
    """Take out the item at `index`, the first or the last one."""
    _settled(ref, contents)
    refuse_index(interp, index, "list")
    place = (
        None if isinstance(index, Var) and not interp.integers.followed(index) else interp.static(index, "an index into a list")
    )
    if place not in (0, -1):
        return _pop_within(interp, ref, contents, index, hint)
    item = load(interp, ref, contents, index, hint)
    rest = Slice(Lit(None), Lit(-1), Lit(None)) if place == -1 else Slice(Lit(1), Lit(None), Lit(None))
    _change(interp, ref, contents, indexing.load(interp, contents.buffer, rest, "items"))
    return item


def _pop_within(interp: Interpreter, ref: Ref, contents: Collected, index: Value, hint: str) -> Value:
    """Take out the item at `index`, which may be any one."""
    place = interp.call(Static(item_places.place_to_pop), (index, interp.filled_length(contents)))
    item = load(interp, ref, contents, place, hint)
    splice(interp, ref, contents, place, interp.call(Lit(operator.add), (place, Lit(1))), NOTHING)
    return item


def splice(interp: Interpreter, ref: Ref, contents: Collected, start: Value, stop: Value, items: Value) -> None:
    """Put `items` in the place of those from `start` up to `stop`."""
    _settled(ref, contents)
    before = spliced(interp, ref, start, stop, items)
    made = interp.filled(before) or contents
    kept = replace(contents, weak=made.weak, kinds=made.kinds, copied=contents.copied | made.copied)
    _change(interp, ref, kept, made.buffer)


def insert(interp: Interpreter, ref: Ref, contents: Collected, index: Value, item: Value) -> None:
    """Put `item` before the item at `index`."""
    splice(interp, ref, contents, index, index, Tuple((item,)))


def spliced(interp: Interpreter, ref: Ref, start: Value, stop: Value, items: Value) -> Ref:
    """A new list: what is before `start` in a list, then `items`, then what is from `stop` on."""
    before, after = (
        interp.call(Lit(operator.getitem), (ref, part)) for part in (Slice(NONE, start, NONE), Slice(stop, NONE, NONE))
    )
    assert isinstance(before, Ref)
    for more in (items, after):
        interp.call(interp.attribute(before, "extend"), (more,))
    return before


def bounds(interp: Interpreter, ref: Ref, cut: Slice) -> tuple[Value, Value]:
    """Between which places a slice of a list is set or deleted: where it would end first, items come in at its start."""
    if cut.step not in (NONE, Lit(1)):
        raise interp.error("a slice with a step, of a list whose length only a run can tell, is set or deleted", "use an array")
    count = iteration.length(interp, ref)
    start = Lit(0) if cut.start == NONE else interp.call(Static(item_places.bound_within), (cut.start, count, Lit(0), count))
    stop = count if cut.stop == NONE else interp.call(Static(item_places.bound_within), (cut.stop, count, Lit(0), count))
    return start, interp.call(Lit(max), (start, stop))


def reverse(interp: Interpreter, ref: Ref, contents: Collected) -> None:
    """Put the items in the opposite order."""
    _settled(ref, contents)
    turned = interp.call(Lit(np.flip), (contents.buffer, Lit(0)))
    _change(interp, ref, contents, interp.call(Lit(np.ndarray.copy), (turned,), hint="items"))


def store(interp: Interpreter, ref: Ref, contents: Collected, index: Value, value: Value) -> None:
    """``list[index] = value``"""
    _refuse_stale(interp, contents)
    refuse_index(interp, index, "list")
    if isinstance(index, Slice):
        splice(interp, ref, contents, *bounds(interp, ref, index), value)
        return
    _refuse_portion(interp, ref, value)
    settle_rows(interp, (value,))
    contents = replace(contents, copied=contents.copied | lists_copied(interp, (value,)))
    type_, held = item_type(interp, value) or Object(), dtype_of(row_type(contents))
    if isinstance(type_, Array) and _may_spread(type_, row_type(contents)):
        raise interp.error("the items of this list may differ in shape", "use items of one shape")
    if rank(type_) is None or rank(type_) != rank(row_type(contents)):
        raise differing(interp, contents)
    if np.result_type(dtype_of(type_), held) != held:
        contents = with_floats(interp, ref, contents, type_)
    joined = joined_items(interp, row_type(contents), type_)
    if joined is None or not alike_rows(contents.buffer.type, type_, contents.weak is is_weak_item(interp, value)):
        raise differing(interp, contents)
    see_exact(interp, contents.buffer, (value,))
    contents = _with_kinds(interp, ref, contents, weak=contents.weak and is_weak_item(interp, value), kinds=kinds_beside(joined))
    if isinstance(row_type(contents), Scalar):
        stored_items.store(interp, contents.buffer, _place(interp, contents, index), value)
        return
    _settled(ref, contents)
    filled = interp.filled(value)
    given: Value = so_far(interp, filled) if filled else value
    if isinstance(given, Tuple | Ref):
        given = interp.call(Lit(np.array), (given,))
    if isinstance(given, Var):
        _require_one_shape(interp, contents.buffer, given, rows=False)
    buffer = interp.call(Lit(np.ndarray.copy), (contents.buffer,), hint="items")
    stored_items.store(interp, buffer, index, given)
    _change(interp, ref, contents, buffer)


def _with_kinds(interp: Interpreter, ref: Ref, contents: Collected, *, weak: bool, kinds: tuple[Scalar, ...]) -> Collected:
    """The contents of a list, and of the list of which it is a row, where a number of another kind is among them from here on."""
    if (weak, kinds) == (contents.weak, contents.kinds):
        return contents
    refuse_collected(interp)
    if not (contents.done or contents.counted):
        raise irregular(ref, contents)
    if contents.row_of is not None:
        parent = interp.filled(contents.row_of[0])
        if parent is not None:
            _with_kinds(interp, contents.row_of[0], parent, weak=weak, kinds=kinds)
    after = replace(contents, weak=weak, kinds=kinds)
    hold(interp, ref, after)
    return after


def _may_spread(type_: Array, row: Scalar | Array) -> bool:
    """Whether an array of `type_` may be broadcast where it is stored as an item of the type `row`."""
    if type_.shape is None or not isinstance(row, Array) or row.shape is None:
        return True
    return any(n != m and (n == 1 or (isinstance(n, Dim) and n.may_be_one)) for n, m in zip(type_.shape, row.shape, strict=False))


def _refuse_stale(interp: Interpreter, contents: Collected) -> None:
    if contents.row_of is not None:
        parent, buffer = contents.row_of
        now = interp.filled(parent)
        if now is None or now.buffer != buffer:
            raise interp.error("a row of a list is changed after the list was", "take the row again: `rows[i][j] = …`")


def _place(interp: Interpreter, contents: Collected, index: Value) -> Value:
    """`index`, counted from the start where the list has room for more."""
    if not contents.done and isinstance(index, Lit) and isinstance(index.value, int) and index.value < 0:
        return interp.call(Lit(operator.sub), (contents.count, Lit(-index.value)))
    return index


def load(interp: Interpreter, ref: Ref, contents: Collected, index: Value, hint: str) -> Value:
    """``list[index]``"""
    if isinstance(index, Slice):
        part = indexing.load(interp, so_far(interp, contents), index, hint)
        if interp.integers.is_uneven(contents.buffer.type) or not contents.done:
            note_uneven(interp, part)
        items = interp.call(Lit(np.ndarray.copy), (part,), hint=hint)
        made = new_list(interp, items, contents.nested, weak=contents.weak, kinds=contents.kinds)
        interp.heap.contents[made] = replace(interp.filled(made) or contents, copied=contents.copied)
        return made
    refuse_index(interp, index, "list")
    found = indexing.load(interp, contents.buffer, _place(interp, contents, _as_integer(index)), hint)
    if contents.nested:
        assert isinstance(found, Var)
        row = (ref, contents.buffer)
        return new_list(interp, found, contents.nested - 1, weak=contents.weak, kinds=contents.kinds, row_of=row)
    if contents.kinds:
        held = replace(type_of_number(contents), as_float=is_float(type_of_number(contents)))
        return interp.emit(float if contents.weak else operator.pos, (interp.operand(found),), held, hint)
    if contents.weak:
        return interp.call(Lit(_PYTHON[row_type(contents).dtype]), (found,), hint=hint)
    if isinstance(found, Var) and isinstance(found.type, Array):
        interp.to_check.held.append(Taken(found))
    return found


def _as_integer(index: Value) -> Value:
    """`index`, a truth value as the integer that it is: an array takes it for a mask."""
    return Lit(int(index.value)) if isinstance(index, Lit) and isinstance(index.value, bool) else index


def as_array(interp: Interpreter, value: Ref) -> Var:
    """The items of a list as the array that NumPy makes of it; the run raises where it has one axis, as there are no items."""
    filled, tuples = interp.filled(value), interp.columns(value)
    if filled is not None:
        rows = so_far(interp, filled)
    else:
        assert tuples is not None
        if tuples.keys is not None:
            raise interp.error("an array is made of a list of dicts or objects", "make a list of the numbers that it is to have")
        parts = tuple(interp.call(Lit(np.array), (part,)) for part in tuples.lists)
        stacked = interp.operand(interp.call(Lit(np.stack), (Tuple(parts),), {"axis": Lit(1)}, "items"))
        assert isinstance(stacked, Var)
        rows = stacked
    if rank(rows.type) != 1 or not isinstance(rows.type, Array) or rows.type.dtype != "float64":
        some = interp.operand(interp.call(Lit(operator.gt), (iteration.length(interp, value), Lit(0))))
        if some != Lit(True):
            interp.require(some, runtime.empty_list)
    return rows
