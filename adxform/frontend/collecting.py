"""Lists that a loop fills, one item on each pass: an array of the items and how many there are so far."""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from adxform.frontend import indexing, iteration
from adxform.frontend.joins import join_types, number_type
from adxform.frontend.values import Collected, Contents, Ref, Slice, Value
from adxform.ir.ops import Lit, Operand, Pack, Var
from adxform.ir.types import Array, Dim, Scalar, Size, Type

if TYPE_CHECKING:
    from adxform.frontend.interpreter import Interpreter


class Grows(Exception):  # noqa: N818 - not an error: control flow
    """A loop changes how many items a list or dict has; `item` is the one appended, where that is all."""

    def __init__(self, ref: Ref, item: Type | None, nested: int = 0) -> None:
        super().__init__("a loop fills a list")
        self.ref = ref
        self.item = item
        self.nested = nested


def growth(interp: Interpreter, ref: Ref, old: Any, new: Any) -> Grows | None:
    """How the contents of `ref` grow on a pass of a loop, if they do."""
    if not isinstance(old, Contents) or not isinstance(new, Contents) or old.keys == new.keys:
        return None
    appended = ref.kind == "list" and len(new.items) == len(old.items) + 1 and new.items[:-1] == old.items
    type_ = item_type(interp, new.items[-1]) if appended else None
    for item in old.items if type_ is not None else ():
        own = number_type(item)
        type_ = None if own is None or type_ is None else join_types(own, type_, interp.fresh_dim)
    nested = interp.filled(new.items[-1]) if appended else None
    return Grows(ref, type_ if isinstance(type_, Scalar | Array) else None, 0 if nested is None else nested.nested + 1)


def item_type(interp: Interpreter, item: Value) -> Type | None:
    """The type of an item of a list, a row of an array where it is such a list itself."""
    filled = interp.filled(item)
    if filled is None:
        return number_type(item)
    return filled.buffer.type if filled.done else None


def start(interp: Interpreter, growing: Grows, source: Value) -> Collected | None:
    """The contents of a list before a loop over `source` that appends an item on each pass, if an array can hold them."""
    ref, item = growing.ref, growing.item
    initial = interp.contents(ref).items
    sizes: list[Operand] = []
    shape: list[Size] = []
    if isinstance(item, Array):
        if item.shape is None:
            return None
        for axis, size in enumerate(item.shape):
            operand = Lit(size) if isinstance(size, int) else length_operand(interp, size, axis, initial)
            if operand is None:
                return None
            sizes.append(operand)
            shape.append(size)
    if not isinstance(item, Scalar | Array):
        return None
    count = iteration.add(interp, iteration.length(interp, source), Lit(len(initial)))
    size_of = interp.dim_of(count) if isinstance(count, Var) else count.value if isinstance(count, Lit) else interp.fresh_dim()
    total: Operand = Pack("tuple", (interp.operand(count), *sizes)) if sizes else interp.operand(count)
    dtype = np.dtype(item.dtype)
    kwargs = {} if dtype == np.float64 else {"dtype": Lit(dtype.type)}
    type_ = Array(item.dtype, (size_of if size_of is not None else interp.fresh_dim(), *shape))
    buffer = interp.emit(np.empty, (total,), type_, "items", kwargs)
    for k, value in enumerate(initial):
        interp.builder.effect(operator.setitem, buffer, Lit(k), interp.operand(value), span=interp.span)
    return Collected(buffer, Lit(len(initial)), count, iteration.promotable(interp, source), nested=growing.nested)


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
        if interp.sizes.get(number) == size:
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


def append(interp: Interpreter, ref: Ref, contents: Collected, item: Value) -> None:
    """Put `item` after the items so far."""
    if contents.done:
        raise interp.error("a list that a loop has filled is extended", "start a new list, or use arrays and `np.concatenate`")
    type_ = item_type(interp, item)
    held = contents.buffer.type
    assert isinstance(held, Array)
    assert held.shape is not None
    if type_ is None or not isinstance(type_, Scalar | Array):
        raise interp.error("the items of this list differ in kind", "append items of one kind")
    if (type_.shape if isinstance(type_, Array) else ()) != held.shape[1:]:
        raise interp.error("the items of this list differ in shape", "append items of one shape")
    if np.result_type(np.dtype(type_.dtype), np.dtype(held.dtype)) != np.dtype(held.dtype):
        raise Grows(ref, type_, contents.nested)
    if isinstance(type_, Array) and isinstance(item, Var):
        interp.collected.append((item, interp.span))
    interp.builder.effect(
        operator.setitem, contents.buffer, interp.operand(contents.count), interp.operand(item), span=interp.span
    )
    after = replace(contents, count=iteration.add(interp, contents.count, Lit(1)), passed=contents.passed + 1)
    interp.heap.contents[ref] = after  # type: ignore[assignment]


def load(interp: Interpreter, contents: Collected, index: Value, hint: str) -> Value:
    """``list[index]``"""
    if not contents.done:
        if isinstance(index, Lit) and isinstance(index.value, int):
            if index.value < 0:
                index = interp.call(Lit(operator.sub), (contents.count, Lit(-index.value)))
        elif isinstance(index, Slice):
            return _list_of(interp, indexing.load(interp, so_far(interp, contents), index, hint), contents.nested)
    found = indexing.load(interp, contents.buffer, index, hint)
    if isinstance(index, Slice):
        return _list_of(interp, found, contents.nested)
    return _list_of(interp, found, contents.nested - 1) if contents.nested else found


def _list_of(interp: Interpreter, items: Value, nested: int) -> Value:
    """A list whose items are the rows of an array."""
    assert isinstance(items, Var)
    count = indexing.dim(interp, items, 0)
    ref = interp.new_list(())
    interp.heap.contents[ref] = Collected(items, count, count, done=True, nested=nested)  # type: ignore[assignment]
    return ref


def so_far(interp: Interpreter, contents: Collected) -> Var:
    """The items as one array."""
    if contents.done:
        return contents.buffer
    found = indexing.load(interp, contents.buffer, Slice(Lit(None), contents.count, Lit(None)), "items")
    assert isinstance(found, Var)
    return found
