"""The special functions of `scipy.special`.

Source: DLMF, NIST Digital Library of Mathematical Functions, chapters 5 (gamma), 7 (error functions).
"""

from __future__ import annotations

import math

import numpy as np
from scipy import special

from adxform.primitives.declare import scalar
from adxform.primitives.definitions.definition import Definition
from adxform.primitives.facets import Gives
from adxform.primitives.record import Primitive

_REAL = np.array([0.5, -1.5, 2.0])
_POSITIVE = np.array([0.5, 1.5, 2.0])

RECORDS: tuple[Primitive, ...] = (
    scalar(special.gammaln, lambda y, x: special.psi(x), (_POSITIVE,), gives=Gives.FLOAT),
    scalar(special.psi, lambda y, x: special.polygamma(1, x), (_POSITIVE,), gives=Gives.FLOAT),
    scalar(special.polygamma, lambda y, n, x: (None, special.polygamma(n + 1, x)), (1, _POSITIVE)),
    scalar(special.erf, lambda y, x: 2.0 / math.sqrt(math.pi) * np.exp(-x * x), (_REAL,), gives=Gives.FLOAT),
)

DEFINITIONS: tuple[Definition, ...] = ()
