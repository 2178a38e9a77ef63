"""The reverse of loops that keep few states: iterations run again in the reverse sweep, as `adxform.runtime.revolve` says.

    while at < steps:                       # forward sweep
        at_kept.append(at); u_kept.append(u)
        to = revolve.next_snapshot(at, steps, free)
        for k in range(at, to):
            u = step(u)
        at = to
    for k in range(steps - 1, -1, -1):      # reverse sweep
        u = u_kept.pop(); at = at_kept.pop()
        while at < k:                       # as above, from the nearest snapshot to iteration k
            …
        y = step(u); u_ct = …               # one iteration forward and backward

The state of a loop is what its iterations read of one another: what it carries, and the contents of arrays from outside that it
writes to and reads. Arrays that nobody writes to are kept by reference. One that the loop writes to and carries is copied, so
that each iteration works on memory of its own, and its cotangent goes from iteration to iteration by value (see
`loop_carried_aliasing`). Where the number of iterations is known only after the loop, one state is kept ahead of it and the
others in the reverse sweep.

Source: Griewank and Walther, Evaluating Derivatives (2008), chapter 12.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NoReturn

import numpy as np

from adxform import runtime
from adxform.autodiff.checkpointing.kept_states import Iterations, StateKeeping, taken_by
from adxform.autodiff.checkpointing.loop_carried_aliasing import Separation
from adxform.autodiff.fitting import zeros
from adxform.autodiff.reverse.cotangent_plan import may_copy
from adxform.autodiff.reverse.cotangents import WHOLE
from adxform.autodiff.reverse.residuals import Decision
from adxform.autodiff.reverse.sources import written_by
from adxform.autodiff.reverse.sweep import Sweep
from adxform.autodiff.reverse.witnesses import restarts
from adxform.errors import AliasError, UnsupportedOperationError
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.ops import Block, Call, For, Invoke, Lit, Op, Operand, Var, While
from adxform.ir.spans import Span
from adxform.ir.types import INT, Array, Stack
from adxform.ir.undefined import maybe_undefined
from adxform.ir.walk import all_ops, blocks, free_variables, never_ends, outs, variables, variables_of
from adxform.primitives.declare import name_of
from adxform.primitives.effects import effect_of, has_memory, is_read_only, is_removable


@dataclass(frozen=True, slots=True)
class LoopMemory:
    """The memory that a loop writes to, by alias classes `written`, and how its iterations hand that on.

    `mirrored` are the places of what it carries with a companion, `copied` those of memory that it writes to. It writes to the
    variables `outside` without carrying them, and the contents of `kept`, which are those it also reads, belong to its state.
    """

    written: frozenset[int]
    mirrored: tuple[int, ...]
    copied: frozenset[int]
    outside: tuple[Var, ...]
    kept: tuple[Var, ...]


class CheckpointReversal(StateKeeping):
    """Reverses the loops of ``task.snapshots`` by running iterations again."""

    def loop(self, op: For, b: Builder, f: Builder) -> None:
        """Reverse a counted loop."""
        if self.path in self.task.snapshots:
            self.checkpointed(op, b, f)
        else:
            super().loop(op, b, f)

    def while_(self, op: While, b: Builder, f: Builder) -> None:
        """Reverse a `while`."""
        if self.path in self.task.snapshots:
            self.checkpointed(op, b, f)
        else:
            super().while_(op, b, f)

    def checkpointed(self, op: For | While, b: Builder, f: Builder) -> None:
        """Append to `f` the loop `op`, which keeps states on the way, and to `b` its reverse, which runs iterations again."""
        params, results = _carried(op)
        memory = self.touched(op)
        mirrored = memory.mirrored
        self.refuse_repeated(op)
        self.refuse_shared(op, sorted({*mirrored, *memory.copied}), memory.outside)
        used = self.aliases.reached((*free_variables(op.body), *op.inits, *params))
        self.readers += [(class_, self.path) for class_ in used if class_ not in memory.written]
        self.rewound |= memory.written

        body = self.reverse_body(op, params, results, b)
        sweep = body.sweep
        incoming, outgoing = self.mirror(op, mirrored, sweep)
        needed = self.needed(op, sweep, outgoing)
        again = tuple(inner for inner, is_needed in zip(op.body.ops, needed.ops, strict=True) if is_needed)
        sweep.forward = [ops if is_needed else [] for ops, is_needed in zip(sweep.forward, needed.ops, strict=True)]
        self.refuse_undefined(op, mirrored)
        loop = self.iterations(op, needed.places, memory, f)
        self.note(op, loop)

        old = self.old_memory(op, memory, f)
        stacks, begun, begun_again = restarts(loop.state, self.names, op.span, f)
        self.recorder.stacks.update(stacks)
        watched = replace(op, body=replace(op.body, ops=(*begun, *op.body.ops)))
        count, free = self.run_forward(watched, loop, b, f)
        for place in mirrored:
            self.mirror_of(op.outs[place], f.ops)

        k, numbering = self.numbered(loop)
        at = Builder(self.names, op.span)
        free_in = at.var("free", INT)
        free_out = self.restore(k, free_in, loop, again, at)
        ops = (*at.ops, *begun_again, *numbering, *sweep.forward_ops(), *sweep.reverse_ops())
        block = Block((k, free_in, *body.params, *incoming), ops, (free_out, *sweep.results, *outgoing))
        cts = self.carried_cts(op, body.carried)
        pulled = tuple(Var(self.names.fresh(f"{op.outs[place].base}_ct"), params[place].type) for place in mirrored)
        last = Lit(count.value - 1) if isinstance(count, Lit) else b.call(operator.sub, count, Lit(1), type=INT)
        starts = (free, *body.inits, *(self.companions[op.outs[place]] for place in mirrored))
        after = (b.var("free", INT), *cts, *pulled)
        b.emit(For(after, (last, Lit(-1), Lit(-1)), starts, block, False, op.span))
        for var, contents in old:
            b.effect(operator.setitem, var, WHOLE, contents)
        self.after_loop(op, body, cts, b)
        for place, ct in zip(mirrored, pulled, strict=True):
            self.contribute(op.inits[place], self.across(ct, b), b)

    def iterations(self, op: For | While, places: tuple[int, ...], memory: LoopMemory, f: Builder) -> Iterations:
        """`op` as iterations that can run again, of which each needs what is carried at `places`; its stacks are made in `f`."""
        params, results = _carried(op)
        numbers, *kept = (
            f.call(intrinsics.new_stack, type=Stack(), hint=f"{hint}_kept")
            for hint in ("at", *(params[place].base for place in places), *(var.base for var in memory.kept))
        )
        self.recorder.stacks.update((numbers, *kept))
        by_layout = any(isinstance(inner, Call) and may_copy(inner) for inner in all_ops(op.body))
        index, source = (op.body.params[0], op.source) if isinstance(op, For) else (None, ())
        return Iterations(
            index, source, params, results, places, memory.copied, memory.kept, by_layout, numbers, tuple(kept), op.span
        )  # fmt: skip

    def run_forward(self, op: For | While, loop: Iterations, b: Builder, f: Builder) -> tuple[Operand, Operand]:
        """Append the loop to `f`; return how many iterations it runs, and how many states may then still be kept.

        Piece by piece where that number is known ahead; else in one piece, and `b` keeps the state that it began with.
        """
        inits = {place: op.inits[place] for place in loop.places}
        free = self.budget(op, loop, inits, f)
        if isinstance(op, For) and not op.breaks:
            count = op.source[1] if _is_plain(op) else f.call(runtime.trip_count, *op.source, type=INT, hint="iterations")
            return count, self.run_to(count, Lit(0), free, dict(enumerate(op.inits)), op.outs, loop, op.body.ops, f)
        state = [*self.kept_values(inits, loop, f)]
        counted, count = self.count_iterations(op) if isinstance(op, For) else self.counted_while(op)
        f.emit(replace(counted, body=self.copy_of(counted.body), snapshots=None))
        return count, self.keep_first(count, state, free, loop, b)

    # What an iteration needs

    def touched(self, op: For | While) -> LoopMemory:
        """The memory that `op` writes to."""
        params, _ = _carried(op)
        written = frozenset(class_ for inner in op.body.ops for class_ in written_by(inner, self.aliases, self.callees))
        read = self.read_in(op.body)
        mirrored = tuple(place for place, param in enumerate(params) if param in self.companions)
        copied = frozenset(place for place, param in enumerate(params) if has_memory(param) and self.aliases.of(param) in written)
        held = [var for var in free_variables(op.body) if has_memory(var) and self.aliases.of(var) in written]
        outside = tuple(var for var in held if not self.is_read_only(var))
        return LoopMemory(written, mirrored, copied, outside, tuple(var for var in outside if self.aliases.of(var) in read))

    def is_read_only(self, var: Var) -> bool:
        """Whether `var` is a view that cannot be written to."""
        call = self.definition.get(var)
        while call is not None and effect_of(call).views == (0,) and isinstance(base := call.args[0], Var):
            if is_read_only(call):
                return True
            call = self.definition.get(base)
        return False

    def read_in(self, block: Block) -> set[int]:
        """The alias classes of memory whose contents some op in `block` reads: not what is only written or looked at in part."""
        found: set[int] = set()
        for op in all_ops(block):
            match op:
                case Call():
                    effect = effect_of(op)
                    given = (*op.args, *(value for _, value in op.kwargs))
                    is_view = bool(effect.views) and all(has_memory(out) for out in op.outs)
                    taken = [
                        arg for place, arg in enumerate(given) if place not in effect.writes and not (is_view and place == 0)
                    ]
                    if effect.reads:
                        found.update(self.aliases.reached(taken))
                case Invoke(args=args):
                    found.update(self.aliases.reached(args))
                case _:
                    pass
        return found

    def mirror(self, op: For | While, mirrored: tuple[int, ...], sweep: Sweep) -> tuple[tuple[Var, ...], tuple[Operand, ...]]:
        """Let `sweep` take the cotangents of what it carries at the places `mirrored` by value, and pass them on so."""
        params, results = _carried(op)
        first, last = Builder(self.names, op.span), Builder(self.names, op.span)
        incoming = tuple(Var(self.names.fresh(f"{params[place].base}_ct"), params[place].type) for place in mirrored)
        outgoing: list[Operand] = []
        read = taken_by(op.body.ops, results)
        for place, ct in zip(mirrored, incoming, strict=True):
            param, result = params[place], results[place]
            if isinstance(result, Var) and result in self.companions:
                first.effect(intrinsics.accumulate, self.companions[result], WHOLE, ct)
            if param in read:
                self.mirror_of(param, sweep.entry)
                outgoing.append(self.companions[param])
            else:
                outgoing.append(zeros(last, ct, f"{param.base}_ct"))
        sweep.segments.insert(0, (len(op.body.ops), first.ops))
        sweep.segments.append((-1, last.ops))
        return incoming, tuple(outgoing)

    def mirror_of(self, var: Var, ops: list[Op]) -> None:
        """Append the allocation of the companion of `var`, laid out as it where views depend on that."""
        if self.aliases.of(var) in self.laid_out:
            ops.append(Call((self.companions[var],), Lit(runtime.laid_out), (Lit(0.0), var)))
        else:
            self.make_companion(var, ops)

    def needed(self, op: For | While, sweep: Sweep, outgoing: tuple[Operand, ...]) -> Needed:
        """What the reverse of an iteration, and the state of later ones, needs of what an iteration takes and does."""
        params, results = _carried(op)
        parts = list(zip(op.body.ops, sweep.forward, strict=True))
        made = [{*outs(inner), *(out for new in ops for out in outs(new))} for inner, ops in parts]
        taken = [free_variables(Block((), (inner, *ops), ())) for inner, ops in parts]
        needed = [not is_removable(inner) for inner, _ in parts]
        wanted: set[Var] = {*free_variables(Block((), (*sweep.entry, *sweep.reverse_ops()), (*sweep.results, *outgoing)))}
        for is_needed, reads in zip(needed, taken, strict=True):
            wanted.update(reads if is_needed else ())
        size = -1
        while size != len(wanted):
            size = len(wanted)
            wanted.update(*(variables(self.renamed[var]) for var in wanted if var in self.renamed))
            for place, param in enumerate(params):
                wanted.update(variables(results[place]) if param in wanted else ())
            for number, (defined, reads) in enumerate(zip(made, taken, strict=True)):
                if not needed[number] and not wanted.isdisjoint(defined):
                    needed[number] = True
                wanted.update(reads if needed[number] else ())
        return Needed(tuple(place for place, param in enumerate(params) if param in wanted), tuple(needed))

    def note(self, op: For | While, loop: Iterations) -> None:
        """Note what is kept of the loop."""
        assert op.snapshots is not None
        count, memory = op.snapshots.count, op.snapshots.memory
        most = f"at most {count} of its states" if memory is None else f"as many of its states as fit in {memory} bytes"
        for var in loop.state:
            reason = f"{most}, by the schedule of Revolve: iterations run again"
            self.recorder.decisions.append(Decision(var.name, op.span, "snapshot", reason))

    def old_memory(self, op: For | While, memory: LoopMemory, f: Builder) -> list[tuple[Var, Operand]]:
        """What the loop writes to and no iteration puts back, with copies of contents that the reverse sweep needs."""
        outside = [var for var in memory.outside if var not in memory.kept]
        inits = [init for place in sorted(memory.copied) if isinstance(init := op.inits[place], Var)]
        found: list[tuple[Var, Operand]] = []
        for var in (*outside, *inits):
            number = self.aliases.of(var)
            if self.task.undo(number, self.path):
                self.undone.append((number, self.path))
                found.append((var, f.call(np.ndarray.copy, var, type=var.type, hint=f"{var.base}_old")))
        return found

    # Refusals

    def refuse_repeated(self, op: For | While) -> None:
        """Raise where iterations of the loop do what cannot be done again."""
        for inner in (*_done(op.body), *(_done(op.test) if isinstance(op, While) else ())):
            if isinstance(inner, Call) and effect_of(inner).opaque and not effect_of(inner).marks:
                called = (
                    f"`{name_of(inner.fn.value)}`" if isinstance(inner.fn, Lit) and callable(inner.fn.value) else "a function"
                )
                self.refuse(op, f"it calls {called}", "call it before, or after it", inner.span)
            if isinstance(inner, Invoke) and self.callees.summary(inner.callee).opaque:
                self.refuse(
                    op,
                    f"it calls `{inner.callee}`, which calls a function without a rule",
                    "call that before, or after it",
                    inner.span,
                )
        for var in (*free_variables(op.body), *_carried(op)[0]):
            if isinstance(var.type, Stack):
                self.refuse(op, f"it grows or shrinks the list `{var.base}`", "store into an array that is made before it")

    def refuse_shared(self, op: For | While, places: list[int], outside: tuple[Var, ...]) -> None:
        """Raise where a copy of what the loop writes to could be told from what it is a copy of."""
        params, _ = _carried(op)
        carried = [params[place] for place in places]
        for var in (*carried, *outside):
            if not isinstance(var.type, Array):
                self.refuse(op, f"it changes `{var.base}`", "carry numbers and arrays from one iteration to the next")
        classes = {self.aliases.of(var) for var in carried}
        asks = Separation(self.fn, self.aliases)
        other = asks.hidden_name(self.path, classes) if classes else None
        if other is not None:
            message = f"an array that it writes to may be `{other.base}` as well, which is used in it or after it"
            raise AliasError(f"{_SAID}: {message}", span=op.span, help="begin the loop with a copy, as in `u = u.copy()`")
        seen = () if self.task.shared is None else (*self.fn.params, *variables_of(self.fn.results))
        for class_ in sorted(classes):
            own = [place for place in places if self.aliases.of(params[place]) == class_]
            if not asks.keeps_apart(op, own) or class_ in self.aliases.reached(seen):
                names = " and ".join(f"`{params[place].base}`" for place in own)
                message = f"{names}, which it writes to, may share memory"
                raise AliasError(f"{_SAID}: {message}", span=op.span, help="make an array of its own for each, before the loop")

    def refuse_undefined(self, op: For | While, mirrored: tuple[int, ...]) -> None:
        """Raise where what the loop carries may have no value."""
        params, results = _carried(op)
        undefined, read = maybe_undefined(self.fn.body), taken_by(op.body.ops, results)
        for place, param in enumerate(params):
            if (param in undefined and param in read) or (op.outs[place] in undefined and place in mirrored):
                self.refuse(op, f"it may read `{param.base}` before that has a value", "give it a value before the loop")

    def refuse(self, op: For | While, which: str, help_: str, span: Span | None = None) -> NoReturn:
        """Raise: the loop `op` cannot keep snapshots."""
        raise UnsupportedOperationError(f"{_SAID}: {which}", span=span or op.span, help=help_)


@dataclass(frozen=True, slots=True)
class Needed:
    """The places of what a loop carries that its iterations need again, and which of the ops of its body."""

    places: tuple[int, ...]
    ops: tuple[bool, ...]


_SAID = "a part of the program that keeps checkpoints cannot run again"


def _carried(op: For | While) -> tuple[tuple[Var, ...], tuple[Operand, ...]]:
    """What an iteration of the loop `op` takes from the one before, and passes on."""
    if isinstance(op, For):
        return op.body.params[1:], op.body.results[op.breaks :]
    return op.body.params, op.body.results


def _done(block: Block) -> Iterator[Op]:
    """The ops of `block` and of the blocks in it, but for those on the way to a `raise`, which end the derivative as well."""
    for op in block.ops:
        yield op
        for inner in blocks(op):
            if not never_ends(inner):
                yield from _done(inner)


def _is_plain(op: For) -> bool:
    return op.source[0] == Lit(0) and op.source[2] == Lit(1)
