"""Solutions by factors that are kept, matrix functions of which the type is checked, and their derivatives."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from adxform.runtime.run_time_checks import without_derivative


def packed_cholesky(a: Any, lower: Any = False, check_finite: Any = True) -> Any:
    """Return the first result of ``scipy.linalg.cho_factor``: the factor, and in the other triangle what `a` has there."""
    return linalg.cho_factor(a, lower=lower, check_finite=check_finite)[0]


def solve_with_cholesky(c: Any, b: Any, lower: Any = False, check_finite: Any = True) -> Any:
    """Return ``scipy.linalg.cho_solve`` of a factor `c`."""
    return linalg.cho_solve((c, lower), b, check_finite=check_finite)


def solve_with_lu(lu: Any, piv: Any, b: Any, trans: Any = 0, check_finite: Any = True) -> Any:
    """Return ``scipy.linalg.lu_solve`` of packed factors and exchanges of rows."""
    return linalg.lu_solve((lu, piv), b, trans=trans, check_finite=check_finite)


def row_order(piv: Any) -> Any:
    """Return the places of the rows after the exchanges that `piv` tells, one after the other.

    >>> row_order(np.array([2, 2, 2]))
    array([2, 0, 1])
    """
    order = np.arange(len(piv))
    for row, other in enumerate(piv):
        order[[row, other]] = order[[other, row]]
    return order


def solve_with_bands(ab: Any, b: Any, lower: Any, upper: Any, check_finite: Any = True) -> Any:
    """Return ``scipy.linalg.solve_banded`` of a matrix with so many diagonals below and above its own."""
    return linalg.solve_banded((lower, upper), ab, b, check_finite=check_finite)


def solve_with_toeplitz(c: Any, r: Any, b: Any, check_finite: Any = True) -> Any:
    """Return ``scipy.linalg.solve_toeplitz`` of a first column and a first row."""
    return linalg.solve_toeplitz((c, r), b, check_finite=check_finite)


def toeplitz_product(c: Any, r: Any, x: Any, check_finite: Any, workers: Any) -> Any:
    """Return ``scipy.linalg.matmul_toeplitz`` of a first column and a first row."""
    return linalg.matmul_toeplitz((c, r), x, check_finite, workers)


def real_sqrtm(a: Any) -> Any:
    """Return ``scipy.linalg.sqrtm(a)``, which is real for a real `a`.

    Raises:
        ValueError: the principal root of a real matrix is not real, so that the kind of the result depends on its numbers.
    """
    return _as_given(linalg.sqrtm(a), a, "sqrtm")


def real_logm(a: Any) -> Any:
    """Return ``scipy.linalg.logm(a)``, which is real for a real `a`.

    Raises:
        ValueError: the principal logarithm of a real matrix is not real, so that the kind of the result depends on its numbers.
    """
    return _as_given(linalg.logm(a), a, "logm")


def _as_given(y: Any, a: Any, name: str) -> Any:
    if np.iscomplexobj(y) and not np.iscomplexobj(a):
        raise ValueError(f"scipy.linalg.{name} of this real matrix is complex: give it a complex one, `a + 0j`")
    return y


def expm_change(a: Any, change: Any) -> Any:
    """Return how ``scipy.linalg.expm(a)`` changes with `a`.

    Source: Al-Mohy and Higham (2009), Computing the Fréchet derivative of the matrix exponential, algorithm 6.4.
    """
    if a.ndim == 2:
        return linalg.expm_frechet(a, change, compute_expm=False)
    return np.stack([expm_change(one, other) for one, other in zip(a, change, strict=True)]) if len(a) else np.zeros_like(change)


def logm_change(a: Any, change: Any) -> Any:
    """Return how ``scipy.linalg.logm(a)`` changes with `a`: the corner of the function of a matrix twice as large.

    Source: Higham, Functions of Matrices (2008), theorem 3.6.
    """
    n = a.shape[-1]
    corner = linalg.logm(doubled(a, change))[..., :n, n:]
    return corner if np.iscomplexobj(a) or np.iscomplexobj(change) else corner.real


def doubled(a: Any, corner: Any) -> Any:
    """Return the matrix with `a` twice on its diagonal, and `corner` in its upper corner.

    >>> doubled(np.array([[1.0]]), np.array([[2.0]]))
    array([[1., 2.],
           [0., 1.]])
    """
    upper = np.concatenate((a, corner), axis=-1)
    return np.concatenate((upper, np.concatenate((np.zeros_like(a), a), axis=-1)), axis=-2)


def full_rank_pinv(a: Any, atol: Any = None, rtol: Any = None, check_finite: Any = True) -> Any:
    """Return ``scipy.linalg.pinv(a)`` of a matrix of full rank.

    Raises:
        UnsupportedOperationError: it is not of full rank, where the pseudoinverse jumps.
    """
    y, rank = linalg.pinv(a, atol=atol, rtol=rtol, return_rank=True, check_finite=check_finite)
    if np.any(np.asarray(rank) < min(a.shape[-2:])):
        raise without_derivative("scipy.linalg.pinv has no derivative where a matrix is not of full rank")
    return y


def full_rank_solution(a: Any, b: Any, cond: Any, check_finite: Any, lapack_driver: Any) -> Any:
    """Return the first result of ``scipy.linalg.lstsq`` for a matrix of full rank.

    Raises:
        UnsupportedOperationError: it is not of full rank, where the solution jumps.
    """
    found = linalg.lstsq(a, b, cond, check_finite=check_finite, lapack_driver=lapack_driver)
    if found[2] < min(np.shape(a)):
        raise without_derivative("scipy.linalg.lstsq has no derivative where a matrix is not of full rank")
    return found[0]


def residue_of_vector(a: Any, b: Any, cond: Any, check_finite: Any, lapack_driver: Any) -> Any:
    """Return the second result of ``scipy.linalg.lstsq`` for a vector `b`.

    Raises:
        UnsupportedOperationError: there is none, of a matrix with no more rows than columns or by LAPACK's ``gelsy``.
    """
    found = linalg.lstsq(a, b, cond, check_finite=check_finite, lapack_driver=lapack_driver)[1]
    if np.ndim(found):
        raise without_derivative("scipy.linalg.lstsq gives no residue of this matrix and this vector")
    return found


def residues_of_columns(a: Any, b: Any, cond: Any, check_finite: Any, lapack_driver: Any) -> Any:
    """Return the second result of ``scipy.linalg.lstsq`` for a matrix `b`."""
    return linalg.lstsq(a, b, cond, check_finite=check_finite, lapack_driver=lapack_driver)[1]


def values_beside(a: Any, b: Any, cond: Any, check_finite: Any, lapack_driver: Any) -> Any:
    """Return the singular values that ``scipy.linalg.lstsq`` gives beside a solution."""
    return linalg.lstsq(a, b, cond, check_finite=check_finite, lapack_driver=lapack_driver)[3]


def full_rank_pinvh(a: Any, atol: Any, rtol: Any, lower: Any, check_finite: Any) -> Any:
    """Return ``scipy.linalg.pinvh(a)`` of a matrix of full rank.

    Raises:
        UnsupportedOperationError: it is not of full rank, where the pseudoinverse jumps.
    """
    y, rank = linalg.pinvh(a, atol, rtol, lower, True, check_finite)
    if rank < len(a):
        raise without_derivative("scipy.linalg.pinvh has no derivative where a matrix is not of full rank")
    return y


def unitary_factor(a: Any, side: Any) -> Any:
    """Return the first result of ``scipy.linalg.polar`` for a matrix of full rank.

    Raises:
        UnsupportedOperationError: it is not of full rank, so that the factor is not determined.
    """
    return _of_full_rank(a, "polar", linalg.polar(a, side)[0])


def _of_full_rank(a: Any, name: str, found: Any) -> Any:
    if np.size(a) and np.linalg.matrix_rank(a) < min(a.shape):
        raise without_derivative(f"scipy.linalg.{name} has no derivative where a matrix is not of full rank")
    return found


def stretch_factor(a: Any, side: Any) -> Any:
    """Return the second result of ``scipy.linalg.polar``."""
    return _of_full_rank(a, "polar", linalg.polar(a, side)[1])


def nearest_rotation(a: Any, b: Any, check_finite: Any) -> Any:
    """Return the first result of ``scipy.linalg.orthogonal_procrustes``."""
    return _of_full_rank(a.T @ b, "orthogonal_procrustes", linalg.orthogonal_procrustes(a, b, check_finite)[0])


def nearest_scale(a: Any, b: Any, check_finite: Any) -> Any:
    """Return the second result of ``scipy.linalg.orthogonal_procrustes``."""
    return linalg.orthogonal_procrustes(a, b, check_finite)[1]


def range_basis(a: Any, rcond: Any) -> Any:
    """Return ``scipy.linalg.orth(a)`` of a matrix of full rank.

    Raises:
        UnsupportedOperationError: it is not of full rank, so that the range has fewer dimensions than nearby.
    """
    q = linalg.orth(a, rcond)
    if q.shape[1] < min(np.shape(a)):
        raise without_derivative("scipy.linalg.orth has no derivative where a matrix is not of full rank")
    return q


def null_vector(a: Any, rcond: Any, check_finite: Any, lapack_driver: Any) -> Any:
    """Return ``scipy.linalg.null_space(a)`` of at most one column.

    Raises:
        UnsupportedOperationError: there are several, which are turned against one another as LAPACK happens to do it.
    """
    y = linalg.null_space(a, rcond, check_finite=check_finite, lapack_driver=lapack_driver)
    if y.shape[1] > 1:
        raise without_derivative(
            f"scipy.linalg.null_space has a derivative of one column, and gives {y.shape[1]} here, which are not determined: of "
            "the space as a whole use `np.eye(n) - np.linalg.pinv(a) @ a`, which projects to it"
        )
    return y


def angles_between(a: Any, b: Any) -> Any:
    """Return ``scipy.linalg.subspace_angles(a, b)`` of matrices of full rank.

    Raises:
        UnsupportedOperationError: one of them is not of full rank, so that its range has fewer dimensions than nearby.
    """
    for one in (a, b):
        if np.size(one) and np.linalg.matrix_rank(one) < min(np.shape(one)):
            raise without_derivative("scipy.linalg.subspace_angles has no derivative where a matrix is not of full rank")
    return linalg.subspace_angles(a, b)


def banded_cholesky(ab: Any, lower: Any, check_finite: Any) -> Any:
    """Return ``scipy.linalg.cholesky_banded(ab)``."""
    return linalg.cholesky_banded(ab, lower=lower, check_finite=check_finite)


def solve_with_banded_cholesky(cb: Any, lower: Any, b: Any, check_finite: Any) -> Any:
    """Return ``scipy.linalg.cho_solve_banded`` of a factor `cb`."""
    return linalg.cho_solve_banded((cb, lower), b, check_finite=check_finite)


def banded_eigenvalues(a: Any, lower: Any, check_finite: Any) -> Any:
    """Return ``scipy.linalg.eigvals_banded(a)``."""
    return linalg.eigvals_banded(a, lower=lower, check_finite=check_finite)


def real_power(a: Any, t: Any) -> Any:
    """Return ``scipy.linalg.fractional_matrix_power(a, t)``, which is real for a real `a`.

    Raises:
        ValueError: the principal power of a real matrix is not real, so that the kind of the result depends on its numbers.
    """
    return _as_given(linalg.fractional_matrix_power(a, t), a, "fractional_matrix_power")


def expm_beside(a: Any, change: Any, method: Any, check_finite: Any) -> Any:
    """Return the first result of ``scipy.linalg.expm_frechet``."""
    return linalg.expm_frechet(a, change, method, True, check_finite)[0]


def change_beside(a: Any, change: Any, method: Any, check_finite: Any) -> Any:
    """Return the second result of ``scipy.linalg.expm_frechet``."""
    return linalg.expm_frechet(a, change, method, False, check_finite)
