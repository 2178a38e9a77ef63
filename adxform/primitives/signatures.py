"""Signatures: the parameter that each argument of a call is for, whether it is given by position or by keyword.

A function's own signature is what `inspect` tells. Ufuncs have one in common; where a function hides parameters behind
``**kwargs``, or where there is none to be had, it is stated (`stated_signatures`).
"""

from __future__ import annotations

import functools
import inspect
import types
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from inspect import Parameter, Signature
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np

from adxform.errors import MissingRuleError
from adxform.ir.spans import Span, own_signature
from adxform.primitives.declare import name_of
from adxform.primitives.record import General, Linear, Partials, Primitive
from adxform.primitives.stated_signatures import ABSENT, OF_UFUNCS, STATED

PLAIN = (type(None), bool, int, float, str)
"""The types of defaults that can be written out."""

SYNONYMS: Mapping[Callable[..., Any], Mapping[str, str]] = MappingProxyType({np.clip: {"min": "a_min", "max": "a_max"}})
"""Parameters that are another name of one that can be given by position."""

Argument = TypeVar("Argument")

_HOW: dict[str, Any] = {"where": True, "casting": "same_kind", "order": "K", "dtype": None, "subok": True, "signature": ABSENT}
_AXES: dict[str, Any] = {"axes": ABSENT, "axis": ABSENT, "keepdims": ABSENT}


@dataclass(frozen=True, slots=True)
class Form:
    """The parameters that the arguments of a call are for: `positional` in order, then `named` by keyword, as declared."""

    positional: tuple[Parameter, ...]
    named: tuple[Parameter, ...]


@functools.lru_cache(maxsize=4096)
def form_of(fn: Callable[..., Any], count: int, names: tuple[str, ...]) -> Form | None:
    """How a call of `fn` with `count` positional arguments and keywords `names` is bound; ``None`` where no signature is known.

    >>> [parameter.name for parameter in form_of(np.sum, 2, ("keepdims",)).positional]
    ['a', 'axis']

    Raises:
        TypeError: `fn` cannot be called so.
    """
    signature = signature_of(fn)
    if signature is None:
        return None
    signature.bind(*range(count), **dict.fromkeys(names))
    ordered = list(signature.parameters.values())
    positional = [one for one in ordered if _has_place(one)]
    rest = next((one for one in ordered if one.kind is one.VAR_POSITIONAL), None)
    by_place = [positional[k] if k < len(positional) or rest is None else rest for k in range(count)]
    known = {one.name: one for one in ordered if one.kind not in (one.POSITIONAL_ONLY, one.VAR_KEYWORD, one.VAR_POSITIONAL)}
    others = [Parameter(name, Parameter.KEYWORD_ONLY) for name in names if name not in known]
    return Form(tuple(by_place), (*(one for name, one in known.items() if name in names), *others))


@functools.lru_cache(maxsize=4096)
def signature_of(fn: Callable[..., Any]) -> Signature | None:
    """The signature of `fn`; ``None`` where there is none to be had."""
    stated = STATED.get(fn)
    if stated is not None:
        return inspect.signature(stated)
    if isinstance(fn, np.ufunc):
        return _of_ufunc(fn)
    if isinstance(getattr(fn, "__self__", None), np.ufunc) and fn.__name__ in OF_UFUNCS:
        return inspect.signature(OF_UFUNCS[fn.__name__])
    try:
        return own_signature(fn)
    except (TypeError, ValueError):
        return _of_method(fn)


def _of_ufunc(fn: np.ufunc) -> Signature:
    operands = ["x"] if fn.nin == 1 else [f"x{k + 1}" for k in range(fn.nin)]
    parts = [Parameter(name, Parameter.POSITIONAL_ONLY) for name in operands]
    if fn.nout == 1:
        parts.append(Parameter("out", Parameter.POSITIONAL_OR_KEYWORD, default=None))
    else:  # by position each has a place, by keyword they are one tuple
        parts += [Parameter(f"out{k + 1}", Parameter.POSITIONAL_ONLY, default=None) for k in range(fn.nout)]
        parts.append(Parameter("out", Parameter.KEYWORD_ONLY, default=(None,) * fn.nout))
    options = _HOW if fn.signature is None else {**_AXES, **{key: value for key, value in _HOW.items() if key != "where"}}
    parts += [Parameter(name, Parameter.KEYWORD_ONLY, default=value) for name, value in options.items()]
    return Signature(parts)


def _of_method(fn: Callable[..., Any]) -> Signature | None:
    """That of the function of the same name, for a method of arrays that has none of its own but an ``out``."""
    if not isinstance(fn, types.MethodDescriptorType) or fn.__objclass__ is not np.ndarray:
        return None
    try:
        found = inspect.signature(getattr(np, fn.__name__))
    except (AttributeError, TypeError, ValueError):
        return None
    return found if "out" in found.parameters else None


def by_name(fn: Callable[..., Any], args: Sequence[Argument], kwargs: Mapping[str, Argument]) -> dict[str, Argument]:
    """The arguments of a call of `fn` by the names of their parameters, without those of which there may be any number.

    >>> by_name(np.sum, (1.5, 0), {"keepdims": True})
    {'a': 1.5, 'axis': 0, 'keepdims': True}
    """
    form = form_of(fn, len(args), tuple(kwargs))
    placed = () if form is None else zip(form.positional, args, strict=True)
    return {**{one.name: value for one, value in placed if one.kind is not one.VAR_POSITIONAL}, **kwargs}


def arranged(
    fn: Callable[..., Any],
    args: tuple[Argument, ...],
    kwargs: Mapping[str, Argument],
    states: frozenset[str] | None,
    is_default: Callable[[Parameter, Argument], bool],
) -> tuple[tuple[Argument, ...], dict[str, Argument]]:
    """The arguments of a call of `fn`, whose rule `states` these parameters (``None``: all), in normal form.

    ``np.sum(a=x)`` is ``np.sum(x)``, and ``np.max(x, 0, None, True)`` is ``np.max(x, 0, keepdims=True)``: what the function
    cannot do without goes by position; options stay as they were written, by keyword after a gap; ``out`` is named; and it is
    left out at its default, as is what the rule does not state.

    Raises:
        TypeError: `fn` cannot be called so.
    """
    form = form_of(fn, len(args), tuple(kwargs))
    if form is None or not (kwargs or any(map(_is_option, form.positional))):
        return args, dict(kwargs)
    placed: list[Argument] = []
    named: dict[str, Argument] = {}
    gap = False
    given = [(one, value, True) for one, value in zip(form.positional, args, strict=True)]
    for parameter, value, by_place in [*given, *((one, kwargs[one.name], False) for one in form.named)]:
        name, kind = parameter.name, parameter.kind
        spare = name == "out" or (states is not None and name not in states)
        if spare and kind is not Parameter.VAR_POSITIONAL and is_default(parameter, value):
            gap = True
        elif _has_no_name(parameter) or (not gap and _goes_by_place(parameter, by_place)):
            placed.append(value)
        else:
            gap = True
            named[name] = value
    return tuple(placed), named


@functools.lru_cache(maxsize=4096)
def stated(record: Primitive) -> frozenset[str] | None:
    """The parameters of a function that its rule states, which are those that the body of the rule takes; ``None``: all."""
    match record.derivative:
        case Partials(body):
            return taken(record.fn, body, 1)
        case Linear(transposes):
            every = [taken(record.fn, body, 1) for body in transposes.values()]
            return None if None in every else frozenset.intersection(*(one for one in every if one is not None))
        case General(body):
            return taken(record.fn, body, 0)
        case _ if isinstance(record.fn, np.ufunc):  # how it is computed is left out where it is as usual
            return frozenset(list(_of_ufunc(record.fn).parameters)[: record.fn.nin])
        case _:
            return None


@functools.lru_cache(maxsize=4096)
def taken(fn: Callable[..., Any], body: Callable[..., Any], lead: int = 0) -> frozenset[str] | None:
    """The parameters of `fn` that `body` takes after `lead` of its own: by name, among them those that `fn` takes by any name, or
    by place under a name of its own.

    ``None``: it is not known what `fn` takes.
    """
    signature = signature_of(fn)
    if signature is None:
        return None
    given = list(inspect.signature(body).parameters.values())[lead:]
    names = {one.name for one in given}
    places = [one.name for one in given if _has_place(one)]
    many = any(one.kind is one.VAR_POSITIONAL for one in given)
    found = []
    for place, one in enumerate(signature.parameters.values()):
        by_place = place < len(places) and (_is_operand(one) or (_has_place(one) and places[place] not in signature.parameters))
        if one.name in names or by_place or (many and _is_operand(one)):
            found.append(one.name)
    if any(one.kind is one.VAR_KEYWORD for one in signature.parameters.values()):
        found += [one.name for one in given if one.kind is one.KEYWORD_ONLY]
    return frozenset(found)


def unstated(fn: Callable[..., Any], states: frozenset[str] | None, count: int, names: tuple[str, ...]) -> str | None:
    """The first parameter of `fn` that a call gives, with `count` positional arguments and keywords `names`, beside `states`."""
    form = None if states is None else form_of(fn, count, names)
    if states is None or form is None:
        return None
    return next((one.name for one in (*form.positional, *form.named) if one.name not in states and one.name != "out"), None)


def not_covered(fn: Callable[..., Any], parameter: str, span: Span) -> MissingRuleError:
    """The error for a call that gives a `parameter` of `fn` that its rule does not state."""
    message = f"the derivative rule of `{name_of(fn)}` does not cover its parameter `{parameter}`"
    return MissingRuleError(message, span=span, help=f"leave `{parameter}` out, and compute with other functions what it does")


def _has_no_name(parameter: Parameter) -> bool:
    """Whether a call can give `parameter` by position alone; what is written to is named in a normal form all the same."""
    return parameter.name != "out" and parameter.kind in (Parameter.POSITIONAL_ONLY, Parameter.VAR_POSITIONAL)


def _goes_by_place(parameter: Parameter, by_place: bool) -> bool:
    """Whether a call in normal form gives `parameter` by position, given whether this one did."""
    return parameter.name != "out" and _has_place(parameter) and (by_place or not _is_option(parameter))


def _has_place(parameter: Parameter) -> bool:
    return parameter.kind in (Parameter.POSITIONAL_ONLY, Parameter.POSITIONAL_OR_KEYWORD)


def _is_option(parameter: Parameter) -> bool:
    return parameter.default is not Parameter.empty or parameter.kind is Parameter.KEYWORD_ONLY


def _is_operand(parameter: Parameter) -> bool:
    return parameter.kind in (Parameter.POSITIONAL_ONLY, Parameter.VAR_POSITIONAL) or (
        parameter.default is Parameter.empty and parameter.kind is Parameter.POSITIONAL_OR_KEYWORD
    )
