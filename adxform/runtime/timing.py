"""What a first call spends its time on. While a phase lasts, the cyclic garbage collector rests.

A build makes many small objects that it would walk again and again for nothing.
"""

from __future__ import annotations

import gc
import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, get_args

from adxform.threads.locks import new_lock

Phase = Literal["import", "transform", "emit", "compile", "disk"]
_spent: dict[Phase, float] = dict.fromkeys(get_args(Phase), 0.0)
_steps: dict[str, float] = {}
_lock = new_lock()
_here = threading.local()
_resting: set[int] = set()
"""The threads that made the collector rest."""
_frozen = [False]


@contextmanager
def phase(name: Phase) -> Iterator[None]:
    """Let what is done in the block count for the phase `name`, and not for the one that it interrupts."""
    outer: Phase | None = getattr(_here, "phase", None)
    thread = threading.get_ident()
    ours = gc.isenabled() or (outer is None and thread in _resting)  # the latter after an interrupt
    try:
        _turn(outer, name)
        if ours:
            _resting.add(thread)
            gc.disable()
        yield
    finally:
        _here.phase = outer
        if ours:  # nothing is called ahead of this, so that no signal comes in between
            gc.enable()
            _resting.discard(thread)
            _count_as_old()
        _turn(name, outer)


def _count_as_old() -> None:
    """Have what was made count as old, so that nobody walks all of it at once now.

    Left alone from the first time on that somebody has frozen objects: they are counted one by one, and are not to be thawed.
    """
    if not _frozen[0] and gc.get_freeze_count() == 0:
        gc.freeze()
        gc.unfreeze()
    else:
        _frozen[0] = True


def add_step(name: str, seconds: float) -> None:
    """Count `seconds` for the pass ``list:pass`` of that `name`, those of lists inside it too."""
    with _lock:
        _steps[name] = _steps.get(name, 0.0) + seconds


def _turn(before: Phase | None, after: Phase | None) -> None:
    now = time.perf_counter()
    if before is not None:
        with _lock:
            _spent[before] += now - getattr(_here, "since", now)
    _here.phase, _here.since = after, now


def times(*, passes: bool = False) -> dict[str, float]:
    """The seconds that first calls have taken since the start of the process, or the last `clear_cache`, by phase.

    ``transform``: reading a function, and differentiating it; ``emit``: writing the derivative as Python, with loops for the
    compiled engine; ``compile``: machine code; ``import``: Numba, when it is first needed; ``disk``: what was kept there.
    With `passes`, those of each pass instead, as ``list:pass`` (see `adxform.passes.pipeline`); they are parts of the phases.
    """
    with _lock:
        if passes:
            return dict(_steps)
        return {str(name): seconds for name, seconds in _spent.items()}


def reset() -> None:
    """Set every phase to zero."""
    with _lock:
        _steps.clear()
        for name in _spent:
            _spent[name] = 0.0


def wake() -> None:
    """After a fork: let the collector work, unless it was this thread that made it rest."""
    if _resting and threading.get_ident() not in _resting:
        gc.enable()
    _resting.intersection_update({threading.get_ident()})


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=wake)
