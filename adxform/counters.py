"""Counts what is done once per key and what is done per call, so that "derive once" can be checked."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields
from threading import Lock
from typing import Literal

Counter = Literal[
    "rule_builds",
    "cache_hits",
    "source_parses",
    "py_compiles",
    "buffer_allocs",
    "primal_calls",
    "disk_hits",
    "disk_writes",
]


@dataclass(slots=True)
class Counters:
    """Totals since the start of the process or the last `reset`."""

    rule_builds: int = 0
    cache_hits: int = 0
    source_parses: int = 0
    py_compiles: int = 0
    buffer_allocs: int = 0
    primal_calls: int = 0
    disk_hits: int = 0
    disk_writes: int = 0


_TOTALS = Counters()
_LOCK = Lock()


def count(what: Counter, by: int = 1) -> None:
    """Add `by` to the counter `what`."""
    with _LOCK:
        setattr(_TOTALS, what, getattr(_TOTALS, what) + by)


def snapshot() -> dict[str, int]:
    """Return the totals by name."""
    with _LOCK:
        return asdict(_TOTALS)


def reset() -> None:
    """Set every counter to zero."""
    with _LOCK:
        for field in fields(_TOTALS):
            setattr(_TOTALS, field.name, 0)
