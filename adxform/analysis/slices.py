"""What slices select of an array: which of them may be cut off at its ends, and how long they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from adxform.ir.linear_forms import LinearForm
from adxform.ir.ops import Lit, Operand, Pack, Var
from adxform.ir.types import INT, Array, Dim, Scalar, Size
from adxform.primitives.memory import index_kind

Bounds = tuple[Operand, Operand]
"""Where a slice starts and stops: integers, or ``None`` literals for the ends of the axis."""
Form = Callable[[Operand], LinearForm | None]
"""What an integer is in terms of others."""


def slice_size(length: Size, start: Any, stop: Any, step: Any) -> Size | None:
    """The length of ``x[start:stop:step]`` where `x` has `length`; each bound an int, ``None``, or a `Dim`.

    ``None`` where that has no other name.

    >>> str(slice_size(Dim("x.0"), 1, -1, None)), str(slice_size(Dim("x.0"), None, Dim("x.0", -1), None))
    ('x.0-2', 'x.0-1')
    """
    if isinstance(length, int):
        known = all(bound is None or isinstance(bound, int) for bound in (start, stop, step))
        return len(range(*slice(start, stop, step).indices(length))) if known else None
    if step == -1 and start is None and stop is None:
        return length
    if step not in (None, 1):
        return None
    # ``x[:n - 3]`` of two elements is ``x[:-1]``, which has one; with an offset of two it has none in any case.
    if isinstance(stop, Dim) and stop.base == length.base and length.offset == 0 and -2 <= stop.offset <= 0:
        stop = stop.offset or None
    from_front = start is None or (isinstance(start, int) and start >= 0)
    to_end = stop is None or (isinstance(stop, int) and stop < 0)
    if not from_front or not to_end:
        return None
    offset = (stop or 0) - (start or 0)
    return Dim(length.base, length.offset + offset) if offset else length


def variable_slices(x: Var, index: Operand) -> Iterator[tuple[int, int, Bounds]]:
    """The slices of ``x[index]`` by steps of one that may be cut off: the axis of `x`, that of the result, the bounds."""
    parts = index.items if isinstance(index, Pack) and index.kind == "tuple" else (index,)
    if not isinstance(x.type, Array) or x.type.shape is None or index_kind(index) != "basic":
        return
    axis = place = 0
    for part in parts:
        match part:
            case Lit(None):
                place += 1
            case Lit(value) if value is Ellipsis:
                rest = len(x.type.shape) - sum(other != Lit(None) and other != Lit(...) for other in parts)
                axis, place = axis + rest, place + rest
            case Pack("slice", (start, stop, step)) if may_be_cut(start, stop, step):
                yield axis, place, (start, stop)
                axis, place = axis + 1, place + 1
            case Lit(slice() as piece) if may_be_cut(Lit(piece.start), Lit(piece.stop), Lit(piece.step)):
                yield axis, place, (Lit(piece.start), Lit(piece.stop))
                axis, place = axis + 1, place + 1
            case Pack("slice") | Lit(slice()):
                axis, place = axis + 1, place + 1
            case _:
                axis += 1


def may_be_cut(start: Operand, stop: Operand, step: Operand) -> bool:
    """Whether a slice by steps of one has bounds that can be followed, and is as long as the axis lets it be."""
    if step not in (Lit(None), Lit(1)) or not is_bound(start) or not is_bound(stop):
        return False
    ahead = isinstance(start, Lit) and start.value is not None and start.value < 0
    within = isinstance(stop, Lit) and stop.value is not None and stop.value >= 0
    return ahead or within or isinstance(start, Var) or isinstance(stop, Var)


def literal_length(bounds: Bounds) -> tuple[int, int] | None:
    """How long a slice with literal `bounds` is that is not cut off, and how long an axis has to be for that.

    >>> literal_length((Lit(3), Lit(6))), literal_length((Lit(-2), Lit(None))), literal_length((Lit(1), Lit(-1)))
    ((3, 6), (2, 2), None)
    """
    match bounds:
        case Lit(int() | None as start), Lit(int() as stop) if (start or 0) >= 0 and stop > (start or 0):
            return stop - (start or 0), stop
        case Lit(int() as start), Lit(int() | None as stop) if start < (stop or 0) <= 0:
            return (stop or 0) - start, -start
        case _:
            return None


def selected(x: Var, index: Operand) -> int:
    """How many axes ``x[index]`` has, a basic index."""
    assert isinstance(x.type, Array)
    parts = index.items if isinstance(index, Pack) and index.kind == "tuple" else (index,)
    taken = sum(isinstance(part, Var) or (isinstance(part, Lit) and type(part.value) is int) for part in parts)
    return len(x.type.shape or ()) - taken + sum(part == Lit(None) for part in parts)


def slice_forms(x: Var, index: Operand, form: Form) -> Iterator[tuple[int, int, LinearForm]]:
    """As `variable_slices`, with how long each slice is if it is not cut off, in terms of other integers, which `form` gives."""
    whole = (x.type.shape or ()) if isinstance(x.type, Array) else ()
    for axis, place, bounds in variable_slices(x, index):
        size = whole[axis]
        full = LinearForm(0, ((size, 1),)) if isinstance(size, Dim) else LinearForm(size)
        first, last = _from_front(bounds[0], LinearForm(), full, form), _from_front(bounds[1], full, full, form)
        yield axis, place, last.plus(first, -1)


def _from_front(bound: Operand, missing: LinearForm, whole: LinearForm, form: Form) -> LinearForm:
    """Where `bound` is in an axis that is `whole` long, counted from its front; `missing` where it is ``None``."""
    if bound == Lit(None):
        return missing
    found = form(bound)
    assert found is not None
    return whole.plus(found) if isinstance(bound, Lit) and bound.value < 0 else found


def is_bound(bound: Operand) -> bool:
    """Whether `bound` is an integer of Python's or ``None``."""
    match bound:
        case Lit(None):
            return True
        case Lit(value):
            return type(value) is int
        case Var(type=Scalar() as type_):
            return type_ == INT
        case _:
            return False
