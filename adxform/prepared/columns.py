"""Matrices put together of one run of a rule after another, each for a unit vector."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from adxform.prepared.outputs import Expected

Index = tuple[Any, ...]


def block_like(first: Any, last: Any, numbers: Any) -> Any:
    """What the derivative of one number or array by another is like: of both shapes, and of the dtype of `numbers`."""
    if isinstance(first, np.ndarray) or isinstance(last, np.ndarray):
        return Expected(np.shape(first) + np.shape(last), np.result_type(numbers))
    return numbers


def units(zeros: Sequence[Any], place: int) -> Iterator[tuple[Index, list[Any]]]:
    """The unit vectors along the leaf `place` of the space that `zeros` is of, each with its index there.

    They share the memory of `zeros`: one is good until the next.
    """
    vector = list(zeros)
    memory = zeros[place]
    if not isinstance(memory, np.ndarray):
        vector[place] = type(memory)(1)
        yield (), vector
        return
    for index in np.ndindex(memory.shape):
        memory[index] = 1
        yield index, vector
        memory[index] = 0


def views(blocks: Sequence[Any], index: Index) -> list[Any]:
    """What `index` leads to in each of `blocks`, as far as they are arrays."""
    return [block[index] if isinstance(block, np.ndarray) else None for block in blocks]


def filled(blocks: list[Any], places: Sequence[Any], parts: Sequence[Any]) -> None:
    """Put each of `parts` at its place, a view of one of `blocks`; where there is none, in place of the block."""
    for i, (place, part) in enumerate(zip(places, parts, strict=True)):
        if place is None:
            blocks[i] = part[()] if isinstance(part, np.ndarray) else part
        elif place is not part:
            place[...] = part


def total(values: Sequence[Any]) -> int:
    """How many numbers `values` hold."""
    return sum(int(np.size(value)) for value in values)
