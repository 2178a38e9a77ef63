"""What generated code does to the caller's program, once for each call, where the statement of the primal stands."""

from __future__ import annotations

from types import ModuleType
from typing import Any


def set_outside(owner: Any, name: str, value: Any) -> None:
    """``owner.name = value`` of an object that is not the function's own, whose class has had its say."""
    if isinstance(owner, ModuleType):
        setattr(owner, name, value)
    else:
        object.__setattr__(owner, name, value)


def kept_outside(owner: Any, name: str, value: Any) -> Any:
    """``owner.name = value`` of an object that is not the function's own; returns `value`, a list or dict, as it is there."""
    set_outside(owner, name, value)
    return value


def computed(*values: Any) -> None:
    """What `values` took is done by here, or has raised: something outside is changed after it."""


def change_outside(owner: Any, method: str, *args: Any, **named: Any) -> Any:
    """``owner.method(*args, **named)`` of a list or dict that is not the function's own."""
    return getattr(owner, method)(*args, **named)


def fill_outside(owner: Any, name: str, value: Any) -> None:
    """``owner.name[...] = value`` of an array that is not the function's own, which was written to in a copy."""
    getattr(owner, name)[...] = value
