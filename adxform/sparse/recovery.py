"""Elements of a sparse matrix read from few products of it: which vectors to multiply with, and where each element is found."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from adxform.errors import PatternError
from adxform.ir.spans import Span
from adxform.sparse.colouring import colour_columns, colour_symmetric
from adxform.sparse.scipy_sparse import require

By = Literal["columns", "rows", "symmetric"]
Ints = np.ndarray[Any, np.dtype[np.int64]]


@dataclass(frozen=True, slots=True)
class Compression:
    """A pattern in CSR form, `indptr` and `indices`, with a colour for each column (of rows: for each row), -1 for empty ones.

    Product number `c` is the one with the vector that is one where the colour is `c`: a tangent, or by `rows` a cotangent.
    ``places[c]`` are the elements, in CSR order, that it gives, and ``sources[c]`` where in it they are.
    """

    by: By
    shape: tuple[int, int]
    indptr: Ints
    indices: Ints
    colours: Ints
    places: tuple[Ints, ...]
    sources: tuple[Ints, ...]

    @property
    def pattern(self) -> Any:
        """The elements that can be different from zero, as a boolean ``csr_array``."""
        return self.matrix(np.ones(len(self.indices), bool))

    def matrix(self, data: Any) -> Any:
        """The ``csr_array`` of the elements `data`."""
        parts = data, self.indices.copy(), self.indptr.copy()
        return require("scipy.sparse").csr_array(parts, shape=self.shape)

    def at_once(self, most: int) -> int:
        """How many products one sweep makes, `most` at most: the sweeps are as few as that lets them be, and no wider."""
        return -(-len(self.places) // max(-(-len(self.places) // most), 1)) or 1

    def sweeps(self, zeros: Sequence[Any], directions: int) -> Iterator[tuple[range, list[Any]]]:
        """The numbers of the products, `directions` at a time, each with its vectors.

        `zeros` are the leaves of that many vectors, whose memory those that are yielded share: they are good until the next. The
        vectors that are left over in the last sweep stay as they were.
        """
        size = len(zeros) // max(directions, 1)
        vectors = list(zeros)
        ends = np.cumsum([0, *(int(np.size(zero)) for zero in zeros[:size])]).tolist()
        for start in range(0, len(self.places), directions):
            numbers = range(start, min(start + directions, len(self.places)))
            for j, number in enumerate(numbers):
                for k in range(size):
                    part, zero = self.colours[ends[k] : ends[k + 1]], vectors[j * size + k]
                    if isinstance(zero, np.ndarray):
                        np.equal(part.reshape(zero.shape), number, out=zero)
                    else:
                        vectors[j * size + k] = type(zero)(part[0] == number)
            yield numbers, vectors

    def misfits(self, matrix: Any, dtype: Any) -> Iterator[tuple[str, str]]:
        """What is expected and what came instead, where `matrix` is not one whose elements of `dtype` can be written anew."""
        sparse = require("scipy.sparse")
        if not sparse.issparse(matrix) or matrix.format != "csr":
            yield "a sparse matrix in CSR form", f"a {type(matrix).__name__}"
        elif matrix.shape != self.shape:
            yield f"the shape {self.shape}", f"{matrix.shape}"
        elif matrix.dtype != dtype:
            yield f"elements of type {dtype}", f"{matrix.dtype}"
        elif not (np.array_equal(matrix.indptr, self.indptr) and np.array_equal(matrix.indices, self.indices)):
            yield "the elements of `pattern`, in its order", "others"

    def read(self, data: Any, number: int, product: Any) -> None:
        """Put what `product`, number `number`, gives where it belongs in the elements `data`."""
        data[self.places[number]] = product[self.sources[number]]


def compress(pattern: Any, by: By) -> Compression:
    """The fewest products, as far as greedy colouring finds them, that give all elements of `pattern` directly.

    Source: Gebremedhin, Manne and Pothen, "What color is your Jacobian? Graph coloring for computing derivatives", SIAM Review 47
    (2005), sections 3 and 4: an element is read from the column of its colour, or of a symmetric matrix from that of the element
    across the diagonal, where another element of its row has the same colour.
    """
    rows = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
    columns = pattern.indices.astype(np.int64)
    if by == "symmetric":
        colours = colour_symmetric(pattern)
        own = colours[columns]
        _, group, sizes = np.unique(rows * (colours.max(initial=0) + 1) + own, return_inverse=True, return_counts=True)
        alone = sizes[group] == 1
        number, source = np.where(alone, own, colours[rows]), np.where(alone, rows, columns)
    elif by == "columns":
        colours = colour_columns(pattern)
        number, source = colours[columns], rows
    else:
        colours = colour_columns(pattern.T)
        number, source = colours[rows], columns
    order = np.argsort(number, kind="stable")
    ends = np.cumsum(np.bincount(number, minlength=colours.max(initial=-1) + 1))[:-1]
    places, sources = np.split(order, ends), np.split(source[order], ends)
    count = int(colours.max(initial=-1)) + 1
    shape = (int(pattern.shape[0]), int(pattern.shape[1]))
    indptr, indices = pattern.indptr.astype(np.int64), columns
    return Compression(by, shape, indptr, indices, colours, tuple(places[:count]), tuple(sources[:count]))


def given_pattern(pattern: Any, shape: tuple[int, int], span: Span) -> Any:
    """`pattern`, a sparse matrix of which the stored elements count, or an array of which those count that are not zero.

    Raises:
        PatternError: it has another shape than the derivative.
    """
    sparse = require("scipy.sparse")
    found = sparse.csr_array(pattern if sparse.issparse(pattern) else np.atleast_2d(np.asarray(pattern) != 0))
    if found.shape != shape:
        message = f"the pattern has the shape {found.shape}, the derivative {shape}"
        raise PatternError(
            message, span=span, help="rows are the numbers of the value, columns those of the arguments, all in order"
        )
    return tidied(sparse.csr_array((np.ones(found.nnz, bool), found.indices, found.indptr), shape=shape))


def symmetrised(pattern: Any) -> Any:
    """`pattern` and its transpose."""
    return tidied((pattern + pattern.T).tocsr())


def tidied(pattern: Any) -> Any:
    """`pattern` with the elements of each row in order, each once."""
    pattern.sum_duplicates()
    pattern.sort_indices()
    return pattern
