"""The reverse of one call: by its rule, or as a load, a store or a tape operation."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from adxform import runtime
from adxform.analysis.length_guards import Guards, is_length
from adxform.analysis.unseen_code import at_risk
from adxform.autodiff.expand import (
    checked,
    distinct,
    is_nothing,
    leaves,
    may_be_empty,
    name_results,
    not_transposed,
    per_argument,
    per_leaf,
    pullback_of,
    refuse_uncovered,
    splice,
    weighted,
    write,
    write_one,
    write_partials,
)
from adxform.autodiff.fitting import cast, is_zero, never_spreads, reshaped, sized
from adxform.autodiff.masked_products import mask_products
from adxform.autodiff.reverse.cotangent_plan import may_copy, same_view
from adxform.autodiff.reverse.cotangents import WHOLE, Cotangents, Path, Task
from adxform.autodiff.reverse.guarded_lengths import guarded
from adxform.autodiff.stated_tangents import rule_in_reverse
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.ops import Block, Call, Function, If, Lit, Op, Operand, Var
from adxform.ir.types import FLOAT, Array, Stack, is_inexact, rank
from adxform.ir.walk import all_ops, defined_variables, substitute, variables
from adxform.primitives.alias import alias_classes
from adxform.primitives.effects import contents_read, has_memory
from adxform.primitives.memory import index_kind
from adxform.primitives.record import Constant, Derivative, General, Linear, Memory, Partials
from adxform.primitives.table import derivative_of


class CallReversal(Cotangents):
    """Reverses calls; `path` is where the current op is."""

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        self.undone: list[tuple[int, Path]] = []
        self.readers: list[tuple[int, Path]] = []
        self.renamed: dict[Var, Operand] = {}
        self.path: Path = ()
        self.guards = Guards(self.fn, self.active, self.aliases)
        self.primal = set(defined_variables(self.fn.body))

    def call(self, op: Call, b: Builder, f: Builder) -> None:
        """Append `op` to the forward sweep `f` and its reverse to `b`."""
        derivative = derivative_of(op)
        if isinstance(derivative, Memory):
            self.memory(op, b, f)
            return
        active = not self.active.isdisjoint(op.outs)
        if active:
            refuse_uncovered(op)
        if active and isinstance(derivative, General):
            self.general(op, derivative, b, f)
            return
        self.put_back(op, b, f)
        f.emit(op)
        if active:
            self.pulled(op, derivative, b, f)

    def put_back(self, op: Call, b: Builder, f: Builder) -> None:
        """Keep in `f` the contents of what `op` may write to, and store them again in `b`, where the reverse sweep needs them."""
        for var in at_risk(op):
            if self.task.undo(self.aliases.of(var), self.path):
                self.undone.append((self.aliases.of(var), self.path))
                old = f.call(np.ndarray.copy, var, type=var.type, hint=f"{var.base}_old")
                b.effect(operator.setitem, var, WHOLE, old)

    def pulled(self, op: Call, derivative: Derivative | None, b: Builder, f: Builder) -> None:
        """Append to `b` what the arguments of `op`, whose result moves, are given of its cotangent."""
        (out,) = op.outs
        if out in self.plan.view_calls and self.plan.mode(out) in ("view", "companion") and may_copy(op):
            f.emit(Call((self.shared(out),), Lit(runtime.shares_memory), (out, op.args[0]), (), op.span))
        if out in self.companions:
            self.forward_companion(op, out, f)
        if self.plan.mode(out) == "view" or (out in self.plan.view_calls and self.plan.mode(out) == "companion"):
            if may_copy(op) and isinstance(derivative, Linear):
                self.return_copy(op, out, derivative, b)
            return
        ct = self.take(out, b)
        if ct is None or is_zero(ct):
            return
        match derivative:
            case Partials():
                self.elementwise(op, derivative, ct, b)
            case Linear():
                self.linear(op, derivative, ct, b)
            case Constant() | None:
                pass
            case _:
                raise AssertionError(f"unexpected rule {derivative}")

    def elementwise(self, op: Call, derivative: Partials, ct: Operand, b: Builder) -> None:
        """Contribute `ct` times each partial derivative."""
        (out,) = op.outs
        before = len(b.ops)
        partials = write_partials(b, self.expander, derivative.body, out, *op.args, kwargs=op.kwargs)
        made = tuple(b.ops[before:])
        checked(op, per_argument(op.args, partials), self.is_active)
        for leaf, partial in per_argument(op.args, partials):
            if self.is_active(leaf) and not is_nothing(partial):
                masked = self.slopes.masks(op, out, leaf, partial)
                self.contribute(leaf, weighted(b, self.expander, ct, partial, made, masked), b)

    def linear(self, op: Call, derivative: Linear, ct: Operand, b: Builder) -> None:
        """Contribute what each transpose makes of `ct`."""
        (out,) = op.outs
        checked(op, not_transposed(op, derivative), self.is_active)
        for position, transpose in derivative.transposes.items():
            if position < len(op.args) and self.is_active(op.args[position]):
                if derivative.of_a_part is not None and may_be_empty(op.args[position]):
                    transpose = derivative.of_a_part[1]
                start = len(b.ops)
                contributions = write(b, self.expander, transpose, ct, *op.args, kwargs=op.kwargs)
                if self.slopes.masks_rule(op, out):
                    mask_products(b, start, [ct])
                for leaf, value in zip(leaves(op.args[position]), contributions, strict=True):
                    self.contribute(leaf, value, b, fits=contributions.count(value) == 1)

    def return_copy(self, op: Call, out: Var, derivative: Linear, b: Builder) -> None:
        """Where `out` turned out to be a copy of the first argument, add its cotangent to that of the argument."""
        base = op.args[0]
        assert isinstance(base, Var)
        copied = b.nested()
        ct = self.across(self.reference(out), copied)
        values = write(copied, self.expander, derivative.transposes[0], ct, *op.args, kwargs=op.kwargs)
        value = cast(copied, values[0], base)
        copied.effect(intrinsics.accumulate, self.reference(base), WHOLE, self.across(value, copied))
        b.emit(If((), self.shared(out), Block((), (), ()), copied.block((), ()), op.span))

    def forward_companion(self, op: Call, out: Var, f: Builder) -> None:
        """Append what makes the companion of `out`: the same view of a companion, or zeros."""
        if out in self.plan.view_calls:
            base = op.args[0]
            assert isinstance(base, Var)
            if not may_copy(op):
                f.emit(same_view(op, self.companions[out], self.companions[base]))
                return
            view = Var(self.names.fresh(f"{out.base}_ct"), out.type)
            f.emit(same_view(op, view, self.companions[base]))
            f.emit(Call((self.companions[out],), Lit(runtime.cotangent_view), (view, self.shared(out)), (), op.span))
        else:
            self.make_companion(out, f.ops)

    def general(self, op: Call, derivative: General, b: Builder, f: Builder) -> None:
        """Put the forward part of the rule, with its residuals, in the place of the call, and the pullback in the reverse."""
        count = len(op.outs)
        rule, pullback = rule_in_reverse(self.expander, derivative, op)
        kept = (out for out, is_kept in zip(op.outs, _keeps_results(rule, count), strict=True) if is_kept)
        held = filter(self.is_memory, (*distinct(op.args, op.kwargs), *kept))
        self.readers += [(self.aliases.of(var), self.path) for var in held]
        made = splice(f, self.callees.adopt(rule), distinct(op.args, op.kwargs))
        named = name_results(f, 0, made[:count], op)
        residuals = [named.get(residual, residual) for residual in made[count:]]
        for value, out in zip(made, op.outs, strict=False):
            if named.get(value) != out:
                self.renamed[out] = named.get(value, value)
            if out in self.companions:
                self.make_companion(out, f.ops)
        taken = [self.take(out, b) for out in op.outs]
        cts = [None if ct is None or is_zero(ct) else ct for ct in taken]
        if any(ct is not None for ct in cts):
            self.pulled_back(op, pullback, residuals, cts, b)

    def pulled_back(self, op: Call, pullback: Function, residuals: list[Operand], cts: list[Operand | None], b: Builder) -> None:
        """Append the `pullback` of a rule, given `cts` for the results that have a cotangent, and contribute what it makes."""
        pullback, given = pullback_of(b, self.expander, pullback, op, cts)
        start = len(b.ops)
        contributions = splice(b, self.callees.adopt(pullback), (*residuals, *given))
        if any(self.slopes.masks_rule(op, out) for out in op.outs):
            mask_products(b, start, [ct for ct in cts if ct is not None])
        guards = self.guards.of(op.outs[0]) if is_length(op) else ()
        checked(op, per_leaf(op.args, contributions), self.is_active)
        for leaf, contribution in per_leaf(op.args, contributions):
            if guards and self.is_active(leaf) and not is_nothing(contribution):
                self.contribute(leaf, guarded(b, self.expander, op, guards, leaf, contribution), b)
                continue
            if not is_nothing(contribution):
                self.contribute(leaf, contribution, b, fits=contributions.count(contribution) == 1)

    def note_readers(self, op: Op, ops: list[Op]) -> None:
        """Remember which memory `ops`, the reverse of the current `op`, read; what is inside an `If` or a loop has its own place.

        A call is the place of all that its rule reads, in the branches and loops of the rule's body, too.
        """
        if not (self.aliases.written or self.aliases.exposed):
            return
        inside = all_ops(Block((), tuple(ops), ())) if isinstance(op, Call) else ops
        for inner in inside:
            self.readers += [(self.aliases.of(var), self.path) for var in contents_read(inner) if self.is_memory(var)]

    def is_memory(self, var: Var) -> bool:
        """Whether `var` is an array of the primal."""
        return isinstance(var.type, Array) and var in self.primal

    def memory(self, op: Call, b: Builder, f: Builder) -> None:
        """Reverse a load, a store or a tape operation."""
        assert isinstance(op.fn, Lit)
        fn: Callable[..., Any] = op.fn.value
        if fn is intrinsics.turning_point:
            return
        if fn is operator.getitem:
            f.emit(op)
            self.load(op, b, f)
        elif fn is intrinsics.new_stack:
            f.emit(op)
            (stack,) = op.outs
            if stack in self.companions:
                self.make_companion(stack, f.ops)
        elif fn in (intrinsics.push, intrinsics.pop):
            f.emit(op)
            self.tape(op, fn, b, f)
        else:
            self.store(op, fn, b, f)

    def load(self, op: Call, b: Builder, f: Builder) -> None:
        """``y = x[i]``: ``x_ct[i] += y_ct``; nothing for a view, which shares the cotangent's memory."""
        (out,) = op.outs
        x, index = op.args
        if out not in self.active:
            return
        if out in self.companions:
            self.forward_companion(op, out, f)
        if self.plan.mode(out) == "view" or (out in self.plan.view_calls and self.plan.mode(out) == "companion"):
            return
        ct = self.take(out, b)
        if ct is None or is_zero(ct):
            return
        assert isinstance(x, Var)
        if self.plan.mode(x) == "value" or self.plan.spread(x) is not None:
            part = b.call(np.zeros_like, x, type=x.type, hint=f"{x.base}_ct")
            self.scatter(part, index, ct, b)
            self.contribute(x, part, b)
        else:
            self.scatter(self.reference(x), index, self.across(ct, b), b)

    def scatter(self, target: Operand, index: Operand, ct: Operand, b: Builder) -> None:
        """``target[index] += ct``, also where `index` repeats."""
        b.effect(intrinsics.accumulate if _is_unique(index) else np.add.at, target, index, ct)

    def store(self, op: Call, fn: Callable[..., Any], b: Builder, f: Builder) -> None:
        """``x[i] = v``: put old contents back if they are needed, ``v_ct += x_ct[i]``, and ``x_ct[i] = 0`` unless it adds."""
        x, index, value = op.args
        assert isinstance(x, Var)
        number = self.aliases.of(x)
        if self.task.undo(number, self.path):
            self.undone.append((number, self.path))
            index = self.index_before(index, number, f)
            old = self.old_contents(x, index, f)
            b.effect(operator.setitem, x, index, old)
        f.emit(op)
        if x not in self.active:
            return
        target = self.reference(x)
        active = self.is_active(value)
        if fn is not operator.setitem and not active:
            return
        ct = self.stored_cotangent(fn, target, index, value, b)
        ct = self.across(ct, b) if active else ct
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

    def stored_cotangent(self, fn: Callable[..., Any], target: Operand, index: Operand, value: Operand, b: Builder) -> Operand:
        """The cotangent of what was stored at `index`: where an index repeats, what is stored last is what is there."""
        if _is_unique(index) and index == WHOLE:
            ct: Operand = target
        elif fn is operator.setitem and not _is_unique(index):
            ct = write_one(b, self.expander, runtime.gather_last, target, index)
        else:
            ct = write_one(b, self.expander, operator.getitem, target, index)
        ct = self.measured(ct, target, index, b)
        if isinstance(value, Var) and isinstance(ct, Var) and rank(ct.type) == rank(value.type) and never_spreads(value.type):
            ct = reshaped(b, ct, value)
        return self.named(ct, "ct", b)

    def index_before(self, index: Operand, number: int, f: Builder) -> Operand:
        """`index` as it is before a store to memory of class `number`, which may be its own: ``mask[mask] = kept``."""
        shared = {
            var: f.call(np.ndarray.copy, var, type=var.type, hint=f"{var.base}_before")
            for var in variables(index)
            if isinstance(var.type, Array) and has_memory(var) and self.aliases.of(var) == number
        }
        return substitute(index, shared)

    def old_contents(self, x: Var, index: Operand, f: Builder) -> Operand:
        """What a store is about to overwrite, as a value of its own."""
        old = self.measured(write_one(f, self.expander, operator.getitem, x, index), x, index, f)
        if isinstance(old, Var) and isinstance(old.type, Array):
            if index_kind(index) != "fancy":
                old = f.call(np.ndarray.copy, old, type=old.type, hint=f"{x.base}_old")
            return old
        return self.named(old, f"{x.base}_old", f)

    def measured(self, part: Operand, x: Operand, index: Operand, b: Builder) -> Operand:
        """`part`, which is ``x[index]``, just taken, as long as it is known to be."""
        if not isinstance(part, Var) or not isinstance(part.type, Array):
            return part
        return sized(b, part, self.slices.shape(x, index, part.type.shape))

    def tape(self, op: Call, fn: Callable[..., Any], b: Builder, f: Builder) -> None:
        """The reverse of a push is a pop from a stack of cotangents, and the other way round.

        Memory on the stack, arrays that are written and tapes, has its companion on the other one: pushed and popped in step, in
        the forward sweep.
        """
        stack = op.args[0]
        assert isinstance(stack, Var)
        value: Operand = op.args[1] if fn is intrinsics.push else op.outs[0]
        if stack not in self.active or not self.has_cotangent(value):
            return
        if self.is_reference(value, stack):
            if fn is intrinsics.push:
                f.effect(intrinsics.push, self.reference(stack), self.companion_of(value, f.ops))
            else:
                (out,) = op.outs
                companion = self.companions.get(out) or Var(self.names.fresh(f"{out.base}_ct"), out.type)
                f.emit(Call((companion,), Lit(intrinsics.pop), (self.reference(stack),), (), op.span))
        elif fn is intrinsics.push:
            hint, type_ = (f"{value.base}_ct", value.type) if isinstance(value, Var) else ("ct", FLOAT)
            self.contribute(value, b.call(intrinsics.pop, self.reference(stack), type=type_, hint=hint), b)
        else:
            (out,) = op.outs
            b.effect(intrinsics.push, self.reference(stack), self.complete(out, b))

    def has_cotangent(self, value: Operand) -> bool:
        """Whether the stack beside a tape holds something for `value`; ``None`` stands for an array of the branch not taken."""
        match value:
            case Var(type=Stack()):
                return True
            case Var(type=type_):
                return is_inexact(type_)
            case Lit(found):
                return found is None or isinstance(found, float | complex)
            case _:
                return False

    def is_reference(self, value: Operand, stack: Var) -> bool:
        """Whether `value` goes on `stack` as memory that may change, not as a value."""
        match value:
            case Var(type=Stack()):
                return True
            case Var(type=Array()) | Lit(None):
                return self.aliases.elements.get(self.aliases.of(stack)) in self.aliases.written
            case _:
                return False


def _is_unique(index: Operand) -> bool:
    """Whether `index` names no element twice."""
    return index_kind(index) == "basic" or (
        isinstance(index, Var) and isinstance(index.type, Array) and index.type.dtype == "bool"
    )


def _keeps_results(rule: Function, count: int) -> list[bool]:
    """Which of the `count` values of the forward part of a rule, or views of them, it hands on to the pullback."""
    aliases = alias_classes(rule)
    reached = [set(aliases.reached((result,))) for result in rule.results]
    return [any(not value.isdisjoint(residual) for residual in reached[count:]) for value in reached[:count]]
