"""Loops over slices of which only a run can tell how long they are: compiled, and what Python gives at every length."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from tests.oracle import central_jacobian


def triangular_solve(m):  # type: ignore[no-untyped-def]
    x = np.zeros(len(m))
    for i in range(len(m)):
        x[i] = (1.0 - m[i, :i] @ x[:i]) / (m[i, i] + 3.0)
    return np.sum(x**2)


def backwards(m):  # type: ignore[no-untyped-def]
    x = np.zeros(len(m))
    for i in range(len(m) - 1, -1, -1):
        x[i] = (1.0 - np.dot(m[i, i + 1 :], x[i + 1 :])) / (m[i, i] + 3.0)
    return np.sum(x**2)


def elimination(m):  # type: ignore[no-untyped-def]
    a = m + 9.0 * np.eye(len(m))
    for k in range(len(m) - 1):
        for i in range(k + 1, len(m)):
            a[i, k:] -= a[i, k] / a[k, k] * a[k, k:]
    return np.sum(np.log(np.diag(a)))


def rank_one_updates(m):  # type: ignore[no-untyped-def]
    a = m + 9.0 * np.eye(len(m))
    for k in range(len(m) - 1):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
    return np.sum(np.log(np.diag(a)))


def cholesky(m):  # type: ignore[no-untyped-def]
    a = m @ m.T + np.eye(len(m))
    for j in range(len(m)):
        a[j, j] = np.sqrt(a[j, j] - np.dot(a[j, :j], a[j, :j]))
        for i in range(j + 1, len(m)):
            a[i, j] = (a[i, j] - np.dot(a[i, :j], a[j, :j])) / a[j, j]
    return np.sum(np.tril(a))


def orthogonal_columns(m):  # type: ignore[no-untyped-def]
    q = m + 2.0 * np.eye(len(m))
    r = np.zeros(q.shape)
    for i in range(len(m)):
        r[i, i] = np.sqrt(q[:, i] @ q[:, i])
        q[:, i] /= r[i, i]
        r[i, i + 1 :] = q[:, i] @ q[:, i + 1 :]
        q[:, i + 1 :] -= np.outer(q[:, i], r[i, i + 1 :])
    return np.sum(np.log(np.diag(r)))


def lower_rows(m):  # type: ignore[no-untyped-def]
    c = m * 0.5
    for i in range(len(m)):
        c[i, : i + 1] *= 1.2
        for k in range(m.shape[1]):
            c[i, : i + 1] += 1.5 * m[i, k] * m[: i + 1, k]
    return np.sum(c**2)


def symmetric_part(m):  # type: ignore[no-untyped-def]
    c = np.zeros(m.shape)
    for i in range(len(m)):
        c[i:, i] = c[i, i:] = m[:, i] @ m[:, i:] / 3.0
    return np.sum(c**3)


def levinson(r):  # type: ignore[no-untyped-def]
    y = np.zeros(len(r))
    a = -r[0]
    y[0] = a
    beta = 1.0
    for k in range(1, len(r)):
        beta *= 1.0 - 0.01 * a * a
        a = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += a * np.flip(y[:k])
        y[k] = a
    return np.sum(np.tanh(y))


def correlations(x):  # type: ignore[no-untyped-def]
    r = np.zeros(len(x))
    for lag in range(len(x)):
        r[lag] = np.sum((x[: len(x) - lag] - 0.5) * (x[lag:] - 0.5)) / len(x)
    return np.sum(r**2)


def pairs(x):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(len(x) - 1):
        d = x[i + 1 :] - x[i]
        total += np.sum(1.0 / np.sqrt(d**2 + 0.1))
    return total


def differences_of_rows(y):  # type: ignore[no-untyped-def]
    n = len(y)
    p = y.copy()
    for k in range(1, n):
        p[: n - k] = (0.3 + p[: n - k]) * p[1 : n - k + 1]
    return np.sum(p)


COMPILED = (
    *(triangular_solve, backwards, elimination, rank_one_updates, cholesky, orthogonal_columns, lower_rows, symmetric_part),
    *(levinson, correlations, pairs, differences_of_rows),
)
OF_MATRICES = COMPILED[:8]


def windows_cut_off(x):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(1, len(x)):
        total = total + np.sum(x[i - 1 : i + 3]) * x[i]
    return total


def equal_windows_cut_off(x):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(len(x)):
        total = total + np.sum(x[i : i + 3] * x[i : i + 3] ** 2)
    return total


def windows_cut_off_by_hand(x):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(len(x)):
        low, high = max(0, i - 2), min(len(x), i + 3)
        total = total + np.mean(x[low:high]) * np.sum(x[low:high] * np.arange(high - low))
    return total


def counted_from_the_end(x):  # type: ignore[no-untyped-def]
    total = 0.0
    for k in range(1, 4):
        total = total + np.sum(x[-k:]) * np.sum(x[:-k] ** 2)
    return total


def more_than_there_is(x):  # type: ignore[no-untyped-def]
    y = np.zeros(len(x))
    for k in range(9):
        y[:k] += x[:k] * 1.5
    return np.sum(y**2)


def one_spread_over_many(x):  # type: ignore[no-untyped-def]
    y = np.zeros(7)
    for k in range(1, 7):
        y[:k] += x[0:1] * 2.0
        y[k:] = x[k - 1 : k]
    return np.sum(y**2)


def spread_where_it_is_one(x):  # type: ignore[no-untyped-def]
    total = 0.0
    for k in range(1, 6):
        total = total + np.sum(x[k : k + 1] * x[:k])
    return total


def backwards_bounds(x):  # type: ignore[no-untyped-def]
    total = 0.0
    for i in range(6):
        for j in range(6):
            total = total + np.sum(x[i:j] ** 2) * x[0]
    return total


def slices_of_slices(x):  # type: ignore[no-untyped-def]
    total = 0.0
    for a in range(3):
        for b in range(3, 7):
            total = total + np.sum(x[a:b][1:] * x[a:b][:-1])
    return total


def overlapping(x):  # type: ignore[no-untyped-def]
    y = x.copy()
    step = 1
    while step < len(x):
        y[step:] = y[step:] + y[: len(y) - step]
        step *= 2
    return np.sum(y**2)


def turned_in_place(x):  # type: ignore[no-untyped-def]
    y = x.copy()
    for k in range(len(x)):
        y[:k] = y[:k][::-1] + x[k]
    return np.sum(y * x)


def lengths_of_paths(x):  # type: ignore[no-untyped-def]
    y = x.copy()
    for i in range(1, len(x)):
        k = i if i % 2 else len(x) - i
        y[:k] = y[:k] * 0.5 + x[:k] ** 2
    return np.sum(y * x)


def carried_slices(x):  # type: ignore[no-untyped-def]
    y = x[:1]
    total = 0.0
    for k in range(2, 6):
        total = total + np.sum(y) * x[0]
        y = x[:k] * 2.0
    return total + np.sum(y)


def written_views(x):  # type: ignore[no-untyped-def]
    y = x.copy()
    for i in range(1, len(x)):
        z = y[:i]
        z *= x[i]
        y[i:] += np.sum(z)
    return np.sum(y)


def squares_of_differences(x):  # type: ignore[no-untyped-def]
    total = 0.0
    for k in range(1, len(x)):
        d = x[:k, None] - x[None, :k]
        total = total + np.sum(np.exp(-(d**2)))
    return total


def lengths_met_on_another_path(x):  # type: ignore[no-untyped-def]
    y = x * 1.0
    total = 0.0
    for end in range(1, len(x)):
        if end == 3:
            total = total + np.sum(x[:end] * np.array([1.0, 2.0, 3.0]))
        else:
            y[:end] = np.sum(x) * x[0]
    return total + np.sum(y**2)


def names_met_on_another_path(x):  # type: ignore[no-untyped-def]
    n = len(x)
    y = x * 1.0
    total = 0.0
    for i in range(2 * n):
        k = n - i
        if 0 < i < n:
            total = total + np.dot(x[:i], x[k:])
        else:
            y[:i] = 0.3 * x[0]
            y[k:] = 0.7 * np.sum(x)
        total = total + np.sum(y**3)
    return total


OTHERS = (
    *(windows_cut_off, equal_windows_cut_off, windows_cut_off_by_hand, counted_from_the_end, more_than_there_is),
    *(one_spread_over_many, spread_where_it_is_one, backwards_bounds, slices_of_slices, overlapping, turned_in_place),
    *(lengths_of_paths, carried_slices, written_views, squares_of_differences),
    *(lengths_met_on_another_path, names_met_on_another_path),
)


def point(f: Callable[..., Any], size: int) -> np.ndarray:
    chance = np.random.default_rng(size)
    return chance.uniform(0.2, 1.2, (size, size) if f in OF_MATRICES else size)


@pytest.mark.parametrize("f", COMPILED, ids=lambda f: f.__name__)
def test_kernels_hold_all_loops(f: Callable[..., Any]) -> None:
    """No loop of a gradient is left to Python."""
    text = adxform.source(f, point(f, 5), engine="numba")
    functions = [node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef)]
    looping = {node for node in functions if any(isinstance(inner, ast.For | ast.While) for inner in ast.walk(node))}
    assert looping
    assert all([ast.unparse(decorator) for decorator in node.decorator_list] == ["kernel"] for node in looping)


def results(f: Callable[..., Any], x: np.ndarray, engine: str) -> Any:
    """Value, gradient, tangent and product with the Hessian, or the class of what is raised."""
    v = np.cos(np.arange(x.size)).reshape(x.shape)
    try:
        value, gradient = adxform.value_and_grad(f, engine=engine)(x)
        _, tangent = adxform.jvp(f, (x,), (v,), engine=engine)
        return value, gradient, tangent, adxform.hvp(f, engine=engine)(x, v)
    except adxform.AdxError:
        raise
    except (ValueError, IndexError) as error:
        return type(error)


@pytest.mark.rest
@pytest.mark.parametrize("f", [*COMPILED, *OTHERS], ids=lambda f: f.__name__)
def test_every_length_gives_what_python_gives(f: Callable[..., Any]) -> None:
    """Also where slices are cut off, empty, of one element or counted from the end, which the compiled form may not assume."""
    for size in (7, 1, 2, 0):
        x = point(f, size)
        expected, found = results(f, x, "python"), results(f, x, "numba")
        if isinstance(expected, type):
            assert found is expected
        else:
            for one, other in zip(found, expected, strict=True):
                np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("f", [*COMPILED, *OTHERS], ids=lambda f: f.__name__)
def test_gradients_are_those_of_differences(f: Callable[..., Any]) -> None:
    """What the two engines agree on is right."""
    x = point(f, 7)
    slopes, _ = central_jacobian(lambda flat: np.array([f(flat.reshape(x.shape))]), x.ravel())
    np.testing.assert_allclose(adxform.grad(f, engine="python")(x).ravel(), slopes.ravel(), rtol=1e-5, atol=1e-6)
