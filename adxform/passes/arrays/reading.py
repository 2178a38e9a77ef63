"""A block read as units: which calls are loops over elements, and over which elements of which memory.

Views of arrays are followed to the memory they are of, and numbers spread over a shape to the number; a call of which something
is not known (a length that may broadcast, a dtype, an index) stays as it is.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from adxform.analysis.slices import selected, variable_slices
from adxform.frontend.signature.assumed_lengths import lengths_stored
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, Lit, Op, Operand, Pack, Var
from adxform.ir.types import INT, Array, Dim, Scalar, Size
from adxform.ir.walk import Names, reads
from adxform.passes.arrays import slice_lengths
from adxform.passes.arrays.array_versions import CLEARED
from adxform.passes.arrays.block_scope import BlockScope
from adxform.passes.arrays.composites import COMPOSITES
from adxform.passes.arrays.contractions import CONTRACTIONS
from adxform.passes.arrays.diagonals import DIAGONALS
from adxform.passes.arrays.joined_arrays import JOINS
from adxform.passes.arrays.lane_dtypes import converted, element, is_elementwise
from adxform.passes.arrays.lookups import LOOKUPS, in_order, masked, region_of
from adxform.passes.arrays.maps import Counted, NestAccess, loop_space, spread, whole
from adxform.passes.arrays.place_tables import note_literals
from adxform.passes.arrays.recording import Recorder, looked_up
from adxform.passes.arrays.reductions import as_it_is, in_dtype, reduction
from adxform.passes.arrays.units import Assign, Increase, Length, Reduce, Unit
from adxform.passes.arrays.views import BROADCASTS, followed
from adxform.primitives.effects import effect_of
from adxform.primitives.memory import STORES
from adxform.primitives.table import record_of

READERS = {**DIAGONALS, **JOINS, **LOOKUPS}


def reader_of(fn: Any) -> Callable[[Call, Var, Recorder], bool] | None:
    """What reads a call of `fn` that is more than one loop, or one over other places than those of its result."""
    record = record_of(fn)
    if record.reduces is not None and record.reduces in COMPOSITES:
        return COMPOSITES[record.reduces]
    if record.contracts is not None and record.masks is None:
        return CONTRACTIONS.get(record.contracts)
    return READERS.get(fn)


def has_unknown(var: Var) -> bool:
    """Whether a length of `var` has no other name than its own."""
    shape = var.type.shape if isinstance(var.type, Array) else None
    return shape is None or any(isinstance(size, Dim) and size.base.startswith("?") for size in shape)


class Reader(Recorder):
    """Reads the ops of one block.

    `viewed`: by name of a view the call that makes it, with slices that start where the run says.
    """

    def __init__(self, scope: BlockScope) -> None:
        super().__init__(scope)
        self.viewed: dict[str, Call] = {}

    def read(self, block: Block) -> list[Unit]:
        """The units of `block`, in order."""
        for op in block.ops:
            self.bounded(op)
            before = len(self.units)
            if isinstance(op, Call) and self.call(op) and all(map(self.taken, self.units[before:])):
                continue
            self.withdrawn(before)
            if isinstance(op, Call):
                note_literals(op, self.scope)
            self.plain(self.measured(op))
        return self.units

    def bounded(self, op: Op) -> None:
        """If `op` takes a slice whose length only a run can tell, let the run tell it."""
        match op:
            case Call(
                (Var(type=Array(_, tuple(shape))) as out,), Lit(operator.getitem), (Var(type=Array(_, tuple())) as x, index)
            ):
                if effect_of(op).views and not self.doubtful(op, None):
                    index = slice_lengths.taken(x, index, shape, self)
                    self.viewed[out.name] = replace(op, args=(x, index))
            case _:
                return

    def taken(self, unit: Unit) -> bool:
        """Whether a loop may hold all that `unit` does at an iteration."""
        builder = Builder(Names())
        index = builder.var("i", INT)
        numbers: list[Operand] = []

        def element(access: NestAccess) -> tuple[Operand, Operand]:
            return access.base, index if len(access.places) == 1 else Pack("tuple", (index,) * len(access.places))

        for source in unit.inputs:
            match source:
                case NestAccess(base=Var(type=Array(dtype))):
                    numbers.append(builder.call(operator.getitem, *element(source), type=Scalar(dtype)))
                case Length() | Counted():
                    numbers.append(index)
                case Var() | Lit() | Pack():
                    numbers.append(source)
        if unit.make is None:
            return self.scope.takes(unit.op)
        extras = [place.extra for access in (*unit.loads, *unit.targets) for place in access.places]
        if not self.scope.measurable(tuple(looked_up(extras))):
            return False
        value = unit.make(builder, tuple(numbers), "tmp")
        match unit.work:
            case Assign(target):
                builder.effect(operator.setitem, *element(target), value)
            case Increase(target, fn) if fn in STORES:
                builder.effect(fn, *element(target), value)
            case Increase(target, fn):
                total = builder.call(operator.getitem, *element(target), type=Scalar(getattr(target.base.type, "dtype", "")))
                builder.effect(operator.setitem, *element(target), builder.call(fn, total, value, type=total.type))
            case Reduce(out, target, fn, dtype=dtype):
                total = builder.call(fn, builder.var("total", Scalar(dtype)), value, type=Scalar(dtype))
                result = converted(builder, total, getattr(out.type, "dtype", ""), always=True)
                if target is not None:
                    builder.effect(operator.setitem, *element(target), result)
        return all(map(self.scope.takes, builder.ops))

    def call(self, op: Call) -> bool:
        """Read `op` as loops; return whether it is nothing else."""
        fn = callee(op)
        if fn in STORES or fn == np.add.at:
            return not self.doubtful(op, None) and self.store(op)
        out = op.outs[0] if op.outs else None
        unsure = any(var.name in self.scope.unsure for var in reads(op))
        if out is not None and unsure and effect_of(op).views and has_unknown(out):
            self.scope.unsure.add(out.name)
        if out is None or len(op.outs) > 1 or not isinstance(op.fn, Lit) or self.doubtful(op, out):
            return False
        if isinstance(out.type, Array):
            read = None if out.type.shape is None else self.array(op, out, out.type.shape)
            if read is not None or out.type.shape is None:
                return bool(read)
        reader = reader_of(fn)
        if reader is not None and reader(op, out, self):
            return True
        reduces = reduction(op, self.scope)
        return reduces is not None and self.reduce(op, out, reduces)

    def array(self, op: Call, out: Var, shape: tuple[Size, ...]) -> bool | None:
        """Read `op`, which makes an array, as a view, a fill or lanes; ``None`` where it is none of them."""
        fn, effect = callee(op), effect_of(op)
        if (found := followed(self.viewed.get(out.name, op), shape, self.scope)) is not None:
            self.scope.places[out.name] = found
            return fn in BROADCASTS and self.spread_out(op, out, shape)
        if fn is operator.getitem and isinstance(op.args[0], Var) and list(variable_slices(op.args[0], op.args[1])):
            self.scope.unsure.add(out.name)
        if fn in CLEARED:
            return self.cleared(op, out, shape)
        if is_elementwise(fn) and not effect.writes and (not effect.views or self.scope.fixed(out)):
            return self.lanes(op, out, shape)
        return None

    def doubtful(self, op: Call, out: Var | None) -> bool:
        """Whether an operand may be a number though its type says array, or the order of the result in memory matters."""
        doubts = self.scope.doubts
        if any(var.name in self.scope.unsure for var in reads(op)):
            return True
        if any(doubts.about(var) or var.type == Array(getattr(var.type, "dtype", ""), None) for var in (*reads(op), *op.outs)):
            return True
        return out is not None and isinstance(out.type, Array) and self.scope.aliases.of(out) in doubts.ordered

    def cleared(self, op: Call, out: Var, shape: tuple[Size, ...]) -> bool:
        """An array of zeros."""
        space, target = loop_space(shape), spread(whole(out), shape, shape)
        if out.type != Array("float64", shape) or not space or target is None or not self.scope.measurable(space):
            return False
        self.add(op, (out,), space, Assign(target), (Lit(0.0),), as_it_is, lazy=True)
        return True

    def lanes(self, op: Call, out: Var, shape: tuple[Size, ...]) -> bool:
        """An elementwise call."""
        space = loop_space(shape)
        if not space or not self.scope.measurable(space):
            return False
        make = element(op)
        inputs = self.scope.spread_all(op.args, shape)
        target = spread(whole(out), shape, shape)
        if make is None or target is None or inputs is None:
            return False
        self.add(op, (out,), space, Assign(target), inputs, make)
        return True

    def spread_out(self, op: Call, out: Var, shape: tuple[Size, ...]) -> bool:
        """What is broadcast to `shape`, written out for calls that stay calls; loops read what it is made of."""
        source, target = self.scope.source(out), spread(whole(out), shape, shape)
        steady = self.scope.fixed(source.base) if isinstance(source, NestAccess) else not isinstance(source, Counted)
        given = spread(source, shape, shape) if isinstance(source, NestAccess) else source
        space, dtype = loop_space(shape), getattr(out.type, "dtype", "")
        if not steady or target is None or given is None or dtype != "float64" or not space or not self.scope.measurable(space):
            return False
        self.add(op, (out,), space, Assign(target), (given,), in_dtype(dtype))
        return True

    def store(self, op: Call) -> bool:
        """A store of numbers into a region of an array, or an increase of it."""
        fn, (x, index, value) = callee(op), op.args
        if fn is operator.setitem and masked(op, self):
            return True
        assert isinstance(x, Var)
        if not isinstance(x.type, Array):
            return False
        checked = {place: size for _, place, _, size in lengths_stored(x, index, value)}
        index, open_lengths = slice_lengths.stored(x, index, value, op.span, self)
        checked |= open_lengths
        found = region_of(x, index, self, tuple(map(checked.get, range(selected(x, index) if checked else 0))))
        same = isinstance(value, Lit) or (isinstance(value, Var) and isinstance(value.type, Scalar))
        if found is None or not (fn != operator.setitem or same or in_order(found[1])):
            return False
        return self.put(op, *found, value, intrinsics.accumulate if fn == np.add.at else fn)
