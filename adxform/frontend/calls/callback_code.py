"""Whether the code of a callback changes what other code may read: told from its instructions, one function at a time.

Stores to what it made itself (``out = np.zeros(3)``, then ``out[0] = …``) change nothing of others. What is not known for that is
taken to change something.
"""

from __future__ import annotations

import dis
import inspect
import itertools
import types
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from adxform.analysis.unseen_code import CHANGING, OF_ARRAYS, OF_NUMPY, is_writing_option

_FRESH = tuple("LOAD_CONST LOAD_SMALL_INT BINARY_OP UNARY_ COMPARE_OP BUILD_ LIST_ SET_ DICT_ CALL PRECALL".split())  # noqa: SIM905
"""Instructions, by how their names begin, that put on the stack what nobody else has."""
_BELOW = {"STORE_ATTR": 0, "DELETE_ATTR": 0, "STORE_SUBSCR": 1, "DELETE_SUBSCR": 1, "STORE_SLICE": 2}
"""How many values lie on the stack above what an instruction changes."""


@dataclass(frozen=True)
class CallbackCode:
    """The code of a function, or of one inside it.

    `space` are the global variables that it sees, `free` the names that it captured, `made` those of what is made by calling it.
    """

    code: types.CodeType
    space: dict[str, Any]
    free: tuple[str, ...]
    made: tuple[str, ...] = ()

    @cached_property
    def steps(self) -> list[dis.Instruction]:
        """What it does, in order."""
        return [step for step in dis.get_instructions(self.code) if step.opname not in ("CACHE", "PUSH_NULL")]

    @cached_property
    def stored(self) -> list[tuple[str, dis.Instruction, bool]]:
        """The names that it binds, each with the instruction ahead, and whether that made what it stands for from then on."""
        return [
            (_first(step), before, before.opname.startswith(_FRESH) and not step.is_jump_target)
            for before, step in itertools.pairwise(self.steps)
            if "STORE_FAST" in step.opname
        ]

    def stores(self) -> bool:
        """Whether it changes what others have: by an instruction, by a method or function known for that, or by an option."""
        options = (name for const in self.code.co_consts if isinstance(const, tuple) for name in const if isinstance(name, str))
        return any(map(is_writing_option, options)) or any(self._changes(k, step) for k, step in enumerate(self.steps))

    def works_in_place(self) -> bool:
        """Whether it has an operator in place (``a += b``) on a name of its own that may stand for what others have."""
        changed = {name for name, before, _ in self.stored if before.opname == "BINARY_OP" and before.argrepr.endswith("=")}
        return not all(map(self._is_own, changed))

    def assigned(self) -> Iterator[str]:
        """The global variables that it binds."""
        return (step.argval for step in self.steps if step.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"))

    def _changes(self, place: int, step: dis.Instruction) -> bool:
        match step.opname:
            case "STORE_GLOBAL" | "DELETE_GLOBAL":
                return True
            case "STORE_DEREF" | "DELETE_DEREF":
                return step.argval in self.free
            case "LOAD_ATTR" | "LOAD_METHOD" if step.argval in CHANGING | OF_ARRAYS | OF_NUMPY:
                return not self._is_harmless(self.steps[place - 1], step.argval)
            case "LOAD_GLOBAL" | "LOAD_NAME":
                return step.argval in CHANGING | OF_NUMPY
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

    def _is_own(self, name: str | None) -> bool:
        """Whether `name` stands for what was made here, wherever it is bound."""
        bound = [fresh for stored, _, fresh in self.stored if stored == name]
        given = name in self._parameters and name not in self.made
        return not given and all(bound) and (bool(bound) or name in self.made)

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
        for k in range(place - 1, -1, -1):
            step = self.steps[k]
            if count == 0:
                return _last(step) if "LOAD_FAST" in step.opname else None
            if step.opname == "LOAD_FAST_LOAD_FAST" and count == 1:
                return _first(step)
            count -= dis.stack_effect(step.opcode, step.arg, jump=False)
        return None


def _first(step: dis.Instruction) -> str:
    return step.argval if isinstance(step.argval, str) else step.argval[0]


def _last(step: dis.Instruction) -> str:
    return step.argval if isinstance(step.argval, str) else step.argval[-1]
