"""What a function raises by itself, as calls that kernels can hold: ``check_holds(condition)``.

Which exception it is, and its text, is left to Python, which runs where a kernel raises. Slices with variable bounds that are
stored into are checked to be as long as what is stored, so that loops may take them for that.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from adxform.analysis.slices import selected
from adxform.frontend.signature.assumed_lengths import holds, lengths_stored
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, Function, If, Lit, Op, Operand, Raise, Var
from adxform.ir.types import BOOL, INT, Array, Dim
from adxform.ir.walk import Names, map_op
from adxform.passes.scalar.rewriting import each_body
from adxform.primitives.effects import is_removable
from adxform.primitives.memory import STORES
from adxform.runtime import kernel_scalars


def with_checks(fn: Function) -> Function:
    """`fn` with checks in the place of branches that only raise, and ahead of stores into slices with variable bounds."""

    def body(part: Function) -> Block:
        names = Names.of(part)

        def block(inner: Block) -> Block:
            ops = tuple([new for op in inner.ops for new in (*checks(op, names), *asserted(op, names, block))])
            return inner if ops == inner.ops else replace(inner, ops=ops)

        return block(part.body)

    return each_body(fn, body)


def asserted(op: Op, names: Names, block: Callable[[Block], Block]) -> list[Op]:
    """`op`, or the check that it is."""
    match op:
        case If((), condition, Block(ops=()), Block(ops=failure)) if raises(failure):
            return [Call((), Lit(kernel_scalars.check_holds), (condition,), (), op.span)]
        case If((), condition, Block(ops=failure), Block(ops=())) if raises(failure):
            builder = Builder(names, op.span)
            builder.effect(kernel_scalars.check_holds, builder.call(operator.not_, condition, type=BOOL))
            return builder.ops
        case _:
            return [map_op(op, lambda operand: operand, block)]


def raises(ops: tuple[Op, ...]) -> bool:
    """Whether `ops` raise an exception that they make, and do nothing else that is seen."""
    *ahead, last = ops or (None,)
    return isinstance(last, Raise) and all(
        isinstance(op, Call) and (is_exception(callee(op)) or is_removable(op)) for op in ahead
    )


def is_exception(fn: Any) -> bool:
    """Whether calling `fn` makes one of Python's own exceptions, and nothing else."""
    return isinstance(fn, type) and issubclass(fn, Exception) and fn.__module__ == "builtins"


def checks(op: Op, names: Names) -> list[Op]:
    """What is to be seen before `op` where it stores into slices that may be cut off: that they are not."""
    match op:
        case Call((), Lit(fn), (Var(type=Array(_, tuple())) as x, index, value)) if fn in STORES:
            builder = Builder(names, op.span)
            for axis, place, bounds, size in lengths_stored(x, index, value):
                whole = builder.call(intrinsics.dim, x, Lit(axis), type=INT, hint="n")
                length: Operand = Lit(size)
                if isinstance(size, Dim):
                    assert isinstance(value, Var)
                    assert isinstance(value.type, Array)
                    at = place - selected(x, index) + len(value.type.shape or ())
                    length = builder.call(intrinsics.dim, value, Lit(at), type=INT, hint="n")
                builder.effect(kernel_scalars.check_holds, holds(builder, bounds, whole, length))
            return builder.ops
        case _:
            return []
