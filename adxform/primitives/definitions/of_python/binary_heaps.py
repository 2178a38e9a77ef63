"""Functions of `heapq` and `bisect` by what they do to a list: each item goes to the very place where these put it."""

from __future__ import annotations

import bisect
from collections.abc import Callable
from typing import Any


def pushed(heap: Any, item: Any) -> None:
    """``heapq.heappush(heap, item)``"""
    heap.append(item)
    _towards_root(heap, 0, len(heap) - 1)


def popped(heap: Any) -> Any:
    """``heapq.heappop(heap)``"""
    last = heap.pop()
    found = last
    if len(heap) > 0:
        found = heap[0]
        heap[0] = last
        _towards_leaves(heap, 0)
    return found


def replaced(heap: Any, item: Any) -> Any:
    """``heapq.heapreplace(heap, item)``"""
    found = heap[0]
    heap[0] = item
    _towards_leaves(heap, 0)
    return found


def pushed_and_popped(heap: Any, item: Any) -> Any:
    """``heapq.heappushpop(heap, item)``"""
    found = item
    if len(heap) > 0 and heap[0] < item:
        found = heap[0]
        heap[0] = item
        _towards_leaves(heap, 0)
    return found


def made_heap(heap: Any) -> None:
    """``heapq.heapify(heap)``"""
    for place in range(len(heap) // 2 - 1, -1, -1):
        _towards_leaves(heap, place)


def smallest_of(n: int, items: Any, key: Any) -> Any:
    """``heapq.nsmallest(n, items, key)``"""
    return sorted(items, key=key)[: max(n, 0)]


def largest_of(n: int, items: Any, key: Any) -> Any:
    """``heapq.nlargest(n, items, key)``"""
    return sorted(items, key=key, reverse=True)[: max(n, 0)]


def put_in_order(items: Any, item: Any) -> None:
    """``bisect.insort_right(items, item)``"""
    items.insert(bisect.bisect_right(items, item), item)


def put_in_order_left(items: Any, item: Any) -> None:
    """``bisect.insort_left(items, item)``"""
    items.insert(bisect.bisect_left(items, item), item)


def place_right(items: Any, item: Any) -> int:
    """``bisect.bisect_right(items, item)``"""
    low, high = 0, len(items)
    while low < high:
        middle = (low + high) // 2
        if item < items[middle]:
            high = middle
        else:
            low = middle + 1
    return low


def place_left(items: Any, item: Any) -> int:
    """``bisect.bisect_left(items, item)``"""
    low, high = 0, len(items)
    while low < high:
        middle = (low + high) // 2
        if items[middle] < item:
            low = middle + 1
        else:
            high = middle
    return low


def _towards_root(heap: Any, start: int, place: int) -> None:
    """Let the item at `place` change places with those above it, down to `start`, that are larger."""
    item = heap[place]
    rises = place > start
    while rises:
        above = (place - 1) // 2
        parent = heap[above]
        rises = False
        if item < parent:
            heap[place] = parent
            place = above
            rises = place > start
    heap[place] = item


def _towards_leaves(heap: Any, place: int) -> None:
    """Let the smaller of the two below move up into `place`, as far down as there are any, and the item there rise again."""
    end, start = len(heap), place
    item = heap[place]
    child = 2 * place + 1
    while child < end:
        right = child + 1
        if right < end and not heap[child] < heap[right]:
            child = right
        heap[place] = heap[child]
        place = child
        child = 2 * place + 1
    heap[place] = item
    _towards_root(heap, start, place)


CHANGING: frozenset[Callable[..., Any]] = frozenset(
    {pushed, popped, replaced, pushed_and_popped, made_heap, put_in_order, put_in_order_left, _towards_root, _towards_leaves}
)
"""Those that change what they are given: they run in the place of the program, whatever is known of that."""
