"""Loops of the kinds that simulations have go into kernels whole; numbers that do not fit there are still right."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import adxform
from adxform.api.source import rule_of
from adxform.backends.numba.compiled_rule import lowered
from adxform.backends.numba.kernel_extraction import outline
from adxform.ir.ops import For, While
from adxform.ir.walk import all_ops
from tests.corpus import cells_of_grids, time_steps
from tests.corpus.case import Program, programs_of
from tests.test_engine import NUMBA

WHOLE = {
    *("steps_into_new_arrays", "wave_with_two_old_states", "neighbours_across_the_edges", "rows_and_columns_of_places"),
    *("means_and_deviations_of_patches", "charges_on_a_ring_of_cells", "image_between_its_points"),
    *("nearest_images_by_vectors", "cheapest_of_three_ways", "products_with_a_lag_that_wraps", "neighbours_half_way_around"),
}
PROGRAMS = [
    program
    for module in (time_steps, cells_of_grids)
    for program in programs_of(module)
    if program.name.rpartition(".")[2] in WHOLE
]


def test_all_are_there() -> None:
    assert len(PROGRAMS) == len(WHOLE)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_loops_are_compiled_whole(program: Program) -> None:
    _, rule = rule_of(program.function, program.points[0].fresh(), "reverse", program.wrt)
    found = outline(lowered(rule.optimised, NUMBA)).function
    assert not any(isinstance(op, For | While) for op in all_ops(found.body))


def of_floats(x: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        k = int(x[i] * 4)
        total += x[i] * (k * k * k) + x[i] * round(x[i]) * (k // 3) * (k % 5)
    return total


def of_counts(x: Any, counts: Any) -> Any:
    total = 0.0
    for i in range(len(x)):
        n = int(counts[i])
        total += x[i] ** 2 * (n * n)
    return total


def by_a_number(x: Any, width: Any) -> Any:
    total = 0.0
    for k in range(-len(x), len(x)):
        total += x[k] * (k // width) + x[k % width] * x[k] * (k % width)
    return total


def said(fn: Any, engine: str, *args: Any) -> Any:
    with np.errstate(all="ignore"):
        try:
            return adxform.value_and_grad(fn, engine=engine)(*args)
        except (ValueError, OverflowError, ZeroDivisionError) as error:
            return type(error), str(error)


@pytest.mark.parametrize("number", [2.5, -2.5, 0.5, -0.49, 2.0**29, 2.0**31, -(2.0**40), 1e300, np.inf, -np.inf, np.nan])
def test_whole_numbers_made_of_floats(number: float) -> None:
    compare(of_floats, np.array([0.3, number, 1.7]))


@pytest.mark.parametrize("count", [3, -3, 2**31 - 1, 2**31, -(2**31), 2**40, -(2**63), 2**63 - 1])
def test_whole_numbers_made_of_those_of_numpy(count: int) -> None:
    compare(of_counts, np.array([0.3, 1.1]), np.array([count, 2]))


@pytest.mark.parametrize("width", [1, 2, 3, -1, -2, 0])
def test_quotients_and_remainders_by_a_number(width: int) -> None:
    compare(by_a_number, np.array([0.3, 1.1, 0.7]), width)


def compare(fn: Any, *args: Any) -> None:
    """See that compiled code says what Python says: the value, the gradient, or the error."""
    one, other = (said(fn, engine, *args) for engine in ("python", "numba"))
    if isinstance(one[0], type):
        assert one == other
    else:
        np.testing.assert_array_equal(one[0], other[0])
        np.testing.assert_array_equal(one[1], other[1])


def by_rows(table: Any, x: Any, *, multiplied: bool) -> Any:
    """Where `x` meets the rows of `table`, of three columns each, it has three elements; else it may have any number."""
    total = 0.0
    for i in range(len(table)):
        total += np.sum(table[i] * x) if multiplied else np.sum(table[i] ** 2) * np.sum(x)
    return total + len(x) * x[0]


@pytest.mark.parametrize(("length", "multiplied"), [(3, True), (3, False), (7, False), (7, True), (1, True)])
def test_arguments_as_long_as_a_literal(length: int, multiplied: bool) -> None:
    table, x = np.linspace(0.1, 2.0, 15).reshape(5, 3), np.linspace(0.5, 1.5, length)

    def both(table: Any, x: Any) -> Any:
        return by_rows(table, x, multiplied=multiplied)

    one, other = (said(both, engine, table, x) for engine in ("python", "numba"))
    if isinstance(one[0], type):
        assert one == other
    else:
        np.testing.assert_allclose(one[0], other[0], rtol=1e-14)
        np.testing.assert_allclose(one[1], other[1], rtol=1e-14)


def beside_one_longer(table: Any, n: Any, *, multiplied: bool) -> Any:
    """As many ones as an integer says, of which all but the first meet a row of three."""
    ones, total = np.ones(n) * table[0, 0], 0.0
    for i in range(len(table)):
        total += np.sum(table[i] * ones[1:]) if multiplied else np.sum(table[i]) * np.sum(ones) * len(ones)
    return total


@pytest.mark.parametrize(("n", "multiplied"), [(4, True), (4, False), (7, False), (1, False), (7, True)])
def test_integers_that_are_as_long_as_a_literal(n: int, multiplied: bool) -> None:
    table = np.linspace(0.1, 2.0, 15).reshape(5, 3)

    def both(table: Any, n: Any) -> Any:
        return beside_one_longer(table, n, multiplied=multiplied)

    one, other = (said(both, engine, table, n) for engine in ("python", "numba"))
    if isinstance(one[0], type):
        assert one == other
    else:
        np.testing.assert_allclose(one[0], other[0], rtol=1e-14)
        np.testing.assert_allclose(one[1], other[1], rtol=1e-14)
