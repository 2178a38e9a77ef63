"""Calls of what adxform cannot look into: they run as they are, at run time."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import is_dataclass
from typing import Any

import numpy as np

from adxform.frontend.calls.draws import MAKERS, drawn_type, method_of
from adxform.frontend.evaluate import indexing
from adxform.frontend.evaluate.operands import given_to_unknown, refuse_keeping
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, Maybe, Once, Ref, Value
from adxform.frontend.types import forgotten_kinds
from adxform.frontend.types.unruled_types import known_array
from adxform.ir.ops import Call, Lit, Operand, Var
from adxform.ir.spans import written_in
from adxform.ir.types import Array, Object, is_float
from adxform.ir.walk import variables

Kwargs = dict[str, Value]

READING = frozenset(
    ["builtins", "numpy", "scipy", "math", "_operator", "operator", "statistics", "itertools", "bisect", "_bisect", "logging"],
)
"""Modules whose functions leave lists and dicts as they are, but for those that are `IN_PLACE`."""

IN_PLACE = frozenset(
    {"setitem", "delitem", "shuffle", "insort", "insort_left", "insort_right"}
    | {name for name in dir(operator) if name[0] == "i" and (hasattr(operator, name[1:]) or hasattr(operator, f"{name[1:]}_"))}
)
CONTAINERS = frozenset({list, dict, set})


def opaque(
    interp: Interpreter, fn: Callable[..., Any], args: tuple[Value, ...], kwargs: Kwargs, hint: str, wanted: bool
) -> Value:
    """Run `fn` as it is, at run time."""
    owner = getattr(fn, "__objclass__", None)
    if owner in CONTAINERS and args and isinstance(args[0], Ref) and issubclass(args[0].cls, owner):
        return interp.call(interp.attribute(args[0], fn.__name__), args[1:], kwargs, hint, wanted)  # `list.append(items, x)`
    module = (written_in(fn) or "builtins").partition(".")[0]
    if module not in READING or getattr(fn, "__name__", "") in IN_PLACE:
        for arg in (*args, *kwargs.values()):
            if isinstance(arg, Ref) and not arg.outside and (arg.kind != "instance" or is_mutable_dataclass(arg.cls)):
                name = getattr(fn, "__qualname__", repr(fn))
                message = f"a {arg.cls.__name__} is passed to `{name}`, which adxform cannot look into and which may change it"
                help_ = "pass its fields, or make the class frozen" if arg.kind == "instance" else "pass a tuple"
                raise interp.error(message, help_)
    if any(isinstance(arg, Maybe) for arg in (*args, *kwargs.values())):
        raise interp.error("an argument may be None or not, which only a run can tell", "test it first: `if x is not None:`")
    if fn in (repr, str, ascii, format) and any(isinstance(arg, Once) for arg in args):
        raise interp.error("an iterator is made a text", "make it a list first: `list(…)`")
    operands = tuple(given_to_unknown(interp, arg) for arg in args)
    named = {key: given_to_unknown(interp, arg) for key, arg in kwargs.items()}
    given = [var for arg in (*operands, *named.values()) for var in variables(arg)]
    if wanted:
        forgotten_kinds.refuse(interp, given)
    method = method_of(interp, fn, operands)
    if method is not None and method[1] == "shuffle" and not named and _is_float_array(operands[method[2] :]):
        shuffle(interp, fn, operands)
        return NONE
    if not wanted and fn is not print and module != "logging" and any(isinstance(var.type, Object) for var in given):
        refuse_keeping(interp, given)
    if not wanted:
        interp.builder.emit(Call((), Lit(fn), operands, tuple(named.items()), interp.span))
        return NONE
    type_ = Object() if method is None else drawn_type(interp, method[0], method[1], operands[method[2] :], named)
    out = interp.emit(fn, operands, type_, hint, named)
    if isinstance(type_, Object) and any(is_float(var.type) for var in given):
        interp.unruled[out] = (fn, interp.span)
    if fn in MAKERS:
        interp.generators[out] = MAKERS[fn]
    return known_array(interp, fn, out, operands, named) if method is None else out


def is_mutable_dataclass(cls: type) -> bool:
    """Whether `cls` is one of dataclasses whose fields may be set."""
    return is_dataclass(cls) and not cls.__dataclass_params__.frozen  # type: ignore[attr-defined]


def _is_float_array(values: tuple[Operand, ...]) -> bool:
    match values:
        case (Var(_, Array(_, shape) as type_),):
            return bool(shape) and is_float(type_)
        case _:
            return False


def shuffle(interp: Interpreter, fn: Callable[..., Any], operands: tuple[Operand, ...]) -> None:
    """``generator.shuffle(x)`` is ``x[...] = x[places]`` with the places ``0, 1, …`` shuffled in the place of the rows."""
    *lead, x = operands
    assert isinstance(x, Var)
    places = interp.operand(interp.call(Lit(np.arange), (indexing.dim(interp, x, 0),), hint="places"))
    interp.builder.emit(Call((), Lit(fn), (*lead, places), (), interp.span))
    indexing.store(interp, x, Lit(...), indexing.load(interp, x, places))  # type: ignore[arg-type]
