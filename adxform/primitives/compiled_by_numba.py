"""What Numba has compiled, by what it means: the Python code of a function, and the loops and types that a program names.

Numba itself is not imported: whoever has such a function has it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from types import FunctionType
from typing import Any

from adxform.ir.spans import own_attribute

_STANDS_FOR: dict[str, Callable[..., Any]] = {"prange": range}
_OTHER_NUMBERS = re.compile(r"float(16|32)|complex64|u?int(8|16|32)\b|uint64")
_WHOLE = re.compile(r"\b(int64|bool\w*)\b")
_FLOATS = re.compile(r"float64|array\(float64, ")


def python_code(fn: object) -> FunctionType | None:
    """The function of Python's that Numba compiles when `fn` is called; ``None`` where `fn` is nothing of the kind."""
    found = own_attribute(fn, "py_func") if type(fn).__module__.startswith("numba.") else None
    return found if isinstance(found, FunctionType) else None


def number_function(fn: object) -> FunctionType | None:
    """The function of numbers of which `numba.vectorize` made `fn`; ``None`` where `fn` is nothing of the kind."""
    found = own_attribute(fn, "__wrapped__") if _is_made_as(fn, "DUFunc") and not converts(fn) else None
    return found if isinstance(found, FunctionType) else None


def converts(fn: object) -> bool:
    """Whether `fn` was compiled for types to which it converts numbers: what it is given, what it computes, or what it gives.

    ``@njit("float32(float32)")`` rounds, and ``@vectorize(["int64(float64)"])`` leaves the fraction away.
    """
    if _is_made_as(fn, "DUFunc"):
        return own_attribute(fn, "_frozen") is True and not all(map(_gives_as_computed, own_attribute(fn, "types", ())))
    if python_code(fn) is None:
        return False
    fixed = () if own_attribute(fn, "_can_compile") else own_attribute(fn, "nopython_signatures", ())
    numbers = re.findall(_NUMBERS, " ".join(map(str, (*fixed, *(own_attribute(fn, "locals") or {}).values()))))
    return any(one != "float64" for one in numbers)


_NUMBERS = re.compile(r"\b(?:u?int(?:p|c|\d+)|float\d+|complex\d+|bool\w*)\b")


def _gives_as_computed(loop: str) -> bool:
    """Whether a loop of a universal function (``"dd->d"``), which is given what it is for, gives doubles, or what it is given."""
    given, _, gives = loop.partition("->")
    return set(gives) == {"d"} or set(gives) == set(given)


def works_on_parts(fn: object) -> bool:
    """Whether `fn` was made by `numba.guvectorize`, of a function that is given parts of arrays."""
    return _is_made_as(fn, "GUFunc")


def _is_made_as(fn: object, name: str) -> bool:
    return type(fn).__name__ == name and type(fn).__module__.startswith("numba.")


def meant_by(fn: object) -> Callable[..., Any] | None:
    """What does in Python what `fn`, a name of Numba's, does in code that it compiles: ``range`` for ``prange``."""
    if not isinstance(fn, type) or not fn.__module__.startswith("numba."):
        return None
    return _STANDS_FOR.get(fn.__name__)


def takes_as_they_are(fn: Any, kinds: tuple[str, ...]) -> bool:
    """Whether `fn` computes with arguments of these `kinds` as Python would: one of a signature of its own converts none of them.

    A kind is ``"float"``, ``"whole"`` or ``"other"``.
    """
    if own_attribute(fn, "locals"):  # types that it gives to variables
        return False
    if fn._can_compile:
        return True
    signatures = [[str(given) for given in one.args] + [str(one.return_type)] for one in fn.nopython_signatures]
    return all(
        len(one) == len(kinds) + 1
        and not any(map(_OTHER_NUMBERS.search, one))
        and not _WHOLE.search(one[-1])
        and all((kind == "float") == bool(_FLOATS.match(given)) for kind, given in zip(kinds, one, strict=False))
        for one in signatures
    )
