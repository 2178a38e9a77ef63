"""How a program of the corpus states the points at which it is checked."""

from __future__ import annotations

import copy
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from tests.oracle import float_leaves

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class Point:
    """Arguments of a program, and its gradient where central differences cannot tell it (a kink, a masked pole)."""

    args: tuple[Any, ...]
    gradient: tuple[Any, ...] | None = None

    def fresh(self) -> tuple[Any, ...]:
        """Return a deep copy of the arguments, so that a program may do with them what it likes."""
        return copy.deepcopy(self.args)


@dataclass(frozen=True, slots=True)
class Program:
    """A function, its points, and the positions of the arguments it is differentiated by."""

    name: str
    function: Callable[..., Any]
    points: tuple[Point, ...]
    wrt: tuple[int, ...]
    raises: type[BaseException] | None = None


@dataclass(frozen=True, slots=True)
class _Checked:
    points: tuple[Point, ...]
    wrt: tuple[int, ...]
    raises: type[BaseException] | None


def at(
    *points: tuple[Any, ...],
    wrt: tuple[int, ...] | None = None,
    gradient: tuple[Any, ...] | None = None,
    raises: type[BaseException] | None = None,
) -> Callable[[F], F]:
    """Say at which argument tuples a program is checked. Returns the function itself.

    `wrt` defaults to every position whose first value holds a float. `gradient` (one array or float per position of
    `wrt`) takes the place of central differences. `raises`: the program raises this at every point.
    """
    active = wrt if wrt is not None else tuple(i for i, value in enumerate(points[0]) if float_leaves(value))

    def attach(function: F) -> F:
        function.__dict__["corpus"] = _Checked(tuple(Point(args, gradient) for args in points), active, raises)
        return function

    return attach


def programs_of(module: types.ModuleType) -> Iterator[Program]:
    """Yield the programs of a module of the corpus, in the order in which they are written."""
    for name, value in vars(module).items():
        checked = getattr(value, "__dict__", {}).get("corpus")
        if isinstance(checked, _Checked):
            program = f"{module.__name__.rpartition('.')[2]}.{name}"
            yield Program(program, value, checked.points, checked.wrt, checked.raises)


def vec(*values: float) -> NDArray[np.float64]:
    """Return a float64 vector."""
    return np.array(values, dtype=np.float64)


def smooth(*shape: int, seed: int = 0, low: float = 0.2, high: float = 1.8) -> NDArray[np.float64]:
    """Return an array of values in general position between `low` and `high`, the same ones in every run."""
    count = np.arange(int(np.prod(shape)), dtype=np.float64)
    unit = np.mod(0.5 + (count + 1.0) * 0.6180339887498949 + 0.37 * seed, 1.0)
    return (low + (high - low) * unit).reshape(shape)
