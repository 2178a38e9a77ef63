"""What objects hold: all that code may come by which is given some of them, as far as a program may change it."""

from __future__ import annotations

import collections
import contextvars
import gc
import threading
import types
import weakref
from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Any

import numpy as np

from adxform.frontend.evaluate.outside.settled import may_change
from adxform.frontend.signature.class_meaning import is_changeable, is_users
from adxform.ir.own_class import is_of_its_class
from adxform.ir.spans import own_dict

_HOLDERS = ("builtins", "collections", "itertools", "weakref", "_weakref", "_weakrefset", "_contextvars", "queue", "_queue")
"""Modules of classes whose objects hold others, and give them by whatever name."""
_ITEMS = frozenset({list, tuple, set, frozenset})
PLAIN = frozenset({int, float, bool, str, complex, type(None), np.float64})
CONTAINERS = frozenset({list, dict, set})
_TOLD_APART = CONTAINERS | {types.FunctionType, np.ndarray}
"""Classes of most of what a program holds: nothing else has to be asked."""


def reached_from(values: Iterable[Any], names: Set[str] | None = None) -> Iterator[Any]:
    """All objects that a program may change among `values` and in them, each once; only by the attributes `names`, if given."""
    return filter(_is_told_apart, all_in(values, names))


def all_in(values: Iterable[Any], names: Set[str] | None) -> Iterator[Any]:
    """All objects but numbers and texts among `values`, and in those of them that a program may change."""
    waiting, seen = list(values), set()
    while waiting:
        value = waiting.pop()
        if type(value) in PLAIN or id(value) in seen or _is_gone(value):
            continue
        seen.add(id(value))
        yield value
        if not is_of_its_class(value):
            waiting += behind(value)
        elif isinstance(value, tuple | frozenset) or _is_told_apart(value):
            waiting += held_by(value, names)


def _is_gone(value: Any) -> bool:
    """Whether `value` is a weak proxy of what is no more: whatever is asked of it raises."""
    if type(value) not in weakref.ProxyTypes:
        return False
    try:
        return value.__class__ is None
    except ReferenceError:
        return True


def _is_told_apart(value: Any) -> bool:
    """Whether what is read of `value` may be another thing once it was changed."""
    if type(value) in _TOLD_APART or not is_of_its_class(value):
        return True
    if isinstance(value, types.ModuleType):
        return is_users(value)
    return is_changeable(value) if isinstance(value, type) else may_change(value)


def held_by(value: Any, names: Set[str] | None) -> list[Any]:
    """What `value` holds: its items, or its attributes and those of its class, under `names` if they are given."""
    if type(value) is dict:
        return [*value.values(), *value]
    if type(value) in _ITEMS:
        return [*value]
    if type(value) in weakref.ProxyTypes:  # which say that they are what they stand for
        return [value.__str__.__self__]
    match value:
        case types.FunctionType():
            return under(names, vars(value))
        case types.ModuleType():
            return []  # all of a program is in its modules
        case type():
            return [one for one in under(names, vars(value)) if not isinstance(one, types.FunctionType)]
        case _:
            holder = _of_a_holder(value)
            return _of_an_object(value, names) if holder is None else holder


def _of_a_holder(value: Any) -> list[Any] | None:
    """What an object of a library's holds that stands for others: references, variables of threads, iterators of arrays."""
    match value:
        case weakref.ref():
            return alive(value)
        case threading.local():
            return [*vars(value).values()]
        case contextvars.ContextVar():
            return [value.get(None)]
        case np.flatiter():
            return [value.base]
        case np.nditer():
            return [*value.operands]
        case _:
            return gc.get_referents(value) if type(value).__module__ in _HOLDERS else None


def _of_an_object(value: Any, names: Set[str] | None) -> list[Any]:
    """The items of an object, and its attributes: its own, those in slots, and those of its classes."""
    bases = [base for base in type(value).__mro__ if is_changeable(base)]
    spaces = (vars(base) for base in type(value).__mro__[:-1])
    slots = [one for space in spaces for one in under(names, space) if isinstance(one, types.MemberDescriptorType)]
    in_slots = (_in_slot(value, slot) for slot in slots)
    return [*_items(value), *under(names, own_dict(value)), *in_slots, *bases]


def behind(value: Any) -> list[Any]:
    """What an object holds that may stand for another one: it is not asked, but Python's collector, which has all there is."""
    return gc.get_referents(value)


def alive(value: weakref.ref[Any]) -> list[Any]:
    """What `value` refers to: of a method its object and its function, since a call would make another method each time."""
    of_method = value() if isinstance(value, weakref.WeakMethod) else None
    return [weakref.ref.__call__(value), *(() if of_method is None else (of_method.__func__,))]


def _items(value: Any) -> list[Any]:
    """The items of `value`, an object of a class that may be one of lists or dicts, or an array of objects."""
    match value:
        case dict():
            return [*dict.values(value), *dict.keys(value)]
        case list() | tuple() | set() | frozenset() | collections.deque():
            return gc.get_referents(value) if isinstance(type(value).__iter__, types.FunctionType) else [*value]
        case np.ndarray() if value.dtype.hasobject:
            return list(value.ravel().tolist())
        case _:
            return []


def under(names: Set[str] | None, space: Mapping[str, Any]) -> list[Any]:
    """What `space` has under `names`; all that it has, if they are not given."""
    return [*space.values()] if names is None else [space[name] for name in names & space.keys()]


def _in_slot(value: Any, slot: types.MemberDescriptorType) -> Any:
    try:
        return slot.__get__(value)
    except AttributeError:
        return None
