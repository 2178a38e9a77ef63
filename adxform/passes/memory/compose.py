"""A load or a store through a view of a view goes straight to the memory."""

from __future__ import annotations

import operator
from dataclasses import replace

import numpy as np

from adxform.ir.operand_facts import callee, index_parts
from adxform.ir.ops import Block, Call, Function, Lit, Op, Operand, Pack, Var
from adxform.ir.types import Array, Scalar
from adxform.ir.walk import all_ops, blocks, reads, variables
from adxform.passes.scalar.rewriting import Rewriter, each_body
from adxform.primitives.memory import ACCESSES, index_kind

LOADS = frozenset({operator.getitem})


def compose_views(fn: Function) -> Function:
    """Index once where a row is only taken to be indexed again.

    >>> from adxform.ir.text import read, show
    >>> print(show(compose_views(read('''
    ... def f(x: f64[x.0, x.1], t: int, i: int, v: f64):
    ...     row: f64[x.1] = operator.getitem(x, t)
    ...     operator.setitem(row, i, v)
    ...     tail: f64[x.1-1] = operator.getitem(x, (0, slice(1, None, None)))
    ...     intrinsics.accumulate(tail, ..., v)
    ...     return x'''))))
    def f(x: f64[x.0, x.1], t: int, i: int, v: f64):
        operator.setitem(x, (t, i), v)
        intrinsics.accumulate(x, (0, slice(1, None, None)), v)
        return x
    """

    def composed(part: Function) -> Block:
        composing = _Composing(part)
        return composing.block(part.body) if composing.composed else part.body

    return each_body(fn, composed)


class _Composing(Rewriter):
    def __init__(self, fn: Function) -> None:
        super().__init__()
        self.views = {op.outs[0]: op for op in all_ops(fn.body) if isinstance(op, Call) and _is_view(op)}
        uses: dict[Var, list[Op]] = {}
        for op in all_ops(fn.body) if self.views else ():
            for var in reads(op):
                uses.setdefault(var, []).append(op)
        kept = set(_results(fn.body)) if self.views else set()
        self.composed = {
            var for var in self.views if var not in kept and all(self.joined(op, var) is not None for op in uses.get(var, ()))
        }

    def joined(self, op: Op, view: Var) -> Operand | None:
        """The index of `op`, which goes through `view`, into the memory that `view` is taken of; ``None`` if there is none."""
        if not isinstance(op, Call) or callee(op) not in ACCESSES or op.args[0] != view:
            return None
        if any(view in variables(arg) for arg in op.args[1:]):
            return None
        first, second = self.views[view].args[1], op.args[1]
        if second == Lit(...) and callee(op) is not operator.getitem:
            return first
        if index_kind(second) != "basic" or second == Lit(...) or not all(_is_integer(item) for item in index_parts(first)):
            return None
        return Pack("tuple", (*index_parts(first), *index_parts(second)))

    def visit(self, op: Op, ops: list[Op]) -> None:
        """Leave out composed views; index what they view."""
        if isinstance(op, Call) and self.composed:
            if op.outs and op.outs[0] in self.composed:
                return
            target = op.args[0] if op.args else None
            while isinstance(target, Var) and target in self.composed and isinstance(op, Call):
                index = self.joined(op, target)
                if index is None:
                    break
                base = self.views[target].args[0]
                op = replace(op, args=(base, index, *op.args[2:]))
                target = base
        ops.append(self.descend(op))


def _is_view(op: Call) -> bool:
    return (
        callee(op) is operator.getitem
        and bool(op.outs)
        and isinstance(op.outs[0].type, Array)
        and isinstance(op.args[0], Var)
        and isinstance(op.args[0].type, Array)
        and index_kind(op.args[1]) == "basic"
        and op.args[1] != Lit(...)
    )


def _is_integer(item: Operand) -> bool:
    match item:
        case Lit(value):
            return isinstance(value, int | np.integer) and not isinstance(value, bool)
        case Var(_, Scalar(dtype)):
            return dtype.startswith(("int", "uint"))
        case _:
            return False


def _results(block: Block) -> list[Var]:
    found = [var for result in block.results for var in variables(result)]
    for op in all_ops(block):
        for inner in blocks(op):
            found += [var for result in inner.results for var in variables(result)]
    return found
