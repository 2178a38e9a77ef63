"""The units of a block as they are found: calls that become loops, and ops that stay as they are."""

from __future__ import annotations

import operator
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from adxform import runtime
from adxform.ir import intrinsics
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Call, Lit, Op, Operand, Raise, Var
from adxform.ir.types import INT, Array, Dim, Scalar, Size, Type
from adxform.ir.walk import all_ops, blocks, defined_variables, free_variables, outs, reads, reads_with_blocks, variables_of
from adxform.passes.arrays.block_scope import BlockScope
from adxform.passes.arrays.integer_signs import note_sign
from adxform.passes.arrays.lane_dtypes import FLOATS, KNOWN, Element
from adxform.passes.arrays.maps import (
    FIRST,
    AffineIndex,
    Counted,
    NestAccess,
    Region,
    TableEntry,
    composed,
    loop_space,
    loops,
    spread,
    whole,
)
from adxform.passes.arrays.reductions import Reduction, divided, in_dtype, short_ahead
from adxform.passes.arrays.units import Assign, Increase, Length, Reduce, Source, Unit
from adxform.passes.scalar.rewriting import classes_read, classes_touched, classes_written
from adxform.primitives.effects import effect_of, is_opaque
from adxform.runtime import kernel_scalars


class Recorder:
    """Takes down what is found of one block."""

    def __init__(self, scope: BlockScope) -> None:
        self.scope = scope
        self.units: list[Unit] = []

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
        if found[0].type == INT:
            return op
        return replace(op, fn=Lit(intrinsics.dim), args=(found[0], Lit(found[1])))

    def plain(self, op: Op) -> None:
        """Append an op that stays as it is."""
        self.units.append(unit_of(op, self.scope, len(self.units)))
        note_sign(op, self.scope.from_zero)
        for var in () if isinstance(op, Call) and self.is_view(op) else outs(op):
            self.scope.array(var)
            if var.type == INT:
                self.scope.lengths.setdefault(Dim(var.name), (var, 0))

    def is_view(self, op: Call) -> bool:
        """Whether the out of `op` only names memory that is known."""
        return is_view(op, self.scope)

    def put(self, op: Call, source: NestAccess, found: Region, value: Operand, fn: Any = None) -> bool:
        """Read the store of `value` into the region `found` of the array at `source`; ``None`` for `fn`: as `op` does."""
        base = source.base.type
        space = loop_space(found.shape)
        if not isinstance(base, Array) or base.dtype not in KNOWN or not space or not self.scope.measurable(space):
            return False
        at = composed(source, found.axes)
        target = None if at is None else spread(at, found.shape, found.shape)
        own = value.type.shape if isinstance(value, Var) and isinstance(value.type, Array) else ()
        given = self.scope.spread(value, found.shape) if own is not None and len(own) <= len(found.shape) else None
        if target is None or given is None or not fits(value, base.dtype):
            return False
        fn = fn or callee(op)
        if any(self.scope.class_of(entry.base) == self.scope.class_of(target.base) for entry in target.tables):
            return False
        work = (
            Assign(target)
            if fn is operator.setitem
            else Increase(target, fn, commutes=base.dtype in FLOATS and self.scope.fastmath)
        )
        if isinstance(given, NestAccess) and not self.same_iterations(given, target, len(space)):
            given = self.kept(op, given, space, getattr(given.base.type, "dtype", ""))
        self.add(op, (), space, work, (given,), in_dtype(base.dtype))
        return True

    def same_iterations(self, a: NestAccess, b: NestAccess, depth: int) -> bool:
        """Whether reading `a` while `b` is written gives what was there before."""
        if self.scope.class_of(a.base) != self.scope.class_of(b.base):
            return True
        return a.base == b.base and (a.apart(b) or all(a.aligned(b, loop) for loop in range(depth)))

    def kept(self, op: Call, source: NestAccess, space: tuple[Size, ...], dtype: str) -> NestAccess:
        """A copy of what `source` reads, made before."""
        copy = self.temporary(Array(dtype, space))
        target = whole(copy)
        self.add(op, (copy,), space, Assign(target), (source,), in_dtype(dtype))
        return target

    def reduce(self, op: Call, out: Var, found: Reduction) -> bool:
        """A reduction: over the innermost loops, or of rows into a row; one that is the same everywhere is made once."""
        if isinstance(out.type, Array) and self.once(op, out, found):
            return True
        if isinstance(out.type, Array) and not self.scope.measurable(out.type.shape or ()):
            return False
        found = short_ahead(found)
        space, numbers = loop_space(found.shape), loops(found.shape)
        gone = {number for axis, number in enumerate(numbers) if axis in found.axes and number is not None}
        sizes = tuple(found.shape[axis] for axis in found.axes)
        if not gone or not self.scope.measurable((*space, *sizes)) or isinstance(out.type, Array) != bool(found.result):
            return False
        target = None
        if isinstance(out.type, Array):
            places = (None if place.loop is None else numbers[place.loop] for place in found.result)
            target = NestAccess(out, tuple(map(AffineIndex, places)))
        first = min(gone)
        count, some = sizes if found.mean else (), sizes if found.some else ()
        if gone == set(range(first, len(space))):
            work = Reduce(out, target, found.fn, found.initial, found.dtype, first, count, some)
            self.add(op, (out,), space, work, found.sources, found.make)
            return True
        if target is None or getattr(out.type, "dtype", "") != found.dtype:
            return False
        self.add_rows(op, out, space, target, found, count, some)
        return True

    def once(self, op: Call, out: Var, found: Reduction) -> bool:
        """A reduction of what does not depend on the loops that are kept: one number, which all of `out` is."""
        space, numbers = loop_space(found.shape), loops(found.shape)
        sizes = tuple(found.shape[axis] for axis in found.axes)
        inner = {
            old: AffineIndex(new)
            for axis, new in zip(found.axes, loops(sizes), strict=True)
            if (old := numbers[axis]) is not None
        }
        sources, make = self.made_of(found, space)
        own = getattr(out.type, "shape", None) or ()
        target = spread(whole(out), own, own)
        if found.some or not _counts_only(sources, inner.keys()) or target is None or not loop_space(own):
            return False
        axes = [inner.get(number, FIRST) for number in range(len(space))]
        given = [composed(source, axes) if isinstance(source, NestAccess | Counted) else source for source in sources]
        known = tuple(source for source in given if source is not None)
        total = self.temporary(Scalar(found.dtype))
        alone = replace(found, shape=sizes, axes=tuple(range(len(sizes))), result=(), sources=known, make=make)
        if len(known) < len(given) or not self.scope.measurable(loop_space(own)) or not self.reduce(op, total, alone):
            return False
        self.add(op, (out,), loop_space(own), Assign(target), (total,), in_dtype(getattr(out.type, "dtype", "")))
        return True

    def made_of(self, found: Reduction, space: tuple[Size, ...]) -> tuple[tuple[Source, ...], Element]:
        """What a reduction takes: of an array that the block has made element by element, what the elements are made of."""
        match found.sources:
            case (NestAccess(base, places),):
                makers = [unit for unit in self.units if base in unit.outs and isinstance(unit.work, Assign)]
            case _:
                makers = []
        for unit in makers:
            steady = all(self.scope.fixed(access.base) for access in (*unit.loads, *unit.targets))
            if unit.make is not None and unit.target_places == places and unit.space == space and steady:
                return unit.inputs, _after(unit.make, found.make)
        return found.sources, found.make

    def add_rows(
        self,
        op: Call,
        out: Var,
        space: tuple[Size, ...],
        target: NestAccess,
        found: Reduction,
        count: tuple[Size, ...],
        some: tuple[Size, ...],
    ) -> None:
        """A reduction over an axis with a loop that is kept inside of it: row after row goes into the result."""
        shape = getattr(out.type, "shape", ())
        own = spread(whole(out), shape, shape)
        assert own is not None
        fn = intrinsics.accumulate if found.fn is runtime.add_up else found.fn
        self.add(op, (out,), loop_space(shape), Assign(own), (found.initial,), in_dtype(found.dtype))
        self.add(op, (), space, Increase(target, fn, commutes=self.scope.fastmath, some=some), found.sources, found.make)
        if count:
            self.add(op, (), loop_space(shape), Assign(own), (own, *map(Length, count)), divided)

    def length(self, size: Size) -> Operand:
        """`size`, computed here by ops that stay as they are."""
        if isinstance(size, int):
            return Lit(size)
        found = self.scope.provider(size)
        assert found is not None
        var, axis, offset = found
        length: Operand = var if var.type == INT else self.number(intrinsics.dim, var, Lit(axis))
        if not offset:
            return length
        length = self.number(operator.add if offset > 0 else operator.sub, length, Lit(abs(offset)))
        return length if offset > 0 else self.number(max, length, Lit(0))

    def sum(self, a: Operand, b: Operand) -> Operand:
        """The sum of two integers."""
        match a, b:
            case Lit(0), _:
                return b
            case Lit(int() as one), Lit(int() as other):
                return Lit(one + other)
            case _:
                return self.number(operator.add, a, b)

    def number(self, fn: Callable[..., Any], *args: Operand) -> Var:
        """The integer that an op which stays as it is makes of `args`."""
        out = Var(self.scope.names.fresh("n"), INT)
        self.plain(Call((out,), Lit(fn), args))
        return out

    def withdrawn(self, before: int) -> None:
        """Forget the units from `before` on, and the lengths that they compute."""
        gone = {var for unit in self.units[before:] if unit.work is None for var in unit.outs if var.type == INT}
        del self.units[before:]
        if gone:
            self.scope.forget(gone)

    def temporary(self, type_: Type) -> Var:
        """A variable for what is computed on the way."""
        return Var(self.scope.names.fresh("tmp"), type_)

    def add(
        self,
        op: Call,
        made: tuple[Var, ...],
        space: tuple[Size, ...],
        work: Assign | Increase | Reduce,
        inputs: tuple[Source, ...],
        make: Element,
        *,
        lazy: bool = False,
    ) -> None:
        """Append a unit with work."""
        used = self._used(made, space, work, inputs)
        self.units.append(Unit(len(self.units), op, used, made, space, work, inputs, make, lazy=lazy))

    def _used(
        self, made: tuple[Var, ...], space: tuple[Size, ...], work: Assign | Increase | Reduce, inputs: tuple[Source, ...]
    ) -> tuple[Var, ...]:
        """What `work` at each place of `space` reads beside what it has `made`: arrays, lengths, and what tells them."""
        accesses = [source for source in inputs if isinstance(source, NestAccess)]
        accesses += () if work.target is None else (work.target,)
        accesses += [entry for access in accesses for entry in access.tables]
        counts = [place for source in inputs if isinstance(source, Counted) for place in source.places]
        extras = [place.extra for place in (*counts, *(place for access in accesses for place in access.places))]
        sizes = [*space, *_lengths_of(made, inputs), *_lengths(work), *looked_up(extras)]
        used = [access.base for access in accesses if access.base not in made]
        used += [extra for extra in extras if isinstance(extra, Var)]
        used += [found[0] for size in sizes if (found := self.scope.provider(size)) is not None]
        used += variables_of(source for source in inputs if not isinstance(source, NestAccess | Counted | Length))
        return tuple(dict.fromkeys(used))


def _lengths_of(made: tuple[Var, ...], inputs: tuple[Source, ...]) -> Iterator[Size]:
    """The lengths among `inputs`, and those of what is `made`."""
    yield from (source.size for source in inputs if isinstance(source, Length))
    yield from (size for var in made if isinstance(var.type, Array) for size in var.type.shape or ())


def _lengths(work: Assign | Increase | Reduce) -> tuple[Size, ...]:
    """The lengths that `work` divides by, or that must not be zero."""
    match work:
        case Reduce(count=count, some=some):
            return *count, *some
        case Increase(some=some):
            return some
        case _:
            return ()


def looked_up(extras: Iterable[Dim | Var | TableEntry | None]) -> list[Size]:
    """The lengths among `extras`, by which places are counted from the end, or beyond which no table may name a place."""
    return [extra.size if isinstance(extra, TableEntry) else extra for extra in extras if isinstance(extra, Dim | TableEntry)]


def _counts_only(sources: Iterable[Source], numbers: Collection[int]) -> bool:
    """Whether `sources` differ from iteration to iteration, and that by the loops of these `numbers` alone."""
    accesses = [source for source in sources if isinstance(source, NestAccess | Counted)]
    if any(True for access in accesses if isinstance(access, NestAccess) for _ in access.tables):
        return False
    steps = {place.loop for access in accesses for place in access.places if place.loop is not None}
    return bool(steps) and steps <= set(numbers)


def unit_of(op: Op, scope: BlockScope, order: int) -> Unit:
    """An op that stays as it is."""
    aliases = scope.aliases
    marks = isinstance(op, Call) and callee(op) in (intrinsics.turning_point, *kernel_scalars.CHECKS)
    opaque = not marks and (is_opaque(op) or any(map(is_opaque, (inner for b in blocks(op) for inner in all_ops(b)))))
    if isinstance(op, Call):
        reads = frozenset() if is_view(op, scope) or marks else frozenset(classes_read(op, effect_of(op), aliases))
    else:
        reads = frozenset(classes_touched(op, aliases))
    inside, used = None, tuple(reads_with_blocks(op))
    if blocks(op):
        inside = scope.inner({})
        used += tuple(found[0] for size in _sizes(op) if (found := inside.provider(size)) is not None)
    raises = any(isinstance(inner, Raise) for inner in (op, *(i for b in blocks(op) for i in all_ops(b))))
    return Unit(
        order,
        op,
        used,
        outs(op),
        scope=inside,
        reads=reads | (aliases.exposed if opaque else frozenset()),
        writes=frozenset() if marks else frozenset(classes_written(op, aliases)),
        barrier=opaque or raises,
    )


def is_view(op: Call, scope: BlockScope) -> bool:
    """Whether the out of `op` only names memory that is known."""
    return bool(op.outs) and op.outs[0].name in scope.places


def _after(first: Element, second: Element) -> Element:
    """Makes of what `first` makes what `second` does."""
    return lambda builder, args, hint: second(builder, (first(builder, args, hint),), hint)


def fits(value: Operand, into: str) -> bool:
    """Whether a store of `value` into an array of dtype `into` is a conversion that is known."""
    dtype = getattr(value.type, "dtype", "") if isinstance(value, Var) else ""
    if isinstance(value, Lit):
        return isinstance(value.value, bool if into == "bool" else float | int)
    if into == "bool":
        return dtype == "bool"
    return dtype in (into, "bool", "int64") or (dtype in FLOATS and into in FLOATS)


def _sizes(op: Op) -> Iterator[Size]:
    """The lengths that occur inside the blocks of `op`, in order."""
    for block in blocks(op):
        for var in (*defined_variables(block), *free_variables(block)):
            if isinstance(var.type, Array):
                yield from var.type.shape or ()
