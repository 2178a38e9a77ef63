"""What code that adxform cannot look into comes by and may change: of what it is given, and of what a callback reaches by name.

What a callback stores, and where, is not followed: one that stores anything, or calls what does, may change all that it reaches.
"""

from __future__ import annotations

import array
import collections
import functools
import gc
import operator
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from adxform.analysis.unseen_code import CHANGING, OF_ARRAYS
from adxform.frontend.calls.callback_calls import is_librarys, writes
from adxform.frontend.calls.callback_code import CallbackCode
from adxform.frontend.evaluate.settled import may_change
from adxform.frontend.signature.class_meaning import is_changeable, is_users
from adxform.ir.spans import is_user

_CHANGED_IN_PLACE = (list, dict, set, bytearray, collections.deque, array.array, np.ndarray)
"""Classes whose objects an operator in place changes."""
_MAKING = ("__init__", "__post_init__")
"""Methods of an object that is being made."""
_NOT_ASKED = frozenset([*_MAKING, "__new__", "__doc__", "__module__", "__dict__", "__weakref__"])
"""Names in classes that are not asked of an object that is there already."""
_HOLDING = ("__func__", "fget", "func")
"""Attributes in which what a class has under a name (a static method, a property, one that is cached) holds a function."""
_PLAIN = frozenset({int, float, bool, str, complex, type(None), np.float64})
_CONTAINERS = frozenset({list, dict, set})
"""Classes of most of what a program holds: nothing else has to be asked."""
Classes = tuple[type, ...]


@dataclass(frozen=True, slots=True)
class Changes:
    """What a call of a function may change by itself.

    That are all objects in `found` of classes `among`, the attributes called `names` of these, and the variables `rebound`.
    """

    among: Classes
    found: Sequence[Any]
    names: frozenset[str]
    rebound: tuple[tuple[dict[str, Any], str], ...]
    looked_at: tuple[Any, ...]
    """What that follows from."""


def changes_of(fn: Any, last: Changes | None = None) -> Changes:
    """What a call of `fn` may change, as things are now; what it did `last`, where that followed from the very same."""
    calls = _Calls()
    calls.follow([fn])
    codes, looked_at = calls.codes, calls.looked_at()
    if last is not None and len(looked_at) == len(last.looked_at) and all(map(operator.is_, looked_at, last.looked_at)):
        return last
    held = (*filter(is_librarys, calls.reached), *(one for code in codes for one in code.calls.passed_on()))
    among = widest(
        calls.changed,
        *((object,) for code in codes if code.stores() or code.calls.may_write_by(held)),
        *(_CHANGED_IN_PLACE for code in codes if code.works_in_place()),
    )
    names = frozenset(name for code in codes for name in code.attributes_set())
    rebound = tuple((code.space, name) for code in codes for name in code.assigned())
    return Changes(among, calls.found if among else (), names, rebound, looked_at)


def widest(*found: Classes) -> Classes:
    """The classes of which all in `found` are subclasses."""
    return (object,) if (object,) in found else next(filter(None, found), ())


class _Calls:
    """What a function calls, and what that calls: `codes`, and the objects `found` by them; `changed` are classes of these."""

    def __init__(self) -> None:
        self.codes: list[CallbackCode] = []
        self.by_name: list[Any] = []
        """Functions of a library that are called by name, if at all."""
        self.reached: list[Any] = []
        """All that was found: what is called, and not by name, is in it."""
        self.found: list[Any] = []
        self.names: set[str] = set()
        self.seen: dict[int, Any] = {}
        self.changed: Classes = ()

    def follow(self, callees: Iterable[Any]) -> None:
        """Take `callees` and all that they may call."""
        waiting = list(callees)
        while waiting:
            for one in waiting:
                if id(one) not in self.seen:
                    self.seen[id(one)] = one
                    self.take(one)
            reached = list(_all_in(self.found, self.names))
            self.reached = reached
            methods = (method for one in reached for method in _methods(one, self.names))
            waiting = [one for one in (*self.by_name, *reached, *methods) if id(one) not in self.seen and callable(one)]

    def looked_at(self) -> tuple[Any, ...]:
        """Whatever was come by, and of numbers and texts, of which class they are."""
        found = (type(one) if type(one) in _PLAIN else one for one in self.found)
        return (*found, *self.by_name, *self.reached, *self.seen.values(), *(one.code for one in self.codes))

    def take(self, fn: Any) -> None:
        """Note what `fn` itself does and comes by."""
        match fn:
            case types.MethodType():
                self.found += [fn.__func__, fn.__self__]
            case functools.partial():
                self.found += [fn.func, *fn.args, *fn.keywords.values()]
                if writes(fn.func, (len(fn.args), len(fn.args) + 1), fn.keywords):
                    self.changed = (object,)
            case np.vectorize():
                self.found.append(fn.pyfunc)
            case np.ufunc():
                self.found += gc.get_referents(fn)  # the function, where `np.frompyfunc` made it
            case types.FunctionType() if is_user(fn):
                self._take_function(fn)
            case types.BuiltinMethodType(__self__=owner) if not isinstance(owner, types.ModuleType | type(None)):
                if fn.__name__ in CHANGING | OF_ARRAYS:
                    self.found.append(owner)
                    self.changed = (object,)
            case type():
                for init in (found for name in _MAKING for found in _defined(fn, name) if is_user(found)):
                    self._take_function(init, made=init.__code__.co_varnames[:1])
            case types.FunctionType():
                self._take_wrapper(fn)
            case types.BuiltinFunctionType():
                pass
            case _ if isinstance(wrapped := getattr(fn, "__wrapped__", None), types.FunctionType):
                self._find([wrapped])
            case _ if isinstance(type(fn).__call__, types.FunctionType):
                self.found += [type(fn).__call__, fn]

    def _take_function(self, fn: types.FunctionType, made: tuple[str, ...] = ()) -> None:
        """Note what `fn` does and comes by; the parameters `made` are nobody's but its own."""
        inside = [fn.__code__]
        for code in inside:
            inside += [const for const in code.co_consts if isinstance(const, types.CodeType)]
            self.names.update(code.co_names)
        cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True))
        captured = {name: cell.cell_contents for name, cell in cells.items() if _is_filled(cell)}
        free = fn.__code__.co_freevars
        codes = [
            CallbackCode(code, fn.__globals__, free, made, captured=captured if code is fn.__code__ else {}) for code in inside
        ]
        self.codes += codes
        self.names.update(name for code in codes for name in code.asked_for())
        self.found += [module for code in codes for module in code.imported()]
        named = sorted({name for code in codes for name in code.globals_reached()})
        self._find(fn.__globals__[name] for name in named)
        self.found += [*filter(_is_filled, cells.values()), *captured.values()]
        self.found += [*(fn.__defaults__ or ()), *(fn.__kwdefaults__ or {}).values()]

    def _take_wrapper(self, fn: types.FunctionType) -> None:
        """Note what a library made of functions, such as those that `contextlib.contextmanager` or `singledispatch` returns."""
        self._find(cell.cell_contents for cell in filter(_is_filled, fn.__closure__ or ()))
        self._find(value for key, value in vars(fn).items() if key == "__wrapped__")

    def _find(self, values: Iterable[Any]) -> None:
        """Note what is found where it is known what is done to it: code that calls a library's function by name says so."""
        for value in values:
            (self.by_name if is_librarys(value) else self.found).append(value)


def reached_from(values: Iterable[Any], names: Set[str] | None = None) -> Iterator[Any]:
    """All objects that a program may change among `values` and in them, each once; only by the attributes `names`, if given."""
    return filter(_is_told_apart, _all_in(values, names))


def _all_in(values: Iterable[Any], names: Set[str] | None) -> Iterator[Any]:
    """All objects but numbers and texts among `values`, and in those of them that a program may change."""
    waiting, seen = list(values), set()
    while waiting:
        value = waiting.pop()
        if type(value) in _PLAIN or id(value) in seen:
            continue
        seen.add(id(value))
        yield value
        if isinstance(value, tuple | frozenset) or _is_told_apart(value):
            waiting += _held(value, names)


def _is_told_apart(value: Any) -> bool:
    """Whether what is read of `value` may be another thing once it was changed."""
    if type(value) in _CONTAINERS:
        return True
    if isinstance(value, types.ModuleType):
        return is_users(value)
    return may_change(value) or isinstance(value, types.FunctionType) or (isinstance(value, type) and is_changeable(value))


def _held(value: Any, names: Set[str] | None) -> list[Any]:
    """What `value` holds: its items, or its attributes and those of its class, under `names` if they are given."""
    match value:
        case dict():
            return [*value.values()]
        case list() | tuple() | set() | frozenset() | collections.deque():
            return [*value]
        case types.CellType():
            return [value.cell_contents] if _is_filled(value) else []
        case types.FunctionType():
            return _under(names, vars(value))
        case types.ModuleType():
            return []  # all of a program is in its modules
        case type():
            return [one for one in _under(names, vars(value)) if not isinstance(one, types.FunctionType)]
        case _:
            bases = [base for base in type(value).__mro__ if is_changeable(base)]
            slots = [one for base in bases for one in _under(names, vars(base)) if isinstance(one, types.MemberDescriptorType)]
            return [*_under(names, _own(value)), *filter(None, (_in_slot(value, slot) for slot in slots)), *bases]


def _under(names: Set[str] | None, space: Mapping[str, Any]) -> list[Any]:
    return [*space.values()] if names is None else [space[name] for name in names & space.keys()]


def _own(value: Any) -> Mapping[str, Any]:
    """The attributes that `value` has of its own; no `__getattr__` is asked."""
    try:
        found: Mapping[str, Any] = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    return found


def _in_slot(value: Any, slot: types.MemberDescriptorType) -> Any:
    try:
        return slot.__get__(value)
    except AttributeError:
        return None


def _methods(owner: Any, names: Set[str]) -> Iterator[Any]:
    """The functions that `owner`, or its class, has under `names`, and those that operators on it ask for."""
    if type(owner) in _CONTAINERS or (isinstance(owner, types.ModuleType) and not is_users(owner)):
        return
    classes = filter(is_changeable, (owner if isinstance(owner, type) else type(owner)).__mro__)
    own = () if isinstance(owner, type) else _under(names, _own(owner))
    for found in (*own, *(one for cls in classes for one in _asked_for(cls, names))):
        held = (getattr(found, name, None) for name in _HOLDING)
        yield from (one for one in (found, *held) if callable(one))


def _asked_for(cls: type, names: Set[str]) -> list[Any]:
    """What `cls` has under `names`, and what operators ask of it."""
    space = vars(cls)
    asked = dict.fromkeys((*(names & space.keys()), *(name for name in space if name.startswith("__") and _is_special(name))))
    return [space[name] for name in asked if not _raises_only(space, name)]


def _defined(cls: type, name: str) -> list[types.FunctionType]:
    """The functions that `cls` and its bases have under `name`."""
    return [found for base in cls.__mro__ if isinstance(found := vars(base).get(name), types.FunctionType)]


def _is_special(name: str) -> bool:
    """Whether Python asks for the method `name` by itself, of an object that is there already."""
    return name.startswith("__") and name.endswith("__") and name not in _NOT_ASKED


def _raises_only(space: Mapping[str, Any], name: str) -> bool:
    """Whether the method `name` of a class that holds `space` is one of a frozen dataclass, which lets nobody set anything."""
    parameters = space.get("__dataclass_params__")
    return name in ("__setattr__", "__delattr__") and getattr(parameters, "frozen", False)


def _is_filled(cell: types.CellType) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False
