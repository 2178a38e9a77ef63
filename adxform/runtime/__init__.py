"""What generated code calls beside NumPy: shapes that only the run can tell, and scatter with repeated indices."""

from __future__ import annotations

import contextlib
import math
import operator
from typing import Any

import numpy as np

from adxform.errors import LargeNumberError, MissingRuleError, UnsupportedOperationError
from adxform.threads.locks import imported


def record(cls: type, /, **values: Any) -> Any:
    """An instance of the dataclass `cls` with `values` for its fields, made without running its constructor."""
    instance: Any = object.__new__(cls)
    for name, value in values.items():
        object.__setattr__(instance, name, value)
    return instance


def unbroadcast(ct: Any, like: Any, out: Any = None) -> Any:
    """Return `ct` summed over the axes along which `like` was broadcast, so that it has the shape of `like`.

    What is summed goes into `out`, where given.

    >>> unbroadcast(np.ones((3, 2)), np.ones((1, 2)))
    array([[3., 3.]])
    >>> float(unbroadcast(np.ones((3, 2)), 1.0))
    6.0
    """
    shape, target = np.shape(ct), np.shape(like)
    if shape == target:
        return ct
    lead = len(shape) - len(target)
    if lead < 0:  # stored, with axes of length one in front, where there are none
        return unbroadcast(np.reshape(ct, (1,) * -lead + shape), like, out)
    ones = tuple(lead + i for i, (n, m) in enumerate(zip(shape[lead:], target, strict=True)) if m == 1 and n != 1)
    if any(n != m and n != 1 != m for n, m in zip(shape[lead:], target, strict=True)):
        raise ValueError(f"no array of shape {target} was broadcast to one of shape {shape}")
    if out is None:
        ct = np.sum(ct, axis=(*range(lead), *ones), keepdims=True)
        return np.reshape(ct, ct.shape[lead:])[()]
    if any(n == 1 != m for n, m in zip(shape[lead:], target, strict=True)):  # `out` has the shape of `like`, and is filled
        return filled(out, unbroadcast(ct, like))
    np.sum(ct, axis=(*range(lead), *ones), keepdims=True, out=np.reshape(out, (1,) * lead + target))
    return out


def broadcast_like(value: Any, like: Any) -> Any:
    """Return `value` broadcast to the shape of `like` (a read-only view when the shapes differ)."""
    shape = np.shape(like)
    return value if np.shape(value) == shape else np.broadcast_to(value, shape)


def exact_sum(x: Any) -> float:
    """Return the sum of the vector `x`, rounded once, as `math.fsum`; one by one where that raises.

    >>> exact_sum(np.array([1e100, 1.0, -1e100]))
    1.0
    """
    try:
        return math.fsum(x)
    except (OverflowError, ValueError):  # beyond all numbers on the way, infinities of opposite signs
        return float(sum(x.tolist()))


def exact_shares(ct: Any, x: Any) -> Any:
    """Return the cotangent of the vector `x` from `ct`, that of its `exact_sum`: the same number for each element."""
    return np.full(np.shape(x), ct)


def masked_product(ct: Any, partial: Any, out: Any = None) -> Any:
    """Return ``ct * partial``, and zero wherever one of them is zero though the other be infinite or NaN; in `out`, where given.

    >>> masked_product(np.array([2.0, 0.0, np.inf]), np.array([3.0, np.inf, 0.0]))
    array([6., 0., 0.])
    """
    if isinstance(partial, float) and isinstance(ct, float):
        known = ct != 0.0 != partial or (math.isfinite(ct) and math.isfinite(partial))
        return ct * partial if known else ct * 0.0 if math.isfinite(ct) else partial * 0.0
    if out is not None and (np.may_share_memory(out, ct) or np.may_share_memory(out, partial)):
        return np.multiply(ct, partial, out=out) if _has_finite_sum(ct, partial) else filled(out, masked_product(ct, partial))
    if isinstance(partial, float):
        sure = partial != 0.0 and math.isfinite(partial)
    else:
        arrays = isinstance(ct, np.ndarray) and isinstance(partial, np.ndarray)
        sure = arrays and ct.ndim > 0 < partial.ndim and ct.size < ONE_THREAD and _has_finite_sum(ct, partial)
    if sure:
        return np.multiply(ct, partial, out=out)
    with np.errstate(invalid="ignore"):
        found = np.multiply(ct, partial, out=out)
        if math.isfinite(np.add.reduce(found, axis=None)):
            return found
        masked = np.isnan(found) & (np.equal(ct, 0) | np.equal(partial, 0))
    return np.where(masked, found.dtype.type(0), found)[()] if out is None else filled(out, np.where(masked, 0, found))


ONE_THREAD = 8192
"""Longer vectors are multiplied by several threads, which others may keep waiting."""


def _has_finite_sum(a: Any, b: Any) -> bool:
    """Whether the products of the elements of `a` and `b` have a finite sum, where that is told without making an array."""
    if np.ndim(a) == 0 or np.ndim(b) == 0:
        number, array = (a, b) if np.ndim(a) == 0 else (b, a)
        return bool(math.isfinite(number) and math.isfinite(np.add.reduce(array, axis=None)))
    alike = a.shape == b.shape and a.dtype == b.dtype and a.flags.c_contiguous and b.flags.c_contiguous
    return bool(alike and math.isfinite(np.vdot(a, b)))


def masked_matmul(a: Any, b: Any, out: Any = None) -> Any:
    """Return ``a @ b``, in which zero times what is infinite or missing is zero; in `out`, where given.

    It and those below cost one look at the result more than the plain product, unless something there is not finite. An element
    of the result in which something infinite or missing is multiplied by another number than zero is that of the plain product.

    >>> masked_matmul(np.array([2.0, 0.0]), np.array([[1.0, 3.0], [np.nan, np.inf]]))
    array([2., 6.])
    """
    with np.errstate(invalid="ignore"):
        found = np.matmul(a, b, out=out)
    return found if _is_finite(found) else _into(out, _masked_sums(np.matmul, found, a, b))


def masked_outer(a: Any, b: Any, out: Any = None) -> Any:
    """Return ``np.outer(a, b)``, in which zero times what is infinite or missing is zero; in `out`, where given."""
    if _is_finite(a) and _is_finite(b):
        return np.outer(a, b, out=out)
    with np.errstate(invalid="ignore"):
        return _into(out, _masked_sums(np.outer, np.outer(a, b), a, b))


def masked_tensordot(a: Any, b: Any, axes: Any = 2) -> Any:
    """Return ``np.tensordot(a, b, axes)``, in which zero times what is infinite or missing is zero."""
    with np.errstate(invalid="ignore"):
        found = np.tensordot(a, b, axes)
    return found if _is_finite(found) else _masked_sums(lambda one, other: np.tensordot(one, other, axes), found, a, b)


def masked_einsum(subscripts: str, *operands: Any, out: Any = None) -> Any:
    """Return ``np.einsum(subscripts, *operands)``, in `out`, where given; zero times what is infinite or missing is zero."""
    with np.errstate(invalid="ignore"):
        found = np.einsum(subscripts, *operands, out=out)
    if _is_finite(found):
        return found
    return _into(out, _masked_sums(lambda *given: np.einsum(subscripts, *given), found, *operands))


def masked_cross(a: Any, b: Any) -> Any:
    """Return ``np.cross(a, b)`` of vectors of three, in which zero times what is infinite or missing is zero."""
    with np.errstate(invalid="ignore"):
        found = np.cross(a, b)
    if _is_finite(found):
        return found
    turns = np.zeros((3, 3, 3), found.dtype)
    turns[(0, 1, 2), (1, 2, 0), (2, 0, 1)] = 1
    turns[(0, 2, 1), (2, 1, 0), (1, 0, 2)] = -1
    return masked_einsum("ijk,...j,...k->...i", turns, a, b)


def _is_finite(array: Any) -> bool:
    """Whether `array` holds nothing infinite or missing, where its sum tells."""
    return math.isfinite(np.add.reduce(array, axis=None))


def _masked_sums(fn: Any, found: Any, *operands: Any) -> Any:
    """What `fn`, sums of products of elements of its `operands` that are `found`, is where a product is zero if a factor is.

    Calls it again: without what is not finite, and to see where that meets what is not zero.
    """
    lanes = [~np.isfinite(operand) for operand in operands]
    finite = fn(*(np.where(lane, np.zeros_like(operand), operand) for lane, operand in zip(lanes, operands, strict=True)))
    met: Any = 0
    for place, lane in enumerate(lanes):
        if np.any(lane):
            used = (lane if k == place else np.not_equal(operand, 0) for k, operand in enumerate(operands))
            met = met + fn(*(each.astype(finite.dtype) for each in used))
    return np.where(met == 0, finite, found)[()]


def _into(out: Any, found: Any) -> Any:
    """`found`, in `out` where that is given."""
    return found if out is None else filled(out, found)


def quotient(a: Any, b: Any, out: Any = None) -> Any:
    """Return ``a / b``, infinite where `b` is zero, without a warning; in `out`, where given.

    >>> quotient(0.5, 0.0), quotient(0.5, 2.0)
    (np.float64(inf), 0.25)
    """
    if out is None and isinstance(b, float) and b != 0.0:
        return a / b
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.divide(a, b, out=out)


def ratio(a: Any, b: Any, out: Any = None) -> Any:
    """Return ``a / b``, and zero wherever `b` is zero: the subgradient of a length at the origin (see `rate` for the second one).

    What is not a number stays so.

    >>> ratio(np.array([3.0, 0.0]), np.array([2.0, 0.0]))
    array([1.5, 0. ])
    """
    if np.all(b):
        return np.divide(a, b, out=out)
    zero = np.equal(b, 0)
    found = np.where(zero & ~np.isnan(a), 0, np.divide(a, np.where(zero, 1, b)))
    return found[()] if out is None else filled(out, found)


def rate(change: Any, length: Any, out: Any = None) -> Any:
    """Return ``change / length``; where `length` is zero, zero if nothing changes, and NaN if something does: it has no rate.

    >>> rate(np.array([3.0, 3.0, 0.0]), np.array([2.0, 0.0, 0.0]))
    array([1.5, nan, 0. ])
    """
    if np.all(length):
        return np.divide(change, length, out=out)
    zero = np.equal(length, 0)
    still = np.divide(change, np.where(zero, 1, length))
    found = np.where(zero & np.not_equal(change, 0), np.nan, still).astype(still.dtype)
    return found[()] if out is None else filled(out, found)


def turn(weight: Any, change: Any, length: Any) -> Any:
    """Return `weight` times the `rate` at which something of this `length` changes."""
    return weight * rate(change, length)


def side_cotangent(ct: Any, a: Any, y: Any) -> Any:
    """Return the cotangent of the side `a` of a triangle from `ct`, that of the hypotenuse `y`.

    Where the slope changes, `ct` is the weight, and what this product's own cotangent says is the change: see `side_tangent`.
    """
    return ct * ratio(a, y)


def side_tangent(a_t: Any, a: Any, y: Any) -> Any:
    """Return what the tangent `a_t` of the side `a` of a triangle adds to that of the hypotenuse `y`.

    The same number as by `side_cotangent`, and yet another primitive, since it moves otherwise: here `a_t` is the change and the
    product's cotangent the weight. Where the hypotenuse is zero, `turn` is zero or NaN by the change alone, whatever the weight.
    """
    return a_t * ratio(a, y)


def length_cotangent(ct: Any, x: Any, y: Any, axis: Any, keepdims: Any) -> Any:
    """Return `ct`, that of the length `y` of `x` along `axis`, times the unit vectors along `x`: the cotangent of `x`."""
    if axis is None or keepdims:
        return ct * ratio(x, y)
    return np.expand_dims(ct, axis) * ratio(x, np.expand_dims(y, axis))


def length_tangent(x_t: Any, x: Any, y: Any, axis: Any, keepdims: Any) -> Any:
    """Return the part of `x_t` in the direction of `x`, of length `y` along `axis`: the tangent of the length."""
    return ratio(np.sum(x * x_t, axis=axis, keepdims=keepdims), y)


def power(a: Any, b: Any, out: Any = None) -> Any:
    """Return ``a ** b``, infinite at a pole, without a warning; in `out`, where given."""
    if type(a) is float and type(b) is float and 1e-100 < a < 1e100 and -3.0 <= b <= 3.0:
        return a**b
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.power(a, b, out=out)


def log_or_zero(x: Any, out: Any = None) -> Any:
    """Return the logarithm of `x`, zero where `x` is zero, and NaN below, without a warning.

    >>> float(log_or_zero(0.0)), float(log_or_zero(1.0))
    (0.0, 0.0)
    """
    with np.errstate(invalid="ignore"):
        if isinstance(x, bool | np.generic | np.ndarray) and np.result_type(x).kind in "biu":  # of few bits: half floats to NumPy
            x = np.asarray(x, np.float64)[()]
        if np.all(x):
            return np.log(x, out=out)
        found = np.log(np.where(np.equal(x, 0), 1, x))
    return found[()] if out is None else filled(out, found)


def filled(out: Any, values: Any) -> Any:
    """Return the array `out` with these values."""
    out[...] = values
    return out


def add_along_axis(values: Any, x: Any, indices: Any, axis: int) -> Any:
    """Return zeros shaped as `x` with `values` added at `indices`: the transpose of ``np.take_along_axis``."""
    out = np.zeros(np.shape(x), np.result_type(values))
    places: list[Any] = list(np.indices(out.shape, sparse=True))
    places[axis] = indices
    np.add.at(out, tuple(places), values)
    return out


def add_diagonal(values: Any, x: Any, k: int) -> Any:
    """Return zeros shaped as the matrix `x` with `values` on diagonal `k`: the transpose of ``np.diagonal``."""
    out = np.zeros(np.shape(x), np.result_type(values))
    rows = np.arange(len(values)) + max(-k, 0)
    out[rows, rows + k] = values
    return out


def diagonal(x: Any, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Any:
    """Return a view of the diagonal that ``np.diagonal`` gives, one that can be written to.

    >>> x = np.zeros((2, 2))
    >>> diagonal(x)[:] = 1.0
    >>> x
    array([[1., 0.],
           [0., 1.]])
    """
    view = np.diagonal(x, offset, axis1, axis2)
    view.flags.writeable = x.flags.writeable
    return view


def tile_like(x: Any, tiles: Any) -> Any:
    """Return `x` repeated as often as `tiles` holds it: the transpose of `sum_tiles`."""
    padded = (1,) * (np.ndim(tiles) - np.ndim(x)) + np.shape(x)
    return np.tile(x, tuple(n // max(m, 1) for n, m in zip(np.shape(tiles), padded, strict=True)))


def sum_tiles(tiles: Any, x: Any) -> Any:
    """Return the sum of the copies of `x` in `tiles`: the transpose of ``np.tile``."""
    padded = (1,) * (np.ndim(tiles) - np.ndim(x)) + np.shape(x)
    pairs = [(n // max(m, 1), m) for n, m in zip(np.shape(tiles), padded, strict=True)]
    parts = np.reshape(tiles, [n for pair in pairs for n in pair])
    return np.reshape(np.sum(parts, axis=tuple(range(0, 2 * len(pairs), 2))), np.shape(x))


def sum_padding(padded: Any, x: Any, pad_width: Any, mode: Any) -> Any:
    """Return the sum of the copies of each element of `x` in `padded`: the transpose of ``np.pad`` in a mode that repeats."""
    for axis, (before, after) in enumerate(np.broadcast_to(pad_width, (np.ndim(x), 2)).tolist()):
        rows = np.moveaxis(padded, axis, 0)
        sums = np.zeros((np.shape(x)[axis], *rows.shape[1:]), np.result_type(padded))
        np.add.at(sums, np.pad(np.arange(len(sums)), (before, after), mode), rows)
        padded = np.moveaxis(sums, 0, axis)
    return padded


def sum_repeats(repeated: Any, x: Any, repeats: Any, axis: int | None) -> Any:
    """Return the sum of the repetitions of each element: the transpose of ``np.repeat``."""
    if np.ndim(x) == 0:  # which NumPy takes for an array of one element, along either of its axes
        axis = None
    rows = np.reshape(repeated, -1) if axis is None else np.moveaxis(repeated, axis, 0)
    shape = (np.size(x),) if axis is None else np.moveaxis(x, axis, 0).shape
    out = np.zeros(shape, np.result_type(repeated))
    np.add.at(out, np.repeat(np.arange(shape[0]), repeats), rows)
    return np.reshape(out, np.shape(x)) if axis is None else np.moveaxis(out, 0, axis)


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
    return ((sign * _scale(a) ** (a.shape[-1] - 1) * u * others[..., None, :]) @ v).astype(a.dtype)


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
    inner = np.swapaxes(u, -1, -2) @ change @ np.swapaxes(v, -1, -2)
    inner = one * (others @ np.sum(inner * one, axis=-1, keepdims=True)) - others * np.swapaxes(inner, -1, -2)
    return (sign * _scale(a) ** (a.shape[-1] - 2) * (u @ inner @ v)).astype(a.dtype)


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
    x, y = (np.swapaxes(u, -1, -2) @ part @ np.swapaxes(v, -1, -2) for part in (change, other))
    inner = -np.einsum("...ijk,...ii,...jk->...kj", p, x, y) - np.einsum("...ijk,...ik,...jj->...ki", p, x, y)
    inner += np.einsum("...ijk,...ik,...ji->...kj", p, x, y) + np.einsum("...ijk,...ij,...jk->...ki", p, x, y)
    along = np.einsum("...ijk,...ii,...jj->...k", p, x, y) - np.einsum("...ijk,...ij,...ji->...k", p, x, y)
    inner = inner + along[..., None] * np.eye(size)
    return (sign * _scale(a) ** (size - 3.0) * (u @ inner @ v)).astype(a.dtype)


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


def cholesky_cotangent(factor: Any, ct: Any) -> Any:
    """Return the cotangent of a matrix of which the lower triangle is read, from that of its Cholesky `factor`.

    Source: Murray (2016), Differentiation of the Cholesky decomposition, arXiv:1602.07527, equation 10.
    """
    inverse = np.linalg.inv(factor)
    inner = np.tril(np.swapaxes(factor, -1, -2) @ ct)
    inner = inner - 0.5 * (inner * np.eye(factor.shape[-1], dtype=factor.dtype))
    whole = np.swapaxes(inverse, -1, -2) @ inner @ inverse
    both = 0.5 * (whole + np.swapaxes(whole, -1, -2))
    return np.tril(both) + np.tril(both, -1)


def _scale(a: Any) -> Any:
    """The largest size of an element of each matrix, NaN where that is not finite, and one where all are zero."""
    largest = np.max(np.abs(a), axis=(-2, -1), keepdims=True, initial=0.0)
    return np.where(largest == 0, 1.0, np.where(np.isfinite(largest), largest, np.nan))


def _singular_values(a: Any) -> tuple[Any, Any, Any, Any]:
    """The factors of `a` divided by its scale, of which no product overflows, and the sign of the product of the outer two."""
    u, s, v = np.linalg.svd(np.nan_to_num(a / _scale(a), posinf=0.0, neginf=0.0))
    return u, s, v, np.asarray(np.linalg.det(u) * np.linalg.det(v))[..., None, None]


def arctan_slope(x: Any) -> Any:
    """Return the slope of the arc tangent of `x`."""
    return 1.0 / (1.0 + x * x)


def gaussian(x: float) -> float:
    """Return the slope of ``math.erf`` at `x`."""
    return 1.1283791670955126 * math.exp(-x * x)


def polygamma(n: int, x: Any) -> Any:
    """Return the derivative of order ``n + 1`` of ``log(gamma(x))``; `n` is at least zero.

    Source: Abramowitz and Stegun, 6.4.6 (recurrence), 6.4.7 (reflection) and 6.4.11 (asymptotic series).

    >>> round(float(polygamma(0, 1.0)), 12), round(float(polygamma(1, 1.0)), 12)
    (-0.577215664902, 1.644934066848)
    """
    x = np.asarray(x, dtype=np.float64)
    mirrored = x < -15.0
    slope = _polygamma(n, np.where(mirrored, 1.0 - x, x))
    if mirrored.any():
        polynomial = imported("numpy.polynomial").Polynomial
        cotangent = polynomial([0.0, 1.0])
        for _ in range(n):
            cotangent = polynomial([-1.0, 0.0, -1.0]) * cotangent.deriv()
        with np.errstate(all="ignore"):
            at = cotangent(1.0 / np.tan(np.pi * np.mod(x, 1.0)))
        slope = np.where(mirrored, (-1.0) ** n * slope - np.pi ** (n + 1) * at, slope)
    return slope[()]


def _polygamma(n: int, x: Any) -> Any:
    """`polygamma` of an array of no large negative numbers."""
    z = np.array(x)
    sign, factorial = -((-1.0) ** n), float(math.factorial(n))
    total = np.zeros_like(z)
    least = 15.0 + n
    while (low := z < least).any():
        total += np.where(low, sign * factorial * z ** -(n + 1.0), 0.0)
        z = np.where(low, z + 1.0, z)
    series = np.log(z) if n == 0 else sign * math.factorial(n - 1) * z**-n
    series = series + sign * factorial * z ** -(n + 1.0) / 2
    for k, bernoulli in enumerate(_BERNOULLI, start=1):
        series = series + sign * bernoulli * math.factorial(2 * k + n - 1) / math.factorial(2 * k) * z ** -(2.0 * k + n)
    return total + series


def sinc_slope(n: int, x: Any) -> Any:
    """Return the derivative of order `n` of ``np.sinc``, also at zero.

    Near zero it is the integral of ``(pi t)**n cos(pi x t + n pi / 2)`` over ``0 < t < 1``; further out, a recurrence.

    >>> round(float(sinc_slope(2, 0.0)), 12) == round(-np.pi**2 / 3, 12)
    True
    """
    x = np.asarray(x, dtype=np.float64)
    nodes, weights = imported("numpy.polynomial.legendre").leggauss(24)
    t = np.pi * (nodes + 1) / 2
    near = np.sum(weights / 2 * t**n * np.cos(x[..., None] * t + n * np.pi / 2), axis=-1)
    safe = np.where(x == 0, 1, x)
    far = np.sinc(x)
    for k in range(1, n + 1):
        far = (np.pi ** (k - 1) * np.sin(np.pi * x + k * np.pi / 2) - k * far) / safe
    return np.where(np.abs(x) < 2, near, far)[()]


_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)


def gather_last(x: Any, index: Any) -> Any:
    """Return ``x[index]`` with zero wherever a later entry of `index` names the same element.

    The adjoint of ``x[index] = v``: of repeated entries only the last one was stored.

    >>> gather_last(np.array([5.0, 7.0]), np.array([0, 0, 1]))
    array([0., 5., 7.])
    """
    picked = x[index]
    order = np.arange(picked.size).reshape(picked.shape)
    winner = np.full(x.shape, -1)
    winner[index] = order
    return np.where(winner[index] == order, picked, 0)


def scatter_last(values: Any, x: Any, index: Any) -> Any:
    """Return zeros shaped as `x` after ``zeros[index] = values``: the transpose of `gather_last`."""
    out = np.zeros_like(x)
    out[index] = values
    return out


def shares_memory(view: Any, base: Any) -> bool:
    """Return whether `view`, made from `base` by a function that copies only where it must, is a view of it."""
    return view.size == 0 or bool(np.may_share_memory(view, base))


def tangent_view(view: Any, shares: bool) -> Any:
    """Return `view`, made from a tangent as in the primal, as a view or as a copy, whichever the primal got."""
    return view if shares else private(view)


def cotangent_view(view: Any, shares: bool) -> Any:
    """Return `view`, made from a cotangent as in the primal; zeros of its shape where the primal got a copy."""
    return view if shares else np.zeros_like(view)


def laid_out(value: Any, like: Any) -> Any:
    """Return a copy of `value` with the strides of `like`, so that views of it behave as views of `like`."""
    copy = private(like)
    copy[...] = value
    return copy


def private(x: Any) -> Any:
    """Return a copy of the array `x` with the same strides, so that views of it behave as views of `x`.

    Where elements of a read-only `x` share a place (`np.broadcast_to`), each has its own in the copy, whose rows lie apart: where
    a reshape of `x` would copy, so that it can be written to, one of the copy does.
    """
    if x.flags.c_contiguous or x.flags.f_contiguous or x.size == 0:
        return x.copy(order="K")
    low = sum(min(0, (n - 1) * s) for n, s in zip(x.shape, x.strides, strict=True))
    high = sum(max(0, (n - 1) * s) for n, s in zip(x.shape, x.strides, strict=True))
    copy: Any
    if not x.flags.writeable and (high - low) // (math.gcd(*x.strides) or 1) + 1 < x.size:
        copy = np.empty(tuple(n + 1 for n in x.shape), x.dtype)[tuple(slice(n) for n in x.shape)]
    else:
        buffer = np.empty(high - low + x.itemsize, np.uint8)
        copy = np.ndarray(x.shape, x.dtype, buffer, offset=-low, strides=x.strides)
    copy[...] = x
    return copy


def appended(items: Any, item: Any) -> Any:
    """Return the array `items` with `item` after its last row.

    >>> appended(np.array([1.0, 2.0]), 3.0)
    array([1., 2., 3.])

    Raises:
        UnsupportedOperationError: the item has another shape than those before it.
    """
    row = np.asarray(item)
    if row.shape != items.shape[1:]:
        raise differing_rows()
    return np.concatenate((items, row[None]))


def appended_row(items: Any, item: Any) -> Any:
    """Return the array `items` with `item` after its last row; the first row tells how long the rows are.

    >>> appended_row(np.empty((0, 0)), np.array([1.0, 2.0]))
    array([[1., 2.]])

    Raises:
        UnsupportedOperationError: the item has another shape than those before it.
    """
    return appended(items if len(items) else np.empty((0, *np.shape(item)), items.dtype), item)


def differing_rows() -> UnsupportedOperationError:
    """Return what is raised where the items of a list turn out to differ in shape, so that no array holds them."""
    return UnsupportedOperationError(
        "the items of this list differ in shape", help="keep items of one shape in it, or join arrays as they come"
    )


def unpacked(value: Any, count: int, starred: int | None = None) -> tuple[Any, ...]:
    """Return the items of an iterable for `count` targets, as ``a, b = value`` takes them; that at `starred` gets the rest."""
    items = tuple(value)
    if starred is not None:
        if len(items) < count - 1:
            raise ValueError(f"not enough values to unpack (expected at least {count - 1}, got {len(items)})")
        end = len(items) - (count - 1 - starred)
        return (*items[:starred], list(items[starred:end]), *items[end:])
    if len(items) > count:
        raise ValueError(f"too many values to unpack (expected {count})")
    if len(items) < count:
        raise ValueError(f"not enough values to unpack (expected {count}, got {len(items)})")
    return items


def trip_count(start: int, stop: int, step: int) -> int:
    """Return how many iterations a loop over ``range(start, stop, step)`` makes.

    >>> trip_count(3, 10, 2)
    4
    """
    return len(range(start, stop, step))


def add_up(total: Any, value: Any) -> Any:
    """Return ``total + value``, one step of a sum that may be taken in any order."""
    return total + value


def larger(total: Any, value: Any) -> Any:
    """Return the larger of two numbers, NaN where one is: one step of ``np.max``.

    >>> larger(1.0, 2.0), larger(math.nan, 2.0)
    (2.0, nan)
    """
    return value if value > total or value != value else total


def smaller(total: Any, value: Any) -> Any:
    """Return the smaller of two numbers, NaN where one is: one step of ``np.min``."""
    return value if value < total or value != value else total


def sequence(items: Any, cls: type[list[Any]] | type[tuple[Any, ...]], nested: int, python: bool) -> Any:
    """The list (or what `cls` is) that the array `items` stands for, for a function that takes it as it is.

    Its items are such lists themselves, `nested` levels deep; the numbers in them are Python's own where `python` is true.
    """
    rows = (
        items.tolist()
        if python and not nested
        else [sequence(row, list, nested - 1, python) for row in items]
        if nested
        else items
    )
    return cls(rows)


def first_largest(x: Any) -> int:
    """Return the place of ``max(x)`` in the array `x`, as Python finds it: the first of equal ones; NaN is not larger.

    >>> first_largest(np.array([1.0, math.nan, 2.0, 2.0])), first_largest(np.array([math.nan, 2.0]))
    (2, 0)
    """
    return max(range(len(x)), key=(x.tolist() if x.ndim == 1 else x).__getitem__)


def first_smallest(x: Any) -> int:
    """Return the place of ``min(x)`` in the array `x`: see `first_largest`."""
    return min(range(len(x)), key=(x.tolist() if x.ndim == 1 else x).__getitem__)


def place(index: int, size: int) -> int:
    """Return the place in an axis of `size` that `index` names, counted from its front; `size`, which is none, for one before it.

    >>> place(2, 3), place(-1, 3), place(-4, 3)
    (2, 2, 3)
    """
    return index if index >= 0 else index + size if index >= -size else size


def absent() -> UnsupportedOperationError:
    """Return what is raised where a function returns ``None``, and on another path a number or a structure."""
    message = "the function returns None here, and a value on another path: the result has no one structure"
    return UnsupportedOperationError(message, help="return a value on every path, or raise an exception")


def whole_items() -> UnsupportedOperationError:
    """Return what is raised where an array is made of a list that may hold whole numbers alone, kept as floats."""
    message = (
        "of which dtype the array of this list is cannot be told: whole numbers are kept beside floats in it, and all are whole"
    )
    return UnsupportedOperationError(
        message, help="put floats into the list, `0.0` for `0`, or say it: `np.array(…, dtype=float)`"
    )


def empty_list() -> UnsupportedOperationError:
    """Return what is raised where an array is made of a list of other than float64 numbers that turns out to be empty.

    >>> np.array([]).ndim, np.array([(1.0, 2.0)]).ndim
    (1, 2)
    """
    message = "a list of which an array is made is empty: NumPy makes a float64 array of one axis of it, the derivative another"
    return UnsupportedOperationError(message, help="treat the empty list before: `if len(items) == 0: …`")


def of_kind(value: Any, dtype: str, rank: int, *given: Any) -> Any:
    """Return `value`, an array of this dtype and rank that is no view of what was `given`.

    Raises:
        UnsupportedOperationError: it is something else.
    """
    if type(value) is not np.ndarray or value.dtype != dtype or value.ndim != rank:
        found = f"{value.dtype} of rank {value.ndim}" if isinstance(value, np.ndarray) else type(value).__name__
        message = f"a function without a rule was taken to return an array of {dtype} of rank {rank}, and returned {found}"
        raise UnsupportedOperationError(message, help="compute it before, and pass the result as an argument")
    if any(isinstance(other, np.ndarray) and np.may_share_memory(value, other) for other in given):
        message = "a function without a rule returned a view of its argument"
        raise UnsupportedOperationError(message, help="compute it before, and pass the result as an argument")
    return value


def fewer_values() -> UnsupportedOperationError:
    """Return what is raised where a dict is made of keys and of fewer values, whose number only a run can tell."""
    message = "there are fewer values than keys for this dict, and which keys it has depends on the run"
    return UnsupportedOperationError(message, help="give as many values as keys")


def nothing_apart() -> UnsupportedOperationError:
    """Return what is raised where ``zip(*pairs)`` takes apart a list that turns out to be empty."""
    message = "`zip(*…)` of a list that is empty here, and is not in other runs: how many lists it gives cannot be told"
    return UnsupportedOperationError(message, help="test that the list has items first")


def planar() -> UnsupportedOperationError:
    """Return what is raised where both operands of ``np.cross`` are vectors of two components."""
    message = "`np.cross` of vectors of two components each is not supported: it gives numbers, of three it gives vectors"
    return UnsupportedOperationError(message, help="write `a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0]`")


def some(count: int) -> None:
    """Raise what ``np.max`` raises of nothing, if `count` is zero."""
    if count == 0:
        raise ValueError("zero-size array to reduction operation which has no identity")


def number(value: Any) -> Any:
    """Return `value`, a number or an array: another object would say itself what an operator means, and the derivative not.

    >>> number(2.0)
    2.0

    Raises:
        UnsupportedOperationError: it is something else.
    """
    cls = type(value)
    plain = cls in _NUMBERS or (isinstance(value, np.generic) and cls is value.dtype.type) or cls is np.ndarray
    if plain and (cls in _NUMBERS or value.dtype.kind in "biufc"):
        return value
    message = f"an object of class `{cls.__name__}`, which is no plain number or array, meets a number in an operator"
    raise UnsupportedOperationError(message, help="convert it where it comes from, e.g. with `float(…)` or `np.asarray(…)`")


def position(index: Any) -> int:
    """Return the integer that `index`, of a list or tuple, is.

    Raises:
        UnsupportedOperationError: it is a slice.
    """
    if isinstance(index, slice):
        message = "a slice that is known only when the program runs is taken of a list or tuple"
        raise UnsupportedOperationError(
            message, help="write it where it is used, `items[start:stop]`, or make the items an array"
        )
    return operator.index(index)


class Cursor:
    """Where a loop stands that goes through `source`, and takes an item of it when its turn comes."""

    __slots__ = ("item", "items", "source")

    def __init__(self, source: Any) -> None:
        self.source = source
        self.items = iter(source)
        self.item: Any = None

    def __iter__(self) -> Any:
        return self.items


_END = object()


def advance(cursor: Cursor) -> bool:
    """Take the next item, if there is one."""
    cursor.item = next(cursor.items, _END)
    return cursor.item is not _END


def item_of(cursor: Cursor) -> Any:
    """Return the item that was taken last."""
    return cursor.item


def strictly(*sources: Any) -> Cursor:
    """Return where a loop begins over ``zip(*sources, strict=True)``."""
    return Cursor(zip(*sources, strict=True))


def check_walked(cursor: Cursor) -> None:
    """See that what is gone through to its end, where Python may end before, is no iterator, which would go on from there.

    Raises:
        UnsupportedOperationError: it is one.
    """
    if cursor.items is cursor.source:
        name = type(cursor.source).__name__
        message = (
            f"an iterator of class `{name}` is walked over to its end, where Python may leave it before, or use it meanwhile"
        )
        raise UnsupportedOperationError(message, help="make it a list first: `list(…)`")


def walked_together(strict: bool, *sources: Any) -> tuple[list[Any], ...]:
    """Return what ``zip(*sources, strict=strict)`` takes of each of `sources`: of iterators not more than that.

    >>> walked_together(False, [1, 2, 3], iter("abcd"))
    ([1, 2, 3], ['a', 'b', 'c'])
    """
    taken = tuple(zip(*sources, strict=strict))
    return tuple(list(items) for items in zip(*taken, strict=True)) if taken else tuple([] for _ in sources)


def check_power(base: Any, exponent: Any) -> None:
    """See that the power of `base` by `exponent`, numbers of Python's own, is real.

    Raises:
        UnsupportedOperationError: it is complex.
    """
    if -math.inf < base < 0 and math.isfinite(exponent) and not float(exponent).is_integer():
        message = (
            "a negative number of Python's own to a power that is no integer is complex: no derivative is followed through it"
        )
        raise UnsupportedOperationError(message, help="keep the base above zero, or use `np.power`, of which it is NaN")


def check_finite(total: Any) -> None:
    """See that `total`, a sum over products that compiled code has not masked, holds nothing infinite or missing.

    Raises:
        ArithmeticError: it does, so that Python has to mask them.
    """
    if not math.isfinite(total):
        raise ArithmeticError("zero may have met what is infinite or missing")


def check_exact(number: Any) -> None:
    """See that `number`, which a list has beside floats, is no whole number that is another one as a float; so with an array.

    Raises:
        LargeNumberError: it may be.
    """
    if isinstance(number, np.ndarray):
        number = 0 if number.dtype.kind not in "iu" or not number.size else max(int(number.max()), -int(number.min()))
    if isinstance(number, int) and abs(number) > 2**53:
        message = "a whole number of more than 53 bits is in a list beside floats, where derivatives have a float for each number"
        raise LargeNumberError(message, help="keep it in a list, or a variable, of its own")


def cotangent(ct: Any, like: Any, rule: str, place: int, pushed: bool = False) -> Any:
    """Return `ct`, which a pullback of `rule` gave for the argument `like` at `place`, given that it has the same shape.

    In forward mode, where the pullback is transposed, a tangent of the argument is `pushed` to where the cotangent came from.

    >>> cotangent(np.ones(2), np.zeros(2), "the rule of f", 0)
    array([1., 1.])

    Raises:
        MissingRuleError: it has another shape, or is no number or array of floats.
    """
    found = np.asarray(ct)
    if pushed and found.shape != np.shape(like):
        found, like = np.asarray(like), ct
    if found.shape == np.shape(like) and found.dtype.kind in ("fc" if np.asarray(like).dtype.kind == "c" else "f"):
        return ct
    what = f"shape {found.shape}" if found.dtype.kind in "biufc" else f"class {type(ct).__name__}"
    what = f"type {found.dtype}" if found.shape == np.shape(like) and found.dtype.kind in "biuc" else what
    message = f"the pullback of {rule} returns a cotangent of {what} for argument {place}, of shape {np.shape(like)}"
    raise MissingRuleError(message, help="return floats of exactly the argument's shape: see `adxform.runtime.unbroadcast`")


def unshifted(ct: Any, at_zero: Any, rule: str) -> Any:
    """Return `ct`, which a pullback of `rule` gave, given that it gave nothing but zeros for a cotangent of zero.

    >>> unshifted(np.ones(2), np.zeros(2), "the rule of f")
    array([1., 1.])

    Raises:
        MissingRuleError: it gave something else. What is undefined there (NaN) says nothing.
    """
    found = np.asarray(at_zero)
    if not np.any((found != 0.0) & ~np.isnan(found)):
        return ct
    message = f"the pullback of {rule} adds to its cotangent what does not depend on it, so that zero would have a derivative"
    raise MissingRuleError(message, help="return what is linear in the cotangent, zeros where it is zero")


_NUMBERS = frozenset([float, int, bool, complex])


def _refuse(*_args: Any, **_kwargs: Any) -> Any:
    raise UnboundLocalError("cannot access a local variable where it is not associated with a value")


def _attribute(one: Any, name: str) -> Any:
    return object.__getattribute__(one, name) if name.startswith("__") else _refuse()


_USES = """getitem setitem delitem contains len iter call bool int float complex index hash str format
array array_ufunc array_function neg pos abs invert round lt le gt ge eq ne add radd sub rsub mul rmul truediv rtruediv
floordiv rfloordiv mod rmod divmod rdivmod pow rpow matmul rmatmul lshift rlshift rshift rrshift and rand or ror xor rxor
iadd isub imul itruediv ifloordiv imod ipow imatmul ilshift irshift iand ior ixor"""

# A dict is no sequence: NumPy would say of one that it cannot be stored in an array, whatever it raises.
undefined: Any = type(
    "Undefined", (dict,), {"__slots__": (), "__getattribute__": _attribute, **{f"__{use}__": _refuse for use in _USES.split()}}
)()
"""What a name holds that a path does not define, where it is handed on: every use raises what Python raises of such a name."""


class GrowingBuffer:
    """Memory for arrays of one dtype whose sizes differ from call to call: it grows and never shrinks."""

    def __init__(self, dtype: Any) -> None:
        self.memory = np.empty(0, dtype)

    def take(self, lengths: tuple[int, ...]) -> Any:
        """Return an array of these lengths."""
        size = math.prod(lengths)
        if self.memory.size < size:
            self.memory = np.empty(size, self.memory.dtype)
        return self.memory[:size].reshape(lengths)


class BufferStack:
    """Memory for arrays of one dtype that are in use one beside the other until it is cleared.

    >>> stack = BufferStack(np.float64)
    >>> a, b = allocate(stack, 2), allocate(stack, 2)
    >>> stack.clear()
    >>> np.may_share_memory(a, b), np.may_share_memory(a, allocate(stack, 2))
    (False, True)
    """

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        self.buffers: list[GrowingBuffer] = []
        self.used = 0

    def take(self, lengths: tuple[int, ...]) -> Any:
        """Return an array of these lengths."""
        if self.used == len(self.buffers):
            self.buffers.append(GrowingBuffer(self.dtype))
        self.used += 1
        return self.buffers[self.used - 1].take(lengths)

    def clear(self) -> None:
        """Let all of it be used again."""
        self.used = 0


def allocate(buffer: GrowingBuffer | BufferStack, shape: Any) -> Any:
    """Return an array of this shape in the memory of `buffer`, with whatever is there.

    >>> buffer = GrowingBuffer(np.float64)
    >>> allocate(buffer, (2, 3)).shape, buffer.memory.size, allocate(buffer, 4).shape, buffer.memory.size
    ((2, 3), 6, (4,), 6)
    """
    if isinstance(shape, tuple):
        return buffer.take(shape)
    return buffer.take((shape,) if isinstance(shape, int) else tuple(np.atleast_1d(shape).tolist()))  # an array, perhaps


def allocate_like(buffer: GrowingBuffer | BufferStack, *like: Any) -> Any:
    """Return an array of the shape that `like` broadcast to in the memory of `buffer`."""
    return buffer.take(np.broadcast_shapes(*[np.shape(value) for value in like]))


def allocate_product(buffer: GrowingBuffer | BufferStack, a: Any, b: Any) -> Any:
    """Return an array of the shape of ``a @ b`` in the memory of `buffer`."""
    left, right = np.shape(a), np.shape(b)
    lead = np.broadcast_shapes(left[:-2], right[:-2])
    return buffer.take((*lead, *left[-2:-1], *(right[-1:] if len(right) > 1 else ())))


class Tape:
    """A stack of arrays, copied when they are pushed into memory that is kept for the next time.

    >>> tape = Tape()
    >>> tape.append(np.ones(2))
    >>> tape.pop()
    array([1., 1.])
    """

    def __init__(self) -> None:
        self.memory: list[Any] = []
        self.values: list[Any] = []

    def append(self, value: Any) -> None:
        """Push a copy of `value`, an array; anything else as it is."""
        depth = len(self.values)
        if depth == len(self.memory):
            self.memory.append(None)
        if isinstance(value, np.ndarray):
            slot = self.memory[depth]
            if slot is None or slot.shape != value.shape or slot.dtype != value.dtype:
                slot = self.memory[depth] = np.empty_like(value)
            slot[...] = value
            value = slot
        self.values.append(value)

    def pop(self) -> Any:
        """Take the last value off; its memory is good until the next push."""
        return self.values.pop()

    def clear(self) -> None:
        """Empty the tape, and keep its memory."""
        self.values.clear()
