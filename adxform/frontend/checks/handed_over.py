"""Refuses programs that read what code that adxform cannot look into may have changed meanwhile.

A derivative reads numbers, lists and dicts of objects from outside when it is called, not where the statement stands: after a
call that changes them it would have what they were before.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adxform.errors import GlobalMutationError
from adxform.frontend.signature.access import Access, Equals, Guard, Holds, LooksLike
from adxform.ir.ops import Var
from adxform.ir.spans import Span


@dataclass(frozen=True, slots=True)
class Handed:
    """An object from outside that is given to the function called `to`, or that this one reaches by itself."""

    value: Any
    to: str
    span: Span


@dataclass(frozen=True, slots=True)
class HandedArray:
    """An array of the program that is given to the function called `to`."""

    var: Var
    to: str
    span: Span


@dataclass(frozen=True, slots=True)
class Rebound:
    """The global variable `name` of the module with these variables, which the function called `to` assigns."""

    space: dict[str, Any]
    name: str
    to: str
    span: Span


def refuse_changed(
    fn: Callable[..., Any], handed: Iterable[Handed | Rebound], hidden: Iterable[Access], guards: Iterable[Guard]
) -> None:
    """Raise where something that is read by `hidden` or assumed by `guards` is part of what was `handed` over.

    Raises:
        GlobalMutationError: the function reads what an unseen call may change.
    """
    objects = {id(one.value): one for one in handed if isinstance(one, Handed)}
    names = {(id(one.space), one.name): one for one in handed if isinstance(one, Rebound)}
    if not objects and not names:
        return
    told = [guard.access for guard in guards if isinstance(guard.expectation, Equals | LooksLike)]
    listed = [guard.access for guard in guards if isinstance(guard.expectation, Holds)]
    for access in (*hidden, *told, *listed):
        for owner, (kind, key) in _owners(fn, access):
            match kind:
                case "global":
                    one: Handed | Rebound | None = names.get((id(owner.__globals__), key))
                case "cell":
                    one = objects.get(id(owner.__closure__[owner.__code__.co_freevars.index(key)]))
                case "default":
                    one = None
                case _:
                    one = objects.get(id(owner))
            if one is not None and not (kind == "attribute" and _has_method(owner, key)):
                raise _refusal(access, one)
    for access in listed:
        one = objects.get(id(access.read(fn)))
        if one is not None:
            raise _refusal(access, one)
    _refuse_changed_arrays(fn, [one for one in objects.values() if isinstance(one.value, np.ndarray)], hidden)


def _refuse_changed_arrays(fn: Callable[..., Any], handed: Sequence[Handed], hidden: Iterable[Access]) -> None:
    """Raise where an array that is read outside shares memory with one that was `handed` over."""
    for access in hidden if handed else ():
        value = access.read(fn)
        for one in handed:
            if isinstance(value, np.ndarray) and np.may_share_memory(value, one.value):
                raise _refusal(access, one)


def _has_method(owner: Any, name: str) -> bool:
    """Whether `name` of `owner` is a function that it has for good: a method of its class, a function in a module."""
    found = getattr(owner if isinstance(owner, type | types.ModuleType) else type(owner), name, None)
    return callable(found)


def _owners(fn: Callable[..., Any], access: Access) -> Iterator[tuple[Any, tuple[str, Any]]]:
    """Each object on the way of `access`, with the step that is taken from it."""
    for taken, step in enumerate(access.steps):
        yield Access(access.steps[:taken], access.root).read(fn), step


def _refusal(access: Access, one: Handed | Rebound) -> GlobalMutationError:
    return GlobalMutationError(
        f"`{access}` is read, which `{one.to}`, a function that adxform cannot look into, may change",
        span=one.span,
        help="read it into a name outside of the function, or call what changes it there",
    )
