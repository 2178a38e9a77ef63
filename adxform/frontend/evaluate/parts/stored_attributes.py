"""Attributes that are set and deleted: of objects by their classes, of what is outside where it is."""

from __future__ import annotations

import dataclasses
import operator
import types
from typing import Any

from adxform.frontend.derivative_operators import Decorated, Operator
from adxform.frontend.evaluate.classes.class_attributes import by_descriptor, is_written_in_python, of_class
from adxform.frontend.evaluate.classes.class_contents import (
    MISSING,
    find,
    has_dict,
    is_data_descriptor,
    is_data_of,
    is_generated,
    is_librarys,
)
from adxform.frontend.evaluate.classes.own_containers import attributes_of, holds_itself, is_of_plain
from adxform.frontend.evaluate.control_flow.one_of_several import on_each
from adxform.frontend.evaluate.objects import doubtful_keys, function_attributes
from adxform.frontend.evaluate.objects.object_contents import Contents
from adxform.frontend.evaluate.outside import places
from adxform.frontend.evaluate.outside.guards import guard, looked_up, outside_write
from adxform.frontend.evaluate.outside.outside_attributes import is_a_librarys
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, FunctionValue, Method, OneOf, Ref, Static, Tuple, Value
from adxform.frontend.signature.access import Access, Defines
from adxform.ir.ops import Lit, Var
from adxform.ir.types import Array, Object
from adxform.ir.walk import variables
from adxform.primitives.definitions.arrangements.flat_entries import store as store_flat


def change_attributes(interp: Interpreter, value: Ref, contents: Contents) -> None:
    """Let the attributes of an object be `contents`, whatever its class says: those of the dict that it keeps them in."""
    for name in contents.keys:
        if not isinstance(name, str):
            raise interp.error("an attribute is stored under a key that is no text", "keep it in a dict of its own")
        guard(interp, Access((), Lit(value.cls)), Defines(name, find(value.cls, name) is not MISSING))
    interp.write(value, contents)


def _keeps_its_own_way(cls: type) -> bool:
    """Whether objects of `cls` keep attributes where no code of the program tells: a library's, and what threads have each."""
    hook = next(vars(base)["__setattr__"] for base in cls.__mro__ if _is_native_hook(vars(base).get("__setattr__")))
    return is_librarys(cls) or hook.__objclass__ not in (object, types.SimpleNamespace)


def _is_native_hook(found: Any) -> bool:
    return isinstance(found, types.WrapperDescriptorType)


def store(interp: Interpreter, value: Value, name: str, new: Value) -> None:
    """``value.name = new``"""
    match value:
        case Ref(kind="instance", cls=cls) if cls is super:
            interp.fail(AttributeError, f"'super' object has no attribute '{name}'")
        case Ref(kind="instance"):
            _store_in_object(interp, value, name, new)
        case Static() | Lit() if isinstance(held := looked_up(interp, value), Static):
            _store_outside(interp, held, name, new)
        case Var(_, Object()):
            kept = interp.operand(new)
            interp.refuse_keeping(variables(kept))
            interp.builder.effect(setattr, value, Lit(name), kept, span=interp.span)
        case Var(_, Array(dtype)) if name in ("real", "imag"):
            if name == "imag" and not dtype.startswith(("complex", "clong")):
                interp.fail(TypeError, "array does not have imaginary part to set")
            interp.call(Lit(operator.setitem), (interp.attribute(value, name), Lit(...), new))
        case Var(_, Array(_, shape)) if name == "flat" and shape is not None:
            interp.call(Static(store_flat), (value, Lit(...), new))
        case FunctionValue():
            function_attributes.store(interp, value, name, new)
        case OneOf():
            on_each(interp, value, lambda one: _stored(interp, one, name, new), name)
        case Ref(kind="list" | "dict" | "set", cls=cls) | Tuple(cls=cls) if cls in (list, dict, set, tuple):
            state = "is read-only" if hasattr(cls, name) else "cannot be set"
            interp.fail(AttributeError, f"'{cls.__name__}' object attribute '{name}' {state}")
        case _:
            raise interp.error(f"the attribute `{name}` of this value cannot be set", "build a new value instead")


def _stored(interp: Interpreter, value: Value, name: str, new: Value) -> Value:
    store(interp, value, name, new)
    return NONE


def _store_outside(interp: Interpreter, value: Static, name: str, new: Value) -> None:
    """An attribute of an object from outside, as its class has it set, or a variable of a module."""
    owner = value.value
    if _is_data(owner, name):
        places.store(interp, value, name, new)
    elif isinstance(owner, type | types.ModuleType | types.FunctionType | Operator | Decorated) or _keeps_its_own_way(
        type(owner)
    ):
        raise outside_write(interp, f"the attribute `{name}` of a {type(owner).__name__}")
    else:
        _store_in_object(interp, value, name, new)


def _is_data(owner: Any, name: str) -> bool:
    """Whether `name` of a module, a class or a function is data, which may be set as an attribute of an object is."""
    match owner:
        case types.ModuleType():
            return not is_a_librarys(owner)
        case types.FunctionType():
            return not hasattr(types.FunctionType, name)
        case type():
            return is_data_of(owner, name)
        case _:
            return False


def _store_in_object(interp: Interpreter, value: Ref | Static, name: str, new: Value) -> None:
    """An attribute of an object, by ``__setattr__`` of its class, if it has one."""
    if not _changed_by_class(interp, value, name, "__setattr__", (new,)):
        store_by_object(interp, value, name, new)


def _changed_by_class(interp: Interpreter, value: Ref | Static, name: str, hook: str, given: tuple[Value, ...]) -> bool:
    """Whether the method `hook` of the class of `value` changes its attribute `name`; frozen dataclasses raise for fields."""
    cls: Any = _class_of(value)
    for base in cls.__mro__:
        method = vars(base).get(hook)
        if is_of_plain(method):  # `__setattr__ = dict.__setitem__`
            interp.call(of_class(interp, base, hook), (value, Lit(name), *given), {}, "tmp", False)
            return True
        if not isinstance(method, types.FunctionType):
            continue
        if not is_generated(method):
            interp.call(Method(of_class(interp, base, hook), (value,)), (Lit(name), *given), {}, "tmp", False)
            return True
        if cls is base or name in base.__dataclass_fields__:  # else, the next base is asked
            interp.fail(dataclasses.FrozenInstanceError, f"cannot change field '{name}'")
    return False


def delete(interp: Interpreter, value: Value, name: str) -> None:
    """``del value.name``"""
    if isinstance(value, Static):
        raise outside_write(interp, f"the attribute `{name}` of a {type(value.value).__name__}")
    if isinstance(value, FunctionValue):
        function_attributes.delete(interp, value, name)
    elif not isinstance(value, Ref) or value.kind != "instance":
        raise interp.error(f"the attribute `{name}` of this value cannot be deleted", "build a new value instead")
    elif not _changed_by_class(interp, value, name, "__delattr__", ()):
        delete_by_object(interp, value, name)


def delete_by_object(interp: Interpreter, value: Ref, name: str) -> None:
    """``object.__delattr__(value, name)``"""
    if is_data_descriptor(find(value.cls, name)):
        raise interp.error(f"`{name}` of `{value.cls.__name__}` is deleted by its class", "write a method")
    owner = attributes_of(interp, value)
    if doubtful_keys.attribute(interp, owner, name) is None:
        interp.fail(AttributeError, f"'{value.cls.__name__}' object has no attribute '{name}'")
    doubtful_keys.drop(interp, owner, name)


def _class_of(value: Ref | Static) -> type:
    return value.cls if isinstance(value, Ref) else type(value.value)


def store_by_object(interp: Interpreter, value: Ref | Static, name: str, new: Value) -> None:
    """``object.__setattr__(value, name, new)``: the class decides first, by a property of that name, say."""
    cls = _class_of(value)
    found = find(cls, name)
    guard(interp, Access((), Lit(cls)), Defines(name, found is not MISSING))
    if name == "__dict__" and isinstance(value, Ref) and new is value and holds_itself(interp, value):
        return
    if isinstance(found, property) and found.fset is not None:
        interp.call(of_class(interp, cls, name, "fset"), (value, new))
    elif isinstance(found, property):
        interp.fail(AttributeError, f"property '{name}' of '{cls.__name__}' object has no setter")
    elif isinstance(value, Ref) and not value.outside and is_written_in_python(found, "__set__"):
        by_descriptor(interp, cls, name, found, "__set__", (value, new))
    elif hasattr(type(found), "__set__") and not isinstance(found, types.MemberDescriptorType):
        raise interp.error(f"the descriptor `{name}` of `{cls.__name__}` cannot be set", "write a property or a method")
    elif not isinstance(found, types.MemberDescriptorType) and not has_dict(cls):
        state = "has no attribute" if found is MISSING else "has a read-only attribute"
        interp.fail(AttributeError, f"'{cls.__name__}' object {state} '{name}'")
    elif isinstance(value, Static):
        places.store(interp, value, name, new)
    else:
        doubtful_keys.put(interp, attributes_of(interp, value), name, new)
