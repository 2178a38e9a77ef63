"""Counts what is done once per key and what is done per call, so that "derive once" can be checked."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Literal, get_args

from adxform.threads.locks import new_lock

Counter = Literal[
    "rule_builds",
    "cache_hits",
    "source_parses",
    "py_compiles",
    "machine_compiles",
    "buffer_allocs",
    "primal_calls",
    "disk_hits",
    "disk_writes",
]


class Tally:
    """A total that threads add to by `step`, without a lock: nothing interrupts a step of `itertools.count`."""

    __slots__ = ("_apart", "step")

    def __init__(self) -> None:
        self.step: Callable[[], int] = itertools.count().__next__
        self._apart = 0

    def total(self) -> int:
        """The steps since the start or the last `reset`; looking is a step that is left out."""
        total = self.step() - self._apart
        self._apart += 1
        return total

    def reset(self) -> None:
        """Start again from zero."""
        self._apart = self.step() + 1


_TALLIES: dict[str, Tally] = {name: Tally() for name in get_args(Counter)}
_LOCK = new_lock()


def count(what: Counter, by: int = 1) -> None:
    """Add `by` to the counter `what`."""
    step = _TALLIES[what].step
    for _ in range(by):
        step()


def stepper(what: Counter) -> Callable[[], object]:
    """What adds one to the counter `what`, for those who do so at every call."""
    return _TALLIES[what].step


def snapshot() -> dict[str, int]:
    """Return the totals by name, since the start of the process or the last `reset`."""
    with _LOCK:
        return {name: tally.total() for name, tally in _TALLIES.items()}


def reset() -> None:
    """Set every counter to zero."""
    with _LOCK:
        for tally in _TALLIES.values():
            tally.reset()
