"""What the calls in the code of a callback call: told from where each instruction stands in the source."""

from __future__ import annotations

import builtins
import dis
import functools
import inspect
import itertools
import types
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from adxform.analysis.unseen_code import may_write
from adxform.frontend.signature.class_meaning import is_changeable
from adxform.ir.spans import is_user
from adxform.primitives.writing_options import writing_options

BY_NAME = frozenset(["getattr", "attrgetter", "methodcaller"])
"""Functions that find what an object has under a name that they are given."""
_CALLS = ("CALL", "CALL_KW", "CALL_FUNCTION_EX")
_ATTRIBUTES = ("LOAD_ATTR", "LOAD_METHOD")
_GLOBALS = ("LOAD_GLOBAL", "LOAD_NAME")
_PREPARING = ("PRECALL", "KW_NAMES")
_MOST_ARGUMENTS = 8
_CALLING = (functools.partial, map, itertools.starmap)
"""Classes that call the function that they are given."""


class Unknown:
    """In place of a value that the code does not tell."""


@dataclass(slots=True)
class Elsewhere:
    """What a method of an object that only the run knows may be, if it is none of NumPy's: one of those called `names`.

    `shallow`: there are lists of arrays and the like, whose copy holds the same arrays.
    """

    names: set[str] = field(default_factory=set)
    shallow: bool = False


@dataclass(frozen=True, slots=True)
class Calls:
    """The calls among the instructions `steps`, which see the variables `space`, and those `captured` from functions around."""

    steps: Sequence[dis.Instruction]
    space: Mapping[str, Any]
    captured: Mapping[str, Any]
    elsewhere: Elsewhere

    def called(self, place: int) -> tuple[Any, bool]:
        """What the instruction at `place` calls, and whether that is a method of an object that only the run knows."""
        loaded = self._callee(place)
        if loaded is None:
            return Unknown, False
        step = self.steps[loaded]
        found = self._value(loaded)
        if found is Unknown and step.opname in _ATTRIBUTES:
            owner = self._value(loaded - 1) if loaded else Unknown
            if owner is Unknown and step.argval in self.elsewhere.names:
                return Unknown, True
            kind = np.ndarray if owner is Unknown else type(owner)
            method = inspect.getattr_static(kind, step.argval, Unknown)
            if method is Unknown and owner is Unknown:  # which may be the module
                return getattr(np, step.argval, Unknown), False
            return method, True
        return found, False

    def first_argument(self, place: int) -> int | None:
        """The instruction that gives what the call at `place` is given first, which of a method is its object."""
        loaded = self._callee(place)
        return loaded - 1 if loaded and self.called(place)[1] else self.first_given(place)

    def first_given(self, place: int) -> int | None:
        """The instruction that gives what stands first in the brackets of the call at `place`."""
        given = [(k, *_extent(self.steps[k])) for k in self.given(place)]
        if not given or any(begun is None for _, begun, _ in given):
            return None
        first = min(begun for _, begun, _ in given)
        return max((ended, k) for k, begun, ended in given if begun == first)[1]

    def given(self, place: int) -> list[int]:
        """The instructions that give the call at `place` its arguments."""
        loaded = self._callee(place)
        places = () if loaded is None else range(loaded + 1, place)
        return [k for k in places if self.steps[k].opname not in _PREPARING]

    def takes_only_classes(self, place: int) -> bool:
        """Whether nothing but classes is given to the call at `place`."""
        return all(isinstance(self._value(k), type) for k in self.given(place))

    def is_shallow_copy(self, place: int) -> bool:
        """Whether the call at `place` may give a copy of a list that holds arrays."""
        loaded = self._callee(place)
        return loaded is not None and self.steps[loaded].argval == "copy" and self.elsewhere.shallow

    def named(self, place: int) -> Any:
        """The constant, or what else is known, that the instruction at `place` loads; ``"dtype"`` of what has one."""
        step = self.steps[place]
        if step.opname == "LOAD_CONST" or (step.opname in _ATTRIBUTES and step.argval == "dtype"):
            return step.argval
        return self._value(place)

    def call_of(self, place: int) -> int | None:
        """The call of what the instruction at `place` loads."""
        return next(
            (k for k in range(place + 1, len(self.steps)) if self.steps[k].opname in _CALLS and self._callee(k) == place), None
        )

    def writes(self, place: int) -> bool:
        """Whether the instruction at `place` calls what is known to write to what it is given there, by its place."""
        step = self.steps[place]
        if step.opname not in _CALLS:
            return False
        if _extent(step)[0] is None:  # Python was told to keep no places
            return True
        counts = self._counts(place)
        if self._callee(place) is None:  # from Python 3.13 on one instruction stores a name and loads it
            return any(writes(self._value(k - 1), counts) for k, one in enumerate(self.steps) if k and "STORE_FAST" in one.opname)
        fn, is_method = self.called(place)
        if is_method:
            return writes(fn, [n + 1 for n in counts])
        if fn is object.__setattr__:  # where it is loaded, it is asked what it is called on
            return False
        return writes(fn, counts) or (is_librarys(fn) and may_write(fn)) or self._passes_a_writer(place, fn)

    def may_write_by(self, held: Collection[Any]) -> bool:
        """Whether one of the library's functions `held` writes to what it is given where it is not known what is called."""
        unknown = (
            [k for k, step in enumerate(self.steps) if step.opname in _CALLS and self.called(k)[0] is Unknown] if held else []
        )
        return any(may_write(one) or any(writes(one, self._counts(k)) for k in unknown) for one in held if unknown)

    def passed_on(self) -> Iterator[Any]:
        """The library's functions that it loads and does not call there."""
        for k, step in enumerate(self.steps):
            found = self._value(k) if step.opname in (*_ATTRIBUTES, *_GLOBALS) else Unknown
            if is_librarys(found) and self.call_of(k) is None:
                yield found

    def sets(self, place: int) -> str | None:
        """The name of the attribute that the function which the instruction at `place` loads sets; ``None`` if it is not told."""
        call = self.call_of(place)
        names = [self.steps[k].argval for k in self.given(call) if _is_text(self.steps[k])] if call is not None else []
        return names[0] if names else None

    def inside(self, place: int) -> Iterator[int]:
        """The instructions of the expression that the one at `place` ends, itself the last."""
        start, end = _extent(self.steps[place])
        for k in range(place + 1):
            begun, ended = _extent(self.steps[k])
            if start is None or (begun is not None and start <= begun and ended <= end):
                yield k

    def asks_by_unknown_name(self, place: int) -> bool:
        """Whether the instruction at `place` loads a function `BY_NAME` that is given a name which only the run knows."""
        step = self.steps[place]
        if step.opname not in (*_ATTRIBUTES, *_GLOBALS) or step.argval not in BY_NAME:
            return False
        call = self.call_of(place)
        if call is None:
            return True
        given = [self.steps[k] for k in self.given(call)]
        at = 0 if step.argval != "getattr" else -((self.steps[call].arg or 0) - 1)
        return not (-len(given) <= at < len(given) and _is_text(given[at]))

    def _counts(self, place: int) -> Sequence[int]:
        """How many arguments the call at `place` may give by position."""
        step = self.steps[place]
        return range(1, _MOST_ARGUMENTS) if step.opname == "CALL_FUNCTION_EX" else (step.arg or 0,)

    def _passes_a_writer(self, place: int, fn: Any) -> bool:
        """Whether the call at `place` gives a library's `fn` another one, which it calls and which then writes."""
        most = self._counts(place)[-1]
        counts = range(1, most + 1 if fn is functools.partial else _MOST_ARGUMENTS if fn is itertools.starmap else most)
        if not is_librarys(fn) and not any(fn is one for one in _CALLING):
            return False
        return any(writes(self._value(k), counts) and self.call_of(k) is None for k in self.given(place))

    def _callee(self, place: int) -> int | None:
        """The instruction that loads what the one at `place` calls: it begins where the call does, and ends last before it."""
        start, end = _extent(self.steps[place])
        best: tuple[Any, int] | None = None
        for k in range(place):
            begun, ended = _extent(self.steps[k])
            if start is not None and begun == start and ended < end and (best is None or ended >= best[0]):
                best = ended, k
        return None if best is None else best[1]

    def _value(self, place: int) -> Any:
        """What the instruction at `place` loads: a global variable, or what modules, classes and functions have.

        Of a function that is made here, its code.
        """
        step = self.steps[place]
        if step.opname == "SET_FUNCTION_ATTRIBUTE":  # from Python 3.13 on, once for its defaults and once for what it captures
            return self._value(place - 1)
        if step.opname == "MAKE_FUNCTION":
            return self.steps[place - 1].argval
        if step.opname in _GLOBALS:
            return self.space.get(step.argval, getattr(builtins, step.argval, Unknown))
        if step.opname in _ATTRIBUTES and place:
            owner = self._value(place - 1)
            if isinstance(owner, types.ModuleType) and owner.__name__.partition(".")[0] not in ("numpy", "scipy"):
                return vars(owner).get(
                    step.argval, Unknown
                )  # a `__getattr__` of its own may import, or raise, what nobody asks for
            if owner is not Unknown and isinstance(owner, types.ModuleType | type | np.ufunc):
                return getattr(owner, step.argval, Unknown)
        if step.opname == "LOAD_DEREF":
            return self.captured.get(step.argval, Unknown)
        if step.opname == "LOAD_FAST":
            bound = [k for k, one in enumerate(self.steps) if "STORE_FAST" in one.opname and step.argval in _names(one)]
            return self._value(bound[0] - 1) if len(bound) == 1 and 0 < bound[0] < place else Unknown
        return Unknown


def is_librarys(fn: Any) -> bool:
    """Whether `fn` is a function that is not the program's, which is followed, as is what a library made of one."""
    if not callable(fn) or isinstance(fn, type | types.MethodType | functools.partial | np.vectorize) or is_changeable(type(fn)):
        return False
    wrapped = inspect.getattr_static(fn, "__wrapped__", fn)
    return not (isinstance(wrapped, types.FunctionType) and is_user(wrapped))


def writes(fn: Any, counts: Iterable[int], names: Iterable[str] = ()) -> bool:
    """Whether `fn`, of a library, writes to one of so many arguments, or to one of these `names`."""
    return is_librarys(fn) and any(any(writing_options(fn, n, tuple(names))) for n in counts)


def _extent(step: dis.Instruction) -> tuple[Any, Any]:
    """Where `step` begins and ends in the source; ``None`` where that is not known."""
    where = step.positions
    if where is None or where.lineno is None or where.col_offset is None:
        return None, None
    return (where.lineno, where.col_offset), (where.end_lineno, where.end_col_offset)


def _names(step: dis.Instruction) -> tuple[str, ...]:
    return (step.argval,) if isinstance(step.argval, str) else step.argval


def _is_text(step: dis.Instruction) -> bool:
    return step.opname == "LOAD_CONST" and isinstance(step.argval, str)
