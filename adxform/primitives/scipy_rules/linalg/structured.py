"""Matrices with a structure, systems of such, and norms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy import linalg

from adxform import runtime
from adxform.ir.kinds import dtype_name
from adxform.ir.ops import Operand, Var
from adxform.ir.types import Array, Dim, Size, Type
from adxform.primitives.declare import general
from adxform.primitives.definitions.definition import Definition, Value, unsupported
from adxform.primitives.record import Primitive
from adxform.primitives.scipy_rules.linalg.factors import one_matrix
from adxform.runtime.of_scipy import linalg as calls


def _toeplitz(c: Any, r: Any = None) -> Any:
    if r is None:
        r = np.conjugate(c) if np.iscomplexobj(c) else c
    c, r = np.atleast_1d(c), np.atleast_1d(r)
    rows, columns = c.shape[-1], r.shape[-1]
    places = rows - 1 + np.arange(columns) - np.arange(rows)[:, None]
    return np.concatenate((c[..., ::-1], r[..., 1:]), axis=-1)[..., places]


def _hankel(c: Any, r: Any = None) -> Any:
    if r is None:
        r = np.zeros_like(c)
    if np.ndim(c) > 1 or np.ndim(r) > 1:
        unsupported("scipy.linalg.hankel has a derivative of vectors: what it makes of arrays with more axes changes with SciPy")
    places = np.arange(c.shape[-1])[:, None] + np.arange(r.shape[-1])
    return np.concatenate((c, r[..., 1:]), axis=-1)[..., places]


def _circulant(c: Any) -> Any:
    c = np.atleast_1d(c)
    n = c.shape[-1]
    return c[..., (np.arange(n)[:, None] - np.arange(n)) % n]


def _block_diag(*arrs: Any) -> Any:
    blocks = [np.atleast_2d(block) for block in arrs]
    rows = []
    for k, block in enumerate(blocks):
        parts = [
            block if j == k else np.zeros((block.shape[0], other.shape[1]), dtype=block.dtype) for j, other in enumerate(blocks)
        ]
        rows.append(np.concatenate(tuple(parts), axis=1))
    return np.concatenate(tuple(rows), axis=0)


def _companion(a: Any) -> Any:
    if np.ndim(a) != 1:
        unsupported("scipy.linalg.companion has a derivative of one polynomial: write a loop")
    n = a.shape[0] - 1
    return np.concatenate((np.expand_dims(-a[1:] / a[0], 0), np.eye(n - 1, n)), axis=0)


def _convolution_matrix(a: Any, n: Any, mode: Any = "full") -> Any:
    """Of the rows of the full one the others leave out as many as of its values ``np.convolve`` does."""
    if np.ndim(a) != 1:
        unsupported("scipy.linalg.convolution_matrix has a derivative of one vector: write a loop")
    long, short = max(a.shape[0], n), min(a.shape[0], n)
    rows, first = np.arange(a.shape[0] + n - 1), 0
    if mode == "same":
        first, rows = (short - 1) // 2, rows[:long]
    elif mode == "valid":
        first, rows = short - 1, rows[: long - short + 1]
    places = rows[:, None] + first - np.arange(n)
    inside = np.logical_and(places >= 0, places < a.shape[0])
    return np.where(inside, a[np.where(inside, places, 0)], 0.0)


def _leslie(f: Any, s: Any) -> Any:
    if np.ndim(f) != 1 or np.ndim(s) != 1:
        unsupported("scipy.linalg.leslie has a derivative of two vectors: write a loop")
    survive = np.concatenate((np.diag(s), np.zeros((s.shape[0], 1))), axis=1)
    return np.concatenate((np.expand_dims(f, 0), survive), axis=0)


def _fiedler(a: Any) -> Any:
    a = np.atleast_1d(a)
    if np.ndim(a) != 1:
        unsupported("scipy.linalg.fiedler has a derivative of one vector: write a loop")
    if a.shape[0] == 0:
        raise runtime.without_derivative("scipy.linalg.fiedler of no numbers has no derivative: it is no matrix")
    return np.abs(a[:, None] - a)


def _khatri_rao(a: Any, b: Any) -> Any:
    if np.ndim(a) > 2 or np.ndim(b) > 2:
        unsupported("scipy.linalg.khatri_rao has a derivative of two matrices, and not of several: write a loop")
    return np.reshape(a[:, None, :] * b[None, :, :], (a.shape[0] * b.shape[0], a.shape[1]))


def _norm(a: Any, ord: Any = None, axis: Any = None, keepdims: Any = False, check_finite: Any = True) -> Any:
    return np.linalg.norm(a, ord, axis, keepdims)


def _like_right_side(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
    """The type of a solution: that of the right side, in the dtype of both."""
    match args[:2]:
        case Var(_, Array(ours, tuple())), Var(_, Array(other, tuple() as shape)) if (
            np.dtype(other).kind == np.dtype(ours).kind == "f"
        ):
            return Array(dtype_name(np.result_type(np.dtype(ours), np.dtype(other))), shape)
        case _:
            return None


def _of_toeplitz(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
    """The type of a solution for a first column and a first row: those of samples, whose elements are equal, have none."""
    match args[:3]:
        case Var(_, Array(first)), Var(_, Array(second)), Var(_, Array(other, tuple() as shape)):
            dtype = np.result_type(np.dtype(first), np.dtype(second), np.dtype(other), np.float64)
            return Array(dtype_name(dtype), shape)
        case _:
            return None


def _of_polynomial(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
    """Samples do not tell it: numbers whose first is zero make none."""
    match args[0]:
        case Var(_, Array("float64" | "float32" | "complex128" | "complex64" as dtype, (n,))):
            rows: Size = n - 1 if isinstance(n, int) else Dim(n.base, n.offset - 1)
            return Array(dtype, (rows, rows))
        case _:
            return None


def _of_first_row(args: tuple[Operand, ...], kwargs: Mapping[str, Operand]) -> Type | None:
    match args[:2]:
        case Var(_, Array(first, (n,))), Var(_, Array(second, (_,))):
            return Array(dtype_name(np.result_type(np.dtype(first), np.dtype(second))), (n, n))
        case _:
            return None


def _columns(x: Any) -> Any:
    """`x` as a matrix of right sides."""
    return np.reshape(x, (x.shape[0], -1))


def _solve_with_bands(ab: Any, b: Any, lower: Any, upper: Any, check_finite: Any = True) -> Any:
    one_matrix("solve_banded", 2, ab, b)
    x = calls.solve_with_bands(ab, b, lower, upper, check_finite)

    def pullback(ct: Any) -> Any:
        n, total = ab.shape[1], lower + upper
        turned = np.zeros_like(ab)
        for d in range(total + 1):
            s = d - upper
            if s >= 0:
                turned[total - d, s:] = ab[d, : n - s]
            else:
                turned[total - d, : n + s] = ab[d, -s:]
        b_ct = calls.solve_with_bands(turned, ct, upper, lower, False)
        y, z = _columns(b_ct), _columns(x)
        ab_ct = np.zeros(ab.shape, dtype=b_ct.dtype)
        for d in range(total + 1):
            s = d - upper
            if s >= 0:
                ab_ct[d, : n - s] = -np.sum(y[s:] * z[: n - s], axis=1)
            else:
                ab_ct[d, -s:] = -np.sum(y[: n + s] * z[-s:], axis=1)
        return ab_ct, b_ct, None, None

    return x, pullback


def _solve_banded(
    l_and_u: Any, ab: Any, b: Any, overwrite_ab: Any = False, overwrite_b: Any = False, check_finite: Any = True
) -> Any:
    lower, upper = l_and_u
    return calls.solve_with_bands(ab, b, lower, upper, check_finite)


def _solveh_banded(ab: Any, b: Any, lower: Any = False, check_finite: Any = True) -> Any:
    one_matrix("solveh_banded", 2, ab, b)
    if np.iscomplexobj(ab):
        raise NotImplementedError("scipy.linalg.solveh_banded has no derivative of complex matrices")
    x = linalg.solveh_banded(ab, b, lower=lower, check_finite=check_finite)

    def pullback(ct: Any) -> Any:
        b_ct = linalg.solveh_banded(ab, ct, lower=lower, check_finite=False)
        y, z = _columns(b_ct), _columns(x)
        rows, n = ab.shape
        ab_ct = np.zeros_like(ab)
        for s in range(rows):
            if s == 0:
                ab_ct[0 if lower else rows - 1] = -np.sum(y * z, axis=1)
            elif lower:
                ab_ct[s, : n - s] = -np.sum(y[s:] * z[: n - s] + y[: n - s] * z[s:], axis=1)
            else:
                ab_ct[rows - 1 - s, s:] = -np.sum(y[s:] * z[: n - s] + y[: n - s] * z[s:], axis=1)
        return ab_ct, b_ct

    return x, pullback


def _lags(y: Any, z: Any) -> Any:
    """At each `k` the sum of ``y[j + k] * z[j]``, over all columns."""
    n = y.shape[0]
    longer = np.concatenate((_columns(y), np.zeros_like(_columns(y))), axis=0)
    return np.sum(longer[np.arange(n)[:, None] + np.arange(n)] * _columns(z), axis=(1, 2))


def _solve_with_toeplitz(c: Any, r: Any, b: Any, check_finite: Any = True) -> Any:
    """The first of `r` is not read."""
    one_matrix("solve_toeplitz", 1, c, b)
    x = calls.solve_with_toeplitz(c, r, b, check_finite)

    def pullback(ct: Any) -> Any:
        across = np.concatenate((c[:1], r[1:]))
        b_ct = calls.solve_with_toeplitz(across, c, ct, False)
        of_row = -_lags(x, b_ct)
        return -_lags(b_ct, x), np.concatenate((np.zeros_like(of_row[:1]), of_row[1:])), b_ct

    return x, pullback


def _solve_toeplitz(c_or_cr: Any, b: Any, check_finite: Any = True) -> Any:
    if isinstance(c_or_cr, tuple):
        c, r = c_or_cr
        return calls.solve_with_toeplitz(c, r, b, check_finite)
    if np.iscomplexobj(c_or_cr):
        return calls.solve_with_toeplitz(c_or_cr, np.conjugate(c_or_cr), b, check_finite)
    return calls.solve_with_toeplitz(c_or_cr, c_or_cr, b, check_finite)


def _solve_circulant(c: Any, b: Any) -> Any:
    if np.ndim(c) != 1 or np.ndim(b) > 2:
        unsupported("scipy.linalg.solve_circulant has a derivative of one matrix, and a vector or its columns")
    factors = np.fft.fft(c)
    x = np.fft.ifft(np.fft.fft(b, axis=0) / (factors if np.ndim(b) == 1 else factors[:, None]), axis=0)
    return x if np.iscomplexobj(c) or np.iscomplexobj(b) else np.real(x)


def _matmul_toeplitz(c_or_cr: Any, x: Any, check_finite: Any = False, workers: Any = None) -> Any:
    if isinstance(c_or_cr, tuple):
        c, r = c_or_cr
        return calls.toeplitz_product(c, r, x, check_finite, workers)
    return calls.toeplitz_product(c_or_cr, np.conjugate(c_or_cr), x, check_finite, workers)


_AB = np.array([[0.0, 0.5, -0.25], [2.0, 1.5, 3.0], [0.25, -0.5, 0.0]])
_B = np.array([1.0, 2.0, -0.5])
_C, _R = np.array([2.0, 0.5, -0.25]), np.array([2.0, -0.5, 0.125])

RECORDS: tuple[Primitive, ...] = (
    general(calls.solve_with_bands, _solve_with_bands, (_AB, _B, 1, 1), result=_like_right_side, linear_in=(1,)),
    general(linalg.solveh_banded, _solveh_banded, (_AB[:2], _B), result=_like_right_side, linear_in=(1,)),
    general(calls.solve_with_toeplitz, _solve_with_toeplitz, (_C, _R, _B), result=_of_toeplitz, linear_in=(2,), of_complex=True),
)

DEFINITIONS: tuple[Definition, ...] = (
    Definition(linalg.toeplitz, _toeplitz),
    Definition(linalg.hankel, _hankel),
    Definition(linalg.circulant, _circulant),
    Definition(linalg.block_diag, _block_diag),
    Definition(linalg.khatri_rao, _khatri_rao),
    Definition(linalg.companion, _companion, Value.OWN, result=_of_polynomial),
    Definition(linalg.convolution_matrix, _convolution_matrix, Value.OWN),
    Definition(linalg.leslie, _leslie, Value.OWN, result=_of_first_row),
    Definition(linalg.fiedler, _fiedler, Value.OWN),
    Definition(linalg.norm, _norm, Value.OWN),
    Definition(linalg.solve_banded, _solve_banded, sequences=True, only={"overwrite_ab": (False,), "overwrite_b": (False,)}),
    Definition(linalg.solve_circulant, _solve_circulant, Value.OWN),
    Definition(calls.toeplitz_product, lambda c, r, x, check, workers: _toeplitz(c, r) @ x, Value.OWN),
    Definition(linalg.matmul_toeplitz, _matmul_toeplitz, sequences=True),
    Definition(linalg.solve_toeplitz, _solve_toeplitz, sequences=True),
)
