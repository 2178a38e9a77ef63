"""Incomplete gamma and beta functions and their inverses, in the argument: in their parameters no closed form is known.

Source: DLMF 8.8.13, 8.17.5 and the theorem of inverse functions.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from adxform import runtime
from adxform.primitives.declare import scalar
from adxform.primitives.definitions.definition import Definition
from adxform.primitives.record import Primitive

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


RECORDS: tuple[Primitive, ...] = (
    scalar(special.gammainc, lambda y, a, x: (None, gamma_density(a, x)), (_A, _X), singular=True),
    scalar(special.gammaincc, lambda y, a, x: (None, -gamma_density(a, x)), (_A, _X), singular=True),
    scalar(special.gammaincinv, lambda y, a, p: (None, inverse(gamma_density(a, y))), (_A, _UNIT), singular=True),
    scalar(special.gammainccinv, lambda y, a, p: (None, -inverse(gamma_density(a, y))), (_A, _UNIT), singular=True),
    scalar(special.betainc, lambda y, a, b, x: (None, None, beta_density(a, b, x)), (_A, 1.4, _UNIT), singular=True),
    scalar(special.betaincc, lambda y, a, b, x: (None, None, -beta_density(a, b, x)), (_A, 1.4, _UNIT), singular=True),
    scalar(special.betaincinv, lambda y, a, b, p: (None, None, inverse(beta_density(a, b, y))), (_A, 1.4, _UNIT), singular=True),
    scalar(
        special.betainccinv, lambda y, a, b, p: (None, None, -inverse(beta_density(a, b, y))), (_A, 1.4, _UNIT), singular=True
    ),
)

DEFINITIONS: tuple[Definition, ...] = ()
