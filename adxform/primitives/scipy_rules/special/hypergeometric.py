"""Hypergeometric functions, Wright's and Lambert's, in the argument: in the parameters no closed form is known.

Source: DLMF 13.3.15, 13.3.22, 15.5.1, 16.3.1, 4.13.4 (Lambert).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from adxform.primitives.declare import scalar
from adxform.primitives.definitions.definition import Definition
from adxform.primitives.record import Primitive

_REAL = np.array([0.5, -1.5, 2.0])
_UNIT = np.array([0.2, -0.45, 0.8])
_X = np.array([0.5, 1.5, 4.0])
_A = np.array([[0.6], [2.5]])
_Z = np.array([0.7 - 0.4j, 1.6 + 0.8j])


def _hyp1f1_partials(y: Any, a: Any, b: Any, x: Any) -> Any:
    return None, None, a / b * special.hyp1f1(a + 1.0, b + 1.0, x)


def _hyp2f1_partials(y: Any, a: Any, b: Any, c: Any, z: Any) -> Any:
    return None, None, None, a * b / c * special.hyp2f1(a + 1.0, b + 1.0, c + 1.0, z)


def _lambertw_partials(y: Any, z: Any, k: Any = 0, tol: Any = 1e-8) -> Any:
    return np.exp(-y) / (1.0 + y), None, None


_LOGARITHM = (
    (
        scalar(
            special.log_wright_bessel,
            lambda y, a, b, x: (None, None, np.exp(special.log_wright_bessel(a, a + b, x) - y)),
            (0.8, 1.3, _X),
        ),
    )
    if hasattr(special, "log_wright_bessel")
    else ()
)  # since SciPy 1.14

RECORDS: tuple[Primitive, ...] = (
    scalar(special.hyp0f1, lambda y, v, z: (None, special.hyp0f1(v + 1.0, z) / v), (_A, _REAL), (_A, _Z), of_complex=True),
    scalar(special.hyp1f1, _hyp1f1_partials, (_A, 1.3, _REAL), (_A, 1.3, _Z), of_complex=True),
    scalar(special.hyp2f1, _hyp2f1_partials, (_A, 0.8, 1.3, _UNIT), (_A, 0.8, 1.3, 0.3 * _Z), of_complex=True),
    scalar(special.hyperu, lambda y, a, b, x: (None, None, -a * special.hyperu(a + 1.0, b + 1.0, x)), (_A, 1.3, _X)),
    scalar(special.wright_bessel, lambda y, a, b, x: (None, None, special.wright_bessel(a, a + b, x)), (0.8, 1.3, _X)),
    *_LOGARITHM,
    scalar(special.lambertw, _lambertw_partials, (_Z,), of_complex=True, singular=True),
    scalar(special.wrightomega, lambda y, z: y / (1.0 + y), (_REAL,), (_Z,), of_complex=True),
)

DEFINITIONS: tuple[Definition, ...] = ()
