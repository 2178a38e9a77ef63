"""Context managers as generated code enters them, and NumPy's floating point errors where a ``with`` lets them raise."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any

import numpy as np

from adxform.errors import UnsupportedOperationError


def special(value: Any, name: str) -> Any:
    """Return the method by which Python does something to `value`: that of its class, whatever the object itself has."""
    cls = type(value)
    found = inspect.getattr_static(cls, name)
    return found.__get__(value, cls) if hasattr(type(found), "__get__") else found


class entered:  # noqa: N801 - generated code reads as the user's does: `with runtime.entered(m) as f:`
    """`manager` as it is, but that it may not swallow an exception: what follows would run with values that nobody computed."""

    def __init__(self, manager: Any) -> None:
        self.manager = manager

    def __enter__(self) -> Any:
        return special(self.manager, "__enter__")()

    def __exit__(self, cls: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if special(self.manager, "__exit__")(cls, error, at) and error is not None:
            message = f"`__exit__` of a {type(self.manager).__name__} swallows a {type(error).__name__}"
            raise UnsupportedOperationError(message, help="test for what raises before it does") from error


def left() -> None:
    """Marks where a ``with`` ends."""


def instance(cls: Any, attributes: Mapping[str, Any]) -> Any:
    """Return an object of `cls` that has `attributes`, as its ``__init__`` has left it."""
    made = object.__new__(cls)
    for name, value in attributes.items():
        object.__setattr__(made, name, value)
    return made


def check_errors(kinds: tuple[str, ...], fn: Callable[..., Any], *args: Any, **kwargs: Any) -> None:
    """Raise the floating point errors of `kinds` that ``fn(*args, **kwargs)`` raises; nothing is written.

    Raises:
        FloatingPointError: there is one.
    """
    named = {key: value for key, value in kwargs.items() if key != "out"}
    with np.errstate(**{"all": "ignore", **dict.fromkeys(kinds, "raise")}):  # type: ignore[arg-type]
        fn(*copy.deepcopy(args), **named)


def check_errors_at(kinds: tuple[str, ...], fn: np.ufunc, x: Any, index: Any, value: Any) -> None:
    """As `check_errors` of ``fn(x[index], value)``."""
    check_errors(kinds, fn, x[index], value)
