"""Quotients of many numbers by one: products with its reciprocal, which a loop takes once, and what they left undone.

Source: Brisebarre, Muller and Raina, Accelerating correctly rounded floating-point division when the divisor is known in
advance, IEEE Trans. Comput. 53 (2004), section 4; the correction is Markstein's, IBM J. Res. Dev. 34 (1990).
"""

from __future__ import annotations

from adxform.engine.vector_math.primitives import MAGNITUDE, SIGN, bits, exact, fused, fuses, magnitude, narrowed, where, widened

SMALLEST_DIVISOR = 2.0**-1022
UPWARDS = 2.0**64
LAST_FINITE = (2047 << 52) - 1


@exact
def divided(x: float, divisor: float) -> float:
    """Return ``x / divisor``, where a loop has one divisor for many `x`.

    The quotient by the rounded reciprocal is near enough for its remainder to be known but for its last bits, and a last step
    takes that in: what is returned is within 0.5 + 2^-50 ulp, so that quotients which are floats are exact. Where the
    divisor, `x` or the quotient is below 2^-960 it is within 2 ulp. A product that is zero, infinite or NaN is the
    quotient itself, as is that with the reciprocal of zero or of an infinity. That of tiny divisors is taken in two steps.
    """
    v, d = widened(x), widened(divisor)
    if not fuses():
        return narrowed(v / d, x)
    scale = where(magnitude(d) < SMALLEST_DIVISOR, UPWARDS, 1.0)
    reciprocal = 1.0 / (d * scale)
    q = (v * reciprocal) * scale
    corrected = fused(fused(-q, d, v), reciprocal, q)
    usual = ((bits(q) & MAGNITUDE) - 1) ^ SIGN < LAST_FINITE ^ SIGN  # without signs zero wraps, beyond infinity
    return narrowed(where(usual, corrected, q), x)
