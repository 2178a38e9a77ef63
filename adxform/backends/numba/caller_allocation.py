"""Arrays that a kernel returns are made by its caller: NumPy makes one in a quarter of the time that Numba hands one over in.

    x_ct = kernel(x)    # x_ct = np.empty(x.shape[0]) …

becomes

    x_ct = np.empty(x.shape[0])
    kernel(x, x_ct)
"""

from __future__ import annotations

import operator
from collections.abc import Container, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, For, Lit, Op, Operand, Pack, Var
from adxform.ir.spans import Span
from adxform.ir.types import INT, Array, rank
from adxform.ir.walk import Names, defined_variables, reads, substitute, variables_of
from adxform.passes.linalg.kernel_products import axes_of, is_product, order_of_axes
from adxform.passes.loops.array_elimination import LENGTHS
from adxform.primitives.facets import Fresh, Layout
from adxform.primitives.record import Primitive
from adxform.primitives.table import record_of

AHEAD: frozenset[Any] = frozenset({np.empty, np.zeros, intrinsics.dim})
"""What there is ahead of a kernel for its results."""


def made_ahead(ops: Sequence[Op], results: Container[Var], names: Names, *, as_laid_out: bool) -> tuple[list[Op], list[Op]]:
    """What makes those arrays among the `results` of `ops` that can be made ahead of them, and `ops` without that.

    Those are arrays whose lengths follow from what is there before. What is in them is still seen to by `ops`. With `as_laid_out`
    they lie in memory as the user's do, else row by row.
    """
    inside = frozenset({var for op in ops for var in defined_variables(Block((), (op,), ()))})
    ahead = CallerAllocation(names, inside, as_laid_out)
    left: list[Op] = []
    for op in ops:
        match op:
            case Call(outs=(out,)):
                ahead.note(op, out)
                left += ahead.taken(op, out) if out in results else [op]
            case _:
                left.append(op)
    return ahead.builder.ops, left


class CallerAllocation:
    """Collects what makes arrays; `lengths`, those among what is `inside`, are computed once more for them.

    Of arrays that are made inside, the lengths that are known are those of `shapes`; some are others `turned`. Those that
    lie row by row are `by_rows`; `ahead` are those that are made ahead.
    """

    def __init__(self, names: Names, inside: frozenset[Var], as_laid_out: bool) -> None:
        self.builder = Builder(names)
        self.inside = inside
        self.as_laid_out = as_laid_out
        self.by_rows: set[Operand] = set()
        self.ahead: set[Operand] = set()
        self.lengths: dict[Var, Call] = {}
        self.shapes: dict[Operand, tuple[Operand, ...]] = {}
        self.turned: dict[Operand, tuple[Operand, tuple[int, ...]]] = {}
        self.copies: dict[Var, Operand] = {}

    def note(self, op: Call, out: Var) -> None:
        """Remember what `op` says of lengths."""
        fn = callee(op)
        if fn in LENGTHS and out.type == INT and all(map(self.is_known, reads(op))):
            self.lengths[out] = op
        elif _takes_shape(record_of(fn)) and isinstance(out.type, Array) and all(map(self.is_known, reads(op))):
            items = op.args[0].items if isinstance(op.args[0], Pack) else op.args[:1]
            if len(items) == len(out.type.shape or ()):
                self.shapes[out] = items
                self.by_rows.add(out)
        elif (order := order_of_axes(op)) is not None:
            self.turned[out] = op.args[0], order

    def is_known(self, var: Var) -> bool:
        """Whether `var` is there ahead, or is a length."""
        return var not in self.inside or var in self.lengths

    def taken(self, op: Call, out: Var) -> list[Op]:
        """What is left of `op` where the array `out` that it makes, if it does, is made ahead."""
        fn, self.builder.span = callee(op), op.span
        if fn in (np.empty, np.zeros) and all(map(self.is_known, reads(op))):
            args = tuple([self.outside(arg) for arg in op.args])
            self.builder.emit(Call((out,), op.fn, args, op.kwargs, op.span))
            self.ahead.add(out)
            return []
        if op.kwargs or not isinstance(out.type, Array) or out.type.dtype != "float64":
            return [op]
        record = record_of(fn)
        cleared = record.fresh == Fresh(0.0, like=True)
        if self.as_laid_out and is_laid_as_first(op) and op.args[0] not in self.by_rows:
            if not _is_laid_out(record) or (like := self.like(op.args[0])) is None:
                return [op]
            self.builder.emit(Call((out,), Lit(np.zeros_like if cleared else np.empty_like), (like,), (), op.span))
        else:
            shape = self.shape(op, len(out.type.shape or ()))
            if shape is None:
                return [op]
            self.shapes[out] = shape
            lengths = Pack("tuple", shape) if len(shape) > 1 else shape[0]
            self.builder.emit(Call((out,), Lit(np.zeros if cleared else np.empty), (lengths,), (), op.span))
            self.by_rows.add(out)
        self.ahead.add(out)
        return self.left_of(op, out)

    def left_of(self, op: Call, out: Var) -> list[Op]:
        """What fills `out`, made ahead, with what `op` makes."""
        match fn := callee(op):
            case np.full_like:
                return filled(out, op.args[1], self.builder.names, op.span)
            case np.ones | np.ones_like:
                return filled(out, Lit(1.0), self.builder.names, op.span)
            case _ if _is_laid_out(record_of(fn)):
                return []
            case _:
                return [replace(op, outs=(), kwargs=(("out", out),))]

    def shape(self, op: Call, rank: int) -> tuple[Operand, ...] | None:
        """The lengths of the array that `op` makes, computed ahead; ``None`` where they are not known there, or it makes none."""
        if callee(op) is np.ones:
            found = self.shapes.get(op.outs[0])
            return None if found is None else tuple(map(self.outside, found))
        if _is_laid_out(record_of(callee(op))):
            axes = [(op.args[0], axis) for axis in range(rank)]
        else:
            axes = axes_of(op) if is_product(op) else []
        if not axes or not all(self.has_length(array, axis) for array, axis in axes):
            return None
        return tuple([self.length(array, axis) for array, axis in axes])

    def like(self, array: Operand) -> Operand | None:
        """An array that is there ahead and lies in memory as `array` does; ``None`` where there is none."""
        if array in self.turned:
            of, order = self.turned[array]
            assert isinstance(array, Var)
            axes = Pack("tuple", tuple(map(Lit, order)))
            base = self.like(of)
            return None if base is None else self.builder.call(np.transpose, base, axes, type=array.type, hint=array.base)
        return array if array not in self.inside or array in self.ahead else None

    def has_length(self, array: Operand, axis: int) -> bool:
        """Whether `length` knows."""
        if array in self.turned:
            of, order = self.turned[array]
            return self.has_length(of, order[axis])
        return isinstance(array, Var) and (array not in self.inside or array in self.ahead or array in self.shapes)

    def length(self, array: Operand, axis: int) -> Operand:
        """A length of an array, computed ahead."""
        if array in self.turned:
            of, order = self.turned[array]
            return self.length(of, order[axis])
        if array in self.shapes:
            return self.outside(self.shapes[array][axis])
        return self.builder.call(intrinsics.dim, array, Lit(axis), type=INT, hint="n")

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


def is_laid_as_first(op: Call) -> bool:
    """Whether `op` makes an array of several axes that lies in memory as its first argument does."""
    return record_of(callee(op)).layout is Layout.AS_FIRST and len(op.outs) == 1 and rank(op.outs[0].type) not in (0, 1)


def _takes_shape(record: Primitive) -> bool:
    """Whether it makes an array of the shape that its argument says."""
    return record.fresh is not None and not record.fresh.like and not record.fresh.given


def _is_laid_out(record: Primitive) -> bool:
    """Whether it makes an array like another, or one of ones, which is made in the place of the call and then filled."""
    return record.fresh is not None and (record.fresh.like or record.fresh.number == 1.0)
