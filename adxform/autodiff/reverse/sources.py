"""Where the variables of a block come from, and what it costs to compute them again while memory is as it was."""

from __future__ import annotations

import operator
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from adxform import runtime
from adxform.analysis.unseen_code import at_risk
from adxform.autodiff.reverse.callees import Callees
from adxform.autodiff.reverse.cotangent_plan import may_copy
from adxform.autodiff.reverse.sweep import Sweep
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.operand_facts import with_inner
from adxform.ir.ops import Call, For, Invoke, Lit, Op, Operand, Var
from adxform.ir.spans import Span
from adxform.ir.types import INT, Array, Object, Stack
from adxform.ir.walk import outs, variables
from adxform.primitives.alias import Aliases
from adxform.primitives.effects import effect_of, writes
from adxform.primitives.table import record_of


class Sources:
    """Where the variables of a block come from, and what it costs to compute them again."""

    def __init__(
        self, sweep: Sweep, aliases: Aliases, callees: Callees, given: tuple[Var, ...], undefined: frozenset[Var]
    ) -> None:
        self.aliases = aliases
        self.given = frozenset(given)
        self.undefined = undefined
        self.definition: dict[Var, Op | None] = dict.fromkeys(sweep.block.params)
        self.position: dict[Var, int] = dict.fromkeys(sweep.block.params, -1)
        self.slot: dict[Var, int] = {}
        self.written_at: dict[int, list[int]] = {}
        for k, ops in ((-1, sweep.entry), *enumerate(sweep.forward)):
            for op in ops:
                for out in outs(op):
                    self.definition[out] = op
                    self.position[out] = k
                for class_ in written_by(op, aliases, callees):
                    self.written_at.setdefault(class_, []).append(k)
        self.order = list(self.definition)
        self._weigh()

    def _weigh(self) -> None:
        """Note what each variable costs, those first that others are computed from."""
        self._free: dict[Var, int | None] = {}
        self._limit: dict[Var, int] = {}
        for var in self.order:
            self.free_cost(var)
            self.limit(var)

    def count_up(self, loop: For, b: Builder) -> None:
        """Define the integers that `loop` carries and each iteration adds the same to, by the index: ``init + index * step``."""
        start, _, stride = loop.source
        if not isinstance(stride, Lit) or abs(stride.value) != 1:
            return
        index = loop.body.params[0]
        ends = (index, start) if stride.value == 1 else (start, index)
        for param, init, result in zip(loop.body.params[1:], loop.inits, loop.body.results[loop.breaks :], strict=True):
            added = self.definition.get(result) if isinstance(result, Var) else None
            match added:
                case Call(fn=Lit(operator.add | operator.sub as fn), args=(Var() as before, step)) if before == param:
                    pass
                case _:
                    continue
            if param.type != INT or added.outs[0].type != INT or any(var in self.definition for var in variables(step)):
                continue
            place = index if ends == (index, Lit(0)) else b.call(operator.sub, *ends, type=INT, hint="k")
            times = place if step == Lit(1) else b.call(operator.mul, place, step, type=INT)
            b.emit(Call((param,), Lit(fn), (init, times), (), added.span))
        counted: dict[Var, Op | None] = {out: op for op in b.ops for out in outs(op)}
        self.definition = {index: None, **counted, **{var: op for var, op in self.definition.items() if var not in counted}}
        self.position |= dict.fromkeys(counted, -1)
        if b.ops:
            self.order = list(self.definition)
            self._weigh()

    def span(self, var: Var) -> Span:
        """The place in the program where `var` is computed."""
        op = self.definition.get(var)
        return op.span if op is not None else Span("", 0, 0, 0, 0)

    def local_operands(self, var: Var) -> list[Var]:
        """The operands of the definition of `var` that belong to the block."""
        op = self.definition[var]
        if not isinstance(op, Call):
            return []
        given = (*op.args, *(value for _, value in op.kwargs))
        return [v for operand in given for v in variables(operand) if v in self.definition and v not in self.given]

    def is_cheap(self, var: Var) -> bool:
        """Whether one op makes `var` from its operands, cheaply and without side effects."""
        op = self.definition[var]
        if not isinstance(op, Call) or not isinstance(op.fn, Lit) or isinstance(var.type, Object | Stack):
            return False
        effect = effect_of(op)
        if effect.opaque or effect.writes or _asks_object(op):
            return False
        if isinstance(var.type, Array):
            if op.fn.value is runtime.cotangent_view:  # where it is no view, it is memory with contents of its own
                return False
            copies = may_copy(op) and self.aliases.knows(var) and self.aliases.of(var) in self.aliases.written
            return effect.views == (0,) and not copies
        if op.fn.value is operator.pow:
            return op.args[1] in (Lit(2), Lit(3)) and not _takes_array(op)
        again = record_of(op.fn.value).recomputed and not _takes_array(op)
        return again or op.fn.value in {operator.getitem, intrinsics.dim, len}

    def free_cost(self, var: Var) -> int | None:
        """How many cheap ops compute `var` from what the reverse has anyway; ``None`` when some of it must be taped."""
        if var in self.given or var not in self.definition:
            return 0
        if var not in self._free:
            self._free[var] = None
            if self.is_cheap(var):
                costs = [self.free_cost(operand) for operand in self.local_operands(var)]
                if all(cost is not None for cost in costs):
                    self._free[var] = 1 + sum(cost for cost in costs if cost is not None)
        return self._free[var]

    def is_free(self, var: Var, slot: int, most: int) -> bool:
        """Whether at most `most` cheap ops compute `var`, in the reverse of op `slot`, from what is there anyway."""
        cost = self.free_cost(var)
        return cost is not None and cost <= most and slot < self.limit(var)

    def can_hoist(self, operand: Operand) -> bool:
        """Whether `operand` can be computed before the block, as lengths usually can, of what surely has a value there."""
        return self.undefined.isdisjoint(variables(operand)) and all(
            var not in self.definition
            or (
                isinstance(op := self.definition[var], Call)
                and isinstance(op.fn, Lit)
                and _is_of_lengths(op.fn.value)
                and not _asks_object(op)
                and all(self.can_hoist(arg) for arg in op.args)
            )
            for var in variables(operand)
        )

    def hoist(self, operand: Operand, b: Builder) -> Operand:
        """Write the computation of `operand` (see `can_hoist`) to `b`."""
        if not isinstance(operand, Var) or operand not in self.definition:
            return operand
        op = self.definition[operand]
        assert isinstance(op, Call)
        assert isinstance(op.fn, Lit)
        return b.call(op.fn.value, *(self.hoist(arg, b) for arg in op.args), type=operand.type, hint=operand.name)

    def own_limit(self, var: Var) -> int:
        """The reverse of op ``k`` may compute `var` by its op if ``k`` is below this: memory is restored by then."""
        op = self.definition[var]
        if not isinstance(op, Call) or op.fn != Lit(operator.getitem) or isinstance(var.type, Array):
            return _NEVER
        position = self.position[var]
        limit = _NEVER
        for array in variables(op.args[0]):
            written = self.written_at.get(self.aliases.of(array), []) if self.aliases.knows(array) else []
            after = bisect_left(written, position)
            limit = min([limit, *written[after : after + 1]])
        return limit

    def limit(self, var: Var) -> int:
        """As `own_limit`, for everything that `var` is computed from."""
        if var in self.given or var not in self.definition:
            return _NEVER
        if var not in self._limit:
            self._limit[var] = min([self.own_limit(var), *(self.limit(operand) for operand in self.local_operands(var))])
        return self._limit[var]


_NEVER = 1 << 60


def _is_of_lengths(fn: Callable[..., Any]) -> bool:
    """Whether `fn` asks for a length, or reckons with lengths."""
    return record_of(fn).whole or fn in (len, intrinsics.dim, runtime.trip_count)


def _asks_object(op: Call) -> bool:
    """Whether `op` is told by an object of the run, which may be changed: it says another thing when it is asked again."""
    return any(isinstance(var.type, Object) for arg in op.args for var in variables(arg))


def _takes_array(op: Call) -> bool:
    return any(isinstance(var.type, Array) for arg in op.args for var in variables(arg))


def written_by(op: Op, aliases: Aliases, callees: Callees) -> Iterator[int]:
    """The alias classes of the primal that `op` writes, in its blocks and in the helpers that it invokes."""
    for inner in with_inner(op):
        if isinstance(inner, Invoke):
            name = callees.origin.get(inner.callee, inner.callee)
            if not callees.knows(name):  # part of a rule: it writes to nothing of the caller's
                continue
            params, results = len(callees.function(name).params), len(callees.function(name).results)
            places = aliases.by_place(replace(inner, outs=inner.outs[:results], args=inner.args[:params]))
            yield from (class_ for place in callees.summary(name).written for class_ in places[place])
        else:
            risked = at_risk(inner) if isinstance(inner, Call) else ()
            yield from (aliases.of(var) for var in (*writes(inner), *risked) if aliases.knows(var))
