"""What is kept because it may be asked for again: bounded, and given back by `clear_cache`.

What is known of the library itself is needed by nearly every derivation, and stays.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any, Generic, TypeVar
from weakref import WeakSet

from adxform.threads.locks import new_lock

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
_all: WeakSet[Memo[Any, Any]] = WeakSet()
_MISSING: Any = object()


class Memo(Generic[K, V]):
    """Values by key, at most `limit` beside those of keys that are `lasting`; what was not asked for the longest goes first.

    `forget_all` leaves the latest `kept` of them.
    """

    def __init__(self, limit: int, lasting: Callable[[K], bool] = lambda key: False, kept: int = 0) -> None:
        self.limit = limit
        self.kept = kept
        self._is_lasting = lasting
        self._lasting: dict[K, V] = {}
        self._found: OrderedDict[K, V] = OrderedDict()
        self._lock = new_lock()
        _all.add(self)

    def get(self, key: K, make: Callable[[], V]) -> V:
        """The value of `key`, which `make` returns where there is none."""
        if self._lasting and key in self._lasting:
            return self._lasting[key]
        with self._lock:
            found: V = self._found.get(key, _MISSING)
            if found is not _MISSING:
                self._found.move_to_end(key)
                return found
        value = make()
        with self._lock:
            if self._is_lasting(key):
                return self._lasting.setdefault(key, value)
            self._found[key] = value
            if len(self._found) > self.limit:
                self._found.popitem(last=False)
        return value

    def forget(self) -> None:
        """Drop what does not last, but for the latest."""
        with self._lock:
            while len(self._found) > self.kept:
                self._found.popitem(last=False)


def forget_all() -> None:
    """Drop what memos keep, and is no part of the library."""
    for memo in tuple(_all):
        memo.forget()
