"""Refuses stores of floats into arrays that may be of whole numbers in a run, which cut off what they are given."""

from __future__ import annotations

import operator

from adxform.errors import UnsupportedOperationError
from adxform.ir.ops import Call, Function, Lit, Op, Operand, Var
from adxform.ir.types import Array, Scalar, is_float
from adxform.ir.walk import all_ops, joins, variables_of
from adxform.rules.effects import effect_of


def refuse_cut_off(function: Function) -> None:
    """Raise where `function`, or a helper, stores a float into an array that has whole numbers on one path and floats on another.

    Its type says floats. In a run in which it still has whole numbers, what is stored loses its fraction, and its derivative.
    """
    for fn in (function, *function.helpers):
        ops = list(all_ops(fn.body))
        stores = [op for op in ops if isinstance(op, Call) and op.fn == Lit(operator.setitem) and _stores_float(op)]
        whole = _maybe_whole(ops) if stores else set()
        for op in stores:
            if op.args[0] in whole:
                message = "a float is stored in an array that may be one of whole numbers, as which it was made on another path"
                raise UnsupportedOperationError(
                    message, span=op.span, help="make it an array of floats: `np.zeros(n)`, `x.astype(float)`"
                )


def _stores_float(op: Call) -> bool:
    value = op.args[2]
    return is_float(value.type) if isinstance(value, Var) else isinstance(value, Lit) and isinstance(value.value, float)


def _maybe_whole(ops: list[Op]) -> set[Operand]:
    """The arrays whose type says floats and which may be of whole numbers in a run."""
    found: set[Operand] = set()
    known = -1
    while known < len(found):
        known = len(found)
        for op in ops:
            for var, given in joins(op):
                if is_float(var.type) and isinstance(var.type, Array) and (_is_whole(given) or given in found):
                    found.add(var)
            if isinstance(op, Call) and not found.isdisjoint(op.args) and _keeps_kind(op, found):
                found.update(out for out in op.outs if isinstance(out.type, Array) and is_float(out.type))
    return found


def _is_whole(given: Operand) -> bool:
    return isinstance(given, Var) and isinstance(given.type, Array) and not is_float(given.type)


def _keeps_kind(op: Call, found: set[Operand]) -> bool:
    """Whether `op` gives whole numbers for whole numbers, as far as its operands tell."""
    if effect_of(op).views:
        return True
    literals = [arg.value for arg in op.args if isinstance(arg, Lit)]
    floats = [var for var in variables_of(op.args) if isinstance(var.type, Array | Scalar) and is_float(var.type)]
    return all(var in found for var in floats) and not any(isinstance(value, float) for value in literals)
