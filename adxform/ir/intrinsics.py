"""Primitives of the IR itself that NumPy has no function for. Each runs as it reads; the emitter has syntax for most."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

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


def generator(items: Any, begins: Any, searched: bool = False) -> Any:
    """``iter(items)``, the items that the loops since `begins` have made. Before specialisation only.

    ``any`` and ``all`` have `searched` it: they may leave some items.
    """
    return iter(items)


def new_generator(whole: Any, part: Any, *args: Any) -> Any:
    """A generator: functions of `args` for a walk to its end and for one that may be left. Before specialisation only."""
    raise NotImplementedError(whole, part, args)


def yielded(value: Any) -> bool:
    """Give `value` to whoever walks over the generator; whether the walk goes on. Before specialisation only."""
    raise NotImplementedError(value)


def takes_all(fn: Any) -> None:
    """Stands before a generator is run to its end for `fn`, which is a builtin by its name. Before specialisation only."""


def names_here(fn: Any, names: dict[str, Any]) -> Any:
    """What `fn` returns, which is `names` where it is the builtin ``locals``. Before specialisation only."""
    return names if fn is locals else fn()


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


def enter(manager: Any) -> Any:
    """``type(manager).__enter__(manager)``. Before specialisation only."""
    return type(manager).__enter__(manager)


def is_context_manager(decorator: Any) -> None:
    """Raise where the decorator of a generator that was written out is not `contextlib.contextmanager`."""
    if decorator is not contextlib.contextmanager:
        raise TypeError(decorator)


def leave(manager: Any, pending: bool, error: BaseException | None) -> None:
    """``type(manager).__exit__(manager, None, None, None)``, or with the exception that is `pending`.

    Before specialisation, where it is whether there still is one.
    """
    type(manager).__exit__(manager, type(error) if pending else None, error if pending else None, None)


def completes(names: tuple[str, ...], *values: Any) -> bool:
    """The condition that the first side of an `If` comes to its end: where it raises, the other one is given the exception.

    After it come the variables `names`, which had `values` before the first side, as they were then. Before specialisation only.
    """
    raise NotImplementedError


def inside(names: tuple[str, ...], *values: Any) -> bool:
    """As `completes`, where no more is done on the other side than to leave a manager. Before specialisation only."""
    raise NotImplementedError


def hands_on(names: tuple[str, ...]) -> bool:
    """As `completes`, where what was raised, and `names` as they were then, are results. Before specialisation only."""
    raise NotImplementedError


ATTEMPTS = (completes, inside, hands_on)


def bound(name: str, value: Any) -> None:
    """Marks where a variable gets its value that a handler may read. Before specialisation only."""


def raised_from(error: Any, cause: Any) -> BaseException:
    """What ``raise error from cause`` raises. Before specialisation only."""
    return runtime.raised_from(error, cause)


def is_handled(error: BaseException, classes: Any) -> bool:
    """Whether ``except classes`` is for `error`. Before specialisation only."""
    return runtime.is_caught(error, classes)


def local_class(made: Any, names: Any) -> type:
    """The class that stands where `made` says, of which `names` are what it is made of. Before specialisation only."""
    raise NotImplementedError(made)


class Cell:
    """A variable that several functions share and one of them assigns to. Before specialisation only."""

    contents: Any


def fill(cell: Cell, value: Any) -> None:
    """Assign to the variable that `cell` is. Before specialisation only."""
    cell.contents = value


def empty(cell: Cell) -> None:
    """Delete the variable that `cell` is. Before specialisation only."""
    del cell.contents


def held(cell: Cell, name: str, free: bool) -> Any:
    """The value of the variable `name` that `cell` is, of an outer function where it is `free`. Before specialisation only."""
    if not hasattr(cell, "contents"):
        raise missing_variable(name, free)
    return cell.contents


def missing_variable(name: str, free: bool) -> NameError:
    """What Python raises where the variable `name` has no value."""
    if free:
        return NameError(f"cannot access free variable '{name}' where it is not associated with a value in enclosing scope")
    return UnboundLocalError(f"cannot access local variable '{name}' where it is not associated with a value")


def is_value(value: Any, other: Any) -> Any:
    """``value == other``, of a pattern that is a value. Before specialisation only."""
    return value == other


def is_sequence(value: Any) -> bool:
    """Whether patterns of sequences may fit `value`. Before specialisation only."""
    return isinstance(value, Sequence) and not isinstance(value, str | bytes | bytearray)


def is_mapping(value: Any) -> bool:
    """Whether patterns of mappings may fit `value`. Before specialisation only."""
    return isinstance(value, Mapping)


def has_part(value: Any, cls: type, which: int | str) -> bool:
    """Whether `value` has what `part_of` gives. Before specialisation only."""
    name = part_name(cls, which)
    return name is None or hasattr(value, name)


def part_of(value: Any, cls: type, which: int | str) -> Any:
    """An attribute by its name, or its place in ``cls.__match_args__``; or `value` itself. Before specialisation only."""
    name = part_name(cls, which)
    return value if name is None else getattr(value, name)


def part_name(cls: Any, which: int | str) -> str | None:
    """The name of the attribute that a pattern of `cls` gives by its name, or its place; ``None`` of the object itself.

    Raises:
        TypeError: there are fewer places.
    """
    if isinstance(which, str):
        return which
    whole = (bool, bytearray, bytes, dict, float, frozenset, int, list, set, str, tuple)
    names: tuple[str, ...] | None = getattr(cls, "__match_args__", None)
    if names is None and issubclass(cls, whole) and which == 0:
        return None
    if names is None or which >= len(names):
        count = 0 if names is None else len(names)
        raise TypeError(f"{cls.__name__}() accepts {count} positional sub-patterns ({which + 1} given)")
    return names[which]


def dtype_of(number: Any) -> Any:
    """The dtype that NumPy gives an array of `number`. Before specialisation only."""
    return np.asarray(number).dtype


def widest(number: Any) -> Any:
    """`number` in the one dtype in which there is all that it may be, as compiled code has it. Before specialisation only."""
    return np.asarray(number)[()]


def only_read(view: Any) -> Any:
    """`view`, which NumPy has made read-only: a program that writes to it is refused. Before specialisation only."""
    return view


def stop_gradient(x: Any) -> Any:
    """`x` itself, through which no derivative flows."""
    return x


def own(fn: Any, *args: Any, **kwargs: Any) -> Any:
    """``fn(*args, **kwargs)``, a value through which no derivative flows: see `valued`."""
    return fn(*args, **kwargs)


def valued(value: Any, movement: Any) -> Any:
    """`value`, which moves as `movement` does: a function's own result, with the derivative of its definition."""
    return value
