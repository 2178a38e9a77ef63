"""The functions of `scipy.special`, a module for each family."""

from __future__ import annotations

from adxform.primitives.definitions.definition import Definition
from adxform.primitives.record import Primitive
from adxform.primitives.scipy_rules.special import (
    bessel,
    distributions,
    elliptic,
    error_functions,
    gamma,
    hypergeometric,
    incomplete,
    integrals,
    logarithms,
    polynomials,
    wave_equations,
)

_FAMILIES = (
    gamma,
    incomplete,
    error_functions,
    bessel,
    wave_equations,
    integrals,
    elliptic,
    hypergeometric,
    logarithms,
    distributions,
    polynomials,
)

RECORDS: tuple[Primitive, ...] = tuple(record for family in _FAMILIES for record in family.RECORDS)
DEFINITIONS: tuple[Definition, ...] = tuple(one for family in _FAMILIES for one in family.DEFINITIONS)
