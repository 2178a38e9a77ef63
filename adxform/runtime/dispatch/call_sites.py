"""The latest applications of a function, by the kinds of their arguments: what a call finds without reading its signature."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import FunctionType
from typing import Any
from weakref import ReferenceType, WeakKeyDictionary

import numpy as np

from adxform.frontend.derivative_operators import Operator
from adxform.frontend.signature import Signature
from adxform.ir.spans import own_attribute
from adxform.runtime.cache import epoch
from adxform.runtime.dispatch.cache_entries import CacheEntry


@dataclass(frozen=True, slots=True)
class CallSiteEntry:
    """An entry that may be good for the next call with arguments of the same kinds; `target` is ``None`` for the function.

    The cache alone keeps the entry: a function that outlives a cleared cache keeps no rules alive.
    """

    target: Callable[..., Any] | None
    signature: Signature
    kept: ReferenceType[CacheEntry]
    epoch: tuple[int, int]
    code: Any

    def entry(self, fn: Callable[..., Any], leaves: tuple[Any, ...]) -> CacheEntry | None:
        """The entry, if it is good: nothing was cleared or registered, the code is the same, and the guards hold."""
        target, entry = self.target or fn, self.kept()
        if entry is None or self.epoch != epoch() or self.code is not code_of_target(target):
            return None
        return entry if entry.holds(target, leaves) else None


Site = dict[tuple[Any, ...], CallSiteEntry]
KINDS = 64
DEPTH = 6
UNKNOWN = "more than is quickly told"
NUMBERS = frozenset([float, int, bool, np.float64, np.float32])
KEYS = frozenset([str, int])
"""Classes of keys that are told apart by being equal: ``1``, ``1.0`` and ``True`` are not."""
_sites: WeakKeyDictionary[Any, Site] = WeakKeyDictionary()


def site_of(fn: Any) -> Site | None:
    """Where the latest applications of a function or an operator object are kept, by the kinds of their arguments."""
    match fn:
        case FunctionType():
            site = _sites.get(fn)
            return _sites.setdefault(fn, {}) if site is None else site
        case Operator():
            own: Site = vars(fn).setdefault("_site", {})
            return own
        case _:
            return None


def kinds_of(args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> tuple[tuple[Any, ...], tuple[Any, ...]] | None:
    """What the signature of a call depends on, and its leaves; ``None`` where the arguments hold more than is quickly told.

    >>> kinds_of((1.0, {"n": 2}), {})
    ((<class 'float'>, (<class 'dict'>, ('n',), <class 'int'>)), (1.0, 2))
    """
    leaves: list[Any] = []
    held: list[int] = []
    kinds = [kind_of(arg, leaves, held, DEPTH) for arg in args]
    for name, value in kwargs.items():
        kinds += (name, kind_of(value, leaves, held, DEPTH))
    if UNKNOWN in kinds or (len(held) > 1 and len(set(held)) < len(held)):
        return None
    return tuple(kinds), tuple(leaves)


def kind_of(value: Any, leaves: list[Any], held: list[int], depth: int) -> Any:
    """The kind of one argument, whose leaves are appended to `leaves`, and whose lists and dicts to `held`."""
    cls = type(value)
    if cls is np.ndarray:
        leaves.append(value)
        return (value.dtype, *[length == 1 for length in value.shape])
    if cls in NUMBERS:
        leaves.append(value)
        return cls
    if value is None:
        return None
    if cls is not tuple:
        held.append(id(value))
    if depth and (cls is tuple or cls is list):
        kinds = (cls, *[kind_of(item, leaves, held, depth - 1) for item in value])
    elif depth and cls is dict and KEYS.issuperset(map(type, value)):
        kinds = (cls, tuple(value), *[kind_of(item, leaves, held, depth - 1) for item in value.values()])
    else:
        return UNKNOWN
    return UNKNOWN if UNKNOWN in kinds else kinds


def code_of_target(fn: Callable[..., Any]) -> Any:
    """The code that calling `fn` runs, if it is a function."""
    return own_attribute(fn, "__code__")
