"""Calls of user functions that are being run, and parts of them in which exceptions are looked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from adxform.frontend.evaluate.objects.heap import Heap
from adxform.frontend.evaluate.signals import HeldAnew
from adxform.frontend.evaluate.values import Namespace, Ref, Value
from adxform.ir.build import Builder
from adxform.ir.ops import Function, Operand, Var


@dataclass(frozen=True, slots=True)
class Frame:
    """The call of a user function that is being run; of the body of a generator, what `give` does with an item."""

    fn: Function
    captured: dict[str, Value]
    scope: Namespace | None
    key: Any = None
    give: Callable[[Value], Value] | None = None


@dataclass(slots=True)
class TryFork:
    """A place where an exception may end a path: what comes after it in the block of `outer` runs where `raised` is false.

    `marks` are the variables of the ``try`` there, `heap` what objects hold; `before` are those that there were before the
    ``try``.
    """

    outer: Builder
    raised: Operand
    error: Var
    marks: dict[str, Value]
    heap: Heap
    before: frozenset[Ref]


@dataclass(slots=True)
class TryLevel:
    """A part of the program in which exceptions are looked for, of the call `frame`: a ``try``, or a block inside of one.

    `marks` are the variables that handlers may read, as they are now; `wanted` the classes that some handler around is for;
    `before` the objects that there were when it began;
    `forks` the places passed so far where an exception may end it. What a walk over a generator assigns of the variables an
    object has meanwhile, `meanwhile`: the code of the generator, which runs in between, joins its contents as those of others.
    `anew` are lists and dicts made in it, by the place of each among the objects, that have to be held another way from there on.
    """

    frame: Frame | None
    marks: dict[str, Value]
    wanted: tuple[type[BaseException], ...]
    before: frozenset[Ref] = frozenset()
    forks: list[TryFork] = field(default_factory=list)
    meanwhile: Ref | None = None
    anew: dict[int, HeldAnew] = field(default_factory=dict)

    def variables(self, heap: Heap) -> dict[str, Value]:
        """The variables that handlers may read, where objects hold what they do in `heap`."""
        if self.meanwhile is None:
            return dict(self.marks)
        contents: Any = heap.contents[self.meanwhile]
        return dict(zip(self.marks, contents.items, strict=True))

    def rewind(self, count: int) -> None:
        """Forget all forks but the first `count`."""
        for fork in self.forks[count:]:
            fork.outer.rest = None
        del self.forks[count:]


@contextmanager
def unwatched(interp: Any) -> Iterator[None]:
    """Write what raises nothing, whatever is looked for around it."""
    level, interp.level = interp.level, None
    try:
        yield
    finally:
        interp.level = level
