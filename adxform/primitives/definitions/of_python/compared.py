"""`functools.cmp_to_key`: what compares by a function of two, as an object that is compared."""

from __future__ import annotations

import functools
from typing import Any

from adxform.primitives.definitions.definition import Definition, StandIn, Value


class Compared(StandIn):
    """What the function that ``cmp_to_key(compare)`` gives makes of `obj`."""

    def __init__(self, compare: Any, obj: Any) -> None:
        self.compare, self.obj = compare, obj

    def __lt__(self, other: Any) -> Any:
        """Whether `compare` puts it before `other`."""
        return self.compare(self.obj, other.obj) < 0

    def __le__(self, other: Any) -> Any:
        """Whether `compare` does not put it after `other`."""
        return self.compare(self.obj, other.obj) <= 0

    def __gt__(self, other: Any) -> Any:
        """Whether `compare` puts it after `other`."""
        return self.compare(self.obj, other.obj) > 0

    def __ge__(self, other: Any) -> Any:
        """Whether `compare` does not put it before `other`."""
        return self.compare(self.obj, other.obj) >= 0


class ByComparison(StandIn):
    """What ``cmp_to_key(compare)`` gives."""

    def __init__(self, compare: Any) -> None:
        self.compare = compare

    def __call__(self, obj: Any) -> Any:
        """The key of an item."""
        return Compared(self.compare, obj)


def _cmp_to_key(mycmp: Any) -> Any:
    return ByComparison(mycmp)


DEFINITIONS: tuple[Definition, ...] = (Definition(functools.cmp_to_key, _cmp_to_key, Value.FOLLOWED, sequences=True),)
