"""The helpers of a function that is being differentiated: what each shares with its callers, and what is derived from it.

A helper ``y = f(x)`` becomes ``y, *residuals = f_fwd(x)`` and ``x_ct = f_bwd(*residuals, y_ct)``; one that calls itself keeps its
residuals on a tape. ``y = f(x, w)`` that writes `w` becomes ``y, … = f_fwd(x, w, w_ct)`` and ``x_ct = f_bwd(…, y_ct, w_ct)``.
What is only read has its cotangent passed by value. Memory that somebody writes and that the caller also sees is passed with its
cotangent's memory beside it: a parameter's is given, that of a result which is a view of such memory is returned. A tape is
such memory as well.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import chain, count
from typing import Any

from adxform.autodiff.expand import Expander, Kwargs
from adxform.ir.operand_facts import is_stack
from adxform.ir.ops import Function, Invoke, Operand, Var
from adxform.ir.types import Array, is_inexact
from adxform.ir.walk import all_ops, rename_callees
from adxform.primitives.alias import Aliases, Summary
from adxform.primitives.effects import functions
from adxform.primitives.record import General


@dataclass(frozen=True, slots=True)
class Shared:
    """The positions of the parameters and results of a helper whose cotangents' memory goes along in the forward sweep."""

    params: tuple[int, ...]
    results: tuple[int, ...]


@dataclass(slots=True)
class Callees:
    """The helpers of one function, with `aliases` that hold for all its calls, and what is `derived` from them so far.

    `origin` names the helper that a function is derived from. `residuals` are what the backward sweep of a helper takes of the
    forward sweep of that name, where no tape holds it.
    """

    fn: Function
    aliases: Aliases
    derived: dict[str, Function | None] = field(default_factory=dict)
    origin: dict[str, str] = field(default_factory=dict)
    names: dict[tuple[str, str, tuple[int, ...]], str] = field(default_factory=dict)
    residuals: dict[str, tuple[Var, ...]] = field(default_factory=dict)
    adopted: dict[tuple[Function, ...], dict[str, str]] = field(default_factory=dict)

    def function(self, name: str) -> Function:
        """The helper called `name`."""
        return functions(self.fn)[name]

    def knows(self, name: str) -> bool:
        """Whether there is a helper called `name`."""
        return name in functions(self.fn)

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
                if _moves(param) and (is_stack(param) or place in summary.written)
            ),
            tuple(place for place, out in enumerate(callee.results) if _moves(out) and summary.is_shared(params + place)),
        )

    def name(self, helper: str, kind: str, wrt: tuple[int, ...]) -> str:
        """The name for what is derived from `helper` by its parameters `wrt`: its own and `kind`, ``fwd``, ``bwd`` or ``jvp``."""
        key = helper, kind, wrt
        if key not in self.names:
            self.names[key] = name = self.fresh(f"{helper}_{kind}")
            self.origin[name] = helper
        return self.names[key]

    def results(self, name: str) -> tuple[Operand, ...]:
        """What the derived function called `name` returns."""
        found = self.derived[name]
        assert found is not None
        return found.results

    def is_recursive(self, name: str) -> bool:
        """Whether the helper called `name` comes to call itself."""
        reached: set[str] = set()
        waiting = [name]
        while waiting:
            for op in all_ops(self.function(waiting.pop()).body):
                if isinstance(op, Invoke) and op.callee not in reached:
                    reached.add(op.callee)
                    waiting.append(op.callee)
        return name in reached

    def fresh(self, plain: str) -> str:
        """A name like `plain` that no function has yet."""
        taken = {*functions(self.fn), *self.origin, *self.derived}
        return next(name for name in chain([plain], (f"{plain}_{number}" for number in count(2))) if name not in taken)

    def adopt(self, fn: Function) -> Function:
        """`fn`, part of a rule, whose helpers are taken over: under other names where another function has one of theirs."""
        if not fn.helpers:
            return fn
        own = functions(self.fn)
        known = own | self.derived
        if any(known.get(helper.name, helper) != helper for helper in fn.helpers):
            if fn.helpers not in self.adopted:
                self.adopted[fn.helpers] = {helper.name: self.fresh(helper.name) for helper in fn.helpers}
            fn = rename_callees(fn, self.adopted[fn.helpers])
        self.derived |= {helper.name: helper for helper in fn.helpers if helper.name not in own}
        return replace(fn, helpers=())


@dataclass(frozen=True, slots=True)
class Adopting:
    """An `Expander` that gives the helpers of what `plain` expands to `callees`, ready to be spliced."""

    plain: Expander
    callees: Callees

    def expand(self, body: Callable[..., Any], args: tuple[Operand, ...], kwargs: Kwargs) -> Function:
        """As `plain` does, without helpers."""
        return self.callees.adopt(self.plain.expand(body, args, kwargs))

    def expand_rule(self, rule: General, args: tuple[Operand, ...], kwargs: Kwargs, count: int) -> tuple[Function, Function]:
        """As `plain` does: its parts are adopted when they are spliced."""
        return self.plain.expand_rule(rule, args, kwargs, count)


def _moves(operand: Operand) -> bool:
    return is_stack(operand) or (isinstance(operand, Var) and isinstance(operand.type, Array) and is_inexact(operand.type))
