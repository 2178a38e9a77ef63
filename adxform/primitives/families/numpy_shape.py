"""Functions that move, repeat or select elements; most are views of their argument."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from adxform import runtime
from adxform.ir.ops import Call, Lit, Var
from adxform.ir.types import rank
from adxform.primitives.complex_numbers import real_part
from adxform.primitives.contraction_types import shaped_like_second, stack_result
from adxform.primitives.declare import constant, general, linear, views_array
from adxform.primitives.facets import Chooses, Gives, Layout, Moves, Views
from adxform.primitives.record import PURE, VIEWS_FIRST, Effect, Primitive


def _reshaped(ct: Any, x: Any, *shape: Any, order: Any = "C") -> Any:
    if order == "F" or order == "f":
        return np.reshape(ct, np.shape(x), order="F")
    return np.reshape(ct, np.shape(x))  # other orders are those of memory: `memory_order` lets them pass where they are "C"


def _numpy_reshaped(ct: Any, x: Any, shape: Any, order: Any = "C") -> Any:
    return _reshaped(ct, x, order=order)


def _flattened(ct: Any, x: Any, order: Any = "C") -> Any:
    return _reshaped(ct, x, order=order)


def _same_elements(ct: Any, x: Any, axis: Any = None) -> Any:
    return np.reshape(ct, np.shape(x))


def _at_least(ct: Any, *arys: Any) -> Any:
    return np.reshape(ct, np.shape(arys[0]))


def _transpose_transpose(ct: Any, x: Any, axes: Any = None) -> Any:
    if axes is None:
        return np.transpose(ct)
    return np.transpose(ct, inverse_axes(axes))


def _method_transpose(ct: Any, x: Any, *axes: Any) -> Any:
    if len(axes) == 0 or axes[0] is None:
        return np.transpose(ct)
    if isinstance(axes[0], (tuple, list)):
        return np.transpose(ct, inverse_axes(axes[0]))
    return np.transpose(ct, inverse_axes(axes))


def inverse_axes(axes: Sequence[int]) -> tuple[int, ...]:
    """The permutation of axes that undoes `axes`.

    >>> inverse_axes((2, 0, -2))
    (1, 2, 0)
    """
    return tuple(int(i) for i in np.argsort([a % len(axes) for a in axes]))


def _broadcast_to_transpose(ct: Any, x: Any, shape: Any) -> Any:
    return runtime.unbroadcast(ct, x)


def _concatenate_transpose(ct: Any, parts: Any, axis: Any = 0, *, dtype: Any = None, casting: Any = "same_kind") -> Any:
    if axis is None:
        return _flat_parts(ct, parts)
    rows = ct if axis == 0 else np.swapaxes(ct, 0, axis)
    cts = []
    start = 0
    for part in parts:
        stop = start + part.shape[axis]
        cts.append(rows[start:stop] if axis == 0 else np.swapaxes(rows[start:stop], 0, axis))
        start = stop
    return tuple(cts)


def _flat_parts(ct: Any, parts: Any) -> Any:
    cts = []
    start = 0
    for part in parts:
        stop = start + np.size(part)
        cts.append(np.reshape(ct[start:stop], np.shape(part)))
        start = stop
    return tuple(cts)


def _stack_transpose(ct: Any, parts: Any, axis: Any = 0, *, dtype: Any = None, casting: Any = "same_kind") -> Any:
    rows = ct if axis == 0 else np.moveaxis(ct, axis, 0)
    cts = []
    for i in range(len(parts)):
        cts.append(rows[i])
    return tuple(cts)


def _flip_transpose(ct: Any, x: Any, axis: Any = None) -> Any:
    return np.flip(ct, axis)


def _roll_transpose(ct: Any, x: Any, shift: Any, axis: Any = None) -> Any:
    if isinstance(shift, (tuple, list)):
        return np.roll(ct, tuple([-s for s in shift]), axis)
    return np.roll(ct, -shift, axis)


def _diag_transpose(ct: Any, x: Any, k: Any = 0) -> Any:
    if np.ndim(x) == 1:
        return np.diagonal(ct, k)
    return runtime.add_diagonal(ct, x, k)


def _diagonal_transpose(ct: Any, x: Any, offset: Any = 0, axis1: Any = 0, axis2: Any = 1) -> Any:
    if np.ndim(x) > 2 or axis1 != 0 or axis2 != 1:
        x_ct = np.zeros_like(x)
        runtime.diagonal(x_ct, offset, axis1, axis2)[...] = ct
        return x_ct
    return runtime.add_diagonal(ct, x, offset)


def _windows_transpose(ct: Any, x: Any, window_shape: Any, axis: Any = None, *, subok: Any = False) -> Any:
    return runtime.sum_windows(ct, x, window_shape, axis)


def _repeat_transpose(ct: Any, x: Any, repeats: Any, axis: Any = None) -> Any:
    return runtime.sum_repeats(ct, x, repeats, axis)


def _tile_transpose(ct: Any, x: Any, reps: Any) -> Any:
    return runtime.sum_tiles(ct, x)


def _take_transpose(ct: Any, x: Any, indices: Any, axis: Any = None, mode: Any = "raise") -> Any:
    if np.ndim(x) == 0:  # there is one place
        return runtime.unbroadcast(ct, x)
    length = np.size(x) if axis is None else x.shape[axis]
    if mode == "wrap":
        indices = np.asarray(indices) % length
    elif mode == "clip":
        indices = np.clip(indices, 0, length - 1)
    if axis is None:
        flat = np.zeros(np.size(x), dtype=x.dtype)  # zeros like `x` may lie column by column: flat they would be a copy
        np.add.at(flat, indices, ct)
        return np.reshape(flat, np.shape(x))
    x_ct = np.zeros_like(x)
    moved = tuple(range(axis % np.ndim(x), axis % np.ndim(x) + np.ndim(indices)))
    if np.size(ct) > 0:  # of an empty array NumPy takes nothing, but it adds nothing to it only where there is a place
        np.add.at(np.moveaxis(x_ct, axis, 0), indices, np.moveaxis(ct, moved, tuple(range(np.ndim(indices)))))
    return x_ct


def _pad(x: Any, pad_width: Any, mode: Any = "constant", *, constant_values: Any = 0) -> Any:
    if mode not in ("constant", *REPEATING):
        raise NotImplementedError(OTHER_MODES)
    y = np.pad(x, pad_width, mode, constant_values=constant_values) if mode == "constant" else np.pad(x, pad_width, mode)

    def pullback(ct: Any) -> Any:
        if mode == "constant":
            return ct[pad_index(pad_width, np.ndim(x))]
        return runtime.sum_padding(ct, x, pad_width, mode)

    return y, pullback


def _pad_tangent(y: Any, args: Any, args_t: Any, mode: Any = "constant", constant_values: Any = 0) -> Any:
    mode = args[2] if len(args) > 2 else mode
    if mode not in ("constant", *REPEATING):
        raise NotImplementedError(OTHER_MODES)
    return np.pad(args_t[0], args[1], mode)


REPEATING = ("edge", "reflect", "symmetric", "wrap")
OTHER_MODES = "np.pad has a derivative rule for the modes constant, edge, reflect, symmetric and wrap only"


def pad_index(pad_width: Any, rank: int) -> tuple[slice, ...]:
    """The index of what was padded, in the padded array.

    >>> pad_index(((1, 2),), 1)
    (slice(1, -2, None),)
    """
    widths = np.broadcast_to(np.asarray(pad_width), (rank, 2)).tolist()
    return tuple(slice(before, -after if after else None) for before, after in widths)


def _astype_effect(call: Call) -> Effect:
    """A copy, unless ``copy=False`` allows the array itself."""
    copies = dict(call.kwargs).get("copy", Lit(True)) == Lit(True) and len(call.args) <= 2
    return PURE if copies else views_array(call)


def _diag_effect(call: Call) -> Effect:
    """The diagonal of a matrix is a view; the matrix of a diagonal is new."""
    x = call.args[0]
    return VIEWS_FIRST if isinstance(x, Var) and rank(x.type) != 1 else PURE


def _cast_back(ct: Any, x: Any, dtype: Any, order: Any = "K", casting: Any = "unsafe", *, copy: Any = True) -> Any:
    found = ct if np.iscomplexobj(x) else real_part(ct)
    return found.astype(x.dtype) if isinstance(x, np.ndarray) else x.dtype.type(found)  # that of a number may be Python's


def _same(ct: Any, x: Any, order: Any = "K") -> Any:
    return ct


def _item_transpose(ct: Any, x: Any, *index: Any) -> Any:
    if len(index) == 0 or np.ndim(x) == 0:
        return runtime.broadcast_like(ct, x)
    place = index[0] if len(index) == 1 and isinstance(index[0], tuple) else index
    if len(place) == 1:  # counted along the whole array, whatever axes it has
        flat = np.zeros(np.size(x), dtype=x.dtype)
        flat[place[0]] = ct
        return np.reshape(flat, np.shape(x))
    x_ct = np.zeros_like(x)
    x_ct[place] = ct
    return x_ct


def _appended(items: Any, item: Any) -> Any:
    def pullback(ct: Any) -> Any:
        return ct[:-1], ct[-1]

    return runtime.appended(items, item), pullback


def _appended_row(items: Any, item: Any) -> Any:
    shape = np.shape(items)

    def pullback(ct: Any) -> Any:
        return np.reshape(ct[:-1], shape), ct[-1]

    return runtime.appended_row(items, item), pullback


def _appended_row_tangent(y: Any, args: Any, args_t: Any) -> Any:
    return runtime.appended_row(runtime.broadcast_like(args_t[0], args[0]), runtime.broadcast_like(args_t[1], args[1]))


_V = np.array([0.5, -1.5, 2.0])
_M = np.array([[1.0, 2.0, -0.5], [0.25, -1.0, 3.0]])
_T = np.arange(12.0).reshape(2, 3, 2) / 7 - 0.5
_R = np.array([[1.0], [2.0]])


def _reshaping(fn: Callable[..., Any], transposes: Callable[..., Any], *samples: tuple[Any, ...], **facets: Any) -> Primitive:
    """The same elements in another shape."""
    return linear(
        fn, transposes, *samples, effect=views_array, moves=Moves.RESHAPE, view=Views.BY_LAYOUT, faithful=True, **facets
    )


def _lengthening(fn: Callable[..., Any], transposes: Callable[..., Any], *samples: tuple[Any, ...], **facets: Any) -> Primitive:
    """The same elements with more axes of length one, or fewer."""
    return linear(fn, transposes, *samples, effect=views_array, moves=Moves.LENGTHEN, view=Views.ALWAYS, faithful=True, **facets)


def _turning(fn: Callable[..., Any], transposes: Callable[..., Any], *samples: tuple[Any, ...], **facets: Any) -> Primitive:
    """Axes in another order."""
    return linear(fn, transposes, *samples, effect=views_array, moves=Moves.TURN, view=Views.ALWAYS, **facets)


def _flipping(fn: Callable[..., Any], transposes: Callable[..., Any], *samples: tuple[Any, ...], **facets: Any) -> Primitive:
    """Axes backwards."""
    return linear(fn, transposes, *samples, effect=views_array, moves=Moves.FLIP, view=Views.ALWAYS, **facets)


def _diagonal(fn: Callable[..., Any], transposes: Callable[..., Any], *samples: tuple[Any, ...], **facets: Any) -> Primitive:
    """The diagonal of a matrix."""
    return linear(
        fn, transposes, *samples, effect=views_array, moves=Moves.DIAGONAL, view=Views.ALWAYS, chooses=Chooses.SOME, **facets
    )


def _copying(fn: Callable[..., Any], *samples: tuple[Any, ...], layout: Layout) -> Primitive:
    """The same elements in new memory."""
    return linear(fn, _same, *samples, moves=Moves.COPY, gives=Gives.OWN, layout=layout, faithful=True, beside_memory=True)


_VIEWS = (
    _reshaping(np.reshape, _numpy_reshaped, (_M, (3, 2)), (_M, -1), (_M, (3, 2), "F"), keeps_sign=True, open_integers=True),
    _reshaping(np.ndarray.reshape, _reshaped, (_M, 3, 2), (_M, (3, -1)), keeps_sign=True, open_integers=True),
    _reshaping(np.ravel, _flattened, (_M,), (_T,), (_M, "F"), keeps_sign=True),
    _reshaping(np.ndarray.ravel, _flattened, (_M,), (_M, "F")),
    _turning(np.transpose, _transpose_transpose, (_M,), (_T, (2, 0, 1)), keeps_sign=True, faithful=True),
    _turning(np.ndarray.transpose, _method_transpose, (_M,), (_T, 2, 0, 1), faithful=True),
    _turning(np.swapaxes, lambda ct, x, a, b: np.swapaxes(ct, a, b), (_T, 0, 2)),
    _turning(np.ndarray.swapaxes, lambda ct, x, a, b: np.swapaxes(ct, a, b), (_T, 0, 2)),
    _turning(
        np.moveaxis, lambda ct, x, source, destination: np.moveaxis(ct, destination, source), (_T, 0, -1), (_T, (0, 1), (1, 2))
    ),
    _lengthening(np.squeeze, _same_elements, (_R,), (_R, 1), keeps_sign=True),
    _lengthening(np.ndarray.squeeze, _same_elements, (_R,), (_R, 1)),
    _lengthening(np.expand_dims, _same_elements, (_M, 0), (_M, (0, 3)), keeps_sign=True),
    linear(np.atleast_1d, _at_least, (_V,), (2.0,), effect=views_array, moves=Moves.LENGTHEN),
    linear(np.atleast_2d, _at_least, (_V,), (2.0,), (_M,), effect=views_array, moves=Moves.LENGTHEN),
    linear(np.atleast_3d, _at_least, (_V,), (_M,), effect=views_array, moves=Moves.LENGTHEN),
    linear(
        np.broadcast_to,
        _broadcast_to_transpose,
        (_V, (2, 3)),
        (2.0, (3,)),
        effect=VIEWS_FIRST,
        moves=Moves.SPREAD,
        view=Views.ALWAYS,
        faithful=True,
        open_integers=True,
    ),
    linear(
        sliding_window_view,
        _windows_transpose,
        (_V, 2),
        (_M, (2, 2)),
        (_M, 2, 1),
        effect=VIEWS_FIRST,
        moves=Moves.SLIDE,
        view=Views.ALWAYS,
    ),
    _diagonal(np.diagonal, _diagonal_transpose, (_M,), (_M, 1)),
    _diagonal(np.ndarray.diagonal, _diagonal_transpose, (_M,)),
    _diagonal(runtime.diagonal, _diagonal_transpose, (_M,), (_M, 1)),
    linear(np.diag, _diag_transpose, (_V,), (_M,), (_V, 1), (_M, -1), effect=_diag_effect, moves=Moves.DIAGONAL),
    _flipping(np.flip, _flip_transpose, (_V,), (_M, 1), (_M,)),
    _flipping(np.flipud, lambda ct, x: np.flipud(ct), (_M,)),
    _flipping(np.fliplr, lambda ct, x: np.fliplr(ct), (_M,)),
    _flipping(np.rot90, lambda ct, x, k=1, axes=(0, 1): np.rot90(ct, -k, axes), (_M,), (_M, 2), (_M, 1, (1, 0))),
)

_COPIES = (
    linear(np.ndarray.flatten, _flattened, (_M,), (_M, "F"), moves=Moves.RESHAPE, faithful=True),
    _copying(np.copy, (_M,), (2.0,), layout=Layout.AS_FIRST),
    _copying(np.ndarray.copy, (_M,), layout=Layout.ROW_BY_ROW),
    linear(
        np.ndarray.astype,
        _cast_back,
        (_M, np.float64),
        effect=_astype_effect,
        view=Views.BY_LAYOUT,
        beside_memory=True,
        gives=Gives.OWN,
    ),
    linear(
        np.ndarray.item,
        _item_transpose,
        (np.array([[2.0]]),),
        (_V, 1),
        (_M, 1, 2),
        (_M, (1, 2)),
        (_M, (3,)),
        moves=Moves.PICK,
        open_integers=True,
    ),
    linear(
        np.concatenate, _concatenate_transpose, ((_M, _R), 1), ([_V, _V],), ((_M, _R), None), moves=Moves.JOIN, takes_out=True
    ),
    linear(
        np.stack,
        _stack_transpose,
        ((_V, _V),),
        ([_M, _M], 1),
        ((_V, _V), -1),
        result=stack_result,
        moves=Moves.JOIN,
        takes_out=True,
    ),
    linear(np.roll, _roll_transpose, (_V, 1), (_M, 1, 0), (_M, (1, 2), (0, 1)), moves=Moves.SHIFT, open_integers=True),
    linear(
        np.triu,
        lambda ct, x, k=0: runtime.unbroadcast(np.triu(ct, k), x),
        (_M,),
        (_M, 1),
        (_V,),
        moves=Moves.PART,
        chooses=Chooses.SOME,
        beside_memory=True,
    ),
    linear(
        np.tril,
        lambda ct, x, k=0: runtime.unbroadcast(np.tril(ct, k), x),
        (_M,),
        (_M, -1),
        (_V,),
        moves=Moves.PART,
        chooses=Chooses.SOME,
        beside_memory=True,
    ),
    linear(np.tile, _tile_transpose, (_V, 2), (_M, (2, 1)), (_V, (2, 3)), moves=Moves.REPEAT, open_integers=True),
    linear(np.repeat, _repeat_transpose, (_V, 2), (_M, 3, 1), (_M, 2), moves=Moves.REPEAT, open_integers=True),
    linear(np.ndarray.repeat, _repeat_transpose, (_V, 2), (_M, 3, 1), moves=Moves.REPEAT, open_integers=True),
    linear(
        np.take,
        _take_transpose,
        (_V, [0, 2, 0]),
        (_M, [0, 4]),
        (_M, 1),
        moves=Moves.PICK,
        chooses=Chooses.SOME,
        open_integers=True,
    ),
    linear(np.ndarray.take, _take_transpose, (_V, [0, 2, 0]), moves=Moves.PICK, chooses=Chooses.SOME, open_integers=True),
    general(
        np.pad,
        _pad,
        (_V, 1),
        (_M, ((1, 0), (0, 2))),
        *((_M, ((1, 0), (0, 2)), mode) for mode in ("edge", "symmetric", "wrap")),
        (_V, (2, 1), "reflect"),
        tangent=_pad_tangent,
        of_complex=True,
        moves=Moves.SHIFT,
        linear_in=(0,),
    ),
)

_INTERNAL = (
    general(
        runtime.appended_row,
        _appended_row,
        (_M, _V),
        (np.empty((0, 0)), _V),
        (np.empty((0, 3)), _V),
        tangent=_appended_row_tangent,
        linear_in=(0, 1),
        of_complex=True,
    ),
    general(runtime.appended, _appended, (_V, 0.5), (_M, np.array([1.0, 2.0, 0.5])), linear_in=(0, 1), of_complex=True),
    linear(
        runtime.add_diagonal,
        lambda ct, values, x, k: np.diagonal(ct, k),
        (_V[:2], np.ones((2, 3)), 0),
        result=shaped_like_second,
        shapes=(1,),
    ),
    linear(
        runtime.sum_windows,
        lambda ct, values, x, window_shape, axis: sliding_window_view(ct, window_shape, axis),
        (np.ones((2, 2)), _V, 2, None),
        result=shaped_like_second,
        shapes=(1,),
    ),
    linear(runtime.sum_tiles, lambda ct, tiles, x: runtime.tile_like(ct, tiles), (np.ones((4, 6)), _M), shapes=(1,)),
    linear(
        runtime.sum_padding,
        lambda ct, padded, x, pad_width, mode: np.pad(ct, pad_width, mode),
        (np.arange(7.0), _V, (3, 1), "edge"),
        shapes=(1,),
    ),
    linear(runtime.tile_like, lambda ct, x, like: runtime.sum_tiles(ct, x), (_M, np.ones((4, 6))), shapes=(1,)),
    linear(
        runtime.sum_repeats,
        lambda ct, repeated, x, repeats, axis: np.repeat(ct, repeats, axis),
        (np.arange(6.0), _V, 2, None),
        shapes=(1,),
        result=shaped_like_second,
    ),
)

RECORDS: tuple[Primitive, ...] = (*_VIEWS, *_COPIES, *_INTERNAL, constant(inverse_axes), constant(pad_index))
