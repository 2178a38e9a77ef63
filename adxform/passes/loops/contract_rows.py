"""Arrays of which all rows hold the same, for what is stored in a row does not depend on which one it is."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from adxform.ir import intrinsics
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, For, If, Lit, Op, Operand, Pack, Var
from adxform.ir.types import INT, Array, Dim, Scalar
from adxform.ir.walk import blocks, defined_variables, operands, outs, variables_of
from adxform.passes.arrays.lane_dtypes import is_elementwise
from adxform.passes.loops.accesses import Accesses, Loop, Subscript
from adxform.primitives.table import record_of

INTEGERS = (INT, Scalar("int64"))
Range = tuple[Subscript, Subscript]
"""Places of an axis: from the first up to, and without, the second."""


@dataclass(frozen=True, slots=True)
class ElementUse:
    """A store or a load of an element, and the ops around it, outermost first."""

    op: Call
    around: tuple[Op, ...]

    @property
    def places(self) -> tuple[Operand, ...]:
        """The place on each axis."""
        index = self.op.args[1]
        return index.items if isinstance(index, Pack) else (index,)


@dataclass(frozen=True, slots=True)
class _Row:
    """The place of a store or a load on an axis: `offset` from the item of `loop`."""

    loop: Loop
    offset: int

    @property
    def range(self) -> Range:
        return self.loop.low + self.offset, self.loop.high + self.offset


class InvariantRows:
    """The axes along which arrays hold the same, over which places.

    `uses`: by its name, the stores and loads of each array that the function itself makes, which nothing else reads or writes.
    Elements that nothing was stored to hold zero, or whatever there was, which is as good in one row as in another.
    To begin with, all axes along which all stores go are taken to be such; then those are dropped, as often as it takes, where
    an iteration may store what another one does not.
    """

    def __init__(
        self, uses: Mapping[str, list[ElementUse]], accesses: Accesses, definitions: Mapping[Var, Call], loops: Iterable[For]
    ) -> None:
        self.accesses = accesses
        self.definitions = definitions
        self.loops = {loop.item: loop for op in loops if (loop := accesses.loop(op)) is not None}
        whole = {name: some for name, some in uses.items() if all(map(_is_element, some))}
        self.stores = {name: [use for use in some if callee(use.op) is operator.setitem] for name, some in whole.items()}
        self.alike: dict[tuple[str, int], Range] = {}
        self.varying: dict[Var, set[str]] = {}
        self.defined: dict[Var, frozenset[Var]] = {}
        for name, stores in self.stores.items():
            for axis in range(len(stores[0].places) if stores else 0):
                found = self.common(stores, axis)
                if found is not None:
                    self.alike[name, axis] = found
        size = -1
        while size != len(self.alike):
            size = len(self.alike)
            self.varying.clear()
            for name, axis in tuple(self.alike):
                if not all(self.is_same(use, axis) for use in self.stores[name]):
                    del self.alike[name, axis]

    def row(self, use: ElementUse, axis: int) -> _Row | None:
        """The place of `use` on `axis`, if that is in a loop over it from the front."""
        place = self.accesses.place(use.places[axis]) if axis < len(use.places) else None
        loop = self.loops.get(place.root) if place is not None and place.root is not None else None
        if place is None or loop is None or loop.low.root is not None or loop.low.offset + place.offset < 0:
            return None
        return _Row(loop, place.offset)

    def common(self, stores: list[ElementUse], axis: int) -> Range | None:
        """The places on `axis` that each of the loops around `stores` goes through."""
        rows = [self.row(use, axis) for use in stores]
        ranges = [row.range for row in rows if row is not None]
        if len(ranges) < len(stores):
            return None
        return next((least for least in ranges if all(self.includes(whole, least) for whole in ranges)), None)

    def includes(self, whole: Range, part: Range) -> bool:
        """Whether all places of `part` are in `whole`. Both begin at numbers."""
        (key, end), (other_key, other_end) = self.end(whole[1]), self.end(part[1])
        return whole[0].offset <= part[0].offset and key == other_key and end >= other_end

    def end(self, place: Subscript) -> tuple[str | None, int]:
        """`place` as the name of a length, or of a number, and what is added to it."""
        if place.root is None:
            return None, place.offset
        match self.definitions.get(place.root):
            case Call(args=(Var(type=Array(_, tuple() as shape)), Lit(axis))) as op if callee(op) is intrinsics.dim:
                match shape[axis]:
                    case int() as length:
                        return None, length + place.offset
                    case Dim(base, 0):
                        return f"length {base}", place.offset
        return place.root.name, place.offset

    def is_same(self, store: ElementUse, axis: int) -> bool:
        """Whether `store`, in the loop over its place on `axis`, is done in all iterations or none, and does the same there."""
        row = self.row(store, axis)
        assert row is not None
        found = self.varying_in(row.loop)
        depth = next(depth for depth, op in enumerate(store.around) if op is row.loop.op)
        inside = store.around[depth + 1 :]
        return not _any((*self.others(store, axis), store.op.args[2]), found) and not any(
            _any((op.cond,) if isinstance(op, If) else op.source, found) if isinstance(op, If | For) else True for op in inside
        )

    def varying_in(self, loop: Loop) -> set[str]:
        """The names of what may differ from one iteration of `loop` to another."""
        found = self.varying.get(loop.item)
        if found is None:
            found = self.varying[loop.item] = varying(loop.op, lambda load, names: self.is_steady(load, loop, names))
        return found

    def is_steady(self, load: Call, loop: Loop, found: set[str]) -> bool:
        """Whether `load` gives the same in all iterations of `loop`, in which what is in `found` varies.

        It goes along rows that are alike, of which each iteration writes at most its own.
        """
        array = element_of(load)
        if array is None or array.name not in self.stores:
            return False
        use = ElementUse(load, ())
        for axis in range(len(use.places)):
            row, alike = self.row(use, axis), self.alike.get((array.name, axis))
            if row is None or alike is None or row.loop is not loop or not self.includes(alike, row.range):
                continue
            if _any(self.others(use, axis), found):
                continue
            return all(self.keeps(loop, self.row(store, axis), row, store) for store in self.stores[array.name])
        return False

    def keeps(self, loop: Loop, written: _Row | None, read: _Row, store: ElementUse) -> bool:
        """Whether an iteration of `loop` finds the row `read` as the others find theirs, for all that `store` does to `written`.

        Where the loop over the rows that are written is around `loop`, some rows are written and others are not yet.
        """
        if any(op is loop.op for op in store.around):
            return written == read
        return written is not None and loop.item not in self.inside(written.loop)

    def inside(self, loop: Loop) -> frozenset[Var]:
        """What is defined in `loop`."""
        if loop.item not in self.defined:
            self.defined[loop.item] = frozenset(defined_variables(loop.op.body))
        return self.defined[loop.item]

    def others(self, use: ElementUse, axis: int) -> tuple[Operand, ...]:
        """The places of `use` on other axes."""
        return use.places[:axis] + use.places[axis + 1 :]


def _is_element(use: ElementUse) -> bool:
    array = use.op.args[0]
    return isinstance(array, Var) and isinstance(array.type, Array) and len(array.type.shape or ()) == len(use.places)


def once(store: ElementUse, accesses: Accesses) -> bool:
    """Whether each element is stored at most once: the loops around `store` are those over its places."""
    items = [op.body.params[0] if isinstance(op, For) else None for op in store.around]
    found = [accesses.place(place) for place in store.places if isinstance(place, Var)]
    roots = [place.root for place in found if place is not None]
    return None not in items and len(set(roots)) == len(found) and set(items) <= set(roots)


def element_of(op: Op) -> Var | None:
    """The array of which `op` stores or loads one element, at places that are integers."""
    if not isinstance(op, Call) or len(op.args) < 2 or not isinstance(array := op.args[0], Var):
        return None
    index = op.args[1]
    if isinstance(index, Pack) and index.kind != "tuple":
        return None
    places = index.items if isinstance(index, Pack) else (index,)
    if not all(isinstance(place, Var) and place.type in INTEGERS for place in places if not isinstance(place, Lit)):
        return None
    load = callee(op) is operator.getitem and isinstance(op.outs[0].type, Scalar)
    return array if load or callee(op) is operator.setitem else None


def with_those_around(block: Block, around: tuple[Op, ...] = ()) -> Iterator[tuple[Op, tuple[Op, ...]]]:
    """Every op, with those that it is inside of."""
    for op in block.ops:
        yield op, around
        for inner in blocks(op):
            yield from with_those_around(inner, (*around, op))


def varying(loop: For, steady: Callable[[Call, set[str]], bool]) -> set[str]:
    """The names of what may differ from one iteration of `loop` to another, at the same place of the loops inside.

    `steady` says whether a load does not, given the names of what does.
    """
    found = {param.name for param in loop.body.params}
    size = -1
    while size < len(found):
        size = len(found)
        _mark(loop.body, found, steady)
    return found


def _mark(block: Block, found: set[str], steady: Callable[[Call, set[str]], bool]) -> None:
    """Add the names of what varies in `block` to `found`, as far as is known from those in it."""
    for op in block.ops:
        match op:
            case Call():
                known = _is_of_operands(op) and not _any(operands(op), found)
                same = known or (callee(op) is operator.getitem and steady(op, found))
            case If():
                for inner in blocks(op):
                    _mark(inner, found, steady)
                same = not _any((op.cond, *op.then.results, *op.orelse.results), found)
            case For() if not op.breaks and not _any(op.source, found):
                _mark(op.body, found, steady)
                carried = zip(op.outs, op.body.params[1:], op.inits, op.body.results, strict=True)
                for out, param, init, result in carried:
                    if _any((param, init, result), found):
                        found.update((out.name, param.name))
                same = True
            case _:
                for inner in blocks(op):
                    found.update(var.name for var in defined_variables(inner))
                same = False
        if not same:
            found.update(out.name for out in outs(op))


def _is_of_operands(op: Call) -> bool:
    """Whether what `op` gives follows from its operands alone, not from memory that may have changed."""
    if record_of(callee(op)).whole or callee(op) is intrinsics.dim:
        return True
    return is_elementwise(callee(op)) and all(isinstance(out.type, Scalar) for out in op.outs)


def _any(given: Iterable[Operand], found: set[str]) -> bool:
    return any(var.name in found for var in variables_of(tuple(given)))
