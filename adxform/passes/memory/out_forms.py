"""Calls in the form in which they write into an array that they are given."""

from __future__ import annotations

import operator
from dataclasses import replace
from typing import Any

import numpy as np

from adxform import runtime
from adxform.ir.ops import Call, Lit, Operand, Var
from adxform.ir.types import Array
from adxform.primitives.facets import Moves
from adxform.primitives.table import TABLE, record_of

WHOLE = Lit(...)
POWERS = {record.power: fn for fn, record in TABLE.items() if record.power is not None}
GUARDED = frozenset([runtime.masked_product, runtime.power, runtime.quotient, runtime.ratio, runtime.rate, runtime.log_or_zero])


def copies(fn: Any) -> bool:
    """Whether what `fn` returns is its first argument in new memory."""
    return record_of(fn).moves is Moves.COPY or fn is np.ndarray.astype


def is_elementwise(fn: Any) -> bool:
    """Whether the result of `fn` has the shape that its operands broadcast to."""
    ufunc = record_of(fn).ufunc or fn
    return fn in GUARDED or fn is np.where or (isinstance(ufunc, np.ufunc) and ufunc.signature is None)


def written_into(op: Call) -> tuple[Call, ...] | None:
    """Ops that leave in memory, the out of `op`, what `op` returns; ``None`` where there is no such form."""
    assert isinstance(op.fn, Lit)
    fn, (out,) = op.fn.value, op.outs
    record = record_of(fn)
    if record.fresh is not None and all(key == "dtype" for key, _ in op.kwargs):
        if record.fresh.given:
            return (stored(op, op.args[1]),)
        return () if record.fresh.number is None else (stored(op, Lit(record.fresh.number)),)
    if _is_stored(op, fn):
        return (stored(op, op.args[0]),)
    if fn is np.where and len(op.args) == 3:
        chosen = Call((), Lit(np.copyto), (out, op.args[1]), (("where", op.args[0]),), op.span)
        return stored(op, op.args[2]), chosen
    if record.moves is Moves.JOIN:  # what it writes to says the dtype
        op = replace(op, kwargs=tuple((key, arg) for key, arg in op.kwargs if key != "dtype"))
    computing = _with_out_parameter(op, fn)
    return None if computing is None else (with_out(op, *computing),)


def _is_stored(op: Call, fn: Any) -> bool:
    """Whether the elements of what `op` returns are those of its first argument."""
    copied = copies(fn) and not op.kwargs and len(op.args) == 1 + (fn is np.ndarray.astype)
    return copied or fn in (runtime.private, runtime.laid_out)


def _with_out_parameter(op: Call, fn: Any) -> tuple[Any, tuple[Operand, ...]] | None:
    """The function with a parameter ``out`` that computes what `fn` does in `op`, and its arguments."""
    record = record_of(fn)
    if fn is operator.pow and isinstance(op.args[1], Lit) and op.args[1].value in POWERS:
        return POWERS[op.args[1].value], op.args[:1]
    if record.ufunc is not None:
        return record.ufunc, op.args
    of_numpy = isinstance(fn, np.ufunc) and fn.nout == 1 and len(op.args) == fn.nin
    fits = fn is not np.dot or all(isinstance(arg, Var) and same_dtype(arg, op.outs[0]) for arg in op.args)
    return (fn, op.args) if of_numpy or (record.takes_out and fits) else None


def stored(op: Call, value: Operand) -> Call:
    """The store of `value` into the whole of the out of `op`."""
    return Call((), Lit(operator.setitem), (op.outs[0], WHOLE, value), (), op.span)


def with_out(op: Call, fn: Any, args: tuple[Operand, ...]) -> Call:
    """``fn(*args, out=…)`` in place of `op`."""
    return replace(op, outs=(), fn=Lit(fn), args=args, kwargs=(*op.kwargs, ("out", op.outs[0])))


def same_lengths(a: Var, b: Var) -> bool:
    """Whether two arrays are known to have the same shape."""
    return isinstance(a.type, Array) and isinstance(b.type, Array) and a.type.shape is not None and a.type.shape == b.type.shape


def same_dtype(a: Var, b: Var) -> bool:
    """Whether two arrays have the same dtype."""
    return isinstance(a.type, Array) and isinstance(b.type, Array) and a.type.dtype == b.type.dtype
