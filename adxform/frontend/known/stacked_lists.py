"""Joins of the items of a list whose length only a run can tell, and of the rows of an array that is given as the sequence."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from adxform.frontend.containers import lists_of_lists
from adxform.frontend.containers.methods import Answer, Handler
from adxform.frontend.evaluate.control_flow import iteration
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Ref, Static, Value
from adxform.ir.ops import Lit, Var
from adxform.ir.types import Array
from adxform.primitives.definitions.arrangements.stacking import OF_ROWS


def _joined(fn: Callable[..., Any], meaning: Callable[..., Any]) -> Handler:
    def handler(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Answer:
        if args and isinstance(args[0], Ref) and interp.portions(args[0]) is not None:
            return _of_lists(interp, fn, args, kwargs, hint)
        if not args or not (interp.is_long(args[0]) or _has_rows(args[0])):
            return None
        if fn is np.block and not interp.is_long(args[0]):
            return interp.call(Lit(np.array), args, hint=hint)
        try:
            inspect.signature(meaning).bind(*args, **kwargs)
        except TypeError:
            message = f"`np.{fn.__name__}` is given an array or a list as long as a run says, and more than an axis"
            raise interp.error(message, "join them first, then convert the result: `.astype(…)`") from None
        if fn is np.block:
            _refuse_nested(interp, args[0])
        message = "need at least one array to stack" if fn is np.stack else "need at least one array to concatenate"
        interp.require(
            interp.operand(interp.call(Lit(operator.gt), (iteration.length(interp, args[0]), Lit(0)))), ValueError, message
        )
        rows = interp.call(Lit(np.array), args[:1])
        found = interp.call(Static(meaning), (rows, *args[1:]), kwargs)
        return interp.call(Lit(np.ndarray.copy), (found,), hint=hint)

    return handler


def _of_lists(interp: Interpreter, fn: Callable[..., Any], args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
    """``fn(lists)`` of as many lists of numbers as only a run can tell."""
    assert isinstance(args[0], Ref)
    if fn not in (np.concatenate, np.hstack) or args[1:] or kwargs:
        return interp.call(Lit(fn), (lists_of_lists.as_array(interp, args[0]), *args[1:]), kwargs, hint)
    some = interp.operand(interp.call(Lit(operator.gt), (iteration.length(interp, args[0]), Lit(0))))
    interp.require(some, ValueError, "need at least one array to concatenate")
    return interp.call(Lit(np.array), (lists_of_lists.chained(interp, args[0]),), hint=hint)


def _has_rows(value: Value) -> bool:
    """Whether `value` is an array, of which the rows are joined."""
    return isinstance(value, Var) and isinstance(value.type, Array) and value.type.shape != ()


def _refuse_nested(interp: Interpreter, blocks: Value) -> None:
    """Refuse lists within lists, which go along another axis, and tuples, of which NumPy makes no blocks."""
    if isinstance(blocks, Ref) and blocks.cls is tuple:
        interp.fail(TypeError, "arrays is a tuple. Only lists can be used to arrange blocks")
    filled = interp.filled(blocks)
    if filled is None or filled.nested:
        raise interp.error(
            "only a run can tell how many lists of blocks `np.block` is given here",
            "join each list by `np.hstack`, then `np.vstack`",
        )


TABLE: dict[Any, Handler] = {fn: _joined(fn, meaning) for fn, meaning in OF_ROWS.items()}
