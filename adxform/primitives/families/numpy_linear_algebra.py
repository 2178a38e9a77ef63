"""Solvers and factorisations of matrices.

Source: Giles, "Collected matrix derivative results for forward and reverse mode algorithmic differentiation" (2008).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adxform import runtime
from adxform.primitives.complex_numbers import adjoint, conjugate
from adxform.primitives.contraction_types import (
    eig_result,
    eigvals_result,
    factor_result,
    lstsq_result,
    pinv_result,
    qr_result,
    solve_result,
    square_result,
)
from adxform.primitives.declare import constant, general
from adxform.primitives.families.symmetric_matrices import completed, lower_part
from adxform.primitives.record import Primitive


def _solve(a: Any, b: Any) -> Any:
    x = np.linalg.solve(a, b)

    def pullback(x_ct: Any) -> Any:
        if np.ndim(b) == 1 and np.ndim(a) > 2:  # one vector for a stack of matrices: of the many solutions each is a column
            columns = np.linalg.solve(np.swapaxes(a, -1, -2), np.expand_dims(x_ct, -1))
            return runtime.unbroadcast(-columns * np.expand_dims(x, -2), a), runtime.unbroadcast(columns[..., 0], b)
        b_ct = np.linalg.solve(np.swapaxes(a, -1, -2), x_ct)
        if np.ndim(b) == 1:
            return runtime.unbroadcast(-np.expand_dims(b_ct, -1) * np.expand_dims(x, -2), a), runtime.unbroadcast(b_ct, b)
        return runtime.unbroadcast(-(b_ct @ np.swapaxes(x, -1, -2)), a), runtime.unbroadcast(b_ct, b)

    return x, pullback


def _solve_tangent(x: Any, args: Any, args_t: Any) -> Any:
    a, b = args
    a_t, b_t = args_t
    if np.ndim(b) == 1 and np.ndim(a) > 2:
        if isinstance(a_t, float):
            return np.linalg.solve(a, b_t)
        moved = (a_t @ np.expand_dims(x, -1))[..., 0]
        return np.linalg.solve(a, np.expand_dims(b_t - moved, -1))[..., 0]
    if isinstance(a_t, float):
        return np.linalg.solve(a, runtime.broadcast_like(b_t, x))
    return np.linalg.solve(a, runtime.broadcast_like(b_t - a_t @ x, x))


def _inv(a: Any) -> Any:
    y = np.linalg.inv(a)

    def pullback(ct: Any) -> Any:
        transposed = np.swapaxes(y, -1, -2)
        return -(transposed @ ct @ transposed)

    return y, pullback


def _qr(a: Any, mode: Any = "reduced") -> Any:
    """Of a wide matrix the first columns, as many as there are rows, are factored, and the others are multiplied.

    The diagonal of the triangle is real, also where the matrix is complex: LAPACK makes it so.

    Source: Roberts and Roberts, QR and LQ decomposition matrix backpropagation algorithms for square, wide, and deep matrices and
    their software implementation (2020), arXiv:2009.10071, section 3.
    """
    if mode not in ("reduced", "r"):
        raise NotImplementedError("np.linalg.qr has a derivative with mode='reduced' and mode='r' only")
    q, r = np.linalg.qr(a)
    if mode == "r":

        def pullback_of_triangle(r_ct: Any) -> Any:
            return qr_cotangent(a, q, r, 0.0, r_ct)

        return r, pullback_of_triangle

    def pullback(q_ct: Any, r_ct: Any) -> Any:
        return qr_cotangent(a, q, r, q_ct, r_ct)

    return (q, r), pullback


def qr_cotangent(a: Any, q: Any, r: Any, q_ct: Any, r_ct: Any) -> Any:
    """The cotangent of the matrix `a` from those of its factors; NaN where its first columns depend on one another."""
    k, unknown, r_ct = np.shape(q)[-1], runtime.is_dependent(r), np.triu(r_ct)
    square, q = r[..., :k], np.where(unknown, np.nan, q)
    over, q_bar = np.where(unknown, np.nan, runtime.inverse(square)), conjugate(q)
    q_ct = q_ct + conjugate(a[..., k:]) @ adjoint(r_ct[..., k:])
    inner = square @ np.swapaxes(r_ct[..., :k], -1, -2) - runtime.masked_matmul(np.swapaxes(q_ct, -1, -2), q)
    inner = np.tril(inner)
    both = conjugate(inner) + np.swapaxes(np.tril(inner, -1), -1, -2)
    if np.iscomplexobj(inner):
        both = both + 1j * np.imag(inner) * np.eye(k, dtype=both.real.dtype)
    first = runtime.masked_matmul(q_ct + runtime.masked_matmul(q_bar, both), np.swapaxes(over, -1, -2))
    return np.concatenate((first, runtime.masked_matmul(q_bar, r_ct[..., k:])), axis=-1)


def _cholesky(a: Any, *, upper: Any = False) -> Any:
    factor = np.linalg.cholesky(a, upper=True) if upper else np.linalg.cholesky(a)

    def pullback(ct: Any) -> Any:
        if upper:
            return adjoint(runtime.cholesky_cotangent(adjoint(factor), adjoint(ct)))
        return runtime.cholesky_cotangent(factor, ct)

    return factor, pullback


def _cholesky_cotangent(factor: Any, ct: Any) -> Any:
    """Of `ct`, that is the tangent of a Cholesky factor; one inverse serves both modes and all orders.

    Source: Murray (2016), Differentiation of the Cholesky decomposition, arXiv:1602.07527, equations 8 and 10.
    """
    a_ct = runtime.cholesky_cotangent(factor, ct)

    def pullback(a_t: Any) -> Any:
        inverse = np.linalg.inv(factor)
        right = completed(a_t) @ adjoint(inverse)
        inner = np.tril(inverse @ right)
        inner = inner - 0.5 * (inner * np.eye(factor.shape[-1], dtype=factor.dtype))
        return ct @ np.swapaxes(inner, -1, -2) - (a_ct + adjoint(a_ct)) @ conjugate(right), factor @ inner

    return a_ct, pullback


def _eig(a: Any) -> Any:
    """Where eigenvectors have no cotangent, no gap between eigenvalues is divided by.

    Eigenvectors are as LAPACK gives them: of length one, and the largest of their components is real.

    Source: Boeddeker et al., On the computation of complex-valued gradients with application to statistically optimum
    beamforming (2017), arXiv:1701.00392, section 4.6; of real ones Giles, section 3.1.
    """
    w, v = np.linalg.eig(a)

    def pullback(w_ct: Any, v_ct: Any) -> Any:
        turned = np.swapaxes(v, -1, -2)
        change = runtime.over_gaps(w, turned @ _of_directions(v, v_ct))
        return np.linalg.solve(turned, change @ turned + np.expand_dims(w_ct, -1) * turned)

    return (w, v), pullback


def _eigvals(a: Any) -> Any:
    """The vectors are those of `np.linalg.eig`, whose values may come in another order."""
    y = np.linalg.eigvals(a)

    def pullback(ct: Any) -> Any:
        w, v = np.linalg.eig(a)
        turned = np.swapaxes(v, -1, -2)
        moved = np.take_along_axis(ct, runtime.pairing(w, y), axis=-1)
        return np.linalg.solve(turned, np.expand_dims(moved, -1) * turned)

    return y, pullback


def _of_directions(v: Any, v_ct: Any) -> Any:
    """The cotangent of vectors of which only the directions are determined, from that of `v`, which are scaled and turned."""
    along = np.sum(v * v_ct, axis=-2, keepdims=True)
    largest = np.argmax(np.where(np.imag(v) == 0, np.abs(v), -1.0), axis=-2, keepdims=True)
    there = np.expand_dims(np.arange(v.shape[-1]), -1) == largest
    size = np.sum(np.where(there, np.real(v), 0.0), axis=-2, keepdims=True)
    return v_ct - np.real(along) * np.conjugate(v) - 1j * np.imag(along) / size * there


def _pinv(a: Any, rcond: Any = None, hermitian: Any = False, *, rtol: Any = 1e-15) -> Any:
    """Source: Golub and Pereyra, The differentiation of pseudo-inverses and nonlinear least squares problems whose variables
    separate (1973), equation 4.12: of matrices whose rank does not change.
    """
    if rcond is None:
        y = np.linalg.pinv(a, hermitian=hermitian, rtol=rtol)
    else:
        y = np.linalg.pinv(a, rcond, hermitian=hermitian)

    def pullback(ct: Any) -> Any:
        turned, given = np.swapaxes(y, -1, -2), np.swapaxes(ct, -1, -2)
        whole = completed(a) if hermitian else a
        below = given @ (y @ adjoint(y))
        beside = y @ given
        missed = below - runtime.masked_matmul(whole, y @ below)
        missed = missed + adjoint(y) @ (beside - runtime.masked_matmul(beside @ y, whole))
        a_ct = conjugate(missed) - turned @ ct @ turned
        return lower_part(a_ct) if hermitian else a_ct

    return y, pullback


def _lstsq(a: Any, b: Any, rcond: Any = None) -> Any:
    """Of matrices whose rank does not change, as that of `np.linalg.pinv`; without residuals their cotangent is empty."""
    x, residuals, rank, s = np.linalg.lstsq(a, b, rcond)

    def pullback(x_ct: Any, residuals_ct: Any, rank_ct: Any, s_ct: Any) -> Any:
        y = np.linalg.pinv(a, rtol=max(a.shape) * np.finfo(x.dtype).eps if rcond is None else rcond)
        columns, wide_ct = (np.expand_dims(x, -1), np.expand_dims(x_ct, -1)) if np.ndim(b) == 1 else (x, x_ct)
        left = (np.expand_dims(b, -1) if np.ndim(b) == 1 else b) - a @ columns
        turned = np.swapaxes(y, -1, -2)
        b_ct = turned @ wide_ct
        given = np.swapaxes(wide_ct, -1, -2)
        missed = left @ (np.swapaxes(b_ct, -1, -2) @ adjoint(y))
        missed = missed + (adjoint(y) @ columns) @ (given - np.swapaxes(b_ct, -1, -2) @ a)
        b_ct = b_ct + 2.0 * conjugate(left) * runtime.of_length(residuals_ct, left.shape[-1], 0)
        u, _, v = np.linalg.svd(a, full_matrices=False)
        a_ct = conjugate(missed) - b_ct @ np.swapaxes(columns, -1, -2) + (conjugate(u) * s_ct) @ conjugate(v)
        return a_ct, np.reshape(b_ct, np.shape(b))

    return (x, residuals, rank, s), pullback


_V = np.array([0.5, -1.5, 2.0])
_W = np.array([1.0, 0.25])
_M = np.array([[1.0, 2.0, -0.5], [0.25, -1.0, 3.0]])
_S = np.array([[2.0, 0.5], [-0.25, 1.5]])
_SPD = np.array([[2.0, 0.5, 0.25], [0.5, 1.5, -0.5], [0.25, -0.5, 3.0]])
_SPDS = np.array([[[2.0, 0.5], [0.5, 1.5]], [[1.0, -0.25], [-0.25, 3.0]]])
_LOWER = np.array([[1.5, 0.0, 0.0], [0.25, 0.75, 0.0], [-0.5, 1.25, 2.0]])
_C = np.array([[2.0 + 1.0j, 0.5], [-0.25j, 1.5 - 0.5j]])
_T = np.arange(12.0).reshape(2, 2, 3) / 7 - 0.5

RECORDS: tuple[Primitive, ...] = (
    general(
        np.linalg.solve,
        _solve,
        (_S, _W),
        (_S, _S),
        (_S, _M),
        tangent=_solve_tangent,
        result=solve_result,
        linear_in=(1,),
        of_complex=True,
    ),
    general(
        np.linalg.inv,
        _inv,
        (_S,),
        (_SPD,),
        tangent=lambda y, args, args_t: -(y @ args_t[0] @ y),
        result=square_result,
        of_complex=True,
    ),
    general(np.linalg.cholesky, _cholesky, (_SPD,), result=square_result, of_complex=True),
    general(
        runtime.cholesky_cotangent, _cholesky_cotangent, (_LOWER, _SPD), result=factor_result, linear_in=(1,), of_complex=True
    ),
    general(
        np.linalg.qr,
        _qr,
        (_S,),
        (_M,),
        (_M.T,),
        (_T,),
        (_SPDS,),
        (_M, "r"),
        (_M.T, "r"),
        result=qr_result,
        of_complex=True,
    ),
    general(np.linalg.eig, _eig, (_C,), result=eig_result, of_complex=True),
    general(np.linalg.eigvals, _eigvals, (_C,), result=eigvals_result, of_complex=True),
    general(np.linalg.pinv, _pinv, (_S,), (_M,), (_M.T,), (_SPDS,), (_SPD, None, True), result=pinv_result, of_complex=True),
    general(np.linalg.lstsq, _lstsq, (_M.T, _V), (_M, _W), (_M.T, _M.T), result=lstsq_result, of_complex=True),
    constant(runtime.is_dependent),
    constant(np.linalg.matrix_rank),
    constant(runtime.pairing),
)
