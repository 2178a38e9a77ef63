"""Matrices told by the place of an element: the identity, triangles, diagonals and traces, as loops."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from adxform import runtime
from adxform.ir.build import Builder
from adxform.ir.operand_facts import callee
from adxform.ir.ops import Call, Lit, Operand, Var
from adxform.ir.types import BOOL, INT, Array, Scalar, Size
from adxform.passes.arrays.lane_dtypes import chosen
from adxform.passes.arrays.maps import FIRST, AffineIndex, Counted, NestAccess, composed, loop_space, loops, spread, whole
from adxform.passes.arrays.recording import Recorder
from adxform.passes.arrays.reductions import Reduction, as_it_is
from adxform.passes.arrays.units import Assign, Source

Test = Callable[..., Any]


def identity(op: Call, out: Var, recorder: Recorder) -> bool:
    """``np.eye`` and ``np.identity``: ones on a diagonal."""
    shift = _shift(op, 2)
    plain = all(key == "k" or (key == "dtype" and value in DTYPES) for key, value in op.kwargs)
    return shift is not None and plain and _put(op, out, (Lit(1.0),), operator.eq, shift, recorder)


def triangle(op: Call, out: Var, recorder: Recorder) -> bool:
    """``np.tril`` and ``np.triu``: the elements on one side of a diagonal."""
    x, shift = op.args[0], _shift(op, 1)
    shape = _shape(out)
    if shift is None or shape is None or _shape(x) != shape:
        return False
    source = recorder.scope.spread(x, shape)
    return source is not None and _put(op, out, (source,), operator.le if callee(op) is np.tril else operator.ge, shift, recorder)


def filled_diagonal(op: Call, out: Var, recorder: Recorder) -> bool:
    """A square matrix that is zero but for its diagonal: of ``np.diag`` and `adxform.runtime.add_diagonal`."""
    shape, shift = _shape(out), _shift(op, 1 if callee(op) is np.diag else 2)
    own = _shape(op.args[0], 1)
    if shift != 0 or shape is None or own is None or (*own, *own) != shape:
        return False
    source = recorder.scope.source(op.args[0])
    values = composed(source, [_along(shape, 0)]) if isinstance(source, NestAccess | Counted) else source
    return values is not None and _put(op, out, (values,), operator.eq, 0, recorder)


def trace(op: Call, out: Var, recorder: Recorder) -> bool:
    """``np.trace`` of a square matrix."""
    shape = _shape(op.args[0])
    if shape is None or shape[0] != shape[1] or _shift(op, 1) != 0 or out.type != Scalar("float64"):
        return False
    source = recorder.scope.source(op.args[0])
    place = _along(shape, 0)
    diagonal = composed(source, [place, place]) if isinstance(source, NestAccess | Counted) else source
    if diagonal is None:
        return False
    found = Reduction(shape[:1], (0,), (), (diagonal,), as_it_is, runtime.add_up, Lit(0.0), "float64")
    return recorder.reduce(op, out, found)


def _put(op: Call, out: Var, given: tuple[Source], test: Test, shift: int, recorder: Recorder) -> bool:
    """The elements `given` where ``test(column - row, shift)``, zero elsewhere."""
    shape = _shape(out)
    if shape is None or not (space := loop_space(shape)) or not recorder.scope.measurable(space):
        return False
    target = spread(whole(out), shape, shape)
    if target is None:
        return False
    places = [Counted((_along(shape, axis),)) for axis in (0, 1)]
    recorder.add(op, (out,), space, Assign(target), (*given, *places), _where(test, shift))
    return True


def _where(test: Test, shift: int) -> Callable[[Builder, tuple[Operand, ...], str], Operand]:
    def written(builder: Builder, args: tuple[Operand, ...], hint: str) -> Operand:
        value, row, column = args
        if shift:
            row = builder.call(operator.add, row, Lit(shift), type=INT, hint="tmp")
        condition = builder.call(test, column, row, type=BOOL, hint="tmp")
        return chosen(builder, condition, value, Lit(0.0), "float64", hint)

    return written


def _along(shape: tuple[Size, ...], axis: int) -> AffineIndex:
    """The place in an axis of an array of `shape`."""
    number = loops(shape)[axis]
    return FIRST if number is None else AffineIndex(number)


def _shape(operand: Operand, rank: int = 2) -> tuple[Size, ...] | None:
    """The shape of a matrix of ``float64``; ``None`` for anything else."""
    match operand:
        case Var(type=Array("float64", tuple(shape))) if len(shape) == rank:
            return shape
        case _:
            return None


def _shift(op: Call, place: int) -> int | None:
    """Which diagonal is meant: the argument at `place`, or a keyword; ``None`` where that is not known."""
    options = {key: value for key, value in op.kwargs if key != "dtype"}
    given = op.args[place] if len(op.args) > place else options.pop("k", options.pop("offset", Lit(0)))
    known = isinstance(given, Lit) and isinstance(given.value, int) and not options and len(op.args) <= place + 1
    return given.value if known and isinstance(given, Lit) else None


DTYPES = (Lit(float), Lit(np.float64), Lit(np.dtype(np.float64)))
DIAGONALS: Mapping[Any, Callable[[Call, Var, Recorder], bool]] = MappingProxyType(
    {
        **dict.fromkeys((np.eye, np.identity), identity),
        **dict.fromkeys((np.tril, np.triu), triangle),
        **dict.fromkeys((np.diag, runtime.add_diagonal), filled_diagonal),
        **dict.fromkeys((np.trace, np.ndarray.trace), trace),
    }
)
