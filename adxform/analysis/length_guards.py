"""Where a program uses a length: which choices, each known before the reverse sweep, stand between it and all results.

A length that is zero has no second derivative along what moves (docs/rules.md), whatever it is multiplied by: a cotangent that is
zero does not tell a length that the program leaves out from one of which the slope is zero, as that of its square. The choices
themselves tell. They are followed from the length on, through elementwise functions and no further: where another op uses the
length, nothing is said of it.
"""

from __future__ import annotations

import operator
from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from adxform.ir.ops import Block, Call, Function, If, Lit, Op, Var
from adxform.ir.types import Array, Scalar, rank
from adxform.ir.walk import all_ops, blocks, free_variables, outs, reads_with_blocks, variables_of
from adxform.primitives.alias import Aliases
from adxform.primitives.effects import effect_of
from adxform.primitives.table import lookup, record_of


@dataclass(frozen=True, slots=True)
class LengthGuard:
    """Where something is used: where `cond`, a truth value or a mask, is true, or where it is false, if not `wanted`."""

    cond: Var
    wanted: bool


class Guards:
    """Finds the guards of the lengths of `fn`, with alias classes `aliases`, of which `active` carry a derivative."""

    def __init__(self, fn: Function, active: frozenset[Var], aliases: Aliases) -> None:
        self.active = active
        self.aliases = aliases
        self.users: dict[Var, list[Op]] = defaultdict(list)
        self.ends: set[Var] = set()
        self.conds: set[Var] = set()  # of the guards found, which may be computed after the length
        ops = list(all_ops(fn.body))
        if any(map(is_length, ops)) and any(_may_guard(op) for op in ops):
            self._note(fn.body)

    def of(self, length: Var) -> tuple[LengthGuard, ...]:
        """Choices outside of which no result depends on `length`: none where nothing is known."""
        found: dict[LengthGuard, None] = {}
        todo, seen = [length], {length}
        while todo:
            var = todo.pop()
            if var in self.ends or self._changes(var):
                return ()
            for op in self.users[var]:
                guard = self._guard(op, var)
                if guard is not None:
                    found[guard] = None
                elif _is_elementwise(op):
                    todo += [out for out in outs(op) if out not in seen and out in self.active]
                    seen.update(outs(op))
                elif not self._is_idle(op):
                    return ()
        self.conds.update(guard.cond for guard in found)
        return tuple(found)

    def _note(self, block: Block) -> None:
        """Note which ops use what `block` defines, inside of them as well, and what it hands on; so for the blocks in it."""
        own = {*block.params, *(out for op in block.ops for out in outs(op))}
        self.ends.update(own.intersection(variables_of(block.results)))
        for op in block.ops:
            for var in own.intersection(reads_with_blocks(op)):
                self.users[var].append(op)
            for inner in blocks(op):
                self._note(inner)

    def _guard(self, op: Op, var: Var) -> LengthGuard | None:
        """The choice that `op` is, if it takes `var`, or what depends on it, on one side alone."""
        match op:
            case Call(outs=(_,), fn=Lit(np.where), args=(Var() as cond, one, other), kwargs=()):
                sides = [var in variables_of([side]) for side in (one, other)]
            case Call(outs=(_,), fn=Lit(operator.getitem), args=(taken, Var(type=Array("bool")) as cond)):
                sides = [rank(var.type) == rank(cond.type) is not None and taken == var]
            case If(cond=Var() as cond):
                sides = [var in free_variables(side) for side in (op.then, op.orelse)]
            case _:
                return None
        if cond == var or sum(sides) != 1 or not isinstance(cond.type, Scalar | Array) or self._changes(cond):
            return None
        return LengthGuard(cond, sides[0])

    def _changes(self, var: Var) -> bool:
        number = self.aliases.of(var)
        return isinstance(var.type, Array) and (number in self.aliases.written or number in self.aliases.exposed)

    def _is_idle(self, op: Op) -> bool:
        """Whether no derivative comes through `op`, which does nothing but define its outs."""
        return isinstance(op, Call) and bool(op.outs) and not effect_of(op).writes and self.active.isdisjoint(op.outs)


def is_length(op: Op) -> bool:
    """Whether `op` computes lengths, or angles."""
    return isinstance(op, Call) and isinstance(op.fn, Lit) and record_of(op.fn.value).length


def _may_guard(op: Op) -> bool:
    return isinstance(op, If) or (isinstance(op, Call) and op.fn in (Lit(np.where), Lit(operator.getitem)))


def _is_elementwise(op: Op) -> bool:
    if not (isinstance(op, Call) and isinstance(op.fn, Lit)) or op.kwargs or len(op.outs) != 1 or effect_of(op).writes:
        return False
    record = lookup(op.fn.value)
    return op.fn.value in (float, np.float64) or (record is not None and record.elementwise)
