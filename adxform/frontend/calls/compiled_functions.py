"""Functions that Numba compiles: where they are given what moves, their Python code is followed, and gives what Numba would.

A compiled function takes numbers of NumPy for its own, and returns those of Python. One that is given nothing that moves runs.
"""

from __future__ import annotations

from typing import Any

from adxform.frontend.calls.installed_code import may_hold_what_moves
from adxform.frontend.evaluate.outside.guards import from_outside
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Static, Tuple, Value
from adxform.frontend.signature import python_class
from adxform.frontend.signature.access import path_to
from adxform.ir.ops import Lit, Var
from adxform.ir.spans import is_followed
from adxform.ir.types import Array, Scalar, is_float
from adxform.primitives.compiled_by_numba import meant_by, number_function, python_code, takes_as_they_are
from adxform.primitives.definitions.calling.vectorized import at_each_place

Kwargs = dict[str, Value]
_NUMBERS = frozenset({"float64", "int64", "bool", "complex128"})


def called(
    interp: Interpreter, value: Lit | Static, args: tuple[Value, ...], kwargs: Kwargs, hint: str, wanted: bool
) -> Value | None:
    """The result of a compiled function by its Python code; ``None`` where it is none, or stays with the run."""
    fn: Any = value.value
    if (meant := meant_by(fn)) is not None:
        return interp.call(Lit(meant), args, kwargs, hint, wanted)
    if (of_numbers := number_function(fn)) is not None and is_followed(of_numbers) and not kwargs:
        path = path_to(value.access if isinstance(value, Static) else None, ("attribute", "__wrapped__"))
        return interp.call(Static(at_each_place), (from_outside(interp, of_numbers, path), *args), hint=hint)
    source = python_code(fn)
    if source is None or not is_followed(source):
        return None
    given = (*args, *kwargs.values())
    if not interp.in_compiled and not any(may_hold_what_moves(interp, one) for one in given):
        return None
    if not all(map(_is_taken, given)) or not takes_as_they_are(fn, tuple(map(_kind, given))):
        return None
    inner = from_outside(interp, source, path_to(value.access if isinstance(value, Static) else None, ("attribute", "py_func")))
    outermost, interp.in_compiled = not interp.in_compiled, True
    try:
        found = interp.call(inner, args, kwargs, hint, wanted)
    finally:
        interp.in_compiled = not outermost
    return _as_python_has_it(interp, found) if outermost and wanted else found


def _is_taken(value: Value) -> bool:
    """Whether Numba computes with `value` as NumPy does: single precision meets Python's numbers in double there."""
    match value:
        case Var(_, Scalar(dtype=dtype) | Array(dtype=dtype)):
            return dtype in _NUMBERS
        case Tuple(items):
            return all(map(_is_taken, items))
        case _:
            return True


def _kind(value: Value) -> str:
    match value:
        case Var(_, Scalar() | Array() as type_):
            return "float" if is_float(type_) else "whole"
        case Lit(float()):
            return "float"
        case Lit(int()):
            return "whole"
        case _:
            return "other"


def _as_python_has_it(interp: Interpreter, value: Value) -> Value:
    """`value`, which a compiled function returns: its numbers are Python's."""
    match value:
        case Tuple(items, cls):
            return Tuple(tuple(_as_python_has_it(interp, item) for item in items), cls)
        case Var(_, Scalar(dtype=dtype, weak=weak, kinds=kinds)) if not weak or kinds:
            return interp.call(Lit(python_class(dtype, True)), (value,))
        case _:
            return value
