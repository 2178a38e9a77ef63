"""Keys of dicts, elements of sets, and places in sequences: what Python takes for one, and what raises."""

from __future__ import annotations

import operator
import sys
import types
from collections.abc import Collection
from typing import Any

import numpy as np

from adxform.errors import AdxError
from adxform.frontend.evaluate.classes import protocols
from adxform.frontend.evaluate.classes.class_contents import find, is_generated
from adxform.frontend.evaluate.classes.python_classes import class_of
from adxform.frontend.evaluate.outside.guards import constant
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, FoundOutside, Maybe, Ref, Slice, Static, Tuple, Value
from adxform.frontend.signature.class_meaning import is_changeable
from adxform.frontend.types.forgotten_kinds import refuse
from adxform.ir.ops import Lit, Var
from adxform.ir.types import Array, is_inexact
from adxform.primitives.definitions.of_python import item_places


def place_in(interp: Interpreter, index: Value, what: str, *, cuts: bool = True) -> Any:
    """The integer (or with `cuts` the slice) that `index` is, which must be known; what Python takes for neither raises."""
    found = interp.static(index, f"an index into a {what}")
    if isinstance(found, slice) and cuts:
        try:
            found.indices(0)
        except (TypeError, ValueError) as error:
            interp.fail(type(error), str(error))
        return found
    try:
        return operator.index(found)
    except TypeError:
        kinds = "integers or slices" if cuts else "integers"
        return interp.fail(TypeError, f"{what} indices must be {kinds}, not {type(found).__name__}")


def as_index(interp: Interpreter, index: Value) -> Value:
    """`index`, or what ``__index__`` of its class says that it is, or its bounds: each call asks that."""
    match index:
        case Slice():
            cut_off = with_bounds(interp, index)
            return Slice(*(as_index(interp, bound) for bound in (cut_off.start, cut_off.stop, cut_off.step)))
        case Static(slice() as cut) | Lit(slice() as cut):
            bounds = [constant(interp, bound) for bound in (cut.start, cut.stop, cut.step)]
            if isinstance(index, Static):
                interp.pin(index)
            return as_index(interp, Slice(*bounds)) if any(map(protocols.is_object, bounds)) else index
    cls = protocols.class_of(index)
    if cls is None or issubclass(cls, int):
        return index
    method = protocols.special(interp, index, "__index__")
    return index if method is None else protocols.converted(interp, method, "__index__")


_FIRST, _LAST = (0, sys.maxsize), (sys.maxsize, -sys.maxsize - 1)
"""Where a slice begins and ends that does not say so: one that goes forwards, and one that goes backwards."""


def with_bounds(interp: Interpreter, cut: Slice) -> Slice:
    """`cut` with numbers for bounds of which only the run knows whether they are ``None``."""
    return Slice(_bound(interp, cut.start, _FIRST, cut.step), _bound(interp, cut.stop, _LAST, cut.step), cut.step)


def _bound(interp: Interpreter, bound: Value, ends: tuple[int, int], step: Value) -> Value:
    """The `bound` of a slice as a number, where only the run knows whether it is ``None``."""
    known = isinstance(step, Lit) and (step == NONE or isinstance(step.value, int))
    if not isinstance(bound, Maybe) or not known or not isinstance(step, Lit):
        return bound
    return interp.call(Static(item_places.bound_of_a_slice), (bound, Lit(ends[step != NONE and step.value < 0])))


def refuse_index(interp: Interpreter, index: Value, what: str) -> None:
    """Let an index raise that is neither an integer nor a slice nor an array of one integer, whatever its value."""
    refuse(interp, (index,) if isinstance(index, Var) else ())
    cls = protocols.class_of(index) if protocols.is_object(index) else class_of(index)
    if cls is not None and not issubclass(cls, slice | np.ndarray) and not hasattr(cls, "__index__"):
        interp.fail(TypeError, f"{what} indices must be integers or slices, not {cls.__name__}")
    if isinstance(index, Var) and isinstance(index.type, Array) and (index.type.shape != () or is_inexact(index.type)):
        interp.fail(TypeError, "only integer scalar arrays can be converted to a scalar index")


def hashed(interp: Interpreter, key: Value, what: str, box: Value | None = None) -> Any:
    """The key or element that `key` is, which must be known; lists, dicts, sets and arrays are none.

    Where only the run knows it, the run asks the `box` that it is a key of, if that is a dict from outside.
    """
    for part in _parts(key):
        cls = protocols.class_of(part) or (slice if class_of(part) is slice else None)  # Python hashes slices since 3.12
        if cls is not None and find(cls, "__hash__") is None:
            return interp.fail(TypeError, f"unhashable type: '{cls.__name__}'")
        equal = None if cls is None else find(cls, "__eq__")
        if cls is not None and isinstance(equal, types.FunctionType) and not is_generated(equal):
            raise interp.error(f"a `{cls.__name__}`, which defines `__eq__`, is {what}", "take a number or a text for it")
        own = None if cls is None else find(cls, "__hash__")
        if cls is not None and isinstance(own, types.FunctionType) and not is_generated(own) and equal is not object.__eq__:
            raise interp.error(f"a `{cls.__name__}`, which defines `__hash__`, is {what}", "take a number or a text for it")
    try:
        return interp.static(key, what)
    except AdxError:
        if isinstance(box, Ref) and box.outside and isinstance(interp.identity(box), FoundOutside):
            raise interp.outside_change(box) from None
        raise


def displayed(interp: Interpreter, key: Value, others: Collection[Any]) -> Any:
    """The key of a display beside `others`, which is looked up by nobody yet: what its class says of equality is asked of those.

    An object of the program's may be equal to another one later. What libraries have stays what it is.
    """
    classes = [cls for part in _parts(key) if (cls := protocols.class_of(part)) is not None]
    own = any(is_changeable(cls) for cls in classes) and len(others) > 0
    unhashable = any(class_of(part) is slice for part in _parts(key)) or any(find(cls, "__hash__") is None for cls in classes)
    return hashed(interp, key, "a dict key") if own or unhashable else interp.static(key, "a dict key")


def _parts(key: Value) -> list[Value]:
    return [part for item in key.items for part in _parts(item)] if isinstance(key, Tuple) else [key]
