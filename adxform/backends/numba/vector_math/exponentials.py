"""Exponentials: ``x = k ln 2 + r`` with ``|r| <= ln 2 / 2``, and a polynomial for ``e^r``.

Source: Cody and Waite, Software Manual for the Elementary Functions (1980), chapter 6: the reduction in two steps.
"""

from __future__ import annotations

from adxform.backends.numba.vector_math.building_blocks import (
    form,
    magnitude,
    narrowed,
    nearest,
    polynomial,
    power_of_two,
    scaled,
    where,
    widened,
)
from adxform.backends.numba.vector_math.coefficients import EXP, EXP2, LN2, LN2_ROUNDED
from adxform.backends.numba.vector_math.pairs import fast_two_sum

LN2_HIGH, LN2_LOW = LN2
LN2_NEAREST, LN2_REST = LN2_ROUNDED
LOG2_OF_E = 1.0 / LN2_NEAREST


@form
def parts(x: float, low: float) -> tuple[float, float, float]:
    """Return ``k``, ``r``, ``s`` with ``e^(x + low) = 2^k (1 + r + s)``; `s` is small beside `r`, `low` beside one.

    ``|x| <= 1500``.
    """
    k = nearest(x * LOG2_OF_E)
    high = x - k * LN2_HIGH
    rest = k * LN2_LOW - low
    r = high - rest
    lost = (high - r) - rest
    return k, r, lost + r * r * polynomial(r, EXP)


@form
def exp(x: float) -> float:
    """Return ``e^x``."""
    v = widened(x)
    v = where(v > 710.0, 710.0, where(v < -750.0, -750.0, v))
    k, r, s = parts(v, 0.0)
    return narrowed(scaled(1.0 + (r + s), k), x)


@form
def exp2(x: float) -> float:
    """Return ``2^x``."""
    v = widened(x)
    v = where(v > 1025.0, 1025.0, where(v < -1080.0, -1080.0, v))
    k = nearest(v)
    r = v - k
    return narrowed(scaled(1.0 + (r * LN2_NEAREST + (r * LN2_REST + r * r * polynomial(r, EXP2))), k), x)


@form
def expm1(x: float) -> float:
    """Return ``e^x - 1``."""
    v = widened(x)
    k, r, s = parts(where(v > 710.0, 710.0, where(v < -40.0, -40.0, v)), 0.0)
    half = power_of_two(k - 1.0)
    high, low = fast_two_sum(half - 0.5, half * r)
    y = 2.0 * (high + (low + half * s))
    return narrowed(where(magnitude(v) < 1e-300, v, y), x)


@form
def expit(x: float) -> float:
    """Return the logistic function ``1 / (1 + e^-x)``."""
    v = widened(x)
    a = magnitude(v)
    k, r, s = parts(where(a > 750.0, -750.0, -a), 0.0)
    p, p_low = fast_two_sum(1.0, r + s)
    e = scaled(p, k)
    d, d_low = fast_two_sum(1.0, e)
    inverse = 1.0 / d
    falling = v < 0.0
    y = where(falling, e, 1.0) / d
    e_low = where(falling, p_low, -p_low) * (e * inverse)
    return narrowed(y + inverse * (e_low - y * d_low), x)
