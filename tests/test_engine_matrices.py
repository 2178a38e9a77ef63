"""Many small matrices at once: their products, tables of places that are known, sums along the axes between, as loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from tests.oracle import central_jacobian
from tests.test_engine_sizes import agree, arrays, outcome

pytestmark = pytest.mark.usefixtures("interpreted")


def mixture(alphas, means, rows, x):  # type: ignore[no-untyped-def]
    """Lower triangles with a diagonal of exponentials, by index tables, and the distances of points under them."""
    d = x.shape[1]
    below, left = np.tril_indices(d, -1)
    factors = np.zeros((alphas.shape[0], d, d))
    factors[:, np.arange(d), np.arange(d)] = np.exp(rows[:, :d])
    factors[:, below, left] = rows[:, d:]
    z = (x[None, :, :] - means[:, None, :]) @ factors.transpose(0, 2, 1)
    inner = (alphas + np.sum(rows[:, :d], axis=1))[:, None] - 0.5 * np.sum(z**2, axis=2)
    top = np.max(inner, axis=0)
    return np.sum(top + np.log(np.sum(np.exp(inner - top), axis=0))) + np.sum(factors**2)


def products(a, b, c):  # type: ignore[no-untyped-def]
    """(n, m, 2), (n, 2), (m, 2): matrices by columns, by rows, one for all and all by one."""
    squares = b[:, :, None] * b[:, None, :] + np.eye(2)
    y = a @ squares + (c @ squares) * 0.5 + c[None] @ squares.transpose(0, 2, 1)
    gram = a.transpose(0, 2, 1) @ y
    return np.sum(y**2) + np.sum(np.sin(gram @ squares)) + np.sum((a @ np.array([[1.0, 2.0], [b[0, 0], 3.0]])) ** 2)


def sums_between(a, b):  # type: ignore[no-untyped-def]
    """(n, m, 2), (m, 2): sums, means and extremes along the axis between, kept and not."""
    y = a * b + np.sin(a)
    centred = y - np.mean(y, axis=1, keepdims=True)
    return np.sum(np.sum(centred**3, axis=1) * np.max(y, axis=1)) + np.sum(np.sum(y * y, axis=(0, 1)) ** 2)


def matrix_by_vector(a, b):  # type: ignore[no-untyped-def]
    """(n, 2), (n,)"""
    w = np.array([b[0], 2.0])
    return np.sum((a @ w) ** 3) + np.sum((b @ a) ** 2) + np.sum((a.T @ (a @ w)) ** 2)


def by_tables(a, b):  # type: ignore[no-untyped-def]
    """(n, 3), (n, 2): tables that are known, one that is changed before it is used, and one that counts from the end."""
    rows, columns = np.triu_indices(2)
    both = np.zeros((a.shape[0], 2, 2))
    both[:, rows, columns] = a
    both[:, columns, rows] += a * a
    diagonal = np.diag_indices(2)
    both[:, diagonal[0], diagonal[1]] *= b
    first, second = np.tril_indices(2, -1)
    first[0] = 0
    both[:, first, second] += b[:, :1]
    total = np.sum(both**3) + np.sum(a[:, rows] * a[:, columns - 1])
    for i in range(a.shape[0]):
        total += np.sum(a[i][rows] * b[i][columns])
    return total


def beyond(a):  # type: ignore[no-untyped-def]
    """(n, 2): a table that names what is not there."""
    rows, columns = np.tril_indices(3)
    return np.sum(a[:, rows] * a[:, columns])


MIXTURES = [
    ((k,), (k, d), (k, d * (d + 1) // 2), (n, d))
    for k, d, n in ((3, 2, 5), (3, 2, 0), (1, 2, 4), (2, 3, 1), (2, 1, 3), (2, 4, 6))
]
CASES: list[tuple[Callable[..., Any], list[tuple[tuple[int, ...], ...]]]] = [
    (mixture, [*MIXTURES, ((3,), (2, 2), (3, 3), (5, 2)), ((3,), (3, 2), (3, 4), (5, 2)), ((0,), (0, 2), (0, 3), (4, 2))]),
    (products, [((n, m, 2), (n, 2), (m, 2)) for n, m in ((3, 5), (4, 4), (1, 3), (3, 1), (1, 1), (3, 0))]),
    (
        products,
        [((3, 5, 2), (3, 2), (4, 2)), ((3, 5, 2), (2, 2), (5, 2)), ((3, 5, 2), (1, 2), (5, 2)), ((3, 5, 2), (3, 2), (1, 2))],
    ),
    (sums_between, [((n, m, 2), (m, 2)) for n, m in ((3, 5), (5, 5), (1, 4), (4, 1), (0, 3), (3, 0))]),
    (matrix_by_vector, [((5, 2), (5,)), ((2, 2), (2,)), ((1, 2), (1,)), ((4, 2), (3,))]),
    (by_tables, [((4, 3), (4, 2)), ((1, 3), (1, 2)), ((0, 3), (0, 2)), ((2, 3), (2, 2)), ((4, 3), (1, 2))]),
    (beyond, [((4, 2),), ((0, 2),), ((4, 3),), ((1, 3),)]),
]


@pytest.mark.parametrize(
    ("fn", "shapes"),
    [pytest.param(fn, shapes, id=f"{fn.__name__}-{shapes}") for fn, points in CASES for shapes in points],
)
def test_as_in_python(fn: Callable[..., Any], shapes: tuple[tuple[int, ...], ...]) -> None:
    """Gradients with respect to all arguments, and products with the Hessian, also of rows that are no numbers and of columns."""
    args, every = arrays(shapes), tuple(range(len(shapes)))
    bad = [np.where(np.arange(len(arg)) == 1, np.nan, arg.T).T for arg in args]
    with np.errstate(all="ignore"):
        for given in (args, [np.asfortranarray(arg[::-1]) for arg in args], bad):
            expected = outcome(adxform.grad(fn, argnums=every), *given)
            _agree(outcome(adxform.grad(fn, argnums=every, engine="numba"), *given), expected)
        v = tuple(np.cos(arg + 1.0) for arg in args)
        _agree(
            outcome(adxform.hvp(fn, argnums=every, engine="numba"), *args, v), outcome(adxform.hvp(fn, argnums=every), *args, v)
        )
    expected = outcome(adxform.grad(fn, argnums=every), *args)
    for number, arg in enumerate(args if isinstance(expected, tuple) and all(arg.size for arg in args) else ()):
        slope, error = central_jacobian(
            lambda x, arg=arg, number=number: np.atleast_1d(fn(*args[:number], x.reshape(arg.shape), *args[number + 1 :])),
            arg.ravel(),
        )
        np.testing.assert_allclose(expected[number].ravel(), slope.ravel(), atol=1e-6 + 10.0 * error)


def _agree(found: Any, expected: Any) -> None:
    if isinstance(expected, type):
        assert found is expected
        return
    for one, other in zip(found, expected, strict=True):
        agree(one, other)


def test_a_mixture_is_one_kernel() -> None:
    source = adxform.source(mixture, *arrays(MIXTURES[0]), argnums=(0, 1, 2), engine="numba")
    assert source.count("@kernel") == 1
    assert "@" not in source.replace("@kernel", "")
    assert "tril_indices" not in source
