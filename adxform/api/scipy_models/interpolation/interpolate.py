"""Interpolants, made by the function or outside of it."""

from __future__ import annotations

from adxform.api.scipy_models.interpolation import (
    basis_splines,
    fitpack_splines,
    grid_interpolants,
    made_interpolants,
    older_radial,
    outer_interpolants,
    piecewise_polynomials,
    sampled_lines,
    scattered_interpolants,
    through_points,
    triangulated,
)
from adxform.primitives.definitions.definition import Definition
from adxform.primitives.record import Primitive

RECORDS: tuple[Primitive, ...] = ()

DEFINITIONS: tuple[Definition, ...] = (
    *basis_splines.DEFINITIONS,
    *fitpack_splines.DEFINITIONS,
    *grid_interpolants.DEFINITIONS,
    *made_interpolants.DEFINITIONS,
    *older_radial.DEFINITIONS,
    *outer_interpolants.DEFINITIONS,
    *piecewise_polynomials.DEFINITIONS,
    *sampled_lines.DEFINITIONS,
    *scattered_interpolants.DEFINITIONS,
    *through_points.DEFINITIONS,
    *triangulated.DEFINITIONS,
)
