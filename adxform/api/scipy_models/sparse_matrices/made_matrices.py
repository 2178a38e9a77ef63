"""Sparse matrices that a function makes: an object of adxform's own, that stands for SciPy's.

It holds SciPy's own matrix, which gives the values, and the entries with the rows and columns that they stand in, by which it
moves: entries at one place are summed. The places do not move, and an entry that comes to zero keeps its own.
"""

from __future__ import annotations

import operator
from typing import Any

import numpy as np
from scipy import sparse

from adxform import runtime
from adxform.ir import intrinsics
from adxform.primitives.definitions.definition import unsupported
from adxform.runtime.of_scipy import sparse as calls


def refused(self: Any, *given: Any) -> Any:
    """What a sparse matrix that the function makes has not."""
    unsupported(
        "a sparse matrix that the function makes has `@`, `dot`, `+`, `-`, products and quotients with numbers, `multiply`, `T`, "
        "`conj`, `toarray`, `sum()`, `diagonal`, subscripts and solutions; ask `A.toarray()` for the rest"
    )


class SparseMatrix:
    """A sparse matrix that the function makes: SciPy's `own`, and the entries in the places where they stand.

    `matrix`: it is one of SciPy's matrices, whose ``*`` is a product of matrices, and none of its arrays; ``None`` where it
    may be either.
    """

    __array_priority__ = 10.1

    def __init__(self, own: Any, entries: Any, rows: Any, columns: Any, shape: Any, matrix: Any) -> None:
        self.own, self.entries, self.rows, self.columns = own, entries, rows, columns
        self.shape, self.matrix, self.ndim = shape, matrix, 2

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name not in ("__iter__", "__len__"):
            raise AttributeError(name)
        refused(self)

    __setitem__ = __pow__ = __abs__ = __imul__ = __itruediv__ = __bool__ = __round__ = refused
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = refused

    # -- the same matrix ---------------------------------------------------------------------------------------------------

    @property
    def T(self) -> Any:
        """The transpose."""
        return self.transpose()

    def transpose(self) -> Any:
        """The transpose."""
        m, n = self.shape
        return SparseMatrix(calls.turned(self.own), self.entries, self.columns, self.rows, (n, m), self.matrix)

    def conj(self) -> Any:
        """The matrix of the conjugates."""
        own = calls.made(calls.by_method, "conj", self.own)
        return SparseMatrix(own, np.conj(self.entries), self.rows, self.columns, self.shape, self.matrix)

    conjugate = conj

    def asformat(self, layout: Any) -> Any:
        """The matrix in another form."""
        return self if layout is None else self.kept("asformat", layout)

    def tocsr(self) -> Any:
        """The matrix by its rows."""
        return self.kept("tocsr")

    def tocsc(self) -> Any:
        """The matrix by its columns."""
        return self.kept("tocsc")

    def tocoo(self) -> Any:
        """The matrix by its entries."""
        return self.kept("tocoo")

    def todia(self) -> Any:
        """The matrix by its diagonals."""
        return self.kept("todia")

    def copy(self) -> Any:
        """Another matrix with the same entries."""
        own = calls.made(calls.by_method, "copy", self.own)
        return SparseMatrix(own, self.entries, self.rows, self.columns, self.shape, self.matrix)

    def kept(self, method: str, *given: Any) -> Any:
        """The same matrix as a method of SciPy's gives it."""
        own = calls.made(calls.by_method, method, self.own, *given)
        return SparseMatrix(own, self.entries, self.rows, self.columns, self.shape, self.matrix)

    # -- arrays and numbers of it ------------------------------------------------------------------------------------------

    def toarray(self) -> Any:
        """The matrix as an array."""
        return calls.dense(self.own, self.entries, self.rows, self.columns)

    def todense(self) -> Any:
        """The matrix as an array, where SciPy's is one."""
        if self._is_matrix():
            unsupported("`todense` gives a matrix of NumPy's; use `toarray`")
        return self.toarray()

    def sum(self, axis: Any = None) -> Any:
        """The sum of the entries."""
        if axis is not None:
            return self._along(axis % 2)
        return intrinsics.valued(calls.total(self.own, self.entries), np.sum(self.entries))

    def _along(self, axis: Any) -> Any:
        """The sums along an axis: of one of SciPy's matrices a matrix of NumPy's."""
        sums = np.zeros(self.shape[1 - axis], dtype=self.entries.dtype)
        np.add.at(sums, self.columns if axis == 0 else self.rows, self.entries)
        found = intrinsics.valued(calls.sums(self.own, self.entries, axis), sums)
        return DenseSum(np.expand_dims(found, axis)) if self._is_matrix() else found

    def mean(self, axis: Any = None) -> Any:
        """The mean of all elements, also those that are zero."""
        if axis is not None:
            unsupported("the mean of a sparse matrix along an axis has no derivative rule; use `A.sum(axis) / n`")
        m, n = self.shape
        return intrinsics.valued(calls.mean(self.own, self.entries), np.sum(self.entries) / (m * n))

    def gathered(self) -> Any:
        """The matrix with one entry at each place."""
        width = self.shape[1]
        places, which = np.unique(self.rows * width + self.columns, return_inverse=True)
        entries = np.zeros(places.shape[0], dtype=self.entries.dtype)
        np.add.at(entries, which, self.entries)
        return SparseMatrix(self.own, entries, places // width, places % width, self.shape, self.matrix)

    def power(self, n: Any) -> Any:
        """The powers of the entries."""
        one = self.gathered()
        own = calls.made(calls.by_method, "power", self.own, n)
        return SparseMatrix(own, one.entries**n, one.rows, one.columns, self.shape, self.matrix)

    def diagonal(self, k: Any = 0) -> Any:
        """The entries of a diagonal."""
        m, n = self.shape
        there = self.rows + k == self.columns
        sums = np.zeros(max(0, min(m + min(k, 0), n - max(k, 0))), dtype=self.entries.dtype)
        np.add.at(sums, np.where(there, np.minimum(self.rows, self.columns), 0), np.where(there, self.entries, 0.0))
        return intrinsics.valued(calls.diagonal(self.own, self.entries, k), sums)

    def trace(self) -> Any:
        """The sum of the diagonal."""
        return np.sum(self.diagonal())

    # -- parts of it -------------------------------------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Any:
        if any(part is Ellipsis or part is None for part in _parts(key)):
            unsupported("`...` and `None` in subscripts of a sparse matrix have no derivative rule; write `:`")
        rows, columns = key if isinstance(key, tuple) and len(key) == 2 else (key, slice(None))
        if is_place(rows) and is_place(columns):
            return self._entry(rows, columns)
        if not self._is_matrix() and (is_place(rows) or is_place(columns)):
            unsupported("a row or column of a sparse array has one axis, which is not followed: use `A[i : i + 1]`")
        if not (isinstance(rows, slice) or isinstance(columns, slice) or is_place(rows) or is_place(columns)):
            if np.ndim(rows) != 2 or np.ndim(columns) != 2:
                unsupported(
                    "entries of a sparse matrix at pairs of places have no derivative rule; use `A[np.ix_(rows, columns)]`"
                )
            if np.shape(rows)[1] != 1 or np.shape(columns)[0] != 1:
                raise runtime.without_derivative("entries of a sparse matrix at pairs of places have no derivative rule")
        elif np.ndim(0 if isinstance(rows, slice) else rows) > 1 or np.ndim(0 if isinstance(columns, slice) else columns) > 1:
            unsupported("entries of a sparse matrix where a mask holds have no derivative rule; ask `A.toarray()` for them")
        m, n = self.shape
        here, line = calls.pairs(self.rows, _lines(m, rows))
        there, column = calls.pairs(self.columns[here], _lines(n, columns))
        own = calls.made(operator.getitem, self.own, key)
        shape = calls.length(own, 0), calls.length(own, 1)
        return SparseMatrix(own, self.entries[here][there], line[there], column, shape, self.matrix)

    def _entry(self, row: Any, column: Any) -> Any:
        """The entry in a row and a column, either of which may be counted from the end."""
        m, n = self.shape
        there = (self.rows == row % m) & (self.columns == column % n)
        return intrinsics.valued(calls.entry(self.own, self.entries, row, column), np.sum(np.where(there, self.entries, 0.0)))

    # -- products ----------------------------------------------------------------------------------------------------------

    def __matmul__(self, other: Any) -> Any:
        if is_sparse(other):
            return self._product(followed(other))
        x = np.asarray(other)
        if np.ndim(x) not in (1, 2):
            unsupported("a sparse matrix has a derivative of products with vectors and matrices")
        return calls.applied(self.own, self.entries, self.rows, self.columns, x)

    def _product(self, other: Any) -> Any:
        """The product with another sparse matrix: of each two entries that meet."""
        here, there = calls.pairs(self.columns, other.rows)
        own = calls.made(operator.matmul, self.own, other.own)
        entries = self.entries[here] * other.entries[there]
        shape = (self.shape[0], other.shape[1])
        return SparseMatrix(own, entries, self.rows[here], other.columns[there], shape, self.matrix)

    def __rmatmul__(self, other: Any) -> Any:
        if is_sparse(other):
            return followed(other) @ self
        return (self.transpose() @ np.asarray(other).T).T

    def dot(self, other: Any) -> Any:
        """The product, with a number too."""
        return self._scaled(operator.mul, other) if _is_number(other) else self @ other

    def multiply(self, other: Any) -> Any:
        """The products of entries at one place."""
        if _is_number(other):
            return self._scaled(operator.mul, other)
        if is_sparse(other):
            return self._paired(followed(other))
        factors = np.broadcast_to(np.asarray(other), self.shape)[self.rows, self.columns]
        own = calls.made(calls.by_method, "multiply", self.own, np.asarray(other))
        return SparseMatrix(own, self.entries * factors, self.rows, self.columns, self.shape, self.matrix)

    def _paired(self, other: Any) -> Any:
        width = self.shape[1]
        here, there = calls.pairs(self.rows * width + self.columns, other.rows * width + other.columns)
        own = calls.made(calls.by_method, "multiply", self.own, other.own)
        entries = self.entries[here] * other.entries[there]
        return SparseMatrix(own, entries, self.rows[here], self.columns[here], self.shape, self.matrix)

    def __mul__(self, other: Any) -> Any:
        if _is_number(other):
            return self._scaled(operator.mul, other)
        return self @ other if self._is_matrix() else self.multiply(other)

    def __rmul__(self, other: Any) -> Any:
        if _is_number(other):
            return self._scaled(operator.mul, other)
        return other @ self if self._is_matrix() else self.multiply(other)

    def _is_matrix(self) -> Any:
        if self.matrix is None:
            unsupported("a sum of a matrix and an array of SciPy's is of either kind; make both one, `sparse.csr_array(A)`")
        return self.matrix

    def __truediv__(self, other: Any) -> Any:
        if not _is_number(other):
            unsupported("a sparse matrix has a derivative of quotients with numbers; use `A.multiply(1.0 / x)`")
        return self._scaled(operator.truediv, other)

    def __neg__(self) -> Any:
        own = calls.made(operator.neg, self.own)
        return SparseMatrix(own, -self.entries, self.rows, self.columns, self.shape, self.matrix)

    def _scaled(self, fn: Any, factor: Any) -> Any:
        own = calls.made(fn, self.own, factor)
        return SparseMatrix(own, fn(self.entries, factor), self.rows, self.columns, self.shape, self.matrix)

    # -- sums --------------------------------------------------------------------------------------------------------------

    def __add__(self, other: Any) -> Any:
        return self._joined(operator.add, other)

    def __radd__(self, other: Any) -> Any:
        return self._joined(operator.add, other)

    def __sub__(self, other: Any) -> Any:
        return self._joined(operator.sub, other)

    def __rsub__(self, other: Any) -> Any:
        return followed(other) - self

    def _joined(self, fn: Any, other: Any) -> Any:
        """The sum or difference with another sparse matrix, which has the entries of both."""
        if not is_sparse(other):
            if np.ndim(other) != 2:
                unsupported("a sparse matrix has a derivative of sums with sparse matrices; use `A.toarray() + x`")
            total = fn(self.toarray(), np.asarray(other))
            return DenseSum(total) if self._is_matrix() else total
        other = followed(other)
        entries = np.concatenate((self.entries, fn(0.0, other.entries)))
        rows, columns = np.concatenate((self.rows, other.rows)), np.concatenate((self.columns, other.columns))
        own = calls.made(fn, self.own, other.own)
        matrix = self.matrix if self.matrix == other.matrix else None
        return SparseMatrix(own, entries, rows, columns, self.shape, matrix)


class Unfinished:
    """A sparse matrix of another kind, which `now` gives as it is at the moment."""

    def now(self) -> Any:
        """The matrix, with SciPy's own."""
        refused(self)


class DenseSum:
    """What SciPy gives as one of NumPy's matrices: it can be stored, or made an array, and nothing else."""

    def __init__(self, elements: Any) -> None:
        self.elements = elements

    def __array__(self) -> Any:
        return self.elements

    @property
    def A1(self) -> Any:
        """The elements as a vector."""
        return np.ravel(self.elements)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        _no_matrix(self)


def _no_matrix(self: Any, *given: Any) -> Any:
    unsupported(
        "SciPy gives one of NumPy's matrices here; use `A.toarray() + x`, or make it an array, `np.asarray(A.sum(axis=0))`"
    )


_OPERATORS = "add radd sub rsub mul rmul matmul rmatmul truediv rtruediv pow neg abs getitem"
for _name in _OPERATORS.split():
    setattr(DenseSum, f"__{_name}__", _no_matrix)


def _parts(key: Any) -> Any:
    """The parts of a subscript."""
    return key if isinstance(key, tuple) else (key,)


def is_place(part: Any) -> bool:
    """Whether a subscript is one place, which takes an axis away from an array."""
    return not isinstance(part, slice) and np.ndim(part) == 0


def _lines(count: Any, part: Any) -> Any:
    """The numbers of the rows or columns, of which there are `count`, that a subscript picks."""
    lines = np.arange(count)
    return lines[part] if isinstance(part, slice) else np.ravel(lines[np.asarray(part)])


def _is_number(value: Any) -> bool:
    return not is_sparse(value) and np.ndim(value) == 0


def is_sparse(value: Any) -> bool:
    """Whether `value` is a sparse matrix: one of adxform's own, or of SciPy's from outside."""
    return isinstance(value, (SparseMatrix, Unfinished, sparse.spmatrix, sparse.sparray))


def followed(given: Any) -> Any:
    """A sparse matrix as one that the function has made: one from outside has entries that do not move."""
    if isinstance(given, SparseMatrix):
        return given
    if isinstance(given, Unfinished):
        return given.now()
    if not is_sparse(given):
        unsupported("a sparse matrix is put together with sparse matrices")
    return of_own(given, calls.entries_of(given), given, isinstance(given, sparse.spmatrix))


def of_own(own: Any, entries: Any, places: Any, matrix: Any) -> Any:
    """The matrix `own` with entries that are in the order in which `places`, a sparse matrix, has them."""
    rows, columns = calls.rows_of(places), calls.columns_of(places)
    return SparseMatrix(own, entries, rows, columns, (calls.length(own, 0), calls.length(own, 1)), matrix)
