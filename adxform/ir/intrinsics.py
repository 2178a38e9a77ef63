"""Primitives of the IR itself that NumPy has no function for. Each runs as it reads; the emitter has syntax for most."""

from __future__ import annotations

from typing import Any

from adxform import runtime


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


def unpack(value: Any, count: int, starred: int | None = None) -> tuple[Any, ...]:
    """``runtime.unpacked(value, count, starred)``. Before specialisation only."""
    return runtime.unpacked(value, count, starred)


def set_global(name: str, value: Any) -> None:
    """``name = value`` under ``global name``. Before specialisation only."""
    raise AssertionError(name)


def chain(*parts: Any) -> tuple[Any, ...]:
    """``(*parts[0], *parts[1], …)``. Before specialisation only."""
    return tuple(item for part in parts for item in part)


def generator_begins() -> None:
    """Stands before the loops that make the items of a generator. Before specialisation only."""


def generator(items: Any, begins: Any) -> Any:
    """``iter(items)``, the items that the loops since `begins` have made. Before specialisation only."""
    return iter(items)


def searches(fn: Any, source: Any) -> bool:
    """Whether `fn` is `any` or `all`, and `source` an object that only a run goes through. Before specialisation only."""
    return fn in (any, all) and iter(source) is source


def merge(*parts: Any) -> dict[Any, Any]:
    """``{**parts[0], **parts[1], …}``. Before specialisation only."""
    merged: dict[Any, Any] = {}
    for part in parts:
        merged.update(part)
    return merged


def merge_named(*parts: Any) -> dict[str, Any]:
    """The arguments by name of ``f(**parts[0], **parts[1], …)``, none twice. Before specialisation only."""
    return dict(pair for part in parts for pair in part.items())


def apply(fn: Any, args: Any, kwargs: Any) -> Any:
    """``fn(*args, **kwargs)``. Before specialisation only."""
    return fn(*args, **kwargs)


def stop_gradient(x: Any) -> Any:
    """`x` itself, through which no derivative flows."""
    return x


def own(fn: Any, *args: Any, **kwargs: Any) -> Any:
    """``fn(*args, **kwargs)``, a value through which no derivative flows: see `valued`."""
    return fn(*args, **kwargs)


def valued(value: Any, movement: Any) -> Any:
    """`value`, which moves as `movement` does: a function's own result, with the derivative of its definition."""
    return value
