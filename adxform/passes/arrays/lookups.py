"""Elements that tables of places name: taken, stored, added to; of places that are named twice the last store counts."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from adxform import runtime
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.ops import Call, Lit, Operand, Pack, Var
from adxform.ir.types import BOOL, Array, Scalar, Size
from adxform.passes.arrays.lane_dtypes import FLOATS, Element, chosen, converted
from adxform.passes.arrays.maps import (
    AffineIndex,
    Counted,
    NestAccess,
    Region,
    TableEntry,
    composed,
    loop_space,
    loops,
    spread,
    whole,
)
from adxform.passes.arrays.place_tables import selected
from adxform.passes.arrays.recording import Recorder, fits
from adxform.passes.arrays.reductions import as_it_is
from adxform.passes.arrays.units import Assign


def region_of(
    x: Operand, index: Operand, recorder: Recorder, lengths: tuple[Size | None, ...] = ()
) -> tuple[NestAccess, Region] | None:
    """Where `x` lies, and what `index` selects of it; ``None`` where that is not known. For `lengths` see `region`."""
    source = recorder.scope.source(x)
    if not (isinstance(source, NestAccess) and isinstance(x, Var) and isinstance(x.type, Array) and x.type.shape is not None):
        return None
    found = selected(source, x.type.shape, index, recorder.scope, lengths)
    return None if found is None else (source, found)


def picked(op: Call, out: Var, recorder: Recorder) -> bool:
    """``x[index]``, a copy."""
    return not op.kwargs and _pick(op, out, op.args[1], recorder)


def taken(op: Call, out: Var, recorder: Recorder) -> bool:
    """``np.take(x, table, axis)``"""
    x, table, *rest = op.args
    options = dict(zip(("axis",), rest, strict=False)) | dict(op.kwargs)
    axis = options.get("axis", Lit(None))
    rank = len(x.type.shape or ()) if isinstance(x, Var) and isinstance(x.type, Array) else 0
    if not isinstance(axis, Lit) or set(options) - {"axis"} or (axis.value is None and rank != 1) or not rank:
        return False
    everything: Operand = Pack("slice", (Lit(None), Lit(None), Lit(None)))
    return _pick(op, out, Pack("tuple", (*(everything,) * ((axis.value or 0) % rank), table)), recorder)


def _pick(op: Call, out: Var, index: Operand, recorder: Recorder) -> bool:
    """Read `op` as a loop that takes what `index` selects."""
    found = region_of(op.args[0], index, recorder)
    return found is not None and found[1].shape == getattr(out.type, "shape", None) and _copy(op, out, *found, recorder)


def _copy(op: Call, out: Var, source: NestAccess, found: Region, recorder: Recorder) -> bool:
    space, target = loop_space(found.shape), spread(whole(out), found.shape, found.shape)
    at = composed(source, found.axes)
    given = None if at is None else spread(at, found.shape, found.shape)
    if target is None or given is None or not space or not recorder.scope.measurable(space):
        return False
    recorder.add(op, (out,), space, Assign(target), (given,), as_it_is)
    return True


def along_axis(op: Call, out: Var, recorder: Recorder) -> bool:
    """``np.take_along_axis(x, table, axis)``"""
    if op.kwargs or len(op.args) != 3:
        return False
    found = _along_axis(op.args[0], *op.args[1:], recorder)
    return found is not None and found[1].shape == getattr(out.type, "shape", None) and _copy(op, out, *found, recorder)


def _along_axis(x: Operand, table: Operand, axis: Operand, recorder: Recorder) -> tuple[NestAccess, Region] | None:
    """What `table` selects along `axis`: each other axis has the same places in both."""
    source, places = recorder.scope.source(x), recorder.scope.source(table)
    match x, table, axis:
        case Var(type=Array(_, tuple(shape))), Var(type=Array("int64", tuple(own))), Lit(int() as along) if (
            isinstance(source, NestAccess) and isinstance(places, NestAccess) and len(shape) == len(own) and len(own) > 0
        ):
            along %= len(own)
        case _:
            return None
    if any(size != other for place, (size, other) in enumerate(zip(shape, own, strict=True)) if place != along):
        return None
    axes = [AffineIndex(place) for place in range(len(own))]
    axes[along] = AffineIndex(None, extra=TableEntry(places, shape[along]))
    return source, Region(tuple(axes), own)


def added_along_axis(op: Call, out: Var, recorder: Recorder) -> bool:
    """``runtime.add_along_axis(values, x, table, axis)``"""
    values, x, table, axis = op.args
    if out.type != x.type if isinstance(x, Var) else True:
        return False
    found = _along_axis(x, table, axis, recorder)
    return found is not None and _into_zeros(op, out, found[1], values, recorder, intrinsics.accumulate)


def scattered(op: Call, out: Var, recorder: Recorder) -> bool:
    """``runtime.scatter_last(values, x, index)``"""
    values, x, index = op.args
    found = region_of(x, index, recorder)
    if found is None or not isinstance(x, Var) or out.type != x.type or not in_order(found[1]):
        return False
    return _into_zeros(op, out, found[1], values, recorder, operator.setitem)


def _into_zeros(op: Call, out: Var, found: Region, values: Operand, recorder: Recorder, fn: Any) -> bool:
    """Read `op` as zeros, into which `values` are put at the places that were `found`."""
    shape = getattr(out.type, "shape", ())
    space, target = loop_space(shape), spread(whole(out), shape, shape)
    if target is None or not space or not recorder.scope.measurable(space) or getattr(out.type, "dtype", "") not in FLOATS:
        return False
    recorder.add(op, (out,), space, Assign(target), (Lit(0.0),), as_it_is)
    return recorder.put(op, whole(out), found, values, fn)


def in_order(found: Region) -> bool:
    """Whether of elements that are named twice a loop comes last to those that NumPy does: one loop goes through the tables."""
    entries = [place.extra.access for place in found.axes if isinstance(place.extra, TableEntry)]
    return len({place.loop for access in entries for place in access.places if place.loop is not None}) <= 1


def gathered(op: Call, out: Var, recorder: Recorder) -> bool:
    """``runtime.gather_last(x, index)``: an element that is named twice goes to the last that names it."""
    x, index = op.args
    located = region_of(x, index, recorder)
    if located is None or located[1].shape != getattr(out.type, "shape", None) or not in_order(located[1]):
        return False
    source, found = located
    assert isinstance(x, Var)
    assert isinstance(x.type, Array)
    assert x.type.shape is not None
    shape = found.shape
    named = [(axis, place) for axis, place in enumerate(found.axes) if isinstance(place.extra, TableEntry)]
    loop = next(iter({place.loop for _, axis in named for place in _entry(axis).places if place.loop is not None}), None)
    if not named or _differ(axis for _, axis in named) or any(place.loop == loop and not place.extra for place in found.axes):
        return _copy(op, out, source, found, recorder)
    sizes = tuple(x.type.shape[axis] for axis, _ in named)
    if loop is None or shape[loop] == 1 or not recorder.scope.measurable(sizes):
        return False
    last = NestAccess(recorder.temporary(Array("int64", sizes)), tuple(place for _, place in named))
    return _copy_of_last(op, out, located, last, loop, recorder)


def _copy_of_last(
    op: Call, out: Var, located: tuple[NestAccess, Region], last: NestAccess, loop: int, recorder: Recorder
) -> bool:
    """Read `op` as two loops: one notes in `last` which iteration of `loop` names an element last, in which the other copies."""
    source, found = located
    shape = found.shape
    at, target = composed(source, found.axes), spread(whole(out), shape, shape)
    given = None if at is None else spread(at, shape, shape)
    space = loop_space(shape)
    alone, here = composed(last, [AffineIndex(0) for _ in shape]), spread(last, shape, shape)
    if given is None or target is None or alone is None or here is None or not recorder.scope.measurable(space):
        return False
    number = loops(shape)[loop]
    assert isinstance(last.base, Var)
    recorder.add(op, (last.base,), (shape[loop],), Assign(alone), (Counted((AffineIndex(0),)),), as_it_is)
    recorder.add(op, (out,), space, Assign(target), (given, here, Counted((AffineIndex(number),))), _if_last)
    return True


def masked(op: Call, recorder: Recorder) -> bool:
    """``x[mask] = number``"""
    x, mask, value = op.args
    source = recorder.scope.source(x)
    number = isinstance(value, Lit) or (isinstance(value, Var) and isinstance(value.type, Scalar))
    match x, mask:
        case Var(type=Array(dtype, tuple(shape))), Var(type=Array("bool", own)) if number and own == shape:
            pass
        case _:
            return False
    if not isinstance(source, NestAccess) or dtype not in FLOATS or not fits(value, dtype):
        return False
    target, given = spread(source, shape, shape), recorder.scope.spread(mask, shape)
    space = loop_space(shape)
    if target is None or given is None or not space or not recorder.scope.measurable(space):
        return False
    recorder.add(op, (), space, Assign(target), (given, value, target), _where(dtype))
    return True


def _differ(places: Iterable[AffineIndex]) -> bool:
    """Whether what tables name side by side is known to be another element each time."""
    entries = [place.extra for place in places if isinstance(place.extra, TableEntry)]
    known = all(entry.values and min(entry.values) >= 0 for entry in entries)
    if not known or len({entry.access.places for entry in entries}) > 1:
        return False
    rows = [*zip(*(entry.values for entry in entries), strict=True)]
    return len(set(rows)) == len(rows)


def _where(dtype: str) -> Element:
    def written(builder: Builder, args: tuple[Operand, ...], hint: str) -> Operand:
        return chosen(builder, args[0], converted(builder, args[1], dtype, always=True), args[2], dtype, hint)

    return written


def _entry(place: AffineIndex) -> NestAccess:
    assert isinstance(place.extra, TableEntry)
    return place.extra.access


def _if_last(builder: Builder, args: tuple[Operand, ...], hint: str) -> Operand:
    """The element, if the number of the last one that names it is that of this one; else zero."""
    value, last, number = args
    same = builder.call(operator.eq, last, number, type=BOOL, hint="tmp")
    dtype = value.type.dtype if isinstance(value, Var) and isinstance(value.type, Scalar) else ""
    return chosen(builder, same, value, Lit(0.0), dtype, hint)


LOOKUPS: Mapping[Any, Callable[[Call, Var, Recorder], bool]] = MappingProxyType(
    {
        operator.getitem: picked,
        np.take: taken,
        np.ndarray.take: taken,
        np.take_along_axis: along_axis,
        runtime.add_along_axis: added_along_axis,
        runtime.gather_last: gathered,
        runtime.scatter_last: scattered,
    }
)
