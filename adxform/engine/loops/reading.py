"""A block read as units: which calls are loops over elements, and over which elements of which memory.

Views of arrays are followed to the memory they are of, and numbers spread over a shape to the number; a call of which something
is not known (a length that may broadcast, a dtype, an index) stays as it is.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from adxform import runtime
from adxform.engine.loops.lanes import FLOATS, Element, converted, element, is_elementwise
from adxform.engine.loops.maps import Access, Place, composed, loop_space, loops, region, spread, whole
from adxform.engine.loops.reductions import Reduction, divided, in_dtype, reduction
from adxform.engine.loops.scope import Scope
from adxform.engine.loops.units import Assign, Increase, Length, Reduce, Source, Unit
from adxform.engine.loops.views import followed
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.ops import Block, Call, Lit, Op, Operand, Pack, Raise, Var
from adxform.ir.types import INT, Array, Dim, Scalar, Size
from adxform.ir.walk import (
    Names,
    all_ops,
    blocks,
    defined_variables,
    free_variables,
    outs,
    reads,
    reads_with_blocks,
    variables_of,
)
from adxform.opt.rewriting import callee, classes_read, classes_touched, classes_written
from adxform.rules.effects import effect_of, is_opaque
from adxform.rules.memory import index_kind

STORES = frozenset({operator.setitem, intrinsics.accumulate, intrinsics.deduct})


class Reader:
    """Reads the ops of one block."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope
        self.units: list[Unit] = []

    def read(self, block: Block) -> list[Unit]:
        """The units of `block`, in order."""
        for op in block.ops:
            before = len(self.units)
            if isinstance(op, Call) and self.call(op) and all(map(self.taken, self.units[before:])):
                continue
            del self.units[before:]
            self.plain(self.measured(op))
        return self.units

    def taken(self, unit: Unit) -> bool:
        """Whether a loop may hold all that `unit` does at a pass."""
        builder = Builder(Names())
        index = builder.var("i", INT)
        numbers: list[Operand] = []

        def element(access: Access) -> tuple[Operand, Operand]:
            return access.base, index if len(access.places) == 1 else Pack("tuple", (index,) * len(access.places))

        for source in unit.inputs:
            match source:
                case Access(base=Var(type=Array(dtype))):
                    numbers.append(builder.call(operator.getitem, *element(source), type=Scalar(dtype)))
                case Length():
                    numbers.append(index)
                case Var() | Lit() | Pack():
                    numbers.append(source)
        assert unit.make is not None
        value = unit.make(builder, tuple(numbers), "tmp")
        match unit.work:
            case Assign(target):
                builder.effect(operator.setitem, *element(target), value)
            case Increase(target, fn):
                builder.effect(fn, *element(target), value)
            case Reduce(out, target, fn, dtype=dtype):
                total = builder.call(fn, builder.var("total", Scalar(dtype)), value, type=Scalar(dtype))
                result = converted(builder, total, getattr(out.type, "dtype", ""), always=True)
                if target is not None:
                    builder.effect(operator.setitem, *element(target), result)
        return all(map(self.scope.takes, builder.ops))

    def measured(self, op: Op) -> Op:
        """`op`; if it asks for a length, then of an array that is there in any case."""
        match op:
            case Call(args=(Var(type=Array(_, shape)), Lit(int() as axis))) if callee(op) is intrinsics.dim and shape:
                size = shape[axis]
            case Call(args=(Var(type=Array(_, (size,))),)) if callee(op) in (len, np.size):
                pass
            case _:
                return op
        if any(map(self.scope.doubts.about, reads(op))) or (found := self.scope.provider(size)) is None or found[2]:
            return op
        return replace(op, fn=Lit(intrinsics.dim), args=(found[0], Lit(found[1])))

    def plain(self, op: Op) -> None:
        """An op that stays as it is."""
        aliases = self.scope.aliases
        marks = isinstance(op, Call) and callee(op) is intrinsics.turning_point
        opaque = not marks and (is_opaque(op) or any(map(is_opaque, (inner for b in blocks(op) for inner in all_ops(b)))))
        if isinstance(op, Call):
            reads = frozenset() if self.is_view(op) or marks else frozenset(classes_read(op, effect_of(op), aliases))
        else:
            reads = frozenset(classes_touched(op, aliases))
        scope, used = None, tuple(reads_with_blocks(op))
        if blocks(op):
            scope = self.scope.inner({})
            used += tuple(found[0] for size in _sizes(op) if (found := scope.provider(size)) is not None)
        raises = any(isinstance(inner, Raise) for inner in (op, *(i for b in blocks(op) for i in all_ops(b))))
        self.units.append(
            Unit(
                len(self.units),
                op,
                used,
                outs(op),
                scope=scope,
                reads=reads | (aliases.exposed if opaque else frozenset()),
                writes=frozenset() if marks else frozenset(classes_written(op, aliases)),
                barrier=opaque or raises,
            )
        )
        for var in () if isinstance(op, Call) and self.is_view(op) else outs(op):
            self.scope.array(var)

    def is_view(self, op: Call) -> bool:
        """Whether the out of `op` only names memory that is known."""
        return bool(op.outs) and op.outs[0].name in self.scope.places

    def call(self, op: Call) -> bool:
        """Read `op` as loops; return whether it is nothing else."""
        fn = callee(op)
        if fn in STORES:
            return not self.doubtful(op, None) and self.store(op)
        out = op.outs[0] if op.outs else None
        if out is None or not isinstance(op.fn, Lit) or self.doubtful(op, out):
            return False
        if isinstance(out.type, Array):
            if out.type.shape is None:
                return False
            if (found := followed(op, out.type.shape, self.scope)) is not None:
                self.scope.places[out.name] = found
                return False
            effect = effect_of(op)
            if is_elementwise(fn) and not effect.writes and (not effect.views or self.scope.fixed(out)):
                return self.lanes(op, out, out.type.shape)
        reduces = reduction(op, self.scope)
        return reduces is not None and self.reduce(op, out, reduces)

    def doubtful(self, op: Call, out: Var | None) -> bool:
        """Whether an operand may be a number though its type says array, or the order of the result in memory matters."""
        doubts = self.scope.doubts
        if any(map(doubts.about, (*reads(op), *op.outs))):
            return True
        return out is not None and isinstance(out.type, Array) and self.scope.aliases.of(out) in doubts.ordered

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

    def store(self, op: Call) -> bool:
        """A store of numbers into a region of an array, or an increase of it."""
        x, index, value = op.args
        if not isinstance(x, Var) or not isinstance(x.type, Array) or x.type.shape is None or index_kind(index) != "basic":
            return False
        source = self.scope.source(x)
        if not isinstance(source, Access) or x.type.dtype not in (*FLOATS, "int64"):
            return False
        found = region(source, x.type.shape, index)
        if found is None or not (space := loop_space(found.shape)) or not self.scope.measurable(space):
            return False
        at = composed(source, found.axes)
        target = None if at is None else spread(at, found.shape, found.shape)
        own = value.type.shape if isinstance(value, Var) and isinstance(value.type, Array) else ()
        given = self.scope.spread(value, found.shape) if own is not None and len(own) <= len(found.shape) else None
        dtype = getattr(value.type, "dtype", "") if isinstance(value, Var) else ""
        fits = (isinstance(value, Lit) and isinstance(value.value, float | int)) or dtype in (x.type.dtype, "bool", "int64")
        fits = fits or (x.type.dtype == "float32" and dtype == "float64") or (x.type.dtype == "float64" and dtype == "float32")
        if target is None or given is None or not fits:
            return False
        fn = callee(op)
        if fn is operator.setitem:
            work: Assign | Increase = Assign(target)
        else:
            assert fn is not None
            work = Increase(target, fn, commutes=x.type.dtype in FLOATS)
        make = in_dtype(x.type.dtype)
        if isinstance(given, Access) and not self.same_passes(given, target, len(space)):
            given = self.kept(op, given, space, dtype)
        self.add(op, (), space, work, (given,), make)
        return True

    def same_passes(self, a: Access, b: Access, depth: int) -> bool:
        """Whether reading `a` while `b` is written gives what was there before."""
        if self.scope.class_of(a.base) != self.scope.class_of(b.base):
            return True
        return a.base == b.base and (a.apart(b) or all(a.aligned(b, loop) for loop in range(depth)))

    def kept(self, op: Call, source: Access, space: tuple[Size, ...], dtype: str) -> Access:
        """A copy of what `source` reads, made before."""
        copy = Var(self.scope.names.fresh("tmp"), Array(dtype, space))
        target = whole(copy)
        self.add(op, (copy,), space, Assign(target), (source,), in_dtype(dtype))
        return target

    def reduce(self, op: Call, out: Var, found: Reduction) -> bool:
        """A reduction: over the innermost loops, or of rows into a row."""
        space, numbers = loop_space(found.shape), loops(found.shape)
        gone = {number for axis, number in enumerate(numbers) if axis in found.axes and number is not None}
        sizes = tuple(found.shape[axis] for axis in found.axes)
        if not gone or not self.scope.measurable((*space, *sizes)) or isinstance(out.type, Array) != bool(found.result):
            return False
        target = None
        if isinstance(out.type, Array):
            places = (None if place.loop is None else numbers[place.loop] for place in found.result)
            target = Access(out, tuple(map(Place, places)))
        first = min(gone)
        count, some = sizes if found.mean else (), sizes if found.some else ()
        if gone == set(range(first, len(space))):
            work = Reduce(out, target, found.fn, found.initial, found.dtype, first, count, some)
            self.add(op, (out,), space, work, found.sources, found.make)
            return True
        if target is None or found.fn is not runtime.add_up or getattr(out.type, "dtype", "") != found.dtype:
            return False
        self.add_rows(op, out, space, target, found, count)
        return True

    def add_rows(
        self, op: Call, out: Var, space: tuple[Size, ...], target: Access, found: Reduction, count: tuple[Size, ...]
    ) -> None:
        """A sum over an axis with a loop that is kept inside of it: row after row is added to the result."""
        shape = getattr(out.type, "shape", ())
        own = spread(whole(out), shape, shape)
        assert own is not None
        make = in_dtype(found.dtype)
        self.add(op, (out,), loop_space(shape), Assign(own), (found.initial,), make)
        self.add(op, (), space, Increase(target, intrinsics.accumulate, commutes=True), found.sources, make)
        if count:
            self.add(op, (), loop_space(shape), Assign(own), (own, *map(Length, count)), divided)

    def add(
        self,
        op: Call,
        made: tuple[Var, ...],
        space: tuple[Size, ...],
        work: Assign | Increase | Reduce,
        inputs: tuple[Source, ...],
        make: Element,
    ) -> None:
        """Append a unit with work."""
        accesses = [source for source in inputs if isinstance(source, Access)]
        sizes = [*space, *(source.size for source in inputs if isinstance(source, Length))]
        if isinstance(work, Reduce):
            sizes += [*work.count, *work.some]
        if work.target is not None:
            accesses.append(work.target)
        used = [access.base for access in accesses if access.base not in made]
        places = [place.extra for access in accesses for place in access.places]
        used += [extra for extra in places if isinstance(extra, Var)]
        sizes += [extra for extra in places if isinstance(extra, Dim)]
        used += [found[0] for size in sizes if (found := self.scope.provider(size)) is not None]
        used += variables_of(source for source in inputs if not isinstance(source, Access | Length))
        self.units.append(Unit(len(self.units), op, tuple(dict.fromkeys(used)), made, space, work, inputs, make))


def _sizes(op: Op) -> Iterator[Size]:
    """The lengths that occur inside the blocks of `op`, in order."""
    for block in blocks(op):
        for var in (*defined_variables(block), *free_variables(block)):
            if isinstance(var.type, Array):
                yield from var.type.shape or ()
