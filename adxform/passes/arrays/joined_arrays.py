"""Arrays put together of others, and of numbers: each part is stored into its place."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from adxform.ir.ops import Call, Lit, Operand, Pack, Var
from adxform.ir.types import Array, Dim, Scalar, Size
from adxform.passes.arrays.maps import AffineIndex, NestAccess, loop_space, spread, whole
from adxform.passes.arrays.recording import Recorder, fits
from adxform.passes.arrays.reductions import in_dtype
from adxform.passes.arrays.units import Assign


def stacked(op: Call, out: Var, recorder: Recorder) -> bool:
    """``np.stack(parts, axis)``: each part is a row of the result."""
    found, axis = _parts(op), _axis(op)
    if found is None or axis is None or not isinstance(out.type, Array) or out.type.shape is None:
        return False
    axis %= len(out.type.shape)
    own = (*out.type.shape[:axis], *out.type.shape[axis + 1 :])
    for row, part in enumerate(found):
        at = [AffineIndex(place) if place < axis else AffineIndex(place - 1) for place in range(len(out.type.shape))]
        at[axis] = AffineIndex(None, offset=row)
        if not _put(op, out, NestAccess(out, tuple(at)), part, own, recorder, makes=row == 0):
            return False
    return True


def concatenated(op: Call, out: Var, recorder: Recorder) -> bool:
    """``np.concatenate(parts, axis)``: each part comes after the lengths of those before."""
    found, axis = _parts(op), _axis(op)
    if found is None or axis is None or not isinstance(out.type, Array) or out.type.shape is None:
        return False
    axis %= len(out.type.shape)
    lengths = []
    for part in found:
        own = part.type.shape if isinstance(part, Var) and isinstance(part.type, Array) else None
        if own is None or len(own) != len(out.type.shape) or not recorder.scope.measurable(own):
            return False
        lengths.append(own[axis])
    offsets: list[Operand] = [Lit(0)]
    for size in lengths:
        offsets.append(recorder.sum(offsets[-1], recorder.length(size)))
    total = out.type.shape[axis]
    if isinstance(total, Dim):
        if total.offset or not isinstance(offsets[-1], Var):
            return False
        recorder.scope.lengths.setdefault(total, (offsets[-1], 0))
    for number, (part, offset) in enumerate(zip(found, offsets, strict=False)):
        shift, extra = (offset.value, None) if isinstance(offset, Lit) else (0, offset)
        places = list(whole(out).places)
        places[axis] = AffineIndex(axis, 1, shift, extra if isinstance(extra, Var) else None)
        own = (*out.type.shape[:axis], lengths[number], *out.type.shape[axis + 1 :])
        if not _put(op, out, NestAccess(out, tuple(places)), part, own, recorder, makes=number == 0):
            return False
    return True


def listed(op: Call, out: Var, recorder: Recorder) -> bool:
    """``np.array([…])`` of numbers."""
    if op.kwargs or len(op.args) != 1 or not isinstance(out.type, Array) or out.type.shape is None:
        return False
    rows, sizes = _items(op.args[0]), [size for size in out.type.shape if isinstance(size, int)]
    if len(sizes) < len(out.type.shape) or len(sizes) > 2 or out.type.dtype != "float64":
        return False
    items = [(row,) for row in rows] if len(sizes) == 1 else [_items(row) for row in rows]
    numbers = [number for row in items for number in row]
    if not numbers or len(numbers) != math.prod(sizes) or not all(map(_is_number, numbers)):
        return False
    shape: Operand = Lit(sizes[0]) if len(sizes) == 1 else Pack("tuple", tuple(map(Lit, sizes)))
    recorder.plain(Call((out,), Lit(np.empty), (shape,), (), op.span))
    for i, row in enumerate(items):
        for j, number in enumerate(row):
            index: Operand = Lit(i) if len(sizes) == 1 else Pack("tuple", (Lit(i), Lit(j)))
            recorder.plain(Call((), Lit(operator.setitem), (out, index, number), (), op.span))
    return True


def _is_number(operand: Operand) -> bool:
    """Whether `operand` is a number that ``float64`` holds."""
    number = isinstance(operand, Lit) or (isinstance(operand, Var) and isinstance(operand.type, Scalar))
    return number and fits(operand, "float64")


def _items(operand: Operand) -> tuple[Operand, ...]:
    return operand.items if isinstance(operand, Pack) and operand.kind in ("list", "tuple") else ()


def _parts(op: Call) -> tuple[Operand, ...] | None:
    """What is put together, if those are arrays or numbers that are known one by one."""
    return _items(op.args[0]) or None


def _axis(op: Call) -> int | None:
    options = dict(zip(("axis",), op.args[1:], strict=False)) | dict(op.kwargs)
    axis = options.get("axis", Lit(0))
    return axis.value if isinstance(axis, Lit) and isinstance(axis.value, int) and set(options) <= {"axis"} else None


def _put(
    op: Call, out: Var, target: NestAccess, part: Operand, own: tuple[Size, ...], recorder: Recorder, *, makes: bool
) -> bool:
    """Store `part`, of shape `own`, at `target`, by the axes of the part."""
    at, given = spread(target, own, own), recorder.scope.spread(part, own)
    space = loop_space(own)
    dtype = getattr(out.type, "dtype", "")
    if at is None or given is None or not space or not recorder.scope.measurable(space) or not fits(part, dtype):
        return False
    recorder.add(op, (out,) if makes else (), space, Assign(at), (given,), in_dtype(dtype))
    return True


JOINS: Mapping[Any, Callable[[Call, Var, Recorder], bool]] = MappingProxyType(
    {np.stack: stacked, np.concatenate: concatenated, np.array: listed}
)
