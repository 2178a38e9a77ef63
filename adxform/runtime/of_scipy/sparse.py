"""Products with sparse matrices and their transposes, solutions, and where their entries stand."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import SuperLU, splu, spsolve


def product(a: Any, x: Any) -> Any:
    """Return ``a @ x`` of a sparse matrix and an array."""
    return a @ x


def product_turned(a: Any, x: Any) -> Any:
    """Return ``a.T @ x`` of a sparse matrix and an array."""
    return a.T @ x


def solution(a: Any, b: Any) -> Any:
    """Return ``scipy.sparse.linalg.spsolve(a, b)``."""
    return spsolve(a, b)


def solution_turned(a: Any, b: Any) -> Any:
    """Return the solution for the transpose of a sparse matrix."""
    return spsolve(a.T.tocsc(), b)


# -- matrices that a function makes ---------------------------------------------------------------------------------------


def applied(own: Any, entries: Any, rows: Any, columns: Any, x: Any) -> Any:
    """Return ``own @ x`` of a matrix with these entries in these rows and columns."""
    return own @ x


def solved(own: Any, turned: Any, entries: Any, rows: Any, columns: Any, b: Any) -> Any:
    """Return the solution for a matrix with these entries: that of `own`, a matrix or its factors, or of its transpose.

    Raises:
        TypeError: `own` are factors of a complex matrix from outside, and `b` is real, so that the solution is of another kind.
    """
    if isinstance(own, SuperLU):
        x = own.solve(b, "T" if turned else "N")
        if np.iscomplexobj(x) and not (np.iscomplexobj(b) or np.iscomplexobj(entries)):
            raise TypeError("the factors are those of a complex matrix: give them a complex right side, `b + 0j`")
        return x
    return spsolve(_as_it_is(own.T.tocsc() if turned else own), b)


def dense(own: Any, entries: Any, rows: Any, columns: Any) -> Any:
    """Return ``own.toarray()`` of a matrix with these entries."""
    return own.toarray()


def turned(own: Any) -> Any:
    """Return ``own.T``."""
    return own.T


def factors(own: Any, permc_spec: Any, diag_pivot_thresh: Any, relax: Any, panel_size: Any, options: Any) -> Any:
    """Return ``scipy.sparse.linalg.splu(own, …)``."""
    return splu(_as_it_is(own), permc_spec, diag_pivot_thresh, relax, panel_size, options)


def _as_it_is(own: Any) -> Any:
    """`own`, or a copy of it where SciPy's solvers would bring its entries into another order."""
    return own if getattr(own, "has_canonical_format", True) else own.copy()


def made(make: Callable[..., Any], *given: Any) -> Any:
    """Return the sparse matrix ``make(*given)``."""
    return make(*given)


def by_method(name: str, own: Any, *given: Any) -> Any:
    """Return what a method of a sparse matrix gives."""
    return getattr(own, name)(*given)


def of_class(name: str, matrix: bool, *given: Any) -> Any:
    """Return what SciPy's class of this name, of matrices or of arrays, makes of `given`."""
    return getattr(sparse, f"{name}_{'matrix' if matrix else 'array'}")(*given)


def with_diagonals(maker: str, diagonals: Any, offsets: Any, shape: Any, layout: Any) -> Any:
    """Return ``scipy.sparse.diags(…)``, or what `maker` names that makes an array of them."""
    return getattr(sparse, maker)(diagonals, offsets=offsets, shape=shape, format=layout)


def unit(maker: str, m: Any, n: Any, k: Any, layout: Any) -> Any:
    """Return ``scipy.sparse.eye(…)``, or what `maker` names that makes an array of it."""
    return getattr(sparse, maker)(m, n, k=k, format=layout)


def total(own: Any, entries: Any) -> Any:
    """Return ``own.sum()``."""
    return own.sum()


def sums(own: Any, entries: Any, axis: int) -> Any:
    """Return ``own.sum(axis)`` as a vector."""
    return np.ravel(np.asarray(own.sum(axis)))


def mean(own: Any, entries: Any) -> Any:
    """Return ``own.mean()``."""
    return own.mean()


def diagonal(own: Any, entries: Any, k: Any) -> Any:
    """Return ``own.diagonal(k)``."""
    return own.diagonal(k)


def entry(own: Any, entries: Any, row: Any, column: Any) -> Any:
    """Return ``own[row, column]``."""
    return own[row, column]


def length(own: Any, axis: int) -> int:
    """Return how many rows or columns a sparse matrix has."""
    return int(own.shape[axis])


def entries_of(own: Any) -> Any:
    """Return a copy of the entries of a sparse matrix, in the order of `rows_of` and `columns_of`."""
    return own.tocoo().data.copy()


def rows_of(own: Any) -> Any:
    """Return the rows in which the entries of a sparse matrix stand."""
    return own.tocoo().row.astype(np.int64)


def columns_of(own: Any) -> Any:
    """Return the columns in which the entries of a sparse matrix stand."""
    return own.tocoo().col.astype(np.int64)


def pairs(left: Any, right: Any) -> Any:
    """Return all pairs of places at which two arrays of whole numbers have the same one, those of `left` first.

    >>> pairs(np.array([4, 2]), np.array([2, 4, 4]))
    array([[0, 0, 1],
           [1, 2, 0]])
    """
    order = np.argsort(right, kind="stable")
    ordered = right[order]
    first, last = np.searchsorted(ordered, left), np.searchsorted(ordered, left, "right")
    counts = last - first
    within = np.arange(np.sum(counts)) - np.repeat(np.cumsum(counts) - counts, counts)
    return np.stack((np.repeat(np.arange(len(left)), counts), order[within + np.repeat(first, counts)]))
