"""Python's operators on operands of every kind, however these come to be: each cell says what CPython and NumPy say."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.tables.cell import Cell, program

OPERATORS = ("+", "-", "*", "/", "//", "%", "**")
OPERANDS: dict[str, Any] = {
    "bool": True,
    "int": 3,
    "float": 1.7,
    "float32": np.float32(1.7),
    "int64": np.int64(3),
    "array": np.array([0.3, 1.7]),
}


def cells() -> Iterator[Cell]:
    """Every operator on each pair of operands, both of them arguments."""
    for sign, (left, a), (right, b) in itertools.product(OPERATORS, OPERANDS.items(), OPERANDS.items()):
        text = f"def f(x, a, b):\n    return x * np.sum(a {sign} b)\n"
        yield Cell(f"{left} {sign} {right}", program(text), (0.7, a, b))
