"""Eigenvalues of real matrices and roots of polynomials, as complex numbers also where they are real."""

from __future__ import annotations

from typing import Any

import numpy as np

from adxform.runtime.run_time_checks import without_derivative


def complex_eigenvalues(a: Any) -> Any:
    """``np.linalg.eigvals(a)`` of a real matrix."""
    return np.linalg.eigvals(a) + 0j


def complex_eigenpairs(a: Any) -> tuple[Any, Any]:
    """``np.linalg.eig(a)`` of a real matrix."""
    found = np.linalg.eig(a)
    return found.eigenvalues + 0j, found.eigenvectors + 0j


def complex_roots(p: Any) -> Any:
    """``np.roots(p)``.

    Raises:
        UnsupportedOperationError: a first or last coefficient is zero, so that there are fewer roots, or roots of zero.
    """
    if p.size < 2 or p[0] == 0 or p[-1] == 0:
        raise without_derivative(
            "`np.roots` has a derivative where there are two coefficients or more, the first and last not zero"
        )
    return np.roots(p) + 0j


def as_complex(values: Any) -> Any:
    """`values`, real or complex, as complex ones: the values alone, without their derivative."""
    return values + 0j


def places_among(values: Any, others: Any) -> Any:
    """Which of the `others` each of the values is."""
    left, places = list(range(len(others))), np.zeros(len(values), np.int64)
    for k, value in enumerate(values):
        nearest = min(left, key=lambda one: abs(others[one] - value))
        left.remove(nearest)
        places[k] = nearest
    return places


def phases(vectors: Any, others: Any) -> Any:
    """By which numbers of size one the columns of `others` are to be multiplied to come to `vectors`."""
    products = np.sum(np.conj(others) * vectors, axis=0)
    sizes = np.abs(products)
    return np.where(sizes > 0.0, products / np.where(sizes > 0.0, sizes, 1.0), 1.0)
