"""Objects with an ``__array__`` that have their own say in what functions of NumPy do with them: never taken for arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import AdxError

X = np.array([0.3, 0.7, 1.1])


class Owner:
    """`np.sum` and `np.amax` ask for a method of this name first."""

    def __init__(self, v: Any) -> None:
        self.v = v

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.asarray(self.v)

    def sum(self, axis: Any = None, dtype: Any = None, out: Any = None) -> Any:
        return 100.0

    def max(self, axis: Any = None, out: Any = None) -> Any:
        return 7.0


class Wrapper:
    """What NumPy computes of it goes through its `__array_wrap__`."""

    def __init__(self, v: Any) -> None:
        self.v = v

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.asarray(self.v)

    def __array_wrap__(self, found: Any, context: Any = None, return_scalar: bool = False) -> Any:
        return found * 2


PROGRAMS: tuple[Callable[[Any], Any], ...] = (
    lambda x: np.sum(Owner(x)) * x[0],
    lambda x: np.max(Owner(x)) * x[0],
    lambda x: np.amax(Owner(x)) * x[0],
    lambda x: np.sum(np.exp(Wrapper(x))),
)


@pytest.mark.parametrize("program", PROGRAMS)
def test_they_are_not_taken_for_arrays(program: Callable[[Any], Any]) -> None:
    with pytest.raises(AdxError):
        adxform.grad(program)(X)
