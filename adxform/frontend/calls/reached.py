"""What code that adxform cannot look into comes by and may change: of what it is given, and of what a callback reaches by name.

What a callback stores, and where, is not followed: one that stores anything, or calls what does, may change all that it reaches.
"""

from __future__ import annotations

import array
import collections
import functools
import gc
import types
from collections.abc import Iterable, Iterator, Mapping, Set
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from adxform.analysis.unseen_code import CHANGING, OF_ARRAYS
from adxform.frontend.calls.callback_code import CallbackCode
from adxform.frontend.checks.handed_over import Handed, Rebound
from adxform.frontend.evaluate.settled import may_change
from adxform.frontend.signature.access import Access, HasClass, Is
from adxform.frontend.signature.class_meaning import is_changeable, is_users
from adxform.ir.ops import Lit
from adxform.ir.spans import Span, is_user

_CHANGED_IN_PLACE = (list, dict, set, bytearray, collections.deque, array.array, np.ndarray)
"""Classes whose objects an operator in place changes."""
_MAKING = ("__init__", "__post_init__")
"""Methods of an object that is being made."""
_HOLDING = ("__func__", "fget", "func")
"""Attributes in which what a class has under a name (a static method, a property, one that is cached) holds a function."""
_PLAIN = frozenset({int, float, bool, str, complex, type(None), np.float64})
_CONTAINERS = frozenset({list, dict, set})
"""Classes of most of what a program holds: nothing else has to be asked."""
Classes = tuple[type, ...]


@dataclass(frozen=True, slots=True)
class Reach:
    """What the function called `to` comes by, noted in `handed`."""

    to: str
    span: Span
    handed: list[Handed | Rebound]
    assumed: list[tuple[Access, Is | HasClass]] = field(default_factory=list)
    """What says that another call would come by the same functions."""

    def given(self, value: Any, among: Classes = (object,)) -> None:
        """Note an object, and all that it holds, that may be changed; of classes `among`."""
        for one in reached_from((value,)):
            if isinstance(one, among):
                self.handed.append(Handed(one, self.to, self.span))

    def called(self, fn: Any) -> Classes:
        """Note what a call of `fn` may change by itself; of which classes are the objects that it changes, if it does."""
        calls = _Calls()
        calls.follow([fn])
        codes = calls.codes
        among = widest(
            calls.changed,
            *((object,) for code in codes if code.stores()),
            *(_CHANGED_IN_PLACE for code in codes if code.works_in_place()),
        )
        for one in calls.found if among else ():
            self.given(one, among)
        self.assumed.extend(calls.assumed(whole=not among))
        self.handed.extend(Rebound(code.space, name, self.to, self.span) for code in codes for name in code.assigned())
        return among


def widest(*found: Classes) -> Classes:
    """The classes of which all in `found` are subclasses."""
    return (object,) if (object,) in found else next(filter(None, found), ())


class _Calls:
    """What a function calls, and what that calls: `codes`, and the objects `found` by them; `changed` are classes of these."""

    def __init__(self) -> None:
        self.codes: list[CallbackCode] = []
        self.functions: list[types.FunctionType] = []
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
            reached = [*self.found, *reached_from(self.found, self.names)]
            methods = (method for one in reached for method in _methods(one, self.names))
            waiting = [one for one in (*reached, *methods) if id(one) not in self.seen and callable(one)]

    def take(self, fn: Any) -> None:
        """Note what `fn` itself does and comes by."""
        match fn:
            case types.MethodType():
                self.found += [fn.__func__, fn.__self__]
            case functools.partial():
                self.found += [fn.func, *fn.args, *fn.keywords.values()]
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
                self.found.append(wrapped)
            case _ if isinstance(type(fn).__call__, types.FunctionType):
                self.found += [type(fn).__call__, fn]

    def _take_function(self, fn: types.FunctionType, made: tuple[str, ...] = ()) -> None:
        """Note what `fn` does and comes by; the parameters `made` are nobody's but its own."""
        inside = [fn.__code__]
        for code in inside:
            inside += [const for const in code.co_consts if isinstance(const, types.CodeType)]
            self.names.update(code.co_names)
        self.functions.append(fn)
        codes = [CallbackCode(code, fn.__globals__, fn.__code__.co_freevars, made) for code in inside]
        self.codes += codes
        self.names.update(name for code in codes for name in code.asked_for())
        self.found += [module for code in codes for module in code.imported()]
        named = sorted({name for code in codes for name in code.globals_reached()})
        self.found += [fn.__globals__[name] for name in named]
        for cell in filter(_is_filled, fn.__closure__ or ()):
            self.found += [cell, cell.cell_contents]
        self.found += [*(fn.__defaults__ or ()), *(fn.__kwdefaults__ or {}).values()]

    def assumed(self, whole: bool) -> Iterator[tuple[Access, Is | HasClass]]:
        """What each function finds outside that may call others; `whole`: and in the objects that it finds."""
        for fn in self.functions:
            for name in sorted(self.names & fn.__globals__.keys()):
                yield from self._assumed_of(fn.__globals__[name], Access((("global", name),), Lit(fn)), whole)
            for name, cell in zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True):
                if _is_filled(cell):
                    yield from self._assumed_of(cell.cell_contents, Access((("cell", name),), Lit(fn)), whole)

    def _assumed_of(self, value: Any, access: Access, whole: bool) -> Iterator[tuple[Access, Is | HasClass]]:
        if callable(value) or isinstance(value, types.ModuleType):
            yield access, Is(value)
        elif is_changeable(type(value)):
            yield access, HasClass(type(value))
        if whole and (is_changeable(type(value)) or (isinstance(value, types.ModuleType) and is_users(value))):
            own = _own(value)
            yield from ((access.to("attribute", name), Is(own[name])) for name in self.names & own.keys() if callable(own[name]))

    def _take_wrapper(self, fn: types.FunctionType) -> None:
        """Note what a library made of functions, such as those that `contextlib.contextmanager` or `singledispatch` returns."""
        self.found += [cell.cell_contents for cell in filter(_is_filled, fn.__closure__ or ())]
        self.found += [value for key, value in vars(fn).items() if key == "__wrapped__"]


def reached_from(values: Iterable[Any], names: Set[str] | None = None) -> Iterator[Any]:
    """All objects that a program may change among `values` and in them, each once; only by the attributes `names`, if given."""
    waiting, seen = list(values), set()
    while waiting:
        value = waiting.pop()
        if type(value) in _PLAIN or id(value) in seen or not (_is_told_apart(value) or isinstance(value, tuple | frozenset)):
            continue
        seen.add(id(value))
        waiting += _held(value, names)
        if _is_told_apart(value):
            yield value


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
    if type(owner) in _CONTAINERS:
        return
    classes = owner.__mro__ if isinstance(owner, type) else filter(is_changeable, type(owner).__mro__)
    for space in (_own(owner), *map(vars, classes)):
        asked = [name for name in space if (name in names or _is_special(name)) and not _raises_only(space, name)]
        for found in map(space.get, asked):
            held = (getattr(found, name, None) for name in _HOLDING)
            yield from (one for one in (found, *held) if callable(one))


def _defined(cls: type, name: str) -> list[types.FunctionType]:
    """The functions that `cls` and its bases have under `name`."""
    return [found for base in cls.__mro__ if isinstance(found := vars(base).get(name), types.FunctionType)]


def _is_special(name: str) -> bool:
    """Whether Python asks for the method `name` by itself, of an object that is there already."""
    return name.startswith("__") and name.endswith("__") and name not in (*_MAKING, "__new__")


def _raises_only(space: Mapping[str, Any], name: str) -> bool:
    """Whether the method `name` of a class that holds `space` is one of a frozen dataclass, which lets nobody set anything."""
    parameters = space.get("__dataclass_params__")
    return name in ("__setattr__", "__delattr__") and getattr(parameters, "frozen", False)


def _is_filled(cell: types.CellType) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False
