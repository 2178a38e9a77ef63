"""Slopes at zeros and poles, without warnings, and those of special functions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from adxform.runtime.strides import filled
from adxform.threads.locks import imported


def quotient(a: Any, b: Any, out: Any = None) -> Any:
    """Return ``a / b``, infinite where `b` is zero, without a warning; in `out`, where given.

    >>> quotient(0.5, 0.0), quotient(0.5, 2.0)
    (np.float64(inf), 0.25)
    """
    if out is None and isinstance(b, float) and b != 0.0:
        return a / b
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.divide(a, b, out=out)


def ratio(a: Any, b: Any, out: Any = None) -> Any:
    """Return ``a / b``, and zero wherever `b` is zero: the subgradient of a length at the origin (see `rate` for the second one).

    What is not a number stays so.

    >>> ratio(np.array([3.0, 0.0]), np.array([2.0, 0.0]))
    array([1.5, 0. ])
    """
    if np.all(b):
        return np.divide(a, b, out=out)
    zero = np.equal(b, 0)
    found = np.where(zero & ~np.isnan(a), 0, np.divide(a, np.where(zero, 1, b)))
    return found[()] if out is None else filled(out, found)


def rate(change: Any, length: Any, out: Any = None) -> Any:
    """Return ``change / length``; where `length` is zero, zero if nothing changes, and NaN if something does: it has no rate.

    >>> rate(np.array([3.0, 3.0, 0.0]), np.array([2.0, 0.0, 0.0]))
    array([1.5, nan, 0. ])
    """
    if np.all(length):
        return np.divide(change, length, out=out)
    zero = np.equal(length, 0)
    still = np.divide(change, np.where(zero, 1, length))
    found = np.where(zero & np.not_equal(change, 0), np.nan, still).astype(still.dtype)
    return found[()] if out is None else filled(out, found)


def turn(weight: Any, change: Any, length: Any) -> Any:
    """Return `weight` times the `rate` at which something of this `length` changes."""
    return weight * rate(change, length)


def side_cotangent(ct: Any, a: Any, y: Any) -> Any:
    """Return the cotangent of the side `a` of a triangle from `ct`, that of the hypotenuse `y`.

    Where the slope changes, `ct` is the weight, and what this product's own cotangent says is the change: see `side_tangent`.
    """
    return ct * ratio(a, y)


def side_tangent(a_t: Any, a: Any, y: Any) -> Any:
    """Return what the tangent `a_t` of the side `a` of a triangle adds to that of the hypotenuse `y`.

    The same number as by `side_cotangent`, and yet another primitive, since it moves otherwise: here `a_t` is the change and the
    product's cotangent the weight. Where the hypotenuse is zero, `turn` is zero or NaN by the change alone, whatever the weight.
    """
    return a_t * ratio(a, y)


def length_cotangent(ct: Any, x: Any, y: Any, axis: Any, keepdims: Any) -> Any:
    """Return `ct`, that of the length `y` of `x` along `axis`, times the unit vectors along `x`: the cotangent of `x`."""
    if axis is None or keepdims:
        return ct * ratio(x, y)
    return np.expand_dims(ct, axis) * ratio(x, np.expand_dims(y, axis))


def length_tangent(x_t: Any, x: Any, y: Any, axis: Any, keepdims: Any) -> Any:
    """Return the part of `x_t` in the direction of `x`, of length `y` along `axis`: the tangent of the length."""
    return ratio(np.sum(x * x_t, axis=axis, keepdims=keepdims), y)


def squared_size(z: Any) -> Any:
    """Return the square of the size of a complex number.

    >>> squared_size(3.0 + 4.0j)
    25.0
    """
    return z.real * z.real + z.imag * z.imag


def power(a: Any, b: Any, out: Any = None) -> Any:
    """Return ``a ** b``, infinite at a pole, without a warning; in `out`, where given."""
    if type(a) is float and type(b) is float and 1e-100 < a < 1e100 and -3.0 <= b <= 3.0:
        return a**b
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.power(a, b, out=out)


def log_or_zero(x: Any, out: Any = None) -> Any:
    """Return the logarithm of `x`, zero where `x` is zero, and NaN below, without a warning.

    >>> float(log_or_zero(0.0)), float(log_or_zero(1.0))
    (0.0, 0.0)
    """
    with np.errstate(invalid="ignore"):
        if isinstance(x, bool | np.generic | np.ndarray) and np.result_type(x).kind in "biu":  # of few bits: half floats to NumPy
            x = np.asarray(x, np.float64)[()]
        if np.all(x):
            return np.log(x, out=out)
        found = np.log(np.where(np.equal(x, 0), 1, x))
    return found[()] if out is None else filled(out, found)


def arctan_slope(x: Any) -> Any:
    """Return the slope of the arc tangent of `x`."""
    return 1.0 / (1.0 + x * x)


def gaussian(x: Any) -> Any:
    """Return the slope of the error function at `x`."""
    return 1.1283791670955126 * (math.exp(-x * x) if isinstance(x, float) else np.exp(-x * x))


def polygamma(n: int, x: Any) -> Any:
    """Return the derivative of order ``n + 1`` of ``log(gamma(x))``; `n` is at least zero.

    Source: Abramowitz and Stegun, 6.4.6 (recurrence), 6.4.7 (reflection) and 6.4.11 (asymptotic series).

    >>> round(float(polygamma(0, 1.0)), 12), round(float(polygamma(1, 1.0)), 12)
    (-0.577215664902, 1.644934066848)
    """
    x = np.asarray(x, dtype=np.float64)
    mirrored = x < -15.0
    slope = _polygamma(n, np.where(mirrored, 1.0 - x, x))
    if mirrored.any():
        polynomial = imported("numpy.polynomial").Polynomial
        cotangent = polynomial([0.0, 1.0])
        for _ in range(n):
            cotangent = polynomial([-1.0, 0.0, -1.0]) * cotangent.deriv()
        with np.errstate(all="ignore"):
            at = cotangent(1.0 / np.tan(np.pi * np.mod(x, 1.0)))
        slope = np.where(mirrored, (-1.0) ** n * slope - np.pi ** (n + 1) * at, slope)
    return slope[()]


def _polygamma(n: int, x: Any) -> Any:
    """`polygamma` of an array of no large negative numbers."""
    z = np.array(x)
    sign, factorial = -((-1.0) ** n), float(math.factorial(n))
    total = np.zeros_like(z)
    least = 15.0 + n
    while (low := z < least).any():
        total += np.where(low, sign * factorial * z ** -(n + 1.0), 0.0)
        z = np.where(low, z + 1.0, z)
    series = np.log(z) if n == 0 else sign * math.factorial(n - 1) * z**-n
    series = series + sign * factorial * z ** -(n + 1.0) / 2
    for k, bernoulli in enumerate(_BERNOULLI, start=1):
        series = series + sign * bernoulli * math.factorial(2 * k + n - 1) / math.factorial(2 * k) * z ** -(2.0 * k + n)
    return total + series


def sinc_slope(n: int, x: Any) -> Any:
    """Return the derivative of order `n` of ``np.sinc``, also at zero.

    Near zero it is the integral of ``(pi t)**n cos(pi x t + n pi / 2)`` over ``0 < t < 1``; further out, a recurrence.

    >>> round(float(sinc_slope(2, 0.0)), 12) == round(-np.pi**2 / 3, 12)
    True
    """
    x = np.asarray(x, dtype=np.float64)
    nodes, weights = imported("numpy.polynomial.legendre").leggauss(24)
    t = np.pi * (nodes + 1) / 2
    near = np.sum(weights / 2 * t**n * np.cos(x[..., None] * t + n * np.pi / 2), axis=-1)
    safe = np.where(x == 0, 1, x)
    far = np.sinc(x)
    for k in range(1, n + 1):
        far = (np.pi ** (k - 1) * np.sin(np.pi * x + k * np.pi / 2) - k * far) / safe
    return np.where(np.abs(x) < 2, near, far)[()]


_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6, -3617 / 510)
