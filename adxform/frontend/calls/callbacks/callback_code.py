"""Whether the code of a callback changes what other code may read: told from its instructions, one function at a time.

Stores to what it made itself (``out = np.zeros(3)``, then ``out[0] = …``) change nothing of others. What is not known for that is
taken to change something.
"""

from __future__ import annotations

import dis
import inspect
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from adxform.analysis.unseen_code import CHANGING, OF_ARRAYS, OF_NUMPY, REACHING
from adxform.frontend.calls.callbacks.callback_calls import BY_NAME, Calls, Elsewhere, Unknown
from adxform.frontend.calls.made_anew import keeps_its_own, result_of, starts_empty
from adxform.frontend.checks.handed_over import ANY
from adxform.ir.spans import is_user
from adxform.primitives.table import definition, lookup
from adxform.primitives.writing_options import is_writing_option

_FRESH = ("LOAD_CONST", "LOAD_SMALL_INT", "BINARY_OP", "UNARY_", "COMPARE_OP", "BUILD_", "LIST_", "SET_", "DICT_")
"""Instructions, by how their names begin, that put on the stack what nobody else has; of calls, those that make it."""
_ITEM = "[]"
"""How an item that is read is written, where an operator reads it (from Python 3.14 on)."""
_BELOW = {"STORE_ATTR": 0, "DELETE_ATTR": 0, "STORE_SUBSCR": 1, "DELETE_SUBSCR": 1, "STORE_SLICE": 2}
"""How many values lie on the stack above what an instruction changes."""
_FILLING = ("BUILD_LIST", "BUILD_MAP", "BUILD_CONST_KEY_MAP", "BUILD_SET", "LIST_APPEND", "LIST_EXTEND", "MAP_ADD", "SET_ADD")
_SETTING = ("setattr", "delattr", "__setattr__", "__delattr__")
"""Functions that are given the name of an attribute."""


@dataclass(frozen=True)
class CallbackCode:
    """The code of a function, or of one inside it.

    `space` are the global variables that it sees, `free` the names that it captured, `made` those of what is made by calling it.
    """

    code: types.CodeType
    space: dict[str, Any]
    free: tuple[str, ...]
    made: tuple[str, ...] = ()
    within: frozenset[types.CodeType] = frozenset()
    """The functions whose results are being asked about."""
    captured: Mapping[str, Any] = field(default_factory=dict)
    """The values of `free`, where they are known."""
    elsewhere: Elsewhere = field(default_factory=Elsewhere)
    left: bool = False
    """Whether it is a package's that is left to the run: what it makes of texts (`eval`) changes nothing, as in any library."""

    @property
    def steps(self) -> list[dis.Instruction]:
        """What it does, in order."""
        return _steps(self.code, self.code.co_linetable)

    @cached_property
    def calls(self) -> Calls:
        """What it calls."""
        return Calls(self.steps, self.space, self.captured, self.elsewhere)

    @cached_property
    def stored(self) -> list[tuple[str, int]]:
        """The names that it binds, each with the place of the instruction ahead, or of that which takes a tuple apart."""
        stores = [(k, step) for k, step in enumerate(self.steps) if "STORE_FAST" in step.opname]
        return [(name, self._ahead(k)) for k, step in stores for name in _bound(step)]

    def _ahead(self, place: int) -> int:
        first = place
        while first and "STORE_FAST" in self.steps[first].opname:
            first -= 1
        return first if self.steps[first].opname == "UNPACK_SEQUENCE" else place - 1

    def stores(self) -> bool:
        """Whether it changes what others have: by an instruction, by a method or function known for that, or by an option."""
        options = (name for const in self.code.co_consts if isinstance(const, tuple) for name in const if isinstance(name, str))
        if (
            self.reaches_all
            or any(map(is_writing_option, options))
            or any(name in CHANGING | OF_ARRAYS | OF_NUMPY for name in self.asked_for())
        ):
            return True
        return any(self._changes(k, step) for k, step in enumerate(self.steps))

    def asks_for_any(self) -> bool:
        """Whether it may ask an object for an attribute of which only the run knows the name."""
        names = self.code.co_names
        if "vars" in names or "__dict__" in names:
            return True
        return not BY_NAME.isdisjoint(names) and any(map(self.calls.asks_by_unknown_name, range(len(self.steps))))

    def names_bound(self) -> Iterator[str]:
        """The names that the body of a class binds, of its methods among others."""
        return (step.argval for step in self.steps if step.opname == "STORE_NAME")

    def fills(self) -> bool:
        """Whether it makes a list, a dict or a set of what others have, other than to make an array of it."""
        return any(step.opname in _FILLING and self._is_filled(k) for k, step in enumerate(self.steps))

    def asked_for(self) -> Iterator[str]:
        """The names of what it may ask objects for by functions that are given a name."""
        if BY_NAME & set(self.code.co_names):
            yield from (const for const in self.code.co_consts if isinstance(const, str))

    def works_in_place(self) -> bool:
        """Whether it has an operator in place (``a += b``, ``a[0] += b``) on what may be of others, though it made `a`."""
        changed = {name for name, ahead in self.stored if self._is_in_place(ahead)}
        holders = {self._name_below(k, _BELOW[step.opname]) for k, step in enumerate(self.steps) if self._puts_back(k)}
        return not all(map(self._is_own, changed)) or not all(self._is_own(name, alone=True) for name in holders)

    def gives_new(self, alone: bool) -> bool:
        """Whether what it returns is nobody else's, each time; `alone`: nor is what that holds."""
        places = [k for k, step in enumerate(self.steps) if step.opname == "RETURN_VALUE"]
        return not any(self.steps[k].is_jump_target for k in places) and all(self._is_new(k - 1, alone) for k in places)

    def assigned(self) -> Iterator[str]:
        """The global variables that it may bind."""
        if self.reaches_all:
            yield from self.space
        yield from (step.argval for step in self.steps if step.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"))

    def attributes_set(self) -> Iterator[str]:
        """The names of the attributes that it may set or delete, of others than what it made."""
        if self.reaches_all or {"vars", "__dict__"} & set(self.code.co_names):
            yield ANY
        for k, step in enumerate(self.steps):
            if step.opname in ("STORE_ATTR", "DELETE_ATTR") and not self._is_own(self._name_below(k, 0)):
                yield step.argval
            elif step.opname.startswith("LOAD_") and step.argval in _SETTING:
                yield self.calls.sets(k) or ANY

    def loaded(self) -> Iterator[str]:
        """The names of the global variables that it may read; there may be none of that name."""
        return (step.argval for step in self.steps if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"))

    def imported(self) -> Iterator[str]:
        """The names of modules that it imports by itself."""
        return (step.argval for step in self.steps if step.opname == "IMPORT_NAME")

    @cached_property
    def reaches_all(self) -> bool:
        """Whether it comes by whatever its module has."""
        return not self.left and any(step.argval in REACHING for step in self.steps if step.opname.startswith("LOAD_"))

    def _is_new(self, place: int, alone: bool) -> bool:
        """Whether the instruction at `place` puts on the stack what was made here; `alone`: and what that holds was."""
        step = self.steps[place]
        return self._is_made(place, alone) or ("LOAD_FAST" in step.opname and self._is_own(_last(step), alone))

    def _is_made(self, place: int, alone: bool = False) -> bool:
        """Whether the instruction at `place` makes what it puts on the stack; `alone`: of nothing that others have."""
        step = self.steps[place]
        if step.opname == "UNPACK_SEQUENCE":  # of which the rule tells that all results are new
            call = self.steps[place - 1].opname.startswith("CALL") and lookup(self.calls.called(place - 1)[0]) is not None
            return call and not alone and self._is_made(place - 1) and not self._may_hold_objects(place - 1)
        if step.opname.startswith("CALL"):
            return self._is_made_by_call(place, alone)
        made = step.opname.startswith(_FRESH) and step.argrepr != _ITEM
        return made and not (alone and any(map(self._holds_others, self.calls.inside(place))))

    def _is_made_by_call(self, place: int, alone: bool) -> bool:
        """Whether the call at `place` makes what it returns; `alone`: of nothing that others have."""
        fn, is_method = self.calls.called(place)
        match fn:
            case types.CodeType():
                return self._returns_new(fn, self.space, alone)
            case types.FunctionType() if is_user(fn):
                return self._returns_new(fn.__code__, fn.__globals__, alone)
            case type():
                return keeps_its_own(fn) and not (alone and not (starts_empty(fn) and self.calls.takes_only_classes(place)))
        meaning = None if lookup(fn) else definition(fn)
        if isinstance(meaning, types.FunctionType) and self._returns_new(meaning.__code__, meaning.__globals__, alone):
            return True
        if fn is Unknown or self.steps[place].opname == "CALL_FUNCTION_EX" or (alone and self._may_hold_objects(place)):
            return False
        return not (alone and is_method and self.calls.is_shallow_copy(place)) and self._is_result_new(place, fn, is_method)

    def _is_result_new(self, place: int, fn: Any, is_method: bool) -> bool:
        """Whether `fn`, called at `place`, is known to return what is new, or a view of what was made here."""
        names = self._keywords(place)
        whose = result_of(fn, (self.steps[place].arg or 0) - len(names) + is_method, names)
        first = self.calls.first_argument(place) if whose == "a view" else None
        return whose == "new" or (first is not None and self._is_new(first, False))

    def _returns_new(self, code: types.CodeType, space: dict[str, Any], alone: bool) -> bool:
        """Whether the function with that `code` returns what is nobody else's."""
        seen = self.within | {self.code}
        called = CallbackCode(code, space, code.co_freevars, (), seen, elsewhere=self.elsewhere)
        return code not in seen and called.gives_new(alone)

    def _holds_others(self, place: int) -> bool:
        """Whether the instruction at `place` makes a list, a dict or the like of other things than constants."""
        step = self.steps[place]
        items = self.steps[max(place - (step.arg or 0), 0) : place]
        return step.opname.startswith("BUILD_") and any(one.opname != "LOAD_CONST" for one in items)

    def _is_filled(self, place: int) -> bool:
        if self.steps[place].opname.startswith("BUILD_") and not self._holds_others(place):
            return False
        call = next((k for k in range(place, len(self.steps)) if self.steps[k].opname.startswith("CALL")), None)
        return call is None or lookup(self.calls.called(call)[0]) is None

    def _is_in_place(self, place: int) -> bool:
        step = self.steps[place]
        return step.opname == "BINARY_OP" and step.argrepr.endswith("=")

    def _puts_back(self, place: int) -> bool:
        """Whether the instruction at `place` stores what an operator in place made of an item or an attribute."""
        return self.steps[place].opname in _BELOW and self.steps[place - 1].opname == "SWAP"

    def _keywords(self, place: int) -> tuple[str, ...]:
        """The names of the options that the call at `place` is given."""
        for step in self.steps[max(place - 2, 0) : place]:
            given = self.code.co_consts[step.arg or 0] if step.opname in ("KW_NAMES", "LOAD_CONST") else None
            if isinstance(given, tuple):
                return given
        return ()

    def _changes(self, place: int, step: dis.Instruction) -> bool:
        if self.calls.writes(place) or self.calls.asks_by_unknown_name(place):
            return True
        match step.opname:
            case "STORE_GLOBAL" | "DELETE_GLOBAL":
                return True
            case "STORE_DEREF" | "DELETE_DEREF":
                return step.argval in self.free
            case "LOAD_ATTR" | "LOAD_METHOD" if step.argval in CHANGING | OF_ARRAYS | OF_NUMPY:
                return not (self._is_harmless(self.steps[place - 1], step.argval) or self._sets_own(place))
            case "LOAD_GLOBAL" | "LOAD_NAME":
                return step.argval in CHANGING | OF_NUMPY and not isinstance(self.space.get(step.argval), np.ufunc)
            case name if name in _BELOW:
                return not self._is_own(self._name_below(place, _BELOW[name]))
            case _:
                return False

    def _is_harmless(self, owner: dis.Instruction, name: str) -> bool:
        """Whether `name` of `owner` changes nothing of others: it is NumPy's ``np.add``, or a method of what was made here."""
        if owner.opname == "LOAD_GLOBAL":
            module = self.space.get(owner.argval)
            return isinstance(module, types.ModuleType) and module.__name__ == "numpy" and name not in OF_NUMPY
        return "LOAD_FAST" in owner.opname and self._is_own(_last(owner))

    def _sets_own(self, place: int) -> bool:
        """Whether what the instruction at `place` loads is ``object.__setattr__``, called on what was made here."""
        call = self.calls.call_of(place) if self.steps[place].argval == "__setattr__" else None
        if call is None or self.steps[call].arg != len(("object", "name", "value")):  # a bound method has two
            return False
        first = self.calls.first_given(call)
        return first is not None and self._is_new(first, False)

    def _is_own(self, name: str | None, alone: bool = False) -> bool:
        """Whether `name` stands for what was made here, wherever it is bound; `alone`: and so does what that holds."""
        if name in self.made:
            return not alone
        bound = [ahead for stored, ahead in self.stored if stored == name]
        made = (self._is_made(k, alone) and not self.steps[k + 1].is_jump_target for k in bound)
        if not bound or (name in self._parameters and not self._is_bound_first(name)) or not all(made):
            return False
        return not (alone and any(map(self._holds_objects, bound)) and self._is_given_others(name))

    def _is_bound_first(self, name: str) -> bool:
        """Whether `name`, a parameter, is bound anew before anything but copying is done to it, whichever way the code takes."""
        first = next(k for k, step in enumerate(self.steps) if "STORE_FAST" in step.opname and name in _bound(step))
        ahead = self.steps[: first + 1]
        if self.code.co_exceptiontable or any("JUMP" in step.opname or step.opname == "FOR_ITER" for step in ahead):
            return False
        used = [self.steps[k + 1] for k, step in enumerate(ahead) if "LOAD_FAST" in step.opname and _last(step) == name]
        return all(step.opname in ("LOAD_ATTR", "LOAD_METHOD") and step.argval == "copy" for step in used)

    def _holds_objects(self, place: int) -> bool:
        """Whether what the instruction at `place` makes may hold what is stored in it, of which an array keeps the numbers."""
        step = self.steps[place]
        if not step.opname.startswith("CALL"):
            return any(self.steps[k].opname.startswith(("BUILD_", "LIST_", "CALL")) for k in self.calls.inside(place))
        fn, _ = self.calls.called(place)
        return not isinstance(fn, np.ufunc) and lookup(fn) is None

    def _may_hold_objects(self, place: int) -> bool:
        """Whether the array that the call at `place` makes may hold objects: that is said, or what is said is not known."""
        kinds = [self.calls.named(k) for k in self.calls.given(place)]
        told = any(isinstance(kind, str | type | np.dtype) for kind in kinds)
        return ("dtype" in self._keywords(place) and not told) or any(_is_of_objects(kind) for kind in kinds)

    def _is_given_others(self, name: str | None) -> bool:
        """Whether what is not known to be made here is stored in what `name` stands for, or a method of that may do so."""
        for k, step in enumerate(self.steps):
            if step.opname == "STORE_SUBSCR" and not self._puts_back(k) and self._name_below(k, 1) == name:
                value = self._place_below(k, 2)
                if value is None or not self._is_new(value, True):
                    return True
            if step.opname in ("LOAD_ATTR", "LOAD_METHOD") and step.argval in CHANGING and _loaded(self.steps[k - 1]) == name:
                return True
        return False

    @cached_property
    def _parameters(self) -> tuple[str, ...]:
        code = self.code
        rest = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
        return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + rest]

    def _name_below(self, place: int, count: int) -> str | None:
        """The name whose value lies below `count` others on the stack ahead of the instruction at `place`; ``None`` if unknown.

        ``a[i] += b`` has copied both first.
        """
        if self.steps[place - 1].opname == "SWAP":
            place = next((k for k in range(place, 0, -1) if self.steps[k - 1].opname == "COPY"), 0)
            while place and self.steps[place - 1].opname == "COPY":
                place -= 1
        found = self._place_below(place, count)
        if found is None:
            return None
        step = self.steps[found]
        if step.opname == "LOAD_FAST_LOAD_FAST" and count:
            names: tuple[str, str] = step.argval
            return names[0] if self._place_below(place, count - 1) == found else names[1]
        return _loaded(step)

    def _place_below(self, place: int, count: int) -> int | None:
        """The instruction that gives what lies below `count` values on the stack ahead of the one at `place`."""
        for k in range(place - 1, -1, -1):
            step = self.steps[k]
            if count == 0 or (count == 1 and step.opname == "LOAD_FAST_LOAD_FAST"):
                return k
            count -= dis.stack_effect(step.opcode, step.arg, jump=False)
        return None


@lru_cache(maxsize=4096)
def _steps(code: types.CodeType, _: bytes) -> list[dis.Instruction]:
    return [step for step in dis.get_instructions(code) if step.opname not in ("CACHE", "PUSH_NULL")]


def _bound(step: dis.Instruction) -> tuple[str, ...]:
    """The names that `step` binds; some bind one and load another."""
    names = (step.argval,) if isinstance(step.argval, str) else step.argval
    return names if step.opname == "STORE_FAST_STORE_FAST" else names[:1]


def _loaded(step: dis.Instruction) -> str | None:
    """The local name that `step` loads last."""
    return _last(step) if "LOAD_FAST" in step.opname else None


def _is_of_objects(kind: Any) -> bool:
    """Whether `kind` says, or stands for, an array of objects."""
    match kind:
        case str():
            return kind in ("O", "object")
        case np.dtype():
            return kind.hasobject
        case _:
            return kind is None or kind is object


def _last(step: dis.Instruction) -> str:
    return step.argval if isinstance(step.argval, str) else step.argval[-1]
