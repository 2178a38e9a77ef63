"""Products, sums and quotients that are made of others."""

from __future__ import annotations

import builtins
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


def _angle(z: Any, deg: Any = False) -> Any:
    angle = np.arctan2(np.imag(z), np.real(z))
    return angle * (180 / np.pi) if deg else angle


def _vecdot(a: Any, b: Any) -> Any:
    return np.sum(conjugate(a) * b, axis=-1)


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


DEFINITIONS: tuple[Definition, ...] = (
    Definition(builtins.divmod, _divmod),
    Definition(np.divmod, _np_divmod),
    Definition(np.linalg.matrix_power, _matrix_power),
    Definition(np.linalg.svdvals, _svdvals),
    Definition(np.angle, _angle),
    Definition(np.vecdot, _vecdot, Value.IN_KERNELS),
    Definition(np.linalg.vecdot, _vecdot, Value.IN_KERNELS),
    Definition(np.matvec, _matvec, Value.OWN),
    Definition(np.vecmat, _vecmat, Value.OWN),
    Definition(np.astype, _astype),
    Definition(np.asarray_chkfinite, _asarray_chkfinite),
    Definition(math.fsum, _fsum, Value.OWN, sequences=True),
    Definition(math.prod, _product, Value.IN_KERNELS, sequences=True),
    Definition(math.dist, _distance, Value.IN_KERNELS, sequences=True),
)
