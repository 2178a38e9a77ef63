"""Eigenvalues and eigenvectors of symmetric and Hermitian matrices, of which one triangle is read.

The derivative of eigenvalues is made of two functions, its cotangent and its tangent. What these move by is a matrix of divided
differences; eigenvectors, whose derivatives divide by each gap before they are added up, are not differentiated. Both say NaN of
eigenvalues that are equal, or that rounding alone tells apart: the quotient of two roundings is a number like any other.

Source: Giles, "Collected matrix derivative results for forward and reverse mode algorithmic differentiation" (2008), section 3.1;
the divided differences: Daleckii and Krein, see Higham, "Functions of Matrices" (2008), theorem 3.11.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from adxform import runtime
from adxform.primitives.complex_numbers import adjoint, conjugate
from adxform.primitives.contraction_types import differences_result, eigh_result, factor_result, numbers_result
from adxform.primitives.declare import general
from adxform.primitives.families.spectral_pairs import of_matrix
from adxform.primitives.record import Primitive


def lower_part(s: Any) -> Any:
    """The cotangent of a Hermitian matrix of which only the lower triangle is read, from one that takes it as a whole."""
    both = 0.5 * (s + adjoint(s))
    return np.tril(both) + np.tril(both, -1)


def completed(a: Any, lower: Any = True) -> Any:
    """The Hermitian matrix of which `a` has the lower triangle, or the upper one."""
    part = np.tril(a) + np.tril(a, -1) if lower else np.triu(a) + np.triu(a, 1)
    return 0.5 * (part + adjoint(part))


def read_part(s: Any, lower: Any) -> Any:
    """As `lower_part`, or the same of the upper triangle."""
    if lower:
        return lower_part(s)
    both = 0.5 * (s + adjoint(s))
    return np.triu(both) + np.triu(both, 1)


def _eigvalsh(a: Any, UPLO: Any = "L") -> Any:
    y = np.linalg.eigvalsh(a, UPLO)

    def pullback(ct: Any) -> Any:
        w, v = np.linalg.eigh(a, UPLO)
        lower = UPLO in ("L", "l")
        return read_part(runtime.eigenvalues_cotangent(a, w, v, ct, lower), lower)

    return y, pullback


def _values_moved_twice(w: Any, v: Any, change: Any, other: Any) -> Any:
    turned = adjoint(v)
    return runtime.sums_over_gaps(w, turned @ change @ v, turned @ other @ v)


def _moved(w: Any, v: Any, ct: Any, change: Any) -> Any:
    """How the cotangent of a matrix changes with that, from the cotangent `ct` of its eigenvalues."""
    inner = runtime.divided_differences(w, ct, adjoint(v) @ change @ v)
    return runtime.masked_matmul(runtime.masked_matmul(conjugate(v), np.swapaxes(inner, -1, -2)), np.swapaxes(v, -1, -2))


def _divided_differences(w: Any, of: Any, m: Any) -> Any:
    y = runtime.divided_differences(w, of, m)

    def pullback(ct: Any) -> Any:
        turned = np.swapaxes(ct, -1, -2)
        w_ct = -runtime.sums_over_gaps(w, y, turned)
        return w_ct, runtime.sums_over_gaps(w, m, turned), runtime.divided_differences(w, of, ct)

    return y, pullback


def _tangent_of_differences(y: Any, args: Any, args_t: Any) -> Any:
    w, of, m = args
    total = 0.0
    if not isinstance(args_t[0], float):
        total = total - runtime.divided_differences(w, args_t[0], y)
    if not isinstance(args_t[1], float):
        total = total + runtime.divided_differences(w, args_t[1], m)
    if not isinstance(args_t[2], float):
        total = total + runtime.divided_differences(w, of, args_t[2])
    return total


def _over_gaps(w: Any, m: Any) -> Any:
    y = runtime.over_gaps(w, m)

    def pullback(ct: Any) -> Any:
        return -runtime.sums_over_gaps(w, y, np.swapaxes(ct, -1, -2)), runtime.over_gaps(w, ct)

    return y, pullback


def _tangent_over_gaps(y: Any, args: Any, args_t: Any) -> Any:
    if isinstance(args_t[0], float):
        return runtime.over_gaps(args[0], args_t[1])
    turned = runtime.divided_differences(args[0], args_t[0], y)
    return -turned if isinstance(args_t[1], float) else runtime.over_gaps(args[0], args_t[1]) - turned


def _sums_over_gaps(w: Any, one: Any, other: Any) -> Any:
    def pullback(ct: Any) -> Any:
        moved = runtime.divided_differences(w, ct, one)
        one_ct = np.swapaxes(runtime.divided_differences(w, ct, other), -1, -2)
        return -runtime.sums_over_gaps(w, moved, other), one_ct, np.swapaxes(moved, -1, -2)

    return runtime.sums_over_gaps(w, one, other), pullback


def _tangent_of_sums(y: Any, args: Any, args_t: Any) -> Any:
    w, one, other = args
    total = 0.0
    if not isinstance(args_t[0], float):
        total = total - runtime.sums_over_gaps(w, runtime.divided_differences(w, args_t[0], one), other)
    if not isinstance(args_t[1], float):
        total = total + runtime.sums_over_gaps(w, args_t[1], other)
    if not isinstance(args_t[2], float):
        total = total + runtime.sums_over_gaps(w, one, args_t[2])
    return total


def _eigh(a: Any, UPLO: Any = "L") -> Any:
    """Where eigenvectors have no cotangent, no gap between eigenvalues is divided by.

    Complex eigenvectors are determined but for a factor each, of size one. Here they move at right angles to themselves: what
    does not depend on these factors has its derivative, what does has one of another choice of them than LAPACK's.
    """
    w, v = np.linalg.eigh(a, UPLO)

    def pullback(w_ct: Any, v_ct: Any) -> Any:
        return read_part(eigh_cotangent(a, w, v, w_ct, v_ct, UPLO in ("L", "l")), UPLO in ("L", "l"))

    return (w, v), pullback


def eigh_cotangent(a: Any, w: Any, v: Any, w_ct: Any, v_ct: Any, lower: Any) -> Any:
    """The cotangent of a Hermitian matrix, taken as a whole, from those of its eigenvalues `w` and its eigenvectors `v`."""
    if np.iscomplexobj(v):
        turned, other = np.swapaxes(v, -1, -2), conjugate(v)
        inner = runtime.masked_matmul(other, runtime.over_gaps(w, turned @ v_ct))
        of_vectors = runtime.masked_matmul(inner, turned)
    else:
        of_vectors = runtime.eigenvectors_cotangent(a, w, v, v_ct, lower)
    return of_vectors + runtime.eigenvalues_cotangent(a, w, v, w_ct, lower)


def _turned(w: Any, v: Any, ct: Any, change: Any) -> Any:
    """How the cotangent of a matrix changes with that, from the cotangent `ct` of its eigenvectors.

    No gap between two others takes part in how an eigenvector turns. Not of complex ones: a choice of their factors makes no
    function of the matrix, the order of two derivatives would matter.
    """
    ct_v, change_v = _resolved(w, v, ct), change @ v
    moved = _resolved(w, v, change_v)
    inner = np.swapaxes(change, -1, -2) @ ct_v - ct_v * along(v, change_v) - runtime.masked_product(moved, along(v, ct))
    whole = _resolved(w, v, inner) - v * along(ct_v, moved)
    return runtime.masked_matmul(whole, np.swapaxes(v, -1, -2)) + runtime.masked_matmul(ct_v, np.swapaxes(moved, -1, -2))


def _vectors_moved_twice(w: Any, v: Any, change: Any, other: Any) -> Any:
    one_v, other_v = change @ v, other @ v
    one_t, other_t = _resolved(w, v, one_v), _resolved(w, v, other_v)
    inner = other @ one_t - one_t * along(v, other_v) + change @ other_t - other_t * along(v, one_v)
    return _resolved(w, v, inner) - v * along(one_t, other_t)


def _resolved(w: Any, v: Any, columns: Any) -> Any:
    """The reduced resolvent of the matrix at each of its eigenvalues, times one of `columns`: see Higham, section 3.1."""
    return v @ runtime.over_gaps(w, np.swapaxes(v, -1, -2) @ columns)


def along(one: Any, other: Any) -> Any:
    """The products of the columns of two matrices: a row."""
    return np.sum(runtime.masked_product(one, other), axis=-2, keepdims=True)


_SPD = np.array([[2.0, 0.5, 0.25], [0.5, 1.5, -0.5], [0.25, -0.5, 3.0]])
_W = np.array([0.5, 1.5, 4.0])
_V = np.array([1.0, -0.5, 2.0])
_SPDS = np.array([[[2.0, 0.5], [0.5, 1.5]], [[1.0, -0.25], [-0.25, 3.0]]])

RECORDS: tuple[Primitive, ...] = (
    general(np.linalg.eigvalsh, _eigvalsh, (_SPD,), (_SPD, "U"), of_complex=True),
    general(np.linalg.eigh, _eigh, (_SPD,), (_SPDS,), (_SPD, "U"), result=eigh_result, of_complex=True),
    *of_matrix(
        runtime.eigenvalues_cotangent,
        runtime.eigenvalues_tangent,
        _moved,
        _values_moved_twice,
        completed=completed,
        read=read_part,
        results=(factor_result, numbers_result),
        linear_in=(3,),
        of_complex=True,
    ),
    *of_matrix(
        runtime.eigenvectors_cotangent,
        runtime.eigenvectors_tangent,
        _turned,
        _vectors_moved_twice,
        completed=completed,
        read=read_part,
        results=(factor_result, factor_result),
        linear_in=(3,),
    ),
    general(
        runtime.divided_differences,
        _divided_differences,
        (_W, _V, _SPD),
        tangent=_tangent_of_differences,
        result=differences_result,
        linear_in=(2,),
        of_complex=True,
    ),
    general(
        runtime.over_gaps,
        _over_gaps,
        (_W, _SPD),
        tangent=_tangent_over_gaps,
        result=differences_result,
        linear_in=(1,),
        of_complex=True,
    ),
    general(
        runtime.sums_over_gaps,
        _sums_over_gaps,
        (_W, _SPD, _SPD + 0.25),
        tangent=_tangent_of_sums,
        result=numbers_result,
        linear_in=(2,),
        of_complex=True,
    ),
)
