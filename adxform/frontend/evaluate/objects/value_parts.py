"""The parts of a value, and of what an object holds, that may come from one path or another: all else is one thing as it is."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from adxform.frontend.evaluate.objects.object_contents import (
    Collected,
    Columns,
    Contents,
    Doubtful,
    HeldByRun,
    Portion,
    SetElements,
)
from adxform.frontend.evaluate.values import FunctionValue, Maybe, Method, OneOf, Tuple


def parts_of(whole: Any) -> tuple[Any, ...]:
    """The parts of `whole`, in order: of a function, what it has beside its code."""
    match whole:
        case SetElements():
            return ()
        case Tuple(items) | Contents(items=items) | Columns(lists=items):
            return items
        case Maybe(present, value):
            return present, value
        case OneOf(which, things):
            return which, *things
        case FunctionValue(captures=captures, defaults=defaults):
            return tuple(value for _, value in (*captures, *defaults))
        case Method(fn, args, kwargs):
            return fn, *args, *(value for _, value in kwargs)
        case Collected(buffer=buffer, count=count):
            return buffer, count
        case Portion(place=place):
            return (place,)
        case Doubtful(_, items, there):
            return *items, *there
        case HeldByRun(var):
            return (var,)
        case _:
            return ()


def with_parts(whole: Any, changed: Iterable[Any]) -> Any:
    """`whole` with the parts `changed`."""
    new = tuple(changed)
    match whole:
        case Tuple() | Contents():
            return replace(whole, items=new)
        case Columns():
            return replace(whole, lists=new)
        case Maybe():
            return Maybe(*new)
        case OneOf():
            return OneOf(new[0], new[1:])
        case FunctionValue(captures=captures, defaults=defaults):
            named = _named((*captures, *defaults), new)
            return replace(whole, captures=named[: len(captures)], defaults=named[len(captures) :])
        case Method(_, args, kwargs):
            own = 1 + len(args)
            return replace(whole, fn=new[0], args=new[1:own], kwargs=_named(kwargs, new[own:]))
        case Collected():
            return replace(whole, buffer=new[0], count=new[1])
        case Portion():
            return replace(whole, place=new[0])
        case Doubtful(keys):
            return replace(whole, items=new[: len(keys)], there=new[len(keys) :])
        case HeldByRun():
            return replace(whole, var=new[0])
    raise AssertionError(f"{type(whole).__name__} has no parts")


def _named(pairs: tuple[tuple[str, Any], ...], values: tuple[Any, ...]) -> tuple[tuple[str, Any], ...]:
    return tuple((name, value) for (name, _), value in zip(pairs, values, strict=True))
