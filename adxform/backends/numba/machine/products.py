"""How Numba compiles products of vectors and matrices. It imports Numba, as `adxform.backends.numba.machine.kernels` does.

A product of few numbers is a loop, which takes less time than to call BLAS. Of more, BLAS takes what lies row by row or column by
column, parts of larger matrices among it, as it is; what lies otherwise is copied. One piece of machine code serves all layouts.
Where lengths do not fit, or are more than BLAS counts, the kernel gives up, and its caller asks NumPy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numba
import numba.extending
import numpy as np
from numba.core import cgutils, imputils, types
from numba.np import arrayobj

from adxform.backends.numba.machine import blas
from adxform.runtime import kernel_arrays

FEW = 125
"""The most multiplications for which loops were faster than BLAS, measured on x86-64."""
ITEM = 8
place = np.uint64
"""Indices are unsigned, so that nobody asks whether they count from the end."""

_intrinsic: Any = numba.extending.intrinsic
_machine = numba.njit(error_model="numpy", nogil=True)


def data(context: Any, builder: Any, signature: Any, args: Any, places: Iterable[int]) -> tuple[Any, ...]:
    """Where the numbers of the arrays among `args` begin."""
    return tuple([context.make_array(signature.args[at])(context, builder, args[at]).data for at in places])


@_intrinsic
def gemm(
    _context: Any, at: Any, bt: Any, m: Any, n: Any, k: Any, a: Any, lda: Any, b: Any, ldb: Any, c: Any, ldc: Any, less: Any
) -> Any:
    """``c = a @ b``, or ``c -= a @ b`` if `less`, column by column, `a` and `b` transposed if so."""

    def call(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        at, bt, m, n, k, _, lda, _, ldb, _, ldc, less = args
        a, b, c = data(context, builder, signature, args, (5, 7, 9))
        letters = blas.letter(builder, at), blas.letter(builder, bt)
        one, zero = blas.number(1.0), blas.number(0.0)
        times, kept = builder.select(less, blas.number(-1.0), one), builder.select(less, one, zero)
        blas.call(builder, "dgemm", *letters, m, n, k, times, a, lda, b, ldb, kept, c, ldc)
        return context.get_dummy_value()

    length = types.intp
    given = (types.boolean, types.boolean, length, length, length, a, length, b, length, c, length, types.boolean)
    return types.none(*given), call


@_intrinsic
def _gemv(_context: Any, at: Any, m: Any, n: Any, a: Any, lda: Any, x: Any, y: Any) -> Any:
    """``y = a @ x``, column by column, `a` transposed if so; the vectors are contiguous."""

    def call(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        at, m, n, _, lda, _, _ = args
        a, x, y = data(context, builder, signature, args, (3, 5, 6))
        step = context.get_constant(types.intp, 1)
        blas.call(builder, "dgemv", blas.letter(builder, at), m, n, blas.number(1.0), a, lda, x, step, blas.number(0.0), y, step)
        return context.get_dummy_value()

    return types.none(types.boolean, types.intp, types.intp, a, types.intp, x, y), call


@_machine
def _stride(x: Any) -> int:
    """How many numbers lie from row to row of a matrix or, as a negative number, from column to column; 0 if neither will do."""
    rows, columns = x.shape
    across, along = x.strides
    if (along == ITEM or columns == 1) and across >= ITEM * columns and across % ITEM == 0:
        return int(across // ITEM)
    if (across == ITEM or rows == 1) and along >= ITEM * rows and along % ITEM == 0:
        return int(-(along // ITEM))
    return 0


@_machine
def _matrix_into(a: Any, b: Any, out: Any) -> bool:
    """Whether ``out`` is ``a @ b`` now, of two matrices."""
    m, k = a.shape
    n = b.shape[1]
    if b.shape[0] != k or out.shape[0] != m or out.shape[1] != n:
        return False
    if m * n * k <= FEW:
        for i in range(place(m)):
            for j in range(place(n)):
                total = 0.0
                for p in range(place(k)):
                    total += a[i, p] * b[p, j]
                out[i, j] = total
        return True
    across, along, result = _stride(a), _stride(b), _stride(out)
    if result <= 0 or max(m, n, k, abs(across), abs(along), result) > blas.MOST:
        return False
    if across == 0:
        a, across = a.copy(), k
    if along == 0:
        b, along = b.copy(), n
    gemm(along < 0, across < 0, n, m, k, b, abs(along), a, abs(across), out, result, False)
    return True


@_machine
def _vector_into(a: Any, b: Any, out: Any) -> bool:
    """Whether ``out`` is ``a @ b`` now, of a matrix and a vector."""
    m, n = a.shape
    if b.shape[0] != n or out.shape[0] != m:
        return False
    if m * n <= FEW:
        for i in range(place(m)):
            total = 0.0
            for p in range(place(n)):
                total += a[i, p] * b[p]
            out[i] = total
        return True
    across = _stride(a)
    if (m > 1 and out.strides[0] != ITEM) or max(m, n, abs(across)) > blas.MOST:
        return False
    if across == 0:
        a, across = a.copy(), n
    if n > 1 and b.strides[0] != ITEM:
        b = b.copy()
    rows, columns = (n, m) if across > 0 else (m, n)
    _gemv(across > 0, rows, columns, a, abs(across), b, out)
    return True


def _of_vectors(a: Any, b: Any) -> float:
    if a.shape[0] != b.shape[0]:
        raise ValueError("lengths that do not fit")
    total = 0.0
    for i in range(place(a.shape[0])):
        total += a[i] * b[i]
    return total


def _vector_and_matrix(a: Any, b: Any, out: Any) -> bool:
    return bool(_vector_into(b.T, a, out))


def _matrix_and_vector(a: Any, b: Any, out: Any) -> bool:
    return bool(_vector_into(a, b, out))


def _matrices(a: Any, b: Any, out: Any) -> bool:
    return bool(_matrix_into(a, b, out))


def _several_and_vector(a: Any, b: Any, out: Any) -> bool:
    done: bool = out.shape[0] == a.shape[0]
    for i in range(place(a.shape[0] if done else 0)):
        done = done and bool(_vector_into(a[i], b, out[i]))
    return done


def _several_and_matrix(a: Any, b: Any, out: Any) -> bool:
    done: bool = out.shape[0] == a.shape[0]
    for i in range(place(a.shape[0] if done else 0)):
        done = done and bool(_matrix_into(a[i], b, out[i]))
    return done


def _matrix_and_several(a: Any, b: Any, out: Any) -> bool:
    done: bool = out.shape[0] == b.shape[0]
    for i in range(place(b.shape[0] if done else 0)):
        done = done and bool(_matrix_into(a, b[i], out[i]))
    return done


def _several_and_several(a: Any, b: Any, out: Any) -> bool:
    count, first, second = out.shape[0], a.shape[0], b.shape[0]
    done: bool = count == first == second or (count == first and second == 1) or (count == second and first == 1)
    for i in range(place(count if done else 0)):
        done = done and bool(_matrix_into(a[i if first > 1 else place(0)], b[i if second > 1 else place(0)], out[i]))
    return done


FORMS: Mapping[tuple[int, int], Callable[..., Any]] = {
    (1, 1): _of_vectors,
    (1, 2): _vector_and_matrix,
    (2, 1): _matrix_and_vector,
    (2, 2): _matrices,
    (3, 1): _several_and_vector,
    (3, 2): _several_and_matrix,
    (2, 3): _matrix_and_several,
    (3, 3): _several_and_several,
}


@numba.extending.type_callable(kernel_arrays.product)
def _type_product(_context: Any) -> Callable[..., Any]:
    def result(a: Any, b: Any, out: Any = None) -> Any:
        return types.float64 if out is None else out

    return result


def _lower_product(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """Calls the form for these ranks, which takes arrays of any layout."""
    given = [type_.copy(layout="A", readonly=False) for type_ in signature.args]
    values = [context.cast(builder, value, *pair) for value, *pair in zip(args, signature.args, given, strict=True)]
    form = FORMS[given[0].ndim, given[1].ndim]
    if len(given) == 2:
        return context.compile_internal(builder, form, types.float64(*given), values)
    done = context.compile_internal(builder, form, types.boolean(*given), values)
    with _inside.if_unlikely(builder, builder.not_(done)):
        context.call_conv.return_user_exc(builder, ValueError, ("not a product that kernels compute",))
    return _returned(context, builder, signature.return_type, args[2])


_inside: Any = cgutils
_returned: Any = imputils.impl_ret_borrowed
_lower: Any = numba.extending.lower_builtin
for _count in (2, 3):
    _lower(kernel_arrays.product, *[types.Array] * _count)(_lower_product)


@numba.extending.type_callable(kernel_arrays.swapped)
def _type_swapped(_context: Any) -> Callable[..., Any]:
    return lambda x: x.copy(layout="A") if isinstance(x, types.Array) and x.ndim > 1 else None


def _lower_swapped(context: Any, builder: Any, signature: Any, args: Any) -> Any:
    """The same memory, with two lengths and two steps exchanged."""
    (given,) = signature.args
    source = context.make_array(given)(context, builder, args[0])
    result = context.make_array(signature.return_type)(context, builder)
    shape, strides = ([*some[:-2], some[-1], some[-2]] for some in map(_parts(builder), (source.shape, source.strides)))
    kept = {"itemsize": source.itemsize, "meminfo": source.meminfo, "parent": source.parent}
    _arrays.populate_array(result, data=source.data, shape=shape, strides=strides, **kept)
    return _returned(context, builder, signature.return_type, result._getvalue())


def _parts(builder: Any) -> Callable[[Any], list[Any]]:
    return lambda packed: list(_inside.unpack_tuple(builder, packed))


_arrays: Any = arrayobj
_lower(kernel_arrays.swapped, types.Array)(_lower_swapped)
