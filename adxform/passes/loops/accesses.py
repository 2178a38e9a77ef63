"""Which element a load or a store in a nest of loops touches: an array, and by axis a variable plus a constant."""

from __future__ import annotations

import operator
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from adxform.ir import intrinsics
from adxform.ir.operand_facts import callee, with_inner
from adxform.ir.ops import Block, Call, For, Function, Lit, Op, Operand, Pack, Var
from adxform.ir.spans import Span
from adxform.ir.types import Array, Scalar
from adxform.ir.walk import all_ops, defined_variables, outs
from adxform.passes.loops.no_alias import Apart
from adxform.passes.memory.elements import IntegerFacts
from adxform.primitives.effects import is_removable
from adxform.primitives.memory import ACCESSES


@dataclass(frozen=True, slots=True)
class Subscript:
    """An integer: `root` plus `offset`, or `offset` alone. `root` is no such sum itself."""

    root: Var | None
    offset: int

    def __add__(self, more: int) -> Subscript:
        return Subscript(self.root, self.offset + more)


@dataclass(frozen=True, slots=True)
class ElementAccess:
    """One element of `base`, which is no view made by integers: its place on each axis."""

    base: Var
    axes: tuple[Subscript, ...]


@dataclass(frozen=True, slots=True)
class Loop:
    """A loop over each integer from `low` up to, and without, `high`, once, in either direction."""

    op: For
    low: Subscript
    high: Subscript

    @property
    def item(self) -> Var:
        """The index."""
        return self.op.body.params[0]


@dataclass(frozen=True, slots=True)
class Nest:
    """Loops of which each but the last does nothing but the next and what has no effect; their bounds do not vary.

    `definitions`: the op of each variable that the nest defines, without those inside ops of its blocks. `homes`: how many of
    the loops are around it.
    """

    loops: tuple[Loop, ...]
    definitions: Mapping[str, Op]
    homes: Mapping[str, int]

    @property
    def body(self) -> Block:
        """What the innermost loop does."""
        return self.loops[-1].op.body


@dataclass(frozen=True, slots=True)
class Cleared:
    """A part of an array that is set to zero: the array, by axis what its items are called, and from where to where."""

    base: Var
    items: tuple[Var, ...]
    ends: tuple[tuple[Subscript, Subscript], ...]
    span: Span


class Accesses:
    """The elements that the ops of one function touch.

    >>> from adxform.ir.text import read
    >>> fn = read('''
    ... def f(x: f64[x.0, x.1], n: int):
    ...     for i: int in range(1, n, 1):
    ...         j: int = operator.sub(i, 1)
    ...         row: f64[x.1] = operator.getitem(x, j)
    ...         operator.setitem(row, 3, 0.0)
    ...     return x''')
    >>> found = Accesses(fn).of(fn.body.ops[0].body.ops[2])
    >>> found.base.name, [(place.root and place.root.name, place.offset) for place in found.axes]
    ('x', [('i', -1), (None, 3)])
    """

    def __init__(self, fn: Function) -> None:
        self.elements = IntegerFacts(fn)
        self.no_alias = Apart(fn)
        self.named = self.no_alias.named
        self.views: dict[str, ElementAccess] = {}
        for op in all_ops(fn.body):
            if callee(op) is operator.getitem and isinstance(op, Call) and _is_array(op.outs[0]):
                found = self._access(op)
                if found is not None and len(found.axes) < _rank(found.base):
                    self.views[op.outs[0].name] = found

    def place(self, operand: Operand) -> Subscript | None:
        """`operand`, an integer, as a variable plus a constant."""
        match operand:
            case Lit(int() as value) if not isinstance(value, bool):
                return Subscript(None, value)
            case Var(type=Scalar("int64")):
                root, offset = self.elements.sum(operand, 0)
                return Subscript(self.named[root], offset)
            case _:
                return None

    def base(self, var: Var) -> Var:
        """The array that `var` is, or is a view of by integers."""
        return self.views[var.name].base if var.name in self.views else var

    def lower(self, place: Subscript) -> int | None:
        """A number that `place` is never less than."""
        return place.offset if place.root is None else self.elements.lower(place.root, place.offset)

    def from_the_front(self, place: Subscript) -> bool:
        """Whether `place` counts from the front in all iterations, so that no two of its values are the same element."""
        low = self.lower(place)
        return low is not None and low >= 0

    def of(self, op: Op) -> ElementAccess | None:
        """The one element that `op` loads from, stores to or adds to; ``None`` if it is no such op, or on more than one."""
        found = self._access(op) if isinstance(op, Call) and callee(op) in ACCESSES else None
        return found if found is not None and len(found.axes) == _rank(found.base) else None

    def _access(self, op: Call) -> ElementAccess | None:
        array, index = op.args[:2]
        if not isinstance(array, Var) or not _is_array(array):
            return None
        items = index.items if isinstance(index, Pack) and index.kind == "tuple" else (index,)
        places = tuple(place for item in items if (place := self.place(item)) is not None)
        if len(places) != len(items):
            return None
        view = self.views.get(array.name)
        return ElementAccess(array, places) if view is None else ElementAccess(view.base, (*view.axes, *places))

    def nest(self, root: For) -> Nest | None:
        """The longest nest that starts at `root`."""
        inside = {var.name for var in defined_variables(root.body)}
        loops: list[Loop] = []
        definitions: dict[str, Op] = {}
        homes: dict[str, int] = {}
        following: For | None = root
        while following is not None and (loop := self.loop(following, inside)) is not None:
            loops.append(loop)
            homes |= {param.name: len(loops) for param in loop.op.body.params}
            for op in loop.op.body.ops:
                definitions |= {out.name: op for out in outs(op)}
                homes |= {out.name: len(loops) for out in outs(op)}
            active = [op for op in loop.op.body.ops if not is_removable(op)]
            following = active[0] if len(active) == 1 and isinstance(active[0], For) else None
        return Nest(tuple(loops), definitions, homes) if loops else None

    def loop(self, op: For, inside: Collection[str] = ()) -> Loop | None:
        """`op` as a loop over integers; ``None`` where its ends are among the variables `inside`, or not known so."""
        start, stop, step = op.source
        low, high = self.place(start), self.place(stop)
        if op.breaks or step not in (Lit(1), Lit(-1)) or low is None or high is None:
            return None
        if any(place.root is not None and place.root.name in inside for place in (low, high)):
            return None
        return Loop(op, low, high) if step == Lit(1) else Loop(op, high + 1, low + 1)

    def cleared(self, nest: Nest) -> Cleared | None:
        """What `nest` clears; ``None`` if that is no part of an array by ranges of its axes, or it does more."""
        active = [op for op in nest.body.ops if not is_removable(op)]
        if len(active) != 1 or not _stores_zero(active[0]) or any(loop.op.outs for loop in nest.loops):
            return None
        store = active[0]
        assert isinstance(store, Call)
        target = self.of(store)
        by_item = {loop.item: loop for loop in nest.loops}
        if target is None:
            return None
        roots = [place.root for place in target.axes]
        lows = [self.lower(place) for place in target.axes]
        if len(roots) != len(nest.loops) or set(roots) != set(by_item) or any(low is None or low < 0 for low in lows):
            return None
        around = [by_item[place.root] for place in target.axes if place.root is not None]
        ends = [(loop.low + place.offset, loop.high + place.offset) for loop, place in zip(around, target.axes, strict=True)]
        return Cleared(target.base, tuple(loop.item for loop in around), tuple(ends), store.span)

    def touched(self, nest: Nest) -> Iterator[tuple[int, Op]]:
        """Every op in `nest`, with the place in the innermost body that it is in; -1 outside of that."""
        for loop, following in zip(nest.loops, (*nest.loops[1:], None), strict=True):
            for at, op in enumerate(loop.op.body.ops):
                if following is None:
                    yield from ((at, inner) for inner in with_inner(op))
                elif op is not following.op:
                    yield from ((-1, inner) for inner in with_inner(op))


def adds(op: Op) -> bool:
    """Whether `op` adds to an element, or takes from it, so that it may change places with others that do."""
    return callee(op) is intrinsics.accumulate or callee(op) is intrinsics.deduct


def _is_array(var: Var) -> bool:
    return isinstance(var.type, Array) and var.type.shape is not None


def _rank(var: Var) -> int:
    assert isinstance(var.type, Array)
    return len(var.type.shape or ())


def _stores_zero(op: Op) -> bool:
    """Whether `op` stores the number zero."""
    match op:
        case Call(args=(_, _, Lit(int() | float() as value))) if callee(op) is operator.setitem:
            return value == 0
        case _:
            return False
