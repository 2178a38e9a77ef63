"""Operators on what is not a number: tuples, lists, instances; in-place operators; identity and membership."""

from __future__ import annotations

import operator
import types
from typing import TYPE_CHECKING, Any

import numpy as np

from adxform.frontend import collecting, indexing
from adxform.frontend.augmented import PLAIN, UPDATES
from adxform.frontend.branches import truth
from adxform.frontend.joins import same
from adxform.frontend.known.subscripts import merged, with_class
from adxform.frontend.methods import Answer, Handler
from adxform.frontend.signature import scalar_type
from adxform.frontend.values import (
    NONE,
    FunctionValue,
    Maybe,
    Range,
    Ref,
    Static,
    Tuple,
    Value,
    View,
    list_contents,
)
from adxform.ir.ops import Lit, Var
from adxform.ir.types import BOOL, Array, Object, Scalar
from adxform.rules import iterations

if TYPE_CHECKING:
    from adxform.frontend.interpreter import Interpreter

Args = tuple[Value, ...]
Kwargs = dict[str, Value]


def _in_place(fn: Any) -> Handler:
    plain = PLAIN[fn]

    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        x, value = args
        match x:
            case Var(_, Array(_, None)):
                message = "this may be a number or an array, so it cannot be told whether the assignment changes it in place"
                raise interp.error(message, "start from an array of the right shape, e.g. `np.zeros(n)`, or write `x = x + …`")
            case Var(_, Array()) if fn in UPDATES:
                interp.builder.effect(UPDATES[fn], x, Lit(...), indexing.stored(interp, value), span=interp.span)
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

    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        a, b = args
        for left, right, method in ((a, b, f"__{name}__"), (b, a, f"__r{name}__")):
            if isinstance(left, Ref) and left.kind == "instance" and hasattr(left.cls, method):
                found = getattr(left.cls, method)
                if isinstance(found, types.FunctionType):
                    return interp.call(interp.attribute(left, method), (right,), hint=hint)
        match fn, a, b:
            case operator.add, Tuple(items), Tuple(others):
                return Tuple((*items, *others))
            case operator.add, Ref(kind="list"), Ref(kind="list") if interp.filled(a) or interp.filled(b):
                joined = interp.call(interp.attribute(a, "copy"), ())
                interp.call(interp.attribute(joined, "extend"), (b,))
                return joined
            case operator.add, Ref(kind="list"), Ref(kind="list"):
                return interp.new_list((*interp.items(a), *interp.items(b)))
            case operator.mul, Ref(kind="list"), Var(_, Scalar()) if _counts(interp, b, a):
                return _repeated(interp, interp.items(a), b)
            case operator.mul, Var(_, Scalar()), Ref(kind="list") if _counts(interp, a, b):
                return _repeated(interp, interp.items(b), a)
            case operator.mul, Ref(kind="list"), _ if not (isinstance(b, Var) and isinstance(b.type, Array)):
                return interp.new_list(tuple(interp.items(a)) * interp.static(b, "the length of a list"))
            case operator.mul, Tuple(items), _ if not (isinstance(b, Var) and isinstance(b.type, Array)):
                return Tuple(items * interp.static(b, "the length of a tuple"))
            case operator.mul, _, Ref(kind="list") if not (isinstance(a, Var) and isinstance(a.type, Array)):
                return interp.new_list(tuple(interp.items(b)) * interp.static(a, "the length of a list"))
            case operator.mul, _, Tuple(items) if not (isinstance(a, Var) and isinstance(a.type, Array)):
                return Tuple(items * interp.static(a, "the length of a tuple"))
            case operator.or_, Ref(kind="dict"), Ref(kind="dict"):
                return with_class(interp, merged(interp, (a, b), {}, hint), b if a.cls is dict else a)
            case _:
                return None

    return handler


def _counts(interp: Interpreter, count: Var, items: Ref) -> bool:
    """Whether only a run can tell how often the numbers `items` are repeated."""
    return not interp.origins.get(count) and interp.filled(items) is None and interp.of_numbers(interp.contents(items).items)


def _repeated(interp: Interpreter, items: list[Value], count: Var) -> Value:
    """A list of the numbers `items` as often as only a run can tell."""
    times = count if count in interp.sizes else interp.call(Lit(max), (count, Lit(0)))
    if len(items) == 1:
        repeated = interp.call(Lit(np.full), (times, items[0]), hint="items")
    else:
        repeated = interp.call(Lit(np.tile), (interp.call(Lit(np.array), (Tuple(tuple(items)),)), times), hint="items")
    type_ = collecting.common_item(interp, tuple(items))[0]
    return collecting.new_list(interp, repeated, weak=isinstance(type_, Scalar) and type_.weak)


def _unary(fn: Any) -> Handler:
    name = fn.__name__.rstrip("_")

    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        x = args[0]
        if isinstance(x, Ref) and x.kind == "instance" and hasattr(x.cls, f"__{name}__"):
            return interp.call(interp.attribute(x, f"__{name}__"), (), hint=hint)
        return None

    return handler


def _compare(fn: Any) -> Handler:
    """Equality and order of tuples, lists and instances; on numbers they are primitives."""

    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        a, b = args
        method = f"__{fn.__name__}__"
        if isinstance(a, Ref) and a.kind == "instance" and isinstance(getattr(a.cls, method, None), types.FunctionType):
            return interp.call(interp.attribute(a, method), (b,), hint=hint)
        asked = _is_none(interp, a, b, fn is operator.eq) if fn in (operator.eq, operator.ne) else None
        if asked is not None:
            return asked
        if fn not in (operator.eq, operator.ne) and _in_order(interp, a) and _in_order(interp, b):
            return interp.call(Static(iterations.compared), (Lit(fn), a, b), hint=hint)
        if fn in (operator.eq, operator.ne):
            structured = (Tuple, Ref, Static, FunctionValue)
            if isinstance(a, structured) and isinstance(b, structured):
                equal = _equal(interp, a, b)
                return equal if fn is operator.eq else interp.call(Lit(operator.not_), (equal,), hint=hint)
            for one, other in ((a, b), (b, a)):
                named = isinstance(one, Lit) and (one.value is None or isinstance(one.value, str))
                unknown = isinstance(other, Lit) or (isinstance(other, Var) and isinstance(other.type, Object))
                if named and not unknown:
                    return Lit(fn is operator.ne)
        return None

    return handler


def _in_order(interp: Interpreter, value: Value) -> bool:
    """Whether `value` is a tuple or a list, which is compared item by item."""
    return isinstance(value, Tuple) or (isinstance(value, Ref) and value.kind == "list" and interp.filled(value) is None)


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
            result = (
                interp.call(Lit(operator.and_), (result, interp.call(Lit(operator.eq), (x, y))))
                if result != Lit(True)
                else interp.call(Lit(operator.eq), (x, y))
            )
        return result
    return Lit(False)


def _is(positive: bool) -> Handler:
    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        asked = _is_none(interp, args[0], args[1], positive)
        if asked is not None:
            return asked
        found = _identical(interp, *args)
        if found is None:
            return None
        return Lit(found is positive)

    return handler


def _is_none(interp: Interpreter, a: Value, b: Value, positive: bool) -> Answer:
    """Whether a value that may be ``None`` is, where one of `a` and `b` is such a value and the other ``None``."""
    for value, other in ((a, b), (b, a)):
        if isinstance(value, Maybe) and other == NONE:
            present = value.present
            if not isinstance(present, Var) or present in interp.assumed:
                return Lit((present == Lit(False)) is positive)
            if not positive:
                return present
            absent = interp.emit(operator.not_, (present,), BOOL, "absent")
            interp.negated[absent] = present
            return absent
    return None


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


def _not(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    cond = truth(interp, args[0])
    return Lit(not cond) if isinstance(cond, bool) else None


def _contains(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    box, item = args
    match box:
        case Ref(kind="dict" | "set"):
            return Lit(interp.static(item, "a key") in interp.contents(box).keys)
        case Ref(kind="list") if (filled := interp.filled(box)) is not None:
            return interp.call(Lit(np.any), (interp.call(Lit(operator.eq), (collecting.so_far(interp, filled), item)),))
        case View(of, "keys"):
            return Lit(interp.static(item, "a key") in interp.contents(of).keys)
        case Tuple() | Ref(kind="list") | View():
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
            return None


def _as(fn: Any) -> Handler:
    """Another name of `fn`."""

    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        return interp.call(Lit(fn), args, kwargs, hint)

    return handler


def _divmod(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    return Tuple((interp.call(Lit(operator.floordiv), args), interp.call(Lit(operator.mod), args)))


def _pow(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    return None if len(args) != 2 or kwargs else interp.call(Lit(operator.pow), args, hint=hint)


def _abs(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    return _unary(operator.abs)(interp, args, kwargs, hint)


_BINARY = (
    operator.add,
    operator.sub,
    operator.mul,
    operator.truediv,
    operator.floordiv,
    operator.mod,
    operator.pow,
    operator.matmul,
    operator.and_,
    operator.or_,
    operator.xor,
)
_COMPARISONS = (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)

TABLE: dict[Any, Handler] = {
    operator.inv: _as(operator.invert),
    operator.truth: _as(bool),
    **{fn: _in_place(fn) for fn in PLAIN},
    **{fn: _binary(fn) for fn in _BINARY},
    **{fn: _unary(fn) for fn in (operator.neg, operator.pos, operator.abs, operator.invert)},
    **{fn: _compare(fn) for fn in _COMPARISONS},
    operator.is_: _is(True),
    operator.is_not: _is(False),
    operator.not_: _not,
    operator.contains: _contains,
    divmod: _divmod,
    pow: _pow,
    abs: _abs,
}
