"""What the decorators of Numba give, and what a derivative follows in its place: the Python function that was compiled.

Objects of Numba's are known by where their class is written: it is not loaded for a program that does without it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from adxform.ir.spans import own_attribute


def python_function(fn: Any) -> Callable[..., Any] | None:
    """The function that `numba.jit` or `numba.njit` compiled into `fn`; ``None`` where `fn` does nothing like that."""
    return own_attribute(fn, "py_func") if _is_numbas(fn) and not converts(fn) else None


def number_function(fn: Any) -> Callable[..., Any] | None:
    """The function of numbers of which `numba.vectorize` made `fn`; ``None`` where `fn` does nothing like that."""
    return own_attribute(fn, "__wrapped__") if _is_of_numbers(fn) and not converts(fn) else None


def converts(fn: Any) -> bool:
    """Whether `fn` was compiled for types to which it converts numbers: what it is given, what it computes, or what it gives.

    ``@njit("float32(float32)")`` rounds, and ``@vectorize(["int64(float64)"])`` leaves the fraction away.
    """
    if _is_of_numbers(fn):
        return own_attribute(fn, "_frozen") is True and not all(map(_gives_as_computed, fn.types))
    if not _is_numbas(fn) or own_attribute(fn, "py_func") is None:
        return False
    fixed = () if own_attribute(fn, "_can_compile") else fn.nopython_signatures
    numbers = re.findall(_NUMBERS, " ".join(map(str, (*fixed, *(own_attribute(fn, "locals") or {}).values()))))
    return any(one != "float64" for one in numbers)


_NUMBERS = re.compile(r"\b(?:u?int(?:p|c|\d+)|float\d+|complex\d+|bool\w*)\b")


def _gives_as_computed(loop: str) -> bool:
    """Whether a loop of a universal function (``"dd->d"``), which is given what it is for, gives doubles, or what it is given."""
    given, _, gives = loop.partition("->")
    return set(gives) == {"d"} or set(gives) == set(given)


def works_on_parts(fn: Any) -> bool:
    """Whether `fn` was made by `numba.guvectorize`, of a function that is given parts of arrays."""
    return _is_numbas(fn) and type(fn).__name__ == "GUFunc"


def counts_in_parallel(fn: Any) -> bool:
    """Whether `fn` is `numba.prange`, which is `range` in Python."""
    return isinstance(fn, type) and fn.__name__ == "prange" and fn.__module__.startswith("numba.")


def _is_of_numbers(fn: Any) -> bool:
    return _is_numbas(fn) and type(fn).__name__ == "DUFunc"


def _is_numbas(fn: Any) -> bool:
    return str(type(fn).__module__).startswith("numba.")
