"""Lists of which the run chooses one, and heaps, beside what Python makes of them."""

from __future__ import annotations

import heapq
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import UnsupportedOperationError
from adxform.primitives.definitions import binary_heaps


@pytest.mark.parametrize("seed", range(20))
def test_heaps_have_the_places_of_heapq(seed: int) -> None:
    random = np.random.default_rng(seed)
    numbers = [(int(k), place) for place, k in enumerate(random.integers(0, 6, 12))]
    ours, theirs = list(numbers), list(numbers)
    binary_heaps.made_heap(ours)
    heapq.heapify(theirs)
    pairs = (
        (binary_heaps.pushed, heapq.heappush),
        (binary_heaps.replaced, heapq.heapreplace),
        (binary_heaps.pushed_and_popped, heapq.heappushpop),
    )
    for step in range(40):
        item = (int(random.integers(0, 6)), step + 100)
        which = int(random.integers(0, 4))
        if which == 3:
            assert binary_heaps.popped(ours) == heapq.heappop(theirs)
        else:
            mine, own = pairs[which]
            assert mine(ours, item) == own(theirs, item)
        assert ours == theirs


def test_a_prepared_derivative_fills_other_cells_at_each_call() -> None:
    def energy(x: Any, width: Any) -> Any:
        cells = [[] for _ in range(4)]
        for v in x:
            cells[int(v / width)].append(v)
        return sum(len(c) * sum(c) ** 2 for c in cells)

    def slope(x: Any, width: Any) -> Any:
        place = (x / width).astype(int)
        count, total = np.bincount(place, minlength=4), np.bincount(place, x, minlength=4)
        return 2.0 * count[place] * total[place]

    prepared = adxform.prepare_gradient(energy, np.array([0.1, 0.7, 1.3]), 0.5)
    for x, width in (
        ([0.1, 0.7, 1.3], 0.5),
        ([0.1, 0.2, 0.3], 0.5),
        ([1.9, 0.2, 1.8, 1.1, 0.1], 0.5),
        ([], 1.0),
        ([2.1, 2.2], 1.0),
    ):
        x = np.array(x, dtype=float)
        np.testing.assert_allclose(prepared(x, width), slope(x, width), rtol=1e-14)


def test_a_list_of_a_run_time_place_is_not_replaced_by_another() -> None:
    def energy(x: Any) -> Any:
        cells = [[] for _ in range(4)]
        for v in x:
            cells[int(v)].append(v)
        kept = cells[int(x[0])]
        cells[int(x[0])] = [x[1]]
        return sum(kept) * sum(cells[int(x[0])])

    with pytest.raises(UnsupportedOperationError):
        adxform.grad(energy)(np.array([0.5, 1.5, 2.5]))


def taken_as_one_of_two_before(x: Any) -> Any:
    low, high = [x[0]], [x[1]]
    one = low if x[2] > 0.5 else high
    cells: list[Any] = [low, high, []]
    for v in x:
        cells[int(v > 0.8)].append(v)
    return sum(one) ** 2 + sum(low) * sum(high)


def a_copy_by_branches_before(x: Any) -> Any:
    rows = [[x[0], x[1]], [x[2], x[0]], [x[1], x[2]]]
    row = rows[int(x[0] > 0.1)]
    for v in x:
        rows[int(v > 0.8)].append(v)
    return sum(row) ** 2 + sum(map(sum, rows))


def a_row_of_a_grid_that_grows(x: Any) -> Any:
    grid: list[list[list[Any]]] = [[[], []], [[], []]]
    place = int(x[0] > 0.1)
    grid[place].append([x[1]])
    grid[place][0].append(x[2])
    return sum(map(sum, grid[1])) ** 2 + x[0]


def one_list_at_all_places(x: Any) -> Any:
    row: list[Any] = []
    cells = []
    for _ in range(int(x[0] + 3.5)):
        cells.append(row)
    for v in x:
        cells[int(v > 0.8)].append(v)
    return sum(cells[0])


@pytest.mark.parametrize(
    "program", [taken_as_one_of_two_before, a_copy_by_branches_before, a_row_of_a_grid_that_grows, one_list_at_all_places]
)
def test_a_list_that_would_not_follow_another_is_refused(program: Any) -> None:
    with pytest.raises(UnsupportedOperationError):
        adxform.grad(program)(np.array([0.3, 1.2, 0.7]))
