"""Sparse matrices that a function fills entry by entry, SciPy's `lil_matrix` and `dok_matrix`."""

from __future__ import annotations

from typing import Any

import numpy as np

from adxform.api.scipy_models.sparse_matrices.made_matrices import (
    DenseSum,
    SparseMatrix,
    Unfinished,
    followed,
    is_place,
    is_sparse,
    refused,
)
from adxform.runtime.of_scipy import sparse as calls


class FilledMatrix(Unfinished):
    """A sparse matrix that the function fills entry by entry, SciPy's `lil_matrix` or `dok_matrix`: `elements` has all of it."""

    __array_priority__ = 10.1

    def __init__(self, form: Any, elements: Any, matrix: Any) -> None:
        self.form, self.elements, self.matrix = form, elements, matrix
        self.shape, self.ndim = elements.shape, 2

    def now(self) -> Any:
        """The matrix as it is now, with SciPy's own."""
        m, n = self.shape
        elements = np.array(self.elements)
        own = calls.made(calls.of_class, self.form, self.matrix, elements)
        rows, columns = np.repeat(np.arange(m), n), np.tile(np.arange(n), m)
        return SparseMatrix(own, np.ravel(elements), rows, columns, (m, n), self.matrix)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.now(), name)

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, tuple) and len(key) == 2 and is_place(key[0]) and is_place(key[1]):
            return self.elements[key]
        return self.now()[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(value, DenseSum):
            self.elements[key] = value.elements
        elif is_sparse(value):
            self.elements[key] = followed(value).toarray()
        else:
            self.elements[key] = value

    def setdiag(self, values: Any, k: Any = 0) -> None:
        """Store the entries of a diagonal."""
        m, n = self.shape
        places = np.arange(min(m + min(k, 0), n - max(k, 0)))
        self.elements[places - min(k, 0), places + max(k, 0)] = values

    def copy(self) -> Any:
        """Another matrix with the same entries."""
        return FilledMatrix(self.form, np.array(self.elements), self.matrix)

    def toarray(self) -> Any:
        """The matrix as an array."""
        return np.array(self.elements)

    @property
    def rows(self) -> Any:
        """The lists of SciPy's own, which are not followed."""
        refused(self)

    @property
    def T(self) -> Any:
        """The transpose."""
        return self.now().transpose()

    def __matmul__(self, other: Any) -> Any:
        return self.now() @ other

    def __rmatmul__(self, other: Any) -> Any:
        return other @ self.now()

    def __mul__(self, other: Any) -> Any:
        return self.now() * other

    def __rmul__(self, other: Any) -> Any:
        return other * self.now()

    def __truediv__(self, other: Any) -> Any:
        return self.now() / other

    def __neg__(self) -> Any:
        return -self.now()

    def __add__(self, other: Any) -> Any:
        return self.now() + other

    def __radd__(self, other: Any) -> Any:
        return other + self.now()

    def __sub__(self, other: Any) -> Any:
        return self.now() - other

    def __rsub__(self, other: Any) -> Any:
        return other - self.now()

    __pow__ = __abs__ = __imul__ = __itruediv__ = __bool__ = __round__ = refused
    __eq__ = __ne__ = __lt__ = __le__ = __gt__ = __ge__ = refused
