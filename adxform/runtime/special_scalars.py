"""What kernels call on numbers in the place of functions of SciPy's, and of slopes of these: each step is that of the function.

SciPy is imported here, as in `adxform.runtime.special_slopes`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.special import _ufuncs, dawsn, erfcx, gamma, psi

PER_ROOT2 = -math.sqrt(0.5)
PER_ROOT_PI = 2.0 / math.sqrt(math.pi)
HALF_NORMAL = math.sqrt(2.0 / math.pi)
ROOT2 = math.sqrt(2.0)
ODD_PRODUCTS = np.array([float(math.prod(range(1, 2 * k, 2))) for k in range(24)])

_zeta, _riemann_zeta = _ufuncs._zeta, _ufuncs._riemann_zeta
_spherical_jn, _spherical_in = _ufuncs._spherical_jn, _ufuncs._spherical_in
PRIVATE = frozenset({_zeta, _riemann_zeta, _spherical_jn, _spherical_in})
"""The ufuncs without a public name that are called here."""


def zeta_at(x: float, q: float | None = None) -> float:
    """The zeta function of Hurwitz, or of Riemann."""
    if q is None:
        return _riemann_zeta(x)  # type: ignore[no-any-return]
    return _zeta(x, q)  # type: ignore[no-any-return]


def spherical_jn_at(n: int, z: float) -> float:
    """The spherical Bessel function of the first kind."""
    if z < 0.0:
        return (-1.0) ** n * _spherical_jn(n, -z)  # type: ignore[no-any-return]
    return _spherical_jn(n, z)  # type: ignore[no-any-return]


def spherical_in_at(n: int, z: float) -> float:
    """The modified one."""
    if z < 0.0:
        return (-1.0) ** n * _spherical_in(n, -z)  # type: ignore[no-any-return]
    return _spherical_in(n, z)  # type: ignore[no-any-return]


def polygamma_at(n: int, x: float) -> float:
    """The derivative of order `n` of the digamma function."""
    if n == 0:
        return psi(x)  # type: ignore[no-any-return]
    return (-1.0) ** (n + 1.0) * gamma(n + 1.0) * _zeta(n + 1.0, x)  # type: ignore[no-any-return]


def integral_ratio_at(n: int, x: float) -> float:
    """The continued fraction of `adxform.runtime.special_slopes`."""
    ratio, product = 0.0, 1.0
    for k in range(180 + n, 0, -1):
        ratio = k / 2.0 / (x + ratio)
        if k <= n:
            product = product * ratio
    return product


def erfcx_slope_at(n: int, x: float) -> float:
    """The derivative of order `n` of ``erfcx``."""
    value = erfcx(x)
    if n > 0 and x >= 1.0:
        return value * (-2.0) ** n * integral_ratio_at(n, x)  # type: ignore[no-any-return]
    before, found = PER_ROOT_PI, value
    for k in range(n):
        if k == 0:
            before, found = found, 2.0 * x * found - before
        else:
            before, found = found, 2.0 * x * found + 2.0 * k * before
    return found  # type: ignore[no-any-return]


def dawsn_slope_at(n: int, x: float) -> float:
    """The derivative of order `n` of ``dawsn``."""
    if n > 0 and abs(x) >= 7.0:
        total = 0.0
        for k in range(24):
            falling = 1.0
            for j in range(n):
                falling *= 2.0 * k + 1.0 + j
            total += (-1.0) ** n * falling * ODD_PRODUCTS[k] / 2.0 ** (k + 1) * x ** -(2.0 * k + 1.0 + n)
        return total
    before, found = -1.0, dawsn(x)
    for k in range(n):
        before, found = found, -2.0 * (x * found + (k * before if k > 0 else -0.5))
    return found  # type: ignore[no-any-return]


def mills_at(x: float) -> float:
    """The slope of ``log_ndtr``."""
    return HALF_NORMAL / erfcx(x * PER_ROOT2)  # type: ignore[no-any-return]


def mills_excess_at(x: float) -> float:
    """The same, and `x` added."""
    return ROOT2 * integral_ratio_at(1, x * PER_ROOT2) if x <= -1.5 else mills_at(x) + x


FORMS: tuple[Callable[..., Any], ...] = (
    *(spherical_jn_at, spherical_in_at, zeta_at, polygamma_at),
    *(integral_ratio_at, erfcx_slope_at, dawsn_slope_at, mills_at, mills_excess_at),
)
"""All of them, for the compiler."""
