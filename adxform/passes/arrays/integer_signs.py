"""Which integers of a function are known not to be below zero: what counts upwards, lengths, and sums of such."""

from __future__ import annotations

import operator

from adxform import runtime
from adxform.ir import intrinsics
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Call, For, Lit, Op, Operand, Var
from adxform.ir.types import INT

LENGTHS = (len, intrinsics.dim, runtime.trip_count, runtime.from_front)


def from_zero(operand: Operand, known: set[str]) -> bool:
    """Whether `operand` is not below zero, as far as `known` says so of variables."""
    match operand:
        case Lit(int() as number):
            return number >= 0
        case Var(name):
            return name in known
        case _:
            return False


def note_sign(op: Op, known: set[str]) -> None:
    """Add the integer that the call `op` makes to what is `known` not to be below zero, if it is not."""
    match op:
        case Call((Var(type=type_) as out,), _, args) if type_ == INT:
            fn = callee(op)
            signs = [from_zero(arg, known) for arg in args]
            kept = fn in (operator.add, operator.mul, min) and all(signs)
            if kept or fn in LENGTHS or (fn is max and any(signs)):
                known.add(out.name)
        case _:
            return


def counts_from_zero(loop: For, known: set[str]) -> bool:
    """Whether no item of `loop`, over a range, is below zero."""
    start, stop, step = loop.source
    match step:
        case Lit(int() as by) if by > 0:
            return from_zero(start, known)
        case Lit(int() as by) if by < 0:
            return from_zero(stop, known) or stop == Lit(-1)
        case _:
            return False
