"""Factorisations of matrices, by SciPy's own factors; those of which a result is not determined are refused.

Source: Giles (2008), as in `numpy_linear_algebra`; of an eigenproblem of two matrices de Leeuw, Derivatives of Generalized
Eigen Singular Value Decompositions (2007), section 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import linalg

from adxform import runtime
from adxform.ir.ops import Lit, Operand, Var
from adxform.ir.types import Array, Dim, Several, Size, Type
from adxform.primitives.complex_numbers import adjoint
from adxform.primitives.declare import general
from adxform.primitives.definitions.definition import Definition
from adxform.primitives.families.numpy_linear_algebra import qr_cotangent
from adxform.primitives.families.singular_values import square_only, svd_cotangent
from adxform.primitives.families.symmetric_matrices import eigh_cotangent, read_part
from adxform.primitives.record import Primitive
from adxform.runtime.of_scipy import linalg as calls


def one_matrix(name: str, rank: int, a: Any, b: Any) -> None:
    """Refuse batches: SciPy takes matrices of more axes than `rank`, and right sides for each of them."""
    if np.ndim(a) > rank or np.ndim(b) > 2:
        raise NotImplementedError(f"scipy.linalg.{name} has a derivative of one matrix, and a vector or columns: write a loop")


def vector_of_batch(name: str, a: Any, b: Any) -> None:
    """Refuse one vector for matrices of a batch, where SciPy gives a solution for each."""
    if np.ndim(a) > 2 and np.ndim(b) == 1:
        raise NotImplementedError(f"scipy.linalg.{name} of several matrices has a derivative for columns: write `b[:, None]`")


def real_only(a: Any, name: Any) -> None:
    """Refuse a complex `a`."""
    if np.iscomplexobj(a):
        raise NotImplementedError(f"scipy.linalg.{name} has no derivative of complex matrices")


def one_only(a: Any, name: Any) -> None:
    """Refuse a stack of matrices, of which SciPy returns a list."""
    if np.ndim(a) > 2:
        raise NotImplementedError(f"of several matrices scipy.linalg.{name} has no derivative: call np.linalg.{name}")


def matrix_only(a: Any, name: Any) -> None:
    """Refuse a number, of which SciPy makes a matrix of one row."""
    if np.ndim(a) < 2:
        raise NotImplementedError(f"scipy.linalg.{name} has a derivative of matrices: of a number give `np.reshape(a, (1, 1))`")


def _cholesky(a: Any, lower: Any = False, *, check_finite: Any = True) -> Any:
    matrix_only(a, "cholesky")
    factor = linalg.cholesky(a, lower=lower, check_finite=check_finite)

    def pullback(ct: Any) -> Any:
        if lower:
            return runtime.cholesky_cotangent(factor, ct)
        return adjoint(runtime.cholesky_cotangent(adjoint(factor), adjoint(ct)))

    return factor, pullback


def _packed_cholesky(a: Any, lower: Any = False, check_finite: Any = True) -> Any:
    """The other triangle is that of `a`."""
    matrix_only(a, "cho_factor")
    c = calls.packed_cholesky(a, lower, check_finite)

    def pullback(ct: Any) -> Any:
        if lower:
            return runtime.cholesky_cotangent(np.tril(c), np.tril(ct)) + np.triu(ct, 1)
        return adjoint(runtime.cholesky_cotangent(adjoint(np.triu(c)), adjoint(np.triu(ct)))) + np.tril(ct, -1)

    return c, pullback


def _cho_factor(a: Any, lower: Any = False, overwrite_a: Any = False, check_finite: Any = True) -> Any:
    return calls.packed_cholesky(a, lower, check_finite), lower


def _lu_cotangent(left: Any, right: Any, left_ct: Any, right_ct: Any) -> Any:
    """The cotangent of a matrix, its rows in the order of the factors, from those of its factors.

    Of a wide matrix the columns after the first square, and of a tall one the rows after it, are what a factor multiplies.
    """
    k = left.shape[-1]
    first, second = left[..., :k, :], right[..., :, :k]
    first_back = np.swapaxes(linalg.inv(first, check_finite=False), -1, -2)
    second_back = np.swapaxes(linalg.inv(second, check_finite=False), -1, -2)
    below_ct = left_ct[..., k:, :] @ second_back
    beside_ct = first_back @ right_ct[..., :, k:]
    first_ct = left_ct[..., :k, :] - beside_ct @ np.swapaxes(right[..., :, k:], -1, -2)
    second_ct = right_ct[..., :, :k] - np.swapaxes(left[..., k:, :], -1, -2) @ below_ct
    inner = np.tril(np.swapaxes(first, -1, -2) @ first_ct, -1) + np.triu(second_ct @ np.swapaxes(second, -1, -2))
    square_ct = first_back @ inner @ second_back
    neither = np.zeros((*below_ct.shape[:-1], right.shape[-1] - k), dtype=below_ct.dtype)
    above, below = np.concatenate((square_ct, beside_ct), axis=-1), np.concatenate((below_ct, neither), axis=-1)
    return np.concatenate((above, below), axis=-2)


def _lu(a: Any, permute_l: Any = False, *, check_finite: Any = True, p_indices: Any = False) -> Any:
    if permute_l or p_indices:
        raise NotImplementedError("scipy.linalg.lu has a derivative with permute_l=False and p_indices=False only")
    p, left, right = linalg.lu(a, check_finite=check_finite)

    def pullback(p_ct: Any, left_ct: Any, right_ct: Any) -> Any:
        return p @ _lu_cotangent(left, right, left_ct, right_ct)

    return (p, left, right), pullback


def _lu_factor(a: Any, *, check_finite: Any = True) -> Any:
    matrix_only(a, "lu_factor")
    lu, piv = linalg.lu_factor(a, check_finite=check_finite)

    def pullback(lu_ct: Any, piv_ct: Any) -> Any:
        k = min(lu.shape)
        left, right = np.tril(lu[:, :k], -1) + np.eye(lu.shape[0], k, dtype=lu.dtype), np.triu(lu[:k])
        rows_ct = _lu_cotangent(left, right, np.tril(lu_ct[:, :k], -1), np.triu(lu_ct[:k]))
        a_ct = np.zeros_like(rows_ct)
        a_ct[calls.row_order(piv)] = rows_ct
        return a_ct

    return (lu, piv), pullback


def _qr(a: Any, *, mode: Any = "full", pivoting: Any = False, check_finite: Any = True) -> Any:
    one_only(a, "qr")
    if pivoting:
        raise NotImplementedError("scipy.linalg.qr has no derivative with pivoting=True")
    if mode == "r":
        raise NotImplementedError("scipy.linalg.qr has no derivative with mode='r': take the second of mode='economic'")
    if mode != "economic":
        raise NotImplementedError("of scipy.linalg.qr with a mode other than 'economic' columns are not determined")
    q, r = linalg.qr(a, mode="economic", check_finite=check_finite)

    def pullback(q_ct: Any, r_ct: Any) -> Any:
        return qr_cotangent(a, q, r, q_ct, r_ct)

    return (q, r), pullback


def _svd(
    a: Any, full_matrices: Any = True, compute_uv: Any = True, *, check_finite: Any = True, lapack_driver: Any = "gesdd"
) -> Any:
    one_only(a, "svd")
    if not compute_uv:

        def pullback_of_values(ct: Any) -> Any:
            left, s, right = linalg.svd(a, full_matrices=False, check_finite=False, lapack_driver=lapack_driver)
            return runtime.singular_values_cotangent(a, left, s, right, ct, False)

        values = linalg.svd(a, compute_uv=False, check_finite=check_finite, lapack_driver=lapack_driver)
        return values, pullback_of_values
    if full_matrices:
        square_only(a)
    u, s, v = linalg.svd(a, full_matrices=False, check_finite=check_finite, lapack_driver=lapack_driver)

    def pullback(u_ct: Any, s_ct: Any, v_ct: Any) -> Any:
        return svd_cotangent(a, u, s, v, u_ct, s_ct, v_ct)

    return (u, s, v), pullback


def _svdvals(a: Any, *, check_finite: Any = True) -> Any:
    def pullback(ct: Any) -> Any:
        left, s, right = np.linalg.svd(a, full_matrices=False)
        return runtime.singular_values_cotangent(a, left, s, right, ct, False)

    return linalg.svdvals(a, check_finite=check_finite), pullback


def _eigh(
    a: Any, b: Any = None, *, lower: Any = True, eigvals_only: Any = False, check_finite: Any = True, driver: Any = None
) -> Any:
    """Of eigenvectors without a cotangent no gap between eigenvalues is divided by."""
    one_only(a, "eigh")
    if b is not None:
        real_only(a, "eigh of two matrices")
    if eigvals_only:

        def pullback_of_values(ct: Any) -> Any:
            w, v = linalg.eigh(a, b, lower=lower, check_finite=False, driver=driver)
            return _of_eigenvalues(a, b, w, v, ct, lower)

        values = linalg.eigh(a, b, lower=lower, eigvals_only=True, check_finite=check_finite, driver=driver)
        return values, pullback_of_values
    w, v = linalg.eigh(a, b, lower=lower, check_finite=check_finite, driver=driver)

    def pullback(w_ct: Any, v_ct: Any) -> Any:
        if b is None:
            return read_part(eigh_cotangent(a, w, v, w_ct, v_ct, lower), lower)
        turned = np.swapaxes(v, -1, -2)
        one = np.eye(np.shape(w)[-1], dtype=w.dtype)
        along = turned @ v_ct
        a_ct = runtime.over_gaps(w, along) + one * np.expand_dims(w_ct, -2)
        b_ct = -(a_ct * np.expand_dims(w, -2)) - 0.5 * (one * along)
        return read_part(v @ a_ct @ turned, lower), read_part(v @ b_ct @ turned, lower)

    return (w, v), pullback


def _of_eigenvalues(a: Any, b: Any, w: Any, v: Any, ct: Any, lower: Any) -> Any:
    """The cotangents of the matrices of an eigenproblem from that of its values; of two matrices, which are real, by vectors."""
    if b is None:
        return read_part(runtime.eigenvalues_cotangent(a, w, v, ct, lower), lower)
    return read_part((v * ct) @ v.T, lower), read_part(-(v * (ct * w)) @ v.T, lower)


def _eigvalsh(a: Any, b: Any = None, *, lower: Any = True, check_finite: Any = True) -> Any:
    if b is not None or not lower:
        one_only(a, "eigvalsh")
    if b is not None:
        real_only(a, "eigvalsh of two matrices")

    def pullback(ct: Any) -> Any:
        w, v = np.linalg.eigh(a) if np.ndim(a) > 2 else linalg.eigh(a, b, lower=lower, check_finite=False)
        return _of_eigenvalues(a, b, w, v, ct, lower)

    return linalg.eigvalsh(a, b, lower=lower, check_finite=check_finite), pullback


def _eigh_tridiagonal(
    d: Any,
    e: Any,
    eigvals_only: Any = False,
    select: Any = "a",
    select_range: Any = None,
    check_finite: Any = True,
    tol: Any = 0.0,
    lapack_driver: Any = "auto",
) -> Any:
    """As `_eigh`, of which the cotangent of the matrix is read at the two diagonals; `select`: all values, or some by number."""
    if select not in ("a", "i"):
        raise NotImplementedError("scipy.linalg.eigh_tridiagonal has a derivative with select='a' or select='i'")
    if eigvals_only:

        def pullback_of_values(ct: Any) -> Any:
            _, v = linalg.eigh_tridiagonal(d, e, False, select, select_range, False, tol, lapack_driver)
            return (v * v) @ ct, 2.0 * (v[:-1] * v[1:]) @ ct

        values = linalg.eigh_tridiagonal(d, e, True, select, select_range, check_finite, tol, lapack_driver)
        return values, pullback_of_values
    w, v = linalg.eigh_tridiagonal(d, e, False, select, select_range, check_finite, tol, lapack_driver)
    first = 0 if select == "a" else select_range[0]

    def pullback(w_ct: Any, v_ct: Any) -> Any:
        all_w, all_v = (w, v) if select == "a" else linalg.eigh_tridiagonal(d, e)
        same = np.eye(all_w.shape[0], w.shape[0], -first, dtype=w.dtype)
        gaps = (1.0 - same) / (w[None, :] - all_w[:, None] + same)
        a_ct = (all_v @ (gaps * (all_v.T @ v_ct)) + v * w_ct[None, :]) @ v.T
        return np.diagonal(a_ct), np.diagonal(a_ct, 1) + np.diagonal(a_ct, -1)

    return (w, v), pullback


def _eigvalsh_tridiagonal(
    d: Any,
    e: Any,
    select: Any = "a",
    select_range: Any = None,
    check_finite: Any = True,
    tol: Any = 0.0,
    lapack_driver: Any = "auto",
) -> Any:
    return linalg.eigh_tridiagonal(d, e, True, select, select_range, check_finite, tol, lapack_driver)


def _of_diagonals(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | Several | None:
    """The types of the eigenvalues of a matrix that is given by its diagonals, and of its eigenvectors."""
    given = dict(zip(("eigvals_only", "select", "select_range"), args[2:], strict=False)) | dict(kwargs)
    match args[:2]:
        case (Var(_, Array(d, (n,))), Var(_, Array(e, (_,)))) if (dtype := np.result_type(d, e).name) in ("float64", "float32"):
            count: Size = n if given.get("select", Lit("a")) == Lit("a") else Dim("?*")
            values = Array(dtype, (count,))
            if given.get("eigvals_only", Lit(False)) == Lit(True):
                return values
            return Several((values, Array(dtype, (n, count))), tuple)
        case _:
            return None


_M = np.array([[1.0, 2.0, -0.5], [0.25, -1.0, 3.0]])
_S = np.array([[2.0, 0.5], [-0.25, 1.5]])
_SPD = np.array([[2.0, 0.5, 0.25], [0.5, 1.5, -0.5], [0.25, -0.5, 3.0]])

RECORDS: tuple[Primitive, ...] = (
    general(linalg.cholesky, _cholesky, (_SPD,), (_SPD, True), of_complex=True),
    general(calls.packed_cholesky, _packed_cholesky, (_SPD,), (_SPD, True), of_complex=True),
    general(linalg.lu, _lu, (_S,), (_M,), (_M.T,), constant=(0,), of_complex=True),
    general(linalg.lu_factor, _lu_factor, (_S,), constant=(1,), of_complex=True),
    general(linalg.qr, _qr, of_complex=True),
    general(linalg.svd, _svd, (_S, False), (_M, False), (_M.T, False), of_complex=True),
    general(linalg.svdvals, _svdvals, (_M,), of_complex=True),
    general(linalg.eigh, _eigh, of_complex=True),
    general(linalg.eigh_tridiagonal, _eigh_tridiagonal, result=_of_diagonals),
    general(linalg.eigvalsh, _eigvalsh, (_SPD,), (_SPD, np.eye(3) + 0.1 * _SPD), of_complex=True),
)

DEFINITIONS: tuple[Definition, ...] = (
    Definition(linalg.cho_factor, _cho_factor, only={"overwrite_a": (False,)}),
    Definition(linalg.eigvalsh_tridiagonal, _eigvalsh_tridiagonal),
)
