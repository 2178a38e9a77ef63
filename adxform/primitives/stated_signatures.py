"""Signatures that a function hides behind ``**kwargs``, or that `inspect` cannot tell, stated as functions that do nothing."""

from __future__ import annotations

import functools
import itertools
import math
from collections import OrderedDict
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

ABSENT = object()
"""The default of a parameter that no value stands for."""


def _add_up(
    self: Any,
    /,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = ABSENT,
    where: Any = True,
) -> None: ...


def _average(
    self: Any, /, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: Any = False, *, where: Any = True
) -> None: ...


def _fill(self: Any, value: Any, /) -> None: ...


def _extreme(
    self: Any, /, axis: Any = None, out: Any = None, keepdims: Any = False, initial: Any = ABSENT, where: Any = True
) -> None: ...


def _spread(
    self: Any,
    /,
    axis: Any = None,
    dtype: Any = None,
    out: Any = None,
    ddof: Any = 0,
    keepdims: Any = False,
    *,
    where: Any = True,
    mean: Any = None,
) -> None: ...


def _clip(
    a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, *, min: Any = ABSENT, max: Any = ABSENT, **how: Any
) -> None: ...


def _clip_method(self: Any, /, min: Any = None, max: Any = None, out: Any = None, **how: Any) -> None: ...


def _einsum(
    *operands: Any, out: Any = None, optimize: Any = False, dtype: Any = None, order: Any = "K", casting: Any = "safe"
) -> None: ...


def _pad(
    array: Any,
    pad_width: Any,
    mode: Any = "constant",
    *,
    stat_length: Any = ABSENT,
    constant_values: Any = ABSENT,
    end_values: Any = ABSENT,
    reflect_type: Any = ABSENT,
    **other: Any,
) -> None: ...


def _reduce(
    array: Any,
    /,
    axis: Any = 0,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = ABSENT,
    where: Any = True,
) -> None: ...


def _accumulate(array: Any, /, axis: Any = 0, dtype: Any = None, out: Any = None) -> None: ...


def _outer(
    A: Any,
    B: Any,
    /,
    *,
    out: Any = None,
    where: Any = True,
    casting: Any = "same_kind",
    order: Any = "K",
    dtype: Any = None,
    subok: Any = True,
    signature: Any = ABSENT,
) -> None: ...


def _at(a: Any, indices: Any, b: Any = ABSENT, /) -> None: ...


def _log(x: Any, base: Any = ABSENT, /) -> None: ...


def _hypot(*coordinates: Any) -> None: ...


OF_UFUNCS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {"reduce": _reduce, "accumulate": _accumulate, "outer": _outer, "at": _at}
)


def _repeat_method(self: Any, repeats: Any, axis: Any = None) -> None: ...


def _view_method(self: Any, dtype: Any = None, type: Any = None) -> None: ...


def _take_method(self: Any, indices: Any, axis: Any = None, out: Any = None, mode: Any = "raise") -> None: ...


def _search_method(self: Any, v: Any, side: Any = "left", sorter: Any = None) -> None: ...


def _partition_method(self: Any, kth: Any, axis: Any = -1, kind: Any = "introselect", order: Any = None) -> None: ...


def _conj_method(self: Any, out: Any = None, /) -> None: ...


def _choose_method(self: Any, /, *choices: Any, out: Any = None, mode: Any = "raise") -> None: ...


def _dot_method(self: Any, b: Any, out: Any = None) -> None: ...


def _max(*args: Any, key: Any = None, default: Any = ABSENT) -> None: ...


def _int(x: Any = 0, /, base: Any = ABSENT) -> None: ...


def _of_one(x: Any = ABSENT, /) -> None: ...


def _map(func: Any, iterable: Any, /, *iterables: Any) -> None: ...


def _zip(*iterables: Any, strict: Any = False) -> None: ...


def _filter(function: Any, iterable: Any, /) -> None: ...


def _reduce_items(function: Any, iterable: Any, initial: Any = ABSENT, /) -> None: ...


def _with_end(iterator: Any, end: Any = ABSENT, /) -> None: ...


def _getattr(obj: Any, name: Any, default: Any = ABSENT, /) -> None: ...


def _range(start: Any, stop: Any = ABSENT, step: Any = ABSENT, /) -> None: ...


def _islice(iterable: Any, start: Any, stop: Any = ABSENT, step: Any = ABSENT, /) -> None: ...


def _chain(*iterables: Any) -> None: ...


def _product(*iterables: Any, repeat: Any = 1) -> None: ...


def _dict(items: Any = ABSENT, /, **named: Any) -> None: ...


def _partial(func: Any, /, *args: Any, **named: Any) -> None: ...


STATED: Mapping[Callable[..., Any], Callable[..., Any]] = MappingProxyType(
    {
        **dict.fromkeys((np.ndarray.sum, np.ndarray.prod), _add_up),
        **dict.fromkeys((np.ndarray.mean, np.ndarray.any, np.ndarray.all), _average),
        np.ndarray.fill: _fill,
        **dict.fromkeys((np.ndarray.max, np.ndarray.min), _extreme),
        **dict.fromkeys((np.ndarray.var, np.ndarray.std), _spread),
        np.clip: _clip,
        np.ndarray.clip: _clip_method,
        np.ndarray.repeat: _repeat_method,  # these take by keyword what they say to be positional only
        np.ndarray.take: _take_method,
        np.ndarray.view: _view_method,
        np.ndarray.searchsorted: _search_method,
        np.ndarray.argpartition: _partition_method,
        np.ndarray.choose: _choose_method,
        np.ndarray.dot: _dot_method,
        **dict.fromkeys((np.ndarray.conj, np.ndarray.conjugate), _conj_method),
        np.einsum: _einsum,
        np.pad: _pad,
        math.log: _log,
        math.hypot: _hypot,
        **dict.fromkeys((max, min), _max),
        int: _int,
        **dict.fromkeys((bool, set, frozenset), _of_one),
        map: _map,
        zip: _zip,
        filter: _filter,
        functools.reduce: _reduce_items,
        **dict.fromkeys((iter, next), _with_end),
        getattr: _getattr,
        **dict.fromkeys((range, slice), _range),
        itertools.islice: _islice,
        itertools.chain: _chain,
        itertools.product: _product,
        **dict.fromkeys((dict, OrderedDict), _dict),
        functools.partial: _partial,
    }
)
