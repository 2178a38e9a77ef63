"""What a specialisation knows when it begins, of identities, and of the functions that are specialised on their own."""

from __future__ import annotations

from dataclasses import dataclass, field
from types import CodeType
from typing import Any

from adxform.frontend.evaluate.values import (
    FoundOutside,
    PlaceOutside,
)
from adxform.frontend.signature.access import Access
from adxform.ir.ops import Function, Lit, Var
from adxform.ir.spans import Span


@dataclass(slots=True)
class Knowledge:
    """What restarts have taught: which hidden values are known when compiling, which calls are recursive, what is set outside."""

    hidden: dict[Access, Lit] = field(default_factory=dict)
    recursive: dict[Any, None] = field(default_factory=dict)
    walked_again: dict[Span, None] = field(default_factory=dict)
    """Where generators are made of which a loop leaves some for later: they run from one item to the next."""
    put_again: bool = False
    """Whether objects may be in several places of lists of the run's length, from the first."""
    lengths: dict[tuple[Access, int], int] = field(default_factory=dict)
    """Of axes of hidden arrays."""
    places: dict[tuple[int, str], PlaceOutside] = field(default_factory=dict)
    containers: dict[int, FoundOutside] = field(default_factory=dict)
    follows_counters: bool = True
    """Whether a `Counter` that the function makes of counts is a dict, and no object of the run."""
    follows_new: bool = True
    """Whether the `__new__` of a class is followed, and its objects are not made by the run alone."""
    follows_deques: bool = False
    """Whether the items of deques that the function makes are known, and no object of the run."""
    writes_out: bool = False
    """Whether loops that fill lists are written out however long that gets, where the run need not count the items."""
    follows_structures: bool = True
    """Whether structured arrays that the function makes are sets of arrays, and no objects of the run."""
    follows_records: bool = True
    """Whether lists of dicts and objects may be of the run's length, and need not be known one by one."""
    knows_lengths: bool = False
    """Whether short lengths of arguments are known, as nothing else helped."""
    attends: bool = False
    """Whether exceptions are looked for wherever a context manager does something outside when it is left."""
    counted: set[Any] = field(default_factory=set)
    """Functions that call themselves more often than is written out, and are functions of their own for that alone."""
    writes_calls: bool = False
    """Whether their calls are all written out, as nothing else helped."""
    asked: set[CodeType] = field(default_factory=set)
    """The code of functions of packages that is read although they are given nothing that moves."""
    quiet: dict[tuple[Any, int], bool] = field(default_factory=dict)
    """Whether a method that tells what an attribute is changes nothing, by its function and its object."""
    takes_first_path: bool = False
    """Whether branches in code of packages are the side that the call at hand takes, as nothing else helped."""
    takes_all_paths: bool = False
    """Whether all paths in code of packages are followed however long that gets."""
    adds_keys: bool = True
    """Whether a dict with known keys gets new ones that only the run knows, and is no choice among those that it has."""


@dataclass(frozen=True, slots=True)
class Given:
    """The identity of a container in the arguments: the first one that is the same object has this number, if it is known.

    `keys` are those that it comes with.
    """

    number: int | None
    keys: tuple[Any, ...] = ()


@dataclass(slots=True)
class Helper:
    """A function being specialised on its own. `result` is what is known of its result so far, all of it when `settled`."""

    name: str
    template: Any
    params: tuple[Var, ...]
    result: Any = None
    function: Function | None = None
    free: tuple[Var, ...] = ()
    uses: list[Access] = field(default_factory=list)
    settled: bool = False
