"""Operators of which one side is a container, or a text, and the other an object of which nothing is known.

What they mean is the object's affair: a tuple is joined, a number repeats, an array adds. Python is asked at run time, on what
the program gives it.
"""

from __future__ import annotations

import operator
from typing import Any

from adxform.frontend.containers import keyed_lists
from adxform.frontend.containers.methods import Answer
from adxform.frontend.evaluate.classes.python_classes import class_of, is_container, name_of
from adxform.frontend.evaluate.operands import given_to_unknown
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Once, Ref, Tuple, Value, View, is_unknown
from adxform.ir.ops import Operand
from adxform.ir.types import BOOL, Object, is_inexact
from adxform.ir.walk import variables


def asked_by_the_run(interp: Interpreter, fn: Any, a: Value, b: Value, hint: str, *, moves: bool) -> Answer:
    """``fn(a, b)`` where one is a container and the other unknown; ``None`` where that is not so.

    What `fn` computes `moves` where the operands do: which derivative it has then, the operator of unknown objects cannot tell.
    """
    if interp.in_own_code or not (_meets(a, b) or _meets(b, a)):
        return None
    operands = tuple(_operand(interp, value) for value in (a, b))
    if moves and any(is_inexact(var.type) for one in operands for var in variables(one)):
        message = "floats in a container meet an object of which nothing is known before the run in an operator"
        raise interp.error(message, "convert that where it comes from, e.g. with `float(…)` or `np.asarray(…)`")
    return interp.emit(fn, operands, Object(), hint)


def _meets(value: Value, other: Value) -> bool:
    return is_unknown(value) and is_container(class_of(other))


def _operand(interp: Interpreter, value: Value) -> Operand:
    if isinstance(value, Once):
        raise interp.error("an iterator meets an object of which nothing is known in an operator", "make it a list or a tuple")
    return given_to_unknown(interp, value)


def contains(interp: Interpreter, box: Value, item: Value) -> Answer:
    """``item in box`` where the items of a container, or the item, are unknown; ``None`` where they are not."""
    ref = box.of if isinstance(box, View) else box
    held = (
        interp.keyed(ref) is not None
        or interp.doubtful(ref) is not None
        or (isinstance(ref, Ref) and keyed_lists.is_new(interp, ref, item))
    )
    asked = is_unknown(item) and isinstance(box, Tuple | Ref | View) and not interp.is_long(box) and not held
    if not asked or is_container(class_of(box)) is False:
        return None
    return interp.emit(operator.contains, (_operand(interp, box), interp.operand(item)), BOOL)


def refuse_change(interp: Interpreter, x: Value, value: Value) -> None:
    """Refuse a list, dict or set that an unknown object changes in place, or replaces by another object."""
    if isinstance(x, Ref) and x.kind in ("list", "dict", "set") and is_unknown(value) and not interp.in_own_code:
        message = f"a {name_of(x.cls)} is changed in place by an object of which nothing is known before the run"
        raise interp.error(message, "build a new one, `a = a + b` for `a += b`")
