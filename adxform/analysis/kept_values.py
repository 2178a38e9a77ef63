"""What a derivative keeps from its forward to its reverse sweep, and how much in terms of the lengths of the arguments."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from adxform import runtime
from adxform.ir import intrinsics
from adxform.ir.ops import Block, Call, For, Function, Lit, Op, Operand, Pack, Var, While
from adxform.ir.spans import NOWHERE, Span
from adxform.ir.types import Array, Size
from adxform.ir.walk import TAPE, all_ops, blocks, outs

INFIX = {operator.add: " + ", operator.sub: " - ", operator.mul: " * ", operator.floordiv: " // "}


@dataclass(frozen=True, slots=True)
class KeptValue:
    """Something that is kept: what it is called, where it is computed, and how many numbers that are; ``"?"`` stands for a
    factor that is not known."""

    name: str
    size: str
    span: Span = field(default=NOWHERE, compare=False)


def kept(fn: Function) -> list[KeptValue]:
    """The tapes of `fn`, optimised typed IR, in order.

    >>> from adxform.ir.text import read
    >>> kept(read('''
    ... def f(x: f64[x.0], n: int):
    ...     m: int = operator.sub(n, 1)
    ...     tape: stack = intrinsics.new_stack()
    ...     for i: int in range(0, m, 1):
    ...         y: f64[x.0] = operator.mul(x, i)
    ...         intrinsics.push(tape, y)
    ...     return n'''))
    [KeptValue(name='y', size='(n - 1) * x.shape[0]', span=...)]
    """
    made = {out: op for op in all_ops(fn.body) for out in outs(op)}
    return list(_kept(fn.body, (), made))


def _kept(block: Block, iterations: tuple[str, ...], made: Mapping[Var, Op]) -> Iterator[KeptValue]:
    for op in block.ops:
        match op:
            case Call(outs=(Var() as tape,), fn=Lit(fn), args=(shape, *_)) if fn is np.empty and tape.base.endswith(TAPE):
                lengths = shape.items if isinstance(shape, Pack) else (shape,)
                sizes = (said(length, made) for length in lengths)
                yield KeptValue(tape.base.removesuffix(TAPE), product((*iterations, *sizes)), op.span)
            case Call(fn=Lit(fn), args=(_, value)) if fn is intrinsics.push:
                yield replace(pushed(value, iterations), span=op.span)
            case For(source=source, body=body):
                yield from _kept(body, (*iterations, trips(source, made)), made)
            case While():
                yield from _kept(op.body, (*iterations, "?"), made)
            case _:
                for inner in blocks(op):
                    yield from _kept(inner, iterations, made)


def pushed(value: Operand, iterations: tuple[str, ...]) -> KeptValue:
    """What a push onto a stack keeps, in all `iterations`."""
    match value:
        case Var(type=Array(_, shape)):
            return KeptValue(value.base, product((*iterations, *(("?",) if shape is None else map(measured, shape)))))
        case Var():
            return KeptValue(value.base, product(iterations))
        case _:
            return KeptValue("a number", product(iterations))


def product(factors: tuple[str, ...]) -> str:
    """`factors` multiplied."""
    some = [factor for factor in factors if factor != "1"]
    return some[0] if len(some) == 1 else " * ".join(map(grouped, some)) or "1"


def grouped(part: str) -> str:
    """`part` of a larger expression."""
    return f"({part})" if " " in part and not part.startswith("len(") else part


def measured(size: Size) -> str:
    """A length as the program would ask for it; ``"?"`` for one that has no name there."""
    if isinstance(size, int):
        return str(size)
    name, _, axis = size.base.rpartition(".")
    if not axis.isdecimal() or name.startswith("?"):
        return "?"
    asked = f"{name}.shape[{axis}]"
    return f"{asked} {'-' if size.offset < 0 else '+'} {abs(size.offset)}" if size.offset else asked


def trips(source: tuple[Operand, ...], made: Mapping[Var, Op]) -> str:
    """How many iterations a loop over a range has."""
    start, stop, step = source
    if start == Lit(0) and step == Lit(1):
        return said(stop, made)
    ends = source[:2] if step == Lit(1) else source
    return f"len(range({', '.join(said(part, made) for part in ends)}))"


def said(operand: Operand, made: Mapping[Var, Op]) -> str:
    """An integer as it is computed from the arguments."""
    if not isinstance(operand, Var):
        return str(operand.value) if isinstance(operand, Lit) else "?"
    match made.get(operand):
        case Call(fn=Lit(fn), args=(Var() as array, Lit(axis))) if fn is intrinsics.dim:
            return f"{array.base}.shape[{axis}]"
        case Call(fn=Lit(fn), args=(Var() as array,)) if fn is len:
            return f"len({array.base})"
        case Call(fn=Lit(fn), args=(length, Lit(0))) if fn is max:
            return said(length, made)
        case Call(fn=Lit(fn), args=(start, stop, step)) if fn is runtime.trip_count:
            return trips((start, stop, step), made)
        case Call(fn=Lit(fn), args=(a, b)) if fn in INFIX:
            return INFIX[fn].join(grouped(said(part, made)) for part in (a, b))
        case _:
            return operand.base
