"""Calls of what adxform cannot look into: they run as they are, at run time."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from adxform.frontend.calls.callbacks.unseen import hand_over
from adxform.frontend.calls.draws import MAKERS, drawn_type, method_of, moving_draw, moving_variates
from adxform.frontend.containers import deques
from adxform.frontend.evaluate.operands import given_to_unknown, refuse_keeping
from adxform.frontend.evaluate.outside import outside_containers
from adxform.frontend.evaluate.outside.guards import constant
from adxform.frontend.evaluate.parts import indexing, stored_items
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, Maybe, Once, Ref, Value
from adxform.frontend.types import forgotten_kinds
from adxform.frontend.types.unruled_types import known_arrays
from adxform.ir.ops import Call, Lit, Operand, Var
from adxform.ir.spans import own_attribute, written_in
from adxform.ir.types import Array, Object, is_inexact
from adxform.ir.walk import variables
from adxform.primitives.definitions.random_draws import shape_of_a_draw

Kwargs = dict[str, Value]

CONTAINERS = frozenset({list, dict, set})


def opaque(interp: Interpreter, fn: Any, args: tuple[Value, ...], kwargs: Kwargs, hint: str, wanted: bool) -> Value:
    """Run `fn` as it is, at run time."""
    if type(fn).__hash__ is None:
        return opaque(interp, operator.call, (constant(interp, fn), *args), kwargs, hint, wanted)
    owner = own_attribute(fn, "__objclass__")
    if owner in CONTAINERS and args and isinstance(args[0], Ref) and issubclass(args[0].cls, owner):
        return interp.call(interp.attribute(args[0], fn.__name__), args[1:], kwargs, hint, wanted)  # `list.append(items, x)`
    found = outside_containers.call(interp, fn, args, kwargs, hint, wanted)
    if found is not None:
        return found
    deques.refuse(interp, (*args, *kwargs.values()))
    hand_over(interp, fn, args, kwargs, wanted=wanted)
    _refuse_unknown(interp, fn, args, kwargs)
    operands = tuple(given_to_unknown(interp, arg) for arg in args)
    named = {key: given_to_unknown(interp, arg) for key, arg in kwargs.items()}
    given = [var for arg in (*operands, *named.values()) for var in variables(arg)]
    if wanted:
        forgotten_kinds.refuse(interp, given)
    method = method_of(interp, fn, operands)
    if method is not None and method[1] == "shuffle" and not named and _is_float_array(operands[method[2] :]):
        shuffle(interp, fn, operands)
        return NONE
    if not wanted:
        holders = any(isinstance(var.type, Object) and var not in interp.of_run.packed for var in given)
        if holders and not _prints(fn):
            refuse_keeping(interp, given)
        interp.builder.emit(Call((), Lit(fn), operands, tuple(named.items()), interp.span))
        return NONE
    return _result(interp, fn, operands, named, method, hint)


def _refuse_unknown(interp: Interpreter, fn: Any, args: tuple[Value, ...], kwargs: Kwargs) -> None:
    """Raise for arguments that code which nobody looks into cannot be given."""
    if any(isinstance(arg, Maybe) for arg in (*args, *kwargs.values())):
        raise interp.error("an argument may be None or not, which only a run can tell", "test it first: `if x is not None:`")
    if any(fn is text for text in (repr, str, ascii, format)) and any(isinstance(arg, Once) for arg in args):
        raise interp.error("an iterator is made a text", "make it a list first: `list(…)`")


def _result(
    interp: Interpreter,
    fn: Callable[..., Any],
    operands: tuple[Operand, ...],
    named: dict[str, Operand],
    method: tuple[Any, str, int] | None,
    hint: str,
) -> Value:
    """What a call gives at run time: random numbers, by a `method` of a generator, or what nothing is known of but its class."""
    if method is None:
        moved = moving_variates(interp, fn, operands, named, hint)
    else:
        moved = moving_draw(interp, fn, method, operands, named, hint)
    if moved is not None:
        return moved
    type_ = Object() if method is None else drawn_type(interp, method[0], method[1], operands[method[2] :], named)
    out = interp.emit(fn, operands, type_, hint, named)
    if isinstance(type_, Object) and any(is_inexact(var.type) for arg in (*operands, *named.values()) for var in variables(arg)):
        interp.of_run.unruled[out] = (fn if method is None else shape_of_a_draw, interp.span)
    if isinstance(fn, type):
        interp.of_run.made[out] = fn
    if fn is np.errstate:
        interp.floats = True
    if fn in MAKERS:
        interp.of_run.generators[out] = MAKERS[fn]
    return known_arrays(interp, fn, out, operands, named) if method is None else out


def _prints(fn: Callable[..., Any]) -> bool:
    """Whether `fn` writes out what it is given, and keeps nothing."""
    return fn is print or written_in(fn).partition(".")[0] == "logging"


def _is_float_array(values: tuple[Operand, ...]) -> bool:
    match values:
        case (Var(_, Array(_, shape) as type_),):
            return bool(shape) and is_inexact(type_)
        case _:
            return False


def shuffle(interp: Interpreter, fn: Callable[..., Any], operands: tuple[Operand, ...]) -> None:
    """``generator.shuffle(x)`` is ``x[...] = x[places]`` with the places ``0, 1, …`` shuffled in the place of the rows."""
    *lead, x = operands
    assert isinstance(x, Var)
    places = interp.operand(interp.call(Lit(np.arange), (indexing.dim(interp, x, 0),), hint="places"))
    interp.builder.emit(Call((), Lit(fn), (*lead, places), (), interp.span))
    stored_items.store(interp, x, Lit(...), indexing.load(interp, x, places))  # type: ignore[arg-type]
