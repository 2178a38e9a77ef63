"""Derivatives of eigenvalues, singular values and their vectors, by divided differences over the gaps between them."""

from __future__ import annotations

from typing import Any

import numpy as np

from adxform.runtime.derivatives.masked import masked_matmul, masked_product


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


def eigenvectors_cotangent(a: Any, w: Any, v: Any, ct: Any, lower: Any) -> Any:
    """Return the cotangent of the real symmetric matrix `a`, taken as a whole, from that of its eigenvectors `v`."""
    turned = np.swapaxes(v, -1, -2)
    return masked_matmul(masked_matmul(v, over_gaps(w, turned @ ct)), turned)


def eigenvectors_tangent(a: Any, w: Any, v: Any, change: Any, lower: Any) -> Any:
    """Return the tangent of the eigenvectors `v` of the real matrix `a` that moves by `change`, of which all is read."""
    return v @ over_gaps(w, np.swapaxes(v, -1, -2) @ change @ v)


def left_vectors_cotangent(a: Any, u: Any, s: Any, v: Any, ct: Any, hermitian: Any) -> Any:
    """Return the cotangent of the real matrix `a` from that of its left singular vectors `u`.

    What turns alike on both sides is divided by sums of values, so that in small gaps no digits of it are lost.
    """
    left = np.swapaxes(u, -1, -2) @ ct
    turned = left - np.swapaxes(left, -1, -2)
    whole = masked_matmul(u, over_gaps(s, 0.5 * turned) + over_sums(s, 0.5 * turned))
    if u.shape[-2] != u.shape[-1]:
        whole = whole + masked_product(ct - u @ left, inverted(s))
    return masked_matmul(whole, v)


def left_vectors_tangent(a: Any, u: Any, s: Any, v: Any, change: Any, hermitian: Any) -> Any:
    """Return the tangent of the left singular vectors `u` of the real matrix `a` that moves by `change`."""
    moved = change @ np.swapaxes(v, -1, -2)
    inner = np.swapaxes(u, -1, -2) @ moved
    back = np.swapaxes(inner, -1, -2)
    turned = u @ (over_gaps(s, 0.5 * (inner + back)) + over_sums(s, 0.5 * (inner - back)))
    return turned if u.shape[-2] == u.shape[-1] else turned + masked_product(moved - u @ inner, inverted(s))


def inverted(s: Any) -> Any:
    """Return a row of one over the singular values `s`, NaN where rounding alone may tell one from zero.

    >>> inverted(np.array([2.0, 1e-17]))
    array([[0.5, nan]])
    """
    return np.expand_dims(1.0 / np.where(is_rounding(s), np.nan, s), -2)


def is_rounding(s: Any) -> Any:
    """Return which of the singular values `s` may be told from zero by rounding alone.

    >>> is_rounding(np.array([2.0, 1e-17]))
    array([False,  True])
    """
    return s <= 8 * s.shape[-1] * np.finfo(s.dtype).eps * np.max(s, axis=-1, keepdims=True, initial=0.0)


def is_dependent(r: Any) -> Any:
    """Return of which matrices, with these triangular factors, the first columns depend on one another but for rounding.

    >>> is_dependent(np.array([[2.0, 1.0, 5.0], [0.0, 1e-16, 3.0]]))
    array([[ True]])
    """
    k = min(r.shape[-2:])
    pivots = np.abs(np.diagonal(r[..., :k], axis1=-2, axis2=-1))
    rounding = 8 * k * np.finfo(r.dtype).eps * np.max(np.abs(r), axis=(-2, -1), initial=0.0)
    return np.any(pivots <= rounding[..., None], axis=-1)[..., None, None]


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


def over_sums(s: Any, m: Any) -> Any:
    """Return the elements ``m[i, j] / (s[i] + s[j])``, and zero for those on the diagonal: how singular vectors turn alike.

    >>> over_sums(np.array([1.0, 3.0]), np.array([[5.0, 1.0], [2.0, 5.0]]))
    array([[0.  , 0.25],
           [0.5 , 0.  ]])
    """
    one = np.eye(s.shape[-1], dtype=s.dtype)
    with np.errstate(divide="ignore"):
        return masked_product((1.0 - one) * m, 1.0 / (np.expand_dims(s, -1) + np.expand_dims(s, -2) + one))


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
