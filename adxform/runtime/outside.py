"""What generated code does to the caller's program, once for each call, where the statement of the primal stands."""

from __future__ import annotations

from typing import Any


def set_outside(owner: Any, name: str, value: Any) -> None:
    """``owner.name = value`` of an object that is not the function's own."""
    setattr(owner, name, value)


def change_outside(owner: Any, method: str, *args: Any) -> Any:
    """``owner.method(*args)`` of a list or dict that is not the function's own."""
    return getattr(owner, method)(*args)


def fill_outside(owner: Any, name: str, value: Any) -> None:
    """``owner.name[...] = value`` of an array that is not the function's own, which was written to in a copy."""
    getattr(owner, name)[...] = value
