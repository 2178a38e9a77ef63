"""Where Python's own numbers raise and compiled ones do not: a kernel notes it, ends soon, and its caller asks Python again.

``1.0 / 0.0`` and ``math.log(-1.0)`` raise; machine code returns an infinity or NaN. ``int(1e300)`` is a number with no place
in a kernel. A flag, ``failed``, gathers what would have raised: loops stay free of exits, so that they vectorise. It ends a
`While` at once, for that might not end otherwise, and is asked at the end of the kernel.
"""

from __future__ import annotations

import math
import operator
from dataclasses import replace

import numpy as np

from adxform import runtime
from adxform.backends.numba.integers import GIVEN
from adxform.backends.numba.operand_dtypes import dtype_of, is_weak
from adxform.backends.numba.support import WHOLE, WHOLE_QUOTIENTS
from adxform.ir.build import Builder
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, For, Function, If, Lit, Op, Operand, Var, While
from adxform.ir.types import BOOL, FLOAT
from adxform.ir.walk import Names, all_ops
from adxform.primitives.table import record_of
from adxform.runtime import kernel_scalars

FLAGGED = frozenset({runtime.check_power, runtime.check_finite})
"""Checks, of which a flag is all that is kept."""
DIVIDING = WHOLE_QUOTIENTS | {operator.truediv}
LARGEST = 2.0**GIVEN
NO = Lit(False)


def note_failures(fn: Function) -> Function:
    """`fn`, a kernel, which raises at its end where Python's arithmetic would have raised on the way."""
    if not any(isinstance(op, Call) and can_fail(op) for op in all_ops(fn.body)):
        return fn
    noting = _Noting(Builder(Names.of(fn), fn.span))
    body, failed = noting.block(fn.body, NO)
    check = Call((), Lit(kernel_scalars.check_finite), (failed,), (), fn.span)
    return replace(fn, body=replace(body, ops=(*body.ops, check)))


def can_fail(op: Call) -> bool:
    """Whether Python raises for some numbers where a compiled `op` does not."""
    fn = callee(op)
    if fn in FLAGGED:
        return True
    if fn in WHOLE:
        return not (is_weak(op.args[0]) and dtype_of(op.args[0]) == "int64")
    if fn in DIVIDING:
        divisor = op.args[1]
        return not (isinstance(divisor, Lit) and divisor.value != 0) and all(map(is_weak, op.args))
    if fn is operator.pow:
        return all(map(is_weak, op.args)) and op.outs[0].type == FLOAT
    return getattr(fn, "__module__", "") == "math" and not record_of(fn).total


class _Noting:
    def __init__(self, builder: Builder) -> None:
        self.builder = builder

    def flag(self) -> Var:
        return self.builder.var("failed", BOOL)

    def block(self, block: Block, failed: Operand) -> tuple[Block, Operand]:
        """`block` that starts with `failed`, and what that is at its end."""
        ops: list[Op] = []
        for op in block.ops:
            new, failed = self.op(op, failed)
            ops += new
        return replace(block, ops=tuple(ops)), failed

    def op(self, op: Op, failed: Operand) -> tuple[list[Op], Operand]:
        match op:
            case Call():
                return self.call(op, failed) if can_fail(op) else ([op], failed)
            case If():
                then, one = self.block(op.then, failed)
                orelse, other = self.block(op.orelse, failed)
                if one == failed == other:
                    return [replace(op, then=then, orelse=orelse)], failed
                out = self.flag()
                then, orelse = (replace(arm, results=(*arm.results, end)) for arm, end in ((then, one), (orelse, other)))
                return [replace(op, outs=(*op.outs, out), then=then, orelse=orelse)], out
            case For():
                start, out = self.flag(), self.flag()
                body, end = self.block(op.body, start)
                if end == start:
                    return [replace(op, body=self.block(op.body, failed)[0])], failed
                body = replace(body, params=(*body.params, start), results=(*body.results, end))
                return [replace(op, outs=(*op.outs, out), inits=(*op.inits, failed), body=body)], out
            case While():
                return self.loop(op, failed)
            case _:
                return [op], failed

    def loop(self, op: While, failed: Operand) -> tuple[list[Op], Operand]:
        """A loop that ends once something has failed, in it or ahead of it: what it goes on for may be infinite."""
        start, tested, out = self.flag(), self.flag(), self.flag()
        test, asked = self.block(op.test, tested)
        body, end = self.block(op.body, start)
        if end == start and asked == tested:
            test, body = self.block(op.test, failed)[0], self.block(op.body, failed)[0]
            return [replace(op, test=test if failed == NO else self.going(test, failed), body=body)], failed
        test = self.going(replace(test, params=(*test.params, tested)), asked)
        body = Block((*body.params, start), body.ops, (*body.results, end))
        return [replace(op, outs=(*op.outs, out), inits=(*op.inits, failed), test=test, body=body)], out

    def going(self, test: Block, failed: Operand) -> Block:
        """`test`, which also asks that nothing has failed. What it asked itself may be any number, of which zero is false."""
        (asked,), ops = test.results, list(test.ops)
        if not (isinstance(asked, Var) and asked.type == BOOL):
            true = self.builder.var("tmp", BOOL)
            ops.append(Call((true,), Lit(operator.ne), (asked, Lit(0))))
            asked = true
        fine, going = self.builder.var("tmp", BOOL), self.builder.var("tmp", BOOL)
        ops += [Call((fine,), Lit(operator.not_), (failed,)), Call((going,), Lit(operator.and_), (asked, fine))]
        return Block(test.params, tuple(ops), (going,))

    def call(self, op: Call, failed: Operand) -> tuple[list[Op], Operand]:
        """`op`, and `failed` or what tells that it failed."""
        bad, out = self.builder.var("tmp", BOOL), self.flag()
        if callee(op) is runtime.check_power:
            base, exponent = op.args
            below, whole, broken = self.builder.var("tmp", BOOL), self.builder.var("tmp", FLOAT), self.builder.var("tmp", BOOL)
            found = [
                Call((below,), Lit(operator.lt), (base, Lit(0.0)), (), op.span),
                Call((whole,), Lit(np.floor), (exponent,), (), op.span),
                Call((broken,), Lit(operator.ne), (whole, exponent), (), op.span),
                Call((bad,), Lit(operator.and_), (below, broken), (), op.span),
            ]
        elif callee(op) in WHOLE:
            number, size = self.builder.var("tmp", FLOAT), self.builder.var("tmp", FLOAT)
            small = self.builder.var("tmp", BOOL)
            found = [
                Call((number,), Lit(float), op.args, (), op.span),
                Call((size,), Lit(abs), (number,), (), op.span),
                Call((small,), Lit(operator.lt), (size, Lit(LARGEST)), (), op.span),
                Call((bad,), Lit(operator.not_), (small,), (), op.span),
            ]
        elif callee(op) in DIVIDING:
            zero = Lit(0.0 if callee(op) is operator.truediv else 0)
            found = [Call((bad,), Lit(operator.eq), (op.args[1], zero), (), op.span)]
        else:
            finite = self.builder.var("tmp", BOOL)
            found = [
                Call((finite,), Lit(math.isfinite), op.outs or op.args, (), op.span),
                Call((bad,), Lit(operator.not_), (finite,), (), op.span),
            ]
        kept = () if callee(op) in FLAGGED else (op,)
        if failed == NO:
            return [*kept, *found], bad
        return [*kept, *found, Call((out,), Lit(operator.or_), (failed, bad), (), op.span)], out
