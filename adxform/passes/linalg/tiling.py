"""Array code around products of many matrices goes along a long axis in strips: what lies between them stays in the cache."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.operand_facts import axis_lengths, callee
from adxform.ir.ops import Block, Call, For, Function, Lit, Op, Operand, Pack, Var
from adxform.ir.types import INT, Array, Dim, Size, Type
from adxform.ir.walk import Names, outs, reads, reads_with_blocks, substitute, variables_of
from adxform.passes.linalg.axis_semantics import WHOLE, axis_of, role
from adxform.passes.linalg.kernel_products import is_product
from adxform.passes.scalar.rewriting import classes_touched, classes_written, each_function, is_certain_view
from adxform.primitives.alias import Aliases
from adxform.primitives.effects import effect_of
from adxform.primitives.memory import RESHAPES

LONG = 128
"""How many elements of the axis a strip has at most: ten numbers of each of 25 kinds are then as much as a cache holds."""


def tile_products(fn: Function) -> Function:
    """`fn`, whose calls between products of matrices are made for one strip of their common axis after the other.

    There is one strip even of no elements: what raises does so.

    >>> from adxform.ir.text import read, show
    >>> print(show(tile_products(read('''
    ... def f(x: f64[n, d], w: f64[K, d, d]):
    ...     y: f64[K, n, d] = operator.matmul(x, w)
    ...     e: f64[K, n, d] = np.exp(y)
    ...     s: f64 = np.sum(e)
    ...     return s'''))))
    def f(x: f64[n, d], w: f64[K, d, d]):
        n: int = intrinsics.dim(x, 0)
        n.1: int = builtins.max(n, 1)
        s: f64 = for start: int in range(0, n.1, 128) with s.1: f64 = 0.0:
            tmp: int = operator.add(start, 128)
            stop: int = builtins.min(tmp, n)
            strip: int = operator.sub(stop, start)
            x.1: f64[strip, d] = operator.getitem(x, (slice(start, stop, None), slice(None, None, None)))
            y.1: f64[K, strip, d] = operator.matmul(x.1, w)
            e.1: f64[K, strip, d] = np.exp(y.1)
            s.2: f64 = np.sum(e.1)
            s.3: f64 = operator.add(s.1, s.2)
            yield s.3
        return s
    """

    def stripped(part: Function, aliases: Aliases) -> Block:
        plans = [StripPlan.of(part, size, aliases) for size in dict.fromkeys(long_axes(part.body))]
        best = max((plan for plan in plans if plan.pays()), key=lambda plan: len(plan.within), default=None)
        written = None if best is None else StripWriter(part, best).block()
        return part.body if written is None else written

    return each_function(fn, stripped)


def long_axes(block: Block) -> list[Dim]:
    """The lengths of the axes of products of many matrices, of which two lengths are not known."""
    found: list[Dim] = []
    for op in block.ops:
        if is_large(op):
            found += [size for var in (*reads(op), *outs(op)) for size in axis_lengths(var) if isinstance(size, Dim)]
    return [size for size in found if not size.may_be_one]


def is_large(op: Op) -> bool:
    """Whether `op` is a product of many matrices of which at least two lengths are not known."""
    if not isinstance(op, Call) or not is_product(op) or len(axis_lengths(op.outs[0] if op.outs else Lit(None))) != 3:
        return False
    left, right = (axis_lengths(arg) for arg in op.args)
    return sum(isinstance(size, Dim) for size in (*left[-2:], right[-1])) >= 2


@dataclass(slots=True)
class StripPlan:
    """Which ops of a block come before the strips, within them, and after.

    `parts`: the variables that a strip has a part of. `sums`: those that are sums over the axis. `whole`: those of `parts` that
    are wanted after the strips.
    """

    size: Dim
    before: list[Op] = field(default_factory=list)
    within: list[Call] = field(default_factory=list)
    after: list[Op] = field(default_factory=list)
    parts: dict[Var, None] = field(default_factory=dict)
    sums: dict[Var, None] = field(default_factory=dict)
    whole: dict[Var, None] = field(default_factory=dict)

    @classmethod
    def of(cls, fn: Function, size: Dim, aliases: Aliases) -> StripPlan:
        """The plan for the axes of that length in the body of `fn`."""
        plan = cls(size)
        late: set[Var] = set()
        changed: set[int] = set()
        needed: set[int] = set()
        read: set[int] = set()
        for op in fn.body.ops:
            used = reads_with_blocks(op)
            touched, written = set(classes_touched(op, aliases)), set(classes_written(op, aliases))
            if plan.takes(op, aliases) and late.isdisjoint(used) and changed.isdisjoint(touched):
                assert isinstance(op, Call)
                if callee(op) is not intrinsics.dim:
                    plan.within.append(op)
                    read |= touched
                    sums = role(op, size) == "sum"
                    (plan.sums if sums else plan.parts)[op.outs[0]] = None
                    late.update(op.outs if sums else ())
                else:
                    plan.before.append(op)
                continue
            inside = [var for var in used if var in plan.parts]
            if inside or not (late.isdisjoint(used) and changed.isdisjoint(touched) and written.isdisjoint(read | needed)):
                plan.after.append(op)
                plan.whole |= dict.fromkeys(inside)
                late.update(outs(op))
                changed |= written
                needed |= touched
            else:
                plan.before.append(op)
        plan.whole |= {var: None for var in variables_of(fn.body.results) if var in plan.parts}
        return plan

    def takes(self, op: Op, aliases: Aliases) -> bool:
        """Whether strips may hold `op`, or it asks for a length of what they make."""
        if not isinstance(op, Call):
            return False
        if callee(op) is intrinsics.dim:
            return op.args[0] in self.parts
        effect = effect_of(op)
        if effect.writes or effect.opaque or not op.outs or role(op, self.size) is None:
            return False
        touched = aliases.written | aliases.exposed
        return aliases.of(op.outs[0]) not in (aliases.exposed if effect.views else touched)

    def pays(self) -> bool:
        """Whether there is a product of many matrices within, and less is kept than what need not be."""
        large = [op for op in self.within if is_large(op)]
        kept = sum(len(axis_lengths(var)) > 2 for var in self.whole)
        return bool(large) and kept < sum(len(axis_lengths(var)) > 2 for var in self.parts)


class StripWriter:
    """Writes the block of a plan."""

    def __init__(self, fn: Function, plan: StripPlan) -> None:
        self.fn = fn
        self.plan = plan
        self.top = Builder(Names.of(fn), fn.span)
        self.providers: dict[Size, tuple[Var, int]] = {}
        self.known: dict[Size, Operand] = {}

    def block(self) -> Block | None:
        """The block; ``None`` where a length is not known ahead of the strips, or what is kept is no array of its own."""
        plan, top = self.plan, self.top
        self.provide(self.fn.params)
        for op in views_last(plan.before):
            if (ready := self.measured(op)) is None:
                return None
            top.emit(ready)
            self.provide(outs(op))
        asked = {size for var in (*plan.whole, *plan.sums) for size in (*axis_lengths(var), plan.size) if isinstance(size, Dim)}
        floats = all(getattr(var.type, "dtype", "") == "float64" for var in plan.whole)
        views = any(effect_of(op).views and op.outs[0] in plan.whole for op in plan.within)
        if views or not floats or not asked <= self.providers.keys():
            return None
        n = self.length(plan.size)
        for make, made in ((np.empty, plan.whole), (np.zeros, plan.sums)):
            for var in made:
                if axis_lengths(var):
                    top.emit(Call((var,), Lit(make), (self.shape(var),)))
        top.emit(self.loop(n))
        return Block(self.fn.params, (*top.ops, *plan.after), self.fn.body.results)

    def provide(self, arrays: Iterable[Var]) -> None:
        """Note the lengths of `arrays`, which are there."""
        for var in arrays:
            for axis, size in enumerate(axis_lengths(var)):
                self.providers.setdefault(size, (var, axis))

    def measured(self, op: Op) -> Op | None:
        """`op`; if it asks for a length of what strips make, then of an array that is there; ``None`` if none is."""
        match op:
            case Call(args=(Var() as var, Lit(int() as axis))) if var in self.plan.parts:
                found = self.providers.get(axis_lengths(var)[axis])
                return None if found is None else replace(op, args=(found[0], Lit(found[1])))
            case _:
                return op

    def length(self, size: Size) -> Operand:
        """`size`, ahead of the strips."""
        if isinstance(size, Dim) and size not in self.known:
            var, axis = self.providers[size]
            self.known[size] = self.top.call(intrinsics.dim, var, Lit(axis), type=INT, hint="n")
        return self.known[size] if isinstance(size, Dim) else Lit(size)

    def shape(self, var: Var) -> Operand:
        """The shape of `var`, ahead of the strips."""
        return Pack("tuple", tuple(map(self.length, axis_lengths(var))))

    def loop(self, n: Operand) -> For:
        """The loop over strips of an axis of length `n`."""
        plan, inner = self.plan, self.top.nested()
        start = inner.var("start", INT)
        end = inner.call(operator.add, start, Lit(LONG), type=INT)
        stop = inner.call(min, end, n, type=INT, hint="stop")
        strip = inner.call(operator.sub, stop, start, type=INT, hint="strip")
        own = Dim(strip.name)
        parts: dict[Var, Operand] = {}
        piece = Pack("slice", (start, stop, Lit(None)))

        def region(var: Var) -> Operand:
            rank, axis = len(axis_lengths(var)), axis_of(var, plan.size)
            assert axis is not None
            return (
                piece if rank == 1 else Pack("tuple", tuple(piece if place == rank + axis else WHOLE[1] for place in range(rank)))
            )

        def part(var: Var) -> Operand:
            if var not in parts:
                alone = axis_of(var, plan.size) is None
                parts[var] = (
                    var if alone else inner.call(operator.getitem, var, region(var), type=self.typed(var, own), hint=var.base)
                )
            return parts[var]

        carried = [var for var in plan.sums if not axis_lengths(var)]
        totals = {var: inner.var(var.base, var.type) for var in carried}
        ends: dict[Var, Operand] = {}
        for op in plan.within:
            inner.span = op.span
            mapping = {var: part(var) for var in reads(op)}
            (out,) = op.outs
            made = parts[out] = inner.var(out.base, self.typed(out, own))
            args = tuple(substitute(arg, mapping) for arg in op.args)
            if callee(op) in RESHAPES:
                args = (args[0], Pack("tuple", tuple(strip if size == own else self.length(size) for size in axis_lengths(made))))
            kwargs = tuple((key, substitute(value, mapping)) for key, value in op.kwargs)
            inner.emit(Call((made,), Lit(np.reshape) if callee(op) in RESHAPES else op.fn, args, kwargs, op.span))
            if out in totals:
                ends[out] = inner.call(operator.add, totals[out], made, type=out.type, hint=out.base)
            elif out in plan.sums:
                inner.effect(intrinsics.accumulate, out, Lit(...), made)
            elif out in plan.whole:
                inner.effect(operator.setitem, out, region(out), made)
        some = self.top.call(max, n, Lit(1), type=INT, hint="n")
        body = inner.block((start, *totals.values()), tuple(ends.values()))
        return For(tuple(carried), (Lit(0), some, Lit(LONG)), (Lit(0.0),) * len(carried), body, span=self.fn.span)

    def typed(self, var: Var, own: Dim) -> Type:
        """The type of a part of `var`."""
        if not isinstance(var.type, Array):
            return var.type
        return Array(var.type.dtype, tuple(own if size == self.plan.size else size for size in axis_lengths(var)))


def views_last(ops: Sequence[Op]) -> list[Op]:
    """`ops` with those last that only name memory for what comes after: a kernel then takes that memory as it lies."""
    wanted: set[Var] = set()
    ahead: list[Op] = []
    views: list[Op] = []
    for op in reversed(ops):
        if isinstance(op, Call) and is_certain_view(op, effect_of(op)) and wanted.isdisjoint(op.outs):
            views.append(op)
        else:
            ahead.append(op)
            wanted.update(reads_with_blocks(op))
    return [*reversed(ahead), *reversed(views)]
