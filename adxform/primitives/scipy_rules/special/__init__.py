"""The functions of `scipy.special`, a module for each family."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from adxform.primitives.definitions.definition import Definition
from adxform.primitives.facets import Gives, Kernel
from adxform.primitives.record import Primitive
from adxform.primitives.scipy_rules.special import (
    bessel,
    distributions,
    elliptic,
    entropies,
    error_functions,
    gamma,
    hypergeometric,
    incomplete,
    integrals,
    orthogonal_polynomials,
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
    entropies,
    distributions,
    orthogonal_polynomials,
)


def _in_kernels(record: Primitive) -> Primitive:
    """`record`, and of a ufunc that kernels call its loops."""
    if not isinstance(record.fn, np.ufunc):
        return record
    return replace(record, kernel=Kernel.LOOP, gives=Gives.LOOP if record.fn.nout == 1 else None)


RECORDS: tuple[Primitive, ...] = tuple(_in_kernels(record) for family in _FAMILIES for record in family.RECORDS)
DEFINITIONS: tuple[Definition, ...] = tuple(one for family in _FAMILIES for one in family.DEFINITIONS)
