"""Calls of functions with a rule of the user's, bound to the function's signature with its defaults."""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from typing import Any

from adxform.frontend.evaluate.outside.guards import from_outside
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Value
from adxform.frontend.signature.access import Access
from adxform.ir.ops import Lit
from adxform.ir.spans import own_attribute, own_signature

Kwargs = dict[str, Value]


def bound_to_signature(
    interp: Interpreter, derivative: Any, fn: Callable[..., Any], args: tuple[Value, ...], kwargs: Kwargs
) -> tuple[tuple[Value, ...], Kwargs]:
    """The call of a function with a rule of the user's in its normal form: all that can be by position, with the defaults.

    A default that the rule has no parameter for is left out.
    """
    parameters = _parameters(fn)
    if parameters is None or any(parameter.kind in _VARIADIC for parameter in parameters):
        return args, kwargs
    room = _parameters(derivative.body)
    places = [p for p in parameters if p.kind is not p.KEYWORD_ONLY]
    takes = len(places) if room is None or any(p.kind in _VARIADIC for p in room) else len(room)
    if len(args) > len(places) or not {p.name for p in parameters[len(args) :]}.issuperset(kwargs):
        return args, kwargs  # Python says what is wrong
    rest, found = dict(kwargs), list(args)
    for parameter in places[len(args) :]:
        if parameter.name in rest:
            found.append(rest.pop(parameter.name))
        elif parameter.default is parameter.empty or (len(found) >= takes and not rest):
            break
        else:
            found.append(_default(interp, fn, parameter))
    for parameter in parameters[len(places) :]:
        if parameter.name not in rest and parameter.default is not parameter.empty and _asks(room, parameter.name):
            rest[parameter.name] = _default(interp, fn, parameter)
    return tuple(found), rest


def _default(interp: Interpreter, fn: Callable[..., Any], parameter: inspect.Parameter) -> Value:
    """The default of a parameter of `fn`, which each call reads again."""
    owner = own_attribute(fn, "__func__", fn)
    path = Access((("default", parameter.name),), Lit(owner)) if isinstance(owner, types.FunctionType) else None
    return from_outside(interp, parameter.default, path)


def _asks(parameters: list[inspect.Parameter] | None, name: str) -> bool:
    """Whether the parameter `name` is among `parameters`, without a default."""
    return any(parameter.name == name and parameter.default is parameter.empty for parameter in parameters or ())


_VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


def _parameters(fn: Callable[..., Any]) -> list[inspect.Parameter] | None:
    """The parameters of `fn`, where it tells them."""
    try:
        return list(own_signature(fn).parameters.values())
    except (TypeError, ValueError):
        return None
