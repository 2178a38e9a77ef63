"""Units in nests written as IR: loops over numbers, with a name or a small buffer for what passes from one unit to another."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from adxform import runtime
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.ops import Call, For, Lit, Op, Operand, Pack, Var
from adxform.ir.types import INT, Array, Dim, Scalar, Size
from adxform.ir.walk import variables_of
from adxform.passes.arrays.block_scope import BlockScope
from adxform.passes.arrays.fusion import FusedNest, Path, paths
from adxform.passes.arrays.lane_dtypes import converted
from adxform.passes.arrays.maps import AffineIndex, Counted, NestAccess, TableEntry
from adxform.passes.arrays.units import Assign, Increase, Length, Reduce, Source, Unit
from adxform.primitives.memory import STORES

INDICES = ("i", "j", "k", "l")


@dataclass(slots=True)
class Storage:
    """Where the values of arrays that units of one block make are kept."""

    shared: dict[str, int] = field(default_factory=dict)
    """By array, how many loops its maker and all its readers share: that many axes need no memory, and none for one element."""
    final: frozenset[str] = frozenset()
    """The arrays of which each element is written once."""
    buffers: dict[str, tuple[Var, tuple[int, ...]]] = field(default_factory=dict)


def storage(nests: Sequence[FusedNest], units: Sequence[Unit], results: Sequence[Operand]) -> Storage:
    """How much of each array that units make is needed: see `Storage`."""
    around = paths(nests)
    shared: dict[str, Path] = {}
    whole = {var.name for unit in units if unit.work is None for var in unit.uses} | {var.name for var in variables_of(results)}
    again: set[str] = set()
    single: set[str] = set()
    for unit in units:
        for access in (*unit.loads, *((unit.target,) if unit.target is not None else ())):
            path = around[unit]
            shared[access.base.name] = _common(shared.get(access.base.name, path), path)
        match unit.work:
            case Increase(target=target):
                again.add(target.base.name)
            case Assign(target=NestAccess(base=base)) | Reduce(target=NestAccess(base=base)) if base not in unit.outs:
                again.add(base.name)
            case Reduce(target=NestAccess(base=base), kept=kept):
                shared[base.name] = shared[base.name][:kept]
                single |= set() if kept else {base.name}
            case _:
                pass
    own = {var.name for unit in units if unit.work is not None for var in unit.outs}
    known = {
        name: 0 if name in whole | again else len(path) or int(name in single) for name, path in shared.items() if name in own
    }
    return Storage(known, frozenset(own - again))


def _common(a: Path, b: Path) -> Path:
    count = 0
    while count < min(len(a), len(b)) and a[count] is b[count]:
        count += 1
    return a[:count]


class NestWriter:
    """Writes the nests of one block; `plain` writes an op that stays as it is."""

    def __init__(self, scope: BlockScope, storage: Storage, plain: Callable[[Unit, Builder], None]) -> None:
        self.scope = scope
        self.storage = storage
        self.plain = plain
        self.indices: list[Var] = []
        self.builder = Builder(scope.names)
        self.top = self.builder
        self.allocated: set[str] = set()
        self.totals: dict[Unit, Operand] = {}
        self.values: dict[str, Operand] = {}
        """The current elements of arrays that are made in the loops around."""

    def write(self, nests: Sequence[FusedNest]) -> list[Op]:
        """The ops of the block."""
        for nest in nests:
            for unit in nest.units:
                self.allocate_for(unit)
            self.nest(nest)
        return self.top.ops

    # -- memory -------------------------------------------------------------------------------------------------------

    def allocate_for(self, unit: Unit) -> None:
        """Allocate what is left of the array that `unit` makes, and see that there is what it takes."""
        if isinstance(unit.work, Reduce | Increase):
            for size in unit.work.some:
                self.top.effect(runtime.some, self.positive(size), span=unit.op.span)
        target = unit.target
        if target is None or target.base.name not in self.storage.shared or target.base.name in self.allocated:
            return
        var = target.base
        self.allocated.add(var.name)
        assert isinstance(var.type, Array)
        assert var.type.shape is not None
        shared = self.storage.shared[var.name]
        self.top.span = unit.op.span
        if not shared:
            self.allocate(var, var.type.shape)
            return
        axes = tuple(axis for axis, place in enumerate(target.places) if place.loop is not None and place.loop >= shared)
        if axes:
            shape = tuple(var.type.shape[axis] for axis in axes)
            buffer = self.top.var(var.base, Array(var.type.dtype, shape))
            self.allocate(buffer, shape)
            self.storage.buffers[var.name] = (buffer, axes)

    def allocate(self, var: Var, shape: tuple[Size, ...]) -> None:
        """``var = np.empty(shape)``"""
        assert isinstance(var.type, Array)
        sizes = tuple(self.positive(size) for size in shape)
        kwargs: tuple[tuple[str, Operand], ...] = ()
        if var.type.dtype != "float64":
            kwargs = (("dtype", Lit(np.dtype(var.type.dtype).type)),)
        given: Operand = sizes[0] if len(sizes) == 1 else Pack("tuple", sizes)
        self.top.emit(Call((var,), Lit(np.empty), (given,), kwargs, self.top.span))

    def positive(self, size: Size) -> Operand:
        """`size` as a number, which that of a slice like ``x[5:]`` is not below zero."""
        length = self.length(size)
        found = self.scope.provider(size)
        if found is not None and found[2] < 0:
            return self.top.call(max, length, Lit(0), type=INT, hint="n")
        return length

    def length(self, size: Size) -> Operand:
        """`size` as an operand, computed outside of the block's loops; one that would be negative stands for no iteration."""
        if isinstance(size, int):
            return Lit(size)
        if size not in self.scope.measured:
            found = self.scope.provider(size)
            assert found is not None
            var, axis, offset = found
            if offset:
                base = self.length(Dim(size.base))
                fn = operator.add if offset > 0 else operator.sub
                self.scope.measured[size] = self.top.call(fn, base, Lit(abs(offset)), type=INT, hint="n")
            elif var.type == INT:
                self.scope.measured[size] = var
            else:
                self.scope.measured[size] = self.top.call(intrinsics.dim, var, Lit(axis), type=INT, hint="n")
        return self.scope.measured[size]

    def index(self, place: AffineIndex) -> Operand:
        """The place in one axis at the current iterations."""
        offset: Operand = Lit(place.offset)
        extra = None if place.extra is None else self.extra(place)
        if place.loop is None:
            return offset if extra is None else self.sum(extra, place.offset)
        index: Operand = self.indices[place.loop]
        if abs(place.step) != 1:
            index = self.builder.call(operator.mul, index, Lit(abs(place.step)), type=INT)
        if place.step < 0:
            start = offset if extra is None else self.sum(extra, place.offset)
            return self.builder.call(operator.sub, start, index, type=INT)
        if extra is not None:
            index = self.builder.call(operator.add, extra, index, type=INT)
        return self.sum(index, place.offset)

    def extra(self, place: AffineIndex) -> Operand:
        """What is added to an index beside a number."""
        match place.extra:
            case Dim() as size:
                return self.length(size)
            case TableEntry(access, size):
                return self.entry(access, size)
            case extra:
                return extra or Lit(0)

    def entry(self, access: NestAccess, size: Size) -> Operand:
        """An element of a table, counted from the front of an axis of `size`."""
        return self.builder.call(runtime.place, self.load(access), self.positive(size), type=Scalar("int64"), hint="place")

    def sum(self, operand: Operand, offset: int) -> Operand:
        """`operand` plus a number."""
        if not offset:
            return operand
        fn = operator.add if offset > 0 else operator.sub
        return self.builder.call(fn, operand, Lit(abs(offset)), type=INT)

    def element(self, access: NestAccess) -> tuple[Var, Operand]:
        """The array and the index of an element at the current iterations."""
        var, axes = self.storage.buffers.get(access.base.name, (access.base, range(len(access.places))))
        places = [self.index(access.places[axis]) for axis in axes]
        return var, places[0] if len(places) == 1 else Pack("tuple", tuple(places))

    def load(self, source: Source) -> Operand:
        """The number that a unit takes."""
        match source:
            case Length(size):
                return self.positive(size)
            case Counted():
                return self.builder.call(np.int64, self.index(source.places[0]), type=Scalar("int64"), hint="tmp")
            case NestAccess(base=base):
                if base.name in self.values:
                    return self.values[base.name]
                assert isinstance(base.type, Array)
                var, index = self.element(source)
                return self.builder.call(operator.getitem, var, index, type=Scalar(base.type.dtype), hint="tmp")
            case Var() | Lit() | Pack():
                return source

    # -- loops --------------------------------------------------------------------------------------------------------

    def nest(self, nest: FusedNest) -> None:
        """A loop with what is inside, or one unit."""
        if nest.size is None:
            self.unit(nest.units[0])
            return
        depth = len(self.indices)
        totals = [unit for unit in nest.units if isinstance(unit.work, Reduce) and unit.work.kept <= depth]
        for unit in totals:
            self.start(unit, depth)
        stop = self.length(nest.size)
        inits = tuple(self.totals[unit] for unit in totals)
        outer, self.builder = self.builder, self.builder.nested()
        name = INDICES[depth] if depth < len(INDICES) else INDICES[-1]
        index = self.builder.var(name, INT)
        params = tuple(self.total(unit, self.builder) for unit in totals)
        self.totals |= dict(zip(totals, params, strict=True))
        self.indices.append(index)
        values = dict(self.values)
        for inner in nest.body:
            self.nest(inner)
        self.values = values
        self.indices.pop()
        body = self.builder.block((index, *params), tuple(self.totals[unit] for unit in totals))
        self.builder = outer
        outs = tuple(self.result(unit, depth) for unit in totals)
        self.builder.emit(For(outs, (Lit(0), stop, Lit(1)), inits, body, span=nest.units[0].op.span))
        for unit, out in zip(totals, outs, strict=True):
            self.totals[unit] = out
            assert isinstance(unit.work, Reduce)
            if unit.work.kept == depth:
                self.finish(unit, unit.work)

    def start(self, unit: Unit, depth: int) -> None:
        """Set the total of a reduction whose first loop this is."""
        work = unit.work
        assert isinstance(work, Reduce)
        if work.kept == depth:
            self.totals[unit] = work.initial

    def total(self, unit: Unit, builder: Builder) -> Var:
        """A new name for what a reduction has come to."""
        assert isinstance(unit.work, Reduce)
        return builder.var(unit.work.out.base, Scalar(unit.work.dtype))

    def result(self, unit: Unit, depth: int) -> Var:
        """The total after a loop: the result itself where it is a number that needs nothing more."""
        work = unit.work
        assert isinstance(work, Reduce)
        plain = work.out.type == Scalar(work.dtype) and not work.count
        return work.out if plain and work.kept == depth else self.total(unit, self.builder)

    def finish(self, unit: Unit, work: Reduce) -> None:
        """Make the result of a reduction of its total."""
        total = self.totals.pop(unit)
        if total == work.out:
            return
        assert isinstance(work.out.type, Array | Scalar)
        builder = self.builder
        builder.span = unit.op.span
        dtype = work.out.type.dtype
        makes = work.target is None
        if work.count:
            count = self.positive(work.count[0])
            for size in work.count[1:]:
                count = builder.call(operator.mul, count, self.positive(size), type=INT, hint="n")
            same = makes and work.dtype == dtype
            divided = work.out if same else builder.var(work.out.base, Scalar(work.dtype))
            count = builder.call(np.float64, count, type=Scalar("float64"), hint="n")
            builder.emit(Call((divided,), Lit(np.divide), (total, count), (), unit.op.span))
            if same:
                return
            total = divided
        if makes:
            builder.emit(Call((work.out,), Lit(np.dtype(dtype).type), (total,), (), unit.op.span))
            return
        assert work.target is not None
        self.put(work.target, converted(builder, total, dtype, work.out.base, always=True))

    # -- units --------------------------------------------------------------------------------------------------------

    def unit(self, unit: Unit) -> None:
        """One unit at the current iterations."""
        self.builder.span = unit.op.span
        if unit.work is None:
            self.plain(unit, self.builder)
            return
        assert unit.make is not None
        values = tuple(map(self.load, unit.inputs))
        match unit.work:
            case Assign(target):
                value = unit.make(self.builder, values, target.base.base if target.base in unit.outs else "tmp")
                self.put(target, value)
            case Increase(target, fn) if fn in STORES:
                value = unit.make(self.builder, values, "tmp")
                var, index = self.element(target)
                self.builder.effect(fn, var, index, value)
            case Increase(target, fn):
                value = unit.make(self.builder, values, "tmp")
                before = self.load(target)
                assert isinstance(before, Var)
                self.put(target, self.builder.call(fn, before, value, type=before.type, hint=target.base.base))
            case Reduce(out, fn=fn, dtype=dtype):
                value = unit.make(self.builder, values, "tmp")
                before = self.totals[unit]
                self.totals[unit] = self.builder.call(fn, before, value, type=Scalar(dtype), hint=out.base)

    def put(self, target: NestAccess, value: Operand) -> None:
        """``target = value`` at the current iterations: in memory, or by name where nothing else needs it."""
        name = target.base.name
        if not self.storage.shared.get(name, 0) or name in self.storage.buffers:
            var, index = self.element(target)
            self.builder.effect(operator.setitem, var, index, value)
        if name in self.storage.final:
            self.values[name] = value
