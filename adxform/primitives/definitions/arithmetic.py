"""Products, sums and quotients that are made of others."""

from __future__ import annotations

import builtins
import cmath
import math
import operator
from typing import Any

import numpy as np

from adxform import runtime
from adxform.primitives.complex_numbers import conjugate
from adxform.primitives.definitions.definition import Definition, Value


def _divmod(a: Any, b: Any) -> Any:
    return a // b, a % b


def _np_divmod(a: Any, b: Any) -> Any:
    return np.floor_divide(a, b), np.remainder(a, b)


def _matrix_power(a: Any, n: Any) -> Any:
    """The products that NumPy computes, one by one in its order: as many as the exponent has binary digits, twice at most."""
    if np.ndim(a) < 2 or a.shape[-2] != a.shape[-1]:
        raise np.linalg.LinAlgError("the last two axes of a matrix that is multiplied by itself are of one length")
    n = operator.index(n)
    if n == 0:
        return np.zeros_like(a) + np.eye(a.shape[-1], dtype=a.dtype)
    if n < 0:
        a = np.linalg.inv(a)
        n = -n
    if n == 1:
        return a
    if n == 2:
        return a @ a
    if n == 3:
        return a @ a @ a
    while n % 2 == 0:
        a = a @ a
        n //= 2
    result = a
    while n > 1:
        n //= 2
        a = a @ a
        if n % 2 == 1:
            result = result @ a
    return result


def _svdvals(x: Any) -> Any:
    return np.linalg.svd(x, compute_uv=False)


def _cond(x: Any, p: Any = None) -> Any:
    if p is None or p == 2 or p == -2:
        _, s, _ = np.linalg.svd(x, full_matrices=False)  # the call that gives the vectors of which its derivative is made
        return s[..., -1] / s[..., 0] if p == -2 else s[..., 0] / s[..., -1]
    return np.linalg.norm(x, p, (-2, -1)) * np.linalg.norm(runtime.inverse(x), p, (-2, -1))


def _matrix_norm(x: Any, *, keepdims: Any = False, ord: Any = "fro") -> Any:
    return np.linalg.norm(x, ord, (-2, -1), keepdims)


def _vector_norm(x: Any, *, axis: Any = None, keepdims: Any = False, ord: Any = 2) -> Any:
    """Along several axes made one, as NumPy has it; the first as they are told."""
    rank = np.ndim(x)
    if axis is None:
        norm = np.linalg.norm(np.ravel(x), ord, 0)
        return np.reshape(norm, (1,) * rank) if keepdims else norm
    if not isinstance(axis, tuple):
        return np.linalg.norm(x, ord, axis, keepdims)
    axes = tuple([one % rank for one in axis])
    rest = tuple([one for one in range(rank) if one not in axes])
    rows = np.transpose(x, axes + rest)
    count = math.prod([x.shape[one] for one in axes])
    norm = np.linalg.norm(np.reshape(rows, (count, *[x.shape[one] for one in rest])), ord, 0)
    return np.expand_dims(norm, axes) if keepdims else norm


def _tensorinv(a: Any, ind: Any = 2) -> Any:
    if ind <= 0:
        raise ValueError("Invalid ind argument.")
    shape = a.shape[ind:] + a.shape[:ind]
    return np.reshape(np.linalg.inv(np.reshape(a, (math.prod(a.shape[ind:]), -1))), shape)


def _tensorsolve(a: Any, b: Any, axes: Any = None) -> Any:
    if axes is not None:
        order = list(range(np.ndim(a)))
        for one in axes:
            order.remove(one)
            order.insert(np.ndim(a), one)
        a = np.transpose(a, tuple(order))
    shape = a.shape[np.ndim(b) :]
    count = math.prod(shape)
    if np.size(a) != count**2:
        raise np.linalg.LinAlgError("prod(a.shape[b.ndim:]) is not prod(a.shape[:b.ndim])")
    return np.reshape(np.linalg.solve(np.reshape(a, (count, count)), np.ravel(b)), shape)


def _angle(z: Any, deg: Any = False) -> Any:
    angle = np.arctan2(np.imag(z), np.real(z))
    return angle * (180 / np.pi) if deg else angle


def _vecdot(a: Any, b: Any, *, axis: Any = -1) -> Any:
    if axis != -1:  # what is left of each is broadcast once the axis is gone
        a, b = np.moveaxis(a, axis, -1), np.moveaxis(b, axis, -1)
    return np.sum(conjugate(a) * b, axis=-1)


def _matmul(x1: Any, x2: Any) -> Any:
    return np.matmul(x1, x2)


def _outer(x1: Any, x2: Any) -> Any:
    if np.ndim(x1) != 1 or np.ndim(x2) != 1:
        raise ValueError(f"Input arrays must be one-dimensional, but they are x1.ndim={np.ndim(x1)} and x2.ndim={np.ndim(x2)}.")
    return np.outer(x1, x2)


def _tensordot(x1: Any, x2: Any, *, axes: Any = 2) -> Any:
    return np.tensordot(x1, x2, axes)


def _cross(x1: Any, x2: Any, *, axis: Any = -1) -> Any:
    if x1.shape[axis] != 3 or x2.shape[axis] != 3:
        raise ValueError("Both input arrays must be (arrays of) 3-dimensional vectors")
    return np.cross(x1, x2, axis=axis)


def _diagonal(x: Any, *, offset: Any = 0) -> Any:
    return np.diagonal(x, offset, -2, -1)


def _trace(x: Any, *, offset: Any = 0) -> Any:
    return np.trace(x, offset, -2, -1)


def _matvec(a: Any, x: Any) -> Any:
    return np.matmul(a, np.expand_dims(x, -1))[..., 0]


def _vecmat(x: Any, a: Any) -> Any:
    return np.matmul(np.expand_dims(conjugate(x), -2), a)[..., 0, :]


def _astype(x: Any, dtype: Any, *, copy: Any = True) -> Any:
    return x.astype(dtype, copy=copy)


def _asarray_chkfinite(a: Any) -> Any:
    a = np.asarray(a)
    if not np.all(np.isfinite(a)):
        raise ValueError("array must not contain infs or NaNs")
    return a


def _fsum(numbers: Any) -> Any:
    if isinstance(numbers, np.ndarray):
        return runtime.exact_sum(numbers)
    return runtime.exact_sum(np.array([float(number) for number in numbers], dtype=np.float64))


def _product(numbers: Any, *, start: Any = 1) -> Any:
    total = start
    for k, number in enumerate(numbers):
        total = start * number if k == 0 else total * number  # what does not move is not multiplied by an infinite slope
    return total


def _distance(p: Any, q: Any) -> Any:
    total = 0.0
    for a, b in zip(p, q, strict=True):
        total = total + (float(a) - float(b)) ** 2
    return math.sqrt(total)


def _polar(z: Any) -> Any:
    return abs(z), cmath.phase(z)


DEFINITIONS: tuple[Definition, ...] = (
    Definition(builtins.divmod, _divmod),
    Definition(np.divmod, _np_divmod),
    Definition(np.linalg.matrix_power, _matrix_power),
    Definition(np.linalg.svdvals, _svdvals),
    Definition(np.linalg.cond, _cond, Value.OWN),
    Definition(np.linalg.matrix_norm, _matrix_norm),
    Definition(np.linalg.vector_norm, _vector_norm),
    Definition(np.linalg.tensorinv, _tensorinv),
    Definition(np.linalg.tensorsolve, _tensorsolve),
    Definition(np.linalg.matmul, _matmul),
    Definition(np.linalg.outer, _outer),
    Definition(np.linalg.tensordot, _tensordot),
    Definition(np.linalg.cross, _cross),
    Definition(np.linalg.diagonal, _diagonal),
    Definition(np.linalg.trace, _trace),
    Definition(np.angle, _angle),
    Definition(np.vecdot, _vecdot, Value.IN_KERNELS),
    Definition(np.linalg.vecdot, _vecdot, Value.IN_KERNELS),
    Definition(np.matvec, _matvec, Value.OWN),
    Definition(np.vecmat, _vecmat, Value.OWN),
    Definition(np.astype, _astype),
    Definition(np.asarray_chkfinite, _asarray_chkfinite),
    Definition(cmath.polar, _polar),
    Definition(math.fsum, _fsum, Value.OWN, sequences=True),
    Definition(math.prod, _product, Value.IN_KERNELS, sequences=True),
    Definition(math.dist, _distance, Value.IN_KERNELS, sequences=True),
)
