"""Arrays that are made full of zeros and then added to in every element: the first addition may as well be the first store."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from adxform.ir import intrinsics
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Call, Function, Lit, Op, Var
from adxform.ir.types import Array, Dim, Size
from adxform.ir.walk import all_ops
from adxform.passes.loops.accesses import ElementAccess, Loop, Subscript
from adxform.passes.scalar.rewriting import classes_touched
from adxform.primitives.alias import Aliases
from adxform.primitives.table import record_of

Ends = tuple[tuple[Subscript, Subscript], ...]


class Fills:
    """Which arrays are zeros when a nest comes to them, and what the whole of them is."""

    def __init__(self, fn: Function, aliases: Aliases) -> None:
        self.aliases = aliases
        self.lengths: dict[str, Size] = {}
        """By the name of a number: the size that it is."""
        for op in all_ops(fn.body):
            if callee(op) is intrinsics.dim and isinstance(op, Call) and isinstance(op.args[1], Lit) and op.outs:
                array = op.args[0]
                if isinstance(array, Var) and isinstance(array.type, Array) and array.type.shape is not None:
                    self.lengths[op.outs[0].name] = array.type.shape[op.args[1].value]

    def zeros(self, ops: Sequence[Op], base: Var) -> int | None:
        """Where in `ops` the array `base` is made of zeros, if nothing after that touches it."""
        class_ = self.aliases.of(base)
        for position in reversed(range(len(ops))):
            op = ops[position]
            if isinstance(op, Call) and op.outs == (base,):
                return position if is_zeros(callee(op)) else None
            if class_ in classes_touched(op, self.aliases):
                return None
        return None

    def whole(self, base: Var, loops: Sequence[Loop | None]) -> Ends | None:
        """From where to where each axis of `base` goes, in terms of the loops along them; ``None`` if they do not say."""
        assert isinstance(base.type, Array)
        found: list[tuple[Subscript, Subscript]] = []
        for size, loop in zip(base.type.shape or (), loops, strict=True):
            end = self.end(size, loop)
            if end is None:
                return None
            found.append((Subscript(None, 0), end))
        return tuple(found)

    def end(self, size: Size, loop: Loop | None) -> Subscript | None:
        """`size`, the length of an axis, in terms of the loop along it; ``None`` if that does not say."""
        if isinstance(size, int):
            return Subscript(None, size)
        if loop is not None and loop.high.root is not None and self.lengths.get(loop.high.root.name) == Dim(size.base):
            return Subscript(loop.high.root, size.offset)
        return None

    def covered(self, target: ElementAccess, loops: Sequence[Loop]) -> bool:
        """Whether a nest of `loops` comes to every element of an array, as `target`, and to each once."""
        by_item = {loop.item: loop for loop in loops}
        around = [None if place.root is None else by_item.pop(place.root, None) for place in target.axes]
        if by_item or None in around or (ends := self.whole(target.base, around)) is None:
            return False
        given = zip(target.axes, around, ends, strict=True)
        return all(loop is not None and (loop.low + place.offset, loop.high + place.offset) == end for place, loop, end in given)


def is_zeros(fn: object) -> bool:
    """Whether `fn` makes an array of zeros."""
    fresh = record_of(fn).fresh
    return fresh is not None and fresh.number == 0.0


def emptied(op: Op) -> Call:
    """`op`, which makes an array of zeros, making one without them."""
    assert isinstance(op, Call)
    fresh = record_of(callee(op)).fresh
    return replace(op, fn=Lit(np.empty_like if fresh is not None and fresh.like else np.empty))
