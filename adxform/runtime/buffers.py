"""Memory that a derivative writes to again and again."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


class GrowingBuffer:
    """Memory for arrays of one dtype whose sizes differ from call to call: it grows and never shrinks."""

    def __init__(self, dtype: Any) -> None:
        self.memory = np.empty(0, dtype)

    def take(self, lengths: tuple[int, ...]) -> Any:
        """Return an array of these lengths."""
        size = math.prod(lengths)
        if self.memory.size < size:
            self.memory = np.empty(size, self.memory.dtype)
        return self.memory[:size].reshape(lengths)


class BufferStack:
    """Memory for arrays of one dtype that are in use one beside the other until it is cleared.

    >>> stack = BufferStack(np.float64)
    >>> a, b = allocate(stack, 2), allocate(stack, 2)
    >>> stack.clear()
    >>> np.may_share_memory(a, b), np.may_share_memory(a, allocate(stack, 2))
    (False, True)
    """

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        self.buffers: list[GrowingBuffer] = []
        self.used = 0

    def take(self, lengths: tuple[int, ...]) -> Any:
        """Return an array of these lengths."""
        if self.used == len(self.buffers):
            self.buffers.append(GrowingBuffer(self.dtype))
        self.used += 1
        return self.buffers[self.used - 1].take(lengths)

    def clear(self) -> None:
        """Let all of it be used again."""
        self.used = 0


def allocate(buffer: GrowingBuffer | BufferStack, shape: Any) -> Any:
    """Return an array of this shape in the memory of `buffer`, with whatever is there.

    >>> buffer = GrowingBuffer(np.float64)
    >>> allocate(buffer, (2, 3)).shape, buffer.memory.size, allocate(buffer, 4).shape, buffer.memory.size
    ((2, 3), 6, (4,), 6)
    """
    if isinstance(shape, tuple):
        return buffer.take(shape)
    return buffer.take((shape,) if isinstance(shape, int) else tuple(np.atleast_1d(shape).tolist()))  # an array, perhaps


def allocate_like(buffer: GrowingBuffer | BufferStack, *like: Any) -> Any:
    """Return an array of the shape that `like` broadcast to in the memory of `buffer`."""
    return buffer.take(np.broadcast_shapes(*[np.shape(value) for value in like]))


def allocate_product(buffer: GrowingBuffer | BufferStack, a: Any, b: Any) -> Any:
    """Return an array of the shape of ``a @ b`` in the memory of `buffer`."""
    left, right = np.shape(a), np.shape(b)
    lead = np.broadcast_shapes(left[:-2], right[:-2])
    return buffer.take((*lead, *left[-2:-1], *(right[-1:] if len(right) > 1 else ())))


class Tape:
    """A stack of arrays, copied when they are pushed into memory that is kept for the next time.

    >>> tape = Tape()
    >>> tape.append(np.ones(2))
    >>> tape.pop()
    array([1., 1.])
    """

    def __init__(self) -> None:
        self.memory: list[Any] = []
        self.values: list[Any] = []

    def append(self, value: Any) -> None:
        """Push a copy of `value`, an array; anything else as it is."""
        depth = len(self.values)
        if depth == len(self.memory):
            self.memory.append(None)
        if isinstance(value, np.ndarray):
            slot = self.memory[depth]
            if slot is None or slot.shape != value.shape or slot.dtype != value.dtype:
                slot = self.memory[depth] = np.empty_like(value)
            slot[...] = value
            value = slot
        self.values.append(value)

    def pop(self) -> Any:
        """Take the last value off; its memory is good until the next push."""
        return self.values.pop()

    def clear(self) -> None:
        """Empty the tape, and keep its memory."""
        self.values.clear()
