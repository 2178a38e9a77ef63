"""A kernel that gives up leaves nothing behind: no array that it made, and no reference to its arguments."""

from __future__ import annotations

import gc
import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numba.core.runtime import _nrt_python, rtsys  # type: ignore[attr-defined]  # a module in C

import adxform


def places(x, y, k):  # type: ignore[no-untyped-def]
    made = np.exp(x)
    for i in range(len(x)):
        made[i + k] *= x[i]
    return np.sum(made)


def raising(x, y, k):  # type: ignore[no-untyped-def]
    made = np.empty(len(x))
    for step in range(3):
        for i in range(len(x)):
            made[i] = np.sin(x[i]) * step
        if step == k:
            raise ValueError("enough")
        x = x + made * made
    return np.sum(x * made)


def lengths(x, y, k):  # type: ignore[no-untyped-def]
    made = np.cumsum(x)
    return np.sum(made * y[k:])


def quotients(x, y, k):  # type: ignore[no-untyped-def]
    made = np.sin(x)
    total = 0.0
    for i in range(len(x)):
        total += 1.0 / (k - 1.0) + made[i]
    return total


def domains(x, y, k):  # type: ignore[no-untyped-def]
    made = np.sin(x)
    total = 0.0
    for i in range(len(x)):
        made[i] = total * x[i]
        total += math.log(1.0 - k) * made[i]
    return total


def products(x, y, k):  # type: ignore[no-untyped-def]
    made = x * x
    for i in range(len(x)):
        made[i] = made[i] * np.dot(x, y[k:])
    return np.sum(made)


def held() -> int:
    """How many arrays of compiled code are there."""
    gc.collect()
    found = rtsys.get_allocation_stats()
    return int(found.mi_alloc - found.mi_free)


@pytest.fixture(autouse=True)
def counted(settled: None) -> Any:
    """Have Numba count what it allocates."""
    before = _nrt_python.memsys_stats_enabled()
    _nrt_python.memsys_enable_stats()
    yield
    if not before:
        _nrt_python.memsys_disable_stats()


@pytest.mark.parametrize("prepared", [False, True], ids=["plain", "prepared"])
@pytest.mark.parametrize("fn", [places, raising, lengths, quotients, domains, products])
def test_what_gives_up_releases_all(fn: Callable[..., Any], prepared: bool) -> None:
    x, y = np.linspace(0.2, 0.9, 40), np.linspace(0.1, 0.4, 40)
    fine = 5 if fn is raising else 0
    run = adxform.prepare_gradient(fn, x, y, fine, engine="numba") if prepared else adxform.grad(fn, engine="numba")
    np.testing.assert_allclose(run(x, y, fine), adxform.grad(fn, engine="python")(x, y, fine), rtol=1e-9, atol=1e-12)

    def failing() -> None:
        with pytest.raises((IndexError, ValueError, ArithmeticError)):
            run(x, y, 1)

    failing()
    before = held(), sys.getrefcount(x), sys.getrefcount(y)
    for _ in range(3):
        failing()
    assert (held(), sys.getrefcount(x), sys.getrefcount(y)) == before
