"""What is stored under a subscript: in arrays as the run does, in lists and dicts by value."""

from __future__ import annotations

import collections
import operator

import numpy as np

from adxform.frontend.checks.shared_memory import read_meanwhile
from adxform.frontend.evaluate.classes import protocols
from adxform.frontend.evaluate.classes.python_classes import class_of
from adxform.frontend.evaluate.keys import hashed, place_in, refuse_index
from adxform.frontend.evaluate.objects import chosen_items, doubtful_keys
from adxform.frontend.evaluate.objects.object_contents import Contents, Portions, list_contents
from adxform.frontend.evaluate.outside import outside_containers
from adxform.frontend.evaluate.parts.array_subscripts import by_truth, refuse_beyond, told
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Ref, Slice, Static, Tuple, Value
from adxform.ir.ops import Lit, Operand, Var
from adxform.ir.types import Array, Object, rank
from adxform.ir.walk import variables
from adxform.primitives.memory import is_whole_mask


def stored(interp: Interpreter, value: Value) -> Operand:
    """`value` as it is stored in an array: a list or tuple is the array that NumPy makes of it."""
    return interp.operand(interp.call(Lit(np.array), (value,)) if isinstance(value, Tuple | Ref) else value)


def store(interp: Interpreter, x: Value, index: Value, value: Value) -> None:
    """``x[index] = value``"""
    match x:
        case Var(_, Array()):
            _store_in_array(interp, *by_truth(interp, x, index), value)
        case Var(_, Object()) if (method := outside_containers.attribute(interp, x, "__setitem__")) is not None:
            interp.call(method, (index, value), wanted=False)
        case Var(_, Object()):
            refuse_handed_on(interp)
            operands_ = x, interp.operand(index), interp.operand(value)
            interp.refuse_keeping(variables(operands_[2]))
            interp.builder.effect(operator.setitem, *operands_, span=interp.span)
        case Ref(kind="dict"):
            _store_under_key(interp, x, index, value)
        case Ref(cls=collections.deque) if isinstance(index, Slice):
            interp.fail(TypeError, "sequence index must be integer, not 'slice'")
        case Ref() if isinstance(index, Var) and _is_there(interp, x, index, value):
            return  # `cells[k] += items` ends so
        case Ref(kind="list"):
            _store_in_list(interp, x, index, value)
        case Ref(kind="instance") | Static() if (method := protocols.special(interp, x, "__setitem__")) is not None:
            interp.call(method, (index, value))
        case Static():
            raise interp.outside_write(f"the {type(x.value).__name__} that is changed here")
        case _ if (cls := class_of(x)) is not None and not hasattr(cls, "__setitem__"):
            kind = AttributeError if hasattr(cls, "__delitem__") else TypeError  # the two are one for Python
            interp.fail(kind, f"'{cls.__name__}' object does not support item assignment")
        case _:
            raise interp.error("this value does not support item assignment", "use an array, a list or a dict")


def _store_under_key(interp: Interpreter, x: Ref, index: Value, value: Value) -> None:
    """``x[index] = value`` of a dict."""
    if (held := interp.under_key(x, index, stored=True)) is not None:
        interp.store_under(held, index, value)
    elif interp.doubtful(x) is not None:
        doubtful_keys.put(interp, x, hashed(interp, index, "a dict key", x), value)
    elif (place := chosen_items.place_to_store(interp, x, index)) is not None:
        chosen_items.store(interp, x, place, value)
    else:
        interp.write(x, interp.contents(x).put(hashed(interp, index, "a dict key", x), value))


def _is_there(interp: Interpreter, x: Ref, index: Var, value: Value) -> bool:
    """Whether a list that was found at `index` of `x` is there still: `x` holds what it held then."""
    found = interp.portion(value)
    if found is None or found.index != index:
        return False
    match interp.heap.contents.get(x):
        case Contents(items=items):
            return found.among == items
        case Portions(of=family, places=None):
            return found.among is family
        case _:
            return False


def refuse_handed_on(interp: Interpreter) -> None:
    """Refuse a change to an object of which nothing is known where it may be a list or a dict that code was given a copy of."""
    if interp.to_check.handed_on:
        message = (
            f"what is changed here may be in what is passed to `{interp.to_check.handed_on[0]}`, which adxform cannot look into"
        )
        raise interp.error(message, "change the lists by their own names")


_NO_INTEGER = "int() argument must be a string, a bytes-like object or a real number"


def _store_in_array(interp: Interpreter, x: Var, index: Value, value: Value) -> None:
    kind = np.dtype(x.type.dtype).kind if isinstance(x.type, Array) else ""
    if kind and kind in "iuf" and _holds_complex(interp, value):
        what = "float() argument must be a string or a real number" if kind == "f" else _NO_INTEGER
        interp.fail(TypeError, f"{what}, not 'complex'")
        return
    operands = x, told(interp, index), stored(interp, value)
    refuse_beyond(interp, x, operands[1])
    if is_whole_mask(operands[1], rank(x.type)):
        interp.to_check.apart += read_meanwhile(x, operands[2:], interp.span)
    interp.builder.effect(operator.setitem, *operands, span=interp.span)


def _holds_complex(interp: Interpreter, value: Value) -> bool:
    """Whether a list or tuple, as far as its items are known, holds a complex number of Python's, which no real array takes."""
    items: tuple[Value, ...] = ()
    if isinstance(value, Tuple):
        items = value.items
    elif isinstance(value, Ref) and value.kind == "list" and isinstance(found := interp.heap.contents.get(value), Contents):
        items = found.items
    return any(class_of(item) is complex or _holds_complex(interp, item) for item in items)


def _are_objects(items: tuple[Value, ...]) -> bool:
    """Whether `items` are a few objects or dicts, which a program may change by another name than that of their list."""
    return len(items) <= chosen_items.CHOICES and all(
        isinstance(item, Ref) and item.kind in ("instance", "dict") for item in items
    )


def _store_in_list(interp: Interpreter, x: Ref, index: Value, value: Value) -> None:
    if interp.store_list(x, index, value):
        return
    contents = interp.contents(x)
    rows = isinstance(index, Var) and not interp.integers.origins.get(index) and not _are_objects((*contents.items, value))
    if rows and interp.as_rows(x, value):
        interp.call(Lit(operator.setitem), (x, index, value))
        return
    refuse_index(interp, index, "list")
    if chosen_items.may_choose(interp, index, len(contents.items)):
        chosen_items.store(interp, x, chosen_items.place_in_list(interp, index, len(contents.items)), value)
        return
    at = place_in(interp, index, "list")
    items = list(contents.items)
    try:
        items[at] = interp.items(interp.call(Lit(list), (value,))) if isinstance(at, slice) else value
    except (IndexError, ValueError) as error:
        interp.fail(type(error), str(error))
    interp.write(x, list_contents(tuple(items)))
