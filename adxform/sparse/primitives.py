"""What primitives do to dependences, by what kind of function they are.

Elementwise functions unite their operands at each place. Functions that only move elements run on the ids themselves, so that
views of an array of ids are the views of the array that it stands for. Reductions and transposes of moves unite groups: `grouped`
takes for each element the place that it goes to, which is found by moving place numbers. Whatever is left depends on all on which
its operands depend.
"""

from __future__ import annotations

import builtins
import math
import operator
import warnings
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np

from adxform import runtime
from adxform.ir import intrinsics
from adxform.ir.ops import Call, Lit, Var
from adxform.ir.types import Array, Scalar, is_float
from adxform.rules.record import Constant, Partials
from adxform.rules.table import lookup
from adxform.sparse.contractions import TERMS, Terms, contracted
from adxform.sparse.graph import CONST, ZERO, GiveUp, Graph
from adxform.sparse.values import (
    OPAQUE,
    UNTOLD,
    Flow,
    NotKnown,
    Whole,
    arrays_in,
    common_shape,
    concrete,
    ids_of,
    shape_of,
    stand_in,
)


class Tracing(Protocol):
    """What primitives need of the trace that they are part of."""

    graph: Graph

    def noted(self, x: Any, index: Any, flow: bool = True) -> None:
        """Remember ``x[index]``, which is about to be written."""


Handler = Callable[[Tracing, Call, list[Any], dict[str, Any]], Any]


def apply(trace: Tracing, call: Call, fn: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """What ``fn(*args, **kwargs)`` is, as far as the trace can tell."""
    if "out" in kwargs:
        return _into(trace, call, fn, args, kwargs)
    handler = HANDLERS.get(fn)
    if handler is not None:
        return handler(trace, call, args, kwargs)
    record = lookup(fn)
    if record is None:
        return _opaque(trace, call, args)
    try:
        return _run(fn, [concrete(arg) for arg in args], concrete(kwargs))
    except NotKnown:
        pass
    match record.derivative:
        case Partials():
            return _elementwise(trace, call, fn, args, kwargs)
        case Constant():
            return _filled(call, () if is_number(call) else _shape(fn, args, kwargs), CONST)
        case None:
            raise GiveUp(f"`{record.name}` has no rule")
        case _:
            return _everything(trace, call, fn, args, kwargs)


def is_number(call: Call) -> bool:
    """Whether the result is known to be a number."""
    return not call.outs or isinstance(call.outs[0].type, Scalar)


def _run(fn: Any, args: list[Any], kwargs: Mapping[str, Any]) -> Any:
    """The value of a function of known arguments."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore")
            return fn(*args, **kwargs)
    except Exception as error:
        raise GiveUp(f"{type(error).__name__}: {error}") from error


def _shape(fn: Any, args: list[Any], kwargs: Mapping[str, Any]) -> tuple[int, ...]:
    """The shape of what `fn` returns: it is run on numbers of the shapes of the operands."""
    named = {key: stand_in(value) for key, value in kwargs.items()}
    return np.shape(_run(fn, [stand_in(arg) for arg in args], named))


def _filled(call: Call, shape: tuple[int, ...], id_: int) -> Any:
    """A flow of this shape that is `id_` everywhere, or whole numbers that are not known, whichever `call` returns."""
    type_ = call.outs[0].type if call.outs else None
    match type_:
        case Scalar() | Array() if is_float(type_):
            return Flow(np.full(shape, id_, np.int64) if shape or isinstance(type_, Array) else id_)
        case Array(dtype):
            return Whole(np.full(shape, UNTOLD), dtype)
        case Scalar(dtype):
            return Whole(None, dtype)
        case _:
            return OPAQUE


def _into(trace: Tracing, call: Call, fn: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """``fn(…, out=x)``: the result is stored in `x`."""
    rest = {key: value for key, value in kwargs.items() if key != "out"}
    out = kwargs["out"]
    if out is None:
        return apply(trace, call, fn, args, rest)
    store(trace, out, ..., apply(trace, call, fn, args, rest))
    return out


def _opaque(trace: Tracing, call: Call, args: list[Any]) -> Any:
    """A function of which nothing is known: it is not run, and may have written to its arrays anything that has no derivative."""
    for value in arrays_in(args):
        match value:
            case Flow(np.ndarray() as ids) if ids.flags.writeable:
                trace.noted(ids, ...)
                np.maximum(ids, CONST, out=ids)
            case Whole(np.ndarray() as values) if values.flags.writeable:
                trace.noted(values, ..., False)
                values[...] = UNTOLD
            case _:
                pass
    if call.outs and isinstance(call.outs[0].type, Array):
        raise GiveUp("it takes an array from a function without a rule")
    return _filled(call, (), CONST)


# Elementwise functions.

PRODUCTS = frozenset({operator.mul, np.multiply, runtime.masked_product})
QUOTIENTS = frozenset({operator.truediv, np.divide, runtime.quotient, runtime.ratio})
SIGNS = frozenset({operator.neg, operator.pos, np.negative, np.positive, builtins.float})
SUMS = frozenset({operator.add, operator.sub, np.add, np.subtract}) | SIGNS


def product(graph: Graph, a: Any, b: Any) -> Any:
    """The ids of a product: zero where one factor is."""
    found = graph.unions(a, b)
    if type(found) is int:
        return ZERO if a == ZERO or b == ZERO else found
    return np.where(np.equal(a, ZERO) | np.equal(b, ZERO), ZERO, found)


def _elementwise(trace: Tracing, call: Call, fn: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if not is_float(call.outs[0].type):
        return _filled(call, common_shape(args), CONST)
    floats = [ids_of(arg) for arg in (*args, *kwargs.values()) if not isinstance(arg, str | None)]
    found: Any = floats[0]
    if fn in PRODUCTS and len(floats) == 2:
        return Flow(product(trace.graph, *floats))
    for ids in floats[1:]:
        found = trace.graph.unions(found, ids)
    if fn in QUOTIENTS:
        found = np.where(np.equal(floats[0], ZERO), ZERO, found)
    elif fn not in SUMS:
        found = np.maximum(found, CONST)
    elif found is floats[0] and isinstance(found, np.ndarray):
        found = found.copy()
    return Flow(found)


def _masked_product(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return Flow(product(trace.graph, ids_of(args[0]), ids_of(args[1])))


def _where(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    if len(args) != 3:
        raise GiveUp("how many places are chosen is not known")
    if not is_float(call.outs[0].type):
        try:
            return _run(np.where, [concrete(arg) for arg in args], {})
        except NotKnown:
            return _filled(call, common_shape(args), CONST)
    a, b = ids_of(args[1]), ids_of(args[2])
    try:
        return Flow(np.where(concrete(args[0]), a, b))
    except NotKnown:
        return Flow(np.array(np.broadcast_to(trace.graph.unions(a, b), common_shape(args))))


# Functions that move elements.


def _moved(fn: Any) -> Handler:
    def handle(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
        try:
            rest, named = [concrete(arg) for arg in args[1:]], concrete(kwargs)
        except NotKnown:
            return _everything(trace, call, fn, args, kwargs)
        match args[0]:
            case Flow(ids):
                return Flow(_run(fn, [np.asarray(ids), *rest], named))
            case Whole(np.ndarray() as values, dtype):
                return Whole(_run(fn, [values, *rest], named), dtype)
            case Whole(None):
                return _filled(call, _shape(fn, args, kwargs), CONST)
            case tuple() | list() as parts if any(isinstance(part, Flow) for part in parts):
                return Flow(_run(fn, [[np.asarray(ids_of(part)) for part in parts], *rest], named))
            case _:
                return apply_known(trace, call, fn, args, kwargs)

    return handle


def apply_known(trace: Tracing, call: Call, fn: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """The value of `fn` where all arguments are known; else all that it may depend on."""
    try:
        return _run(fn, [concrete(arg) for arg in args], concrete(kwargs))
    except NotKnown:
        return _everything(trace, call, fn, args, kwargs)


MOVES = (
    np.reshape,
    np.ndarray.reshape,
    np.ravel,
    np.ndarray.ravel,
    np.transpose,
    np.ndarray.transpose,
    np.swapaxes,
    np.ndarray.swapaxes,
    np.moveaxis,
    np.squeeze,
    np.ndarray.squeeze,
    np.expand_dims,
    np.atleast_1d,
    np.atleast_2d,
    np.atleast_3d,
    np.broadcast_to,
    np.diagonal,
    np.ndarray.diagonal,
    runtime.diagonal,
    np.diag,
    np.flip,
    np.flipud,
    np.fliplr,
    np.rot90,
    np.ndarray.flatten,
    np.copy,
    np.ndarray.copy,
    np.ndarray.item,
    np.concatenate,
    np.stack,
    np.roll,
    np.triu,
    np.tril,
    np.tile,
    np.repeat,
    np.ndarray.repeat,
    np.take,
    np.ndarray.take,
    np.take_along_axis,
    np.pad,
    np.asfortranarray,
    np.ascontiguousarray,
    runtime.private,
    np.ndarray.conj,
    np.real,
)


def _gather(fn: Any) -> Handler:
    """Functions of values and of arrays that give shapes, or indices that must be known."""

    def handle(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
        try:
            rest = [np.asarray(arg.ids) if isinstance(arg, Flow) else concrete(arg) for arg in args[1:]]
        except NotKnown:
            return _everything(trace, call, fn, args, kwargs)
        return Flow(_run(fn, [np.asarray(ids_of(args[0])), *rest], concrete(kwargs)))

    return handle


GATHERS = (runtime.broadcast_like, runtime.gather_last, runtime.scatter_last, runtime.tile_like, runtime.add_diagonal)


def _identity(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """The argument, or a copy where its dtype is another."""
    match args[0]:
        case Flow(np.ndarray() as ids):
            own, out = call.args[0], call.outs[0].type
            same = isinstance(own, Var) and isinstance(own.type, Array) and isinstance(out, Array) and own.type.dtype == out.dtype
            return Flow(ids) if same else Flow(ids.copy()) if is_float(out) else _filled(call, ids.shape, CONST)
        case Flow(ids):
            return Flow(ids) if is_float(call.outs[0].type) else _filled(call, (), CONST)
        case Whole(np.ndarray() as values, dtype) if not is_float(call.outs[0].type):
            return Whole(values, dtype)
        case value:
            return _array(trace, call, [value], kwargs)


def _array(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """A new array of numbers or of arrays."""
    type_ = call.outs[0].type
    if is_float(type_):
        return Flow(np.array(ids_of(args[0]), np.int64))
    try:
        return np.array(concrete(args[0])).astype(type_.dtype if isinstance(type_, Array | Scalar) else None)
    except NotKnown:
        return _filled(call, np.shape(stand_in(args[0])), CONST)


def _astype(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    copies = kwargs.get("copy", True) is not False and len(args) <= 2
    return _array(trace, call, args[:1], {}) if copies else _identity(trace, call, args[:1], {})


def _laid_out(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """A copy of the first argument with the layout of the second."""
    if not isinstance(args[1], Flow):
        raise GiveUp("a layout is taken from something that is no array of floats")
    return Flow(runtime.laid_out(ids_of(args[0]), args[1].ids))


def _shares(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Whether two arrays are views of one: so are their ids."""
    arrays = [arg.ids if isinstance(arg, Flow) else arg.values for arg in args if isinstance(arg, Flow | Whole)]
    return _run(runtime.shares_memory, arrays, {})


def _view_again(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """``tangent_view`` and ``cotangent_view``"""
    if args[1] is True:
        return args[0]
    ids = ids_of(args[0])
    return Flow(np.copy(ids) if call.fn == Lit(runtime.tangent_view) else np.zeros_like(ids))


def _stop_gradient(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """A number without its inputs; an array keeps them, as it may be written where it came from."""
    match args[0]:
        case Flow(int() as id_):
            return Flow(min(id_, CONST))
        case value:
            return value


def _empty(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """An array with anything in it."""
    fn = call.fn.value if isinstance(call.fn, Lit) else None
    shape: Any
    if fn is np.empty_like:
        shape = shape_of(args[0])
    elif fn is runtime.lend_like:
        shape = common_shape(args[1:])
    else:
        shape = concrete(args[1] if fn is runtime.lend else args[0] if args else kwargs["shape"])
    return _filled(call, shape, CONST)


def _like(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """``zeros_like``, ``ones_like``, ``full_like``"""
    fn = call.fn.value if isinstance(call.fn, Lit) else None
    value = (0 if fn is np.zeros_like else 1) if fn is not np.full_like else args[1] if len(args) > 1 else kwargs["fill_value"]
    return _spread(call, shape_of(args[0]), value)


def _full(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    shape = concrete(args[0] if args else kwargs["shape"])
    return _spread(call, shape, args[1] if len(args) > 1 else kwargs["fill_value"])


def _spread(call: Call, shape: Any, value: Any) -> Any:
    """A new array that is `value` everywhere."""
    type_ = call.outs[0].type
    if is_float(type_):
        return Flow(np.array(np.broadcast_to(ids_of(value), shape)))
    try:
        dtype = type_.dtype if isinstance(type_, Array) else None
        return np.array(np.broadcast_to(np.asarray(concrete(value)).astype(dtype), shape))
    except NotKnown:
        return _filled(call, np.broadcast_shapes(shape), CONST)


# Functions that unite groups.


def _unbroadcast(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    ids, shape = np.asarray(ids_of(args[0])), shape_of(args[1])
    if ids.shape == shape:
        return args[0] if isinstance(args[0], Flow) else Flow(ids)
    places = np.broadcast_to(numbered(shape), ids.shape)
    return Flow(trace.graph.grouped(places, ids, math.prod(shape)).reshape(shape))


def numbered(shape: tuple[int, ...]) -> Any:
    """An array of this shape that numbers its places."""
    return np.arange(math.prod(shape)).reshape(shape)


def _back(places: Callable[..., Any], like: int = 1) -> Handler:
    """The transpose of a move: operand `like` has the shape of the result; `places` moves its places as the move would."""

    def handle(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
        ids, shape = np.asarray(ids_of(args[0])), shape_of(args[like])
        try:
            rest = [concrete(arg) for arg in args[like + 1 :]]
        except NotKnown:
            return Flow(np.full(shape, trace.graph.whole(ids)))
        groups = _run(places, [numbered(shape), ids, *rest], concrete(kwargs))
        return Flow(trace.graph.grouped(groups, ids, math.prod(shape)).reshape(shape))

    return handle


def _padded(places: Any, ids: Any, pad_width: Any, mode: Any) -> Any:
    return np.pad(places, pad_width, mode)


def _along(places: Any, ids: Any, indices: Any, axis: Any) -> Any:
    return np.take_along_axis(places, indices, axis)


def _repeated(places: Any, ids: Any, repeats: Any, axis: Any) -> Any:
    return np.repeat(places, repeats, axis)


REDUCTIONS: Mapping[Callable[..., Any], tuple[str, ...]] = MappingProxyType(
    {
        **dict.fromkeys(
            (np.sum, np.ndarray.sum, np.mean, np.ndarray.mean, np.prod, np.ndarray.prod), ("axis", "", "", "keepdims")
        ),
        **dict.fromkeys((np.nansum, np.nanmean), ("axis", "", "", "keepdims")),
        **dict.fromkeys((np.max, np.min, np.amax, np.amin, np.ndarray.max, np.ndarray.min), ("axis", "", "keepdims")),
        **dict.fromkeys((np.var, np.std, np.ndarray.var, np.ndarray.std), ("axis", "", "", "", "keepdims")),
        np.linalg.norm: ("", "axis", "keepdims"),
    }
)
ADDING = frozenset({np.sum, np.ndarray.sum, np.mean, np.ndarray.mean, np.nansum})


def _reduction(names: tuple[str, ...], adds: bool) -> Handler:
    """A function that makes one number of all along some axes; `names` are its parameters after the array."""

    def handle(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
        if not is_float(call.outs[0].type):
            return _whole_reduction(trace, call, args, kwargs)
        named = {**dict(zip(names, args[1:], strict=False)), **kwargs}
        axis, keepdims = concrete(named.get("axis")), bool(concrete(named.get("keepdims", False)))
        ids = np.asarray(ids_of(args[0]))
        axes = tuple(range(ids.ndim)) if axis is None else tuple(np.atleast_1d(axis) % ids.ndim)
        kept = tuple(1 if i in axes else n for i, n in enumerate(ids.shape))
        found = trace.graph.grouped(np.broadcast_to(numbered(kept), ids.shape), ids, math.prod(kept))
        found = found if adds else np.maximum(found, CONST)
        return Flow(found.reshape(kept if keepdims else tuple(n for i, n in enumerate(ids.shape) if i not in axes)))

    return handle


def _whole_reduction(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    fn = call.fn.value if isinstance(call.fn, Lit) else None
    try:
        return _run(fn, [concrete(arg) for arg in args], concrete(kwargs))
    except NotKnown:
        return _filled(call, _shape(fn, args, kwargs), CONST)


def _scan(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """``cumsum`` and ``cumprod``"""
    if not is_float(call.outs[0].type):
        return _whole_reduction(trace, call, args, kwargs)
    axis = concrete(args[1] if len(args) > 1 else kwargs.get("axis"))
    ids = np.asarray(ids_of(args[0]))
    rows = np.ravel(ids) if axis is None else np.moveaxis(ids, axis, 0)
    found = np.maximum(trace.graph.running(rows), CONST)
    return Flow(found if axis is None else np.ascontiguousarray(np.moveaxis(found, 0, axis)))


def _sorted(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Each element may come from anywhere along the axis."""
    if not is_float(call.outs[0].type):
        return _whole_reduction(trace, call, args, kwargs)
    axis = concrete(args[1] if len(args) > 1 else kwargs.get("axis", -1))
    ids = np.asarray(ids_of(args[0]))
    rows = np.ravel(ids) if axis is None else np.moveaxis(ids, axis, 0)
    lanes = rows.shape[1:]
    found = trace.graph.grouped(np.broadcast_to(numbered(lanes), rows.shape), rows, math.prod(lanes)).reshape(lanes)
    spread = np.array(np.broadcast_to(np.maximum(found, CONST), rows.shape))
    return Flow(spread if axis is None else np.ascontiguousarray(np.moveaxis(spread, 0, axis)))


def _contraction(terms: Callable[..., Terms]) -> Handler:
    """A sum of products; `terms` says of which axes, from the ranks of the operands."""

    def handle(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
        if not is_float(call.outs[0].type):
            return _whole_reduction(trace, call, args, kwargs)
        operands = [np.asarray(ids_of(arg)) for arg in (args[1:] if isinstance(args[0], str) else args[:2])]
        ranks = [ids.ndim for ids in operands]
        given = terms(args[0], *ranks) if isinstance(args[0], str) else terms(*ranks, *args[len(ranks) :], **concrete(kwargs))
        return Flow(contracted(trace.graph, given, operands, product))

    return handle


def _outer(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """``np.outer(a, b)``"""
    a, b = (np.ravel(ids_of(arg)) for arg in args)
    return Flow(product(trace.graph, a[:, None], b))


def _kron(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """``np.kron(a, b)`` of arrays of as many axes."""
    a, b = (np.asarray(ids_of(arg)) for arg in args)
    if a.ndim != b.ndim:
        return _everything(trace, call, np.kron, args, kwargs)
    odd, even = tuple(range(1, 2 * a.ndim, 2)), tuple(range(0, 2 * a.ndim, 2))
    spread = product(trace.graph, np.expand_dims(a, odd), np.expand_dims(b, even))
    return Flow(np.reshape(spread, tuple(n * m for n, m in zip(a.shape, b.shape, strict=True))))


def _vdot(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """``np.vdot(a, b)``"""
    a, b = (np.ravel(ids_of(arg)) for arg in args)
    return Flow(trace.graph.whole(product(trace.graph, a, b)))


def _trace(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """The sum of a diagonal."""
    try:
        rest, named = [concrete(arg) for arg in args[1:]], concrete(kwargs)
    except NotKnown:
        return _everything(trace, call, np.trace, args, kwargs)
    return Flow(trace.graph.whole(_run(np.diagonal, [np.asarray(ids_of(args[0])), *rest], named)))


def _everything(trace: Tracing, call: Call, fn: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """A result that depends on all on which the operands depend."""
    shape = () if is_number(call) else _shape(fn, args, kwargs)
    parts = [np.ravel(ids_of(value)) for value in arrays_in([*args, *kwargs.values()])]
    node = trace.graph.whole(np.concatenate(parts)) if parts else CONST
    return _filled(call, shape, max(node, CONST))


# Loads and stores.


def load(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """``x[index]``"""
    x, index = args
    try:
        place = concrete(index)
    except NotKnown:
        return _load_somewhere(trace, call, x, index)
    match x:
        case Flow(ids):
            return Flow(_run(operator.getitem, [np.asarray(ids), place], {}))
        case Whole(np.ndarray() as values, dtype):
            found = _run(operator.getitem, [values, place], {})
            return Whole(None if not np.ndim(found) and found == UNTOLD else found, dtype)
        case tuple() | list() | dict():
            return _run(operator.getitem, [x, place], {})
        case _:
            return OPAQUE if x is OPAQUE else _run(operator.getitem, [x, place], {})


def _load_somewhere(trace: Tracing, call: Call, x: Any, index: Any) -> Any:
    """An element or a part that only a run can tell."""
    if not isinstance(x, Flow | Whole) or any(isinstance(part, Whole) and part.dtype == "bool" for part in arrays_in([index])):
        raise GiveUp("how much an index takes is not known")
    shape = np.shape(_run(operator.getitem, [stand_in(x), stand_in(index)], {}))
    found = trace.graph.whole(ids_of(x)) if isinstance(x, Flow) else CONST
    return _filled(call, shape, max(found, CONST))


def _load(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    return load(trace, call, args, kwargs)


def store(trace: Tracing, x: Any, index: Any, value: Any) -> None:
    """``x[index] = value``"""
    try:
        place: Any = concrete(index)
        known = True
    except NotKnown:
        place, known = ..., False
    match x:
        case Flow(np.ndarray() as ids):
            trace.noted(ids, place)
            new = ids_of(value)
            _run(operator.setitem, [ids, place, new if known else trace.graph.unions(ids, trace.graph.whole(new))], {})
        case Whole(np.ndarray() as values):
            trace.noted(values, place, False)
            try:
                _run(operator.setitem, [values, place, concrete(value) if known else UNTOLD], {})
            except NotKnown:
                told = value.values if isinstance(value, Whole) and value.values is not None else UNTOLD
                _run(operator.setitem, [values, place, told], {})
        case _:
            raise GiveUp("it writes to something that is no array of numbers")


def _store(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    store(trace, args[0], args[1], args[2])


def _accumulate(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """``x[index] += value`` and ``x[index] -= value``"""
    x, index, value = args
    match x:
        case Flow(np.ndarray() as ids):
            try:
                place = concrete(index)
            except NotKnown:
                store(trace, x, index, value)
            else:
                trace.noted(ids, place)
                before = _run(operator.getitem, [ids, place], {})
                _run(operator.setitem, [ids, place, trace.graph.unions(before, ids_of(value))], {})
        case Whole(np.ndarray() as values, dtype):
            fn = operator.add if call.fn == Lit(intrinsics.accumulate) else operator.sub
            try:
                place = concrete(index)
                old = concrete(Whole(_run(operator.getitem, [values, place], {}), dtype))
                store(trace, x, index, _run(fn, [old, concrete(value)], {}))
            except NotKnown:
                store(trace, x, index, Whole(None, dtype))
        case _:
            raise GiveUp("it writes to something that is no array of numbers")


def _add_at(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """``np.add.at(x, index, value)``: repeated places take several."""
    x, index, value = args
    if not isinstance(x, Flow):
        store(trace, x, ..., Whole(None, "int64"))
        return
    try:
        places = _run(operator.getitem, [numbered(x.ids.shape), concrete(index)], {})
    except NotKnown:
        store(trace, x, index, value)
        return
    taken, groups = np.unique(places, return_inverse=True)
    added = trace.graph.grouped(groups, np.broadcast_to(ids_of(value), np.shape(places)), len(taken))
    where = np.unravel_index(taken, x.ids.shape)
    trace.noted(x.ids, where)
    x.ids[where] = trace.graph.unions(x.ids[where], added)


def _of_shape(fn: Any) -> Handler:
    """A function that asks for shapes only."""

    def handle(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
        try:
            plain = [np.empty(shape_of(arg), np.int8) if isinstance(arg, Flow | Whole) else arg for arg in args]
            return _run(fn, plain, {key: concrete(value) for key, value in kwargs.items()})
        except NotKnown:
            return OPAQUE

    return handle


def _linspace(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    try:
        return _run(np.linspace, [concrete(arg) for arg in args], concrete(kwargs))
    except NotKnown:
        pass
    count = args[2] if len(args) > 2 else kwargs.get("num", 50)
    ends = trace.graph.unions(ids_of(args[0]), ids_of(args[1]))
    try:
        return Flow(np.full(concrete(count), max(ends, CONST)))
    except NotKnown:
        raise GiveUp("how many numbers there are is not known") from None


def _unsized(trace: Tracing, call: Call, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """A function whose result is as long as the values say."""
    fn = call.fn.value if isinstance(call.fn, Lit) else None
    try:
        return _run(fn, [concrete(arg) for arg in args], concrete(kwargs))
    except NotKnown:
        raise GiveUp("how long an array is depends on what it is made of") from None


UNSIZED = (np.flatnonzero, np.argwhere, np.unique, np.bincount, np.arange)
SHAPED = (intrinsics.dim, np.shape, np.ndim, np.size, len)

HANDLERS: Mapping[Callable[..., Any], Handler] = MappingProxyType(
    {
        **{fn: _moved(fn) for fn in MOVES},
        **{fn: _gather(fn) for fn in GATHERS},
        **{fn: _reduction(names, fn in ADDING) for fn, names in REDUCTIONS.items()},
        **dict.fromkeys((np.cumsum, np.ndarray.cumsum, np.cumprod, np.ndarray.cumprod), _scan),
        **dict.fromkeys((np.asarray, np.asanyarray, np.float64, np.float32), _identity),
        **dict.fromkeys((np.empty, np.empty_like, runtime.lend, runtime.lend_like), _empty),
        **dict.fromkeys((np.zeros_like, np.ones_like, np.full_like), _like),
        **dict.fromkeys((intrinsics.accumulate, intrinsics.deduct), _accumulate),
        **dict.fromkeys(UNSIZED, _unsized),
        **{fn: _of_shape(fn) for fn in SHAPED},
        **{fn: _contraction(terms) for fn, terms in TERMS.items()},
        operator.matmul: _contraction(TERMS[np.matmul]),
        np.outer: _outer,
        np.kron: _kron,
        np.vdot: _vdot,
        np.trace: _trace,
        np.ndarray.trace: _trace,
        np.array: _array,
        np.ndarray.astype: _astype,
        np.sort: _sorted,
        np.where: _where,
        np.full: _full,
        np.linspace: _linspace,
        np.add.at: _add_at,
        operator.getitem: _load,
        operator.setitem: _store,
        intrinsics.stop_gradient: _stop_gradient,
        runtime.masked_product: _masked_product,
        runtime.unbroadcast: _unbroadcast,
        runtime.laid_out: _laid_out,
        runtime.shares_memory: _shares,
        runtime.tangent_view: _view_again,
        runtime.cotangent_view: _view_again,
        runtime.sum_tiles: _back(lambda places, ids: runtime.tile_like(places, ids)),
        runtime.sum_padding: _back(_padded),
        runtime.sum_repeats: _back(_repeated),
        runtime.add_along_axis: _back(_along),
    }
)
