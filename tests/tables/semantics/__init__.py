"""What CPython and NumPy say of numbers: operators, joins of kinds, builtins and `math` on operands of every kind and origin."""

from __future__ import annotations

from collections.abc import Iterator

from tests.tables.cell import Cell
from tests.tables.semantics import builtin_functions, joins, math_functions, operators


def cells() -> Iterator[Cell]:
    """Every cell, part by part."""
    yield from operators.cells()
    yield from joins.cells()
    yield from builtin_functions.cells()
    yield from math_functions.cells()
