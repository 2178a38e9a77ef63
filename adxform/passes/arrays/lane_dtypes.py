"""What elementwise functions do to one element, where that is known exactly: the dtype NumPy computes in, and a scalar call.

A number of Python's own takes the dtype of the arrays beside it. Compiled code has no such rule, so operands that it would
compute with in another dtype are converted first; a conversion to ``float64`` is left to the operation itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from adxform.ir.build import Builder
from adxform.ir.ops import Block, Call, If, Lit, Operand, Pack, Var
from adxform.ir.types import Array, Scalar
from adxform.primitives.facets import Gives
from adxform.primitives.scipy_rules.ufunc_loops import loop_of
from adxform.primitives.table import meaning_of, record_of, spelled

Element = Callable[[Builder, tuple[Operand, ...], str], Operand]
"""Writes the scalar ops for one element of the result from those of the operands, with a name for the value."""

FLOATS = ("float64", "float32")
KNOWN = (*FLOATS, "int64", "bool")


def element(call: Call) -> Element | None:
    """How one element of the result of `call`, an array, follows from those of its positional operands; ``None`` if unknown."""
    out = call.outs[0].type
    assert isinstance(out, Array)
    assert isinstance(call.fn, Lit)
    fn, args = spelled(call.fn.value), call.args
    if out.dtype not in KNOWN or any(_dtype(arg) not in KNOWN for arg in args if not _is_option(fn, arg)):
        return None
    if fn in (np.copy, np.ndarray.copy, np.positive) and len(args) == 1:
        return _converted(out.dtype) if _dtype(args[0]) == out.dtype else None
    if fn is np.ndarray.astype and not set(dict(call.kwargs)) - {"copy"} and len(args) == 2:
        return _converted(out.dtype) if out.dtype in FLOATS and isinstance(args[1], Lit) else None
    return None if call.kwargs else _by_operands(fn, args, out.dtype)


def _by_operands(fn: Any, args: tuple[Operand, ...], dtype: str) -> Element | None:
    """As `element` for a function that is told nothing but its operands."""
    if fn is np.where and len(args) == 3:
        return _chosen(dtype) if _dtype(args[0]) == "bool" else None
    if fn in (np.clip, np.ndarray.clip) and len(args) == 3:
        return _clipped(dtype, args) if dtype in FLOATS else None
    if record_of(fn).gives is Gives.LOOP:
        return _of_scipy(fn, args, dtype)
    common = _common(fn, args, dtype)
    return None if common is None else _called(fn, dtype, common)


def is_elementwise(fn: Any) -> bool:
    """Whether `element` may know `fn`."""
    return meaning_of(fn).gives is not None


def _is_option(fn: Any, arg: Operand) -> bool:
    """Whether `arg` says how, not what: a dtype, or no bound."""
    return (fn is np.ndarray.astype and isinstance(arg, Lit)) or arg == Lit(None)


def _common(fn: Any, args: tuple[Operand, ...], out: str) -> str | None:
    """The dtype in which `fn` computes; ``None`` where its result on numbers could differ from that on arrays."""
    match record_of(fn).gives:
        case Gives.SAME:
            return out if out != "bool" else None
        case Gives.FLOAT | Gives.ORDER:
            return out if out in FLOATS else None
        case Gives.COMPARISON:
            found = np.result_type(*map(_sample, args)).name
            return found if found in KNOWN else None
        case Gives.TEST:
            return _dtype(args[0]) if _dtype(args[0]) in FLOATS else None
        case Gives.TRUTH:
            return "bool" if all(_dtype(arg) == "bool" for arg in args) else None
        case Gives.POWER:
            return _power(args, out)
        case Gives.LOOP | Gives.OWN | None:
            return None


def _power(args: tuple[Operand, ...], out: str) -> str | None:
    if out in FLOATS:
        return out
    whole = isinstance(args[1], Lit) and isinstance(args[1].value, int) and args[1].value >= 0
    return out if out == "int64" and whole and _dtype(args[0]) == "int64" else None


def _dtype(arg: Operand) -> str:
    match arg:
        case Var(type=Scalar(dtype) | Array(dtype)):
            return dtype
        case Lit(bool()):
            return "bool"
        case Lit(int()):
            return "int64"
        case Lit(float() | np.generic() as value):
            return np.dtype(type(value)).name
        case _:
            return ""


def _sample(arg: Operand) -> Any:
    weak = {"float64": 0.0, "int64": 0, "bool": False}
    if isinstance(arg, Lit):
        return arg.value
    assert isinstance(arg, Var)
    assert isinstance(arg.type, Scalar | Array)
    dtype = arg.type.dtype
    return weak[dtype] if isinstance(arg.type, Scalar) and arg.type.weak else np.dtype(dtype)


def converted(builder: Builder, value: Operand, dtype: str, hint: str = "tmp", *, always: bool = False) -> Operand:
    """`value` in `dtype`; a conversion that an operation in ``float64`` makes by itself is left out unless `always`."""
    if _dtype(value) == dtype and not (dtype != "float64" and isinstance(value, Var) and _is_weak(value)):
        return value
    if isinstance(value, Lit):
        number = np.dtype(dtype).type(value.value)
        return Lit(number.item() if dtype in ("float64", "int64", "bool") else number)
    if _dtype(value) == "bool":
        return chosen(builder, value, Lit(np.dtype(dtype).type(1).item()), Lit(np.dtype(dtype).type(0).item()), dtype, hint)
    if dtype == "float64" and not always:
        return value
    return builder.call(np.dtype(dtype).type, value, type=Scalar(dtype), hint=hint)


def _is_weak(value: Var) -> bool:
    return isinstance(value.type, Scalar) and value.type.weak and value.type.dtype == "float64"


def _converted(dtype: str) -> Element:
    return lambda builder, args, hint: converted(builder, args[0], dtype, hint, always=True)


def _called(fn: Any, out: str, common: str) -> Element:
    def written(builder: Builder, args: tuple[Operand, ...], hint: str) -> Operand:
        gives = record_of(fn).gives if common in FLOATS else None
        whole = 1 if gives is Gives.POWER else 0 if gives is Gives.ORDER else None
        given = [
            arg if common == "bool" or (place == whole and _dtype(arg) == "int64") else converted(builder, arg, common)
            for place, arg in enumerate(args)
        ]
        return builder.call(fn, *given, type=Scalar(out), hint=hint)

    return written


def _of_scipy(fn: Any, args: tuple[Operand, ...], out: str) -> Element | None:
    """A call in the dtypes of the loop, of which that of an order may be one of whole numbers."""
    found = loop_of(fn, tuple(sample if isinstance(sample := _sample(arg), np.dtype) else type(sample) for arg in args))
    if found is None or found.gives != (out,):
        return None
    takes = found.takes

    def written(builder: Builder, args: tuple[Operand, ...], hint: str) -> Operand:
        given = [converted(builder, arg, dtype) for arg, dtype in zip(args, takes, strict=True)]
        return builder.call(fn, *given, type=Scalar(out), hint=hint)

    return written


def _chosen(dtype: str) -> Element:
    def written(builder: Builder, args: tuple[Operand, ...], hint: str) -> Operand:
        first, second = (converted(builder, arg, dtype, always=not isinstance(arg, Lit)) for arg in args[1:])
        return chosen(builder, args[0], first, second, dtype, hint)

    return written


def chosen(builder: Builder, condition: Operand, first: Operand, second: Operand, dtype: str, hint: str) -> Operand:
    """``first if condition else second``"""
    out = builder.var(hint, Scalar(dtype))
    builder.emit(If((out,), condition, Block((), (), (first,)), Block((), (), (second,)), builder.span))
    return out


def _clipped(dtype: str, args: tuple[Operand, ...]) -> Element:
    bounds = [(fn, place) for fn, place in ((np.maximum, 1), (np.minimum, 2)) if args[place] != Lit(None)]

    def written(builder: Builder, args: tuple[Operand, ...], hint: str) -> Operand:
        value = converted(builder, args[0], dtype)
        for fn, place in bounds:
            value = builder.call(fn, value, converted(builder, args[place], dtype), type=Scalar(dtype), hint=hint)
        return value

    return written


def literals(operand: Operand) -> Any:
    """The value of an operand that is known when compiling; raises `ValueError` for another."""
    match operand:
        case Lit(value):
            return value
        case Pack("tuple" | "list", items):
            return tuple(map(literals, items))
        case _:
            raise ValueError("not known")
