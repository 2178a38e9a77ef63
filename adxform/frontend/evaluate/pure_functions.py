"""Which functions may be called when a derivative is made: on known values they always give the same, and do nothing else.

They are named, for what a setting or the call itself decides is not among them: `np.getbufsize`, ``Decimal``, `id`.
What a call makes is kept only if it never changes: `stays` says so.
"""

from __future__ import annotations

import builtins
import cmath
import datetime as dt
import enum
import math
import operator
import re
import time
import types
from typing import Any

import numpy as np

from adxform.frontend.evaluate.outside.settled import may_change
from adxform.ir.kinds import scalar_type
from adxform.primitives.record import Effect
from adxform.primitives.table import definition, lookup, refusal


def _named(module: types.ModuleType | type, names: str) -> frozenset[Any]:
    return frozenset(getattr(module, name) for name in names.split() if hasattr(module, name))


_CLASSES = (str, bytes, int, float, bool, complex, tuple, frozenset, slice, range, type(np.dtype(float)),
            dt.date, dt.timedelta, re.Pattern, re.Match)  # fmt: skip
"""Classes of which each method only computes."""
_FUNCTIONS = (
    _named(
        builtins,
        "all any ascii bin bytes callable chr format frozenset hex isinstance issubclass list oct ord range repr slice sorted "
        "str sum tuple type",
    )
    | _named(operator, "attrgetter concat countOf indexOf inv itemgetter length_hint methodcaller truth")
    | {np.dtype, np.finfo, np.iinfo}
    | {getattr(module, name) for module in (math, cmath) for name in dir(module) if callable(getattr(module, name))}
    | _named(object, "__eq__ __ne__ __new__")
    | {dt.date, dt.datetime, dt.timedelta}
    | _named(re, "compile escape findall fullmatch match search split sub")
)
"""Functions of Python's that only compute, and of which no record says so; those of `math` that newer Pythons have, too."""
_TEXTS = frozenset({str, repr, ascii, format, str.format, str.__mod__, bytes.__mod__, str.format_map})
"""Functions that ask any object how it is written, and what attributes it has."""


def is_pure(fn: Any, values: tuple[Any, ...] = ()) -> bool:
    """Whether a call of `fn` (on `values`) may be made now: it has no effect and always gives the same."""
    if getattr(type(fn), "__hash__", None) is None or (_writes(fn, values) and not all(map(_is_plain, values))):
        return False
    match fn:
        case types.MethodDescriptorType() | types.WrapperDescriptorType() | types.ClassMethodDescriptorType():
            return fn.__objclass__ in _CLASSES or fn in _FUNCTIONS
        case types.MethodWrapperType() | types.BuiltinFunctionType() if isinstance(fn.__self__, _CLASSES):
            return True
        case np.ufunc() | operator.itemgetter():
            return True
        case type() if issubclass(fn, np.generic | np.dtype | np.finfo | np.iinfo):
            return fn is not np.datetime64  # which may be the time of the call
    return fn in _FUNCTIONS or _only_computes(fn)


def _only_computes(fn: Any) -> bool:
    """Whether the table, or a definition, says of a function of NumPy or Python that it has no effect."""
    record = lookup(fn)
    if record is None:
        refused = refusal(fn)
        return definition(fn) is not None or (refused is not None and refused.pure)
    return not isinstance(record.effect, Effect) or not (record.effect.writes or record.effect.opaque)


def _writes(fn: Any, values: tuple[Any, ...]) -> bool:
    """Whether ``fn(*values)`` makes a text of anything."""
    if isinstance(getattr(fn, "__self__", None), str):
        return fn.__name__ in ("format", "format_map", "__mod__")
    return fn in _TEXTS or (fn is operator.mod and any(isinstance(value, str | bytes) for value in values))


def only_says(fn: Any) -> bool:
    """Whether `fn` makes a text of what it is given, or prints it, and keeps nothing of it."""
    return fn is print or (getattr(type(fn), "__hash__", None) is not None and fn in _TEXTS) or fn is str.join


def only_looks(fn: Any) -> bool:
    """Whether `fn` changes nothing, though each call of it may give something else: it reads a clock."""
    return any(fn is clock for clock in _CLOCKS)


_CLOCKS = tuple(
    getattr(time, name + unit)
    for name in ("time", "perf_counter", "monotonic", "process_time", "thread_time")
    for unit in ("", "_ns")
)


def _is_plain(value: Any) -> bool:
    """Whether how `value` is written follows from what it is."""
    if isinstance(value, list | tuple | frozenset):
        return all(map(_is_plain, value))
    if isinstance(value, dict):
        return all(map(_is_plain, (*value, *value.values())))
    return not isinstance(value, type | types.ModuleType | np.generic) and (isinstance(value, enum.Enum) or stays(value))


def stays(value: Any) -> bool:
    """Whether `value` is of a class whose objects never change, so that all calls may share it."""
    return scalar_type(value) is not None or isinstance(value, np.finfo | np.iinfo) or not may_change(value)
