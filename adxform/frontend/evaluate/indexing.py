"""Loads and stores by subscript: on arrays by type, on tuples, lists and dicts by value."""

from __future__ import annotations

import collections
import operator
from typing import Any

import numpy as np

from adxform import runtime
from adxform.frontend.checks.shared_memory import read_meanwhile
from adxform.frontend.evaluate.classes import protocols
from adxform.frontend.evaluate.classes.python_classes import class_of
from adxform.frontend.evaluate.control_flow.joined_types import number_type
from adxform.frontend.evaluate.keys import as_index, hashed, place_in, refuse_index
from adxform.frontend.evaluate.objects import chosen_items, doubtful_keys
from adxform.frontend.evaluate.objects.object_contents import Contents, Portions, list_contents
from adxform.frontend.evaluate.outside import outside_containers
from adxform.frontend.evaluate.sizes import learn
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, Range, Ref, Slice, Static, Tuple, Value, is_unknown
from adxform.frontend.signature import python_class
from adxform.frontend.signature.assumed_lengths import uncut, unknown_slices
from adxform.frontend.types import forgotten_kinds
from adxform.frontend.types.samples import FRESH, NoSample, sampled_type
from adxform.frontend.types.shape_rules import broadcast, slice_size
from adxform.ir import intrinsics
from adxform.ir.kinds import alternatives
from adxform.ir.ops import Lit, Operand, Pack, Var
from adxform.ir.types import INT, Array, Dim, Object, Scalar, Size, Type, rank
from adxform.ir.walk import variables
from adxform.primitives.definitions import iterations
from adxform.primitives.memory import index_kind, is_whole_mask


def dim(interp: Interpreter, x: Var, axis: int) -> Value:
    """``x.shape[axis]``: a literal where the type says it, else one variable per array and axis."""
    assert isinstance(x.type, Array)
    shape = x.type.shape
    if shape is None:
        return interp.emit(intrinsics.dim, (x, Lit(axis)), INT, "n")
    size = shape[axis]
    if isinstance(size, int):
        return Lit(size)
    out = interp.emit(intrinsics.dim, (x, Lit(axis % len(shape))), INT, "n")
    learn(interp, intrinsics.dim, out, (x, Lit(axis % len(shape))))
    return out


# -- loads ------------------------------------------------------------------------------------------------------------


def load(interp: Interpreter, x: Value, index: Value, hint: str = "tmp") -> Value:
    """``x[index]``"""
    match x:
        case Var(_, Array()):
            at = told(interp, index)
            type_ = element_type(interp, x, at)
            out = interp.emit(operator.getitem, (x, at), uncut(x, at, type_) if interp.assumes else type_, hint)
            if interp.assumes:
                interp.equal.sliced.update(unknown_slices(x, at, out))
            return out
        case Var(_, Object()):
            item = interp.emit(operator.getitem, (x, interp.operand(index)), Object(), hint)
            if x in interp.of_run.followed:
                interp.of_run.followed[item] = load(interp, interp.of_run.followed[x], index, hint)
            return item
        case Tuple(items):
            return _item(interp, items, index, "tuple", Tuple)
        case Ref(cls=collections.deque) if isinstance(index, Slice):
            return interp.fail(TypeError, "sequence index must be integer, not 'slice'")
        case Ref(kind="list") if (several := interp.portions(x)) is not None:
            refuse_index(interp, index, "list")
            return interp.one_of_portions(several, index)
        case Ref(kind="list"):
            return _item(interp, interp.contents(x).items, index, "list", None)
        case Ref(kind="dict"):
            return _under_key(interp, x, index, hint)
        case Ref(kind="instance") | Static() if (method := protocols.special(interp, x, "__getitem__")) is not None:
            return interp.call(method, (index,), hint=hint)
        case Lit(value):
            return interp.evaluate(operator.getitem, (value, interp.static(index, "an index")))
        case Static(value):
            return interp.outside_item(x, interp.static(index, "an index"))
        case _ if (cls := class_of(x)) is not None and not hasattr(cls, "__getitem__") and not hasattr(cls, "__class_getitem__"):
            return interp.fail(TypeError, f"'{cls.__name__}' object is not subscriptable")
        case Var(_, Scalar(weak=False, kinds=())) if (found := _in_axes(interp, x, by_axes(interp, index), hint)) is not None:
            return found
        case Var():
            raise interp.error("a number cannot be indexed", "index an array")
        case _:
            raise interp.error("this value cannot be indexed", "index an array, a tuple, a list or a dict")


def _in_axes(interp: Interpreter, number: Var, index: Value, hint: str) -> Value | None:
    """A number of NumPy's in axes of length one, as many as the `index` has of ``None``; ``None`` for other indices."""
    parts = index.items if isinstance(index, Tuple) else (index,)
    axes, rest = parts.count(NONE), parts.count(Lit(Ellipsis))
    if axes + rest != len(parts) or rest > 1:
        return None
    if axes > 0:
        return interp.call(Lit(np.reshape), (number, Tuple((Lit(1),) * axes)), hint=hint)
    return interp.call(Lit(np.array), (number,), hint=hint) if rest > 0 else number


def _under_key(interp: Interpreter, x: Ref, index: Value, hint: str) -> Value:
    """The item of a dict under a key, one that its default makes where there is none."""
    makes = x.meta is not None and x.meta != NONE
    asked = makes or interp.doubtful(x) is not None or (interp.keyed(x) is None and not interp.contents(x).keys)
    if (held := interp.under_key(x, index, stored=makes) if asked else interp.keyed(x)) is not None:
        return interp.load_under(x, held, index, hint)
    if interp.doubtful(x) is not None:
        return doubtful_keys.item(interp, x, hashed(interp, index, "a dict key", x))
    if (found := _list_under_key(interp, x, index)) is not None:
        return found
    if (place := chosen_items.place_of_key(interp, x, index)) is not None:
        return _item(interp, interp.contents(x).items, place, "dict", None)
    if x.meta is None and (own := chosen_items.under_number(interp, x, index)) is not None:
        return interp.call(Static(iterations.looked_up), (*own, index), hint=hint)
    key = hashed(interp, index, "a dict key", x)
    found = interp.contents(x).get(key)
    if found is None and x.meta is not None and x.meta != NONE:
        found = interp.call(x.meta, ())
        store(interp, x, index, found)
    return interp.fail(KeyError, key) if found is None else found


def _list_under_key(interp: Interpreter, x: Ref, key: Value) -> Value | None:
    """The list in a dict under a key that only the run can tell, where all items are lists."""
    items = interp.contents(x).items
    if not isinstance(key, Var) or isinstance(key.type, Array) or interp.integers.followed(key) or not items:
        return None
    if not all(isinstance(item, Ref) and item.kind == "list" for item in items):
        return None
    place = chosen_items.place_in_dict(interp, x, key)
    return interp.one_of_lists(items, place) if isinstance(place, Var) else None


def told(interp: Interpreter, index: Value) -> Operand:
    """`index` as an operand, in which all numbers are known to be whole or not."""
    at = interp.operand(with_arrays(interp, by_axes(interp, index)))
    forgotten_kinds.refuse(interp, variables(at))
    return at


def by_axes(interp: Interpreter, index: Value) -> Value:
    """`index`, where it is a tuple with its items one by one: they stand for as many axes, where those of a list are places."""
    if isinstance(index, Tuple):
        return index if index.cls is tuple else Tuple(index.items)
    many = isinstance(index, Ref) and index.cls is tuple and interp.is_long(index)
    return Tuple(tuple(interp.items(index))) if many else index


def of_range(interp: Interpreter, numbers: Range, hint: str = "numbers") -> Value:
    """The array that NumPy makes of a range."""
    return interp.call(Lit(np.arange), (numbers.start, numbers.stop, numbers.step), hint=hint)


def with_arrays(interp: Interpreter, index: Value) -> Value:
    """`index` with arrays for what NumPy makes arrays of: ranges and lists of truth values."""
    match index:
        case Tuple(items):
            return Tuple(tuple(with_arrays(interp, item) for item in items))
        case Ref(kind="list") if not interp.is_long(index) and interp.contents(index).items:
            items = interp.contents(index).items
            masks = all(isinstance(item, Lit) and isinstance(item.value, bool) for item in items)
            return interp.call(Lit(np.array), (index,), hint="mask") if masks else index
        case Range():
            return of_range(interp, index)
        case Static():
            return as_index(interp, index)
        case _:
            return index


def _item(interp: Interpreter, items: tuple[Value, ...], index: Value, what: str, build: Any) -> Value:
    refuse_index(interp, index, what)
    if is_unknown(index):
        index = interp.emit(runtime.position, (interp.operand(index),), INT)
    if not items and isinstance(index, Var) and isinstance(index.type, Scalar):  # a loop may fill it, and then it is another
        return interp.fail(IndexError, f"{what} index out of range")
    if isinstance(index, Var) and (found := _item_of_the_run(interp, items, index, what, build)) is not None:
        return found
    at = place_in(interp, index, what)
    if isinstance(at, slice):
        part = items[at]
        return Tuple(part) if build is Tuple else interp.new_list(part)
    try:
        return items[int(at)]
    except IndexError:
        return interp.fail(IndexError, f"{what} index out of range")


def _item_of_the_run(interp: Interpreter, items: tuple[Value, ...], index: Var, what: str, build: Any) -> Value | None:
    """The one of `items` that only the run chooses; ``None`` where `index` is to be known, and they are looked up."""
    if (found := interp.one_of_lists(items, index)) is not None:
        return found
    of_the_run = not interp.integers.origins.get(index)
    if of_the_run and interp.of_numbers(items):
        kinds = {kind for item in items if isinstance(type_ := number_type(item), Scalar) for kind in alternatives(type_)}
        if len(kinds) != 1:
            return chosen_items.one_of(interp, items, index, what)
        found = load(interp, interp.call(Lit(np.array), (Tuple(items),)), index)
        (kind,) = kinds
        return interp.call(Lit(python_class(kind.dtype, True)), (found,)) if kind.weak else found
    if of_the_run and (columns := chosen_items.columns_of(interp, items)) is not None:
        picked = tuple(_item(interp, column, index, what, build) for column in columns)
        return Tuple(picked, items[0].cls if isinstance(items[0], Tuple) else tuple)
    return chosen_items.one_of(interp, items, index, what) if chosen_items.may_choose(interp, index, len(items)) else None


def element_type(interp: Interpreter, x: Var, index: Operand) -> Type:
    """The type of ``x[index]``."""
    assert isinstance(x.type, Array)
    dtype, shape = x.type.dtype, x.type.shape
    if shape is None or index_kind(index) == "unknown":
        if shape is not None and len(shape) == 1 and isinstance(index, Var):
            return Array(dtype, None)
        return Array(dtype, None)
    parts = _expand(interp, index, len(shape))
    if index_kind(index) == "fancy":
        return _fancy_type(interp, x, shape, parts)
    sizes = _basic_sizes(interp, shape, parts)
    if not sizes and not any(_is_ellipsis(part) for part in _parts(index)):
        return Scalar(dtype)
    return Array(dtype, tuple(sizes))


def _parts(index: Operand) -> tuple[Operand, ...]:
    match index:
        case Pack("tuple", items):
            return items
        case Lit(tuple() as items):
            return tuple(Lit(item) for item in items)
        case _:
            return (index,)


def _is_ellipsis(part: Operand) -> bool:
    return isinstance(part, Lit) and part.value is Ellipsis


def _is_new_axis(part: Operand) -> bool:
    return isinstance(part, Lit) and part.value is None


def _consumed(part: Operand) -> int:
    """How many axes of the array an index part takes."""
    if _is_new_axis(part):
        return 0
    if isinstance(part, Var) and isinstance(part.type, Array) and part.type.dtype == "bool":
        return len(part.type.shape or ())
    return 1


def _expand(interp: Interpreter, index: Operand, rank: int) -> list[Operand]:
    """The index parts with ``...`` written out and missing axes added."""
    parts = list(_parts(index))
    everything = Pack("slice", (Lit(None), Lit(None), Lit(None)))
    taken = sum(_consumed(part) for part in parts if not _is_ellipsis(part))
    if taken > rank:
        raise interp.error(f"too many indices: the array has {rank} axes, and {taken} were indexed", "drop an index")
    fill: list[Operand] = [everything] * (rank - taken)
    for position, part in enumerate(parts):
        if _is_ellipsis(part):
            return [*parts[:position], *fill, *parts[position + 1 :]]
    return [*parts, *fill]


def _bound(interp: Interpreter, bound: Operand) -> Any:
    """A slice bound: a number, ``None``, a length, or `FRESH`."""
    match bound:
        case Lit(None):
            return None
        case Lit(value) if not hasattr(type(value), "__index__"):
            return interp.fail(TypeError, "slice indices must be integers or None or have an __index__ method")
        case Lit(value):
            return operator.index(value)
        case Var():
            size = interp.integers.dim_of(bound)
            return FRESH if size is None else interp.equal.size(size)
        case _:
            return FRESH


def _basic_sizes(interp: Interpreter, shape: tuple[Size, ...], parts: list[Operand]) -> list[Size]:
    sizes: list[Size] = []
    axis = 0
    for part in parts:
        if _is_new_axis(part):
            sizes.append(1)
            continue
        match part:
            case Pack("slice", (start, stop, step)):
                size = slice_size(
                    interp.equal.size(shape[axis]), _bound(interp, start), _bound(interp, stop), _bound(interp, step)
                )
                sizes.append(_decided(interp, size, shape[axis], (start, stop, step)))
            case Lit(slice() as piece):
                size = slice_size(shape[axis], piece.start, piece.stop, piece.step)
                sizes.append(_decided(interp, size, shape[axis], ()))
            case _:
                pass
        axis += 1
    return sizes


def _decided(interp: Interpreter, size: Size, length: Size, bounds: tuple[Operand, ...]) -> Size:
    """`size`, of a slice of an axis of this length; with what decides on it, where `bounds` and lengths of arguments do."""
    found = interp.integers.of_arguments.get(length.base) if isinstance(length, Dim) else frozenset[Var]()
    for bound in bounds:
        origin = interp.integers.followed(bound) if isinstance(bound, Var) else frozenset[Var]()
        found = None if found is None or (isinstance(bound, Var) and not origin) else found | origin
    if size != FRESH or not found:
        return size
    fresh = interp.integers.fresh_dim()
    interp.integers.of_arguments[fresh.base] = found
    return fresh


def _fancy_type(interp: Interpreter, x: Var, shape: tuple[Size, ...], parts: list[Operand]) -> Type:
    """The type of a load by index arrays, masks and lists, by NumPy's rules."""
    assert isinstance(x.type, Array)
    index_shapes: list[tuple[Size, ...]] = []
    kinds: list[str] = []
    kept: list[Size] = []
    axis = 0
    for part in parts:
        consumed = _consumed(part)
        if (
            _is_new_axis(part)
            or (isinstance(part, Pack) and part.kind == "slice")
            or (isinstance(part, Lit) and isinstance(part.value, slice))
        ):
            kinds.append("basic")
            kept += _basic_sizes(interp, shape[axis : axis + consumed], [part])
        else:
            kinds.append("fancy")
            index_shapes.append(_index_shape(interp, part))
        axis += consumed
    picked = broadcast(index_shapes)
    first = kinds.index("fancy")
    last = len(kinds) - 1 - kinds[::-1].index("fancy")
    apart = "basic" in kinds[first : last + 1]
    before = 0 if apart else first
    sizes = (*kept[:before], *picked, *kept[before:])
    return Array(x.type.dtype, tuple(sizes))


def _index_shape(interp: Interpreter, part: Operand) -> tuple[Size, ...]:
    match part:
        case Var(_, Array(dtype, shape)) if shape is not None:
            return (FRESH,) if dtype == "bool" else shape
        case Var(_, Scalar()):
            return ()
        case Lit(value) if not isinstance(value, bool):
            return tuple(np.shape(value))
        case Pack():
            try:
                found = sampled_type(np.asarray, (part,), {}, interp.integers.sizes)
            except NoSample:
                found = Object()
            if isinstance(found, Array) and found.shape is not None and found.dtype != "bool":
                return found.shape
            if isinstance(found, Array) and found.dtype == "bool":
                return (FRESH,)
        case _:
            pass
    raise interp.error("an index of this kind cannot be followed", "use integers, slices, integer arrays or masks")


# -- stores -----------------------------------------------------------------------------------------------------------


def stored(interp: Interpreter, value: Value) -> Operand:
    """`value` as it is stored in an array: a list or tuple is the array that NumPy makes of it."""
    return interp.operand(interp.call(Lit(np.array), (value,)) if isinstance(value, Tuple | Ref) else value)


def store(interp: Interpreter, x: Value, index: Value, value: Value) -> None:
    """``x[index] = value``"""
    match x:
        case Var(_, Array()):
            _store_in_array(interp, x, index, value)
        case Var(_, Object()) if (method := outside_containers.attribute(interp, x, "__setitem__")) is not None:
            interp.call(method, (index, value), wanted=False)
        case Var(_, Object()):
            refuse_handed_on(interp)
            operands_ = x, interp.operand(index), interp.operand(value)
            interp.refuse_keeping(variables(operands_[2]))
            interp.builder.effect(operator.setitem, *operands_, span=interp.span)
        case Ref(kind="dict"):
            _store_under_key(interp, x, index, value)
        case Ref(cls=collections.deque) if isinstance(index, Slice):
            interp.fail(TypeError, "sequence index must be integer, not 'slice'")
        case Ref() if isinstance(index, Var) and _is_there(interp, x, index, value):
            return  # `cells[k] += items` ends so
        case Ref(kind="list"):
            _store_in_list(interp, x, index, value)
        case Ref(kind="instance") | Static() if (method := protocols.special(interp, x, "__setitem__")) is not None:
            interp.call(method, (index, value))
        case Static():
            raise interp.outside_write(f"the {type(x.value).__name__} that is changed here")
        case _ if (cls := class_of(x)) is not None and not hasattr(cls, "__setitem__"):
            kind = AttributeError if hasattr(cls, "__delitem__") else TypeError  # the two are one for Python
            interp.fail(kind, f"'{cls.__name__}' object does not support item assignment")
        case _:
            raise interp.error("this value does not support item assignment", "use an array, a list or a dict")


def _store_under_key(interp: Interpreter, x: Ref, index: Value, value: Value) -> None:
    """``x[index] = value`` of a dict."""
    if (held := interp.under_key(x, index, stored=True)) is not None:
        interp.store_under(held, index, value)
    elif interp.doubtful(x) is not None:
        doubtful_keys.put(interp, x, hashed(interp, index, "a dict key", x), value)
    elif (place := chosen_items.place_to_store(interp, x, index)) is not None:
        chosen_items.store(interp, x, place, value)
    else:
        interp.write(x, interp.contents(x).put(hashed(interp, index, "a dict key", x), value))


def _is_there(interp: Interpreter, x: Ref, index: Var, value: Value) -> bool:
    """Whether a list that was found at `index` of `x` is there still: `x` holds what it held then."""
    found = interp.portion(value)
    if found is None or found.index != index:
        return False
    match interp.heap.contents.get(x):
        case Contents(items=items):
            return found.among == items
        case Portions(of=family, places=None):
            return found.among is family
        case _:
            return False


def refuse_handed_on(interp: Interpreter) -> None:
    """Refuse a change to an object of which nothing is known where it may be a list or a dict that code was given a copy of."""
    if interp.to_check.handed_on:
        message = (
            f"what is changed here may be in what is passed to `{interp.to_check.handed_on[0]}`, which adxform cannot look into"
        )
        raise interp.error(message, "change the lists by their own names")


_NO_INTEGER = "int() argument must be a string, a bytes-like object or a real number"


def _store_in_array(interp: Interpreter, x: Var, index: Value, value: Value) -> None:
    kind = np.dtype(x.type.dtype).kind if isinstance(x.type, Array) else ""
    if kind and kind in "iuf" and _holds_complex(interp, value):
        what = "float() argument must be a string or a real number" if kind == "f" else _NO_INTEGER
        interp.fail(TypeError, f"{what}, not 'complex'")
        return
    operands = x, told(interp, index), stored(interp, value)
    if is_whole_mask(operands[1], rank(x.type)):
        interp.to_check.apart += read_meanwhile(x, operands[2:], interp.span)
    interp.builder.effect(operator.setitem, *operands, span=interp.span)


def _holds_complex(interp: Interpreter, value: Value) -> bool:
    """Whether a list or tuple, as far as its items are known, holds a complex number of Python's, which no real array takes."""
    items: tuple[Value, ...] = ()
    if isinstance(value, Tuple):
        items = value.items
    elif isinstance(value, Ref) and value.kind == "list" and isinstance(found := interp.heap.contents.get(value), Contents):
        items = found.items
    return any(class_of(item) is complex or _holds_complex(interp, item) for item in items)


def _are_objects(items: tuple[Value, ...]) -> bool:
    """Whether `items` are a few objects or dicts, which a program may change by another name than that of their list."""
    return len(items) <= chosen_items.CHOICES and all(
        isinstance(item, Ref) and item.kind in ("instance", "dict") for item in items
    )


def _store_in_list(interp: Interpreter, x: Ref, index: Value, value: Value) -> None:
    if interp.store_list(x, index, value):
        return
    contents = interp.contents(x)
    rows = isinstance(index, Var) and not interp.integers.origins.get(index) and not _are_objects((*contents.items, value))
    if rows and interp.as_rows(x, value):
        interp.call(Lit(operator.setitem), (x, index, value))
        return
    refuse_index(interp, index, "list")
    if chosen_items.may_choose(interp, index, len(contents.items)):
        chosen_items.store(interp, x, chosen_items.place_in_list(interp, index, len(contents.items)), value)
        return
    at = place_in(interp, index, "list")
    items = list(contents.items)
    try:
        items[at] = interp.items(interp.call(Lit(list), (value,))) if isinstance(at, slice) else value
    except (IndexError, ValueError) as error:
        interp.fail(type(error), str(error))
    interp.write(x, list_contents(tuple(items)))
