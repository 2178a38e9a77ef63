"""Quotients of many numbers by one: products with its reciprocal, which a loop takes once, and what they left undone.

Source: Brisebarre, Muller and Raina, Accelerating correctly rounded floating-point division when the divisor is known in
advance, IEEE Trans. Comput. 53 (2004), section 4; the correction is Markstein's, IBM J. Res. Dev. 34 (1990).
"""

from __future__ import annotations

from adxform.backends.numba.vector_math.building_blocks import exact, flipped, fused, fuses, magnitude, narrowed, where, widened

SMALLEST_DIVISOR = 2.0**-1022
UPWARDS = 2.0**64


@exact
def divided(x: float, divisor: float) -> float:
    """Return ``x / divisor``, where a loop has one divisor for many `x`.

    The product with the rounded reciprocal is near enough for what it left undone to be known but for its last bits, and a
    last step takes that in: the result is within 0.5 + 2^-50 ulp, so that quotients which are floats are exact. Where `x`
    or the quotient is below 2^-960 it is within 2 ulp. There is nothing left undone that is a number where anything is zero,
    infinite or NaN; the product is the quotient there. A tiny divisor is scaled with `x`. The reciprocal is that of a negative
    number, so that zeros have their signs.
    """
    v, d = widened(x), widened(divisor)
    if not fuses():
        return narrowed(v / d, x)
    scale = where(magnitude(d) < SMALLEST_DIVISOR, UPWARDS, 1.0)
    size = magnitude(d) * scale
    reciprocal = -1.0 / size
    above = v * flipped(-scale, d)
    q = above * reciprocal
    corrected = fused(fused(q, size, above), reciprocal, q)
    return narrowed(where(corrected == corrected, corrected, q), x)
