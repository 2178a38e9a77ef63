"""What the decorators of Numba give, and what a derivative follows in its place: the Python function that was compiled.

Objects of Numba's are known by where their class is written: it is not loaded for a program that does without it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from adxform.ir.spans import own_attribute


def python_function(fn: Any) -> Callable[..., Any] | None:
    """The function that `numba.jit` or `numba.njit` compiled into `fn`; ``None`` where `fn` is nothing of that kind."""
    return own_attribute(fn, "py_func") if _is_numbas(fn) else None


def number_function(fn: Any) -> Callable[..., Any] | None:
    """The function of numbers of which `numba.vectorize` made `fn`; ``None`` where `fn` is nothing of that kind."""
    return own_attribute(fn, "__wrapped__") if _is_numbas(fn) and type(fn).__name__ == "DUFunc" else None


def works_on_parts(fn: Any) -> bool:
    """Whether `fn` was made by `numba.guvectorize`, of a function that is given parts of arrays."""
    return _is_numbas(fn) and type(fn).__name__ == "GUFunc"


def counts_in_parallel(fn: Any) -> bool:
    """Whether `fn` is `numba.prange`, which is `range` in Python."""
    return isinstance(fn, type) and fn.__name__ == "prange" and fn.__module__.startswith("numba.")


def _is_numbas(fn: Any) -> bool:
    return str(type(fn).__module__).startswith("numba.")
