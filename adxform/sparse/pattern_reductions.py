"""What reductions and transposes of moves do to dependences: they unite groups.

`grouped` takes for each element the place that it goes to, which is found by moving place numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from adxform import runtime
from adxform.ir.ops import Call
from adxform.ir.types import is_float
from adxform.primitives.facets import Reduces
from adxform.primitives.signatures import by_name
from adxform.primitives.table import having
from adxform.sparse.calls import Handler, Tracing, everything, numbered, run, whole_numbers
from adxform.sparse.graph import CONST
from adxform.sparse.pattern_values import Flow, NotKnown, concrete, ids_of, shape_of


def _unbroadcast(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    ids, shape = np.asarray(ids_of(args[0])), shape_of(args[1])
    if ids.shape == shape:
        return args[0] if isinstance(args[0], Flow) else Flow(ids)
    places = np.broadcast_to(numbered(shape), ids.shape)
    return Flow(trace.graph.grouped(places, ids, math.prod(shape)).reshape(shape))


def _back(places: Callable[..., Any]) -> Handler:
    """The transpose of a move: the second operand has the shape of the result; `places` moves its places as the move would."""

    def handle(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
        ids, shape = np.asarray(ids_of(args[0])), shape_of(args[1])
        try:
            rest = [concrete(arg) for arg in args[2:]]
        except NotKnown:
            return Flow(np.full(shape, trace.graph.whole(ids)))
        groups = run(places, [numbered(shape), ids, *rest], concrete(kwargs))
        return Flow(trace.graph.grouped(groups, ids, math.prod(shape)).reshape(shape))

    return handle


def _padded(places: Any, ids: Any, pad_width: Any, mode: Any) -> Any:
    return np.pad(places, pad_width, mode)


def _along(places: Any, ids: Any, indices: Any, axis: Any) -> Any:
    return np.take_along_axis(places, indices, axis)


def _repeated(places: Any, ids: Any, repeats: Any, axis: Any) -> Any:
    return np.repeat(places, repeats, axis)


ADDING = frozenset({Reduces.SUM, Reduces.MEAN, Reduces.PRESENT_SUM, Reduces.EXACT_SUM})
OTHER = frozenset(
    {
        *(Reduces.PRODUCT, Reduces.LARGEST, Reduces.SMALLEST, Reduces.VARIANCE, Reduces.SPREAD, Reduces.LENGTH),
        Reduces.PRESENT_MEAN,
    }
)
RUNNING = frozenset({Reduces.RUNNING_SUM, Reduces.RUNNING_PRODUCT})


def _reduction(fn: Callable[..., Any], *, adds: bool) -> Handler:
    """A function that makes one number of all along some axes."""

    def handle(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
        if not is_float(call.outs[0].type):
            return whole_numbers(trace, call, args, kwargs)
        named = by_name(fn, args, kwargs)
        axis, keepdims = concrete(named.get("axis")), bool(concrete(named.get("keepdims", False)))
        ids = np.asarray(ids_of(args[0]))
        axes = tuple(range(ids.ndim)) if axis is None else tuple(np.atleast_1d(axis) % ids.ndim)
        kept = tuple(1 if i in axes else n for i, n in enumerate(ids.shape))
        found = trace.graph.grouped(np.broadcast_to(numbered(kept), ids.shape), ids, math.prod(kept))
        found = found if adds else np.maximum(found, CONST)
        return Flow(found.reshape(kept if keepdims else tuple(n for i, n in enumerate(ids.shape) if i not in axes)))

    return handle


def _scan(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """``cumsum`` and ``cumprod``"""
    if not is_float(call.outs[0].type):
        return whole_numbers(trace, call, args, kwargs)
    axis = concrete(args[1] if len(args) > 1 else kwargs.get("axis"))
    ids = np.asarray(ids_of(args[0]))
    rows = np.ravel(ids) if axis is None else np.moveaxis(ids, axis, 0)
    found = np.maximum(trace.graph.running(rows), CONST)
    return Flow(found if axis is None else np.ascontiguousarray(np.moveaxis(found, 0, axis)))


def _sorted(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Each element may come from anywhere along the axis."""
    if not is_float(call.outs[0].type):
        return whole_numbers(trace, call, args, kwargs)
    axis = concrete(args[1] if len(args) > 1 else kwargs.get("axis", -1))
    ids = np.asarray(ids_of(args[0]))
    rows = np.ravel(ids) if axis is None else np.moveaxis(ids, axis, 0)
    lanes = rows.shape[1:]
    found = trace.graph.grouped(np.broadcast_to(numbered(lanes), rows.shape), rows, math.prod(lanes)).reshape(lanes)
    spread = np.array(np.broadcast_to(np.maximum(found, CONST), rows.shape))
    return Flow(spread if axis is None else np.ascontiguousarray(np.moveaxis(spread, 0, axis)))


def _trace(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """The sum of each diagonal."""
    named = by_name(np.trace, args, kwargs)
    try:
        places = [concrete(named.get(name, default)) for name, default in (("offset", 0), ("axis1", 0), ("axis2", 1))]
    except NotKnown:
        return everything(trace, call, np.trace, args, kwargs)
    ids = run(np.diagonal, [np.asarray(ids_of(args[0])), *places], {})
    lanes = ids.shape[:-1]
    if not lanes:
        return Flow(trace.graph.whole(ids))
    found = trace.graph.grouped(np.broadcast_to(numbered(lanes)[..., None], ids.shape), ids, math.prod(lanes))
    return Flow(found.reshape(lanes))


HANDLERS: Mapping[Callable[..., Any], Handler] = MappingProxyType(
    {
        **{fn: _reduction(fn, adds=True) for fn in having(lambda record: record.reduces in ADDING)},
        **{fn: _reduction(fn, adds=False) for fn in having(lambda record: record.reduces in OTHER)},
        **dict.fromkeys(having(lambda record: record.reduces in RUNNING), _scan),
        **dict.fromkeys(having(lambda record: record.reduces is Reduces.TRACE), _trace),
        np.sort: _sorted,
        runtime.unbroadcast: _unbroadcast,
        runtime.sum_tiles: _back(lambda places, ids: runtime.tile_like(places, ids)),
        runtime.sum_padding: _back(_padded),
        runtime.sum_repeats: _back(_repeated),
        runtime.add_along_axis: _back(_along),
    }
)
