"""Interpolants, made by the function or outside of it."""

from __future__ import annotations

from adxform.api.scipy_models import (
    basis_splines,
    fitpack_splines,
    grid_interpolants,
    made_interpolants,
    outer_interpolants,
    scattered_interpolants,
)
from adxform.primitives.definitions.definition import Definition
from adxform.primitives.record import Primitive

RECORDS: tuple[Primitive, ...] = ()

DEFINITIONS: tuple[Definition, ...] = (
    *basis_splines.DEFINITIONS,
    *fitpack_splines.DEFINITIONS,
    *grid_interpolants.DEFINITIONS,
    *made_interpolants.DEFINITIONS,
    *outer_interpolants.DEFINITIONS,
    *scattered_interpolants.DEFINITIONS,
)
