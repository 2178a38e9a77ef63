"""Sparse matrices of `scipy.sparse` from outside of the function: products with arrays and solutions, linear in these."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import spsolve

from adxform.ir.kinds import dtype_name
from adxform.ir.ops import Lit, Operand, Var
from adxform.ir.types import Array, Dim, Type
from adxform.primitives.declare import linear
from adxform.primitives.definitions.definition import Definition
from adxform.primitives.record import Primitive
from adxform.runtime.of_scipy import sparse as calls


def _result(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
    """The type of a product: as many numbers as the matrix has rows, in each column of the array."""
    match args[:2]:
        case Lit(matrix), Var(_, Array(dtype, (_, *rest))) if len(rest) < 2:
            return Array(dtype_name(np.result_type(matrix.dtype, np.dtype(dtype))), (Dim("?*"), *rest))
        case _:
            return None


def _dot(self: Any, other: Any) -> Any:
    return self @ other


def _spsolve(A: Any, b: Any) -> Any:
    return calls.solution(A, b)


_PAIRS = ((calls.product, calls.product_turned), (calls.solution, calls.solution_turned))


def _transpose(other: Any) -> Any:
    def transpose(ct: Any, a: Any, x: Any) -> Any:
        return other(a, ct)

    return transpose


RECORDS: tuple[Primitive, ...] = tuple(
    linear(fn, {1: _transpose(other)}, result=_result, sequences=True, objects=True, of_complex=False)
    for pair in _PAIRS
    for fn, other in (pair, pair[::-1])
)

DEFINITIONS: tuple[Definition, ...] = (Definition(spsolve, _spsolve), Definition(sparse.csr_matrix.dot, _dot))
