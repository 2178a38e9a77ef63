"""Signals: filters and spectra of `primitives.scipy_rules`, designs of filters, and what is made of both."""

from __future__ import annotations

from adxform.api.scipy_models.signals import cascaded_filters, filter_designs, system_responses
from adxform.primitives.definitions.definition import Definition
from adxform.primitives.record import Primitive
from adxform.primitives.scipy_rules import filters

RECORDS: tuple[Primitive, ...] = (*filters.RECORDS, *filter_designs.RECORDS)

DEFINITIONS: tuple[Definition, ...] = (
    *filters.DEFINITIONS,
    *filter_designs.DEFINITIONS,
    *cascaded_filters.DEFINITIONS,
    *system_responses.DEFINITIONS,
)
