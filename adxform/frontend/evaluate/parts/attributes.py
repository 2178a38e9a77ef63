"""Attributes: of arrays and numbers by type, of structures by value, of objects from outside by reading them."""

from __future__ import annotations

import collections
import functools
import types
from collections import namedtuple
from typing import Any

from adxform.frontend.containers import deques
from adxform.frontend.containers.methods import METHODS
from adxform.frontend.derivative_operators import Decorated, Operator
from adxform.frontend.evaluate.classes import getters
from adxform.frontend.evaluate.classes.class_attributes import from_class, of_class, of_super
from adxform.frontend.evaluate.classes.class_contents import (
    MISSING,
    find,
    is_data_descriptor,
)
from adxform.frontend.evaluate.classes.own_containers import ASKED, ITEMS, OF_ITEMS, attributes_of
from adxform.frontend.evaluate.code_objects import code_of
from adxform.frontend.evaluate.control_flow.one_of_several import on_each
from adxform.frontend.evaluate.objects import doubtful_keys, function_attributes
from adxform.frontend.evaluate.outside import outside_containers
from adxform.frontend.evaluate.outside.guards import guard, looked_up, rooted
from adxform.frontend.evaluate.outside.outside_attributes import of_constant, of_outside
from adxform.frontend.evaluate.parts.number_attributes import of_array, of_scalar
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import (
    FunctionValue,
    Maybe,
    Method,
    OneOf,
    Range,
    Ref,
    Slice,
    Static,
    Tuple,
    Value,
    is_unknown,
)
from adxform.frontend.nested import objects
from adxform.frontend.signature.access import Access, HasClass
from adxform.ir.ops import Lit, Var
from adxform.ir.types import Array, Object, Scalar
from adxform.primitives.definitions.arrangements.flat_entries import FlatEntries
from adxform.primitives.definitions.definition import StandIn
from adxform.primitives.definitions.real_spectra import FUNCTIONS


def load(interp: Interpreter, value: Value, name: str, hint: str = "tmp") -> Value:
    """``value.name``"""
    if isinstance(value, Maybe) and value.present not in (Lit(True), *interp.assumed) and hasattr(None, name):
        raise interp.error(f"`{name}` is asked of what may be `None`, which has one too", "ask whether it `is None` before")
    value = interp.seen(interp.force(value, kind=AttributeError, said=f"'NoneType' object has no attribute '{name}'"))
    if name == "__class__" and not _tells_its_class(value):
        return interp.call(Lit(type), (value,), hint=hint)
    match value:
        case Var(_, Array() as type_):
            return of_array(interp, value, type_, name, hint)
        case Var(_, Scalar() as type_):
            return of_scalar(interp, value, type_, name)
        case Var(_, Object()):
            return _of_unknown(interp, value, name, hint)
        case Tuple(items, cls):
            return _of_tuple(interp, value, items, cls, name)
        case Ref():
            return _of_object(interp, value, name)
        case Slice(start, stop, step) | Range(start, stop, step) if name in ("start", "stop", "step"):
            return {"start": start, "stop": stop, "step": step}[name]
        case Lit(literal):
            held = looked_up(interp, value)
            return of_outside(interp, held, name) if isinstance(held, Static) else of_constant(interp, literal, name, value)
        case Static():
            return of_outside(interp, value, name)
        case FunctionValue() | Method():
            return _of_function(interp, value, name)
        case OneOf():
            return on_each(interp, value, lambda one: load(interp, one, name, hint), name)
        case _:
            raise _not_followed(interp, name)


def _tells_its_class(value: Value) -> bool:
    """Whether ``__class__`` of `value` is looked up as other attributes are, as a class may say what it is."""
    if isinstance(value, Ref) and issubclass(value.cls, StandIn | FlatEntries):
        return False  # `type` says what it stands for
    return isinstance(value, Static) or (isinstance(value, Ref) and value.kind == "instance") or is_unknown(value)


def _not_followed(interp: Interpreter, name: str) -> Exception:
    return interp.error(f"the attribute `{name}` of this value cannot be followed", "use the value itself")


def _of_function(interp: Interpreter, value: FunctionValue | Method, name: str) -> Value:
    """An attribute of a function that the program defines, or of a method."""
    match value:
        case Method(fn, partial=False) if name == "__func__" and _is_written_in_python(fn):
            return fn
        case FunctionValue(fn) if name == "__name__" and fn.name != "anonymous":  # which a lambda is called here
            return Lit(fn.name)
        case FunctionValue() if name in ("__name__", "__code__") and (code := code_of(value)) is not None:
            return Lit(code if name == "__code__" else code.co_name)
        case FunctionValue():
            return function_attributes.load(interp, value, name)
        case Method(fn, partial=False) if name == "__name__" and _is_written_in_python(fn):
            return load(interp, fn, name)
        case Method(FunctionValue() as fn, partial=False) if not hasattr(types.MethodType, name):
            return function_attributes.load(interp, fn, name)
        case Method(Static(types.FunctionType()) as fn, partial=False) if not hasattr(types.MethodType, name):
            return load(interp, fn, name)
        case _:
            raise _not_followed(interp, name)


def _of_unknown(interp: Interpreter, value: Var, name: str, hint: str) -> Value:
    """An attribute of an object of which only the run knows what it is, or of a list or set that the run has."""
    method = outside_containers.attribute(interp, value, name)
    if method is not None:
        return method
    known = list if value in interp.of_run.lists else set if value in interp.of_run.sets else None
    if known is not None and callable(getattr(known, name, None)):
        return Method(Lit(getattr(known, name)), (value,))
    followed = interp.of_run.followed.get(value)
    if isinstance(followed, Var) and name in ("real", "imag"):
        return load(interp, followed, name, hint)
    if isinstance(followed, Var) and name in FUNCTIONS:
        return Method(Lit(FUNCTIONS[name]), (value,))
    found = interp.emit(getattr, (value, Lit(name)), Object(), hint)
    if isinstance(followed, Tuple) and name in ("eigenvalues", "eigenvectors"):
        interp.of_run.followed[found] = followed.items[name == "eigenvectors"]
    elif isinstance(followed, Var) and name == "T":
        interp.of_run.followed[found] = load(interp, followed, name, hint)
    interp.of_run.methods[found] = name
    if value in interp.of_run.generators:
        interp.of_run.draws[found] = interp.of_run.generators[value], name
    return found


def _is_written_in_python(fn: Value) -> bool:
    return isinstance(fn, FunctionValue) or (isinstance(fn, Static | Lit) and isinstance(fn.value, types.FunctionType))


def _of_tuple(interp: Interpreter, value: Tuple, items: tuple[Value, ...], cls: type, name: str) -> Value:
    found = find(cls, name)
    if isinstance(found, _FIELD):
        guard(interp, Access((("attribute", name),), Lit(cls)), HasClass(_FIELD))
        place: int = found.__reduce__()[1][0]  # type: ignore[assignment]
        return items[place]
    refuse_attribute_hook(interp, cls)
    method = METHODS.get((tuple, name))
    if method is not None and getattr(found, "__module__", "collections") == "collections":
        return Method(Lit(method), (value,))
    if name == "__class__":
        return rooted(cls)
    return _of_its_class(interp, value, cls, name, found)


_FIELD: type = type(namedtuple("_Pair", "a").a)  # type: ignore[attr-defined]
"""What the class of a named tuple holds under the name of a field."""


def refuse_attribute_hook(interp: Interpreter, cls: type) -> None:
    """Raise where a class decides by itself what reading an attribute means."""
    if isinstance(find(cls, "__getattribute__"), types.FunctionType):
        raise interp.error(f"`{cls.__name__}` defines `__getattribute__`", "write a property or a method")


def _of_its_class(interp: Interpreter, value: Value, cls: type, name: str, found: Any) -> Value:
    """`found`, which the class of `value` has under `name`; where it has nothing, what its ``__getattr__`` says."""
    if find(cls, "__getattr__") is MISSING:
        return from_class(interp, value, cls, name, found)
    if found is MISSING or isinstance(found, types.MemberDescriptorType):
        return interp.call(Method(of_class(interp, cls, "__getattr__"), (value,)), (Lit(name),), hint=name)
    if isinstance(found, property | functools.cached_property):
        return getters.property_beside_getattr(interp, value, cls, name, found)
    return from_class(interp, value, cls, name, found)


def _of_object(interp: Interpreter, value: Ref, name: str) -> Value:
    method = METHODS.get((value.cls if value.kind != "instance" else object, name))
    if value.cls is collections.deque and (found := deques.attribute(value, name)) is not None:
        return found
    if value.kind in ("list", "dict", "set"):
        method = method or METHODS.get(({"list": list, "dict": dict, "set": set}[value.kind], name))
        if not hasattr(value.cls, name):
            return interp.fail(AttributeError, f"'{value.cls.__name__}' object has no attribute '{name}'")
        if method is None and name in OF_ITEMS and value.cls is not collections.deque:
            return Method(Lit(ASKED[name]), (value,))
        if method is None:
            raise interp.error(
                f"the method `{name}` of a {value.cls.__name__} is not supported", "write it with the supported methods"
            )
        return Method(Lit(method), (value,))
    if value.cls is super:
        after, held = interp.contents(value).items
        return of_super(interp, after, held, name)
    if value.cls is FlatEntries and name == "__dict__":
        return interp.fail(AttributeError, "'numpy.flatiter' object has no attribute '__dict__'")
    if name in ("__class__", "__dict__") and issubclass(value.cls, StandIn | FlatEntries):
        return interp.call(Lit(type), (value,))
    if name == "__class__":
        return rooted(value.cls)
    if name == "__dict__":
        return own_attributes(interp, value)
    made = objects.attribute(interp, value, name) if issubclass(value.cls, Operator) else None
    if made is not None:
        return made
    refuse_attribute_hook(interp, value.cls)
    return load_by_object(interp, value, name)


def load_by_object(interp: Interpreter, value: Ref, name: str) -> Value:
    """``object.__getattribute__(value, name)``, and what ``__getattr__`` says where there is none."""
    found, owner = find(value.cls, name), attributes_of(interp, value)
    if (
        found is not MISSING
        and not hasattr(type(found), "__get__")
        and isinstance(doubtful_keys.is_there(interp, owner, name), Var)
    ):
        return doubtful_keys.item_or(interp, owner, name, _of_its_class(interp, value, value.cls, name, found), name)
    kept = None if is_data_descriptor(found) else doubtful_keys.attribute(interp, owner, name, found)
    return _of_its_class(interp, value, value.cls, name, found) if kept is None else kept


def own_attributes(interp: Interpreter, value: Ref) -> Value:
    """``vars(value)``: a dict that is the attributes of an object. Once these are changed by their names, it is not followed."""
    contents = interp.contents(value)
    beside = any(name == ITEMS or isinstance(find(value.cls, name), types.MemberDescriptorType) for name in contents.keys)
    kept = isinstance(find(value.cls, "__dict__"), types.GetSetDescriptorType | types.MemberDescriptorType)  # no property
    if beside or not kept or issubclass(value.cls, Operator | Decorated):
        message = f"the attributes of a {value.cls.__name__} are taken as a dict, and not all are in one"
        raise interp.error(message, "name the attributes, or use `getattr` and `setattr`; of a dataclass, `dataclasses.asdict`")
    made = interp.heap.new("dict", dict, contents.keys, contents.items)
    interp.heap.note_attributes(made, value)
    return made
