"""What a problem of the race is: a user's function, its arguments, and its derivative as each contender writes it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

Function = Callable[..., Any]
NONE: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Problem:
    """A function of plain NumPy, and what is raced on it.

    `make` gives the arguments for a size, `tiny` is one for tests. `wrt` tells which are differentiated. With `product` the
    last argument is a vector, which the function does not take, and the contenders compute the product of the Hessian with it.
    `by_hand` is the derivative as a careful NumPy programmer writes it; `limit` the same as loops for Numba: a plain function
    of the same arguments, whose `exp`, `log` and `tanh`, imported from `math`, become vector forms, and whose `prange` becomes
    Numba's where several threads are lent. `forms` has for each peer, by its name, a function that imports it and returns the
    user's function as its users write it; a name may have a comment after a comma. Systems that take NumPy code as it stands
    get `function` where they have no form of their own. `absent` tells why a peer does not take part.
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
    product: bool = False

    def point(self, arguments: tuple[Any, ...]) -> tuple[Any, ...]:
        """The arguments that the function itself takes."""
        return arguments[:-1] if self.product else arguments
