"""Loops written out, an iteration for each item, of which one may change the lists that are walked over."""

from __future__ import annotations

import operator
from dataclasses import dataclass, replace
from typing import Any

from adxform.errors import AdxError
from adxform.frontend.evaluate.above import Env
from adxform.frontend.evaluate.control_flow import iteration, loop_trips, walks
from adxform.frontend.evaluate.control_flow.attempts import branch
from adxform.frontend.evaluate.control_flow.branches import truth
from adxform.frontend.evaluate.control_flow.retries import UNROLL
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Once, Ref, Reversed, Value
from adxform.ir.ops import For, Lit, Operand


@dataclass(frozen=True, slots=True)
class Walk:
    """The items of `source`, from which the first `position` were taken, while the contents of the lists in it are `held`.

    Of an iterator `once`, other code may take some as well.
    """

    source: Value
    items: list[iteration.Place]
    held: tuple[tuple[Ref, Any], ...]
    position: int = 0
    once: Once | None = None

    @classmethod
    def over(
        cls, interp: Interpreter, source: Value, items: list[iteration.Place], once: Once | None = None, taken: int = 0
    ) -> Walk:
        """A walk over the `items` of `source`, which an iterator `once` goes through, of which some were `taken` before."""
        if once is not None:
            walks.record(interp, once, source, taken)
        held = tuple((ref, interp.heap.contents[ref]) for ref in loop_trips.lists_in(interp, source))
        return cls(source, items, held, taken, once)

    def next(self, interp: Interpreter) -> iteration.Place | None:
        """What gives the next item, which is taken now; ``None`` after the last."""
        if self.once is None:
            return self.items[self.position] if self.position < len(self.items) else None
        taken = walks.taken_of(interp, self.once)
        if taken is None or taken >= len(self.items):
            walks.leave(interp, self.once)
            return None
        walks.record(interp, self.once, self.source, taken + 1)
        return self.items[taken]

    def now(self, interp: Interpreter) -> Walk:
        """What is to be walked over after an iteration, which may have changed a list."""
        if all(interp.heap.contents[ref] is contents for ref, contents in self.held):
            return replace(self, position=self.position + 1)
        if any(ref.kind == "set" and interp.heap.contents[ref] is not contents for ref, contents in self.held):
            raise endless(interp)
        within = iteration.places_within(interp, self.source)
        items = iteration.known_places(interp, self.source) if within is None else within[0]
        backwards_or_keyed = any(ref.kind != "list" for ref, _ in self.held) or isinstance(self.source, Reversed)
        if items is None or len(items) > len(self.items) + UNROLL or (backwards_or_keyed and len(items) != len(self.items)):
            raise endless(interp)
        return replace(Walk.over(interp, self.source, items), position=self.position + 1, once=self.once)


def endless(interp: Interpreter) -> AdxError:
    """The error where a loop changes what it walks over."""
    return interp.error("a list is changed while a loop walks over it", "walk over a copy, as in `for … in list(…)`")


def unrolled(interp: Interpreter, op: For, walk: Walk, inits: list[Value], env: Env) -> list[Value]:
    """Run the body once for each item."""
    carried = inits
    while (item := walk.next(interp)) is not None:
        env.update(zip(op.body.params, (item(), *carried), strict=True))
        carried = interp.run_block(op.body, env)
        walk = walk.now(interp)
        if op.breaks:
            going, *carried = carried
            cond = truth(interp, going)
            if cond is False:
                break
            if cond is not True:
                return _go_on_if(interp, op, cond, walk, carried, env)
    return carried


def unrolled_within(interp: Interpreter, op: For, walk: Walk, limit: Value, carried: list[Value], env: Env) -> list[Value]:
    """Run the body once for each item, as long as there are fewer than `limit`."""
    if walk.position == len(walk.items):
        return carried
    hints = [out.base for out in op.outs]

    def go_on() -> list[Value]:
        env.update(zip(op.body.params, (walk.items[walk.position](), *carried), strict=True))
        found = interp.run_block(op.body, env)
        rest = walk.now(interp)
        if not op.breaks:
            return unrolled_within(interp, op, rest, limit, found, env)
        going, *found = found
        cond = truth(interp, going)
        if cond is False:
            return found
        if cond is True:
            return unrolled_within(interp, op, rest, limit, found, env)
        return branch(interp, cond, lambda: unrolled_within(interp, op, rest, limit, found, env), lambda: found, hints, op.span)

    there = truth(interp, interp.call(Lit(operator.gt), (limit, Lit(walk.position)), hint="has_more"))
    if isinstance(there, bool):
        return go_on() if there else carried
    return branch(interp, there, go_on, lambda: carried, hints, op.span)


def _go_on_if(interp: Interpreter, op: For, cond: Operand, rest: Walk, carried: list[Value], env: Env) -> list[Value]:
    hints = [out.base for out in op.outs]
    return branch(interp, cond, lambda: unrolled(interp, op, rest, carried, env), lambda: carried, hints, op.span)
