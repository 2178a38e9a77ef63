"""Calls of functions with a rule, bound to the signature of the function before anything looks at their arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from inspect import Parameter
from typing import Any

import numpy as np

from adxform.frontend.evaluate.parts import array_subscripts
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, Once, Range, Ref, Tuple, Value
from adxform.ir.ops import Lit, Var
from adxform.ir.types import Array, is_inexact
from adxform.primitives.declare import name_of
from adxform.primitives.definitions.arrangements import in_place
from adxform.primitives.definitions.arrangements.flat_entries import KEEPING, FlatEntries
from adxform.primitives.definitions.arrangements.rearrangements import CUTTING
from adxform.primitives.effects import is_making
from adxform.primitives.record import Constant, Effect
from adxform.primitives.signatures import PLAIN, SYNONYMS, arranged, form_of, signature_of
from adxform.primitives.table import lookup

Kwargs = dict[str, Value]


def normal_form(
    fn: Callable[..., Any], args: tuple[Value, ...], kwargs: Kwargs, states: frozenset[str] | None
) -> tuple[tuple[Value, ...], Kwargs]:
    """The arguments of a call of `fn`, whose rule `states` these parameters (``None``: all), in normal form.

    Raises:
        TypeError: `fn` cannot be called so.
    """
    args, kwargs = arranged(fn, args, kwargs, states, _is_default)
    out = kwargs.get("out")
    if isinstance(out, Tuple) and len(out.items) == 1:  # which ufuncs take as well
        kwargs = {**kwargs, "out": out.items[0]}
    return args, kwargs


def of_python(fn: Callable[..., Any], args: tuple[Value, ...], kwargs: Kwargs) -> tuple[tuple[Value, ...], Kwargs]:
    """The arguments of a call of a function of Python's that the front end knows: without keywords at their defaults.

    Raises:
        TypeError: `fn` cannot be called so.
    """
    form = form_of(fn, len(args), tuple(kwargs))
    if form is None:
        return args, kwargs
    named = {one.name: one for one in form.named}
    left = {key: value for key, value in kwargs.items() if key not in named or not _is_default(named[key], value)}
    return arranged(fn, args, left, None, _is_default)


def with_plain_axes(
    interp: Interpreter, fn: Callable[..., Any], args: tuple[Value, ...], kwargs: Kwargs
) -> tuple[tuple[Value, ...], Kwargs]:
    """The arguments with one of Python's integers where an axis is one of NumPy's; an array says only to the run which it is."""
    named = {key: _plain_axis(interp, value) if key in AXES else value for key, value in kwargs.items()}
    if not any(map(_may_be_numpy, args)):
        return args, named
    form = form_of(fn, len(args), ())
    names = () if form is None else tuple(one.name for one in form.positional)
    return tuple(_plain_axis(interp, arg) if {*names[k : k + 1]} & AXES else arg for k, arg in enumerate(args)), named


def refuse_iterators(interp: Interpreter, fn: Callable[..., Any], values: Iterable[Value]) -> None:
    """Raise where NumPy is given an iterator, which for most of its functions is one object and no sequence."""
    if any(isinstance(value, Once) for value in values) and name_of(fn).startswith("np."):
        message = f"an iterator is given to `{name_of(fn)}`, for which it is one object and not what it goes through"
        raise interp.error(message, "make it a list first: `list(…)`")


def with_ranges_filled(
    interp: Interpreter, fn: Callable[..., Any], args: tuple[Value, ...], kwargs: Kwargs
) -> tuple[tuple[Value, ...], Kwargs]:
    """The arguments of a call of a function of arrays with the array for each range among them that NumPy makes of it."""
    ranges = any(isinstance(value, Range) for value in (*args, *kwargs.values()))
    if not ranges or fn in CUTTING or not name_of(fn).startswith(("np.", "scipy.")):
        return args, kwargs

    def filled(value: Value) -> Value:
        return array_subscripts.of_range(interp, value) if isinstance(value, Range) else value

    return tuple(map(filled, args)), {key: filled(value) for key, value in kwargs.items()}


def with_flat_arrays(
    interp: Interpreter, fn: Callable[..., Any], args: tuple[Value, ...], kwargs: Kwargs
) -> tuple[tuple[Value, ...], Kwargs]:
    """The arguments of a call of a function of NumPy's with an array for each `x.flat` among them, of which NumPy makes one."""
    if not any(map(_is_flat, (*args, *kwargs.values()))) or not name_of(fn).startswith("np."):
        return args, kwargs
    writes = any(fn is one.fn for one in in_place.DEFINITIONS) or getattr(fn, "__name__", "") == "at"
    if _is_flat(kwargs.get("out", NONE)) or (writes and (any(map(_is_flat, kwargs.values())) or _is_flat(args[0]))):
        raise interp.error(f"`x.flat` is given to `{name_of(fn)}`, which may write to it", "give it the array")
    if not _gives_its_own(fn):
        message = f"`x.flat` is given to `{name_of(fn)}`, whose result may share the memory of `x` or not, as that lies"
        raise interp.error(message, "say which: `x.flatten()`, or `x.ravel()`")
    found = {key: _flattened(interp, value) for key, value in kwargs.items()}
    return tuple(_flattened(interp, arg) for arg in args), found


def _gives_its_own(fn: Callable[..., Any]) -> bool:
    """Whether what `fn` makes of an `x.flat` shares no memory with `x`."""
    record = lookup(fn)
    if record is None:
        return is_making(fn)
    views = not isinstance(record.derivative, Constant) and (not isinstance(record.effect, Effect) or record.effect.views)
    return not views and fn not in KEEPING


def _is_flat(value: Value) -> bool:
    return isinstance(value, Ref) and value.cls is FlatEntries


def _flattened(interp: Interpreter, value: Value) -> Value:
    if not _is_flat(value):
        return value
    return interp.call(Lit(np.ndarray.flatten), (interp.attribute(value, "base"),))


AXES = frozenset({"axis", "axis1", "axis2", "source", "destination"})
"""Parameters that say which axis is meant."""


def _may_be_numpy(value: Value) -> bool:
    match value:
        case Lit(found):
            return isinstance(found, np.generic)
        case Var(type=type_):
            return not is_inexact(type_)
        case _:
            return False


def _plain_axis(interp: Interpreter, axis: Value) -> Value:
    match axis:
        case Lit(np.integer() as number):
            return Lit(int(number))
        case Var(type=Array()):
            raise interp.error("an array says which axis is meant, which only a run can tell", "give the axis as a number")
        case _:
            return axis


def by_position(fn: Callable[..., Any], args: tuple[Value, ...], kwargs: Kwargs) -> tuple[tuple[Value, ...], Kwargs]:
    """The arguments with floats that are passed by keyword moved to their positions: rules differentiate those.

    What lies between is passed as well, at its default.
    """
    if not any(is_moving(value) or isinstance(value, Tuple | Ref) for value in kwargs.values()):
        return args, kwargs
    signature = signature_of(fn)
    if signature is None:
        return args, kwargs
    synonyms = SYNONYMS.get(fn, {}) if any(map(is_moving, kwargs.values())) else {}
    kwargs = {synonyms.get(key, key): value for key, value in kwargs.items()}
    following = list(signature.parameters.values())[len(args) :]
    wanted = {key for key, value in kwargs.items() if is_moving(value)}.union(synonyms.values())
    last = max((k for k, one in enumerate(following, 1) if one.name in wanted), default=0)
    placed, rest = list(args), dict(kwargs)
    for k, parameter in enumerate(following):
        if parameter.kind is not Parameter.POSITIONAL_OR_KEYWORD or parameter.name == "out":
            break
        if parameter.name in rest:
            placed.append(rest.pop(parameter.name))
        elif k < last and isinstance(parameter.default, PLAIN):
            placed.append(Lit(parameter.default))
        else:
            break
    return tuple(placed), rest


def is_moving(value: Value) -> bool:
    """Whether `value` is a number or an array that may move."""
    return isinstance(value, Var) and is_inexact(value.type)


def _is_default(parameter: Parameter, value: Value) -> bool:
    if isinstance(parameter.default, tuple):
        return value == Tuple(tuple(map(Lit, parameter.default)))
    return isinstance(parameter.default, PLAIN) and value == Lit(parameter.default)
