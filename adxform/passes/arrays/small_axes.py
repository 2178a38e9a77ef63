"""Axes of few elements as so many names: arrays ``(n, 3)`` of which each column is computed by itself, side by side in a loop.

for i in range(n):                  for i in range(n):
    for j in range(3):        =>        a_0 = …
        a[i, j] = …                     a_1 = …
    y[i] = a[i, 1] * a[i, 2]            a_2 = …
                                        y[i] = a_1 * a_2
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from adxform.ir.build import Builder
from adxform.ir.ops import Lit, Operand, Var
from adxform.ir.types import Array, Scalar, Size
from adxform.ir.walk import variables_of
from adxform.passes.arrays.array_versions import is_cleared
from adxform.passes.arrays.block_scope import BlockScope
from adxform.passes.arrays.lane_dtypes import Element, converted
from adxform.passes.arrays.maps import AffineIndex, Counted, NestAccess, TableEntry, composed
from adxform.passes.arrays.units import Assign, Increase, Reduce, Source, Unit

FEW = 4


def is_few(size: Size) -> bool:
    """Whether an axis of this length is so many names: one or more, but few."""
    return isinstance(size, int) and 0 < size <= FEW


def unrolled(units: Sequence[Unit], results: Sequence[Operand], scope: BlockScope) -> list[Unit]:
    """`units` with the iterations of short loops, of lengths that are known, side by side where a longer loop is left."""
    pieces = [piece for unit in units for piece in _pieces(unit)]
    if len(pieces) > len(units):
        columns = _columns(pieces, results)
        names = {name for name, _ in columns}
        whole = (is_cleared(unit) and unit.outs[0].name not in names for unit in units)
        pieces = [piece for unit, is_whole in zip(units, whole, strict=True) for piece in ([unit] if is_whole else _pieces(unit))]
        while columns:
            for name, axis in columns:
                pieces = _split(pieces, name, axis, scope)
            columns = _columns(pieces, results)
    return [replace(unit, order=order) for order, unit in enumerate(pieces)]


def _pieces(unit: Unit) -> list[Unit]:
    """The iterations of the short loops of `unit`."""
    short = [loop for loop, size in enumerate(unit.space) if is_few(size)]
    if unit.work is None or not short or len(short) == len(unit.space):
        return [unit]
    loop = short[-1]
    count = unit.space[loop]
    assert isinstance(count, int)
    space = (*unit.space[:loop], *unit.space[loop + 1 :])
    if isinstance(unit.work, Reduce) and loop >= unit.work.kept:
        return _pieces(_combined(unit, unit.work, loop, count))
    found = []
    for number in range(count):
        work: Assign | Increase | Reduce
        match unit.work:
            case Assign(target) | Increase(target):
                work = replace(unit.work, target=_at(target, loop, number))
            case Reduce(target=target, kept=kept):
                assert target is not None
                work = replace(unit.work, target=_at(target, loop, number), kept=kept - 1)
        inputs = tuple(_taken(source, loop, number) for source in unit.inputs)
        outs = unit.outs if number == 0 else ()
        uses = unit.uses if number == 0 else tuple(dict.fromkeys((*unit.uses, *unit.outs)))
        found += _pieces(replace(unit, space=space, work=work, inputs=inputs, outs=outs, uses=uses, needs={}))
    return found


def _axes(loop: int, number: int) -> list[AffineIndex]:
    """The places of loops where `loop` is at its iteration `number`, and counts no more."""
    return [
        AffineIndex(other) if other < loop else AffineIndex(None, 1, number) if other == loop else AffineIndex(other - 1)
        for other in range(8)
    ]


def _at(access: NestAccess, loop: int, number: int) -> NestAccess:
    found = composed(access, _axes(loop, number))
    assert found is not None
    return found


def _taken(source: Source, loop: int, number: int) -> Source:
    """What is taken at iteration `number` of `loop`."""
    if not isinstance(source, NestAccess | Counted):
        return source
    found = composed(source, _axes(loop, number))
    assert found is not None
    return found


def _combined(unit: Unit, work: Reduce, loop: int, count: int) -> Unit:
    """`unit`, a reduction over `loop` too, with the `count` elements of that at one iteration."""
    assert unit.make is not None
    inputs = tuple(_taken(source, loop, number) for number in range(count) for source in unit.inputs)
    make = _of_several(unit.make, work.fn, work.dtype, count)
    space = (*unit.space[:loop], *unit.space[loop + 1 :])
    if len(space) > work.kept:
        return replace(unit, space=space, inputs=inputs, make=make, needs={})
    assert work.target is not None
    divisor = int(np.prod([size for size in work.count if isinstance(size, int)])) if work.count else 1
    dtype = getattr(work.out.type, "dtype", "")
    return replace(
        unit, space=space, work=Assign(work.target), inputs=inputs, make=_mean_of(make, work.dtype, divisor, dtype), needs={}
    )


def _of_several(make: Element, fn: Callable[..., Any], dtype: str, count: int) -> Element:
    """Makes one number of `count` elements, by `fn`."""

    def written(builder: Builder, args: tuple[Operand, ...], hint: str) -> Operand:
        width = len(args) // count
        found = make(builder, args[:width], "tmp")
        for number in range(1, count):
            one = make(builder, args[number * width : (number + 1) * width], "tmp")
            found = builder.call(fn, found, one, type=Scalar(dtype), hint=hint)
        return found

    return written


def _mean_of(make: Element, dtype: str, divisor: int, into: str) -> Element:
    """Makes the number over `divisor`, of dtype `into`."""

    def written(builder: Builder, args: tuple[Operand, ...], hint: str) -> Operand:
        found = make(builder, args, hint)
        if divisor != 1:
            found = builder.call(np.divide, found, Lit(float(divisor)), type=Scalar(dtype), hint=hint)
        return converted(builder, found, into, hint, always=True)

    return written


def _columns(units: Sequence[Unit], results: Sequence[Operand]) -> list[tuple[str, int]]:
    """The arrays made here, and an axis of each, of which every access is to one known column, stored before it is read."""
    whole = {var.name for unit in units if unit.work is None for var in unit.uses} | {var.name for var in variables_of(results)}
    made = (var for unit in units if unit.work is not None for var in unit.outs)
    found = {var.name: axis for var in made if (axis := _short_axis(var)) is not None and var.name not in whole}
    stored: dict[str, set[int]] = {name: set() for name in found}
    for unit in units:
        for access in (*unit.loads, *unit.targets):
            name = access.base.name
            if name not in found:
                continue
            place = access.places[found[name]]
            known = place.loop is None and place.extra is None
            if not known or (access is not unit.target and place.offset not in stored[name]):
                del found[name]
        if unit.target is not None and unit.target.base.name in found and not isinstance(unit.work, Increase):
            stored[unit.target.base.name].add(unit.target.places[found[unit.target.base.name]].offset)
    return list(found.items())


def _short_axis(var: Var) -> int | None:
    """The last axis of `var` of a few elements, if it is an array with longer axes as well."""
    shape = var.type.shape or () if isinstance(var.type, Array) else ()
    short = [axis for axis, size in enumerate(shape) if isinstance(size, int) and 1 < size <= FEW]
    return short[-1] if short and len(shape) > len(short) else None


def _split(units: Sequence[Unit], name: str, axis: int, scope: BlockScope) -> list[Unit]:
    """`units` with an array for each column of the array `name` along `axis`."""
    columns: dict[int, Var] = {}

    def moved(access: NestAccess) -> NestAccess:
        places = tuple(_column_entries(place, moved) for place in access.places)
        if access.base.name != name:
            return replace(access, places=places)
        assert isinstance(access.base.type, Array)
        assert access.base.type.shape is not None
        number, shape = places[axis].offset, access.base.type.shape
        if number not in columns:
            type_ = Array(access.base.type.dtype, (*shape[:axis], *shape[axis + 1 :]))
            columns[number] = Var(scope.names.fresh(access.base.base), type_)
        return NestAccess(columns[number], (*places[:axis], *places[axis + 1 :]))

    found, made = [], set()
    for unit in units:
        accesses = (*unit.loads, *unit.targets)
        if all(access.base.name != name for access in accesses):
            found.append(unit)
            continue
        inputs = tuple(moved(source) if isinstance(source, NestAccess) else source for source in unit.inputs)
        work = unit.work
        if work is not None and work.target is not None:
            work = replace(work, target=moved(work.target))
        target = None if work is None else work.target
        outs = tuple(var for var in unit.outs if var.name != name)
        if target is not None and target.base in columns.values() and target.base.name not in made:
            made.add(target.base.name)
            outs = (target.base,)
        kept = [var for var in unit.uses if var.name != name]
        uses = tuple(dict.fromkeys(var for var in (*kept, *_bases((*inputs, target))) if var not in outs))
        found.append(replace(unit, inputs=inputs, work=work, outs=outs, uses=uses))
    return found


def _bases(sources: Iterable[object]) -> list[Var]:
    """The arrays of the accesses among `sources`, and of those that tell their places."""
    touched = (source for source in sources if isinstance(source, NestAccess))
    return [access.base for source in touched for access in (source, *source.tables)]


def _column_entries(place: AffineIndex, moved: Callable[[NestAccess], NestAccess]) -> AffineIndex:
    """`place` with what its table became."""
    if not isinstance(place.extra, TableEntry):
        return place
    return replace(place, extra=replace(place.extra, access=moved(place.extra.access)))
