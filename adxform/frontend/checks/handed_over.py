"""Refuses programs that read what code that adxform cannot look into may have changed meanwhile.

A derivative reads numbers, lists and dicts of objects from outside when it is called, not where the statement stands: after a
call that changes them it would have what they were before.
"""

from __future__ import annotations

import array
import functools
import inspect
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from adxform.errors import GlobalMutationError
from adxform.frontend.signature.access import Access, Contains, Equals, Has, HasClass, HasCode, HasLength, Holds, Is, LooksLike
from adxform.frontend.signature.class_meaning import Means, is_changeable
from adxform.ir.ops import Var
from adxform.ir.spans import Span, own_dict

_OF_VALUES = (Equals, LooksLike, HasLength)
"""What is assumed of numbers, texts and arrays."""
_FOR_GOOD = (property, staticmethod, classmethod)
"""Classes of objects that hold the same functions for ever."""
_OF_WHOLE = (Is, Holds, Contains, Has)
"""What is assumed of an object as a whole: it may be asked about by name, or its items and length when the derivative runs."""


ANY = "*"
"""In place of the names of attributes, where only the run knows them."""
_RESETTING: dict[type, tuple[str, ...]] = {HasClass: ("__class__",), HasCode: ("__code__",), Means: ()}
"""The attributes in which an object has what is assumed of it."""


@dataclass(frozen=True, slots=True)
class Handed:
    """An object from outside that is given to the function called `to`, or that this one reaches by itself.

    The attributes called `names`, of which it may be one, are set there, where more may be replaced than data.
    """

    value: Any
    to: str
    span: Span
    names: frozenset[str] = frozenset()

    def resets(self, *names: str) -> bool:
        """Whether one of these attributes is set."""
        return ANY in self.names or not self.names.isdisjoint(names)


@dataclass(frozen=True, slots=True)
class HandedArray:
    """An array of the program that is given to the function called `to`."""

    var: Var
    to: str
    span: Span


@dataclass(frozen=True, slots=True)
class Shown:
    """What the function called `to`, which cannot be looked into and gives something back, may read: `objects`, and by them."""

    to: str
    span: Span
    objects: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class UnseenCall:
    """A call of the function called `to`, which cannot be looked into, and which may call each of `called`.

    It was `given` these objects, and may change, of them and of all that it reaches, those of the classes `among`.
    """

    to: str
    span: Span
    called: tuple[Any, ...]
    given: tuple[Any, ...]
    among: tuple[type, ...]


@dataclass(frozen=True, slots=True)
class Rebound:
    """The global variable `name` of the module with these variables, which the function called `to` assigns."""

    space: dict[str, Any]
    name: str
    to: str
    span: Span


def refuse_changed(
    fn: Callable[..., Any],
    handed: Sequence[Handed | Rebound],
    hidden: Iterable[Access],
    told: Iterable[tuple[Access, type]],
) -> None:
    """Raise where something that is read by `hidden`, or of which something is assumed, is part of what was `handed` over.

    `told` are classes of what is assumed.

    Raises:
        GlobalMutationError: the function reads what an unseen call may change.
    """
    objects = {id(one.value): one for one in handed if isinstance(one, Handed)}
    names = {(id(one.space), one.name): one for one in handed if isinstance(one, Rebound)}
    if not objects and not names:
        return
    for access, kind in (*((access, Equals) for access in hidden), *told):
        one = objects.get(id(access.read(fn))) if kind in _OF_WHOLE else None
        if one is not None and not (kind is Is and _is_read_by_name(access, one.value)):
            raise _refusal(access, one)
        one = _replaced(access.read(fn), kind, objects) if kind in _RESETTING else None
        if one is not None:
            raise _refusal(access, one)
        for owner, step in owners(fn, access):
            if (found := _changed(fn, owner, step, objects, names)) and not (step[0] == "cell" and kind not in _OF_VALUES):
                raise _refusal(access, found)
    arrays = [(memory, one) for one in objects.values() if (memory := _memory_of(one.value)) is not None]
    _refuse_changed_arrays(fn, arrays, hidden)


def _changed(
    fn: Callable[..., Any],
    owner: Any,
    step: tuple[str, Any],
    objects: Mapping[int, Handed],
    names: Mapping[tuple[int, str], Rebound],
) -> Handed | Rebound | None:
    """What says that the `step` from `owner` may lead to another value."""
    kind, key = step
    match kind:
        case "global":
            return names.get((id(owner.__globals__), key))
        case "cell":
            return objects.get(id(owner.__closure__[owner.__code__.co_freevars.index(key)]))
        case "default":
            return _reset(objects.get(id(owner)), "__defaults__", "__kwdefaults__")
        case "attribute":
            holders = (owner,) if key in own_dict(owner) else (owner, *type(owner).__mro__)
            found = next((objects[id(one)] for one in holders if id(one) in objects), None)
            if isinstance(owner, types.ModuleType) and (id(vars(owner)), key) in names:
                return names[id(vars(owner)), key]
            return _reset(found, key) if _has_method(owner, key) or isinstance(owner, _FOR_GOOD) else found
        case _:
            return objects.get(id(owner))


def _reset(one: Handed | None, *names: str) -> Handed | None:
    return one if one is not None and one.resets(*names) else None


def _replaced(value: Any, kind: type, objects: Mapping[int, Handed]) -> Handed | None:
    """What says that the class, the code or a method may be another one that is assumed of `value`."""
    if kind is not Means:
        return _reset(objects.get(id(value)), *_RESETTING[kind])
    found = (objects[id(base)] for base in value.__mro__ if id(base) in objects)
    return next((one for one in found if one.resets(*filter(functools.partial(_is_asked, value), one.names))), None)


def _is_asked(cls: type, name: str) -> bool:
    """Whether Python asks `cls` for `name`, or for a method of that name, and not an object for data in its place."""
    if name.startswith("__") and name.endswith("__"):
        return True
    found = inspect.getattr_static(cls, name, None)
    return hasattr(type(found), "__get__") and not hasattr(type(found), "__set__")


def _is_read_by_name(access: Access, value: Any) -> bool:
    """Whether all that is read of `value` has guards of its own, or is read by its methods, when they run."""
    if isinstance(value, types.FunctionType | types.ModuleType | type) or is_changeable(type(value)):
        return True
    # What a method is of, a generator of random numbers, unless it holds what may be counted.
    return access.steps[-1:] == (("attribute", "__self__"),) and not hasattr(type(value), "__len__")


def _memory_of(value: Any) -> np.ndarray | None:
    """The memory in which `value` keeps numbers, if it does."""
    if isinstance(value, np.ndarray):
        return value
    return np.frombuffer(value, np.uint8) if isinstance(value, array.array | bytearray) and len(value) else None


def _refuse_changed_arrays(fn: Callable[..., Any], handed: Sequence[tuple[np.ndarray, Handed]], hidden: Iterable[Access]) -> None:
    """Raise where an array that is read outside shares memory with one that was `handed` over."""
    for access in hidden if handed else ():
        value = access.read(fn)
        for memory, one in handed:
            if isinstance(value, np.ndarray) and np.may_share_memory(value, memory):
                raise _refusal(access, one)


def _has_method(owner: Any, name: str) -> bool:
    """Whether `name` of `owner` is a function that it has for good: a method of its class, a property, a function in a module."""
    found = getattr(owner if isinstance(owner, type | types.ModuleType) else type(owner), name, None)
    return callable(found) or isinstance(found, _FOR_GOOD)


def owners(fn: Callable[..., Any], access: Access) -> Iterator[tuple[Any, tuple[str, Any]]]:
    """Each object on the way of `access`, with the step that is taken from it."""
    for taken, step in enumerate(access.steps):
        yield Access(access.steps[:taken], access.root).read(fn), step


def _refusal(access: Access, one: Handed | Rebound) -> GlobalMutationError:
    return GlobalMutationError(
        f"`{access}` is read, which `{one.to}`, a function that adxform cannot look into, may change",
        span=one.span,
        help="read it into a name outside of the function, or call what changes it there",
    )
