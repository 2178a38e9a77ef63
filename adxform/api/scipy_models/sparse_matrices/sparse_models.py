"""Sparse matrices, and what is solved with them."""

from __future__ import annotations

from adxform.api.scipy_models.sparse_matrices import iterative_solutions, sparse_makers, sparse_spectra
from adxform.api.scipy_models.sparse_matrices.made_matrices import followed
from adxform.primitives.definitions.definition import Definition
from adxform.primitives.record import Primitive
from adxform.primitives.scipy_rules import sparse_matrices

__all__ = ["DEFINITIONS", "RECORDS", "followed"]

RECORDS: tuple[Primitive, ...] = (*sparse_matrices.RECORDS, *sparse_spectra.RECORDS)

DEFINITIONS: tuple[Definition, ...] = (*sparse_makers.DEFINITIONS, *iterative_solutions.DEFINITIONS, *sparse_spectra.DEFINITIONS)
