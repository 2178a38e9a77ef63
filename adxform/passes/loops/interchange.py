"""Loops whose iterations may come in any order, put into the order that suits memory: rows inside, upwards, sums in registers."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace

from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, For, Function, Lit, Op, Operand, Var
from adxform.ir.types import FLOAT, INT, Scalar
from adxform.ir.walk import Names, outs, reads
from adxform.passes.loops.accesses import Accesses, ElementAccess, Loop, Nest, Subscript, adds
from adxform.passes.loops.dependences import Dependences
from adxform.passes.loops.zero_initialisation import Fills, emptied
from adxform.passes.scalar.dce import eliminate_dead_code
from adxform.passes.scalar.rewriting import Rewriter, classes_read, classes_written, each_function
from adxform.primitives.alias import Aliases
from adxform.primitives.effects import effect_of, is_removable


def interchange_loops(fn: Function) -> Function:
    """`fn` with the loops of nests that only add to arrays, and read others, in the order that suits memory.

    The innermost loop is one that goes along the last axes of what the nest touches. What it adds to one element it adds up in a
    number first. The sums are the same to rounding.

    Source: Allen and Kennedy, Optimizing Compilers for Modern Architectures (2001), sections 8.2 and 9.2.

    >>> from adxform.ir.text import read, show
    >>> print(show(interchange_loops(read('''
    ... def f(a: f64[a.0, a.1], x: f64[x.0], y: f64[y.0], n: int, m: int):
    ...     for j: int in range(0, m, 1):
    ...         for i: int in range(0, n, 1):
    ...             v: f64 = operator.getitem(a, (i, j))
    ...             u: f64 = operator.getitem(x, j)
    ...             t: f64 = operator.mul(v, u)
    ...             intrinsics.accumulate(y, i, t)
    ...     return y'''))))
    def f(a: f64[a.0, a.1], x: f64[x.0], y: f64[y.0], n: int, m: int):
        for i: int in range(0, n, 1):
            total.2: f64 = for j: int in range(0, m, 1) with total: f64 = 0.0:
                v: f64 = operator.getitem(a, (i, j))
                u: f64 = operator.getitem(x, j)
                t: f64 = operator.mul(v, u)
                total.1: f64 = operator.add(total, t)
                yield total.1
            intrinsics.accumulate(y, i, total.2)
        return y
    """
    ordered = each_function(fn, lambda part, aliases: _Ordering(part, aliases).block(part.body))
    return fn if ordered is fn else eliminate_dead_code(ordered)


@dataclass(frozen=True, slots=True)
class _Sum:
    """An addition to an element that is the same in all iterations of the innermost loop."""

    op: Call
    before: Var
    after: Var
    total: Var


class _Ordering(Rewriter):
    def __init__(self, fn: Function, aliases: Aliases) -> None:
        super().__init__()
        self.aliases = aliases
        self.accesses = Accesses(fn)
        self.fills = Fills(fn, aliases)
        self.names = Names.of(fn)

    def visit(self, op: Op, ops: list[Op]) -> None:
        """Append a nest that starts at `op` in its new order."""
        if isinstance(op, For) and (nest := self.accesses.nest(op)) is not None and is_free(nest, self.accesses, self.aliases):
            emission = _Emission(nest, self.accesses, self.names, self.fills)
            emission.zeros = zeros_added_to(nest, ops, self.accesses, self.fills)
            written = emission.ops()
            for position in emission.filled:
                ops[position] = emptied(ops[position])
            ops += written
        else:
            super().visit(op, ops)


def is_free(nest: Nest, accesses: Accesses, aliases: Aliases) -> bool:
    """Whether the iterations of `nest` may come in any order: it adds to elements of arrays that it does not read."""
    known = Dependences(nest, accesses, aliases)
    if any(loop.op.outs for loop in nest.loops) or not any(map(adds, nest.body.ops)):
        return False
    written: set[int] = set()
    read: set[int] = set()
    for _, op in known.touched:
        if isinstance(op, For) and any(op is loop.op for loop in nest.loops):
            continue
        if not isinstance(op, Call):
            return False
        read.update(classes_read(op, effect_of(op), known.aliases))
        written.update(classes_written(op, known.aliases))
        target = accesses.of(op)
        if adds(op):
            if target is None or target.base.name in nest.homes or not _is_number(op.args[2]):
                return False
        elif not is_removable(op):
            return False
    return read.isdisjoint(written)


def zeros_added_to(nest: Nest, ops: Sequence[Op], accesses: Accesses, fills: Fills) -> dict[str, int]:
    """By the name of an array that `nest` adds to in one place: where in `ops` it is made of zeros, untouched since."""
    targets = [target.base for op in nest.body.ops if adds(op) and (target := accesses.of(op)) is not None]
    classes = [fills.aliases.of(base) for base in targets]
    found = {base.name: fills.zeros(ops, base) for base in targets if classes.count(fills.aliases.of(base)) == 1}
    return {name: position for name, position in found.items() if position is not None}


def _is_number(operand: Operand) -> bool:
    return isinstance(operand, Lit) or (isinstance(operand, Var) and operand.type in (Scalar("float64"), Scalar("float64", True)))


class _Emission:
    """Writes one nest anew."""

    def __init__(self, nest: Nest, accesses: Accesses, names: Names, fills: Fills) -> None:
        self.nest = nest
        self.accesses = accesses
        self.names = names
        self.fills = fills
        self.zeros: dict[str, int] = {}
        self.filled: list[int] = []
        """Of the places in `zeros`, those of arrays that the nest fills."""
        self.all = [op for loop in nest.loops for op in loop.op.body.ops if not any(op is other.op for other in nest.loops)]
        self.order = self.chosen()
        self.levels = {loop.item.name: level for level, loop in enumerate(self.order, 1)}
        """By the name of what the nest defines: how many of the loops must be around it."""

    def chosen(self) -> list[Loop]:
        """The loops with the one innermost that goes along most rows and down fewest columns."""
        touched = [access for op in self.all if (access := self.accesses.of(op)) is not None]
        loops = list(self.nest.loops)
        best = min(reversed(loops), key=lambda loop: _across(loop, touched))
        return [*(loop for loop in loops if loop is not best), best]

    def ops(self) -> list[Op]:
        """The nest, and ahead of it what it needs."""
        depth = len(self.order)
        homes: list[list[Op]] = [[] for _ in range(depth + 1)]
        sums: list[_Sum] = []
        for op in self.all:
            level = max((self.levels.get(var.name, 0) for var in reads(op)), default=0)
            if not adds(op):
                self.levels |= {out.name: level for out in outs(op)}
                homes[level].append(op)
            elif (found := self.sum(op, depth)) is not None:
                sums.append(found)
                fn = operator.add if callee(op) is intrinsics.accumulate else operator.sub
                assert isinstance(op, Call)
                homes[depth].append(Call((found.after,), Lit(fn), (found.before, op.args[2]), (), op.span))
            else:
                assert isinstance(op, Call)
                homes[depth] += self.added(op, op.args[2], self.order)
        return self.written(homes, sums)

    def added(self, op: Call, value: Operand, loops: list[Loop]) -> list[Op]:
        """`value` added to the element that `op` adds to, in `loops`; stored there where that is the first and only time."""
        target = self.accesses.of(op)
        if target is None or target.base.name not in self.zeros or not self.fills.covered(target, loops):
            return [replace(op, args=(*op.args[:2], value))]
        self.filled.append(self.zeros[target.base.name])
        store = Call((), Lit(operator.setitem), (*op.args[:2], value), (), op.span)
        if callee(op) is intrinsics.accumulate:
            return [store]
        type_ = value.type if isinstance(value, Var) else FLOAT
        less = Var(self.names.fresh("tmp"), type_)
        return [Call((less,), Lit(operator.neg), (value,), (), op.span), replace(store, args=(*op.args[:2], less))]

    def sum(self, op: Op, depth: int) -> _Sum | None:
        """`op` as an addition to one element throughout the innermost loop."""
        assert isinstance(op, Call)
        places = [self.levels.get(var.name, 0) for var in reads(replace(op, args=op.args[:2]))]
        if max(places, default=0) == depth:
            return None
        type_ = op.args[2].type if isinstance(op.args[2], Var) else Scalar("float64", weak=True)
        before, after, total = (Var(self.names.fresh("total"), type_) for _ in range(3))
        return _Sum(op, before, after, total)

    def written(self, homes: list[list[Op]], sums: list[_Sum]) -> list[Op]:
        """The loops around the ops of each level."""
        ahead = Builder(self.names, self.nest.loops[0].op.span)
        sources = [self.source(loop, ahead) for loop in self.order]
        inner = homes[-1]
        results: tuple[Operand, ...] = tuple(one.after for one in sums)
        for level, loop in reversed(list(enumerate(self.order))):
            last = level == len(self.order) - 1
            params = tuple(one.before for one in sums) if last else ()
            body = Block((loop.item, *params), tuple(inner), results if last else ())
            totals = tuple(one.total for one in sums) if last else ()
            new = For(totals, sources[level], (Lit(0.0),) * len(params), body, span=loop.op.span)
            inner = [*homes[level], new]
            if last:
                for one in sums:
                    inner += self.added(replace(one.op, fn=Lit(intrinsics.accumulate)), one.total, self.order[:-1])
        return [*ahead.ops, *inner]

    def source(self, loop: Loop, ahead: Builder) -> tuple[Operand, ...]:
        """What `loop` goes over, upwards."""
        return (*(self.bound(place, ahead) for place in (loop.low, loop.high)), Lit(1))

    def bound(self, place: Subscript, ahead: Builder) -> Operand:
        if place.root is None or place.offset == 0:
            return Lit(place.offset) if place.root is None else place.root
        fn = operator.add if place.offset > 0 else operator.sub
        return ahead.call(fn, place.root, Lit(abs(place.offset)), type=INT)


def _across(loop: Loop, touched: list[ElementAccess]) -> int:
    """How many of the elements that are `touched` are in another row in each iteration of `loop`."""
    return sum(any(place.root == loop.item for place in access.axes[:-1]) for access in touched)
