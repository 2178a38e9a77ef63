"""Copies that nobody could tell from what they copy, arithmetic that changes nothing (``x * 1.0``) among them."""

from __future__ import annotations

import operator

import numpy as np

from adxform.ir import intrinsics
from adxform.ir.ops import Block, Call, Function, Lit, Op, Operand, Var
from adxform.ir.types import Array
from adxform.ir.walk import outs
from adxform.opt.rewriting import Rewriter, callee, classes_of, classes_touched, classes_written, each_function
from adxform.rules.alias import Aliases

COPIES = frozenset({np.copy, np.ndarray.copy})
NEUTRAL = {operator.mul: 1, operator.truediv: 1, operator.pow: 1, operator.add: 0, operator.sub: 0}
STORES = frozenset({operator.setitem, intrinsics.accumulate, intrinsics.deduct})


def elide_copies(fn: Function) -> Function:
    """Read the original where a copy is only read, and only before the original changes.

    >>> from adxform.ir.text import read, show
    >>> print(show(elide_copies(read('''
    ... def f(x: f64[x.0], y: f64[x.0]):
    ...     a: f64[x.0] = np.copy(x)
    ...     b: f64[x.0] = operator.mul(a, y)
    ...     operator.setitem(x, ..., b)
    ...     c: f64[x.0] = np.copy(x)
    ...     operator.setitem(x, 0, 1.0)
    ...     d: f64 = np.sum(c)
    ...     return d'''))))
    def f(x: f64[x.0], y: f64[x.0]):
        b: f64[x.0] = operator.mul(x, y)
        operator.setitem(x, ..., b)
        c: f64[x.0] = np.copy(x)
        operator.setitem(x, 0, 1.0)
        d: f64 = np.sum(c)
        return d
    """
    return each_function(fn, lambda part, aliases: _Eliding(part, aliases).block(part.body))


def original_of(op: Op) -> Var | None:
    """The array that the result of `op` is equal to, in values, shape and dtype."""
    if not isinstance(op, Call) or len(op.outs) != 1 or op.kwargs:
        return None
    type_ = op.outs[0].type
    if not isinstance(type_, Array) or type_.shape is None:
        return None
    fn = callee(op)
    found: Operand | None = None
    if fn in COPIES and len(op.args) == 1:
        found = op.args[0]
    elif fn in NEUTRAL and len(op.args) == 2:
        left, right = op.args
        swaps = fn is operator.mul or fn is operator.add
        found = left if _is(right, NEUTRAL[fn]) else right if swaps and _is(left, NEUTRAL[fn]) else None
    return found if isinstance(found, Var) and found.type == type_ else None


def _is(operand: Operand, number: int) -> bool:
    return isinstance(operand, Lit) and type(operand.value) in (int, float) and operand.value == number


class _Eliding(Rewriter):
    def __init__(self, fn: Function, aliases: Aliases) -> None:
        super().__init__()
        self.aliases = aliases
        self.fixed = aliases.written | aliases.exposed | aliases.phis | set(aliases.reached((*fn.params, *fn.results)))
        self.fixed |= set(aliases.elements.values())

    def block(self, block: Block) -> Block:
        copies = [(at, op, original) for at, op in enumerate(block.ops) if (original := original_of(op)) is not None]
        if copies:
            timeline = _Timeline(block, self.aliases)
            for at, op, original in copies:
                if original.name not in self.known and self.may_go(op, original, at, timeline):
                    self.known[outs(op)[0].name] = original
        return super().block(block)

    def visit(self, op: Op, ops: list[Op]) -> None:
        if not (isinstance(op, Call) and op.outs and op.outs[0].name in self.known):
            ops.append(self.descend(op))

    def may_go(self, op: Op, original: Var, at: int, timeline: _Timeline) -> bool:
        """Whether the copy is read in this block only, and by nothing that runs after a write to `original`."""
        copy, source = self.aliases.of(outs(op)[0]), self.aliases.of(original)
        if copy in self.fixed or copy == source or copy in timeline.leaving:
            return False
        last = timeline.mentions.get(copy, [at])[-1]
        written = next((place for place in timeline.writes.get(source, ()) if place > at), last + 1)
        return written > last or (written == last and _takes_value(timeline.ops[last], outs(op)[0]))


class _Timeline:
    """Where in a block the alias classes are mentioned and written, in order."""

    def __init__(self, block: Block, aliases: Aliases) -> None:
        self.ops = block.ops
        self.leaving = set(classes_of(block.results, aliases))
        self.mentions: dict[int, list[int]] = {}
        self.writes: dict[int, list[int]] = {}
        for at, op in enumerate(block.ops):
            for class_ in set(classes_touched(op, aliases)):
                self.mentions.setdefault(class_, []).append(at)
            for class_ in set(classes_written(op, aliases)):
                self.writes.setdefault(class_, []).append(at)


def _takes_value(op: Op, value: Var) -> bool:
    """Whether `op` stores `value`: NumPy reads all of it before it writes."""
    return isinstance(op, Call) and callee(op) in STORES and op.args[2] == value and value not in op.args[:2]
