"""What a definition is: one record of a function by what it means in terms of others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any, NoReturn

from adxform.primitives.facets import Contracts


class Value(Enum):
    """What gives the value of a function that has a definition, which in any case tells how it moves."""

    DEFINED = auto()
    """The definition: bit for bit what the function gives."""
    OWN = auto()
    """Its own call."""
    IN_KERNELS = auto()
    """Its own call, and in kernels the definition, which differs in rounding only."""
    FOLLOWED = auto()
    """An object of adxform's own that stands for its result: it is made whatever is known of the arguments."""


def unsupported(message: str) -> NoReturn:
    """What a definition calls for a form that it does not cover, where the types of the arguments tell: a located error."""
    raise NotImplementedError(message)


@dataclass(frozen=True, slots=True)
class Definition:
    """`body` means what `fn` does, and is made of primitives and other definitions; the front end inlines it.

    `sequences`: it takes lists and tuples as they are; those that others are given become arrays first. `contracts`: the sum of
    products that it is, where it stays a call. `takes_out`: of its parameter ``out``, if it has one, that it writes to it; some
    versions of NumPy leave it as it was. `makes`: its result shares no memory with what it is given. `unsized`: its result is as
    long as the values of its arguments say. `only`: the values of parameters with which it holds, of which none means any that is
    written in the program; a call with others has no derivative. `result`: the type of its result, as of a `Primitive`, where
    samples do not tell it. `taken_with`: parameters that a rule of the same function does without; with one of
    them the definition is taken in its place; `where_unknown`: unless all of those that are given are known beforehand.
    `calls_back`: it is given functions of the program, followed where they can be. `interleaved`: it reads its other operands
    while it writes to ``out``, or to the first if it has none: where these share
    memory, the definition does not say what comes of it. `real`: it holds for real numbers; given complex ones, of which `fn`
    may compute what nobody means by it, a call has no derivative.
    """

    fn: Callable[..., Any]
    body: Callable[..., Any]
    value: Value = Value.DEFINED
    sequences: bool = False
    contracts: Contracts | None = None
    takes_out: bool = True
    makes: bool = False
    unsized: bool = False
    only: Mapping[str, tuple[Any, ...]] | None = None
    result: Any = None
    calls_back: bool = False
    interleaved: bool = False
    taken_with: tuple[str, ...] = ()
    where_unknown: bool = False
    real: bool = False


class StandIn:
    """What stands for an object of NumPy's that the function makes: nobody may ask of which class it is."""
