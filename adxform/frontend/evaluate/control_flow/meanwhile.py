"""Refuses code that changes something and that the derivative runs ahead of code which may look there.

An iterator that is looked at before the walk over it runs its functions for all items at once, Python from item to item.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from adxform.analysis.unseen_code import OUTSIDE
from adxform.errors import AdxError
from adxform.frontend.evaluate.control_flow.templates import changed_objects
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Once
from adxform.ir.build import Builder
from adxform.ir.ops import Block, Call, Lit, Op
from adxform.ir.walk import all_ops, outs
from adxform.primitives.effects import writes
from adxform.primitives.table import record_called


@contextmanager
def changing_nothing(interp: Interpreter, what: str) -> Iterator[None]:
    """Refuse what changes something that was there before: `what` the code runs for all items at once."""
    since = Since(interp)
    yield
    if since.changed():
        raise since.error(what)


class Since:
    """What has been changed since this was made."""

    def __init__(self, interp: Interpreter) -> None:
        self.interp, self.builder, self.heap = interp, interp.builder.last(), interp.heap.copy()
        self.count = len(self.builder.ops)

    def changed(self) -> bool:
        """Whether anything was that was there before; one of several objects is looked up anew where it is read."""
        chosen = self.interp.heap.contents.chosen
        changed = [ref for ref in changed_objects(self.heap, [self.interp.heap]) if ref.cls is not Once and ref not in chosen]
        return bool(changed) or self.seen_outside()

    def seen_outside(self) -> bool:
        """Whether something outside was, or an array."""
        return changes(written_since(self.builder, self.count))

    def error(self, what: str) -> AdxError:
        """The error where `what` runs code that changes something."""
        message = f"code that `{what}` calls changes something, and is not called from item to item as Python does"
        return self.interp.error(message, "write the loop out: `for item in items: …`")


def changes(written: tuple[Op, ...]) -> bool:
    """Whether ops change something outside, or an array that none of them makes."""
    ops = list(all_ops(Block((), written, ())))
    return any(_changes_outside(op) for op in ops) or _writes(ops)


def written_since(builder: Builder, count: int) -> tuple[Op, ...]:
    """What was appended to `builder` since it had `count` ops, and to the blocks inside it that hold what comes now."""
    return (*builder.ops[count:], *_rest(builder))


def _rest(builder: Builder) -> Iterator[Op]:
    while builder.rest is not None:
        builder = builder.rest
        yield from builder.ops


def _changes_outside(op: Op) -> bool:
    return isinstance(op, Call) and isinstance(op.fn, Lit) and op.fn.value in OUTSIDE


def _writes(ops: list[Op]) -> bool:
    """Whether `ops` write to an array that none of them makes."""
    made = {out for op in ops if isinstance(op, Call) and _makes(op) for out in outs(op)}
    return any(var not in made for op in ops if isinstance(op, Call) for var in writes(op))


def _makes(op: Call) -> bool:
    record = record_called(op)
    return record is not None and record.fresh is not None
