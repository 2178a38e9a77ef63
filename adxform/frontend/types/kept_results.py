"""Functions that return the same memory at each call: what one call returned is then gone after the next."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from adxform.frontend.types.samples import NoSample


class KeptMemory(NoSample):
    """A function returned, for other arguments, an array that it had returned before."""


@dataclass(frozen=True, slots=True)
class Repeated:
    """The function `fn` for samples, called twice. A memo gives other arrays for other numbers; a buffer does not."""

    fn: Callable[..., Any]

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What `fn` returns.

        Raises:
            KeptMemory: it returns the same memory again.
        """
        found = self.fn(*args, **kwargs)
        others = [_moved(arg) for arg in args]
        if all(other is arg for other, arg in zip(others, args, strict=True)):
            return found
        try:
            again = self.fn(*others, **kwargs)
        except Exception:  # these numbers are no sample
            return found
        given = list(_arrays((*args, *others)))
        for array in _arrays((found,)):
            shared = any(np.may_share_memory(array, other) for other in _arrays((again,)))
            if shared and not any(np.may_share_memory(array, arg) for arg in given):
                raise KeptMemory("it returns the same memory at each call")
        return found


def repeated(fn: Callable[..., Any]) -> Callable[..., Any]:
    """`fn` as `Repeated`, where it is a function of the user's."""
    return Repeated(fn) if isinstance(fn, types.FunctionType | types.MethodType) else fn


def _moved(arg: Any) -> Any:
    """`arg` with other numbers, where it holds floats."""
    is_float = isinstance(arg, float) or (isinstance(arg, np.ndarray | np.generic) and arg.dtype.kind == "f")
    return arg * np.asarray(0.999, np.asarray(arg).dtype) if is_float else arg


def _arrays(values: tuple[Any, ...]) -> Iterator[np.ndarray[Any, Any]]:
    """The arrays among `values`, and in tuples of them."""
    for value in values:
        if isinstance(value, np.ndarray):
            yield value
        elif isinstance(value, tuple):
            yield from _arrays(value)
