"""Loops over what Python iterates, item by item."""

from __future__ import annotations

from typing import Any

from adxform.errors import UnsupportedOperationError


class Cursor:
    """Where a loop stands that goes through `source`, and takes an item of it when its turn comes."""

    __slots__ = ("item", "items", "source")

    def __init__(self, source: Any) -> None:
        self.source = source
        self.items = iter(source)
        self.item: Any = None

    def __iter__(self) -> Any:
        return self.items


_END = object()


def advance(cursor: Cursor) -> bool:
    """Take the next item, if there is one."""
    cursor.item = next(cursor.items, _END)
    return cursor.item is not _END


def item_of(cursor: Cursor) -> Any:
    """Return the item that was taken last."""
    return cursor.item


def strictly(*sources: Any) -> Cursor:
    """Return where a loop begins over ``zip(*sources, strict=True)``."""
    return Cursor(zip(*sources, strict=True))


def check_walked(cursor: Cursor) -> None:
    """See that what is gone through to its end, where Python may end before, is no iterator, which would go on from there.

    Raises:
        UnsupportedOperationError: it is one.
    """
    if cursor.items is cursor.source:
        name = type(cursor.source).__name__
        message = (
            f"an iterator of class `{name}` is walked over to its end, where Python may leave it before, or use it meanwhile"
        )
        raise UnsupportedOperationError(message, help="make it a list first: `list(…)`")


def walked_together(strict: bool, *sources: Any) -> tuple[list[Any], ...]:
    """Return what ``zip(*sources, strict=strict)`` takes of each of `sources`: of iterators not more than that.

    >>> walked_together(False, [1, 2, 3], iter("abcd"))
    ([1, 2, 3], ['a', 'b', 'c'])
    """
    taken = tuple(zip(*sources, strict=strict))
    return tuple(list(items) for items in zip(*taken, strict=True)) if taken else tuple([] for _ in sources)
