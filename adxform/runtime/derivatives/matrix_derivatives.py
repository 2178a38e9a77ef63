"""Derivatives of determinants, inverses and Cholesky factors, singular matrices among them."""

from __future__ import annotations

import contextlib
from typing import Any

import numpy as np


def cofactors(a: Any) -> Any:
    """Return the gradient of ``np.linalg.det``, of any matrix: the determinants of `a` without a row and a column, signed.

    >>> cofactors(np.array([[1.0, 2.0], [2.0, 4.0]]))
    array([[ 4., -2.],
           [-2.,  1.]])
    """
    volume = np.asarray(np.linalg.det(a))
    if np.all(volume):
        with contextlib.suppress(np.linalg.LinAlgError):
            return volume[..., None, None] * np.swapaxes(np.linalg.inv(a), -1, -2)
    u, s, v, sign = _singular_values(a)
    zero = s == 0
    others = np.prod(np.where(zero, 1.0, s), axis=-1, keepdims=True) / np.where(zero, 1.0, s)
    others = np.where(np.sum(zero, axis=-1, keepdims=True) == zero, others, 0.0)
    return ((sign * _scale(a) ** (a.shape[-1] - 1) * u.conj() * others[..., None, :]) @ v.conj()).astype(a.dtype)


def cofactor_change(a: Any, change: Any) -> Any:
    """Return how the cofactors of `a` change with `a`: the Hessian of ``np.linalg.det``, times `change`.

    In the bases of the singular values the matrix is diagonal, and a second derivative is a product of all values but two.
    """
    u, s, v, sign = _singular_values(a)
    zero, one = s == 0, np.eye(a.shape[-1], dtype=a.dtype)
    others = np.where(zero, 1.0, s)
    others = np.prod(others, axis=-1)[..., None, None] / (others[..., :, None] * others[..., None, :])
    left = np.sum(zero, axis=-1)[..., None, None] - zero[..., :, None] - zero[..., None, :]
    others = np.where((left == 0) & (one == 0), others, 0.0)
    inner = _adjoint(u) @ change @ _adjoint(v)
    inner = one * (others @ np.sum(inner * one, axis=-1, keepdims=True)) - others * np.swapaxes(inner, -1, -2)
    return (sign * _scale(a) ** (a.shape[-1] - 2) * (u.conj() @ inner @ v.conj())).astype(a.dtype)


def cofactor_turn(a: Any, change: Any, other: Any) -> Any:
    """Return how `cofactor_change` by `change` changes with `a` by `other`: a third derivative of ``np.linalg.det``.

    In the bases of the singular values it is made of products of all values but three, and of minors of three rows.
    """
    u, s, v, sign = _singular_values(a)
    size = a.shape[-1]
    zero, apart = s == 0, ~np.eye(size, dtype=bool)
    apart = apart[:, :, None] & apart[:, None, :] & apart[None, :, :]
    others = np.where(zero, 1.0, s)
    others = np.prod(others, axis=-1)[..., None, None, None] / (
        others[..., :, None, None] * others[..., None, :, None] * others[..., None, None, :]
    )
    left = zero[..., :, None, None].astype(int) + zero[..., None, :, None] + zero[..., None, None, :]
    p = np.where((np.sum(zero, axis=-1)[..., None, None, None] == left) & apart, others, 0.0)
    x, y = (_adjoint(u) @ part @ _adjoint(v) for part in (change, other))
    inner = -np.einsum("...ijk,...ii,...jk->...kj", p, x, y) - np.einsum("...ijk,...ik,...jj->...ki", p, x, y)
    inner += np.einsum("...ijk,...ik,...ji->...kj", p, x, y) + np.einsum("...ijk,...ij,...jk->...ki", p, x, y)
    along = np.einsum("...ijk,...ii,...jj->...k", p, x, y) - np.einsum("...ijk,...ij,...ji->...k", p, x, y)
    inner = inner + along[..., None] * np.eye(size)
    return (sign * _scale(a) ** (size - 3.0) * (u.conj() @ inner @ v.conj())).astype(a.dtype)


def inverse(a: Any) -> Any:
    """Return ``np.linalg.inv(a)``, and NaN for each matrix that is singular."""
    try:
        return np.linalg.inv(a)
    except np.linalg.LinAlgError:
        regular = np.asarray(np.linalg.slogdet(a)[0] != 0)
        inverted = np.full(np.shape(a), np.nan, np.result_type(a))
        inverted[regular] = np.linalg.inv(a[regular])
        return inverted


def inverse_change(inverted: Any, change: Any) -> Any:
    """Return how the inverse of a matrix changes with that: not at all where `change` is zero."""
    moves = np.any(change != 0, axis=(-2, -1), keepdims=True)
    return np.where(moves, -(inverted @ change @ inverted), 0.0).astype(inverted.dtype)


ROWS = 48
"""Of a block of a factor: more cost closed forms, fewer cost calls (of 24 to 64 rows the times differ by a tenth)."""


def cholesky_cotangent(factor: Any, ct: Any) -> Any:
    """Return the cotangent of a matrix of which the lower triangle is read, from that of its Cholesky `factor`.

    Blocks of rows from the last one: of a large factor only the blocks on the diagonal are inverted, the rest are products.

    Source: Murray (2016), Differentiation of the Cholesky decomposition, arXiv:1602.07527, section 3.3.
    """
    size = factor.shape[-1]
    if size <= ROWS:
        return _lower(_of_block(factor, np.linalg.inv(factor), ct))
    turned, found = factor.conj(), np.tril(ct)
    for start in reversed(range(0, size, ROWS)):
        stop = min(start + ROWS, size)
        rows, before, below = slice(start, stop), slice(start), slice(stop, size)
        block = factor[..., rows, rows]
        inverse = np.linalg.inv(block)
        if stop < size:
            moved = found[..., below, rows] @ inverse.conj()
            back = _adjoint(moved)
            found[..., below, rows] = moved
            found[..., below, before] -= moved @ turned[..., rows, before]
            found[..., rows, before] -= back @ turned[..., below, before]
            found[..., rows, rows] -= back @ turned[..., below, rows]
        both = _of_block(block, inverse, found[..., rows, rows])
        found[..., rows, before] -= both @ turned[..., rows, before]
        found[..., rows, rows] = _lower(both)
    return found


def _of_block(factor: Any, inverse: Any, ct: Any) -> Any:
    """Twice the cotangent of a matrix of which both triangles are read, from that of its Cholesky factor: Murray, equation 10."""
    inner = np.tril(np.swapaxes(factor, -1, -2) @ ct)
    inner = inner - 0.5 * (inner * np.eye(factor.shape[-1], dtype=factor.dtype))
    whole = np.swapaxes(inverse, -1, -2) @ inner @ inverse.conj()
    return whole + _adjoint(whole)


def _lower(twice: Any) -> Any:
    """The cotangent of the lower triangle that is read for both, from twice that of both."""
    return 0.5 * (np.tril(twice) + np.tril(twice, -1))


def pairing(values: Any, given: Any) -> Any:
    """Return for each of `values` the place of the same one among `given`, which rounding and order may tell apart.

    >>> pairing(np.array([1.0, 2.0]), np.array([2.0, 1.0]))
    array([1, 0])
    """
    if values.size == 0:
        return np.zeros(values.shape, int)
    apart = np.abs(values[..., :, None] - given[..., None, :])
    places = np.argmin(apart, axis=-1)
    for row in np.ndindex(apart.shape[:-2]):
        if len(set(places[row].tolist())) == places.shape[-1]:
            continue
        left = apart[row].copy()  # equal ones are paired one by one, the nearest first
        for _ in range(places.shape[-1]):
            one, other = np.unravel_index(np.argmin(left), left.shape)
            places[(*row, one)] = other
            left[one, :] = left[:, other] = np.inf
    return places


def _adjoint(a: Any) -> Any:
    """The conjugate transpose of each matrix."""
    return np.swapaxes(a, -1, -2).conj()


def _scale(a: Any) -> Any:
    """The largest size of an element of each matrix, NaN where that is not finite, and one where all are zero."""
    largest = np.max(np.abs(a), axis=(-2, -1), keepdims=True, initial=0.0)
    return np.where(largest == 0, 1.0, np.where(np.isfinite(largest), largest, np.nan))


def _singular_values(a: Any) -> tuple[Any, Any, Any, Any]:
    """The factors of `a` divided by its scale, of which no product overflows, and the sign of the product of the outer two."""
    u, s, v = np.linalg.svd(np.nan_to_num(a / _scale(a), posinf=0.0, neginf=0.0))
    return u, s, v, np.asarray(np.linalg.det(u) * np.linalg.det(v))[..., None, None]
