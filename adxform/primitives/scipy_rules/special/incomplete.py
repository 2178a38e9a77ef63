"""Incomplete gamma and beta functions and their inverses, in the argument and in the shapes.

Source: DLMF 8.8.13, 8.17.5, the theorem of inverse functions; in the shapes by integrals: `adxform.runtime.shape_slopes`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from adxform import runtime
from adxform.primitives.declare import scalar
from adxform.primitives.definitions.definition import Definition
from adxform.primitives.record import Primitive
from adxform.runtime.shape_slopes import beta_density_slope, betainc_slope, gamma_density_slope, gammainc_slope

_A = np.array([[0.6], [2.5]])
_X = np.array([0.5, 1.5, 2.25])
_UNIT = np.array([0.2, 0.45, 0.8])


def gamma_density(a: Any, x: Any) -> Any:
    """The slope of ``gammainc(a, x)``."""
    return np.exp(special.xlogy(a - 1.0, x) - x - special.gammaln(a))


def beta_density(a: Any, b: Any, x: Any) -> Any:
    """The slope of ``betainc(a, b, x)``."""
    return np.exp(special.xlogy(a - 1.0, x) + special.xlog1py(b - 1.0, -x) - special.betaln(a, b))


def inverse(slope: Any) -> Any:
    """The slope of an inverse function; infinite, without a warning, where the other is zero."""
    return runtime.quotient(1.0, slope)


def gammainc_by_shape(a: Any, x: Any) -> Any:
    """The slope of ``gammainc(a, x)`` in `a`."""
    return gammainc_slope(1, a, x)


def betainc_by_shapes(a: Any, b: Any, x: Any) -> tuple[Any, Any]:
    """The slopes of ``betainc(a, b, x)`` in `a` and `b`."""
    return betainc_slope(1, 0, a, b, x), betainc_slope(0, 1, a, b, x)


def _betainc(y: Any, a: Any, b: Any, x: Any) -> Any:
    return *betainc_by_shapes(a, b, x), beta_density(a, b, x)


def _betaincc(y: Any, a: Any, b: Any, x: Any) -> Any:
    a_slope, b_slope = betainc_by_shapes(a, b, x)
    return -a_slope, -b_slope, -beta_density(a, b, x)


def _gammaincinv(y: Any, a: Any, p: Any) -> Any:
    stretch = inverse(gamma_density(a, y))
    return -gammainc_by_shape(a, y) * stretch, stretch


def _gammainccinv(y: Any, a: Any, p: Any) -> Any:
    stretch = inverse(gamma_density(a, y))
    return -gammainc_by_shape(a, y) * stretch, -stretch


def _betaincinv(y: Any, a: Any, b: Any, p: Any) -> Any:
    stretch = inverse(beta_density(a, b, y))
    a_slope, b_slope = betainc_by_shapes(a, b, y)
    return -a_slope * stretch, -b_slope * stretch, stretch


def _betainccinv(y: Any, a: Any, b: Any, p: Any) -> Any:
    stretch = inverse(beta_density(a, b, y))
    a_slope, b_slope = betainc_by_shapes(a, b, y)
    return -a_slope * stretch, -b_slope * stretch, -stretch


def _gamma_density_slope(y: Any, n: Any, a: Any, x: Any) -> Any:
    by_x = y * ((a - 1.0) / x - 1.0)
    if n > 0:
        by_x = by_x + n * gamma_density_slope(n - 1, a, x) / x
    return None, gamma_density_slope(n + 1, a, x), by_x


def _beta_density_slope(y: Any, n: Any, m: Any, a: Any, b: Any, x: Any) -> Any:
    by_x = y * ((a - 1.0) / x - (b - 1.0) / (1.0 - x))
    if n > 0:
        by_x = by_x + n * beta_density_slope(n - 1, m, a, b, x) / x
    if m > 0:
        by_x = by_x - m * beta_density_slope(n, m - 1, a, b, x) / (1.0 - x)
    return None, None, beta_density_slope(n + 1, m, a, b, x), beta_density_slope(n, m + 1, a, b, x), by_x


def _betainc_slope(y: Any, n: Any, m: Any, a: Any, b: Any, x: Any) -> Any:
    by_x = beta_density_slope(n, m, a, b, x)
    return None, None, betainc_slope(n + 1, m, a, b, x), betainc_slope(n, m + 1, a, b, x), by_x


RECORDS: tuple[Primitive, ...] = (
    scalar(special.gammainc, lambda y, a, x: (gammainc_by_shape(a, x), gamma_density(a, x)), (_A, _X), singular=True),
    scalar(special.gammaincc, lambda y, a, x: (-gammainc_by_shape(a, x), -gamma_density(a, x)), (_A, _X), singular=True),
    scalar(special.gammaincinv, _gammaincinv, (_A, _UNIT), singular=True),
    scalar(special.gammainccinv, _gammainccinv, (_A, _UNIT), singular=True),
    scalar(special.betainc, _betainc, (_A, 1.4, _UNIT), singular=True),
    scalar(special.betaincc, _betaincc, (_A, 1.4, _UNIT), singular=True),
    scalar(special.betaincinv, _betaincinv, (_A, 1.4, _UNIT), singular=True),
    scalar(special.betainccinv, _betainccinv, (_A, 1.4, _UNIT), singular=True),
    scalar(gamma_density_slope, _gamma_density_slope, (2, _A, _X), singular=True),
    scalar(
        gammainc_slope,
        lambda y, n, a, x: (None, gammainc_slope(n + 1, a, x), gamma_density_slope(n, a, x)),
        (1, _A, _X),
        singular=True,
    ),
    scalar(beta_density_slope, _beta_density_slope, (1, 1, _A, 1.4, _UNIT), singular=True),
    scalar(betainc_slope, _betainc_slope, (1, 0, _A, 1.4, _UNIT), singular=True),
)

DEFINITIONS: tuple[Definition, ...] = ()
