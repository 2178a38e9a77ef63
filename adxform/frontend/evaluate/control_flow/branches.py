"""Branches: what is known is decided now, the rest is written with joined values."""

from __future__ import annotations

import types
from typing import Any, NoReturn

from adxform.frontend.evaluate.above import Env
from adxform.frontend.evaluate.classes import protocols
from adxform.frontend.evaluate.classes.class_contents import MISSING, find
from adxform.frontend.evaluate.control_flow import attempts, first_path, iteration
from adxform.frontend.evaluate.control_flow.attempts import branch
from adxform.frontend.evaluate.control_flow.one_of_several import on_each
from adxform.frontend.evaluate.objects import doubtful_keys
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Maybe, OneOf, Range, Ref, Static, Tuple, Value, View
from adxform.ir import intrinsics
from adxform.ir.ops import If, Lit, Operand, Pack, Var
from adxform.ir.spans import is_followed
from adxform.ir.types import BOOL, Array, Object
from adxform.primitives.raising import Classes


def truth(interp: Interpreter, value: Value) -> bool | Operand:
    """Whether `value` is true: known, or a condition to ask at run time."""
    value = interp.use(value)
    match value:
        case Lit(literal):
            return bool(literal)
        case Var(type=Array() | Object()):  # its contents are read here and now: they may be others when it is asked again
            return interp.emit(bool, (value,), BOOL)
        case Var():
            return interp.decided.get(value, value)
        case Maybe(present, held):
            return _both(interp, present, held)
        case OneOf():
            return truth(interp, on_each(interp, value, lambda one: as_bool(interp, truth(interp, one)), "true"))
        case Tuple() | Ref(kind="instance") | Static() if protocols.is_object(value):
            return _truth_of_object(interp, value)
        case Tuple(items):
            return bool(items)
        case View(Ref() as held) | (Ref() as held):
            return _truth_of_container(interp, held, isinstance(value, View))
        case Range():
            return truth(interp, iteration.length(interp, value))
        case Static(literal):
            return True if isinstance(literal, types.FunctionType | types.ModuleType | type) else bool(interp.settle(value))
        case _:
            return True


def as_bool(interp: Interpreter, cond: bool | Operand) -> Value:
    """A condition as Python's own bool."""
    if isinstance(cond, bool):
        return Lit(cond)
    return cond if isinstance(cond, Var) and cond.type == BOOL else interp.emit(bool, (cond,), BOOL)


def _truth_of_container(interp: Interpreter, held: Ref, viewed: bool) -> bool | Operand:
    """Whether there is anything in a list, set or dict, or in the dict that is `viewed`."""
    if (keyed := interp.keyed(held)) is not None:
        return truth(interp, iteration.length(interp, keyed.keys))
    if (viewed or held.kind == "dict") and interp.doubtful(held) is not None:
        return truth(interp, doubtful_keys.length(interp, held))
    if held.kind == "list" and not viewed and (interp.is_long(held) or interp.portions(held) is not None):
        return truth(interp, iteration.length(interp, held))
    return bool(interp.contents(held).keys)


def _truth_of_object(interp: Interpreter, value: Tuple | Ref | Static) -> bool | Operand:
    """Whether an object is true, by what its class says, if anything."""
    for name in ("__bool__", "__len__"):
        method = protocols.special(interp, value, name)
        if isinstance(value, Static) and _is_library(find(type(value.value), name)):
            return interp.emit(bool, (interp.operand(value),), BOOL)
        if method is not None:
            found = interp.call(Lit(len), (value,)) if name == "__len__" else protocols.converted(interp, method, name)
            return truth(interp, found)
        if isinstance(value, Static) and find(type(value.value), name) is not MISSING:
            number = protocols.decayed(interp, value)
            return truth(interp, number) if number is not value else interp.emit(bool, (interp.operand(value),), BOOL)
    return bool(value.items) if isinstance(value, Tuple) else True


def _is_library(method: Any) -> bool:
    """Whether `method` is one of a library's, written in Python, as that of an `enum.Flag` is: the run asks it."""
    return isinstance(method, types.FunctionType) and not is_followed(method)


def _both(interp: Interpreter, present: Value, held: Value) -> bool | Operand:
    """Whether a value is there and true."""
    if not isinstance(present, Var) or present in interp.assumed:
        return truth(interp, held) if present != Lit(False) else False

    def inside() -> list[Value]:
        return [as_bool(interp, truth(interp, held))]

    (found,) = branch(interp, present, inside, lambda: [Lit(False)], ["there"], interp.span)
    return truth(interp, found)


def run_if(interp: Interpreter, op: If, env: Env) -> None:
    """Run an `If`: the branch that is taken where that is known, else both."""
    if isinstance(op.cond, Pack) and isinstance(op.cond.items[0], Lit) and op.cond.items[0].value in intrinsics.ATTEMPTS:
        attempts.run_attempt(interp, op, env)
        return
    cond = truth(interp, interp.value(op.cond, env))
    if not isinstance(cond, bool) and (found := first_path.taken(interp, cond)) is not None:
        cond = found
    if isinstance(cond, bool):
        values = interp.run_block(op.then if cond else op.orelse, env)
    else:
        values = _run_both(interp, op, cond, env)
    env.update(zip(op.outs, values, strict=True))


def _run_both(interp: Interpreter, op: If, cond: Operand, env: Env) -> list[Value]:
    """Run both branches of an `If`, of which the run takes one.

    Of ``a and b`` it may be known whether it is true where nobody knows `a`: it is not, where `b` is not.
    """
    truths: dict[bool, list[bool | None]] = {}

    def side(taken: bool) -> list[Value]:
        found = interp.run_block(op.then if taken else op.orelse, env)
        truths[taken] = [_known_truth(value, cond, taken) for value in found]
        return found

    hints = [out.base for out in op.outs]
    values = branch(interp, cond, lambda: side(True), lambda: side(False), hints, op.span)
    for value, one, other in zip(values, *truths.values(), strict=True) if len(truths) == 2 else ():
        if isinstance(value, Var) and one is not None and one is other:
            interp.decided[value] = one
    return values


def _known_truth(value: Value, cond: Operand, taken: bool) -> bool | None:
    """Whether `value` is true in a branch that is `taken` where `cond` is true; ``None`` if only the run knows."""
    if value == cond:
        return taken
    return value.value if isinstance(value, Lit) and isinstance(value.value, bool) else None


def run_raise(interp: Interpreter, value: Operand, env: Env) -> NoReturn:
    """Write a `Raise`."""
    known = interp.use(interp.value(value, env))
    classes: Classes = (BaseException,)
    match known:
        case Static(cls) | Lit(cls) if isinstance(cls, type) and issubclass(cls, BaseException):
            known, classes = interp.builder.call(cls, span=interp.span), (cls,)
        case Var() if known in interp.of_run.made:
            classes = (interp.of_run.made[known],)
        case _:
            pass
    interp.throw(interp.operand(known), classes)
