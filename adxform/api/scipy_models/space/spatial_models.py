"""Space: distances of `primitives.scipy_rules`, rotations, and what is found of places."""

from __future__ import annotations

from adxform.api.scipy_models.space import aligned_places, neighbours, rotations
from adxform.primitives.definitions.definition import Definition
from adxform.primitives.record import Primitive
from adxform.primitives.scipy_rules import distances

RECORDS: tuple[Primitive, ...] = distances.RECORDS

DEFINITIONS: tuple[Definition, ...] = (
    *distances.DEFINITIONS,
    *rotations.DEFINITIONS,
    *aligned_places.DEFINITIONS,
    *neighbours.DEFINITIONS,
)
