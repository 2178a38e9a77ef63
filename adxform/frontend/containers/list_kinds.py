"""What the items of a list are whose length only a run can tell: of one type, so that an array holds them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from adxform.errors import AdxError
from adxform.frontend.evaluate.control_flow.joined_types import alike_rows, join_types, number_type
from adxform.frontend.evaluate.objects.fields import fields_of
from adxform.frontend.evaluate.objects.heap import Heap
from adxform.frontend.evaluate.objects.object_contents import Collected, Contents
from adxform.frontend.evaluate.signals import Kind, Promote
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Ref, Value, is_undefined
from adxform.ir.kinds import alternatives, one_array_holds
from adxform.ir.ops import Lit
from adxform.ir.types import Array, Dim, Scalar, Size, Type, is_float


def differing(interp: Interpreter, *lists: Collected) -> AdxError:
    """What says that the items of `lists`, joined or changed, are of different kinds.

    Raises:
        Promote: they would be known one by one, if some parameters were.
    """
    params = frozenset(param for filled in lists if filled.done for param in filled.params)
    if params:
        raise Promote(params)
    return interp.error("the items of this list differ in kind", "give it items of one kind: `float(…)`, or `int(…)`, of each")


def refuse_collected(interp: Interpreter) -> None:
    """Raise where a list that a loop fills would hold items of several kinds or shapes, though that loop can be written out.

    One array has numbers of one kind, and rows of one shape; the items of a list that are known one by one keep their own.
    """
    if interp.collects:
        raise interp.error("the items of this list are of several kinds", "give it items of one kind and shape")


def know_lengths(interp: Interpreter, sizes: Iterable[Size]) -> None:
    """Raise where a list that a loop fills may hold items of several shapes, of these lengths, as `refuse_collected` does.

    Raises:
        Promote: those lengths would be known, if some of the arguments' were.
    """
    if interp.collects:
        bases = {size.base for size in sizes if isinstance(size, Dim)}
        if bases and bases <= interp.integers.of_arguments.keys():
            raise Promote(frozenset().union(*(interp.integers.of_arguments[base] for base in bases)))
    refuse_collected(interp)


def of_one_kind(kind: Kind) -> bool:
    """Whether items of this kind are numbers of one kind alone, arrays, texts, or tuples of such."""
    if kind.fields:
        return all(map(of_one_kind, kind.fields))
    return kind.objects or isinstance(kind.type, Array) or (isinstance(kind.type, Scalar) and len(alternatives(kind.type)) == 1)


def common_item(interp: Interpreter, items: tuple[Value, ...]) -> Kind:
    """What all `items` are, if they are of one type."""
    rows = [found for item in items if (found := fields_of(interp, item)) is not None]
    if rows and len(rows) == len(items) and all(row.is_like(rows[0]) for row in rows) and rows[0].items:
        fields = tuple(_field(interp, column) for column in zip(*(row.items for row in rows), strict=True))
        return _of_fields(fields, rows[0].cls, rows[0].keys)
    type_: Type | None = None
    nested, weak = 0, True
    for place, item in enumerate(items):
        own, depth, python = _as_row(interp, item)
        if place and not alike_rows(own, type_, python is weak):
            return Kind()
        type_ = own if place == 0 else None if own is None or type_ is None else join_types(own, type_, interp.integers.fresh_dim)
        nested, weak = max(nested, depth), weak and python
    if isinstance(type_, Scalar):
        return Kind(type_, weak=type_.weak) if one_array_holds(type_) else Kind()
    return Kind(type_, nested, weak) if isinstance(type_, Array) and type_.shape is not None else Kind()


def _field(interp: Interpreter, column: tuple[Value, ...]) -> Kind:
    """What the items at one place of tuples are."""
    kind = common_item(interp, column)
    return Kind(objects=True) if not kind.is_known and interp.are_objects(column) else kind


def _of_fields(fields: tuple[Kind, ...], cls: Any, keys: tuple[Any, ...] | None) -> Kind:
    """What tuples of such items are: a list of the run has those in which there is no number, nor anything else of an array."""
    known = all(field.is_known for field in fields) and not all(field.objects for field in fields)
    return Kind(fields=fields if known else (), cls=cls, keys=keys)


def _as_row(interp: Interpreter, item: Value) -> tuple[Type | None, int, bool]:
    """The type of an item, how deep a list it is, and whether the numbers in that are Python's own."""
    if interp.portion(item) is not None:
        return None, 0, False
    row = row_of_numbers(interp, item)
    if row is not None:
        return row.type, 1, row.weak
    filled = interp.filled(item)
    return item_type(interp, item), 0 if filled is None else filled.nested + 1, filled is not None and filled.weak


def kind_on_paths(interp: Interpreter, sides: Sequence[Contents], heaps: Sequence[Heap]) -> Kind:
    """What all items of a list are that has other items on each path, each path with the objects that there are on it."""
    found: Kind | None = None
    held = interp.heap
    try:
        for side, heap in zip(sides, heaps, strict=True):
            interp.heap = heap
            if side.items:
                kind = common_item(interp, side.items)
                found = kind if found is None else _either(interp, found, kind)
    finally:
        interp.heap = held
    return found or Kind()


def _either(interp: Interpreter, one: Kind, other: Kind) -> Kind:
    """What items of either kind are."""
    alike = one.cls is other.cls and len(one.fields) == len(other.fields) and Lit(one.keys) == Lit(other.keys)
    if one.fields and other.fields and alike:
        fields = tuple(_either(interp, a, b) for a, b in zip(one.fields, other.fields, strict=True))
        return _of_fields(fields, one.cls, one.keys)
    if one.objects and other.objects:
        return one
    type_ = None if one.type is None or other.type is None else join_types(one.type, other.type, interp.integers.fresh_dim)
    if isinstance(type_, Scalar):
        return Kind(type_, weak=type_.weak)
    if isinstance(type_, Array) and type_.shape is not None:
        return Kind(type_, max(one.nested, other.nested), one.weak and other.weak)
    return Kind()


def item_type(interp: Interpreter, item: Value) -> Type | None:
    """The type of an item of a list, a row of an array where it is such a list itself.

    ``None`` of what no array has as an item: of an array without axes too, which is memory that others may change, and no number.
    """
    if is_undefined(item):
        return None
    filled = interp.filled(item)
    if filled is None:
        row = row_of_numbers(interp, item)
        found = number_type(item) if row is None else row.type
        return None if isinstance(found, Array) and found.shape == () else found
    return filled.buffer.type if filled.done else None


def row_of_numbers(interp: Interpreter, item: Value) -> Kind | None:
    """What a list of numbers of one kind, known one by one, is as an item of another list."""
    contents: object = interp.heap.contents[item] if isinstance(item, Ref) and item.kind == "list" and item.cls is list else None
    if not isinstance(contents, Contents) or not contents.items:
        return None
    types = [number_type(number) for number in contents.items]
    first = types[0]
    if not isinstance(first, Scalar) or any(not isinstance(type_, Scalar) or type_.dtype != first.dtype for type_ in types):
        return None
    if alternatives(first) != (first,) and len(alternatives(first)) > 1:
        return None
    weak = {isinstance(type_, Scalar) and type_.weak for type_ in types}
    if len(weak) > 1 and (interp.collects or not is_float(first)):
        return None  # which whole numbers are Python's tells of which class a product with them is
    return Kind(Array(first.dtype, (len(types),)), 1, all(weak))


def row_type(contents: Collected) -> Scalar | Array:
    """The type of an item."""
    type_ = contents.buffer.type
    assert isinstance(type_, Array)
    assert type_.shape is not None
    return Array(type_.dtype, type_.shape[1:]) if len(type_.shape) > 1 else Scalar(type_.dtype, contents.weak, contents.kinds)


def kind_of(contents: Collected) -> Kind:
    """What the items of a list are."""
    return Kind(row_type(contents), contents.nested, contents.weak)


def type_of_number(contents: Collected) -> Scalar:
    """The type of a number in a list, or in the lists in it."""
    return Scalar(row_type(contents).dtype, contents.weak, contents.kinds)


def kinds_beside(item: Type | None) -> tuple[Scalar, ...]:
    """What a number of the type `item` may be, where whole numbers are beside floats."""
    kinds = item.kinds if isinstance(item, Scalar) else ()
    return kinds if len(kinds) > 1 else ()


def joined_items(interp: Interpreter, a: Scalar | Array, b: Type) -> Scalar | Array | None:
    """The type of an item of the type `a` or `b`, if one array holds both."""
    if not alike_rows(a, b, True):
        return None
    joined = join_types(a, b, interp.integers.fresh_dim)
    if isinstance(joined, Scalar):
        return joined if one_array_holds(joined) else None
    return joined if isinstance(joined, Array) else None


def is_weak_item(interp: Interpreter, item: Value) -> bool:
    """Whether `item` is a number of Python's, or a list of them."""
    filled = interp.filled(item)
    type_ = number_type(item) if filled is None else None
    return filled.weak if filled is not None else isinstance(type_, Scalar) and type_.weak


def dtype_of(item: Type) -> Any:
    """The dtype of an array of such items."""
    assert isinstance(item, Scalar | Array)
    return np.dtype(item.dtype)
