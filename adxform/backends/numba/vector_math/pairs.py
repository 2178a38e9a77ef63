"""Numbers as unevaluated sums of two floats, for what must be known to more than fifty-three bits.

Source: Dekker, A floating-point technique for extending the available precision, Numer. Math. 18 (1971). Where the processor
has no fused product and sum, the halves of a factor are cut by their bits, which cannot overflow.
"""

from __future__ import annotations

from adxform.backends.numba.vector_math.building_blocks import HIGH_HALF, bits, exact, from_bits, fused, fuses


@exact
def two_sum(a: float, b: float) -> tuple[float, float]:
    """Return the sum of two floats and its rounding error (Knuth)."""
    total = a + b
    rest = total - a
    return total, (a - (total - rest)) + (b - rest)


@exact
def fast_two_sum(a: float, b: float) -> tuple[float, float]:
    """Return the sum of two floats and its rounding error, for ``|a| >= |b|`` or ``a = 0``."""
    total = a + b
    return total, b - (total - a)


@exact
def leading(a: float) -> float:
    """Return the first twenty-six bits of a float."""
    return from_bits(bits(a) & HIGH_HALF)


@exact
def two_product(a: float, b: float) -> tuple[float, float]:
    """Return the product of two floats and its rounding error, where neither is beyond the range."""
    product = a * b
    if fuses():
        return product, fused(a, b, -product)
    a_high, b_high = leading(a), leading(b)
    a_low, b_low = a - a_high, b - b_high
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


@exact
def quotient(a: float, a_low: float, b: float, b_low: float) -> float:
    """Return ``(a + a_low) / (b + b_low)``, for finite ``b`` other than zero, rounded nearly once."""
    first = a / b
    product, lost = two_product(first, b)
    return first + ((((a - product) - lost) + a_low) - first * b_low) / b
