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
