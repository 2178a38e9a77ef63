"""Cotangents of arrays that begin as whole numbers: zeros of floats, whatever the array holds by then.

A state such as ``u = np.array([0, 1, 0])`` becomes floats on the first pass of a loop, or on one path. Its type says floats from
the start, and ``np.zeros_like(u)`` would still be of whole numbers, to which no slope can be added.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain

import numpy as np

from adxform.ir.ops import Block, Call, For, Function, If, Lit, Op, Operand, Var, While
from adxform.ir.types import Array, is_float
from adxform.ir.walk import all_ops, map_op


def float_zeros(fn: Function) -> Function:
    """`fn` with the dtype said where it makes zeros like an array of floats, if some may be whole numbers in a run."""
    parts = (fn, *fn.helpers)
    if not any(_begins_whole(op) for part in parts for op in all_ops(part.body)):
        return fn
    return replace(_said(fn), helpers=tuple(map(_said, fn.helpers)))


def _begins_whole(op: Op) -> bool:
    """Whether `op` takes an array of whole numbers, on a path or before its first pass, for one of floats."""
    return any(
        isinstance(given, Var) and isinstance(given.type, Array) and is_float(var.type) and not is_float(given.type)
        for var, given in _joins(op)
    )


def _joins(op: Op) -> Iterator[tuple[Var, Operand]]:
    """The variables that stand for what is given on several paths, and what that is."""
    match op:
        case If(outs=outs, then=then, orelse=orelse):
            return chain(zip(outs, then.results, strict=False), zip(outs, orelse.results, strict=False))
        case For(inits=inits, body=body, breaks=breaks):
            carried = body.params[1:]
            return chain(zip(carried, inits, strict=True), zip(carried, body.results[breaks:], strict=True))
        case While(inits=inits, body=body):
            return chain(zip(body.params, inits, strict=True), zip(body.params, body.results, strict=True))
        case _:
            return iter(())


def _said(fn: Function) -> Function:
    return replace(fn, body=_block(fn.body))


def _block(block: Block) -> Block:
    return replace(block, ops=tuple([_op(op) for op in block.ops]))


def _op(op: Op) -> Op:
    if not isinstance(op, Call):
        return map_op(op, lambda operand: operand, _block)
    if op.fn != Lit(np.zeros_like) or op.kwargs or len(op.args) != 1 or not is_float(op.outs[0].type):
        return op
    made = op.outs[0].type
    assert isinstance(made, Array)
    return replace(op, kwargs=(("dtype", Lit(np.dtype(made.dtype).type)),))
