"""What code that adxform cannot look into comes by and may change: of what it is given, and of what a callback reaches by name.

What a callback stores, and where, is not followed: one that stores anything, or calls what does, may change all that it reaches.
"""

from __future__ import annotations

import array
import collections
import functools
import gc
import inspect
import operator
import sys
import types
import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import numpy as np

from adxform.analysis.unseen_code import CHANGING, OF_ARRAYS
from adxform.frontend.calls.callbacks.callback_calls import Elsewhere, is_librarys, writes
from adxform.frontend.calls.callbacks.callback_code import CallbackCode
from adxform.frontend.calls.callbacks.objects_held import CONTAINERS, PLAIN, alive, all_in, behind, held_by, reached_from, under
from adxform.frontend.signature.class_meaning import is_changeable, is_users
from adxform.ir.own_class import is_of_its_class
from adxform.ir.spans import is_left_beside_users, is_user, own_attribute, own_dict

_CHANGED_IN_PLACE = (list, dict, set, bytearray, collections.deque, array.array, np.ndarray)
"""Classes whose objects an operator in place changes."""
_MAKING = ("__init__", "__post_init__")
"""Methods of an object that is being made."""
_NOT_ASKED = frozenset([*_MAKING, "__new__", "__doc__", "__module__", "__dict__", "__weakref__"])
"""Names in classes that are not asked of an object that is there already."""
_HOLDING = ("__func__", "fget", "func")
"""Attributes in which what a class has under a name (a static method, a property, one that is cached) holds a function."""
Classes = tuple[type, ...]


@dataclass(frozen=True, slots=True)
class CallChanges:
    """What a call of a function may change by itself.

    That are all objects in `found` of classes `among`, the attributes called `names` of these, and the variables `rebound`.
    """

    among: Classes
    found: Sequence[Any]
    names: frozenset[str]
    rebound: tuple[tuple[dict[str, Any], str], ...]
    looked_at: tuple[Any, ...]
    """What that follows from."""


MOST_CODE = 4000
"""How many functions are looked at to tell what a call may change: to look at each takes a millisecond."""


class TooMuchCode(Exception):
    """More is reached by a call than can be looked at in a few seconds."""


def changes_of(fn: Any, last: CallChanges | None = None) -> CallChanges:
    """What a call of `fn` may change, as things are now; what it did `last`, where that followed from the very same.

    Raises:
        TooMuchCode: so much is reached by `fn` that nobody can tell.
    """
    calls = _Calls()
    calls.follow([fn])
    codes, looked_at = calls.codes, calls.looked_at()
    if last is not None and len(looked_at) == len(last.looked_at) and all(map(operator.is_, looked_at, last.looked_at)):
        return last
    calls.tell_methods()
    held = (*filter(is_librarys, calls.reached), *(one for code in codes for one in code.calls.passed_on()))
    among = widest(
        calls.changed,
        *((object,) for code in codes if code.stores() or (not code.left and code.calls.may_write_by(held))),
        *(_CHANGED_IN_PLACE for code in codes if code.works_in_place()),
    )
    names = frozenset(name for code in codes for name in code.attributes_set())
    rebound = tuple((code.space, name) for code in codes for name in code.assigned())
    return CallChanges(among, calls.found if among else (), names, rebound, looked_at)


def widest(*found: Classes) -> Classes:
    """The classes of which all in `found` are subclasses."""
    return (object,) if (object,) in found else next(filter(None, found), ())


@dataclass(frozen=True, slots=True)
class _Said:
    """What the code of a function says by itself, with that of the functions inside: the names that it has and may ask for."""

    inside: tuple[types.CodeType, ...]
    names: frozenset[str]
    loaded: tuple[str, ...]
    """Global variables, if there are any of these names."""
    imported: tuple[str, ...]
    any_name: bool
    reaches_all: bool


@functools.lru_cache(maxsize=4096)
def _said_by(code: types.CodeType, _: bytes) -> _Said:
    inside = [code]
    for one in inside:
        inside += [const for const in one.co_consts if isinstance(const, types.CodeType)]
    codes = [CallbackCode(one, {}, code.co_freevars) for one in inside]
    return _Said(
        tuple(inside),
        frozenset(name for one in codes for name in (*one.code.co_names, *one.asked_for())),
        tuple(sorted({name for one in codes for name in one.loaded()})),
        tuple(name for one in codes for name in one.imported()),
        any(one.asks_for_any() for one in codes),
        any(one.reaches_all for one in codes),
    )


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
        self.any_name = False
        """Whether objects are asked for attributes of which only the run knows the names."""
        self.elsewhere = Elsewhere()

    def follow(self, callees: Iterable[Any]) -> None:
        """Take `callees` and all that they may call."""
        waiting, known = list(callees), (0, 0, 0, False)
        while waiting:
            for one in waiting:
                if id(one) not in self.seen:
                    self.seen[id(one)] = one
                    found, by_name = len(self.found), len(self.by_name)
                    self.take(one)
                    waiting += filter(callable, (*self.found[found:], *self.by_name[by_name:]))
            if known == (known := (len(self.found), len(self.by_name), len(self.names), self.any_name)):
                return
            names = None if self.any_name else self.names
            reached = list(all_in(self.found, names))
            self.reached = reached
            methods = (method for one in reached for method in _methods(one, names))
            waiting = [one for one in (*self.by_name, *reached, *methods) if id(one) not in self.seen and callable(one)]

    def looked_at(self) -> tuple[Any, ...]:
        """Whatever was come by, and of numbers and texts, of which class they are."""
        found = (type(one) if type(one) in PLAIN else one for one in self.found)
        return (*found, *self.by_name, *self.reached, *self.seen.values(), *(one.code for one in self.codes))

    def tell_methods(self) -> None:
        """Tell the code what methods there are other than NumPy's."""
        for one in filter(is_of_its_class, self.reached):
            spaces: list[Mapping[str, Any]] = [
                vars(cls) for cls in (one if isinstance(one, type) else type(one)).__mro__ if is_changeable(cls)
            ]
            if not isinstance(one, type | types.ModuleType) or (isinstance(one, types.ModuleType) and is_users(one)):
                spaces.append(own_dict(one))
            self.elsewhere.names.update(name for space in spaces for name in self.names & space.keys())
        self.elsewhere.names.update(name for code in self.codes for name in code.names_bound())
        holders = (one for one in self.reached if issubclass(type(one), list | dict | set | collections.deque))
        holding = any(isinstance(item, _CHANGED_IN_PLACE) for one in holders for item in held_by(one, None))
        self.elsewhere.shallow = holding or any(code.fills() for code in self.codes)

    def take(self, fn: Any) -> None:
        """Note what `fn` itself does and comes by."""
        if len(self.codes) > MOST_CODE:
            raise TooMuchCode
        match fn:
            case _ if not is_of_its_class(fn):
                self.found += behind(fn)
            case types.MethodType():
                self.found += [fn.__func__, fn.__self__]
            case types.FunctionType() if is_user(fn) or is_left_beside_users(fn):
                self._take_function(fn)
            case types.FunctionType():
                self._take_wrapper(fn)
            case types.BuiltinMethodType(__self__=owner) if not isinstance(owner, types.ModuleType | type(None)):
                if fn.__name__ in CHANGING | OF_ARRAYS:
                    self.found.append(owner)
                    self.changed = (object,)
            case types.BuiltinFunctionType():
                pass
            case type():
                for init in (found for name in _MAKING for found in _defined(fn, name) if is_user(found)):
                    self._take_function(init, made=init.__code__.co_varnames[:1])
                self.found += [*_defined(fn, "__new__"), *_defined(type(fn), "__call__")]
            case _:
                self._take_object(fn)

    def _take_object(self, fn: Any) -> None:
        """Note what `fn`, an object that can be called, makes of what it holds."""
        match fn:
            case functools.partial():
                self.found += [fn.func, *fn.args, *fn.keywords.values()]
                if writes(fn.func, (len(fn.args), len(fn.args) + 1), fn.keywords):
                    self.changed = (object,)
            case np.vectorize():
                self.found.append(fn.pyfunc)
            case np.ufunc():
                self.found += gc.get_referents(fn)  # the function, where `np.frompyfunc` made it
            case weakref.ref():
                self.found += alive(fn)
            case operator.attrgetter() | operator.methodcaller():
                self._take_getter(fn)
            case _ if isinstance(wrapped := own_attribute(fn, "__wrapped__"), types.FunctionType):
                self._find([wrapped])
            case _ if isinstance(type(fn).__call__, types.FunctionType):
                self.found += [type(fn).__call__, fn]

    def _take_getter(self, fn: Any) -> None:
        """Note the names of attributes that `fn` asks for: it tells them to whoever makes a copy of it."""
        self.names.update(part for name in _texts(fn.__reduce__()) for part in name.split("."))

    def _take_function(self, fn: types.FunctionType, made: tuple[str, ...] = ()) -> None:
        """Note what `fn` does and comes by; the parameters `made` are nobody's but its own."""
        says = _said_by(fn.__code__, fn.__code__.co_linetable)
        self.names |= says.names
        self.any_name = self.any_name or says.any_name
        cells = dict(zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True))
        captured = {name: cell.cell_contents for name, cell in cells.items() if _is_filled(cell)}
        space, free, left = fn.__globals__, fn.__code__.co_freevars, not is_user(fn)
        self.codes += [
            CallbackCode(code, space, free, made, captured={} if number else captured, elsewhere=self.elsewhere, left=left)
            for number, code in enumerate(says.inside)
        ]
        self.found += [sys.modules[name] for name in says.imported if name in sys.modules]
        self._find(space[name] for name in (sorted(space) if says.reaches_all else says.loaded) if name in space)
        self.found += [*filter(_is_filled, cells.values()), *captured.values()]
        self.found += [*(fn.__defaults__ or ()), *(fn.__kwdefaults__ or {}).values()]

    def _take_wrapper(self, fn: types.FunctionType) -> None:
        """Note what a library made of functions, such as those that `contextlib.contextmanager` or `singledispatch` returns."""
        self._find(cell.cell_contents for cell in filter(_is_filled, fn.__closure__ or ()))
        self._find(value for key, value in vars(fn).items() if key == "__wrapped__")

    def _find(self, values: Iterable[Any]) -> None:
        """Note what is found where it is known what is done to it: code that calls a library's function by name says so."""
        for value in values:
            called = is_of_its_class(value) and is_librarys(value)
            (self.by_name if called else self.found).append(value)
            if called and not isinstance(value, np.ufunc) and own_dict(value) and not inspect.isroutine(value):
                self.found.append(value)  # it holds data as well, which is found by name


def reach_of(values: Sequence[Any]) -> Iterator[Any]:
    """All objects that code may come by which is given `values` and may call the functions among them."""
    calls = _Calls()
    calls.follow(filter(callable, values))
    return reached_from([*values, *calls.found])


def _methods(owner: Any, names: Set[str] | None) -> Iterator[Any]:
    """The functions that `owner`, or its class, has under `names`, and those that operators on it ask for."""
    if type(owner) in CONTAINERS or not is_of_its_class(owner) or (isinstance(owner, types.ModuleType) and not is_users(owner)):
        return
    classes = filter(is_changeable, (owner if isinstance(owner, type) else type(owner)).__mro__)
    own = () if isinstance(owner, type) else under(names, own_dict(owner))
    for found in (*own, *(one for cls in classes for one in _asked_for(cls, names))):
        held = (own_attribute(found, name) for name in _HOLDING)
        yield from (one for one in (found, *held) if callable(one))


def _asked_for(cls: type, names: Set[str] | None) -> list[Any]:
    """What `cls` has under `names`, and what operators ask of it."""
    space = vars(cls)
    if names is None:
        names = space.keys() - _NOT_ASKED
    asked = [name for name in space if name in names or (name[:2] == "__" and _is_special(name))]
    return [space[name] for name in asked if not _raises_only(space, name)]


def _texts(value: Any) -> Iterator[str]:
    """The texts in tuples and dicts."""
    match value:
        case str():
            yield value
        case tuple() | dict():
            for one in value:
                yield from _texts(one)
        case _:
            pass


def _defined(cls: type, name: str) -> list[types.FunctionType]:
    """The functions that `cls` and its bases have under `name`."""
    spaces = (vars(base) for base in cls.__mro__)
    found = (getattr(space.get(name), "__func__", space.get(name)) for space in spaces)
    return [one for one in found if isinstance(one, types.FunctionType)]


def _is_special(name: str) -> bool:
    """Whether Python asks for the method `name` by itself, of an object that is there already."""
    return name[:2] == name[-2:] == "__" and name not in _NOT_ASKED


def _raises_only(space: Mapping[str, Any], name: str) -> bool:
    """Whether the method `name` of a class that holds `space` is one of a frozen dataclass, which lets nobody set anything."""
    return name in ("__setattr__", "__delattr__") and getattr(space.get("__dataclass_params__"), "frozen", False)


def _is_filled(cell: types.CellType) -> bool:
    try:
        return cell.cell_contents is not cell
    except ValueError:
        return False
