"""How Numba compiles solvers and factorisations: as calls of LAPACK. It imports Numba, as `kernels` does.

Matrices are copied for LAPACK, as NumPy copies them, so that one piece of machine code serves all layouts and rows are
exchanged as they are there. Kernels give up, and their callers ask NumPy, where NumPy raises and where anything is not finite:
what becomes of that is not the same in every library.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import numba
import numba.extending
import numpy as np
from numba.core import cgutils, types

from adxform.backends.numba import kernel_solvers
from adxform.backends.numba.machine import blas
from adxform.backends.numba.machine.products import data, gemm, place

BLOCK = 8
"""As many numbers are in a line of the cache."""
ROWS = 32
"""So many rows of a Cholesky factor at a time are differentiated."""
WORK = 64
"""So many columns at a time are inverted."""

_inside: Any = cgutils
_intrinsic: Any = numba.extending.intrinsic
_machine = numba.njit(error_model="numpy", nogil=True)
_typed: Any = numba.extending.type_callable
_lower: Any = numba.extending.lower_builtin
_length = types.intp


@_intrinsic
def _getrf(_context: Any, n: Any, a: Any, pivots: Any) -> Any:
    """Factor `a`, column by column; what is returned is not zero where it is singular."""

    def call(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        n, info = args[0], blas.outcome(builder)
        a, pivots = data(context, builder, signature, args, (1, 2))
        blas.call(builder, "dgetrf", n, n, a, n, pivots, info)
        return builder.load(info)

    return types.int32(_length, a, pivots), call


@_intrinsic
def _getrs(_context: Any, turned: Any, n: Any, count: Any, lu: Any, pivots: Any, b: Any) -> Any:
    """Solve with the factors, or those of the transposed matrix if so, for the columns of `b`."""

    def call(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        turned, n, count, *_ = args
        lu, pivots, b = data(context, builder, signature, args, (3, 4, 5))
        info = blas.outcome(builder)
        blas.call(builder, "dgetrs", blas.letter(builder, turned), n, count, lu, n, pivots, b, n, info)
        return builder.load(info)

    return types.int32(types.boolean, _length, _length, lu, pivots, b), call


@_intrinsic
def _getri(_context: Any, n: Any, lu: Any, pivots: Any, work: Any, size: Any) -> Any:
    """Put the inverse in the place of the factors."""

    def call(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        n, _, _, _, size = args
        lu, pivots, work = data(context, builder, signature, args, (1, 2, 3))
        info = blas.outcome(builder)
        blas.call(builder, "dgetri", n, lu, n, pivots, work, size, info)
        return builder.load(info)

    return types.int32(_length, lu, pivots, work, _length), call


@_intrinsic
def _potrf(_context: Any, n: Any, a: Any) -> Any:
    """Factor `a`, of which the triangle above the diagonal is read, column by column."""

    def call(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        (a,) = data(context, builder, signature, args, (1,))
        info = blas.outcome(builder)
        blas.call(builder, "dpotrf", blas.word("u"), args[0], a, args[0], info)
        return builder.load(info)

    return types.int32(_length, a), call


@_intrinsic
def _trsm(_context: Any, n: Any, count: Any, a: Any, step: Any, b: Any) -> Any:
    """Solve with the upper triangle of `a` for the columns of `b`; from column to column of both are `step` numbers."""

    def call(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        n, count, _, step, _ = args
        a, b = data(context, builder, signature, args, (2, 4))
        letters = [blas.word(letter) for letter in "lunn"]
        blas.call(builder, "dtrsm", *letters, n, count, blas.number(1.0), a, step, b, step)
        return context.get_dummy_value()

    return types.none(_length, _length, a, _length, b), call


@_machine
def _turn(a: Any, out: Any) -> bool:
    """Store ``a.T``; whether all of it is finite."""
    n, m = a.shape
    fine = True
    for first in range(0, n, BLOCK):
        for second in range(0, m, BLOCK):
            for j in range(place(second), place(min(second + BLOCK, m))):
                for i in range(place(first), place(min(first + BLOCK, n))):
                    x = a[i, j]
                    fine &= math.isfinite(x)
                    out[j, i] = x
    return fine


@_machine
def _copy(a: Any, out: Any) -> bool:
    """Store the vector `a`; whether all of it is finite."""
    fine = True
    for i in range(place(a.shape[0])):
        fine &= math.isfinite(a[i])
        out[i] = a[i]
    return fine


@_machine
def _exchanged(lu: Any) -> Any:
    """The rows that were exchanged, as LAPACK has them."""
    n = lu.shape[1]
    pivots = np.empty(n, np.int32)
    for i in range(place(n)):
        pivots[i] = np.int32(lu[n, i])
    return pivots


@_machine
def _is_singular(lu: Any) -> bool:
    found = False
    for i in range(place(lu.shape[1])):
        found |= lu[i, i] == 0.0
    return found


def _factor(a: Any, lu: Any) -> bool:
    n = a.shape[1]
    if a.shape[0] != n or n >= blas.MOST or not _turn(a, lu):
        return False
    pivots = np.empty(n, np.int32)
    if n:
        _getrf(n, lu, pivots)
    for i in range(place(n)):
        lu[n, i] = pivots[i]
    return True


@_machine
def _solved(lu: Any, b: Any, out: Any, turned: bool) -> bool:
    n = lu.shape[1]
    if b.shape[0] != n or _is_singular(lu) or not _copy(b, out):
        return False
    if n:
        _getrs(turned, n, 1, lu, _exchanged(lu), out)
    return bool(_copy(out, out))


@_machine
def _several_solved(lu: Any, b: Any, out: Any, turned: bool) -> bool:
    n, count = b.shape
    columns = np.empty((count, n))
    if lu.shape[1] != n or count > blas.MOST or _is_singular(lu) or not _turn(b, columns):
        return False
    if n and count:
        _getrs(turned, n, count, lu, _exchanged(lu), columns)
    return bool(_turn(columns, out))


def _solve(lu: Any, b: Any, out: Any) -> bool:
    return bool(_solved(lu, b, out, False))


def _solve_transposed(lu: Any, b: Any, out: Any) -> bool:
    return bool(_solved(lu, b, out, True))


def _solve_several(lu: Any, b: Any, out: Any) -> bool:
    return bool(_several_solved(lu, b, out, False))


def _solve_several_transposed(lu: Any, b: Any, out: Any) -> bool:
    return bool(_several_solved(lu, b, out, True))


def _invert(lu: Any, out: Any) -> bool:
    n = lu.shape[1]
    if _is_singular(lu) or n * WORK > blas.MOST:
        return False
    columns = lu[:n].copy()
    if n:
        _getri(n, columns, _exchanged(lu), np.empty(n * WORK), n * WORK)
    return bool(_turn(columns, out))


def _cofactors(lu: Any, out: Any) -> bool:
    n, volume = lu.shape[1], _sign(lu) * np.exp(_log(lu))
    if volume == 0.0 or n * WORK > blas.MOST:
        return False
    rows = lu[:n].copy()
    if n:
        _getri(n, rows, _exchanged(lu), np.empty(n * WORK), n * WORK)
    return bool(_copy_rows(rows, volume, out))


@_machine
def _copy_rows(rows: Any, factor: float, out: Any) -> bool:
    """Store `rows` times `factor`; whether all of that is finite."""
    fine = True
    for i in range(place(rows.shape[0])):
        for j in range(place(rows.shape[1])):
            x = rows[i, j] * factor
            fine &= math.isfinite(x)
            out[i, j] = x
    return fine


@_machine
def _lower_part(a: Any, out: Any) -> bool:
    """Store the triangle of `a` on and below the diagonal, and zeros above it; whether all of that is finite."""
    n, fine = a.shape[0], True
    for i in range(place(n)):
        for j in range(place(n)):
            x = a[i, j] if j <= i else 0.0
            fine &= math.isfinite(x)
            out[i, j] = x
    return fine


def _cholesky(a: Any, out: Any) -> bool:
    n = a.shape[1]
    if a.shape[0] != n or n > blas.MOST:
        return False
    if not _lower_part(a, out) or (n and _potrf(n, out) != 0):
        return False
    fine = True
    for i in range(place(n)):
        fine &= math.isfinite(out[i, i])
    return fine


@_machine
def _of_block(lower: Any, ct: Any, start: Any, stop: Any) -> None:
    """Put the cotangent of a block on the diagonal in the place of that of its factor."""
    one = place(1)
    for done in range(stop - start):
        k = stop - one - done
        total, pivot = 0.0, lower[k, k]
        for i in range(k + one, stop):
            total += ct[i, k] * lower[i, k]
        ct[k, k] -= total / pivot
        for i in range(k, stop):
            ct[i, k] /= pivot
        for i in range(k, stop):
            for p in range(start, k):
                ct[k, p] -= ct[i, k] * lower[i, p]
        for i in range(k + one, stop):
            for p in range(start, k):
                ct[i, p] -= ct[i, k] * lower[k, p]
        ct[k, k] *= 0.5


def _cholesky_cotangent(factor: Any, ct: Any, out: Any) -> bool:
    """Murray (2016), section 3.3: block by block from the last one. Matrices are transposed here, for they lie row by row."""
    n = factor.shape[1]
    if factor.shape[0] != n or ct.shape[0] != n or ct.shape[1] != n or n > blas.MOST:
        return False
    lower, found, fine = np.empty((n, n)), np.empty((n, n)), True
    for i in range(place(n)):
        for j in range(place(n)):
            x, y = factor[i, j], ct[i, j]
            fine &= math.isfinite(x) and math.isfinite(y) and (j <= i or x == 0.0)
            lower[i, j], found[i, j] = x, y if j <= i else 0.0
        fine &= lower[i, i] != 0.0
    both = np.empty((ROWS, ROWS))
    stop = n if fine else 0
    while stop > 0:
        start = max(stop - ROWS, 0)
        size, left = stop - start, n - stop
        part, part_ct = lower[start:, start:], found[start:, start:]
        if left:
            below, below_ct = lower[stop:, start:], found[stop:, start:]
            _trsm(size, left, part, n, below_ct)
            if start:
                gemm(False, False, start, left, size, lower[start:], n, below_ct, n, found[stop:], n, True)
                gemm(False, True, start, size, left, lower[stop:], n, below_ct, n, found[start:], n, True)
            gemm(False, True, size, size, left, below, n, below_ct, n, part_ct, n, True)
        _of_block(lower, found, place(start), place(stop))
        if start:
            for i in range(place(size)):
                for j in range(i + place(1)):
                    both[i, j] = part_ct[i, j] * (2.0 if i == j else 1.0)
                    both[j, i] = both[i, j]
            gemm(False, False, start, size, size, lower[start:], n, both, ROWS, found[start:], n, True)
        stop = start
    return bool(_lower_part(found, out)) and fine


@_machine
def _sign(lu: Any) -> float:
    n, sign = lu.shape[1], 1.0
    for i in range(place(n)):
        x = lu[i, i]
        sign = (-sign if lu[n, i] != i + 1 else sign) * (1.0 if x > 0.0 else -1.0 if x < 0.0 else x)
    return sign


@_machine
def _log(lu: Any) -> float:
    total = 0.0
    for i in range(place(lu.shape[1])):
        total += np.log(abs(lu[i, i]))
    return total


def _determinant(lu: Any) -> float:
    return float(_sign(lu) * np.exp(_log(lu)))


def _sign_of_determinant(lu: Any) -> float:
    return float(_sign(lu))


def _log_of_determinant(lu: Any) -> float:
    return float(_log(lu))


FORMS: Mapping[tuple[Callable[..., Any], int], Callable[..., Any]] = {
    (kernel_solvers.factor, 2): _factor,
    (kernel_solvers.solve, 1): _solve,
    (kernel_solvers.solve, 2): _solve_several,
    (kernel_solvers.solve_transposed, 1): _solve_transposed,
    (kernel_solvers.solve_transposed, 2): _solve_several_transposed,
    (kernel_solvers.invert, 2): _invert,
    (kernel_solvers.cofactors, 2): _cofactors,
    (kernel_solvers.cholesky, 2): _cholesky,
    (kernel_solvers.cholesky_cotangent, 2): _cholesky_cotangent,
    (kernel_solvers.determinant, 2): _determinant,
    (kernel_solvers.sign_of_determinant, 2): _sign_of_determinant,
    (kernel_solvers.log_of_determinant, 2): _log_of_determinant,
}
"""What is compiled for a solver, and the rank of its last argument."""


def _compile(solver: Callable[..., Any]) -> None:
    """Let Numba compile `solver`: as the form for these ranks, which takes arrays of any layout."""
    number = solver in (kernel_solvers.determinant, kernel_solvers.sign_of_determinant, kernel_solvers.log_of_determinant)

    def result(_context: Any) -> Callable[..., Any]:
        return lambda lu, b=None, out=None: types.float64 if number else types.none

    def lower(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        given = [type_.copy(layout="A", readonly=False) for type_ in signature.args]
        values = [context.cast(builder, value, *pair) for value, *pair in zip(args, signature.args, given, strict=True)]
        form = FORMS[solver, given[-1].ndim]
        if number:
            return context.compile_internal(builder, form, types.float64(*given), values)
        done = context.compile_internal(builder, form, types.boolean(*given), values)
        with _inside.if_unlikely(builder, builder.not_(done)):
            context.call_conv.return_user_exc(builder, ValueError, ("not solved by kernels",))
        return context.get_dummy_value()

    _typed(solver)(result)
    for count in (1, 2, 3):
        _lower(solver, *[types.Array] * count)(lower)


for _solver in {solver: None for solver, _ in FORMS}:
    _compile(_solver)
