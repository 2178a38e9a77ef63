"""Which objects from outside stay what they are as long as they are the same object."""

from __future__ import annotations

import enum
import functools
import inspect
import types
from typing import Any

import numpy as np

from adxform.frontend.derivative_operators import Operator
from adxform.ir.own_class import is_of_its_class

LISTED: tuple[type, ...] = (set, type({}.keys()))
"""Classes whose objects change, though whatever is asked of them follows from what is in them: that is guarded."""

_ALWAYS = (type, types.ModuleType, np.ufunc, np.dtype, enum.Enum, Operator, functools.partial)
_PLAIN = (int, float, complex, str, bytes, type(None), type(...), type(NotImplemented), range, slice, tuple, types.CodeType,
          types.GenericAlias, types.UnionType, property, staticmethod, classmethod, functools.cached_property)  # fmt: skip
_LIBRARIES = ("typing", "fractions", "datetime", "re", "pathlib", "uuid", "operator", "adxform")
"""Modules whose objects, as far as they are no lists, dicts and arrays, never change."""


def may_change(value: Any) -> bool:
    """Whether an object from outside may be another one at the next call, though it is the same object."""
    if not is_of_its_class(value):
        return True
    if isinstance(value, _ALWAYS) or inspect.isroutine(value):
        return False
    if type(value) is frozenset:
        return any(map(may_change, value))
    return type(value) not in _PLAIN and type(value).__module__.partition(".")[0] not in _LIBRARIES


def is_listed(value: Any) -> bool:
    """Whether what is asked of `value` follows from what is in it now, and that can be compared at each call."""
    return type(value) in LISTED and not any(map(may_change, value))
