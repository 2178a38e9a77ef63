"""Powers: ``x^y = e^(y log x)`` with the logarithm to sixty-eight bits, so that the product's error does not grow with it.

Source: Muller, Elementary Functions, 3rd ed., chapter on the evaluation of ``x^y``: the precision that the logarithm needs.
"""

from __future__ import annotations

from adxform.backends.numba.vector_math.building_blocks import (
    bits,
    both,
    either,
    exact,
    flipped,
    form,
    from_bits,
    in_common,
    magnitude,
    narrowed,
    nearest,
    polynomial,
    power_of_two,
    scaled,
    signed,
    square_root,
    where,
    widened,
)
from adxform.backends.numba.vector_math.coefficients import CBRT, LN2, LOG_TAIL, TWO_THIRDS
from adxform.backends.numba.vector_math.exponentials import parts
from adxform.backends.numba.vector_math.logarithms import INFINITY, NAN, TWO_52, normalized
from adxform.backends.numba.vector_math.pairs import fast_two_sum, two_product

LN2_HIGH, LN2_LOW = LN2
TWO_THIRDS_HIGH, TWO_THIRDS_LOW = TWO_THIRDS
EIGHTEEN_BITS = -(2**35)
HALF_OF_THE_REST = 2**34
ROOTS = (0.7937005259840998, 1.0, 1.2599210498948732)  # of 1/2, 1 and 2


@exact
def log_pair(x: float) -> tuple[float, float]:
    """Return ``log(x)`` of a finite ``x > 0`` as a sum of two floats, to about sixty-eight bits."""
    m, k = normalized(x)
    f = m - 1.0
    d, d_low = fast_two_sum(2.0, f)
    inverse = 1.0 / d
    s = f * inverse
    product, lost = two_product(s, d)
    s_low = (((f - product) - lost) - s * d_low) * inverse
    z, z_low = two_product(s, s)
    z_low += 2.0 * s * s_low
    cube, cube_low = two_product(z, s)
    cube_low += z_low * s + z * s_low
    third, third_low = two_product(cube, TWO_THIRDS_HIGH)
    third_low += cube * TWO_THIRDS_LOW + cube_low * TWO_THIRDS_HIGH
    tail = cube * z * polynomial(z, LOG_TAIL)
    high, rest = fast_two_sum(k * LN2_HIGH, 2.0 * s)
    high, more = fast_two_sum(high, third)
    return fast_two_sum(high, rest + (more + (k * LN2_LOW + (2.0 * s_low + (third_low + tail)))))


@exact
def product_with_pair(y: float, high: float, low: float) -> tuple[float, float]:
    """Return ``y (high + low)`` as a sum of two floats, at most 1000 in magnitude."""
    product, lost = two_product(y, high)
    inside = magnitude(product) < 1000.0
    beyond = where(product > 0.0, 1000.0, where(product < 0.0, -1000.0, product))
    return where(inside, product, beyond), where(inside, lost + y * low, 0.0)


@form
def is_whole(x: float) -> bool:
    """Return whether a number that is not negative is whole; infinity is."""
    return either(x >= TWO_52, (x + TWO_52) - TWO_52 == x)


@form
def power(x: float, y: float) -> float:
    """Return ``x^y``; a negative `x` has only whole powers."""
    base, exponent = widened(x), widened(y)
    a, b = magnitude(base), magnitude(exponent)
    high, low = log_pair(a)
    high, low = product_with_pair(exponent, high, low)
    k, r, s = parts(high, low)
    result = scaled(1.0 + (r + s), k)
    rising = exponent > 0.0
    result = where(a == 0.0, where(rising, 0.0, INFINITY), result)
    result = where(a == INFINITY, where(rising, INFINITY, 0.0), result)
    whole = is_whole(b)
    odd = both(whole, not is_whole(0.5 * b))
    result = where(odd, flipped(result, base), result)
    result = where(both(both(base < 0.0, a < INFINITY), not whole), NAN, result)
    result = where(both(a == 1.0, b == INFINITY), 1.0, result)
    result = where(either(base != base, exponent != exponent), NAN, result)
    result = where(either(base == 1.0, exponent == 0.0), 1.0, result)
    return in_common(result, x, y)


@form
def hypot(x: float, y: float) -> float:
    """Return ``√(x² + y²)``, without overflow of the squares; infinite where a side is, even if the other is not a number."""
    a, b = magnitude(widened(x)), magnitude(widened(y))
    larger = where(a < b, b, a)
    scale = where(larger > 2.0**500, 2.0**-600, where(larger < 2.0**-400, 2.0**600, 1.0))
    u, v = a * scale, b * scale
    result = square_root(u * u + v * v) / scale
    return in_common(where(either(a == INFINITY, b == INFINITY), INFINITY, result), x, y)


@form
def cbrt(x: float) -> float:
    """Return the cube root.

    A guess of eighteen bits, whose cube is exact, and one step of Halley's iteration.
    """
    v = widened(x)
    m, k = normalized(magnitude(v))
    below = m < 1.0
    m = where(below, 2.0 * m, m)
    k = where(below, k - 1.0, k)
    third = nearest(k * (1.0 / 3.0))
    rest = k - 3.0 * third
    guess = polynomial(m, CBRT) * where(rest < 0.0, ROOTS[0], where(rest > 0.0, ROOTS[2], 1.0))
    t = from_bits((bits(guess) + HALF_OF_THE_REST) & EIGHTEEN_BITS)
    m = m * power_of_two(rest)
    cube = t * t * t
    y = (t - t * ((cube - m) / (2.0 * cube + m))) * power_of_two(third)
    y = where(both(v == v, magnitude(v) < INFINITY), y, magnitude(v))
    return narrowed(where(v == 0.0, v, signed(y, v)), x)
