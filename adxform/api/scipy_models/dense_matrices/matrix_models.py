"""Matrices: the rules of `primitives.scipy_rules.linalg`, and eigenvalues in SciPy's order."""

from __future__ import annotations

from adxform.api.scipy_models.dense_matrices import general_eigenvalues
from adxform.primitives.definitions.definition import Definition
from adxform.primitives.record import Primitive
from adxform.primitives.scipy_rules import linalg

RECORDS: tuple[Primitive, ...] = linalg.RECORDS

DEFINITIONS: tuple[Definition, ...] = (*linalg.DEFINITIONS, *general_eigenvalues.DEFINITIONS)
