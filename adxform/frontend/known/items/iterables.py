"""Lengths and ranges, and the containers that builtins make of items."""

from __future__ import annotations

import operator
from collections import OrderedDict, defaultdict, deque
from dataclasses import replace
from typing import Any

import numpy as np

from adxform.frontend.containers import collecting, keyed_lists, list_arrays, lists_of_lists
from adxform.frontend.containers import tuple_columns as of_tuples
from adxform.frontend.containers.deques import made as deque_of
from adxform.frontend.containers.methods import Answer, Args, Handler, Kwargs
from adxform.frontend.containers.sets import new_frozen_set, new_set
from adxform.frontend.evaluate.classes import protocols
from adxform.frontend.evaluate.classes.python_classes import class_of
from adxform.frontend.evaluate.control_flow import iteration, loop_trips, walks
from adxform.frontend.evaluate.control_flow.attempts import branch
from adxform.frontend.evaluate.control_flow.branches import truth
from adxform.frontend.evaluate.keys import hashed
from adxform.frontend.evaluate.objects import doubtful_keys
from adxform.frontend.evaluate.objects.object_contents import Contents
from adxform.frontend.evaluate.objects.value_parts import parts_of
from adxform.frontend.evaluate.operands import are_static
from adxform.frontend.evaluate.parts import array_subscripts
from adxform.frontend.evaluate.set_orders import as_given
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import (
    NONE,
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
from adxform.ir.ops import Lit, Var
from adxform.ir.types import BOOL, INT, Array, Object, Scalar
from adxform.primitives.definitions.of_python import keyed_items


def _length_if_any(interp: Interpreter, value: Var, hint: str) -> Answer:
    """The length of what may be a number or an array: a number raises."""
    axes = interp.call(Lit(np.ndim), (value,))
    has_axes = interp.operand(interp.call(Lit(operator.gt), (axes, Lit(0))))

    def raises() -> list[Value]:
        return [interp.fail(TypeError, "object of type 'float' has no len()")]

    return branch(interp, has_axes, lambda: [interp.emit(len, (value,), INT, hint)], raises, [hint], interp.span)[0]


def _len(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    value = args[0]
    match value:
        case Var(_, Scalar() | Array(_, ())):
            return interp.fail(TypeError, f"object of type '{(class_of(value) or float).__name__}' has no len()")
        case Var(_, Array(_, None)):
            return _length_if_any(interp, value, hint)
        case Ref(kind="instance") | Static() if (method := protocols.special(interp, value, "__len__")) is not None:
            return _not_below_zero(interp, _as_integer(interp, interp.call(method, ())))
        case Ref(kind="dict") if (keyed := interp.keyed(value)) is not None:
            return iteration.length(interp, keyed.keys)
        case Ref(kind="dict") if interp.doubtful(value) is not None:
            return doubtful_keys.length(interp, value)
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
        case (_, _, Lit(0)):
            return interp.fail(ValueError, "range() arg 3 must not be zero")
        case (start, stop, step):
            if isinstance(step, Var):
                moves = interp.call(Lit(operator.ne), (step, Lit(0)))
                interp.require(interp.operand(moves), ValueError, "range() arg 3 must not be zero")
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
        case Var(_, Scalar()) if bound.type == BOOL or (bound.type != INT and bound not in interp.integers.sizes):
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
        case Ref() if cls is list and interp.seen(source) is not source:  # texts, say, of which the run has a list
            return interp.call(Lit(list), (source,), hint=hint)
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
            params = loop_trips.deciding(interp, source)
            return collecting.new_list(interp, rows(interp, source), cls=cls, weak=True, params=params)
        case _:
            items = interp.call(Lit(np.ndarray.copy), (rows(interp, source),), hint=hint)
            weak, kinds, params = of_python(interp, source), kinds_in(interp, source), loop_trips.deciding(interp, source)
            return collecting.new_list(interp, items, cls=cls, weak=weak, kinds=kinds, params=params)


def kinds_in(interp: Interpreter, source: Value) -> tuple[Scalar, ...]:
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
        message = "numbers or arrays are asked for, and the items of this list, whose length only a run can tell, are none"
        raise interp.error(message, "take their places: `range(len(items))`")
    match source:
        case Var(_, Array(_, shape)) if shape:
            return source
        case Range():
            return array_subscripts.of_range(interp, source)
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
    if is_unknown(args[0]) or (iteration.literal_trips(interp, args[0]) is None and not loop_trips.deciding(interp, args[0])):
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
    known = factory
    if isinstance(factory, Method):
        bound = interp.operand(factory)
        assert isinstance(bound, Lit)
        known = bound
    if not isinstance(known, Lit | Static) and not (isinstance(known, FunctionValue) and not parts_of(known)):
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


def walking(handler: Handler, *, calls: str | None = None) -> Handler:
    """The handler of a function that walks over what iterators go through, and `calls` an argument of this name meanwhile."""

    def of_what_is_left(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        with walks.walked(interp, args, "calls" if calls == "" or calls in kwargs else "") as sources:
            return handler(interp, sources, kwargs, hint)

    return of_what_is_left


def _of_mapping(handler: Handler) -> Handler:
    """The handler of a function that makes a dict, also of one of which only a run knows the keys."""

    def made(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        doubtful = interp.doubtful(args[0]) if handler is _dict and len(args) == 1 and not kwargs else None
        if doubtful is not None:
            copied = interp.heap.new("dict", dict, (), ())
            interp.heap.contents[copied] = doubtful
            return copied
        given = next((arg for arg in args if isinstance(arg, Ref) and interp.keyed(arg) is not None), None)
        if given is None:
            return walking(handler)(interp, args, kwargs, hint)
        if handler is not _dict or kwargs:
            raise interp.error("a dict is made of one of which only a run knows the keys", "store item by item in a new one")
        return keyed_lists.copied(interp, given, dict)

    return made


_WALKING: dict[Any, Handler] = {
    tuple: _tuple,
    list: _list,
    dict.fromkeys: _from_keys,
    deque: deque_of,
    set: new_set,
    frozenset: _frozen_set,
}
TABLE: dict[Any, Handler] = {
    len: _len,
    **{cls: _of_mapping(handler) for cls, handler in ((dict, _dict), (OrderedDict, _ordered), (defaultdict, _defaulted))},
    range: _range,
    operator.index: _index,
    **{fn: walking(handler) for fn, handler in _WALKING.items()},
}
