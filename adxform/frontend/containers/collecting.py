"""Lists whose length only a run can tell: an array of the items.

A list that gets one item on each iteration of a loop is an array made before the loop, and how many items there are so far. Any
other list of numbers (or of arrays of one shape) whose length depends on the run is an array that grows by making a new one.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from adxform import runtime
from adxform.errors import AdxError, LargeNumberError
from adxform.frontend.checks.held_copies import Filled, Taken, Widened
from adxform.frontend.evaluate import indexing
from adxform.frontend.evaluate.control_flow import iteration
from adxform.frontend.evaluate.control_flow.joins import alike_rows, either, join_types, number_type
from adxform.frontend.evaluate.keys import refuse_index
from adxform.frontend.evaluate.signals import Grows, Kind, Promote
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, Collected, Columns, Contents, Heap, Ref, Slice, Tuple, Value, is_undefined
from adxform.ir.kinds import alternatives, dtype_name, one_array_holds
from adxform.ir.ops import Lit, Operand, Pack, Var
from adxform.ir.types import Array, Dim, Object, Scalar, Size, Type, is_float, rank
from adxform.primitives.unruled import missing_rule

_PYTHON: dict[str, type] = {"bool": bool, "int64": int, "float64": float, "complex128": complex}


# -- how lists grow ---------------------------------------------------------------------------------------------------


def growth(interp: Interpreter, ref: Ref, old: Any, new: Any, *, owned: bool) -> Grows | None:
    """How the contents of `ref` grow on an iteration of a loop, if they do; the loop fills the list `ref` where it is `owned`."""
    if isinstance(old, Collected) and isinstance(new, Collected) and old.done and row_type(old).dtype != row_type(new).dtype:
        return irregular(ref, new)
    if isinstance(old, Collected) and not old.done:
        once = owned and isinstance(new, Collected) and new.counted and new.passed <= 1
        return None if once else irregular(ref, old)
    if not isinstance(old, Contents) or not isinstance(new, Contents | Collected | Columns):
        return None
    if isinstance(new, Collected):
        return irregular(ref, new)
    if isinstance(new, Columns):
        return Grows(ref, interp.kind_of_columns(new))
    if old.keys == new.keys:
        return None
    if ref.kind != "list":
        return Grows(ref)
    item = common_item(interp, (*old.items, *new.items))
    regular = len(new.items) == len(old.items) + 1 and new.items[:-1] == old.items
    found = next((interp.unruled[item] for item in new.items if isinstance(item, Var) and item in interp.unruled), None)
    reason: AdxError | None = found and missing_rule(*found, "a list of what it returns cannot be followed")
    if item.type is None and all(isinstance(number_type(item), Scalar) for item in new.items):
        reason = _differing(interp)
    return Grows(ref, item, regular=regular, reason=reason)


def _differing(interp: Interpreter, *lists: Collected) -> AdxError:
    """What says that the items of `lists`, joined or changed, are of different kinds.

    Raises:
        Promote: they would be known one by one, if some parameters were.
    """
    params = frozenset(param for filled in lists if filled.done for param in filled.params)
    if params:
        raise Promote(params)
    return interp.error("the items of this list differ in kind", "give it items of one kind: `float(…)`, or `int(…)`, of each")


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
    if not isinstance(first, Contents):
        return None
    if isinstance(last, Collected):
        return Grows(old, kind_of(last), rebound=True) if last.done else None
    if not isinstance(last, Contents) or first.keys == last.keys:
        return None
    item = common_item(interp, (*first.items, *last.items))
    return None if item.type is None else Grows(old, item, rebound=True)


def become_floats(first: Collected, last: Collected) -> bool:
    """Whether `first` holds whole numbers of Python's, in lists as deep as those in which `last` holds floats."""
    settled = first.done and last.done and first.row_of is None and first.nested == last.nested
    return settled and first.weak and _number_type(first).dtype == "int64" and is_float(_number_type(last))


def irregular(ref: Ref, filled: Collected) -> Grows:
    """The growth of a list of such items that is no array made before a loop."""
    return Grows(ref, kind_of(filled))


def common_item(interp: Interpreter, items: tuple[Value, ...]) -> Kind:
    """What all `items` are, if they are of one type."""
    rows = [item for item in items if isinstance(item, Tuple)]
    if rows and len(rows) == len(items) and len({(row.cls, len(row.items)) for row in rows}) == 1 and rows[0].items:
        fields = tuple(common_item(interp, column) for column in zip(*(row.items for row in rows), strict=True))
        return Kind(fields=fields if all(field.is_known for field in fields) else (), cls=rows[0].cls)
    type_: Type | None = None
    nested, weak = 0, True
    for place, item in enumerate(items):
        own, depth, python = _as_row(interp, item)
        if place and not alike_rows(own, type_, python is weak):
            return Kind()
        type_ = own if place == 0 else None if own is None or type_ is None else join_types(own, type_, interp.fresh_dim)
        nested, weak = max(nested, depth), weak and python
    if isinstance(type_, Scalar):
        return Kind(type_, weak=type_.weak) if one_array_holds(type_) else Kind()
    return Kind(type_, nested, weak) if isinstance(type_, Array) and type_.shape is not None else Kind()


def _as_row(interp: Interpreter, item: Value) -> tuple[Type | None, int, bool]:
    """The type of an item, how deep a list it is, and whether the numbers in that are Python's own."""
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
    if one.fields and other.fields and one.cls is other.cls and len(one.fields) == len(other.fields):
        fields = tuple(_either(interp, a, b) for a, b in zip(one.fields, other.fields, strict=True))
        return Kind(fields=fields if all(field.is_known for field in fields) else (), cls=one.cls)
    type_ = None if one.type is None or other.type is None else join_types(one.type, other.type, interp.fresh_dim)
    if isinstance(type_, Scalar):
        return Kind(type_, weak=type_.weak)
    if isinstance(type_, Array) and type_.shape is not None:
        return Kind(type_, max(one.nested, other.nested), one.weak and other.weak)
    return Kind()


def item_type(interp: Interpreter, item: Value) -> Type | None:
    """The type of an item of a list, a row of an array where it is such a list itself."""
    if is_undefined(item):
        return None
    filled = interp.filled(item)
    if filled is None:
        row = row_of_numbers(interp, item)
        return number_type(item) if row is None else row.type
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
    if len(weak) > 1 and not is_float(first):
        return None  # which whole numbers are Python's tells of which class a product with them is
    return Kind(Array(first.dtype, (len(types),)), 1, all(weak))


def settle_rows(interp: Interpreter, items: Iterable[Value]) -> None:
    """Make those of `items` that are lists of numbers, known one by one, arrays of them: as such they go into another list."""
    for item in items:
        row = row_of_numbers(interp, item)
        if row is not None and isinstance(item, Ref):
            assert isinstance(row.type, Array)
            as_list_of_rows(interp, Grows(item, Kind(Scalar(row.type.dtype, row.weak), weak=row.weak)))


def row_type(contents: Collected) -> Scalar | Array:
    """The type of an item."""
    type_ = contents.buffer.type
    assert isinstance(type_, Array)
    assert type_.shape is not None
    return Array(type_.dtype, type_.shape[1:]) if len(type_.shape) > 1 else Scalar(type_.dtype, contents.weak, contents.kinds)


def kind_of(contents: Collected) -> Kind:
    """What the items of a list are."""
    return Kind(row_type(contents), contents.nested, contents.weak)


def finished(interp: Interpreter, contents: Collected, *, counted: bool) -> Collected:
    """The contents of a list after the loop that has filled it."""
    if counted:
        contents = replace(contents, buffer=so_far(interp, contents), counted=False)
    return replace(contents, count=contents.total, passed=0, done=True)


# -- as arrays --------------------------------------------------------------------------------------------------------


def start(interp: Interpreter, growing: Grows, source: Value, *, counted: bool) -> Collected | None:
    """The contents of a list before a loop over `source` that appends an item on each iteration, if an array can hold them.

    `counted`: it appends on some passes only.
    """
    ref, kind, item = growing.ref, growing.item, growing.item.type
    initial = interp.contents(ref).items
    sizes = item_sizes(interp, item, initial)
    if sizes is None or item is None or iteration.is_endless(source):
        return None
    count = iteration.add(interp, iteration.length(interp, source), Lit(len(initial)))
    size_of = interp.dim_of(count) if isinstance(count, Var) else count.value if isinstance(count, Lit) else interp.fresh_dim()
    first = size_of if size_of is not None else interp.fresh_dim()
    buffer = _empty(interp, interp.operand(count), first, item, sizes)
    settle_rows(interp, initial)
    note_items(interp, buffer)
    see_exact(interp, buffer, initial)
    for k, value in enumerate(initial):
        interp.builder.effect(operator.setitem, buffer, Lit(k), interp.operand(value), span=interp.span)
    params = frozenset() if counted else iteration.promotable(interp, source)
    filled = Collected(buffer, Lit(len(initial)), count, params, nested=kind.nested, counted=counted, weak=kind.weak)
    return replace(filled, kinds=kinds_beside(item))


def as_list_of_rows(interp: Interpreter, growing: Grows) -> bool:
    """Whether the list of `growing` can be, and now is, an array of the items that it has here."""
    ref, kind, item = growing.ref, growing.item, growing.item.type
    contents: Any = interp.heap.contents[ref]
    if kind.fields:
        return interp.as_columns(growing)
    if item is None or ref.kind != "list" or not isinstance(contents, Contents | Collected):
        return False
    buffer: Value
    kinds = kinds_beside(item)
    if isinstance(contents, Collected):
        buffer = so_far(interp, contents)
        number = _joined(interp, _number_type(contents), Scalar(item.dtype, kind.weak))
        if row_type(contents).dtype != item.dtype and number is not None:
            rows: list[Any] = list(interp.heap.contents.values())
            if any(isinstance(row, Collected) and row.row_of == (ref, buffer) for row in rows):
                raise growing  # rows that a name holds become stale, unless a loop further out takes them anew
            kinds = kinds_beside(number)
            numbers = interp.operand(buffer)
            interp.builder.effect(runtime.check_exact, numbers, span=interp.span)
            buffer = interp.call(Lit(np.ndarray.astype), (buffer, Lit(_dtype(item).type)), hint="items")
            assert isinstance(numbers, Var)
            assert isinstance(buffer, Var)
            interp.held.append(Widened(numbers, buffer))
    elif contents.items:
        whole = common_item(interp, contents.items).type
        joined = whole and _joined(interp, whole, item)
        if joined is None or joined.dtype != item.dtype:
            return False
        item, kinds = joined, kinds_beside(joined)
        settle_rows(interp, contents.items)
        _refuse_any_precision(interp, item)
        buffer = interp.call(Lit(np.array), (Tuple(contents.items),), {"dtype": Lit(_dtype(item).type)})
        see_exact(interp, buffer, contents.items)
    else:
        sizes = item_sizes(interp, item, ())
        if sizes is None and isinstance(item, Array) and item.shape is not None:  # the first item tells
            item = Array(item.dtype, (0,) * len(item.shape))
            sizes = item_sizes(interp, item, ())
        if sizes is None:
            return False
        buffer = _empty(interp, Lit(0), 0, item, sizes)
    assert isinstance(buffer, Var)
    weak = kind.weak and (not isinstance(item, Scalar) or item.weak)
    note_items(interp, buffer)
    _hold(interp, ref, Collected(buffer, done=True, nested=kind.nested, weak=weak, kinds=kinds))
    return True


def _number_type(contents: Collected) -> Scalar:
    """The type of a number in a list, or in the lists in it."""
    return Scalar(row_type(contents).dtype, contents.weak, contents.kinds)


def _with_floats(interp: Interpreter, ref: Ref, contents: Collected, item: Type) -> Collected:
    """The contents of a list of Python's whole numbers, now as floats, given that a float of the type `item` goes into it.

    Raises:
        Grows: the list is one of those in another.
    """
    error = _differing(interp, contents)
    number = _number_type(contents)
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


def kinds_beside(item: Type | None) -> tuple[Scalar, ...]:
    """What a number of the type `item` may be, where whole numbers are beside floats."""
    kinds = item.kinds if isinstance(item, Scalar) else ()
    return kinds if len({kind.dtype for kind in kinds}) > 1 else ()


def _joined(interp: Interpreter, a: Scalar | Array, b: Type) -> Scalar | Array | None:
    """The type of an item of the type `a` or `b`, if one array holds both."""
    if not alike_rows(a, b, True):
        return None
    joined = join_types(a, b, interp.fresh_dim)
    if isinstance(joined, Scalar):
        return joined if one_array_holds(joined) else None
    return joined if isinstance(joined, Array) else None


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
        interp.held.append(Filled(items))


def _is_weak(interp: Interpreter, item: Value) -> bool:
    """Whether `item` is a number of Python's, or a list of them."""
    filled = interp.filled(item)
    type_ = number_type(item) if filled is None else None
    return filled.weak if filled is not None else isinstance(type_, Scalar) and type_.weak


def _dtype(item: Type) -> Any:
    assert isinstance(item, Scalar | Array)
    return np.dtype(item.dtype)


def _empty(interp: Interpreter, count: Operand, size: Size, item: Scalar | Array, sizes: list[Operand]) -> Var:
    _refuse_any_precision(interp, item)
    total: Operand = Pack("tuple", (count, *sizes)) if sizes else count
    kwargs = {} if _dtype(item) == np.float64 else {"dtype": Lit(_dtype(item).type)}
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


# -- what programs do with them ---------------------------------------------------------------------------------------


def _hold(interp: Interpreter, ref: Ref, contents: Collected) -> None:
    interp.write(ref, contents)  # type: ignore[arg-type]


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
    interp.heap.contents[ref] = contents  # type: ignore[assignment]
    return ref


def length(interp: Interpreter, contents: Collected) -> Value:
    """How many items there are."""
    return indexing.dim(interp, contents.buffer, 0) if contents.done else contents.count


def append(interp: Interpreter, ref: Ref, contents: Collected, item: Value) -> None:
    """Put `item` after the items so far."""
    settle_rows(interp, (item,))
    type_ = item_type(interp, item)
    held = contents.buffer.type
    assert isinstance(held, Array)
    assert held.shape is not None
    if type_ is None or not isinstance(type_, Scalar | Array):
        raise _differing(interp, contents)
    shape = type_.shape if isinstance(type_, Array) else ()
    if shape is None or len(shape) != len(held.shape) - 1:
        raise interp.error("the items of this list differ in shape", "append items of one shape")
    if shape != held.shape[1:]:
        _settled(ref, contents)
    whole = _joined(interp, row_type(contents), type_)
    if whole is None or not alike_rows(held, type_, contents.weak is _is_weak(interp, item)):
        raise _differing(interp, contents) if contents.done else Grows(ref, reason=_differing(interp))
    dtype = np.dtype(whole.dtype)
    weak = contents.weak and _is_weak(interp, item)
    if (weak, kinds_beside(whole)) != (contents.weak, contents.kinds):
        if not contents.done:
            raise Grows(ref, Kind(whole, contents.nested, weak), regular=not contents.counted)
        contents = replace(contents, weak=weak, kinds=kinds_beside(whole))
    if contents.counted and contents.passed:
        raise irregular(ref, contents)
    if contents.done and dtype != np.dtype(held.dtype):
        raise _differing(interp, contents)
    see_exact(interp, contents.buffer, (item,))
    if contents.done:
        longer = Array(dtype_name(dtype), (interp.fresh_dim(), *_row_sizes(interp, held.shape[1:], shape)))
        put = runtime.appended if shape == held.shape[1:] else runtime.appended_row
        buffer = interp.emit(put, (contents.buffer, interp.operand(item)), longer, "items")
        _change(interp, ref, contents, buffer, contents.params)
        return
    if dtype != np.dtype(held.dtype):
        raise Grows(ref, Kind(whole, contents.nested, contents.weak), regular=True)
    interp.builder.effect(
        operator.setitem, contents.buffer, interp.operand(contents.count), interp.operand(item), span=interp.span
    )
    after = replace(contents, count=iteration.add(interp, contents.count, Lit(1)), passed=contents.passed + 1)
    interp.heap.contents[ref] = after  # type: ignore[assignment]


def _row_sizes(interp: Interpreter, held: tuple[Size, ...], given: tuple[Size, ...]) -> tuple[Size, ...]:
    """The lengths of the rows of a list, of those that it `held` and of one `given`, which a run finds to be the same."""
    return tuple(size if size == other else interp.fresh_dim() for size, other in zip(held, given, strict=True))


def _change(interp: Interpreter, ref: Ref, contents: Collected, buffer: Value, params: frozenset[Var] = frozenset()) -> None:
    """Let the list have the items of another array, which would be known one by one if `params` were."""
    assert isinstance(buffer, Var)
    _refuse_stale(interp, contents)
    if contents.row_of is not None:
        raise interp.error("a list within a list changes its length", "build the inner list first, then append it")
    note_items(interp, buffer)
    _hold(interp, ref, replace(contents, buffer=buffer, params=params))


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
                raise _differing(interp, contents, filled)
            _require_one_shape(interp, contents.buffer, filled.buffer)
            joined = interp.call(Lit(np.concatenate), (Tuple((contents.buffer, filled.buffer)),), hint="items")
            _change(interp, ref, either(contents, filled), joined)
            return
        known = interp.items(other)
    for item in known:
        append(interp, ref, interp.filled(ref) or contents, item)


def _require_one_shape(interp: Interpreter, rows: Var, more: Var) -> None:
    """Raise, now or in the run, where the rows of one array have another shape than those of the other."""
    for axis in range(1, rank(rows.type) or 1):
        equal = interp.operand(
            interp.call(Lit(operator.eq), (indexing.dim(interp, rows, axis), indexing.dim(interp, more, axis)))
        )
        if equal == Lit(False):
            raise interp.error("the items of this list differ in shape", "keep items of one shape in it")
        if equal != Lit(True):
            interp.require(equal, runtime.differing_rows)


def pop(interp: Interpreter, ref: Ref, contents: Collected, index: Value, hint: str) -> Value:
    """Take out the item at `index`, the first or the last one."""
    _settled(ref, contents)
    refuse_index(interp, index, "list")
    place = interp.static(index, "an index into a list")
    if place not in (0, -1):
        raise interp.error("an item is taken out of the middle of this list", "take the first or the last one")
    item = load(interp, ref, contents, index, hint)
    rest = Slice(Lit(None), Lit(-1), Lit(None)) if place == -1 else Slice(Lit(1), Lit(None), Lit(None))
    _change(interp, ref, contents, indexing.load(interp, contents.buffer, rest, "items"))
    return item


def insert(interp: Interpreter, ref: Ref, contents: Collected, index: Value, item: Value) -> None:
    """Put `item` before the item at `index`."""
    _settled(ref, contents)
    before, after = (
        interp.call(Lit(operator.getitem), (ref, part)) for part in (Slice(NONE, index, NONE), Slice(index, NONE, NONE))
    )
    assert isinstance(before, Ref)
    append(interp, before, interp.filled(before) or contents, item)
    extend(interp, before, interp.filled(before) or contents, after)
    made = interp.filled(before) or contents
    _change(interp, ref, replace(contents, weak=made.weak, kinds=made.kinds), made.buffer)


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
        raise interp.error("a slice of a list whose length only a run can tell is set", "use an array")
    settle_rows(interp, (value,))
    type_, held = item_type(interp, value) or Object(), _dtype(row_type(contents))
    if isinstance(type_, Array) and _may_spread(type_, row_type(contents)):
        raise interp.error("the items of this list may differ in shape", "use items of one shape")
    if rank(type_) is None or rank(type_) != rank(row_type(contents)):
        raise _differing(interp, contents)
    if np.result_type(_dtype(type_), held) != held:
        contents = _with_floats(interp, ref, contents, type_)
    joined = _joined(interp, row_type(contents), type_)
    if joined is None or not alike_rows(contents.buffer.type, type_, contents.weak is _is_weak(interp, value)):
        raise _differing(interp, contents)
    see_exact(interp, contents.buffer, (value,))
    contents = _with_kinds(interp, ref, contents, weak=contents.weak and _is_weak(interp, value), kinds=kinds_beside(joined))
    if isinstance(row_type(contents), Scalar):
        indexing.store(interp, contents.buffer, _place(interp, contents, index), value)
        return
    _settled(ref, contents)
    buffer = interp.call(Lit(np.ndarray.copy), (contents.buffer,), hint="items")
    indexing.store(interp, buffer, index, so_far(interp, filled) if (filled := interp.filled(value)) else value)
    _change(interp, ref, contents, buffer)


def _with_kinds(interp: Interpreter, ref: Ref, contents: Collected, *, weak: bool, kinds: tuple[Scalar, ...]) -> Collected:
    """The contents of a list, and of the list of which it is a row, where a number of another kind is among them from here on."""
    if (weak, kinds) == (contents.weak, contents.kinds):
        return contents
    if not (contents.done or contents.counted):
        raise irregular(ref, contents)
    if contents.row_of is not None:
        parent = interp.filled(contents.row_of[0])
        if parent is not None:
            _with_kinds(interp, contents.row_of[0], parent, weak=weak, kinds=kinds)
    after = replace(contents, weak=weak, kinds=kinds)
    _hold(interp, ref, after)
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
        items = interp.call(Lit(np.ndarray.copy), (part,), hint=hint)
        return new_list(interp, items, contents.nested, weak=contents.weak, kinds=contents.kinds)
    refuse_index(interp, index, "list")
    found = indexing.load(interp, contents.buffer, _place(interp, contents, _as_integer(index)), hint)
    if contents.nested:
        assert isinstance(found, Var)
        row = (ref, contents.buffer)
        return new_list(interp, found, contents.nested - 1, weak=contents.weak, kinds=contents.kinds, row_of=row)
    if contents.kinds:
        held = replace(_number_type(contents), as_float=is_float(_number_type(contents)))
        return interp.emit(float if contents.weak else operator.pos, (interp.operand(found),), held, hint)
    if contents.weak:
        return interp.call(Lit(_PYTHON[row_type(contents).dtype]), (found,), hint=hint)
    if isinstance(found, Var) and isinstance(found.type, Array):
        interp.held.append(Taken(found))
    return found


def _as_integer(index: Value) -> Value:
    """`index`, a truth value as the integer that it is: an array takes it for a mask."""
    return Lit(int(index.value)) if isinstance(index, Lit) and isinstance(index.value, bool) else index


def so_far(interp: Interpreter, contents: Collected) -> Var:
    """The items as one array."""
    if contents.done:
        return contents.buffer
    found = indexing.load(interp, contents.buffer, Slice(Lit(None), contents.count, Lit(None)), "items")
    assert isinstance(found, Var)
    return found


def as_array(interp: Interpreter, value: Ref) -> Var:
    """The items of a list as the array that NumPy makes of it; the run raises where it has one axis, as there are no items."""
    filled, tuples = interp.filled(value), interp.columns(value)
    if filled is not None:
        rows = so_far(interp, filled)
    else:
        assert tuples is not None
        parts = tuple(interp.call(Lit(np.array), (part,)) for part in tuples.lists)
        stacked = interp.operand(interp.call(Lit(np.stack), (Tuple(parts),), {"axis": Lit(1)}, "items"))
        assert isinstance(stacked, Var)
        rows = stacked
    if rank(rows.type) != 1 or not isinstance(rows.type, Array) or rows.type.dtype != "float64":
        some = interp.operand(interp.call(Lit(operator.gt), (iteration.length(interp, value), Lit(0))))
        if some != Lit(True):
            interp.require(some, runtime.empty_list)
    return rows
