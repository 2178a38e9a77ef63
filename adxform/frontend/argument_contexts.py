"""Around an argument of a derivative: what it is there for, if not to be differentiated.

>>> from adxform import grad
>>> grad(lambda x, data: ((x - data) ** 2).sum())(np.array([1.0, 2.0]), constant(np.array([0.0, 5.0])))
array([ 2., -6.])
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

ContextKind = Literal["constant", "scratch"]


@dataclass(frozen=True, slots=True, eq=False)
class Context:
    """An argument, and what it is there for."""

    kind: ContextKind
    value: Any

    def __repr__(self) -> str:
        return f"{self.kind}({self.value!r})"


def constant(x: Any) -> Any:
    """`x`, an argument that is never differentiated: it has neither tangent nor cotangent, and `argnums` may not name it."""
    return Context("constant", x)


def scratch(buffer: Any) -> Any:
    """The array `buffer` as work space: a derivative may write to it, and takes no private copy of it.

    The function must write what it reads of it. What it holds after the call is undefined; it is not differentiated.
    """
    if not isinstance(buffer, np.ndarray) or not buffer.flags.writeable:
        raise TypeError("work space is an array that can be written to")
    return Context("scratch", buffer)


def bare(
    args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> tuple[tuple[Any, ...], dict[str, Any], dict[int | str, ContextKind]]:
    """The arguments of a call without contexts, and the context of each, by position or name, that had one."""
    kinds = dict(_kinds((*enumerate(args), *kwargs.items())))
    if not kinds:
        return args, dict(kwargs), kinds
    return tuple(map(_value, args)), {name: _value(arg) for name, arg in kwargs.items()}, kinds


def _kinds(named: tuple[tuple[int | str, Any], ...]) -> Iterator[tuple[int | str, ContextKind]]:
    return ((key, arg.kind) for key, arg in named if isinstance(arg, Context))


def _value(arg: Any) -> Any:
    return arg.value if isinstance(arg, Context) else arg
