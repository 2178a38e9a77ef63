"""Whether a pullback is linear in its cotangent, as far as its operations tell: forward mode is its transpose, and needs that."""

from __future__ import annotations

import operator

import numpy as np

from adxform.errors import MissingRuleError
from adxform.ir.ops import Block, Call, Function, Lit, Operand, Var
from adxform.ir.walk import blocks, variables
from adxform.rules.record import Constant, General, Linear, Partials
from adxform.rules.table import lookup

SUMS = frozenset(
    {operator.add, operator.sub, operator.neg, operator.pos, np.add, np.subtract, np.negative, np.positive, np.where}
)
PRODUCTS = frozenset({operator.mul, np.multiply})
QUOTIENTS = frozenset({operator.truediv, np.divide})


def refuse_nonlinear(op: Call, derivative: General, pullback: Function) -> None:
    """Raise where the pullback of a user's rule multiplies its cotangent by itself, or puts it through a function.

    Reverse mode takes such a pullback as it is (one that clips gradients, say); no tangent follows from it.

    Raises:
        MissingRuleError: it does so.
    """
    if (derivative.body.__module__ or "").startswith("adxform."):
        return
    found = _nonlinear(pullback.body, {pullback.params[-1]})
    if found is None:
        return
    assert isinstance(op.fn, Lit)
    name = getattr(op.fn.value, "__name__", "the function")
    message = f"the pullback of the rule of `{name}` is not linear in its cotangent, so that no tangent follows from it"
    raise MissingRuleError(message, span=op.span, help="state the tangent too: `adxform.rule(f, tangent=…)`")


def _nonlinear(block: Block, moving: set[Var]) -> Call | None:
    """The first call in `block` that is not linear in the variables `moving`, to which it adds what depends on them."""
    for op in block.ops:
        if isinstance(op, Call):
            if not _is_linear(op, moving):
                return op
            record = lookup(op.fn.value) if isinstance(op.fn, Lit) else None
            constant = record is not None and isinstance(record.derivative, Constant)
            if not constant and any(_moves(arg, moving) for arg in op.args):
                moving.update(op.outs)
        for inner in blocks(op):
            found = _nonlinear(inner, moving)
            if found is not None:
                return found
    return None


def _is_linear(call: Call, moving: set[Var]) -> bool:
    """Whether a call is linear in what moves, or nothing is known of it."""
    record = lookup(call.fn.value) if isinstance(call.fn, Lit) else None
    places = [place for place, arg in enumerate(call.args) if _moves(arg, moving)]
    if record is None or not places:
        return True
    match record.derivative:
        case Partials():
            if record.fn in SUMS:
                return True
            if record.fn in PRODUCTS:
                return len(places) == 1
            return record.fn in QUOTIENTS and places == [0]
        case Linear(transposes):
            return len([place for place in places if place in transposes]) <= 1
        case _:
            return True


def _moves(operand: Operand, moving: set[Var]) -> bool:
    return any(var in moving for var in variables(operand))
