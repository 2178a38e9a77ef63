"""The class that a value of the program has for Python, and whether operators on it are Python's own affair."""

from __future__ import annotations

import collections
import types
from typing import assert_never

import numpy as np

from adxform.frontend.evaluate.values import (
    Enumerate,
    FunctionValue,
    InnerPullback,
    Mapped,
    Maybe,
    Method,
    Once,
    OneOf,
    Poison,
    Range,
    Ref,
    Rest,
    Reversed,
    Slice,
    Static,
    Stream,
    Tuple,
    Value,
    View,
    Zip,
)
from adxform.frontend.signature import python_class
from adxform.ir.kinds import alternatives
from adxform.ir.ops import Lit, Var
from adxform.ir.types import Array, Scalar

SEQUENCES = (list, tuple, str, bytes)
SETS = (set, frozenset)
VIEWS: dict[str, type] = {"keys": type({}.keys()), "values": type({}.values()), "items": type({}.items())}
_OTHERS = (
    dict,
    range,
    slice,
    type(None),
    type(...),
    types.FunctionType,
    types.BuiltinFunctionType,
    types.ModuleType,
    np.ufunc,
    Once,
    *VIEWS.values(),
)
"""Classes, besides sequences and sets, whose operands are not numbers."""


def class_of(value: Value) -> type | None:
    """The class that `value` has for Python; ``None`` where only a run can tell, or where the class is the user's own."""
    match value:
        case Var(_, Array(_, shape)):
            return None if shape is None else np.ndarray
        case Var(_, Scalar() as type_):
            kinds = alternatives(type_)
            alike = all(kind.weak is type_.weak and _is_integer(kind) is _is_integer(kinds[0]) for kind in kinds)
            return python_class(type_.dtype, type_.weak) if alike else None
        case Lit(literal):
            return type(literal)
        case Tuple(cls=cls):
            return cls
        case Ref(kind="list" | "dict" | "set"):
            return value.cls
        case Range():
            return range
        case Slice():
            return slice
        case View(part=part):
            return VIEWS[part]
        case Static(found):
            return type(found) if isinstance(found, (*SEQUENCES, *SETS, *_OTHERS)) else None
        case FunctionValue() | Method() | InnerPullback():
            return types.FunctionType
        case OneOf():
            return None
        case Once():
            return Once
        case Var() | Ref() | Maybe() | Poison() | Zip() | Enumerate() | Mapped() | Reversed() | Rest() | Stream():
            return None  # a list of pairs, perhaps
        case _:
            assert_never(value)


def _is_integer(kind: Scalar) -> bool:
    return kind.dtype.startswith(("int", "uint", "bool"))


def is_container(cls: type | None) -> bool:
    """Whether operands of this class are neither numbers nor arrays, and behave as Python says."""
    return cls is not None and issubclass(cls, (*SEQUENCES, *SETS, *_OTHERS, collections.deque))


def is_numpy(cls: type) -> bool:
    """Whether values of this class are arrays or NumPy's numbers."""
    return issubclass(cls, np.ndarray | np.generic)


def name_of(cls: type) -> str:
    """What an error calls a class."""
    return "iterator" if cls is Once else cls.__name__


def stands_in(cls: type) -> bool:
    """Whether `cls` is one of adxform's whose objects stand for what a function of SciPy's makes."""
    return cls.__module__.startswith(("adxform.primitives.scipy_rules.", "adxform.api.scipy_models."))
