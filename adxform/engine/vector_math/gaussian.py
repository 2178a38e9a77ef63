"""The error function and its kin.

Source: Shepherd and Laframboise, Chebyshev approximation of (1 + 2x) exp(x²) erfc(x) in 0 <= x < ∞, Math. Comp. 36 (1981):
that function is smooth in ``(x - K) / (x + K)``.
"""

from __future__ import annotations

from adxform.engine.vector_math.coefficients import ERF, ERF_SLOPE, ERFC
from adxform.engine.vector_math.exponentials import parts
from adxform.engine.vector_math.pairs import two_product
from adxform.engine.vector_math.primitives import form, magnitude, narrowed, polynomial, scaled, signed, where, widened

SLOPE, SLOPE_REST = ERF_SLOPE
FOLD = 3.75
LAST = 27.4  # erfc is zero from here on


@form
def erfc_of(a: float, low: float) -> float:
    """Return ``erfc(a + low)`` for ``0 <= a <= 27.4``."""
    square, lost = two_product(a, a)
    k, r, s = parts(-square, -(lost + 2.0 * a * low))
    ratio = polynomial((a - FOLD) / (a + FOLD), ERFC) / (1.0 + 2.0 * a)
    return scaled(ratio + ratio * (r + s), k)


@form
def erf(x: float) -> float:
    """Return the error function."""
    v = widened(x)
    a = magnitude(v)
    z = a * a
    near = SLOPE * a + (SLOPE_REST * a + a * z * polynomial(z, ERF))
    y = where(a < 1.0, near, 1.0 - erfc_of(where(a > 6.0, 6.0, a), 0.0))
    return narrowed(signed(y, v), x)


@form
def erfc(x: float) -> float:
    """Return ``1 - erf(x)``, to full precision where that is small."""
    v = widened(x)
    a = magnitude(v)
    y = erfc_of(where(a > LAST, LAST, a), 0.0)
    return narrowed(where(v < 0.0, 2.0 - y, y), x)
