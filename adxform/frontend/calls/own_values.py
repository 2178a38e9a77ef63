"""Functions that have a meaning in terms of others: the value is the function's own call, the derivative that of the meaning."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Iterator
from typing import Any

from adxform import runtime
from adxform.frontend.evaluate import structures
from adxform.frontend.evaluate.operands import operand
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Ref, Static, Tuple, Value
from adxform.frontend.types.result_types import result_type
from adxform.ir import intrinsics
from adxform.ir.ops import Lit, Operand, Var
from adxform.ir.types import Object, Several, Type, hides, is_inexact
from adxform.primitives.record import Primitive


def with_own_value(
    interp: Interpreter,
    record: Primitive,
    meaning: Callable[..., Any],
    args: tuple[Value, ...],
    kwargs: dict[str, Value],
    hint: str,
) -> Value:
    """The result of a call of ``record.fn``: what it raises is raised first, and what `meaning` computes only moves it."""
    operands = tuple(_given(interp, record, arg) for arg in args)
    named = {key: _given(interp, record, arg) for key, arg in kwargs.items()}
    type_ = result_type(interp, record, record.fn, operands, named)
    single = Object() if isinstance(type_, Several) else type_
    own = interp.emit(intrinsics.own, (Lit(record.fn), *operands), single, hint, named)
    moved = interp.call(Static(meaning), args, kwargs)
    if not isinstance(moved, Tuple | Ref):
        return _valued(interp, own, moved, single, hint)
    types = type_.types if isinstance(type_, Several) else None
    items = tuple(interp.items(moved))
    values = [
        _valued(interp, interp.emit(operator.getitem, (own, Lit(k)), place, hint), item, place, hint)
        for k, (item, place) in enumerate(zip(items, types or _types(interp, items), strict=True))
    ]
    return structures.made_like(interp, moved, values)


def _given(interp: Interpreter, record: Primitive, arg: Value) -> Operand:
    """`arg` as ``record.fn`` gets it: a function of Python's gets numbers of Python's from a list of them."""
    found = operand(interp, arg)
    filled = interp.filled(arg)
    if filled is None or not filled.weak or not _takes_python(record.fn, floats=is_inexact(filled.buffer.type)):
        return found
    made = (Lit(runtime.sequence), found, Lit(list), Lit(filled.nested), Lit(filled.weak))
    return interp.emit(intrinsics.own, made, Object())


def _takes_python(fn: Callable[..., Any], *, floats: bool) -> bool:
    """Whether what `fn` gives tells numbers of Python's from those of an array: a product of whole ones has no bound."""
    return getattr(fn, "__module__", "") == "statistics" or (fn is math.prod and not floats)


def _types(interp: Interpreter, items: tuple[Value, ...]) -> Iterator[Type]:
    for item in items:
        leaf = interp.operand(item)
        yield leaf.type if isinstance(leaf, Var) else structures.literal_type(leaf)


def _valued(interp: Interpreter, own: Var, moved: Value, type_: Type, hint: str) -> Value:
    """`own`, which moves as `moved` does; where nothing moves, `own` alone.

    What is of unknown type, or complex, may move: whether an input comes to it is for the analysis of activity to tell.
    """
    movement = interp.operand(moved)
    if not isinstance(movement, Var) or not _may_move(type_) or not _may_move(movement.type):
        return own
    return interp.emit(intrinsics.valued, (own, movement), type_, hint)


def _may_move(type_: Type) -> bool:
    return is_inexact(type_) or hides(type_)
