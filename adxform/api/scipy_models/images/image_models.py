"""Images: the filters of `primitives.scipy_rules`, and what measures and morphology make of these."""

from __future__ import annotations

from adxform.api.scipy_models.images import image_measures
from adxform.primitives.definitions.definition import Definition
from adxform.primitives.record import Primitive
from adxform.primitives.scipy_rules import images

RECORDS: tuple[Primitive, ...] = (*images.RECORDS, *image_measures.RECORDS)

DEFINITIONS: tuple[Definition, ...] = (*images.DEFINITIONS, *image_measures.DEFINITIONS)
