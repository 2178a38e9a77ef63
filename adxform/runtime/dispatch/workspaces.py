"""Workspaces: the buffers of a rule for one call. Those that no call is using lie in a pool.

One is made anew only where all are in use (recursion, threads) or where the lengths of the arguments have changed.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeGuard

import numpy as np

from adxform.ir.ops import Var
from adxform.ir.types import Array, Dim, Size, Stack
from adxform.runtime import BufferStack, GrowingBuffer, Tape, counters
from adxform.runtime.dispatch.buffered_rules import BufferedRule

Lengths = tuple[tuple[int, ...], ...]


@dataclass(slots=True)
class Workspace:
    """Memory for one call with arguments of these lengths."""

    rule: BufferedRule
    lengths: Lengths
    buffers: tuple[Any, ...]
    used: tuple[Tape | BufferStack, ...]
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
            return self.buffers
        buffers = list(self.buffers)
        for home, out in zip(self.rule.homes, outs, strict=True):
            if out is not None and out.flags.carray and self._takes(home, out):
                buffers[home] = out
        return buffers

    def given_one(self, home: int | None, out: Any) -> Sequence[Any]:
        """What the rule takes after its parameters where the memory `home` is to be `out`, laid out row by row, if it can be."""
        for space in self.used:
            space.clear()
        if not self._takes(home, out):
            return self.buffers
        buffers = list(self.buffers)
        buffers[home] = out
        return buffers

    def _takes(self, home: int | None, out: Any) -> TypeGuard[int]:
        if home is None:
            return False
        space = self.buffers[home]
        return type(space) is np.ndarray and space.shape == out.shape and space.dtype == out.dtype


@dataclass(frozen=True, slots=True)
class Pool:
    """The workspaces of one rule; safe to share between threads."""

    rule: BufferedRule
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


def made(rule: BufferedRule, inputs: Sequence[Any], lengths: Lengths) -> Workspace:
    """New memory for `rule` called with `inputs` of these `lengths`."""
    known: dict[str, int] = {}
    for param, value in zip(rule.params, inputs, strict=False):
        if isinstance(param.type, Array) and param.type.shape is not None:
            for size, length in zip(param.type.shape, value.shape, strict=True):
                if isinstance(size, Dim) and not size.offset:
                    known[size.base] = length
    buffers = tuple([space_for(space, known, space in rule.stacked) for space in rule.buffers])
    counters.count("buffer_allocs", len(buffers))
    return Workspace(rule, lengths, buffers, tuple([space for space in buffers if isinstance(space, Tape | BufferStack)]))


def space_for(space: Var, known: dict[str, int], stacked: bool) -> Any:
    """An array, a growing buffer or a stack of such, or a tape, by the type of `space`."""
    match space.type:
        case Stack():
            return Tape()
        case Array(dtype, None):
            return (BufferStack if stacked else GrowingBuffer)(np.dtype(dtype))
        case Array(dtype, tuple() as shape):
            return np.empty(tuple(length(size, known) for size in shape), dtype)
        case _:
            raise AssertionError(space)


def length(size: Size, known: dict[str, int]) -> int:
    """The length that `size` stands for."""
    return size if isinstance(size, int) else max(known[size.base] + size.offset, 0)
