"""Products in loops go into arrays that are made once: what a pass makes is that of no other, and lengths are those of NumPy."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.ir.text import read, show
from adxform.passes.linalg.out_parameters import give_out_parameters
from tests.oracle import central_jacobian, flat_function
from tests.test_engine_products import LAYOUTS


def network(w, h, steps):
    """A state that goes from pass to pass. w: (n, n), h: (n,)"""
    total = 0.0
    for t in range(steps):
        h = np.tanh(w @ h + 0.1 * t)
        total += np.sum(h * h)
    return total


def powers(w, h, steps):
    """The product itself goes on, and the first of a pass is read after the second. w: (n, n), h: (n, m)"""
    total = 0.0
    for _ in range(steps):
        a = w @ h
        h = w @ np.cos(a)
        total += np.sum(a * h)
    return total + np.sum(h)


def lagged(w, h, steps):
    """Two passes back. w: (n, n), h: (n,)"""
    older = h
    total = 0.0
    for _ in range(steps):
        newer = w @ h - 0.5 * older
        older, h = h, newer @ w
        total += np.sum(older * h)
    return total


def kept(w, h, steps):
    """What each pass makes is kept, rows in an array and products in a list. w: (n, n), h: (n,)"""
    rows = np.zeros((steps, h.shape[0]))
    found = []
    for t in range(steps):
        h = w @ h
        rows[t] = h
        found.append(h.dot(w))
    total = np.sum(rows * rows)
    for t in range(steps):
        total += np.sum(found[t] * rows[t])
    return total


def ragged(w, h, steps):
    """Lengths that change from pass to pass, and one that is the same. w: (n, n), h: (n,)"""
    total = 0.0
    for t in range(min(steps, h.shape[0])):
        total += np.sum((w[: t + 1] @ h) ** 2) + np.sum((w[:, t:] @ w[t:, :]) ** 2)
    return total


def either(w, h, steps):
    """In a branch, in a loop inside, and in a loop of unknown length. w: (n, n), h: (n,)"""
    total = 0.0
    for t in range(steps):
        h = w @ h if t % 2 else h @ w
        for _ in range(t):
            h = np.sin(w @ h)
        while np.sum(h * h) > 10.0:
            h = 0.1 * (w @ h)
        total += np.sum(h)
    return total


def matrices(w, h, steps):
    """Many at once. w: (n, n), h: (n,)"""
    x = np.zeros((3, w.shape[0], w.shape[1])) + w
    total = 0.0
    for _ in range(steps):
        x = np.tanh(x @ w)
        total += np.sum((x @ x) @ h)
    return total


PROGRAMS = [network, lagged, kept, ragged, either, matrices, powers]


def arguments(program: Callable[..., Any], n: int, steps: int) -> tuple[Any, ...]:
    """A point in general position; the matrix is not symmetric."""
    rng = np.random.default_rng(n + steps)
    return rng.normal(size=(n, n)) / (n + 1), rng.normal(size=(n, 2) if program is powers else n), steps


CASES = [
    pytest.param(network, LAYOUTS, id="network in every layout"),
    *[pytest.param(program, ("rows",), id=program.__name__) for program in PROGRAMS[1:]],
    *[
        pytest.param(program, LAYOUTS, id=f"{program.__name__} in every layout", marks=pytest.mark.rest)
        for program in PROGRAMS[1:]
    ],
]
"""A layout is compiled for. What a product makes of it is the same everywhere, and `test_engine_products` judges that alone."""


@pytest.mark.parametrize(("program", "layouts"), CASES)
def test_equal_to_differences_and_for_other_lengths_and_layouts_to_python(
    program: Callable[..., Any], layouts: Iterable[str]
) -> None:
    args = arguments(program, 3, 4)
    compiled, plain = (adxform.prepare_gradient(program, *args, argnums=(0, 1), engine=name) for name in ("numba", "python"))
    expected, error = central_jacobian(*flat_function(program, args, (0, 1)))
    for _ in range(2):
        got = np.concatenate([np.ravel(x) for x in compiled(*args)])
        np.testing.assert_allclose(got, np.ravel(expected), rtol=1e-6, atol=1e-7 + 10.0 * error)
    for n, steps in [(5, 3), (0, 3), (3, 0), (3, 1), (7, 5), (3, 4)]:
        w, h, _ = arguments(program, n, steps)
        for layout in layouts:
            given = LAYOUTS[layout](w), h, steps
            for one, other in zip(compiled(*given), plain(*given), strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-9, atol=1e-11)


@pytest.mark.parametrize("program", [network, powers, matrices])
def test_second_derivatives(program: Callable[..., Any]) -> None:
    w, h, steps = arguments(program, 3, 3)
    v = np.cos(np.arange(w.size)).reshape(w.shape)
    got, expected = (adxform.hvp(program, engine=name)(w, h, steps, v) for name in ("numba", "python"))
    np.testing.assert_allclose(got, expected, rtol=1e-9, atol=1e-11)


def test_one_row() -> None:
    args = arguments(network, 1, 3)
    expected, error = central_jacobian(*flat_function(network, args, (0, 1)))
    got = adxform.grad(network, argnums=(0, 1), engine="numba")(*args)
    np.testing.assert_allclose(np.concatenate([np.ravel(x) for x in got]), np.ravel(expected), atol=1e-7 + 10.0 * error)


def test_infinities_stay() -> None:
    w, h, steps = arguments(powers, 3, 3)
    w[0, 1] = np.inf
    with np.errstate(all="ignore"):
        got, expected = (adxform.grad(powers, argnums=(0, 1), engine=name)(w, h, steps) for name in ("numba", "python"))
    for one, other in zip(got, expected, strict=True):
        np.testing.assert_array_equal(np.isnan(one), np.isnan(other))


def test_lengths_that_do_not_fit() -> None:
    w, h, steps = arguments(network, 3, 3)
    compiled = adxform.prepare_gradient(network, w, h, steps, argnums=(0, 1), engine="numba")
    before = compiled(w, h, steps)
    with pytest.raises(ValueError, match="matmul"):
        compiled(w, np.ones(4), steps)
    for one, other in zip(compiled(w, h, steps), before, strict=True):
        np.testing.assert_array_equal(one, other)


def test_only_where_the_lengths_are_known_ahead() -> None:
    fn = read("""
def f(w: f64[n, n], stack: stack, k: int):
    for i: int in range(0, k, 1):
        x: f64[m] = intrinsics.pop(stack)
        y: f64[?0, n] = operator.getitem(w, slice(0, i, None))
        z: f64[?0] = operator.matmul(y, x)
    return k""")
    assert show(give_out_parameters(fn)) == show(fn)
