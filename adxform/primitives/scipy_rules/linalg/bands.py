"""Symmetric matrices that are given by their diagonals: factors, solutions by these, and eigenvalues, as of the matrix in full.

A row holds a diagonal, as LAPACK keeps it; the places in its corners, which lie outside of the matrix, are not read.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import linalg

from adxform import runtime
from adxform.ir.ops import Operand, Var
from adxform.ir.types import Array, Type
from adxform.primitives.definitions.definition import Definition, Value, unsupported
from adxform.primitives.record import Primitive
from adxform.primitives.scipy_rules.linalg.factors import real_only
from adxform.runtime.of_scipy import linalg as calls


def _one_matrix(bands: Any, name: Any) -> Any:
    real_only(bands, name)
    if np.ndim(bands) != 2:
        unsupported(f"scipy.linalg.{name} has a derivative of one matrix: write a loop")
    if bands.shape[0] == 0:
        raise runtime.without_derivative(f"scipy.linalg.{name} has no derivative without diagonals")


def _triangle(bands: Any, lower: Any) -> Any:
    """The lower triangle of the symmetric matrix with these diagonals, or of a factor with them."""
    rows, n = bands.shape
    found = np.zeros((n, n), dtype=bands.dtype)
    for k in range(min(rows, n)):
        found = found + np.diag(bands[k, : n - k] if lower else bands[rows - 1 - k, k:], -k)
    return found


def _bands(triangle: Any, rows: Any, lower: Any, like: Any) -> Any:
    """The diagonals of a lower triangle in so many rows; in the corners what `like` has there."""
    n = triangle.shape[0]
    made = []
    for k in range(rows):
        row = k if lower else rows - 1 - k
        diagonal = np.diagonal(triangle, -k)
        made.append(np.concatenate((diagonal, like[row, n - k :]) if lower else (like[row, :k], diagonal)))
    return np.stack(made if lower else made[::-1])


def _whole(bands: Any, lower: Any) -> Any:
    triangle = _triangle(bands, lower)
    return triangle + np.tril(triangle, -1).T


def _cholesky_banded(ab: Any, lower: Any = False, *, check_finite: Any = True) -> Any:
    _one_matrix(ab, "cholesky_banded")
    return calls.banded_cholesky(ab, lower, check_finite)


def _factor(ab: Any, lower: Any, check_finite: Any) -> Any:
    return _bands(linalg.cholesky(_whole(ab, lower), lower=True), ab.shape[0], lower, ab)


def _solution(cb: Any, lower: Any, b: Any, check_finite: Any) -> Any:
    return linalg.cho_solve((_triangle(cb, lower), True), b)


def _cho_solve_banded(cb_and_lower: Any, b: Any, overwrite_b: Any = False, check_finite: Any = True) -> Any:
    cb, lower = cb_and_lower
    _one_matrix(cb, "cho_solve_banded")
    return calls.solve_with_banded_cholesky(cb, lower, b, check_finite)


def _eigvals_banded(a_band: Any, lower: Any = False, *, check_finite: Any = True) -> Any:
    _one_matrix(a_band, "eigvals_banded")
    return calls.banded_eigenvalues(a_band, lower, check_finite)


def _like(k: int) -> Any:
    def result(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
        match args[k]:
            case Var(_, Array("float64" | "float32", tuple()) as type_):
                return type_
            case _:
                return None

    return result


def _of_values(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
    match args[0]:
        case Var(_, Array("float64" | "float32" as dtype, (_, n))):
            return Array(dtype, (n,))
        case _:
            return None


RECORDS: tuple[Primitive, ...] = ()

DEFINITIONS: tuple[Definition, ...] = (
    Definition(calls.banded_cholesky, _factor, Value.OWN, result=_like(0)),
    Definition(linalg.cholesky_banded, _cholesky_banded),
    Definition(calls.solve_with_banded_cholesky, _solution, Value.OWN, result=_like(2)),
    Definition(linalg.cho_solve_banded, _cho_solve_banded, sequences=True, only={"overwrite_b": (False,)}),
    Definition(calls.banded_eigenvalues, lambda a, lower, check: linalg.eigvalsh(_whole(a, lower)), Value.OWN, result=_of_values),
    Definition(linalg.eigvals_banded, _eigvals_banded),
)
