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
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from adxform import runtime
from adxform.analysis.unseen_code import at_risk
from adxform.autodiff.reverse.callees import Callees
from adxform.autodiff.reverse.cotangent_plan import may_copy
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.ops import Block, Call, For, Invoke, Lit, Op, Operand, Pack, Var, While
from adxform.ir.spans import Span
from adxform.ir.types import INT, Array, Dim, Object, Scalar, Stack, is_inexact
from adxform.ir.walk import TAPE, Names, all_ops, free_variables, outs, rename_block, substitute, variables
from adxform.primitives.alias import Aliases
from adxform.primitives.effects import effect_of, writes
from adxform.primitives.table import record_of

CHEAP_COST = 4


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of one value of the forward sweep: `kind`, and why."""

    name: str
    span: Span
    kind: Literal["keep", "recompute", "tape", "snapshot", "none"]
    reason: str


@dataclass(slots=True)
class Sweep:
    """A block in the making with its reverse.

    `entry` comes before the block's ops, `forward[k]` replaces op ``k``; `segments` are the reverse sweep in order, each with
    the index of the op it reverses (the number of ops for the prologue); `results` are what the reverse block yields.
    """

    block: Block
    path: tuple[int, ...]
    entry: list[Op] = field(default_factory=list)
    forward: list[list[Op]] = field(default_factory=list)
    segments: list[tuple[int, list[Op]]] = field(default_factory=list)
    results: tuple[Operand, ...] = ()

    def reverse_ops(self) -> tuple[Op, ...]:
        """The reverse sweep as one sequence."""
        return tuple(op for _, ops in self.segments for op in ops)

    def forward_ops(self) -> tuple[Op, ...]:
        """The forward sweep as one sequence."""
        return (*self.entry, *(op for ops in self.forward for op in ops))


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
        sources = _Sources(sweep, self.aliases, self.callees, (), self.undefined)
        before = self._lift_tapes(sweep, sources)
        recomputed = self._choose(_needed(sweep), sources) if in_loop else []
        self._recompute(sweep, sources, recomputed, {})
        kept = tuple(var for var in _needed(sweep))
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
        sources = _Sources(sweep, self.aliases, self.callees, given, self.undefined)
        if isinstance(op, For):
            sources.count_up(op, Builder(self.names, op.span))
        before = self._lift_tapes(sweep, sources)
        recomputed = self._choose(_needed(sweep), sources)
        self._recompute(sweep, sources, recomputed, mapping)
        needed = _needed(sweep)
        taped = [var for var in sources.order if var in needed and var not in mapping]
        restore: list[Op] = []
        for var in taped:
            made, read = self._tape(var, sweep, sources, loop, mapping)
            before += made
            restore += reversed(read)
        _substitute(sweep, mapping)
        sweep.segments.insert(0, (len(body.ops), restore[::-1]))
        return tuple(before)

    def _lift_tapes(self, sweep: Sweep, sources: _Sources) -> list[Op]:
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

    def _decide(self, var: Var, sources: _Sources, kind: Literal["keep", "recompute", "tape", "none"], reason: str) -> None:
        op = sources.definition.get(var)
        span = op.span if op is not None else Span("", 0, 0, 0, 0)
        self.decisions.append(Decision(var.name, span, kind, reason))

    # Recompute

    def _choose(self, needed: dict[Var, int], sources: _Sources) -> list[Var]:
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

    def _follows(self, var: Var, operands: list[Var], slot: int, slots: dict[Var, int], sources: _Sources) -> bool:
        """Whether one cheap op computes `var` from values that the reverse needs anyway."""
        return (
            bool(operands)
            and sources.is_cheap(var)
            and slot < sources.own_limit(var)
            and all(operand in slots or sources.is_free(operand, slot, CHEAP_COST - 1) for operand in operands)
        )

    def _recompute(self, sweep: Sweep, sources: _Sources, chosen: list[Var], mapping: dict[Var, Operand]) -> None:
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
        _substitute(sweep, mapping)
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
        self, var: Var, sweep: Sweep, sources: _Sources, loop: For | None, mapping: dict[Var, Operand]
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
        self,
        var: Var,
        inner: tuple[Operand, ...],
        sweep: Sweep,
        sources: _Sources,
        loop: For,
        mapping: dict[Var, Operand],
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
    return Dim(names.fresh("?tape_size"))


def _needed(sweep: Sweep) -> dict[Var, int]:
    """The variables of the block that its reverse reads, each with the index of the first segment (the last op) that does."""
    local = {var for op in sweep.forward_ops() for var in outs(op)} | set(sweep.block.params)
    found: dict[Var, int] = {}
    inside: set[Var] = set()
    for slot, ops in sweep.segments:
        block = Block((), tuple(ops), ())
        for var in free_variables(block):
            if var in local and var not in inside:
                found.setdefault(var, slot)
        inside.update(out for op in ops for out in outs(op))
    for result in sweep.results:
        for var in variables(result):
            if var in local:
                found.setdefault(var, -1)
    return found


def _substitute(sweep: Sweep, mapping: dict[Var, Operand]) -> None:
    """Replace the variables of `mapping` in the reverse sweep."""
    if not mapping:
        return
    replaced = []
    for slot, ops in sweep.segments:
        block = rename_block(Block((), tuple(ops), ()), mapping)
        replaced.append((slot, list(block.ops)))
    sweep.segments = replaced
    sweep.results = tuple(substitute(result, mapping) for result in sweep.results)


class _Sources:
    """Where the variables of a block come from, and what it costs to compute them again."""

    def __init__(
        self, sweep: Sweep, aliases: Aliases, callees: Callees, given: tuple[Var, ...], undefined: frozenset[Var]
    ) -> None:
        self.aliases = aliases
        self.given = frozenset(given)
        self.undefined = undefined
        self.definition: dict[Var, Op | None] = dict.fromkeys(sweep.block.params)
        self.position: dict[Var, int] = dict.fromkeys(sweep.block.params, -1)
        self.slot: dict[Var, int] = {}
        self.written_at: dict[int, list[int]] = {}
        for k, ops in ((-1, sweep.entry), *enumerate(sweep.forward)):
            for op in ops:
                for out in outs(op):
                    self.definition[out] = op
                    self.position[out] = k
                for class_ in written_by(op, aliases, callees):
                    self.written_at.setdefault(class_, []).append(k)
        self.order = list(self.definition)
        self._weigh()

    def _weigh(self) -> None:
        """Note what each variable costs, those first that others are computed from."""
        self._free: dict[Var, int | None] = {}
        self._limit: dict[Var, int] = {}
        for var in self.order:
            self.free_cost(var)
            self.limit(var)

    def count_up(self, loop: For, b: Builder) -> None:
        """Define the integers that `loop` carries and each iteration adds the same to, by the index: ``init + index * step``."""
        start, _, stride = loop.source
        if not isinstance(stride, Lit) or abs(stride.value) != 1:
            return
        index = loop.body.params[0]
        ends = (index, start) if stride.value == 1 else (start, index)
        for param, init, result in zip(loop.body.params[1:], loop.inits, loop.body.results[loop.breaks :], strict=True):
            added = self.definition.get(result) if isinstance(result, Var) else None
            match added:
                case Call(fn=Lit(operator.add | operator.sub as fn), args=(Var() as before, step)) if before == param:
                    pass
                case _:
                    continue
            if param.type != INT or added.outs[0].type != INT or any(var in self.definition for var in variables(step)):
                continue
            place = index if ends == (index, Lit(0)) else b.call(operator.sub, *ends, type=INT, hint="k")
            times = place if step == Lit(1) else b.call(operator.mul, place, step, type=INT)
            b.emit(Call((param,), Lit(fn), (init, times), (), added.span))
        counted: dict[Var, Op | None] = {out: op for op in b.ops for out in outs(op)}
        self.definition = {index: None, **counted, **{var: op for var, op in self.definition.items() if var not in counted}}
        self.position |= dict.fromkeys(counted, -1)
        if b.ops:
            self.order = list(self.definition)
            self._weigh()

    def span(self, var: Var) -> Span:
        op = self.definition.get(var)
        return op.span if op is not None else Span("", 0, 0, 0, 0)

    def local_operands(self, var: Var) -> list[Var]:
        """The operands of the definition of `var` that belong to the block."""
        op = self.definition[var]
        if not isinstance(op, Call):
            return []
        given = (*op.args, *(value for _, value in op.kwargs))
        return [v for operand in given for v in variables(operand) if v in self.definition and v not in self.given]

    def is_cheap(self, var: Var) -> bool:
        """Whether one op makes `var` from its operands, cheaply and without side effects."""
        op = self.definition[var]
        if not isinstance(op, Call) or not isinstance(op.fn, Lit) or isinstance(var.type, Object | Stack):
            return False
        effect = effect_of(op)
        if effect.opaque or effect.writes:
            return False
        if isinstance(var.type, Array):
            if op.fn.value is runtime.cotangent_view:  # where it is no view, it is memory with contents of its own
                return False
            copies = may_copy(op) and self.aliases.knows(var) and self.aliases.of(var) in self.aliases.written
            return effect.views == (0,) and not copies
        if op.fn.value is operator.pow:
            return op.args[1] in (Lit(2), Lit(3)) and not _takes_array(op)
        again = record_of(op.fn.value).recomputed and not _takes_array(op)
        return again or op.fn.value in {operator.getitem, intrinsics.dim, len}

    def free_cost(self, var: Var) -> int | None:
        """How many cheap ops compute `var` from what the reverse has anyway; ``None`` when some of it must be taped."""
        if var in self.given or var not in self.definition:
            return 0
        if var not in self._free:
            self._free[var] = None
            if self.is_cheap(var):
                costs = [self.free_cost(operand) for operand in self.local_operands(var)]
                if all(cost is not None for cost in costs):
                    self._free[var] = 1 + sum(cost for cost in costs if cost is not None)
        return self._free[var]

    def is_free(self, var: Var, slot: int, most: int) -> bool:
        """Whether at most `most` cheap ops compute `var`, in the reverse of op `slot`, from what is there anyway."""
        cost = self.free_cost(var)
        return cost is not None and cost <= most and slot < self.limit(var)

    def can_hoist(self, operand: Operand) -> bool:
        """Whether `operand` can be computed before the block, as lengths usually can, of what surely has a value there."""
        return self.undefined.isdisjoint(variables(operand)) and all(
            var not in self.definition
            or (
                isinstance(op := self.definition[var], Call)
                and isinstance(op.fn, Lit)
                and _is_of_lengths(op.fn.value)
                and all(self.can_hoist(arg) for arg in op.args)
            )
            for var in variables(operand)
        )

    def hoist(self, operand: Operand, b: Builder) -> Operand:
        """Write the computation of `operand` (see `can_hoist`) to `b`."""
        if not isinstance(operand, Var) or operand not in self.definition:
            return operand
        op = self.definition[operand]
        assert isinstance(op, Call)
        assert isinstance(op.fn, Lit)
        return b.call(op.fn.value, *(self.hoist(arg, b) for arg in op.args), type=operand.type, hint=operand.name)

    def own_limit(self, var: Var) -> int:
        """The reverse of op ``k`` may compute `var` by its op if ``k`` is below this: memory is restored by then."""
        op = self.definition[var]
        if not isinstance(op, Call) or op.fn != Lit(operator.getitem) or isinstance(var.type, Array):
            return _NEVER
        position = self.position[var]
        limit = _NEVER
        for array in variables(op.args[0]):
            written = self.written_at.get(self.aliases.of(array), []) if self.aliases.knows(array) else []
            after = bisect_left(written, position)
            limit = min([limit, *written[after : after + 1]])
        return limit

    def limit(self, var: Var) -> int:
        """As `own_limit`, for everything that `var` is computed from."""
        if var in self.given or var not in self.definition:
            return _NEVER
        if var not in self._limit:
            self._limit[var] = min([self.own_limit(var), *(self.limit(operand) for operand in self.local_operands(var))])
        return self._limit[var]


_NEVER = 1 << 60


def _is_of_lengths(fn: Callable[..., Any]) -> bool:
    """Whether `fn` asks for a length, or reckons with lengths."""
    return record_of(fn).whole or fn in (len, intrinsics.dim, runtime.trip_count)


def _takes_array(op: Call) -> bool:
    return any(isinstance(var.type, Array) for arg in op.args for var in variables(arg))


def written_by(op: Op, aliases: Aliases, callees: Callees) -> Iterator[int]:
    """The alias classes of the primal that `op` writes, in its blocks and in the helpers that it invokes."""
    for inner in all_ops(Block((), (op,), ())):
        if isinstance(inner, Invoke):
            name = callees.origin.get(inner.callee, inner.callee)
            if not callees.knows(name):  # part of a rule: it writes to nothing of the caller's
                continue
            params, results = len(callees.function(name).params), len(callees.function(name).results)
            places = aliases.by_place(replace(inner, outs=inner.outs[:results], args=inner.args[:params]))
            yield from (class_ for place in callees.summary(name).written for class_ in places[place])
        else:
            risked = at_risk(inner) if isinstance(inner, Call) else ()
            yield from (aliases.of(var) for var in (*writes(inner), *risked) if aliases.knows(var))
