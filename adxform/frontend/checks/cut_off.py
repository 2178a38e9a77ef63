"""Refuses what goes otherwise with arrays that may be of whole numbers in a run: stores of floats, and their dtype."""

from __future__ import annotations

import operator
from collections.abc import Iterable

import numpy as np

from adxform.errors import UnsupportedOperationError
from adxform.ir import intrinsics
from adxform.ir.kinds import alternatives
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Call, Function, Lit, Op, Operand, Pack, Var
from adxform.ir.spans import Span
from adxform.ir.types import FLOATS, Array, Scalar, is_float, rank
from adxform.ir.walk import all_ops, joins, variables_of
from adxform.primitives.effects import effect_of

FULL_LIKE, STORE = Lit(np.full_like), Lit(operator.setitem)
_AS_FLOATS = "say which kind it is: `0.0` for `0` beside floats, `float(…)`, `x.astype(float)`"
INCREASES = (Lit(intrinsics.accumulate), Lit(intrinsics.deduct))


def refuse_cut_off(function: Function) -> None:
    """Raise where `function`, or a helper, stores a float into an array that has whole numbers in one run and floats in another.

    Its type says floats: it comes from two paths, or is made of a number that may be a whole one (``np.array([max(a, n)])``).
    In a run in which it has whole numbers, what is stored loses its fraction, and its derivative.
    """
    for fn in (function, *function.helpers):
        ops = list(all_ops(fn.body))
        stores = [op for op in ops if isinstance(op, Call) and _may_cut_off(op)]
        whole = _maybe_whole(ops) if stores else set()
        for op in stores:
            if op.args[0] in whole:
                message = "a float is stored in an array that may be one of whole numbers in a run"
                raise UnsupportedOperationError(
                    message, span=op.span, help="make it an array of floats: `np.zeros(n)`, `x.astype(float)`"
                )


def refuse_told_dtypes(function: Function, told: Iterable[tuple[Var, Span]]) -> None:
    """Raise where a program asks the dtype of an array that has whole numbers in one run and floats in another."""
    asked = dict(told)
    for fn in (function, *function.helpers) if asked else ():
        for var in asked.keys() & _maybe_whole(list(all_ops(fn.body))):
            message = "the dtype of an array that may be one of whole numbers in a run"
            raise UnsupportedOperationError(message, span=asked[var], help=_AS_FLOATS)


def _may_cut_off(op: Call) -> bool:
    """Whether `op` stores a float, and without a word where whole numbers are: what is added to more than an element raises."""
    if op.fn == FULL_LIKE:
        return _is_float(op.args[1])
    increases = op.fn in INCREASES and _is_element(op.args[1], op.args[0])
    return (increases or op.fn == STORE) and _is_float(op.args[2])


def _is_element(index: Operand, array: Operand) -> bool:
    items = index.items if isinstance(index, Pack) and index.kind == "tuple" else (index,)
    numbers = all(isinstance(item.type, Scalar) if isinstance(item, Var) else isinstance(item, Lit) for item in items)
    return numbers and Lit(...) not in items and isinstance(array, Var) and len(items) == rank(array.type)


def _is_float(value: Operand) -> bool:
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
            if isinstance(op, Call) and _keeps_kind(op, found):
                found.update(out for out in op.outs if isinstance(out.type, Array) and is_float(out.type))
    return found


def _is_whole(given: Operand) -> bool:
    return isinstance(given, Var) and isinstance(given.type, Array) and not is_float(given.type)


def _keeps_kind(op: Call, found: set[Operand]) -> bool:
    """Whether `op` gives whole numbers for whole numbers, as far as its operands tell, and is given what may be some."""
    if effect_of(op).views:
        return not found.isdisjoint(op.args)
    given = [*op.args, *(value for _, value in op.kwargs)]
    if op.fn in _OF_ITEMS:
        given += _items(op.args[0])
    literals = [arg.value for arg in given if isinstance(arg, Lit)]
    floats = [var for var in variables_of(op.args) if isinstance(var.type, Array | Scalar) and is_float(var.type)]
    whole = bool(floats) and all(var in found or _may_be_whole(var) for var in floats)
    return whole and not any(map(_says_floats, literals)) and not _makes_floats(op)


_OF_ITEMS = (Lit(np.array), Lit(np.asarray))
"""What makes an array of floats if one item is a float."""


def _items(given: Operand) -> list[Operand]:
    """The items of a list of lists, as deep as it goes."""
    return [one for item in given.items for one in _items(item)] if isinstance(given, Pack) else [given]


def _says_floats(literal: object) -> bool:
    """Whether `literal` is a float, or the kind of them: ``x.astype(float)``, ``dtype=np.float32``."""
    if isinstance(literal, np.dtype):
        return literal.kind == "f"
    return isinstance(literal, float) or (isinstance(literal, type) and issubclass(literal, float | np.floating))


def _makes_floats(op: Call) -> bool:
    """Whether the function makes floats of whole numbers as well."""
    fn = callee(op)
    if isinstance(fn, np.ufunc):
        return "l" * fn.nin + "->" + "l" * fn.nout not in fn.types
    return fn is operator.truediv


def _may_be_whole(var: Var) -> bool:
    """Whether `var` is a number that may be whole in a run, although its type says float."""
    return isinstance(var.type, Scalar) and any(kind.dtype not in FLOATS for kind in alternatives(var.type))
