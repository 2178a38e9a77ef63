"""Determinants and their logarithms, also of singular matrices: a determinant is a polynomial, and moves there as anywhere.

Source: Giles, "Collected matrix derivative results for forward and reverse mode algorithmic differentiation" (2008), 2.2.4; of
singular matrices Stewart, "On the adjugate matrix" (1998), by the singular values.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adxform import runtime
from adxform.ir import intrinsics
from adxform.primitives.contraction_types import factor_result, square_result
from adxform.primitives.declare import general, primitive
from adxform.primitives.record import Primitive


def of_matrices(numbers: Any, a: Any) -> Any:
    """`numbers`, one for the matrix `a` or for each of several, as they broadcast against these."""
    return numbers if np.ndim(a) == 2 else np.expand_dims(numbers, (-2, -1))


def traces(a: Any) -> Any:
    """The trace of a matrix, or of each of several."""
    return np.trace(a) if np.ndim(a) == 2 else np.sum(a * np.eye(a.shape[-1]), axis=(-2, -1))


def _det(a: Any) -> Any:
    def pullback(ct: Any) -> Any:
        return of_matrices(ct, a) * runtime.cofactors(a)

    return np.linalg.det(a), pullback


def _cofactors(a: Any) -> Any:
    def pullback(ct: Any) -> Any:
        return runtime.cofactor_change(a, ct)

    return runtime.cofactors(a), pullback


def _turned(a: Any, change: Any, other: Any) -> Any:
    """How the cofactors change twice: of any matrix; what that moves by is written with the inverse, of regular ones."""
    x = runtime.inverse(a)
    moved, pulled = x @ change, x @ other
    both, one, two = traces(moved @ pulled), traces(moved), traces(pulled)
    inner = of_matrices(one * two - both, a) * x + moved @ pulled @ x + pulled @ moved @ x
    inner = inner - of_matrices(two, a) * (moved @ x) - of_matrices(one, a) * (pulled @ x)
    movement = of_matrices(np.linalg.det(a), a) * np.swapaxes(inner, -1, -2)
    fixed = [intrinsics.stop_gradient(part) for part in (a, change, other)]
    return intrinsics.valued(runtime.cofactor_turn(*fixed), movement)


def _cofactor_change(a: Any, change: Any) -> Any:
    def pullback(ct: Any) -> Any:
        return _turned(a, change, ct), runtime.cofactor_change(a, ct)

    return runtime.cofactor_change(a, change), pullback


def _cofactor_change_tangent(changed: Any, args: Any, args_t: Any) -> Any:
    """Stated, for the transpose of the pullback would be that of what it moves by, which singular matrices do not have."""
    a, change = args
    total = 0.0
    if not isinstance(args_t[0], float):
        total = total + _turned(a, change, args_t[0])
    if not isinstance(args_t[1], float):
        total = total + runtime.cofactor_change(a, args_t[1])
    return total


def _slogdet(a: Any) -> Any:
    """The sign is constant, or it turns, where it is complex; of the logarithm Giles, 2.2.4."""
    if not np.iscomplexobj(a):

        def pullback(sign_ct: Any, log_ct: Any) -> Any:
            return runtime.masked_product(of_matrices(log_ct, a), np.swapaxes(runtime.inverse(a), -1, -2))

        return np.linalg.slogdet(a), pullback
    sign, logarithm = np.linalg.slogdet(a)

    def pullback_of_complex(sign_ct: Any, log_ct: Any) -> Any:
        a_ct = log_ct + 1j * np.imag(sign_ct * sign)
        return runtime.masked_product(of_matrices(a_ct, a), np.swapaxes(runtime.inverse(a), -1, -2))

    return (sign, logarithm), pullback_of_complex


def _inverse(a: Any) -> Any:
    y = runtime.inverse(a)

    def pullback(ct: Any) -> Any:
        return runtime.inverse_change(np.swapaxes(y, -1, -2), ct)

    return y, pullback


def _inverse_change(y: Any, change: Any) -> Any:
    def pullback(ct: Any) -> Any:
        turned, given = np.swapaxes(y, -1, -2), np.swapaxes(change, -1, -2)
        return -(ct @ turned @ given + given @ turned @ ct), runtime.inverse_change(turned, ct)

    return runtime.inverse_change(y, change), pullback


_S = np.array([[2.0, 0.5], [-0.25, 1.5]])
_SPD = np.array([[2.0, 0.5, 0.25], [0.5, 1.5, -0.5], [0.25, -0.5, 3.0]])
_SS = np.array([[[2.0, 0.5], [-0.25, 1.5]], [[1.0, 0.25], [0.5, 3.0]]])
_NEAR = np.array([[1.0, -0.5, 0.25], [0.75, 2.0, 1.5], [-1.0, 0.5, 0.25]])

RECORDS: tuple[Primitive, ...] = (
    general(np.linalg.det, _det, (_S,), (_SPD,), (_SS,), of_complex=True),
    general(runtime.cofactors, _cofactors, (_S,), (_SPD,), (_SS,), result=square_result, of_complex=True),
    general(
        runtime.cofactor_change,
        _cofactor_change,
        (_SPD, _NEAR),
        (_SS, _SS[::-1]),
        tangent=_cofactor_change_tangent,
        result=factor_result,
        linear_in=(1,),
        of_complex=True,
    ),
    general(np.linalg.slogdet, _slogdet, (_S,), (_SS,), singular=True, constant=(0,), of_complex=True),
    general(runtime.inverse, _inverse, (_S,), (_SS,), result=square_result, of_complex=True),
    general(
        runtime.inverse_change,
        _inverse_change,
        (_SPD, _NEAR),
        (_SS, _SS[::-1]),
        result=factor_result,
        linear_in=(1,),
        of_complex=True,
    ),
    primitive(runtime.cofactor_turn, None, result=factor_result),
)
