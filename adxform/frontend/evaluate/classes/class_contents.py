"""What classes hold under a name, and of which kind it is, as Python's special methods are looked up: instances do not count."""

from __future__ import annotations

import functools
import inspect
import types
from typing import Any

from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.signature.class_meaning import is_changeable
from adxform.ir.spans import own_dict

_NATIVE = (
    types.WrapperDescriptorType,
    types.MethodDescriptorType,
    types.ClassMethodDescriptorType,
)

MISSING = object()
"""In the place of what a class does not define: a class may define an attribute as ``None``."""


def find(cls: type, name: str) -> Any:
    """What `cls` or the first of its bases that defines `name` has under it, or `MISSING`: no attribute of an instance counts."""
    for base in cls.__mro__:
        if name in vars(base):
            return vars(base)[name]
    return MISSING


def is_generated(found: Any) -> bool:
    """Whether a method was written by `dataclasses` or `namedtuple`, which leave their marks: the function that their text
    defines, and the globals that it is evaluated in. A method from an `exec` of the program has neither.
    """
    if not isinstance(found, types.FunctionType):
        return False
    of_tuple = "_tuple_new" in found.__globals__ and str(found.__globals__.get("__name__")).startswith("namedtuple_")
    return of_tuple or found.__code__.co_qualname.startswith("__create_fn__.<locals>.")


def is_data_descriptor(found: Any) -> bool:
    """Whether what a class holds is asked ahead of what an instance holds, as a property is; slots are where that is."""
    return inspect.isdatadescriptor(found) and not isinstance(found, types.MemberDescriptorType | types.GetSetDescriptorType)


def is_native(found: Any) -> bool:
    """Whether a special method is one of a class written in C: a function of a module is none (``__eq__ = operator.is_``)."""
    return isinstance(found, _NATIVE) or (isinstance(found, types.BuiltinFunctionType) and isinstance(found.__self__, type))


def refuse_named_tuple(interp: Interpreter, cls: type) -> None:
    """Raise where a named tuple says by itself what its items are: derivatives take them for its fields."""
    for name in _OF_ITEMS:
        if cls is not tuple and not is_native(find(cls, name)) and find(cls, name) is not MISSING:
            message = f"the named tuple `{cls.__name__}` defines `{name}`"
            raise interp.error(message, "give the method another name, or make the class a dataclass")


_OF_ITEMS = ("__len__", "__getitem__", "__iter__", "__contains__", "__reversed__", "__getattribute__", "__array__")


def is_data_of(cls: type, name: str) -> bool:
    """Whether a program may set `name` of its class `cls` as it sets an attribute of an object: it is data, and means no more."""
    found, special = find(cls, name), name == "_fields" or (name.startswith("__") and name.endswith("__"))
    hooks = find(type(cls), "__setattr__") is type.__setattr__ and find(type(cls), name) is MISSING
    return hooks and not special and is_changeable(cls) and (found is MISSING or not is_descriptor(found))


def is_descriptor(found: Any) -> bool:
    """Whether what a class holds says itself what it means as an attribute."""
    return any(hasattr(type(found), hook) for hook in ("__get__", "__set__", "__delete__"))


def has_dict(cls: type) -> bool:
    """Whether instances of `cls` may have attributes beside their slots."""
    return any("__dict__" in vars(base) for base in cls.__mro__)


def told_by(owner: Any, name: str) -> types.FunctionType | None:
    """The code of the program that reading the attribute `name` of `owner` runs, or asking whether it is there."""
    cls: Any = type(owner)
    hook, found = find(cls, "__getattribute__"), find(cls, name)
    if isinstance(hook, types.FunctionType):
        return hook
    held = name in own_dict(owner)
    if isinstance(found, property):
        return found.fget if isinstance(found.fget, types.FunctionType) else None
    if isinstance(found, functools.cached_property):
        return None if held else found.func  # type: ignore[return-value]
    getter = find(type(found), "__get__")
    if isinstance(getter, types.FunctionType) and getter.__module__.partition(".")[0] == "adxform":
        return None  # a derivative that a class holds: it is bound, no more
    if isinstance(getter, types.FunctionType) and (not held or find(type(found), "__set__") is not MISSING):
        return getter
    hook = find(cls, "__getattr__")
    return hook if found is MISSING and not held and isinstance(hook, types.FunctionType) else None


def is_librarys(cls: type) -> bool:
    """Whether `cls` is one of Python's own, or of NumPy's or SciPy's."""
    return cls.__module__.partition(".")[0] in ("numpy", "builtins", "scipy")


_WRITTEN_IN_PYTHON = 1 << 9
"""The flag of classes that Python's statements make."""


def is_of_objects(cls: type) -> bool:
    """Whether an object of `cls` is what its attributes are: no class written in C is a base but `object`."""
    return all(base is object or base.__flags__ & _WRITTEN_IN_PYTHON for base in cls.__mro__)
