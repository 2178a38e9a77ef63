"""Costly functions of what a loop leaves alone are evaluated once, ahead of it, into tables."""

from __future__ import annotations

import operator
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, For, Function, If, Lit, Op, Operand, Pack, Var
from adxform.ir.types import BOOL, INT, Array, Dim, Scalar, Size
from adxform.ir.walk import Names, all_ops, blocks, defined_variables, operands, outs, reads, rename_block, variables_of
from adxform.passes.loops.vector_forms import has_vector_form
from adxform.passes.scalar.rewriting import Rewriter, classes_written, each_function, is_certain_view
from adxform.primitives.alias import Aliases
from adxform.primitives.effects import effect_of, is_removable

Path = tuple[For, ...]
Slice = dict[str, Call]
"""By the name of what it defines: an op that is the same in each iteration of a loop, in order."""


def tabulate(fn: Function) -> Function:
    """`fn` with a table for each costly function whose arguments do not depend on a loop around it.

    Only what the loop surely evaluates: a derivative there is zero by the infinite one of what nobody asked for would be NaN.
    That iterations come at all is asked where the table is filled; nobody reads it if they do not.

    >>> from adxform.ir.text import read, show
    >>> print(show(tabulate(read('''
    ... def f(q: f64[q.0], y: f64[y.0], n: int):
    ...     m: int = intrinsics.dim(q, 0)
    ...     for i: int in range(0, n, 1):
    ...         for k: int in range(0, m, 1):
    ...             v: f64 = operator.getitem(q, k)
    ...             e: f64 = np.exp(v)
    ...             intrinsics.accumulate(y, i, e)
    ...     return y'''))))
    def f(q: f64[q.0], y: f64[y.0], n: int):
        m: int = intrinsics.dim(q, 0)
        e_table: f64[q.0] = np.empty(m)
        tmp: bool = operator.lt(0, n)
        n.1: int = if tmp:
            yield m
        else:
            yield 0
        for k.1: int in range(0, n.1, 1):
            v.1: f64 = operator.getitem(q, k.1)
            e.1: f64 = np.exp(v.1)
            operator.setitem(e_table, k.1, e.1)
        for i: int in range(0, n, 1):
            for k: int in range(0, m, 1):
                v: f64 = operator.getitem(q, k)
                e: f64 = operator.getitem(e_table, k)
                intrinsics.accumulate(y, i, e)
        return y
    """
    return each_function(fn, _tabulated)


def _tabulated(fn: Function, aliases: Aliases) -> Block:
    costly = any(has_vector_form(callee(op)) for loop in all_ops(fn.body) if isinstance(loop, For) for op in all_ops(loop.body))
    return _Tabulating(fn, aliases).block(fn.body) if costly else fn.body


class _Tabulating(Rewriter):
    def __init__(self, fn: Function, aliases: Aliases) -> None:
        super().__init__()
        self.aliases = aliases
        self.names = Names.of(fn)
        self.lengths = dict(_lengths(fn.body))
        self.loads: dict[str, list[Op]] = {}
        """By the name of what an op with a table defines: what loads it from there."""

    def visit(self, op: Op, ops: list[Op]) -> None:
        """Append `op`, if it is a loop behind its tables; what has a table is a load."""
        if isinstance(op, Call) and op.outs and op.outs[0].name in self.loads:
            ops += self.loads[op.outs[0].name]
            return
        if isinstance(op, For):
            region = _Region(op, self.aliases)
            for call, axes, others in region.wanted(self.loads):
                builder = Builder(self.names, call.span)
                self.loads[call.outs[0].name] = self.table(call, axes, others, region, builder)
                ops += builder.ops
        super().visit(op, ops)

    def table(self, call: Call, axes: Path, others: Path, region: _Region, builder: Builder) -> list[Op]:
        """What loads the value of `call` for an item of each of `axes`; what fills the table goes to `builder`."""
        stops = [region.copied(loop.source[1], {}, builder) for loop in axes]
        shape = tuple(map(self.size, stops))
        lengths = tuple(self.length(stop, builder) for stop in stops)
        (out,) = call.outs
        if axes:
            type_ = Array("float64", shape)
            table = builder.call(np.empty, _index(lengths), type=type_, hint=f"{out.base}_table")
        condition = self.has_iterations(others, region, builder)
        if not axes:
            return self.number(call, condition, region, builder)
        if condition is not None:
            bound = builder.var("n", INT)
            builder.emit(If((bound,), condition, Block((), (), (stops[0],)), Block((), (), (Lit(0),)), builder.span))
            stops[0] = bound
        inner = builder.nested()
        items = {loop.body.params[0]: inner.var(loop.body.params[0].base, INT) for loop in axes}
        value = region.copied(out, dict(items), inner)
        inner.effect(operator.setitem, table, _index(tuple(items.values())), value)
        body: Sequence[Op] = inner.ops
        for loop, item, stop in reversed([*zip(axes, items.values(), stops, strict=True)]):
            body = [For((), (loop.source[0], stop, Lit(1)), (), Block((item,), tuple(body), ()), span=loop.span)]
        builder.ops += body
        place = _index(tuple(items))
        if out.type == Scalar("float64"):
            return [Call((out,), Lit(operator.getitem), (table, place), (), call.span)]
        load = Builder(self.names, call.span)
        found = load.call(operator.getitem, table, place, type=Scalar("float64"))
        return [*load.ops, Call((out,), Lit(float), (found,), (), call.span)]

    def number(self, call: Call, condition: Operand | None, region: _Region, builder: Builder) -> list[Op]:
        """Nothing: `builder` computes `call`, which is the same in all iterations, ahead of them under its name."""
        (out,) = call.outs
        if condition is None:
            region.copied(out, {}, builder, out)
            return []
        inner = builder.nested()
        value = region.copied(out, {}, inner)
        zero = Lit(0.0 if isinstance(out.type, Scalar) and out.type.weak else np.float64(0.0))
        builder.emit(If((out,), condition, inner.block((), (value,)), Block((), (), (zero,)), builder.span))
        return []

    def has_iterations(self, loops: Path, region: _Region, builder: Builder) -> Operand | None:
        """Whether each of `loops` has an iteration; ``None`` where that is known."""
        whole: Operand | None = None
        for loop in loops:
            start, stop, step = (region.copied(operand, {}, builder) for operand in loop.source)
            if isinstance(start, Lit) and isinstance(stop, Lit):
                continue
            assert isinstance(step, Lit)
            one = builder.call(operator.lt if step.value > 0 else operator.gt, start, stop, type=BOOL)
            whole = one if whole is None else builder.call(operator.and_, whole, one, type=BOOL)
        return whole

    def size(self, stop: Operand) -> Size:
        """The length of an axis from 0 to `stop`."""
        if isinstance(stop, Lit):
            return max(int(stop.value), 0)
        assert isinstance(stop, Var)
        return self.lengths.get(stop.name) or Dim(self.names.fresh("?table"))

    def length(self, stop: Operand, builder: Builder) -> Operand:
        """`stop`, cut off at zero."""
        if isinstance(stop, Lit):
            return Lit(max(stop.value, 0))
        known = isinstance(stop, Var) and stop.name in self.lengths
        return stop if known else builder.call(max, stop, Lit(0), type=INT, hint="n")


@dataclass(slots=True)
class _Candidate:
    call: Call
    axes: Path
    others: Path
    slice: Slice


class _Region:
    """What of a loop is the same in each of its iterations."""

    def __init__(self, outer: For, aliases: Aliases) -> None:
        self.outer = outer
        self.aliases = aliases
        self.written = set(classes_written(outer, aliases))
        self.inside = {var.name for var in defined_variables(outer.body)}
        self.items: set[str] = set()
        self.constant: Slice = {}
        self.sure: list[tuple[Call, Path]] = []
        self.read(outer, ())

    def read(self, loop: For, around: Path) -> None:
        """Note what `loop` does in each of its iterations, whatever the branches taken."""
        path = (*around, loop)
        if loop.breaks:
            return
        if around:
            self.items.add(loop.body.params[0].name)
        for op in loop.body.ops:
            match op:
                case Call():
                    self.sure.append((op, path))
                    if self.is_constant(op):
                        self.constant[op.outs[0].name] = op
                case For():
                    self.read(op, path)

    def is_constant(self, op: Call) -> bool:
        """Whether `op` gives the same in each iteration, for the same items of the loops inside."""
        if len(op.outs) != 1 or not is_removable(op) or not all(self.is_known(var) for var in reads(op)):
            return False
        plain = isinstance(op.outs[0].type, Scalar) or is_certain_view(op, effect_of(op))
        return plain and self.written.isdisjoint(self.aliases.classes(operands(op)))

    def is_known(self, var: Var) -> bool:
        return var.name not in self.inside or var.name in self.items or var.name in self.constant

    def wanted(self, known: Container[str]) -> list[tuple[Call, Path, Path]]:
        """The calls that are worth a table, but for the `known`, with the loops along it and those around it that it is for."""
        found = [one for call, path in self.sure if (one := self.candidate(call, path, known)) is not None]
        if not found:
            return []
        steps = {name for one in found for name in one.slice}
        live = set(_names_read(self.outer.body, steps))
        chosen: list[_Candidate] = []
        by_name = {one.call.outs[0].name: one for one in found}
        for name, op in reversed(self.constant.items()):
            if name in live and name in by_name:
                chosen.append(by_name[name])
            elif name in live and name in steps:
                live.update(var.name for var in reads(op))
        return [(one.call, one.axes, one.others) for one in reversed(chosen)]

    def candidate(self, call: Call, path: Path, known: Container[str]) -> _Candidate | None:
        """`call`, if it is costly and as constant as the bounds of the loops on `path`."""
        out = call.outs[0] if call.outs else None
        if out is None or out.name in known or out.name not in self.constant or not has_vector_form(callee(call)):
            return None
        if not isinstance(out.type, Scalar) or out.type.dtype != "float64":
            return None
        needed = self.slice((out,))
        taken = {var.name for op in needed.values() for var in reads(op)}
        axes = tuple(loop for loop in path if loop.body.params[0].name in taken)
        others = tuple(loop for loop in path if loop not in axes)
        fine = all(map(self.is_axis, axes)) and all(map(self.is_around, others))
        return _Candidate(call, axes, others, needed) if fine else None

    def is_axis(self, loop: For) -> bool:
        start, stop, step = loop.source
        upwards = isinstance(start, Lit) and start.value >= 0 and step == Lit(1)
        return upwards and self.is_fixed(stop)

    def is_around(self, loop: For) -> bool:
        start, stop, step = loop.source
        if not isinstance(step, Lit) or not step.value:
            return False
        never = isinstance(start, Lit) and isinstance(stop, Lit) and not range(start.value, stop.value, step.value)
        return not never and self.is_fixed(start) and self.is_fixed(stop)

    def is_fixed(self, bound: Operand) -> bool:
        """Whether `bound` is the same in all iterations, and does not depend on the items of loops inside."""
        given = variables_of((bound,))
        if not all(map(self.is_known, given)):
            return False
        taken = {var.name for op in self.slice(given).values() for var in reads(op)} | {var.name for var in given}
        return taken.isdisjoint(self.items)

    def slice(self, given: Sequence[Var]) -> Slice:
        """The ops inside that compute `given`, which are constant."""
        found: set[str] = set()
        waiting = list(given)
        while waiting:
            var = waiting.pop()
            if var.name in self.constant and var.name not in found:
                found.add(var.name)
                waiting += reads(self.constant[var.name])
        return {name: op for name, op in self.constant.items() if name in found}

    def copied(self, operand: Operand, items: dict[Var, Operand], builder: Builder, kept: Var | None = None) -> Operand:
        """`operand` computed once more, by `builder`, for other `items`, under other names, but for that of `kept`."""
        ops = tuple(self.slice(variables_of((operand,))).values())
        block = Block((), ops, (operand,))
        copy = rename_block(block, dict(items), lambda var: var if var == kept else builder.var(var.name, var.type))
        builder.ops += copy.ops
        return copy.results[0]


def _index(places: tuple[Operand, ...]) -> Operand:
    return places[0] if len(places) == 1 else Pack("tuple", places)


def _names_read(block: Block, but: set[str]) -> Iterator[str]:
    """What `block` and those inside it read, but for the ops that define the names `but`."""
    yield from (var.name for var in variables_of(block.results))
    for op in block.ops:
        if not any(out.name in but for out in outs(op)):
            yield from (var.name for var in reads(op))
        for inner in blocks(op):
            yield from _names_read(inner, but)


def _lengths(block: Block) -> Iterator[tuple[str, Size]]:
    """The lengths of arrays of known shape, by the name of the number."""
    for op in all_ops(block):
        match op:
            case Call(outs=(out,), args=(Var(type=Array(_, shape)), Lit(axis))) if callee(op) is intrinsics.dim and shape:
                yield out.name, shape[axis]
