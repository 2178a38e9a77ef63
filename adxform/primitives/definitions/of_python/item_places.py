"""Items of lists and dicts whose length only a run can tell: where one is, and what is in its place once others come or go."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def picked(items: Any, index: Any, message: str) -> Any:
    """``items[index]`` of a few items, each by its own branch."""
    place = index + len(items) if index < 0 else index
    if place < 0 or place >= len(items):
        raise IndexError(message)
    found = items[0]
    for k, item in enumerate(items):
        found = item if place == k else found
    return found


def place_of(key: Any, keys: Any) -> int:
    """The place of the one of `keys` that equals `key`."""
    found = place_among(key, keys)
    if found < 0:
        raise KeyError(key)
    return found


def place_among(key: Any, keys: Any) -> int:
    """The place of the one of `keys` that equals `key`; -1 where none does."""
    found = -1
    for place, own in enumerate(keys):
        found = place if key == own else found
    return found


def place_in_list(index: Any, count: int) -> Any:
    """The place from the start that is meant by `index`, which may count from the end."""
    place = index + count if index < 0 else index
    if place < 0 or place >= count:
        raise IndexError("list assignment index out of range")
    return place


def place_of_item(index: Any, count: int) -> Any:
    """The place from the start of item `index` of a list of `count`."""
    place = index + count if index < 0 else index
    if place < 0 or place >= count:
        raise IndexError("list index out of range")
    return place


def place_to_pop(index: Any, count: int) -> Any:
    """The place from the start of the item `index` of a list of `count`, which is taken out."""
    if count == 0:
        raise IndexError("pop from empty list")
    place = index + count if index < 0 else index
    if place < 0 or place >= count:
        raise IndexError("pop index out of range")
    return place


def place_to_insert(index: Any, count: int) -> Any:
    """The place from the start that an item gets which is inserted at `index` into a list of `count`."""
    place = index + count if index < 0 else index
    return max(0, min(place, count))


def inserted_at(before: Any, own: Any, new: Any, place: Any, k: int) -> Any:
    """What is at place `k`, where `own` was, and `before` at the place ahead, once `new` is inserted at `place`."""
    return new if k == place else (own if k < place else before)


def without_one(own: Any, after: Any, place: Any, k: int) -> Any:
    """What is at place `k`, where `own` was, and `after` at the place behind, once the item at `place` is gone."""
    return own if k < place else after


def with_portion(pairs: Any, place: Any, items: Any) -> Any:
    """The list `pairs`, once `items` are in it, each beside `place`."""
    for item in items:
        pairs.append((place, item))
    return pairs


def stored_at(item: Any, value: Any, place: Any, own: int) -> Any:
    """What is at the place `own`, where `item` was, once `value` is stored at `place`."""
    return value if place == own else item


def got(box: Any, key: Any, default: Any) -> Any:
    """``box.get(key, default)``"""
    return box[key] if key in box else default  # noqa: SIM401 - this says what it means


def item_or(there: bool, item: Any, default: Any) -> Any:
    """An item that may not be there, or else `default`."""
    return item if there else default


def item_or_made(there: bool, item: Any, make: Any) -> Any:
    """An item that may not be there, or else a new one."""
    return item if there else make()


def those_there(items: Any, there: Any) -> Any:
    """The list of those `items` that are there."""
    found = []
    for k in range(len(items)):
        if there[k]:
            found.append(items[k])
    return found


def looked_up(keys: Any, items: Any, key: Any) -> Any:
    """``dict(zip(keys, items))[key]`` of a few items, each by its own branch."""
    for own, item in zip(keys, items, strict=True):
        if own == key:
            return item
    raise KeyError(key)


def counted_from_start(index: Any, count: Any, message: str) -> Any:
    """The place of item `index` of `count`, of which some may be counted from the end."""
    place = index + count if index < 0 else index
    if place < 0:
        raise IndexError(message)
    return place


def bound_within(bound: Any, count: Any, low: Any, high: Any) -> Any:
    """The place where a slice of `count` items begins or ends, between `low` and `high`."""
    place = bound + count if bound < 0 else bound
    return max(low, min(place, high))


def keep_last(items: Any, bound: int) -> None:
    """What a deque of no more than `bound` items does after ``append``."""
    if len(items) > bound:
        items.popleft()


def keep_first(items: Any, bound: int) -> None:
    """What a deque of no more than `bound` items does after ``appendleft``."""
    if len(items) > bound:
        items.pop()


def append_all(items: Any, source: Any) -> None:
    """``items.extend(source)`` of a deque"""
    for item in list(source):
        items.append(item)


def taken_in(items: Any, source: Any) -> None:
    """``items.extend(source)`` of an iterator, which may raise: what it gave until then is in the list."""
    for item in source:
        items.append(item)


def append_all_left(items: Any, source: Any) -> None:
    """``items.extendleft(source)`` of a deque"""
    for item in list(source):
        items.appendleft(item)


def rotate(items: Any, n: int) -> None:
    """``items.rotate(n)`` of a deque"""
    if len(items) > 0:
        for _ in range(n % len(items)):
            items.appendleft(items.pop())


CHANGING: frozenset[Callable[..., Any]] = frozenset(
    {taken_in, keep_last, keep_first, append_all, append_all_left, rotate, with_portion}
)
"""Those that change what they are given: they run in the place of the program, whatever is known of that."""


def bound_of_a_slice(bound: Any, end: Any) -> Any:
    """The `bound` of a slice; where there is none, the `end` of what is cut."""
    return end if bound is None else bound
