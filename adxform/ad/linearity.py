"""Whether a pullback is linear in its cotangent, as far as its operations tell: forward mode is its transpose, and needs that."""

from __future__ import annotations

import operator

import numpy as np

from adxform.analysis.dependence import Dependence, find_dependence
from adxform.errors import MissingRuleError
from adxform.ir.ops import Block, Call, Function, Lit, Operand, Var
from adxform.ir.walk import blocks, variables
from adxform.rules.effects import effect_of
from adxform.rules.record import Constant, General, Linear, Partials
from adxform.rules.table import lookup

SUMS = frozenset(
    {operator.add, operator.sub, operator.neg, operator.pos, np.add, np.subtract, np.negative, np.positive, np.where}
)
PRODUCTS = frozenset({operator.mul, np.multiply})
QUOTIENTS = frozenset({operator.truediv, np.divide})


def refuse_nonlinear(op: Call, derivative: General, pullback: Function) -> None:
    """Raise where the pullback of a user's rule multiplies its cotangent by itself, puts it through a function, asks how large
    it is, or adds a number to it.

    Reverse mode takes such a pullback as it is (one that clips gradients, say); no tangent follows from it.

    Raises:
        MissingRuleError: it does so.
    """
    if (derivative.body.__module__ or "").startswith("adxform."):
        return
    cotangent = len(pullback.params) - 1
    dependence = find_dependence(pullback, [cotangent])
    if not _nonlinear(pullback.body, {pullback.params[cotangent]}, dependence):
        return
    assert isinstance(op.fn, Lit)
    name = getattr(op.fn.value, "__name__", "the function")
    message = f"the pullback of the rule of `{name}` is not linear in its cotangent, so that no tangent follows from it"
    raise MissingRuleError(message, span=op.span, help="state the tangent too: `adxform.rule(f, tangent=…)`")


def _nonlinear(block: Block, moving: set[Var], dependence: Dependence) -> bool:
    """Whether something in `block` is not linear in the variables `moving`, to which it adds what depends on them."""
    for op in block.ops:
        if dependence.is_forked(op):
            return True
        if isinstance(op, Call):
            record = lookup(op.fn.value) if isinstance(op.fn, Lit) else None
            constant = record is not None and isinstance(record.derivative, Constant)
            if not _is_linear(op, moving) or (constant and effect_of(op).reads and dependence.level(*op.args)):
                return True
            if not constant and any(_moves(arg, moving) for arg in op.args):
                moving.update(op.outs)
        if any(_nonlinear(inner, moving, dependence) for inner in blocks(op)):
            return True
    return False


def _is_linear(call: Call, moving: set[Var]) -> bool:
    """Whether a call is linear in what moves, or nothing is known of it."""
    record = lookup(call.fn.value) if isinstance(call.fn, Lit) else None
    places = [place for place, arg in enumerate(call.args) if _moves(arg, moving)]
    if record is None or not places:
        return True
    match record.derivative:
        case Partials():
            if record.fn in SUMS:
                return not any(isinstance(arg, Lit) and arg.value for arg in call.args)
            if record.fn in PRODUCTS:
                return len(places) == 1
            return record.fn in QUOTIENTS and places == [0]
        case Linear(transposes):
            return len([place for place in places if place in transposes]) <= 1
        case _:
            return True


def _moves(operand: Operand, moving: set[Var]) -> bool:
    return any(var in moving for var in variables(operand))
