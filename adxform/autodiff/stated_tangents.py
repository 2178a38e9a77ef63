"""Rules that state one mode alone: what a stated tangent has to be, and the other mode, which is its transpose, or refused."""

from __future__ import annotations

from adxform import runtime
from adxform.autodiff.expand import Expander, distinct, expand_rule, is_linear, is_result, leaves, located, replace_leaves, write
from adxform.autodiff.fitting import is_zero, same_shape
from adxform.autodiff.linearity import read_linear
from adxform.errors import AdxError, MissingRuleError, TangentMismatchError
from adxform.ir.build import Builder
from adxform.ir.operand_facts import type_of
from adxform.ir.ops import Call, Function, Lit, Operand, Pack, Var
from adxform.ir.types import Array, is_inexact, rank
from adxform.ir.walk import Names, all_ops
from adxform.primitives.alias import alias_classes
from adxform.primitives.effects import writes
from adxform.primitives.record import General
from adxform.primitives.unruled import callable_name, is_users, said, title

Given = tuple[Operand, ...]


def stated_tangents(b: Builder, expander: Expander, derivative: General, op: Call, given: Given) -> list[Operand]:
    """The tangents of the results of `op`, as its rule states them of `given`: the value, the arguments, and their tangents.

    Raises:
        MissingRuleError: there are not as many as results, or they are other than those; the rule writes to what it is given.
    """
    assert derivative.tangent is not None
    if not is_users(derivative.body):
        return list(write(b, expander, derivative.tangent, *given, kwargs=op.kwargs))
    try:
        _refuse_writing(expander, derivative, op, given)
        if states_tangent_alone(derivative):
            refuse_nonlinear_tangent(expander, derivative, op)
        found = write(b, expander, derivative.tangent, *given, kwargs=op.kwargs)
    except AdxError as error:
        raise located(error, op.span) from None
    if len(found) != len(op.outs):
        message = f"the tangent of {title(derivative.body)} returns {len(found)} values, not {len(op.outs)}"
        raise MissingRuleError(message, span=op.span, help="return a tangent for each result of the function")
    return [_fitting(b, derivative, op, tangent, out) for tangent, out in zip(found, op.outs, strict=True)]


def states_tangent_alone(derivative: General) -> bool:
    """Whether the pullback of a rule is the transpose of the tangent that it states."""
    return derivative.tangent is not None and said(derivative.body) is derivative.tangent


def rule_in_reverse(expander: Expander, derivative: General, op: Call) -> tuple[Function, Function]:
    """The forward part and the pullback of the rule of `op`: the transpose of its tangent, where that is all it states.

    Raises:
        MissingRuleError: that has no transpose.
    """
    alone = states_tangent_alone(derivative)
    if alone:
        refuse_nonlinear_tangent(expander, derivative, op)
    try:
        return expand_rule(expander, derivative, op)
    except TangentMismatchError:
        what = "the tangent of " if alone else ""
        message = f"{what}{title(derivative.body)} gives other numbers or arrays than `{_called(op)}`"
        raise MissingRuleError(message, span=op.span, help="let it give as many, each of the same shape and dtype") from None
    except AdxError as error:
        if not alone:
            raise
        raise untransposed(derivative, op, error) from None


def untransposed(derivative: General, op: Call, error: AdxError) -> AdxError:
    """The error for a rule that states one mode alone, and the other is asked for: `error` says why it does not follow."""
    if not is_users(derivative.body):
        return located(error, op.span)
    stated, asked, way = "a pullback", "forward", "the tangent too: `adxform.rule(f, tangent=…)`"
    if states_tangent_alone(derivative):
        stated, asked, way = "a tangent", "reverse", "the value and a pullback too: `@adxform.rule(f, tangent=…)`"
    message = f"{title(derivative.body)} states {stated} alone, of which {asked} mode finds no transpose: {error.message}"
    return MissingRuleError(message, span=op.span, help=f"state {way}")


def refuse_nonlinear_tangent(expander: Expander, derivative: General, op: Call) -> None:
    """See that the tangent that the rule of `op` states is linear in those of the arguments, and zero where they are.

    Raises:
        MissingRuleError: it is not, as far as its operations tell.
    """
    assert derivative.tangent is not None
    names = Names((*distinct(op.args, op.kwargs), *op.outs))
    moving = [leaf for arg in op.args for leaf in leaves(arg) if isinstance(leaf, Var) and is_inexact(leaf.type)]
    tangents = {leaf: Var(names.fresh(f"{leaf.base}_t"), leaf.type) for leaf in moving}

    def tangent_of(leaf: Operand) -> Operand:
        return tangents.get(leaf, Lit(0.0)) if isinstance(leaf, Var) else Lit(0.0)

    args_t = tuple(replace_leaves(arg, map(tangent_of, leaves(arg))) for arg in op.args)
    given = (packed(op.outs), Pack("tuple", op.args), Pack("tuple", args_t))
    try:
        fn = expander.expand(derivative.tangent, given, op.kwargs)
    except AdxError as error:
        raise located(error, op.span) from None
    if len(fn.results) != len(op.outs):
        return  # which is said where they are taken
    taken = dict(zip(distinct(given, op.kwargs), fn.params, strict=True))
    reading = read_linear(fn, [taken[var] for var in tangents.values()], lambda call: is_linear(expander, call))
    if reading.linear and not any(part.more for part in reading.results):
        return
    why = "adds to those of the arguments what does not depend on them"
    if not reading.linear:
        why = "is not linear in those of the arguments"
    message = f"the tangent of {title(derivative.body)} {why}, so that it is no derivative"
    raise MissingRuleError(message, span=op.span, help="return what is linear in the tangents, zeros where they are zero")


def packed(outs: tuple[Var, ...]) -> Operand:
    """The value of a function with these results."""
    return outs[0] if len(outs) == 1 else Pack("tuple", outs)


def _called(op: Call) -> str:
    return callable_name(op.fn.value) if isinstance(op.fn, Lit) else "the function"


def _refuse_writing(expander: Expander, derivative: General, op: Call, given: Given) -> None:
    assert derivative.tangent is not None
    fn = expander.expand(derivative.tangent, given, op.kwargs)
    classes = alias_classes(fn)
    owned = {classes.of(param) for param in fn.params if isinstance(param.type, Array)}
    if any(classes.of(var) in owned for inner in all_ops(fn.body) for var in writes(inner)):
        message = f"the tangent of {title(derivative.body)} writes to an argument, which belongs to the caller"
        raise MissingRuleError(message, span=op.span, help="write to a copy of it")


def _fitting(b: Builder, derivative: General, op: Call, tangent: Operand, out: Var) -> Operand:
    """`tangent`, given that it can be that of `out`; with a check at run time where only that can tell."""
    found = type_of(tangent)
    if not is_result(out) or is_zero(tangent) or same_shape(found, out.type):
        return tangent
    ranks = None if found is None else rank(found), rank(out.type)
    if isinstance(tangent, Var) and (None in ranks or (ranks[0] == ranks[1] and ranks[0] != 0)):
        return b.call(runtime.tangent, tangent, out, Lit(title(derivative.body)), type=out.type, hint=f"{out.base}_t")
    if found is not None and ranks[0] == ranks[1]:
        return tangent
    what = "no number or array" if found is None else f"of {ranks[0]} axes"
    message = f"the tangent of {title(derivative.body)} is {what}, where the value of `{_called(op)}` has {ranks[1]} axes"
    raise MissingRuleError(message, span=op.span, help="return a tangent of exactly the value's shape, or `0.0`")
