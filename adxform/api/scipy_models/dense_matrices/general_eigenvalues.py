"""Eigenvalues and vectors of any matrix, and eigenvalues of two, which SciPy gives as complex numbers in an order of its own.

How vectors are scaled and turned is LAPACK's choice: of length one, with the largest component real. What moves follows it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from adxform import runtime
from adxform.api.scipy_models.solving import moving, solve, still
from adxform.primitives.definitions.definition import Definition, unsupported


def _eigvals(a: Any, b: Any = None, *, check_finite: Any = True) -> Any:
    if np.ndim(a) != 2:
        unsupported("scipy.linalg.eigvals has a derivative for one matrix: of several use np.linalg.eigvals")
    every = np.linalg.eigvals((a if b is None else np.linalg.solve(b, a)) + 0j)
    value, places = solve(_found, (), (), (every, np.real(every)), a, b, still(every), check_finite)
    return moving(value, every[places.astype(int)])


def _found(a: Any, b: Any, every: Any, check_finite: Any) -> Any:
    """SciPy's eigenvalues, and which of `every` one each is."""
    found = linalg.eigvals(a, b, check_finite=check_finite)
    return found, 1.0 * runtime.places_among(found, every)


def _eig(a: Any, b: Any = None, left: Any = False, right: Any = True, *, check_finite: Any = True) -> Any:
    if not left and not right:
        return _eigvals(a, b, check_finite=check_finite)
    if np.ndim(a) != 2:
        unsupported("scipy.linalg.eig has a derivative for one matrix: of several use np.linalg.eig")
    if b is not None:
        unsupported("scipy.linalg.eig has a derivative of the vectors of one matrix: use `eig(solve(b, a))`, or `eigvals(a, b)`")
    full = a + 0j
    every, columns = np.linalg.eig(full)
    kinds = (every, "any", "any", np.real(every))
    value, vl, vr, places = solve(_pairs, (), (), kinds, a, still(every), check_finite)
    which = places.astype(int)
    w = moving(value, every[which])
    rights = _turned(vr, columns[:, which])
    if not left:
        return w, rights
    others, rows = np.linalg.eig(np.conjugate(full.T))
    beside = solve(_beside, (), (), (np.real(others),), value, still(others)).astype(int)
    lefts = _turned(vl, rows[:, beside])
    return (w, lefts, rights) if right else (w, lefts)


def _turned(vectors: Any, columns: Any) -> Any:
    """SciPy's `vectors`, which move as `columns` do, those of another choice of turns."""
    found, turns = solve(_complex_vectors, (), (), (columns, columns[0]), vectors, still(columns))
    return moving(found, columns * turns)


def _complex_vectors(vectors: Any, columns: Any) -> Any:
    """SciPy's vectors, and by which numbers of size one the `columns` come to them."""
    if not np.iscomplexobj(vectors):
        raise runtime.without_derivative(
            "scipy.linalg.eig gives real vectors of this matrix and complex ones of others: write `eig(a + 0j)`"
        )
    return vectors, runtime.phases(vectors, columns)


def _pairs(a: Any, every: Any, check_finite: Any) -> Any:
    """SciPy's eigenvalues, left and right vectors, and which of `every` each value is."""
    w, vl, vr = linalg.eig(a, left=True, right=True, check_finite=check_finite)
    return w, vl, vr, 1.0 * runtime.places_among(w, every)


def _beside(w: Any, others: Any) -> Any:
    """Which of the `others`, eigenvalues of the conjugate transpose, goes with each of `w`."""
    return 1.0 * runtime.places_among(np.conjugate(w), others)


DEFINITIONS: tuple[Definition, ...] = (Definition(linalg.eigvals, _eigvals), Definition(linalg.eig, _eig))
