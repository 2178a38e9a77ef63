"""Loops are tried one way and then another: where a specialisation stood, and lists that no way of the loop can fill."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TypeVar

from adxform.errors import AdxError, UnsupportedOperationError
from adxform.frontend.containers.list_kinds import of_one_kind
from adxform.frontend.evaluate.levels import TryLevel
from adxform.frontend.evaluate.objects.heap import Heap
from adxform.frontend.evaluate.signals import Grows
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Ref
from adxform.ir.build import Builder
from adxform.ir.spans import Span

UNROLL = 256
"""How many iterations of a loop are written out, one after the other."""

_LONG = 512
"""How many ops of a loop are written out where an array can hold the lists that it fills: each takes a millisecond to derive."""


@dataclass(slots=True)
class Standing:
    """Where a specialisation stands, to try a loop another way."""

    builder: Builder
    ops: int
    heap: Heap
    frames: int
    held: int
    level: TryLevel | None
    forks: int

    @classmethod
    def of(cls, interp: Interpreter) -> Standing:
        """Where it stands now."""
        level, ops = interp.level, len(interp.builder.last().ops)
        forks = 0 if level is None else len(level.forks)
        return cls(interp.builder, ops, interp.heap.copy(), len(interp.frames), len(interp.to_check.held), level, forks)

    def restore(self, interp: Interpreter) -> None:
        """Go back to there."""
        interp.builder, interp.level = self.builder, self.level
        if self.level is not None:
            self.level.rewind(self.forks)
        del interp.builder.last().ops[self.ops :]
        interp.heap = self.heap.copy()
        del interp.frames[self.frames :]
        del interp.to_check.held[self.held :]


_T = TypeVar("_T")


def before_choosing(interp: Interpreter, run: Callable[[], _T]) -> _T:
    """What `run` returns, a loop in some way: written out, places are known, and items are chosen only if nothing else does."""
    if not interp.loops.chooses or interp.refused is not None:
        return run()
    saved = Standing.of(interp)
    interp.loops.chooses = interp.loops.would_choose = False
    try:
        return run()
    except (UnsupportedOperationError, Grows):
        if not interp.loops.would_choose:
            raise
        saved.restore(interp)
    finally:
        interp.loops.chooses = True
    return run()


def collected(interp: Interpreter, reason: Exception, long: Callable[[], bool], collect: Callable[[Grows], _T]) -> _T | None:
    """What a loop carries that fills lists, as `collect` has it with arrays, where writing it out would be `long`.

    ``None`` where it is to be written out: it is short, or what it appends is known one by one only then.
    """
    if not isinstance(reason, Grows) or interp.knowledge.writes_out or not of_one_kind(reason.item):
        return None
    saved, collects = Standing.of(interp), interp.collects
    long_enough = long()
    saved.restore(interp)
    if not long_enough:
        return None
    interp.collects = True
    try:
        return collect(reason)
    except (UnsupportedOperationError, Grows):
        saved.restore(interp)
        interp.collects = collects
        return None


def is_long(ops: int) -> bool:
    """Whether it takes long to derive so many ops of a loop that is written out."""
    return ops > _LONG


def refuse_foreign(interp: Interpreter, reason: Exception, own: Iterable[Ref] = ()) -> None:
    """Pass on the growth of a list that a loop around this one is filling: of one that there was before this one."""
    if isinstance(reason, Grows) and reason.ref not in own and reason.ref in interp.heap.contents:
        filled = interp.filled(reason.ref)
        if filled is not None and not filled.done:
            raise reason


def uncountable(interp: Interpreter, growing: Grows, span: Span) -> AdxError:
    """The error where nobody can tell how many items a list has after a loop."""
    if growing.reason is not None:
        return growing.reason
    message = f"how many items this {growing.ref.cls.__name__} has after the loop cannot be told"
    return interp.error(message, "let all items be numbers, arrays of one shape, or tuples of those, or fill an array", span=span)
