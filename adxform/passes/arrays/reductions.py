"""Calls that make fewer numbers of many: sums, means, products, extreme values, along some axes or all."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from adxform import runtime
from adxform.ir.build import Builder
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Call, Lit, Operand, Var
from adxform.ir.types import BOOL, INT, Array, Scalar, Size
from adxform.passes.arrays.block_scope import BlockScope
from adxform.passes.arrays.lane_dtypes import FLOATS, KNOWN, Element, converted, literals
from adxform.passes.arrays.maps import FIRST, AffineIndex, Counted, NestAccess, composed, loops
from adxform.passes.arrays.small_axes import is_few
from adxform.passes.arrays.units import Elements, Source
from adxform.primitives.facets import Contracts, Reduces
from adxform.primitives.table import record_of

SUMS = frozenset({Reduces.SUM, Reduces.MEAN, Reduces.COUNT, Reduces.SUM_LIKE})
EXTREMES: Mapping[Reduces, tuple[Any, float]] = {
    Reduces.LARGEST: (runtime.larger, -np.inf),
    Reduces.SMALLEST: (runtime.smaller, np.inf),
}
"""How two values are combined, and from which one on."""
TRUTHS = frozenset({Reduces.ANY, Reduces.ALL, Reduces.COUNT})
READ = SUMS | EXTREMES.keys() | TRUTHS | {Reduces.PRODUCT}
OF_VECTORS = frozenset({Contracts.MATMUL, Contracts.DOT, Contracts.INNER, Contracts.VDOT})


@dataclass(frozen=True, slots=True)
class Reduction:
    """``fn`` over the `axes` of an array of `shape`, whose elements `make` makes of those of `sources`.

    `result`: for each axis of the result that of the array. `dtype`: what is computed in. `mean`: the sum is divided by the
    number of elements; `some`: there has to be one.
    """

    shape: tuple[Size, ...]
    axes: tuple[int, ...]
    result: tuple[AffineIndex, ...]
    sources: tuple[Source, ...]
    make: Element
    fn: Any
    initial: Operand
    dtype: str
    mean: bool = False
    some: bool = False


def reduction(op: Call, scope: BlockScope) -> Reduction | None:
    """What `op` reduces, and how; ``None`` where it does not, or not surely."""
    fn, out = callee(op), op.outs[0]
    record = record_of(fn)
    if record.contracts in OF_VECTORS and record.masks is None:
        return _product(op, scope)
    how = record.reduces
    if how is None or how not in READ or not isinstance(out.type, Array | Scalar):
        return None
    x = op.args[0]
    if isinstance(x, Var) and x.name in scope.flat and how in SUMS and len(op.args) == 1 and not op.kwargs:
        return _sum_of_all(scope.flat[x.name], mean=how is Reduces.MEAN)
    if not isinstance(x, Var) or not isinstance(x.type, Array) or not x.type.shape or x.type.dtype not in KNOWN:
        return None
    shape, dtype = x.type.shape, x.type.dtype
    over = _broadcast_axes(op, shape) if fn is runtime.unbroadcast else axes_of(op)
    combine = _combining(how, dtype, out.type.dtype)
    source = scope.spread(x, shape)
    if over is None or combine is None or source is None:
        return None
    step, initial, computed = combine
    axes, result = over
    make = _nonzero(computed) if how in TRUTHS and dtype != "bool" else in_dtype(computed)
    return Reduction(
        shape, axes, result, (source,), make, step, initial, computed, mean=how is Reduces.MEAN, some=how in EXTREMES
    )


def _sum_of_all(elements: Elements, *, mean: bool) -> Reduction:
    """The sum of `elements`, or the mean."""
    shape, axes = elements.shape, tuple(range(len(elements.shape)))
    return Reduction(shape, axes, (), elements.inputs, elements.make, runtime.add_up, Lit(0.0), "float64", mean=mean)


def short_ahead(found: Reduction) -> Reduction:
    """`found` with the kept axes after those that it goes over ahead of them, if these axes are so many names."""
    first = min(found.axes, default=0)
    kept = [axis for axis in range(first, len(found.shape)) if axis not in found.axes]
    if not kept or not all(is_few(found.shape[axis]) for axis in kept):
        return found
    order = [*range(first), *kept, *(axis for axis in range(first, len(found.shape)) if axis in found.axes)]
    shape = tuple(found.shape[axis] for axis in order)
    now = loops(shape)
    numbers = [AffineIndex(now[order.index(axis)]) for axis, number in enumerate(loops(found.shape)) if number is not None]
    given = [composed(source, numbers) if isinstance(source, NestAccess | Counted) else source for source in found.sources]
    sources = tuple(source for source in given if source is not None)
    axes = tuple(place for place, axis in enumerate(order) if axis in found.axes)
    result = tuple(place if place.loop is None else AffineIndex(order.index(place.loop)) for place in found.result)
    return replace(found, shape=shape, axes=axes, result=result, sources=sources) if len(sources) == len(given) else found


def in_dtype(dtype: str) -> Element:
    """Takes an element as it is, but in `dtype`."""
    return lambda builder, args, hint: converted(builder, args[0], dtype, always=True)


def _nonzero(dtype: str) -> Element:
    """Whether an element is not zero, in `dtype`."""

    def written(builder: Builder, args: tuple[Operand, ...], hint: str) -> Operand:
        return converted(builder, builder.call(operator.ne, args[0], Lit(0), type=BOOL, hint="tmp"), dtype, hint)

    return written


def as_it_is(builder: Builder, args: tuple[Operand, ...], hint: str) -> Operand:
    """Takes an element as it is."""
    return args[0]


def divided(builder: Builder, args: tuple[Operand, ...], hint: str) -> Operand:
    """The first of `args` over the product of the others, which are lengths; NaN or infinite where that is zero."""
    count = args[1]
    for more in args[2:]:
        count = builder.call(operator.mul, count, more, type=INT, hint="n")
    count = builder.call(np.float64, count, type=Scalar("float64"), hint="n")
    return builder.call(np.divide, args[0], count, type=Scalar("float64"), hint=hint)


def _product(op: Call, scope: BlockScope) -> Reduction | None:
    """The product of two vectors."""
    if op.kwargs or len(op.args) != 2 or not isinstance(op.outs[0].type, Scalar):
        return None
    match op.args:
        case (Var(type=Array(dtype, shape) as one), Var(type=other)) if one == other and dtype in FLOATS:
            sources = scope.spread_all(op.args, shape) if shape is not None and len(shape) == 1 else None
        case _:
            return None
    if sources is None or shape is None:
        return None

    def multiplied(builder: Builder, args: tuple[Operand, ...], hint: str) -> Operand:
        product = builder.call(operator.mul, *args, type=Scalar(dtype), hint="tmp")
        return converted(builder, product, "float64", always=True)

    return Reduction(shape, (0,), (), sources, multiplied, runtime.add_up, Lit(0.0), "float64")


def axes_of(op: Call) -> tuple[tuple[int, ...], tuple[AffineIndex, ...]] | None:
    """The axes over which `op` goes, and which are those of a result that has one element for each."""
    if not (isinstance(op.args[0], Var) and isinstance(op.args[0].type, Array) and op.args[0].type.shape):
        return None
    rank = len(op.args[0].type.shape)
    options = dict(zip(("axis",), op.args[1:2], strict=False)) | dict(op.kwargs)
    if len(op.args) > 2 or set(options) - {"axis", "keepdims"}:
        return None
    try:
        axis = literals(options.get("axis", Lit(None)))
        keepdims = literals(options.get("keepdims", Lit(False)))
    except ValueError:
        return None
    given = range(rank) if axis is None else (axis,) if isinstance(axis, int) else axis
    if not isinstance(given, range | tuple):
        return None
    gone = tuple(sorted({place % rank for place in given}))
    places = (FIRST if axis in gone else AffineIndex(axis) for axis in range(rank))
    return gone, tuple(place for place in places if keepdims or place.loop is not None)


def _broadcast_axes(op: Call, shape: tuple[Size, ...]) -> tuple[tuple[int, ...], tuple[AffineIndex, ...]] | None:
    """The axes along which the second operand was broadcast to `shape`, where the types say which."""
    if op.kwargs or len(op.args) != 2:
        return None
    match op.args[1]:
        case Lit(float() | int()) | Var(type=Scalar()):
            own: tuple[Size, ...] = ()
        case Var(type=Array(_, known)) if known is not None:
            own = known
        case _:
            return None
    lead = len(shape) - len(own)
    gone = list(range(lead))
    for axis, size in enumerate(own, start=lead):
        if size == 1 and shape[axis] != 1:
            gone.append(axis)
        elif size != shape[axis]:
            return None
    return tuple(gone), tuple(FIRST if axis in gone else AffineIndex(axis) for axis in range(lead, len(shape)))


def _combining(how: Reduces, dtype: str, out: str) -> tuple[Any, Operand, str] | None:
    """How two values are combined, from which one on, and the dtype that is computed in; ``None`` where it is not known."""
    if (extreme := EXTREMES.get(how)) is not None:
        step, start = extreme
        return (step, Lit(start), dtype) if dtype in FLOATS else None
    if how is Reduces.PRODUCT:
        return (operator.mul, Lit(1.0), dtype) if dtype == out == "float64" else None
    if how in TRUTHS and out == "bool":
        return (operator.and_, Lit(True), "bool") if how is Reduces.ALL else (operator.or_, Lit(False), "bool")
    if out in FLOATS:
        return runtime.add_up, Lit(0.0), "float64"
    return (runtime.add_up, Lit(0), "int64") if out == "int64" else None
