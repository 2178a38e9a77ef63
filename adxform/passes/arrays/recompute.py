"""Values computed again in another loop where that costs less than to store them in one and to load them in the other.

Source: the rule of three of docs/architecture.md: cheaper than about three times a load and a store.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from adxform.ir.operand_facts import callee
from adxform.ir.ops import Operand, Var
from adxform.passes.arrays.block_scope import BlockScope
from adxform.passes.arrays.fusion import FusedNest, Path, paths
from adxform.passes.arrays.maps import NestAccess
from adxform.passes.arrays.nests import storage
from adxform.passes.arrays.units import Assign, Unit
from adxform.primitives.table import meaning_of, spelled

OPERATIONS = 4
LOADS = 2


def recomputed(
    units: Sequence[Unit], nests: Sequence[FusedNest], results: Sequence[Operand], scope: BlockScope
) -> list[Unit] | None:
    """`units` with what is cheap made again for readers in other nests; ``None`` if there is nothing."""
    work = _Work(units, paths(nests), storage(nests, units, results).shared, scope)
    found = work.done()
    return found if work.copies else None


@dataclass(slots=True)
class _Work:
    units: Sequence[Unit]
    paths: dict[Unit, Path]
    shared: dict[str, int]
    scope: BlockScope
    position: dict[Unit, int] = field(default_factory=dict)
    makers: dict[str, Unit] = field(default_factory=dict)
    copies: dict[tuple[str, Path], Var] = field(default_factory=dict)
    new: list[Unit] = field(default_factory=list)

    def done(self) -> list[Unit]:
        """The units, with copies."""
        self.position = {unit: place for place, unit in enumerate(self.units)}
        written: set[str] = set()
        for unit in self.units:
            if isinstance(unit.work, Assign) and unit.work.target.base in unit.outs and not unit.lazy:
                self.makers[unit.work.target.base.name] = unit
            elif unit.target is not None:
                written.add(unit.target.base.name)
        for name in written & self.makers.keys():
            del self.makers[name]
        for unit in self.units:
            self.add(self.reading_copies(unit, unit))
        return self.new

    def add(self, unit: Unit) -> None:
        """Append `unit`, renumbered."""
        self.new.append(replace(unit, order=len(self.new), needs={}))

    def reading_copies(self, unit: Unit, reader: Unit) -> Unit:
        """`unit`, which is run where `reader` is, with loads of what is made again there."""
        if unit.work is None:
            return unit
        changed: dict[str, Var] = {}
        for access in unit.loads:
            name = access.base.name
            if name not in changed and self.wanted(access, reader):
                changed[name] = self.copy(self.makers[name], reader)
        if not changed:
            return unit
        inputs = tuple(
            replace(source, base=changed.get(source.base.name, source.base)) if isinstance(source, NestAccess) else source
            for source in unit.inputs
        )
        uses = tuple(changed.get(var.name, var) for var in unit.uses)
        return replace(unit, inputs=inputs, uses=uses)

    def wanted(self, access: NestAccess, reader: Unit) -> bool:
        """Whether what `access` reads is to be made again where `reader` is."""
        maker = self.makers.get(access.base.name)
        if maker is None or maker.target is None or access.places != maker.target.places or reader.work is None:
            return False
        depth = len(maker.space)
        if self.paths[maker][:depth] == self.paths[reader][:depth] or reader.space[:depth] != maker.space:
            return False
        return self.cost(maker, reader, OPERATIONS, stored=False) is not None

    def cost(self, maker: Unit, reader: Unit, most: int, *, stored: bool) -> tuple[int, int] | None:
        """The operations and loads of making it again where `reader` is; ``None`` if that cannot be done, or not cheaply.

        `most`: how many operations it may take. `stored`: it is in memory in any case.
        """
        if not most:
            return None
        name = maker.outs[0].name
        if not (isinstance(maker.work, Assign) and is_cheap(maker)):
            return None
        if (self.shared.get(name) == 0 and stored) or not self.unchanged(maker.outs[0], maker, reader):
            return None
        operations, loads = 1, 0
        for access in maker.loads:
            inner = self.makers.get(access.base.name)
            stored = inner is None or self.shared.get(access.base.name, 0) < len(inner.space)
            below = None
            if inner is not None and access.places == inner.target_places:
                below = self.cost(inner, reader, most - operations, stored=stored)
            if below is None and not (stored and self.unchanged(access.base, maker, reader)):
                return None
            more = below or (0, 1)
            operations, loads = operations + more[0], loads + more[1]
        return (operations, loads) if operations <= most and loads <= LOADS else None

    def unchanged(self, base: Var, maker: Unit, reader: Unit) -> bool:
        """Whether nothing between the two writes to the memory of `base`."""
        class_ = self.scope.class_of(base)
        for unit in self.units[self.position[maker] + 1 : self.position[reader]]:
            if class_ in unit.writes or (unit.target is not None and self.scope.class_of(unit.target.base) == class_):
                return False
        return True

    def copy(self, maker: Unit, reader: Unit) -> Var:
        """The value of `maker` made again for `reader`, and for others in its nest."""
        assert isinstance(maker.work, Assign)
        var = maker.work.target.base
        key = var.name, self.paths[reader][: len(maker.space)]
        if key not in self.copies:
            changed = self.reading_copies(maker, reader)
            new = Var(self.scope.names.fresh(var.base), var.type)
            self.copies[key] = new
            target = replace(maker.work.target, base=new)
            self.add(replace(changed, outs=(new,), work=Assign(target), lazy=True))
        return self.copies[key]


def is_cheap(unit: Unit) -> bool:
    """Whether what `unit` computes costs less than to store and to load it: a division does if iterations share the divisor."""
    fn = callee(unit.op)
    if fn is None:
        return False
    return meaning_of(fn).beside_memory or (
        spelled(fn) is operator.truediv and len(unit.inputs) == 2 and isinstance(unit.inputs[1], Var)
    )
