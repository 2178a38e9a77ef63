"""Array code around products of many matrices, in strips of their common axis: as in Python, and as differences say."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.passes.linalg import tiling
from tests.oracle import central_jacobian
from tests.test_engine_matrices import mixture
from tests.test_engine_sizes import agree, arrays, outcome

pytestmark = pytest.mark.usefixtures("interpreted", "short")


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Strips of four elements, so that little ones do."""
    monkeypatch.setattr(tiling, "LONG", 4)


def normalised(x, w):  # type: ignore[no-untyped-def]
    """(n, d), (K, d, e): a second product waits for a mean over all points."""
    y = x @ w
    z = np.tanh(y - np.sum(y, axis=1, keepdims=True) / 7.0)
    return np.sum((z @ w.transpose(0, 2, 1)) ** 2) + np.sum(np.max(y, axis=2))


def changed(x, w):  # type: ignore[no-untyped-def]
    """(n, d), (K, d, d): a factor that is written between the products that read it, and after them."""
    factor = w.copy()
    y = x @ factor
    factor[0] += 1.0
    y = np.sin(y) @ factor
    factor *= 2.0
    return np.sum(y**2) + np.sum(factor**3) + np.sum(x[:, :1] ** 2)


def written(x, w):  # type: ignore[no-untyped-def]
    """(n, d), (K, d, d): what a strip would make is changed after it was read."""
    y = x @ w
    z = np.exp(-(y**2))
    y[0] *= 2.0
    y[:, 1:] += z[:, :-1]
    return np.sum((y @ w) ** 2) + np.sum(z)


def rows(x, w):  # type: ignore[no-untyped-def]
    """(n, d), (K, d, d): an array of results, so that a cotangent comes for each of the points."""
    y = np.expand_dims(x, 0) @ w
    return np.sum(np.log(np.sum(np.exp(y), axis=(0, 2))) * x[:, 0] ** 2) + np.sum(np.reshape(np.sum(y, axis=1), (-1,)) ** 2)


def stacks(x, w):  # type: ignore[no-untyped-def]
    """(n, m, d), (d, e): many matrices by one, the long axis ahead, and products of them with one another."""
    y = np.cos(x @ w)
    gram = np.swapaxes(y, 1, 2) @ y
    return np.sum(gram**2) + np.sum(np.max(np.sum(y, axis=2), axis=1) ** 2)


LENGTHS = (0, 1, 2, 3, 4, 5, 8, 9, 13)
CASES: list[tuple[Callable[..., Any], list[tuple[tuple[int, ...], ...]]]] = [
    (mixture, [((k,), (k, d), (k, d * (d + 1) // 2), (n, d)) for n in LENGTHS for k, d in ((3, 5),)]),
    (mixture, [((1,), (1, 5), (1, 15), (6, 5)), ((0,), (0, 5), (0, 15), (6, 5))]),
    (mixture, [((2,), (3, 5), (3, 15), (6, 5)), ((3,), (3, 5), (3, 14), (6, 5)), ((3,), (3, 6), (3, 15), (6, 5))]),
    *[(fn, [((n, 5), (3, 5, 5)) for n in LENGTHS]) for fn in (normalised, changed, written, rows)],
    *[(fn, [((9, 5), (1, 5, 5)), ((9, 5), (0, 5, 5)), ((9, 1), (3, 1, 1))]) for fn in (normalised, changed, written, rows)],
    *[(fn, [((9, 5), (3, 6, 6)), ((0, 5), (3, 6, 6)), ((5, 5), (5, 5, 5))]) for fn in (normalised, changed, written, rows)],
    (normalised, [((9, 5), (3, 5, 6)), ((9, 5), (3, 5, 0)), ((9, 0), (3, 0, 6))]),
    (stacks, [((n, 5, 6), (6, 7)) for n in LENGTHS]),
    (stacks, [((9, 1, 6), (6, 7)), ((9, 0, 6), (6, 7)), ((9, 5, 6), (6, 1)), ((9, 9, 9), (9, 9)), ((0, 5, 6), (5, 7))]),
]


@pytest.mark.parametrize(
    ("fn", "shapes"),
    [pytest.param(fn, shapes, id=f"{fn.__name__}-{shapes}") for fn, points in CASES for shapes in points],
)
def test_as_in_python(fn: Callable[..., Any], shapes: tuple[tuple[int, ...], ...]) -> None:
    """Gradients with respect to all arguments, of arrays of any layout and of what is no number, and Hessian products."""
    args, every = arrays(shapes), tuple(range(len(shapes)))
    bad = [np.where(np.arange(len(arg)) == 1, np.nan, arg.T).T for arg in args]
    with np.errstate(all="ignore"):
        for given in (args, [np.asfortranarray(arg[::-1]) for arg in args], bad):
            expected = outcome(adxform.value_and_grad(fn, argnums=every), *given)
            all_agree(outcome(adxform.value_and_grad(fn, argnums=every, engine="numba"), *given), expected)
        v = tuple(np.cos(arg + 1.0) for arg in args)
        expected = outcome(adxform.hvp(fn, argnums=every), *args, v)
        all_agree(outcome(adxform.hvp(fn, argnums=every, engine="numba"), *args, v), expected)
    expected = outcome(adxform.grad(fn, argnums=every), *args)
    for number, arg in enumerate(args if isinstance(expected, tuple) and all(arg.size for arg in args) else ()):
        slope, error = central_jacobian(
            lambda x, arg=arg, number=number: np.atleast_1d(fn(*args[:number], x.reshape(arg.shape), *args[number + 1 :])),
            arg.ravel(),
        )
        np.testing.assert_allclose(expected[number].ravel(), slope.ravel(), atol=1e-6 + 10.0 * error)


def all_agree(found: Any, expected: Any) -> None:
    """See that two outcomes, of tuples, are the same."""
    if isinstance(expected, type):
        assert found is expected
        return
    for one, other in zip(found, expected, strict=True):
        if isinstance(other, tuple):
            all_agree(one, other)
        else:
            agree(one, other)


@pytest.mark.parametrize(("fn", "shapes"), [(mixture, ((3,), (3, 5), (3, 15), (9, 5))), (stacks, ((9, 5, 6), (6, 7)))])
def test_what_is_between_has_the_length_of_a_strip(fn: Callable[..., Any], shapes: tuple[tuple[int, ...], ...]) -> None:
    source = adxform.source(fn, *arrays(shapes), engine="numba", argnums=tuple(range(len(shapes))))
    assert "strip = " in source
    assert "strip = " not in adxform.source(fn, *arrays(shapes), engine="numba", fastmath=False)


def test_one_array_twice() -> None:
    """Arguments that are the same array."""
    (x,) = arrays(((9, 9, 9),))

    def fn(x, w):  # type: ignore[no-untyped-def]
        return np.sum(np.exp(x @ w) ** 2)

    every = (0, 1)
    all_agree(adxform.grad(fn, argnums=every, engine="numba")(x, x), adxform.grad(fn, argnums=every)(x, x))
