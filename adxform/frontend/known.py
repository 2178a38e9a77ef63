"""Builtins and operators that the front end runs itself. A handler that leaves the call to the rule table returns ``NotImplemented``."""

from __future__ import annotations

import functools
import importlib
import itertools
import operator
import types
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from adxform.frontend import attributes, collecting, indexing, iteration
from adxform.frontend.access import Access
from adxform.frontend.augmented import PLAIN, UPDATES
from adxform.frontend.control import truth
from adxform.frontend.joins import same
from adxform.frontend.methods import Handler
from adxform.frontend.outside import from_outside
from adxform.frontend.signature import scalar_type
from adxform.frontend.values import (
    NONE,
    Contents,
    Enumerate,
    FunctionValue,
    Method,
    Pullback,
    Range,
    Ref,
    Reversed,
    Slice,
    Static,
    Tuple,
    Value,
    Zip,
    list_contents,
)
from adxform.ir import intrinsics
from adxform.ir.ops import Lit, Var
from adxform.ir.types import BOOL, FLOAT, INT, Array, Object, Scalar

if TYPE_CHECKING:
    from adxform.frontend.interpreter import Interpreter

Args = tuple[Value, ...]
Kwargs = dict[str, Value]
_PASS: Any = NotImplemented


# -- subscripts, attributes, unpacking ----------------------------------------------------------------------------------


def _getitem(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    filled = interp.filled(args[0])
    if filled is not None:
        return collecting.load(interp, filled, args[1], hint)
    return indexing.load(interp, args[0], args[1], hint)


def _setitem(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    indexing.store(interp, *args)
    return NONE


def _delitem(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    ref = args[0]
    if not isinstance(ref, Ref):
        raise interp.error("`del` of an item of this value is not supported", "build a new value without the item")
    contents, key = interp.contents(ref), interp.static(args[1], "an index or key")
    if ref.kind == "list":
        items = list(contents.items)
        del items[key]
        interp.write(ref, list_contents(tuple(items)))
        return NONE
    kept = [(own, item) for own, item in zip(contents.keys, contents.items, strict=True) if own != key]
    interp.write(ref, Contents(tuple(own for own, _ in kept), tuple(item for _, item in kept)))
    return NONE


def _setattr(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    attributes.store(interp, args[0], interp.static(args[1], "an attribute name"), args[2])
    return NONE


def _getattr(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    name = interp.static(args[1], "an attribute name")
    if len(args) == 3 and not _has(interp, args[0], name):
        return args[2]
    return interp.attribute(args[0], name, hint)


def _hasattr(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    return Lit(_has(interp, args[0], interp.static(args[1], "an attribute name")))


def _has(interp: Interpreter, value: Value, name: str) -> bool:
    match value:
        case Var(_, Array()):
            return hasattr(np.ndarray, name)
        case Var(_, Scalar(dtype, weak)):
            return hasattr(_python_class(dtype, weak), name)
        case Ref(kind="instance"):
            return interp.contents(value).get(name) is not None or hasattr(value.cls, name)
        case Ref(cls=cls) | Tuple(cls=cls):
            return hasattr(cls, name)
        case Static(found) | Lit(found):
            return hasattr(found, name)
        case _:
            raise interp.error("`hasattr` of this value cannot be told", "test its class instead")


def _unpack(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    value, count = args[0], interp.static(args[1], "a count")
    if isinstance(value, Var) and isinstance(value.type, Array):
        shape = value.type.shape
        if shape is not None and shape and isinstance(shape[0], int) and shape[0] != count:
            return interp.fail(ValueError, f"expected {count} values to unpack, got {shape[0]}")
        return Tuple(tuple(iteration.item_at(interp, value, Lit(k)) for k in range(count)))
    if isinstance(value, Var) and isinstance(value.type, Object):
        items = interp.emit(intrinsics.unpack, (value, Lit(count)), Object(), "items")
        return Tuple(tuple(iteration.item_at(interp, items, Lit(k)) for k in range(count)))
    found = interp.items(value)
    if len(found) != count:
        word = "too many" if len(found) > count else "not enough"
        return interp.fail(ValueError, f"{word} values to unpack (expected {count}, got {len(found)})")
    return Tuple(tuple(found))


def _chain(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    return Tuple(tuple(item for part in args for item in interp.items(part)))


def _merge(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    contents = Contents((), ())
    for part in args:
        for key, item in interp.pairs(part):
            contents = contents.put(key, item)
    return interp.heap.new("dict", dict, contents.keys, contents.items)


def _apply(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    fn, positional, named = args
    return interp.call(fn, interp.items(positional), dict(interp.pairs(named)), hint)


# -- operators --------------------------------------------------------------------------------------------------------


def _in_place(fn: Any) -> Handler:
    plain = PLAIN[fn]

    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
        x, value = args
        match x:
            case Var(_, Array(_, None)):
                message = "this may be a number or an array, so it cannot be told whether the assignment changes it in place"
                raise interp.error(message, "start from an array of the right shape, e.g. `np.zeros(n)`, or write `x = x + …`")
            case Var(_, Array()) if fn in UPDATES:
                interp.builder.effect(UPDATES[fn], x, Lit(...), interp.operand(value), span=interp.span)
                return x
            case Var(_, Array()) if fn is not operator.imatmul:
                result = interp.operand(interp.call(Lit(plain), args))
                interp.builder.effect(operator.setitem, x, Lit(...), result, span=interp.span)
                return x
            case Ref(kind="list") if fn is operator.iadd:
                interp.call(interp.attribute(x, "extend"), (value,))
                return x
            case Ref(kind="list") if fn is operator.imul:
                contents = interp.contents(x)
                interp.write(x, list_contents(contents.items * interp.static(value, "a count")))
                return x
            case Ref(kind="instance") if hasattr(x.cls, f"__{fn.__name__}__"):
                return interp.call(interp.attribute(x, f"__{fn.__name__}__"), (value,))
            case Ref(kind="dict" | "set") if fn is operator.ior:
                interp.call(interp.attribute(x, "update"), (value,))
                return x
            case Var(_, Object()):
                return interp.emit(fn, (x, interp.operand(value)), Object(), hint)
            case _:
                return interp.call(Lit(plain), args, hint=hint)

    return handler


def _binary(fn: Any) -> Handler:
    """Operators on tuples, lists and instances of user classes; on numbers they are primitives."""
    name = fn.__name__.rstrip("_")

    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
        a, b = args
        for left, right, method in ((a, b, f"__{name}__"), (b, a, f"__r{name}__")):
            if isinstance(left, Ref) and left.kind == "instance" and hasattr(left.cls, method):
                found = getattr(left.cls, method)
                if isinstance(found, types.FunctionType):
                    return interp.call(interp.attribute(left, method), (right,), hint=hint)
        match fn, a, b:
            case operator.add, Tuple(items), Tuple(others):
                return Tuple((*items, *others))
            case operator.add, Ref(kind="list"), Ref(kind="list"):
                return interp.new_list((*interp.items(a), *interp.items(b)))  # type: ignore[arg-type]
            case operator.mul, Ref(kind="list"), _ if not (isinstance(b, Var) and isinstance(b.type, Array)):
                return interp.new_list(tuple(interp.items(a)) * interp.static(b, "the length of a list"))
            case operator.mul, Tuple(items), _ if not (isinstance(b, Var) and isinstance(b.type, Array)):
                return Tuple(items * interp.static(b, "the length of a tuple"))
            case operator.mul, _, Ref(kind="list") if not (isinstance(a, Var) and isinstance(a.type, Array)):
                return interp.new_list(tuple(interp.items(b)) * interp.static(a, "the length of a list"))
            case operator.mul, _, Tuple(items) if not (isinstance(a, Var) and isinstance(a.type, Array)):
                return Tuple(items * interp.static(a, "the length of a tuple"))
            case operator.or_, Ref(kind="dict"), Ref(kind="dict"):
                return _merge(interp, (a, b), {}, hint)
            case _:
                return _PASS

    return handler


def _unary(fn: Any) -> Handler:
    name = fn.__name__.rstrip("_")

    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
        x = args[0]
        if isinstance(x, Ref) and x.kind == "instance" and hasattr(x.cls, f"__{name}__"):
            return interp.call(interp.attribute(x, f"__{name}__"), (), hint=hint)
        return _PASS

    return handler


def _compare(fn: Any) -> Handler:
    """Equality and order of tuples, lists and instances; on numbers they are primitives."""

    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
        a, b = args
        method = f"__{fn.__name__}__"
        if isinstance(a, Ref) and a.kind == "instance" and isinstance(getattr(a.cls, method, None), types.FunctionType):
            return interp.call(interp.attribute(a, method), (b,), hint=hint)
        if fn in (operator.eq, operator.ne):
            structured = (Tuple, Ref, Static, FunctionValue)
            if isinstance(a, structured) and isinstance(b, structured) and not (_is_number_like(a) or _is_number_like(b)):
                equal = _equal(interp, a, b)
                return equal if fn is operator.eq else interp.call(Lit(operator.not_), (equal,), hint=hint)
            for one, other in ((a, b), (b, a)):
                if isinstance(one, Lit) and (one.value is None or isinstance(one.value, str)) and not isinstance(other, Lit):
                    if not (isinstance(other, Var) and isinstance(other.type, Object)):
                        return Lit(fn is operator.ne)
        return _PASS

    return handler


def _is_number_like(value: Value) -> bool:
    return isinstance(value, Var)


def _equal(interp: Interpreter, a: Value, b: Value) -> Value:
    if isinstance(a, Static) and isinstance(b, Static):
        return Lit(bool(interp.pin(a) == interp.pin(b)))
    if same(a, b):
        return Lit(True)
    if isinstance(a, Tuple | Ref) and isinstance(b, Tuple | Ref) and type(a) is type(b):
        left, right = (interp.contents(v) if isinstance(v, Ref) else list_contents(v.items) for v in (a, b))
        if left.keys != right.keys:
            return Lit(False)
        result: Value = Lit(True)
        for x, y in zip(left.items, right.items, strict=True):
            result = interp.call(Lit(operator.and_), (result, interp.call(Lit(operator.eq), (x, y)))) if result != Lit(True) else interp.call(Lit(operator.eq), (x, y))
        return result
    return Lit(False)


def _is(positive: bool) -> Handler:
    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
        found = _identical(interp, *args)
        if found is None:
            return _PASS
        return Lit(found is positive)

    return handler


def _identical(interp: Interpreter, a: Value, b: Value) -> bool | None:
    if isinstance(a, Var) and isinstance(b, Var):
        return True if a == b else None
    for one, other in ((a, b), (b, a)):
        if isinstance(one, Var):
            if isinstance(one.type, Object):
                return None
            if isinstance(other, Lit) and isinstance(other.value, bool) and one.type == BOOL:
                return None
            return False
    if isinstance(a, Lit) and isinstance(b, Lit):
        return a.value is b.value or (a == b and scalar_type(a.value) is not None)
    if isinstance(a, Static) and isinstance(b, Static):
        return bool(interp.pin(a) is interp.pin(b))
    if isinstance(a, Static | Lit) and isinstance(b, Static | Lit):
        return a.value is b.value
    return a is b


def _not(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    cond = truth(interp, args[0])
    return Lit(not cond) if isinstance(cond, bool) else _PASS


def _contains(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    box, item = args
    match box:
        case Ref(kind="dict" | "set"):
            return Lit(interp.static(item, "a key") in interp.contents(box).keys)
        case Tuple() | Ref(kind="list"):
            result: Value = Lit(False)
            for other in interp.items(box):
                equal = interp.call(Lit(operator.eq), (other, item))
                if truth(interp, equal) is True:
                    return Lit(True)
                if truth(interp, equal) is not False:
                    result = equal if result == Lit(False) else interp.call(Lit(operator.or_), (result, equal))
            return result
        case Range(start, stop, Lit(1)):
            low = interp.call(Lit(operator.ge), (item, start))
            return interp.call(Lit(operator.and_), (low, interp.call(Lit(operator.lt), (item, stop))))
        case _:
            return _PASS


# -- builtins ---------------------------------------------------------------------------------------------------------


def _len(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
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


def _range(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    match args:
        case (stop,):
            return Range(Lit(0), stop, Lit(1))
        case (start, stop):
            return Range(start, stop, Lit(1))
        case (start, stop, step):
            return Range(start, stop, step)
        case _:
            return interp.fail(TypeError, "range expected 1 to 3 arguments")


def _zip(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    return Zip(args)


def _enumerate(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    return Enumerate(args[0], args[1] if len(args) > 1 else kwargs.get("start", Lit(0)))


def _reversed(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    return Reversed(args[0])


def _tuple(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    if args and _is_unknown(args[0]):
        return interp.emit(tuple, (interp.operand(args[0]),), Object(), hint)
    return Tuple(tuple(interp.items(args[0]))) if args else Tuple(())


def _list(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    if args and _is_unknown(args[0]):
        return interp.emit(list, (interp.operand(args[0]),), Object(), hint)
    return interp.new_list(tuple(interp.items(args[0])) if args else ())


def _is_unknown(value: Value) -> bool:
    return isinstance(value, Var) and isinstance(value.type, Object)


def _dict(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    contents = Contents((), ())
    for key, item in (*(interp.pairs(args[0]) if args else ()), *kwargs.items()):
        contents = contents.put(key, item)
    return interp.heap.new("dict", dict, contents.keys, contents.items)


def _set(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    contents = Contents((), ())
    for item in interp.items(args[0]) if args else ():
        key = interp.static(item, "an element of a set")
        contents = contents.put(key, Lit(key))
    return interp.heap.new("set", set, contents.keys, contents.items)


def _sorted(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    items = [interp.static(item, "an item to sort") for item in interp.items(args[0])]
    if "key" in kwargs:
        keys = [interp.static(interp.call(kwargs["key"], (Lit(item),)), "a sort key") for item in items]
        items = [items[k] for k in sorted(range(len(items)), key=keys.__getitem__)]
    else:
        items = sorted(items)
    if "reverse" in kwargs and interp.static(kwargs["reverse"], "`reverse`"):
        items = items[::-1]
    return interp.new_list(tuple(map(Lit, items)))


def _sum(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    start = args[1] if len(args) > 1 else kwargs.get("start", Lit(0))
    return _reduced(interp, args[0], start, operator.add, hint)


def _reduced(interp: Interpreter, source: Value, start: Value, fn: Any, hint: str) -> Value:
    """``functools.reduce(fn, source, start)``, unrolled or as a loop."""
    if _is_unknown(source):
        return _PASS
    known = iteration.known_items(interp, source)
    if known is not None:
        total = start
        for item in known:
            total = item if total == Lit(0) and fn is operator.add else interp.call(Lit(fn), (total, item), hint=hint)
        return total
    from_loop = interp.reduce_loop(source, start, lambda total, item: interp.call(Lit(fn), (total, item), hint=hint), hint)
    return from_loop


def _extreme(fn: Any, compare: Any) -> Handler:
    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
        if "key" in kwargs or "default" in kwargs:
            raise interp.error(f"`{fn.__name__}` with `key` or `default` is not supported", "write the comparison out")
        if len(args) > 1:
            return _PASS
        if isinstance(args[0], Var):
            if isinstance(args[0].type, Array):
                return interp.call(Lit(np.max if fn is max else np.min), args, hint=hint)
            return _PASS
        items = interp.items(args[0])
        return items[0] if len(items) == 1 else interp.call(Lit(fn), items, hint=hint)

    return handler


def _any_all(fn: Any) -> Handler:
    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
        if isinstance(args[0], Var):
            if isinstance(args[0].type, Array):
                return interp.call(Lit(np.any if fn is any else np.all), args, hint=hint)
            return _PASS
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


def _map(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    fn, *sources = args
    known = [interp.items(source) for source in sources]
    return Tuple(tuple(interp.call(fn, parts) for parts in zip(*known, strict=False)))


def _filter(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    fn, source = args
    kept = []
    for item in interp.items(source):
        cond = truth(interp, item if fn == NONE else interp.call(fn, (item,)))
        if not isinstance(cond, bool):
            raise interp.error("`filter` by a condition that only a run can tell", "use a mask: `x[x > 0]`")
        if cond:
            kept.append(item)
    return Tuple(tuple(kept))


def _reduce(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    items = interp.items(args[1])
    total = args[2] if len(args) > 2 else items.pop(0)
    for item in items:
        total = interp.call(args[0], (total, item), hint=hint)
    return total


def _isinstance(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    cls = _class_of(interp, args[0])
    if cls is None:
        return _PASS
    return Lit(issubclass(cls, _classes(interp, args[1])))


def _classes(interp: Interpreter, value: Value) -> Any:
    if isinstance(value, Tuple):
        return tuple(_classes(interp, item) for item in value.items)
    return interp.static(value, "a class")


def _issubclass(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    return Lit(issubclass(interp.static(args[0], "a class"), _classes(interp, args[1])))


def _python_class(dtype: str, weak: bool) -> type:
    if weak:
        return {"float64": float, "int64": int, "bool": bool, "complex128": complex}[dtype]
    return np.dtype(dtype).type


def _class_of(interp: Interpreter, value: Value) -> type | None:
    match value:
        case Var(_, Scalar(dtype, weak)):
            return _python_class(dtype, weak)
        case Var(_, Array(_, None)):
            raise interp.error("whether this is a number or an array cannot be told", "give it one kind on every path")
        case Var(_, Array()):
            return np.ndarray
        case Var():
            return None
        case Tuple(cls=cls) | Ref(cls=cls):
            return cls
        case Lit(found) | Static(found):
            return type(found)
        case FunctionValue() | Pullback():
            return types.FunctionType
        case Method():
            return types.MethodType
        case Slice():
            return slice
        case Range():
            return range
        case _:
            return None


def _type(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    cls = _class_of(interp, args[0]) if len(args) == 1 else None
    return _PASS if cls is None else Static(cls)


def _callable(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    match args[0]:
        case FunctionValue() | Method() | Pullback():
            return Lit(True)
        case Static(found) | Lit(found):
            return Lit(callable(found))
        case Ref(cls=cls):
            return Lit(callable(getattr(cls, "__call__", None)))
        case _:
            return Lit(False)


def _number(cls: Any, type_: Scalar) -> Handler:
    """``int``, ``float`` and ``bool`` of a value of which nothing is known give an inactive number."""

    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
        if args and isinstance(args[0], Var):
            if isinstance(args[0].type, Object):
                return interp.emit(cls, (args[0],), type_, hint)
            if args[0].type == type_:
                return args[0]
        if cls is bool and args:
            cond = truth(interp, args[0])
            if isinstance(cond, bool):
                return Lit(cond)
        return _PASS

    return handler


def _shape(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    return _array_fact(interp, args[0], "shape", Tuple(()), hint)


def _ndim(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    return _array_fact(interp, args[0], "ndim", Lit(0), hint)


def _size(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    if len(args) > 1 or kwargs:
        axis = interp.static(args[1] if len(args) > 1 else kwargs["axis"], "an axis")
        return interp.call(Lit(operator.getitem), (_shape(interp, args[:1], {}, hint), Lit(axis)))
    return _array_fact(interp, args[0], "size", Lit(1), hint)


def _array_fact(interp: Interpreter, value: Value, name: str, of_number: Value, hint: str) -> Value:
    match value:
        case Var(_, Scalar()):
            return of_number
        case Lit(found) if scalar_type(found) is not None:
            return of_number
        case Var(_, Array(_, None)):
            if name == "shape":
                return interp.emit(np.shape, (value,), Object(), hint)
            return interp.attribute(value, name, hint)
        case Var(_, Array()):
            return interp.attribute(value, name, hint)
        case Tuple() | Ref(kind="list"):
            return _array_fact(interp, interp.call(Lit(np.array), (value,)), name, of_number, hint)
        case _:
            return _PASS


def _isscalar(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    match args[0]:
        case Var(_, Scalar()):
            return Lit(True)
        case Var(_, Array(_, None)):
            return _PASS
        case Lit(found):
            return Lit(bool(np.isscalar(found)))
        case _:
            return Lit(False)


def _as_array(fn: Any) -> Handler:
    """An array that is already what is asked for, passed on as it is."""

    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
        if fn is np.array and isinstance(args[0], Ref) and args[0].kind == "list" and len(args) == 1 and not kwargs:
            filled = interp.filled(args[0])
            if filled is not None:
                return interp.call(Lit(np.ndarray.copy), (collecting.so_far(interp, filled),), hint=hint)
        if fn is np.array or not isinstance(args[0], Var) or not isinstance(args[0].type, Array) or args[0].type.shape is None:
            return _PASS
        dtype = args[1] if len(args) > 1 else kwargs.get("dtype", NONE)
        if len(args) > 2 or set(kwargs) - {"dtype"}:
            return _PASS
        if dtype == NONE or np.dtype(interp.static(dtype, "a dtype")) == np.dtype(args[0].type.dtype):
            return args[0]
        return _PASS

    return handler


def _divmod(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    return Tuple((interp.call(Lit(operator.floordiv), args), interp.call(Lit(operator.mod), args)))


def _pow(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    return _PASS if len(args) != 2 or kwargs else interp.call(Lit(operator.pow), args, hint=hint)


def _abs(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    return _unary(operator.abs)(interp, args, kwargs, hint)


def _slice(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    parts = (NONE, args[0], NONE) if len(args) == 1 else (*args, NONE, NONE)[:3]
    return Slice(*parts)


def _import(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    module = importlib.import_module(*(interp.static(arg, "a module name") for arg in args))
    return from_outside(interp, module, Access((), Lit(module)))


def _partial(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    return Method(args[0], args[1:], tuple(kwargs.items()))


def _product(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    lists = [interp.items(arg) for arg in args]
    repeat = interp.static(kwargs["repeat"], "`repeat`") if "repeat" in kwargs else 1
    return Tuple(tuple(Tuple(parts) for parts in itertools.product(*lists, repeat=repeat)))


def _combinations(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    return Tuple(tuple(Tuple(parts) for parts in itertools.combinations(interp.items(args[0]), interp.static(args[1], "a count"))))


def _as(fn: Any) -> Handler:
    """Another name of `fn`."""

    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
        return interp.call(Lit(fn), args, kwargs, hint)

    return handler


def _copy_into(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    """``np.copyto(x, value)`` and ``x.fill(value)`` are ``x[...] = value``."""
    if len(args) != 2 or kwargs or not (isinstance(args[0], Var) and isinstance(args[0].type, Array)):
        return _PASS
    indexing.store(interp, args[0], Lit(...), args[1])
    return NONE


def _sort_in_place(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Value:
    """``x.sort(axis)`` is ``x[...] = np.sort(x, axis)``."""
    if not (isinstance(args[0], Var) and isinstance(args[0].type, Array)):
        return _PASS
    indexing.store(interp, args[0], Lit(...), interp.call(Lit(np.sort), args, kwargs))
    return NONE


_TABLE: dict[Any, Handler] = {
    operator.inv: _as(operator.invert),
    operator.truth: _as(bool),
    np.copyto: _copy_into,
    np.ndarray.fill: _copy_into,
    np.ndarray.sort: _sort_in_place,
    operator.getitem: _getitem,
    operator.setitem: _setitem,
    operator.delitem: _delitem,
    setattr: _setattr,
    getattr: _getattr,
    hasattr: _hasattr,
    intrinsics.unpack: _unpack,
    intrinsics.chain: _chain,
    intrinsics.merge: _merge,
    intrinsics.apply: _apply,
    **{fn: _in_place(fn) for fn in PLAIN},
    **{fn: _binary(fn) for fn in (
        operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod, operator.pow, operator.matmul,
        operator.and_, operator.or_, operator.xor)},
    **{fn: _unary(fn) for fn in (operator.neg, operator.pos, operator.abs, operator.invert)},
    **{fn: _compare(fn) for fn in (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)},
    operator.is_: _is(True),
    operator.is_not: _is(False),
    operator.not_: _not,
    operator.contains: _contains,
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
    max: _extreme(max, operator.gt),
    min: _extreme(min, operator.lt),
    any: _any_all(any),
    all: _any_all(all),
    map: _map,
    filter: _filter,
    functools.reduce: _reduce,
    isinstance: _isinstance,
    issubclass: _issubclass,
    type: _type,
    callable: _callable,
    int: _number(int, INT),
    float: _number(float, FLOAT),
    bool: _number(bool, BOOL),
    np.shape: _shape,
    np.ndim: _ndim,
    np.size: _size,
    np.isscalar: _isscalar,
    np.asarray: _as_array(np.asarray),
    np.asanyarray: _as_array(np.asanyarray),
    np.array: _as_array(np.array),
    divmod: _divmod,
    pow: _pow,
    abs: _abs,
    slice: _slice,
    importlib.import_module: _import,
    functools.partial: _partial,
    itertools.product: _product,
    itertools.combinations: _combinations,
}  # fmt: skip

KNOWN: Mapping[Any, Handler] = MappingProxyType(_TABLE)
