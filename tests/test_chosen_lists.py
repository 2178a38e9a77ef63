"""Lists of which the run chooses one, and heaps, beside what Python makes of them."""

from __future__ import annotations

import collections
import heapq
from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import UnsupportedOperationError
from adxform.primitives.definitions.of_python import binary_heaps
from tests.tables.cell import Cell, judge, program


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


def replaced(x: Any) -> Any:
    cells: list[Any] = [[] for _ in range(4)]
    for v in x:
        cells[int(v)].append(v)
    kept = cells[int(x[0])]
    cells[int(x[0])] = [x[1]]
    return sum(kept) * sum(cells[int(x[0])])


def test_a_name_keeps_the_list_that_another_replaces() -> None:
    for x in ([0.5, 1.5, 2.5], [1.5, 1.2, 0.3], [2.5, 2.2, 2.3]):
        assert judge(Cell("replaced", replaced, (np.array(x),))).kind == "right"


def one_list_at_all_places(x: Any) -> Any:
    row: list[Any] = []
    cells = []
    for _ in range(int(x[0] + 3.5)):
        cells.append(row)
    for v in x:
        cells[int(v > 0.8)].append(v)
    return sum(cells[0])


def test_one_list_is_at_all_places_of_another() -> None:
    for x in ([0.3, 1.2, 0.7], [0.5, 0.2, 0.3], [-0.2, 1.2, 1.3]):
        assert judge(Cell("one_list_at_all_places", one_list_at_all_places, (np.array(x),))).kind == "right"


def put_among_others_and_changed(x: Any) -> Any:
    cells: list[Any] = [[], []]
    for v in x:
        cells[int(v > 0.8)].append(v)
    rows = []
    for k in range(int(x[0] + 2.5)):
        rows.append(cells[int(x[k] > 0.8)])
    cells[0][0] = 5.0 * x[0]
    cells[int(x[1] > 0.8)].append(x[1] ** 2)
    return sum((k + 1) * sum(row) ** 2 for k, row in enumerate(rows))


def test_lists_follow_their_changes_among_others() -> None:
    for x in ([0.3, 1.2, 0.7], [0.6, 1.1, 0.9], [0.2, 0.4, 1.3]):
        assert judge(Cell("put_among_others_and_changed", put_among_others_and_changed, (np.array(x),))).kind == "right"


def grows_after_it_is_put_in(x: Any) -> Any:
    row = [v * v for v in x]
    rows = []
    for _ in range(int(x[0] + 2.5)):
        rows.append(row)
    row.append(x[0])
    return sum((k + 1) * sum(row) ** 2 for k, row in enumerate(rows))


def test_a_list_that_grows_after_an_array_has_copies_of_it_is_refused_where_these_are_read() -> None:
    with pytest.raises(UnsupportedOperationError, match="changed after it was put in") as raised:
        adxform.grad(grows_after_it_is_put_in)(np.array([0.3, 1.2, 0.7]))
    assert raised.value.help is not None
    assert "list(" in raised.value.help


def test_rows_that_turn_out_to_differ_in_length_are_no_array() -> None:
    def matrix(x: Any) -> Any:
        rows, row = [], []
        for v in x:
            row.append(v)
            if v > 1.0:
                rows.append(row)
                row = []
        return np.sum(np.array(rows) ** 3)

    even, uneven = np.array([0.1, 1.2, 0.3, 1.4]), np.array([0.1, 1.2, 1.3, 0.2])
    np.testing.assert_allclose(adxform.grad(matrix)(even), 3 * even**2, rtol=1e-14)
    with pytest.raises(ValueError, match="inhomogeneous"):
        adxform.grad(matrix)(uneven)


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


@pytest.mark.parametrize("program", [taken_as_one_of_two_before, a_copy_by_branches_before, a_row_of_a_grid_that_grows])
def test_a_list_that_would_not_follow_another_is_refused(program: Any) -> None:
    with pytest.raises(UnsupportedOperationError):
        adxform.grad(program)(np.array([0.3, 1.2, 0.7]))


def new_key_while_walked(x: Any) -> Any:
    found = {}
    for v in x:
        found[int(v)] = v
    for key in found:
        found[key + 7] = 1.0
    return sum(found.values())


def default_while_walked(x: Any) -> Any:
    found: Any = collections.defaultdict(list)
    for v in x:
        found[int(v)].append(v)
    return sum(sum(found[key + 7]) for key in found)


@pytest.mark.parametrize("program", [new_key_while_walked, default_while_walked])
def test_a_dict_that_changes_its_size_while_it_is_walked_over(program: Any) -> None:
    with pytest.raises(RuntimeError, match="changed size"):
        program(np.array([0.5, 1.5]))
    with pytest.raises(UnsupportedOperationError, match="stored in a dict that does not have it"):
        adxform.grad(program)(np.array([0.5, 1.5]))


def compared(x: Any) -> Any:
    one, other = {}, {}
    for v in x:
        one[int(v)] = other[int(v)] = 1
    return x[0] if one == other else x[1]


def test_dicts_of_keys_of_the_run_are_not_compared() -> None:
    with pytest.raises(UnsupportedOperationError, match="key") as caught:
        adxform.grad(compared)(np.array([0.5, 1.5]))
    assert caught.value.span is not None


def missing(x: Any) -> Any:
    found = {}
    for v in x:
        found[int(v)] = v
    return found[int(x[0]) + 7]


def test_a_missing_key_raises_as_in_python() -> None:
    with pytest.raises(KeyError):
        adxform.grad(missing)(np.array([0.5, 1.5]))


def test_a_list_put_at_its_own_place_in_another_is_shared() -> None:
    def shared(x: Any) -> Any:
        g = [[v for v in x if v > t] for t in x]
        h = [one[:] for one in g]
        for i in range(len(g)):
            h[i] = g[i]
        h[0].append(3.0)
        return sum((i + 1) * sum(one) for i, one in enumerate(g)) * 10 + sum((i + 2) * sum(one) for i, one in enumerate(h))

    verdict = judge(Cell("shared", shared, (np.array([0.3, 0.9, 0.5]),)))
    assert verdict.kind != "wrong", verdict.reason


@pytest.mark.parametrize("item", ["[1.0, x[0]]", "[1.0, 2.0]", "l[-1] + [3.0]", "[5.0]", "[x[0]] * int(x[0] * 9)", "x", "x * 2"])
@pytest.mark.parametrize("index", ["0", "-1", "int(x[0])"])
def test_an_item_of_another_length_raises_nothing_of_numpys(item: str, index: str) -> None:
    begin = "l = [x[:1]]\n    for v in x:\n        l.append(x[:1] * v)" if "x" in item[:1] else ""
    begin = begin or "l = [[0.0]]\n    for v in x:\n        l.append([v])"
    total = "sum((k + 1) * sum(one) for k, one in enumerate(l))"
    text = f"def f(x):\n    {begin}\n    l[{index}] = {item}\n    return {total} * 1.0\n"
    f = program(text)
    for x in (np.array([0.3, 0.9, 0.5]), np.array([0.3, 0.7])):
        verdict = judge(Cell(text, f, (x,)))
        assert verdict.kind != "wrong", verdict.reason
