"""``checkpoint(f)``: `f`, of which a reverse sweep keeps little and runs parts again."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import MethodType
from typing import Any, TypeVar, overload

from adxform.frontend.derivative_operators import Operator, operator
from adxform.ir.spans import own_signature
from adxform.runtime.revolve import check_options

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, eq=False, repr=False)
class Checkpoint(Operator):
    """``checkpoint(f, …)``: called as `f` is."""

    checkpoint_steps: int | None = None
    max_memory: int | None = None

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """What the function returns."""
        return self.fn(*args, **kwargs)

    @property
    def __name__(self) -> str:
        name: str = getattr(self.fn, "__name__", type(self.fn).__name__)
        return name

    @property
    def __signature__(self) -> inspect.Signature:
        return own_signature(self.fn)

    def __repr__(self) -> str:
        given = {"checkpoint_steps": self.checkpoint_steps, "max_memory": self.max_memory}
        return f"checkpoint({self.__name__}{''.join(f', {key}={value}' for key, value in given.items() if value is not None)})"

    def __get__(self, instance: object, owner: type | None = None) -> Any:
        return self if instance is None else MethodType(self, instance)

    def __reduce__(self) -> str | tuple[Any, ...]:
        if getattr(sys.modules.get(self.__module__), self.__name__, None) is self:  # it took the place of the function
            return str(self.__name__)
        return partial(checkpoint, checkpoint_steps=self.checkpoint_steps, max_memory=self.max_memory), (self.fn,)


@overload
def checkpoint(f: F, /, *, checkpoint_steps: int | None = None, max_memory: int | None = None) -> F: ...


@overload
def checkpoint(f: None = None, /, *, checkpoint_steps: int | None = None, max_memory: int | None = None) -> Callable[[F], F]: ...


@operator("checkpoint", made=None)
def checkpoint(f: Any = None, /, *, checkpoint_steps: int | None = None, max_memory: int | None = None) -> Any:
    """`f`, of which a reverse sweep keeps the arguments only, and computes all else again; with or without parentheses.

    With `checkpoint_steps` the loops of `f` that are in no other loop keep that many of their states at once, or with
    `max_memory` as many as fit in that many bytes, and run iterations again from the nearest one. The number of times that an
    iteration runs grows with the logarithm of the number of iterations.

    Raises:
        OptionError: `checkpoint_steps` is less than one, or both it and `max_memory` are given.

    Source: Griewank and Walther, Algorithm 799: Revolve, ACM Transactions on Mathematical Software 26(1), 2000.

    >>> from adxform import grad
    >>> def orbit(x, steps):
    ...     for _ in range(steps):
    ...         x = 3.9 * x * (1.0 - x)
    ...     return x
    >>> bool(grad(checkpoint(orbit, checkpoint_steps=3))(0.3, 20) == grad(orbit)(0.3, 20))
    True
    """
    check_options(checkpoint_steps, max_memory)
    if f is None:
        return partial(checkpoint, checkpoint_steps=checkpoint_steps, max_memory=max_memory)
    made = Checkpoint("checkpoint", f, checkpoint_steps=checkpoint_steps, max_memory=max_memory)
    vars(made).update({name: getattr(f, name) for name in ("__module__", "__qualname__", "__doc__") if hasattr(f, name)})
    return made


def with_checkpoints(f: Callable[..., Any], checkpoint_steps: int | None, max_memory: int | None) -> Callable[..., Any]:
    """`f` itself where neither is given, else ``checkpoint(f, …)``."""
    if checkpoint_steps is None and max_memory is None:
        return f
    return checkpoint(f, checkpoint_steps=checkpoint_steps, max_memory=max_memory)
