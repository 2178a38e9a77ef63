"""Rules of functions of `scipy.special` that other families here are made of; what `special` states as well is stated there.

UNTIL_SPECIAL: each record goes once `scipy_rules.special` has one of its own.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special

from adxform.primitives.declare import scalar
from adxform.primitives.facets import Gives
from adxform.primitives.record import Primitive

_REAL = np.array([0.5, -1.5, 2.0])
_POSITIVE = np.array([0.5, 1.5, 2.0])
_UNIT = np.array([0.2, 0.5, 0.9])
_ROOT = math.sqrt(2.0 * math.pi)


def _gamma_density(a: Any, x: Any) -> Any:
    return np.exp(special.xlogy(a - 1.0, x) - x - special.gammaln(a))


def _beta_density(a: Any, b: Any, x: Any) -> Any:
    mass = special.gammaln(a) + special.gammaln(b) - special.gammaln(a + b)
    return np.exp(special.xlogy(a - 1.0, x) + special.xlog1py(b - 1.0, -x) - mass)


def _t_density(df: Any, t: Any) -> Any:
    mass = special.gammaln(0.5 * df + 0.5) - special.gammaln(0.5 * df) - 0.5 * np.log(math.pi * df)
    return np.exp(mass - 0.5 * (df + 1.0) * np.log1p(t * t / df))


UNTIL_SPECIAL: tuple[Primitive, ...] = (
    scalar(special.ndtr, lambda y, x: np.exp(-0.5 * x * x) / _ROOT, (_REAL,), gives=Gives.FLOAT),
    scalar(special.log_ndtr, lambda y, x: np.exp(-0.5 * x * x - y) / _ROOT, (_REAL,), gives=Gives.FLOAT),
    scalar(special.ndtri, lambda y, p: _ROOT * np.exp(0.5 * y * y), (_UNIT,), gives=Gives.FLOAT, singular=True),
    scalar(special.expit, lambda y, x: y * special.expit(-x), (_REAL,), gives=Gives.FLOAT),
    scalar(special.xlogy, lambda y, x, z: (np.log(z), x / z), (_POSITIVE, 2.0), singular=True),
    scalar(special.xlog1py, lambda y, x, z: (np.log1p(z), x / (1.0 + z)), (_POSITIVE, 0.5), singular=True),
    scalar(special.gammainc, lambda y, a, x: (None, _gamma_density(a, x)), (2, _POSITIVE), singular=True),
    scalar(special.gammaincc, lambda y, a, x: (None, -_gamma_density(a, x)), (2, _POSITIVE), singular=True),
    scalar(special.gammaincinv, lambda y, a, p: (None, 1.0 / _gamma_density(a, y)), (2, _UNIT), singular=True),
    scalar(special.gammainccinv, lambda y, a, p: (None, -1.0 / _gamma_density(a, y)), (2, _UNIT), singular=True),
    scalar(special.betainc, lambda y, a, b, x: (None, None, _beta_density(a, b, x)), (2, 3, _UNIT), singular=True),
    scalar(special.betaincinv, lambda y, a, b, p: (None, None, 1.0 / _beta_density(a, b, y)), (2, 3, _UNIT), singular=True),
    scalar(
        special.stdtr,
        lambda y, df, t: (None, _t_density(df, t)),
        (3, _REAL),
    ),
    scalar(special.stdtrit, lambda y, df, p: (None, 1.0 / _t_density(df, y)), (3, _UNIT), singular=True),
)
