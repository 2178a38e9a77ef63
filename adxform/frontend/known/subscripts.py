"""Subscripts, unpacking and splats."""

from __future__ import annotations

import inspect
import operator
import types
from collections.abc import Callable
from types import MappingProxyType
from typing import Any

import numpy as np

from adxform import runtime
from adxform.frontend.containers import collecting, keyed_lists, lists_of_lists, portions
from adxform.frontend.containers import tuple_columns as of_tuples
from adxform.frontend.containers.methods import Answer, Args, Handler, Kwargs, is_long_from_here
from adxform.frontend.evaluate.classes import protocols
from adxform.frontend.evaluate.classes.python_classes import class_of
from adxform.frontend.evaluate.control_flow import iteration, loop_trips
from adxform.frontend.evaluate.control_flow.attempts import branch
from adxform.frontend.evaluate.control_flow.joined_types import number_type
from adxform.frontend.evaluate.keys import as_index, hashed, place_in, refuse_index
from adxform.frontend.evaluate.objects import doubtful_keys, moved_items
from adxform.frontend.evaluate.objects.object_contents import Contents, list_contents
from adxform.frontend.evaluate.operands import are_static
from adxform.frontend.evaluate.outside import outside_containers
from adxform.frontend.evaluate.parts import indexing, stored_items
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import (
    NONE,
    Enumerate,
    FunctionValue,
    Maybe,
    Range,
    Ref,
    Slice,
    Static,
    Tuple,
    Value,
    Zip,
    is_unknown,
)
from adxform.frontend.known.items import sequences
from adxform.frontend.types.samples import FRESH
from adxform.ir import intrinsics
from adxform.ir.kinds import scalar_type
from adxform.ir.ops import Lit, Var
from adxform.ir.types import BOOL, Array, Object, Scalar, is_float, is_inexact
from adxform.primitives.definitions.arrangements import stacking
from adxform.primitives.definitions.of_python import item_places


def _place(interp: Interpreter, owner: Value, index: Value) -> Value:
    """`index` into `owner`: where that is a sequence, an object is what its ``__index__`` says."""
    sequence = isinstance(owner, Tuple | Range | Zip | Enumerate) or (isinstance(owner, Ref) and owner.kind == "list")
    text = isinstance(owner, Lit) and isinstance(owner.value, str | bytes | range)
    if not sequence and not text:
        return index
    is_truth = isinstance(index, Var) and index.type == BOOL
    if is_truth or (isinstance(index, Lit) and isinstance(index.value, bool)):  # an array would take all of itself or nothing
        return interp.call(Lit(int), (index,))
    return as_index(interp, index)


def _getitem(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    args = args[0], _place(interp, *args)
    if isinstance(args[0], Static | Lit) and (join := JOINS.get(type(args[0].value))) is not None:
        return _joined(interp, join, args[1], hint)
    if isinstance(args[0], Static | Lit) and any(args[0].value is one for one in (np.s_, np.index_exp)):
        return Tuple((args[1],)) if args[0].value is np.index_exp and not isinstance(args[1], Tuple) else args[1]
    if isinstance(args[0], Static | Lit) and type(args[0].value) in _GRIDS:
        return _grid(interp, args[0], args[1], hint)
    filled = interp.filled(args[0])
    if filled is not None and isinstance(args[0], Ref):
        return collecting.load(interp, args[0], filled, args[1], hint)
    if (columns := interp.columns(args[0])) is not None:
        assert isinstance(args[0], Ref)
        return of_tuples.load(interp, args[0], columns, args[1], hint)
    if isinstance(args[0], Range | Zip | Enumerate):
        return sequences.load(interp, args[0], args[1], hint)
    return indexing.load(interp, args[0], args[1], hint)


JOINS = MappingProxyType({type(np.r_): stacking.in_a_row, type(np.c_): stacking.as_columns})
"""What subscripts of objects mean that join what they are given."""


def _joined(interp: Interpreter, join: Callable[..., Any], index: Value, hint: str) -> Answer:
    """``np.r_[x, y]`` of numbers and arrays; ``None`` where all is known, or texts say how to join."""
    parts = index.items if isinstance(index, Tuple) else (index,)
    if are_static(interp, parts):
        return None
    parts = tuple([_part_of_a_join(interp, part) for part in parts])
    if not all(isinstance(part, Var) or (isinstance(part, Lit) and scalar_type(part.value) is not None) for part in parts):
        raise interp.error(
            "`np.r_` and `np.c_` are followed for numbers, arrays, lists and slices",
            "use `np.concatenate`, `np.arange`, `np.stack`",
        )
    return interp.call(Static(join), parts, hint=hint)


def _part_of_a_join(interp: Interpreter, part: Value) -> Value:
    """The array that a slice or a list stands for between the brackets of ``np.r_``; anything else is as it is."""
    if isinstance(part, Tuple | Range) or (isinstance(part, Ref) and part.kind == "list"):
        return interp.call(Static(np.array), (part,))
    if not isinstance(part, Slice):
        return part
    first = Lit(0) if part.start == NONE else part.start
    if isinstance(part.step, Lit) and isinstance(part.step.value, complex):
        return interp.call(Static(np.linspace), (first, part.stop, Lit(int(abs(part.step.value)))))
    return interp.call(Static(np.arange), (first, part.stop, Lit(1) if part.step == NONE else part.step))


_GRIDS = (type(np.mgrid), type(np.ogrid))


def _grid(interp: Interpreter, grid: Static | Lit, index: Value, hint: str) -> Answer:
    """``np.mgrid[a:b, c:d]``, which the run makes: its bounds tell what it is. ``None`` where they do not."""
    parts = index.items if isinstance(index, Tuple) else (index,)
    pieces = [piece for part in parts if isinstance(part, Slice) for piece in (part.start, part.stop, part.step) if piece != NONE]
    types = [number_type(piece) for piece in pieces]
    if not all(isinstance(part, Slice) for part in parts) or not all(isinstance(type_, Scalar) for type_ in types):
        return None
    if any(isinstance(piece, Var) and is_inexact(piece.type) for piece in pieces):
        raise interp.error("the bounds of a grid that move", "scale the grid: `x = length * np.linspace(0.0, 1.0, n)`")
    dtype = "float64" if any(is_inexact(type_) for type_ in types if type_ is not None) else "int64"
    whole = interp.emit(operator.getitem, (interp.operand(grid), interp.operand(index)), Object(), hint)
    if not isinstance(index, Tuple):
        return interp.emit(runtime.of_kind, (whole, Lit(dtype), Lit(1)), Array(dtype, (FRESH,)), hint)
    return _grid_of(interp, grid, whole, dtype, len(parts), hint)


def _grid_of(interp: Interpreter, grid: Static | Lit, whole: Var, dtype: str, rank: int, hint: str) -> Value:
    """The grid `whole` of several axes, an array, or of ``np.ogrid`` as many as it has axes."""
    if type(grid.value) is type(np.mgrid):
        made = Array(dtype, (rank, *(FRESH,) * rank))
        return interp.emit(runtime.of_kind, (whole, Lit(dtype), Lit(rank + 1)), made, hint)
    axes = tuple(Array(dtype, tuple(FRESH if k == place else 1 for k in range(rank))) for place in range(rank))
    kinds = Lit(((dtype, rank),) * rank)
    arrays = interp.emit(runtime.of_kinds, (whole, kinds), Object(), "parts")
    return Tuple(tuple([interp.emit(operator.getitem, (arrays, Lit(k)), type_, hint) for k, type_ in enumerate(axes)]))


def holds_floats(x: Value) -> bool:
    """Whether `x` is an array of floats, in which ``None`` is stored as NaN."""
    return isinstance(x, Var) and isinstance(x.type, Array) and is_float(x.type)


def _number_or_nan(interp: Interpreter, maybe: Maybe) -> Value:
    """What may be ``None``, as an array of floats holds it."""
    if not isinstance(maybe.present, Var) or maybe.present in interp.assumed or number_type(maybe.value) is None:
        return interp.force(maybe)
    (found,) = branch(interp, maybe.present, lambda: [maybe.value], lambda: [Lit(np.nan)], ["stored"], interp.span)
    return found


def _setitem(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    if isinstance(args[2], Maybe) and holds_floats(args[0]):
        args = args[0], interp.force(args[1]), _number_or_nan(interp, args[2])
    args = args[0], _place(interp, *args[:2]), args[2]
    if (portion := interp.portion(args[0])) is not None:
        return portions.changed(interp, portion, lambda own: interp.call(Lit(operator.setitem), (own, *args[1:])))
    filled = interp.filled(args[0])
    if isinstance(args[0], Ref) and args[0].cls is tuple:
        return interp.fail(TypeError, "'tuple' object does not support item assignment")
    if isinstance(args[0], Ref) and args[0].outside and interp.is_long(args[0]):
        raise interp.outside_change(args[0])
    if filled is not None and isinstance(args[0], Ref):
        collecting.store(interp, args[0], filled, *args[1:])
    elif (columns := interp.columns(args[0])) is not None:
        assert isinstance(args[0], Ref)
        of_tuples.store(interp, args[0], columns, *args[1:])
    else:
        stored_items.store(interp, *args)
    return NONE


def _delitem(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    ref, index = args[0], _place(interp, *args)
    if isinstance(ref, Var) and (method := outside_containers.attribute(interp, ref, "__delitem__")) is not None:
        return interp.call(method, (index,), wanted=False)
    if not isinstance(ref, Ref):
        cls = class_of(ref)
        if cls is not None and not hasattr(cls, "__delitem__"):
            return interp.fail(TypeError, f"'{cls.__name__}' object doesn't support item deletion")
        raise interp.error("`del` of an item of this value is not supported", "build a new value without the item")
    if ref.cls is tuple:
        return interp.fail(TypeError, "'tuple' object doesn't support item deletion")
    if ref.kind == "instance":
        method = protocols.special(interp, ref, "__delitem__")
        if method is None:
            kind = AttributeError if hasattr(ref.cls, "__setitem__") else TypeError  # the two are one for Python
            return interp.fail(kind, f"'{ref.cls.__name__}' object doesn't support item deletion")
        interp.call(method, (index,))
        return NONE
    if not _is_deleted_by_run(interp, ref, index, hint):
        _delete_known(interp, ref, index, hint)
    return NONE


def _is_deleted_by_run(interp: Interpreter, ref: Ref, index: Value, hint: str) -> bool:
    """Whether a list or dict is one that only the run knows item by item; then the item is deleted."""
    if (portion := interp.portion(ref)) is not None:
        portions.changed(interp, portion, lambda own: interp.call(Lit(operator.delitem), (own, index)))
    elif interp.portions(ref) is not None:
        lists_of_lists.delete(interp, ref, index)
    elif (filled := interp.filled(ref)) is not None:
        refuse_index(interp, index, "list")
        if isinstance(index, Slice):
            collecting.splice(interp, ref, filled, *collecting.bounds(interp, ref, index), collecting.NOTHING)
        else:
            collecting.pop(interp, ref, filled, index, hint)
    elif (columns := interp.columns(ref)) is not None:
        of_tuples.delete(interp, columns, index)
    elif (keyed := keyed_lists.asked(interp, ref, index)) is not None:
        keyed_lists.pop(interp, keyed, index, None)
    else:
        return False
    return True


def _delete_known(interp: Interpreter, ref: Ref, index: Value, hint: str) -> None:
    """Delete the item of a list or dict that is known item by item, or in which some keys are in doubt."""
    if interp.doubtful(ref) is not None:
        key = hashed(interp, index, "a key", ref)
        if doubtful_keys.found(interp, ref, key, KeyError, key) is None:
            interp.fail(KeyError, key)
        doubtful_keys.drop(interp, ref, key)
    elif ref.kind == "list":
        _delete_from_list(interp, ref, interp.contents(ref), index, hint)
    else:
        contents, key = interp.contents(ref), hashed(interp, index, "a key", ref)
        if contents.get(key) is None:
            interp.fail(KeyError, key)
        interp.write(ref, contents.without(key))


def _delete_from_list(interp: Interpreter, ref: Ref, contents: Contents, index: Value, hint: str) -> None:
    refuse_index(interp, index, "list")
    if moved_items.taken_out(interp, ref, index, item_places.place_in_list, "list") is not None:
        return
    if is_long_from_here(interp, ref, index):
        _delitem(interp, (ref, index), {}, hint)
        return
    items = list(contents.items)
    try:
        del items[place_in(interp, index, "list")]
    except IndexError:
        interp.fail(IndexError, "list assignment index out of range")
    interp.write(ref, list_contents(tuple(items)))


def _chain(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    if len(args) == 1 and iteration.literal_trips(interp, args[0]) is None:
        columns = interp.columns(args[0])
        if columns is not None and columns.cls is tuple:
            return Zip(columns.lists)
        if isinstance(args[0], Zip):
            return args[0]
    if any(iteration.literal_trips(interp, part) is None for part in args) and not any(
        loop_trips.promotable(interp, part) or is_unknown(part) for part in args
    ):
        return _chained(interp, args)
    return Tuple(tuple(item for part in args for item in interp.items(part)))


def _chained(interp: Interpreter, parts: Args) -> Value:
    """A tuple of the items of `parts`, of which only a run can tell how many there are."""
    made = interp.call(Lit(list), parts[:1])
    for part in parts[1:]:
        interp.call(interp.attribute(made, "extend"), (part,))
    return interp.call(Lit(tuple), (made,))


def merged(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Ref:
    """``{**args[0], **args[1], …}``"""
    contents = Contents((), ())
    for part in args:
        for key, item in interp.pairs(part):
            contents = contents.put(key, item)
    return interp.heap.new("dict", dict, contents.keys, contents.items)


def _merged_named(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    names: set[Any] = set()
    for part in args:
        cls = class_of(part)
        if cls is not None and not issubclass(cls, dict):
            return interp.fail(TypeError, f"argument after ** must be a mapping, not {cls.__name__}")
        for key, _ in interp.pairs(part):
            if not isinstance(key, str):
                return interp.fail(TypeError, "keywords must be strings")
            if key in names:
                return interp.fail(TypeError, f"got multiple values for keyword argument '{key}'")
            names.add(key)
    return merged(interp, args, kwargs, hint)


def _apply(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    fn, positional, named = args
    pairs = interp.pairs(named)
    count = None if pairs or not _is_counted_by_a_run(interp, positional) else _count_of_parameters(fn)
    if count is not None:
        return interp.call(fn, _so_many(interp, positional, count), hint=hint)
    positional = interp.call(Lit(intrinsics.chain), (positional,))
    if isinstance(positional, Zip) and fn in (Lit(zip), Static(zip)) and not pairs:
        return sequences.apart(interp, positional)
    return interp.call(fn, interp.items(positional), dict(pairs), hint)


def _is_counted_by_a_run(interp: Interpreter, positional: Value) -> bool:
    """Whether only a run can tell how many items an array or a list has, and no parameter does."""
    held = isinstance(positional, Var) and isinstance(positional.type, Array) and bool(positional.type.shape)
    if not held and not interp.is_long(positional):
        return False
    return iteration.literal_trips(interp, positional) is None and not loop_trips.promotable(interp, positional)


def _count_of_parameters(fn: Value) -> int | None:
    """How many arguments a function takes, if it takes one number of them."""
    match fn:
        case Static(types.FunctionType() as found):
            code = found.__code__
            stars = code.co_flags & (inspect.CO_VARARGS | inspect.CO_VARKEYWORDS)
            fixed = not (found.__defaults__ or code.co_kwonlyargcount or stars)
            return code.co_argcount if fixed else None
        case FunctionValue(inner, defaults=()) if all(kind.startswith("POSITIONAL") for kind in inner.kinds):
            return len(inner.params)
        case _:
            return None


def _so_many(interp: Interpreter, items: Value, count: int) -> list[Value]:
    """The `count` items of an array or a list; the run raises if there are more or fewer."""
    fits = interp.operand(interp.call(Lit(operator.eq), (iteration.length(interp, items), Lit(count))))
    interp.require(fits, TypeError, f"{count} arguments are taken, and another number of them was given")
    return [iteration.item_at(interp, items, Lit(k)) for k in range(count)]


def _slice(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    parts = (NONE, args[0], NONE) if len(args) == 1 else (*args, NONE, NONE)[:3]
    return Slice(*parts)


TABLE: dict[Any, Handler] = {
    operator.getitem: _getitem,
    operator.setitem: _setitem,
    operator.delitem: _delitem,
    slice: _slice,
    intrinsics.chain: _chain,
    intrinsics.merge: merged,
    intrinsics.merge_named: _merged_named,
    intrinsics.apply: _apply,
}
