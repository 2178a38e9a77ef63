"""Attributes: of arrays and numbers by type, of structures by value, of objects from outside by reading them."""

from __future__ import annotations

import collections
import dataclasses
import functools
import inspect
import operator
import re
import types
from collections import namedtuple
from typing import Any

import numpy as np

from adxform.frontend.containers import deques
from adxform.frontend.containers.methods import METHODS
from adxform.frontend.derivative_operators import Decorated, Operator
from adxform.frontend.evaluate import indexing
from adxform.frontend.evaluate.classes import asked_by_name, getters
from adxform.frontend.evaluate.classes.class_attributes import from_class, of_class, of_super
from adxform.frontend.evaluate.classes.class_contents import (
    MISSING,
    find,
    has_dict,
    is_data_descriptor,
    is_generated,
    is_librarys,
)
from adxform.frontend.evaluate.code_objects import code_of
from adxform.frontend.evaluate.objects import doubtful_keys, function_attributes
from adxform.frontend.evaluate.objects.object_contents import Contents
from adxform.frontend.evaluate.outside import outside_containers, places
from adxform.frontend.evaluate.outside.guards import from_outside, guard, looked_up, missing, outside_write, rooted
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import FunctionValue, Method, Range, Ref, Slice, Static, Tuple, Value, is_unknown
from adxform.frontend.nested import objects
from adxform.frontend.signature import python_class
from adxform.frontend.signature.access import Access, Defines, HasClass, Owns, path_to
from adxform.ir.ops import Lit, Var
from adxform.ir.types import BOOL, INT, Array, Object, Scalar, is_float, is_inexact
from adxform.ir.walk import variables
from adxform.primitives.definitions.definition import StandIn
from adxform.primitives.definitions.flat_entries import FlatEntries
from adxform.primitives.definitions.flat_entries import store as store_flat
from adxform.primitives.refusals.numpy_functions import REFUSED_ATTRIBUTES
from adxform.primitives.table import definition, lookup
from adxform.threads import locks


def load(interp: Interpreter, value: Value, name: str, hint: str = "tmp") -> Value:
    """``value.name``"""
    value = interp.seen(interp.force(value, kind=AttributeError, said=f"'NoneType' object has no attribute '{name}'"))
    of_its_own = isinstance(value, Static) or (isinstance(value, Ref) and value.kind == "instance") or is_unknown(value)
    if name == "__class__" and not of_its_own:
        return interp.call(Lit(type), (value,), hint=hint)
    match value:
        case Var(_, Array() as type_):
            return _of_array(interp, value, type_, name, hint)
        case Var(_, Scalar() as type_):
            return _of_scalar(interp, value, type_, name)
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
            return _of_outside(interp, held, name) if isinstance(held, Static) else _of_constant(interp, literal, name, value)
        case Static(literal):
            return _of_outside(interp, value, name)
        case Method(fn, partial=False) if name == "__func__" and _is_written_in_python(fn):
            return fn
        case FunctionValue(fn) if name == "__name__" and fn.name != "anonymous":  # which a lambda is called here
            return Lit(fn.name)
        case FunctionValue() if name in ("__name__", "__code__") and (code := code_of(value)) is not None:
            return Lit(code if name == "__code__" else code.co_name)
        case FunctionValue():
            return function_attributes.load(interp, value, name)
        case Method(FunctionValue() as fn, partial=False) if not hasattr(types.MethodType, name):
            return function_attributes.load(interp, fn, name)
        case _:
            raise interp.error(f"the attribute `{name}` of this value cannot be followed", "use the value itself")


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
    found = interp.emit(getattr, (value, Lit(name)), Object(), hint)
    if isinstance(followed, Tuple) and name in ("eigenvalues", "eigenvectors"):
        interp.of_run.followed[found] = followed.items[name == "eigenvectors"]
    interp.of_run.methods[found] = name
    if value in interp.of_run.generators:
        interp.of_run.draws[found] = interp.of_run.generators[value], name
    return found


def _of_array(interp: Interpreter, x: Var, type_: Array, name: str, hint: str) -> Value:
    shape = type_.shape
    if name in ("dtype", "itemsize", "nbytes") and is_float(type_):
        interp.to_check.told_dtypes.append((x, interp.span))
    match name:
        case "shape":
            if shape is None:
                message = "the shape of a value that may be a number or an array"
                raise interp.unknown(message, "give it one kind on every path", x)
            return Tuple(tuple(indexing.dim(interp, x, axis) for axis in range(len(shape))))
        case "ndim":
            return interp.emit(np.ndim, (x,), INT, hint) if shape is None else Lit(len(shape))
        case "size":
            if shape is None:
                return interp.emit(np.size, (x,), INT, hint)
            total: Value = Lit(1)
            for axis in range(len(shape)):
                size = indexing.dim(interp, x, axis)
                total = size if total == Lit(1) else interp.call(Lit(operator.mul), (total, size), hint="size")
            return total
        case "dtype":
            return Lit(np.dtype(type_.dtype))
        case "T":
            return interp.call(Lit(np.transpose), (x,), hint=hint)
        case "mT":
            return interp.call(Lit(np.swapaxes), (x, Lit(-1), Lit(-2)), hint=hint)
        case "real" if not type_.dtype.startswith(("complex", "clong")):
            return x
        case "real" | "imag":
            return interp.call(Lit(getattr(np, name)), (x,), hint=hint)
        case "flat" if shape is not None:
            return interp.call(Static(FlatEntries), (x,), hint="flat")
        case "itemsize":
            return Lit(np.dtype(type_.dtype).itemsize)
        case "nbytes":
            return interp.call(
                Lit(operator.mul), (_of_array(interp, x, type_, "size", "size"), Lit(np.dtype(type_.dtype).itemsize))
            )
        case "strides" | "flags":
            return interp.emit(getattr, (x, Lit(name)), Object(), hint)
    if find(np.ndarray, name) is MISSING:
        return interp.fail(AttributeError, f"'numpy.ndarray' object has no attribute '{name}'")
    if (special := asked_by_name.named(name)) is not None:
        return Method(Lit(special), (x,))
    unbound = getattr(np.ndarray, name)
    if not callable(unbound):
        instead = REFUSED_ATTRIBUTES.get(name, "use the function of NumPy that does the same")
        raise interp.error(f"the array attribute `{name}` is not supported", instead)
    return Method(Lit(unbound), (x,))


def _of_scalar(interp: Interpreter, x: Var, type_: Scalar, name: str) -> Value:
    real = not type_.dtype.startswith(("complex", "clong"))
    truths_and_floats = BOOL in type_.kinds and is_inexact(type_)  # of which `real` is a number of another class each
    if type_.kinds and (truths_and_floats or name not in (("real", "item") if real else ("real", "imag", "item"))):
        way_out = f"convert it, e.g. with `{'float' if real else 'complex'}(…)`"
        raise interp.error(f"`{name}` of a number whose kind only a run can tell", way_out)
    stated = _stated_of_scalar(interp, x, type_, name)
    if stated is not None:
        return stated
    cls = python_class(type_.dtype, type_.weak)
    if find(cls, name) is MISSING:
        return interp.fail(AttributeError, f"'{cls.__name__}' object has no attribute '{name}'")
    if name in ("real", "imag"):
        return interp.call(Lit(getattr(np, name)), (x,))
    if (special := asked_by_name.named(name)) is not None:
        return Method(Lit(special), (x,))
    if not callable(getattr(cls, name)):
        return interp.emit(getattr, (x, Lit(name)), Object(), name)
    if type_.weak:
        return Method(Lit(getattr(cls, name)), (x,))
    if name in ("conjugate", "conj", "item", "tolist") and real:
        return Method(Lit(_identity if name.startswith("conj") else getattr(np.ndarray, name)), (x,))
    if name in ("conjugate", "conj"):
        return Method(Lit(np.conjugate), (x,))
    return Method(Lit(getattr(np.ndarray, name, None) or getattr(cls, name)), (x,))


def _stated_of_scalar(interp: Interpreter, x: Var, type_: Scalar, name: str) -> Value | None:
    """What an attribute of a number is by its type: a part of a real number, or what a number of NumPy is as an array."""
    match name:
        case "real" | "imag" if type_.dtype.startswith(("complex", "clong")):
            return None
        case "real":
            return interp.call(Lit(int), (x,)) if BOOL in (type_, *type_.kinds) else x
        case "imag":
            kind = python_class(type_.dtype, type_.weak)
            return Lit(0 if kind is bool else kind(0))
        case _ if type_.weak:
            return None
        case "T":
            return x
        case "shape":
            return Tuple(())
        case "ndim":
            return Lit(0)
        case "size":
            return Lit(1)
        case "dtype":
            return Lit(np.dtype(type_.dtype))
        case _:
            return None


def _is_written_in_python(fn: Value) -> bool:
    return isinstance(fn, FunctionValue) or (isinstance(fn, Static | Lit) and isinstance(fn.value, types.FunctionType))


def _identity(x: Any) -> Any:
    return x


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
        if method is None:
            raise interp.error(
                f"the method `{name}` of a {value.cls.__name__} is not supported", "write it with the supported methods"
            )
        return Method(Lit(method), (value,))
    if value.cls is super:
        after, held = interp.contents(value).items
        return of_super(interp, after, held, name)
    if name in ("__class__", "__dict__") and issubclass(value.cls, StandIn):
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
    found = find(value.cls, name)
    if (
        found is not MISSING
        and not hasattr(type(found), "__get__")
        and isinstance(doubtful_keys.is_there(interp, value, name), Var)
    ):
        return doubtful_keys.item_or(interp, value, name, _of_its_class(interp, value, value.cls, name, found), name)
    kept = None if is_data_descriptor(found) else doubtful_keys.attribute(interp, value, name, found)
    return _of_its_class(interp, value, value.cls, name, found) if kept is None else kept


def own_attributes(interp: Interpreter, value: Ref) -> Value:
    """``vars(value)``: a dict that is the attributes of an object. Once these are changed by their names, it is not followed."""
    contents = interp.contents(value)
    beside = any(isinstance(find(value.cls, name), types.MemberDescriptorType) for name in contents.keys)
    if beside or not has_dict(value.cls) or issubclass(value.cls, Operator | Decorated):
        message = f"the attributes of a {value.cls.__name__} are taken as a dict, and not all are in one"
        raise interp.error(message, "name the attributes, or use `getattr` and `setattr`; of a dataclass, `dataclasses.asdict`")
    made = interp.heap.new("dict", dict, contents.keys, contents.items)
    interp.heap.note_attributes(made, value)
    return made


def change_attributes(interp: Interpreter, value: Ref, contents: Contents) -> None:
    """Let the attributes of an object be `contents`, whatever its class says: those of the dict that it keeps them in."""
    for name in contents.keys:
        if not isinstance(name, str):
            raise interp.error("an attribute is stored under a key that is no text", "keep it in a dict of its own")
        guard(interp, Access((), Lit(value.cls)), Defines(name, find(value.cls, name) is not MISSING))
    interp.write(value, contents)


def _of_constant(interp: Interpreter, literal: Any, name: str, value: Lit) -> Value:
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


def _of_outside(interp: Interpreter, value: Static, name: str) -> Value:
    """An attribute of an object from outside: its methods by its class, its data by reading it."""
    owner, access = value.value, value.access
    if (found := places.load(interp, owner, name)) is not None:
        return found
    if isinstance(owner, types.ModuleType):
        return _of_module(interp, owner, access, name)
    made = objects.attribute(interp, value, name) if isinstance(owner, Operator) else None
    if made is not None:
        return made
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
    if not isinstance(owner, type):
        return _of_instance_outside(interp, value, name, found, path)
    if isinstance(found, types.MethodType) and found.__self__ is owner:
        return Method(from_outside(interp, found.__func__, path_to(path, ("attribute", "__func__"))), (value,))
    return from_outside(interp, found, path)


def _of_instance_outside(interp: Interpreter, value: Static, name: str, found: Any, path: Access | None) -> Value:
    """The attribute `found` by `path` of an object from outside that is no class: of its own, or what its class holds."""
    owner, access = value.value, value.access
    static = inspect.getattr_static(type(owner), name, None)
    if name in getattr(owner, "__dict__", {}):
        return from_outside(interp, found, path)
    if static is not None and not inspect.isdatadescriptor(static) and hasattr(owner, "__dict__"):
        guard(interp, access, Owns(name, False))
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


def _keeps_its_own_way(cls: type) -> bool:
    """Whether objects of `cls` keep attributes where no code of the program tells: a library's, and what threads have each."""
    hook = next(vars(base)["__setattr__"] for base in cls.__mro__ if _is_native_hook(vars(base).get("__setattr__")))
    return is_librarys(cls) or hook.__objclass__ not in (object, types.SimpleNamespace)


def _is_native_hook(found: Any) -> bool:
    return isinstance(found, types.WrapperDescriptorType)


def _is_librarys(module: types.ModuleType) -> bool:
    return module.__name__.partition(".")[0] in ("numpy", "math", "operator", "scipy", "functools", "itertools", "adxform")


def _of_module(interp: Interpreter, module: types.ModuleType, access: Any, name: str) -> Value:
    try:
        found = locks.attribute(module, name)
    except AttributeError as error:
        return missing(interp, path_to(access, ("attribute", name)), error)
    return from_outside(interp, found, None if _is_librarys(module) else path_to(access, ("attribute", name)))


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
        case Ref(kind="list" | "dict" | "set", cls=cls) | Tuple(cls=cls) if cls in (list, dict, set, tuple):
            state = "is read-only" if hasattr(cls, name) else "cannot be set"
            interp.fail(AttributeError, f"'{cls.__name__}' object attribute '{name}' {state}")
        case _:
            raise interp.error(f"the attribute `{name}` of this value cannot be set", "build a new value instead")


def _store_outside(interp: Interpreter, value: Static, name: str, new: Value) -> None:
    """An attribute of an object from outside, as its class has it set, or a variable of a module."""
    owner = value.value
    if isinstance(owner, types.ModuleType) and not _is_librarys(owner):
        places.store(interp, value, name, new)
    elif isinstance(owner, type | types.ModuleType | types.FunctionType | Operator | Decorated) or _keeps_its_own_way(
        type(owner)
    ):
        raise outside_write(interp, f"the attribute `{name}` of a {type(owner).__name__}")
    else:
        _store_in_object(interp, value, name, new)


def _store_in_object(interp: Interpreter, value: Ref | Static, name: str, new: Value) -> None:
    """An attribute of an object, by ``__setattr__`` of its class, if it has one."""
    if not _changed_by_class(interp, value, name, "__setattr__", (new,)):
        store_by_object(interp, value, name, new)


def _changed_by_class(interp: Interpreter, value: Ref | Static, name: str, hook: str, given: tuple[Value, ...]) -> bool:
    """Whether the method `hook` of the class of `value` changes its attribute `name`; frozen dataclasses raise for fields."""
    cls: Any = _class_of(value)
    for base in cls.__mro__:
        method = vars(base).get(hook)
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
    if doubtful_keys.attribute(interp, value, name) is None:
        interp.fail(AttributeError, f"'{value.cls.__name__}' object has no attribute '{name}'")
    doubtful_keys.drop(interp, value, name)


def _class_of(value: Ref | Static) -> type:
    return value.cls if isinstance(value, Ref) else type(value.value)


def store_by_object(interp: Interpreter, value: Ref | Static, name: str, new: Value) -> None:
    """``object.__setattr__(value, name, new)``: the class decides first, by a property of that name, say."""
    cls = _class_of(value)
    found = find(cls, name)
    guard(interp, Access((), Lit(cls)), Defines(name, found is not MISSING))
    if isinstance(found, property) and found.fset is not None:
        interp.call(of_class(interp, cls, name, "fset"), (value, new))
    elif isinstance(found, property):
        interp.fail(AttributeError, f"property '{name}' of '{cls.__name__}' object has no setter")
    elif hasattr(type(found), "__set__") and not isinstance(found, types.MemberDescriptorType):
        raise interp.error(f"the descriptor `{name}` of `{cls.__name__}` cannot be set", "write a property or a method")
    elif not isinstance(found, types.MemberDescriptorType) and not has_dict(cls):
        state = "has no attribute" if found is MISSING else "has a read-only attribute"
        interp.fail(AttributeError, f"'{cls.__name__}' object {state} '{name}'")
    elif isinstance(value, Static):
        places.store(interp, value, name, new)
    else:
        doubtful_keys.put(interp, value, name, new)
