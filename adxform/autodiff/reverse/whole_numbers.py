"""Cotangents of arrays that begin as whole numbers: zeros of floats, whatever the array holds by then.

A state such as ``u = np.array([0, 1, 0])`` becomes floats on the first iteration of a loop, or on one path. Its type says floats
from the start, and ``np.zeros_like(u)`` would still be of whole numbers, to which no slope can be added.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from adxform.ir.ops import Block, Call, Function, Lit, Op, Var
from adxform.ir.types import Array, is_inexact
from adxform.ir.walk import all_ops, joins, map_op


def float_zeros(fn: Function) -> Function:
    """`fn` with the dtype said where it makes zeros like an array of floats, if some may be whole numbers in a run."""
    parts = (fn, *fn.helpers)
    if not any(_begins_whole(op) for part in parts for op in all_ops(part.body)):
        return fn
    return replace(_said(fn), helpers=tuple(map(_said, fn.helpers)))


def _begins_whole(op: Op) -> bool:
    """Whether `op` takes an array of whole numbers, on a path or before its first iteration, for one of floats."""
    return any(
        isinstance(given, Var) and isinstance(given.type, Array) and is_inexact(var.type) and not is_inexact(given.type)
        for var, given in joins(op)
    )


def _said(fn: Function) -> Function:
    return replace(fn, body=_block(fn.body))


def _block(block: Block) -> Block:
    return replace(block, ops=tuple([_op(op) for op in block.ops]))


def _op(op: Op) -> Op:
    if not isinstance(op, Call):
        return map_op(op, lambda operand: operand, _block)
    if op.fn != Lit(np.zeros_like) or op.kwargs or len(op.args) != 1 or not is_inexact(op.outs[0].type):
        return op
    made = op.outs[0].type
    assert isinstance(made, Array)
    return replace(op, kwargs=(("dtype", Lit(np.dtype(made.dtype).type)),))
