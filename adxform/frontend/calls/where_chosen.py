"""Elementwise functions with ``where=``: they compute the chosen elements alone, and leave the others as they are in ``out``."""

from __future__ import annotations

import operator
from collections.abc import Sequence

import numpy as np

from adxform.frontend.calls.primitive_calls import as_array
from adxform.frontend.evaluate.parts import stored_items
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, Ref, Static, Tuple, Value
from adxform.ir.kinds import alternatives, scalar_type
from adxform.ir.ops import Lit, Var
from adxform.ir.types import Array, Scalar, Type, rank
from adxform.primitives.declare import name_of

Kwargs = dict[str, Value]


def compute_where(interp: Interpreter, fn: Static | Lit, args: tuple[Value, ...], kwargs: Kwargs, hint: str) -> Value:
    """``fn(*args, where=…, out=…)``: a store of what `fn` makes of the chosen elements into these elements of `out`.

    What is not chosen is never computed, so that no slope of it is either: an infinite one would meet a cotangent of zero.
    """
    chosen, out = kwargs.pop("where"), kwargs.pop("out", NONE)
    name = name_of(fn.value)
    if out == NONE:
        message = f"`{name}` with `where=` and without `out=` leaves elements that nothing has set"
        raise interp.error(message, "give it an array that has them: `out=np.zeros_like(x)`, or choose by `np.where`")
    if not isinstance(out, Var) or not isinstance(out.type, Array) or out.type.shape is None or fn.value.nout > 1:
        raise interp.error("`out=` is not an array here", "pass an array of the result's shape")
    shape = interp.attribute(out, "shape")
    mask, operands = _mask(interp, chosen, name), [_operand(interp, arg, name) for arg in args]
    target = out
    if not out.type.shape:
        shape = Tuple((Lit(1),))
        target = interp.emit(np.reshape, (out, interp.operand(shape)), Array(out.type.dtype, (1,)), "tmp")
    whole: Value = _spread_over(interp, mask, target, shape, "chosen")
    if out.type.dtype == "bool":  # it may be the mask itself
        whole = interp.call(Lit(np.array), (whole,), hint="chosen")
    for k in _of_elements(operands):
        every = _spread_over(interp, operands[k], target, shape, "tmp")
        operands[k] = interp.call(Lit(operator.getitem), (every, whole))
    found = interp.call(fn, tuple(operands), kwargs, hint=hint)
    _refuse_cast(interp, found, out.type)
    stored_items.store(interp, target, whole, found)
    return out


def _mask(interp: Interpreter, chosen: Value, name: str) -> Value:
    """What says which elements are chosen: truth values, as a number or an array."""
    match chosen:
        case Var(_, Array("bool", shape)) if shape is not None:
            return chosen
        case Var(_, Array(dtype, shape)) if shape is not None:
            return interp.fail(TypeError, f"Cannot cast array data from dtype('{dtype}') to dtype('bool')")
        case Tuple() | Ref(kind="list"):
            return interp.call(Lit(np.array), (chosen, Lit(bool)), hint="chosen")
        case Var(_, Scalar()):
            return interp.call(Lit(bool), (chosen,), hint="chosen")
        case Lit(number) if scalar_type(number) is not None:
            return Lit(bool(number))
        case _:
            raise interp.error(f"what `where=` of `{name}` is, only a run can tell", "make it an array: `np.asarray(m, bool)`")


def _operand(interp: Interpreter, arg: Value, name: str) -> Value:
    """`arg` as an array or a number, of which it is known how many axes it has."""
    found = as_array(interp, arg)
    match found:
        case Var(_, Array(_, shape)) if shape is not None:
            return found
        case Var(_, Scalar()):
            return found
        case Lit(number) if scalar_type(number) is not None:
            return found
        case _:
            raise interp.error(f"`{name}` with `where=` of what is no number or array", "make it an array: `np.asarray(x)`")


def _of_elements(operands: Sequence[Value]) -> list[int]:
    """Which of the operands are given to the function element by element: arrays, or else one number.

    Numbers stand for themselves, with what they say of the result's dtype. One number of Python's says nothing beside others.
    """
    arrays = [k for k, one in enumerate(operands) if isinstance(one, Var) and rank(one.type) != 0]
    if arrays:
        return arrays
    strong = [k for k, one in enumerate(operands) if not _is_weak(one)]
    return strong[:1] or [0]


def _spread_over(interp: Interpreter, value: Value, target: Var, shape: Value, hint: str) -> Var:
    """``np.broadcast_to(value, shape)``, the shape of `target`: lengths that only the run knows are one or those of `target`."""
    assert isinstance(target.type, Array)
    type_ = _number_type(value)
    assert isinstance(type_, Scalar | Array)
    return interp.emit(
        np.broadcast_to, (interp.operand(value), interp.operand(shape)), Array(type_.dtype, target.type.shape), hint
    )


def _is_weak(number: Value) -> bool:
    type_ = _number_type(number)
    return isinstance(type_, Scalar) and type_.weak


def _number_type(value: Value) -> Type | None:
    return value.type if isinstance(value, Var) else scalar_type(value.value) if isinstance(value, Lit) else None


def _refuse_cast(interp: Interpreter, found: Value, out: Array) -> None:
    """Refuse a result that NumPy does not store in an array of this dtype."""
    type_ = _number_type(found)
    kinds = alternatives(type_) if isinstance(type_, Scalar) else (type_,)
    for kind in kinds:
        if isinstance(kind, Scalar | Array) and not np.can_cast(np.dtype(kind.dtype), np.dtype(out.dtype), "same_kind"):
            message = "the array given as `out=` has another dtype than the result, which NumPy raises for"
            raise interp.error(message, "pass an array of the result's dtype")
