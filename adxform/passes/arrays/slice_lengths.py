"""Slices of which only a run can tell how long they are: ``A[i, :j]`` in a loop. It says where they start, and how long they are.

A loop over such a slice is as long as that: cut off at the ends of its axis, and counted from its end where a bound is below
zero.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Mapping

from adxform import runtime
from adxform.analysis.slices import Bounds, selected, variable_slices
from adxform.ir import intrinsics
from adxform.ir.ops import Call, Lit, Operand, Pack, Var
from adxform.ir.spans import Span
from adxform.ir.types import Array, Dim, Size
from adxform.passes.arrays.integer_signs import from_zero
from adxform.passes.arrays.recording import Recorder
from adxform.runtime import kernel_scalars


def is_open(size: Size | None) -> bool:
    """Whether `size` is a length that has no other name than its own."""
    return isinstance(size, Dim) and size.base.startswith("?") and not size.offset


def taken(x: Var, index: Operand, sizes: tuple[Size, ...], recorder: Recorder) -> Operand:
    """`index` with slices that start where they do, counted from the front, and are as long as the run says.

    Those of ``x[index]``, of these `sizes`, whose lengths are open; loops over them can be written from here on.
    """
    starts: dict[int, Operand] = {}
    for axis, place, bounds in _of_the_run(x, index):
        size = sizes[place]
        if isinstance(size, Dim) and is_open(size):
            if recorder.scope.provider(size) is None:
                _measure(size, _length(x, axis, bounds, recorder), recorder)
            starts[axis] = _start(x, axis, bounds, recorder)
    return _beginning_at(x, index, starts)


def stored(x: Var, index: Operand, value: Operand, span: Span, recorder: Recorder) -> tuple[Operand, Mapping[int, Size]]:
    """`index` as `taken` gives it, of a store of `value` into ``x[index]``; and by axis how long what is stored into is.

    It is checked to be as long as `value`, where that may have one element, and has a name of its own where a number is stored.
    """
    own = (value.type.shape or ()) if isinstance(value, Var) and isinstance(value.type, Array) else ()
    starts: dict[int, Operand] = {}
    lengths: dict[int, Size] = {}
    for axis, place, bounds in _of_the_run(x, index):
        at = place - selected(x, index) + len(own)
        size = own[at] if at >= 0 else 1
        if size == 1:
            size = Dim(recorder.scope.names.fresh("?slice"))
            _measure(size, _length(x, axis, bounds, recorder), recorder)
        elif not (isinstance(size, Dim) and (is_open(size) or size.offset)) or recorder.scope.provider(size) is None:
            continue
        else:
            there = recorder.length(size), _length(x, axis, bounds, recorder)
            recorder.plain(Call((), Lit(kernel_scalars.check_equal), there, (), span))
        lengths[place] = size
        starts[axis] = _start(x, axis, bounds, recorder)
    return _beginning_at(x, index, starts), lengths


def _of_the_run(x: Var, index: Operand) -> Iterator[tuple[int, int, Bounds]]:
    """The slices of ``x[index]`` with a bound that only the run knows."""
    return (found for found in variable_slices(x, index) if any(isinstance(bound, Var) for bound in found[2]))


def _measure(size: Dim, length: Operand, recorder: Recorder) -> None:
    if isinstance(length, Var):
        recorder.scope.lengths[size] = (length, 0)


def _length(x: Var, axis: int, bounds: Bounds, recorder: Recorder) -> Operand:
    """How long the slice of `x` with these `bounds` is."""
    whole = recorder.number(intrinsics.dim, x, Lit(axis))
    end: Operand = whole
    if bounds[1] != Lit(None):
        known = from_zero(bounds[1], recorder.scope.from_zero)
        end = recorder.number(min if known else runtime.from_front, bounds[1], whole)
    start = _start(x, axis, bounds, recorder)
    return end if start == Lit(0) else recorder.number(max, recorder.number(operator.sub, end, start), Lit(0))


def _start(x: Var, axis: int, bounds: Bounds, recorder: Recorder) -> Operand:
    """Where the slice of `x` with these `bounds` starts."""
    if bounds[0] == Lit(None):
        return Lit(0)
    if from_zero(bounds[0], recorder.scope.from_zero):
        return bounds[0]
    return recorder.number(runtime.from_front, bounds[0], recorder.number(intrinsics.dim, x, Lit(axis)))


def _beginning_at(x: Var, index: Operand, starts: Mapping[int, Operand]) -> Operand:
    """`index` with slices along the axes of `starts` that begin there."""
    parts = index.items if isinstance(index, Pack) and index.kind == "tuple" else (index,)
    found = list(parts)
    for place, axis in _axes(x, parts):
        if axis in starts:
            match parts[place]:
                case Pack("slice", (_, stop, _)):
                    end = stop
                case Lit(slice() as piece):
                    end = Lit(piece.stop)
                case _:
                    raise AssertionError(parts[place])
            found[place] = Pack("slice", (starts[axis], end, Lit(None)))
    return Pack("tuple", tuple(found)) if starts else index


def _axes(x: Var, parts: tuple[Operand, ...]) -> Iterator[tuple[int, int]]:
    """The places of an index that are of an axis of `x`, each with that axis."""
    assert isinstance(x.type, Array)
    axis = 0
    for place, part in enumerate(parts):
        if part == Lit(...):
            axis += len(x.type.shape or ()) - sum(other not in (Lit(None), Lit(...)) for other in parts)
        elif part != Lit(None):
            yield place, axis
            axis += 1
