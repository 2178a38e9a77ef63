"""How a function makes sparse matrices, and solves systems with them: what SciPy's functions for that mean."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse
from scipy.sparse.linalg import SuperLU, factorized, splu, spsolve

from adxform.api.scipy_models.solving import as_it_stays
from adxform.api.scipy_models.sparse_matrices.filled_matrices import FilledMatrix
from adxform.api.scipy_models.sparse_matrices.made_matrices import SparseMatrix, followed, is_sparse, of_own
from adxform.ir import intrinsics
from adxform.primitives.definitions.definition import Definition, Value, unsupported
from adxform.runtime.of_scipy import sparse as calls

_FORMS = ("csr", "csc", "coo", "dia")
_CONVERSIONS = ("tocsr", "tocsc", "tocoo", "todia", "transpose", "copy", "toarray", "diagonal")


def _maker(form: str, matrix: bool) -> Callable[..., Any]:
    """What SciPy's class of a form means."""

    def body(arg1: Any, shape: Any = None, dtype: Any = None, copy: Any = False) -> Any:
        if is_sparse(arg1):
            if dtype is not None:
                unsupported("a sparse matrix is made of another one without `dtype`")
            given = followed(arg1)
            own = calls.made(calls.of_class, form, matrix, given.own)
            return SparseMatrix(own, given.entries, given.rows, given.columns, given.shape, matrix)
        if not isinstance(arg1, tuple):
            return _of_dense(form, matrix, np.asarray(arg1), shape, dtype)
        if len(arg1) == 3:
            return _of_lines(form, matrix, arg1, shape, dtype)
        if np.ndim(arg1[0]) == 0:
            unsupported("an empty sparse matrix has no entries that move; make it outside of the function")
        if form == "dia":
            return _of_bands(matrix, arg1[0], arg1[1], shape, dtype)
        return _of_triplets(form, matrix, arg1[0], arg1[1], shape, dtype)

    return body


def _filled(form: str, matrix: bool) -> Callable[..., Any]:
    """What SciPy's class of matrices that are filled entry by entry means."""

    def body(arg1: Any, shape: Any = None, dtype: Any = None, copy: Any = False) -> Any:
        if dtype is not None and np.dtype(dtype) != np.dtype(float):
            unsupported("a sparse matrix that is filled entry by entry is one of floats")
        if isinstance(arg1, FilledMatrix):
            unsupported("a sparse matrix that is filled, made of another one, may share its memory; use `A.copy()`")
        if isinstance(arg1, tuple) and len(arg1) == 2 and np.ndim(arg1[0]) == 0:
            return FilledMatrix(form, np.zeros(arg1), matrix)
        given = followed(arg1).toarray() if is_sparse(arg1) else np.asarray(arg1)
        if np.ndim(given) != 2 or given.dtype != np.dtype(float):
            unsupported("a sparse matrix that is filled entry by entry is one of rows and columns, of floats")
        return FilledMatrix(form, np.array(given), matrix)

    return body


def _taken(data: Any, dtype: Any) -> Any:
    """An array that SciPy's matrix takes a copy of."""
    return np.array(data) if dtype is None else np.array(data).astype(dtype)


def _held(data: Any, dtype: Any) -> Any:
    """An array that SciPy's matrix holds itself, where it is of the dtype."""
    return as_it_stays(np.asarray(data)) if dtype is None else as_it_stays(np.asarray(data)).astype(dtype)


def _of_triplets(form: str, matrix: bool, data: Any, places: Any, shape: Any, dtype: Any) -> Any:
    entries = _held(data, dtype) if form == "coo" else _taken(data, dtype)
    given = np.array(places[0]), np.array(places[1])
    rows, columns = _whole(given[0]), _whole(given[1])
    own = calls.made(calls.of_class, form, matrix, (entries, given), shape)
    if shape is None:
        shape = calls.length(own, 0), calls.length(own, 1)
    return SparseMatrix(own, entries, rows, columns, shape, matrix)


def _whole(places: Any) -> Any:
    """The places of entries, whole numbers: SciPy leaves out what comes after the point of others, and so they do not move."""
    return places if places.dtype.kind in "iu" else places.astype(np.int64)


def _of_lines(form: str, matrix: bool, given: Any, shape: Any, dtype: Any) -> Any:
    """By the entries of each row or column, one after the other."""
    entries = _held(given[0], dtype)
    own = calls.made(calls.of_class, form, matrix, (entries, np.array(given[1]), np.array(given[2])), shape)
    rows = calls.rows_of(own)
    return SparseMatrix(
        own, entries[: rows.shape[0]], rows, calls.columns_of(own), (calls.length(own, 0), calls.length(own, 1)), matrix
    )


def _of_dense(form: str, matrix: bool, dense: Any, shape: Any, dtype: Any) -> Any:
    """All elements of an array: those that are zero may move, too."""
    if np.ndim(dense) != 2:
        unsupported("a sparse matrix that the function makes is one of rows and columns")
    dense = _taken(dense, dtype)
    m, n = dense.shape
    own = calls.made(calls.of_class, form, matrix, dense, shape)
    rows, columns = np.repeat(np.arange(m), n), np.tile(np.arange(n), m)
    return SparseMatrix(own, np.ravel(dense), rows, columns, (m, n), matrix)


def _of_bands(matrix: bool, data: Any, offsets: Any, shape: Any, dtype: Any) -> Any:
    """By diagonals, of which an element stands in the column of its place."""
    data = np.atleast_2d(_held(data, dtype))
    own = calls.made(calls.of_class, "dia", matrix, (data, np.array(offsets)), shape)
    m, n = calls.length(own, 0), calls.length(own, 1)
    width = data.shape[1]
    columns = np.tile(np.arange(width), data.shape[0])
    rows = columns - np.repeat(np.atleast_1d(offsets), width)
    within = np.flatnonzero((rows >= 0) & (rows < m) & (columns < n))
    return SparseMatrix(own, np.ravel(data)[within], rows[within], columns[within], (m, n), matrix)


def _spdiags(data: Any, diags: Any, m: Any = None, n: Any = None, format: Any = None) -> Any:
    if m is None:
        m = n = len(data[0])
    elif n is None:
        m, n = m
    return _of_bands(True, data, diags, (m, n), None).asformat(format)


def _diagonals(matrix: bool, diagonals: Any, offsets: Any, shape: Any, format: Any) -> Any:
    if np.ndim(offsets) == 0:
        diagonals, offsets = [diagonals], [offsets]
    parts = [np.atleast_1d(np.array(one)) for one in diagonals]
    own = calls.made(calls.with_diagonals, "diags" if matrix else "diags_array", tuple(parts), tuple(offsets), shape, format)
    m, n = (calls.length(own, 0), calls.length(own, 1)) if shape is None else shape
    entries, rows, columns = [], [], []
    for part, offset in zip(parts, offsets, strict=True):
        count = min(m + offset, n - offset, m, n)
        entries.append(part[:count] + np.zeros(count))
        rows.append(np.arange(count) + max(0, -offset))
        columns.append(np.arange(count) + max(0, offset))
    return SparseMatrix(own, np.concatenate(entries), np.concatenate(rows), np.concatenate(columns), (m, n), matrix)


def _diags(diagonals: Any, offsets: Any = 0, shape: Any = None, format: Any = None) -> Any:
    return _diagonals(True, diagonals, offsets, shape, format)


def _diags_array(diagonals: Any, /, *, offsets: Any = 0, shape: Any = None, format: Any = None) -> Any:
    return _diagonals(False, diagonals, offsets, shape, format)


def _unit(maker: str, matrix: bool) -> Callable[..., Any]:
    def body(m: Any, n: Any = None, k: Any = 0, format: Any = None) -> Any:
        own = calls.made(calls.unit, maker, m, n, k, format)
        return of_own(own, np.ones(calls.rows_of(own).shape[0]), own, matrix)

    return body


def _identity(n: Any, format: Any = None) -> Any:
    own = calls.made(calls.unit, "eye", n, None, 0, "dia" if format is None else format)
    return of_own(own, np.ones(calls.rows_of(own).shape[0]), own, True)


def _kron(A: Any, B: Any, format: Any = None) -> Any:
    a, b = _as_factor(A), _as_factor(B)
    own = calls.made(sparse.kron, a.own, b.own, format)
    entries = np.ravel(np.expand_dims(a.entries, 1) * b.entries)
    rows = np.ravel(np.expand_dims(a.rows * b.shape[0], 1) + b.rows)
    columns = np.ravel(np.expand_dims(a.columns * b.shape[1], 1) + b.columns)
    shape = (a.shape[0] * b.shape[0], a.shape[1] * b.shape[1])
    return SparseMatrix(own, entries, rows, columns, shape, a.matrix and b.matrix)


def _as_factor(given: Any) -> Any:
    return followed(given) if is_sparse(given) else _of_dense("csr", True, np.asarray(given), None, None)


def _stacked(fn: Callable[..., Any], axis: int) -> Callable[..., Any]:
    """What `scipy.sparse.vstack` and `hstack` mean."""

    def body(blocks: Any, format: Any = None) -> Any:
        return _in_blocks(fn, [[one] for one in blocks] if axis == 0 else [[*blocks]], format)

    return body


def _bmat(blocks: Any, format: Any = None) -> Any:
    return _in_blocks(sparse.bmat, blocks, format)


def _block_diag(mats: Any, format: Any = None) -> Any:
    count = len(mats)
    grid = [[mats[k] if k == j else None for j in range(count)] for k in range(count)]
    return _in_blocks(sparse.block_diag, grid, format)


def _in_blocks(fn: Callable[..., Any], grid: Any, format: Any) -> Any:
    """The matrix of the blocks in `grid`, of which ``None`` is empty; `fn` makes SciPy's of them."""
    placed = [(k, j, _as_factor(one)) for k, row in enumerate(grid) for j, one in enumerate(row) if one is not None]
    heights = [next(one.shape[0] for i, _, one in placed if i == k) for k in range(len(grid))]
    widths = [next(one.shape[1] for _, j, one in placed if j == k) for k in range(len(grid[0]))]
    entries = np.concatenate([one.entries for _, _, one in placed])
    rows = np.concatenate([one.rows + sum(heights[:k]) for k, _, one in placed])
    columns = np.concatenate([one.columns + sum(widths[:k]) for _, k, one in placed])
    own: Any = {(k, j): one.own for k, j, one in placed}
    owns = tuple([own[place] for place in own])
    if fn is sparse.bmat:
        owns = tuple([tuple([own.get((k, j)) for j in range(len(row))]) for k, row in enumerate(grid)])
    matrix = all(one.matrix for _, _, one in placed)
    return SparseMatrix(calls.made(fn, owns, format), entries, rows, columns, (sum(heights), sum(widths)), matrix)


# -- systems --------------------------------------------------------------------------------------------------------------


class Factors:
    """What solves systems with a matrix that was factored once."""

    def __init__(self, lu: Any, entries: Any, rows: Any, columns: Any, shape: Any) -> None:
        self.lu, self.entries, self.rows, self.columns, self.shape = lu, entries, rows, columns, shape

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        unsupported("of the factors of a sparse matrix there is `solve`")

    def solve(self, rhs: Any, trans: Any = "N") -> Any:
        """The solution for a right side, of the matrix or its transpose."""
        b = np.asarray(rhs)
        if trans == "H":
            return np.conj(self.solve(np.conj(b), "T"))
        if trans == "N":
            return calls.solved(self.lu, False, self.entries, self.rows, self.columns, b)
        return calls.solved(self.lu, True, self.entries, self.columns, self.rows, b)


def _splu(
    A: Any, permc_spec: Any = None, diag_pivot_thresh: Any = None, relax: Any = None, panel_size: Any = None, options: Any = None
) -> Any:
    a = followed(A)
    lu = calls.factors(a.own, permc_spec, diag_pivot_thresh, relax, panel_size, options)
    return Factors(lu, np.array(a.entries), a.rows, a.columns, a.shape)


def _factorized(A: Any) -> Any:
    return _splu(A).solve


def _outer_solve(self: Any, rhs: Any, trans: Any = "N") -> Any:
    if trans == "H":
        return np.conj(_outer_solve(self, np.conj(rhs), "T"))
    none = np.zeros(0, int)
    return calls.solved(self, trans != "N", np.zeros(0), none, none, np.asarray(rhs))


def direct(A: Any, b: Any, permc_spec: Any = None, use_umfpack: Any = True) -> Any:
    """The solution that a direct method finds."""
    b = np.asarray(b)
    if permc_spec is not None or not use_umfpack:
        unsupported("spsolve has a derivative without options; use `splu(A, permc_spec=…).solve(b)`")
    if np.ndim(b) == 2 and b.shape[1] == 1:
        return direct(A, b[:, 0])
    if isinstance(A, FilledMatrix):
        return direct(A.now(), b)
    if isinstance(A, np.ndarray):  # which SciPy makes a sparse matrix, and warns: zeros in it move as well
        return intrinsics.valued(intrinsics.own(calls.solution, A, b), np.linalg.solve(A, b))
    if not isinstance(A, SparseMatrix):
        return calls.solution(A, b)
    return calls.solved(A.own, False, A.entries, A.rows, A.columns, b)


def _dot(self: Any, other: Any) -> Any:
    return followed(self).dot(other) if isinstance(other, (SparseMatrix, FilledMatrix)) else self @ other


def _multiply(self: Any, other: Any) -> Any:
    return followed(self).multiply(other)


def _issparse(x: Any) -> bool:
    return isinstance(x, (SparseMatrix, FilledMatrix, sparse.spmatrix, sparse.sparray))


def _methods() -> dict[Any, Callable[..., Any]]:
    """What those methods mean of a matrix from outside by which another one is made."""
    classes = {cls for form in _FORMS for cls in getattr(sparse, f"{form}_matrix").__mro__}
    return {
        vars(cls)[name]: body
        for name, body in (("multiply", _multiply), *((name, _converted(name)) for name in _CONVERSIONS))
        for cls in classes
        if name in vars(cls)
    }


def _converted(name: str) -> Callable[..., Any]:
    def body(self: Any) -> Any:
        return getattr(followed(self), name)()

    return body


DEFINITIONS: tuple[Definition, ...] = (
    *(
        Definition(getattr(sparse, f"{form}_{kind}"), _maker(form, kind == "matrix"), Value.FOLLOWED, sequences=True)
        for form in _FORMS
        for kind in ("matrix", "array")
    ),
    *(
        Definition(getattr(sparse, f"{form}_{kind}"), _filled(form, kind == "matrix"), Value.FOLLOWED, sequences=True)
        for form in ("lil", "dok")
        for kind in ("matrix", "array")
    ),
    Definition(sparse.diags, _diags, Value.FOLLOWED, sequences=True),
    Definition(sparse.diags_array, _diags_array, Value.FOLLOWED, sequences=True),
    Definition(sparse.spdiags, _spdiags, Value.FOLLOWED, sequences=True),
    Definition(sparse.eye, _unit("eye", True), Value.FOLLOWED),
    Definition(sparse.eye_array, _unit("eye_array", False), Value.FOLLOWED),
    Definition(sparse.identity, _identity, Value.FOLLOWED),
    Definition(sparse.kron, _kron, Value.FOLLOWED, sequences=True),
    Definition(sparse.vstack, _stacked(sparse.vstack, 0), Value.FOLLOWED, sequences=True),
    Definition(sparse.hstack, _stacked(sparse.hstack, 1), Value.FOLLOWED, sequences=True),
    Definition(sparse.bmat, _bmat, Value.FOLLOWED, sequences=True),
    Definition(sparse.block_diag, _block_diag, Value.FOLLOWED, sequences=True),
    Definition(splu, _splu, Value.FOLLOWED, sequences=True),
    Definition(factorized, _factorized, Value.FOLLOWED, sequences=True),
    Definition(spsolve, direct, sequences=True),
    Definition(SuperLU.solve, _outer_solve, sequences=True),
    Definition(sparse.csr_matrix.dot, _dot, sequences=True),
    *(Definition(method, body, Value.FOLLOWED, sequences=True) for method, body in _methods().items()),
    Definition(sparse.issparse, _issparse, Value.FOLLOWED, sequences=True),
)
