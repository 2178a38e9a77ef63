"""What is loaded by a subscript: of arrays by type, of tuples, lists and dicts by value."""

from __future__ import annotations

import collections
import operator
from typing import Any

import numpy as np

from adxform import runtime
from adxform.frontend.evaluate.classes import protocols
from adxform.frontend.evaluate.classes.python_classes import class_of
from adxform.frontend.evaluate.control_flow.joined_types import number_type
from adxform.frontend.evaluate.keys import hashed, place_in, refuse_index
from adxform.frontend.evaluate.objects import chosen_items, doubtful_keys
from adxform.frontend.evaluate.parts.array_subscripts import by_axes, by_truth, element_type, is_truth, refuse_beyond, told
from adxform.frontend.evaluate.parts.stored_items import store
from adxform.frontend.evaluate.sizes import learn
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, Ref, Slice, Static, Tuple, Value, is_unknown
from adxform.frontend.signature import python_class
from adxform.frontend.signature.assumed_lengths import uncut, unknown_slices
from adxform.ir import intrinsics
from adxform.ir.kinds import alternatives
from adxform.ir.ops import Lit, Var
from adxform.ir.types import INT, Array, Object, Scalar
from adxform.primitives.definitions.of_python import item_places


def dim(interp: Interpreter, x: Var, axis: int) -> Value:
    """``x.shape[axis]``: a literal where the type says it, else one variable per array and axis."""
    assert isinstance(x.type, Array)
    shape = x.type.shape
    if shape is None:
        return interp.emit(intrinsics.dim, (x, Lit(axis)), INT, "n")
    size = shape[axis]
    if isinstance(size, int):
        return Lit(size)
    out = interp.emit(intrinsics.dim, (x, Lit(axis % len(shape))), INT, "n")
    learn(interp, intrinsics.dim, out, (x, Lit(axis % len(shape))))
    return out


def load(interp: Interpreter, x: Value, index: Value, hint: str = "tmp") -> Value:
    """``x[index]``"""
    match x:
        case Var(_, Array()):
            return _of_array(interp, *by_truth(interp, x, index, loaded=True), hint)
        case Var(_, Object()):
            item = interp.emit(operator.getitem, (x, interp.operand(index)), Object(), hint)
            if x in interp.of_run.followed:
                interp.of_run.followed[item] = load(interp, interp.of_run.followed[x], index, hint)
            return item
        case Tuple(items):
            return _item(interp, items, index, "tuple", Tuple)
        case Ref(kind="list"):
            return _of_list(interp, x, index)
        case Ref(kind="dict"):
            return _under_key(interp, x, index, hint)
        case Ref(kind="instance") | Static() if (method := protocols.special(interp, x, "__getitem__")) is not None:
            return interp.call(method, (index,), hint=hint)
        case Lit(value):
            return interp.evaluate(operator.getitem, (value, interp.static(index, "an index")))
        case Static(value):
            return interp.outside_item(x, interp.static(index, "an index"))
        case _ if (cls := class_of(x)) is not None and not hasattr(cls, "__getitem__") and not hasattr(cls, "__class_getitem__"):
            return interp.fail(TypeError, f"'{cls.__name__}' object is not subscriptable")
        case Var(_, Scalar(weak=False, kinds=())) if (found := _in_axes(interp, x, by_axes(interp, index), hint)) is not None:
            return found
        case Var(_, Scalar(weak=False, kinds=())) if is_truth(index):
            return load(interp, interp.call(Lit(np.array), (x,), hint=hint), index, hint)
        case Var():
            raise interp.error("a number cannot be indexed", "index an array")
        case _:
            raise interp.error("this value cannot be indexed", "index an array, a tuple, a list or a dict")


def _of_array(interp: Interpreter, x: Var, index: Value, hint: str) -> Value:
    at = told(interp, index)
    refuse_beyond(interp, x, at)
    type_ = element_type(interp, x, at)
    out = interp.emit(operator.getitem, (x, at), uncut(x, at, type_) if interp.assumes else type_, hint)
    if interp.assumes:
        interp.equal.sliced.update(unknown_slices(x, at, out, interp.integers.form))
    return out


def _of_list(interp: Interpreter, x: Ref, index: Value) -> Value:
    if x.cls is collections.deque and isinstance(index, Slice):
        return interp.fail(TypeError, "sequence index must be integer, not 'slice'")
    if (several := interp.portions(x)) is not None:
        refuse_index(interp, index, "list")
        return interp.one_of_portions(several, index)
    return _item(interp, interp.contents(x).items, index, "list", None)


def _in_axes(interp: Interpreter, number: Var, index: Value, hint: str) -> Value | None:
    """A number of NumPy's in axes of length one, as many as the `index` has of ``None``; ``None`` for other indices."""
    parts = index.items if isinstance(index, Tuple) else (index,)
    axes, rest = parts.count(NONE), parts.count(Lit(Ellipsis))
    if axes + rest != len(parts) or rest > 1:
        return None
    if axes > 0:
        return interp.call(Lit(np.reshape), (number, Tuple((Lit(1),) * axes)), hint=hint)
    return interp.call(Lit(np.array), (number,), hint=hint) if rest > 0 else number


def _under_key(interp: Interpreter, x: Ref, index: Value, hint: str) -> Value:
    """The item of a dict under a key, one that its default makes where there is none."""
    makes = x.meta is not None and x.meta != NONE
    asked = makes or interp.doubtful(x) is not None or (interp.keyed(x) is None and not interp.contents(x).keys)
    if (held := interp.under_key(x, index, stored=makes) if asked else interp.keyed(x)) is not None:
        return interp.load_under(x, held, index, hint)
    if interp.doubtful(x) is not None:
        return doubtful_keys.item(interp, x, hashed(interp, index, "a dict key", x))
    if (found := _list_under_key(interp, x, index)) is not None:
        return found
    if (place := chosen_items.place_of_key(interp, x, index)) is not None:
        return _item(interp, interp.contents(x).items, place, "dict", None)
    if x.meta is None and (own := chosen_items.under_number(interp, x, index)) is not None:
        return interp.call(Static(item_places.looked_up), (*own, index), hint=hint)
    key = hashed(interp, index, "a dict key", x)
    found = interp.contents(x).get(key)
    if found is None and x.meta is not None and x.meta != NONE:
        found = interp.call(x.meta, ())
        store(interp, x, index, found)
    return interp.fail(KeyError, key) if found is None else found


def _list_under_key(interp: Interpreter, x: Ref, key: Value) -> Value | None:
    """The list in a dict under a key that only the run can tell, where all items are lists."""
    items = interp.contents(x).items
    if not isinstance(key, Var) or isinstance(key.type, Array) or interp.integers.followed(key) or not items:
        return None
    if not all(isinstance(item, Ref) and item.kind == "list" for item in items):
        return None
    place = chosen_items.place_in_dict(interp, x, key)
    return interp.one_of_lists(items, place) if isinstance(place, Var) else None


def _item(interp: Interpreter, items: tuple[Value, ...], index: Value, what: str, build: Any) -> Value:
    refuse_index(interp, index, what)
    if is_unknown(index):
        index = interp.emit(runtime.position, (interp.operand(index),), INT)
    if not items and isinstance(index, Var) and isinstance(index.type, Scalar):  # a loop may fill it, and then it is another
        return interp.fail(IndexError, f"{what} index out of range")
    if isinstance(index, Var) and (found := _item_of_the_run(interp, items, index, what, build)) is not None:
        return found
    at = place_in(interp, index, what)
    if isinstance(at, slice):
        part = items[at]
        return Tuple(part) if build is Tuple else interp.new_list(part)
    try:
        return items[int(at)]
    except IndexError:
        return interp.fail(IndexError, f"{what} index out of range")


def _item_of_the_run(interp: Interpreter, items: tuple[Value, ...], index: Var, what: str, build: Any) -> Value | None:
    """The one of `items` that only the run chooses; ``None`` where `index` is to be known, and they are looked up."""
    if (found := interp.one_of_lists(items, index)) is not None:
        return found
    of_the_run = not interp.integers.origins.get(index)
    if of_the_run and interp.of_numbers(items):
        kinds = {kind for item in items if isinstance(type_ := number_type(item), Scalar) for kind in alternatives(type_)}
        if len(kinds) != 1:
            return chosen_items.one_of(interp, items, index, what)
        found = load(interp, interp.call(Lit(np.array), (Tuple(items),)), index)
        (kind,) = kinds
        return interp.call(Lit(python_class(kind.dtype, True)), (found,)) if kind.weak else found
    if of_the_run and (columns := chosen_items.columns_of(interp, items)) is not None:
        picked = tuple(_item(interp, column, index, what, build) for column in columns)
        return Tuple(picked, items[0].cls if isinstance(items[0], Tuple) else tuple)
    return chosen_items.one_of(interp, items, index, what) if chosen_items.may_choose(interp, index, len(items)) else None
