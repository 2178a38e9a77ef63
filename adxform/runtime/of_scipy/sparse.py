"""Products with sparse matrices and their transposes, and solutions."""

from __future__ import annotations

from typing import Any

from scipy.sparse.linalg import spsolve


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
