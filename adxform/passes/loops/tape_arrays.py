"""Tapes that a kernel can hold: a stack that each iteration of a nest of loops pushes to is an array with an axis for each loop.

No kernel holds a stack of arrays, and no stack crosses from one kernel to another. Where it is known how many iterations the
loops make, and the loops of the reverse sweep go through the same ones backwards, the last value on the stack is always that of
the iteration whose turn it is, and the array has it at the place of that iteration.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

import numpy as np

from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.linear_forms import LinearForm
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Block, Call, For, Function, If, Lit, Op, Operand, Pack, Var
from adxform.ir.types import INT, Array, Dim, Scalar, Size, Stack, Type
from adxform.ir.walk import TAPE_SIZE, Names, blocks, map_op, outs, reads, variables_of
from adxform.passes.arrays.doubts import Doubts
from adxform.passes.loops.partly_there import PartlyThere, stored_inside
from adxform.passes.loops.tape_forms import Forms, length_form
from adxform.passes.loops.tape_rows import TapeRows, plus
from adxform.primitives.alias import Aliases, alias_classes
from adxform.primitives.effects import effect_of
from adxform.runtime.kernel_scalars import DTYPES

Path = tuple[tuple[Op, int], ...]
"""The ops around an op, from the outermost, each with the number of the block that it is in."""


@dataclass(frozen=True, slots=True)
class StackUse:
    """An op that uses a stack, and where it stands: the ops around it, and the place in its block of each and of itself."""

    op: Op
    path: Path
    places: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LoopTape:
    """A stack that becomes an array: what is pushed, the loops around the push, those around the pop, outermost first.

    What is pushed is copied, or `makes` makes it in its place on the tape. Where only some branches of `chosen` have it, those
    which have copy it.
    """

    stack: Var
    value: Var
    pushed: tuple[For, ...]
    popped: tuple[For, ...]
    makes: Call | None = None
    chosen: If | None = None


def tapes_as_arrays(fn: Function, kept: frozenset[Var] = frozenset()) -> tuple[Function, Mapping[Var, Var]]:
    """`fn` with arrays for stacks, but for those `kept`; and the stack that each of the arrays was.

    What is pushed must have lengths that are known ahead of the loops, and if it is ever written to, each iteration must make its
    own: it is then made in its place on the tape.

    >>> from adxform.ir.text import read, show
    >>> fn, _ = tapes_as_arrays(read('''
    ... def f(x: f64[x.0], n: int):
    ...     tape: stack = intrinsics.new_stack()
    ...     for i: int in range(0, n, 1):
    ...         y: f64[x.0] = operator.mul(x, i)
    ...         intrinsics.push(tape, y)
    ...     last: int = operator.sub(n, 1)
    ...     for j: int in range(last, -1, -1):
    ...         z: f64[x.0] = intrinsics.pop(tape)
    ...         operator.setitem(x, 0, 1.0)
    ...     return n'''))
    >>> print(show(fn))
    def f(x: f64[x.0], n: int):
        n.1: int = builtins.max(n, 0)
        n.2: int = intrinsics.dim(x, 0)
        tape: f64[?tape_size, x.0] = np.empty((n.1, n.2))
        for i: int in range(0, n, 1):
            y: f64[x.0] = operator.mul(x, i)
            operator.setitem(tape, i, y)
        last: int = operator.sub(n, 1)
        for j: int in range(last, -1, -1):
            z: f64[x.0] = operator.getitem(tape, j)
            operator.setitem(x, 0, 1.0)
        return n
    """
    aliases = alias_classes(fn)
    writing = _Writing(fn, Forms(fn, Doubts.of(fn, aliases)), Names.of(fn))
    for tape in _tapes(fn, aliases, writing.forms):
        if tape.stack not in kept:
            writing.plan(tape)
    return (replace(fn, body=writing.block(fn.body)), writing.made) if writing.made else (fn, {})


def _uses(block: Block, path: Path = (), places: tuple[int, ...] = ()) -> Iterator[tuple[Var, StackUse | None]]:
    """Each use of a stack in `block`; ``None`` for what is neither a push, a pop nor the making of it."""
    for place, op in enumerate(block.ops):
        fn = callee(op) if isinstance(op, Call) else None
        for k, var in enumerate((*reads(op), *outs(op))):
            if isinstance(var.type, Stack):
                plain = (fn in (intrinsics.push, intrinsics.pop) and k == 0) or fn is intrinsics.new_stack
                yield var, StackUse(op, path, (*places, place)) if plain else None
        for number, inner in enumerate(blocks(op)):
            yield from ((var, None) for var in inner.params if isinstance(var.type, Stack))
            yield from _uses(inner, (*path, (op, number)), (*places, place))
    yield from ((var, None) for var in variables_of(block.results) if isinstance(var.type, Stack))


def _tapes(fn: Function, aliases: Aliases, forms: Forms) -> Iterator[LoopTape]:
    """The stacks with one push and one pop in loops that mirror each other."""
    found: dict[Var, list[StackUse | None]] = {}
    for stack, use in _uses(fn.body):
        found.setdefault(stack, []).append(use)
    if not found:
        return
    values = _Values(fn, aliases, forms)
    for stack, uses in found.items():
        by = {callee(use.op): use for use in uses if use is not None and isinstance(use.op, Call)}
        if len(uses) != 3 or None in uses or set(by) != {intrinsics.new_stack, intrinsics.push, intrinsics.pop}:
            continue
        push, pop = by[intrinsics.push], by[intrinsics.pop]
        nests, value = _nests(push, pop), _taped(push, pop)
        if nests is None or value is None or not forms.are_reverse(*nests):
            continue
        loops, back = map(tuple, nests)
        if (kept := values.kept(push, value)) is not None:
            yield LoopTape(stack, value, loops, back, *kept)


class _Values:
    """How values of `fn` come onto an array, if they can."""

    def __init__(self, fn: Function, aliases: Aliases, forms: Forms) -> None:
        self.aliases = aliases
        self.forms = forms
        self.makers = dict(_makers(fn.body))
        self.branching = PartlyThere(fn)
        self.returned = {aliases.of(var) for var in variables_of(fn.results)}

    def kept(self, push: StackUse, value: Var) -> tuple[Call | None, If | None] | None:
        """What makes `value` in its place, and the branches that store it; neither where it is copied, ``None`` if it stays."""
        class_ = self.aliases.of(value)
        fixed = class_ not in self.aliases.written | self.aliases.exposed
        around, number = push.path[-1]
        if fixed and (chosen := self.branching.choosing(value, blocks(around)[number])) is not None:
            sources = [source for source in self.branching.sources(value) if source is not None]
            return None if any(map(self.forms.unsure, sources)) else (None, chosen)
        if self.forms.unsure(value):
            return None
        if isinstance(value.type, Scalar) or fixed:
            return None, None
        makes, path = self.makers.get(value, (None, ()))
        made_here = makes is not None and len(path) == len(push.path) and all(map(_same, path, push.path))
        seen = self.returned | self.aliases.exposed | self.forms.doubts.ordered
        return (makes, None) if made_here and class_ not in seen else None


def _taped(push: StackUse, pop: StackUse) -> Var | None:
    """The variable that a stack takes and gives back, if an array can hold what it has on each iteration."""
    assert isinstance(push.op, Call)
    assert isinstance(pop.op, Call)
    value = push.op.args[1]
    fits = isinstance(value, Var) and value.type == pop.op.outs[0].type and _is_held(value.type)
    return value if isinstance(value, Var) and fits else None


def _nests(push: StackUse, pop: StackUse) -> tuple[list[For], list[For]] | None:
    """The loops around `push`, and those around `pop` after them, equally many; ``None`` where more is around one of the two."""
    shared = 0
    while shared < min(len(push.path), len(pop.path)) and _same(push.path[shared], pop.path[shared]):
        shared += 1
    loops, back = ([op for op, _ in use.path[shared:] if isinstance(op, For)] for use in (push, pop))
    nested = len(loops) == len(back) == len(push.path) - shared == len(pop.path) - shared > 0
    return (loops, back) if nested and push.places[shared] < pop.places[shared] else None


def _makers(block: Block, path: Path = ()) -> Iterator[tuple[Var, tuple[Call, Path]]]:
    """Each array that a call makes, which has memory of its own; with the call, and the ops around that."""
    for op in block.ops:
        if isinstance(op, Call) and len(op.outs) == 1 and isinstance(op.outs[0].type, Array):
            effect = effect_of(op)
            if not (effect.views or effect.writes or effect.opaque):
                yield op.outs[0], (op, path)
        for number, inner in enumerate(blocks(op)):
            yield from _makers(inner, (*path, (op, number)))


def _same(one: tuple[Op, int], other: tuple[Op, int]) -> bool:
    return one[0] is other[0] and one[1] == other[1]


def _is_held(type_: Type) -> bool:
    """Whether an array of a kernel can hold values of `type_`."""
    return isinstance(type_, Scalar | Array) and type_.dtype in DTYPES and (isinstance(type_, Scalar) or bool(type_.shape))


@dataclass(frozen=True, slots=True)
class Planned:
    """A tape, the array that it becomes, and where the loops around the push start: at `starts`, and `factors` of outer items."""

    tape: LoopTape
    array: Var
    starts: tuple[Operand, ...]
    factors: tuple[tuple[tuple[int, int], ...], ...]
    rows: TapeRows

    def index(self, loops: tuple[For, ...], names: Names, ops: list[Op]) -> Operand:
        """The place on the array of the current iteration of `loops`; what computes it goes to `ops`."""
        builder = Builder(names, loops[0].span)
        places: list[Operand] = []
        items = [loop.body.params[0] for loop in loops]
        for item, pushed, start, factors in zip(items, self.tape.pushed, self.starts, self.factors, strict=True):
            for depth, factor in factors:
                start = plus(start, items[depth], factor, builder)
            up = pushed.source[2] == Lit(1)
            ends = (item, start) if up else (start, item)
            places.append(item if up and start == Lit(0) else builder.call(operator.sub, *ends, type=INT, hint="k"))
        own = (loop.body.params[0] for loop in self.tape.pushed)
        places += self.rows.index(dict(zip(own, items, strict=True)), builder)
        ops += builder.ops
        return places[0] if len(places) == 1 else Pack("tuple", tuple(places))


Stores = dict[Var, Planned]
"""What branches have, by the variable behind them."""


class _Writing:
    """Writes the function with arrays; each is made ahead of the outermost loop that fills it."""

    def __init__(self, fn: Function, forms: Forms, names: Names) -> None:
        self.forms = forms
        self.names = names
        self.made: dict[Var, Var] = {}
        self.tapes: dict[Var, Planned] = {}
        self.making: dict[int, Planned] = {}
        self.storing: dict[int, Stores] = {}
        self.ahead: dict[int, list[Op]] = {}
        self.before: dict[int, dict[Var, None]] = {}
        self._look(fn.body, {})

    def _look(self, block: Block, around: dict[Var, None]) -> None:
        """Note what is defined ahead of each loop."""
        seen = {**around, **dict.fromkeys(block.params)}
        for op in block.ops:
            if isinstance(op, For):
                self.before[id(op)] = dict(seen)
            for inner in blocks(op):
                self._look(inner, seen)
            seen.update(dict.fromkeys(outs(op)))

    def plan(self, tape: LoopTape) -> None:
        """Have `tape` written, if the lengths that it needs are known ahead of its loops."""
        outer, type_ = tape.pushed[0], tape.value.type
        assert isinstance(type_, Array | Scalar)
        builder = Builder(self.names, outer.span)
        rows = self.rows(tape, builder)
        if rows is None or id(tape.makes) in self.making:
            return
        nest = [(loop, tape.pushed[:depth]) for depth, loop in enumerate(tape.pushed)]
        firsts = [self.forms.start(loop, around) for loop, around in nest]
        forms = [self.forms.extent(loop, around) for loop, around in nest]
        forms += [self.forms.most(row, tape.pushed) for row in rows.lengths]
        sizes = _all([self.positive(form, outer, builder) for form in forms])
        starts = _all([self.number(form, outer, builder) for form, _ in firsts])
        if sizes is None or starts is None:
            return
        made = Var(tape.stack.name, Array(type_.dtype, tuple(map(self.size, forms))))
        given: Operand = sizes[0] if len(sizes) == 1 else Pack("tuple", sizes)
        dtype = () if type_.dtype == "float64" else (("dtype", Lit(np.dtype(type_.dtype).type)),)
        builder.emit(Call((made,), Lit(np.empty), (given,), dtype, outer.span))
        self.ahead.setdefault(id(outer), []).extend(builder.ops)
        self.tapes[tape.stack] = planned = Planned(tape, made, starts, tuple(factors for _, factors in firsts), rows)
        if tape.makes is not None:
            self.making[id(tape.makes)] = planned
        if tape.chosen is not None:
            self.storing.setdefault(id(tape.chosen), {})[tape.value] = planned
        self.made[made] = tape.stack

    def rows(self, tape: LoopTape, builder: Builder) -> TapeRows | None:
        """How long what `tape` keeps is along each axis; ``None`` where that is not known ahead of its loops, item by item."""
        outer, type_ = tape.pushed[0], tape.value.type
        sizes = type_.shape or () if isinstance(type_, Array) else ()
        lengths = [self.forms.rows(size, tape.pushed, self.before[id(outer)]) for size in sizes]
        known = [length for length in lengths if length is not None]
        if len(known) < len(lengths):
            return None
        uneven = tuple(row if row != length_form(size) else None for row, size in zip(known, sizes, strict=True))
        items = {loop.body.params[0] for loop in tape.pushed}
        keys = dict.fromkeys(key for row in uneven if row is not None for key, _ in row.terms if key not in items)
        there = {key: self.number(LinearForm(0, ((key, 1),)), outer, builder) for key in keys}
        told = {key: found for key, found in there.items() if found is not None}
        return TapeRows(tuple(known), uneven, told) if len(told) == len(there) else None

    def size(self, form: LinearForm) -> Size:
        """`form`, cut off at zero, as a length."""
        match form:
            case LinearForm(number, ()):
                return max(number, 0)
            case LinearForm(number, ((Dim(base, offset), 1),)) if not offset or not number:
                return Dim(base, offset + number)
            case _:
                return Dim(self.names.fresh(TAPE_SIZE))

    def positive(self, form: LinearForm, loop: For, builder: Builder) -> Operand | None:
        """`form`, cut off at zero, computed ahead of `loop`; ``None`` where that cannot be."""
        found = self.number(form, loop, builder)
        if isinstance(found, Lit):
            return Lit(max(found.value, 0))
        match form:
            case LinearForm(0, ((Dim(), 1),)):
                return found
            case _:
                return found and builder.call(max, found, Lit(0), type=INT, hint="n")

    def number(self, form: LinearForm, loop: For, builder: Builder) -> Operand | None:
        """`form` computed ahead of `loop`; ``None`` where that cannot be."""
        total: Operand = Lit(form.number)
        for key, factor in sorted(form.terms, key=lambda term: -term[1]):
            place = self.length(key, loop, builder) if isinstance(key, Dim) else key if key in self.before[id(loop)] else None
            if place is None:
                return None
            total = plus(total, place, factor, builder)
        return total

    def length(self, size: Dim, loop: For, builder: Builder) -> Operand | None:
        """`size` of an array that is there ahead of `loop`."""
        for wanted in (size, Dim(size.base)):
            for var in self.before[id(loop)]:
                if isinstance(var.type, Array) and wanted in (var.type.shape or ()) and not self.forms.doubts.about(var):
                    axis = (var.type.shape or ()).index(wanted)
                    found = builder.call(intrinsics.dim, var, Lit(axis), type=INT, hint="n")
                    if wanted == size:
                        return found
                    less = builder.call(operator.add, found, Lit(size.offset), type=INT, hint="n")
                    return builder.call(max, less, Lit(0), type=INT, hint="n")
        return None

    def block(self, block: Block) -> Block:
        """`block` with arrays."""
        ops: list[Op] = []
        for op in block.ops:
            ops += self.ahead.get(id(op), [])
            match op:
                case Call() if id(op) in self.making:
                    self.make(op, self.making[id(op)], ops)
                case Call(outs=(stack,)) if callee(op) is intrinsics.new_stack and stack in self.tapes:
                    pass
                case Call(args=(Var() as stack, value)) if callee(op) is intrinsics.push and stack in self.tapes:
                    planned = self.tapes[stack]
                    if planned.tape.makes is None and planned.tape.chosen is None:
                        index = planned.index(planned.tape.pushed, self.names, ops)
                        ops.append(replace(op, fn=Lit(operator.setitem), args=(planned.array, index, value)))
                case Call(args=(Var() as stack,)) if callee(op) is intrinsics.pop and stack in self.tapes:
                    planned = self.tapes[stack]
                    index = planned.index(planned.tape.popped, self.names, ops)
                    ops.append(replace(op, fn=Lit(operator.getitem), args=(planned.array, index)))
                case Call():
                    ops.append(op)
                case If() if id(op) in self.storing:
                    places = {
                        value: (planned.array, planned.index(planned.tape.pushed, self.names, ops))
                        for value, planned in self.storing[id(op)].items()
                    }
                    ops.append(stored_inside(self.inside(op), places))
                case _:
                    ops.append(map_op(op, lambda operand: operand, self.block))
        return replace(block, ops=tuple(ops))

    def inside(self, op: If) -> If:
        """`op` with arrays in its branches."""
        return replace(op, then=self.block(op.then), orelse=self.block(op.orelse))

    def make(self, op: Call, planned: Planned, ops: list[Op]) -> None:
        """Append `op` with what it makes in its place on the tape."""
        out = op.outs[0]
        index = planned.index(planned.tape.pushed, self.names, ops)
        ops.append(Call((out,), Lit(operator.getitem), (planned.array, index), (), op.span))
        fn = callee(op)
        if fn is np.empty or fn is np.empty_like:
            return
        value: Operand = Lit(0.0)
        if fn is not np.zeros or getattr(out.type, "dtype", "") != "float64":
            value = Var(self.names.fresh(out.base), out.type)
            ops.append(replace(op, outs=(value,)))
        ops.append(Call((), Lit(operator.setitem), (out, Lit(...), value), (), op.span))


def _all(found: list[Operand | None]) -> tuple[Operand, ...] | None:
    known = tuple(operand for operand in found if operand is not None)
    return known if len(known) == len(found) else None
