"""Compiling kernels with Numba, which is imported when the first one is made."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any, TypeVar

from adxform.engine import scalars

F = TypeVar("F", bound=Callable[..., Any])

_lock = threading.Lock()
_ready: list[bool] = []


def kernel(fn: F) -> F:
    """`fn` compiled to machine code at its first call with arguments of a kind. It does not hold the interpreter's lock."""
    import numba

    with _lock:
        if not _ready:
            for form in (*scalars.FORMS.values(), *scalars.CHECKS):
                numba.extending.register_jitable(form)
            _ready.append(True)
    compiled: F = numba.njit(error_model="numpy", nogil=True)(fn)
    return compiled


def is_available() -> bool:
    """Whether Numba can be imported."""
    from importlib.util import find_spec

    return find_spec("numba") is not None
