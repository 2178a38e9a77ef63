"""Signatures: the parameter that each argument of a call is for, whether it is given by position or by keyword.

A function's own signature is what `inspect` tells. Ufuncs have one in common; where a function hides parameters behind
``**kwargs``, or where there is none to be had, it is stated here.
"""

from __future__ import annotations

import functools
import inspect
import itertools
import math
import types
from collections import OrderedDict
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

ABSENT = object()
"""The default of a parameter that no value stands for."""

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
    if isinstance(getattr(fn, "__self__", None), np.ufunc) and fn.__name__ in _OF_UFUNCS:
        return inspect.signature(_OF_UFUNCS[fn.__name__])
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


# Signatures that are hidden behind ``**kwargs``, or that `inspect` cannot tell.


def _add_up(
    self: Any,
    /,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = ABSENT,
    where: Any = True,
) -> None: ...


def _average(
    self: Any, /, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, *, where: Any = True
) -> None: ...


def _fill(self: Any, value: Any, /) -> None: ...


def _extreme(
    self: Any, /, axis: Any = None, out: Any = None, keepdims: Any = False, initial: Any = ABSENT, where: Any = True
) -> None: ...


def _spread(
    self: Any,
    /,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = False,
    *,
    where: Any = True,
    mean: Any = None,
) -> None: ...


def _clip(
    a: Any,
    a_min: Any = None,
    a_max: Any = None,
    out: Any = None,
    *,
    min: Any = ABSENT,
    max: Any = ABSENT,
    **how: Any,
) -> None: ...


def _clip_method(self: Any, /, min: Any = None, max: Any = None, out: Any = None, **how: Any) -> None: ...


def _einsum(
    *operands: Any, out: Any = None, optimize: Any = False, dtype: Any = None, order: Any = "K", casting: Any = "safe"
) -> None: ...


def _pad(
    array: Any,
    pad_width: Any,
    mode: Any = "constant",
    *,
    stat_length: Any = ABSENT,
    constant_values: Any = ABSENT,
    end_values: Any = ABSENT,
    reflect_type: Any = ABSENT,
    **other: Any,
) -> None: ...


def _reduce(
    array: Any,
    /,
    axis: Any = 0,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = ABSENT,
    where: Any = True,
) -> None: ...


def _accumulate(array: Any, /, axis: Any = 0, dtype: Any = None, out: Any = None) -> None: ...


def _outer(
    A: Any,
    B: Any,
    /,
    *,
    out: Any = None,
    where: Any = True,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
    subok: Any = True,
    signature: Any = ABSENT,
) -> None: ...


def _at(a: Any, indices: Any, b: Any = ABSENT, /) -> None: ...


def _log(x: Any, base: Any = ABSENT, /) -> None: ...


def _hypot(*coordinates: Any) -> None: ...


_OF_UFUNCS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {"reduce": _reduce, "accumulate": _accumulate, "outer": _outer, "at": _at}
)


def _repeat_method(self: Any, repeats: Any, axis: Any = None) -> None: ...


def _view_method(self: Any, dtype: Any = None, type: Any = None) -> None: ...


def _take_method(self: Any, indices: Any, axis: Any = None, out: Any = None, mode: Any = "raise") -> None: ...


def _search_method(self: Any, v: Any, side: Any = "left", sorter: Any = None) -> None: ...


def _partition_method(self: Any, kth: Any, axis: Any = -1, kind: Any = "introselect", order: Any = None) -> None: ...


def _conj_method(self: Any, out: Any = None, /) -> None: ...


def _choose_method(self: Any, /, *choices: Any, out: Any = None, mode: Any = "raise") -> None: ...


def _dot_method(self: Any, b: Any, out: Any = None) -> None: ...


def _max(*args: Any, key: Any = None, default: Any = ABSENT) -> None: ...


def _int(x: Any = 0, /, base: Any = ABSENT) -> None: ...


def _of_one(x: Any = ABSENT, /) -> None: ...


def _map(func: Any, iterable: Any, /, *iterables: Any) -> None: ...


def _zip(*iterables: Any, strict: Any = False) -> None: ...


def _filter(function: Any, iterable: Any, /) -> None: ...


def _reduce_items(function: Any, iterable: Any, initial: Any = ABSENT, /) -> None: ...


def _with_end(iterator: Any, end: Any = ABSENT, /) -> None: ...


def _getattr(obj: Any, name: Any, default: Any = ABSENT, /) -> None: ...


def _range(start: Any, stop: Any = ABSENT, step: Any = ABSENT, /) -> None: ...


def _islice(iterable: Any, start: Any, stop: Any = ABSENT, step: Any = ABSENT, /) -> None: ...


def _chain(*iterables: Any) -> None: ...


def _product(*iterables: Any, repeat: Any = 1) -> None: ...


def _dict(items: Any = ABSENT, /, **named: Any) -> None: ...


def _partial(func: Any, /, *args: Any, **named: Any) -> None: ...


STATED: Mapping[Callable[..., Any], Callable[..., Any]] = MappingProxyType(
    {
        **dict.fromkeys((np.ndarray.sum, np.ndarray.prod), _add_up),
        **dict.fromkeys((np.ndarray.mean, np.ndarray.any, np.ndarray.all), _average),
        np.ndarray.fill: _fill,
        **dict.fromkeys((np.ndarray.max, np.ndarray.min), _extreme),
        **dict.fromkeys((np.ndarray.var, np.ndarray.std), _spread),
        np.clip: _clip,
        np.ndarray.clip: _clip_method,
        np.ndarray.repeat: _repeat_method,  # these take by keyword what they say to be positional only
        np.ndarray.take: _take_method,
        np.ndarray.view: _view_method,
        np.ndarray.searchsorted: _search_method,
        np.ndarray.argpartition: _partition_method,
        np.ndarray.choose: _choose_method,
        np.ndarray.dot: _dot_method,
        **dict.fromkeys((np.ndarray.conj, np.ndarray.conjugate), _conj_method),
        np.einsum: _einsum,
        np.pad: _pad,
        math.log: _log,
        math.hypot: _hypot,
        **dict.fromkeys((max, min), _max),
        int: _int,
        **dict.fromkeys((bool, set, frozenset), _of_one),
        map: _map,
        zip: _zip,
        filter: _filter,
        functools.reduce: _reduce_items,
        **dict.fromkeys((iter, next), _with_end),
        getattr: _getattr,
        **dict.fromkeys((range, slice), _range),
        itertools.islice: _islice,
        itertools.chain: _chain,
        itertools.product: _product,
        **dict.fromkeys((dict, OrderedDict), _dict),
        functools.partial: _partial,
    }
)
