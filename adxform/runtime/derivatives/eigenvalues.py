"""Derivatives of the eigenvalues of symmetric and Hermitian matrices, by divided differences over the gaps between them."""

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


def sums_over_gaps(w: Any, one: Any, other: Any) -> Any:
    """Return the sums over `j` of ``one[i, j] * other[j, i] + other[i, j] * one[j, i]`` over ``w[i] - w[j]``.

    It is the transpose of `divided_differences` in ``of``, and NaN where that is.
    """
    gaps, tied = _gaps(w)
    products = one * np.swapaxes(other, -1, -2)
    products = np.where(np.eye(w.shape[-1], dtype=bool), 0.0, products.real)
    products = products + np.swapaxes(products, -1, -2)
    terms = np.where(tied, np.where(products == 0, 0.0, np.nan), products / np.where(tied, 1.0, gaps))
    return np.sum(terms, axis=-1).astype(w.dtype)


def _gaps(w: Any) -> tuple[Any, Any]:
    """The differences of the numbers in `w`, and where there are none, or none but the rounding of eigenvalues."""
    gaps = w[..., :, None] - w[..., None, :]
    sizes = np.max(np.abs(w), axis=-1, keepdims=True, initial=0.0)[..., None]
    return gaps, ~(np.abs(gaps) > 8 * w.shape[-1] * np.finfo(w.dtype).eps * sizes)
