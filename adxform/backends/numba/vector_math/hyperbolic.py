"""Hyperbolic functions: polynomials near zero, where exponentials would cancel, and exponentials elsewhere."""

from __future__ import annotations

from adxform.backends.numba.vector_math.building_blocks import (
    form,
    magnitude,
    narrowed,
    polynomial,
    scaled,
    signed,
    where,
    widened,
)
from adxform.backends.numba.vector_math.coefficients import SINH, TANH
from adxform.backends.numba.vector_math.exponentials import exp, parts


@form
def tanh(x: float) -> float:
    """Return the hyperbolic tangent."""
    v = widened(x)
    a = magnitude(v)
    z = a * a
    y = where(a < 0.625, a + a * z * polynomial(z, TANH), 1.0 - 2.0 / (exp(2.0 * a) + 1.0))
    return narrowed(signed(y, v), x)


@form
def half_exp(a: float) -> float:
    """Return ``e^a / 2`` for ``a >= 0``, infinite only where that is."""
    k, r, s = parts(where(a > 712.0, 712.0, a), 0.0)
    return scaled(1.0 + (r + s), k - 1.0)


@form
def sinh(x: float) -> float:
    """Return the hyperbolic sine."""
    v = widened(x)
    a = magnitude(v)
    z = a * a
    half = half_exp(a)
    return narrowed(signed(where(a < 1.0, a + a * z * polynomial(z, SINH), half - 0.25 / half), v), x)


@form
def cosh(x: float) -> float:
    """Return the hyperbolic cosine."""
    v = widened(x)
    half = half_exp(magnitude(v))
    return narrowed(half + 0.25 / half, x)
