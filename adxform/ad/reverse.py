"""Reverse mode: one function that runs the primal forward, then backward with cotangents.

The reverse of a block visits its ops from the last to the first. What the reverse sweep reads of the forward sweep it names
directly; `adxform.ad.record` then decides how each such value gets there. Cotangents live where `adxform.ad.plan` says.
A store is undone in reverse (old contents put back) when something that ran before it, or that a loop shares with it, must
read memory in the reverse sweep: that is found by a first pass that undoes every store, and applied in the second.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from adxform.ad.blocks import BlockReversal
from adxform.ad.cotangents import Task
from adxform.ad.expand import (
    Expander,
    distinct,
    is_result,
    zeros,
)
from adxform.ad.record import Decision, Sweep
from adxform.ad.restore import must_undo
from adxform.errors import UnsupportedOperationError
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.ops import (
    Block,
    Call,
    Function,
    Invoke,
    Lit,
    Op,
    Operand,
    Var,
)
from adxform.ir.types import Array, Stack, is_float
from adxform.ir.walk import free_variables, rename_block
from adxform.rules.alias import Aliases
from adxform.rules.effects import effect_of, functions
from adxform.source import Span

WHOLE = Lit(...)


@dataclass(frozen=True, slots=True)
class Adjoint:
    """The result of `reverse`: the joint function, and what was decided for the values that it records."""

    fn: Function
    decisions: tuple[Decision, ...]


def reverse(fn: Function, wrt: Sequence[int], expander: Expander) -> Adjoint:
    """Return the function of ``fn.params`` and a cotangent per float result: ``fn.results``, and a cotangent per `wrt`.

    Raises:
        MissingRuleError: a function without a rule lies between the inputs and the results.
        AliasError: memory that is written is reached in a way that a cotangent buffer cannot mirror.

    Source: Griewank and Walther, Evaluating Derivatives (2008), chapters 3, 4 and 12.
    """
    derived: dict[str, Function | None] = {}
    pass_ = _run_twice(Task(fn, tuple(wrt), expander), derived)
    more = tuple(helper for helper in derived.values() if helper is not None)
    return Adjoint(replace(pass_.joint(), helpers=fn.helpers + more), tuple(pass_.recorder.decisions))


def _run_twice(task: Task, derived: dict[str, Function | None]) -> _Reverse:
    """Run the transform; run it anew when the first pass undid stores that nothing in the reverse sweep needs undone.

    A helper undoes every store into an array that it is given, because its callers may read it.
    """
    first = _Reverse(task, derived)
    first.run()
    if first.undone and not task.written:
        needed = must_undo(task.fn, first.recorder.readers + first.readers)
        if not all(needed(number, path) for number, path in first.undone):
            second = _Reverse(replace(task, undo=needed), derived)
            second.run()
            return second
    return first


class _Reverse(BlockReversal):
    """The whole function: both sweeps, joint or cut in two."""

    def __init__(self, task: Task, derived: dict[str, Function | None]) -> None:
        super().__init__(task)
        self.derived = derived
        for param in self.given:
            if self.plan.mode(param) != "buffer":
                self.refuse_writing(task.fn.name, task.fn.span)
        self.stack: Var | None = None
        self.result_cts: tuple[Var, ...] = ()
        self.results: tuple[Operand, ...] = ()
        self.cotangents: tuple[Operand, ...] = ()
        self.forward_ops: tuple[Op, ...] = ()
        self.reverse_ops: tuple[Op, ...] = ()

    def run(self) -> None:
        """Make the two sweeps."""
        fn = self.fn
        named = [(result, result.type) for result in fn.results if isinstance(result, Var) and is_result(result)]
        self.result_cts = tuple(Var(self.names.fresh(f"{result.base}_ct"), type_) for result, type_ in named)
        sweep = Sweep(fn.body, ())
        for param in fn.params:
            if param in self.companions:
                self.make_companion(param, sweep.entry)
        self.sweep_block(sweep, [(result, ct) for (result, _), ct in zip(named, self.result_cts, strict=True)])
        turning, last = Builder(self.names, fn.span), Builder(self.names, fn.span)
        self.results = self.saved_results(turning)
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

    def cut(self) -> tuple[Function, Function]:
        """The two sweeps as two functions; what lives across the cut goes over a stack that both take."""
        stack = self.tape_stack()
        backward = rename_block(Block((), self.reverse_ops, self.cotangents), dict(self.renamed))
        params = (stack, *self.result_cts, *self.given.values())
        known = set(params)
        live = [var for var in free_variables(backward) if var not in known]
        pushes = tuple(Call((), Lit(intrinsics.push), (stack, var)) for var in live)
        pops = tuple(Call((var,), Lit(intrinsics.pop), (stack,)) for var in reversed(live))
        forward = rename_block(Block((*self.fn.params, stack), self.forward_ops, self.results), dict(self.renamed))
        forward = replace(forward, ops=forward.ops + pushes)
        backward = replace(backward, params=params, ops=pops + backward.ops)
        name = self.fn.name
        return Function(f"{name}_fwd", forward, span=self.fn.span), Function(f"{name}_bwd", backward, span=self.fn.span)

    def saved_results(self, b: Builder) -> tuple[Operand, ...]:
        """The results, copied where the reverse sweep will undo what was stored in them."""
        undone = {number for number, _ in self.undone}
        saved: list[Operand] = []
        for result in self.fn.results:
            if isinstance(result, Var) and isinstance(result.type, Array) and self.aliases.of(result) in undone:
                saved.append(b.call(np.ndarray.copy, result, type=result.type, hint=result.name))
            else:
                saved.append(result)
        return tuple(saved)

    def gradients(self, sweep: Sweep, b: Builder) -> tuple[Operand, ...]:
        """The cotangents of the `wrt` parameters: fresh arrays, none twice."""
        fresh = {out for op in sweep.reverse_ops() if isinstance(op, Call) and _is_fresh(op) for out in op.outs}
        found: list[Operand] = []
        for index in self.wrt:
            param = self.fn.params[index]
            hint = f"{param.base}_ct"
            ct = self.take(param)
            if ct is None:
                ct = zeros(b, param, hint)
            elif isinstance(ct, Var) and isinstance(ct.type, Array) and ct not in fresh:
                ct = b.call(np.copy, ct, type=ct.type, hint=hint)
            if isinstance(ct, Var):
                fresh.discard(ct)
            found.append(ct)
        return tuple(found)

    def tape_stack(self) -> Var:
        """The stack on which calls of helpers keep what their reverse needs."""
        if self.stack is None:
            self.stack = Var(self.names.fresh("tape"), Stack())
        return self.stack

    def derive_helper(self, callee: Function) -> tuple[str, str]:
        """The names of the two sweeps of `callee`, with respect to all its float parameters; derived once.

        The backward one takes the stack, a cotangent per float result, and the cotangent buffers of the arrays that `callee`
        writes; it returns the cotangents of the other float parameters, and has put written memory back.
        """
        forward, backward = f"{callee.name}_fwd", f"{callee.name}_bwd"
        if forward not in self.derived:
            self.derived[forward] = self.derived[backward] = None
            written = _written_params(callee, self.aliases)
            wrt = [place for place, param in enumerate(callee.params) if is_float(param.type) and param not in written]
            whole = replace(callee, helpers=self.fn.helpers)
            pass_ = _run_twice(Task(whole, tuple(wrt), self.expander, written=tuple(written), is_helper=True), self.derived)
            self.derived[forward], self.derived[backward] = pass_.cut()
        return forward, backward

    def invoke(self, op: Invoke, b: Builder, f: Builder) -> None:
        """Reverse the call of a helper by a call of its backward sweep."""
        callee = functions(self.fn)[op.callee]
        written = _written_params(callee, self.aliases)
        buffers = [arg for arg, param in zip(op.args, callee.params, strict=True) if param in written and is_float(param.type)]
        if not any(out in self.active for out in op.outs) and not any(map(self.is_active, buffers)):
            if written:
                self.refuse_writing(op.callee, op.span)
            f.emit(op)
            return
        if any(out in self.companions for out in op.outs) or not all(map(self.is_active, buffers)):
            self.refuse_writing(op.callee, op.span)
        forward, backward = self.derive_helper(callee)
        stack = self.tape_stack()
        self.readers += [(self.aliases.of(var), self.path) for var in distinct(op.args) if self.is_memory(var)]
        f.emit(replace(op, callee=forward, args=(*op.args, stack)))
        cts: list[Operand] = []
        for out, result in zip(op.outs, callee.results, strict=True):
            if is_result(result):
                ct = self.take(out)
                cts.append(zeros(b, out, f"{out.base}_ct") if ct is None else ct)
        cts += [self.reference(arg) for arg in buffers if isinstance(arg, Var)]
        moving = [
            (arg, param)
            for arg, param in zip(op.args, callee.params, strict=True)
            if is_float(param.type) and param not in written
        ]
        outs = tuple(Var(self.names.fresh(f"{param.base}_ct"), param.type) for _, param in moving)
        b.emit(Invoke(outs, backward, (stack, *cts), op.span))
        for (arg, _), ct in zip(moving, outs, strict=True):
            self.contribute(arg, ct, b)

    def refuse_writing(self, name: str, span: Span) -> None:
        """Refuse a recursive function whose writes the cotangents cannot mirror."""
        raise UnsupportedOperationError(
            f"reverse mode through the recursive function `{name}`, which returns or rebinds an array it writes",
            span=span,
            help="let it return a new array, or write the recursion as a loop",
        )


def _written_params(callee: Function, aliases: Aliases) -> dict[Var, None]:
    """The parameters of `callee` whose memory it writes."""
    places = aliases.summaries[callee.name].written
    return {param: None for place, param in enumerate(callee.params) if place in places}


def _is_fresh(call: Call) -> bool:
    """Whether the array that `call` makes shares memory with nothing, also after ``1.0 * x`` has become ``x``."""
    effect = effect_of(call)
    scaling = any(isinstance(arg, Lit) for arg in call.args) and len(call.args) > 1
    return not effect.views and not effect.opaque and not scaling
