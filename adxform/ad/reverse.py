"""Reverse mode: one function that runs the primal forward, then backward with cotangents.

The reverse of a block visits its ops from the last to the first. What the reverse sweep reads of the forward sweep it names
directly; `adxform.ad.record` then decides how each such value gets there. Cotangents live where `adxform.ad.plan` says.
A store is undone in reverse (old contents put back) when something that ran before it, or that a loop shares with it, must
read memory in the reverse sweep: that is found by a first pass that undoes every store, and applied in the second.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, assert_never

import numpy as np

from adxform import runtime
from adxform.ad.expand import (
    Expander,
    add,
    derivative_of,
    distinct,
    fit_cotangent,
    is_result,
    is_zero,
    leaves,
    per_leaf,
    same_shape,
    scaled,
    write,
    write_one,
    zeros,
)
from adxform.ad.plan import plan_cotangents
from adxform.ad.record import Decision, Recorder, Sweep
from adxform.ad.restore import must_undo
from adxform.analysis.activity import find_activity
from adxform.errors import UnsupportedOperationError
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.ops import (
    UNDEFINED,
    Attribute,
    Block,
    Call,
    Closure,
    For,
    Free,
    Function,
    If,
    Invoke,
    Lit,
    Op,
    Operand,
    Raise,
    Var,
    While,
)
from adxform.ir.types import INT, Array, Scalar, Stack, is_float
from adxform.ir.walk import Names, all_ops, defined_variables, free_variables, rename_block, variables
from adxform.rules.alias import alias_classes
from adxform.rules.effects import effect_of, functions
from adxform.rules.memory import index_kind
from adxform.rules.record import Constant, General, Linear, Memory, Partials

WHOLE = Lit(...)


@dataclass(frozen=True, slots=True)
class Adjoint:
    """The result of `reverse`: the joint function, and what was decided for the values that it records."""

    fn: Function
    decisions: tuple[Decision, ...]


def reverse(fn: Function, wrt: Sequence[int], expander: Expander) -> Adjoint:
    """Return the function of ``fn.params`` and a cotangent per float result that returns ``fn.results`` and a cotangent per `wrt`.

    Raises:
        MissingRuleError: a function without a rule lies between the inputs and the results.
        AliasError: memory that is written is reached in a way that a cotangent buffer cannot mirror.

    Source: Griewank and Walther, Evaluating Derivatives (2008), chapters 3, 4 and 12.
    """
    derived: dict[str, Function | None] = {}
    pass_ = _run_twice(fn, wrt, expander, derived)
    more = tuple(helper for helper in derived.values() if helper is not None)
    return Adjoint(replace(pass_.joint(), helpers=fn.helpers + more), tuple(pass_.recorder.decisions))


def _run_twice(fn: Function, wrt: Sequence[int], expander: Expander, derived: dict[str, Function | None]) -> _Reverse:
    """Run the transform; run it anew when the first pass undid stores that nothing in the reverse sweep needs undone."""
    first = _Reverse(fn, wrt, expander, derived, lambda number, path: True)
    first.run()
    if first.undone:
        needed = must_undo(fn, first.recorder.readers + first.readers)
        if not all(needed(number, path) for number, path in first.undone):
            second = _Reverse(fn, wrt, expander, derived, needed)
            second.run()
            return second
    return first


class _Reverse:
    def __init__(
        self,
        fn: Function,
        wrt: Sequence[int],
        expander: Expander,
        derived: dict[str, Function | None],
        undo: Callable[[int, tuple[int, ...]], bool],
    ) -> None:
        self.fn = fn
        self.wrt = tuple(wrt)
        self.expander = expander
        self.derived = derived
        self.undo = undo
        self.stack: Var | None = None
        self.aliases = alias_classes(fn)
        activity = find_activity(fn, wrt)
        self.active = activity.active
        self.plan = plan_cotangents(fn, activity, self.aliases)
        self.names = Names.of(fn)
        self.recorder = Recorder(self.names, self.aliases)
        self.undone: list[tuple[int, tuple[int, ...]]] = []
        self.readers: list[tuple[int, tuple[int, ...]]] = []
        self.cts: dict[Var, Operand] = {}
        self.buffers: dict[Var, Var] = {}
        self.companions: dict[Var, Var] = {}
        self.references: dict[Var, Operand] = {}
        self.prologues: dict[Var, Builder] = {}
        self.renamed: dict[Var, Operand] = {}
        self.path: tuple[int, ...] = ()
        self.result_cts: tuple[Var, ...] = ()
        self.results: tuple[Operand, ...] = ()
        self.cotangents: tuple[Operand, ...] = ()
        self.forward_ops: tuple[Op, ...] = ()
        self.reverse_ops: tuple[Op, ...] = ()
        self.loops = 0
        self.primal = set(defined_variables(fn.body))
        self.definition = {out: op for op in all_ops(fn.body) if isinstance(op, Call) for out in op.outs}
        for var in defined_variables(fn.body):
            if var in self.active and self.plan.mode(var) == "companion":
                self.companions[var] = Var(self.names.fresh(f"{var.base}_ct"), var.type)

    # The whole function

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
        known = {stack, *self.result_cts}
        live = [var for var in free_variables(backward) if var not in known]
        pushes = tuple(Call((), Lit(intrinsics.push), (stack, var)) for var in live)
        pops = tuple(Call((var,), Lit(intrinsics.pop), (stack,)) for var in reversed(live))
        forward = rename_block(Block((*self.fn.params, stack), self.forward_ops, self.results), dict(self.renamed))
        forward = replace(forward, ops=forward.ops + pushes)
        backward = replace(backward, params=(stack, *self.result_cts), ops=pops + backward.ops)
        name = self.fn.name
        return Function(f"{name}_fwd", forward, span=self.fn.span), Function(f"{name}_bwd", backward, span=self.fn.span)

    def tape_stack(self) -> Var:
        """The stack on which calls of helpers keep what their reverse needs."""
        if self.stack is None:
            self.stack = Var(self.names.fresh("tape"), Stack())
        return self.stack

    def derive_helper(self, callee: Function) -> tuple[str, str]:
        """The names of the two sweeps of `callee`, with respect to all its float parameters; derived once."""
        forward, backward = f"{callee.name}_fwd", f"{callee.name}_bwd"
        if forward not in self.derived:
            self.derived[forward] = self.derived[backward] = None
            wrt = [place for place, param in enumerate(callee.params) if is_float(param.type)]
            whole = replace(callee, helpers=self.fn.helpers)
            pass_ = _run_twice(whole, wrt, self.expander, self.derived)
            self.derived[forward], self.derived[backward] = pass_.cut()
        return forward, backward

    def invoke(self, op: Invoke, b: Builder, f: Builder) -> None:
        if not any(out in self.active for out in op.outs):
            if any(self.is_active(arg) for arg in op.args) and self.aliases.summaries[op.callee].written:
                self.refuse_writing(op)
            f.emit(op)
            return
        callee = functions(self.fn)[op.callee]
        if self.aliases.summaries[op.callee].written or any(out in self.companions for out in op.outs):
            self.refuse_writing(op)
        forward, backward = self.derive_helper(callee)
        stack = self.tape_stack()
        self.readers += [(self.aliases.of(var), self.path) for var in distinct(op.args) if self.is_memory(var)]
        f.emit(replace(op, callee=forward, args=(*op.args, stack)))
        cts: list[Operand] = []
        for out, result in zip(op.outs, callee.results, strict=True):
            if is_result(result):
                ct = self.take(out)
                cts.append(zeros(b, out, f"{out.base}_ct") if ct is None else ct)
        moving = [(arg, param) for arg, param in zip(op.args, callee.params, strict=True) if is_float(param.type)]
        outs = tuple(Var(self.names.fresh(f"{param.base}_ct"), param.type) for _, param in moving)
        b.emit(Invoke(outs, backward, (stack, *cts), op.span))
        for (arg, _), ct in zip(moving, outs, strict=True):
            self.contribute(arg, ct, b)

    def refuse_writing(self, op: Invoke) -> None:
        raise UnsupportedOperationError(
            f"reverse mode through the recursive function `{op.callee}`, which writes to an array it is given",
            span=op.span,
            help="let it return a new array, or write the recursion as a loop",
        )

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

    # Where cotangents are

    def is_active(self, operand: Operand) -> bool:
        return any(var in self.active for var in variables(operand))

    def reference(self, var: Var) -> Operand:
        """The memory that holds the cotangent of `var`, an array or a stack."""
        match self.plan.mode(var):
            case "buffer":
                return self.buffers[var]
            case "companion":
                return self.companions[var]
            case "view":
                if var not in self.references:
                    call = self.plan.view_calls[var]
                    base = call.args[0]
                    assert isinstance(base, Var)
                    parent = self.reference(base)
                    b = self.prologues[var]
                    view = Var(self.names.fresh(f"{var.base}_ct"), var.type)
                    b.emit(replace(call, outs=(view,), args=(parent, *call.args[1:])))
                    self.references[var] = view
                return self.references[var]
            case _:
                raise AssertionError(f"the cotangent of {var.name} has no memory")

    def contribute(self, target: Operand, value: Operand, b: Builder) -> None:
        """Add `value` to the cotangent of `target`."""
        if not isinstance(target, Var) or target not in self.active or is_zero(value):
            return
        value = fit_cotangent(b, value, target)
        mode = self.plan.mode(target)
        if mode == "value":
            total = add(b, self.expander, self.cts.get(target), value)
            self.cts[target] = self.named(total, f"{target.base}_ct", b)
        elif mode == "view" and target not in self.references and self.plan.view_calls[target].fn == Lit(operator.getitem):
            call = self.plan.view_calls[target]
            assert isinstance(call.args[0], Var)
            b.effect(intrinsics.accumulate, self.reference(call.args[0]), call.args[1], value)
        else:
            b.effect(intrinsics.accumulate, self.reference(target), WHOLE, value)

    def named(self, operand: Operand, hint: str, b: Builder) -> Operand:
        """Give a value that was just computed the name that a reader expects."""
        if isinstance(operand, Var) and b.ops and isinstance(b.ops[-1], Call) and b.ops[-1].outs == (operand,):
            if operand.base == hint:
                return operand
            new = Var(self.names.fresh(hint), operand.type)
            b.ops[-1] = replace(b.ops[-1], outs=(new,))
            return new
        return operand

    def take(self, var: Var) -> Operand | None:
        """The complete cotangent of `var`, at the op that defines it; ``None`` when nothing contributed."""
        if var not in self.active:
            return None
        if self.plan.mode(var) == "value":
            return self.cts.pop(var, None)
        return self.reference(var)

    # Blocks

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
        segments: list[tuple[int, list[Op]]] = []
        forward: list[list[Op]] = []
        outer = self.path
        for position in range(len(block.ops) - 1, -1, -1):
            op = block.ops[position]
            self.path = (*outer, position)
            b, f = Builder(self.names, op.span), Builder(self.names, op.span)
            self.op(op, b, f)
            if b.ops:
                segments.append((position, self.pruned(b.ops)))
                self.note_readers(segments[-1][1])
            forward.append(f.ops)
        self.path = outer
        sweep.forward = forward[::-1]
        sweep.segments = [(len(block.ops), prologue.ops + after.ops), *segments]

    def pruned(self, ops: list[Op]) -> list[Op]:
        """`ops` without the pure calls that nobody reads: the halves of a rule that are not asked for."""
        later = {var for ct in self.cts.values() for var in variables(ct)}
        kept: list[Op] = []
        for op in reversed(ops):
            removable = isinstance(op, Call) and not effect_of(op).writes and not effect_of(op).opaque
            if removable and not any(out in later for out in op.outs):  # type: ignore[union-attr]
                continue
            kept.append(op)
            later.update(free_variables(Block((), (op,), ())))
        return kept[::-1]

    def note_readers(self, ops: list[Op]) -> None:
        """Remember which written memory the reverse of the current op reads as whole arrays."""
        for op in ops:
            if isinstance(op, Call) and effect_of(op).reads:
                self.readers += [(self.aliases.of(var), self.path) for var in distinct(op.args, op.kwargs) if self.is_memory(var)]

    def is_memory(self, var: Var) -> bool:
        """Whether `var` is an array of the primal."""
        return isinstance(var.type, Array) and var in self.primal

    def make_buffer(self, var: Var, b: Builder) -> Var:
        hint = f"{var.base}_ct"
        if isinstance(var.type, Stack):
            return b.call(intrinsics.new_stack, type=Stack(), hint=hint)
        return b.call(np.zeros_like, self.shape_source(var), type=var.type, hint=hint)

    def shape_source(self, var: Var) -> Var:
        """A variable with the shape and dtype of `var` that was there earlier, so that `var` need not be kept for its shape."""
        seen = var
        while True:
            call = self.definition.get(seen)
            if call is None or effect_of(call).views:
                return seen
            same = [v for arg in call.args for v in variables(arg) if v.type == var.type and same_shape(v.type, var.type)]
            if not same:
                return seen
            seen = same[0]

    def make_companion(self, var: Var, ops: list[Op]) -> None:
        b = Builder(self.names)
        if isinstance(var.type, Stack):
            b.emit(Call((self.companions[var],), Lit(intrinsics.new_stack), ()))
        else:
            b.emit(Call((self.companions[var],), Lit(np.zeros_like), (var,)))
        ops.extend(b.ops)

    # Ops

    def op(self, op: Op, b: Builder, f: Builder) -> None:
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

    def call(self, op: Call, b: Builder, f: Builder) -> None:
        derivative = derivative_of(op)
        if isinstance(derivative, Memory):
            self.memory(op, b, f)
            return
        out = op.outs[0] if op.outs else None
        if out in self.active and isinstance(derivative, General):
            assert out is not None
            self.general(op, out, derivative, b, f)
            return
        f.emit(op)
        if out is None or out not in self.active:
            return
        if out in self.companions:
            self.forward_companion(op, out, f)
        if self.plan.mode(out) == "view" or (out in self.plan.view_calls and self.plan.mode(out) == "companion"):
            return
        ct = self.take(out)
        if ct is None or is_zero(ct):
            return
        match derivative:
            case Partials(body):
                partials = write(b, self.expander, body, out, *op.args, kwargs=op.kwargs)
                product = runtime.masked_product if derivative.masked(op.args) else scaled
                for leaf, partial in per_leaf(op.args, partials):
                    if self.is_active(leaf) and partial != Lit(None):
                        self.contribute(leaf, write_one(b, self.expander, product, ct, partial), b)
            case Linear(transposes):
                for position, transpose in transposes.items():
                    if position < len(op.args) and self.is_active(op.args[position]):
                        contributions = write(b, self.expander, transpose, ct, *op.args, kwargs=op.kwargs)
                        for leaf, value in zip(leaves(op.args[position]), contributions, strict=True):
                            self.contribute(leaf, value, b)
            case Constant() | None:
                pass
            case _:
                raise AssertionError(f"unexpected rule {derivative}")

    def forward_companion(self, op: Call, out: Var, f: Builder) -> None:
        if out in self.plan.view_calls:
            base = op.args[0]
            assert isinstance(base, Var)
            f.emit(replace(op, outs=(self.companions[out],), args=(self.companions[base], *op.args[1:])))
        else:
            self.make_companion(out, f.ops)

    def general(self, op: Call, out: Var, derivative: General, b: Builder, f: Builder) -> None:
        rule, pullback = self.expander.expand_rule(derivative.body, op.args, op.kwargs)
        self.readers += [(self.aliases.of(var), self.path) for var in distinct(op.args, op.kwargs) if self.is_memory(var)]
        value, *residuals = f.splice(rule, distinct(op.args, op.kwargs))
        self.bind(out, value, f)
        if out in self.companions:
            self.make_companion(out, f.ops)
        ct = self.take(out)
        if ct is None or is_zero(ct):
            return
        contributions = b.splice(pullback, (*residuals, ct))
        for leaf, contribution in per_leaf(op.args, contributions):
            if contribution != Lit(None):
                self.contribute(leaf, contribution, b)

    def bind(self, out: Var, value: Operand, f: Builder) -> None:
        """Let `out` be what `f` just computed as `value`."""
        for position, op in enumerate(f.ops):
            if isinstance(op, Call) and op.outs == (value,):
                mapping: dict[Var, Operand] = {value: out}  # type: ignore[dict-item]
                rest = rename_block(Block((), tuple(f.ops[position + 1 :]), ()), mapping)
                f.ops[position:] = [replace(op, outs=(out,)), *rest.ops]
                return
        self.renamed[out] = value

    # Loads, stores, tapes

    def memory(self, op: Call, b: Builder, f: Builder) -> None:
        assert isinstance(op.fn, Lit)
        fn: Callable[..., Any] = op.fn.value
        if fn is intrinsics.turning_point:
            return
        if fn is operator.getitem:
            f.emit(op)
            self.load(op, b, f)
        elif fn is intrinsics.new_stack:
            f.emit(op)
            if op.outs[0] in self.companions:
                self.make_companion(op.outs[0], f.ops)
        elif fn in (intrinsics.push, intrinsics.pop):
            f.emit(op)
            self.tape(op, fn, b, f)
        else:
            self.store(op, fn, b, f)

    def load(self, op: Call, b: Builder, f: Builder) -> None:
        (out,) = op.outs
        x, index = op.args
        if out not in self.active:
            return
        if out in self.companions:
            self.forward_companion(op, out, f)
        if self.plan.mode(out) == "view" or (out in self.plan.view_calls and self.plan.mode(out) == "companion"):
            return
        ct = self.take(out)
        if ct is None or is_zero(ct):
            return
        assert isinstance(x, Var)
        if self.plan.mode(x) == "value":
            part = b.call(np.zeros_like, x, type=x.type, hint=f"{x.base}_ct")
            self.scatter(part, index, ct, b)
            self.contribute(x, part, b)
        else:
            self.scatter(self.reference(x), index, ct, b)

    def scatter(self, target: Operand, index: Operand, ct: Operand, b: Builder) -> None:
        basic = index_kind(index) == "basic" or (isinstance(index, Var) and isinstance(index.type, Array) and index.type.dtype == "bool")
        b.effect(intrinsics.accumulate if basic else np.add.at, target, index, ct)

    def store(self, op: Call, fn: Callable[..., Any], b: Builder, f: Builder) -> None:
        x, index, value = op.args
        assert isinstance(x, Var)
        number = self.aliases.of(x)
        if self.undo(number, self.path):
            self.undone.append((number, self.path))
            old = self.old_contents(x, index, f)
            b.effect(operator.setitem, x, index, old)
        f.emit(op)
        if x not in self.active:
            return
        target = self.reference(x)
        active = self.is_active(value)
        if fn is not operator.setitem and not active:
            return
        if index_kind(index) == "basic" or (isinstance(index, Var) and isinstance(index.type, Array) and index.type.dtype == "bool"):
            ct = target if index == WHOLE else write_one(b, self.expander, operator.getitem, target, index)
        elif fn is operator.setitem:
            ct = write_one(b, self.expander, runtime.gather_last, target, index)
        else:
            ct = write_one(b, self.expander, operator.getitem, target, index)
        if fn is operator.setitem:
            if active and isinstance(ct, Var) and isinstance(ct.type, Array):
                ct = b.call(np.ndarray.copy, ct, type=ct.type, hint="ct")
            b.effect(operator.setitem, target, index, Lit(0.0))
        elif isinstance(value, Var) and self.plan.mode(value) == "value" and isinstance(ct, Var) and isinstance(ct.type, Array):
            ct = b.call(np.ndarray.copy, ct, type=ct.type, hint="ct")
        if active:
            if fn is intrinsics.deduct:
                ct = write_one(b, self.expander, operator.neg, ct)
            self.contribute(value, ct, b)

    def old_contents(self, x: Var, index: Operand, f: Builder) -> Operand:
        """What a store is about to overwrite, as a value of its own."""
        old = write_one(f, self.expander, operator.getitem, x, index)
        if isinstance(old, Var) and isinstance(old.type, Array):
            if index_kind(index) == "basic":
                old = f.call(np.ndarray.copy, old, type=old.type, hint=f"{x.base}_old")
            return old
        return self.named(old, f"{x.base}_old", f)

    def tape(self, op: Call, fn: Callable[..., Any], b: Builder, f: Builder) -> None:
        stack = op.args[0]
        assert isinstance(stack, Var)
        value = op.args[1] if fn is intrinsics.push else op.outs[0]
        if stack not in self.active or not isinstance(value, Var) or not is_float(value.type):
            return
        if isinstance(value.type, Array) and self.aliases.of(value) in self.aliases.written:
            raise UnsupportedOperationError(
                "reverse mode over a reverse sweep that keeps references to arrays which are written in place",
                span=op.span,
                help="use forward over reverse (`hvp`, `hessian`, `jvp` of `grad`)",
            )
        if fn is intrinsics.push:
            popped = b.call(intrinsics.pop, self.reference(stack), type=value.type, hint=f"{value.base}_ct")
            self.contribute(value, popped, b)
        else:
            ct = self.take(value)
            b.effect(intrinsics.push, self.reference(stack), zeros(b, value, f"{value.base}_ct") if ct is None else ct)

    # Branches

    def branch(self, op: If, b: Builder, f: Builder) -> None:
        seeds = [None if out in self.companions else self.take(out) for out in op.outs]
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
            sweep.results = tuple(after[var] if var in after else zeros(last, var, f"{var.base}_ct") for var in changed)
            sweep.segments.append((-1, last.ops))
            kept, before = self.recorder.recover_branch(sweep, self.loops > 0)
            extra.append(kept)
            f.ops.extend(before)
        self.emit_branch(op, sweeps, extra, f)
        outs = tuple(Var(self.names.fresh(f"{var.base}_ct"), var.type) for var in changed)
        then, orelse = (Block((), sweep.reverse_ops(), sweep.results) for sweep in sweeps)
        if then.ops or orelse.ops or outs:
            mapping = {var: new for kept in extra for var, new in kept}
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

    def emit_branch(self, op: If, sweeps: list[Sweep], extra: list[Any], f: Builder) -> None:
        """Append the forward branch; values that the reverse needs become more of its results."""
        companions = [(position, self.companions[out]) for position, out in enumerate(op.outs) if out in self.companions]
        blocks_ = []
        outs = [*op.outs, *(companion for _, companion in companions)]
        pairs: list[list[tuple[Var, Var]]] = [[(var, Var(self.names.fresh(var.name), var.type)) for var in kept] for kept in extra]
        outs += [new for kept in pairs for _, new in kept]
        for side, sweep in enumerate(sweeps):
            results: list[Operand] = list(sweep.block.results)
            ops = list(sweep.forward_ops())
            for position, _ in companions:
                results.append(self.companion_of(sweep.block.results[position], ops))
            for other, kept in enumerate(pairs):
                results += [var if other == side else self.absent(var) for var, _ in kept]
            blocks_.append(Block((), tuple(ops), tuple(results)))
        f.emit(replace(op, outs=tuple(outs), then=blocks_[0], orelse=blocks_[1]))
        extra[:] = pairs

    def absent(self, var: Var) -> Operand:
        """What stands for a kept value on the other branch; inside a loop it goes on a tape there, unread."""
        if not self.loops:
            return UNDEFINED
        return Lit(np.dtype(var.type.dtype).type(0).item()) if isinstance(var.type, Scalar) else Lit(None)

    def companion_of(self, operand: Operand, ops: list[Op]) -> Operand:
        if isinstance(operand, Var) and operand in self.companions:
            return self.companions[operand]
        if operand == UNDEFINED or not isinstance(operand, Var):
            return UNDEFINED
        companion = Var(self.names.fresh(f"{operand.base}_ct"), operand.type)
        ops.append(Call((companion,), Lit(np.zeros_like), (operand,)))
        return companion

    # Loops

    def loop(self, op: For, b: Builder, f: Builder) -> None:
        index = op.body.params[0]
        back = Var(self.names.fresh(index.name), INT)
        count: Var | None = None
        if op.breaks:
            op, count = self.count_passes(op)
        source = self.reverse_range(op, count, b)
        self.reverse_loop(op, op.body.params[1:], op.body.results[op.breaks :], source, back, None if op.breaks else op, b, f)

    def while_(self, op: While, b: Builder, f: Builder) -> None:
        if any(isinstance(inner, Call) and effect_of(inner).writes for inner in all_ops(op.test)):
            raise UnsupportedOperationError(
                "a `while` whose condition writes to memory", span=op.span, help="compute the condition at the end of the body"
            )
        count_in, count_next, count = (Var(self.names.fresh("passes"), INT) for _ in range(3))
        test_in = Var(self.names.fresh("passes"), INT)
        step = Call((count_next,), Lit(operator.add), (count_in, Lit(1)), (), op.span)
        body = Block((*op.body.params, count_in), (*op.body.ops, step), (*op.body.results, count_next))
        test = replace(op.test, params=(*op.test.params, test_in))
        counted = replace(op, outs=(*op.outs, count), inits=(*op.inits, Lit(0)), test=test, body=body)
        back = Var(self.names.fresh("k"), INT)
        self.reverse_loop(counted, body.params, body.results, (Lit(0), count, Lit(1)), back, None, b, f)

    def count_passes(self, op: For) -> tuple[For, Var]:
        """`op` with one more carried value, the number of passes it makes."""
        count_in, count_next, count = (Var(self.names.fresh("passes"), INT) for _ in range(3))
        step = Call((count_next,), Lit(operator.add), (count_in, Lit(1)), (), op.span)
        body = Block((*op.body.params, count_in), (*op.body.ops, step), (*op.body.results, count_next))
        counted = replace(op, outs=(*op.outs, count), inits=(*op.inits, Lit(0)), body=body)
        return counted, count

    def reverse_range(self, op: For, count: Var | None, b: Builder) -> tuple[Operand, Operand, Operand]:
        """The arguments of the range that visits the passes of `op` backwards."""
        start, stop, step = op.source

        def arithmetic(fn: Callable[..., int], one: Operand, other: Operand) -> Operand:
            if isinstance(one, Lit) and isinstance(other, Lit):
                return Lit(fn(one.value, other.value))
            return b.call(fn, one, other, type=INT, hint="last")

        if count is None and step == Lit(1):
            return arithmetic(operator.sub, stop, Lit(1)), arithmetic(operator.sub, start, Lit(1)), Lit(-1)
        if count is None and step == Lit(-1):
            return arithmetic(operator.add, stop, Lit(1)), arithmetic(operator.add, start, Lit(1)), Lit(1)
        passes = count if count is not None else b.call(runtime.trip_count, start, stop, step, type=INT, hint="passes")
        last = arithmetic(operator.add, start, arithmetic(operator.mul, arithmetic(operator.sub, passes, Lit(1)), step))
        down = Lit(-step.value) if isinstance(step, Lit) else b.call(operator.neg, step, type=INT, hint="step")
        return last, arithmetic(operator.sub, start, step), down

    def reverse_loop(
        self,
        op: For | While,
        params: tuple[Var, ...],
        results: tuple[Operand, ...],
        source: tuple[Operand, Operand, Operand],
        back: Var,
        known: For | None,
        b: Builder,
        f: Builder,
    ) -> None:
        """Append the forward loop to `f` and the loop that reverses it to `b`."""
        flows = [
            place
            for place, (param, out) in enumerate(zip(params, op.outs, strict=True))
            if (param in self.active or out in self.active) and param not in self.companions and out not in self.companions
        ]
        inits: list[Operand] = []
        for place in flows:
            ct = self.take(op.outs[place])
            inits.append(zeros(b, op.outs[place], f"{op.outs[place].base}_ct") if ct is None else ct)
        captured = [
            var
            for var in free_variables(op.body)
            if var in self.active and self.plan.mode(var) == "value" and var not in self.buffers
        ]
        inits += [self.cts.get(var, Lit(0.0)) for var in captured]
        carried = [params[place] for place in flows] + captured
        inner_params = tuple(Var(self.names.fresh(f"{var.base}_ct"), var.type) for var in carried)
        outer_cts = self.cts
        self.cts = dict(zip(captured, inner_params[len(flows) :], strict=True))
        companions = tuple(self.companions[param] for param in params if param in self.companions)
        sweep = Sweep(replace(op.body, params=op.body.params + companions), (*self.path, 0))
        seeds = [(results[place], ct) for place, ct in zip(flows, inner_params, strict=False)]
        outer_path, self.path = self.path, sweep.path
        self.loops += 1
        self.sweep_block(sweep, seeds)
        self.loops -= 1
        self.path = outer_path
        last = Builder(self.names, op.span)
        finals: list[Operand] = []
        for place, incoming in zip(flows, inner_params, strict=False):
            ct = self.take(params[place])
            if ct is None:
                like = incoming if same_shape(incoming.type, params[place].type) else params[place]
                ct = zeros(last, like, f"{params[place].base}_ct")
            finals.append(ct)
        finals += [self.cts[var] for var in captured]
        sweep.segments.append((-1, last.ops))
        sweep.results = tuple(finals)
        self.cts = outer_cts
        index = back if isinstance(op, For) else None
        f.ops.extend(self.recorder.recover_loop(sweep, known, index))
        self.emit_loop(op, sweep, f)
        outs = tuple(Var(self.names.fresh(f"{var.base}_ct"), var.type) for var in carried)
        body = Block((back, *inner_params), sweep.reverse_ops(), sweep.results)
        b.emit(For(outs, source, tuple(inits), body, False, op.span))
        for var, out in zip(captured, outs[len(flows) :], strict=True):
            self.cts[var] = out
        for place, out in zip(flows, outs, strict=False):
            self.contribute(op.inits[place], out, b)

    def emit_loop(self, op: For | While, sweep: Sweep, f: Builder) -> None:
        """Append the forward loop, which carries companions beside the arrays that it rebinds."""
        params = op.body.params[1:] if isinstance(op, For) else op.body.params
        results = op.body.results[op.breaks :] if isinstance(op, For) else op.body.results
        places = [place for place, param in enumerate(params) if param in self.companions]
        ops = list(sweep.forward_ops())
        more_inits = tuple(self.companion_of(op.inits[place], f.ops) for place in places)
        more_results = tuple(self.companion_of(results[place], ops) for place in places)
        more_params = tuple(self.companions[params[place]] for place in places)
        more_outs = tuple(self.companions[op.outs[place]] for place in places)
        body = Block(op.body.params + more_params, tuple(ops), op.body.results + more_results)
        if isinstance(op, For):
            f.emit(replace(op, outs=op.outs + more_outs, inits=op.inits + more_inits, body=body))
        else:
            more_tests = tuple(Var(self.names.fresh(var.name), var.type) for var in more_params)
            test = replace(op.test, params=op.test.params + more_tests)
            f.emit(replace(op, outs=op.outs + more_outs, inits=op.inits + more_inits, test=test, body=body))


def _defined_here(block: Block) -> list[Var]:
    from_ops = [out for op in block.ops for out in _outs(op)]
    return [*block.params, *from_ops]


def _outs(op: Op) -> tuple[Var, ...]:
    match op:
        case Call(outs=outs) | If(outs=outs) | For(outs=outs) | While(outs=outs) | Invoke(outs=outs):
            return outs
        case _:
            return ()


def _base(operand: Operand) -> str:
    return operand.base if isinstance(operand, Var) else "y"


def _is_fresh(call: Call) -> bool:
    """Whether the array that `call` makes shares memory with nothing, also after ``1.0 * x`` has become ``x``."""
    effect = effect_of(call)
    scaling = any(isinstance(arg, Lit) for arg in call.args) and len(call.args) > 1
    return not effect.views and not effect.opaque and not scaling
