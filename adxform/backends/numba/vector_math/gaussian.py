"""The error function and its kin.

Source: Shepherd and Laframboise, Chebyshev approximation of (1 + 2x) exp(x²) erfc(x) in 0 <= x < ∞, Math. Comp. 36 (1981):
that function, ``P``, is smooth in ``t = (x - K) / (x + K)``.
"""

from __future__ import annotations

from adxform.backends.numba.vector_math.building_blocks import (
    form,
    magnitude,
    narrowed,
    polynomial,
    power_of_two,
    scaled,
    signed,
    where,
    widened,
)
from adxform.backends.numba.vector_math.coefficients import ERF, ERF_SLOPE, ERFC, ERFC_MIDDLE, PER_ROOT2
from adxform.backends.numba.vector_math.exponentials import parts
from adxform.backends.numba.vector_math.pairs import fast_two_sum, quotient, two_product, two_sum

SLOPE, SLOPE_REST = ERF_SLOPE
PER_ROOT2_HIGH, PER_ROOT2_LOW = PER_ROOT2
FOLD = 3.75
LAST = 27.4  # erfc is zero from here on
CONSTANT, HIGHER = ERFC[0], ERFC[1:]


@form
def erf_near_zero(a: float) -> float:
    """Return ``erf(a)`` for ``0 <= a <= 1``."""
    z = a * a
    return SLOPE * a + (SLOPE_REST * a + a * z * polynomial(z, ERF))


@form
def erfc_of(a: float, low: float) -> float:
    """Return ``erfc(a + low)`` for ``0 <= a <= 27.4`` and a `low` that is small beside it."""
    square, lost = two_product(a, a)
    k, r, s = parts(-square, -(lost + 2.0 * a * low))
    e, e_low = fast_two_sum(1.0, r)
    t = (a - FOLD) / (a + FOLD)
    p, p_low = fast_two_sum(CONSTANT, t * polynomial(t, HIGHER))
    y, y_low = two_product(p, e)
    d, d_low = two_sum(1.0, 2.0 * a)
    far = scaled(quotient(y, y_low + (p * (e_low + s) + p_low * e), d, d_low + 2.0 * low), k)
    return where(a < 0.3, 1.0 - erf_near_zero(a), far)


@form
def erfc_roughly(a: float) -> float:
    """Return ``erfc(a)`` for ``1 <= a <= 6`` to a few units in the last place."""
    k, r, s = parts(-a * a, 0.0)
    below, d = a + FOLD, 1.0 + 2.0 * a
    inverse = 1.0 / (below * d)
    ratio = polynomial((a - FOLD) * d * inverse, ERFC_MIDDLE) * (below * inverse)
    return (ratio + ratio * (r + s)) * power_of_two(k)


@form
def erf(x: float) -> float:
    """Return the error function."""
    v = widened(x)
    a = magnitude(v)
    return narrowed(signed(where(a < 1.0, erf_near_zero(a), 1.0 - erfc_roughly(where(a > 6.0, 6.0, a))), v), x)


@form
def erfc(x: float) -> float:
    """Return ``1 - erf(x)``, to full precision where that is small."""
    v = widened(x)
    a = magnitude(v)
    y = erfc_of(where(a > LAST, LAST, a), 0.0)
    return narrowed(where(v < 0.0, 2.0 - y, y), x)


@form
def over_root2(a: float) -> tuple[float, float]:
    """Return ``a / √2`` as a sum of two floats, for ``a`` up to where the normal distribution ends."""
    high, low = two_product(a, PER_ROOT2_HIGH)
    return high, low + a * PER_ROOT2_LOW


@form
def ndtr(x: float) -> float:
    """Return the distribution function of the standard normal distribution."""
    v = widened(x)
    a = magnitude(v)
    high, low = over_root2(where(a > 38.7, 38.7, a))
    tail = 0.5 * erfc_of(high, low)
    return narrowed(where(v > 0.0, 1.0 - tail, tail), x)
