"""The functions of `scipy.linalg`.

Cotangents pair with tangents without a conjugate, so that rules of what is holomorphic hold of complex matrices too.
"""

from __future__ import annotations

from adxform.primitives.definitions.definition import Definition
from adxform.primitives.record import Primitive
from adxform.primitives.scipy_rules.linalg import bands, factors, least_squares, matrix_functions, spaces, structured, systems

_FAMILIES = (systems, factors, least_squares, spaces, matrix_functions, structured, bands)

RECORDS: tuple[Primitive, ...] = tuple(record for family in _FAMILIES for record in family.RECORDS)

DEFINITIONS: tuple[Definition, ...] = tuple(one for family in _FAMILIES for one in family.DEFINITIONS)
