"""Singular values and singular vectors of matrices.

The derivative of singular values is made as that of eigenvalues: see `symmetric_matrices`.

Source: Giles, "Collected matrix derivative results for forward and reverse mode algorithmic differentiation" (2008), section 3.2;
Townsend, "Differentiating the singular value decomposition" (2016); of functions of singular values Lewis and Sendov, "Twice
differentiable spectral functions" (2001).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adxform import runtime
from adxform.primitives.complex_numbers import adjoint, conjugate, real_part
from adxform.primitives.contraction_types import left_result, matrix_result, svd_result, values_result
from adxform.primitives.declare import constant, general
from adxform.primitives.families.spectral_pairs import of_matrix
from adxform.primitives.families.symmetric_matrices import along, completed, lower_part
from adxform.primitives.record import Primitive


def _svd(a: Any, full_matrices: Any = True, compute_uv: Any = True, hermitian: Any = False) -> Any:
    """Where singular vectors have no cotangent, no gap between singular values is divided by.

    Complex singular vectors are determined but for a factor of size one for each pair. Here the right ones move at right angles
    to themselves, and the left ones turn with the matrix: see `_eigh`.

    Source: Townsend, Differentiating the singular value decomposition (2016), the last equation of section 1.2; of the values
    alone Giles, section 3.2.
    """
    if not compute_uv:

        def pullback_of_values(ct: Any) -> Any:
            left, s, right = _factors(a, hermitian)
            a_ct = runtime.singular_values_cotangent(a, left, s, right, ct, hermitian)
            return _read(a_ct, hermitian)

        values = np.linalg.svd(a, compute_uv=False, hermitian=True) if hermitian else np.linalg.svd(a, compute_uv=False)
        return values, pullback_of_values
    if full_matrices and not hermitian:
        square_only(a)
    u, s, v = _factors(a, hermitian)

    def pullback(u_ct: Any, s_ct: Any, v_ct: Any) -> Any:
        a_ct = svd_cotangent(a, u, s, v, u_ct, s_ct, v_ct, hermitian)
        return _read(a_ct, hermitian)

    return (u, s, v), pullback


def square_only(a: Any) -> None:
    """Raise what says that singular vectors in full are determined of square matrices alone, where they are the reduced ones.

    LAPACK takes the same steps for both forms of these, so that values are the same bits.
    """
    if np.shape(a)[-1] != np.shape(a)[-2]:
        raise runtime.rectangular()


def svd_cotangent(a: Any, u: Any, s: Any, v: Any, u_ct: Any, s_ct: Any, v_ct: Any, hermitian: Any = False) -> Any:
    """The cotangent of a matrix from those of its singular vectors and values."""
    if np.iscomplexobj(u):
        of_vectors = _complex_vectors_cotangent(u, s, v, u_ct, v_ct)
    else:
        left = runtime.left_vectors_cotangent(a, u, s, v, u_ct, hermitian)
        across = a if hermitian else np.swapaxes(a, -1, -2)
        rows, columns, columns_ct = np.swapaxes(u, -1, -2), np.swapaxes(v, -1, -2), np.swapaxes(v_ct, -1, -2)
        right = runtime.left_vectors_cotangent(across, columns, s, rows, columns_ct, hermitian)
        of_vectors = left + np.swapaxes(right, -1, -2)
    return of_vectors + runtime.singular_values_cotangent(a, u, s, v, s_ct, hermitian)


def _complex_vectors_cotangent(u: Any, s: Any, v: Any, u_ct: Any, v_ct: Any) -> Any:
    """What turns alike on both sides is divided by sums of values, so that in small gaps no digits of it are lost."""
    u_bar, v_bar = conjugate(u), conjugate(v)
    left, right = np.swapaxes(u, -1, -2) @ u_ct, v_ct @ np.swapaxes(v, -1, -2)
    turned, back = left - adjoint(left), right - adjoint(right)
    inner = runtime.over_sums(s, 0.5 * (turned + back))
    inner = inner + runtime.over_gaps(s, 0.5 * turned) - runtime.over_gaps(s, 0.5 * back)
    inner = inner + 1j * np.imag(left) * np.eye(s.shape[-1], dtype=s.dtype) / np.expand_dims(s, -2)
    below = runtime.masked_product(_outside(u_ct - u_bar @ left), runtime.inverted(s))
    beside = runtime.masked_product(np.swapaxes(runtime.inverted(s), -1, -2), _outside(v_ct - right @ v_bar))
    both = runtime.masked_matmul(u_bar, inner) + below
    return runtime.masked_matmul(both, v_bar) + runtime.masked_matmul(u_bar, beside)


def _outside(rest: Any) -> Any:
    """What is `rest` of the cotangent of vectors outside of the space of all of them: nothing where they are a basis."""
    return np.where(rest.shape[-2] == rest.shape[-1], 0.0, rest)


def _read(a_ct: Any, hermitian: Any) -> Any:
    return lower_part(a_ct) if hermitian else a_ct


def _completed(a_t: Any, hermitian: Any) -> Any:
    return completed(a_t) if hermitian else a_t


def _values_moved_twice(u: Any, s: Any, v: Any, change: Any, a_t: Any) -> Any:
    one, other = adjoint(u) @ change @ adjoint(v), adjoint(u) @ a_t @ adjoint(v)
    moved = runtime.sums_over_gaps(s, 0.5 * (one + adjoint(one)), 0.5 * (other + adjoint(other)))
    turned, back = 0.5 * (one - adjoint(one)), 0.5 * conjugate(other - adjoint(other))
    sums = np.expand_dims(s, -1) + np.expand_dims(s, -2)
    moved = moved + 2.0 * np.sum(runtime.masked_product(real_part(turned * back), 1.0 / sums), axis=-1)
    below = real_part((change @ adjoint(v) - u @ one) * conjugate(a_t @ adjoint(v) - u @ other))
    beside = real_part((adjoint(u) @ change - one @ v) * conjugate(adjoint(u) @ a_t - other @ v))
    return moved + runtime.over_values(s, np.sum(below, axis=-2) + np.sum(beside, axis=-1))


def _moved(u: Any, s: Any, v: Any, ct: Any, change: Any) -> Any:
    """How the cotangent of a matrix changes with that, from the cotangent `ct` of its singular values.

    What is symmetric between the vectors has divided differences, what is not has sums over sums.
    """
    inner = adjoint(u) @ change @ adjoint(v)
    sums = np.expand_dims(ct, -1) + np.expand_dims(ct, -2)
    turned = runtime.masked_product(0.5 * (inner - adjoint(inner)), sums / (np.expand_dims(s, -1) + np.expand_dims(s, -2)))
    within = runtime.divided_differences(s, ct, 0.5 * (inner + adjoint(inner))) + turned
    scaled = runtime.over_values(s, ct)
    below = change @ adjoint(v) - u @ inner
    beside = adjoint(u) @ change - inner @ v
    whole = runtime.masked_matmul(u, within) + runtime.masked_product(below, np.expand_dims(scaled, -2))
    whole = runtime.masked_matmul(whole, v) + runtime.masked_matmul(u, runtime.masked_product(np.expand_dims(scaled, -1), beside))
    return conjugate(whole)


def _vectors_moved_twice(u: Any, s: Any, v: Any, change: Any, a_t: Any) -> Any:
    columns = np.swapaxes(v, -1, -2)
    one, other = a_t @ columns, change @ columns
    one_u, one_v = _resolved(u, s, columns, one, np.swapaxes(a_t, -1, -2) @ u)
    other_u, other_v = _resolved(u, s, columns, other, np.swapaxes(change, -1, -2) @ u)
    one_s, other_s = along(u, one), along(u, other)
    inner = a_t @ other_v - other_u * one_s + change @ one_v - one_u * other_s
    across = np.swapaxes(a_t, -1, -2) @ other_u - other_v * one_s + np.swapaxes(change, -1, -2) @ one_u - one_v * other_s
    return _resolved(u, s, columns, inner, across)[0] - u * along(one_u, other_u)


def _turned(u: Any, s: Any, v: Any, ct: Any, change: Any) -> Any:
    """How the cotangent of a matrix changes with that, from the cotangent `ct` of its left singular vectors.

    Two vectors of one value are an eigenvector of a larger matrix: see `symmetric_matrices`.

    Source: Golub and Van Loan, "Matrix Computations" (2013), section 8.6.1.
    """
    columns, back = np.swapaxes(v, -1, -2), np.swapaxes(change, -1, -2)
    ct_u, ct_v = _resolved(u, s, columns, ct, np.zeros_like(columns))
    moved_u, moved_v = _resolved(u, s, columns, change @ columns, back @ u)
    s_t = along(u, change @ columns)
    inner = change @ ct_v - ct_u * s_t - runtime.masked_product(moved_u, along(u, ct))
    whole_u, whole_v = _resolved(u, s, columns, inner, back @ ct_u - ct_v * s_t)
    scaled = along(ct_u, moved_u) + along(ct_v, moved_v)
    whole = runtime.masked_matmul(whole_u - u * scaled, v) + runtime.masked_matmul(u, np.swapaxes(whole_v, -1, -2))
    turned = runtime.masked_matmul(ct_u, np.swapaxes(moved_v, -1, -2))
    return whole + turned + runtime.masked_matmul(moved_u, np.swapaxes(ct_v, -1, -2))


def _resolved(u: Any, s: Any, columns: Any, of_u: Any, of_v: Any) -> Any:
    """The reduced resolvent of the larger matrix at each singular value, times a column of `of_u` above one of `of_v`.

    What would make one of the two vectors longer, and the other shorter, is left out.
    """
    left, right = np.swapaxes(u, -1, -2) @ of_u, np.swapaxes(columns, -1, -2) @ of_v
    alike, apart = runtime.over_gaps(s, 0.5 * (left + right)), runtime.over_sums(s, 0.5 * (left - right))
    below = runtime.masked_product(_outside(of_u - u @ left), runtime.inverted(s))
    beside = runtime.masked_product(_outside(of_v - columns @ right), runtime.inverted(s))
    return u @ (alike + apart) + below, columns @ (alike - apart) + beside


def _over_values(s: Any, of: Any) -> Any:
    y = runtime.over_values(s, of)

    def pullback(ct: Any) -> Any:
        return -runtime.over_values(s, ct * y), runtime.over_values(s, ct)

    return y, pullback


def _tangent_over_values(y: Any, args: Any, args_t: Any) -> Any:
    if isinstance(args_t[0], float):
        return runtime.over_values(args[0], args_t[1])
    turned = runtime.over_values(args[0], args_t[0] * y)
    return -turned if isinstance(args_t[1], float) else runtime.over_values(args[0], args_t[1]) - turned


def _factors(a: Any, hermitian: Any) -> Any:
    return np.linalg.svd(a, hermitian=True) if hermitian else np.linalg.svd(a, full_matrices=False)


_V = np.array([0.5, -1.5, 2.0])
_M = np.array([[1.0, 2.0, -0.5], [0.25, -1.0, 3.0]])
_S = np.array([[2.0, 0.5], [-0.25, 1.5]])
_SPD = np.array([[2.0, 0.5, 0.25], [0.5, 1.5, -0.5], [0.25, -0.5, 3.0]])
_T = np.arange(12.0).reshape(2, 2, 3) / 7 - 0.5

RECORDS: tuple[Primitive, ...] = (
    general(
        np.linalg.svd,
        _svd,
        (_S, False),
        (_M, False),
        (_M.T, False),
        (_T, False),
        (_M, True, False),
        (_T, False, False),
        (_SPD, True, True, True),
        (_SPD, True, False, True),
        result=svd_result,
        of_complex=True,
    ),
    *of_matrix(
        runtime.singular_values_cotangent,
        runtime.singular_values_tangent,
        _moved,
        _values_moved_twice,
        completed=_completed,
        read=_read,
        results=(matrix_result, values_result),
        linear_in=(4,),
        of_complex=True,
    ),
    *of_matrix(
        runtime.left_vectors_cotangent,
        runtime.left_vectors_tangent,
        _turned,
        _vectors_moved_twice,
        completed=_completed,
        read=_read,
        results=(matrix_result, left_result),
        linear_in=(4,),
    ),
    constant(runtime.is_rounding),
    general(runtime.over_values, _over_values, (_V * _V, _V), tangent=_tangent_over_values, linear_in=(1,)),
)
