"""Arrays of which iterations of a block have elements of their own, turned so that those are next to one another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TypeVar

import numpy as np

from adxform.ir import intrinsics
from adxform.ir.operand_facts import callee, with_inner
from adxform.ir.ops import Call, Lit, Op, Pack, Var
from adxform.ir.types import Array
from adxform.ir.walk import blocks, map_op, operands, variables_of
from adxform.passes.scalar_expansion.lockstep_loops import KernelReader, LockstepLoop

_T = TypeVar("_T")


def used_along(op: Op, lockstep: LockstepLoop | None, reading: KernelReader) -> Iterator[tuple[str, int | None]]:
    """The arrays that `op`, of the loop `lockstep`, uses: each with the axis that is an iteration's own, ``None`` if none is."""
    access = reading.accesses.of(op)
    if access is not None:
        yield access.base.name, lockstep.owned.get(access.base.name) if lockstep else None
    elif not isinstance(op, Call):
        for var in variables_of((*operands(op), *(one for block in blocks(op) for one in block.results))):
            yield var.name, None
    elif callee(op) not in (intrinsics.dim, np.empty):
        view = lockstep is not None and lockstep.vary(op.outs) and op.outs[0].name in reading.accesses.views
        for var in () if view else variables_of(operands(op)):
            yield reading.accesses.base(var).name, None


class Turned:
    """The arrays of a kernel whose axis of iterations is put last, so that the iterations of a block are neighbours."""

    def __init__(self, reading: KernelReader, found: Mapping[int, LockstepLoop]) -> None:
        made = {
            op.outs[0].name: op.outs[0]
            for op in reading.kernel.body.ops
            if isinstance(op, Call) and callee(op) is np.empty and isinstance(op.args[0], Pack) and len(op.args) == 1
        }
        axes: dict[str, set[int | None]] = {var.name: {None} for var in variables_of(reading.kernel.results)}
        for op in reading.kernel.body.ops:
            for inner in (op, *with_inner(op)):
                for name, axis in used_along(inner, found.get(id(op)), reading):
                    axes.setdefault(name, set()).add(axis)
        single = {name: axis for name in made for axis in axes.get(name, ()) if len(axes[name]) == 1}
        self.axes = {name: axis for name, axis in single.items() if axis is not None}
        """By the name of an array: which of its axes is put last."""

    def renewed(self, op: Op) -> Op:
        """`op`, which makes such an array or asks for its lengths, for the turned one."""
        if not isinstance(op, Call):
            return map_op(op, lambda operand: operand, lambda block: replace(block, ops=tuple(map(self.renewed, block.ops))))
        if callee(op) is np.empty and op.outs and op.outs[0].name in self.axes:
            axis = self.axes[op.outs[0].name]
            assert isinstance(op.args[0], Pack)
            return replace(op, outs=(self.array(op.outs[0]),), args=(Pack("tuple", permuted(op.args[0].items, axis)),))
        if callee(op) is intrinsics.dim and isinstance(op.args[0], Var) and op.args[0].name in self.axes:
            axis, (array, asked) = self.axes[op.args[0].name], op.args
            assert isinstance(array, Var)
            assert isinstance(array.type, Array)
            order = permuted(tuple(range(len(array.type.shape or ()))), axis)
            assert isinstance(asked, Lit)
            return replace(op, args=(self.array(array), Lit(order.index(asked.value))))
        return op

    def array(self, array: Var) -> Var:
        """`array`, turned if it is such a one."""
        if array.name not in self.axes:
            return array
        assert isinstance(array.type, Array)
        return Var(array.name, Array(array.type.dtype, permuted(array.type.shape or (), self.axes[array.name])))


def permuted(items: tuple[_T, ...], axis: int) -> tuple[_T, ...]:
    """`items` with the one at `axis` last."""
    return (*items[:axis], *items[axis + 1 :], items[axis])
