"""Items and slices of ranges, and of lists of pairs, whose length only a run can tell."""

from __future__ import annotations

import operator
from typing import Any

from adxform import runtime
from adxform.frontend.containers.tuple_columns import as_long_as_one_another
from adxform.frontend.evaluate.control_flow import iteration
from adxform.frontend.evaluate.control_flow.branches import truth
from adxform.frontend.evaluate.keys import refuse_index
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, Enumerate, Range, Slice, Static, Tuple, Value, Zip, is_int
from adxform.frontend.known.items.iterables import listed
from adxform.ir.ops import Lit, Var
from adxform.ir.types import Scalar
from adxform.primitives.definitions.of_python import item_places

ONE = Lit(1)


def load(interp: Interpreter, source: Range | Zip | Enumerate, index: Value, hint: str) -> Value:
    """``source[index]``"""
    refuse_index(interp, index, "range object" if isinstance(source, Range) else "list")
    if isinstance(source, Range):
        is_bool = isinstance(index, Lit) and isinstance(index.value, bool)
        return _of_range(interp, source, Lit(int(index.value)) if is_bool and isinstance(index, Lit) else index)
    parts = as_long_as_one_another(interp, pairs(interp, source))
    found = tuple(interp.call(Lit(operator.getitem), (part, index), hint=hint) for part in parts)
    return Zip(found) if isinstance(index, Slice) else Tuple(found)


def pairs(interp: Interpreter, source: Zip | Enumerate) -> tuple[Value, ...]:
    """The lists whose items come together in each item of `source`."""
    if isinstance(source, Zip):
        return source.parts
    end = iteration.add(interp, source.start, iteration.length(interp, source.items))
    return Range(source.start, end, ONE), source.items


def _of_range(interp: Interpreter, source: Range, index: Value) -> Value:
    if all(isinstance(part, Lit) for part in (source.start, source.stop, source.step, *_bounds(index))):
        bounds = (interp.static(part, "a bound") for part in (source.start, source.stop, source.step))
        return interp.evaluate(operator.getitem, (range(*bounds), interp.static(index, "an index")))
    if isinstance(index, Slice):
        return _cut(interp, source, index)
    if not is_int(index) and not (isinstance(index, Var) and isinstance(index.type, Scalar)):
        raise interp.error("this index into a range cannot be followed", "compute the number instead")
    count = iteration.length(interp, source)
    return iteration.item_at(interp, source, _place(interp, index, count))


def _bounds(index: Value) -> tuple[Value, ...]:
    return (index.start, index.stop, index.step) if isinstance(index, Slice) else (index,)


def _place(interp: Interpreter, index: Value, count: Value) -> Value:
    """`index`, counted from the start; one beyond the ends raises."""
    enough = (
        interp.call(Lit(operator.gt), (count, index))
        if not isinstance(index, Lit) or index.value >= 0
        else interp.call(Lit(operator.ge), (count, Lit(-index.value)))
    )
    message = "range object index out of range"
    there = truth(interp, enough)
    if there is False:
        return interp.fail(IndexError, message)
    if isinstance(there, Var):
        interp.require(there, IndexError, message)
    if isinstance(index, Lit):
        return index if index.value >= 0 else iteration.subtract(interp, count, Lit(-index.value))
    return interp.call(Static(item_places.counted_from_start), (index, count, Lit(message)))


def _cut(interp: Interpreter, source: Range, cut: Slice) -> Range:
    """A slice of a range, which is a range."""
    by: Any = 1 if cut.step == NONE else interp.static(cut.step, "the step of a slice of a range")
    if by == 0:
        interp.fail(ValueError, "slice step cannot be zero")
    count = iteration.length(interp, source)
    last = iteration.subtract(interp, count, ONE)
    step = source.step if by == 1 else interp.call(Lit(operator.mul), (source.step, Lit(by)))
    if by > 0:
        start = (
            source.start
            if cut.start == NONE
            else _at(interp, source, _within(interp, cut.start, count, Lit(0), count, first=True))
        )
        stop = (
            source.stop if cut.stop == NONE else _at(interp, source, _within(interp, cut.stop, count, Lit(0), count, first=False))
        )
        return Range(start, stop, step)
    start = _at(interp, source, last if cut.start == NONE else _within(interp, cut.start, count, Lit(-1), last, first=True))
    stop = _at(interp, source, Lit(-1) if cut.stop == NONE else _within(interp, cut.stop, count, Lit(-1), last, first=False))
    return Range(start, stop, step)


def _within(interp: Interpreter, bound: Value, count: Value, low: Value, high: Value, *, first: bool) -> Value:
    if isinstance(bound, Lit) and low == Lit(0) and ((first and bound.value >= 0) or (not first and bound.value < 0)):
        return bound if first else iteration.subtract(interp, count, Lit(-bound.value))  # beyond the other end it is empty
    return interp.call(Static(item_places.bound_within), (bound, count, low, high))


def _at(interp: Interpreter, source: Range, place: Value) -> Value:
    """What a range of `source` without ends has at `place`."""
    offset = place if source.step == ONE else interp.call(Lit(operator.mul), (place, source.step))
    return iteration.add(interp, source.start, offset)


def apart(interp: Interpreter, source: Zip) -> Tuple:
    """``zip(*source)``: a tuple of each of the lists that `source` puts together."""
    count = truth(interp, interp.call(Lit(operator.gt), (iteration.length(interp, source), Lit(0))))
    if isinstance(count, Var):
        interp.require(count, runtime.nothing_apart)
    return Tuple(tuple(listed(interp, part, cls=tuple) for part in as_long_as_one_another(interp, source.parts)))
