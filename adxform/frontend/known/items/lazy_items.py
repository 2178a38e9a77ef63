"""What iterators go through that builtins and `itertools` make of others: `zip`, `map`, `enumerate`, `chain` and their like."""

from __future__ import annotations

import itertools
import operator
from typing import Any

import numpy as np

from adxform import runtime
from adxform.frontend.containers import collecting, lists_of_lists
from adxform.frontend.containers.methods import Answer, Args, Handler, Kwargs
from adxform.frontend.evaluate.control_flow import iteration, loop_trips
from adxform.frontend.evaluate.control_flow.joined_types import alike_rows
from adxform.frontend.evaluate.keys import as_index
from adxform.frontend.evaluate.objects.object_contents import Contents
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import (
    NONE,
    Enumerate,
    Mapped,
    Method,
    Range,
    Ref,
    Reversed,
    Slice,
    Static,
    Stream,
    Tuple,
    Value,
    Zip,
    is_int,
    is_unknown,
)
from adxform.frontend.known.items.iterables import listed, rows
from adxform.frontend.known.items.tuple_choices import own_class, pairwise
from adxform.ir.ops import Lit, Operand, Var
from adxform.ir.types import Object
from adxform.primitives.definitions.of_python import iterations


def _zip(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    strict = "strict" in kwargs and bool(interp.static(kwargs["strict"], "`strict`"))
    if any(map(is_unknown, args)):
        return Zip(loop_trips.listed_together(interp, args, strict=strict))
    if strict:
        for k, part in enumerate(args[1:], 2):
            _as_long(interp, args[0], part, k)
    return Zip(args)


def _as_long(interp: Interpreter, first: Value, part: Value, k: int) -> None:
    """Let a strict `zip` raise where its parts differ in length."""
    equal = interp.call(Lit(operator.eq), (iteration.length(interp, first), iteration.length(interp, part)))
    message = f"zip() argument {k} is shorter or longer than argument 1"
    if equal == Lit(False):
        interp.fail(ValueError, message)
    if isinstance(equal, Var):
        interp.require(equal, ValueError, message)


def _zip_in_steps(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    strict = "strict" in kwargs and bool(interp.static(kwargs["strict"], "`strict`"))
    if not strict or not any(map(loop_trips.has_stream, args)):
        return _zip(interp, args, kwargs, hint)
    counted: list[Operand] = []
    for part in args:
        if loop_trips.has_stream(part) and not isinstance(part, Stream):
            message = "a strict `zip` of a `zip`, `map` or `enumerate` of what only a run goes through"
            raise interp.error(message, "make it a list first: `list(…)`")
        own = part.cursor if isinstance(part, Stream) else Range(Lit(0), iteration.length(interp, part), Lit(1))
        counted.append(interp.operand(own))
    cursor = interp.emit(runtime.strictly, counted, Object(), "cursor")
    known = (None if isinstance(part, Stream) else part for part in args)
    return Zip(tuple(Stream(cursor, k, part, k == 0) for k, part in enumerate(known)))


def _zip_in_part(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    if any(map(loop_trips.has_stream, args)):
        return _zip_in_steps(interp, args, kwargs, hint)
    strict = "strict" in kwargs and interp.static(kwargs["strict"], "`strict`")
    if strict and any(not iteration.same_length(interp, args[0], part) for part in args[1:]):
        message = "a strict `zip` of sequences that may differ in length, which a loop may leave early"
        raise interp.error(message, "make a list of it first")
    return Zip(args)


def _enumerate(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    start = as_index(interp, args[1] if len(args) > 1 else kwargs.get("start", Lit(0)))
    return Enumerate(loop_trips.listed_unknown(interp, args[0]), start)


def _reversed(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    source = args[0]
    if is_unknown(source):
        return interp.emit(list, (interp.emit(reversed, (interp.operand(source),), Object()),), Object(), "items")
    return Reversed(source)


def backwards(interp: Interpreter, source: Value) -> Handler:
    """The handler of ``reversed(source)``, which begins where a list ends now."""
    if not isinstance(source, Ref) or source.kind != "list":
        return _reversed
    begun: Any = interp.heap.contents[source]

    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        now: Any = interp.heap.contents[source]
        if isinstance(begun, Contents) and isinstance(now, Contents):
            return Tuple(()) if len(now.keys) < len(begun.keys) else Reversed(source, len(begun.keys))
        if begun is not now:
            message = "a list of a length that only a run can tell has changed since `reversed` was called"
            raise interp.error(message, "call it after the change, or for a copy: `reversed(list(…))`")
        return Reversed(source)

    return handler


def _map(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    fn, *sources = args
    if all(iteration.literal_trips(interp, source) is None for source in sources):
        return interp.call(Static(iterations.mapped), args, hint=hint)
    known = [interp.items(source) for source in sources]
    return Tuple(tuple(interp.call(fn, parts) for parts in zip(*known, strict=False)))


def _filter(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    return interp.call(Static(iterations.filtered), args, hint=hint)


def _chain(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    if all(iteration.known_items(interp, arg) is not None for arg in args):
        return Tuple(tuple(item for arg in args for item in interp.items(arg)))
    args = tuple(arg for arg in args if iteration.known_items(interp, arg) != [])
    classes = {own_class(interp, arg) for arg in args}
    parts = [rows(interp, arg) for arg in args]
    types = [part.type for part in parts if isinstance(part, Var)]
    if not all(alike_rows(types[0], type_, len(classes) == 1) for type_ in types):
        raise interp.error("numbers of different kinds are chained", "make them one kind, e.g. with `float(…)`")
    made = interp.call(Lit(np.concatenate), (Tuple(tuple(parts)),))
    return collecting.new_list(interp, made, weak=len(classes) == 1 and None not in classes)


def _chain_from(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    if isinstance(args[0], Ref) and interp.portions(args[0]) is not None:
        return lists_of_lists.chained(interp, args[0])
    return _chain(interp, tuple(interp.items(args[0])), kwargs, hint)


def _islice(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    args = args[0], *(as_index(interp, bound) for bound in args[1:])
    source, *bounds = args
    bounds = [
        bound if bound == NONE else interp.call(Static(iterations.bound_of_a_piece), (bound, Lit(k == 2)))
        for k, bound in enumerate(bounds)
    ]
    piece = Slice(NONE, bounds[0], NONE) if len(bounds) == 1 else Slice(*bounds, *([NONE] * (3 - len(bounds))))
    if not iteration.is_endless(source):
        return interp.call(Lit(operator.getitem), (listed(interp, source), piece))
    if isinstance(source, Range):
        return interp.call(Lit(operator.getitem), (source, piece))
    if not isinstance(piece.stop, Lit) or piece.stop == NONE:
        raise interp.error("how far an iterator without an end is walked over, only a run can tell", "walk over a range")
    places = range(piece.stop.value)[interp.static(piece, "the bounds of `islice`")]
    return Tuple(tuple(iteration.item_at(interp, source, Lit(k)) for k in places))


def _accumulate(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    fn = args[1] if len(args) > 1 else kwargs.get("func", NONE)
    fn = Lit(operator.add) if fn == NONE else fn
    start = kwargs.get("initial", NONE)
    if start != NONE:
        return interp.call(Static(iterations.accumulated_from), (args[0], fn, start), hint=hint)
    return interp.call(Static(iterations.accumulated), (listed(interp, args[0]), fn), hint=hint)


def _starmap(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    return interp.call(Static(iterations.mapped_apart), args, hint=hint)


def count_from(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """``itertools.count(start, step)``"""
    start = args[0] if args else kwargs.get("start", Lit(0))
    step = args[1] if len(args) > 1 else kwargs.get("step", Lit(1))
    if not is_int(start) or not is_int(step):
        raise interp.error("`count` by other than whole numbers", "count by whole numbers, and compute what they stand for")
    places = Range(Lit(0), Lit(iteration.ENDLESS), Lit(1))
    if (start, step) == (Lit(0), Lit(1)):
        return places
    return Mapped(Method(Static(iterations.counted_on), (start, step)), Zip((places,)))


def _each(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    fn, *sources = args
    return Mapped(fn, Zip(loop_trips.listed_together(interp, tuple(sources))))


def _each_apart(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    fn, source = args
    return Mapped(fn, loop_trips.listed_unknown(interp, source))


LAZY: dict[Any, Handler] = {
    zip: _zip,
    enumerate: _enumerate,
    map: _map,
    filter: _filter,
    itertools.pairwise: pairwise,
    itertools.chain: _chain,
    itertools.chain.from_iterable: _chain_from,
    itertools.islice: _islice,
    itertools.accumulate: _accumulate,
    itertools.starmap: _starmap,
}
"""Of each iterator, what it goes through."""
STEP_BY_STEP: dict[Any, Handler] = {zip: _zip_in_steps, enumerate: _enumerate, map: _each, itertools.starmap: _each_apart}
"""The same where code runs between its items."""
IN_PART: dict[Any, Handler] = {zip: _zip_in_part}
"""The same where that code may end the walk as well."""
