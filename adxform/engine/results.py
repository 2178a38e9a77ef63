"""Arrays that a kernel returns are made by its caller: NumPy makes one in a quarter of the time that Numba hands one over in.

    x_ct = kernel(x)    # x_ct = np.empty(x.shape[0]) …

becomes

    x_ct = np.empty(x.shape[0])
    kernel(x, x_ct)
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import numpy as np

from adxform.backend.syntax import callee
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.ops import Block, Call, For, Lit, Op, Operand, Pack, Var
from adxform.ir.types import INT, Array
from adxform.ir.walk import Names, defined_variables, reads, substitute, variables_of
from adxform.source import Span

LENGTHS = frozenset({intrinsics.dim, len, operator.add, operator.sub, max, min})
"""What lengths are computed with."""
MADE: Mapping[Any, Callable[..., Any]] = MappingProxyType(
    {np.empty_like: np.empty, np.zeros_like: np.zeros, np.ones: np.empty, np.ones_like: np.empty, np.full_like: np.empty}
)
"""What makes an array, and what is as quick in NumPy and makes one of the same lengths."""
AHEAD: frozenset[Any] = frozenset({np.empty, np.zeros, intrinsics.dim})
"""What there is ahead of a kernel for its results."""


def made_ahead(ops: Sequence[Op], results: Collection[Var], names: Names) -> tuple[list[Op], list[Op]]:
    """What makes those arrays among the `results` of `ops` that can be made ahead of them, and `ops` without that.

    Those are arrays whose lengths follow from what is there before. What is in them is still seen to by `ops`.
    """
    inside = {var for op in ops for var in defined_variables(Block((), (op,), ()))}
    lengths: dict[Var, Call] = {}
    ahead = Ahead(names, lengths)
    left: list[Op] = []
    for op in ops:
        match op:
            case Call(outs=(out,)) if all(var not in inside or var in lengths for var in reads(op)):
                if callee(op) in LENGTHS and out.type == INT:
                    lengths[out] = op
                left += ahead.taken(op, out) if out in results else [op]
            case _:
                left.append(op)
    return ahead.builder.ops, left


class Ahead:
    """Collects what makes arrays; `lengths` are computed once more for them."""

    def __init__(self, names: Names, lengths: Mapping[Var, Call]) -> None:
        self.builder = Builder(names)
        self.lengths = lengths
        self.copies: dict[Var, Operand] = {}

    def taken(self, op: Call, out: Var) -> list[Op]:
        """What is left of `op` where the array `out` that it makes, if it does, is made ahead."""
        fn, self.builder.span = callee(op), op.span
        if fn in (np.empty, np.zeros):
            args = tuple([self.outside(arg) for arg in op.args])
            self.builder.emit(Call((out,), op.fn, args, op.kwargs, op.span))
            return []
        if fn not in MADE or op.kwargs or not isinstance(out.type, Array) or out.type.dtype != "float64":
            return [op]
        shape = self.outside(op.args[0]) if fn is np.ones else self.lengths_of(op.args[0], len(out.type.shape or ()))
        self.builder.emit(Call((out,), Lit(MADE[fn]), (shape,), (), op.span))
        match fn:
            case np.full_like:
                return filled(out, op.args[1], self.builder.names, op.span)
            case np.ones | np.ones_like:
                return filled(out, Lit(1.0), self.builder.names, op.span)
            case _:
                return []

    def lengths_of(self, like: Operand, rank: int) -> Operand:
        """The lengths of an array that is there already."""
        sizes = [self.builder.call(intrinsics.dim, like, Lit(axis), type=INT, hint="n") for axis in range(rank)]
        return Pack("tuple", tuple(sizes)) if rank > 1 else sizes[0]

    def outside(self, operand: Operand) -> Operand:
        """`operand`, lengths, computed ahead."""
        for var in variables_of((operand,)):
            if var in self.lengths and var not in self.copies:
                op = self.lengths[var]
                copy = self.builder.var(var.base, INT)
                args = tuple([self.outside(arg) for arg in op.args])
                self.builder.emit(Call((copy,), op.fn, args, (), op.span))
                self.copies[var] = copy
        return substitute(operand, self.copies)


def filled(array: Var, value: Operand, names: Names, span: Span) -> list[Op]:
    """What stores `value` in every element of `array`."""
    assert isinstance(array.type, Array)
    rank = len(array.type.shape or ())
    items = [Var(names.fresh("i"), INT) for _ in range(rank)]
    index = Pack("tuple", tuple(items)) if rank > 1 else items[0]
    ops: list[Op] = [Call((), Lit(operator.setitem), (array, index, value), (), span)]
    for axis in reversed(range(rank)):
        builder = Builder(names, span)
        stop = builder.call(intrinsics.dim, array, Lit(axis), type=INT, hint="n")
        ops = [*builder.ops, For((), (Lit(0), stop, Lit(1)), (), Block((items[axis],), tuple(ops), ()), span=span)]
    return ops
