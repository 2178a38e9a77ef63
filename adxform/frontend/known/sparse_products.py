"""Operators of sparse matrices of SciPy's from outside the function, whose numbers have no derivative."""

from __future__ import annotations

import operator
from typing import Any

from adxform.frontend.containers.methods import Answer
from adxform.frontend.evaluate.classes import protocols
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Static, Value
from adxform.ir.ops import Lit, Var
from adxform.ir.types import Array
from adxform.primitives.scipy_rules import FAMILIES
from adxform.threads.locks import imported

_HOME = "scipy.sparse."


def product(interp: Interpreter, fn: Any, a: Value, b: Value, hint: str) -> Answer:
    """``fn(a, b)`` of which one is such a matrix: a product with an array, or another matrix; ``None`` where that is not so."""
    if fn is operator.matmul:
        found = _with_array(interp, a, b, hint)
        if found is not None:
            return found
    if not (_is_constant(a) or _is_constant(b)):
        return None
    return protocols.binary(interp, fn, _followed(interp, a), _followed(interp, b), hint)


def negative(interp: Interpreter, fn: Any, x: Value, hint: str) -> Answer:
    """``-x`` of such a matrix; ``None`` where that is not so."""
    if fn is not operator.neg or not _is_constant(x):
        return None
    return protocols.unary(interp, fn, _followed(interp, x), hint)


def _is_constant(value: Value) -> bool:
    return isinstance(value, Static | Lit) and is_sparse(value.value)


def _followed(interp: Interpreter, value: Value) -> Value:
    """A matrix from outside as one that the function makes, which has operators that are followed; anything else as it is."""
    if not _is_constant(value):
        return value
    return interp.call(Lit(imported(FAMILIES["scipy.sparse"]).followed), (value,))


def _with_array(interp: Interpreter, a: Value, b: Value, hint: str) -> Answer:
    """``a @ b`` where one is a sparse matrix and the other an array; ``None`` where that is not so."""
    match a, b:
        case (Static() | Lit()) as matrix, Var(_, Array("float64" | "float32", (_, *rest))) if (
            is_sparse(matrix.value) and len(rest) < 2
        ):
            calls = imported("adxform.runtime.of_scipy.sparse")
            return interp.call(Lit(calls.product), (matrix, b), hint=hint)
        case Var(_, Array("float64" | "float32", (_,))), (Static() | Lit()) as matrix if is_sparse(matrix.value):
            calls = imported("adxform.runtime.of_scipy.sparse")
            return interp.call(Lit(calls.product_turned), (matrix, a), hint=hint)
        case _:
            return None


def is_sparse(value: Any) -> bool:
    """Whether `value` is a sparse matrix of real numbers, in two dimensions."""
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    return type(value).__module__.startswith(_HOME) and getattr(value, "ndim", 0) == 2 and kind in ("f", "i", "u", "b")
