"""What a class means to the programs that use it: its bases, its methods, and whatever else Python asks it about its objects.

A derivative that was made of an object follows from all of that: from a method, and from there being none, a `__setattr__`, say.
So each class that a derivation meets is guarded as a whole. What attributes that are plain data are is read where they are used.
"""

from __future__ import annotations

import sys
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pickle import PicklingError
from typing import Any

from adxform.ir.packages import is_left_to_the_run, is_never_read

_IMMUTABLE = 1 << 8
"""CPython's flag of a class whose attributes nobody can set."""
_KEPT_BY_PYTHON = frozenset(
    {"__dict__", "__weakref__", "__doc__", "__module__", "__firstlineno__", "__static_attributes__", "__annotate__",
     "__annotations__", "__annotate_func__", "__annotations_cache__", "__slotnames__", "__non_callable_proto_members__"}
)  # fmt: skip
"""What Python itself keeps in a class, some of it only after a first use: it says nothing about objects."""
_DATA = object()
"""In the place of plain data."""


@dataclass(frozen=True, slots=True, eq=False)
class Means:
    """A class that means what `cls` did when this was made.

    `spaces` are what it and its bases hold, what they held when that was compared last, and the outline of it.
    """

    cls: type
    metaclass: type
    order: tuple[type, ...]
    spaces: tuple[tuple[Mapping[str, Any], list[dict[str, Any]], dict[str, Any]], ...]

    def met(self, value: Any) -> bool:
        """Whether `value` is that class, and means that. Asked at every call, of a class where mostly nothing has changed."""
        if value is not self.cls or value.__mro__ is not self.order or type(value) is not self.metaclass:
            return False
        for space, last, outline in self.spaces:
            if not equal(space, last[0]):
                now = dict(space)
                if not fits(now, outline):
                    return False
                last[0] = now
        return True

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Means) or self.cls is not other.cls or self.order is not other.order:
            return False
        return all(same(mine[2], others[2]) for mine, others in zip(self.spaces, other.spaces, strict=True))

    def __hash__(self) -> int:
        return id(self.cls)

    def __reduce__(self) -> tuple[Any, ...]:
        if not self.met(self.cls):
            raise PicklingError(f"{self.cls.__qualname__} was changed since")
        return meaning, (self.cls,)  # the reference to a class is good only for what the class is made of


def meaning(cls: type) -> Means:
    """What `cls` means now."""
    order, held = cls.__mro__, [(vars(base), dict(vars(base))) for base in _changeable(cls)]
    return Means(cls, type(cls), order, tuple((space, [now], outline_of(now)) for space, now in held))


def changes(cls: type) -> bool:
    """Whether a program may change what `cls` means."""
    return any(True for _ in _changeable(cls))


def _changeable(cls: type) -> Iterator[type]:
    """The classes that say what `cls` is and that a program may change: those of packages too, left to the run or not.

    Which of them are left changes from try to try, and none is read while a rule comes back from the disk.
    """
    metaclass: type = type(cls)
    return filter(_is_patched_by_some, (*cls.__mro__, *metaclass.__mro__))


def is_changeable(cls: type) -> bool:
    """Whether `cls` is a class of the user's, which a program may change: libraries are taken for what they are."""
    return _may_be_set(cls) and not _is_in_library(_module_of(cls))


def _is_patched_by_some(cls: type) -> bool:
    """Whether `cls` is a class of the user's, or of a package whose code may be read."""
    module = _module_of(cls)
    file = None if module is None else vars(module).get("__file__")
    return _may_be_set(cls) and not (isinstance(file, str) and is_never_read(str(cls.__module__), file))


def _may_be_set(cls: type) -> bool:
    """Whether Python has attributes of `cls` set, and it is not of a library that has rules."""
    return not cls.__flags__ & _IMMUTABLE and str(cls.__module__).partition(".")[0] not in ("numpy", "scipy", "adxform")


def _module_of(cls: type) -> types.ModuleType | None:
    return sys.modules.get(str(cls.__module__))


def is_users(module: types.ModuleType) -> bool:
    """Whether `module` is one that a program may change: libraries are taken for what they are."""
    return module_name(module).partition(".")[0] not in ("adxform", *sys.builtin_module_names) and not _is_in_library(module)


def module_name(module: types.ModuleType) -> str:
    """The name of `module`, of which no ``__getattr__`` is asked."""
    return str(vars(module).get("__name__"))


def _is_in_library(module: types.ModuleType | None) -> bool:
    file = None if module is None else vars(module).get("__file__")  # a module's `__getattr__` is code of its own
    return module is not None and isinstance(file, str) and is_left_to_the_run(module_name(module), file)


def outline_of(space: Mapping[str, Any]) -> dict[str, Any]:
    """What `space`, which a class holds, says of objects: all names, and all values that are no plain data."""
    told = ((name, value) for name, value in space.items() if name not in _KEPT_BY_PYTHON)
    return {name: value if _is_asked(name, value) else _DATA for name, value in told}


def _is_asked(name: str, value: Any) -> bool:
    """Whether Python asks `value`, which a class holds under `name`, as it asks a method or a property."""
    special = name == "_fields" or (name.startswith("__") and name.endswith("__"))
    return special or any(hasattr(type(value), hook) for hook in ("__get__", "__set__", "__delete__"))


def equal(space: Mapping[str, Any], whole: Mapping[str, Any]) -> bool:
    """Whether both hold the very same, or equal data, under the same names; fast where nothing has changed."""
    try:
        return bool(space == whole)
    except Exception:  # data may refuse to be compared
        return False


def fits(now: Mapping[str, Any], outline: Mapping[str, Any]) -> bool:
    """Whether `now` has that outline."""
    told = [(name, value) for name, value in now.items() if name not in _KEPT_BY_PYTHON]
    if len(told) != len(outline):
        return False
    for name, value in told:
        expected = outline.get(name, told)
        if expected is not value and not (expected is _DATA and not _is_asked(name, value)):
            return False
    return True


def same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two outlines hold the very same under the same names."""
    return one.keys() == other.keys() and all(value is other[name] for name, value in one.items())
