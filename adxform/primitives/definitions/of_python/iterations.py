"""Builtins and `itertools` by what they mean, for items whose number only a run can tell; the front end inlines these."""

from __future__ import annotations

from typing import Any

import numpy as np

from adxform import runtime


def mapped(fn: Any, *sources: Any) -> Any:
    """``list(map(fn, *sources))``"""
    return [fn(*items) for items in zip(*sources, strict=False)]


def mapped_apart(fn: Any, source: Any) -> Any:
    """``list(itertools.starmap(fn, source))``"""
    return [fn(*items) for items in source]


def filtered(fn: Any, source: Any) -> Any:
    """``list(filter(fn, source))``"""
    return [item for item in source if (item if fn is None else fn(item))]


def reduced(fn: Any, items: Any) -> Any:
    """``functools.reduce(fn, items)``"""
    if len(items) == 0:
        raise TypeError("reduce() of empty iterable with no initial value")
    total = items[0]
    for k in range(1, len(items)):
        total = fn(total, items[k])
    return total


def reduced_from(fn: Any, source: Any, start: Any) -> Any:
    """``functools.reduce(fn, source, start)``"""
    total = start
    for item in source:
        total = fn(total, item)
    return total


def bound_of_a_piece(bound: int, is_step: bool) -> int:
    """A bound of ``itertools.islice``, or its step: nothing is counted from the end."""
    if bound < is_step:
        raise ValueError("Indices for islice() must be None or an integer: 0 <= x <= sys.maxsize.")
    return bound


def accumulated(items: Any, fn: Any) -> Any:
    """``list(itertools.accumulate(items, fn))``"""
    totals = []
    if len(items) > 0:
        total = items[0]
        totals.append(total)
        for k in range(1, len(items)):
            total = fn(total, items[k])
            totals.append(total)
    return totals


def accumulated_from(source: Any, fn: Any, start: Any) -> Any:
    """``list(itertools.accumulate(source, fn, initial=start))``"""
    total = start
    totals = [total]
    for item in source:
        total = fn(total, item)
        totals.append(total)
    return totals


def all_of(source: Any) -> Any:
    """``list(source)``"""
    return [item for item in source]  # noqa: C416 - this says what it means


def any_true(source: Any) -> Any:
    """``any(source)``"""
    found = False
    for item in source:
        if item:
            found = True
            break
    return found


def all_true(source: Any) -> Any:
    """``all(source)``"""
    found = True
    for item in source:
        if not item:
            found = False
            break
    return found


def largest(source: Any, first: Any, key: Any) -> Any:
    """``max(source, key=key)``, where `first` is its first item, which `source` may leave out."""
    best, best_key = first, key(first)
    for item in source:
        item_key = key(item)
        if item_key > best_key:
            best, best_key = item, item_key
    return best


def smallest(source: Any, first: Any, key: Any) -> Any:
    """``min(source, key=key)``, where `first` is its first item, which `source` may leave out."""
    best, best_key = first, key(first)
    for item in source:
        item_key = key(item)
        if item_key < best_key:
            best, best_key = item, item_key
    return best


def largest_known(first: Any, rest: Any) -> Any:
    """``max(first, *rest)``, of what are no numbers."""
    best = first
    for item in rest:
        best = item if item > best else best
    return best


def smallest_known(first: Any, rest: Any) -> Any:
    """``min(first, *rest)``, of what are no numbers."""
    best = first
    for item in rest:
        best = item if item < best else best
    return best


def items_of_lists(lists: Any) -> Any:
    """``list(itertools.chain(*lists))``"""
    items = []
    for one in lists:
        for item in one:
            items.append(item)
    return items


def rows_of_lists(lists: Any) -> Any:
    """``np.array(lists)`` of lists of numbers, of which there are some."""
    width = len(lists[0])
    for one in lists:
        if len(one) != width:
            raise ValueError("setting an array element with a sequence. The requested array has an inhomogeneous shape.")
    return np.reshape(np.array(items_of_lists(lists)), (len(lists), width))


def compared(order: Any, a: Any, b: Any) -> Any:
    """``a < b``, or another `order`, of tuples or lists: by the first items that differ."""
    for x, y in zip(a, b, strict=False):
        if not x == y:  # noqa: SIM201 - `!=` is another method
            return order(x, y)
    return order(len(a), len(b))


def equal(a: Any, b: Any) -> Any:
    """``a == b`` of lists, as Python's own bool."""
    found = len(a) == len(b)
    if found:
        for k in range(len(a)):
            if not a[k] == b[k]:  # noqa: SIM201 - `!=` is another method
                found = False
                break
    return found


def has_missing(items: Any) -> Any:
    """Whether one of the numbers in a list is NaN."""
    found = False
    for item in items:
        if item != item:  # as NaN alone does
            found = True
            break
    return found


def contained(source: Any, item: Any) -> Any:
    """``item in source`` of a list, as Python's own bool."""
    found = False
    for other in source:
        if other == item:
            found = True
            break
    return found


def index_of(items: Any, item: Any, places: Any, message: Any) -> Any:
    """``items.index(item)`` among the `places` that are looked at."""
    for place in places:
        if (items[place],) == (item,):  # as Python has it: the same object, or one that is equal
            return place
    raise ValueError(message)


def count_of(items: Any, item: Any) -> Any:
    """``items.count(item)``"""
    total = 0
    for other in items:
        if (other,) == (item,):
            total += 1
    return total


def itself(item: Any) -> Any:
    """`item`, as the key that it is compared by."""
    return item


def ranks_of(keys: Any) -> Any:
    """How many of `keys` come before each of them, and whether that is an order: then no two have as many."""
    ranks = [0] * len(keys)
    for later in range(len(keys)):
        for earlier in range(later):
            first = 1 if keys[later] < keys[earlier] else 0
            ranks[earlier] += first
            ranks[later] += 1 - first
    squares = 0
    for rank in ranks:
        squares += rank * rank
    count = len(keys)
    return ranks, squares == (count - 1) * count * (2 * count - 1) // 6


def sorted_rows(rows: Any, reverse: bool) -> Any:
    """``sorted(rows, reverse=reverse)``, as an array; equal rows keep their order."""
    return rows_sorted_by(rows, rows, reverse)


def rows_sorted_by(rows: Any, keys: Any, reverse: bool) -> Any:
    """`rows` in the order of `keys`, as an array; rows with equal keys keep their order."""
    return rows[runtime.places_in_order(keys, reverse)]


def pairs_in_order(rows: Any, shift: int) -> Any:
    """``itertools.combinations(rows, 2)`` (`shift` 1), or with replacement (0)."""
    n = len(rows)
    first, second = np.nonzero(np.triu(np.ones((n, n)), shift))
    return zip(rows[first], rows[second], strict=True)


def pairs_of_different(rows: Any) -> Any:
    """``itertools.permutations(rows, 2)``"""
    n = len(rows)
    first, second = np.nonzero(1 - np.eye(n))
    return zip(rows[first], rows[second], strict=True)


def crossed(left: Any, right: Any) -> Any:
    """``itertools.product(left, right)`` of arrays of numbers."""
    return zip(np.repeat(left, len(right)), np.tile(right, len(left)), strict=True)


def places_crossed(lengths: Any) -> Any:
    """``itertools.product(*map(range, lengths))``, column by column."""
    grid = np.indices(lengths)
    return tuple([np.ravel(grid[k]) for k in range(len(lengths))])


def places_chosen(n: int, count: int, follows: Any) -> Any:
    """The tuples of `count` of ``range(n)`` in which each one `follows` each one before it, in order, column by column."""
    grid = np.indices((n,) * count)
    chosen = np.ones((n,) * count, dtype=bool)
    for k in range(count):
        for before in range(k):
            chosen = chosen & follows(grid[k], grid[before])
    return tuple([grid[k][chosen] for k in range(count)])


def taken(pools: Any, columns: Any) -> Any:
    """The items of arrays of numbers at places."""
    return zip(*[pool[column] for pool, column in zip(pools, columns, strict=True)], strict=True)


def items_at(made: Any, pools: Any, *places: Any) -> Any:
    """The items of arrays at `places`, as what `made` makes of them."""
    return tuple([make(pool[place]) for make, pool, place in zip(made, pools, places, strict=True)])


def made_of(made: Any, *items: Any) -> Any:
    """`items` of arrays as what each of `made` makes of them."""
    return tuple([make(item) for make, item in zip(made, items, strict=True)])


def counted_on(start: Any, step: Any, k: Any) -> Any:
    """What ``itertools.count(start, step)`` gives after `k` items."""
    return start + k * step


def entry_at(x: Any, *places: Any) -> Any:
    """What ``np.ndenumerate(x)`` gives for the entry at `places`."""
    return places, x[places]


def neighbours(rows: Any) -> Any:
    """``itertools.pairwise(rows)``"""
    count = len(rows) - 1
    return zip(rows[:count], rows[1:], strict=True)  # noqa: RUF007 - this is what `pairwise` means
