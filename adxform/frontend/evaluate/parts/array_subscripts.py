"""Subscripts of arrays: as NumPy takes them, and by its rules the type of what is there."""

from __future__ import annotations

import itertools
import operator
from collections.abc import Iterable
from typing import Any

import numpy as np

from adxform.analysis.slices import slice_size
from adxform.frontend.evaluate.keys import as_index, with_bounds
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, Range, Ref, Slice, Static, Tuple, Value
from adxform.frontend.types import forgotten_kinds
from adxform.frontend.types.sampled_types import sampled_type
from adxform.frontend.types.samples import FRESH, NoSample
from adxform.frontend.types.shape_rules import broadcast
from adxform.ir.ops import Lit, Operand, Pack, Var
from adxform.ir.types import Array, Dim, Object, Scalar, Size, Type
from adxform.ir.walk import variables
from adxform.primitives.memory import index_kind


def told(interp: Interpreter, index: Value) -> Operand:
    """`index` as an operand, in which all numbers are known to be whole or not."""
    at = interp.operand(with_arrays(interp, by_axes(interp, index)))
    forgotten_kinds.refuse(interp, variables(at))
    return at


def by_axes(interp: Interpreter, index: Value) -> Value:
    """`index`, where it is a tuple with its items one by one: they stand for as many axes, where those of a list are places."""
    if isinstance(index, Tuple):
        return index if index.cls is tuple else Tuple(index.items)
    many = isinstance(index, Ref) and index.cls is tuple and interp.is_long(index)
    return Tuple(tuple(interp.items(index))) if many else index


def by_truth(interp: Interpreter, x: Var, index: Value, *, loaded: bool = False) -> tuple[Var, Value]:
    """`x` and `index`; where that is a truth value, which takes all of `x` or nothing: one row, and a mask of one.

    What is `loaded` by a truth value that is known has a length that is.
    """
    if not is_truth(index) or not isinstance(x.type, Array):
        return x, index
    row = interp.call(Lit(operator.getitem), (x, NONE), hint=x.base)
    assert isinstance(row, Var)
    if loaded and isinstance(index, Lit):
        rows = row if index.value else interp.call(Lit(operator.getitem), (row, Slice(NONE, Lit(0), NONE)), hint=x.base)
        assert isinstance(rows, Var)
        return interp.emit(np.ndarray.copy, (rows,), rows.type, x.base), Lit(...)
    return row, interp.call(Lit(np.array), (interp.new_list((index,)),), hint="mask")


def refuse_beyond(interp: Interpreter, x: Var, index: Operand) -> None:
    """Let a number raise that is known to lie beyond an axis whose length is known; of all others the run tells."""
    shape = x.type.shape if isinstance(x.type, Array) else None
    parts = _parts(index)
    if shape is None or not any(isinstance(size, int) for size in shape) or sum(map(_is_ellipsis, parts)) > 1:
        return
    before, after = _around_ellipsis(parts)
    axes = dict(enumerate(before))
    axes.update({len(shape) - 1 - axis: part for axis, part in enumerate(reversed(after))})
    for axis, part in sorted(axes.items(), key=lambda item: item[0]):
        match part:
            case Lit(int() | np.integer() as place) if 0 <= axis < len(shape) and isinstance(size := shape[axis], int):
                if not -size <= place < size and not isinstance(place, bool):
                    interp.fail(IndexError, f"index {place} is out of bounds for axis {axis} with size {size}")


def _around_ellipsis(parts: tuple[Operand, ...]) -> tuple[list[Operand], list[Operand]]:
    """The parts that take axes, before and after the ellipsis, as far as each takes one."""
    at = next((k for k, part in enumerate(parts) if _is_ellipsis(part)), len(parts))
    return _one_each(parts[:at]), _one_each(parts[:at:-1])[::-1]


def _one_each(parts: Iterable[Operand]) -> list[Operand]:
    taking = (part for part in parts if not _is_new_axis(part))
    return list(itertools.takewhile(lambda part: _consumed(part) == 1, taking))


def is_truth(index: Value) -> bool:
    """Whether `index` is a truth value, one in an array without axes included."""
    type_ = index.type if isinstance(index, Var) else None
    dtype = type_.dtype if isinstance(type_, Scalar) or (isinstance(type_, Array) and type_.shape == ()) else None
    return dtype == "bool" or (isinstance(index, Lit) and isinstance(index.value, bool | np.bool_))


def of_range(interp: Interpreter, numbers: Range, hint: str = "numbers") -> Value:
    """The array that NumPy makes of a range."""
    return interp.call(Lit(np.arange), (numbers.start, numbers.stop, numbers.step), hint=hint)


def with_arrays(interp: Interpreter, index: Value) -> Value:
    """`index` with arrays for ranges and lists of truth values, and numbers for bounds of slices that may be missing."""
    match index:
        case Tuple(items):
            return Tuple(tuple(with_arrays(interp, item) for item in items))
        case Ref(kind="list") if not interp.is_long(index) and interp.contents(index).items:
            items = interp.contents(index).items
            masks = all(isinstance(item, Lit) and isinstance(item.value, bool) for item in items)
            return interp.call(Lit(np.array), (index,), hint="mask") if masks else index
        case Range():
            return of_range(interp, index)
        case Slice():
            return with_bounds(interp, index)
        case Static():
            return as_index(interp, index)
        case _:
            return index


def element_type(interp: Interpreter, x: Var, index: Operand) -> Type:
    """The type of ``x[index]``."""
    assert isinstance(x.type, Array)
    dtype, shape = x.type.dtype, x.type.shape
    if shape is None or index_kind(index) == "unknown":
        if shape is not None and len(shape) == 1 and isinstance(index, Var):
            return Array(dtype, None)
        return Array(dtype, None)
    parts = _expand(interp, index, len(shape))
    if index_kind(index) == "fancy":
        return _fancy_type(interp, x, shape, parts)
    sizes = _basic_sizes(interp, shape, parts)
    if not sizes and not any(_is_ellipsis(part) for part in _parts(index)):
        return Scalar(dtype)
    return Array(dtype, tuple(sizes))


def _parts(index: Operand) -> tuple[Operand, ...]:
    match index:
        case Pack("tuple", items):
            return items
        case Lit(tuple() as items):
            return tuple(Lit(item) for item in items)
        case _:
            return (index,)


def _is_ellipsis(part: Operand) -> bool:
    return isinstance(part, Lit) and part.value is Ellipsis


def _is_new_axis(part: Operand) -> bool:
    return isinstance(part, Lit) and part.value is None


def _consumed(part: Operand) -> int:
    """How many axes of the array an index part takes."""
    if _is_new_axis(part):
        return 0
    if isinstance(part, Var) and isinstance(part.type, Array) and part.type.dtype == "bool":
        return len(part.type.shape or ())
    return 1


def _expand(interp: Interpreter, index: Operand, rank: int) -> list[Operand]:
    """The index parts with ``...`` written out and missing axes added."""
    parts = list(_parts(index))
    everything = Pack("slice", (Lit(None), Lit(None), Lit(None)))
    taken = sum(_consumed(part) for part in parts if not _is_ellipsis(part))
    if taken > rank:
        interp.fail(IndexError, f"too many indices for array: array is {rank}-dimensional, but {taken} were indexed")
    fill: list[Operand] = [everything] * (rank - taken)
    for position, part in enumerate(parts):
        if _is_ellipsis(part):
            return [*parts[:position], *fill, *parts[position + 1 :]]
    return [*parts, *fill]


def _bound(interp: Interpreter, bound: Operand) -> Any:
    """A slice bound: a number, ``None``, a length, or `FRESH`."""
    match bound:
        case Lit(None):
            return None
        case Lit(value) if not hasattr(type(value), "__index__"):
            return interp.fail(TypeError, "slice indices must be integers or None or have an __index__ method")
        case Lit(value):
            return operator.index(value)
        case Var():
            size = interp.integers.dim_of(bound)
            return FRESH if size is None else interp.equal.size(size)
        case _:
            return FRESH


def _basic_sizes(interp: Interpreter, shape: tuple[Size, ...], parts: list[Operand]) -> list[Size]:
    sizes: list[Size] = []
    axis = 0
    for part in parts:
        if _is_new_axis(part):
            sizes.append(1)
            continue
        match part:
            case Pack("slice", (start, stop, step)):
                size = slice_size(
                    interp.equal.size(shape[axis]), _bound(interp, start), _bound(interp, stop), _bound(interp, step)
                )
                sizes.append(_decided(interp, FRESH if size is None else size, shape[axis], (start, stop, step)))
            case Lit(slice() as piece):
                size = slice_size(shape[axis], piece.start, piece.stop, piece.step)
                sizes.append(_decided(interp, FRESH if size is None else size, shape[axis], ()))
            case _:
                pass
        axis += 1
    return sizes


def _decided(interp: Interpreter, size: Size, length: Size, bounds: tuple[Operand, ...]) -> Size:
    """`size`, of a slice of an axis of this length; with what decides on it, where `bounds` and lengths of arguments do."""
    found = interp.integers.of_arguments.get(length.base) if isinstance(length, Dim) else frozenset[Var]()
    for bound in bounds:
        origin = interp.integers.followed(bound) if isinstance(bound, Var) else frozenset[Var]()
        found = None if found is None or (isinstance(bound, Var) and not origin) else found | origin
    if size != FRESH or not found:
        return size
    fresh = interp.integers.fresh_dim()
    interp.integers.of_arguments[fresh.base] = found
    return fresh


def _fancy_type(interp: Interpreter, x: Var, shape: tuple[Size, ...], parts: list[Operand]) -> Type:
    """The type of a load by index arrays, masks and lists, by NumPy's rules."""
    assert isinstance(x.type, Array)
    index_shapes: list[tuple[Size, ...]] = []
    kinds: list[str] = []
    kept: list[Size] = []
    axis = 0
    for part in parts:
        consumed = _consumed(part)
        if (
            _is_new_axis(part)
            or (isinstance(part, Pack) and part.kind == "slice")
            or (isinstance(part, Lit) and isinstance(part.value, slice))
        ):
            kinds.append("basic")
            kept += _basic_sizes(interp, shape[axis : axis + consumed], [part])
        else:
            kinds.append("fancy")
            index_shapes.append(_index_shape(interp, part))
        axis += consumed
    picked = broadcast(index_shapes)
    first = kinds.index("fancy")
    last = len(kinds) - 1 - kinds[::-1].index("fancy")
    apart = "basic" in kinds[first : last + 1]
    before = 0 if apart else first
    sizes = (*kept[:before], *picked, *kept[before:])
    return Array(x.type.dtype, tuple(sizes))


def _index_shape(interp: Interpreter, part: Operand) -> tuple[Size, ...]:
    match part:
        case Var(_, Array(dtype, shape)) if shape is not None:
            return (FRESH,) if dtype == "bool" else shape
        case Var(_, Scalar()):
            return ()
        case Lit(value) if not isinstance(value, bool):
            return tuple(np.shape(value))
        case Pack():
            try:
                found = sampled_type(np.asarray, (part,), {}, interp.integers.sizes)
            except NoSample:
                found = Object()
            if isinstance(found, Array) and found.shape is not None and found.dtype != "bool":
                return found.shape
            if isinstance(found, Array) and found.dtype == "bool":
                return (FRESH,)
        case _:
            pass
    raise interp.error("an index of this kind cannot be followed", "use integers, slices, integer arrays or masks")
