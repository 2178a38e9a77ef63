"""The helpers of a function that is being differentiated: what each shares with its callers, and what is derived from it.

A helper ``y = f(x, w)`` that writes `w` becomes ``y = f_fwd(x, w, w_ct, tape)`` and ``x_ct = f_bwd(tape, y_ct, w_ct)``. What is
only read has its cotangent passed by value. Memory that somebody writes and that the caller also sees is passed with its
cotangent's memory beside it: a parameter's is given, that of a result which is a view of such memory is returned. A tape is
such memory as well.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain, count

from adxform.ir.ops import Function, Operand, Var
from adxform.ir.types import Array, Stack, is_float
from adxform.rules.alias import Aliases, Summary
from adxform.rules.effects import functions


@dataclass(frozen=True, slots=True)
class Shared:
    """The positions of the parameters and results of a helper whose cotangents' memory goes along in the forward sweep."""

    params: tuple[int, ...]
    results: tuple[int, ...]


@dataclass(slots=True)
class Callees:
    """The helpers of one function, with `aliases` that hold for all its calls, and what is `derived` from them so far.

    `origin` names the helper that a function is derived from.
    """

    fn: Function
    aliases: Aliases
    derived: dict[str, Function | None] = field(default_factory=dict)
    origin: dict[str, str] = field(default_factory=dict)
    names: dict[tuple[str, str], str] = field(default_factory=dict)

    def function(self, name: str) -> Function:
        """The helper called `name`."""
        return functions(self.fn)[name]

    def classes(self, name: str) -> Aliases:
        """The alias classes inside the helper called `name`."""
        return self.aliases.helpers.get(name, self.aliases)

    def summary(self, name: str) -> Summary:
        """What the helper called `name` does to its callers' memory."""
        return self.aliases.summaries[name]

    def shared(self, name: str) -> Shared:
        """What the helper called `name` passes together with the memory of its cotangent."""
        callee, summary = self.function(name), self.summary(name)
        params = len(callee.params)
        return Shared(
            tuple(
                place
                for place, param in enumerate(callee.params)
                if _moves(param) and (_is_stack(param) or place in summary.written)
            ),
            tuple(place for place, out in enumerate(callee.results) if _moves(out) and summary.is_shared(params + place)),
        )

    def name(self, helper: str, kind: str) -> str:
        """The name for what is derived from `helper`: its own and `kind`, ``fwd``, ``bwd`` or ``jvp``."""
        if (helper, kind) not in self.names:
            taken = {*functions(self.fn), *self.origin}
            plain = f"{helper}_{kind}"
            name = next(name for name in chain([plain], (f"{plain}_{number}" for number in count(2))) if name not in taken)
            self.names[helper, kind] = name
            self.origin[name] = helper
        return self.names[helper, kind]


def _is_stack(operand: Operand) -> bool:
    return isinstance(operand, Var) and isinstance(operand.type, Stack)


def _moves(operand: Operand) -> bool:
    return _is_stack(operand) or (isinstance(operand, Var) and isinstance(operand.type, Array) and is_float(operand.type))
