"""Short steps for numbers and for elements of arrays, where speed counts; what they do not cover, a slow step does."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from adxform.ir.ops import Call, Lit, Operand, Pack, Var
from adxform.ir.types import Array, Scalar, is_float
from adxform.primitives.facets import Algebra, Gives
from adxform.primitives.table import lookup, meaning_of, record_of
from adxform.sparse.graph import CONST
from adxform.sparse.pattern_branches import Branches
from adxform.sparse.pattern_memory import Note
from adxform.sparse.pattern_operands import Frame, Operands, Step
from adxform.sparse.unbounded_loops import Ends


def number(trace: Branches, at: Operands, op: Call, fn: Any, slow: Step) -> Step:
    """A function of numbers."""
    if not is_float(op.outs[0].type):
        return whole_number(at, op, fn, slow)
    out = at.slots[op.outs[0].name]
    variables = [arg for arg in op.args if isinstance(arg, Var)]
    record = lookup(fn)
    if record is None or not record.elementwise or meaning_of(fn).algebra is Algebra.QUOTIENT:
        return slow
    flows = at.places([var for var in variables if is_float(var.type)])
    if len(flows) != len(variables) or len(op.args) > 2:
        return slow
    if len(flows) == 1:
        known = all(isinstance(arg, Var) or arg.value for arg in op.args if not isinstance(arg, Pack))
        return slow if meaning_of(fn).algebra is Algebra.PRODUCT and not known else same(out, flows[0], slow)
    return union(trace, out, flows[0], flows[1], slow) if len(flows) == 2 else slow


def whole_number(at: Operands, op: Call, fn: Any, slow: Step) -> Step:
    """A function of numbers that gives an integer or a truth value: of known ones it is known, of floats it is not."""
    out = at.slots[op.outs[0].name]
    variables = [arg for arg in op.args if isinstance(arg, Var)]
    weak = all(isinstance(var.type, Scalar) and var.type.weak for var in variables)
    compares = record_of(fn).gives is Gives.COMPARISON
    whole = record_of(fn).whole or compares
    if not (whole and weak) or any(is_float(var.type) for var in variables) or any(map(_is_float, op.args)):
        floats = compares and len(variables) == 2 and all(is_float(var.type) for var in variables)
        return comparison(at, out, variables[0], variables[1], slow) if floats else slow
    if len(op.args) != 2:
        return slow
    first, second = map(at.plain, op.args)

    def step(frame: Frame) -> None:
        a, b = first(frame), second(frame)
        frame[out] = None if a is None or b is None else fn(a, b)

    return step


def same(out: int, only: int, slow: Step) -> Step:
    """A function of one float: what it is of, the result is of."""

    def step(frame: Frame) -> None:
        a = frame[only]
        if type(a) is int and a >= CONST:
            frame[out] = a
        else:
            slow(frame)

    return step


def comparison(at: Operands, out: int, a: Var, b: Var, slow: Step) -> Step:
    """Two numbers compared: not known unless both are."""
    first, second = at.places([a, b])

    def step(frame: Frame) -> None:
        if type(frame[first]) is int or type(frame[second]) is int:
            frame[out] = None
        else:
            slow(frame)

    return step


def union(trace: Branches, out: int, first: int, second: int, slow: Step) -> Step:
    """A function of two floats."""
    graph, edges = trace.graph, trace.graph.edges

    def step(frame: Frame) -> None:
        a, b = frame[first], frame[second]
        if type(a) is type(b) is int and a >= CONST and b >= CONST:
            if a == b or b == CONST:
                frame[out] = a
            elif a == CONST:
                frame[out] = b
            else:
                frame[out] = node = graph.count
                graph.count = node + 1
                edges.extend((node, a, node, b))
        else:
            slow(frame)

    return step


def element(trace: Branches, at: Operands, op: Call, fn: Any, slow: Step) -> Step:
    """An element of an array of floats read, written or added to."""
    x, index = op.args[0], op.args[1]
    parts = index.items if isinstance(index, Pack) and index.kind == "tuple" else (index,)
    array = isinstance(x, Var) and isinstance(x.type, Array) and is_float(x.type) and x.type.shape is not None
    if not isinstance(x, Var) or not isinstance(x.type, Array) or not array or len(parts) != len(x.type.shape or ()):
        return slow
    if not all(_is_whole(part) for part in parts):
        return slow
    graph, source = trace.graph, at.slots[x.name]
    getters = [at.plain(part) for part in parts]
    only = getters[0] if len(getters) == 1 else None

    def place(frame: Frame) -> Any:
        if only is not None:
            return only(frame)
        found = tuple([get(frame) for get in getters])
        return None if None in found else found

    if fn is operator.getitem:
        out = at.slots[op.outs[0].name]

        def read(frame: Frame) -> None:
            where = place(frame)
            if where is None:
                slow(frame)
                return
            try:
                frame[out] = frame[source].item(where)
            except IndexError:
                raise Ends from None

        return read
    value = op.args[2]
    if not isinstance(value, Var) or not isinstance(value.type, Scalar) or not is_float(value.type):
        return slow
    given = at.slots[value.name]
    adds = fn is not operator.setitem

    def write(frame: Frame) -> None:
        where, new = place(frame), frame[given]
        if where is None or type(new) is not int:
            slow(frame)
            return
        ids = frame[source]
        try:
            if adds:
                new = graph.union(ids.item(where), new)
            if trace.log is not None:
                trace.log.append(Note(ids, where, ids.item(where)))
            if graph.frozen:
                graph.check(ids)
            ids[where] = new
        except IndexError:
            raise Ends from None

    return write


def is_number(operand: Operand) -> bool:
    """Whether `operand` is a number."""
    match operand:
        case Var(type=Scalar()):
            return True
        case Lit(value):
            return isinstance(value, bool | int | float | np.number)
        case _:
            return False


def _is_float(operand: Operand) -> bool:
    return isinstance(operand, Lit) and isinstance(operand.value, float | np.floating)


def _is_whole(operand: Operand) -> bool:
    match operand:
        case Var(type=Scalar(dtype)):
            return np.dtype(dtype).kind in "iu"
        case Lit(value):
            return isinstance(value, int) and not isinstance(value, bool)
        case _:
            return False
