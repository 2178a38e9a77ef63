"""Primitives of the IR itself that NumPy has no function for. Each runs as it reads; the emitter has syntax for most."""

from __future__ import annotations

from typing import Any


def accumulate(x: Any, index: Any, value: Any) -> None:
    """``x[index] += value`` for a basic index; ``x += value`` when `index` is ``...``."""
    x[index] += value


def deduct(x: Any, index: Any, value: Any) -> None:
    """``x[index] -= value`` for a basic index; ``x -= value`` when `index` is ``...``."""
    x[index] -= value


def dim(x: Any, axis: int) -> int:
    """``x.shape[axis]``"""
    size: int = x.shape[axis]
    return size


def new_stack() -> list[Any]:
    """``[]``, an empty tape."""
    return []


def push(stack: list[Any], value: Any) -> None:
    """``stack.append(value)``"""
    stack.append(value)


def pop(stack: list[Any]) -> Any:
    """``stack.pop()``"""
    return stack.pop()


def turning_point() -> None:
    """Marks where the forward sweep ends and the reverse sweep begins; prints as a comment."""
