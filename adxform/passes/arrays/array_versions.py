"""Arrays that a nest makes and changes element by element, as one array for each version: what only that nest needs is no memory.

a[i] = x            a_0 = x
a[i] += y     =>    a_1 = a_0 + y
z[i] = a[i]         z[i] = a_1
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Lit, Operand, Var
from adxform.ir.types import Scalar
from adxform.passes.arrays.block_scope import BlockScope
from adxform.passes.arrays.fusion import FusedNest, paths
from adxform.passes.arrays.lane_dtypes import Element, converted
from adxform.passes.arrays.maps import NestAccess
from adxform.passes.arrays.units import Assign, Increase, Source, Unit
from adxform.primitives.table import having

CLEARED = having(lambda record: record.fresh is not None and record.fresh.number == 0.0)
OPERATORS: Mapping[Any, Any] = MappingProxyType({intrinsics.accumulate: operator.add, intrinsics.deduct: operator.sub})


def versioned(units: Sequence[Unit], nests: Sequence[FusedNest], scope: BlockScope) -> list[Unit] | None:
    """`units` with a new array for each change of one that the same iterations make and change; ``None`` if there is none."""
    around = paths(nests)
    writers: dict[str, list[Unit]] = {}
    for unit in units:
        if unit.target is not None:
            writers.setdefault(unit.target.base.name, []).append(unit)
    tables = {entry.base.name for unit in units for access in (*unit.loads, *unit.targets) for entry in access.tables}
    chosen = {}
    stay = [unit for unit in units if unit.work is None]
    for name, found in writers.items():
        first, last = found[0], found[-1]
        alike = all(_same_elements(first, other) and around[first] == around[other] for other in found[1:])
        made = isinstance(first.work, Assign) and first.target is not None and first.target.base in first.outs
        early = any(unit.order < last.order and name in {var.name for var in unit.uses} for unit in stay)
        if len(found) > 1 and made and alike and not early and name not in tables:
            chosen[name] = len(found)
    return _Renaming(chosen, scope).all(units) if chosen else None


def is_cleared(unit: Unit) -> bool:
    """Whether `unit` makes an array of zeros."""
    return unit.work is not None and callee(unit.op) in CLEARED and unit.inputs == (Lit(0.0),)


def _same_elements(first: Unit, other: Unit) -> bool:
    """Whether `other` writes all the elements that `first` writes, at the same iterations."""
    return isinstance(other.work, Assign | Increase) and other.space == first.space and other.target == first.target


class _Renaming:
    def __init__(self, writes: Mapping[str, int], scope: BlockScope) -> None:
        self.left = dict(writes)
        self.scope = scope
        self.now: dict[str, Var] = {}
        self.zero: set[str] = set()

    def all(self, units: Sequence[Unit]) -> list[Unit]:
        """`units` with the versions of arrays that are there at each."""
        return [replace(self.unit(unit), order=order, needs={}) for order, unit in enumerate(units)]

    def unit(self, unit: Unit) -> Unit:
        """`unit` with the versions that it reads, and the one that it makes."""
        if unit.work is None:
            return unit
        base = None if unit.target is None else unit.target.base
        changes = base is not None and base.name in self.left
        inputs = tuple(map(self.source, unit.inputs))
        uses = tuple(dict.fromkeys(self.now.get(var.name, var) for var in unit.uses))
        if not changes or base is None or unit.target is None:
            return replace(unit, inputs=inputs, uses=uses)
        before = self.now.get(base.name)
        self.left[base.name] -= 1
        new = Var(self.scope.names.fresh(base.base), base.type) if self.left[base.name] else base
        self.now[base.name] = new
        if is_cleared(unit):
            self.zero.add(new.name)
        make, work = unit.make, unit.work
        if isinstance(work, Increase):
            assert before is not None
            assert make is not None
            cleared = before.name in self.zero and work.fn in OPERATORS
            make = _changed(make, work.fn, getattr(base.type, "dtype", ""), cleared=cleared)
            if not cleared:
                inputs = (*inputs, NestAccess(before, unit.target.places))
                uses = (*uses, before)
        uses = tuple(var for var in dict.fromkeys(uses) if var != new)
        return replace(unit, inputs=inputs, uses=uses, outs=(new,), make=make, work=Assign(NestAccess(new, unit.target.places)))

    def source(self, source: Source) -> Source:
        """`source` of the version that is there."""
        if not isinstance(source, NestAccess) or source.base.name not in self.now:
            return source
        return replace(source, base=self.now[source.base.name])


def _changed(make: Element, fn: Any, dtype: str, *, cleared: bool) -> Element:
    """Makes of the element before, the last that it is given, the one after; of what was cleared it needs none."""

    def written(builder: Builder, args: tuple[Operand, ...], hint: str) -> Operand:
        value = make(builder, args if cleared else args[:-1], "tmp")
        if not cleared:
            return builder.call(OPERATORS.get(fn, fn), args[-1], value, type=Scalar(dtype), hint=hint)
        value = converted(builder, value, dtype, hint, always=True)
        return builder.call(operator.neg, value, type=Scalar(dtype), hint=hint) if fn is intrinsics.deduct else value

    return written
