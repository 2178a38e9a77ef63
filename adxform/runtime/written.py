"""Functions that write to their arguments, as functions of what these hold."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from adxform.errors import UnsupportedOperationError
from adxform.runtime.strides import private


@dataclass(frozen=True, slots=True)
class ContentsAfter:
    """What the arguments of `fn` at `places` hold after a call of it, which here writes to copies of them.

    >>> ContentsAfter(np.ndarray.sort, (0,))(np.array([2.0, 1.0]))
    array([1., 2.])
    """

    fn: Callable[..., Any]
    places: tuple[int, ...]

    @property
    def __name__(self) -> str:
        """That of the function."""
        return getattr(self.fn, "__name__", "function")

    def __call__(self, *args: Any, **named: Any) -> Any:
        """One array bare, several as a tuple, each of the shape of its argument."""
        given = [private(arg) if place in self.places else arg for place, arg in enumerate(args)]
        self.fn(*given, **named)
        found = tuple(given[place] for place in self.places)
        return found if len(found) > 1 else found[0]


def check_apart(written: Any, *others: Any) -> None:
    """See that the array `written`, to which a function with a rule writes, shares no memory with its other arguments.

    Raises:
        UnsupportedOperationError: it may: what such a call does depends on the order in which it reads and writes.
    """
    for other in others:
        if np.may_share_memory(written, other) and _share(written, other):
            message = "a function with a rule writes to an argument that shares memory with another argument"
            raise UnsupportedOperationError(message, help="pass a copy of the other one")


def _share(one: Any, other: Any) -> bool:
    try:
        return np.shares_memory(one, other, max_work=1_000)  # type: ignore[arg-type]  # the stubs know two numbers
    except np.exceptions.TooHardError:
        return True


def check_shape_set(x: Any, shape: Any) -> None:
    """Raise as ``x.shape = shape`` does where that is no view of `x`.

    >>> check_shape_set(np.zeros((2, 3)), 6)
    >>> check_shape_set(np.zeros((2, 3)).T, 6)
    Traceback (most recent call last):
    AttributeError: incompatible shape for in-place modification
    """
    if x.size and not np.may_share_memory(np.reshape(x, shape), x):
        raise AttributeError("incompatible shape for in-place modification")
