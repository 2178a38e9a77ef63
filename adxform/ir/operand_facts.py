"""What operands and ops say by themselves: types, lengths of axes, parts of an index, the ops inside."""

from __future__ import annotations

from typing import Any

from adxform.ir.ops import Block, Call, Lit, Op, Operand, Pack, Var
from adxform.ir.types import Array, Scalar, Size, Stack, Type
from adxform.ir.walk import all_ops, blocks, variables_of


def callee(op: Op) -> Any:
    """The function that `op` calls; ``None`` where there is none, or it is not known or cannot be looked up."""
    if not isinstance(op, Call):
        return None
    try:
        return op.calls
    except AttributeError:
        object.__setattr__(op, "calls", found := _looked_up(op.fn))
    return found


def _looked_up(fn: Operand) -> Any:
    if not isinstance(fn, Lit):
        return None
    try:
        hash(fn.value)
    except TypeError:
        return None
    return fn.value


def type_of(operand: Operand) -> Type | None:
    """The type of a variable or of a literal number."""
    match operand:
        case Var(_, type_):
            return type_
        case Lit(bool()):
            return Scalar("bool", weak=True)
        case Lit(int()):
            return Scalar("int64", weak=True)
        case Lit(float()):
            return Scalar("float64", weak=True)
        case Lit(complex()):
            return Scalar("complex128", weak=True)
        case _:
            return None


def is_stack(operand: Operand) -> bool:
    """Whether `operand` is a stack of a reverse sweep."""
    return isinstance(operand, Var) and isinstance(operand.type, Stack)


def axis_lengths(operand: Operand) -> tuple[Size, ...]:
    """The lengths of an array's axes, as far as there are any and they are known."""
    return (operand.type.shape or ()) if isinstance(operand, Var) and isinstance(operand.type, Array) else ()


def float_axis_lengths(operand: Operand) -> tuple[Size, ...]:
    """As `axis_lengths`, of an array of ``float64``; none for anything else."""
    match operand:
        case Var(type=Array("float64", tuple() as shape)):
            return shape
        case _:
            return ()


def float_rank(operand: Operand) -> int:
    """The number of axes of an array of ``float64``; -1 for anything else."""
    match operand:
        case Var(type=Array("float64", tuple() as shape)):
            return len(shape)
        case _:
            return -1


def index_parts(index: Operand) -> tuple[Operand, ...]:
    """The parts of an index, one by one."""
    match index:
        case Pack("tuple", items):
            return items
        case Lit(tuple() as items):
            return tuple(map(Lit, items))
        case _:
            return (index,)


def with_inner(op: Op) -> tuple[Op, ...]:
    """`op` and the ops in its blocks."""
    return all_ops(Block((), (op,), ()))


def yielded(op: Op) -> tuple[Var, ...]:
    """The variables that blocks of `op` yield."""
    return variables_of([result for block in blocks(op) for result in block.results])
