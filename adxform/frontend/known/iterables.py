"""Builtins that make, walk and reduce sequences."""

from __future__ import annotations

import functools
import itertools
import operator
from typing import TYPE_CHECKING, Any

import numpy as np

from adxform.frontend import iteration
from adxform.frontend.branches import truth
from adxform.frontend.methods import Answer, Handler
from adxform.frontend.values import (
    NONE,
    Contents,
    Enumerate,
    Range,
    Ref,
    Reversed,
    Static,
    Tuple,
    Value,
    Zip,
)
from adxform.ir.ops import Lit, Var
from adxform.ir.types import BOOL, Array, Object, Scalar

if TYPE_CHECKING:
    from adxform.frontend.interpreter import Interpreter

Args = tuple[Value, ...]
Kwargs = dict[str, Value]


def _len(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    value = args[0]
    match value:
        case Var(_, Array(_, None)) | Var(_, Scalar()):
            raise interp.error("the length of a number, or of what may be one", "use an array on every path")
        case Ref(kind="instance"):
            return interp.call(interp.attribute(value, "__len__"), ())
        case Ref(kind="dict" | "set"):
            return Lit(len(interp.contents(value).keys))
        case Lit(found):
            return Lit(len(found)) if hasattr(found, "__len__") else interp.fail(TypeError, "object has no len()")
        case Static():
            return Lit(len(interp.pin(value)))
        case _:
            return iteration.length(interp, value)


def _range(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    match args:
        case (stop,):
            return Range(Lit(0), stop, Lit(1))
        case (start, stop):
            return Range(start, stop, Lit(1))
        case (start, stop, step):
            return Range(start, stop, step)
        case _:
            return interp.fail(TypeError, "range expected 1 to 3 arguments")


def _zip(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    return Zip(args)


def _enumerate(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    return Enumerate(args[0], args[1] if len(args) > 1 else kwargs.get("start", Lit(0)))


def _reversed(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    return Reversed(args[0])


def _tuple(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    if args and _is_unknown(args[0]):
        return interp.emit(tuple, (interp.operand(args[0]),), Object(), hint)
    return Tuple(tuple(interp.items(args[0]))) if args else Tuple(())


def _list(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    if args and _is_unknown(args[0]):
        return interp.emit(list, (interp.operand(args[0]),), Object(), hint)
    return interp.new_list(tuple(interp.items(args[0])) if args else ())


def _is_unknown(value: Value) -> bool:
    return isinstance(value, Var) and isinstance(value.type, Object)


def _dict(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    contents = Contents((), ())
    for key, item in (*(interp.pairs(args[0]) if args else ()), *kwargs.items()):
        contents = contents.put(key, item)
    return interp.heap.new("dict", dict, contents.keys, contents.items)


def _set(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    contents = Contents((), ())
    for item in interp.items(args[0]) if args else ():
        key = interp.static(item, "an element of a set")
        contents = contents.put(key, Lit(key))
    return interp.heap.new("set", set, contents.keys, contents.items)


def _sorted(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    items = [interp.static(item, "an item to sort") for item in interp.items(args[0])]
    if "key" in kwargs:
        keys = [interp.static(interp.call(kwargs["key"], (Lit(item),)), "a sort key") for item in items]
        items = [items[k] for k in sorted(range(len(items)), key=keys.__getitem__)]
    else:
        items = sorted(items)
    if "reverse" in kwargs and interp.static(kwargs["reverse"], "`reverse`"):
        items = items[::-1]
    return interp.new_list(tuple(map(Lit, items)))


def _sum(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    start = args[1] if len(args) > 1 else kwargs.get("start", Lit(0))
    return _reduced(interp, args[0], start, operator.add, hint)


def _reduced(interp: Interpreter, source: Value, start: Value, fn: Any, hint: str) -> Answer:
    """``functools.reduce(fn, source, start)``, unrolled or as a loop."""
    if _is_unknown(source):
        return None
    known = iteration.known_items(interp, source)
    if known is not None:
        total = start
        for item in known:
            total = item if total == Lit(0) and fn is operator.add else interp.call(Lit(fn), (total, item), hint=hint)
        return total
    return interp.reduce_loop(source, start, lambda total, item: interp.call(Lit(fn), (total, item), hint=hint), hint)


def _extreme(fn: Any) -> Handler:
    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        if "key" in kwargs or "default" in kwargs:
            raise interp.error(f"`{fn.__name__}` with `key` or `default` is not supported", "write the comparison out")
        if len(args) > 1:
            return None
        if isinstance(args[0], Var):
            if isinstance(args[0].type, Array):
                return interp.call(Lit(np.max if fn is max else np.min), args, hint=hint)
            return None
        items = interp.items(args[0])
        return items[0] if len(items) == 1 else interp.call(Lit(fn), items, hint=hint)

    return handler


def _any_all(fn: Any) -> Handler:
    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        if isinstance(args[0], Var):
            if isinstance(args[0].type, Array):
                return interp.call(Lit(np.any if fn is any else np.all), args, hint=hint)
            return None
        result: Value = Lit(fn is all)
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


def _map(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    fn, *sources = args
    known = [interp.items(source) for source in sources]
    return Tuple(tuple(interp.call(fn, parts) for parts in zip(*known, strict=False)))


def _filter(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    fn, source = args
    kept = []
    for item in interp.items(source):
        cond = truth(interp, item if fn == NONE else interp.call(fn, (item,)))
        if not isinstance(cond, bool):
            raise interp.error("`filter` by a condition that only a run can tell", "use a mask: `x[x > 0]`")
        if cond:
            kept.append(item)
    return Tuple(tuple(kept))


def _reduce(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    items = interp.items(args[1])
    total = args[2] if len(args) > 2 else items.pop(0)
    for item in items:
        total = interp.call(args[0], (total, item), hint=hint)
    return total


def _product(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    lists = [interp.items(arg) for arg in args]
    repeat = interp.static(kwargs["repeat"], "`repeat`") if "repeat" in kwargs else 1
    return Tuple(tuple(Tuple(parts) for parts in itertools.product(*lists, repeat=repeat)))


def _combinations(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    return Tuple(
        tuple(Tuple(parts) for parts in itertools.combinations(interp.items(args[0]), interp.static(args[1], "a count")))
    )


TABLE: dict[Any, Handler] = {
    len: _len,
    range: _range,
    zip: _zip,
    enumerate: _enumerate,
    reversed: _reversed,
    tuple: _tuple,
    list: _list,
    dict: _dict,
    set: _set,
    sorted: _sorted,
    sum: _sum,
    max: _extreme(max),
    min: _extreme(min),
    any: _any_all(any),
    all: _any_all(all),
    map: _map,
    filter: _filter,
    functools.reduce: _reduce,
    itertools.product: _product,
    itertools.combinations: _combinations,
}
