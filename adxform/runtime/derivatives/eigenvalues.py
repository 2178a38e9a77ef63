"""Derivatives of eigenvalues, singular values and their vectors, by divided differences over the gaps between them."""

from __future__ import annotations

from typing import Any

import numpy as np


def eigenvalues_cotangent(a: Any, w: Any, v: Any, ct: Any, lower: Any) -> Any:
    """Return the cotangent of the matrix `a`, taken as a whole, from that of its eigenvalues `w`; `v`: their eigenvectors.

    >>> eigenvalues_cotangent(np.diag([2.0, 3.0]), np.array([2.0, 3.0]), np.eye(2), np.array([1.0, 5.0]), True)
    array([[1., 0.],
           [0., 5.]])
    """
    return (v.conj() * ct[..., None, :]) @ np.swapaxes(v, -1, -2)


def eigenvalues_tangent(a: Any, w: Any, v: Any, change: Any, lower: Any) -> Any:
    """Return the tangent of the eigenvalues `w` of the matrix `a` that moves by `change`, of which all is read."""
    return np.sum(v.conj() * (change @ v), axis=-2).real


def singular_values_cotangent(a: Any, u: Any, s: Any, v: Any, ct: Any, hermitian: Any) -> Any:
    """Return the cotangent of the matrix `a` from that of its singular values `s`, which have the vectors `u` and `v`."""
    return (u * ct[..., None, :]).conj() @ v.conj()


def singular_values_tangent(a: Any, u: Any, s: Any, v: Any, change: Any, hermitian: Any) -> Any:
    """Return the tangent of the singular values `s` of the matrix `a` that moves by `change`."""
    return np.sum(u.conj() * (change @ np.swapaxes(v.conj(), -1, -2)), axis=-2).real


def over_values(s: Any, of: Any) -> Any:
    """Return ``of / s``, by singular values, and NaN where rounding alone may tell one from zero and the quotient is large.

    >>> over_values(np.array([2.0, 1e-17, 1e-18]), np.array([1.0, 1.0, 2e-18]))
    array([0.5, nan, 2. ])
    """
    rounding = 8 * s.shape[-1] * np.finfo(s.dtype).eps * np.max(s, axis=-1, keepdims=True, initial=0.0)
    sizes = np.abs(of)
    small = sizes * rounding <= 1e-6 * s * np.max(sizes, axis=-1, keepdims=True, initial=0.0)
    sure = (s > rounding) | (small & (s > 0)) | (of == 0)
    return np.where(sure, of / np.where(s > 0, s, 1.0), np.nan).astype(of.dtype)


def divided_differences(w: Any, of: Any, m: Any) -> Any:
    """Return the elements ``m[i, j]`` times ``(of[i] - of[j]) / (w[i] - w[j])``, and zero for those on the diagonal.

    Where two numbers in `w` are equal, or are told apart by nothing but rounding, the quotient is not known: the product is NaN,
    unless nothing is multiplied. Where rounding tells them apart and both numbers in `of` are zero, it is zero as well.

    >>> divided_differences(np.array([1.0, 1.0, 3.0]), np.array([1.0, 1.0, 9.0]), np.array([[5, 0, 1], [0, 5, 1], [1, 1, 5.0]]))
    array([[0., 0., 4.],
           [0., 0., 4.],
           [4., 4., 0.]])
    """
    gaps, tied = _gaps(w)
    nothing = (of[..., :, None] == 0) & (of[..., None, :] == 0) & (gaps != 0)
    quotients = (of[..., :, None] - of[..., None, :]) / np.where(tied, 1.0, gaps)
    quotients = np.where(tied, np.where(nothing, 0.0, np.nan), quotients)
    moving = ~np.eye(w.shape[-1], dtype=bool) & (m != 0)
    return (np.where(moving, quotients, 0.0) * np.where(moving, m, 0.0)).astype(m.dtype)


def over_gaps(w: Any, m: Any) -> Any:
    """Return the elements ``m[i, j] / (w[j] - w[i])``, and zero for those on the diagonal: how eigenvectors turn.

    Where two numbers in `w` are equal, or are told apart by nothing but rounding, that is NaN, unless nothing is divided.

    >>> over_gaps(np.array([1.0, 1.0, 3.0]), np.array([[5, 0, 1], [0, 5, 1], [1, 1, 5.0]]))
    array([[ 0. ,  0. ,  0.5],
           [ 0. ,  0. ,  0.5],
           [-0.5, -0.5,  0. ]])
    """
    gaps, tied = _gaps(w)
    moving = ~np.eye(w.shape[-1], dtype=bool) & (m != 0)
    quotients = np.where(moving, m, 0.0) / np.where(tied, 1.0, -gaps)
    return np.where(moving & tied, np.nan, np.where(moving, quotients, 0.0)).astype(m.dtype)


def sums_over_gaps(w: Any, one: Any, other: Any) -> Any:
    """Return the sums over `j` of ``one[i, j] * other[j, i] + other[i, j] * one[j, i]`` over ``w[i] - w[j]``.

    It is the transpose of `divided_differences` in ``of``, and NaN where that is.
    """
    gaps, tied = _gaps(w)
    products = one * np.swapaxes(other, -1, -2)
    products = np.where(np.eye(w.shape[-1], dtype=bool), 0.0, products if np.iscomplexobj(w) else products.real)
    products = products + np.swapaxes(products, -1, -2)
    terms = np.where(tied, np.where(products == 0, 0.0, np.nan), products / np.where(tied, 1.0, gaps))
    return np.sum(terms, axis=-1).astype(w.dtype)


def _gaps(w: Any) -> tuple[Any, Any]:
    """The differences of the numbers in `w`, and where there are none, or none but the rounding of eigenvalues."""
    gaps = w[..., :, None] - w[..., None, :]
    sizes = np.max(np.abs(w), axis=-1, keepdims=True, initial=0.0)[..., None]
    return gaps, ~(np.abs(gaps) > 8 * w.shape[-1] * np.finfo(w.dtype).eps * sizes)
