"""Arrays that kernels return, made by their callers: of any lengths, full of one number, and never shared."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import adxform


def summed(x: Any) -> Any:
    return np.sum(x)


def weighed(x: Any, w: Any) -> Any:
    return np.sum(np.sin(x[1:]) * w)


def rows(a: Any, b: Any) -> Any:
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            total += a[i, j] * b[j] ** 2
    return total


def unread(x: Any) -> Any:
    return x[0] * 2.0


def positive(x: Any) -> Any:
    return np.sum(x[x.shape[0] // 2 :] ** 2) + np.sum(np.maximum(x, 0.0))


RNG = np.random.default_rng(3)
CASES = [
    *[(summed, (RNG.normal(size=n),), (0,)) for n in (0, 1, 2, 7)],
    *[(weighed, (RNG.normal(size=n + 1), RNG.normal(size=n)), (0, 1)) for n in (0, 1, 2, 7)],
    *[(rows, (RNG.normal(size=shape), RNG.normal(size=shape[1])), (0, 1)) for shape in ((0, 3), (3, 0), (1, 1), (2, 5))],
    (rows, (np.asfortranarray(RNG.normal(size=(3, 4))), RNG.normal(size=8)[::2]), (0, 1)),
    *[(unread, (RNG.normal(size=n),), (0,)) for n in (1, 2, 5)],
    *[(positive, (np.array([1.0, np.nan, -np.inf, np.inf, -2.0])[:n],), (0,)) for n in range(6)],
]


@pytest.mark.parametrize(("function", "args", "argnums"), CASES)
def test_results_are_those_of_python(function: Any, args: Any, argnums: Any) -> None:
    expected = adxform.grad(function, argnums, engine="python")(*args)
    prepared = adxform.prepare_gradient(function, *args, argnums=argnums, engine="numba")
    with np.errstate(all="ignore"):
        for found in (prepared(*args), prepared(*args)):
            for one, other in zip(found, expected, strict=True):
                assert one.shape == other.shape
                np.testing.assert_allclose(one, other, rtol=1e-14)


def test_every_call_makes_its_own_arrays() -> None:
    prepared = adxform.prepare_gradient(rows, np.ones((2, 3)), np.ones(3), argnums=(0, 1), engine="numba")
    a, b = np.ones((2, 3)), np.arange(3.0)
    first = prepared(a, b)
    kept = [part.copy() for part in first]
    second = prepared(2.0 * a, b + 1.0)
    assert not any(np.shares_memory(one, other) for one in (*first, a, b) for other in second)
    for one, other in zip(first, kept, strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_caller_makes_them() -> None:
    """Of the arrays of a rule, those that are returned are made ahead of the kernel, lengths and all; it returns no array."""
    prepared = adxform.prepare_gradient(rows, np.ones((2, 3)), np.ones(3), argnums=(0, 1), engine="numba")
    kernel, caller = prepared.source.split("\n\n\n")[1:3]
    assert "return" not in kernel
    assert caller.count("np.zeros(") + caller.count("np.empty(") == 2
