"""Calls that are several loops, one after another: variances, norms, places of extreme values, running sums and products."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from adxform import runtime
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Call, Lit, Operand, Var
from adxform.ir.types import BOOL, Array, Dim, Scalar, Size
from adxform.passes.arrays.lane_dtypes import chosen
from adxform.passes.arrays.maps import FIRST, AffineIndex, Counted, NestAccess, loop_space, loops, spread, whole
from adxform.passes.arrays.recording import Recorder
from adxform.passes.arrays.reductions import Reduction, as_it_is, axes_of, in_dtype
from adxform.passes.arrays.units import Assign, Increase, Source
from adxform.primitives.facets import Reduces
from adxform.primitives.table import record_of

BEYOND = 2**62
"""A place that no element has."""


def moment(op: Call, out: Var, recorder: Recorder) -> bool:
    """A variance, a deviation or a norm: the sum, or the mean, of squares, and its root."""
    shape, over = _floats(op.args[0]), axes_of(op)
    x = None if shape is None else recorder.scope.spread(op.args[0], shape)
    if shape is None or over is None or x is None:
        return False
    axes, result = over
    fn, make = callee(op), _squared
    how = record_of(fn).reduces
    centred, rooted = how in (Reduces.VARIANCE, Reduces.SPREAD), how in (Reduces.LENGTH, Reduces.SPREAD)
    sources: tuple[Source, ...] = (x,)
    if fn is np.linalg.norm and (len(op.args) > 1 or (len(axes) > 2 and op.kwargs)):
        return False
    if centred:
        mean = _kept_mean(op, shape, axes, x, recorder)
        if mean is None:
            return False
        sources, make = (x, mean), _squared_difference
    squares = recorder.temporary(out.type) if rooted else out
    found = Reduction(shape, axes, result, sources, make, runtime.add_up, Lit(0.0), "float64", mean=centred)
    if not recorder.reduce(op, squares, found):
        return False
    if not rooted:
        return True
    if isinstance(out.type, Scalar):
        recorder.plain(Call((out,), Lit(np.sqrt), (squares,), (), op.span))
        return True
    assert isinstance(out.type, Array)
    own = out.type.shape or ()
    given, target = spread(whole(squares), own, own), spread(whole(out), own, own)
    if given is None or target is None or not loop_space(own):
        return False
    recorder.add(op, (out,), loop_space(own), Assign(target), (given,), _root)
    return True


def _floats(operand: Operand) -> tuple[Size, ...] | None:
    """The shape of an array of ``float64``; ``None`` for anything else."""
    match operand:
        case Var(type=Array("float64", tuple(shape))) if shape:
            return shape
        case _:
            return None


def _kept_mean(op: Call, shape: tuple[Size, ...], axes: tuple[int, ...], x: Source, recorder: Recorder) -> Source | None:
    """The mean over `axes`, for each element of an array of `shape`."""
    sizes = tuple(1 if axis in axes else size for axis, size in enumerate(shape))
    kept = tuple(FIRST if axis in axes else AffineIndex(axis) for axis in range(len(shape)))
    mean = recorder.temporary(Array("float64", sizes))
    found = Reduction(shape, axes, kept, (x,), as_it_is, runtime.add_up, Lit(0.0), "float64", mean=True)
    return spread(whole(mean), sizes, shape) if recorder.reduce(op, mean, found) else None


def _squared(builder: Builder, args: tuple[Operand, ...], hint: str) -> Operand:
    return builder.call(operator.mul, args[0], args[0], type=Scalar("float64"), hint=hint)


def _squared_difference(builder: Builder, args: tuple[Operand, ...], hint: str) -> Operand:
    return _squared(builder, (builder.call(operator.sub, *args, type=Scalar("float64"), hint="tmp"),), hint)


def _root(builder: Builder, args: tuple[Operand, ...], hint: str) -> Operand:
    return builder.call(np.sqrt, args[0], type=Scalar("float64"), hint=hint)


def place_of_extreme(op: Call, out: Var, recorder: Recorder) -> bool:
    """The first place along an axis of the greatest or least element, of NaN if there is one: the element, then its place."""
    shape, over = _floats(op.args[0]), axes_of(op)
    x = None if shape is None else recorder.scope.spread(op.args[0], shape)
    if shape is None or over is None or x is None or len(over[0]) != 1 or shape[over[0][0]] == 1:
        return False
    (axis,), result = over
    step, start = (
        (runtime.larger, -np.inf) if record_of(callee(op)).reduces is Reduces.PLACE_OF_LARGEST else (runtime.smaller, np.inf)
    )
    sizes = tuple(1 if place == axis else size for place, size in enumerate(shape))
    kept = tuple(FIRST if place == axis else AffineIndex(place) for place in range(len(shape)))
    extreme = recorder.temporary(Array("float64", sizes))
    found = Reduction(shape, (axis,), kept, (x,), as_it_is, step, Lit(start), "float64", some=True)
    at = spread(whole(extreme), sizes, shape)
    if at is None or not recorder.reduce(op, extreme, found):
        return False
    sources = (x, at, Counted((AffineIndex(loops(shape)[axis]),)))
    found = Reduction(shape, (axis,), result, sources, _place_if_equal, runtime.smaller, Lit(BEYOND), "int64")
    return recorder.reduce(op, out, found)


def _place_if_equal(builder: Builder, args: tuple[Operand, ...], hint: str) -> Operand:
    """The place, the last of `args`, where the element is the extreme one or NaN; beyond all places elsewhere."""
    value, extreme, place = args
    same = builder.call(operator.eq, value, extreme, type=BOOL, hint="tmp")
    strange = builder.call(operator.ne, value, value, type=BOOL, hint="tmp")
    either = builder.call(operator.or_, same, strange, type=BOOL, hint="tmp")
    return chosen(builder, either, place, Lit(BEYOND), "int64", hint)


def first_extreme(op: Call, out: Var, recorder: Recorder) -> bool:
    """The place of Python's ``max`` or ``min``: the first, if that is NaN, else the first of the extreme numbers there are."""
    shape, over = _floats(op.args[0]), axes_of(op)
    x = None if shape is None else recorder.scope.spread(op.args[0], shape)
    if shape is None or over is None or x is None or len(shape) != 1 or shape[0] == 1:
        return False
    axes, result = over
    largest = record_of(callee(op)).reduces is Reduces.FIRST_LARGEST
    step, start = (runtime.larger, -np.inf) if largest else (runtime.smaller, np.inf)

    def present(builder: Builder, args: tuple[Operand, ...], hint: str) -> Operand:
        there = builder.call(operator.eq, args[0], args[0], type=BOOL, hint="tmp")
        return chosen(builder, there, args[0], Lit(start), "float64", hint)

    extreme = recorder.temporary(Array("float64", (1,)))
    found = Reduction(shape, axes, (FIRST,), (x,), present, step, Lit(start), "float64", some=True)
    at = spread(whole(extreme), (1,), shape)
    if at is None or not recorder.reduce(op, extreme, found):
        return False
    sources = (x, at, Counted((AffineIndex(loops(shape)[0]),)))
    found = Reduction(shape, axes, result, sources, _place_if_found, runtime.smaller, Lit(BEYOND), "int64")
    return recorder.reduce(op, out, found)


def _place_if_found(builder: Builder, args: tuple[Operand, ...], hint: str) -> Operand:
    """The place, the last of `args`, where the element is the extreme one, or NaN and the first; beyond all places elsewhere."""
    value, extreme, place = args
    same = builder.call(operator.eq, value, extreme, type=BOOL, hint="tmp")
    strange = builder.call(operator.ne, value, value, type=BOOL, hint="tmp")
    first = builder.call(operator.eq, place, Lit(0), type=BOOL, hint="tmp")
    stays = builder.call(operator.and_, strange, first, type=BOOL, hint="tmp")
    either = builder.call(operator.or_, same, stays, type=BOOL, hint="tmp")
    return chosen(builder, either, place, Lit(BEYOND), "int64", hint)


def running(fn: Callable[..., Any]) -> Callable[[Call, Var, Recorder], bool]:
    """Reads running sums or products, each of the element before and one more, by `fn`."""

    def read(op: Call, out: Var, recorder: Recorder) -> bool:
        match op.args[0], out.type, axes_of(op):
            case Var(type=Array(dtype)) as x, Array("float64" | "int64" as result, tuple(shape)), ((axis,), _):
                pass
            case _:
                return False
        given, target = recorder.scope.spread(x, shape), spread(whole(out), shape, shape)
        known = dtype == result or (dtype == "bool" and result == "int64")
        if given is None or target is None or not known or not loop_space(shape) or shape[axis] == 1:
            return False
        number, size = loops(shape)[axis], shape[axis]
        shorter = Dim(size.base, size.offset - 1) if isinstance(size, Dim) else max(size - 1, 0)
        space = tuple(shorter if loop == number else length for loop, length in enumerate(loop_space(shape)))
        if not recorder.scope.measurable((*loop_space(shape), *space)):
            return False
        later = NestAccess(
            out, tuple(AffineIndex(place.loop, 1, 1) if place.loop == number else place for place in target.places)
        )
        recorder.add(op, (out,), loop_space(shape), Assign(target), (given,), in_dtype(result))
        recorder.add(op, (), space, Increase(later, fn, commutes=False), (target,), as_it_is)
        return True

    return read


COMPOSITES: Mapping[Reduces, Callable[[Call, Var, Recorder], bool]] = MappingProxyType(
    {
        **dict.fromkeys((Reduces.VARIANCE, Reduces.SPREAD, Reduces.LENGTH), moment),
        **dict.fromkeys((Reduces.PLACE_OF_LARGEST, Reduces.PLACE_OF_SMALLEST), place_of_extreme),
        **dict.fromkeys((Reduces.FIRST_LARGEST, Reduces.FIRST_SMALLEST), first_extreme),
        Reduces.RUNNING_SUM: running(intrinsics.accumulate),
        Reduces.RUNNING_PRODUCT: running(operator.mul),
    }
)
