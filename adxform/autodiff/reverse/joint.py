"""Reverse mode: one function that runs the primal forward, then backward with cotangents.

The reverse of a block visits its ops from the last to the first. What the reverse sweep reads of the forward sweep it names
directly; `residuals` then decides how each such value gets there. Cotangents live where `cotangent_plan` says.
A store is undone in reverse (old contents put back) when something that ran before it, or that a loop shares with it, must
read memory in the reverse sweep: that is found by a first pass that undoes every store, and applied in the second.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from adxform.autodiff.boundary import outlined, restored
from adxform.autodiff.checkpointing.checkpointed_loops import CheckpointReversal
from adxform.autodiff.checkpointing.segments import in_segments
from adxform.autodiff.expand import Expander, is_result
from adxform.autodiff.fitting import precise, zeros
from adxform.autodiff.reverse.callees import Adopting, Callees
from adxform.autodiff.reverse.cotangents import WHOLE, Path, Task
from adxform.autodiff.reverse.residuals import Decision
from adxform.autodiff.reverse.restore import must_undo
from adxform.autodiff.reverse.sweep import Sweep
from adxform.autodiff.reverse.whole_numbers import float_zeros
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.lengths import Lengths
from adxform.ir.ops import Block, Call, Function, Invoke, Lit, Op, Operand, Var
from adxform.ir.types import Array, Dim, Scalar, Stack, is_inexact
from adxform.ir.walk import free_variables, outs, rename_block, variables_of
from adxform.primitives.alias import alias_classes
from adxform.primitives.effects import effect_of


@dataclass(frozen=True, slots=True)
class Adjoint:
    """The result of `reverse`: the joint function, and what was decided for the values that it records."""

    fn: Function
    decisions: tuple[Decision, ...]


def reverse(fn: Function, wrt: Sequence[int], expander: Expander, *, again: bool = False) -> Adjoint:
    """Return the function of ``fn.params`` and a cotangent per float result: ``fn.results``, and a cotangent per `wrt`.

    `again`: it will be differentiated in its turn, so that functions in partial derivatives are called beside the primal's calls.

    Raises:
        MissingRuleError: a function without a rule lies between the inputs and the results.
        AliasError: memory that is written is reached in a way that a cotangent buffer cannot mirror.

    Source: Griewank and Walther, Evaluating Derivatives (2008), chapters 3, 4 and 12.
    """
    fn = outlined(fn)
    task = _task(fn, tuple(wrt), expander, again=again)
    pass_ = _run_twice(task)
    if pass_.taping:
        fn, snapshots = in_segments(fn, pass_.taping)
        task = replace(_task(fn, tuple(wrt), expander, again=again), snapshots=snapshots)
        pass_ = _run_twice(task)
    more = tuple(helper for helper in task.callees.derived.values() if helper is not None)
    joint = float_zeros(restored(replace(pass_.joint(), helpers=fn.helpers + more)))
    return Adjoint(joint, tuple(pass_.recorder.decisions))


def _task(fn: Function, wrt: tuple[int, ...], expander: Expander, *, again: bool) -> Task:
    callees = Callees(fn, alias_classes(fn))
    return Task(fn, wrt, Adopting(expander, callees), callees, callees.aliases, again=again)


def _run_helper(task: Task) -> _Reverse:
    """Run the transform; run it anew with snapshots where loops that ask for them have something on tapes otherwise."""
    found = _run_twice(task)
    return _run_twice(replace(task, snapshots=frozenset(found.taping), study=found.study)) if found.taping else found


def _run_twice(task: Task) -> _Reverse:
    """Run the transform; run it anew when the first pass undid stores that nothing in the reverse sweep needs undone.

    A helper undoes every store into memory that its callers see, because they may read it.
    """
    first = _Reverse(task)
    first.run()
    needed = must_undo(task.fn, task.aliases, first.recorder.readers + first.readers, task.snapshots)
    outside = set(task.aliases.reached((*task.fn.params, *task.fn.results))) if task.shared is not None else set()

    def undo(number: int, path: Path) -> bool:
        return number in outside or needed(number, path)

    if all(undo(number, path) for number, path in first.undone):
        return first
    second = _Reverse(replace(task, undo=undo, study=first.study))
    second.run()
    return second


class _Reverse(CheckpointReversal):
    """The whole function: both sweeps, joint or cut in two."""

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        self.stack: Var | None = None
        self.result_cts: tuple[Var, ...] = ()
        self.results: tuple[Operand, ...] = ()
        self.cotangents: tuple[Operand, ...] = ()
        self.forward_ops: tuple[Op, ...] = ()
        self.reverse_ops: tuple[Op, ...] = ()

    def run(self) -> None:
        """Make the two sweeps."""
        fn = self.fn
        aliased = self.task.shared.results if self.task.shared is not None else ()
        named = [
            (result, result.type)
            for place, result in enumerate(fn.results)
            if place not in aliased and isinstance(result, Var) and is_result(result)
        ]
        self.result_cts = tuple(Var(self.names.fresh(f"{result.base}_ct"), type_) for result, type_ in named)
        sweep = Sweep(fn.body, ())
        for param in fn.params:
            if param in self.companions and param not in self.given:
                self.make_companion(param, sweep.entry)
        self.sweep_block(sweep, [(result, ct) for (result, _), ct in zip(named, self.result_cts, strict=True)])
        turning, last = Builder(self.names, fn.span), Builder(self.names, fn.span)
        self.results = self.saved_results(turning, aliased)
        self.results += tuple(self.companion_of(fn.results[place], turning.ops) for place in aliased)
        self.cotangents = self.gradients(sweep, last)
        self.forward_ops = (*sweep.forward_ops(), *turning.ops)
        self.reverse_ops = (*sweep.reverse_ops(), *last.ops)

    def joint(self) -> Function:
        """Both sweeps as one function."""
        made = () if self.stack is None else (Call((self.stack,), Lit(intrinsics.new_stack), ()),)
        turn = Call((), Lit(intrinsics.turning_point), (), (), self.fn.span)
        ops = (*made, *self.forward_ops, turn, *self.reverse_ops)
        block = Block(self.fn.params + self.result_cts, ops, self.results + self.cotangents)
        return replace(self.fn, name=f"{self.fn.name}_vjp", body=rename_block(block, dict(self.renamed)))

    def split(self, names: tuple[str, str]) -> tuple[Function, Function, tuple[Var, ...]]:
        """The two sweeps as two functions, and the residuals: the second takes them first, the first returns those it makes."""
        backward = rename_block(Block((), self.reverse_ops, self.cotangents), dict(self.renamed))
        handed = {*self.result_cts, *self.given.values()}
        live = tuple(var for var in free_variables(backward) if var not in handed)
        taken = (*self.fn.params, *self.given.values())
        forward = rename_block(Block(taken, self.forward_ops, self.results), dict(self.renamed))
        known = {*forward.params, *forward.results}
        forward = replace(forward, results=(*forward.results, *(var for var in live if var not in known)))
        backward = replace(backward, params=(*live, *self.result_cts, *self.given.values()))
        ahead, behind = names
        return Function(ahead, forward, span=self.fn.span), Function(behind, backward, span=self.fn.span), live

    def keeps_tapes(self) -> bool:
        """Whether the reverse sweep reads a tape that the forward sweep makes."""
        made = {out for op in self.forward_ops for out in outs(op) if isinstance(out.type, Stack)}
        return any(var in made for var in free_variables(Block((), self.reverse_ops, self.cotangents)))

    def cut(self, names: tuple[str, str]) -> tuple[Function, Function]:
        """The two sweeps as two functions; what lives across the cut goes over a stack that both take."""
        stack = self.tape_stack()
        backward = rename_block(Block((), self.reverse_ops, self.cotangents), dict(self.renamed))
        params = (stack, *self.result_cts, *self.given.values())
        known = set(params)
        live = [var for var in free_variables(backward) if var not in known]
        pushes = tuple(Call((), Lit(intrinsics.push), (stack, var)) for var in live)
        pops = tuple(Call((var,), Lit(intrinsics.pop), (stack,)) for var in reversed(live))
        taken = (*self.fn.params, *self.given.values(), stack)
        forward = rename_block(Block(taken, self.forward_ops, self.results), dict(self.renamed))
        forward = replace(forward, ops=forward.ops + pushes)
        backward = replace(backward, params=params, ops=pops + backward.ops)
        ahead, behind = names
        return Function(ahead, forward, span=self.fn.span), Function(behind, backward, span=self.fn.span)

    def saved_results(self, b: Builder, aliased: tuple[int, ...]) -> tuple[Operand, ...]:
        """The results, copied where the reverse sweep will undo what was stored in them, but for `aliased` ones of a helper."""
        undone = {number for number, _ in self.undone} | self.rewound
        saved: list[Operand] = []
        for place, result in enumerate(self.fn.results):
            is_own = place not in aliased and isinstance(result, Var) and isinstance(result.type, Array)
            if is_own and isinstance(result, Var) and self.aliases.of(result) in undone:
                saved.append(b.call(np.ndarray.copy, result, type=result.type, hint=result.name))
            else:
                saved.append(result)
        return tuple(saved)

    def gradients(self, sweep: Sweep, b: Builder) -> tuple[Operand, ...]:
        """The cotangents of the `wrt` parameters, in their precision: fresh arrays, none twice."""
        calls = [op for op in sweep.reverse_ops() if isinstance(op, Call)]
        sure = {out for op in calls for out in op.outs}
        fresh = {out for op in calls if _is_fresh(op) for out in op.outs}
        found: list[Operand] = []
        for index in self.wrt:
            param = self.fn.params[index]
            hint = f"{param.base}_ct"
            ct = self.take(param, b)
            if ct is None:
                ct = zeros(b, param, hint)
            elif isinstance(ct, Var) and isinstance(ct.type, Array) and ct not in fresh:
                ct = b.call(np.copy, ct, type=ct.type, hint=hint)
            if isinstance(param.type, Scalar) and ct not in sure:
                ct = precise(b, ct, param, sure=False)
            if isinstance(ct, Var):
                fresh.discard(ct)
            found.append(ct)
        return tuple(found)

    def tape_stack(self) -> Var:
        """The stack on which calls of helpers keep what their reverse needs."""
        if self.stack is None:
            self.stack = Var(self.names.fresh("tape"), Stack())
        return self.stack

    def derive_helper(self, callee: Function, wrt: tuple[int, ...]) -> tuple[str, str]:
        """The names of the two sweeps of `callee`, with respect to its parameters `wrt`; derived once.

        The forward one takes the memory of the cotangents of what `callee` shares with its callers, and the tape, and returns
        that of shared results. The backward one takes the tape, a cotangent for each other float result, and that memory again;
        it returns the cotangents of `wrt`, and has put written memory back. Where there is no tape, residuals go from one to
        the other: see `Callees.residuals`.
        """
        names = forward, backward = (
            self.callees.name(callee.name, "fwd", wrt),
            self.callees.name(callee.name, "bwd", wrt),
        )
        derived = self.callees.derived
        if forward not in derived:
            derived[forward] = derived[backward] = None
            shared = self.callees.shared(callee.name)
            aliases = self.callees.classes(callee.name)
            task = Task(callee, wrt, self.expander, self.callees, aliases, shared=shared, again=self.task.again)
            pass_ = _run_helper(task)
            if pass_.stack is None and not self.callees.is_recursive(callee.name) and not pass_.keeps_tapes():
                derived[forward], derived[backward], self.callees.residuals[forward] = pass_.split(names)
            else:
                derived[forward], derived[backward] = pass_.cut(names)
        return names

    def invoke(self, op: Invoke, b: Builder, f: Builder) -> None:
        """Reverse the call of a helper by a call of its backward sweep."""
        callee, shared = self.callees.function(op.callee), self.callees.shared(op.callee)
        handed = [op.args[place] for place in shared.params]
        if not any(out in self.active for out in op.outs) and not any(map(self.is_active, handed)):
            self.inactive(op, b, f)
            return
        moving = tuple(
            place
            for place, (arg, param) in enumerate(zip(op.args, callee.params, strict=True))
            if is_inexact(param.type) and place not in shared.params and self.is_active(arg)
        )
        forward, backward = self.derive_helper(callee, moving)
        self.readers += [(class_, self.path) for class_ in self.aliases.reached((*op.args, *op.outs))]
        written = self.callees.summary(op.callee).written
        self.rewound |= {class_ for place, found in enumerate(self.aliases.by_place(op)) if place in written for class_ in found}
        given = [self.companion_of(arg, f.ops) for arg in handed]
        aliased = [op.outs[place] for place in shared.results]
        kept = self.invoke_forward(op, forward, aliased, given, f)
        cts = self.cotangents_of_call(op, callee, aliased, b, f)
        taken = [op.args[place] for place in moving]
        pulled = tuple(Var(self.names.fresh(f"{arg.base}_ct"), arg.type) for arg in taken if isinstance(arg, Var))
        b.emit(Invoke(pulled, backward, (*kept, *cts, *given), op.span))
        for arg, ct in zip(taken, pulled, strict=True):
            self.contribute(arg, ct, b)

    def cotangents_of_call(self, op: Invoke, callee: Function, aliased: list[Var], b: Builder, f: Builder) -> list[Operand]:
        """The cotangents of what the call of a helper returns that is not `aliased`, with companions for what needs them."""
        cts: list[Operand] = []
        for out, result in zip(op.outs, callee.results, strict=True):
            if out in self.companions and out not in aliased:
                self.make_companion(out, f.ops)
            if is_result(result) and out not in aliased:
                cts.append(self.complete(out, b))
        return cts

    def invoke_forward(
        self, op: Invoke, forward: str, aliased: list[Var], given: list[Operand], f: Builder
    ) -> tuple[Operand, ...]:
        """Append the call of `forward`, with the companions `given`; return what its backward sweep takes: residuals or the tape.

        It returns a companion beside each result among `aliased`, which is memory that the caller sees.
        """
        beside = [self.companions.get(out) or Var(self.names.fresh(f"{out.base}_ct"), out.type) for out in aliased]
        residuals = self.callees.residuals.get(forward)
        if residuals is None:
            kept = (self.tape_stack(),)
            f.emit(Invoke((*op.outs, *beside), forward, (*op.args, *given, *kept), op.span))
            return kept
        params = self.callees.function(op.callee).params
        lengths = Lengths.at(params, op.args, lambda: Dim(self.names.fresh("?n")))
        returned = self.callees.results(forward)
        more = variables_of(returned[len(op.outs) + len(beside) :])
        all_outs = (*op.outs, *beside, *(Var(self.names.fresh(var.base), lengths.outside(var.type)) for var in more))
        f.emit(Invoke(all_outs, forward, (*op.args, *given), op.span))
        known = dict(zip((*params, *returned), (*op.args, *all_outs), strict=True))
        return tuple(known[var] for var in residuals)

    def inactive(self, op: Invoke, b: Builder, f: Builder) -> None:
        """Leave the call of a helper as it is; put back what it writes, where the reverse sweep needs that."""
        summary = self.callees.summary(op.callee)
        for place, arg in enumerate(op.args):
            if place in summary.written and isinstance(arg, Var) and isinstance(arg.type, Array):
                number = self.aliases.of(arg)
                if self.task.undo(number, self.path):
                    self.undone.append((number, self.path))
                    old = f.call(np.ndarray.copy, arg, type=arg.type, hint=f"{arg.base}_old")
                    b.effect(operator.setitem, arg, WHOLE, old)
        f.emit(op)


def _is_fresh(call: Call) -> bool:
    """Whether the array that `call` makes shares memory with nothing, also after ``1.0 * x`` has become ``x``."""
    effect = effect_of(call)
    scaling = any(isinstance(arg, Lit) for arg in call.args) and len(call.args) > 1
    return not effect.views and not effect.opaque and not scaling
