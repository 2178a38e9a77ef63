"""Logarithms: ``x = 2^k m`` with ``1/√2 <= m <= √2``, and the series of ``log(1 + f)`` in ``s = f / (2 + f)``.

With ``h = f² / 2`` and ``2 atanh(s) = 2 s + s³ P(s²)``, ``log(1 + f) = f - h + s (h + s² P(s²))``, where the first two terms
carry nearly all and the division's error hardly counts.
Source: Tang, Table-driven implementation of the logarithm function, ACM TOMS 16 (1990), for the reduction.
"""

from __future__ import annotations

from adxform.backends.numba.vector_math.building_blocks import (
    MANTISSA,
    ONE_BITS,
    bits,
    exact,
    form,
    from_bits,
    magnitude,
    narrowed,
    polynomial,
    where,
    widened,
)
from adxform.backends.numba.vector_math.coefficients import LN2, LOG, LOG10_2, PER_LN2, PER_LN10
from adxform.backends.numba.vector_math.pairs import leading, two_sum

INFINITY = float("inf")
NAN = float("nan")
SMALLEST_NORMAL = 2.0**-1022
LIFT = 2.0**54
HALF_ROOT_BITS = 0x3FE6A09E667F3BCD  # of the float nearest to 1/√2
TWO_52 = 2.0**52
TWO_52_BITS = 0x4330000000000000
BIAS = 2.0**52 + 1023.0
LN2_HIGH, LN2_LOW = LN2
PER_LN2_HIGH, PER_LN2_LOW = PER_LN2
PER_LN10_HIGH, PER_LN10_LOW = PER_LN10
LOG10_2_HIGH, LOG10_2_LOW = LOG10_2


@form
def normalized(x: float) -> tuple[float, float]:
    """Return ``m`` and ``k`` with ``x = 2^k m`` and `m` from 1/√2 to √2, for finite ``x > 0``."""
    small = x < SMALLEST_NORMAL
    pattern = bits(where(small, x * LIFT, x)) + (ONE_BITS - HALF_ROOT_BITS)
    k = from_bits(((pattern >> 52) & 2047) | TWO_52_BITS) - where(small, BIAS + 54.0, BIAS)
    return from_bits((pattern & MANTISSA) + HALF_ROOT_BITS), k


@form
def over_the_domain(y: float, x: float) -> float:
    """Return a logarithm `y` of `x`, put right where `x` is zero, infinite, negative or not a number."""
    y = where(x == 0.0, -INFINITY, where(x == INFINITY, INFINITY, y))
    return where(x >= 0.0, y, NAN)


@form
def assembled(f: float, k: float, low: float) -> float:
    """Return ``k ln 2 + log(1 + f) + low``, for a small `low`."""
    h = 0.5 * f * f
    s = f / (2.0 + f)
    z = s * s
    return k * LN2_HIGH - ((h - (s * (h + z * polynomial(z, LOG)) + (k * LN2_LOW + low))) - f)


@form
def log(x: float) -> float:
    """Return the natural logarithm."""
    v = widened(x)
    m, k = normalized(v)
    return narrowed(over_the_domain(assembled(m - 1.0, k, 0.0), v), x)


@form
def log_of_sum(u: float, e: float) -> float:
    """Return ``log(u + e)`` for a finite ``u > 1.5`` and an `e` that is small beside it."""
    m, k = normalized(u)
    return assembled(m - 1.0, k, e / u)


@form
def log1p_of_sum(x: float, e: float) -> float:
    """Return ``log(1 + x + e)`` for a finite ``x > -1`` and an `e` that is small beside it."""
    u, lost = two_sum(1.0, x)
    m, k = normalized(u)
    near = k == 0.0
    return assembled(where(near, x, m - 1.0), k, where(near, e, lost + e) / u)


@form
def log1p(x: float) -> float:
    """Return ``log(1 + x)``."""
    v = widened(x)
    y = over_the_domain(log1p_of_sum(v, 0.0), 1.0 + v)
    return narrowed(where(magnitude(v) < 1e-300, v, y), x)


@exact
def in_two(x: float) -> tuple[float, float, float]:
    """Return ``k``, ``high``, ``low`` with ``log(x) = k ln 2 + high + low`` and a `high` of twenty-six bits."""
    m, k = normalized(x)
    f = m - 1.0
    h = 0.5 * f * f
    s = f / (2.0 + f)
    z = s * s
    high = leading(f - h)
    return k, high, ((f - high) - h) + s * (h + z * polynomial(z, LOG))


@form
def log2(x: float) -> float:
    """Return the logarithm to base two."""
    v = widened(x)
    k, high, low = in_two(v)
    y = (k + high * PER_LN2_HIGH) + (high * PER_LN2_LOW + low * PER_LN2_LOW + low * PER_LN2_HIGH)
    return narrowed(over_the_domain(y, v), x)


@form
def log10(x: float) -> float:
    """Return the logarithm to base ten."""
    v = widened(x)
    k, high, low = in_two(v)
    small = k * LOG10_2_LOW + high * PER_LN10_LOW + low * PER_LN10_LOW + low * PER_LN10_HIGH
    y = (k * LOG10_2_HIGH + high * PER_LN10_HIGH) + small
    return narrowed(over_the_domain(y, v), x)
