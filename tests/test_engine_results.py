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


def pulled(a: Any, b: Any, x: Any) -> Any:
    """Cotangents of factors: products with what is transposed, of matrices and of vectors."""
    return np.sum(np.sin(a @ b) @ x) + np.sum(x @ (a @ b).T)


def stacked(a: Any, b: Any) -> Any:
    return np.sum(np.cos(a @ b))


def rolled(x: Any) -> Any:
    """The reverse sweep begins with ones like an array that is made inside."""
    y = x.copy()
    for _ in range(2):
        for i in range(1, y.shape[0]):
            for j in range(y.shape[1] - 1):
                y[i, j] = y[i, j] * y[i - 1, j + 1]
    return np.sum(y)


def matrices(*shapes: tuple[int, ...]) -> tuple[Any, ...]:
    return tuple(np.random.default_rng(sum(map(sum, shapes))).normal(size=shape) for shape in shapes)


LENGTHS = [(2, 3, 4), (0, 3, 4), (2, 0, 4), (2, 3, 0), (1, 1, 1), (1, 3, 1), (5, 5, 5), (40, 30, 20)]
MADE_INSIDE = [
    *[(pulled, matrices((n, m), (m, k), (k,)), (0, 1, 2)) for n, m, k in LENGTHS],
    *[(stacked, matrices((3, n, m), (m, k)), (0, 1)) for n, m, k in LENGTHS],
    *[(stacked, matrices((2, n, m), (2, m, k)), (0, 1)) for n, m, k in LENGTHS],
    *[(rolled, matrices((n, m)), (0,)) for n, m, _ in LENGTHS if n],
    (pulled, (*map(np.asfortranarray, matrices((3, 4), (4, 2))), np.arange(4.0)[::2]), (0, 1, 2)),
    (pulled, (*[m[::-1, ::-1] for m in matrices((3, 4), (4, 2))], np.array([np.nan, np.inf])), (0, 1, 2)),
    (stacked, (matrices((3, 3))[0],) * 2, (0, 1)),
    (rolled, (np.array([[1.0, np.nan, 2.0], [np.inf, 0.0, -1.0]]).T,), (0,)),
]


@pytest.mark.parametrize(("function", "args", "argnums"), MADE_INSIDE)
def test_products_and_what_is_like_arrays_inside(function: Any, args: Any, argnums: Any) -> None:
    prepared = adxform.prepare_gradient(function, *args, argnums=argnums, engine="numba")
    out = tuple(np.full(arg.shape, np.nan) for arg in args)
    with np.errstate(all="ignore"):
        expected = adxform.grad(function, argnums, engine="python")(*args)
        for found in (prepared(*args), prepared(*args), prepared(*args, out=out)):
            for one, other in zip(found, expected, strict=True):
                assert one.shape == other.shape
                np.testing.assert_allclose(one, other, rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize(("function", "args"), [(stacked, matrices((2, 3), (3, 4))), (rolled, matrices((3, 4)))])
def test_the_caller_makes_products_and_what_is_like_arrays_inside(function: Any, args: Any) -> None:
    prepared = adxform.prepare_gradient(function, *args, argnums=tuple(range(len(args))), engine="numba")
    kernel = prepared.source.split("\n\n\n")[1]
    assert "return" not in kernel


def test_lengths_of_factors_that_do_not_fit_are_an_error() -> None:
    prepared = adxform.prepare_gradient(stacked, *matrices((2, 3), (3, 4)), argnums=(0, 1), engine="numba")
    out = np.ones((2, 3)), np.ones((5, 4))
    with pytest.raises(ValueError, match=r"matmul|aligned|mismatch"):
        prepared(np.ones((2, 3)), np.ones((5, 4)))
    with pytest.raises(ValueError, match=r"matmul|aligned|mismatch"):
        prepared(np.ones((2, 3)), np.ones((5, 4)), out=out)


@pytest.mark.filterwarnings("ignore")
def test_polynomials_of_infinite_numbers() -> None:
    """NumPy begins with zero times the point: what is NaN there is so in kernels."""

    def f(c: Any, x: Any) -> Any:
        return np.sum(np.polyval(c, x))

    for c, x in (
        ([np.inf, 1.0], [1.0, 2.0]),
        ([1.0, 2.0], [np.inf, -0.5]),
        ([np.inf, 2.0], [np.inf, 1.0]),
        ([1.0], [-np.inf, 1.0]),
    ):
        given = np.array(c), np.array(x)
        found = [adxform.value_and_grad(f, (0, 1), engine=engine)(*given) for engine in ("python", "numba")]
        for value, gradients in found:
            np.testing.assert_array_equal(value, f(*given))
            for one, other in zip(gradients, found[0][1], strict=True):
                np.testing.assert_array_equal(one, other)
