"""The distributions of `scipy.stats`, by formulas of their densities, distribution functions, quantiles and moments.

The value is that of SciPy's own call; the formulas tell how it moves.

Source: Johnson, Kotz & Balakrishnan, *Continuous Univariate Distributions* (1994); SciPy's tutorials of its distributions.
"""

from __future__ import annotations

from adxform.primitives.definitions.definition import Definition
from adxform.primitives.record import Primitive
from adxform.primitives.scipy_rules.stats import (
    bounded,
    continuous,
    discrete,
    extreme_values,
    frozen,
    lifetimes,
    multivariate,
    passages,
    sample_statistics,
    skewed,
)
from adxform.primitives.scipy_rules.stats.family import Family, definitions_of

FAMILIES: tuple[Family, ...] = (
    *continuous.FAMILIES,
    *extreme_values.FAMILIES,
    *lifetimes.FAMILIES,
    *passages.FAMILIES,
    *skewed.FAMILIES,
    *bounded.FAMILIES,
)
"""The continuous families."""

RECORDS: tuple[Primitive, ...] = sample_statistics.RECORDS

DEFINITIONS: tuple[Definition, ...] = (
    *(one for family in FAMILIES for one in definitions_of(family)),
    *discrete.DEFINITIONS,
    *frozen.DEFINITIONS,
    *multivariate.DEFINITIONS,
    *sample_statistics.DEFINITIONS,
)
