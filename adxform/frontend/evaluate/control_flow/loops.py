"""Loops over items: one by one where the items are known, else counted, with carried values."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from adxform.errors import UnsupportedOperationError
from adxform.frontend.checks.shared_memory import changed_sources
from adxform.frontend.containers import list_arrays
from adxform.frontend.evaluate.above import Env
from adxform.frontend.evaluate.control_flow import alike_lists, generators, iteration, loop_trips, suspended, walks
from adxform.frontend.evaluate.control_flow.attempted_loops import for_handing_on, hands_on, only_raises
from adxform.frontend.evaluate.control_flow.attempts import branch, received
from adxform.frontend.evaluate.control_flow.branches import as_bool, truth
from adxform.frontend.evaluate.control_flow.fixpoint import find_fixpoint
from adxform.frontend.evaluate.control_flow.loop_trips import Trip
from adxform.frontend.evaluate.control_flow.one_of_several import values_on_each
from adxform.frontend.evaluate.control_flow.retries import (
    UNROLL,
    Standing,
    before_choosing,
    collected,
    is_long,
    refuse_foreign,
    uncountable,
)
from adxform.frontend.evaluate.control_flow.unrolled_loops import Walk, endless, unrolled, unrolled_within
from adxform.frontend.evaluate.control_flow.while_loops import Turns, run_turns
from adxform.frontend.evaluate.objects.heap import Heap
from adxform.frontend.evaluate.objects.object_contents import Collected, Contents
from adxform.frontend.evaluate.signals import Grows, Lost, Promote
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.survey import one_way
from adxform.frontend.evaluate.values import Once, OneOf, Range, Ref, Reversed, Value
from adxform.ir.ops import UNDEFINED, For, Lit, Operand, Pack, Var
from adxform.ir.types import Array, Dim, Size

_NESTED = 4096
"""How many iterations of loops within loops are: a statement of each takes a millisecond to derive."""


_WRITTEN_OUT = 16
"""How many iterations are, of a loop over what only a run goes through and a sequence whose items are known one by one, or of one
that fills a list in a ``try``."""


def run_for(interp: Interpreter, op: For, env: Env) -> None:
    """Run a `For`: item by item where the items are known, else as a loop."""
    if interp.level is not None and not hands_on(op.body):
        inner, names = for_handing_on(interp, op)
        run_for(interp, inner, env)
        env.update(zip(op.outs, received(interp, names, [env[out] for out in inner.outs]), strict=True))
        return
    given = interp.there(interp.use(interp.value(op.source[0], env)))
    if isinstance(given, OneOf):
        outs = values_on_each(interp, given, lambda one: _outs(interp, op, one, env), [out.base for out in op.outs])
    else:
        outs = _outs(interp, op, given, env)
    env.update(zip(op.outs, outs, strict=True))


def _outs(interp: Interpreter, op: For, given: Value, env: Env) -> list[Value]:
    """What a loop over what is `given` ends with."""
    start = len(interp.builder.ops)
    given = walks.iterated(interp, given)
    once = given if isinstance(given, Once) else None
    if once is not None and once.generator is not None:
        return _over_generator(interp, op, once, env)
    source, taken = (given, 0) if once is None else walks.begun(interp, once, "some" if op.breaks else "all")
    source = loop_trips.stream(interp, source)
    looked_at = interp.builder.ops[start:]
    held = [(ref, interp.heap.contents[ref]) for ref in loop_trips.lists_in(interp, given)] if once is not None else []
    start = len(interp.builder.ops)
    inits = [interp.value(init, env) for init in op.inits]
    interp.loops.walking.append(loop_trips.lists_in(interp, source))
    try:
        outs = _over_items(interp, op, source, once, taken, inits, env)
    finally:
        interp.loops.walking.pop()
    if once is not None and once.early:
        if any(interp.heap.contents[ref] is not contents for ref, contents in held):
            raise endless(interp)
        interp.to_check.apart += changed_sources(looked_at, interp.builder.ops[start:], op.span)
    return outs


def _over_items(
    interp: Interpreter, op: For, source: Value, once: Once | None, taken: int, inits: list[Value], env: Env
) -> list[Value]:
    """Run a loop over what is no generator, of which some items were `taken` before."""
    goes_through = loop_trips.has_stream(source)
    within = None if goes_through else iteration.places_within(interp, source)
    items = None if goes_through or within is not None else iteration.known_places(interp, source)
    if isinstance(source, Range) and not op.breaks and iteration.literal_trips(interp, source) == 1:
        items = [partial(iteration.item_at, interp, source, Lit(0))]  # it is its body
    if items is not None:
        outs = unrolled(interp, op, Walk.over(interp, source, items, once, taken), inits, env)
    else:
        if taken:
            source = walks.after(interp, source, taken)
        if goes_through:
            outs = _through(interp, op, source, inits, env)
        elif within is not None:
            outs = unrolled_within(interp, op, Walk.over(interp, source, within[0]), within[1], inits, env)
        else:
            outs = _dynamic_for(interp, op, source, inits, env, once)
        if once is not None:
            walks.leave(interp, once, walks.LEFT if op.breaks else "")
    return outs


def _over_generator(interp: Interpreter, op: For, once: Once, env: Env) -> list[Value]:
    """Run a loop over a generator: its body runs wherever that gives an item."""

    def step(item: Value, carried: list[Value]) -> tuple[Value, list[Value]]:
        env.update(zip(op.body.params, (item, *carried), strict=True))
        found = interp.run_block(op.body, env)
        return (found[0], found[1:]) if op.breaks else (Lit(True), found)

    inits = [interp.value(init, env) for init in op.inits]
    assert once.generator is not None
    if suspended.stands(interp, once) or (op.breaks and once.generator.whole.fn.span in interp.knowledge.walked_again):
        return _over_the_rest(interp, op, once, step, inits)
    return generators.walk(interp, once, inits, [out.base for out in op.outs], step, leaves=op.breaks)


def _over_the_rest(interp: Interpreter, op: For, once: Once, step: generators.Step, inits: list[Value]) -> list[Value]:
    """Run a loop over a generator that runs from one item to the next, and stays there when the loop leaves it."""

    def following() -> list[Value]:
        item = suspended.advance(interp, once, sure=False)
        return [Lit(False), UNDEFINED] if item is None else [Lit(True), item]

    def turn(carried: list[Value]) -> list[Value]:
        going, found = step(carried[1], carried[2:])
        cond = truth(interp, going)
        if isinstance(cond, bool):
            return [*(following() if cond else (Lit(False), UNDEFINED)), *found]
        over: list[Value] = [Lit(False), UNDEFINED]
        return [*branch(interp, cond, following, lambda: over, ["going", op.body.params[0].base], op.span), *found]

    hints = ["going", op.body.params[0].base, *(out.base for out in op.outs)]
    turns = Turns(hints, lambda carried: carried[0], turn, op.span)
    return run_turns(interp, turns, [*following(), *inits])[2:]


def _through(interp: Interpreter, op: For, source: Value, inits: list[Value], env: Env) -> list[Value]:
    """Run a loop over what only a run goes through, item by item."""
    asked, most = loop_trips.turns(interp, source)
    walked = loop_trips.lists_in(interp, source)
    held = [loop_trips.seen_of(interp, ref) for ref in walked]
    hints = [out.base for out in op.outs]

    def more(k: Value, going: Value, questions: Sequence[loop_trips.More]) -> Value:
        cond = truth(interp, going)
        if cond is False or not questions:
            return as_bool(interp, cond)

        def go_on() -> list[Value]:
            return [more(k, questions[0](k), questions[1:])]

        return go_on()[0] if cond is True else branch(interp, cond, go_on, lambda: [Lit(False)], ["more"], op.span)[0]

    def once(k: Value, carried: list[Value]) -> tuple[Value, list[Value]]:
        env.update(zip(op.body.params, (iteration.item_at(interp, source, k), *carried), strict=True))
        found = interp.run_block(op.body, env)
        if any(loop_trips.seen_of(interp, ref) is not contents for ref, contents in zip(walked, held, strict=True)):
            raise endless(interp)
        return (found[0], found[1:]) if op.breaks else (Lit(True), found)

    def written_out(k: int, going: Value, carried: list[Value]) -> list[Value]:
        cond = truth(interp, more(Lit(k), going, asked))
        if cond is False:
            return carried
        if cond is True:
            return written_out(k + 1, *once(Lit(k), carried))
        return branch(interp, cond, lambda: written_out(k + 1, *once(Lit(k), carried)), lambda: carried, hints, op.span)

    if most is not None:
        if most > _WRITTEN_OUT:
            message = "`zip` of a sequence of known length with one whose length only a run can tell"
            raise interp.error(message, "make both lists of numbers, or index one of them")
        return written_out(0, Lit(True), inits)

    def turn(carried: list[Value]) -> list[Value]:
        k, _, *rest = carried
        going, found = once(k, rest)
        return [iteration.add(interp, k, Lit(1)), going, *found]

    turns = Turns(["k", "going", *hints], lambda carried: more(carried[0], carried[1], asked), turn, op.span)
    return run_turns(interp, turns, [Lit(0), Lit(True), *inits])[2:]


def _dynamic_for(interp: Interpreter, op: For, source: Value, inits: list[Value], env: Env, once: Once | None) -> list[Value]:
    """Run a loop in the first of its ways that can be followed."""
    trips = iteration.literal_trips(interp, source)
    if trips is None or trips > UNROLL or trips * interp.loops.unrolled > _NESTED:
        interp.loops.deciding.append(loop_trips.deciding(interp, source) if trips is None else frozenset())
        try:
            return _counted_or_not(interp, op, source, inits, env, once)
        finally:
            interp.loops.deciding.pop()
    return before_choosing(interp, lambda: _counted_or_not(interp, op, source, inits, env, once))


def _counted_or_not(interp: Interpreter, op: For, source: Value, inits: list[Value], env: Env, once: Once | None) -> list[Value]:
    saved = Standing.of(interp)
    try:
        with one_way(interp):
            return _loop(interp, op, source, inits, env)
    except Lost:
        saved.restore(interp)
        return _loop(interp, op, source, inits, env)
    except (UnsupportedOperationError, Grows) as reason:
        saved.restore(interp)
        refuse_foreign(interp, reason)
        trips = iteration.literal_trips(interp, source)
        if trips is None or trips > UNROLL or trips * interp.loops.unrolled > _NESTED or _grows_early(op, reason, trips):
            if isinstance(reason, Grows):
                return _collecting(interp, op, source, inits, env, reason)
            params = loop_trips.deciding(interp, source)
            if trips is None and params:
                raise Promote(params) from None
            if interp.refused is not None:
                return _loop(interp, op, source, inits, env)
            raise
        items: list[iteration.Place] = [partial(iteration.item_at, interp, source, Lit(k)) for k in range(trips)]

        def long() -> bool:
            return is_long(trips * _ops_of_one(interp, op, items, inits, env))

        filled = collected(interp, reason, long, partial(_collecting, interp, op, source, inits, env))
        if filled is not None:
            return filled
        interp.loops.unrolled *= max(trips, 1)
        try:
            return unrolled(interp, op, Walk.over(interp, source, items, once), inits, env)
        finally:
            interp.loops.unrolled //= max(trips, 1)


def _grows_early(op: For, reason: Exception, trips: int) -> bool:
    """Whether what grows in a loop of so many iterations is collected at once, and not written out first."""
    if not isinstance(reason, Grows):
        return False
    left = op.breaks and not (trips <= _WRITTEN_OUT and only_raises(op.body))
    of_objects = reason.of_objects and (op.breaks or not reason.regular)
    return bool(reason.together) or (left and reason.item.type is not None) or of_objects


def _ops_of_one(interp: Interpreter, op: For, items: list[iteration.Place], inits: list[Value], env: Env) -> int:
    """How many ops one iteration is, written out."""
    start = len(interp.builder.last().ops)
    with one_way(interp), suppress(UnsupportedOperationError, Grows, Lost):
        env.update(zip(op.body.params, (items[0](), *inits), strict=True))
        interp.run_block(op.body, env)
    return len(interp.builder.last().ops) - start if items else 0


def _collecting(interp: Interpreter, op: For, source: Value, inits: list[Value], env: Env, growing: Grows) -> list[Value]:
    """Run a loop that fills lists."""
    fills: dict[Ref, Collected] = {}
    while True:
        _hold_growing(interp, op, source, growing, fills)
        saved = Standing.of(interp)
        interp.heap.contents.update({ref: contents for ref, contents in fills.items() if contents.counted})
        try:
            values = _loop(interp, op, source, inits, env, fills)
        except Grows as another:
            saved.restore(interp)
            refuse_foreign(interp, another, fills)
            growing = another
            continue
        for ref, contents in fills.items():
            held: Any = interp.heap.contents[ref] if contents.counted else contents
            interp.heap.contents[ref] = list_arrays.finished(interp, held, counted=contents.counted)
        return values


def _hold_growing(interp: Interpreter, op: For, source: Value, growing: Grows, fills: dict[Ref, Collected]) -> None:
    """Hold a list that a loop fills in a way that lets it: as one of `fills`, as the rows of an array, or as many lists."""
    ref = growing.ref
    known = growing.item.type is not None and isinstance(interp.heap.contents.get(ref), Contents)
    counted = op.breaks or not growing.regular
    tried = fills.pop(ref, None)
    known = known and not growing.rebound and not (tried is not None and tried.counted)
    contents = list_arrays.start(interp, growing, source, counted=counted) if known else None
    if contents is not None:
        fills[ref] = contents
        return
    if list_arrays.as_list_of_rows(interp, growing):
        return
    of_lists = growing.family or growing.uneven or (growing.of_objects and counted)
    if of_lists and alike_lists.holds_lists(interp, growing):
        return
    params = loop_trips.deciding(interp, source)
    if params:
        raise Promote(params)
    if not alike_lists.holds_lists(interp, growing):
        raise uncountable(interp, growing, op.span)


def _loop(
    interp: Interpreter,
    op: For,
    source: Value,
    inits: list[Value],
    env: Env,
    fills: dict[Ref, Collected] | None = None,
    rest: Trip | None = None,
) -> list[Value]:
    """Write a loop; or the `rest` of it, after the first iteration."""
    saved = Standing.of(interp) if rest is None and not fills and not op.breaks else None
    trip = rest or loop_trips.trip(interp, source, op.body.params[0].base)

    walked = loop_trips.lists_in(interp, source)

    def step(carried: list[Value], own: tuple[Var, ...]) -> tuple[list[Value], list[Operand]]:
        (index,) = own
        _note_range(interp, trip, index)
        held = [loop_trips.seen_of(interp, ref) for ref in walked]
        start = _first_iteration(interp, source, index) if regular else index
        for ref, contents in regular.items():
            here = replace(contents, count=iteration.add(interp, start, contents.count))
            interp.heap.contents[ref] = here
        env.update(zip(op.body.params, (trip.item(index), *carried), strict=True))
        results = interp.run_block(op.body, env)
        if any(loop_trips.seen_of(interp, ref) is not contents for ref, contents in zip(walked, held, strict=True)):
            raise endless(interp)
        for ref, contents in regular.items():
            _check_one_item(interp, ref, contents, start_heap)
            interp.heap.contents[ref] = kept[ref]
        if not op.breaks:
            return results, []
        going = truth(interp, results[0])
        return results[1:], [Lit(going) if isinstance(going, bool) else going]

    regular = {ref: contents for ref, contents in (fills or {}).items() if not contents.counted}
    counted = [ref for ref, contents in (fills or {}).items() if contents.counted]
    kept, start_heap = {ref: interp.heap.contents[ref] for ref in regular}, interp.heap
    hints = [param.base for param in op.body.params[1:]]
    fixed = find_fixpoint(interp, inits, hints, step, counted, (trip.hint, trip.type))
    if any(isinstance(out.type, Array) and out.type.shape is None for out in fixed.outs):
        interp.loops.of_unknown_rank |= loop_trips.deciding(interp, source)
        if saved is not None and iteration.literal_trips(interp, source):
            saved.restore(interp)
            return _after_the_first(interp, op, source, trip, inits, env)
    breaks = op.breaks and fixed.conditions != (Lit(True),)
    conditions = fixed.conditions if breaks else ()
    block = fixed.builder.block((*fixed.own, *fixed.params), (*conditions, *fixed.yields))
    interp.builder.emit(For(fixed.outs, (trip.start, trip.stop, trip.step), fixed.inits, block, breaks, op.span))
    ends = dict(zip(fixed.outs, zip(fixed.inits, fixed.yields, strict=True), strict=True))
    return [_if_any_iteration(interp, source) if _set_by_an_iteration(value, ends) else value for value in fixed.values]


def _after_the_first(interp: Interpreter, op: For, source: Value, trip: Trip, inits: list[Value], env: Env) -> list[Value]:
    """Write the first iteration, and a loop over the others: a sum begins with a number, and is an array from there on."""
    env.update(zip(op.body.params, (trip.item(trip.start), *inits), strict=True))
    results = interp.run_block(op.body, env)
    if iteration.literal_trips(interp, source) == 1:
        return results
    assert not isinstance(trip.start, Pack)
    assert not isinstance(trip.step, Pack)
    second = interp.operand(iteration.add(interp, trip.start, trip.step))
    return _loop(interp, op, source, results, env, rest=replace(trip, start=second))


def _set_by_an_iteration(value: Value, ends: Mapping[Var, tuple[Operand, Operand]]) -> bool:
    """Whether `value` is a condition, false before the loop, that every iteration makes true: that a name has a value."""
    return isinstance(value, Var) and ends.get(value) == (Lit(False), Lit(True))


def _if_any_iteration(interp: Interpreter, source: Value) -> Value:
    """Whether a loop over `source` has an iteration."""
    if iteration.is_endless(source):
        return Lit(True)
    return interp.call(Lit(operator.gt), (iteration.length(interp, source), Lit(0)), hint="is_defined")


def _note_range(interp: Interpreter, trip: Trip, index: Var) -> None:
    """Note below which length the index of a loop is, where it is not negative."""

    def size(end: Operand) -> Size | None:
        return interp.integers.sizes.get(end) if isinstance(end, Var) else end.value if isinstance(end, Lit) else None

    match trip:
        case Trip(Lit(int() as start), stop, Lit(int() as step)) if start >= 0 and step > 0:
            bound = size(stop)
        case Trip(start, Lit(-1), Lit(-1)):
            last = size(start)
            bound = Dim(last.base, last.offset + 1) if isinstance(last, Dim) else last
        case _:
            bound = None
    if bound is not None:
        interp.integers.within[index] = bound


def reduce_loop(interp: Interpreter, source: Value, start: Value, step: Callable[[Value, Value], Value], hint: str) -> Value:
    """Carry one value over the items of `source`, in a loop."""
    if iteration.is_endless(source):
        iteration.length(interp, source)  # says that it has none
    trip = loop_trips.trip(interp, source, "i")

    def once(carried: list[Value], own: tuple[Var, ...]) -> tuple[list[Value], list[Operand]]:
        _note_range(interp, trip, own[0])
        return [step(carried[0], trip.item(own[0]))], []

    fixed = find_fixpoint(interp, [start], [hint], once, index=(trip.hint, trip.type))
    block = fixed.builder.block((*fixed.own, *fixed.params), fixed.yields)
    interp.builder.emit(For(fixed.outs, (trip.start, trip.stop, trip.step), fixed.inits, block, False, interp.span))
    return fixed.values[0]


def _check_one_item(interp: Interpreter, ref: Ref, contents: Collected, start: Heap) -> None:
    """See that an iteration has put one item into a list that holds `contents`, not one that was there at the `start`."""
    now: Any = interp.heap.contents[ref]
    one_more = isinstance(now, Collected) and now.passed == contents.passed + 1
    if not one_more or any(one in start.contents for one in now.copied - contents.copied):
        raise list_arrays.irregular(ref, contents)


def _first_iteration(interp: Interpreter, source: Value, index: Var) -> Value:
    """How many iterations came before the one with `index`."""
    match source:
        case Range(start, _, Lit(1)):
            return iteration.subtract(interp, index, start)
        case Range(start, _, step):
            return interp.call(Lit(operator.floordiv), (iteration.subtract(interp, index, start), step))
        case Reversed(Range() | Var() as items):
            last = iteration.subtract(interp, iteration.length(interp, items), Lit(1))
            first = items.start if isinstance(items, Range) else Lit(0)
            return iteration.subtract(interp, iteration.add(interp, last, first), index)
        case _:
            return index
