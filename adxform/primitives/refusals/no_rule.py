"""What is recorded of a function through which no derivative is followed.

It has no derivative: a call of it runs as it is, and may do anything. What is refused is a derivative through it, and the error
says what stands here. Of what gives no numbers that float there is nothing to follow.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class NoRule:
    """Why no derivative is followed through `fn`, as the rest of a sentence about it, and the way out.

    `numbers`: it gives floats, so that there could be a derivative. `makes`: its result shares no memory with what it is given.
    `pure`: on known values it always gives the same and does nothing else.
    """

    fn: Callable[..., Any]
    why: str
    instead: str = ""
    numbers: bool = True
    makes: bool = False
    pure: bool = False


@dataclass(frozen=True, slots=True)
class Group:
    """Functions of one module that are refused for one reason, by `names`, of which versions may lack some; as of `NoRule`."""

    names: str
    why: str
    instead: str = ""

    def of(self, module: object) -> Iterator[NoRule]:
        """What is recorded of those that `module` has; without a way out they give no numbers."""
        for name in self.names.split():
            try:
                fn = operator.attrgetter(name)(module)
            except AttributeError:
                continue
            yield NoRule(fn, self.why, self.instead, numbers=bool(self.instead))


def by_function(refused: Iterable[NoRule]) -> dict[Callable[..., Any], NoRule]:
    """What is `refused`, by function; two reasons for one are an error.

    >>> by_function(iter((NoRule(abs, "is one"), NoRule(abs, "is another"))))
    Traceback (most recent call last):
    ...
    ValueError: two reasons for <built-in function abs>
    """
    found: dict[Callable[..., Any], NoRule] = {}
    for one in refused:
        if found.setdefault(one.fn, one) != one:
            raise ValueError(f"two reasons for {one.fn}")
    return found
