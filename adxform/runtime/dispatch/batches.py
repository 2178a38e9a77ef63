"""Batches of vectors: tangents or cotangents whose leaves have one more axis, the first, with a vector at each place.

A rule for `directions` vectors takes them that many at a time. What is left over is filled up with the last vector where that is
more than half of a sweep, and else goes one at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

import numpy as np

from adxform.errors import TangentMismatchError
from adxform.frontend.signature import Leaf, Tree
from adxform.ir.types import Array, Scalar, Type, is_inexact
from adxform.runtime.dispatch.leaf_flattening import Match, MisfitError, described, described_along, kind
from adxform.runtime.dispatch.refusals import definition, name_of

Misfit = tuple[str, str, str]
Row = list[Any]


@dataclass(frozen=True, slots=True)
class Batch:
    """`count` vectors: `leaves` have one more axis than `likes`, the values that they belong to.

    ``None`` stands for the zeros of a value that is a float on another path.
    """

    count: int
    leaves: tuple[Any, ...]
    likes: tuple[Any, ...]

    def row(self, i: int) -> Row:
        """The leaves of vector `i`."""
        pairs = zip(self.leaves, self.likes, strict=True)
        return [0.0 if leaf is None else number(leaf[i], like) for leaf, like in pairs]

    def rows(self, directions: int) -> Iterator[tuple[tuple[int, ...], list[Row]]]:
        """The vectors in groups for a sweep each, with their places. A batch of none is swept along zero, for the shapes."""
        if not self.count:
            yield (), [[number(np.zeros(np.shape(like), np.result_type(like)), like) for like in self.likes]]
        for group in groups(self.count, directions):
            yield group, [self.row(i) for i in group]


def number(found: Any, like: Any) -> Any:
    """An element of a batch as a tangent or cotangent of `like`."""
    if isinstance(like, np.ndarray):
        return np.asarray(found)
    return type(like)(found)


def groups(count: int, directions: int) -> Iterator[tuple[int, ...]]:
    """The places ``0 … count - 1`` in groups of `directions` or of one; the last group may hold the last place repeatedly.

    >>> list(groups(7, 4)), list(groups(5, 4))
    ([(0, 1, 2, 3), (4, 5, 6, 6)], [(0, 1, 2, 3), (4,)])
    """
    for start in range(0, count, directions):
        rest = min(directions, count - start)
        if 2 * rest > directions:
            yield tuple(min(start + j, count - 1) for j in range(directions))
        else:
            yield from ((place,) for place in range(start, count))


def along(
    vectors: Iterable[Row], directions: int, sweep: Callable[[list[Row]], Sequence[Sequence[Any]]]
) -> Iterator[Sequence[Any]]:
    """What `sweep` finds for each of `vectors`, of which it is given `directions` or one."""
    waiting = iter(vectors)
    while chunk := list(islice(waiting, directions)):
        for group in groups(len(chunk), directions):
            yield from dict(zip(group, sweep([chunk[i] for i in group]), strict=True)).values()


@dataclass(slots=True)
class BatchResults:
    """What is found for each of `count` vectors, put together: an array of each of `dtypes`, with one more axis.

    ``None`` is a dtype that only the run tells: the path that it takes is the same for all vectors.
    """

    count: int
    dtypes: Sequence[str | None]
    arrays: list[Any] = field(default_factory=list)

    @classmethod
    def of(cls, count: int, types: Iterable[Type]) -> BatchResults:
        """A stack for leaves of these types."""
        known = (type_ for type_ in types if isinstance(type_, Scalar | Array))
        return cls(count, [None if isinstance(type_, Scalar) and type_.kinds else type_.dtype for type_ in known])

    def put(self, group: Sequence[int], found: Sequence[Sequence[Any]]) -> None:
        """Store the leaves found for the vectors at the places `group`."""
        if not self.arrays:
            pairs = zip(found[0], self.dtypes, strict=True)
            self.arrays = [np.empty((self.count, *np.shape(leaf)), dtype or np.result_type(leaf)) for leaf, dtype in pairs]
        for place, leaves in zip(group, found, strict=False):
            for array, leaf in zip(self.arrays, leaves, strict=True):
                array[place] = leaf


def split(results: Sequence[Any], shared: int, count: int) -> list[Sequence[Any]]:
    """The results of a sweep after the first `shared`, in one part for each of `count` vectors."""
    width = (len(results) - shared) // count
    return [results[shared + j * width : shared + (j + 1) * width] for j in range(count)]


class MisfitsError(Exception):
    """A batch does not fit: for each leaf its path, what was expected, and what came."""

    def __init__(self, misfits: Sequence[Misfit]) -> None:
        super().__init__(misfits)
        self.misfits = misfits


def batch_for(fn: Callable[..., Any], what: str, tree: Tree, values: Sequence[Any], given: Any) -> Batch:
    """The vectors in `given`: see `batched`.

    Raises:
        TangentMismatchError: they do not fit; with a line for each leaf.
    """
    try:
        return batched(what, tree, values, given)
    except MisfitsError as error:
        lines = "\n".join(f"    `{path}`: expected {expected}, got {got}" for path, expected, got in error.misfits)
        help_ = f"give the {what} the structure and dtype of the value, each leaf with one more axis, the first"
        raise TangentMismatchError(f"{what} for `{name_of(fn)}` do not fit\n{lines}", span=definition(fn), help=help_) from None


def batched(what: str, tree: Tree, values: Sequence[Any], given: Any) -> Batch:
    """The vectors in `given`, tangents or cotangents of the structure `tree` with the leaves `values`.

    Raises:
        MisfitsError: structure, shape or dtype differ, or leaves hold different numbers of vectors.
    """
    other, others = described_along(tree, given, what)
    walk = _Rows(iter(values), iter(others))
    try:
        leaves = list(walk.walk(tree, other, what))
    except MisfitError as misfit:
        raise MisfitsError([*walk.misfits, (misfit.path, misfit.expected, misfit.got)]) from None
    if walk.misfits:
        raise MisfitsError(walk.misfits)
    return Batch(walk.count or 0, tuple(leaves), tuple(walk.likes))


class _Rows(Match):
    """A walk through a value and a batch side by side: leaves that do not fit are noted, and the walk goes on."""

    def __init__(self, leaves: Iterator[Any], others: Iterator[Any]) -> None:
        super().__init__(leaves, others)
        self.count: int | None = None
        self.likes: list[Any] = []
        self.misfits: list[Misfit] = []

    def walk(self, tree: Tree, other: Tree, path: str) -> Iterator[Any]:
        """The batch for each float leaf."""
        several = isinstance(tree, Leaf) and isinstance(tree.type, Scalar) and tree.type.kinds
        if isinstance(tree, Leaf) and is_inexact(tree.type) and not isinstance(other, Leaf) and not several:
            raise MisfitError(path, self.expected(next(self.leaves)), described(other))
        yield from super().walk(tree, other, path)

    def fitted(self, value: Any, given: Any, path: str) -> Any:
        """`given` as vectors for the float or float array `value`."""
        shape = np.shape(given)
        fits = isinstance(given, np.ndarray) and given.dtype == np.result_type(value) and shape[1:] == np.shape(value) and shape
        if fits and self.count is None:
            self.count = shape[0]
        if not fits or shape[0] != self.count:
            self.misfits.append((path, self.expected(value), kind(given)))
        self.likes.append(value)
        return given

    def still(self, value: Any, given: Any, path: str) -> Any:
        """Nothing, for a value that is a float on another path; what is `given` has one element for each vector."""
        shape = np.shape(given)
        if given is not None and (len(shape) != 1 or shape[0] != (shape[0] if self.count is None else self.count)):
            self.misfits.append((path, self.expected(value), kind(given)))
        elif given is not None:
            self.count = shape[0]
        self.likes.append(0.0)

    def expected(self, value: Any) -> str:
        """What was expected for `value`, in words."""
        lengths = ", ".join(map(str, ("n" if self.count is None else self.count, *np.shape(value))))
        return f"an array of {np.result_type(value)} of shape ({lengths}{'' if np.shape(value) else ','})"
