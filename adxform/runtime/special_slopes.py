"""Slopes of SciPy's special functions, of every order, where the plain formula would lose what it subtracts.

SciPy is imported here, so this module is, with the rules of `scipy.special`, when a program calls a function of that package.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from adxform.runtime.derivatives.slopes import _BERNOULLI


def polygamma(n: int, x: Any) -> Any:
    """Return the derivative of order `n` of the digamma function, in the precision of `x`, which may be complex.

    >>> round(float(polygamma(1, 1.0)), 12), complex(np.round(polygamma(1, 1.0 + 0j), 12))
    (1.644934066848, (1.644934066848+0j))
    """
    if np.iscomplexobj(x):
        return _complex_polygamma(n, np.asarray(x))[()]
    return _as_precise(special.polygamma(n, x), x)


def _complex_polygamma(n: int, x: Any) -> Any:
    """Source: Abramowitz and Stegun, 6.4.6 (recurrence), 6.4.7 (reflection), 6.4.11 (asymptotic series)."""
    mirrored = x.real < -15.0
    z = np.where(mirrored, 1.0 - x, x)
    sign = -((-1.0) ** n)
    total = np.zeros_like(z)
    for _ in range(30 + n):
        low = z.real < 15.0 + n
        total += np.where(low, sign * math.factorial(n) * z ** -(n + 1.0), 0.0)
        z = np.where(low, z + 1.0, z)
    total += np.log(z) if n == 0 else sign * math.factorial(n - 1) * z**-n
    total += sign * math.factorial(n) * z ** -(n + 1.0) / 2
    for k, bernoulli in enumerate(_BERNOULLI, start=1):
        total += sign * bernoulli * math.factorial(2 * k + n - 1) / math.factorial(2 * k) * z ** -(2.0 * k + n)
    cotangent = np.polynomial.Polynomial([0.0, 1.0])
    for _ in range(n):
        cotangent = np.polynomial.Polynomial([-1.0, 0.0, -1.0]) * cotangent.deriv()
    with np.errstate(all="ignore"):
        turned = np.pi ** (n + 1) * cotangent(1.0 / np.tan(np.pi * x))
    return np.where(mirrored, (-1.0) ** n * total - turned, total)


def erfcx_slope(n: int, x: Any) -> Any:
    """Return the derivative of order `n` of ``scipy.special.erfcx``.

    To the right, where the recurrence subtracts what is nearly equal, by the continued fraction of the repeated integrals of the
    complementary error function.

    Source: DLMF 7.18.2 (integrals), 7.18.7 (recurrence); W. Gautschi, SIAM Review 9 (1967), of such fractions.

    >>> x = 1e6
    >>> bool(abs(erfcx_slope(1, x) * -math.sqrt(math.pi) * x**2 - 1.0) < 1e-11)
    True
    """
    x = np.asarray(x)
    with np.errstate(all="ignore"):
        value = special.erfcx(x)
        before, found = 2.0 / math.sqrt(math.pi), value
        for k in range(n):
            before, found = found, 2.0 * x * found - before if k == 0 else 2.0 * x * found + 2.0 * k * before
        far = x.real >= 1.0
        if n and np.any(far):
            found = np.where(far, value * (-2.0) ** n * _integral_ratio(n, np.where(far, x, 1.0)), found)
        if n and np.iscomplexobj(x):
            wide = (x.real < 1.0) & (x.real >= -0.1 * np.abs(x)) & (np.abs(x) >= 7.0)
            found = np.where(wide, _far_erfcx(n, np.where(wide, x, 8.0)), found)
    return _as_precise(found, x)


def _integral_ratio(n: int, x: Any) -> Any:
    """The integral of ``t**n * exp(-t*t - 2*x*t)`` over that of the same without ``t**n``, by a continued fraction."""
    ratio, product = np.zeros_like(x), np.ones_like(x)
    for k in range(180 + n, 0, -1):
        ratio = k / 2.0 / (x + ratio)
        if k <= n:
            product = product * ratio
    return product


def _far_erfcx(n: int, x: Any) -> Any:
    """The asymptotic series of the derivative of order `n`; DLMF 7.12.1, term by term."""
    total = np.zeros_like(x)
    for k in range(20):
        total = total + (-1.0) ** k / math.factorial(k) * math.factorial(n + 2 * k) * (2.0 * x) ** -(n + 2.0 * k + 1.0)
    return 2.0 / math.sqrt(math.pi) * (-2.0) ** n * total


def dawsn_slope(n: int, x: Any) -> Any:
    """Return the derivative of order `n` of ``scipy.special.dawsn``; far out by the series of Dawson's integral.

    >>> x = 1e6
    >>> bool(abs(dawsn_slope(1, x) * -2.0 * x**2 - 1.0) < 1e-11)
    True
    """
    x = np.asarray(x)
    with np.errstate(all="ignore"):
        before, found = -1.0, special.dawsn(x)
        for k in range(n):
            before, found = found, -2.0 * (x * found + (k * before if k else -0.5))
        far = np.abs(x) >= 7.0 if not np.iscomplexobj(x) else np.abs(x.real) >= 7.0 + np.abs(x.imag)
        if n and np.any(far):
            found = np.where(far, _far_dawsn(n, np.where(far, x, 8.0)), found)
    return _as_precise(found, x)


def _far_dawsn(n: int, x: Any) -> Any:
    total = np.zeros_like(x)
    for k in range(24):
        falling = math.prod(2 * k + 1 + j for j in range(n))
        double = math.prod(range(1, 2 * k, 2))
        total = total + (-1.0) ** n * falling * double / 2.0 ** (k + 1) * x ** -(2.0 * k + 1.0 + n)
    return total


def mills(x: Any) -> Any:
    """Return the slope of ``scipy.special.log_ndtr``: the density of the normal distribution over what lies below `x`.

    >>> round(float(mills(0.0)), 12)
    0.797884560803
    """
    with np.errstate(all="ignore"):
        return math.sqrt(2.0 / math.pi) / special.erfcx(x * -math.sqrt(0.5))


def mills_excess(x: Any) -> Any:
    """Return ``mills(x) + x``, which is nearly ``-1 / x`` far to the left.

    >>> round(float(mills_excess(-1e8)) * 1e8, 12)
    1.0
    """
    x = np.asarray(x)
    far = x.real <= -1.5
    found = mills(x) + x
    if np.any(far):
        found = np.where(far, math.sqrt(2.0) * _integral_ratio(1, np.where(far, x, -2.0) * -math.sqrt(0.5)), found)
    return _as_precise(found, x)


def carlson(k: int, a: int, b: int, c: int, d: int, x: Any, y: Any, z: Any, p: Any) -> Any:
    """Return the integral of ``t**k / ((t+x)**(a/2) * (t+y)**(b/2) * (t+z)**(c/2) * (t+p)**(d/2))`` from zero on.

    Of this kind are Carlson's elliptic integrals and all their derivatives, also where arguments are equal. At most one argument
    is zero, none on the negative axis. By the rule of double exponentials.

    Source: DLMF 19.16; H. Takahasi and M. Mori, Publ. RIMS 9 (1974).

    >>> round(float(carlson(0, 1, 1, 1, 0, 1.0, 2.0, 3.0, 1.0)) / 2 - float(special.elliprf(1.0, 2.0, 3.0)), 12)
    0.0
    """
    x, y, z, p = np.broadcast_arrays(x, y, z, p)
    u = np.arange(-4.4, 4.4, 0.02)
    with np.errstate(all="ignore"):
        scale = np.maximum(np.maximum(np.abs(x), np.abs(y)), np.maximum(np.abs(z), np.abs(p)))[..., None]
        t = scale * np.exp(np.pi / 2 * np.sinh(u))
        logs = (k + 1.0) * np.log(t)
        for power, one in ((a, x), (b, y), (c, z), (d, p)):
            logs = logs - power / 2.0 * np.log(t + one[..., None]) if power else logs
        found = np.sum(np.exp(logs) * np.cosh(u), axis=-1) * (np.pi / 2 * 0.02)
    undefined = [(one.real < 0) & (one.imag == 0) for power, one in ((a, x), (b, y), (c, z), (d, p)) if power]
    return _as_precise(np.where(np.any(undefined, axis=0), np.nan, found), x, y, z, p)


def _as_precise(found: Any, *given: Any) -> Any:
    """`found` in the precision of what was `given`."""
    if all(one.dtype in (np.float32, np.complex64) for one in map(np.asarray, given)):
        found = np.asarray(found).astype(np.complex64 if np.iscomplexobj(found) else np.float32)
    return np.asarray(found)[()]
