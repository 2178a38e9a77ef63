"""Solutions of linear systems, inverses and determinants, of matrices of which a part may be read.

Source: Giles, "Collected matrix derivative results for forward and reverse mode algorithmic differentiation" (2008).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import linalg

from adxform import runtime
from adxform.ir.ops import Operand
from adxform.ir.types import Type
from adxform.primitives.complex_numbers import adjoint, conjugate
from adxform.primitives.contraction_types import pinv_result
from adxform.primitives.declare import constant, general
from adxform.primitives.definitions.definition import Definition
from adxform.primitives.record import Primitive
from adxform.primitives.scipy_rules.linalg.factors import one_matrix, vector_of_batch
from adxform.runtime.of_scipy import linalg as calls


def products(y: Any, x: Any, b: Any) -> Any:
    """The matrix of the products of `y` and `x`, each a solution for the right side `b`: summed over its columns."""
    if np.ndim(b) == 1:
        return np.expand_dims(y, -1) * np.expand_dims(x, -2)
    return y @ np.swapaxes(x, -1, -2)


def triangle(s: Any, lower: Any) -> Any:
    """The cotangent of a symmetric matrix of which one triangle is read, from one that takes it as a whole."""
    both = 0.5 * (s + np.swapaxes(s, -1, -2))
    return np.tril(both) + np.tril(both, -1) if lower else np.triu(both) + np.triu(both, 1)


def _solve(a: Any, b: Any, lower: Any = False, *, check_finite: Any = True, assume_a: Any = None, transposed: Any = False) -> Any:
    vector_of_batch("solve", a, b)
    symmetric = assume_a in ("sym", "symmetric", "pos", "positive definite", "her", "hermitian")
    if symmetric and np.iscomplexobj(a) and assume_a not in ("sym", "symmetric"):
        raise NotImplementedError("scipy.linalg.solve has no derivative of complex matrices with assume_a='her' or 'pos'")
    if not symmetric and assume_a not in (None, "gen", "general"):
        raise NotImplementedError("scipy.linalg.solve has a derivative for assume_a None, 'gen', 'sym', 'her' and 'pos' only")
    x = linalg.solve(a, b, lower=lower, check_finite=check_finite, assume_a=assume_a, transposed=transposed)

    def pullback(x_ct: Any) -> Any:
        if symmetric:
            b_ct = linalg.solve(a, x_ct, lower=lower, check_finite=False, assume_a=assume_a)
            return runtime.unbroadcast(triangle(-products(b_ct, x, b), lower), a), runtime.unbroadcast(b_ct, b)
        if transposed:
            b_ct = linalg.solve(a, x_ct, check_finite=False)
            return runtime.unbroadcast(-products(x, b_ct, b), a), runtime.unbroadcast(b_ct, b)
        b_ct = linalg.solve(np.swapaxes(a, -1, -2), x_ct, check_finite=False)
        return runtime.unbroadcast(-products(b_ct, x, b), a), runtime.unbroadcast(b_ct, b)

    return x, pullback


def _part(s: Any, lower: Any, unit_diagonal: Any) -> Any:
    """The triangle that `solve_triangular` reads."""
    if unit_diagonal:
        return np.tril(s, -1) if lower else np.triu(s, 1)
    return np.tril(s) if lower else np.triu(s)


def _solve_triangular(
    a: Any, b: Any, trans: Any = 0, lower: Any = False, unit_diagonal: Any = False, *, check_finite: Any = True
) -> Any:
    vector_of_batch("solve_triangular", a, b)
    if trans in (2, "C") and np.iscomplexobj(a):
        raise NotImplementedError("scipy.linalg.solve_triangular has no derivative of complex matrices with trans='C'")
    x = linalg.solve_triangular(a, b, trans, lower, unit_diagonal, check_finite=check_finite)

    def pullback(x_ct: Any) -> Any:
        if trans in (0, "N"):
            b_ct = linalg.solve_triangular(a, x_ct, 1, lower, unit_diagonal, check_finite=False)
            whole = -products(b_ct, x, b)
        else:
            b_ct = linalg.solve_triangular(a, x_ct, 0, lower, unit_diagonal, check_finite=False)
            whole = -products(x, b_ct, b)
        return runtime.unbroadcast(_part(whole, lower, unit_diagonal), a), runtime.unbroadcast(b_ct, b)

    return x, pullback


def _inv(a: Any, *, check_finite: Any = True) -> Any:
    y = linalg.inv(a, check_finite=check_finite)

    def pullback(ct: Any) -> Any:
        turned = np.swapaxes(y, -1, -2)
        return -(turned @ ct @ turned)

    return y, pullback


def _pinv(a: Any, atol: Any = None, rtol: Any = None, check_finite: Any = True) -> Any:
    """Source: Golub and Pereyra (1973), equation 4.12; the rank is constant where it is full."""
    y = calls.full_rank_pinv(a, atol, rtol, check_finite)

    def pullback(ct: Any) -> Any:
        turned = np.swapaxes(y, -1, -2)
        across = np.eye(a.shape[-2], dtype=y.dtype) - a @ y
        along = np.eye(a.shape[-1], dtype=y.dtype) - y @ a
        return np.swapaxes(y @ turned @ ct @ across + along @ ct @ turned @ y, -1, -2) - turned @ ct @ turned

    return y, pullback


def _pinv_type(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
    """Samples do not tell it: they may not be of full rank."""
    return pinv_result(args, kwargs)


def _defined_pinv(a: Any, *, atol: Any = None, rtol: Any = None, return_rank: Any = False, check_finite: Any = True) -> Any:
    y = calls.full_rank_pinv(a, atol, rtol, check_finite)
    return (y, min(a.shape[-2:])) if return_rank else y


def _det(a: Any, *, check_finite: Any = True) -> Any:
    y = linalg.det(a, check_finite=check_finite)

    def pullback(ct: Any) -> Any:
        return np.expand_dims(np.expand_dims(ct, -1), -1) * runtime.cofactors(a)

    return y, pullback


def _solve_with_cholesky(c: Any, b: Any, lower: Any = False, check_finite: Any = True) -> Any:
    vector_of_batch("cho_solve", c, b)
    x = calls.solve_with_cholesky(c, b, lower, check_finite)

    def pullback(x_ct: Any) -> Any:
        b_ct = conjugate(calls.solve_with_cholesky(c, conjugate(x_ct), lower, False))
        whole = -products(b_ct, x, b)
        both = whole + adjoint(whole)
        c_ct = np.tril(both @ np.tril(conjugate(c))) if lower else np.triu(np.triu(conjugate(c)) @ both)
        return runtime.unbroadcast(c_ct, c), runtime.unbroadcast(b_ct, b)

    return x, pullback


def _cho_solve(c_and_lower: Any, b: Any, overwrite_b: Any = False, check_finite: Any = True) -> Any:
    c, lower = c_and_lower
    return calls.solve_with_cholesky(c, b, lower, check_finite)


def _solve_with_lu(lu: Any, piv: Any, b: Any, trans: Any = 0, check_finite: Any = True) -> Any:
    one_matrix("lu_solve", 2, lu, b)
    if trans == 2 and np.iscomplexobj(lu):
        raise NotImplementedError("scipy.linalg.lu_solve has no derivative of complex factors with trans=2")
    x = calls.solve_with_lu(lu, piv, b, trans, check_finite)

    def pullback(x_ct: Any) -> Any:
        b_ct = calls.solve_with_lu(lu, piv, x_ct, 0 if trans else 1, False)
        whole = -products(x, b_ct, b) if trans else -products(b_ct, x, b)
        rows = whole[calls.row_order(piv)]
        left, right = np.tril(lu, -1) + np.eye(lu.shape[0], dtype=lu.dtype), np.triu(lu)
        return np.tril(rows @ right.T, -1) + np.triu(left.T @ rows), None, b_ct

    return x, pullback


def _lu_solve(lu_and_piv: Any, b: Any, trans: Any = 0, overwrite_b: Any = False, check_finite: Any = True) -> Any:
    lu, piv = lu_and_piv
    return calls.solve_with_lu(lu, piv, b, trans, check_finite)


_W = np.array([1.0, 0.25])
_S = np.array([[2.0, 0.5], [-0.25, 1.5]])
_SPD = np.array([[2.0, 0.5, 0.25], [0.5, 1.5, -0.5], [0.25, -0.5, 3.0]])
_TALL = np.array([[2.0, 0.5], [-0.25, 1.5], [1.0, 1.0]])

RECORDS: tuple[Primitive, ...] = (
    general(linalg.solve, _solve, (_S, _W), (_S, _S), linear_in=(1,), of_complex=True),
    general(linalg.solve_triangular, _solve_triangular, (_S, _W), (_S, _S, 1, True), linear_in=(1,), of_complex=True),
    general(linalg.inv, _inv, (_S,), of_complex=True),
    general(linalg.det, _det, (_S,), (_SPD,), of_complex=True),
    general(calls.full_rank_pinv, _pinv, (_S,), (_TALL,), (_TALL.T,), result=_pinv_type),
    general(calls.solve_with_cholesky, _solve_with_cholesky, (_S, _W), (_S, _W, True), linear_in=(1,), of_complex=True),
    general(
        calls.solve_with_lu,
        _solve_with_lu,
        (_S, np.array([1, 1]), _W),
        (_S, np.array([1, 1]), _W, 1),
        linear_in=(2,),
        of_complex=True,
    ),
    constant(calls.row_order),
)

DEFINITIONS: tuple[Definition, ...] = (
    Definition(linalg.cho_solve, _cho_solve, sequences=True, only={"overwrite_b": (False,)}),
    Definition(linalg.lu_solve, _lu_solve, sequences=True, only={"overwrite_b": (False,)}),
    Definition(linalg.pinv, _defined_pinv),
)
