"""Where the elements that a loop nest touches lie in memory: affine index maps, through views of views."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np

from adxform.analysis.slices import literal_length, may_be_cut
from adxform.ir.operand_facts import index_parts
from adxform.ir.ops import Lit, Operand, Pack, Var
from adxform.ir.types import Array, Dim, Scalar, Size


@dataclass(frozen=True, slots=True)
class AffineIndex:
    """An index into one axis: ``step * loop + offset + extra``; `loop` is the number of a loop, ``None`` where there is none.

    `extra` is an integer of the program, a length, or an element of a table.
    """

    loop: int | None
    step: int = 1
    offset: int = 0
    extra: Var | Dim | TableEntry | None = None


FIRST = AffineIndex(None)


@dataclass(frozen=True, slots=True)
class NestAccess:
    """The elements ``base[places]`` that a loop nest touches; `base` is no view of an array that is known."""

    base: Var
    places: tuple[AffineIndex, ...]

    def aligned(self, other: NestAccess, loop: int) -> bool:
        """Whether iterations of `loop` touch, by the two, elements that no other does: both accesses are to one base."""
        return any(a == b and a.loop == loop for a, b in zip(self.places, other.places, strict=True))

    def apart(self, other: NestAccess) -> bool:
        """Whether the two, of one base, surely touch different elements: two rows of it."""
        return any(
            a.loop is None and b.loop is None and a.extra == b.extra and a.offset != b.offset and isinstance(a.extra, Dim | None)
            for a, b in zip(self.places, other.places, strict=True)
        )

    @property
    def tables(self) -> Iterator[NestAccess]:
        """The elements of tables that say which elements these are."""
        for place in self.places:
            if isinstance(place.extra, TableEntry):
                yield place.extra.access
                yield from place.extra.access.tables


@dataclass(frozen=True, slots=True)
class TableEntry:
    """An element of an array of integers, as an index into an axis of `size`: one below zero counts from its end.

    `values`: what the whole array holds, if that is known and has one axis.
    """

    access: NestAccess
    size: Size
    values: tuple[int, ...] = ()

    def row(self) -> AffineIndex | None:
        """The place that is meant, if it is known which element of the array is taken, and what that holds."""
        at = self.access.places[0] if self.values else None
        known = at is not None and at.loop is None and at.extra is None
        return _row(self.size, self.values[at.offset]) if at is not None and known else None


@dataclass(frozen=True, slots=True)
class Counted:
    """What an element of ``np.arange(n)`` is: its own place, the only one of `places`."""

    places: tuple[AffineIndex, ...]


Elements = TypeVar("Elements", bound=NestAccess | Counted)


def whole(var: Var) -> NestAccess:
    """All of an array, by its own axes."""
    assert isinstance(var.type, Array)
    assert var.type.shape is not None
    return NestAccess(var, tuple(map(AffineIndex, range(len(var.type.shape)))))


def composed(elements: Elements, axes: Sequence[AffineIndex]) -> Elements | None:
    """`elements`, by the axes of a view, with these places put in for those axes; ``None`` where that is no affine map."""
    places = tuple(found for place in elements.places if (found := _composed(place, axes)) is not None)
    return replace(elements, places=places) if len(places) == len(elements.places) else None


def _composed(place: AffineIndex, axes: Sequence[AffineIndex]) -> AffineIndex | None:
    extra = place.extra
    if isinstance(extra, TableEntry):
        entry = composed(extra.access, axes)
        if entry is None:
            return None
        extra = replace(extra, access=entry)
        row = extra.row()
        if row is not None and place.loop is None:
            return row if not place.offset else replace(row, offset=row.offset + place.offset)
    if place.loop is None:
        return replace(place, extra=extra)
    inner = axes[place.loop]
    if inner.extra is not None and (extra is not None or place.step != 1):
        return None
    return AffineIndex(
        inner.loop,
        place.step * inner.step,
        place.offset + place.step * inner.offset,
        inner.extra if extra is None else extra,
    )


def spread(access: Elements, own: tuple[Size, ...], shape: tuple[Size, ...]) -> Elements | None:
    """`access`, by axes of lengths `own`, for the loops over `shape`, which `own` broadcasts to; ``None`` if that is not sure.

    Loops are numbered by the axes of `shape` whose length is not one.
    """
    numbers = loops(shape)[len(shape) - len(own) :]
    if len(own) > len(shape):
        return None
    axes = []
    for size, wide, number in zip(own, shape[len(shape) - len(own) :], numbers, strict=True):
        if size == 1:
            axes.append(FIRST)
        elif size == wide:
            axes.append(AffineIndex(number))
        else:
            return None
    return composed(access, axes)


def onto(access: Elements, own: tuple[Size, ...], shape: tuple[Size, ...], lead: int | None = None) -> Elements | None:
    """`access`, by axes of lengths `own`, by the axes of `shape`, from axis `lead` on (the last ones), which `own` broadcasts to.

    ``None`` if that is not sure.
    """
    lead = len(shape) - len(own) if lead is None else lead
    axes = []
    for axis, size in enumerate(own, start=lead):
        if size == shape[axis]:
            axes.append(AffineIndex(axis))
        elif size == 1:
            axes.append(FIRST)
        else:
            return None
    return composed(access, axes)


def loop_space(shape: tuple[Size, ...]) -> tuple[Size, ...]:
    """The lengths of the loops over `shape`."""
    return tuple(size for size in shape if size != 1)


def loops(shape: tuple[Size, ...]) -> list[int | None]:
    """The number of the loop over each axis of `shape`; none for lengths of one."""
    count = 0
    found: list[int | None] = []
    for size in shape:
        found.append(None if size == 1 else count)
        count += size != 1
    return found


@dataclass(frozen=True, slots=True)
class Region:
    """What a basic index selects of an array: a place for each axis of the array by the axes of the selection, and its shape."""

    axes: tuple[AffineIndex, ...]
    shape: tuple[Size, ...]


def region(
    access: NestAccess | Counted, shape: tuple[Size, ...], index: Operand, lengths: tuple[Size | None, ...] = ()
) -> Region | None:
    """What `index` selects of the array of `shape` at `access`; ``None`` where it is no affine map of known lengths.

    Slices that may be cut off are as long as `lengths`, those of the last axes of what is selected.
    """
    parts = index_parts(index)
    given = sum(part != Lit(None) and part != Lit(...) for part in parts)
    if given > len(shape) or sum(part == Lit(...) for part in parts) > 1:
        return None
    rest: tuple[Operand, ...] = (Pack("slice", (Lit(None), Lit(None), Lit(None))),) * (len(shape) - given)
    if Lit(...) not in parts:
        parts = (*parts, Lit(...))
    at = parts.index(Lit(...))
    axes: list[AffineIndex] = []
    sizes: list[Size] = []
    rank = len(shape) - given + sum(part == Lit(None) for part in parts) + sum(map(_is_slice, parts))
    known = (*[None] * (rank - len(lengths)), *lengths[max(len(lengths) - rank, 0) :])
    for part in (*parts[:at], *rest, *parts[at + 1 :]):
        if part == Lit(None):
            sizes.append(1)
            continue
        size = shape[len(axes)]
        match part:
            case Pack("slice", (start, stop, step)):
                found = _slice(size, start, stop, step) or _between(size, start, stop, step, known[len(sizes)])
            case Lit(slice() as piece):
                bounds = Lit(piece.start), Lit(piece.stop), Lit(piece.step)
                found = _slice(size, *bounds) or _between(size, *bounds, known[len(sizes)])
            case Lit(int() | np.integer() as number) if not isinstance(number, bool):
                axes.append(_row(size, int(number)))
                continue
            case Var(type=Scalar("int64")) if _is_plain(access, len(axes), size):
                axes.append(AffineIndex(None, extra=part))
                continue
            case _:
                return None
        if found is None:
            return None
        place, length = found
        axes.append(replace(place, loop=len(sizes)))
        sizes.append(length)
    return Region(tuple(axes), tuple(sizes))


def _is_slice(part: Operand) -> bool:
    return (isinstance(part, Pack) and part.kind == "slice") or (isinstance(part, Lit) and isinstance(part.value, slice))


def _between(size: Size, start: Operand, stop: Operand, step: Operand, length: Size | None) -> tuple[AffineIndex, Size] | None:
    """As `_slice`, for a slice that is known, or checked, not to be cut off and to be of this `length`."""
    if not may_be_cut(start, stop, step) or length is None:
        return None
    own = literal_length((start, stop))
    if isinstance(length, int) and own is not None and own[0] != length:
        return None
    match start:
        case Lit(int() as first) if first < 0 and own is not None and isinstance(length, int) and isinstance(size, Dim):
            return AffineIndex(0, 1, first, size), length
        case Lit(None):
            return AffineIndex(0), length
        case Lit(int() as first) if first >= 0:
            return AffineIndex(0, 1, first), length
        case Var(type=Scalar("int64")):
            return AffineIndex(0, 1, 0, start), length
        case _:
            return None


def _row(size: Size, number: int) -> AffineIndex:
    if number >= 0:
        return AffineIndex(None, offset=number)
    return AffineIndex(None, offset=number, extra=size) if isinstance(size, Dim) else AffineIndex(None, offset=size + number)


def _is_plain(access: NestAccess | Counted, axis: int, size: Size) -> bool:
    """Whether an index of the view, also a negative one, is one of its base."""
    if isinstance(access, Counted):
        return False
    assert isinstance(access.base.type, Array)
    assert access.base.type.shape is not None
    found = [(place, whole) for place, whole in zip(access.places, access.base.type.shape, strict=True) if place.loop == axis]
    return found == [(AffineIndex(axis), size)]


def _slice(size: Size, start: Operand, stop: Operand, step: Operand) -> tuple[AffineIndex, Size] | None:
    """The place of an element of a slice of an axis of `size` (its `loop` is still to be set), and the length of the slice."""
    if not (isinstance(start, Lit) and isinstance(stop, Lit) and isinstance(step, Lit)):
        return None
    low, high, stride = start.value, stop.value, step.value
    if isinstance(size, int):
        found = range(*slice(low, high, stride).indices(size))
        return AffineIndex(0, found.step, found.start), len(found)
    if stride == -1 and low is None and high is None:
        return AffineIndex(0, -1, -1, size), size
    if stride not in (None, 1) or not (low is None or low >= 0) or not (high is None or high < 0):
        return None
    shift = (high or 0) - (low or 0)
    return AffineIndex(0, 1, low or 0), Dim(size.base, size.offset + shift) if shift else size
