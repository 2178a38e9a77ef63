"""Interpolants, made by the function or outside of it."""

from __future__ import annotations

from adxform.api.scipy_models import made_interpolants, outer_interpolants
from adxform.primitives.definitions.definition import Definition
from adxform.primitives.record import Primitive

RECORDS: tuple[Primitive, ...] = ()

DEFINITIONS: tuple[Definition, ...] = (*made_interpolants.DEFINITIONS, *outer_interpolants.DEFINITIONS)
