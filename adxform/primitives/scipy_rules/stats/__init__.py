"""The distributions of `scipy.stats`, by formulas of their densities, distribution functions, quantiles and moments.

The value is that of SciPy's own call; the formulas tell how it moves.

Source: Johnson, Kotz & Balakrishnan, *Continuous Univariate Distributions* (1994); SciPy's tutorials of its distributions.
"""

from __future__ import annotations

from adxform.primitives.definitions.definition import Definition
from adxform.primitives.record import Primitive
from adxform.primitives.scipy_rules.stats import continuous, discrete, frozen, multivariate, sample_statistics

RECORDS: tuple[Primitive, ...] = sample_statistics.RECORDS

DEFINITIONS: tuple[Definition, ...] = (
    *continuous.DEFINITIONS,
    *discrete.DEFINITIONS,
    *frozen.DEFINITIONS,
    *multivariate.DEFINITIONS,
    *sample_statistics.DEFINITIONS,
)
