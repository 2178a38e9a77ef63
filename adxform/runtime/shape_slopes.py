"""How the incomplete gamma and beta functions move with their shapes, at every order.

The derivatives of a density by its shapes are the density times polynomials of a logarithm (complete Bell polynomials of the
derivatives of its logarithm). Of a distribution function they are the integrals of those over the shorter tail, in the logarithm
of the variable, or of the odds, by the rule of double exponentials: no two large numbers are subtracted.

Source: DLMF 8.2.4, 8.17.1; L. Comtet, Advanced Combinatorics, 3.3; H. Takahasi and M. Mori, Publ. RIMS 9 (1974).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from adxform.runtime.special_slopes import _as_precise

_T = np.arange(-4.4, 4.6, 0.02)
_PLACES = np.exp(_T - np.exp(-_T))
_WEIGHTS = _PLACES * (1.0 + np.exp(-_T)) * 0.02
_AT_ONCE = 512
"""How many elements are integrated at once: some megabytes of places."""


def gamma_density_slope(n: int, a: Any, x: Any) -> Any:
    """Return the derivative of order `n` by the shape `a` of ``x**(a - 1) * exp(-x) / gamma(a)``.

    >>> round(float(gamma_density_slope(0, 2.0, 0.5)), 12) == round(0.5 * math.exp(-0.5), 12)
    True
    """
    a, x = np.broadcast_arrays(a, x)
    with np.errstate(all="ignore"):
        density = np.exp(special.xlogy(a - 1.0, x) - x - special.gammaln(a))
        found = density * _bell(n, 0, _of_gamma(a, np.log(x))) if n else density
    return _as_precise(found, a, x)


def gammainc_slope(n: int, a: Any, x: Any) -> Any:
    """Return the derivative of order `n`, one at least, by the shape `a` of ``scipy.special.gammainc(a, x)``.

    >>> h = 1e-4
    >>> bool(abs(gammainc_slope(1, 2.0, 0.5) - (special.gammainc(2 + h, 0.5) - special.gammainc(2 - h, 0.5)) / (2 * h)) < 1e-8)
    True
    """
    return _as_precise(_by_element(lambda a, x: _gammainc_slope(n, a, x), a, x), a, x)


def _gammainc_slope(n: int, a: Any, x: Any) -> Any:
    low = x <= a + 1.0
    scale = 1.0 / np.where(low, np.maximum(a - x, 0.0) + np.minimum(a, np.sqrt(a)), x - a + np.sqrt(x))
    side = np.where(low, -1.0, 1.0)
    u = np.log(x) + side * scale * _PLACES
    size = np.exp(a * u - np.exp(u) - special.gammaln(a))
    found = -side[:, 0] * np.sum(size * _bell(n, 0, _of_gamma(a, u)) * (scale * _WEIGHTS), axis=1)
    at = x[:, 0]
    return np.where((at == 0.0) | (at == np.inf), 0.0, np.where((at < 0.0) | (a[:, 0] <= 0.0), np.nan, found))


def beta_density_slope(n: int, m: int, a: Any, b: Any, x: Any) -> Any:
    """Return the derivative of orders `n` and `m` by `a` and `b` of ``x**(a - 1) * (1 - x)**(b - 1) / beta(a, b)``.

    >>> round(float(beta_density_slope(0, 0, 2.0, 1.0, 0.25)), 12)
    0.5
    """
    a, b, x = np.broadcast_arrays(a, b, x)
    with np.errstate(all="ignore"):
        density = np.exp(special.xlogy(a - 1.0, x) + special.xlog1py(b - 1.0, -x) - special.betaln(a, b))
        found = density * _bell(n, m, _of_beta(a, b, np.log(x), np.log1p(-x))) if n + m else density
    return _as_precise(found, a, b, x)


def betainc_slope(n: int, m: int, a: Any, b: Any, x: Any) -> Any:
    """Return the derivative of orders `n` and `m`, not both zero, by `a` and `b` of ``scipy.special.betainc(a, b, x)``.

    >>> h = 1e-4
    >>> central = (special.betainc(2 + h, 1.5, 0.3) - special.betainc(2 - h, 1.5, 0.3)) / (2 * h)
    >>> bool(abs(betainc_slope(1, 0, 2.0, 1.5, 0.3) - central) < 1e-8)
    True
    """

    def found(a: Any, b: Any, x: Any) -> Any:
        below, above = _betainc_slope(n, m, a, b, x), -_betainc_slope(m, n, b, a, 1.0 - x)
        whole = np.where(x * (a + b) <= a, below[:, None], above[:, None])[:, 0]
        at, allowed = x[:, 0], (a > 0.0) & (b > 0.0) & (x >= 0.0) & (x <= 1.0)
        return np.where((at == 0.0) | (at == 1.0), 0.0, np.where(allowed[:, 0], whole, np.nan))

    return _as_precise(_by_element(found, a, b, x), a, b, x)


def _betainc_slope(n: int, m: int, a: Any, b: Any, x: Any) -> Any:
    """Where `x` is not above the mean; elsewhere anything."""
    scale = 1.0 / (np.maximum(a * (1.0 - x) - b * x, 0.0) + np.minimum(a, np.sqrt(a)))
    u = special.logit(x) - scale * _PLACES
    below, above = special.log_expit(u), special.log_expit(-u)
    size = np.exp(a * below + b * above - special.betaln(a, b))
    return np.sum(size * _bell(n, m, _of_beta(a, b, below, above)) * (scale * _WEIGHTS), axis=1)


def _by_element(found: Callable[..., Any], *args: Any) -> Any:
    """`found` of columns, a part of them at a time, in the shape to which the arguments are broadcast."""
    wide = np.broadcast_arrays(*args)
    columns = [np.ravel(one).astype(float)[:, None] for one in wide]
    whole = np.empty(wide[0].size)
    with np.errstate(all="ignore"):
        for start in range(0, wide[0].size, _AT_ONCE):
            part = slice(start, start + _AT_ONCE)
            whole[part] = found(*(one[part] for one in columns))
    return whole.reshape(wide[0].shape)


def _bell(n: int, m: int, cumulant: Callable[[int, int], Any]) -> Any:
    """The derivative of orders `n` and `m` of ``exp(f)``, over ``exp(f)``, by the derivatives of ``f``."""
    slopes = {(i, j): cumulant(i, j) for i in range(n + 1) for j in range(m + 1) if i + j}
    found: dict[tuple[int, int], Any] = {(0, 0): 1.0}
    for i, j in slopes:
        one, other = (i - 1, j) if i else (0, j - 1)  # what is left to derive once ``exp(f)`` gave ``exp(f)`` times a slope
        found[i, j] = sum(
            math.comb(one, a) * math.comb(other, b) * found[one - a, other - b] * slopes[i - one + a, j - other + b]
            for a in range(one + 1)
            for b in range(other + 1)
        )
    return found[n, m]


def _of_gamma(a: Any, log_x: Any) -> Callable[[int, int], Any]:
    """The derivatives by the shape of the logarithm of the density."""

    def cumulant(n: int, _: int) -> Any:
        return log_x - special.psi(a) if n == 1 else -special.polygamma(n - 1, a)

    return cumulant


def _of_beta(a: Any, b: Any, log_x: Any, log_y: Any) -> Callable[[int, int], Any]:
    def cumulant(n: int, m: int) -> Any:
        whole = special.polygamma(n + m - 1, a + b)
        if m == 0:
            return whole - special.polygamma(n - 1, a) + (log_x if n == 1 else 0.0)
        if n == 0:
            return whole - special.polygamma(m - 1, b) + (log_y if m == 1 else 0.0)
        return whole

    return cumulant
