"""Operators on what is not a number: tuples, lists, instances; in-place operators; identity and membership."""

from __future__ import annotations

import operator
import types
from typing import TYPE_CHECKING, Any

import numpy as np

from adxform.frontend import indexing
from adxform.frontend.augmented import PLAIN, UPDATES
from adxform.frontend.branches import truth
from adxform.frontend.joins import same
from adxform.frontend.known import containers
from adxform.frontend.methods import Answer, Handler
from adxform.frontend.python_classes import class_of, is_container, name_of
from adxform.frontend.values import NONE, FunctionValue, Maybe, Ref, Static, Tuple, Value
from adxform.ir.kinds import scalar_type
from adxform.ir.ops import Lit, Var
from adxform.ir.types import BOOL, Array, Object, Scalar, Type, rank

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
            case Var(_, Array() as held):
                given = containers.beside_array(interp, value)
                if fn is operator.imatmul:
                    _fits(interp, x, given)
                result = interp.operand(interp.call(Lit(plain), (x, given)))
                if isinstance(result, Var) and not _takes(held, result.type):
                    message = f"an array of {held.dtype} cannot hold what this operator makes of it, which NumPy refuses"
                    raise interp.error(message, "make the array one of floats first: `x.astype(float)`")
                if isinstance(result, Var) and (rank(result.type) or 0) > (rank(x.type) or 0):
                    return interp.fail(ValueError, "non-broadcastable output operand: it has fewer axes than the result")
                interp.builder.effect(operator.setitem, x, Lit(...), result, span=interp.span)
                return x
            case Ref(kind="instance") if hasattr(x.cls, f"__{fn.__name__}__"):
                return interp.call(interp.attribute(x, f"__{fn.__name__}__"), (value,))
            case Var(_, Object()):
                return interp.emit(fn, (x, interp.operand(value)), Object(), hint)
            case _ if _reflected(value, plain) is not None:
                return interp.call(Lit(plain), args, hint=hint)
            case _:
                found = containers.in_place(interp, fn, plain, x, value)
                return interp.call(Lit(plain), args, hint=hint) if found is None else found

    return handler


def _takes(held: Array, made: Type) -> bool:
    """Whether an array may hold what an operator in place has made."""
    return not isinstance(made, Array | Scalar) or np.can_cast(np.dtype(made.dtype), np.dtype(held.dtype), "same_kind")


def _fits(interp: Interpreter, x: Var, value: Value) -> None:
    """Let ``x @= value`` raise where the product has another shape than `x`."""
    assert isinstance(x.type, Array)
    shape = x.type.shape or ()
    other = value.type.shape if isinstance(value, Var) and isinstance(value.type, Array) else ()
    other = other or ()
    if not shape or not other or not 2 <= len(other) <= max(len(shape), 2):
        interp.fail(ValueError, "the product does not fit into the array that it is to be put in")
    assert isinstance(value, Var)
    fits = interp.call(Lit(operator.eq), (indexing.dim(interp, value, len(other) - 1), indexing.dim(interp, x, len(shape) - 1)))
    if fits == Lit(False):
        interp.fail(ValueError, "the product does not fit into the array that it is to be put in")
    if isinstance(fits, Var):
        interp.require(fits, ValueError, "the product does not fit into the array that it is to be put in")


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
        return containers.binary(interp, fn, a, b, hint)

    return handler


def _reflected(value: Value, fn: Any) -> Any:
    """The method of an instance that answers for it as the right operand of `fn`, if its class has one."""
    name = f"__r{fn.__name__.rstrip('_')}__"
    return _method(value, name) if isinstance(value, Ref) else None


def _unary(fn: Any) -> Handler:
    name = fn.__name__.rstrip("_")

    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        x = args[0]
        if isinstance(x, Ref) and x.kind == "instance" and hasattr(x.cls, f"__{name}__"):
            return interp.call(interp.attribute(x, f"__{name}__"), (), hint=hint)
        return containers.unary(interp, fn, x)

    return handler


_TURNED = {"__lt__": "__gt__", "__gt__": "__lt__", "__le__": "__ge__", "__ge__": "__le__"}


def _compare(fn: Any) -> Handler:
    """Equality and order of containers and instances; on numbers they are primitives."""
    method = f"__{fn.__name__}__"

    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        a, b = args
        for left, right, name in ((a, b, method), (b, a, _TURNED.get(method, method))):
            if isinstance(left, Ref) and isinstance(_method(left, name), types.FunctionType):
                return interp.call(interp.attribute(left, name), (right,), hint=hint)
        if fn not in (operator.eq, operator.ne):
            return containers.order(interp, fn, a, b, hint)
        asked = _is_none(interp, a, b, fn is operator.eq)
        if asked is not None:
            return asked
        found = containers.equality(interp, a, b, fn is operator.eq)
        if found is not None:
            return found
        structured = (Tuple, Ref, Static, FunctionValue)
        if isinstance(a, structured) and isinstance(b, structured):
            return Lit(_equal(interp, a, b) is (fn is operator.eq))
        return None

    return handler


def _method(ref: Ref, name: str) -> Any:
    return getattr(ref.cls, name, None) if ref.kind == "instance" else None


def _equal(interp: Interpreter, a: Value, b: Value) -> bool:
    """Whether objects without a method for it are equal."""
    if isinstance(a, Static) and isinstance(b, Static):
        return bool(interp.pin(a) == interp.pin(b))
    return same(a, b)


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
    if isinstance(a, Tuple) and isinstance(b, Tuple):
        if same(a, b) and a.items:
            raise interp.error("whether equal tuples are one object cannot be told", "compare them with `==`")
        return same(a, b)
    if isinstance(a, Lit) and isinstance(b, Lit):
        if isinstance(a.value, str | bytes) and a.value is not b.value and a == b:
            raise interp.error("whether equal texts are one object cannot be told", "compare them with `==`")
        return a.value is b.value or (a == b and scalar_type(a.value) is not None)
    if isinstance(a, Static) and isinstance(b, Static):
        return bool(interp.pin(a) is interp.pin(b))
    if isinstance(a, Static | Lit) and isinstance(b, Static | Lit):
        return a.value is b.value
    return a is b


def _not(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    cond = truth(interp, args[0])
    if isinstance(cond, bool):
        return Lit(not cond)
    return None if cond == args[0] else interp.emit(operator.not_, (cond,), BOOL, hint)


def _contains(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    box, item = args
    if isinstance(box, Ref) and box.kind == "instance" and hasattr(box.cls, "__contains__"):
        return interp.call(interp.attribute(box, "__contains__"), (item,), hint=hint)
    return containers.contains(interp, box, item)


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
    operator.lshift,
    operator.rshift,
)
_COMPARISONS = (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge)


def _round(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    cls = class_of(args[0]) if args else None
    if cls is not None and is_container(cls):
        return interp.fail(TypeError, f"type {name_of(cls)} doesn't define __round__ method")
    return None


TABLE: dict[Any, Handler] = {
    round: _round,
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
