"""Numbers of which only a run can tell the kind, through prepared derivatives: what they return has the class of single calls.

The oracle is the plain function for the class of a value, and the single product for a row of a batch.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import adxform

NUMBERS: dict[str, Any] = {
    "float": 0.7,
    "int": 3,
    "float64": np.float64(0.7),
    "float32": np.float32(0.7),
    "float16": np.float16(0.7),
    "longdouble": np.longdouble(0.7),
}
MIXED = [
    ("float", "float64"),
    ("float", "float32"),
    ("float", "int"),
    ("float32", "int"),
    ("float64", "float16"),
    ("longdouble", "float"),
    ("longdouble", "float32"),
]
POINTS = [(*pair[:: 1 if n else -1], n) for pair in MIXED for n in (0, 1)]
mixed = pytest.mark.parametrize(("first", "second", "n"), [*POINTS, *[(b, a, n) for a, b, n in POINTS]])


def chosen(x: Any, y: Any, n: int) -> Any:
    return x if n > math.sin(1.0) else y


def beside(x: Any, y: Any, n: int) -> Any:
    m = x if n > math.sin(1.0) else y
    return {"both": m * m, "first": x * 2.0}


FUNCTIONS: tuple[Callable[..., Any], ...] = chosen, beside


def moves(value: Any) -> bool:
    return isinstance(value, float | np.floating)


def unit(value: Any, i: float) -> Any:
    """A tangent of `value`."""
    return type(value)(i) if moves(value) else None


def cotangent(value: Any, i: float) -> Any:
    """A cotangent of `value`; of a whole number, which is a float on another path, it may be anything."""
    if isinstance(value, dict):
        return {key: cotangent(item, i) for key, item in value.items()}
    return type(value)(i) if moves(value) else i


def stacked(rows: list[Any]) -> Any:
    """What a batch of `rows` should be."""
    if isinstance(rows[0], dict):
        return {key: stacked([row[key] for row in rows]) for key in rows[0]}
    if isinstance(rows[0], tuple):
        return tuple(stacked([row[i] for row in rows]) for i in range(len(rows[0])))
    return None if rows[0] is None else np.array(rows)


def same(found: Any, expected: Any) -> None:
    """Assert that two results have the same classes, dtypes and bits; floats of Python and of NumPy stand for one another."""
    assert type(found) is type(expected) or (isinstance(found, float) and isinstance(expected, float)), (found, expected)
    if isinstance(expected, dict):
        found, expected = tuple(found.values()), tuple(expected.values())
    if isinstance(expected, tuple):
        for one, other in zip(found, expected, strict=True):
            same(one, other)
    elif isinstance(expected, np.ndarray):
        assert found.dtype == expected.dtype
        assert np.array_equal(found, expected)
    else:
        assert found == expected


@pytest.mark.parametrize("fn", FUNCTIONS)
@mixed
def test_tangents(fn: Callable[..., Any], first: str, second: str, n: int) -> None:
    args = NUMBERS[first], NUMBERS[second], n
    tangents = [tuple(unit(arg, i) for arg in args) for i in (1.0, 2.0, 3.0)]
    expected = [adxform.jvp(fn, args, tangent) for tangent in tangents]
    for value, slope in expected:
        same(value, fn(*args))
        for one, other in zip(
            slope.values() if fn is beside else [slope], value.values() if fn is beside else [value], strict=True
        ):
            assert not moves(other) or type(one) is type(other)
    batch = stacked(tangents)
    for directions in (1, 2):
        p = adxform.prepare_jvp(fn, *args, directions=directions, engine="python")
        for tangent, pair in zip(tangents, expected, strict=True):
            same(p(args, tangent), pair)
            same(p.tangent(args, tangent), pair[1])
        rows = stacked([slope for _, slope in expected])
        same(p.batch(args, batch), (fn(*args), rows))
        out = {key: np.empty_like(row) for key, row in rows.items()} if fn is beside else np.empty_like(rows)
        same(p.batch(args, batch, out=(None, out)), (fn(*args), rows))


@pytest.mark.parametrize("fn", FUNCTIONS)
@mixed
def test_cotangents(fn: Callable[..., Any], first: str, second: str, n: int) -> None:
    args = NUMBERS[first], NUMBERS[second], n
    value, pullback = adxform.vjp(fn, *args)
    cts = [cotangent(value, i) for i in (1.0, 2.0, 3.0)]
    expected = [pullback(ct) for ct in cts]
    for directions in (1, 2):
        p = adxform.prepare_vjp(fn, *args, directions=directions, engine="python")
        for ct, cotangents in zip(cts, expected, strict=True):
            same(p.cotangents(args, ct), cotangents)
        rows = stacked(expected)
        same(p.batch(args, stacked(cts)), (value, rows))
        same(p(*args)[1].batch(stacked(cts)), rows)
        same(pullback.batch(stacked(cts)), rows)
        out = tuple(None if row is None else np.empty_like(row) for row in rows)
        same(p.batch(args, stacked(cts), out=(None, out))[1], rows)


def test_a_batch_for_a_number_that_is_no_float_on_the_path_taken() -> None:
    x, y = np.float32(0.7), 3
    p = adxform.prepare_vjp(chosen, x, y, 0)
    for cts, count in ((np.ones(2), 2), (None, 0)):
        value, (x_ct, *rest) = p.batch((x, y, 0), cts)
        assert value == y
        assert rest == [None, None]
        same(x_ct, np.zeros(count, np.float32))
    with pytest.raises(adxform.AdxError, match="cotangents"):
        p.batch((x, y, 0), np.ones((2, 2)))


@pytest.mark.parametrize(("first", "second", "n"), [point for point in POINTS if point[0] != "int"])
def test_jacobians_and_slopes(first: str, second: str, n: int) -> None:
    args = NUMBERS[first], NUMBERS[second], n
    value, slope = adxform.prepare_derivative(chosen, *args).value_and_derivative(*args)
    same(value, chosen(*args))
    forward, reverse = (
        adxform.prepare_jacobian(chosen, *args, mode=mode, engine="python")(*args) for mode in ("forward", "reverse")
    )
    assert np.result_type(forward) == np.result_type(slope) == np.result_type(value if moves(value) else 0.0)
    assert np.result_type(reverse) == np.result_type(args[0])
    assert slope == forward == reverse == n == adxform.jacobian(chosen)(*args)


CUBED = adxform.prepare_gradient(lambda t: t**3, 1.0)


def slope_of_chosen(x: Any, y: Any, n: int) -> Any:
    return CUBED(x if n > math.sin(1.0) else y) * x


@pytest.mark.parametrize(("y", "n"), [(np.float64(2.5), 1), (np.float64(2.5), 0), (2, 1), (2, 0)])
def test_a_prepared_derivative_inside_takes_what_may_be_a_float(y: Any, n: int) -> None:
    value, slope = adxform.value_and_grad(slope_of_chosen)(1.5, y, n)
    chosen_one = 1.5 if n else float(y)
    assert value == 3 * chosen_one**2 * 1.5
    assert slope == pytest.approx(9 * 1.5**2 if n else 3 * chosen_one**2)


def slope_of_larger(x: Any, y: Any) -> Any:
    return CUBED(x if x > y else y) * x


def test_a_prepared_derivative_inside_refuses_what_may_be_of_another_precision() -> None:
    with pytest.raises(adxform.AdxError, match="expected a Python float, got a number of type longdouble"):
        adxform.value_and_grad(slope_of_larger)(1.5, np.float32(2.5))
    assert adxform.grad(slope_of_chosen)(1.5, np.float32(2.5), 1) == pytest.approx(9 * 1.5**2)  # an integer tells which one
