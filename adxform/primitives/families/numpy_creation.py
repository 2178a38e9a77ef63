"""Functions that make arrays: of zeros, of one value, of numbers, of other arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from adxform import runtime
from adxform.ir.ops import Call, Lit, Var
from adxform.ir.types import Scalar
from adxform.primitives.declare import constant, general, linear, views_array
from adxform.primitives.facets import Fresh, Layout, Moves, Views
from adxform.primitives.record import PURE, SHAPE_ONLY, Effect, Primitive


def _array_transpose(ct: Any, x: Any, dtype: Any = None, *, copy: Any = True, order: Any = "K", ndmin: Any = 0) -> Any:
    if ndmin == 0:
        return _elements(ct, x)
    if isinstance(x, (list, tuple)):
        raise NotImplementedError("`ndmin` of a list has no derivative rule: reshape the array")
    return np.reshape(ct, np.shape(x))


def _as_array_transpose(ct: Any, x: Any, dtype: Any = None, order: Any = None, *, copy: Any = None) -> Any:
    return _elements(ct, x)


def _elements(ct: Any, x: Any) -> Any:
    """Each number of a list, or of lists within it, gets its own element of `ct`."""
    if not isinstance(x, (list, tuple)):
        return ct
    cts = []
    for i in range(len(x)):
        if isinstance(x[i], (list, tuple)):
            row = []
            for j in range(len(x[i])):
                row.append(_elements(ct[i][j], x[i][j]))
            cts.append(tuple(row))
        else:
            cts.append(ct[i])
    return tuple(cts)


def _array_effect(call: Call) -> Effect:
    """A copy, unless ``copy=False`` or ``copy=None`` allows the array itself."""
    return PURE if dict(call.kwargs).get("copy", Lit(True)) == Lit(True) else views_array(call)


def _full_effect(call: Call) -> Effect:
    """Of the first array only the shape and the dtype are read; of another that it is filled with, the contents."""
    value = call.args[1] if len(call.args) > 1 else None
    number = isinstance(value, Lit) or (isinstance(value, Var) and isinstance(value.type, Scalar))
    return SHAPE_ONLY if number else PURE


def _arange(start: Any, stop: Any = None, step: Any = 1, *, dtype: Any = None) -> Any:
    """By where it starts and by its step; how many numbers there are does not move, and by the stop nothing else does."""
    y = np.arange(start, stop, step, dtype=dtype)

    def pullback(ct: Any) -> Any:
        if stop is None:
            return (0.0 * np.sum(ct),)
        return np.sum(ct), 0.0 * np.sum(ct), np.sum(ct * np.arange(len(ct)))

    return y, pullback


def _linspace(start: Any, stop: Any, num: Any = 50, endpoint: Any = True, dtype: Any = None) -> Any:
    y = np.linspace(start, stop, num, endpoint=endpoint, dtype=dtype)

    def pullback(ct: Any) -> Any:
        weight = np.linspace(0.0, 1.0, num, endpoint=endpoint)
        if np.ndim(ct) == 1:
            return np.sum(ct * (1.0 - weight)), np.sum(ct * weight)
        weight = np.reshape(weight, (-1,) + (1,) * (np.ndim(ct) - 1))
        first, last = np.sum(ct * (1.0 - weight), axis=0), np.sum(ct * weight, axis=0)
        return runtime.unbroadcast(first, start), runtime.unbroadcast(last, stop)

    return y, pullback


def _full_transpose(ct: Any, shape: Any, fill_value: Any, dtype: Any = None, order: Any = "C") -> Any:
    return runtime.unbroadcast(ct, fill_value)


def _full_like_transpose(ct: Any, a: Any, fill_value: Any, dtype: Any = None, order: Any = "K", *, shape: Any = None) -> Any:
    return runtime.unbroadcast(ct, fill_value)


def _laid_out_transpose(ct: Any, a: Any, dtype: Any = None) -> Any:
    return np.reshape(ct, np.shape(a))


def _filled(fn: Callable[..., Any], fresh: Fresh) -> Primitive:
    """A new array, of zeros, of ones, or of nothing yet."""
    layout, effect = (Layout.AS_FIRST, SHAPE_ONLY) if fresh.like else (Layout.ROW_BY_ROW, PURE)
    return constant(fn, effect=effect, fresh=fresh, layout=layout, open_integers=True)


_V = np.array([0.5, -1.5, 2.0])
_M = np.array([[1.0, 2.0, -0.5], [0.25, -1.0, 3.0]])

RECORDS: tuple[Primitive, ...] = (
    _filled(np.zeros, Fresh(0.0)),
    _filled(np.ones, Fresh(1.0)),
    _filled(np.empty, Fresh(None)),
    _filled(np.zeros_like, Fresh(0.0, like=True)),
    _filled(np.ones_like, Fresh(1.0, like=True)),
    _filled(np.empty_like, Fresh(None, like=True)),
    *(constant(fn, beside_memory=True, open_integers=True) for fn in (np.eye, np.identity)),
    constant(np.tri, open_integers=True),
    constant(np.indices),
    *(constant(fn, open_integers=True) for fn in (np.bartlett, np.blackman, np.hamming, np.hanning)),
    linear(
        np.full,
        {1: _full_transpose},
        (3, 2.0),
        ((2, 3), _V),
        fresh=Fresh(None, given=True),
        layout=Layout.ROW_BY_ROW,
        open_integers=True,
    ),
    linear(
        np.full_like,
        {1: _full_like_transpose},
        (_V, 2.0),
        (_M, _V),
        shapes=(0,),
        effect=_full_effect,
        fresh=Fresh(None, like=True, given=True),
        layout=Layout.AS_FIRST,
        open_integers=True,
    ),
    linear(
        np.array,
        _array_transpose,
        ([1.0, 2.0],),
        ([[1.0, 2.0], [3.0, 4.0]],),
        ([_V, _V],),
        (2.0,),
        (_V,),
        effect=_array_effect,
        view=Views.BY_LAYOUT,
        sequences=True,
        open_integers=True,
    ),
    linear(np.asfortranarray, _laid_out_transpose, (_M,), effect=views_array, moves=Moves.LAY_OUT, view=Views.BY_LAYOUT),
    linear(
        np.asarray,
        _as_array_transpose,
        ([1.0, 2.0],),
        (_V,),
        (2.0,),
        effect=views_array,
        moves=Moves.CONVERT,
        view=Views.BY_LAYOUT,
        sequences=True,
        open_integers=True,
    ),
    linear(
        np.asanyarray, _as_array_transpose, (_V,), effect=views_array, moves=Moves.CONVERT, view=Views.BY_LAYOUT, sequences=True
    ),
    linear(np.ascontiguousarray, _laid_out_transpose, (_M,), effect=views_array, moves=Moves.LAY_OUT, view=Views.BY_LAYOUT),
    general(
        np.linspace,
        _linspace,
        (0.5, 2.0, 4),
        (0.5, 2.0, 4, False),
        (_V, 2.0, 4),
        (_M, _V, 3),
        linear_in=(0, 1),
        open_integers=True,
    ),
    general(np.arange, _arange, (0.25, 2.0, 0.5), unsized=True, open_integers=True),
)
