"""Masked products of matrices for kernels: the plain products, and a check that nothing came out infinite or missing.

    y = runtime.masked_matmul(a, b)     y = a @ b
                                        runtime.check_finite(np.sum(y))

Zero times what is infinite or missing is NaN, and so is a sum that it is part of. Where no such thing comes out, or where nothing
of the kind went in, the plain product is the masked one; elsewhere the check raises, and Python runs the function as it was.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from adxform import runtime
from adxform.ir.build import Builder
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, Function, Lit, Op, Operand, Var
from adxform.ir.types import Array, Scalar
from adxform.ir.walk import Names, all_ops, map_op
from adxform.passes.scalar.rewriting import each_body
from adxform.primitives.table import having, record_of

MASKED = having(lambda record: record.masks is not None and record.contracts is not None)


def check_masks(fn: Function) -> Function:
    """`fn` with plain products, checked, in the place of masked ones."""

    def body(part: Function) -> Block:
        if not any(isinstance(op, Call) and callee(op) in MASKED for op in all_ops(part.body)):
            return part.body
        names = Names.of(part)

        def block(inner: Block) -> Block:
            return replace(inner, ops=tuple([new for op in inner.ops for new in ops(op)]))

        def ops(op: Op) -> list[Op]:
            if not isinstance(op, Call):
                return [map_op(op, lambda operand: operand, block)]
            return _checked(op, names) if callee(op) in MASKED else [op]

        return block(part.body)

    return each_body(fn, body)


def _checked(op: Call, names: Names) -> list[Op]:
    """`op` as a plain product with its check: of the two vectors of an outer product, which are smaller, else of the result."""
    looked_at: tuple[Operand, ...] = op.args if callee(op) is runtime.masked_outer else op.outs
    if not all(_is_real(operand) for operand in looked_at):
        return [op]
    builder = Builder(names, op.span)
    builder.emit(replace(op, fn=Lit(record_of(callee(op)).masks)))
    for operand in looked_at:
        total = operand
        if isinstance(operand, Var) and isinstance(operand.type, Array):
            total = builder.call(np.sum, operand, type=Scalar("float64"), hint="total")
        builder.effect(runtime.check_finite, total)
    return builder.ops


def _is_real(operand: Operand) -> bool:
    """Whether `operand` is a number, or an array of known rank, in double precision."""
    match operand:
        case Var(type=Scalar("float64")):
            return True
        case Var(type=Array("float64", shape)):
            return bool(shape)
        case _:
            return False
