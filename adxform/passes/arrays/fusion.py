"""Which units share a loop: a block's units put into nests, each as late as it is written and as early as it fits.

A unit joins a loop of its length if what it depends on inside is touched at the same iteration, and nothing outside of the loop
comes between. Inside a loop the units go on with their next loop by the same rule.

Source: Kennedy and McKinley, Maximizing Loop Parallelism and Improving Data Locality via Loop Fusion and Distribution (1993).
"""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations, product

from adxform.ir.operand_facts import callee
from adxform.ir.ops import Var
from adxform.ir.types import Size
from adxform.passes.arrays.maps import NestAccess
from adxform.passes.arrays.units import Increase, Reduce, Unit
from adxform.passes.loops.vector_forms import has_vector_form
from adxform.primitives.alias import Aliases

Pairs = tuple[tuple[NestAccess, NestAccess], ...]


@dataclass(eq=False, slots=True)
class FusedNest:
    """A loop over `size` with the units that share it, and what is inside; without a size, one unit."""

    order: int
    size: Size | None
    units: list[Unit] = field(default_factory=list)
    body: list[FusedNest] = field(default_factory=list)
    after: dict[FusedNest, None] = field(default_factory=dict)
    """The nests that must come later."""


def depend(units: Sequence[Unit], aliases: Aliases) -> None:
    """Note for each unit the earlier ones that it depends on."""
    makers: dict[str, Unit] = {}
    readers: dict[int | str, list[Unit]] = {}
    writers: dict[int | str, list[Unit]] = {}
    barrier: Unit | None = None
    for unit in units:
        earlier: dict[Unit, None] = {}
        for var in unit.uses:
            if var.name in makers:
                earlier[makers[var.name]] = None
        read, written = _effects(unit, aliases)
        for class_ in read | written:
            earlier |= dict.fromkeys(writers.get(class_, ()))
        for class_ in written:
            earlier |= dict.fromkeys(readers.get(class_, ()))
        for other in sorted(earlier, key=lambda found: found.order):
            pairs = _between(other, unit, aliases)
            if pairs is None or pairs:
                unit.needs[other] = pairs
        if barrier is not None:
            unit.needs[barrier] = None
        if unit.barrier:
            barrier = unit
        for class_ in read:
            readers.setdefault(class_, []).append(unit)
        for class_ in written:
            writers.setdefault(class_, []).append(unit)
        makers |= dict.fromkeys((var.name for var in unit.outs), unit)


def _class(var: Var, aliases: Aliases) -> int | str:
    return aliases.of(var) if aliases.knows(var) else var.name


def _between(a: Unit, b: Unit, aliases: Aliases) -> Pairs | None:
    """The pairs of accesses that keep `b` after `a`, nothing if none do, ``None`` if it needs all of `a` or cannot be told."""
    read = {var.name for var in a.outs} & {var.name for var in b.uses}
    if read - ({a.target.base.name} if a.target is not None else set()):
        return None
    if a.work is None or b.work is None:
        return None if read or _conflict(a, b, aliases) else ()
    adds = isinstance(a.work, Increase) and isinstance(b.work, Increase) and a.work.commutes and b.work.commutes
    met = list(_meetings(a, b, aliases))
    if any(one.base != other.base for one, other, _ in met):
        return None
    return tuple((one, other) for one, other, both in met if not one.apart(other) and not (both and adds))


def _meetings(a: Unit, b: Unit, aliases: Aliases) -> Iterator[tuple[NestAccess, NestAccess, bool]]:
    """The accesses of `a` and `b` to what may be one array, of which one writes, and whether both do."""
    for one, writes in _accesses(a):
        for other, also in _accesses(b):
            if (writes or also) and _class(one.base, aliases) == _class(other.base, aliases):
                yield one, other, writes and also


def _accesses(unit: Unit) -> list[tuple[NestAccess, bool]]:
    found = [(access, False) for access in unit.loads]
    return found if unit.target is None else [*found, (unit.target, True)]


def _conflict(a: Unit, b: Unit, aliases: Aliases) -> bool:
    reads, writes = zip(*(_effects(unit, aliases) for unit in (a, b)), strict=True)
    return bool(writes[0] & (reads[1] | writes[1]) or reads[0] & writes[1])


def _effects(unit: Unit, aliases: Aliases) -> tuple[set[int | str], set[int | str]]:
    reads = {*unit.reads, *(_class(access.base, aliases) for access in unit.loads)}
    writes: set[int | str] = set(unit.writes)
    if unit.target is not None:
        writes.add(_class(unit.target.base, aliases))
    return reads, writes


Path = tuple[FusedNest, ...]


def paths(nests: Sequence[FusedNest]) -> dict[Unit, Path]:
    """The loops around each unit, outermost first."""
    found: dict[Unit, Path] = {}

    def visit(nest: FusedNest, path: Path) -> None:
        if nest.size is None:
            found[nest.units[0]] = path
        for inner in nest.body:
            visit(inner, (*path, nest))

    for nest in nests:
        visit(nest, ())
    return found


def fuse(units: Sequence[Unit], depth: int = 0) -> list[FusedNest]:
    """The nests of `units`, which share `depth` loops already, in an order that keeps what depends on what."""
    nests: list[FusedNest] = []
    home: dict[Unit, FusedNest] = {}
    waiting: dict[Unit, None] = {}
    for unit in units:
        size = _size(unit, depth)
        if unit.lazy and size is not None:
            waiting[unit] = None
            continue
        group = [*_taken(unit, waiting), unit]
        alone = size is None or any(_size(member, depth) != size for member in group) or _lose_lanes(group, depth)
        if alone or not all(_together(one, other, depth) for one, other in combinations(group, 2)):
            for member in group[:-1]:
                _place([member], nests, home, depth)
            group = group[-1:]
        _place(group, nests, home, depth)
    for unit in waiting:
        _place([unit], nests, home, depth)
    for nest in nests:
        if nest.size is not None:
            nest.body = fuse(nest.units, depth + 1)
    return _in_order(nests)


def _size(unit: Unit, depth: int) -> Size | None:
    """The length of the loop at `depth` around `unit`, if there is one."""
    return unit.space[depth] if unit.work is not None and len(unit.space) > depth else None


def _place(group: Sequence[Unit], nests: list[FusedNest], home: dict[Unit, FusedNest], depth: int) -> None:
    """Put the units of `group` into one nest: the last that fits, or a new one."""
    last = group[-1]
    size = _size(last, depth)
    before = dict.fromkeys(home[other] for member in group for other in member.needs if other in home)
    found = None
    if size is not None:
        fitting = (nest for nest in reversed(nests) if nest.size == size and _fits(group, nest, before, depth))
        found = next(fitting, None)
    if found is None:
        found = FusedNest(last.order, size)
        nests.append(found)
    found.units += group
    home |= dict.fromkeys(group, found)
    for nest in before:
        if nest is not found:
            nest.after[found] = None


def _taken(unit: Unit, waiting: dict[Unit, None]) -> list[Unit]:
    """Those of `waiting` that `unit` needs, and what they need of it, in order; they wait no more."""
    found: list[Unit] = []
    for other in unit.needs:
        if other in waiting:
            del waiting[other]
            found += [*_taken(other, waiting), other]
    return found


def _together(one: Unit, other: Unit, depth: int) -> bool:
    """Whether what `other` needs of `one`, an earlier unit, is done by the same iteration of a loop that they share.

    Nests of the same loops share all of them or none, but for what a reduction keeps apart: half a nest is worth nothing.
    """
    pairs = other.needs.get(one, ())
    alike = one.space == other.space and not isinstance(one.work, Reduce)
    depths = range(depth, len(one.space)) if alike else (depth,)
    return pairs is not None and all(a.aligned(b, loop) for a, b in pairs for loop in depths)


def _lose_lanes(units: Sequence[Unit], depth: int) -> bool:
    """Whether some of `units` run in vectors in a loop of their own, and not in one with the loops inside that others have.

    If those have costly functions as well, it is worth more that rows are done one by one.
    """
    inside = [unit for unit in units if len(unit.space) > depth + 1]
    costly = [unit for unit in units if has_vector_form(callee(unit.op))]
    return bool(inside) and bool(costly) and all(len(unit.space) == depth + 1 for unit in costly)


def _fits(group: Sequence[Unit], nest: FusedNest, before: Iterable[FusedNest], depth: int) -> bool:
    """Whether `group` may join `nest`: what it needs there the same iteration does, and nothing that it needs comes later."""
    if not all(_together(other, unit, depth) for unit, other in product(group, nest.units)):
        return False
    if _lose_lanes([*nest.units, *group], depth):
        return False
    wanted = {needed for needed in before if needed is not nest}
    waiting, seen = list(nest.after), {nest}
    while wanted and waiting:
        later = waiting.pop()
        if later in wanted:
            return False
        if later not in seen:
            seen.add(later)
            waiting += later.after
    return True


def _in_order(nests: Sequence[FusedNest]) -> list[FusedNest]:
    """`nests` each after what it depends on, else as they were written."""
    waiting = dict.fromkeys(nests, 0)
    for nest in nests:
        for later in nest.after:
            waiting[later] += 1
    ready = [(nest.order, place) for place, nest in enumerate(nests) if not waiting[nest]]
    heapq.heapify(ready)
    places = {nest: place for place, nest in enumerate(nests)}
    found = []
    while ready:
        _, place = heapq.heappop(ready)
        found.append(nests[place])
        for later in nests[place].after:
            waiting[later] -= 1
            if not waiting[later]:
                heapq.heappush(ready, (later.order, places[later]))
    assert len(found) == len(nests)
    return found
