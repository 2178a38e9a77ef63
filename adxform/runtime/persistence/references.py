"""Objects with identity by name: a module, and a path in it."""

from __future__ import annotations

import enum
import os
import sys
import sysconfig
import types
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from adxform.ir.spans import own_attribute

NAMED = (
    type,
    types.ModuleType,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodDescriptorType,
    types.WrapperDescriptorType,
    types.ClassMethodDescriptorType,
    types.GetSetDescriptorType,
    types.MemberDescriptorType,
    np.ufunc,
    type(np.dot),  # functions of NumPy that dispatch on their arguments
    enum.Enum,
)


class NotPortable(Exception):
    """A value that another process cannot be told of."""


class Stale(Exception):
    """A reference leads nowhere, or to something else than it did."""


def place(value: Any) -> tuple[str, str]:
    """The module and the path by which `value` is found again.

    >>> place(str.upper), place(Stale)
    (('builtins', 'str.upper'), ('adxform.runtime.persistence.references', 'Stale'))

    Raises:
        NotPortable: there is no such path.
    """
    for module, path in _places(value):
        try:
            found = follow(sys.modules.get(module), path)
            if found is value or (isinstance(value, types.BuiltinFunctionType) and found == value):
                return module, path
        except AttributeError:
            continue
    raise NotPortable(f"{value!r} has no name")


def _places(value: Any) -> Iterator[tuple[str, str]]:
    match value:
        case types.ModuleType():
            yield value.__name__, ""
        case enum.Enum():
            yield type(value).__module__, f"{type(value).__qualname__}.{value.name}"
        case np.ufunc():
            for module in ("numpy", getattr(value, "__module__", None) or "scipy.special", "scipy.special"):
                yield module, value.__name__
        case _:
            owner = own_attribute(value, "__objclass__") or own_attribute(value, "__self__")
            path = str(own_attribute(value, "__qualname__") or own_attribute(value, "__name__", "<none>"))
            if isinstance(owner, type):
                yield owner.__module__, f"{owner.__qualname__}.{value.__name__}"
            elif isinstance(owner, np.ufunc):
                module, name = place(owner)
                yield module, f"{name}.{value.__name__}"
            for module in (getattr(value, "__module__", None), getattr(owner, "__name__", None), "builtins"):
                if isinstance(module, str) and "<" not in path:
                    yield module, path
            for name in types.__all__ if isinstance(value, type) else ():  # classes that Python itself has no other name for
                yield "types", name


def follow(start: Any, path: str) -> Any:
    """What `path`, names with dots between them, leads to from `start`."""
    for part in path.split(".") if path else ():
        start = getattr(start, part)
    return start


@lru_cache(maxsize=4096)
def fixed(module: str) -> bool:
    """Whether `module` is part of Python, NumPy or adxform: the same whenever their versions are."""
    top = module.partition(".")[0]
    if top in ("numpy", "adxform", "builtins"):
        return True
    if top not in sys.stdlib_module_names:
        return False
    file = getattr(sys.modules.get(top), "__file__", None)
    if file is None:
        return True
    file = os.path.realpath(file)  # a user's module may have a name of Python's
    return file.startswith(_STDLIB) and "site-packages" not in file


_STDLIB = tuple({os.path.realpath(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")})
