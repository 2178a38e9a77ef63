"""Least squares by matrices of full rank, nearest rotations, and the factors of a rotation and a stretch.

Where a matrix is not of full rank these jump, or are not determined: there is no derivative, which the call itself says.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import linalg

from adxform.ir.ops import Lit, Operand, Var
from adxform.ir.types import Array, Scalar, Several, Type
from adxform.primitives.contraction_types import lstsq_result, square_result
from adxform.primitives.declare import Result
from adxform.primitives.definitions.definition import Definition, Value, unsupported
from adxform.primitives.record import Primitive
from adxform.primitives.scipy_rules.linalg.factors import real_only
from adxform.runtime.of_scipy import linalg as calls


def _solution(a: Any, b: Any, cond: Any, check_finite: Any, lapack_driver: Any) -> Any:
    return calls.full_rank_pinv(a) @ b


def _residues(a: Any, b: Any, *options: Any) -> Any:
    apart = b - a @ (calls.full_rank_pinv(a) @ b)
    return np.sum(np.real(apart * np.conjugate(apart)), axis=0)


def _part(k: int) -> Result:
    """The type of one result of ``lstsq``: of a vector there is one residue, which is a number."""

    def result(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
        found = lstsq_result(args[:2], {})
        match found.types[k] if isinstance(found, Several) else None:
            case Array() as type_:
                return type_
            case _:
                return None

    return result


def _of_residue(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
    match _part(1)(args, kwargs):
        case Array(dtype):
            return Scalar(dtype, False)
        case _:
            return None


def _square(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
    return square_result(args[:1], {})


def _alike(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
    match args[0]:
        case Var(_, Array("float64" | "float32", (_, _)) as type_):
            return type_
        case _:
            return None


def _of_stretch(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
    match args[:2]:
        case Var(_, Array("float64" | "float32" as dtype, (m, n))), Lit("right" | "left" as side):
            return Array(dtype, (n, n) if side == "right" else (m, m))
        case _:
            return None


def _of_rotation(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
    match args[:2]:
        case Var(_, Array(ours, (_, n))), Var(_, Array(other, (_, m))) if ours == other:
            return Array(ours, (n, m))
        case _:
            return None


def _lstsq(a: Any, b: Any, cond: Any = None, *, check_finite: Any = True, lapack_driver: Any = None) -> Any:
    if np.ndim(a) > 2 or np.ndim(b) > 2:
        unsupported("scipy.linalg.lstsq has a derivative of one matrix, and a vector or columns: write a loop")
    options = cond, check_finite, lapack_driver
    x = calls.full_rank_solution(a, b, *options)
    if np.ndim(b) == 1:
        residues = calls.residue_of_vector(a, b, *options)
    else:
        residues = calls.residues_of_columns(a, b, *options)
    values = None if lapack_driver == "gelsy" else calls.values_beside(a, b, *options)
    return x, residues, min(a.shape[0], a.shape[1]), values


def _residues_of_columns(a: Any, b: Any, *options: Any) -> Any:
    found = _residues(a, b, *options)
    return found if a.shape[0] > a.shape[1] else found[:0]


def _whole(a: Any, lower: Any) -> Any:
    """The symmetric, or Hermitian, matrix of which one triangle is read."""
    half = np.tril(a, -1) if lower else np.triu(a, 1)
    return half + np.conjugate(half.T) + np.diag(np.real(np.diagonal(a)))


def _pinvh(
    a: Any, atol: Any = None, rtol: Any = None, lower: Any = True, return_rank: Any = False, check_finite: Any = True
) -> Any:
    y = calls.full_rank_pinvh(a, atol, rtol, lower, check_finite)
    return (y, a.shape[0]) if return_rank else y


def _rotation(a: Any) -> Any:
    """The unitary factor of a matrix of full rank, by the root of the smaller of its products with itself."""
    if a.shape[0] >= a.shape[1]:
        return a @ linalg.inv(calls.real_sqrtm(a.T @ a))
    return linalg.inv(calls.real_sqrtm(a @ a.T)) @ a


def _stretch(a: Any, side: Any) -> Any:
    u = _rotation(a)
    p = u.T @ a if side == "right" else a @ u.T
    return 0.5 * (p + p.T)


def _polar(a: Any, side: Any = "right") -> Any:
    real_only(a, "polar")
    if np.ndim(a) > 2:
        unsupported("scipy.linalg.polar has a derivative of one matrix: write a loop")
    return calls.unitary_factor(a, side), calls.stretch_factor(a, side)


def _orthogonal_procrustes(A: Any, B: Any, check_finite: Any = True) -> Any:
    real_only(A, "orthogonal_procrustes")
    real_only(B, "orthogonal_procrustes")
    return calls.nearest_rotation(A, B, check_finite), calls.nearest_scale(A, B, check_finite)


RECORDS: tuple[Primitive, ...] = ()

DEFINITIONS: tuple[Definition, ...] = (
    Definition(calls.full_rank_solution, _solution, Value.OWN, result=_part(0)),
    Definition(calls.residue_of_vector, _residues, Value.OWN, result=_of_residue),
    Definition(calls.residues_of_columns, _residues_of_columns, Value.OWN, result=_part(1)),
    Definition(calls.values_beside, lambda a, b, *options: linalg.svdvals(a), Value.OWN, result=_part(3)),
    Definition(linalg.lstsq, _lstsq),
    Definition(
        calls.full_rank_pinvh, lambda a, atol, rtol, lower, check: linalg.inv(_whole(a, lower)), Value.OWN, result=_square
    ),
    Definition(linalg.pinvh, _pinvh),
    Definition(calls.unitary_factor, lambda a, side: _rotation(a), Value.OWN, result=_alike),
    Definition(calls.stretch_factor, _stretch, Value.OWN, result=_of_stretch),
    Definition(linalg.polar, _polar),
    Definition(calls.nearest_rotation, lambda A, B, check: _rotation(A.T @ B), Value.OWN, result=_of_rotation),
    Definition(calls.nearest_scale, lambda A, B, check: np.sum(linalg.svdvals(A.T @ B)), Value.OWN),
    Definition(linalg.orthogonal_procrustes, _orthogonal_procrustes),
)
