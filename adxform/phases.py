"""What a first call spends its time on. While a phase lasts, the cyclic garbage collector rests.

A build makes many small objects that it would walk again and again for nothing.
"""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal, get_args

Phase = Literal["import", "transform", "emit", "compile", "disk"]
_spent: dict[Phase, float] = dict.fromkeys(get_args(Phase), 0.0)
_lock = threading.Lock()
_here = threading.local()


@contextmanager
def phase(name: Phase) -> Iterator[None]:
    """Let what is done in the block count for the phase `name`, and not for the one that it interrupts."""
    outer: Phase | None = getattr(_here, "phase", None)
    resting = not gc.isenabled()
    _turn(outer, name)
    gc.disable()
    try:
        yield
    finally:
        _turn(name, outer)
        if not resting:
            if gc.get_freeze_count() == 0:  # what was made counts as old: nobody walks all of it at once now
                gc.freeze()
                gc.unfreeze()
            gc.enable()


def _turn(before: Phase | None, after: Phase | None) -> None:
    now = time.perf_counter()
    if before is not None:
        with _lock:
            _spent[before] += now - _here.since
    _here.phase, _here.since = after, now


def times() -> dict[str, float]:
    """The seconds that first calls have taken since the start of the process, or the last `clear_cache`, by phase.

    ``transform``: reading a function, and differentiating it; ``emit``: writing the derivative as Python, with loops for the
    compiled engine; ``compile``: machine code; ``import``: Numba, when it is first needed; ``disk``: what was kept there.
    """
    with _lock:
        return {str(name): seconds for name, seconds in _spent.items()}


def reset() -> None:
    """Set every phase to zero."""
    with _lock:
        for name in _spent:
            _spent[name] = 0.0
