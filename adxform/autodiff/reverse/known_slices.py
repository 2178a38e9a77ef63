"""How long slices are that a derivative takes of cotangents: as long as those that its function takes by the same bounds.

A form of a function that assumes how long a slice is checks it where the slice is taken. What that says holds on the paths there,
and on no other: the bounds may be the same on one on which nothing was checked.
"""

from __future__ import annotations

import operator
from collections import ChainMap
from collections.abc import Iterator
from contextlib import contextmanager

from adxform.analysis.slices import Bounds, slice_size, variable_slices
from adxform.ir import intrinsics
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, Function, Lit, Operand, Var
from adxform.ir.types import Array, Dim, Size
from adxform.ir.walk import all_ops


class KnownSlices:
    """The integers of a function that are lengths, and the lengths of slices by the length of the axis and the bounds.

    Known are those of slices that are taken in the block whose reverse is being written, and in those around it.
    """

    def __init__(self, fn: Function) -> None:
        self.lengths: ChainMap[tuple[Size, Bounds], Size] = ChainMap()
        self.integers: dict[Var, Dim] = {}
        for op in all_ops(fn.body):
            if isinstance(op, Call) and len(op.outs) == 1:
                self._learn(op, op.outs[0])

    @contextmanager
    def within(self, block: Block) -> Iterator[None]:
        """While the reverse of `block` is written."""
        around = self.lengths
        self.lengths = around.new_child(dict(_taken(block)))
        yield
        self.lengths = around

    def shape(self, x: Operand, index: Operand, shape: tuple[Size, ...] | None) -> tuple[Size, ...] | None:
        """`shape`, that of ``x[index]``, with the lengths that are known of the slices in it."""
        found = None if shape is None else list(shape)
        for place, size, bounds in _slices(x, index) if found is not None else ():
            start, stop = map(self._bound, bounds)
            known = self.lengths.get((size, bounds)) or slice_size(size, start, stop, None)
            if known is not None and found is not None:
                found[place] = known
        return None if found is None else tuple(found)

    def _learn(self, op: Call, out: Var) -> None:
        fn, args = callee(op), op.args
        match args:
            case (Var(type=Array(_, tuple(shape))), Lit(int() as axis)) if fn is intrinsics.dim:
                size = shape[axis]
                if isinstance(size, Dim) and not size.offset:
                    self.integers[out] = size
            case (Var() as number, Lit(int() as less)) if fn is operator.sub and number in self.integers:
                base = self.integers[number]
                self.integers[out] = Dim(base.base, base.offset - less)
            case _:
                return

    def _bound(self, bound: Operand) -> int | Dim | None:
        match bound:
            case Lit(int() | None as value):
                return value
            case Var():
                return self.integers.get(bound, Dim("?"))
            case _:
                raise AssertionError(bound)


def _taken(block: Block) -> Iterator[tuple[tuple[Size, Bounds], Size]]:
    """The slices that `block` takes wherever it is left at its end, each by the length of its axis and its bounds; how long."""
    for op in block.ops:
        match op:
            case Call((Var(type=Array(_, tuple(shape))),), Lit(operator.getitem), (x, index)):
                yield from (((size, bounds), shape[place]) for place, size, bounds in _slices(x, index))
            case _:
                pass


def _slices(x: Operand, index: Operand) -> Iterator[tuple[int, Size, Bounds]]:
    """The slices of ``x[index]`` that may be cut off: the axis of the result, how long that of `x` is, the bounds."""
    shape = x.type.shape if isinstance(x, Var) and isinstance(x.type, Array) else None
    if isinstance(x, Var) and shape is not None:
        for axis, place, bounds in variable_slices(x, index):
            yield place, shape[axis], bounds
