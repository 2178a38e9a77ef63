"""What kernels call on numbers: the functions of `adxform.runtime` and NumPy that mean more than one operation, for one element.

Each is ordinary Python, which is compiled into the kernel that calls it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

DTYPES = frozenset({"float64", "float32", "complex128", "int64", "bool"})
"""Of what numbers and elements of arrays kernels hold are."""


def chosen(condition: bool, a: float, b: float) -> float:
    """`a` where `condition` holds, else `b`."""
    return a if condition else b


def masked_product(ct: float, partial: float) -> float:
    """``ct * partial``, and zero where one of them is zero though the other be infinite or NaN."""
    return 0.0 if (ct == 0.0) | (partial == 0.0) else ct * partial  # no branch, so that it is done for several at once


def complex_exponential(z: complex) -> complex:
    """``exp(z)``, by a quotient of the real part where that alone would be infinite.

    >>> abs(complex_exponential(709.5 + 1.0j) / complex(np.exp(np.complex128(709.5 + 1.0j))) - 1.0) < 1e-14
    True
    """
    x, y = z.real, z.imag
    if not np.isfinite(y) and np.isinf(x):
        return complex(0.0, 0.0) if x < 0.0 else complex(x, np.nan)
    if x > 709.0:
        half = np.exp(0.5 * x)
        return complex(half * np.cos(y) * half, half * np.sin(y) * half if y != 0.0 else y)
    size = np.exp(x)
    return complex(size * np.cos(y), size * np.sin(y) if y != 0.0 else y)


def quotient(a: float, b: float) -> float:
    """``a / b``, infinite where `b` is zero."""
    return a / b


def ratio(a: float, b: float) -> float:
    """``a / b``, and zero where `b` is zero, if `a` is a number."""
    return 0.0 if b == 0.0 and a == a else a / b if b != 0.0 else a


def rate(change: float, length: float) -> float:
    """``change / length``; where `length` is zero, zero if nothing changes and else NaN."""
    return change / length if length != 0.0 else 0.0 if change == 0.0 else np.nan


def remainder(a: float, b: float) -> float:
    """``a % b`` of arrays, which has the sign of `b`.

    >>> remainder(-1.5, 2.0), remainder(-4.0, 2.0), remainder(1.5, -np.inf)
    (0.5, 0.0, -inf)
    """
    rest = np.fmod(a, b)
    if rest == 0.0:
        return float(np.copysign(0.0, b))
    return float(rest + b) if (rest < 0.0) != (b < 0.0) else float(rest)


def power(a: float, b: float) -> float:
    """``a ** b``, infinite at a pole."""
    raised: float = a**b
    return raised


def log_or_zero(x: float) -> float:
    """The logarithm of `x`, zero where `x` is zero."""
    return 0.0 if x == 0.0 else float(np.log(x))


def wrapped_sum(a: int, b: int) -> int:
    """``a + b`` of NumPy's integers, modulo ``2**64``; a compiler takes it that sums of signed ones stay within 64 bits.

    >>> int(wrapped_sum(5, -7))
    -2
    """
    return np.int64(np.uint64(np.int64(a)) + np.uint64(np.int64(b)))  # type: ignore[return-value]


def wrapped_difference(a: int, b: int) -> int:
    """``a - b`` of NumPy's integers, modulo ``2**64``."""
    return np.int64(np.uint64(np.int64(a)) - np.uint64(np.int64(b)))  # type: ignore[return-value]


def wrapped_product(a: int, b: int) -> int:
    """``a * b`` of NumPy's integers, modulo ``2**64``."""
    return np.int64(np.uint64(np.int64(a)) * np.uint64(np.int64(b)))  # type: ignore[return-value]


def wrapped_square(a: int) -> int:
    """``a * a`` of NumPy's integers, modulo ``2**64``."""
    return np.int64(np.uint64(np.int64(a)) * np.uint64(np.int64(a)))  # type: ignore[return-value]


def wrapped_power(a: int, b: int) -> int:
    """``a ** b`` of NumPy's integers, modulo ``2**64``, for `b` from zero on."""
    raised, square = np.uint64(1), np.uint64(np.int64(a))
    left = b
    while left > 0:
        if left & 1:
            raised = raised * square
        square = square * square
        left >>= 1
    return np.int64(raised)  # type: ignore[return-value]


def from_front(place: int, size: int) -> int:
    """Where the bound `place` of a slice is in an axis of `size`, counted from its front.

    >>> from_front(-2, 5), from_front(-9, 5), from_front(7, 5)
    (3, 0, 5)
    """
    return min(place, size) if place >= 0 else max(place + size, 0)


def trip_count(start: int, stop: int, step: int) -> int:
    """The length of ``range(start, stop, step)``."""
    return max((stop - start + step - 1) // step, 0) if step > 0 else max((start - stop - step - 1) // -step, 0)


def check_bounds(first: int, last: int, length: int) -> None:
    """See that an axis of this `length` has all places from `first` to `last`; negative ones count from its end.

    Raises:
        IndexError: it has not.
    """
    if first < -length or last >= length:
        raise IndexError("index out of bounds")


def check_places(first: int, last: int, length: int) -> None:
    """See that an axis of this `length` has all places from `first` to `last`, counted from its front.

    Raises:
        IndexError: it has not.
    """
    if first < 0 or last >= length:
        raise IndexError("index out of bounds")


def check_equal(n: int, m: int) -> None:
    """See that two lengths are equal.

    Raises:
        ValueError: they are not.
    """
    if n != m:
        raise ValueError("lengths differ")


def check_holds(condition: bool) -> None:
    """See that what the function asserts holds.

    Raises:
        AssertionError: it does not.
    """
    if not condition:
        raise AssertionError


def check_small(n: int) -> None:
    """See that products of `n` and of lengths fit in 64 bits.

    Raises:
        OverflowError: they may not.
    """
    if n < -(2**31) or n >= 2**31:
        raise OverflowError("integer too large for compiled code")


def check_some(count: int) -> None:
    """See that there is something to reduce: `count` is not zero. NumPy asks for it where there is no result as well.

    Raises:
        ValueError: there is nothing to reduce.
    """
    if count == 0:
        raise ValueError("zero-size array to reduction operation which has no identity")


def check_finite(failed: bool) -> None:
    """See that no operation of Python's on numbers has left its domain.

    Raises:
        ArithmeticError: one has.
    """
    if failed:
        raise ArithmeticError("an operation left its domain")


CHECKS: tuple[Callable[..., Any], ...] = (*(check_bounds, check_places, check_equal, check_holds, check_small, check_finite),)
