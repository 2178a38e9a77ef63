"""Attributes of objects and modules from outside, and of constants: by reading them."""

from __future__ import annotations

import enum
import functools
import inspect
import re
import types
from typing import Any

from adxform.frontend.derivative_operators import Operator
from adxform.frontend.evaluate.classes import getters
from adxform.frontend.evaluate.classes.class_attributes import dispatching
from adxform.frontend.evaluate.outside import places
from adxform.frontend.evaluate.outside.guards import constant, from_outside, guard, missing
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Method, Static, Value
from adxform.frontend.nested import objects
from adxform.frontend.signature.access import Access, Equals, Owns, path_to
from adxform.ir.ops import Lit
from adxform.ir.spans import own_dict
from adxform.primitives.table import definition, lookup
from adxform.threads import locks


def of_constant(interp: Interpreter, literal: Any, name: str, value: Lit) -> Value:
    """An attribute of a constant of the program."""
    if callable(literal) and not isinstance(literal, type):
        return from_outside(interp, getattr(literal, name), None)
    try:
        found = getattr(literal, name)
    except AttributeError as error:
        return interp.fail(AttributeError, str(error))
    if isinstance(literal, type) and callable(found):
        return Static(found)
    if isinstance(found, types.BuiltinMethodType | types.MethodType | types.MethodWrapperType):
        return Method(Lit(getattr(type(literal), name)), (value,))
    return from_outside(interp, found, None)


def of_outside(interp: Interpreter, value: Static, name: str) -> Value:
    """An attribute of an object from outside: its methods by its class, its data by reading it."""
    owner, access = value.value, value.access
    known = places.in_classes(interp, owner, name) if isinstance(owner, type) else places.load(interp, owner, name)
    if known is not None or (known := places.in_classes_of(interp, value, name)) is not None:
        return known
    if isinstance(owner, types.ModuleType):
        return _of_module(interp, owner, access, name)
    made = objects.attribute(interp, value, name) if isinstance(owner, Operator) else None
    if made is not None:
        return made
    if type(owner) in (inspect.Signature, inspect.Parameter):  # which never change, and are what the code of a function says
        found = getattr(owner, name)
        return constant(interp, dict(found) if isinstance(found, types.MappingProxyType) else found)
    path = path_to(access, ("attribute", name))
    followed = getters.followed(interp, value, name)
    if followed is not None:
        return followed
    try:
        found = getattr(owner, name)
    except RecursionError:  # the stack is ours: there may be room on another
        raise
    except Exception as error:
        return missing(interp, path, error)
    if isinstance(found, types.MethodType) and (lookup(found) is not None or definition(found) is not None):
        return Static(found, path)
    if isinstance(owner, enum.Enum) and name in ("value", "_value_") and _chooses(found):
        guard(interp, path, Equals(Lit(found)))
        return constant(interp, found)
    if not isinstance(owner, type):
        return _of_instance_outside(interp, value, name, found, path)
    if isinstance(found, types.MethodType) and found.__self__ is owner:
        return Method(from_outside(interp, found.__func__, path_to(path, ("attribute", "__func__"))), (value,))
    return from_outside(interp, found, path)


def _chooses(value: Any) -> bool:
    """Whether the value of a member of an enumeration is of a kind that says which item is meant, and moves nothing."""
    return all(map(_chooses, value)) if type(value) is tuple else type(value) in (int, str, bool, type(None))


def _of_instance_outside(interp: Interpreter, value: Static, name: str, found: Any, path: Access | None) -> Value:
    """The attribute `found` by `path` of an object from outside that is no class: of its own, or what its class holds."""
    owner, access = value.value, value.access
    static = inspect.getattr_static(type(owner), name, None)
    if name in own_dict(owner):
        return from_outside(interp, found, path)
    if static is not None and not inspect.isdatadescriptor(static) and hasattr(owner, "__dict__"):
        guard(interp, access, Owns(name, False))
    if isinstance(static, functools.singledispatchmethod):
        return dispatching(interp, value, type(owner), name, static)
    if isinstance(static, types.FunctionType):
        in_class = path_to(access, ("attribute", "__class__"), ("attribute", name))
        return Method(from_outside(interp, static, in_class), (value,))
    if static is object.__setattr__ or static is object.__delattr__:
        return Method(Lit(static), (value,))
    if isinstance(found, types.BuiltinFunctionType) and (definition(static) is not None or static is re.Pattern.finditer):
        return Method(Lit(static), (value,))
    if isinstance(found, types.BuiltinFunctionType | types.MethodWrapperType):
        return Static(found, path)
    return from_outside(interp, found, path)


def is_a_librarys(module: types.ModuleType) -> bool:
    """Whether `module` is of Python's or a library that no program sets anything in."""
    return module.__name__.partition(".")[0] in ("numpy", "math", "operator", "scipy", "functools", "itertools", "adxform")


def _of_module(interp: Interpreter, module: types.ModuleType, access: Any, name: str) -> Value:
    try:
        found = locks.attribute(module, name)
    except RecursionError:
        raise
    except Exception as error:  # of a `__getattr__`, which may import what is not there
        return missing(interp, path_to(access, ("attribute", name)), error)
    return from_outside(interp, found, None if is_a_librarys(module) else path_to(access, ("attribute", name)))
