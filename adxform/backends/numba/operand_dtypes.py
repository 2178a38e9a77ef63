"""The dtypes in which kernels compute, where these are not those of Python's own numbers.

To NumPy a number of Python's takes the precision of what it meets; to a compiler it has its own, which would be that of the
result. So what meets `float32` is converted first, and what comes out in another precision afterwards.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, For, Function, If, Lit, Op, Operand, Var, While
from adxform.ir.types import Array, Scalar
from adxform.ir.walk import Names, all_ops, map_op, outs
from adxform.primitives.facets import Algebra, Kernel
from adxform.primitives.memory import STORES
from adxform.primitives.scipy_rules.ufunc_loops import loop_of
from adxform.primitives.table import meaning_of, record_of

FOREIGN = ("float32", "complex128")
"""The dtypes of which Python has no number, or no number alone."""


def convert_operands(fn: Function) -> Function:
    """`fn`, a kernel, in which every call has operands of the dtype that NumPy would compute in.

    >>> from adxform.ir.text import read, show
    >>> print(show(convert_operands(read('''
    ... def f(x: f32, n: int):
    ...     a: f32 = operator.mul(0.1, x)
    ...     b: f32 = operator.mul(n, a)
    ...     return b'''))))
    def f(x: f32, n: int):
        a: f32 = operator.mul(np.float32(0.10000000149011612), x)
        tmp: f32 = np.float32(n)
        b: f32 = operator.mul(tmp, a)
        return b
    """
    made = [var for op in all_ops(fn.body) for var in outs(op)]
    if not any(dtype_of(var) in FOREIGN for var in (*fn.params, *made)):
        return fn
    names = Names.of(fn)
    return replace(fn, body=_converted(fn.body, names))


def dtype_of(operand: Operand) -> str:
    """The dtype of a number or an array; empty for anything else."""
    match operand:
        case Var(type=Scalar(dtype) | Array(dtype)):
            return dtype
        case Lit(value=bool() | int() | float() | complex() | np.generic() as value):
            return np.dtype(type(value)).name
        case _:
            return ""


def sample_of(operand: Operand) -> type | np.dtype[Any]:
    """What NumPy asks about a number: its dtype, or its type where it is of Python's own, which gives way."""
    dtype = np.dtype(dtype_of(operand))
    return type(dtype.type(0).item()) if is_weak(operand) else dtype


def is_weak(operand: Operand) -> bool:
    """Whether `operand` is a number of Python's own."""
    if isinstance(operand, Lit):
        return not isinstance(operand.value, np.generic)
    return isinstance(operand, Var) and isinstance(operand.type, Scalar) and operand.type.weak


def _converted(block: Block, names: Names) -> Block:
    builder = Builder(names)
    for op in block.ops:
        op = map_op(op, lambda operand: operand, lambda inner: _converted(inner, names))
        if isinstance(op, Call):
            _call(op, builder)
        else:
            builder.emit(_flowing(op))
    return replace(block, ops=tuple(builder.ops))


def _call(op: Call, builder: Builder) -> None:
    fn, out = callee(op), dtype_of(op.outs[0]) if len(op.outs) == 1 and isinstance(op.outs[0].type, Scalar) else ""
    builder.span = op.span
    if fn in STORES:
        builder.emit(replace(op, args=(*op.args[:2], _in(dtype_of(op.args[0]), op.args[2], builder))))
        return
    takes = _takes(op, out)
    args = tuple(_in(dtype, arg, builder) for dtype, arg in zip(takes, op.args, strict=True))
    if fn is operator.pow and out == "complex128":
        squared = op.args[1] == Lit(2)
        op, args = replace(op, fn=Lit(operator.mul if squared else operator.pos)), args[:1] * (2 if squared else 1)
    op = op if args == op.args else replace(op, args=args)
    if out != "float32" or fn in (operator.getitem, intrinsics.pop, np.float32) or _is_native(fn):
        builder.emit(op)
        return
    wide = builder.var(op.outs[0].base, Scalar("float64"))
    builder.emit(replace(op, outs=(wide,)))
    builder.emit(Call(op.outs, Lit(np.float32), (wide,), (), op.span))


def _is_native(fn: Any) -> bool:
    """Whether compiled code gives `float32` of `float32`."""
    record = record_of(fn)
    plain = meaning_of(fn).algebra not in (None, Algebra.POWER) or record.kernel in (Kernel.FLOATS, Kernel.LOOP)
    return plain and record.form is None


def _takes(op: Call, out: str) -> Sequence[str]:
    """The dtypes of the operands of `op` as it is computed, empty for those that stay."""
    dtypes = [dtype_of(arg) if not (isinstance(arg, Var) and isinstance(arg.type, Array)) else "" for arg in op.args]
    fn = callee(op)
    if record_of(fn).kernel is Kernel.LOOP:
        loop = loop_of(fn, tuple(map(sample_of, op.args)))
        assert loop is not None
        return loop.takes
    yields = all(is_weak(arg) for arg, dtype in zip(op.args, dtypes, strict=True) if dtype not in ("float32", ""))
    if "float32" not in dtypes or not yields or out not in ("float32", "bool"):
        return [""] * len(dtypes)
    exponent = 1 if fn is operator.pow and isinstance(op.args[1], Lit) and dtypes[1] == "int64" else None
    return ["float32" if dtype in ("float64", "int64") and place != exponent else "" for place, dtype in enumerate(dtypes)]


def _in(dtype: str, operand: Operand, builder: Builder) -> Operand:
    """`operand` as a number of `dtype`, or as it is where that is empty."""
    if dtype not in FOREIGN or dtype_of(operand) == dtype:
        return operand
    type_ = np.dtype(dtype).type
    if isinstance(operand, Lit):
        return Lit(type_(operand.value))
    return builder.call(type_, operand, type=Scalar(dtype))


def _flowing(op: Op) -> Op:
    """`op`, in which numbers that are known flow into variables as numbers of their dtype."""
    match op:
        case If(outs=made, then=then, orelse=orelse):
            return replace(op, then=_ending(then, made), orelse=_ending(orelse, made))
        case For(inits=inits, body=body):
            carried = body.params[1:]
            return replace(op, inits=_known(inits, carried), body=_ending(body, carried, int(op.breaks)))
        case While(inits=inits, body=body):
            return replace(op, inits=_known(inits, body.params), body=_ending(body, body.params))
        case _:
            return op


def _ending(block: Block, into: tuple[Var, ...], lead: int = 0) -> Block:
    return replace(block, results=(*block.results[:lead], *_known(block.results[lead:], into)))


def _known(given: Iterable[Operand], into: tuple[Var, ...]) -> tuple[Operand, ...]:
    return tuple(
        Lit(np.dtype(dtype).type(operand.value)) if isinstance(operand, Lit) and (dtype := dtype_of(var)) in FOREIGN else operand
        for operand, var in zip(given, into, strict=True)
    )
