"""``ADXFORM_DEBUG=1``: while a derivative runs, what the analyses believed of it is compared with what the run has.

The transforms and the last pass (`adxform.passes.belief_checks`) write calls of these functions among the other ops.
"""

from __future__ import annotations

import os
from typing import Any, NoReturn
from weakref import ref

import numpy as np

from adxform.errors import BeliefError
from adxform.runtime.run_time_checks import undefined

_DEBUGGING = bool(os.environ.get("ADXFORM_DEBUG"))
"""Asked once: what is derived, kept in memory and on the disk in a process is all of one kind."""
WORK = 10_000
"""How much is done to find out whether two arrays that overlap share an element: more is not known, and not complained of."""
PURGED = 256

Lengths = tuple[int | str | tuple[str, int], ...]
"""The lengths of an array: a number, a name, or a name and what is added to it (the sum is zero at least)."""
_PLAIN: dict[str, type[Any]] = {"bool": bool, "int64": int, "float64": float, "complex128": complex}


def is_debugging() -> bool:
    """Whether the environment asks for the checks."""
    return _DEBUGGING


def seen(value: Any) -> Any:
    """Return what `value` is now: a number itself, an array with its contents as they are."""
    return value.copy(order="K") if isinstance(value, np.ndarray) else value


def check_seen(value: Any, before: Any, what: str) -> None:
    """See that `value` is what was `seen` of it, to the bit; a number on a tape is NumPy's.

    >>> check_seen(np.array([0.0, np.nan]), np.array([0.0, np.nan]), "x")

    Raises:
        BeliefError: it is not.
    """
    if value is not before and not _same_bits(np.asarray(value), np.asarray(before)):
        broken(what, f"is {_said(value)}, and was {_said(before)}")


def _same_bits(one: Any, other: Any) -> bool:
    if one.shape != other.shape or one.dtype != other.dtype:
        return False
    if one.dtype.kind not in "fc":
        return bool(np.array_equal(one, other))
    parts = ((one.real, other.real), (one.imag, other.imag)) if one.dtype.kind == "c" else ((one, other),)
    return all(
        np.array_equal(a, b, equal_nan=True) and np.array_equal(np.signbit(a[a == 0]), np.signbit(b[b == 0])) for a, b in parts
    )


def _said(value: Any) -> str:
    return f"an array of {value.dtype}, {value.shape}" if isinstance(value, np.ndarray) else repr(value)


def broken(what: str, found: str) -> NoReturn:
    """Raise that something else was believed of `what`, an op, than the run `found`."""
    raise BeliefError(f"internal: an analysis believed what does not hold: `{what}` {found}", help="please report it")


class Beliefs:
    """What one run of a function has shown so far: of which class of memory each living array is, and the lengths by name.

    Arrays lie by the memory that they belong to and by class, so that only views of the same memory are compared.
    """

    __slots__ = ("arrays", "classes", "lengths")

    def __init__(self) -> None:
        self.arrays: dict[int, dict[int, list[ref[Any]]]] = {}
        self.classes: dict[int, int] = {}
        self.lengths: dict[str, int] = {}

    def place(self, value: Any, class_: int, what: str) -> None:
        """Note the array `value`, of memory of the class `class_`, which no array of another class may share."""
        class_ = self.classes.get(class_, class_)
        there = self.arrays.setdefault(_root(value), {})
        for other, found in there.items():
            if other != class_ and any(shares(value, array()) for array in found):
                broken(what, "shares memory with an array that it was believed to be apart from")
        kept = there.setdefault(class_, [])
        if len(kept) >= PURGED:
            kept[:] = [array for array in kept if array() is not None]
        kept.append(ref(value))

    def measure(self, value: Any, lengths: Lengths, fresh: tuple[str, ...], what: str) -> None:
        """See that the array `value` has these `lengths`, of which the names `fresh` mean new ones."""
        if len(lengths) != value.ndim:
            broken(what, f"has {value.ndim} axes")
        for name in fresh:
            self.lengths.pop(name, None)
        for believed, length in zip(lengths, value.shape, strict=True):
            base, offset = believed if isinstance(believed, tuple) else (believed, 0)
            if isinstance(base, str):
                if base not in self.lengths and (length > 0 or offset == 0):
                    self.lengths[base] = length - offset
                if base not in self.lengths:
                    continue
                base = self.lengths[base]
            if length != max(base + offset, 0):
                broken(what, f"has the lengths {value.shape}")


def _root(value: Any) -> int:
    """The object that the memory of the array `value` belongs to, as a number."""
    while (base := getattr(value, "base", None)) is not None:
        value = base
    return id(value)


def shares(one: Any, other: Any) -> bool:
    """Whether two arrays, of which the second may be gone, are known to share an element."""
    if other is None or one is other or not np.may_share_memory(one, other):
        return other is not None and one is other and one.size > 0
    try:
        return bool(np.shares_memory(one, other, max_work=WORK))  # type: ignore[arg-type]
    except np.exceptions.TooHardError:
        return False


def check_entry(known: Beliefs, classes: tuple[int, ...], written: tuple[int, ...], what: str, *arrays: Any) -> None:
    """See that of the `arrays` that a function is given, of these classes, none shares memory with one that is `written`.

    Others may, and what is made of them may then as well.

    Raises:
        BeliefError: one of the classes `written` does.
    """
    for place, (class_, array) in enumerate(zip(classes, arrays, strict=True)):
        for other, before in zip(classes[:place], arrays[:place], strict=True):
            one, two = known.classes.get(class_, class_), known.classes.get(other, other)
            if one != two and isinstance(array, np.ndarray) and isinstance(before, np.ndarray) and shares(array, before):
                if class_ in written or other in written:
                    broken(what, "is given arrays that share memory, and writes to one of them")
                known.classes |= {each: one for each in classes if known.classes.get(each, each) == two}


def check_array(
    known: Beliefs, value: Any, class_: int, dtype: str, lengths: Lengths | None, fresh: tuple[str, ...], what: str
) -> None:
    """See that `value` is an array of these `lengths` (``None``: any, and maybe a number), in memory apart.

    Its dtype is this one, or one that paths which meet there have and this one stands for.

    Raises:
        BeliefError: it is something else. Nothing is believed of what a path leaves undefined.
    """
    if isinstance(value, np.ndarray) and (value.ndim or value.dtype != object):
        if not np.can_cast(value.dtype, np.dtype(dtype)):
            broken(what, f"is an array of {value.dtype}")
        if lengths is not None:
            known.measure(value, lengths, fresh, what)
        known.place(value, class_, what)
    elif lengths is not None and not _is_nothing(value):
        broken(what, f"is {value!r}, of class {type(value).__name__}")


def _is_nothing(value: Any) -> bool:
    """Whether `value` stands for an array, or a cotangent, that the path taken leaves undefined, or is made of such."""
    if isinstance(value, np.ndarray):
        return bool(value.dtype == object)
    return value is None or value is undefined or (type(value) in (bool, int, float) and not value)


def check_number(value: Any, dtypes: tuple[str, ...], what: str) -> None:
    """See that `value` is a number of one of these `dtypes`, Python's own or NumPy's, or NumPy's of one that these hold.

    >>> check_number(2.0, ("float64",), "x: float")

    Raises:
        BeliefError: it is something else.
    """
    cls = type(value)
    if value is undefined or any(cls is np.dtype(dtype).type or cls is _PLAIN.get(dtype) for dtype in dtypes):
        return
    if not (isinstance(value, np.generic) and any(np.can_cast(value.dtype, np.dtype(dtype)) for dtype in dtypes)):
        broken(what, f"is {value!r}, of class {cls.__name__}")
