"""Floats stored in arrays that may still be of whole numbers, which cut them off: refused."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import UnsupportedOperationError


def _by_a_branch(s: Any) -> Any:
    u = np.arange(3)
    if s > 1:
        u = u * 1.5
    u[0] = s
    return np.sum(u)


def _in_a_loop(s: Any) -> Any:
    u = np.zeros(3, int)
    for k in range(2):
        u[k] = s * 3.0
        if k == 1:
            u = u * s
    return np.sum(u)


def _through_a_view(s: Any) -> Any:
    u = np.arange(3)
    if s > 1:
        u = u * 1.5
    v = u[1:]
    v[:] = s * 3.0
    return np.sum(u)


@pytest.mark.parametrize("function", [_by_a_branch, _in_a_loop, _through_a_view])
@pytest.mark.parametrize("s", [0.7, 1.7])
def test_it_is_refused(function: Callable[[Any], Any], s: float) -> None:
    with pytest.raises(UnsupportedOperationError, match="may be one of whole numbers"):
        adxform.grad(function)(s)
    with pytest.raises(UnsupportedOperationError, match="may be one of whole numbers"):
        adxform.jvp(function, (s,), (1.0,))


def test_whole_numbers_may_be_stored_and_floats_in_arrays_of_floats() -> None:
    def f(s: Any) -> Any:
        u = np.arange(3)
        if s > 1:
            u = u * s
        u[0] = 2
        v = u * 1.0
        v[1] = s
        return np.sum(u * v)

    for s in (0.7, 1.7):
        step = 1e-6
        assert adxform.grad(f)(s) == pytest.approx((f(s + step) - f(s - step)) / (2 * step), rel=1e-6)


def _dtype_of_a_number(x: Any) -> Any:
    k = 0 if x[0] < 0 else x[0]
    y = np.zeros(3, dtype=np.asarray(k).dtype)
    y[1] = x[1]
    return y[1] * 1.0


def _dtype_of_a_display(x: Any) -> Any:
    k = 0 if x[0] < 0 else x[0]
    return np.sum(x.astype(np.array([k, k]).dtype)) * 1.0


@pytest.mark.parametrize("function", [_dtype_of_a_number, _dtype_of_a_display])
def test_the_dtype_of_such_an_array_is_refused(function: Callable[[Any], Any]) -> None:
    with pytest.raises(UnsupportedOperationError, match="the dtype of an array that may be one of whole numbers"):
        adxform.grad(function)(np.array([-0.3, 0.9, 1.2]))


def test_the_dtype_of_an_array_of_floats_is_told() -> None:
    def f(x: Any) -> Any:
        k = 0.0 if x[0] < 0 else x[0]
        return np.sum(np.full(3, 2.5, dtype=np.asarray(k).dtype)) * np.sum(x.astype(np.arange(3.0).dtype))

    assert adxform.grad(f)(np.array([-0.3, 0.9, 1.2])) == pytest.approx([7.5, 7.5, 7.5])
