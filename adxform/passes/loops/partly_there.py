"""Arrays that only some branches have, and that are wanted for nothing but a tape: each branch puts them in their place itself.

What an iteration keeps for the reverse sweep of a branch is undefined where the branch was not taken. No kernel holds an array
that may not be there; of a tape with a place for each iteration, that of such an iteration is never read.
"""

from __future__ import annotations

import operator
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from adxform.ir.ops import UNDEFINED, Block, Call, Function, If, Lit, Op, Operand, Var
from adxform.ir.types import Array
from adxform.ir.walk import all_ops, names_read, outs

NOTHING = (UNDEFINED, Lit(None))
Element = tuple[Var, Operand]
"""An array, and an index of it."""


class PartlyThere:
    """The arrays of `fn` that some branches have, others leave undefined."""

    def __init__(self, fn: Function) -> None:
        ops = [op for op in all_ops(fn.body) if isinstance(op, If)]
        self.branches = {out: op for op in ops for out in op.outs if isinstance(out.type, Array)}
        self.uses = Counter([*names_read(fn.body), *(var.name for var in fn.results if isinstance(var, Var))])

    def choosing(self, value: Var, block: Block) -> If | None:
        """The branches in `block` that have `value`, or leave it undefined, where it is used once; ``None`` if there are none."""
        op = self.branches.get(value)
        here = op is not None and any(op is one for one in block.ops)
        return op if here and self.uses[value.name] == 1 and None in self.sources(value) else None

    def sources(self, value: Var) -> list[Var | None]:
        """What `value` is on each path, ``None`` where it is undefined; nothing if it may be anything else."""
        found: list[Var | None] = []
        for operand in _stood_for(self.branches[value], value):
            if operand in NOTHING:
                found.append(None)
            elif not isinstance(operand, Var) or operand.type != value.type:
                return []
            elif operand not in self.branches:
                found.append(operand)
            elif self.uses[operand.name] > 1 or not (inner := self.sources(operand)):
                return []
            else:
                found += inner
        return found


def stored_inside(op: If, places: Mapping[Var, Element]) -> If:
    """`op` whose branches store what the variables of `places` stand for, which are no longer there behind it."""
    left = [at for at, out in enumerate(op.outs) if out not in places]
    then, orelse = (_storing(block, op, places, left) for block in (op.then, op.orelse))
    return replace(op, outs=tuple(op.outs[at] for at in left), then=then, orelse=orelse)


def _storing(block: Block, op: If, places: Mapping[Var, Element], left: list[int]) -> Block:
    """`block`, a branch of `op`, with the stores of `places`, and of its results those at the places `left`."""
    given = [(result, places[out]) for out, result in zip(op.outs, block.results, strict=True) if out in places]
    inside = {result: place for result, place in given if isinstance(result, Var)}
    ops: list[Op] = []
    for inner in block.ops:
        chosen = {out: inside.pop(out) for out in outs(inner) if isinstance(inner, If) and out in inside}
        ops.append(stored_inside(inner, chosen) if isinstance(inner, If) and chosen else inner)
    ops += [
        Call((), Lit(operator.setitem), (array, index, result), (), op.span)
        for result, (array, index) in given
        if result in inside
    ]
    return replace(block, ops=tuple(ops), results=tuple(block.results[at] for at in left))


def _stood_for(op: If, out: Var) -> tuple[Operand, Operand]:
    """What `out`, behind `op`, stands for."""
    at = op.outs.index(out)
    return op.then.results[at], op.orelse.results[at]
