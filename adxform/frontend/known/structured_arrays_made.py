"""Structured arrays, made by `np.zeros` and its kin: sets of arrays, or objects of the run where that is not followed."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from adxform.frontend.containers.methods import Answer, Args, Handler, Kwargs
from adxform.frontend.evaluate.operands import are_static
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Ref, Static, Tuple, Value
from adxform.ir.ops import Lit
from adxform.primitives.definitions.arrangements.structured_arrays import structured, structured_rows


def filled_with(value: int) -> Handler:
    """`np.zeros` and its kin of a dtype with fields; ``None`` for any other, and where the run makes it."""

    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        given = {**dict(zip(("shape", "dtype"), args, strict=False)), **kwargs}
        parts = _fields(interp, given.get("dtype"))
        length = given.get("shape")
        if parts is None or length is None or len(given) != 2 or (isinstance(length, Tuple) and len(length.items) != 1):
            return None
        return interp.call(Static(structured), (length, Lit(value), *parts), hint=hint)

    return handler


def of_rows(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """`np.array` of tuples, of a dtype with fields; ``None`` for anything else."""
    given = {**dict(zip(("object", "dtype"), args, strict=False)), **kwargs}
    rows = given.get("object")
    if given.keys() != {"object", "dtype"} or not isinstance(rows, Ref) or rows.kind != "list" or interp.is_long(rows):
        return None
    parts = _fields(interp, given["dtype"])
    if parts is None or not all(_fits(row, parts[0]) for row in interp.contents(rows).items):
        return None
    return interp.call(Static(structured_rows), (rows, *parts), hint=hint)


def _fits(row: Value, names: Tuple) -> bool:
    return isinstance(row, Tuple) and len(row.items) == len(names.items)


def _fields(interp: Interpreter, stated: Value | None) -> tuple[Tuple, Tuple, Tuple, Value] | None:
    """The names, dtypes and shapes of the fields of a dtype with some that share nothing, and the dtype, if they are followed."""
    told = isinstance(stated, Lit | Static) and isinstance(stated.value, np.dtype | list | str)
    if stated is None or not (told or (isinstance(stated, Ref) and stated.kind == "list")) or not are_static(interp, (stated,)):
        return None
    try:
        dtype: np.dtype[Any] = np.dtype(interp.static(stated, "a dtype"))
    except (TypeError, ValueError):
        return None
    if dtype.names is None or not _lie_apart(dtype):
        return None
    if not interp.knowledge.follows_structures:
        return None
    interp.makes_structures = True
    fields = [dtype[name].subdtype or (dtype[name], ()) for name in dtype.names]
    kinds, shapes = Tuple(tuple(Lit(kind) for kind, _ in fields)), [Tuple(tuple(map(Lit, shape))) for _, shape in fields]
    return Tuple(tuple(map(Lit, dtype.names))), kinds, Tuple(tuple(shapes)), Lit(dtype)


def _lie_apart(dtype: np.dtype[Any]) -> bool:
    """Whether the fields are of numbers, or arrays of them, each with memory of its own."""
    assert dtype.names is not None
    assert dtype.fields is not None
    places = sorted((dtype.fields[name][1], dtype[name].itemsize) for name in dtype.names)
    apart = all(start + size <= following for (start, size), (following, _) in itertools.pairwise(places))
    return apart and all(dtype[name].base.kind in "biufc" and dtype[name].base.isnative for name in dtype.names)
