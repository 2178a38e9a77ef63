"""Logarithms of sums of two exponentials: the larger argument, and what the other adds to it."""

from __future__ import annotations

from adxform.backends.numba.vector_math.building_blocks import form, in_common, magnitude, where, widened
from adxform.backends.numba.vector_math.coefficients import LN2_ROUNDED
from adxform.backends.numba.vector_math.exponentials import exp, exp2
from adxform.backends.numba.vector_math.logarithms import assembled

LN2 = LN2_ROUNDED[0]
ROOT_LESS_ONE = 2.0**0.5 - 1.0


@form
def log_of_more_than_one(t: float) -> float:
    """Return ``log(1 + t)`` for `t` from zero to one: beyond √2 that is ln 2 more than of the half, ``1 + (t - 1) / 2``."""
    beyond = t > ROOT_LESS_ONE
    return assembled(where(beyond, 0.5 * (t - 1.0), t), where(beyond, 1.0, 0.0), 0.0)


@form
def logaddexp(x: float, y: float) -> float:
    """Return ``log(e^x + e^y)``, to the last places of the larger of result and operands."""
    a, b = widened(x), widened(y)
    result = where(a > b, a, b) + log_of_more_than_one(exp(-magnitude(a - b)))
    return in_common(where(a == b, a + LN2, result), x, y)


@form
def logaddexp2(x: float, y: float) -> float:
    """Return ``log2(2^x + 2^y)``, to the last places of the larger of result and operands."""
    a, b = widened(x), widened(y)
    result = where(a > b, a, b) + log_of_more_than_one(exp2(-magnitude(a - b))) / LN2
    return in_common(where(a == b, a + 1.0, result), x, y)
