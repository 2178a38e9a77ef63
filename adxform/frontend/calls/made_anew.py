"""Whose it is what a call gives: nobody else's, a view of what it was given first, or what only the run knows."""

from __future__ import annotations

import array
import collections
import types
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from adxform.frontend.signature.class_meaning import is_changeable
from adxform.ir.ops import Call, Lit, Var
from adxform.ir.types import Array
from adxform.primitives.effects import is_making
from adxform.primitives.record import Effect, Primitive
from adxform.primitives.signatures import form_of
from adxform.primitives.table import lookup

Whose = Literal["new", "a view", "unknown"]

_MAKING = frozenset("copy deepcopy sorted abs len round".split())  # noqa: SIM905
"""Names of functions of Python's whose results are nobody else's; ``max`` may give a list that it is given."""
_OWNING = frozenset(
    {object, bool, int, float, complex, str, bytes, tuple, frozenset, list, dict, set, bytearray, array.array, collections.deque,
     collections.Counter, collections.OrderedDict, collections.defaultdict, types.SimpleNamespace}
)  # fmt: skip
"""Classes of Python's whose objects keep what is stored in them by themselves, as a `memoryview` does not."""
_ABSTRACT = ("abc", "typing", "collections.abc")
"""Modules of classes that say nothing of where their objects keep what they hold."""


def result_of(fn: Callable[..., Any], count: int, names: tuple[str, ...]) -> Whose:
    """Whose it is what a function gives that is called with so many arguments by position, and with options of these `names`."""
    if getattr(fn, "__module__", None) in ("builtins", "copy"):
        return "new" if getattr(fn, "__name__", "") in _MAKING else "unknown"
    record = lookup(fn)
    if record is None:
        return (
            "new"
            if is_making(fn) or (isinstance(fn, np.ufunc) and any(set(kinds) != set("O->") for kinds in fn.types))
            else "unknown"
        )
    return _by_record(record, fn, count, names)


def _by_record(record: Primitive, fn: Callable[..., Any], count: int, names: tuple[str, ...]) -> Whose:
    try:
        form = form_of(fn, count, names)
    except TypeError:  # it cannot be called so
        return "unknown"
    options = tuple((name, Lit(None)) for name in (*names, *(one.name for one in (form.positional if form else ()))))
    x = Var("x", Array("float64", None))
    calls = [Call((), Lit(fn), (first, *[x] * (count - 1)), options) for first in (x, Lit(""))]
    effects = [record.effect if isinstance(record.effect, Effect) else record.effect(call) for call in calls]
    views = {place for effect in effects for place in effect.views}
    if any(effect.opaque for effect in effects) or views - {0}:
        return "unknown"
    return "a view" if views or any(name == "copy" for name, _ in options) else "new"


def keeps_its_own(cls: type) -> bool:
    """Whether each call of `cls` makes an object of its own, which keeps by itself what is stored in it."""
    if type(cls).__call__ is not type.__call__ or isinstance(cls.__new__, types.FunctionType):
        return False
    return all(base in _OWNING or is_changeable(base) or base.__module__ in _ABSTRACT for base in cls.__mro__)


def starts_empty(cls: type) -> bool:
    """Whether an object of `cls` that is made of nothing, or of classes, holds nothing."""
    return cls in _OWNING
