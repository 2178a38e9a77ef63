"""Reductions along any axis, tables of places, arrays made of others: as loops, against the calls that they stand for."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.api.source import rule_of
from adxform.backends.numba.support import is_taken
from adxform.frontend.derivative_operators import Engine
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Call, For
from adxform.ir.walk import all_ops
from adxform.passes.arrays import form_loops
from tests.oracle import central_jacobian, flat_function, float_leaves, pack
from tests.test_engine_loops import agree, looping

MATRIX = np.array([[0.4, -0.7, 1.1, 0.3], [-0.2, 0.9, 0.5, -1.3], [0.8, -0.4, 0.6, 0.1]])
VECTOR = np.array([0.4, -0.7, 1.1, 0.3, -0.2])


def outer_extremes(x):
    """Extreme values over the first axis and over two."""
    top = np.max(x, axis=0)
    weights = np.exp(x - top) / np.sum(np.exp(x - top), axis=0)
    return np.sum(weights * x) + np.sum(np.min(x, axis=0, keepdims=True) * x) + np.max(np.min(x, axis=0))


def outer_products(x):
    """Products down the columns."""
    return np.sum(np.prod(x + 2.0, axis=0)) + np.prod(x)


def truths(x):
    """Rows and columns that are chosen by what is in them."""
    rows, columns = np.any(x > 0.7, axis=1), np.all(x < 1.0, axis=0)
    some = np.count_nonzero(x > 0.2, axis=0)
    return np.sum(np.where(rows[:, None] & columns, x**2, -x) * some) + (np.sum(x) if np.any(x) else 0.0)


def moments(x):
    """Variances, deviations and norms, of all and along axes."""
    spreads = np.sum(np.var(x, axis=1) * np.std(x, axis=1)) + np.sum(np.std(x, axis=0, keepdims=True) * x)
    return spreads + np.var(x) * np.linalg.norm(x) + np.sum(np.linalg.norm(x + 2.0, axis=0))


def places(x):
    """The greatest of each column, and the least of all of a row."""
    top = np.argmax(x, axis=0)
    return np.sum(x[top, np.arange(x.shape[1])] ** 2) + x[0, np.argmin(x[0])] * np.sum(top * x)


def scans(x):
    """Running sums and products along both axes."""
    return np.sum(np.cumsum(x, axis=0) ** 2) + np.sum(np.cumprod(x + 1.5, axis=1)) + np.sum(np.cumsum(x, axis=-1))


def slopes(x):
    """Differences, turned over and centred."""
    part = x[:, ::-1].T - np.mean(x, axis=1)
    return np.sum((part[1:] - part[:-1]) ** 2) + np.sum(part[1::2] * part[::2][: part[1::2].shape[0]])


MATRIX_FUNCTIONS = (outer_extremes, outer_products, truths, moments, places, scans, slopes)
OTHERS = {"outer_products", "scans", "truths", "slopes"}
"""Those of which a part of the derivative stays calls."""
MATRICES = {
    "plain": MATRIX,
    "fortran": np.asfortranarray(MATRIX),
    "backwards": MATRIX[::-1, ::-1],
    "row": MATRIX[:1],
    "one": MATRIX[:1, :1],
    "ties": np.round(MATRIX),
}


def left(function: Callable[..., Any], args: tuple[Any, ...]) -> set[str]:
    """The calls of the derivative of `function` that a kernel cannot hold."""
    wrt = tuple(place for place, arg in enumerate(args) if float_leaves(arg))
    _, rule = rule_of(function, args, "reverse", wrt)
    formed = form_loops(rule.optimised, takes=is_taken)
    calls = (op for op in all_ops(formed.body) if isinstance(op, Call) and not is_taken(op))
    return {getattr(callee(op), "__name__", "") for op in calls}


def correct(function: Callable[..., Any], args: tuple[Any, ...]) -> None:
    """Assert that loops give the derivatives of `function`, and that these are those of finite differences."""
    wrt = tuple(place for place, arg in enumerate(args) if float_leaves(arg))
    agree(function, args, wrt, scalar=True)
    jacobian = central_jacobian(*flat_function(function, args, wrt))[0]
    with looping():
        gradient = adxform.grad(function, argnums=wrt)(*args)
    np.testing.assert_allclose(pack(float_leaves(gradient)), jacobian[0], rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("x", MATRICES.values(), ids=MATRICES)
@pytest.mark.parametrize("function", MATRIX_FUNCTIONS, ids=lambda function: function.__name__)
def test_matrices(function: Callable[..., Any], x: Any) -> None:
    if function is scans and x is MATRICES["ties"]:
        x = x + 0.1
    agree(function, (x,), (0,), scalar=True)
    if x is MATRIX:
        correct(function, (x,))
        assert function.__name__ in OTHERS or left(function, (x,)) <= {"some"}


@pytest.mark.parametrize("function", [outer_products, scans, slopes], ids=lambda function: function.__name__)
@pytest.mark.parametrize("shape", [(0, 3), (3, 0)])
def test_matrices_without_elements(function: Callable[..., Any], shape: tuple[int, int]) -> None:
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        agree(function, (np.zeros(shape),), (0,), scalar=True)


@pytest.mark.parametrize("function", [outer_extremes, places], ids=lambda function: function.__name__)
def test_no_rows_have_no_extreme(function: Callable[..., Any]) -> None:
    with looping(), pytest.raises(ValueError, match=r"zero-size|empty"):
        adxform.grad(function)(np.zeros((0, 3)))


def test_places_of_what_is_not_a_number() -> None:
    x = MATRIX.copy()
    x[1, 2] = x[2, 2] = np.nan
    with looping():
        assert adxform.vjp(lambda x: (np.argmax(x, axis=0), np.argmin(x, axis=0)), x)[0][0].tolist() == [2, 1, 1, 0]


def taken(x, table):
    """Elements that a table names, some of them twice, others not at all."""
    y = x[table]
    return np.sum(y**2) * np.sum(np.take(x, table) * y)


def stored(x, table):
    """Stores into what a table names: of two in one place the last counts."""
    y = x * 2.0
    y[table] = x[: table.shape[0]] ** 2
    y[table] += 1.0
    z = np.zeros_like(x)
    z[table] = 3.0
    return np.sum(y**2) + np.sum(z * x)


def added(x, table):
    """Sums over groups."""
    sums = np.zeros(5)
    np.add.at(sums, table, x[: table.shape[0]] ** 2)
    return np.sum(sums**2)


TABLES = {
    "apart": np.array([3, 0, 4]),
    "twice": np.array([1, 3, 1, 1]),
    "from the end": np.array([-1, 0, 4, -5]),
    "one": np.array([2]),
    "none": np.array([], dtype=np.int64),
    "strided": np.array([0, 9, 3, 9, 1, 9])[::2],
}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES)
@pytest.mark.parametrize("function", [taken, stored, added], ids=lambda function: function.__name__)
def test_tables(function: Callable[..., Any], table: Any) -> None:
    correct(function, (VECTOR, table))


@pytest.mark.parametrize("function", [taken, stored, added], ids=lambda function: function.__name__)
@pytest.mark.parametrize("place", [5, -6])
def test_tables_that_name_nothing(function: Callable[..., Any], place: int) -> None:
    with looping(), pytest.raises(IndexError):
        adxform.grad(function)(VECTOR, np.array([0, place]))


def pairs(x, rows, columns):
    """Elements of a matrix, named by two tables, and a diagonal."""
    count = np.arange(x.shape[0])
    y = x * x
    y[count, count] = np.exp(x[0, count])
    y[rows, columns] = x[columns, rows] * 3.0
    y[:, columns] *= 2.0
    return np.sum(y**2) + np.sum(x[rows] * x[rows, 1:2]) + np.sum(x[..., columns, 0:1])


def grouped(x, rows, columns):
    """Tables of two axes, and one with slices on both sides."""
    table = rows[:, None] + 0 * columns
    return np.sum(x[table, columns] ** 2) + np.sum(x[None, :, columns] ** 3) + np.sum(np.take_along_axis(x, table.T, 1) ** 2)


@pytest.mark.parametrize("function", [pairs, grouped], ids=lambda function: function.__name__)
@pytest.mark.parametrize("x", [MATRIX[:, :3], np.asfortranarray(MATRIX[:, 1:])])
def test_tables_of_pairs(function: Callable[..., Any], x: Any) -> None:
    correct(function, (x, np.array([0, 2, 2]), np.array([1, 0, -1])))
    correct(function, (x, np.array([1, 1, 1]), np.array([1, 1, 1])))


def joined(x, y):
    """Arrays put together of parts, of their own parts, and of numbers."""
    both = np.concatenate([x, y * 2.0, x[1:]])
    rows = np.stack([x * y, y, x], axis=1)
    wide = np.concatenate((rows, rows[:, ::-1] * 2.0), axis=1)
    numbers = np.array([[x[0], 2.0], [3.0, y[-1] * x[1]]])
    return np.sum(both**2) + np.sum(wide**3 * np.stack((x, y))[0][:, None]) + np.sum(numbers**2 @ np.array([y[0], 1.0]))


@pytest.mark.parametrize("count", [5, 2])
def test_joins(count: int) -> None:
    correct(joined, (VECTOR[:count], VECTOR[::-1][:count]))


def one_after_another(x, y):
    """Parts that may have no elements."""
    return np.sum(np.concatenate([x, y * 2.0]) ** 2) + np.sum(np.stack([x, x * x]) ** 3)


@pytest.mark.parametrize(("first", "second"), [(0, 3), (3, 0), (0, 0), (1, 2)])
def test_joins_of_nothing(first: int, second: int) -> None:
    agree(one_after_another, (VECTOR[:first], VECTOR[:second]), (0, 1), scalar=True)


def turned(x, y, angle):
    """Points in space, turned about an axis: columns that are named one by one, and together."""
    a, d = np.stack([x, y, x * y], axis=1), np.stack([y, x, y - x], axis=1)
    size = np.sqrt(np.sum(a * a, axis=1) + 1.0)[:, None]
    a = a / size
    cross = np.zeros((x.shape[0], 3))
    cross[:, 0] = a[:, 1] * d[:, 2] - a[:, 2] * d[:, 1]
    cross[:, 1] += a[:, 2] * d[:, 0]
    cross[:, 1] -= a[:, 0] * d[:, 2]
    cross[:, 2] = a[:, 0] * d[:, 1] - a[:, 1] * d[:, 0]
    along = np.sum(a * d, axis=1)[:, None]
    z = d * np.cos(angle) + cross * np.sin(angle) + a * along * (1.0 - np.cos(angle))
    image = z[:, :2] / (z[:, 2:3] + 9.0)
    return np.sum(image * image * np.mean(d, axis=1, keepdims=True))


def columns(x, y, angle):
    """Columns that are changed, turned round and read as rows."""
    rows = np.stack([x, y, x + y])
    rows[::-1] *= np.stack([y, x, x]) + angle
    rows[:2] += rows[1:]
    table = np.zeros((x.shape[0], 2))
    table += rows[:2].T
    table[:, ::-1] -= rows[1:, ::-1].T * angle
    table[1:, 0] += table[:-1, 1]
    return np.sum(table**3) + np.max(rows, axis=0) @ table[:, 1] + np.sum(np.prod(rows, axis=0))


@pytest.mark.parametrize("function", [turned, columns], ids=lambda function: function.__name__)
@pytest.mark.parametrize("count", [5, 2, 0])
def test_short_axes(function: Callable[..., Any], count: int) -> None:
    correct(function, (VECTOR[:count], np.cos(VECTOR)[:count], 0.7))


def test_columns_of_short_axes_are_names() -> None:
    _, rule = rule_of(turned, (VECTOR, VECTOR, 0.7), "reverse", (0, 1), Engine("numba"))
    body = form_loops(rule.optimised, takes=is_taken).body
    assert sum(isinstance(op, For) for op in body.ops) == 1
    assert sum(callee(op) is np.empty for op in body.ops if isinstance(op, Call)) == 2


def masks(x, limit):
    """Stores under a mask, and masks as numbers."""
    y = x * x
    y[x > limit] = limit
    y[y == 0.0] = 1.0
    chosen = x > 0.0
    chosen[1:3] = False
    chosen[0] = True
    return np.sum(y * x) + np.sum(x * chosen)


def test_masks() -> None:
    correct(masks, (VECTOR, 0.35))
    agree(masks, (VECTOR[:3], 0.35), (0, 1), scalar=True)


def largest_of_rows(x):  # type: ignore[no-untyped-def]
    return np.sum(np.max(x, axis=-1) ** 2)


@pytest.mark.parametrize("shape", [(0, 0), (3, 0), (0, 3), (4, 0, 0), (4, 0, 3), (0, 2, 0)])
def test_nothing_has_no_largest_element(shape: tuple[int, ...]) -> None:
    """As in NumPy, also where there would be no result."""
    x = np.zeros(shape)
    compiled = adxform.value_and_grad(largest_of_rows, engine="numba")
    try:
        value = largest_of_rows(x)
    except ValueError:
        with pytest.raises(ValueError, match="no identity"):
            compiled(x)
    else:
        found, gradient = compiled(x)
        assert found == value
        assert gradient.shape == shape
