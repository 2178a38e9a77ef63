"""Matrices put together of one run of a rule after another, each for a unit vector."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np

from adxform.api.prepared.calls.outputs import ExpectedArray

Index = tuple[Any, ...]
Spot = tuple[int, Index]
WIDTH = 4
"""How many unit vectors go through one sweep: more save little more, and take longer to prepare."""


def block_like(first: Any, last: Any, numbers: Any) -> Any:
    """What the derivative of one number or array by another is like: of both shapes, and of the dtype of `numbers`."""
    if isinstance(first, np.ndarray) or isinstance(last, np.ndarray):
        return ExpectedArray(np.shape(first) + np.shape(last), np.result_type(numbers))
    return numbers


def width(values: Sequence[Any]) -> int:
    """How many unit vectors of the space of `values` go through one sweep."""
    return WIDTH if total(values) >= WIDTH else 1


def units(zeros: Sequence[Any], directions: int, one: complex = 1) -> Iterator[tuple[list[Spot], list[Any]]]:
    """The unit vectors of a space, `directions` at a time, each with its leaf and its index there.

    `zeros` are the leaves of that many vectors, whose memory those that are yielded share: they are good until the next. The last
    ones are filled up with the last vector. Where `one` is the imaginary unit, they are those of complex numbers alone.
    """
    size = len(zeros) // directions
    vectors = list(zeros)

    def mark(spots: Sequence[Spot], number: complex) -> None:
        for j, (place, index) in enumerate(spots):
            at = j * size + place
            if isinstance(vectors[at], np.ndarray):
                vectors[at][index] = number
            else:
                vectors[at] = type(vectors[at])(number)

    moved = [place for place in range(size) if one == 1 or np.iscomplexobj(zeros[place])]
    every = ((place, index) for place in moved for index in np.ndindex(np.shape(zeros[place])))
    while group := list(islice(every, directions)):
        spots = group + [group[-1]] * (directions - len(group))
        mark(spots, one)
        yield group, vectors
        mark(spots, 0)


def views(blocks: Sequence[Any], index: Index) -> list[Any]:
    """What `index` leads to in each of `blocks`, as far as they are arrays."""
    return [block[index] if isinstance(block, np.ndarray) else None for block in blocks]


def padded(targets: Sequence[Sequence[Any]], count: int) -> list[Any]:
    """All of `targets`, and ``None`` up to `count`: results that nobody takes."""
    found = [target for group in targets for target in group]
    return found + [None] * (count - len(found))


def rows_like(count: int, likes: Iterable[Any], dtypes: Sequence[str | None]) -> list[ExpectedArray]:
    """What a batch of `count` derivatives like `likes`, of these dtypes or of their own, is like."""
    both = zip(likes, dtypes, strict=True)
    return [ExpectedArray((count, *np.shape(like)), np.dtype(dtype or np.result_type(like))) for like, dtype in both]


def rows_at(blocks: Sequence[Any], group: Sequence[int]) -> list[list[Any]]:
    """The rows of `blocks` for the places `group` of a batch; a place that comes again, to fill up the sweep, has none."""
    return [views(blocks, (place, ...)) for place in dict.fromkeys(group)]


def put(blocks: list[Any], rows: Sequence[Sequence[Any]], parts: Sequence[Sequence[Any]]) -> None:
    """Store what was found for each vector of a sweep in `rows` of `blocks`."""
    for row, part in zip(rows, parts, strict=False):
        filled(blocks, row, part)


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
