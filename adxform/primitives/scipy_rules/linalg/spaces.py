"""Spaces of matrices: bases of ranges, vectors that matrices take to zero, and angles between ranges.

Source: Golub and Pereyra, The differentiation of pseudo-inverses and nonlinear least squares problems whose variables separate
(1973), of spaces whose dimension does not change; Björck and Golub, Numerical methods for computing angles between linear
subspaces (1973).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import linalg

from adxform.ir.ops import Operand, Var
from adxform.ir.types import Array, Dim, Type
from adxform.primitives.complex_numbers import adjoint
from adxform.primitives.declare import general
from adxform.primitives.definitions.definition import Definition, Value
from adxform.primitives.record import Primitive
from adxform.runtime.of_scipy import linalg as calls


def _range_basis(a: Any, rcond: Any) -> Any:
    return linalg.svd(a, full_matrices=False)[0]


def _null_vector(a: Any, rcond: Any, check_finite: Any, lapack_driver: Any) -> Any:
    """The vector stays of length one, and in the directions of the rows it moves so that the matrix takes it to zero."""
    y = calls.null_vector(a, rcond, check_finite, lapack_driver)

    def pullback(ct: Any) -> Any:
        inverse = np.linalg.pinv(a, rtol=np.finfo(y.dtype).eps * max(np.shape(a)) if rcond is None else rcond)
        return -(np.swapaxes(inverse, -1, -2) @ ct @ np.swapaxes(y, -1, -2)), None, None, None

    return y, pullback


def _null_space(A: Any, rcond: Any = None, *, check_finite: Any = True, lapack_driver: Any = "gesdd") -> Any:
    return calls.null_vector(A, rcond, check_finite, lapack_driver)


def _angles(a: Any, b: Any) -> Any:
    """Small angles by their sines, and others by their cosines: where one of these is one it has no slope.

    A range has many bases; those of ``qr`` have derivatives where singular values meet, too. What two ranges have in common
    because there is no room for anything else stays so, at angles of zero.
    """
    first, second = linalg.qr(a, mode="economic")[0], linalg.qr(b, mode="economic")[0]
    if first.shape[1] < second.shape[1]:
        first, second = second, first
    common = max(first.shape[1] + second.shape[1] - first.shape[0], 0)
    if common == second.shape[1]:
        return np.zeros(common, dtype=np.real(first).dtype)
    inner = adjoint(first) @ second
    cosines, sines = linalg.svdvals(inner)[::-1], linalg.svdvals(second - first @ inner)
    small = cosines * cosines >= 0.5
    angles = np.where(small, np.arcsin(np.where(small, sines, 0.5)), np.arccos(np.where(small, 0.5, cosines)))
    return np.concatenate((angles[: angles.shape[0] - common], np.zeros(common, dtype=angles.dtype)))


def _of_range(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
    match args[0]:
        case Var(_, Array(dtype, (m, n))):
            return Array(dtype, (m, n if m == n else Dim("?*")))
        case _:
            return None


def _of_null(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
    match args[0]:
        case Var(_, Array(dtype, (_, n))):
            return Array(dtype, (n, Dim("?*")))
        case _:
            return None


def _of_angles(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
    match args[:2]:
        case Var(_, Array(ours, (_, _))), Var(_, Array(other, (_, _))):
            single = np.result_type(ours, other).name in ("float32", "complex64")
            return Array("float32" if single else "float64", (Dim("?*"),))
        case _:
            return None


RECORDS: tuple[Primitive, ...] = (general(calls.null_vector, _null_vector, result=_of_null, of_complex=True),)

DEFINITIONS: tuple[Definition, ...] = (
    Definition(calls.range_basis, _range_basis, Value.OWN, result=_of_range),
    Definition(linalg.orth, lambda A, rcond=None: calls.range_basis(A, rcond)),
    Definition(linalg.null_space, _null_space),
    Definition(linalg.subspace_angles, lambda A, B: calls.angles_between(A, B)),
    Definition(calls.angles_between, _angles, Value.OWN, result=_of_angles),
)
