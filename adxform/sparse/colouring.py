"""How few products give all elements: columns that no row has both of share a product, and so do more of a symmetric matrix.

The sets of colours are the bits of whole numbers, so that a dense row of many elements costs no more than its length.
"""

from __future__ import annotations

from typing import Any

import numpy as np

Colours = np.ndarray[Any, np.dtype[np.int64]]


def colour_columns(pattern: Any) -> Colours:
    """A colour for each column of `pattern`, -1 for empty ones, so that no row has two elements in columns of one colour.

    Greedy, columns of most elements first.

    Source: Gebremedhin, Manne and Pothen, "What color is your Jacobian? Graph coloring for computing derivatives", SIAM Review 47
    (2005), algorithm 3.1 (distance-2 colouring of one side of the bipartite graph), after Curtis, Powell and Reid (1974).

    >>> from scipy.sparse import csr_array
    >>> colour_columns(csr_array([[1, 1, 0, 0], [0, 1, 1, 0], [0, 0, 1, 0]])).tolist()
    [1, 0, 1, -1]
    """
    rows_of, starts = _by_column(pattern)
    used = [0] * pattern.shape[0]
    colours = np.full(pattern.shape[1], -1)
    for column in _largest_first(starts):
        rows = rows_of[starts[column] : starts[column + 1]]
        taken = 0
        for row in rows:
            taken |= used[row]
        bit = ~taken & (taken + 1)
        colours[column] = bit.bit_length() - 1
        for row in rows:
            used[row] |= bit
    return colours


def colour_symmetric(pattern: Any) -> Colours:
    """A colour for each column of a symmetric `pattern`, -1 for empty ones: a star colouring, so that elements are read directly.

    Adjacent columns differ, and no path of four columns has two colours only. Greedy, columns of most elements first. For each
    column are kept: the colours next to it, those next to it more than once, and the colours of the centres of its stars
    (neighbours that have its colour next to them more than once).

    Source: Gebremedhin, Manne and Pothen, "What color is your Jacobian? Graph coloring for computing derivatives", SIAM Review 47
    (2005), algorithm 4.1; the stars after Gebremedhin, Tarafdar, Manne and Pothen, "New acyclic and star coloring algorithms with
    application to computing Hessians", SIAM J. Sci. Comput. 29 (2007).

    >>> from scipy.sparse import csr_array
    >>> colour_symmetric(csr_array([[1, 1, 1, 1], [1, 1, 0, 0], [1, 0, 1, 0], [1, 0, 0, 1]])).tolist()
    [0, 1, 1, 1]
    """
    near, starts = _by_column(pattern)
    count = pattern.shape[0]
    colours = [-1] * count
    beside, twice, centres = [0] * count, [0] * count, [0] * count
    for column in _largest_first(starts):
        around = [other for other in near[starts[column] : starts[column + 1]] if other != column]
        taken = 0
        for other in around:
            colour = colours[other]
            if colour >= 0:
                taken |= 1 << colour
                taken |= beside[other] if twice[column] >> colour & 1 else centres[other]
        bit = ~taken & (taken + 1)
        colours[column] = bit.bit_length() - 1
        for other in around:
            colour = colours[other]
            if colour >= 0 and twice[column] >> colour & 1:
                centres[other] |= bit
            if beside[other] & bit:
                if colour >= 0:
                    _join_star(other, colour, bit, column, twice, centres, near, starts, colours)
                twice[other] |= bit
            beside[other] |= bit
    return np.array(colours, np.int64)


def _join_star(
    centre: int,
    colour: int,
    bit: int,
    column: int,
    twice: list[int],
    centres: list[int],
    near: list[int],
    starts: list[int],
    colours: list[int],
) -> None:
    """`centre` has one more column of the colour `bit` next to it: it is the centre of a star of all that have that colour."""
    centres[column] |= 1 << colour
    if not twice[centre] & bit:
        for other in near[starts[centre] : starts[centre + 1]]:
            if other != centre and colours[other] >= 0 and 1 << colours[other] == bit:
                centres[other] |= 1 << colour


def _by_column(pattern: Any) -> tuple[list[int], list[int]]:
    """The rows of the elements, column by column, and where each column starts."""
    columns = pattern.tocsc()
    return columns.indices.tolist(), columns.indptr.tolist()


def _largest_first(starts: list[int]) -> list[int]:
    """The columns that are not empty, those of most elements first."""
    sizes = np.diff(starts)
    order = np.argsort(-sizes, kind="stable")
    found: list[int] = order[: int((sizes > 0).sum())].tolist()
    return found
