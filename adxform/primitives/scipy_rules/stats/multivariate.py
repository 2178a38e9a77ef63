"""Distributions with parameters that were given when they were made."""

from __future__ import annotations

from adxform.primitives.definitions.definition import Definition

DEFINITIONS: tuple[Definition, ...] = ()
