"""What an iterator looked at when its first item was taken, where Python looks at one item after the other.

``it = itertools.islice(x, 1, 4)`` is the items that `x` has when the first of them is asked for; a change of `x` after that is
seen by whoever asks Python for the next one, and is refused here.
"""

from __future__ import annotations

from dataclasses import dataclass

from adxform.frontend.checks.shared_memory import changed_sources
from adxform.frontend.evaluate.control_flow import loop_trips
from adxform.frontend.evaluate.control_flow.meanwhile import written_since
from adxform.frontend.evaluate.objects.object_contents import AnyContents
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Once, Ref
from adxform.ir.build import Builder
from adxform.ir.ops import Op


@dataclass(frozen=True, slots=True)
class Opening:
    """The ops that looked at all items, where the next ones went, and what the lists held that were gone through."""

    looked_at: tuple[Op, ...]
    builder: Builder
    count: int
    held: tuple[tuple[Ref, AnyContents], ...]


def keep(interp: Interpreter, once: Once, builder: Builder, start: int) -> None:
    """Keep what `once` looks at in any case, by what was written to `builder` since `start`."""
    if once.early:
        held = tuple((ref, interp.heap.contents[ref]) for ref in loop_trips.lists_in(interp, once))
        once.openings[:] = [Opening(tuple(builder.ops[start:]), builder, len(builder.ops), held)]


def check(interp: Interpreter, once: Once) -> None:
    """Refuse a further item of `once` where what it looked at has changed since, or another block may have changed it."""
    for opening in once.openings:
        if any(interp.heap.contents[ref] is not contents for ref, contents in opening.held):
            raise _changed(interp)
        if opening.looked_at and interp.builder.last() is not opening.builder.last():
            message = "an iterator that was asked for items before is asked again in a branch or a loop"
            raise interp.error(message, "make a list of its items first: `list(…)`")
        since = written_since(opening.builder, opening.count)
        interp.to_check.apart += changed_sources(opening.looked_at, since, interp.span)


def _changed(interp: Interpreter) -> Exception:
    message = "a list is changed while an iterator goes through it"
    return interp.error(message, "make a list of the items first: `list(…)`")
