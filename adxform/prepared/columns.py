"""Matrices put together of one run of a rule after another, each for a unit vector."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np


def units(values: Sequence[Any], place: int) -> Iterator[list[Any]]:
    """The unit vectors of the space of `values` along the leaf `place`."""
    for element in range(int(np.size(values[place]))):
        vector = [np.zeros_like(value) if isinstance(value, np.ndarray) else type(value)(0) for value in values]
        if isinstance(vector[place], np.ndarray):
            vector[place].flat[element] = 1
        else:
            vector[place] = type(values[place])(1)
        yield vector


def stacked(runs: Sequence[Sequence[Any]], place: int, over: Any, of: Any) -> Any:
    """Part `place` of each of `runs`, one for each number in `over`, as one array of the shapes of `over` and `of`."""
    if not np.ndim(over) and not np.ndim(of) and not isinstance(over, np.ndarray) and not isinstance(of, np.ndarray):
        number = runs[0][place]
        return number[()] if isinstance(number, np.ndarray) else number
    matrix = np.empty((int(np.size(over)), *np.shape(of)), np.result_type(of))
    for row, run in enumerate(runs):
        matrix[row] = run[place]
    return matrix.reshape(np.shape(over) + np.shape(of))


def turned(matrix: Any, over: Any, of: Any) -> Any:
    """`matrix`, of the shapes of `over` and `of`, with those of `of` first."""
    n, m = np.ndim(over), np.ndim(of)
    return np.ascontiguousarray(np.transpose(matrix, (*range(n, n + m), *range(n)))) if n and m else matrix


def total(values: Sequence[Any]) -> int:
    """How many numbers `values` hold."""
    return sum(int(np.size(value)) for value in values)
