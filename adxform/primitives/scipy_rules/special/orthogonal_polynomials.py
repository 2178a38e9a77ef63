"""Orthogonal polynomials and spherical harmonics, in the argument: each slope is a polynomial of the degree below.

Source: DLMF 18.9 (derivatives), 14.10.5 (Legendre functions), 14.30 (spherical harmonics).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from adxform.primitives.declare import scalar
from adxform.primitives.definitions.definition import Definition, Value
from adxform.primitives.record import Primitive

_UNIT = np.array([0.2, -0.45, 0.8])
_PART = np.array([0.2, 0.55, 0.9])
_REAL = np.array([0.5, -1.5, 2.0])
_Z = np.array([0.7 - 0.4j, 1.6 + 0.8j])
_DEGREES = np.array([[3], [0]])


def _jacobi_partials(y: Any, n: Any, alpha: Any, beta: Any, x: Any) -> Any:
    slope = 0.5 * (n + alpha + beta + 1.0) * special.eval_jacobi(n - 1, alpha + 1.0, beta + 1.0, x)
    return None, None, None, slope


def _sh_jacobi_partials(y: Any, n: Any, p: Any, q: Any, x: Any) -> Any:
    slope = (n + p) * special.eval_jacobi(n - 1, p - q + 1.0, q, 2.0 * x - 1.0)
    return None, None, None, slope / special.binom(2.0 * n + p - 1.0, n)


def _gegenbauer_partials(y: Any, n: Any, alpha: Any, x: Any) -> Any:
    return None, None, 2.0 * alpha * special.eval_gegenbauer(n - 1, alpha + 1.0, x)


def _by_degree(fn: Callable[..., Any], slope: Callable[..., Any], *samples: tuple[Any, ...]) -> Primitive:
    """A polynomial of degree `n` in `x` that has the ``slope(n, x)``."""
    return scalar(fn, lambda y, n, x: (None, slope(n, x)), *samples, of_complex=True)


def _lpmv_partials(y: Any, m: Any, v: Any, x: Any) -> Any:
    return None, None, (v * x * y - (v + m) * special.lpmv(m, v - 1, x)) / (x * x - 1.0)


def _sph_harm_y_partials(y: Any, n: Any, m: Any, theta: Any, phi: Any) -> Any:
    """In the polar angle by the orders above and below, which divides by no sine."""
    up = np.sqrt(np.maximum(1.0 * (n - m) * (n + m + 1), 0.0)) * special.sph_harm_y(n, m + 1, theta, phi)
    down = np.sqrt(np.maximum(1.0 * (n + m) * (n - m + 1), 0.0)) * special.sph_harm_y(n, m - 1, theta, phi)
    return None, None, 0.5 * (np.exp(-1j * phi) * up - np.exp(1j * phi) * down), 1j * m * y


def _assoc_laguerre(x: Any, n: Any, k: Any = 0.0) -> Any:
    return special.eval_genlaguerre(n, k, x)


_HARMONICS = (
    (scalar(special.sph_harm_y, _sph_harm_y_partials, (3, 1, _PART, 0.4), (2, -2, 0.3, _PART), of_complex=True),)
    if hasattr(special, "sph_harm_y")
    else ()
)  # since SciPy 1.15

RECORDS: tuple[Primitive, ...] = (
    scalar(special.eval_jacobi, _jacobi_partials, (_DEGREES, 0.5, 1.5, _UNIT), (3, 0.5, 1.5, _Z), of_complex=True),
    scalar(special.eval_sh_jacobi, _sh_jacobi_partials, (_DEGREES, 2.5, 1.5, _PART), of_complex=True),
    scalar(special.eval_gegenbauer, _gegenbauer_partials, (_DEGREES, 0.7, _UNIT), (3, 0.7, _Z), of_complex=True),
    *(
        _by_degree(fn, slope, (_DEGREES, _UNIT), (3, _Z))
        for fn, slope in (
            (special.eval_legendre, lambda n, x: special.eval_gegenbauer(n - 1, 1.5, x)),
            (special.eval_chebyt, lambda n, x: n * special.eval_chebyu(n - 1, x)),
            (special.eval_chebyu, lambda n, x: 2.0 * special.eval_gegenbauer(n - 1, 2.0, x)),
            (special.eval_chebyc, lambda n, x: n * special.eval_chebys(n - 1, x)),
            (special.eval_chebys, lambda n, x: special.eval_gegenbauer(n - 1, 2.0, 0.5 * x)),
        )
    ),
    *(
        _by_degree(fn, slope, (_DEGREES, _PART))
        for fn, slope in (
            (special.eval_sh_legendre, lambda n, x: 2.0 * special.eval_gegenbauer(n - 1, 1.5, 2.0 * x - 1.0)),
            (special.eval_sh_chebyt, lambda n, x: 2.0 * n * special.eval_sh_chebyu(n - 1, x)),
            (special.eval_sh_chebyu, lambda n, x: 4.0 * special.eval_gegenbauer(n - 1, 2.0, 2.0 * x - 1.0)),
        )
    ),
    _by_degree(special.eval_laguerre, lambda n, x: -special.eval_genlaguerre(n - 1, 1.0, x), (_DEGREES, _REAL), (3, _Z)),
    scalar(
        special.eval_genlaguerre,
        lambda y, n, alpha, x: (None, None, -special.eval_genlaguerre(n - 1, alpha + 1.0, x)),
        (_DEGREES, 0.5, _REAL),
        (3, 0.5, _Z),
        of_complex=True,
    ),
    scalar(
        special.eval_hermite, lambda y, n, x: (None, 2 * n * special.eval_hermite(np.maximum(n - 1, 0), x)), (_DEGREES, _REAL)
    ),
    scalar(
        special.eval_hermitenorm, lambda y, n, x: (None, n * special.eval_hermitenorm(np.maximum(n - 1, 0), x)), (_DEGREES, _REAL)
    ),
    *_HARMONICS,
    scalar(special.lpmv, _lpmv_partials, (1, 2.5, _UNIT), singular=True),
)

DEFINITIONS: tuple[Definition, ...] = (Definition(special.assoc_laguerre, _assoc_laguerre, Value.OWN),)
