"""What an index with arrays of integers selects: places that are looked up in a table, element by element."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from adxform.ir.operand_facts import callee, index_parts
from adxform.ir.ops import Call, Lit, Operand, Pack, Var
from adxform.ir.types import Array, Scalar, Size
from adxform.passes.arrays.block_scope import BlockScope
from adxform.passes.arrays.lane_dtypes import literals
from adxform.passes.arrays.maps import AffineIndex, Counted, NestAccess, Region, TableEntry, onto, region
from adxform.primitives.memory import index_kind
from adxform.primitives.table import record_of

MOST = 16
"""Of tables with more elements it is not asked what they hold."""


def selected(
    access: NestAccess, shape: tuple[Size, ...], index: Operand, scope: BlockScope, lengths: tuple[Size | None, ...] = ()
) -> Region | None:
    """What `index` selects of the array of `shape` at `access`; ``None`` where that is not known element by element.

    For `lengths` see `region`. Tables that stand side by side give the axes of the selection at their place, others the first.
    """
    kind = index_kind(index)
    if kind != "fancy":
        return region(access, shape, index, lengths) if kind == "basic" else None
    parts = index_parts(index)
    tables = {place: part for place, part in enumerate(parts) if isinstance(part, Var) and isinstance(part.type, Array)}
    wide = _together([_shape(table) for table in tables.values()])
    if wide is None:
        return None
    rest = region(access, shape, Pack("tuple", tuple(Lit(0) if place in tables else part for place, part in enumerate(parts))))
    if rest is None:
        return None
    named = [place for place, part in enumerate(parts) if place in tables or _is_number(part)]
    lead = _lead(parts, named, len(rest.shape))
    sizes = (*rest.shape[:lead], *wide, *rest.shape[lead:])
    axes = [_after(axis, lead, len(wide)) for axis in rest.axes]
    for place, table in tables.items():
        axis = _axis(parts, place, len(shape))
        found = _named(table, shape[axis], sizes, lead + len(wide), scope)
        if found is None:
            return None
        axes[axis] = found
    return Region(tuple(axes), sizes)


def _lead(parts: Sequence[Operand], named: Sequence[int], rank: int) -> int:
    """How many axes come before those of tables at the places `named` of an index; `rank` counts all but theirs."""
    if named[-1] - named[0] != len(named) - 1:
        return 0
    later = parts[named[-1] + 1 :]
    if Lit(...) in later or Lit(...) not in parts:
        return sum(part != Lit(...) for part in parts[: named[0]])
    return rank - sum(part != Lit(...) for part in later)


def note_literals(op: Call, scope: BlockScope) -> None:
    """Note of `op`, if it makes tables of places of literals alone, what they hold."""
    match op:
        case Call(outs=(out,), fn=Lit(fn), args=args) if record_of(fn).tabulates and not op.kwargs:
            if all(isinstance(arg, Lit) for arg in args):
                scope.indices[out.name] = op
        case Call(outs=(Var(type=Array("int64", (int() as size,))) as out,), args=(Var() as made, Lit(int() as number))):
            maker = scope.indices.get(made.name)
            if maker is not None and callee(op) is operator.getitem and size <= MOST and scope.fixed(out):
                tables: Any = callee(maker)
                scope.listed[out.name] = tuple(tables(*map(literals, maker.args))[number].tolist())
        case _:
            return


def _shape(table: Var) -> tuple[Size, ...] | None:
    """The shape of a table of places; ``None`` if it is no such."""
    return table.type.shape if isinstance(table.type, Array) and table.type.dtype == "int64" else None


def _is_number(part: Operand) -> bool:
    return isinstance(part, Var) and isinstance(part.type, Scalar) if not isinstance(part, Lit) else isinstance(part.value, int)


def _together(shapes: Sequence[tuple[Size, ...] | None]) -> tuple[Size, ...] | None:
    """The shape that tables of `shapes` have together; ``None`` where lengths may differ."""
    known = [shape for shape in shapes if shape]
    if not known or len(known) < len(shapes):
        return None
    wide: list[Size] = []
    for axis in range(-max(map(len, known)), 0):
        sizes = dict.fromkeys(shape[axis] for shape in known if len(shape) >= -axis and shape[axis] != 1)
        if len(sizes) > 1:
            return None
        wide += sizes or (1,)
    return tuple(wide)


def _after(place: AffineIndex, lead: int, more: int) -> AffineIndex:
    """`place` where `more` axes come before axis `lead`."""
    return place if place.loop is None or place.loop < lead else replace(place, loop=place.loop + more)


def _axis(parts: Sequence[Operand], place: int, rank: int) -> int:
    """The axis that part `place` of an index is of."""
    if Lit(...) in parts[:place]:
        return rank - sum(part != Lit(None) for part in parts[place:])
    return sum(part != Lit(None) for part in parts[:place])


def _named(table: Var, size: Size, sizes: tuple[Size, ...], end: int, scope: BlockScope) -> AffineIndex | None:
    """The place that `table` names in an axis of `size`, by the axes of the selection; those of the table come before `end`."""
    own = _shape(table) or ()
    source = scope.source(table)
    found = onto(source, own, sizes, end - len(own)) if isinstance(source, NestAccess | Counted) else None
    values = scope.listed.get(table.name, ())
    if isinstance(size, int) and not all(-size <= value < size for value in values):
        return None
    match found:
        case NestAccess():
            return AffineIndex(None, extra=TableEntry(found, size, values))
        case Counted((place,)):
            return place
        case _:
            return None
