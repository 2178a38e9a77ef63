"""Distributions and their inverses: in the variable by the density, in shapes of incomplete gamma and beta functions by theirs.

Parameters that move a series of such functions (the degrees of freedom of noncentral distributions) have no slope.

Source: DLMF 8.8.13, 8.17.5, 13.2.2; N. Johnson, S. Kotz, N. Balakrishnan, Continuous Univariate
Distributions 2, chapters 29 to 31.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from adxform.primitives.declare import scalar
from adxform.primitives.definitions.definition import Definition
from adxform.primitives.families.tails import normal_density
from adxform.primitives.record import Primitive
from adxform.primitives.scipy_rules.special.incomplete import (
    beta_density,
    betainc_by_shapes,
    gamma_density,
    gammainc_by_shape,
    inverse,
)

_X = np.array([0.5, 1.5, 2.25])
_REAL = np.array([0.5, -1.5, 2.0])
_P = np.array([0.2, 0.55, 0.9])
_COLUMN = np.array([[1.25], [3.0]])


def _binomial_density(k: Any, n: Any, p: Any) -> Any:
    """Minus the slope of ``bdtr(k, n, p)`` in `p`."""
    whole = np.floor(k)
    return beta_density(whole + 1.0, n - whole, p)


def _negative_binomial_density(k: Any, n: Any, p: Any) -> Any:
    return beta_density(n, np.floor(k) + 1.0, p)


def _student_density(df: Any, t: Any) -> Any:
    return np.exp(-0.5 * (df + 1.0) * special.log1p(t * t / df)) / (np.sqrt(df) * special.beta(0.5 * df, 0.5))


def _f_density(dfn: Any, dfd: Any, x: Any) -> Any:
    a, b = 0.5 * dfn, 0.5 * dfd
    ratio = dfn / dfd
    return ratio * np.exp(special.xlogy(a - 1.0, ratio * x) - (a + b) * special.log1p(ratio * x) - special.betaln(a, b))


def _noncentral_chi_density(x: Any, df: Any, nc: Any) -> Any:
    return 0.5 * gamma_density(0.5 * df, 0.5 * x) * np.exp(-0.5 * nc) * special.hyp0f1(0.5 * df, 0.25 * nc * x)


def _chndtrix_partials(y: Any, p: Any, df: Any, nc: Any) -> Any:
    density = inverse(_noncentral_chi_density(y, df, nc))
    return density, None, _noncentral_chi_density(y, df + 2.0, nc) * density


def _chndtrinc_partials(y: Any, x: Any, df: Any, p: Any) -> Any:
    above = inverse(_noncentral_chi_density(x, df + 2.0, y))
    return _noncentral_chi_density(x, df, y) * above, None, -above


def _noncentral_f_density(dfn: Any, dfd: Any, nc: Any, f: Any) -> Any:
    part = 0.5 * nc * (dfn * f / (dfd + dfn * f))
    return np.exp(-0.5 * nc) * _f_density(dfn, dfd, f) * special.hyp1f1(0.5 * (dfn + dfd), 0.5 * dfn, part)


def _noncentral_f_shift(dfn: Any, dfd: Any, nc: Any, f: Any) -> Any:
    """Minus the slope in `nc`."""
    a, b = 0.5 * dfn, 0.5 * dfd
    share = dfn * f / (dfd + dfn * f)
    logs = special.xlogy(a, share) + special.xlog1py(b, -share) - special.betaln(a, b)
    return 0.5 * np.exp(logs - 0.5 * nc) / a * special.hyp1f1(a + b, a + 1.0, 0.5 * nc * share)


def _ncfdtr_partials(y: Any, dfn: Any, dfd: Any, nc: Any, f: Any) -> Any:
    return None, None, -_noncentral_f_shift(dfn, dfd, nc, f), _noncentral_f_density(dfn, dfd, nc, f)


def _ncfdtri_partials(y: Any, dfn: Any, dfd: Any, nc: Any, p: Any) -> Any:
    density = inverse(_noncentral_f_density(dfn, dfd, nc, y))
    return None, None, _noncentral_f_shift(dfn, dfd, nc, y) * density, density


def _ncfdtrinc_partials(y: Any, dfn: Any, dfd: Any, p: Any, f: Any) -> Any:
    shift = inverse(_noncentral_f_shift(dfn, dfd, y, f))
    return None, None, -shift, _noncentral_f_density(dfn, dfd, y, f) * shift


def _noncentral_t(df: Any, nc: Any, t: Any, power: float) -> Any:
    """The mean of ``w**power`` times the normal density of ``t * w - nc``, where ``df * w * w`` has a chi-square distribution.

    With the power one it is the slope in `t`, with the power zero minus that in `nc`.
    """
    total = df + t * t
    order = 0.5 * (df + power)
    place = 0.5 * (t * nc) ** 2 / total
    even = special.hyp1f1(order, 0.5, place)
    ratio = np.exp(special.gammaln(order + 0.5) - special.gammaln(order))
    odd = t * nc * np.sqrt(2.0 / total) * ratio * special.hyp1f1(order + 0.5, 1.5, place)
    scale = special.gammaln(order) - special.gammaln(0.5 * df) - 0.5 * nc * nc - 0.5 * power * math.log(0.5)
    logs = scale - order * np.log(total) + 0.5 * df * np.log(df)
    return np.exp(logs) * (even + odd) / math.sqrt(2.0 * math.pi)


def _nctdtr_partials(y: Any, df: Any, nc: Any, t: Any) -> Any:
    return None, -_noncentral_t(df, nc, t, 0.0), _noncentral_t(df, nc, t, 1.0)


def _nctdtrit_partials(y: Any, df: Any, nc: Any, p: Any) -> Any:
    density = inverse(_noncentral_t(df, nc, y, 1.0))
    return None, _noncentral_t(df, nc, y, 0.0) * density, density


def _nctdtrinc_partials(y: Any, df: Any, p: Any, t: Any) -> Any:
    shift = inverse(_noncentral_t(df, y, t, 0.0))
    return None, -shift, _noncentral_t(df, y, t, 1.0) * shift


def _gdtr(a: Any, b: Any, x: Any) -> tuple[Any, Any, Any]:
    """The slopes of ``gdtr(a, b, x)``."""
    density = gamma_density(b, a * x)
    return density * x, gammainc_by_shape(b, a * x), density * a


def _chdtr(v: Any, x: Any) -> tuple[Any, Any]:
    """The slopes of ``chdtr(v, x)``."""
    return 0.5 * gammainc_by_shape(0.5 * v, 0.5 * x), 0.5 * gamma_density(0.5 * v, 0.5 * x)


def _fdtr(n: Any, d: Any, x: Any) -> tuple[Any, Any, Any]:
    """The slopes of ``fdtr(n, d, x)``, which is an incomplete beta function of ``n * x / (d + n * x)``."""
    density = _f_density(n, d, x)
    n_slope, d_slope = betainc_by_shapes(0.5 * n, 0.5 * d, n * x / (d + n * x))
    return 0.5 * n_slope + density * x / n, 0.5 * d_slope - density * x / d, density


def _stdtr(df: Any, t: Any) -> tuple[Any, Any]:
    """The slopes of ``stdtr(df, t)``, of which each tail is half an incomplete beta function of ``df / (df + t * t)``."""
    density = _student_density(df, t)
    tails, _ = betainc_by_shapes(0.5 * df, 0.5, df / (df + t * t))
    return -0.25 * np.sign(t) * tails - density * t / (2.0 * df), density


def _negated(slopes: Any) -> Any:
    """The slopes of the other tail."""
    return tuple([-slope for slope in slopes])


def _inverted(slopes: Any) -> Any:
    """The slopes of what solves ``f(*shapes, y) = p`` for `y`, by those of `f`."""
    stretch = inverse(slopes[-1])
    return *[-slope * stretch for slope in slopes[:-1]], stretch


def _chdtri(v: Any, y: Any) -> Any:
    """The slopes of the place above which there is so much."""
    shape, place = _inverted(_chdtr(v, y))
    return shape, -place


def _gdtria_partials(y: Any, p: Any, b: Any, x: Any) -> Any:
    by_a, by_b, _ = _gdtr(y, b, x)
    stretch = inverse(by_a)
    return stretch, -by_b * stretch, -y / x


def _gdtrix_partials(y: Any, a: Any, b: Any, p: Any) -> Any:
    _, by_b, by_x = _gdtr(a, b, y)
    stretch = inverse(by_x)
    return -y / a, -by_b * stretch, stretch


def _poisson_density(k: Any, m: Any) -> Any:
    return gamma_density(np.floor(k) + 1.0, m)


def _tukey_density(y: Any, lmbda: Any) -> Any:
    """Zero outside of the support."""
    inside = np.logical_and(y > 0.0, y < 1.0)
    p = np.where(inside, y, 0.5)
    return np.where(inside, 1.0 / (p ** (lmbda - 1.0) + (1.0 - p) ** (lmbda - 1.0)), 0.0)


def _nrdtrimn_partials(y: Any, p: Any, std: Any, x: Any) -> Any:
    z = special.ndtri(p)
    return -std * inverse(normal_density(z)), -z, 1.0


def _nrdtrisd_partials(y: Any, mn: Any, p: Any, x: Any) -> Any:
    z = special.ndtri(p)
    return -1.0 / z, -y / z * inverse(normal_density(z)), 1.0 / z


def _kolmogorov_slope(x: Any) -> Any:
    """By one of two series, which are a theta function and its transform; below 0.04 it is zero in all digits."""
    far, near = np.where(x < 0.8, 1.0, x), np.where(x < 0.8, np.maximum(x, 0.04), 1.0)
    above, below = 0.0 * far, 0.0 * near
    for k in range(1, 8):
        above = above + (-1.0) ** k * 8.0 * k * k * far * np.exp(-2.0 * k * k * far * far)
    for k in range(1, 8):
        c = (2 * k - 1) ** 2 * math.pi**2 / 8.0
        below = below - math.sqrt(2.0 * math.pi) * np.exp(-c / near**2) * (2.0 * c / near**4 - 1.0 / near**2)
    return np.where(x < 0.8, below, above)


_DISCRETE = (
    scalar(special.bdtr, lambda y, k, n, p: (0.0, None, -_binomial_density(k, n, p)), (2.5, 5, _P)),
    scalar(special.bdtrc, lambda y, k, n, p: (0.0, None, _binomial_density(k, n, p)), (2.5, 5, _P)),
    scalar(special.bdtri, lambda y, k, n, p: (0.0, None, -inverse(_binomial_density(k, n, y))), (2.5, 5, _P), singular=True),
    scalar(special.nbdtr, lambda y, k, n, p: (None, None, _negative_binomial_density(k, n, p)), (2, 5, _P)),
    scalar(special.nbdtrc, lambda y, k, n, p: (None, None, -_negative_binomial_density(k, n, p)), (2, 5, _P)),
    scalar(
        special.nbdtri, lambda y, k, n, p: (None, None, inverse(_negative_binomial_density(k, n, y))), (2, 5, _P), singular=True
    ),
    scalar(special.pdtr, lambda y, k, m: (0.0, -_poisson_density(k, m)), (2.5, _X)),
    scalar(special.pdtrc, lambda y, k, m: (0.0, _poisson_density(k, m)), (2.5, _X)),
    scalar(special.pdtri, lambda y, k, p: (None, -inverse(_poisson_density(k, y))), (2, _P), singular=True),
)

_CENTRAL = (
    scalar(special.chdtr, lambda y, v, x: _chdtr(v, x), (_COLUMN, _X), singular=True),
    scalar(special.chdtrc, lambda y, v, x: _negated(_chdtr(v, x)), (_COLUMN, _X), singular=True),
    scalar(special.chdtri, lambda y, v, p: _chdtri(v, y), (_COLUMN, _P), singular=True),
    scalar(special.fdtr, lambda y, n, d, x: _fdtr(n, d, x), (_COLUMN, 4.0, _X), singular=True),
    scalar(special.fdtrc, lambda y, n, d, x: _negated(_fdtr(n, d, x)), (_COLUMN, 4.0, _X), singular=True),
    scalar(special.fdtri, lambda y, n, d, p: _inverted(_fdtr(n, d, y)), (_COLUMN, 4.0, _P), singular=True),
    scalar(special.gdtr, lambda y, a, b, x: _gdtr(a, b, x), (_X, 1.3, _COLUMN), singular=True),
    scalar(special.gdtrc, lambda y, a, b, x: _negated(_gdtr(a, b, x)), (_X, 1.3, _COLUMN), singular=True),
    scalar(special.gdtria, _gdtria_partials, (_P, 1.3, _COLUMN), singular=True),
    scalar(special.gdtrix, _gdtrix_partials, (_COLUMN, 1.3, _P), singular=True),
    scalar(special.stdtr, lambda y, df, t: _stdtr(df, t), (_COLUMN, _REAL)),
    scalar(special.stdtrit, lambda y, df, p: _inverted(_stdtr(df, y)), (_COLUMN, _P), singular=True),
    scalar(special.tklmbda, lambda y, x, lmbda: (_tukey_density(y, lmbda), None), (_REAL, -0.4), (0.5 * _REAL, 0.7)),
    scalar(special.nrdtrimn, _nrdtrimn_partials, (_P, _COLUMN, 0.8), singular=True),
    scalar(special.nrdtrisd, _nrdtrisd_partials, (0.3, np.array([0.2, 0.8]), _COLUMN), singular=True),
    scalar(special.kolmogorov, lambda y, x: _kolmogorov_slope(x), (np.array([0.3, 0.75, 0.9, 2.0]),)),
    scalar(special.kolmogi, lambda y, p: inverse(_kolmogorov_slope(y)), (_P,), singular=True),
)

_NONCENTRAL = (
    scalar(
        special.chndtr,
        lambda y, x, df, nc: (_noncentral_chi_density(x, df, nc), None, -_noncentral_chi_density(x, df + 2.0, nc)),
        (_X, 3.0, _COLUMN),
        singular=True,
    ),
    scalar(special.chndtrix, _chndtrix_partials, (_P, 3.0, _COLUMN), singular=True),
    scalar(special.chndtrinc, _chndtrinc_partials, (_X + 2.0, 3.0, 0.3), singular=True),
    scalar(special.ncfdtr, _ncfdtr_partials, (3.0, 4.0, _COLUMN, _X), singular=True),
    scalar(special.ncfdtri, _ncfdtri_partials, (3.0, 4.0, _COLUMN, _P), singular=True),
    scalar(special.ncfdtrinc, _ncfdtrinc_partials, (3.0, 4.0, 0.3, _X + 2.0), singular=True),
    scalar(special.nctdtr, _nctdtr_partials, (3.0, _COLUMN, _REAL)),
    scalar(special.nctdtrit, _nctdtrit_partials, (3.0, _COLUMN, _P), singular=True),
    scalar(special.nctdtrinc, _nctdtrinc_partials, (3.0, 0.3, _X), singular=True),
)

RECORDS: tuple[Primitive, ...] = (*_DISCRETE, *_CENTRAL, *_NONCENTRAL)
DEFINITIONS: tuple[Definition, ...] = ()
