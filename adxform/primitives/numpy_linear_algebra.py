"""Solvers and factorisations of matrices.

Source: Giles, "Collected matrix derivative results for forward and reverse mode algorithmic differentiation" (2008).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adxform import runtime
from adxform.primitives.contraction_types import (
    eigh_result,
    factor_result,
    qr_result,
    solve_result,
    square_result,
    svd_result,
)
from adxform.primitives.declare import general
from adxform.primitives.record import Primitive


def _solve(a: Any, b: Any) -> Any:
    x = np.linalg.solve(a, b)

    def pullback(x_ct: Any) -> Any:
        b_ct = np.linalg.solve(np.swapaxes(a, -1, -2), x_ct)
        if np.ndim(b) == 1:
            return runtime.unbroadcast(-np.expand_dims(b_ct, -1) * np.expand_dims(x, -2), a), runtime.unbroadcast(b_ct, b)
        return runtime.unbroadcast(-(b_ct @ np.swapaxes(x, -1, -2)), a), runtime.unbroadcast(b_ct, b)

    return x, pullback


def _solve_tangent(x: Any, args: Any, args_t: Any) -> Any:
    a = args[0]
    a_t, b_t = args_t
    if isinstance(a_t, float):
        return np.linalg.solve(a, runtime.broadcast_like(b_t, x))
    return np.linalg.solve(a, runtime.broadcast_like(b_t - a_t @ x, x))


def _inv(a: Any) -> Any:
    y = np.linalg.inv(a)

    def pullback(ct: Any) -> Any:
        transposed = np.swapaxes(y, -1, -2)
        return -(transposed @ ct @ transposed)

    return y, pullback


def lower_part(s: Any) -> Any:
    """The cotangent of a symmetric matrix of which only the lower triangle is read, from one that takes it as a whole."""
    both = 0.5 * (s + np.swapaxes(s, -1, -2))
    return np.tril(both) + np.tril(both, -1)


def _eigvalsh(a: Any) -> Any:
    y = np.linalg.eigvalsh(a)

    def pullback(ct: Any) -> Any:
        _, v = np.linalg.eigh(a)
        return lower_part((v * np.expand_dims(ct, -2)) @ np.swapaxes(v, -1, -2))

    return y, pullback


def _eigh(a: Any) -> Any:
    """Where eigenvectors have no cotangent, no gap between eigenvalues is divided by.

    Source: Giles, section 3.1.
    """
    w, v = np.linalg.eigh(a)

    def pullback(w_ct: Any, v_ct: Any) -> Any:
        turned = np.swapaxes(v, -1, -2)
        return lower_part((v @ (reciprocal_gaps(w) * (turned @ v_ct)) + v * np.expand_dims(w_ct, -2)) @ turned)

    return (w, v), pullback


def reciprocal_gaps(w: Any) -> Any:
    """One over ``w[j] - w[i]``, at ``[i, j]``, and zero where `i` is `j`."""
    one = np.eye(np.shape(w)[-1], dtype=w.dtype)
    return (1.0 - one) / (np.expand_dims(w, -2) - np.expand_dims(w, -1) + one)


def _svd(a: Any, full_matrices: Any = True, compute_uv: Any = True) -> Any:
    """Where singular vectors have no cotangent, no gap between singular values is divided by.

    Source: Townsend, Differentiating the singular value decomposition (2016), the last equation of section 1.2; of the values
    alone Giles, section 3.2.
    """
    if not compute_uv:

        def pullback_of_values(ct: Any) -> Any:
            left, _, right = np.linalg.svd(a, full_matrices=False)
            return (left * np.expand_dims(ct, -2)) @ right

        return np.linalg.svd(a, compute_uv=False), pullback_of_values
    if full_matrices:
        raise NotImplementedError("of np.linalg.svd with full_matrices=True singular vectors are not determined")
    u, s, v = np.linalg.svd(a, full_matrices=False)

    def pullback(u_ct: Any, s_ct: Any, v_ct: Any) -> Any:
        along, across, gaps = np.expand_dims(s, -1), np.expand_dims(s, -2), reciprocal_gaps(s * s)
        left, right = np.swapaxes(u, -1, -2) @ u_ct, v_ct @ np.swapaxes(v, -1, -2)
        inner = gaps * (left - np.swapaxes(left, -1, -2)) * across + along * gaps * (np.swapaxes(right, -1, -2) - right)
        rest = (u_ct - u @ left) / across
        return (u @ inner + rest + u * np.expand_dims(s_ct, -2)) @ v + u / across @ (v_ct - right @ v)

    return (u, s, v), pullback


def _qr(a: Any, mode: Any = "reduced") -> Any:
    """Of a wide matrix the first columns, as many as there are rows, are factored, and the others are multiplied.

    Source: Roberts and Roberts, QR and LQ decomposition matrix backpropagation algorithms for square, wide, and deep matrices and
    their software implementation (2020), arXiv:2009.10071, section 3.
    """
    if mode == "r":

        def pullback_of_triangle(r_ct: Any) -> Any:
            q, r = np.linalg.qr(a)
            return _qr_cotangent(q, r, _through_columns(a, q, r_ct), r_ct)

        return np.linalg.qr(a, mode="r"), pullback_of_triangle
    if mode != "reduced":
        raise NotImplementedError("np.linalg.qr has a derivative with mode='reduced' and mode='r' only")
    q, r = np.linalg.qr(a)

    def pullback(q_ct: Any, r_ct: Any) -> Any:
        return _qr_cotangent(q, r, q_ct + _through_columns(a, q, r_ct), r_ct)

    return (q, r), pullback


def _through_columns(a: Any, q: Any, r_ct: Any) -> Any:
    """The cotangent of `q` by what it makes of the other columns."""
    k = np.shape(q)[-1]
    return a[..., k:] @ np.swapaxes(r_ct[..., k:], -1, -2)


def _qr_cotangent(q: Any, r: Any, q_ct: Any, r_ct: Any) -> Any:
    k = np.shape(q)[-1]
    square = r[..., :k]
    inner = np.tril(square @ np.swapaxes(r_ct[..., :k], -1, -2) - np.swapaxes(q_ct, -1, -2) @ q)
    both = inner + np.swapaxes(np.tril(inner, -1), -1, -2)
    first = (q_ct + q @ both) @ np.swapaxes(runtime.inverse(square), -1, -2)
    return np.concatenate((first, q @ r_ct[..., k:]), axis=-1)


def _cholesky(a: Any) -> Any:
    factor = np.linalg.cholesky(a)

    def pullback(ct: Any) -> Any:
        return runtime.cholesky_cotangent(factor, ct)

    return factor, pullback


def _cholesky_cotangent(factor: Any, ct: Any) -> Any:
    """Of `ct`, that is the tangent of a Cholesky factor; one inverse serves both modes and all orders.

    Source: Murray (2016), Differentiation of the Cholesky decomposition, arXiv:1602.07527, equations 8 and 10.
    """
    a_ct = runtime.cholesky_cotangent(factor, ct)

    def pullback(a_t: Any) -> Any:
        inverse = np.linalg.inv(factor)
        lower = np.tril(a_t) + np.tril(a_t, -1)
        right = 0.5 * (lower + np.swapaxes(lower, -1, -2)) @ np.swapaxes(inverse, -1, -2)
        inner = np.tril(inverse @ right)
        inner = inner - 0.5 * (inner * np.eye(factor.shape[-1], dtype=factor.dtype))
        return ct @ np.swapaxes(inner, -1, -2) - (a_ct + np.swapaxes(a_ct, -1, -2)) @ right, factor @ inner

    return a_ct, pullback


_W = np.array([1.0, 0.25])
_M = np.array([[1.0, 2.0, -0.5], [0.25, -1.0, 3.0]])
_S = np.array([[2.0, 0.5], [-0.25, 1.5]])
_SPD = np.array([[2.0, 0.5, 0.25], [0.5, 1.5, -0.5], [0.25, -0.5, 3.0]])
_SPDS = np.array([[[2.0, 0.5], [0.5, 1.5]], [[1.0, -0.25], [-0.25, 3.0]]])
_LOWER = np.array([[1.5, 0.0, 0.0], [0.25, 0.75, 0.0], [-0.5, 1.25, 2.0]])
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
    general(np.linalg.cholesky, _cholesky, (_SPD,), result=square_result),
    general(runtime.cholesky_cotangent, _cholesky_cotangent, (_LOWER, _SPD), result=factor_result, linear_in=(1,)),
    general(np.linalg.eigvalsh, _eigvalsh, (_SPD,)),
    general(np.linalg.eigh, _eigh, (_SPD,), (_SPDS,), result=eigh_result),
    general(
        np.linalg.svd,
        _svd,
        (_S, False),
        (_M, False),
        (_M.T, False),
        (_T, False),
        (_M, True, False),
        (_T, False, False),
        result=svd_result,
    ),
    general(np.linalg.qr, _qr, (_S,), (_M,), (_M.T,), (_T,), (_SPDS,), (_M, "r"), (_M.T, "r"), result=qr_result),
)
