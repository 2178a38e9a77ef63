"""Calls inside of a ``try`` of the program, once each: the question what a call raises, and the call, are one statement.

error = runtime.raised_by(np.linalg.cholesky, a)     c, error = runtime.tried(np.linalg.cholesky, a)
raised = error is not None                           raised = error is not None
if raised: …                                         if raised: …
else: c = np.linalg.cholesky(a); …                   else: …
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import replace

from adxform import runtime
from adxform.ir import intrinsics
from adxform.ir.ops import Block, Call, Function, If, Lit, Op
from adxform.ir.regions import is_call_of
from adxform.ir.walk import all_ops, map_op
from adxform.primitives.effects import is_removable


def tried_once(fn: Function) -> Function:
    """`fn` with each call that is asked about, and follows where it does not raise, made once."""
    if not any(is_call_of(op, runtime.raised_by) for op in all_ops(fn.body)):
        return fn
    return replace(fn, body=_block(fn.body))


def _block(block: Block) -> Block:
    ops: list[Op] = [map_op(op, lambda operand: operand, _block) for op in block.ops]
    for place, op in enumerate(ops):
        if not isinstance(op, Call) or not is_call_of(op, runtime.raised_by):
            continue
        then = _decided(ops, place)
        branch = ops[then]
        made = _made(op, branch.orelse.ops) if isinstance(branch, If) else None
        if made is not None and isinstance(branch, If):
            rest = tuple(inner for inner in branch.orelse.ops if inner is not made)
            ops[then] = replace(branch, orelse=replace(branch.orelse, ops=rest))
            ops[place] = replace(op, outs=(*made.outs, *op.outs), fn=Lit(runtime.tried))
    return replace(block, ops=tuple(ops))


def _decided(ops: Sequence[Op], place: int) -> int:
    """Where the `If` is that decides on whether the call asked about at `place` raises; `place` where nothing may wait for it."""
    asked = ops[place]
    assert isinstance(asked, Call)
    raised = None
    for at in range(place + 1, len(ops)):
        match ops[at]:
            case If(cond=cond) if cond == raised:
                return at
            case Call((out,), Lit(operator.is_not), (error, Lit(None))) if error == asked.outs[0]:
                raised = out
            case op if not is_removable(op) and not is_call_of(op, intrinsics.push):
                return place
    return place


def _made(asked: Call, ops: Sequence[Op]) -> Call | None:
    """The call among the first of `ops` that was `asked` about."""
    for op in ops:
        if not is_removable(op) or not isinstance(op, Call):
            return None
        if len(op.outs) == 1 and (op.fn, *op.args) == asked.args and op.kwargs == asked.kwargs:
            return op
    return None
