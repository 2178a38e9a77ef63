"""Where code came from: spans in the user's files, and which files are adxform's own."""

from __future__ import annotations

import inspect
import os
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import FunctionType, MethodType
from typing import Any

from adxform.ir.packages import is_left_to_the_run

PACKAGE = Path(__file__).resolve().parent.parent
"""The folder of adxform."""
_INSIDE = f"{PACKAGE}{os.sep}"


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of source text. Lines count from one, columns from zero, as in `ast`; `end` is exclusive."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    @property
    def is_own(self) -> bool:
        """Whether it lies in adxform itself, in the body of a rule: nothing that a user has to see."""
        return is_own(self.file)


NOWHERE = Span("", 0, 0, 0, 0)


def is_own(file: str) -> bool:
    """Whether `file` is one of adxform's own."""
    return file.startswith(_INSIDE)


def written_in(fn: object) -> str:
    """The module that `fn` says it is of, unless its code was written in another package: `functools.wraps` copies the name."""
    said = getattr(fn, "__module__", None) or ""
    if not isinstance(fn, FunctionType):
        return said if isinstance(said, str) else ""
    written = fn.__globals__.get("__name__") or ""
    return said if said.partition(".")[0] == written.partition(".")[0] else written


def own_attribute(value: object, name: str, default: Any = None) -> Any:
    """The attribute `name` of `value`, or of its class; `default` where there is none.

    No `__getattr__` is asked: one may set attributes, count, or have an answer for any name. A bound method has what its
    function has.
    """
    get: Any = type(value).__getattribute__
    if not isinstance(get, types.WrapperDescriptorType):
        get = type.__getattribute__ if isinstance(value, type) else object.__getattribute__
    try:
        return get(value, name)
    except Exception:
        return default


def own_dict(value: object) -> Mapping[str, Any]:
    """The attributes that `value` keeps itself: no `__getattr__` is asked, and a property called ``__dict__`` may raise."""
    try:
        found: Mapping[str, Any] = object.__getattribute__(value, "__dict__")
    except Exception:
        return {}
    return found


def own_signature(fn: Callable[..., Any]) -> inspect.Signature:
    """The parameters that `fn` itself takes; `functools.wraps` shows those of another function in their place.

    Raises:
        TypeError, ValueError: `fn` does not tell them.
    """
    called = fn.__func__ if isinstance(fn, MethodType) else fn if isinstance(fn, FunctionType) else type(fn).__call__
    packages = (__package__.partition(".")[0], "numpy", "scipy")
    follows = not isinstance(called, FunctionType) or written_in(called).partition(".")[0] in packages
    return inspect.signature(fn, follow_wrapped=follows)


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is said: the module, and the line of its file."""

    module: str
    file: str
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


def registering() -> Place:
    """The place outside of adxform from where adxform was called."""
    frame = inspect.currentframe()
    while frame is not None and is_own(frame.f_code.co_filename) and frame.f_back is not None:
        frame = frame.f_back
    assert frame is not None
    file = frame.f_code.co_filename
    return Place(str(frame.f_globals.get("__name__", file)), file, frame.f_lineno)


def is_user(fn: FunctionType) -> bool:
    """Whether `fn` is code to look into: not of the standard library, nor of an installed package that is not read.

    Except adxform's own, and that of fractions, whose operators on numbers are followed like any class's.
    """
    return _is_looked_into(fn, fn.__code__)


def is_left_beside_users(fn: FunctionType) -> bool:
    """Whether `fn` would be looked into, were it not left to the run alone of an installed package that is read.

    It shares variables and objects of the package with functions that are followed.
    """
    return not is_user(fn) and _is_looked_into(fn, None)


def _is_looked_into(fn: FunctionType, code: types.CodeType | None) -> bool:
    module = written_in(fn)
    package = module.partition(".")[0]
    return package in ("adxform", "fractions") or (
        package not in ("numpy", "scipy") and not is_left_to_the_run(module, fn.__code__.co_filename, code)
    )


_CONTAINERS = frozenset(
    {"UserDict", "UserList", "ChainMap", "Counter", "Mapping", "MutableMapping", "Sequence", "MutableSequence", "MappingView",
     "KeysView", "ItemsView", "ValuesView"}
)  # fmt: skip
"""Classes that Python has written in Python, whose methods are followed."""


def is_followed(fn: FunctionType) -> bool:
    """Whether the text of `fn` is read where it is called: of the user's, and of what Python's own modules give to classes.

    That is methods of containers, and the comparisons of `functools.total_ordering`.
    """
    if written_in(fn) == "functools":
        return "_from_" in fn.__qualname__
    if written_in(fn) in ("collections", "collections.abc", "_collections_abc"):
        return fn.__qualname__.partition(".")[0] in _CONTAINERS
    return is_user(fn)
