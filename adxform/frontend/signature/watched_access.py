"""Guards that held once, watched: did anything change on the paths that they follow?

Following each path at every call takes a microsecond. A `Trail` notes once which objects stood on the paths and where, and
compares identities. Where one has changed, the guards themselves are asked.
"""

from __future__ import annotations

import builtins
import types
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from adxform.frontend.signature.access import (
    Access,
    Contains,
    Defines,
    Equals,
    Guard,
    HasClass,
    HasCode,
    Holds,
    InThisProcess,
    Is,
    Owns,
    Raises,
    SameAs,
    guards_hold,
)
from adxform.frontend.signature.class_meaning import Means
from adxform.ir.ops import Lit

MISSING, UNSURE = object(), object()
_IMMUTABLE = 1 << 8
"""CPython's flag of a class that an object of it can never leave by an assignment to `__class__`."""
Place = tuple[Mapping[str, Any], Any, Any]


@dataclass(frozen=True, slots=True)
class Trail:
    """Where `guards` lead from `fn`: to what `unchanged` compares.

    Those are what stands at `places`, the functions `codes`, whose code it compares, and what `rest` looks at, if anything.
    """

    fn: Callable[..., Any]
    guards: tuple[Guard, ...]
    codes: tuple[tuple[types.FunctionType, types.CodeType], ...] = ()
    unchanged: Callable[[], bool] = lambda: False
    places: tuple[Place, ...] = ()
    rest: Callable[[], bool] | None = lambda: False

    def holds(self) -> bool:
        """Whether everything is as the guards want it."""
        return self.unchanged() or guards_hold(self.guards, self.fn)


def trail(fn: Callable[..., Any], guards: Iterable[Guard]) -> Trail:
    """The trail of `guards` from `fn` as it is now."""
    every = tuple(guards)
    notes = Notes(fn)
    others = tuple(guard for guard in every if not (guard.holds(fn) and notes.follow(guard)))
    rest = notes.rest(others)
    return Trail(fn, every, tuple(notes.codes.values()), notes.comparison(rest), tuple(notes.places.values()), rest)


def cell_of(fn: Any, name: str) -> types.CellType:
    """The cell of the variable `name` that `fn` captured."""
    cell: types.CellType = fn.__closure__[fn.__code__.co_freevars.index(name)]
    return cell


class Notes:
    """The objects on the paths of guards, each noted once."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        self.fn = fn
        self.places: dict[tuple[int, Any], Place] = {}
        self.cells: dict[int, tuple[types.CellType, Any]] = {}
        self.codes: dict[int, tuple[types.FunctionType, types.CodeType]] = {}
        self.classes: dict[int, tuple[Any, type]] = {}
        self.held: dict[tuple[int, str], tuple[Any, str, Any]] = {}
        self.orders: dict[int, tuple[type, tuple[type, ...]]] = {}
        self.spaces: dict[int, Mapping[str, Any]] = {}
        self.asked: list[tuple[Any, Holds | Contains | Means]] = []

    def rest(self, others: tuple[Guard, ...]) -> Callable[[], bool] | None:
        """What says whether cells, classes, their bases and sets are as they were noted, and the guards `others` hold, if any."""
        fn, cells, classes, held = self.fn, tuple(self.cells.values()), tuple(self.classes.values()), tuple(self.held.values())
        orders, asked = tuple(self.orders.values()), tuple(self.asked)

        def unchanged() -> bool:
            for cell, value in cells:
                try:
                    if cell.cell_contents is not value:
                        return False
                except ValueError:
                    return False
            for owner, name, part in held:
                if getattr(owner, name) is not part:
                    return False
            for cls, order in orders:
                if cls.__mro__ is not order:
                    return False
            for container, expectation in asked:
                if not expectation.met(container):
                    return False
            for instance, cls in classes:
                if type(instance) is not cls:
                    return False
            return guards_hold(others, fn) if others else True

        return unchanged if cells or classes or held or orders or asked or others else None

    def comparison(self, rest: Callable[[], bool] | None) -> Callable[[], bool]:
        """What says whether every object is the one that was noted, and `rest` holds."""
        places = tuple([(space.get, key, value) for space, key, value in self.places.values()])
        codes, missing = tuple(self.codes.values()), MISSING

        def unchanged() -> bool:
            for get, key, value in places:
                if get(key, missing) is not value:
                    return False
            for function, code in codes:
                if function.__code__ is not code:
                    return False
            return True if rest is None else rest()

        return unchanged

    def follow(self, guard: Guard) -> bool:
        """Note what is on the path of `guard`, which holds, and at its end; whether that is all that there is to ask."""
        if isinstance(guard.expectation, InThisProcess):
            return True
        value = MISSING if isinstance(guard.expectation, Raises) else self._walk(guard.access)
        if value is MISSING:
            return False
        match guard.expectation:
            case Is() | Equals():
                return True
            case SameAs(access):
                return self._walk(access) is not MISSING
            case Owns(name, there):
                if there or hasattr(value, "__dict__"):
                    self._note(self._space_of(value), name)
                return True
            case Holds() | Contains() | Means() as expectation:
                self.asked.append((value, expectation))
                return True
            case Defines(name) if isinstance(value, type):
                return self._find(value, name) is not UNSURE
            case HasCode():
                assert isinstance(value, types.FunctionType)
                self.codes[id(value)] = value, value.__code__
                return True
            case HasClass():
                if not type(value).__flags__ & _IMMUTABLE:
                    self.classes[id(value)] = value, type(value)
                return True
            case _:
                return False

    def _walk(self, access: Access) -> Any:
        """What `access` leads to, with what stands on the way noted; `MISSING` where not all of it can be."""
        value = self.fn if access.root is None else access.root.value
        for kind, key in access.steps:
            found = Access(((kind, key),), Lit(value)).read(value)
            if not self._step(value, kind, key, found):
                return MISSING
            value = found
        return value

    def _step(self, value: Any, kind: str, key: Any, found: Any) -> bool:
        match kind:
            case "cell":
                cell = cell_of(value, key)
                self.cells[id(cell)] = cell, found
            case "global":
                self._note(value.__globals__, key)
                if key not in value.__globals__:
                    self._note(vars(builtins), key)
            case "attribute" if isinstance(value, types.MethodType) and key in ("__func__", "__self__"):
                pass
            case "attribute" if isinstance(value, types.FunctionType) and key == "__globals__":
                pass
            case "attribute" if isinstance(value, partial) and key in ("func", "args", "keywords"):
                self.held[id(value), key] = value, key, found
            case "attribute" if isinstance(value, type):
                stands = self._find(value, key)
                return stands is found or isinstance(stands, staticmethod | classmethod)
            case "attribute" if getattr(value, "__dict__", {}).get(key, MISSING) is found:
                self._note(self._space_of(value), key)
            case "item" if type(value) is dict:
                self._note(value, key)
            case "item" if isinstance(value, tuple):
                pass
            case _:
                return False
        return True

    def _find(self, cls: type, name: str) -> Any:
        """What `cls` or the first of its bases that has `name` has under it, with all the places noted; `MISSING` in none.

        `UNSURE` where the class of `cls` may have a word in it.
        """
        if type(cls) is not type:
            return UNSURE
        self.orders[id(cls)] = cls, cls.__mro__
        for base in cls.__mro__:
            space = self.spaces.setdefault(id(base), vars(base))
            self._note(space, name)
            if name in space:
                return space[name]
        return MISSING

    def _space_of(self, owner: Any) -> Mapping[str, Any]:
        """The attributes that `owner` has of its own, with a note of which dict that is: it may be given another one."""
        space: Mapping[str, Any] = vars(owner)
        if not isinstance(owner, types.ModuleType):
            self.held[id(owner), "__dict__"] = owner, "__dict__", space
        return space

    def _note(self, space: Mapping[Any, Any], key: Any) -> None:
        self.places[id(space), key] = space, key, space.get(key, MISSING)
