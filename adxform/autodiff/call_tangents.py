"""Forward mode of calls: the tangent of what a primitive returns, by what its record states."""

from __future__ import annotations

import operator
import types
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, assert_never

import numpy as np

from adxform import runtime
from adxform.analysis.activity import Activity
from adxform.analysis.infinite_slopes import slopes_of_tangents
from adxform.autodiff.expand import (
    add,
    checked,
    distinct,
    expand_rule,
    is_linear,
    is_nothing,
    leaves,
    may_be_empty,
    name_results,
    not_transposed,
    per_argument,
    per_leaf,
    pullback_of,
    refuse_uncovered,
    replace_leaves,
    splice,
    weighted,
    write,
    write_partials,
)
from adxform.autodiff.fitting import cast, fit_tangent, precise, with_methods, zeros
from adxform.autodiff.linearity import read_pullback, refuse_nonlinear, refuse_shifted
from adxform.autodiff.masked_products import mask_products
from adxform.autodiff.reverse.callees import Adopting, Callees
from adxform.autodiff.reverse.cotangent_plan import may_copy
from adxform.autodiff.stated_tangents import packed, stated_tangents, untransposed
from adxform.autodiff.transpose import transpose_pullback
from adxform.errors import AdxError
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.operand_facts import callee
from adxform.ir.ops import (
    UNDEFINED,
    Block,
    Call,
    For,
    Function,
    If,
    Lit,
    Op,
    Operand,
    Pack,
    Var,
    While,
)
from adxform.ir.types import BOOL, Array, Scalar, Stack, is_complex, is_inexact, rank
from adxform.ir.undefined import maybe_undefined
from adxform.ir.walk import Names, all_ops, substitute, variables
from adxform.primitives.alias import Aliases
from adxform.primitives.effects import by_layout, effect_of
from adxform.primitives.record import Constant, General, Linear, Memory, Partials
from adxform.primitives.table import derivative_of
from adxform.primitives.unruled import is_users


class CallTangents:
    """A function whose calls are followed by the tangents of what they return."""

    def __init__(self, fn: Function, activity: Activity, expander: Adopting, callees: Callees, aliases: Aliases) -> None:
        self.fn = fn
        self.callees = callees
        self.active = followed(fn.body, activity.active)
        self.slopes = slopes_of_tangents(fn, activity.active, aliases, callees.fn)
        self.expander = expander
        self.aliases = aliases
        # A view that may copy mirrors the primal's only where the tangent is laid out in memory as the primal is.
        mirrored = (op.args[0] for op in all_ops(fn.body) if isinstance(op, Call) and by_layout(op) and op.args)
        self.laid_out = {self.aliases.of(base) for base in mirrored if isinstance(base, Var) and isinstance(base.type, Array)}
        self.names = Names.of(fn)
        self.tangents: dict[Var, Operand] = {}
        self.renamed: dict[Var, Operand] = {}

    def declare(self, var: Var) -> Var:
        """A new variable for the tangent of `var`."""
        tangent = Var(self.names.fresh(f"{var.base}_t"), var.type)
        self.tangents[var] = tangent
        return tangent

    def tangent(self, b: Builder, operand: Operand) -> Operand:
        """The tangent of `operand`, zero when it is not active."""
        if operand == UNDEFINED:
            return UNDEFINED
        if not isinstance(operand, Var):
            return Lit(0.0)
        if operand in self.active and operand in self.tangents:
            return self.tangents[operand]
        return zeros(b, operand, f"{operand.base}_t")

    def is_active(self, operand: Operand) -> bool:
        """Whether `operand` moves."""
        return any(var in self.active for var in variables(operand))

    def value(self, operand: Operand) -> Operand:
        """`operand`, as what has been renamed is called now."""
        return substitute(operand, self.renamed)

    def call(self, op: Call, b: Builder) -> None:
        """Append `op`, and the tangents of what it returns or writes to."""
        if self.renamed:
            args, kwargs = tuple(map(self.value, op.args)), tuple([(key, self.value(value)) for key, value in op.kwargs])
            op = replace(op, args=args, kwargs=kwargs)
        derivative = derivative_of(op)
        touched = [*op.outs, *(var for position in effect_of(op).writes for var in variables(op.args[position]))]
        if not any(var in self.active for var in touched):
            b.emit(op)
            return
        refuse_uncovered(op)
        match derivative:
            case Memory():
                b.emit(op)
                self.memory(op, b)
            case Constant() | None:
                b.emit(op)
                (out,) = op.outs
                self.define(out, zeros(b, out, f"{out.base}_t"), b)
            case Partials(body):
                b.emit(op)
                self.define(op.outs[0], self.elementwise(op, body, b), b)
            case Linear():
                b.emit(op)
                mirrors = effect_of(op).views == (0,) and self.is_active(op.args[0])
                checked(op, not_transposed(op, derivative), self.is_active)
                tangent = self.linear(op, derivative, b)
                if mirrors and may_copy(op) and self.aliases.of(op.outs[0]) in self.aliases.written:
                    tangent = self.mirrored(op, tangent, b)
                self.define(op.outs[0], tangent, b, mirrors=mirrors)
            case General():
                self.general(op, derivative, b)
            case _:
                assert_never(derivative)

    def define(self, out: Var, tangent: Operand, b: Builder, *, mirrors: bool = False) -> None:
        """Make `tangent` the tangent of `out`; its own memory where `out` will be written.

        `mirrors`: it is to the tangent of an argument what `out` is to the argument, a view, so it is shared as it is.
        """
        tangent = fit_tangent(b, tangent, out)
        if isinstance(out.type, Array) and self.aliases.of(out) in self.aliases.written and not mirrors:
            if self.aliases.of(out) in self.laid_out:
                tangent = b.call(runtime.laid_out, tangent, out, type=out.type, hint=f"{out.base}_t")
            elif not _is_fresh(tangent, b):
                tangent = b.call(np.copy, tangent, type=out.type, hint=f"{out.base}_t")
        self.tangents[out] = self.rename(tangent, out, b)

    def define_all(self, outs: tuple[Var, ...], tangents: Sequence[Operand], b: Builder) -> None:
        """Make `tangents` those of `outs`, as far as these move."""
        for out, tangent in zip(outs, tangents, strict=True):
            if out in self.active:
                self.define(out, tangent, b)

    def mirrored(self, op: Call, tangent: Operand, b: Builder) -> Operand:
        """`tangent` as a view or as a copy of the tangent of the argument, whichever the out of `op` turned out to be."""
        (out,) = op.outs
        shares = b.call(runtime.shares_memory, out, op.args[0], type=BOOL, hint=f"{out.base}_shares")
        return b.call(runtime.tangent_view, tangent, shares, type=out.type, hint=f"{out.base}_t")

    def rename(self, tangent: Operand, out: Var, b: Builder) -> Operand:
        """Give a freshly computed tangent the name of its primal."""
        if not (isinstance(tangent, Var) and b.ops):
            return tangent
        last = b.ops[-1]
        if isinstance(last, Call) and last.outs == (tangent,) and tangent.base != f"{out.base}_t":
            named = Var(self.names.fresh(f"{out.base}_t"), tangent.type)
            b.ops[-1] = replace(last, outs=(named,))
            return named
        return tangent

    def elementwise(self, op: Call, body: Callable[..., Any], b: Builder) -> Operand:
        """The sum of the tangents of the arguments, each by its partial."""
        (out,) = op.outs
        before = len(b.ops)
        partials = write_partials(b, self.expander, body, out, *op.args, kwargs=op.kwargs)
        made = tuple(b.ops[before:])
        total: Operand | None = None
        checked(op, per_argument(op.args, partials), self.is_active)
        for leaf, partial in per_argument(op.args, partials):
            if self.is_active(leaf) and not is_nothing(partial):
                masked = self.slopes.masks(op, leaf, leaf, partial)
                tangent = self.tangent(b, leaf)
                if _is_python(out) and not (isinstance(leaf, Var) and is_complex(leaf.type)):
                    tangent = precise(b, tangent, out)
                total = add(b, self.expander, total, weighted(b, self.expander, tangent, partial, made, masked))
        return Lit(0.0) if total is None else total

    def linear(self, op: Call, derivative: Linear, b: Builder) -> Operand:
        """The sum of what `op` makes of the tangent of each argument in which it is linear."""
        (out,) = op.outs
        total: Operand | None = None
        for position in derivative.transposes:
            if position < len(op.args) and self.is_active(op.args[position]):
                moved = replace_leaves(op.args[position], iter([self.tangent(b, leaf) for leaf in leaves(op.args[position])]))
                if position == 0 and isinstance(op.fn, Lit) and isinstance(op.fn.value, types.MethodDescriptorType):
                    moved = with_methods(b, moved, op.args[0])
                args = (*op.args[:position], moved, *op.args[position + 1 :])
                if derivative.of_a_part is not None and may_be_empty(moved):
                    (part,) = write(b, self.expander, derivative.of_a_part[0], *args, kwargs=op.kwargs)
                    total = add(b, self.expander, total, part)
                    continue
                term = Var(self.names.fresh(f"{out.base}_t"), out.type)
                b.emit(replace(op, outs=(term,), args=args))
                total = add(b, self.expander, total, term)
        return Lit(0.0) if total is None else total

    def general(self, op: Call, derivative: General, b: Builder) -> None:
        """Append `op` and its tangents, as the rule states them or by its pullback."""
        checked(op, [], self.is_active)
        if derivative.tangent is None:
            self.push_by_pullback(op, derivative, b)
        else:
            self.push_by_tangent(op, derivative, b)

    def push_by_tangent(self, op: Call, derivative: General, b: Builder) -> None:
        """Tangents as the rule states them."""
        items = [leaf for arg in op.args for leaf in leaves(arg)]
        b.emit(op)
        tangents = [self.tangent(b, leaf) if self.is_active(leaf) else Lit(0.0) for leaf in items]
        leaf = iter(tangents)
        args_t = tuple(replace_leaves(arg, leaf) for arg in op.args)
        start = len(b.ops)
        given = stated_tangents(
            b, self.expander, derivative, op, (packed(op.outs), Pack("tuple", op.args), Pack("tuple", args_t))
        )
        self.mask(op, b, start, items, tangents)
        self.define_all(op.outs, given, b)

    def push_by_pullback(self, op: Call, derivative: General, b: Builder) -> None:
        """Tangents by the pullback, which is linear, transposed."""
        items = [leaf for arg in op.args for leaf in leaves(arg)]
        rule, pullback = expand_rule(self.expander, derivative, op)
        checked(op, per_leaf(op.args, pullback.body.results), self.is_active)
        start = len(b.ops)
        made = splice(b, self.callees.adopt(rule), distinct(op.args, op.kwargs))
        count = len(op.outs)
        values, named = made[:count], name_results(b, start, made[:count], op)
        residuals = [named.get(residual, residual) for residual in made[count:]]
        for found, out in zip(values, op.outs, strict=True):
            if named.get(found) != out:
                same = operator.pos if isinstance(found, Var) else intrinsics.stop_gradient
                b.emit(replace(op, outs=(out,), fn=Lit(same), args=(named.get(found, found),), kwargs=()))
        if is_users(derivative.body):
            reading = read_pullback(pullback, count, lambda call: is_linear(self.expander, call))
            refuse_nonlinear(op, reading)
            refuse_shifted(derivative.body, pullback, reading, op.span, doubt=True)
        moving = [place for place, out in enumerate(op.outs) if out in self.active]
        pushed = self.transposed(op, derivative, pullback, moving, b)
        placeholders = [zeros(b, out, f"{out.base}_ct") for out in op.outs]
        tangents = [cast(b, self.tangent(b, leaf), leaf) for leaf in items if isinstance(leaf, Var) and self.is_active(leaf)]
        tangents = [
            cast(b, t, like) for t, like in zip(tangents, pushed.params[len(pushed.params) - len(tangents) :], strict=True)
        ]
        start = len(b.ops)
        moved = splice(b, self.callees.adopt(pushed), (*residuals, *placeholders, *tangents))
        self.mask(op, b, start, items, tangents)
        self.define_all(tuple(op.outs[place] for place in moving), moved, b)

    def transposed(self, op: Call, derivative: General, pullback: Function, moving: list[int], b: Builder) -> Function:
        """What takes tangents of the arguments of `op` to those of the results at the places `moving`."""
        count = len(op.outs)
        wanted = [self.is_active(leaf) for arg in op.args for leaf in leaves(arg)]
        used = [op.outs[place] if place in moving else None for place in range(count)]
        pullback, _ = pullback_of(b.nested(), self.expander, pullback, op, used)
        places = [len(pullback.params) - count + place for place in moving]
        try:
            return transpose_pullback(pullback, wanted, places, self.expander.plain)
        except AdxError as error:
            raise untransposed(derivative, op, error) from None

    def mask(self, op: Call, b: Builder, start: int, items: list[Operand], tangents: list[Operand]) -> None:
        """Mask the products that a rule has written, from `start` on, where tangents can be infinite."""
        if any(self.slopes.masks_rule(op, item) for item in items):
            mask_products(b, start, tangents)

    def memory(self, op: Call, b: Builder) -> None:
        """Do to the memory of tangents what `op` does to that of values."""
        fn = callee(op)
        if fn is intrinsics.new_stack:
            self.tangents[op.outs[0]] = b.call(fn, type=Stack(), hint=f"{op.outs[0].base}_t")
            return
        target = self.tangent(b, op.args[0])
        if fn is operator.getitem:
            (out,) = op.outs
            if out in self.active:
                self.tangents[out] = b.call(operator.getitem, target, op.args[1], type=out.type, hint=f"{out.base}_t")
        elif fn is intrinsics.pop:
            (out,) = op.outs
            if moves(out):
                self.tangents[out] = b.call(intrinsics.pop, target, type=out.type, hint=f"{out.base}_t")
        elif fn is intrinsics.push:
            if _has_tangent(op.args[1]):
                b.effect(intrinsics.push, target, self.tangent(b, op.args[1]))
        else:
            value = op.args[2]
            tangent = self.tangent(b, value) if self.is_active(value) else Lit(0.0)
            if fn is operator.setitem or self.is_active(value):
                assert fn is not None
                b.effect(fn, target, op.args[1], tangent)


def _is_fresh(tangent: Operand, b: Builder) -> bool:
    """Whether the last op has made `tangent`, in memory of its own that can be written to."""
    last = b.ops[-1] if b.ops else None
    if not isinstance(tangent, Var) or not isinstance(last, Call) or last.outs != (tangent,) or not rank(tangent.type):
        return False
    effect = effect_of(last)
    return not effect.opaque and not effect.views


def followed(body: Block, active: frozenset[Var]) -> frozenset[Var]:
    """`active`, with the variables that become one of those and may be undefined: there may be nothing to take zeros from."""
    undefined = frozenset(var for var in maybe_undefined(body) if is_inexact(var.type)) - active
    waiting = undefined
    while waiting:
        waiting = frozenset(
            source
            for op in all_ops(body)
            for names, sources in merged(op)
            if not active.isdisjoint(names)
            for source in sources
            if isinstance(source, Var) and source in undefined and source not in active
        )
        active |= waiting
    return active


def merged(op: Op) -> Iterator[tuple[tuple[Var, ...], tuple[Operand, ...]]]:
    """The variables of `op` that stand for others, with those."""
    match op:
        case If(outs=outs, then=then, orelse=orelse):
            for out, *ends in zip(outs, then.results, orelse.results, strict=True):
                yield (out,), tuple(ends)
        case For(outs=outs, inits=inits, body=body, breaks=breaks):
            for out, param, *ends in zip(outs, body.params[1:], inits, body.results[breaks:], strict=True):
                yield (out, param), tuple(ends)
        case While(outs=outs, inits=inits, body=body):
            for out, param, *ends in zip(outs, body.params, inits, body.results, strict=True):
                yield (out, param), tuple(ends)
        case _:
            pass


def moves(param: Var) -> bool:
    """Whether `param` has a tangent: a float, an array of floats, or a tape."""
    return is_inexact(param.type) or is_stack(param)


def is_stack(var: Var) -> bool:
    """Whether `var` is a tape."""
    return isinstance(var.type, Stack)


def _has_tangent(value: Operand) -> bool:
    """Whether a tangent is pushed beside `value`: what is popped again has one if it is inexact, an array of that or a tape."""
    if isinstance(value, Var):
        return moves(value)
    return isinstance(value, Lit) and (value.value is None or isinstance(value.value, float | complex))


def _is_python(var: Var) -> bool:
    """Whether `var` is a number of Python, of double precision whatever it is made of."""
    return isinstance(var.type, Scalar) and var.type.weak
