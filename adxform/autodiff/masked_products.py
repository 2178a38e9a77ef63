"""Products in what a rule has written, masked: its own loops and branches included."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from adxform import runtime
from adxform.ir.build import Builder
from adxform.ir.ops import Block, Call, For, If, Lit, Op, Operand, Var, While
from adxform.ir.walk import all_ops, blocks, map_op, outs, reads, variables, variables_of
from adxform.primitives.effects import effect_of
from adxform.primitives.facets import Contracts
from adxform.primitives.table import TABLE, record_of

MASKED: Mapping[Contracts, Callable[..., Any]] = {
    record.contracts: fn for fn, record in TABLE.items() if record.masks is not None and record.contracts is not None
}
"""What stands in the place of a sum of products where a factor may be zero and another infinite or missing."""


def mask_products(b: Builder, start: int, moved: Sequence[Operand]) -> None:
    """Mask the products that the ops of `b` from `start` on, written by a rule, make of the tangents or cotangents `moved`."""
    depends = {var for operand in moved for var in variables(operand)}
    known = -1
    while known < len(depends):  # loops hand on what a later op writes
        known = len(depends)
        _spread(b.ops[start:], depends)
    rates = {out for op in all_ops(Block((), tuple(b.ops[start:]), ())) if _is_rate(op) for out in outs(op)}
    b.ops[start:] = [_masked(op, depends, rates) for op in b.ops[start:]]


def _spread(ops: Iterable[Op], depends: set[Var]) -> None:
    """Add to `depends` what `ops` compute from it, and the memory that they write it to, under each name that they gave it."""
    for op in ops:
        match op:
            case For(outs=made, inits=inits, body=body, breaks=breaks):
                _carry(made, inits, body.params[1:], body.results[breaks:], depends)
            case While(outs=made, inits=inits, body=body):
                _carry(made, inits, body.params, body.results, depends)
            case If(outs=made, then=then, orelse=orelse):
                _carry(made, then.results, made, orelse.results, depends)
            case _ if not depends.isdisjoint(reads(op)):
                depends.update(outs(op))
        if isinstance(op, Call) and not depends.isdisjoint((*reads(op), *op.outs)):
            effect = effect_of(op)
            shared = effect.writes + (effect.views if not depends.isdisjoint(op.outs) else ())
            depends.update(var for place in shared if place < len(op.args) for var in variables(op.args[place]))
        for block in blocks(op):
            _spread(block.ops, depends)


def _carry(
    made: tuple[Var, ...],
    inits: tuple[Operand, ...],
    params: tuple[Var, ...],
    results: tuple[Operand, ...],
    depends: set[Var],
) -> None:
    for out, init, param, result in zip(made, inits, params, results, strict=True):
        if not depends.isdisjoint((out, param, *variables_of((init, result)))):
            depends.update((out, param))


def _is_rate(op: Op) -> bool:
    return isinstance(op, Call) and op.fn == Lit(runtime.rate)


def _masked(op: Op, depends: set[Var], rates: set[Var]) -> Op:
    """`op`, masked if it is a product; what has no rate of change has none times anything: see `families.vector_lengths`."""
    match op:
        case Call(fn=Lit(operator.mul | np.multiply), args=(_, _), kwargs=()) if not depends.isdisjoint(variables_of(op.args)):
            if not rates.isdisjoint(variables_of(op.args)):
                return op
            if all(is_constant_factor(arg) or arg in depends for arg in op.args):
                return op
            ct, factor = op.args if op.args[0] in depends else reversed(op.args)
            return replace(op, fn=Lit(runtime.masked_product), args=(ct, factor))
        case Call(fn=Lit(fn)) if (masked := _masked_form(fn)) is not None and not op.kwargs:
            mixed = {var in depends for var in variables_of(op.args)} == {True, False}
            return replace(op, fn=Lit(masked)) if mixed else op
        case Call():
            return op
        case _:
            return map_op(op, lambda operand: operand, lambda block: _masked_block(block, depends, rates))


def _masked_form(fn: Any) -> Callable[..., Any] | None:
    record = record_of(fn)
    return MASKED.get(record.contracts) if record.contracts is not None and record.masks is None else None


def _masked_block(block: Block, depends: set[Var], rates: set[Var]) -> Block:
    return replace(block, ops=tuple([_masked(op, depends, rates) for op in block.ops]))


def is_constant_factor(operand: Operand) -> bool:
    """Whether `operand` is a literal other than zero, so that its product with a cotangent is infinite where that is."""
    return isinstance(operand, Lit) and operand.value != 0
