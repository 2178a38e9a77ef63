"""Inverse hyperbolic functions: polynomials near zero, and logarithms of sums that are known to more than a float's bits."""

from __future__ import annotations

from adxform.backends.numba.vector_math.building_blocks import (
    exact,
    form,
    magnitude,
    narrowed,
    polynomial,
    signed,
    square_root,
    where,
    widened,
)
from adxform.backends.numba.vector_math.coefficients import ASINH, ATANH, LN2_ROUNDED
from adxform.backends.numba.vector_math.logarithms import INFINITY, NAN, log1p_of_sum, log_of_sum
from adxform.backends.numba.vector_math.pairs import two_product, two_sum

LARGE = 2.0**28  # from here on x² ± 1 is x² in what the result shows of it
LN2 = LN2_ROUNDED[0]


@exact
def root_of_sum(high: float, low: float) -> tuple[float, float]:
    """Return the square root of ``high + low`` as a sum of two floats."""
    root = square_root(high)
    square, lost = two_product(root, root)
    return root, where(high > 0.0, (((high - square) - lost) + low) / (root + root), 0.0)


@exact
def arcsinh_argument(a: float) -> tuple[float, float]:
    """Return ``a + √(a² + 1)`` as a sum of two floats."""
    square, square_low = two_product(a, a)
    high, low = two_sum(square, 1.0)
    root, root_low = root_of_sum(high, low + square_low)
    total, lost = two_sum(root, a)
    return total, lost + root_low


@exact
def arccosh_argument(a: float) -> tuple[float, float]:
    """Return ``(a - 1) + √(a² - 1)`` as a sum of two floats."""
    below, below_low = two_sum(a, -1.0)
    above, above_low = two_sum(a, 1.0)
    high, low = two_product(below, above)
    root, root_low = root_of_sum(high, low + (below * above_low + below_low * above))
    total, lost = two_sum(root, below)
    return total, lost + (root_low + below_low)


@exact
def arctanh_argument(a: float) -> tuple[float, float]:
    """Return ``(1 + a) / (1 - a)``, for ``1/2 <= a < 1``, as a sum of two floats."""
    above, above_low = two_sum(1.0, a)
    below = 1.0 - a
    quotient = above / below
    product, lost = two_product(quotient, below)
    return quotient, (((above - product) - lost) + above_low) / below


@form
def arcsinh(x: float) -> float:
    """Return the inverse hyperbolic sine."""
    v = widened(x)
    a = magnitude(v)
    z = a * a
    large = a > LARGE
    total, low = arcsinh_argument(where(large, 1.0, a))
    far = log_of_sum(where(large, a, total), where(large, 0.0, low)) + where(large, LN2, 0.0)
    y = where(a < 0.5, a + a * z * polynomial(z, ASINH), far)
    return narrowed(signed(where(a < INFINITY, y, a), v), x)


@form
def arccosh(x: float) -> float:
    """Return the inverse hyperbolic cosine."""
    v = widened(x)
    large = v > LARGE
    total, low = arccosh_argument(where(large, 1.0, v))
    y = log1p_of_sum(where(large, v - 1.0, total), where(large, 0.0, low)) + where(large, LN2, 0.0)
    return narrowed(where(v >= 1.0, where(v < INFINITY, y, v), NAN), x)


@form
def arctanh(x: float) -> float:
    """Return the inverse hyperbolic tangent."""
    v = widened(x)
    a = magnitude(v)
    z = a * a
    total, low = arctanh_argument(where(a < 1.0, a, 0.5))
    y = where(a < 0.5, a + a * z * polynomial(z, ATANH), 0.5 * log_of_sum(total, low))
    y = where(a < 1.0, y, where(a == 1.0, INFINITY, NAN))
    return narrowed(signed(y, v), x)
