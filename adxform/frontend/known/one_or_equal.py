"""Whether two items of containers are one object or equal, as Python asks of them, and whether all or any of several are."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from adxform import runtime
from adxform.frontend.evaluate.classes.class_contents import find, is_native
from adxform.frontend.evaluate.control_flow.attempts import branch
from adxform.frontend.evaluate.control_flow.branches import as_bool, truth
from adxform.frontend.evaluate.control_flow.joined_types import number_type
from adxform.frontend.evaluate.control_flow.joins import same
from adxform.frontend.evaluate.identity import one_object
from adxform.frontend.evaluate.outside.guards import guard
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, Maybe, Ref, Static, Tuple, Value
from adxform.frontend.signature.access import SameAs
from adxform.ir.ops import Lit, Operand, Var
from adxform.ir.types import BOOL, Array, Scalar, is_inexact

Condition = Callable[[], Value]


def same_or_equal(interp: Interpreter, a: Value, b: Value) -> Value:
    """Whether `a` and `b` are equal, or are one object that does not equal itself, as NaN and arrays, which the run can tell."""
    for maybe, other in ((a, b), (b, a)):
        if isinstance(maybe, Maybe):
            return _same_if_there(interp, maybe, other)
    equal = partial(interp.call, Lit(operator.eq), (a, b))
    if not (isinstance(a, Var) and isinstance(b, Var)) or not _run_tells_which(interp, a, b):
        refuse_one_object(interp, a, b)
        return equal()
    if all(interp.parameters.get(given.name) == given for given in (a, b)):
        one: Operand = interp.emit(operator.is_, (a, b), BOOL, "same")
    else:
        one = interp.operand(interp.call(Lit(operator.is_), (a, b), hint="same"))
    return branch(interp, one, lambda: [Lit(True)], lambda: [interp.call(Lit(bool), (equal(),))], ["equal"], interp.span)[0]


def _run_tells_which(interp: Interpreter, a: Var, b: Var) -> bool:
    """Whether `a` and `b` are arrays, or numbers from outside that may be NaN: the run has the objects themselves."""
    if isinstance(a.type, Array) and isinstance(b.type, Array):
        return True
    outside = all(interp.parameters.get(one.name) == one for one in (a, b))
    return outside and all(is_inexact(one.type) or isinstance(one.type, Array) for one in (a, b))


def _same_if_there(interp: Interpreter, maybe: Maybe, other: Value) -> Value:
    """As `same_or_equal`, of what may be ``None`` and what is, or is not."""
    array = isinstance(maybe.value, Var) and isinstance(maybe.value.type, Array)  # which NumPy compares element by element
    if other == NONE and not array:
        return interp.call(Lit(operator.is_), (maybe, other))
    absent: list[Value] = [Lit(other == NONE)]
    if not isinstance(maybe.present, Var) or maybe.present in interp.assumed:
        return absent[0] if maybe.present == Lit(False) else same_or_equal(interp, maybe.value, other)

    def there() -> list[Value]:
        equal = same_or_equal(interp, maybe.value, other)
        return [interp.call(Lit(bool), (equal,)) if array else equal]

    (found,) = branch(interp, maybe.present, there, lambda: absent, ["equal"], interp.span)
    return found


def refuse_one_object(interp: Interpreter, a: Value, b: Value) -> None:
    """Let the run refuse two numbers that are NaN: Python asks first whether they are one object, which nobody knows here."""
    types_ = [number_type(one) for one in (a, b)]
    if any(isinstance(one, Var) for one in (a, b)) and all(isinstance(type_, Scalar) and is_inexact(type_) for type_ in types_):
        refuse_both_missing(interp, *(interp.call(Lit(np.isnan), (one,)) for one in (a, b)))


def refuse_both_missing(interp: Interpreter, a: Value, b: Value) -> None:
    """Let the run refuse that `a` and `b` hold, whether one and the other of two things that are compared has NaN."""
    both = interp.call(Lit(operator.and_), (a, b))
    if both != Lit(False):
        interp.require(interp.operand(interp.call(Lit(operator.not_), (both,))), runtime.missing_compared)


def are_one_object(interp: Interpreter, a: Value, b: Value) -> bool:
    """Whether `a` and `b` are one object, which then is equal to itself; refused where that matters and cannot be told."""
    if isinstance(a, Lit) and isinstance(b, Lit) and isinstance(a.value, float | complex | np.inexact) and a.value != a.value:
        return a.value is b.value
    found = same(a, b)
    told = one_object(interp, a, b) if isinstance(a, Tuple | Ref) and isinstance(b, Tuple | Ref) else found
    if told is None and _has_own_equality(a) and _has_own_equality(b):
        raise interp.error("whether equal named tuples are one object cannot be told", "compare their fields")
    if isinstance(a, Static) and isinstance(b, Static) and not found and a.access is not None and b.access is not None:
        guard(interp, a.access, SameAs(b.access, there=False))
    return found or told is True


def _has_own_equality(value: Value) -> bool:
    """Whether `value` is a named tuple whose class says what is equal to it, or holds one."""
    own = isinstance(value, Tuple) and not is_native(find(value.cls, "__eq__"))
    return own or (isinstance(value, Tuple) and any(map(_has_own_equality, value.items)))


def any_or_all(interp: Interpreter, conditions: Sequence[Condition], fn: Any) -> Value:
    """Whether any, or all, of `conditions` hold, as Python's own bool; a later one is asked where those before do not decide."""
    result: Value = Lit(fn is all)
    for place, condition in enumerate(conditions):
        cond = truth(interp, condition())
        if isinstance(cond, bool):
            if cond is (fn is any):
                return Lit(cond)
            continue
        if isinstance(cond, Var) and isinstance(cond.type, Array):  # its truth may be an error, where it is asked
            rest: list[Condition] = [partial(as_it_is, cond), *conditions[place + 1 :]]
            return _asked_one_by_one(interp, result, rest, fn)
        result = _decided(interp, result, as_bool(interp, cond), fn)
    return result


def _decided(interp: Interpreter, result: Value, cond: Value, fn: Any) -> Value:
    if isinstance(result, Lit):
        return cond
    return interp.call(Lit(operator.or_ if fn is any else operator.and_), (result, cond))


def _asked_one_by_one(interp: Interpreter, result: Value, rest: list[Condition], fn: Any) -> Value:
    """`result`, or what `rest` says where it does not decide."""
    if isinstance(result, Lit):
        cond = truth(interp, rest[0]())
        result = as_bool(interp, cond)
        rest = rest[1:]
    if not rest or result == Lit(fn is any):
        return result
    if isinstance(result, Lit):
        return _asked_one_by_one(interp, result, rest, fn)

    def decided() -> list[Value]:
        return [Lit(fn is any)]

    def open_() -> list[Value]:
        return [_asked_one_by_one(interp, Lit(fn is all), rest, fn)]

    sides = (decided, open_) if fn is any else (open_, decided)
    (found,) = branch(interp, interp.operand(result), *sides, ["found"], interp.span)
    return found


def found_same(interp: Interpreter, a: Value, b: Value) -> bool:
    """Whether `a` and `b` are one object, or are made of the same ones; each call must find them so."""
    found = are_one_object(interp, a, b)
    for value in (a, b) if found else ():
        _pin_all(interp, value)
    return found


def _pin_all(interp: Interpreter, value: Value) -> None:
    match value:
        case Static():
            interp.pin(value)
        case Tuple(items):
            for item in items:
                _pin_all(interp, item)
        case _:
            pass


def as_it_is(value: Value) -> Value:
    """`value`, where a condition is asked for that is known."""
    return value
