"""Products with sparse matrices of `scipy.sparse`, and solutions: by vectors, and by the entries of those that a function makes.

Of the latter SciPy's own matrix gives the values; it has no derivative, the entries have.

Source: Giles, "Collected matrix derivative results for forward and reverse mode algorithmic differentiation" (2008), on which
the entries are chosen that a sparse matrix has.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from adxform.ir.kinds import dtype_name
from adxform.ir.ops import Call, Lit, Operand, Pack, Var
from adxform.ir.types import INT, Array, Dim, Object, Scalar, Type
from adxform.primitives.declare import constant, general, linear
from adxform.primitives.record import Effect, Primitive
from adxform.runtime.of_scipy import sparse as calls

# -- from outside ---------------------------------------------------------------------------------------------------------


def _result(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
    """The type of a product: as many numbers as the matrix has rows, in each column of the array."""
    match args[:2]:
        case Lit(matrix), Var(_, Array(dtype, (_, *rest))) if len(rest) < 2:
            return Array(dtype_name(np.result_type(matrix.dtype, np.dtype(dtype))), (Dim("?*"), *rest))
        case _:
            return None


_PAIRS = ((calls.product, calls.product_turned), (calls.solution, calls.solution_turned))


def _transpose(other: Any) -> Any:
    def transpose(ct: Any, a: Any, x: Any) -> Any:
        return other(a, ct)

    return transpose


# -- made by the function -------------------------------------------------------------------------------------------------


def _picked(ct: Any, x: Any, rows: Any, columns: Any) -> Any:
    """The cotangent of entries: of each the product of what its row is given and of what stands in its column."""
    each = ct[rows] * x[columns]
    return each if np.ndim(x) == 1 else np.sum(each, axis=1)


def _applied(own: Any, entries: Any, rows: Any, columns: Any, x: Any) -> Any:
    y = calls.applied(own, entries, rows, columns, x)

    def pullback(ct: Any) -> Any:
        return None, _picked(ct, x, rows, columns), None, None, calls.applied(calls.turned(own), entries, columns, rows, ct)

    return y, pullback


def _solved(own: Any, turned: Any, entries: Any, rows: Any, columns: Any, b: Any) -> Any:
    x = calls.solved(own, turned, entries, rows, columns, b)

    def pullback(ct: Any) -> Any:
        b_ct = calls.solved(own, not turned, entries, columns, rows, ct)
        return None, None, -_picked(b_ct, x, rows, columns), None, None, b_ct

    return x, pullback


def _dense(own: Any, entries: Any, rows: Any, columns: Any) -> Any:
    y = calls.dense(own, entries, rows, columns)

    def pullback(ct: Any) -> Any:
        return None, ct[rows, columns], None, None

    return y, pullback


def _of_product(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
    """The type of a product with a matrix that has entries, or of a solution."""
    match [arg.type for arg in args if isinstance(arg, Var) and isinstance(arg.type, Array)]:
        case Array(one), _, _, Array(other, (_, *rest)) if len(rest) < 2:
            return Array(dtype_name(np.result_type(np.dtype(one), np.dtype(other))), (Dim("?*"), *rest))
        case _:
            return None


def _of_entries(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
    match args[1]:
        case Var(_, Array(dtype)):
            return Array(dtype, (Dim("?*"), Dim("?*")))
        case _:
            return None


def _object(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type:
    return Object()


def _entries_type(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
    return Array(dtype_name(args[0].value.dtype), (Dim("?*"),)) if isinstance(args[0], Lit) else None


def _places_type(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type:
    return Array("int64", (Dim("?*"),))


def _length_type(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type:
    return INT


def _total_type(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
    return Scalar(args[1].type.dtype) if isinstance(args[1], Var) and isinstance(args[1].type, Array) else None


def _diagonal_type(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
    return Array(args[1].type.dtype, (Dim("?*"),)) if isinstance(args[1], Var) and isinstance(args[1].type, Array) else None


def _pairs_type(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type:
    return Array("int64", (2, Dim("?*")))


def _shares(call: Call) -> Effect:
    """A matrix may be made of the memory that it is given."""
    return Effect(views=tuple(place for place, arg in enumerate(call.args) if isinstance(arg, Var | Pack)))


_O: dict[str, Any] = {"objects": True, "sequences": True, "of_complex": True}

RECORDS: tuple[Primitive, ...] = (
    *(linear(fn, {1: _transpose(other)}, result=_result, **_O) for pair in _PAIRS for fn, other in (pair, pair[::-1])),
    general(calls.applied, _applied, result=_of_product, **_O),
    general(calls.solved, _solved, result=_of_product, **_O),
    general(calls.dense, _dense, result=_of_entries, **_O),
    constant(calls.turned, result=_object, effect=_shares, **_O),
    constant(calls.factors, result=_object, **_O),
    constant(calls.length, result=_length_type, **_O),
    constant(calls.total, result=_total_type, **_O),
    constant(calls.entry, result=_total_type, **_O),
    constant(calls.diagonal, result=_diagonal_type, **_O),
    constant(calls.sums, result=_diagonal_type, **_O),
    constant(calls.mean, result=_total_type, **_O),
    constant(calls.made, result=_object, effect=_shares, **_O),
    constant(calls.entries_of, result=_entries_type, **_O),
    constant(calls.rows_of, result=_places_type, **_O),
    constant(calls.columns_of, result=_places_type, **_O),
    constant(calls.pairs, result=_pairs_type, **_O),
)
