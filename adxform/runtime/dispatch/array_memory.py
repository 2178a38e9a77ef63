"""The memory that a derived rule keeps between calls: one workspace for each call that is under way.

A `ReusingRule` is the emitted form of a function whose arrays have places (`passes.memory.kept_places`). A `Pool` lends it a
workspace, which it makes anew only where all are in use (recursion, threads) or where the lengths of the arguments have changed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeGuard

import numpy as np

from adxform.backends.protocol import Backend
from adxform.backends.python.emit import Generated, emit
from adxform.backends.python.free_names import Surroundings
from adxform.backends.python.loading import load
from adxform.backends.table import backend_of
from adxform.frontend.derivative_operators import PYTHON, Engine
from adxform.ir.ops import Block, Function, Var
from adxform.ir.types import Array, Dim, Size, Stack
from adxform.passes.memory.kept_places import Reusing, is_elementwise, reuse_memory
from adxform.passes.memory.place_sharing import share_places
from adxform.passes.scalar.dce import eliminate_dead_code
from adxform.primitives.alias import alias_classes
from adxform.runtime import Pages, Room, Tape, counters

Lengths = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class ReusingRule:
    """A generated function that takes its memory, `spaces`, after its own parameters.

    The lengths of `params`, its own parameters or those of the function that it is the later part of, are what memory is made by.
    Of the places, `pages` are `adxform.runtime.Pages`. `homes` says for each result which of `spaces` it is, if it is one.
    `contiguous`: it is only right for arguments that are.
    """

    generated: Generated
    run: Callable[..., Any]
    params: tuple[Var, ...]
    spaces: tuple[Var, ...]
    pages: tuple[Var, ...]
    homes: tuple[int | None, ...]
    contiguous: bool

    @property
    def only_results(self) -> bool:
        """Whether there is no memory but that of results."""
        return {home for home in self.homes if home is not None} == {*range(len(self.spaces))}

    def takes(self, inputs: Sequence[Any]) -> bool:
        """Whether `inputs` are laid out as they have to be."""
        return not self.contiguous or all(value.flags.c_contiguous for value in inputs if isinstance(value, np.ndarray))


def reusing(fn: Function, surroundings: Surroundings, engine: Engine, sure: Callable[..., Any] | None = None) -> ReusingRule:
    """`fn`, optimised typed IR, realised on `engine` so that it writes into memory that it is given.

    Where compiled code gives up, or what it assumes does not hold, `sure` runs, or else `fn` itself, which make their own.
    """
    backend = backend_of(engine)
    lowered = backend.lower(fn, engine)
    instead: Ahead | None = None
    if lowered.may_give_up or sure is not None:
        instead = Ahead(sure or load(emit(fn, surroundings=surroundings)), len(fn.params))
    found = reuse_memory(lowered.function)
    found = shared(replace(found, function=eliminate_dead_code(found.function)))
    return given_memory(fn, found, *backend.realise(lowered.with_function(found.function), surroundings, instead))


def reusing_later(
    joint: Function, ahead: Block, later: Block, tape: Sequence[Var], surroundings: Surroundings, backend: Backend
) -> ReusingRule:
    """The part `later` of `joint`, of which `ahead` is the other one, on `backend` in the form that writes into memory of others.

    It takes what lives across the cut, `tape`, of which it knows from the whole what may share memory.
    """
    whole = Block(joint.params, (*ahead.ops, *later.ops), later.results)
    found = shared(reuse_memory(replace(joint, body=whole), len(ahead.ops)))
    body = found.function.body
    body = replace(body, params=(*tape, *later.params, *found.spaces), ops=body.ops[len(ahead.ops) :])
    later_alone = replace(joint, body=body)
    lowered = backend.lower(later_alone, PYTHON)
    return given_memory(joint, found, *backend.realise(lowered, surroundings, aliases=alias_classes(found.function)))


def shared(found: Reusing) -> Reusing:
    """The same with fewer places: see `adxform.passes.memory.place_sharing`."""
    function, spaces = share_places(found.function, found.spaces, found.pages, is_elementwise)
    return replace(found, function=function, spaces=spaces)


def given_memory(fn: Function, found: Reusing, generated: Generated, run: Callable[..., Any]) -> ReusingRule:
    """The rule for `fn` that is what was `found`, of which `generated` is the source, run by `run`."""
    homes = tuple(found.spaces.index(result) if result in found.spaces else None for result in found.function.results)
    return ReusingRule(generated, run, fn.params, found.spaces, found.pages, homes, found.contiguous)


@dataclass(frozen=True, slots=True)
class Ahead:
    """Calls `run` with the first `count` of what it is given."""

    run: Callable[..., Any]
    count: int

    def __call__(self, *given: Any) -> Any:
        """What `run` returns."""
        return self.run(*given[: self.count])


@dataclass(slots=True)
class Workspace:
    """Memory for one call with arguments of these lengths."""

    rule: ReusingRule
    lengths: Lengths
    spaces: tuple[Any, ...]
    used: tuple[Tape | Pages, ...]
    vectors: dict[str, list[Any]] = field(default_factory=dict)

    def zeros(self, like: Sequence[Any], what: str = "vectors") -> list[Any]:
        """Zeros of the shapes and dtypes of arrays, and of the classes of numbers: those of the first time, for each `what`."""
        if what not in self.vectors:
            self.vectors[what] = [
                np.empty(value.shape, value.dtype) if isinstance(value, np.ndarray) else type(value)(0) for value in like
            ]
        for vector in self.vectors[what]:
            if isinstance(vector, np.ndarray):
                vector.fill(0)
        return self.vectors[what]

    def given(self, outs: Sequence[Any] = ()) -> Sequence[Any]:
        """What the rule takes for one run after its parameters.

        Of `outs`, an array or ``None`` for each result, those that can be are taken as the memory of that result.
        """
        for space in self.used:
            space.clear()
        if not outs:
            return self.spaces
        spaces = list(self.spaces)
        for home, out in zip(self.rule.homes, outs, strict=True):
            if out is not None and out.flags.carray and self._takes(home, out):
                spaces[home] = out
        return spaces

    def given_one(self, home: int | None, out: Any) -> Sequence[Any]:
        """What the rule takes after its parameters where the memory `home` is to be `out`, laid out row by row, if it can be."""
        for space in self.used:
            space.clear()
        if not self._takes(home, out):
            return self.spaces
        spaces = list(self.spaces)
        spaces[home] = out
        return spaces

    def _takes(self, home: int | None, out: Any) -> TypeGuard[int]:
        if home is None:
            return False
        space = self.spaces[home]
        return type(space) is np.ndarray and space.shape == out.shape and space.dtype == out.dtype


@dataclass(frozen=True, slots=True)
class Pool:
    """The workspaces of one rule; safe to share between threads."""

    rule: ReusingRule
    free: deque[Workspace] = field(default_factory=deque)

    def take(self, inputs: Sequence[Any]) -> Workspace:
        """A workspace for `inputs`, which may hold anything, until it is given back."""
        lengths = lengths_of(inputs)
        try:
            work = self.free.pop()
        except IndexError:
            return made(self.rule, inputs, lengths)
        return work if work.lengths == lengths else made(self.rule, inputs, lengths)

    def give_back(self, work: Workspace) -> None:
        """Keep `work` for another call."""
        self.free.append(work)


def lengths_of(inputs: Sequence[Any]) -> Lengths:
    """The shapes of the arrays among `inputs`."""
    ndarray = np.ndarray
    return tuple([value.shape for value in inputs if isinstance(value, ndarray)])


def made(rule: ReusingRule, inputs: Sequence[Any], lengths: Lengths) -> Workspace:
    """New memory for `rule` called with `inputs` of these `lengths`."""
    known: dict[str, int] = {}
    for param, value in zip(rule.params, inputs, strict=False):
        if isinstance(param.type, Array) and param.type.shape is not None:
            for size, length in zip(param.type.shape, value.shape, strict=True):
                if isinstance(size, Dim) and not size.offset:
                    known[size.base] = length
    spaces = tuple([space_for(space, known, space in rule.pages) for space in rule.spaces])
    counters.count("buffer_allocs", len(spaces))
    return Workspace(rule, lengths, spaces, tuple([space for space in spaces if isinstance(space, Tape | Pages)]))


def space_for(space: Var, known: dict[str, int], paged: bool) -> Any:
    """An array, a room or pages, or a tape, by the type of `space`."""
    match space.type:
        case Stack():
            return Tape()
        case Array(dtype, None):
            return (Pages if paged else Room)(np.dtype(dtype))
        case Array(dtype, tuple() as shape):
            return np.empty(tuple(length(size, known) for size in shape), dtype)
        case _:
            raise AssertionError(space)


def length(size: Size, known: dict[str, int]) -> int:
    """The length that `size` stands for."""
    return size if isinstance(size, int) else max(known[size.base] + size.offset, 0)
