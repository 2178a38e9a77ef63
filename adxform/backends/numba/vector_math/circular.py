"""Circular functions: ``x = k π/2 + r + c`` with ``|r| <= π/4``, and a polynomial each for sine and cosine.

Source: Cody and Waite, Software Manual for the Elementary Functions (1980), chapter 8: π/2 in parts, of which all
but the last have thirty-three bits, so that their products with a ``k`` below 2^20 are exact. Beyond that see scalar_fallback.py.
"""

from __future__ import annotations

from adxform.backends.numba.vector_math.building_blocks import (
    ROUNDER,
    bits,
    form,
    from_bits,
    narrowed,
    polynomial,
    where,
    widened,
)
from adxform.backends.numba.vector_math.coefficients import COS, HALF_PI, SIN
from adxform.backends.numba.vector_math.pairs import fast_two_sum, quotient
from adxform.backends.numba.vector_math.scalar_fallback import cosine_beyond, sine_beyond, tangent_beyond

FIRST, SECOND, THIRD, FOURTH = HALF_PI
PER_HALF_PI = 1.0 / (FIRST + SECOND)


@form
def quadrant(x: float) -> tuple[int, float, float, float, float]:
    """Return ``k``, of which the last bits count, and ``sin(r + c)``, ``cos(r + c)``, each as a greater and a smaller term."""
    t = x * PER_HALF_PI + ROUNDER
    k = t - ROUNDER
    high = x - k * FIRST
    middle = k * SECOND
    rest = high - middle
    lost = (high - rest) - middle
    low = k * THIRD
    r = rest - low
    lost = (((rest - r) - low) - k * FOURTH) + lost
    r, c = fast_two_sum(r, lost)
    z = r * r
    h = 0.5 * z
    w = 1.0 - h
    return bits(t), r, r * z * polynomial(z, SIN) + c * w, w, ((1.0 - w) - h) + (z * z * polynomial(z, COS) - r * c)


@form
def sin(x: float) -> float:
    """Return the sine."""
    v = widened(x)
    k, r, r_rest, w, w_rest = quadrant(v)
    y = from_bits(bits(where((k & 1) != 0, w + w_rest, r + r_rest)) ^ ((k & 2) << 62))
    return narrowed(sine_beyond(v, where(v == 0.0, v, y)), x)


@form
def cos(x: float) -> float:
    """Return the cosine."""
    v = widened(x)
    k, r, r_rest, w, w_rest = quadrant(v)
    y = from_bits(bits(where((k & 1) != 0, r + r_rest, w + w_rest)) ^ (((k + 1) & 2) << 62))
    return narrowed(cosine_beyond(v, y), x)


@form
def tan(x: float) -> float:
    """Return the tangent."""
    v = widened(x)
    k, r, r_rest, w, w_rest = quadrant(v)
    sine, sine_low = fast_two_sum(r, r_rest)
    cosine, cosine_low = fast_two_sum(w, w_rest)
    odd = (k & 1) != 0
    above, above_low = where(odd, -cosine, sine), where(odd, -cosine_low, sine_low)
    below, below_low = where(odd, sine, cosine), where(odd, sine_low, cosine_low)
    y = quotient(above, above_low, below, below_low)
    return narrowed(tangent_beyond(v, where(v == 0.0, v, y)), x)
