"""What loops, builtins, lists and dataclasses of Python mean where their items are rows of an array."""

from __future__ import annotations

import math
import operator
from bisect import bisect_left
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from adxform.errors import LargeNumberError, UnsupportedOperationError


def record(cls: type, /, **values: Any) -> Any:
    """An instance of `cls` with `values` for its fields, or its attributes, made without running its constructor."""
    if issubclass(cls, tuple):
        return tuple.__new__(cls, values.values())
    instance: Any = object.__new__(cls)
    for name, value in values.items():
        object.__setattr__(instance, name, value)
    return instance


def aggregate(kind: str, items: Sequence[Any]) -> Any:
    """The tuple, list, slice, dict or instance of these `items`, as of an `adxform.ir.ops.Pack`.

    >>> aggregate("dict", ["a", 1, "b", 2]), aggregate("slice", [0, 3, None])
    ({'a': 1, 'b': 2}, slice(0, 3, None))
    """
    match kind:
        case "tuple":
            return tuple(items)
        case "list":
            return list(items)
        case "slice":
            return slice(*items)
        case "dict":
            return dict(zip(items[::2], items[1::2], strict=True))
        case _:
            return record(items[0], **dict(zip(items[1::2], items[2::2], strict=True)))


def value_or_none(present: Any, value: Any) -> Any:
    """`value` if it is `present`, else ``None``."""
    return value if present else None


def in_order(items: Sequence[Any], order: Any) -> list[Any]:
    """The `items` at the places in `order`.

    >>> in_order(["a", "b", "c"], np.array([2, 0]))
    ['c', 'a']
    """
    return [items[k] for k in order]


def ranks(items: Sequence[Any]) -> NDArray[np.int64]:
    """The places of `items`, texts or tuples of those, among all of them in order; equal ones have one.

    >>> ranks(["b", "a", "b"])
    array([1, 0, 1])
    """
    ordered = sorted(items)
    return np.array([bisect_left(ordered, item) for item in items], np.int64)


def chained(*parts: Any) -> tuple[Any, ...]:
    """The items of all `parts`, one after the other."""
    return tuple(item for part in parts for item in part)


def elements(box: Iterable[Any], *places: int) -> list[Any]:
    """The elements of a set, in its order; what they have at `places`, one within the other, if any are given."""
    found = list(box)
    for place in places:
        found = [item[place] for item in found]
    return found


def whole_elements(dtype: str, box: Iterable[Any], *places: int) -> Any:
    """As `elements`, where they are whole numbers.

    >>> whole_elements("int64", {(1, 2)}, 1)
    array([2])
    """
    try:
        return np.array(elements(box, *places), dtype=dtype)
    except OverflowError:
        message = "a whole number beyond 64 bits is an element of a set"
        raise LargeNumberError(message, help="keep smaller ones in it") from None


def set_of_tuples(*parts: Iterable[Any]) -> set[Any]:
    """The set of the tuples that have an item of each of `parts`."""
    return set(zip(*parts, strict=True))


def place_of_key(keys: Sequence[Any], key: Any) -> int:
    """The place of `key` among the `keys` of a dict; -1 if it is none of them.

    >>> place_of_key(["a", "b"], "b"), place_of_key(["a"], "c")
    (1, -1)
    """
    hash(key)
    return keys.index(key) if key in keys else -1


def is_key(keys: Sequence[Any], key: Any) -> bool:
    """Whether `key` is one of the `keys` of a dict."""
    return place_of_key(keys, key) >= 0


def python_number(x: Any) -> Any:
    """Return a number as one of Python's, which it may be already.

    >>> python_number(np.float32(0.5)), python_number(3)
    (0.5, 3)
    """
    return x.item() if isinstance(x, np.generic) else x


def exact_sum(x: Any) -> float:
    """Return the sum of the vector `x`, rounded once, as `math.fsum`; one by one where that raises.

    >>> exact_sum(np.array([1e100, 1.0, -1e100]))
    1.0
    """
    try:
        return math.fsum(x)
    except (OverflowError, ValueError):  # beyond all numbers on the way, infinities of opposite signs
        return float(sum(x.tolist()))


def exact_shares(ct: Any, x: Any) -> Any:
    """Return the cotangent of the vector `x` from `ct`, that of its `exact_sum`: the same number for each element."""
    return np.full(np.shape(x), ct)


def appended(items: Any, item: Any) -> Any:
    """Return the array `items` with `item` after its last row.

    >>> appended(np.array([1.0, 2.0]), 3.0)
    array([1., 2., 3.])

    Raises:
        UnsupportedOperationError: the item has another shape than those before it.
    """
    row = np.asarray(item)
    if row.shape != items.shape[1:]:
        raise differing_rows()
    return np.concatenate((items, row[None]))


def appended_row(items: Any, item: Any) -> Any:
    """Return the array `items` with `item` after its last row; the first row tells how long the rows are.

    >>> appended_row(np.empty((0, 0)), np.array([1.0, 2.0]))
    array([[1., 2.]])

    Raises:
        UnsupportedOperationError: the item has another shape than those before it.
    """
    return appended(items if len(items) else np.empty((0, *np.shape(item)), items.dtype), item)


def differing_rows() -> UnsupportedOperationError:
    """Return what is raised where the items of a list turn out to differ in shape, so that no array holds them."""
    return UnsupportedOperationError(
        "the items of this list differ in shape", help="keep items of one shape in it, or join arrays as they come"
    )


def new_key() -> UnsupportedOperationError:
    """Return what is raised where a key is stored that only a run can tell, and a dict of known keys does not have it."""
    return UnsupportedOperationError(
        "a key that only a run can tell is stored in a dict that does not have it", help="make the dict with all of its keys"
    )


class TextAsItIs(str):
    """The text of an object, which a conversion by ``%r`` leaves as it is."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def nan_key() -> UnsupportedOperationError:
    """Return what is raised where NaN is a key of a dict of which only a run knows the keys."""
    return UnsupportedOperationError(
        "NaN is a key of a dict, which Python finds where it is the same object", help="leave it out: `if not math.isnan(k):`"
    )


def negative_zero_key() -> UnsupportedOperationError:
    """Return what is raised where a function under `lru_cache` is called with -0.0, and may have kept what it gave for 0.0."""
    return UnsupportedOperationError(
        "a function under `lru_cache` is called with -0.0, which is the same key as 0.0",
        help="add 0.0 to the argument, or leave the cache away",
    )


def not_put_in_order() -> UnsupportedOperationError:
    """Return what is raised where integers that no float equals are put in order with floats."""
    return UnsupportedOperationError(
        "numbers of different kinds are put in order, among them one larger than 2**53",
        help="make them one kind, e.g. with `float(…)`",
    )


def missing_in_order() -> UnsupportedOperationError:
    """Return what is raised where tuples are put in order among whose numbers are some that are NaN."""
    return UnsupportedOperationError(
        "tuples are put in order, and numbers in them are NaN, which is neither smaller nor larger than others",
        help="leave them out first, e.g. with `[pair for pair in pairs if pair[0] == pair[0]]`",
    )


def no_order() -> UnsupportedOperationError:
    """Return what is raised where objects are sorted whose ``<`` goes round in a circle, as it does where NaN is compared."""
    return UnsupportedOperationError(
        "objects are put in order, and their `<` puts them in none: NaN is neither smaller nor larger than others",
        help="leave out what has NaN in it first",
    )


def missing_compared() -> UnsupportedOperationError:
    """Return what is raised where NaN is compared with NaN in a list or a tuple: Python says that an object equals itself."""
    return UnsupportedOperationError(
        "NaN is compared with NaN inside a list, a tuple or a dict, where Python takes one and the same object for equal",
        help="leave NaN out first, e.g. with `if value == value`",
    )


def unpacked(value: Any, count: int, starred: int | None = None) -> tuple[Any, ...]:
    """Return the items of an iterable for `count` targets, as ``a, b = value`` takes them; that at `starred` gets the rest."""
    items = tuple(value)
    if starred is not None:
        if len(items) < count - 1:
            raise ValueError(f"not enough values to unpack (expected at least {count - 1}, got {len(items)})")
        end = len(items) - (count - 1 - starred)
        return (*items[:starred], list(items[starred:end]), *items[end:])
    if len(items) > count:
        raise ValueError(f"too many values to unpack (expected {count})")
    if len(items) < count:
        raise ValueError(f"not enough values to unpack (expected {count}, got {len(items)})")
    return items


def trip_count(start: int, stop: int, step: int) -> int:
    """Return how many iterations a loop over ``range(start, stop, step)`` makes.

    >>> trip_count(3, 10, 2)
    4
    """
    return len(range(start, stop, step))


def from_front(place: int, size: int) -> int:
    """Return where the bound `place` of a slice is in an axis of `size`, counted from its front: not beyond either end.

    >>> from_front(-2, 5), from_front(-9, 5), from_front(7, 5)
    (3, 0, 5)
    """
    return min(place, size) if place >= 0 else max(place + size, 0)


def add_up(total: Any, value: Any) -> Any:
    """Return ``total + value``, one step of a sum that may be taken in any order."""
    return total + value


def larger(total: Any, value: Any) -> Any:
    """Return the larger of two numbers, NaN where one is: one step of ``np.max``.

    >>> larger(1.0, 2.0), larger(math.nan, 2.0)
    (2.0, nan)
    """
    return value if value > total or value != value else total


def smaller(total: Any, value: Any) -> Any:
    """Return the smaller of two numbers, NaN where one is: one step of ``np.min``."""
    return value if value < total or value != value else total


def sequence(items: Any, cls: type[list[Any]] | type[tuple[Any, ...]], nested: int, python: bool) -> Any:
    """The list (or what `cls` is) that the array `items` stands for, for a function that takes it as it is.

    Its items are such lists themselves, `nested` levels deep; the numbers in them are Python's own where `python` is true.
    """
    rows = (
        items.tolist()
        if python and not nested
        else [sequence(row, list, nested - 1, python) for row in items]
        if nested
        else items
    )
    return cls(rows)


def first_largest(x: Any) -> int:
    """Return the place of ``max(x)`` in the array `x`, as Python finds it: the first of equal ones; NaN is not larger.

    >>> first_largest(np.array([1.0, math.nan, 2.0, 2.0])), first_largest(np.array([math.nan, 2.0]))
    (2, 0)
    """
    place = _place_among_numbers(x, np.argmax)
    return max(range(len(x)), key=(x.tolist() if x.ndim == 1 else x).__getitem__) if place is None else place


def first_smallest(x: Any) -> int:
    """Return the place of ``min(x)`` in the array `x`: see `first_largest`."""
    place = _place_among_numbers(x, np.argmin)
    return min(range(len(x)), key=(x.tolist() if x.ndim == 1 else x).__getitem__) if place is None else place


def _place_among_numbers(x: Any, find: Callable[[Any], Any]) -> int | None:
    """The place that NumPy finds in the array `x` of real numbers; ``None`` where one of them is NaN, or it has none."""
    if x.ndim != 1 or not x.size or x.dtype.kind not in "biuf":
        return None
    place = int(find(x))
    return None if x[place] != x[place] else place


def places_in_order(x: Any, reverse: bool = False) -> Any:
    """Return the places of the numbers of the array `x` in the order of Python's ``sorted``, as an array.

    Equal numbers keep their order; where some are NaN, which are not in order, it is what comparing them one by one makes of it.

    >>> places_in_order(np.array([2.0, 1.0, 2.0])).tolist(), places_in_order(np.array([2.0, 1.0, 2.0]), True).tolist()
    ([1, 0, 2], [0, 2, 1])
    """
    if reverse:
        order = len(x) - 1 - np.flip(np.argsort(np.flip(x, 0), kind="stable"))
    else:
        order = np.argsort(x, kind="stable")
    last = x[order[:1] if reverse else order[-1:]]  # where NumPy puts what is NaN
    if np.any(last != last):
        return np.array(sorted(range(len(x)), key=x.tolist().__getitem__, reverse=reverse), dtype=order.dtype)
    return order


def place(index: int, size: int) -> int:
    """Return the place in an axis of `size` that `index` names, counted from its front; `size`, which is none, for one before it.

    >>> place(2, 3), place(-1, 3), place(-4, 3)
    (2, 2, 3)
    """
    return index if index >= 0 else index + size if index >= -size else size


def position(index: Any) -> int:
    """Return the integer that `index`, of a list or tuple, is.

    Raises:
        UnsupportedOperationError: it is a slice.
    """
    if isinstance(index, slice):
        message = "a slice that is known only when the program runs is taken of a list or tuple"
        raise UnsupportedOperationError(
            message, help="write it where it is used, `items[start:stop]`, or make the items an array"
        )
    return operator.index(index)
