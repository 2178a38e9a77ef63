"""What the reverse sweep needs of the forward sweep, and how it gets it: kept, recomputed, or taped.

For one block and its reverse, `recover` looks at the variables of the block that the reverse reads and decides, for each:

- *recompute* it in the reverse sweep, when that takes a few cheap operations on values that are there anyway (an index, something
  from outside the loop, a load of memory that is by then restored): cheaper than a store and a load; an integer to which each
  iteration adds the same is computed from the index;
- *keep* it as one more result, when the block is a branch;
- *tape* it, when the block is a loop's body: an array indexed by the loop's counter where the trip count is known and the value
  is a float, else a stack. Arrays are pushed by reference.
"""

from __future__ import annotations

import operator
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from adxform import runtime
from adxform.autodiff.reverse.callees import Callees
from adxform.autodiff.reverse.sources import Sources
from adxform.autodiff.reverse.sweep import Sweep
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.ops import Block, Call, For, Lit, Op, Operand, Pack, Var, While
from adxform.ir.spans import Span
from adxform.ir.types import INT, Array, Dim, Scalar, Stack, is_inexact
from adxform.ir.walk import TAPE, TAPE_SIZE, Names, outs, rename_block, substitute, variables
from adxform.primitives.alias import Aliases

CHEAP_COST = 4


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of one value of the forward sweep: `kind`, and why."""

    name: str
    span: Span
    kind: Literal["keep", "recompute", "tape", "snapshot", "none"]
    reason: str


class ResidualRecorder:
    """Decides and carries out what is recorded; one for a function, of which some paths leave `undefined` without a value."""

    def __init__(self, names: Names, aliases: Aliases, callees: Callees, undefined: frozenset[Var]) -> None:
        self.names = names
        self.undefined = undefined
        self.aliases = aliases
        self.callees = callees
        self.decisions: list[Decision] = []
        self.readers: list[tuple[int, tuple[int, ...]]] = []
        self.tape_sizes: dict[Var, tuple[Operand, ...]] = {}
        self.stacks: set[Var] = set()
        self.tapes = 0

    def recover_branch(self, sweep: Sweep, in_loop: bool) -> tuple[tuple[Var, ...], tuple[Op, ...]]:
        """Make the variables of a branch available to its reverse.

        Returns those that must leave the branch as results, and the ops that make tapes, to run before the branch.
        """
        sources = Sources(sweep, self.aliases, self.callees, (), self.undefined)
        before = self._lift_tapes(sweep, sources)
        recomputed = self._choose(sweep.needed(), sources) if in_loop else []
        self._recompute(sweep, sources, recomputed, {})
        kept = tuple(var for var in sweep.needed())
        for var in kept:
            self._decide(var, sources, "keep", "it stays in scope until the reverse sweep")
        return kept, tuple(before)

    def recover_loop(self, sweep: Sweep, op: For | While, loop: For | None, index: Var | None) -> tuple[Op, ...]:
        """Make the variables of the body of `op`, a loop, available to its reverse; return the ops that make the tapes.

        `loop` is `op` when its trip count is known before it starts; `index` is the reverse loop's counter.
        """
        body = sweep.block
        mapping: dict[Var, Operand] = {}
        given: tuple[Var, ...] = ()
        if index is not None:
            mapping[body.params[0]] = index
            given = (body.params[0],)
        sources = Sources(sweep, self.aliases, self.callees, given, self.undefined)
        if isinstance(op, For):
            sources.count_up(op, Builder(self.names, op.span))
        before = self._lift_tapes(sweep, sources)
        recomputed = self._choose(sweep.needed(), sources)
        self._recompute(sweep, sources, recomputed, mapping)
        needed = sweep.needed()
        taped = [var for var in sources.order if var in needed and var not in mapping]
        restore: list[Op] = []
        for var in taped:
            made, read = self._tape(var, sweep, sources, loop, mapping)
            before += made
            restore += reversed(read)
        sweep.rename(mapping)
        sweep.segments.insert(0, (len(body.ops), restore[::-1]))
        return tuple(before)

    def _lift_tapes(self, sweep: Sweep, sources: Sources) -> list[Op]:
        """Take the stacks out of the block, to be made once outside: pushes and pops pair up across iterations too.

        An array tape of a branch comes out too when its size is known outside.
        """
        lifted: list[Op] = []
        for ops in (sweep.entry, *sweep.forward):
            for op in tuple(ops):
                if isinstance(op, Call) and op.outs and op.outs[0] in self.stacks:
                    ops.remove(op)
                    lifted.append(op)
                    del sources.definition[op.outs[0]]
                    sources.order.remove(op.outs[0])
        return lifted

    def _decide(self, var: Var, sources: Sources, kind: Literal["keep", "recompute", "tape", "none"], reason: str) -> None:
        op = sources.definition.get(var)
        span = op.span if op is not None else Span("", 0, 0, 0, 0)
        self.decisions.append(Decision(var.name, span, kind, reason))

    # Recompute

    def _choose(self, needed: dict[Var, int], sources: Sources) -> list[Var]:
        """The variables to recompute, in order of definition."""
        slots = dict(needed)
        chosen: list[Var] = []
        for var in reversed(sources.order):
            if var not in slots or var in sources.given:
                continue
            slot = slots[var]
            operands = sources.local_operands(var)
            if not sources.is_free(var, slot, CHEAP_COST) and not self._follows(var, operands, slot, slots, sources):
                continue
            chosen.append(var)
            for operand in operands:
                slots[operand] = max(slots.get(operand, -1), slot)
        for var in chosen:
            sources.slot[var] = slots[var]
        return chosen[::-1]

    def _follows(self, var: Var, operands: list[Var], slot: int, slots: dict[Var, int], sources: Sources) -> bool:
        """Whether one cheap op computes `var` from values that the reverse needs anyway."""
        return (
            bool(operands)
            and sources.is_cheap(var)
            and slot < sources.own_limit(var)
            and all(operand in slots or sources.is_free(operand, slot, CHEAP_COST - 1) for operand in operands)
        )

    def _recompute(self, sweep: Sweep, sources: Sources, chosen: list[Var], mapping: dict[Var, Operand]) -> None:
        """Insert copies of the definitions of `chosen` where they are first used."""
        at: dict[int, list[Op]] = {}
        for var in chosen:
            op = sources.definition[var]
            assert isinstance(op, Call)
            copy = Var(self.names.fresh(var.name), var.type)
            args = tuple(substitute(arg, mapping) for arg in op.args)
            kwargs = tuple((key, substitute(value, mapping)) for key, value in op.kwargs)
            new = replace(op, outs=(copy,), args=args, kwargs=kwargs)
            at.setdefault(sources.slot[var], []).append(new)
            mapping[var] = copy
            self._decide(var, sources, "recompute", "a few cheap operations")
            if op.fn == Lit(operator.getitem) and isinstance(var.type, Scalar):
                for array in variables(op.args[0]):
                    if self.aliases.knows(array) and self.aliases.of(array) in self.aliases.written:
                        self.readers.append((self.aliases.of(array), (*sweep.path, sources.position[var])))
        sweep.rename(mapping)
        segments: list[tuple[int, list[Op]]] = []
        for slot, ops in sweep.segments:
            inserted: list[Op] = []
            for key in sorted((key for key in at if key >= slot), reverse=True):
                inserted += at.pop(key)
            segments.append((slot, inserted + ops))
        rest = [op for key in sorted(at, reverse=True) for op in at[key]]
        if rest:
            segments.append((-1, rest))
        sweep.segments = segments

    # Tapes

    def _tape(
        self, var: Var, sweep: Sweep, sources: Sources, loop: For | None, mapping: dict[Var, Operand]
    ) -> tuple[list[Op], list[Op]]:
        """Store `var` in each iteration of the loop; return the ops that make the tape, and those that read it in reverse."""
        self.tapes += 1
        inner = self.tape_sizes.get(var)
        if inner is not None and loop is not None and all(map(sources.can_hoist, inner)):
            return self._widen(var, inner, sweep, sources, loop, mapping)
        before, write, restore = (Builder(self.names, sources.span(var)) for _ in range(3))
        if loop is not None and is_inexact(var.type) and isinstance(var.type, Scalar) and var not in self.undefined:
            size, place = _tape_place(loop, before, write)
            tape = self._allocate((size,), var.type.dtype, before, var)
            write.effect(operator.setitem, tape, place, var)
            back = substitute(_place_again(loop, restore, mapping), mapping)
            mapping[var] = restore.call(operator.getitem, tape, back, type=Scalar(var.type.dtype), hint=var.name)
            self._decide(var, sources, "tape", "one number for each iteration of the loop")
        else:
            tape = before.call(intrinsics.new_stack, type=Stack(), hint=f"{var.base}{TAPE}")
            self.stacks.add(tape)
            write.effect(intrinsics.push, tape, var)
            mapping[var] = restore.call(intrinsics.pop, tape, type=var.type, hint=var.name)
            kind = "a reference to the array" if isinstance(var.type, Array) else "one value"
            self._decide(var, sources, "tape", f"{kind} for each iteration of the loop, on a stack")
        position = sources.position[var]
        (sweep.entry if position < 0 else sweep.forward[position]).extend(write.ops)
        return before.ops, restore.ops

    def _allocate(self, sizes: tuple[Operand, ...], dtype: str, before: Builder, var: Var) -> Var:
        dims = tuple(_size_dim(size, self.names) for size in sizes)
        kwargs: dict[str, Operand] = {} if dtype == "float64" else {"dtype": Lit(np.dtype(dtype).type)}
        shape: Operand = sizes[0] if len(sizes) == 1 else Pack("tuple", sizes)
        hint = var.base if var.base.endswith(TAPE) else f"{var.base}{TAPE}"
        tape = before.call(np.empty, shape, type=Array(dtype, dims), hint=hint, kwargs=kwargs)
        self.tape_sizes[tape] = sizes
        return tape

    def _widen(
        self, var: Var, inner: tuple[Operand, ...], sweep: Sweep, sources: Sources, loop: For, mapping: dict[Var, Operand]
    ) -> tuple[list[Op], list[Op]]:
        """Turn a tape made anew in each iteration into one row of a tape made once."""
        assert isinstance(var.type, Array)
        before, write, restore = (Builder(self.names, sources.span(var)) for _ in range(3))
        size, place = _tape_place(loop, before, write)
        sizes = tuple(sources.hoist(operand, before) for operand in inner)
        tape = self._allocate((size, *sizes), var.type.dtype, before, var)
        row = Call((var,), Lit(operator.getitem), (tape, place))
        position = sources.position[var]
        ops = sweep.forward[position]
        at = next(i for i, op in enumerate(ops) if var in outs(op))
        ops[at : at + 1] = [*write.ops, row]
        back = substitute(_place_again(loop, restore, mapping), mapping)
        mapping[var] = restore.call(operator.getitem, tape, back, type=var.type, hint=var.name)
        return before.ops, restore.ops


def _tape_place(loop: For, before: Builder, inside: Builder) -> tuple[Operand, Operand]:
    """The length of a tape for `loop` and the place of the current iteration on it."""
    start, stop, step = loop.source
    index = loop.body.params[0]
    if step == Lit(1) and isinstance(start, Lit) and start.value >= 0:
        if isinstance(stop, Lit):
            return Lit(max(stop.value, 0)), index
        return before.call(max, stop, Lit(0), type=INT, hint="n"), index
    size = before.call(runtime.trip_count, start, stop, step, type=INT, hint="n")
    return size, _place(loop, inside)


def _place_again(loop: For, b: Builder, mapping: dict[Var, Operand]) -> Operand:
    start, _, step = loop.source
    if step == Lit(1) and isinstance(start, Lit) and start.value >= 0:
        return loop.body.params[0]
    inner = Builder(b.names, b.span)
    place = _place(loop, inner)
    b.ops.extend(rename_block(Block((), tuple(inner.ops), ()), dict(mapping)).ops)
    return place


def _place(loop: For, b: Builder) -> Operand:
    start, _, step = loop.source
    offset = b.call(operator.sub, loop.body.params[0], start, type=INT, hint="k")
    return offset if step == Lit(1) else b.call(operator.floordiv, offset, step, type=INT, hint="k")


def _size_dim(size: Operand, names: Names) -> int | Dim:
    if isinstance(size, Lit):
        return int(size.value)
    return Dim(names.fresh(TAPE_SIZE))
