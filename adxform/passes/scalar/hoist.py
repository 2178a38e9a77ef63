"""Loop invariants: cheap numbers that a loop would compute anew in each iteration."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property

from adxform import runtime
from adxform.ir import intrinsics
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, For, Function, If, Lit, Op, Operand, Var, While
from adxform.ir.types import Array, Scalar
from adxform.ir.undefined import maybe_undefined
from adxform.ir.walk import all_ops, names_read, outs, reads, variables_of
from adxform.passes.scalar.rewriting import each_body
from adxform.primitives.table import record_of

LOOPING = frozenset({For, While})


def hoist_invariants(fn: Function, *, lengths: bool = False) -> Function:
    """Compute numbers that do not depend on a loop ahead of it: arithmetic that cannot raise, lengths, comparisons.

    What a rule was built with is asked for there as well.

    The bounds of an inner loop stay where they are read. With `lengths`, only those of arrays go, also where they are bounds.

    >>> from adxform.ir.text import read, show
    >>> print(show(hoist_invariants(read('''
    ... def f(x: f64[x.0], n: int):
    ...     for i: int in range(0, n, 1):
    ...         last: int = operator.sub(n, 1)
    ...         j: int = operator.sub(last, i)
    ...         operator.setitem(x, j, 0.0)
    ...     return x'''))))
    def f(x: f64[x.0], n: int):
        last: int = operator.sub(n, 1)
        for i: int in range(0, n, 1):
            j: int = operator.sub(last, i)
            operator.setitem(x, j, 0.0)
        return x
    """

    def hoisted(part: Function) -> Block:
        loops = any(isinstance(op, For | While) for op in all_ops(part.body))
        return _Hoisting(part, lengths).block(part.body) if loops else part.body

    return each_body(fn, hoisted)


class _Hoisting:
    def __init__(self, fn: Function, lengths: bool) -> None:
        self.fn = fn
        self.lengths = lengths

    @cached_property
    def wanted(self) -> set[str]:
        """The variables that may go ahead of their loops."""
        return set(_lengths(self.fn.body) if self.lengths else names_read(self.fn.body, _beside_bounds))

    @cached_property
    def undefined(self) -> set[str]:
        """The variables that may have no value."""
        return {var.name for var in maybe_undefined(self.fn.body)}

    def block(self, block: Block) -> Block:
        ops: list[Op] = []
        for op in block.ops:
            self.visit(op, ops)
        same = len(ops) == len(block.ops) and all(map(operator.is_, ops, block.ops))
        return block if same else replace(block, ops=tuple(ops))

    def visit(self, op: Op, ops: list[Op]) -> None:
        match op:
            case If(then=then, orelse=orelse):
                then, orelse = self.block(then), self.block(orelse)
                ops.append(op if then is op.then and orelse is op.orelse else replace(op, then=then, orelse=orelse))
            case For(body=body):
                body = self.lift(self.block(body), ops)
                ops.append(op if body is op.body else replace(op, body=body))
            case While(test=test, body=body):
                test, body = self.lift(self.block(test), ops), self.lift(self.block(body), ops)
                ops.append(op if test is op.test and body is op.body else replace(op, test=test, body=body))
            case _:
                ops.append(op)

    def lift(self, body: Block, ops: list[Op]) -> Block:
        """Move what does not depend on the loop from `body` to `ops`; what may have no value is asked for in no other place."""
        inside = {param.name for param in body.params}
        kept: list[Op] = []
        for op in body.ops:
            if self.is_liftable(op, inside):
                ops.append(op)
            else:
                kept.append(op)
                inside.update(out.name for out in outs(op))
        return body if len(kept) == len(body.ops) else replace(body, ops=tuple(kept))

    def is_liftable(self, op: Op, inside: set[str]) -> bool:
        return (
            isinstance(op, Call)
            and len(op.outs) == 1
            and cannot_raise(op)
            and not any(var.name in inside for var in reads(op))
            and op.outs[0].name in self.wanted
            and not any(var.name in self.undefined for var in reads(op))
        )


def cannot_raise(op: Call) -> bool:
    """Whether `op` is cheap, a number, and neither raises nor warns whatever its operands are; or what a rule was built with."""
    fn = callee(op)
    if fn is runtime.staged:
        return True
    if fn is intrinsics.dim or fn is len:
        return isinstance(op.args[0], Var) and isinstance(op.args[0].type, Array) and op.args[0].type.shape is not None
    if record_of(fn).divides:
        match op.args[1]:
            case Lit(int() | float() as divisor) if divisor:
                return all(map(_is_python_number, (*op.args, *op.outs)))
            case _:
                return False
    return record_of(fn).safe and not op.kwargs and all(map(_is_python_number, (*op.args, *op.outs)))


def _is_python_number(operand: Operand) -> bool:
    match operand:
        case Var(type=Scalar(_, weak)):
            return weak
        case Lit(value):
            return type(value) in (bool, int, float)
        case _:
            return False


def _lengths(block: Block) -> Iterator[str]:
    """The variables that are lengths of arrays."""
    yield from (op.outs[0].name for op in all_ops(block) if isinstance(op, Call) and op.outs and callee(op) is intrinsics.dim)


def _beside_bounds(op: Op) -> tuple[Var, ...]:
    """What `op` takes for something else than the range of a loop."""
    return variables_of(op.inits) if isinstance(op, For) else reads(op)
