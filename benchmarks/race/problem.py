"""What a problem of the race is: a user's function, its arguments, and its derivative as each contender writes it."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Literal

Function = Callable[..., Any]
Kind = Literal["gradient", "product", "blocks"]
NONE: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Problem:
    """A function of plain NumPy, and what is raced on it.

    `make` gives the arguments for a size, `tiny` is one for tests. `wrt` tells which are differentiated. The derivative is of
    one of three kinds: the `gradient`; the `product` of the Hessian with a vector, the last argument, which the function does
    not take; the `blocks` of a Jacobian, where each row of the arguments gives one row of two residuals: an array (n, 2, …) for
    each argument. `by_hand` is the derivative as a careful NumPy programmer writes it; `limit` the same as loops for Numba: a
    plain function of the same arguments, whose `exp`, `log` and kin, imported from `math`, become vector forms, and whose
    `prange` becomes Numba's where several threads are lent. `forms` has for each peer, by its name, what imports it and returns
    the function as its users write it, for `blocks` of one row. Systems that take NumPy code as it stands get `function` where
    they have no form of their own. `absent` tells why a peer does not take part.
    """

    name: str
    title: str
    function: Function
    make: Callable[[Any], tuple[Any, ...]]
    tiny: Any
    sizes: tuple[Any, ...]
    by_hand: Function
    limit: Function
    forms: Mapping[str, Callable[[], Function]] = field(default_factory=lambda: NONE)
    absent: Mapping[str, str] = field(default_factory=lambda: NONE)
    wrt: tuple[int, ...] = (0,)
    kind: Kind = "gradient"

    def point(self, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments that the function itself takes."""
        return arguments[:-1] if self.kind == "product" else arguments


def under(function: Function, module: str) -> Callable[[], Function]:
    """A form: the user's own code with that module in NumPy's place, which its users import as NumPy's equal."""
    return lambda: with_import(function, "np", importlib.import_module(module))


def with_import(f: Function, name: str, replacement: Any) -> Function:
    """`f` of a fresh copy of its module, in which a global is another one: what a user gets who changes an import."""
    spec = sys.modules[f.__module__].__spec__
    assert spec is not None, f.__module__
    assert spec.loader is not None, f.__module__
    copy = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(copy)
    setattr(copy, name, replacement)
    found: Function = getattr(copy, f.__name__)
    return found
