"""Inverse circular functions: polynomials on a short interval, to which identities lead from everywhere else.

Source: Muller, Elementary Functions, 3rd ed., on argument reduction: ``asin(x) = π/2 - 2 asin(√((1 - x) / 2))`` and
``atan(x) = π/4 + atan((x - 1) / (x + 1)) = π/2 - atan(1 / x)``.
"""

from __future__ import annotations

from adxform.backends.numba.vector_math.building_blocks import (
    both,
    exact,
    flipped,
    form,
    in_common,
    magnitude,
    narrowed,
    polynomial,
    signed,
    square_root,
    where,
    widened,
)
from adxform.backends.numba.vector_math.coefficients import ASIN, ATAN, PI_BY_FOUR
from adxform.backends.numba.vector_math.logarithms import INFINITY, NAN
from adxform.backends.numba.vector_math.pairs import fast_two_sum, leading

QUARTER_PI, QUARTER_PI_REST = PI_BY_FOUR
HALF_PI, HALF_PI_REST = 2.0 * QUARTER_PI, 2.0 * QUARTER_PI_REST
PI, PI_REST = 4.0 * QUARTER_PI, 4.0 * QUARTER_PI_REST
NEAR, FAR = 0.6, 1.67


@exact
def complement(a: float) -> tuple[float, float, float]:
    """Return ``√((1 - a) / 2)`` for ``a >= 1/2``, in two floats, the first of twenty-six bits, and its square."""
    z = 0.5 * (1.0 - a)
    root = square_root(z)
    high = leading(root)
    return high, where(root == 0.0, 0.0, (z - high * high) / (root + high)), z


@form
def arcsin(x: float) -> float:
    """Return the inverse sine."""
    v = widened(x)
    a = magnitude(v)
    far = a > 0.5
    high, low, square = complement(a)
    z = where(far, square, a * a)
    s = where(far, high + low, a)
    more = s * z * polynomial(z, ASIN)
    start, lost = fast_two_sum(HALF_PI, -2.0 * high)
    y = where(far, start + (lost + (HALF_PI_REST - 2.0 * (low + more))), a + more)
    return narrowed(signed(y, v), x)


@form
def arccos(x: float) -> float:
    """Return the inverse cosine."""
    v = widened(x)
    a = magnitude(v)
    far = a > 0.5
    high, low, square = complement(a)
    z = where(far, square, v * v)
    s = where(far, high + low, v)
    more = s * z * polynomial(z, ASIN)
    start, lost = fast_two_sum(PI, -2.0 * high)
    middle, middle_lost = fast_two_sum(HALF_PI, -v)
    above = 2.0 * (high + (low + more))
    below = start + (lost + (PI_REST - 2.0 * (low + more)))
    y = where(far, where(v > 0.0, above, below), middle + (middle_lost + (HALF_PI_REST - more)))
    return narrowed(y, x)


@form
def arctan(x: float) -> float:
    """Return the inverse tangent."""
    v = widened(x)
    a = magnitude(v)
    beyond, far = a > NEAR, a > FAR
    t = where(far, -1.0, where(beyond, a - 1.0, a)) / where(far, a, where(beyond, a + 1.0, 1.0))
    z = t * t
    base = where(far, HALF_PI, where(beyond, QUARTER_PI, 0.0))
    rest = where(far, HALF_PI_REST, where(beyond, QUARTER_PI_REST, 0.0))
    return narrowed(signed(base + (t + (rest + t * z * polynomial(z, ATAN))), v), x)


@form
def arctan2(y: float, x: float) -> float:
    """Return the angle of the point ``(x, y)``, from -π to π; the signs of zeros count."""
    u, v = widened(x), widened(y)
    a, b = magnitude(u), magnitude(v)
    steep = b > a
    larger, smaller = where(steep, b, a), where(steep, a, b)
    endless = larger == INFINITY
    smaller = where(endless, where(smaller == INFINITY, 1.0, 0.0), smaller)
    larger = where(endless, 1.0, where(larger == 0.0, 1.0, larger))
    scale = where(larger > 2.0**1000, 2.0**-10, where(larger < 2.0**-1000, 2.0**60, 1.0))
    larger, smaller = larger * scale, smaller * scale
    beyond = smaller > NEAR * larger
    t = where(beyond, smaller - larger, smaller) / where(beyond, smaller + larger, larger)
    z = t * t
    more = t * z * polynomial(z, ATAN)
    left = signed(1.0, u) < 0.0
    turned = steep != left
    eighths = where(steep, 2.0, where(left, 4.0, 0.0)) + where(beyond, where(turned, -1.0, 1.0), 0.0)
    high, low = eighths * QUARTER_PI, eighths * QUARTER_PI_REST
    t, more = where(turned, -t, t), where(turned, -more, more)
    result = flipped(high + (t + (low + more)), v)
    return in_common(where(both(u == u, v == v), result, NAN), x, y)
