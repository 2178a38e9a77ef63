"""The functions of `dataclasses`, and ``vars``, of objects whose fields are known one by one."""

from __future__ import annotations

import copy
import dataclasses
import enum
import types
from collections import defaultdict
from typing import Any

from adxform.frontend.containers.methods import Answer, Args, Handler, Kwargs
from adxform.frontend.evaluate.classes.class_contents import MISSING, find
from adxform.frontend.evaluate.outside.guards import constant, guard, pin
from adxform.frontend.evaluate.parts.attributes import own_attributes
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Ref, Static, Tuple, Value
from adxform.frontend.known.of_objects import copies_from_outside
from adxform.frontend.signature.access import HasClass
from adxform.ir.ops import Lit, Var
from adxform.primitives.definitions.arrangements.flat_entries import FlatEntries
from adxform.primitives.definitions.definition import StandIn


def _as_dict(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    return _unpacked(interp, args, kwargs, "dict_factory", dict)


def _as_tuple(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    return _unpacked(interp, args, kwargs, "tuple_factory", tuple)


def _unpacked(interp: Interpreter, args: Args, kwargs: Kwargs, option: str, form: type) -> Answer:
    """``asdict`` or ``astuple``, in the standard form of a result or in another one."""
    if args and (made := _own(interp, args[0])) is not None:
        args = (made, *args[1:])
    match args:
        case (Ref(cls=cls) as given, *rest) if dataclasses.is_dataclass(cls):
            make = rest[0] if rest else kwargs.get(option, Static(form))
        case _:
            return None
    if make not in (Static(form), Lit(form)):
        raise interp.error(
            f"`{option}=` of another kind than {form.__name__} is not supported", f"make it of the {form.__name__}"
        )
    return _converted(interp, given, form)


def _own(interp: Interpreter, value: Value) -> Ref | None:
    """An object of the function's own that has the fields of a dataclass object from outside."""
    of_dataclass = isinstance(value, Static) and not isinstance(value.value, type) and dataclasses.is_dataclass(value.value)
    return copies_from_outside.made_of(interp, value) if of_dataclass else None


def _converted(interp: Interpreter, value: Value, form: type) -> Value:
    """A deep copy of `value` in which each dataclass is a dict, or a tuple, of its fields."""
    match value:
        case Ref(kind="instance", cls=cls) if dataclasses.is_dataclass(cls):
            names = tuple(field.name for field in dataclasses.fields(cls))
            items = tuple(_converted(interp, interp.attribute(value, name), form) for name in names)
            return Tuple(items) if form is tuple else interp.heap.new("dict", dict, names, items)
        case Tuple(items, cls):
            return Tuple(tuple(_converted(interp, item, form) for item in items), cls)
        case Ref(kind="list" | "dict" as kind, cls=cls) if not interp.is_long(value) and cls is not defaultdict:
            contents = interp.contents(value)
            items = tuple(_converted(interp, item, form) for item in contents.items)
            return interp.heap.new(kind, cls, contents.keys, items, meta=value.meta)
        case Var() | Ref():
            return interp.call(Static(copy.deepcopy), (value,))
        case Static() if (made := _own(interp, value)) is not None:
            return _converted(interp, made, form)
        case Static(found) if not callable(found) and not isinstance(found, enum.Enum):
            return interp.call(Static(copy.deepcopy), (value,))
        case _:
            return value


def _fields(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    match args:
        case (Ref(cls=cls),) if dataclasses.is_dataclass(cls):
            return constant(interp, dataclasses.fields(cls))
        case (Static(found, access),) if dataclasses.is_dataclass(found) and not isinstance(found, type):
            guard(interp, access, HasClass(type(found)))
            return constant(interp, dataclasses.fields(found))
        case (Static(found) | Lit(found) as cls,) if isinstance(found, type) and dataclasses.is_dataclass(found):
            if isinstance(cls, Static):
                pin(interp, cls)
            return constant(interp, dataclasses.fields(found))
        case _:
            return None


def _vars(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    if len(args) == 1 and isinstance(args[0], Ref) and args[0].cls is FlatEntries:
        return interp.fail(TypeError, "vars() argument must have __dict__ attribute")
    if len(args) == 1 and isinstance(args[0], Ref) and args[0].kind == "instance" and not issubclass(args[0].cls, StandIn):
        return own_attributes(interp, args[0])
    if len(args) == 1 and isinstance(args[0], Static) and not isinstance(args[0].value, type | types.ModuleType):
        if find(type(args[0].value), "__dict__") is MISSING and find(type(args[0].value), "__getattr__") is MISSING:
            return interp.fail(TypeError, "vars() argument must have __dict__ attribute")
        return interp.attribute(args[0], "__dict__")
    raise interp.error("`vars` is not supported", "use the names themselves")


TABLE: dict[Any, Handler] = {
    dataclasses.asdict: _as_dict,
    dataclasses.astuple: _as_tuple,
    dataclasses.fields: _fields,
    vars: _vars,
}
