"""Integers that are lengths: which length, through additions of constants, and which parameters an integer follows from."""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from adxform.frontend.evaluate.state import Interpreter
from adxform.ir import intrinsics
from adxform.ir.linear_forms import LinearForm
from adxform.ir.ops import Lit, Operand, Var
from adxform.ir.types import INT, Array, Dim, Scalar
from adxform.ir.walk import variables


def learn(interp: Interpreter, fn: Callable[..., Any], out: Var, operands: tuple[Operand, ...]) -> None:
    """Note what `out`, the result of ``fn(*operands)``, is as a length and what it follows from."""
    if not isinstance(out.type, Scalar) or not out.type.dtype.startswith(("int", "bool")):
        return
    note_origin(interp, out, operands)
    if out.type == INT:
        _note_form(interp, fn, out, operands)
    match fn, operands:
        case intrinsics.dim, (Var(_, Array(_, shape)), Lit(axis)) if shape is not None and isinstance(size := shape[axis], Dim):
            interp.integers.sizes[out] = size
            interp.integers.counted.add(out)
            if size.offset < 0 or size.base in interp.integers.cut_at_zero:
                interp.integers.cut_at_zero.add(out)
            if size.base in interp.integers.of_arguments:
                interp.integers.of_lengths[out] = interp.integers.of_arguments[size.base]
        case _, (Var() as a, Lit(int() as b)) if fn in (operator.add, operator.sub) and isinstance(a.type, Scalar):
            _moved(interp, out, a, b if fn is operator.add else -b)
        case operator.add, (Lit(int() as a), Var() as b) if isinstance(b.type, Scalar):
            _moved(interp, out, b, a)
        case _, (Var() as a, Lit(0)) if fn is max and isinstance(a.type, Scalar):
            base = interp.integers.dim_of(a)
            if base is not None:
                interp.integers.sizes[out] = base
                interp.integers.counted.add(out)
                if a not in interp.integers.counted:
                    interp.integers.cut_at_zero.update((out, base.base))
        case _:
            return


def _note_form(interp: Interpreter, fn: Callable[..., Any], out: Var, operands: tuple[Operand, ...]) -> None:
    """Note what `out` is in terms of other integers, if it is linear in them."""
    match fn, operands:
        case intrinsics.dim, (Var(_, Array(_, shape)), Lit(axis)) if shape is not None:
            size = interp.equal.size(shape[axis])
            found = LinearForm(0, ((size, 1),)) if isinstance(size, Dim) else LinearForm(size)
        case _, (a, b) if fn in (operator.add, operator.sub):
            one, other = interp.integers.form(a), interp.integers.form(b)
            if one is None or other is None:
                return
            found = one.plus(other, 1 if fn is operator.add else -1)
        case operator.mul, (Lit(int() as factor), x) | (x, Lit(int() as factor)):
            one = interp.integers.form(x)
            if one is None:
                return
            found = LinearForm().plus(one, factor)
        case _:
            return
    interp.integers.forms[out] = found


def _moved(interp: Interpreter, out: Var, number: Var, by: int) -> None:
    """Note what `out`, `number` and `by` more, is as a length.

    It is that of `number` with another offset, but where this may have been cut off at zero and grows again: with a list of
    ``n = -1`` times one item, ``len(items) + 1`` is one, and ``n + 1`` is none.
    """
    base = interp.integers.dim_of(number)
    if base is None:
        return
    if number in interp.integers.counted and by >= 0:
        interp.integers.counted.add(out)
    if number in interp.integers.cut_at_zero:
        if by > 0:
            return
        interp.integers.cut_at_zero.add(out)
    interp.integers.sizes[out] = Dim(base.base, base.offset + by)


def note_origin(interp: Interpreter, out: Var, sources: tuple[Operand, ...]) -> None:
    """If `out` follows from parameters that may be promoted, lengths of arguments and literals alone, remember which."""
    found: frozenset[Var] = frozenset()
    lengths = False
    for source in sources:
        for var in variables(source):
            origin = interp.integers.followed(var)
            if not origin:
                return
            lengths |= var in interp.integers.of_lengths
            found |= origin
    if found:
        (interp.integers.of_lengths if lengths else interp.integers.origins)[out] = found
