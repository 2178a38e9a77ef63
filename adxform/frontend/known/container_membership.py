"""``item in box`` of lists, tuples, dicts, sets, ranges and texts."""

from __future__ import annotations

import operator
from functools import partial
from typing import Any

import numpy as np

from adxform.frontend.containers import keyed_lists
from adxform.frontend.containers.methods import Answer
from adxform.frontend.evaluate.classes.python_classes import class_of, is_container, name_of
from adxform.frontend.evaluate.control_flow import walks
from adxform.frontend.evaluate.control_flow.joined_types import number_type
from adxform.frontend.evaluate.keys import hashed
from adxform.frontend.evaluate.objects import doubtful_keys
from adxform.frontend.evaluate.objects.chosen_items import of_the_run
from adxform.frontend.evaluate.operands import is_static
from adxform.frontend.evaluate.outside.guards import constant, guard
from adxform.frontend.evaluate.outside.settled import is_listed
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Once, Range, Ref, Static, Tuple, Value, View
from adxform.frontend.known.one_or_equal import Condition, any_or_all, as_it_is, found_same, refuse_both_missing, same_or_equal
from adxform.frontend.signature.access import Contains
from adxform.ir.ops import Lit, Var
from adxform.ir.types import Scalar, is_inexact
from adxform.primitives.definitions.of_python import iterations


def contains(interp: Interpreter, box: Value, item: Value) -> Answer:
    """``item in box``; ``None`` for arrays and for what only a run can tell."""
    cls = class_of(box)
    match box:
        case Ref(kind="dict" | "set") | View(_, "keys"):
            return _in_keys(interp, box, item)
        case Ref(kind="list") if interp.is_long(box):
            _refuse_missing_item(interp, box, item)
            return interp.call(Static(iterations.contained), (box, item))
        case Once():
            looked_at = walks.searched(interp, box, partial(_equal_now, item), "`in` may have left it before its end")
            if not isinstance(looked_at, Tuple):
                _refuse_missing_sought(interp, item)
                return interp.call(Static(iterations.contained), (looked_at, item))
            return any_equal(interp, list(looked_at.items), item)
        case Tuple() | Ref(kind="list") | View():
            return any_equal(interp, interp.items(box), item)
        case Range(start, stop, step):
            return _in_range(interp, start, stop, step, item)
        case Static(found) if is_listed(found) and len(found) > _SHORT and is_static(interp, item):
            return _in_long(interp, box, interp.static(item, "an item"))
        case Lit(str() as text):
            if class_of(item) is not None and class_of(item) is not str:
                return interp.fail(TypeError, "'in <string>' requires string as left operand")
            return interp.evaluate(operator.contains, (text, interp.static(item, "a text")))
    if cls is not None and not hasattr(cls, "__contains__") and not hasattr(cls, "__iter__") and cls is not Once:
        return interp.fail(TypeError, f"argument of type '{name_of(cls)}' is not iterable")
    return None


def _refuse_missing_item(interp: Interpreter, box: Value, item: Value) -> None:
    """Let the run refuse to look for NaN in a list of numbers."""
    held = interp.filled(box)
    if held is not None and _is_inexact_number(item) and is_inexact(held.buffer.type):
        missing = interp.call(Lit(np.isnan), (item,))
        if missing != Lit(False):
            refuse_both_missing(interp, missing, interp.call(Static(iterations.has_missing), (box,)))


def _refuse_missing_sought(interp: Interpreter, item: Value) -> None:
    """Let the run refuse to look for NaN in what is walked over once, so that nobody can look whether NaN is in it before."""
    if _is_inexact_number(item):
        refuse_both_missing(interp, interp.call(Lit(np.isnan), (item,)), Lit(True))


def _is_inexact_number(value: Value) -> bool:
    """Whether `value` is a number that may be NaN."""
    found = number_type(value) if isinstance(value, Var | Lit) else None
    return isinstance(found, Scalar) and is_inexact(found)


def _in_keys(interp: Interpreter, box: Ref | View, item: Value) -> Value:
    if isinstance(item, Ref) and item.kind == "set" and isinstance(box, Ref) and box.kind == "set":  # sought as a frozen one
        return Lit(frozenset(interp.contents(item).keys) in interp.contents(box).keys)
    ref = box.of if isinstance(box, View) else box
    if (held := keyed_lists.asked(interp, ref, item)) is not None:
        return keyed_lists.contains(interp, held, item)
    if interp.doubtful(ref) is not None:
        return doubtful_keys.is_there(interp, ref, hashed(interp, item, "a key", box))
    if ref.kind == "dict" and keyed_lists.is_new(interp, ref, item):
        return Lit(False)
    keys = interp.contents(ref).keys
    if of_the_run(interp, item) is not None:
        return any_equal(interp, [constant(interp, key) for key in keys], item)
    return Lit(hashed(interp, item, "a key", box) in keys)


_SHORT = 64
"""How many items a set or the keys of a dict have at most that each call compares one by one."""


def _in_long(interp: Interpreter, box: Static, item: Any) -> Answer:
    """Whether `item` is in a set from outside, which each call asks again."""
    try:
        there = item in box.value
    except TypeError as error:
        return interp.fail(TypeError, str(error))
    guard(interp, box.access, Contains(Lit(item), there))
    return Lit(there)


def _equal_now(item: Value, other: Value) -> bool | None:
    """Whether two items are equal, where that is known."""
    if isinstance(item, Lit) and isinstance(other, Lit):
        return bool(item.value is other.value or item.value == other.value)
    return None


def any_equal(interp: Interpreter, items: list[Value], item: Value) -> Value:
    """Whether one of `items` is `item` or equals it."""
    asked: list[Condition] = []
    for one in items:
        equal = partial(same_or_equal, interp, one, item)
        asked.append(partial(as_it_is, Lit(True)) if found_same(interp, one, item) else equal)
    return any_or_all(interp, asked, any)


def _in_range(interp: Interpreter, start: Value, stop: Value, step: Value, item: Value) -> Answer:
    cls = class_of(item)
    if cls is None:
        return None
    if is_container(cls) or issubclass(cls, np.ndarray):
        return any_equal(interp, interp.items(Range(start, stop, step)), item)
    rises = interp.static(step, "the step of this range") > 0
    low, high = (start, stop) if rises else (stop, start)
    inside = (operator.ge, operator.lt) if rises else (operator.gt, operator.le)
    met = [partial(interp.call, Lit(inside[0]), (item, low)), partial(interp.call, Lit(inside[1]), (item, high))]
    if step != Lit(1) or not issubclass(cls, int | np.integer):
        past = interp.call(Lit(operator.mod), (interp.call(Lit(operator.sub), (item, start)), step))
        met.append(partial(interp.call, Lit(operator.eq), (past, Lit(0))))
    return any_or_all(interp, met, all)
