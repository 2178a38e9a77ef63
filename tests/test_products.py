"""Chains of products and products of vectors: what samples of their table may not draw, and the warnings of NumPy."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from tests.tables import products
from tests.tables.cell import judge

CASES = {cell.name: cell for cell in products.cells()}
NAMES = (
    "np.cross(a, b) 1 axes of 2 and 1 of 3",
    "np.cross(a, b) 2 axes of 3 and 1 of 2",
    "np.cross(a, b, axis=0) 2 axes of 2 and 2 of 3 along others",
    "np.cross(a, b, axisa=1, axisb=0, axisc=1) 3 axes of 3 and 2 of 2 along others",
    "multi_dot ranks (0, 1)",
    "multi_dot ranks (3, 3)",
    "multi_dot ranks (2,)",
    "multi_dot ranks (1, 3, 2)",
    "multi_dot into an array, ranks (2, 2, 2)",
    "multi_dot of a, a[:2]",
)


@pytest.mark.parametrize("name", NAMES)
def test_products(name: str) -> None:
    verdict = judge(CASES[name])
    assert verdict.kind == "right", verdict.reason


def test_numpy_says_of_planar_vectors_what_it_says_plainly() -> None:
    """A warning, and since NumPy 2.5 an error."""

    def f(a, b):
        return np.sum(np.cross(a, b) ** 2)

    def said(function: Callable[..., Any]) -> Any:
        with warnings.catch_warnings(record=True) as heard:
            warnings.simplefilter("always")
            try:
                function(np.array([0.5, 1.5]), np.array([1.0, 2.0, 3.0]))
            except ValueError as error:
                return type(error)
        return {warning.category for warning in heard}

    assert said(adxform.grad(f)) == said(f)
    assert said(f) in ({DeprecationWarning}, ValueError)
