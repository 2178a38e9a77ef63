"""The reverse of blocks and branches: a sweep each."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Container, Sequence
from dataclasses import replace
from typing import assert_never

import numpy as np

from adxform.autodiff.boundary import is_behind
from adxform.autodiff.reverse.call_pullbacks import CallReversal
from adxform.autodiff.reverse.cotangents import Path, Task
from adxform.autodiff.reverse.residuals import ResidualRecorder
from adxform.autodiff.reverse.sweep import Sweep
from adxform.autodiff.reverse.witnesses import witnesses
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.ops import UNDEFINED, Attribute, Block, Call, Closure, For, Free, If, Invoke, Lit, Op, Operand, Raise, Var, While
from adxform.ir.types import Array, Scalar, Stack, Type, is_inexact
from adxform.ir.walk import defined_variables, free_variables, outs, reads, rename_block
from adxform.primitives.effects import effect_of
from adxform.primitives.record import General, Partials
from adxform.primitives.table import derivative_of


class BlockReversal(CallReversal, ABC):
    """Reverses blocks from their last op to their first; what the reverse needs of the forward sweep, `recorder` provides."""

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        self.recorder = ResidualRecorder(self.names, self.aliases, self.callees, self.plan.undefined | self.plan.numbers)
        self.loops = 0
        self.taping: set[Path] = set()
        self.rewound: set[int] = set()

    def sweep_block(self, sweep: Sweep, seeds: Sequence[tuple[Operand, Operand]]) -> None:
        """Fill `sweep` with the forward ops of its block and their reverse, which starts by contributing `seeds`."""
        block = sweep.block
        prologue = Builder(self.names)
        for var in _defined_here(block):
            if var in self.active:
                self.prologues[var] = prologue
                if self.plan.mode(var) == "buffer":
                    self.buffers[var] = self.make_buffer(var, prologue)
        after = Builder(self.names)
        for target, value in seeds:
            self.contribute(target, value, after)
        known = {(op.fn, op.args, op.kwargs) for op in block.ops if isinstance(op, Call)}
        segments: list[tuple[int, list[Op]]] = []
        forward: list[list[Op]] = []
        outer = self.path
        with self.slices.within(block):
            for position in range(len(block.ops) - 1, -1, -1):
                op = block.ops[position]
                self.path = (*outer, position)
                b, f = Builder(self.names, op.span), Builder(self.names, op.span)
                start = len(self.contributed)
                self.op(op, b, f)
                if b.ops:
                    behind = self.pruned(b.ops, self.contributed[start:])
                    if isinstance(op, Call) and not is_behind(op):
                        ahead, behind = self.parted(behind, f, known)
                        f.ops += ahead
                    segments.append((position, behind))
                    self.note_readers(op, behind)
                    if isinstance(op, Call):
                        segments[-1] = position, [*witnesses(op, behind, f, self.aliases, self.companions.values()), *behind]
                forward.append(f.ops)
        self.path = outer
        sweep.forward = forward[::-1]
        sweep.segments = [(len(block.ops), prologue.ops + after.ops), *segments]

    def pruned(self, ops: list[Op], contributed: list[Var]) -> list[Op]:
        """`ops`, which contribute to `contributed`, without the pure calls that nobody reads: halves of a rule not asked for."""
        later = {ct for var in contributed if isinstance(ct := self.cts.get(var), Var)}
        kept: list[Op] = []
        for op in reversed(ops):
            if isinstance(op, Call):
                if later.isdisjoint(op.outs) and _is_pure(op):
                    continue
                later.update(reads(op))
            else:
                later.update(free_variables(Block((), (op,), ())))
            kept.append(op)
        return kept[::-1]

    def parted(self, ops: list[Op], f: Builder, known: Container[object]) -> tuple[list[Op], list[Op]]:
        """`ops`, which reverse one call, as those to run right after the call and the others.

        The functions that a partial derivative calls, and what they are called on, go ahead where no cotangent is needed: those
        that the primal calls too, which are among `known`, and where the derivative will be differentiated all of them. Each
        is then found beside the call, and what they have in common is computed once.
        """
        cotangents = set(self.companions.values())
        there: set[Var] = set()
        for op in f.ops:
            of_cotangents = not cotangents.isdisjoint((*outs(op), *reads(op)))
            (cotangents if of_cotangents else there).update(outs(op))
        early: list[Call] = []
        for op in ops:
            if isinstance(op, Call) and _may_go_ahead(op) and all(var in there or self.is_computed(var) for var in reads(op)):
                there.update(op.outs)
                early.append(op)
        needed: set[Var] = set()
        for op in reversed(early):
            wanted = _is_function(op) and (self.task.again or (op.fn, op.args, op.kwargs) in known)
            if wanted or not needed.isdisjoint(op.outs):
                needed.update((*op.outs, *reads(op)))
        ahead: list[Op] = [op for op in early if not needed.isdisjoint(op.outs)]
        return ahead, [op for op in ops if op not in ahead]

    def is_computed(self, var: Var) -> bool:
        """Whether `var` is the primal's, and no condition that may be computed later."""
        return var in self.primal and var not in self.guards.conds

    def op(self, op: Op, b: Builder, f: Builder) -> None:
        """Append `op` to the forward sweep `f` and its reverse to `b`."""
        match op:
            case Call():
                self.call(op, b, f)
            case If():
                self.branch(op, b, f)
            case For():
                self.loop(op, b, f)
            case While():
                self.while_(op, b, f)
            case Raise():
                f.emit(op)
            case Invoke():
                self.invoke(op, b, f)
            case Free() | Attribute() | Closure():
                raise AssertionError("untyped IR reached the reverse transform")
            case _:
                assert_never(op)

    @abstractmethod
    def invoke(self, op: Invoke, b: Builder, f: Builder) -> None:
        """Reverse the call of a helper."""

    @abstractmethod
    def loop(self, op: For, b: Builder, f: Builder) -> None:
        """Reverse a counted loop."""

    @abstractmethod
    def while_(self, op: While, b: Builder, f: Builder) -> None:
        """Reverse a `while`."""

    def branch(self, op: If, b: Builder, f: Builder) -> None:
        """Reverse the branch that was taken; cotangents that either side changes are results of the reverse `If`."""
        seeds = [None if out in self.companions else self.take(out, b) for out in op.outs]
        base = dict(self.cts)
        sweeps: list[Sweep] = []
        afters: list[dict[Var, Operand]] = []
        for number, block in enumerate((op.then, op.orelse)):
            self.cts = dict(base)
            sweep = Sweep(block, (*self.path, number))
            given = [(result, ct) for result, ct in zip(block.results, seeds, strict=True) if ct is not None]
            outer, self.path = self.path, sweep.path
            self.sweep_block(sweep, given)
            self.path = outer
            sweeps.append(sweep)
            afters.append(self.cts)
        self.cts = base
        inside = {var for block in (op.then, op.orelse) for var in defined_variables(block)}
        changed = [
            var
            for var in dict.fromkeys((*afters[0], *afters[1]))
            if var not in inside and not (afters[0].get(var) == base.get(var) == afters[1].get(var))
        ]
        extra: list[tuple[Var, ...]] = []
        for sweep, after in zip(sweeps, afters, strict=True):
            last = Builder(self.names, op.span)
            sweep.results = tuple(after[var] if var in after else self.zeros_for(last, var) for var in changed)
            sweep.segments.append((-1, last.ops))
            kept, before = self.recorder.recover_branch(sweep, self.loops > 0)
            extra.append(kept)
            f.ops.extend(before)
        renamed = self.emit_branch(op, sweeps, extra, f)
        outs = self.fresh_cts(changed)
        then, orelse = (Block((), sweep.reverse_ops(), sweep.results) for sweep in sweeps)
        if then.ops or orelse.ops or outs:
            mapping: dict[Var, Operand] = {var: new for kept in renamed for var, new in kept}
            b.emit(
                If(
                    outs,
                    op.cond,
                    rename_block(then, dict(mapping)),
                    rename_block(orelse, dict(mapping)),
                    op.span,
                )
            )
        self.cts.update(zip(changed, outs, strict=True))
        self.contributed += changed

    def fresh_cts(self, primals: Sequence[Var], types: Sequence[Type] = ()) -> tuple[Var, ...]:
        """Variables for the cotangents of `primals`: of no known shape where one may be the number zero.

        They are of the same types otherwise, or of those given.
        """
        fresh: list[Var] = []
        for var, type_ in zip(primals, types or [var.type for var in primals], strict=True):
            type_ = Array(type_.dtype, None) if var in self.plan.undefined and isinstance(type_, Array) else type_
            fresh.append(Var(self.names.fresh(f"{var.base}_ct"), type_))
            self.loosened(var, fresh[-1])
        return tuple(fresh)

    def emit_branch(self, op: If, sweeps: list[Sweep], extra: list[tuple[Var, ...]], f: Builder) -> list[list[tuple[Var, Var]]]:
        """Append the forward branch; values that the reverse needs become more of its results, and are returned with those."""
        companions = [(position, self.companions[out]) for position, out in enumerate(op.outs) if out in self.companions]
        blocks_ = []
        outs = [*op.outs, *(companion for _, companion in companions)]
        pairs: list[list[tuple[Var, Var]]] = [
            [(var, Var(self.names.fresh(var.name), var.type)) for var in kept] for kept in extra
        ]
        outs += [new for kept in pairs for _, new in kept]
        for side, sweep in enumerate(sweeps):
            results: list[Operand] = list(sweep.block.results)
            ops = list(sweep.forward_ops())
            for position, _ in companions:
                results.append(self.companion_of(sweep.block.results[position], ops))
            for other, kept in enumerate(pairs):
                results += [var if other == side else self.absent(var, ops) for var, _ in kept]
            blocks_.append(Block((), tuple(ops), tuple(results)))
        f.emit(replace(op, outs=tuple(outs), then=blocks_[0], orelse=blocks_[1]))
        return pairs

    def absent(self, var: Var, ops: list[Op]) -> Operand:
        """What stands for a kept value on the other branch; inside a loop or a helper it goes on a tape there, unread."""
        if not self.loops and self.task.shared is None:
            return UNDEFINED
        if isinstance(var.type, Scalar):
            return Lit(np.dtype(var.type.dtype).type(0).item())
        if isinstance(var.type, Stack):
            ops.append(Call((empty := Var(self.names.fresh(var.name), var.type),), Lit(intrinsics.new_stack), ()))
            return empty
        return Lit(None) if is_inexact(var.type) else Lit(0)


def _defined_here(block: Block) -> list[Var]:
    from_ops = [out for op in block.ops for out in _outs(op)]
    return [*block.params, *from_ops]


def _outs(op: Op) -> tuple[Var, ...]:
    match op:
        case Call(outs=outs) | If(outs=outs) | For(outs=outs) | While(outs=outs) | Invoke(outs=outs):
            return outs
        case _:
            return ()


def _is_function(call: Call) -> bool:
    """Whether `call` calls a function that has a derivative: neither an operator, nor what moves or makes arrays."""
    derivative = derivative_of(call)
    module = getattr(call.fn.value, "__module__", None) if isinstance(call.fn, Lit) else None
    return isinstance(derivative, Partials | General) and module not in ("_operator", "operator", "builtins")


def _is_pure(call: Call) -> bool:
    effect = effect_of(call)
    return not effect.writes and not effect.opaque


def _may_go_ahead(call: Call) -> bool:
    """Whether what `call` makes is the same wherever its arguments are known, and no name of other memory."""
    return bool(call.outs) and _is_pure(call) and not effect_of(call).views
