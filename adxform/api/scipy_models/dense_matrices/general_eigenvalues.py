"""Eigenvalues of any matrix, or of two, which SciPy gives as complex numbers in an order of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import linalg

from adxform.api.scipy_models.solving import moving, solve, still
from adxform.primitives.definitions.definition import Definition, unsupported


def _eigvals(a: Any, b: Any = None, *, check_finite: Any = True) -> Any:
    if np.ndim(a) != 2:
        unsupported("scipy.linalg.eigvals has a derivative for one matrix: of several use np.linalg.eigvals")
    every = np.linalg.eigvals((a if b is None else np.linalg.solve(b, a)) + 0j)
    value, places = solve(_found, (), (), (every, 1), a, b, still(every), check_finite)
    return moving(value, every[places.astype(int)])


def _found(a: Any, b: Any, every: Any, check_finite: Any) -> Any:
    """SciPy's eigenvalues, and which of `every` one each is."""
    found = linalg.eigvals(a, b, check_finite=check_finite)
    left, places = list(range(len(every))), np.zeros(len(found))
    for k, value in enumerate(found):
        nearest = min(left, key=lambda one: abs(every[one] - value))
        left.remove(nearest)
        places[k] = nearest
    return found, places


DEFINITIONS: tuple[Definition, ...] = (Definition(linalg.eigvals, _eigvals),)
