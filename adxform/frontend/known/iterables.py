"""Builtins that make, walk and reduce sequences."""

from __future__ import annotations

import bisect
import functools
import operator
from collections import OrderedDict, defaultdict, deque
from dataclasses import replace
from types import FunctionType
from typing import Any

import numpy as np

from adxform import runtime
from adxform.frontend.containers import collecting, keyed_lists, list_arrays, lists_of_lists
from adxform.frontend.containers import tuple_columns as of_tuples
from adxform.frontend.containers.deques import made as deque_of
from adxform.frontend.containers.methods import Answer, Args, Handler, Kwargs
from adxform.frontend.containers.sets import new_frozen_set, new_set
from adxform.frontend.evaluate.chosen_items import columns_of, may_choose, of_the_run
from adxform.frontend.evaluate.classes import protocols
from adxform.frontend.evaluate.classes.class_contents import find
from adxform.frontend.evaluate.classes.python_classes import class_of
from adxform.frontend.evaluate.control_flow import iteration, walks
from adxform.frontend.evaluate.control_flow.attempts import branch
from adxform.frontend.evaluate.control_flow.branches import truth
from adxform.frontend.evaluate.control_flow.generators import code_of
from adxform.frontend.evaluate.control_flow.joins import number_type
from adxform.frontend.evaluate.keys import hashed
from adxform.frontend.evaluate.operands import are_static, given_to_unknown
from adxform.frontend.evaluate.outside.settled import may_change
from adxform.frontend.evaluate.set_orders import as_given, without_order
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.structures import all_leaves
from adxform.frontend.evaluate.values import (
    NONE,
    Contents,
    Enumerate,
    FunctionValue,
    Method,
    Range,
    Ref,
    Reversed,
    Static,
    Tuple,
    Value,
    Zip,
    is_unknown,
)
from adxform.frontend.signature import python_class
from adxform.ir.kinds import alternatives
from adxform.ir.ops import Lit, Var
from adxform.ir.types import BOOL, INT, Array, Object, Scalar, is_inexact, rank
from adxform.primitives.definitions import iterations, keyed_items, lazy_builtins


def _len(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    value = args[0]
    match value:
        case Var(_, Scalar() | Array(_, ())):
            return interp.fail(TypeError, f"object of type '{(class_of(value) or float).__name__}' has no len()")
        case Var(_, Array(_, None)):
            raise interp.error("the length of a number, or of what may be one", "use an array on every path")
        case Ref(kind="instance") | Static() if (method := protocols.special(interp, value, "__len__")) is not None:
            return _not_below_zero(interp, _as_integer(interp, interp.call(method, ())))
        case Ref(kind="dict") if (keyed := interp.keyed(value)) is not None:
            return iteration.length(interp, keyed.keys)
        case Ref(kind="dict" | "set"):
            return Lit(len(interp.contents(value).keys))
        case Lit(found):
            return Lit(len(found)) if hasattr(found, "__len__") else interp.fail(TypeError, "object has no len()")
        case Static():
            return interp.emit(len, (interp.operand(value),), INT, "n")
        case _:
            return iteration.length(interp, value)


def _not_below_zero(interp: Interpreter, length: Value) -> Value:
    """`length`, which a method ``__len__`` returned, unless it is below zero: that is an error."""
    negative = truth(interp, interp.call(Lit(operator.lt), (length, Lit(0))))

    def fail() -> list[Value]:
        return [interp.fail(ValueError, "__len__() should return >= 0")]

    if isinstance(negative, bool):
        return fail()[0] if negative else length
    branch(interp, negative, fail, lambda: [length], ["n"], interp.span)
    return length


def _range(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    bounds = [_as_integer(interp, arg) for arg in args]
    match bounds:
        case (stop,):
            return Range(Lit(0), stop, Lit(1))
        case (start, stop):
            return Range(start, stop, Lit(1))
        case (start, stop, step):
            return Range(start, stop, step)
        case _:
            return interp.fail(TypeError, "range expected 1 to 3 arguments")


def _index(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    return _as_integer(interp, args[0]) if len(args) == 1 and not kwargs and isinstance(args[0], Var | Lit) else None


def _as_integer(interp: Interpreter, bound: Value) -> Value:
    """`bound` as the Python integer that it is, a truth value too: no array is made of as many elements."""
    bound = protocols.as_number(interp, bound)
    method = protocols.special(interp, bound, "__index__")
    if method is not None:
        return protocols.converted(interp, method, "__index__")
    match bound:
        case Lit(value):
            return interp.evaluate(operator.index, (value,))
        case Var(_, Scalar(kinds=kinds) as type_) if len({_is_index(kind) for kind in kinds or (type_,)}) > 1:
            raise interp.error("whether this is an integer cannot be told", "convert it: `int(…)`")
        case Var(_, Scalar(dtype, weak) as type_) if not _is_index(type_):
            kind = python_class(dtype, weak).__name__
            return interp.fail(TypeError, f"'{kind if weak else 'numpy.' + kind}' object cannot be interpreted as an integer")
        case Var(_, Scalar()) if bound.type == BOOL or (bound.type != INT and bound not in interp.sizes):
            return interp.call(Lit(int), (bound,))
        case Var(_, Array()):
            return interp.emit(operator.index, (bound,), INT)
        case _:
            return bound


def _is_index(type_: Scalar) -> bool:
    """Whether Python takes a number of `type_` for an index."""
    return np.dtype(type_.dtype).kind in "iu" or type_ == BOOL


def _tuple(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    if args and is_unknown(args[0]):
        return interp.emit(tuple, (interp.operand(args[0]),), Object(), hint)
    return listed(interp, args[0], hint, tuple) if args else Tuple(())


def _list(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    if args and is_unknown(args[0]):
        return interp.emit(list, (interp.operand(args[0]),), Object(), hint)
    return listed(interp, args[0], hint) if args else interp.new_list(())


def listed(interp: Interpreter, source: Value, hint: str = "items", cls: type = list) -> Value:
    """The items of `source`, now: one by one where they are known, else as rows of arrays."""
    known = iteration.known_items(interp, source)
    if known is None:
        count = iteration.literal_trips(interp, source)
        known = None if count is None else [iteration.item_at(interp, source, Lit(k)) for k in range(count)]
    if known is not None:
        return Tuple(tuple(known)) if cls is tuple else interp.new_list(tuple(known))
    match source:
        case Zip(parts):
            return of_tuples.zipped(interp, tuple(listed(interp, part, hint) for part in parts), cls)
        case Enumerate(items, start):
            places = Range(start, iteration.add(interp, start, iteration.length(interp, items)), Lit(1))
            return of_tuples.zipped(interp, (listed(interp, places, hint), listed(interp, items, hint)), cls)
        case Ref() if cls is list and (several := interp.portions(source)) is not None:
            return lists_of_lists.copied(interp, several)
        case Ref() if (columns := interp.columns(source)) is not None:
            return of_tuples.copied(interp, columns, cls)
        case Ref() if (filled := interp.filled(source)) is not None:
            items = interp.call(Lit(np.ndarray.copy), (list_arrays.so_far(interp, filled),), hint=hint)
            made = collecting.new_list(
                interp, items, filled.nested, cls, weak=filled.weak, kinds=filled.kinds, params=filled.params
            )
            interp.heap.contents[made] = replace(interp.filled(made) or filled, copied=filled.copied)
            return made
        case Range():
            params = iteration.deciding(interp, source)
            return collecting.new_list(interp, rows(interp, source), cls=cls, weak=True, params=params)
        case _:
            items = interp.call(Lit(np.ndarray.copy), (rows(interp, source),), hint=hint)
            weak, kinds, params = of_python(interp, source), _kinds(interp, source), iteration.deciding(interp, source)
            return collecting.new_list(interp, items, cls=cls, weak=weak, kinds=kinds, params=params)


def _kinds(interp: Interpreter, source: Value) -> tuple[Scalar, ...]:
    """What the items of `source` may be, where whole numbers are beside floats."""
    filled = interp.filled(source.items if isinstance(source, Reversed) else source)
    return () if filled is None else filled.kinds


def of_python(interp: Interpreter, source: Value) -> bool:
    """Whether the items of `source`, whose number only a run can tell, are numbers of Python."""
    match source:
        case Range():
            return True
        case Reversed(items):
            return of_python(interp, items)
        case _:
            filled = interp.filled(source)
            return filled is not None and filled.weak


def rows(interp: Interpreter, source: Value) -> Value:
    """The items of `source`, numbers or arrays of one shape, as one array."""
    filled = interp.filled(source)
    if filled is not None:
        return list_arrays.so_far(interp, filled)
    if interp.columns(source) is not None:
        message = "numbers or arrays are asked for, and the items of this list, whose length only a run can tell, are tuples"
        raise interp.error(message, "take their places: `range(len(items))`")
    match source:
        case Var(_, Array(_, shape)) if shape:
            return source
        case Range(start, stop, step):
            return interp.call(Lit(np.arange), (start, stop, step))
        case Reversed(items):
            return interp.call(Lit(np.flip), (rows(interp, items), Lit(0)))
        case Tuple() | Ref(kind="list"):
            return interp.call(Lit(np.array), (source,))
        case Var(_, Array(_, None)):
            message = "this may be a number or an array, so it cannot be walked over"
            raise interp.unknown(message, "give it one kind on every path", source)
        case _:
            return interp.call(Lit(np.array), (interp.new_list(tuple(interp.items(source))),))


def _dict(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    if not kwargs and args and keyed_lists.are_pairs(interp, args[0]):
        return interp.call(Static(keyed_items.of_pairs), args)
    contents = Contents((), ())
    for key, item in (*(interp.pairs(args[0]) if args else ()), *kwargs.items()):
        contents = contents.put(key, item)
    return interp.heap.new("dict", dict, contents.keys, contents.items)


def _from_keys(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """``dict.fromkeys(source, item)``, where the keys are known, or arguments say how many there are."""
    if is_unknown(args[0]) or (iteration.literal_trips(interp, args[0]) is None and not iteration.deciding(interp, args[0])):
        return None
    keys = interp.items(args[0])
    if not are_static(interp, keys):
        return None
    contents, item = Contents((), ()), args[1] if len(args) > 1 else NONE
    for key in keys:
        contents = contents.put(hashed(interp, key, "a dict key"), item)
    return interp.heap.new("dict", dict, contents.keys, contents.items)


def _ordered(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    made = _dict(interp, args, kwargs, hint)
    assert isinstance(made, Ref)
    contents = interp.contents(made)
    return interp.heap.new("dict", OrderedDict, contents.keys, contents.items)


def _defaulted(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    factory, *rest = args or (NONE,)
    made = _dict(interp, tuple(rest), kwargs, hint)
    assert isinstance(made, Ref)
    contents = interp.contents(made)
    known: Value = interp.operand(factory) if isinstance(factory, Method) else factory  # type: ignore[assignment]
    if not isinstance(known, Lit | Static) and not (isinstance(known, FunctionValue) and not known.captures):
        raise interp.error(
            "the default of this defaultdict depends on local values", "use `dict.setdefault`, or test for the key"
        )
    return interp.heap.new("dict", defaultdict, contents.keys, contents.items, meta=known)


def _frozen_set(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    match args:
        case (Lit(value) | Static(value),) if type(value) is frozenset:
            return args[0]
        case (Var(),):
            return None
        case (Static() as source,) if as_given(interp, source) is None and iteration.known_items(interp, source) is None:
            return None
        case _:
            return new_frozen_set(interp, args, kwargs, hint)


def _sorted(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    has_key = kwargs.get("key", NONE) != NONE
    if not has_key:
        args = (without_order(interp, args[0]), *args[1:])
    if isinstance(args[0], Zip | Enumerate) and iteration.known_items(interp, args[0]) is None:
        args = (listed(interp, args[0]), *args[1:])
    if has_key and (several := interp.portions(args[0])) is not None:
        return lists_of_lists.ordered(interp, several, _order(interp, args[0], kwargs))
    if (columns := interp.columns(args[0])) is not None:
        return of_tuples.ordered(interp, columns, _order(interp, args[0], kwargs))
    if not _is_known(interp, args[0]) and not (has_key and _is_of_arrays(interp, args[0])):
        if (found := _of_many_kinds(interp, args[0], kwargs)) is not None:
            return found
        weak = _refuse_mixed(interp, args[0]) or of_python(interp, args[0])
        kinds = _kinds(interp, args[0])
        return collecting.new_list(interp, sorted_rows(interp, args[0], kwargs, hint), weak=weak, kinds=kinds)
    items = interp.items(args[0])
    asked = [interp.call(kwargs["key"], (item,)) for item in items] if has_key else items
    asked = _deciding(interp, asked)
    if (found := _ordered_by_run(interp, items, asked, kwargs)) is not None:
        return found
    for item in asked:
        if isinstance(item, Var):
            interp.static(item, "an item to sort")
    keys = [interp.static(_in_order(interp, key), "an item to sort, or its key,") for key in asked]
    reverse = bool(interp.static(kwargs.get("reverse", Lit(False)), "`reverse`"))
    try:
        order = sorted(range(len(items)), key=keys.__getitem__, reverse=reverse)
    except (TypeError, ValueError) as error:  # a text beside a number, an array among keys: the program's own
        return interp.fail(type(error), str(error))
    return interp.new_list(tuple(items[k] for k in order))


def _deciding(interp: Interpreter, keys: list[Value]) -> list[Value]:
    """What decides on the order of `keys`: of tuples that begin with different numbers or texts, which are known, these."""
    firsts = [key.items[0] for key in keys if isinstance(key, Tuple) and key.items]
    known = [first.value for first in firsts if isinstance(first, Lit) and isinstance(first.value, int | float | str)]
    return firsts if len(known) == len(keys) == len(set(known)) else keys


def _ordered_by_run(interp: Interpreter, items: list[Value], keys: list[Value], kwargs: Kwargs) -> Value | None:
    """Items in the order of `keys`, which only the run knows: numbers, tuples of those, and a few that branches may choose.

    ``None`` for all else.
    """
    told = of_the_run(interp, Tuple(tuple(part for key in keys for part in all_leaves(interp, key))))
    if told is None:
        return None
    of_numbers = interp.of_numbers(tuple(items)) or columns_of(interp, tuple(items)) is not None
    if not of_numbers and (len(items) > _CHOSEN_IN_ORDER or not may_choose(interp, told, len(items))):
        return None
    places, source = _places(interp, interp.new_list(tuple(keys)), Lit(len(items)), kwargs), interp.new_list(tuple(items))
    order = [interp.call(Lit(operator.getitem), (places, Lit(k))) for k in range(len(items))]
    return interp.new_list(tuple(interp.call(Lit(operator.getitem), (source, place)) for place in order))


_CHOSEN_IN_ORDER = 12
"""How many items are put in order by branches: each place is one for each item."""


def _in_order(interp: Interpreter, key: Value) -> Value:
    """`key`, whose place among others is told now: refused where its class has a method for that, or it may change."""
    for part in all_leaves(interp, key):
        own = isinstance(part, Static) and (may_change(part.value) or isinstance(find(type(part.value), "__lt__"), FunctionType))
        if own or (isinstance(part, Ref) and part.kind == "instance"):
            raise interp.error("objects are sorted by a method of their own", "give `sorted` a `key` that is a number")
    return key


def _of_many_kinds(interp: Interpreter, source: Value, kwargs: Kwargs) -> Value | None:
    """The known items of `source` in order, numbers that keep their kinds; ``None`` where some are not as large as a float."""
    items, key = iteration.known_items(interp, source) or [], kwargs.get("key", NONE)
    if len({number_type(item) for item in items}) < 2 or not all(map(_is_as_a_float, items)):
        return None
    keys = [_as_a_float(interp, item) if key == NONE else interp.call(key, (item,)) for item in items]
    return _ordered_by_run(interp, items, keys, kwargs)


def _as_a_float(interp: Interpreter, item: Value) -> Value:
    """The float that equals the number `item`, which a run refuses to put in order where there may be none."""
    value, type_ = interp.call(Lit(float), (item,)), number_type(item)
    if isinstance(item, Var) and isinstance(type_, Scalar) and not all(map(is_inexact, alternatives(type_))):
        beyond = interp.call(Lit(operator.gt), (interp.call(Lit(abs), (value,)), Lit(2.0**53)))
        interp.require(interp.operand(interp.call(Lit(operator.not_), (beyond,))), runtime.not_put_in_order)
    return value


def _is_as_a_float(item: Value) -> bool:
    """Whether `item` is a number to which some float of Python is equal, unless it is a large integer of the run."""
    type_ = number_type(item)
    if isinstance(item, Lit) and isinstance(item.value, int):
        return abs(item.value) <= 2**53
    return isinstance(type_, Scalar) and all(
        np.dtype(kind.dtype).kind in "biuf" and np.dtype(kind.dtype).itemsize <= 8 for kind in alternatives(type_)
    )


def _refuse_mixed(interp: Interpreter, source: Value) -> bool:
    """Whether the known items of `source` are numbers of Python; refused where they are of several kinds, or are arrays.

    What is sorted becomes an array first, and its items would be of one kind afterwards.
    """
    known = iteration.known_items(interp, source)
    types = [number_type(item) for item in known or ()]
    if any(type_ is None or isinstance(type_, Object) for type_ in types):
        return False
    kinds = {kind for type_ in types for kind in (alternatives(type_) if isinstance(type_, Scalar) else (type_,))}
    if len(kinds) > 1 or any(isinstance(kind, Array) for kind in kinds):
        raise interp.error("numbers of different kinds, or arrays, are put in order", "make them one kind, e.g. with `float(…)`")
    return any(isinstance(kind, Scalar) and kind.weak for kind in kinds)


def _is_known(interp: Interpreter, source: Value) -> bool:
    """Whether the items of `source` are numbers or texts that are known now."""
    known = iteration.known_items(interp, source)
    return known is not None and all(not isinstance(item, Var) or interp.origins.get(item) for item in known)


def _is_of_arrays(interp: Interpreter, source: Value) -> bool:
    """Whether some items of `source`, which are known one by one, are arrays."""
    known = iteration.known_items(interp, source) or ()
    return any(isinstance(item, Var) and isinstance(item.type, Array) and item.type.shape != () for item in known)


def sorted_rows(interp: Interpreter, source: Value, kwargs: Kwargs, hint: str) -> Value:
    """The items of `source` in order, as an array."""
    reverse = kwargs.get("reverse", Lit(False))
    items = rows(interp, source)
    if kwargs.get("key", NONE) == NONE:
        refuse_rows(interp, items)
        return interp.call(Static(iterations.sorted_rows), (items, reverse), hint=hint)
    return interp.call(Lit(operator.getitem), (items, _order(interp, source, kwargs)), hint=hint)


def _order(interp: Interpreter, source: Value, kwargs: Kwargs) -> Value:
    """The places of the items of `source` in order, by the last part of their keys first: equal items keep their order."""
    key = kwargs.get("key", NONE)
    keys = source if key == NONE else listed(interp, interp.call(Static(iterations.mapped), (key, source)))
    return _places(interp, keys, iteration.length(interp, source), kwargs)


def _places(interp: Interpreter, keys: Value, count: Value, kwargs: Kwargs) -> Value:
    """The places of `count` items with these `keys` in order."""
    places = interp.call(Lit(np.arange), (count,))
    for part in reversed(_parts_of_keys(interp, keys)):
        by = rows(interp, part)
        refuse_rows(interp, by)
        ordered = interp.call(Lit(operator.getitem), (by, places))
        places = interp.call(Static(iterations.rows_sorted_by), (places, ordered, kwargs.get("reverse", Lit(False))))
    return places


def _parts_of_keys(interp: Interpreter, keys: Value) -> list[Value]:
    """A list for each place in `keys`, where these are tuples."""
    columns = interp.columns(keys)
    if columns is not None:
        return [inner for part in columns.lists for inner in _parts_of_keys(interp, part)]
    known = iteration.known_items(interp, keys)
    tuples = [item.items for item in known or () if isinstance(item, Tuple)]
    if not tuples or len(tuples) != len(known or ()) or len({len(items) for items in tuples}) > 1:
        return [keys]
    lists = [interp.new_list(items) for items in zip(*tuples, strict=True)]
    return [inner for part in lists for inner in _parts_of_keys(interp, part)]


def refuse_rows(interp: Interpreter, items: Value) -> None:
    """Refuse to put in order what are no numbers: arrays, which cannot be, and lists, which go by their first items first."""
    if not isinstance(items, Var) or rank(items.type) != 1:
        message = "lists or arrays are put in order, which derivatives keep as the rows of an array"
        raise interp.error(message, "give a `key` that is a number, or a tuple of numbers")


def _sum(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    start = args[1] if len(args) > 1 else kwargs.get("start", Lit(0))
    if isinstance(start, Lit | Static) and isinstance(start.value, str | bytes | bytearray):
        kind = "strings" if isinstance(start.value, str) else type(start.value).__name__
        joined = "''" if isinstance(start.value, str) else "b''"
        return interp.fail(TypeError, f"sum() can't sum {kind} [use {joined}.join(seq) instead]")
    if isinstance(start, Ref) and start.kind == "list" and isinstance(args[0], Ref) and interp.portions(args[0]) is not None:
        return interp.call(Lit(operator.add), (start, lists_of_lists.chained(interp, args[0])), hint=hint)
    source = without_order(interp, args[0])
    if isinstance(source, Tuple) and all(isinstance(item, Lit) and isinstance(item.value, int) for item in source.items):
        args = (source, *args[1:])
    return _reduced(interp, args[0], start, operator.add, hint)


def _reduced(interp: Interpreter, source: Value, start: Value, fn: Any, hint: str) -> Answer:
    """``functools.reduce(fn, source, start)``, unrolled or as a loop."""
    if is_unknown(source):
        return None
    known = iteration.known_items(interp, source)
    if known is not None:
        total = start
        for item in known:
            total = interp.call(Lit(fn), (total, item), hint=hint)
        return total
    return interp.reduce_loop(source, start, lambda total, item: interp.call(Lit(fn), (total, item), hint=hint), hint)


def _place_in_order(fn: Any) -> Handler:
    """``bisect_left(items, x)`` and its like: a whole number, which nothing moves."""

    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        if "key" in kwargs:
            return None
        long = interp.filled(args[0]) if args else None  # an array is asked for its items as a list is
        first = () if long is None else (list_arrays.so_far(interp, long),)
        operands = (*first, *(given_to_unknown(interp, arg) for arg in args[len(first) :]))
        return interp.emit(fn, operands, INT, hint, {key: interp.operand(arg) for key, arg in kwargs.items()})

    return handler


def _any_all(fn: Any) -> Handler:
    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        args = (without_order(interp, args[0]),)
        if isinstance(args[0], Var):
            if isinstance(args[0].type, Array) and args[0].type.shape is not None and len(args[0].type.shape) == 1:
                return interp.emit(bool, (interp.operand(interp.call(Lit(np.any if fn is any else np.all), args)),), BOOL, hint)
            return interp.emit(fn, (args[0],), BOOL, hint) if isinstance(args[0].type, Array) else None
        if code_of(args[0]) is not None or iteration.literal_trips(interp, args[0]) is None:
            return interp.call(Static(iterations.any_true if fn is any else iterations.all_true), args, hint=hint)
        result: Value = Lit(fn is all)
        if any(isinstance(number_type(item), Array | Object) for item in interp.items(args[0])):  # to ask one may raise
            meaning = iterations.any_true if fn is any else iterations.all_true
            return interp.call(Static(meaning), (Tuple(tuple(interp.items(args[0]))),), hint=hint)
        for item in interp.items(args[0]):
            cond = truth(interp, item)
            if isinstance(cond, bool):
                if cond is (fn is any):
                    return Lit(cond)
            elif isinstance(result, Lit):
                result = interp.emit(bool, (cond,), BOOL, hint)
            else:
                other = interp.emit(bool, (cond,), BOOL, hint)
                result = interp.call(Lit(operator.or_ if fn is any else operator.and_), (result, other), hint=hint)
        return result

    return handler


def _reduce(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    if iteration.literal_trips(interp, args[1]) is None:
        if len(args) > 2:
            return interp.call(Static(iterations.reduced_from), args, hint=hint)
        held = isinstance(args[1], Var) or interp.filled(args[1]) is not None
        source = args[1] if held else interp.call(Lit(list), (args[1],))  # Python's numbers stay what they are
        return interp.call(Static(iterations.reduced), (args[0], source), hint=hint)
    items = interp.items(args[1])
    if not items and len(args) == 2:
        return interp.fail(TypeError, "reduce() of empty iterable with no initial value")
    total = args[2] if len(args) > 2 else items.pop(0)
    for item in items:
        total = interp.call(args[0], (total, item), hint=hint)
    return total


def _reduce_any(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """``functools.reduce(fn, source, start)``, also of a generator."""
    source = walks.iterated(interp, args[1])
    if code_of(source) is not None:
        meaning = lazy_builtins.reduced if len(args) == 2 else iterations.reduced_from
        return interp.call(Static(meaning), (args[0], source, *args[2:]), hint=hint)
    return walking(_reduce, calls="")(interp, (args[0], source, *args[2:]), kwargs, hint)


def walking(handler: Handler, *, calls: str | None = None) -> Handler:
    """The handler of a function that walks over what iterators go through, and `calls` an argument of this name meanwhile."""

    def of_what_is_left(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        with walks.walked(interp, args, "calls" if calls == "" or calls in kwargs else "") as sources:
            return handler(interp, sources, kwargs, hint)

    return of_what_is_left


def _of_mapping(handler: Handler) -> Handler:
    """The handler of a function that makes a dict, also of one of which only a run knows the keys."""

    def made(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        given = next((arg for arg in args if isinstance(arg, Ref) and interp.keyed(arg) is not None), None)
        if given is None:
            return walking(handler)(interp, args, kwargs, hint)
        if handler is not _dict or kwargs:
            raise interp.error("a dict is made of one of which only a run knows the keys", "store item by item in a new one")
        return keyed_lists.copied(interp, given, dict)

    return made


def _searching(fn: Any) -> Handler:
    """The handler of ``any`` or ``all``, which walk until they know."""
    handler = _any_all(fn)

    def tell(item: Value) -> bool | None:
        return bool(item.value) is (fn is any) if isinstance(item, Lit) else None

    def of_what_is_left(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        left = f"`{fn.__name__}` may have left it before its end"
        return handler(interp, tuple(walks.searched(interp, arg, tell, left) for arg in args), kwargs, hint)

    return of_what_is_left


_WALKING: dict[Any, Handler] = {
    tuple: _tuple,
    list: _list,
    dict.fromkeys: _from_keys,
    deque: deque_of,
    set: new_set,
    frozenset: _frozen_set,
    sorted: _sorted,
    sum: _sum,
}
TABLE: dict[Any, Handler] = {
    len: _len,
    **{cls: _of_mapping(handler) for cls, handler in ((dict, _dict), (OrderedDict, _ordered), (defaultdict, _defaulted))},
    **{fn: _place_in_order(fn) for fn in (bisect.bisect_left, bisect.bisect_right)},
    range: _range,
    operator.index: _index,
    any: _searching(any),
    all: _searching(all),
    **{fn: walking(handler) for fn, handler in _WALKING.items()},
    functools.reduce: _reduce_any,
}
