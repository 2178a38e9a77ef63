"""Attributes by name, and the methods of `object` and `tuple` that `super` leads to."""

from __future__ import annotations

import functools
import inspect
import operator
import types
from typing import Any

import numpy as np

from adxform.frontend.containers.methods import Answer, Args, Handler, Kwargs
from adxform.frontend.evaluate.classes import getters
from adxform.frontend.evaluate.classes.class_contents import MISSING, find, is_of_objects
from adxform.frontend.evaluate.classes.own_containers import attributes_of
from adxform.frontend.evaluate.objects import doubtful_keys, function_attributes
from adxform.frontend.evaluate.outside import places
from adxform.frontend.evaluate.outside.guards import guard
from adxform.frontend.evaluate.parts import attributes, stored_attributes
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import (
    NONE,
    FunctionValue,
    Method,
    Once,
    Range,
    Ref,
    Slice,
    Static,
    Tuple,
    Value,
    View,
    is_unknown,
)
from adxform.frontend.known.of_objects.classes import class_as_found
from adxform.frontend.signature import python_class
from adxform.frontend.signature.access import Access, Defines, Has
from adxform.ir import intrinsics
from adxform.ir.ops import Lit, Var
from adxform.ir.types import BOOL, Array, Object, Scalar, is_inexact
from adxform.ir.walk import variables
from adxform.primitives.definitions.arrangements.flat_entries import FlatEntries
from adxform.primitives.definitions.definition import StandIn
from adxform.primitives.definitions.of_python import lazy_builtins


def _setattr(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    stored_attributes.store(interp, args[0], interp.static(args[1], "an attribute name"), args[2])
    return NONE


def _set_global(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """``name = value`` under ``global name``."""
    scope = interp.frames[-1].scope
    name = interp.static(args[0], "the name of a variable")
    if scope is None:
        raise interp.outside_write(f"the global variable `{name}`")
    places.store(interp, places.module_of(interp, scope.fn, scope.access), name, args[1])
    return NONE


def _setattr_of_object(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """``object.__setattr__(x, name, value)``, which asks no ``__setattr__`` of the class."""
    match args:
        case (Ref(kind="instance") | Static() as owner, name, value) if not kwargs:
            stored_attributes.store_by_object(interp, owner, interp.static(name, "an attribute name"), value)
            return NONE
        case _:
            return None


def _getattribute_of_object(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """``object.__getattribute__(x, name)``, which asks no ``__getattribute__`` of the class."""
    match args:
        case (Ref(kind="instance", cls=cls) as owner, name) if not kwargs and find(cls, "__getattr__") is MISSING:
            return attributes.load_by_object(interp, owner, interp.static(name, "an attribute name"))
        case _:
            return None


def _delattr(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    stored_attributes.delete(interp, args[0], interp.static(args[1], "an attribute name"))
    return NONE


def _delattr_of_object(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """``object.__delattr__(x, name)``, which asks no ``__delattr__`` of the class."""
    match args:
        case (Ref(kind="instance") as owner, name) if not kwargs:
            stored_attributes.delete_by_object(interp, owner, interp.static(name, "an attribute name"))
            return NONE
        case (Static(), _):
            return _delattr(interp, args, kwargs, hint)
        case _:
            return None


def _init_of_object(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    return NONE if len(args) == 1 and isinstance(args[0], Ref) and not kwargs else None


def _super(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """``super(cls, x)``, of which attributes are read."""
    match args:
        case (Static(cls) | Lit(cls), Ref(kind="instance") | Tuple() | Static() | Lit()) if isinstance(cls, type):
            return interp.heap.new("instance", super, ("__thisclass__", "__self__"), args)
        case ():
            return interp.fail(RuntimeError, "super(): no arguments")
        case _:
            raise interp.error("this form of `super` cannot be followed", "name the base class: `Base.method(self, …)`")


_BESIDE_TUPLES = ("__add__", "__eq__", "__ne__", "__lt__", "__le__", "__gt__", "__ge__")


_OF_TUPLES = {
    "__len__": len,
    "__iter__": iter,
    **{name: getattr(operator, name) for name in ("__contains__", "__getitem__", "__mul__", *_BESIDE_TUPLES)},
}
"""Methods of tuples by the functions that ask them."""


def _method_of_tuple(name: str) -> Handler:
    """The method `name` of tuples, called by its name: the operator on the tuple as such; beside anything else, refused."""

    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        if not args or not isinstance(args[0], Tuple) or kwargs:
            return None
        plain = tuple(Tuple(arg.items) if isinstance(arg, Tuple) else arg for arg in args)
        if name in _BESIDE_TUPLES and not (len(plain) == 2 and isinstance(plain[1], Tuple)):
            raise interp.error(f"`{name}` of a tuple and of what is none", "write the operator")
        return interp.call(Lit(_OF_TUPLES[name]), plain, hint=hint)

    return handler


def _getattr(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    name = interp.static(args[1], "an attribute name")
    if len(args) == 3 and is_unknown(args[0]):
        return _unknown_or(interp, args, hint)
    if len(args) == 3 and isinstance(args[0], Ref) and isinstance(_has_itself(interp, args[0], name), Var):
        return doubtful_keys.item_or(interp, attributes_of(interp, args[0]), name, args[2], hint)
    if len(args) == 3 and _is_told_by_code(interp, args[0], name):
        return interp.call(Static(lazy_builtins.attribute_or), args, hint=hint)
    if len(args) == 3 and not _has(interp, args[0], name):
        return args[2]
    return interp.attribute(args[0], name, hint)


def _unknown_or(interp: Interpreter, args: Args, hint: str) -> Answer:
    """``getattr(x, name, default)`` of an object of which nothing is known."""
    operands = tuple(map(interp.operand, args))
    if any(is_inexact(var.type) for var in variables(operands[2])):
        message = "whether an object of which nothing is known has an attribute decides between that and floats"
        raise interp.error(message, "ask `hasattr` first, in a condition")
    return interp.emit(getattr, operands, Object(), hint)


def _hasattr(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    if is_unknown(args[0]):
        return interp.emit(hasattr, tuple(map(interp.operand, args)), BOOL, hint)
    name = interp.static(args[1], "an attribute name")
    there = _has_itself(interp, args[0], name)
    if not isinstance(there, Var) and _is_told_by_code(interp, args[0], name):
        return interp.call(Static(lazy_builtins.has_attribute), args[:2], hint=hint)
    return there if isinstance(there, Var) else Lit(_has(interp, args[0], name))


def _has_itself(interp: Interpreter, value: Value, name: str) -> Value:
    """Whether an instance has the attribute `name` of which only the run may know; its class has nothing then."""
    if not isinstance(value, Ref) or value.kind != "instance":
        return NONE
    value = attributes_of(interp, value)
    if interp.doubtful(value) is None:
        return NONE
    there = doubtful_keys.is_there(interp, value, name)
    if isinstance(there, Var):
        doubtful_keys.refuse_beside(interp, value, name, find(value.cls, name))
    return there


def _has(interp: Interpreter, value: Value, name: str) -> bool:
    match value:
        case Var(_, Array()):
            return _of_instances(np.ndarray, name)
        case Var(_, Scalar(dtype, weak)):
            return _of_instances(python_class(dtype, weak), name)
        case Ref(cls=cls) if cls is FlatEntries:
            return _of_instances(np.flatiter, name)
        case Ref(kind="instance") | Tuple():
            return _object_has(interp, value, name)
        case FunctionValue():
            return function_attributes.has(interp, value, name)
        case Ref(cls=cls):
            return _of_instances(cls, name)
        case Method(partial=True):
            return _of_instances(functools.partial, name)
        case Method(fn):
            if not isinstance(fn, FunctionValue) and class_as_found(interp, value) is types.BuiltinMethodType:
                return _of_instances(types.BuiltinMethodType, name)
            return _of_instances(types.MethodType, name) or _has(interp, fn, name)
        case Static(found, access):
            return _found(interp, found, name, access)
        case Lit(found):
            return hasattr(found, name)
        case Once() | View() | Range() | Slice() if (known := class_as_found(interp, value)) is not None:
            return _of_instances(known, name)
        case _:
            raise interp.error(
                f"whether this value has `{name}` cannot be told", "test its class instead, or leave the default out"
            )


def _of_instances(cls: type, name: str) -> bool:
    """Whether instances of `cls`, without attributes of their own, have `name`: what only the class has does not count."""
    return find(cls, name) is not MISSING


def _is_told_by_code(interp: Interpreter, value: Value, name: str) -> bool:
    """Whether code of the program tells if an object has the attribute `name`: a property, a descriptor or ``__getattr__``."""
    if not isinstance(value, Ref | Tuple) or (isinstance(value, Ref) and value.kind != "instance"):
        return False
    found = find(value.cls, name)
    if isinstance(find(value.cls, "__getattribute__"), types.FunctionType):
        return False
    if isinstance(found, property | functools.cached_property) or _is_own_descriptor(found):
        return True
    there = found is not MISSING and not isinstance(found, types.MemberDescriptorType)
    return not there and find(value.cls, "__getattr__") is not MISSING and not _is_its_own(interp, value, name)


def _is_its_own(interp: Interpreter, value: Ref | Tuple, name: str) -> bool:
    """Whether an object itself has the attribute `name`."""
    owner = attributes_of(interp, value) if isinstance(value, Ref) else value
    return isinstance(owner, Ref) and doubtful_keys.is_there(interp, owner, name) == Lit(True)


def _object_has(interp: Interpreter, value: Ref | Tuple, name: str) -> bool:
    """Whether an object that the function makes has the attribute `name`, where nothing has to run to tell."""
    cls = value.cls
    found = find(cls, name)
    if isinstance(find(cls, "__getattribute__"), types.FunctionType):
        message = f"whether an object of `{cls.__name__}` has `{name}` is told by `__getattribute__`"
        way = "write a property or a method in its place"
        raise interp.error(message, f"ask its class, `hasattr({cls.__name__}, {name!r})`, or {way}")
    known = _is_its_own(interp, value, name) or places.in_classes(interp, cls, name) is not None
    if not known and found is MISSING and issubclass(cls, StandIn) and not interp.in_own_code:
        message = f"whether it has `{name}` is asked of an object for which adxform has one of its own, that lacks it"
        raise interp.error(message, "ask outside of the function")
    if not known:
        guard(interp, Access((), Lit(cls)), Defines(name, found is not MISSING))
    return known or (found is not MISSING and not isinstance(found, types.MemberDescriptorType))


def _is_own_descriptor(found: Any) -> bool:
    """Whether what a class holds is an object of a class of the user that decides what reading the attribute means."""
    return isinstance(find(type(found), "__get__"), types.FunctionType)


def _found(interp: Interpreter, owner: Any, name: str, access: Access | None) -> bool:
    """Whether `owner`, which a program may change, has the attribute `name` now; each call asks again."""
    if places.is_set(interp, owner, name):
        return True
    if isinstance(owner, type) and places.in_classes(interp, owner, name) is not None:
        return True
    if access is not None and places.in_classes_of(interp, Static(owner, access), name) is not None:
        return True
    if getters.changes_where_asked(owner, name):
        message = f"asked whether it has `{name}`, an object of `{type(owner).__name__}` may change something"
        raise interp.error(message, f"ask its class, or read `.{name}` without a default")
    try:
        there = hasattr(owner, name)
    except Exception as error:
        message = f"asked whether it has `{name}`, an object of `{type(owner).__name__}` raises {type(error).__name__}: {error}"
        raise interp.error(message, "ask its class, or ask outside of the function") from error
    guard(interp, access, Has(name, there))
    return there


def _change_of_class(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    raise interp.outside_write("a class")


def _new_object(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """``object.__new__(cls)``: an object of a class that is written in Python, without attributes."""
    cls = args[0].value if args and isinstance(args[0], Static | Lit) else None
    if not isinstance(cls, type) or not is_of_objects(cls) or inspect.isabstract(cls):
        return None
    own_new = find(cls, "__new__") is not vars(object)["__new__"]
    if (len(args) > 1 or kwargs) and (own_new or find(cls, "__init__") is object.__init__):
        return interp.fail(TypeError, "object.__new__() takes exactly one argument (the type to instantiate)")
    return interp.heap.new("instance", cls, (), ())


TABLE: dict[Any, Handler] = {
    super: _super,
    setattr: _setattr,
    intrinsics.set_global: _set_global,
    object.__setattr__: _setattr_of_object,
    type.__setattr__: _change_of_class,
    type.__delattr__: _change_of_class,
    delattr: _delattr,
    object.__delattr__: _delattr_of_object,
    object.__getattribute__: _getattribute_of_object,
    object.__init__: _init_of_object,
    object.__new__: _new_object,
    **{getattr(tuple, name): _method_of_tuple(name) for name in _OF_TUPLES},
    getattr: _getattr,
    hasattr: _hasattr,
}
