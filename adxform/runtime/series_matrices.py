"""Matrices of what is linear in the coefficients of a polynomial."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def of_unit_rows(fn: Callable[..., Any], n: int, order: int | None) -> Any:
    """The matrix by which `fn`, of an order if it has one, multiplies `n` coefficients.

    >>> of_unit_rows(np.polynomial.polynomial.polyder, 3, 1)
    array([[0., 1., 0.],
           [0., 0., 2.]])
    """
    rows = np.eye(n)
    if order is not None:
        return fn(rows, order)
    changed = [fn(row) for row in rows]  # of which some leave zeros at the end out
    return np.stack([np.concatenate((row, np.zeros(n - len(row)))) for row in changed], axis=1)


def converted_series(basis: Any, coef: Any, domain: Any, window: Any, kind: Any, new_domain: Any, new_window: Any) -> Any:
    """The coefficients of a series in another basis."""
    return basis(coef, domain, window).convert(new_domain, kind, new_window).coef


def series_of(fn: Callable[..., Any], *coefficients: Any) -> Any:
    """What a function of coefficients gives."""
    return fn(*coefficients)


def series_products(product: Callable[..., Any], m: int, n: int) -> Any:
    """The coefficients of the products of each two functions of a basis, along the first axis."""
    found = np.zeros((max(m + n - 1, 0), m, n))
    for i in range(m):
        for j in range(n):
            one = product(np.eye(m)[i], np.eye(n)[j])
            found[: len(one), i, j] = one
    return found
