"""Generators, and the iterators that builtins make of them: each of these is a generator as well, which says what it means."""

from __future__ import annotations

import builtins
import itertools
import operator
from collections.abc import Callable, Sequence
from types import GeneratorType
from typing import Any

from adxform.frontend.containers.methods import Answer, Args, Handler, Kwargs
from adxform.frontend.evaluate.control_flow import generators, iteration, suspended, walks
from adxform.frontend.evaluate.keys import as_index
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import (
    NONE,
    FunctionValue,
    Generator,
    Once,
    Range,
    Static,
    Steps,
    Tuple,
    Value,
    Zip,
    is_unknown,
)
from adxform.ir import intrinsics
from adxform.ir.ops import Lit
from adxform.primitives.definitions.of_python import iterations
from adxform.primitives.definitions.of_python import lazy_builtins as meanings


def _new(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    whole, part, *given = args
    assert isinstance(whole, FunctionValue)
    assert isinstance(part, FunctionValue)

    def items(stepwise: Steps) -> Value:
        if stepwise:
            message = "a generator is gone through here step by step, in a way that cannot be followed"
            raise interp.error(message, "walk over it with `for`, or make it a list first: `list(…)`")
        return generators.listed(interp, made)

    made: Once = walks.iterator(interp, items, cls=GeneratorType, generator=Generator(whole, part, tuple(given)))
    return made


def _yielded(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    give = interp.frames[-1].give
    assert give is not None
    return give(args[0])


def of_generator(interp: Interpreter, fn: Callable[..., Any], args: Args, kwargs: Kwargs) -> Answer:
    """The iterator that ``fn(*args, **kwargs)`` makes of a generator, or of one iterator twice; else ``None``."""
    sources = args[1:] if fn in _CALLING else args
    twice = fn is zip and any(isinstance(source, Once) and source in sources[:k] for k, source in enumerate(sources))
    if not twice and all(generators.code_of(source) is None for source in sources):
        return None
    match fn:
        case builtins.zip:
            strict = "strict" in kwargs and bool(interp.static(kwargs["strict"], "`strict`"))
            return _zip(interp, args, strict=strict)
        case itertools.islice:
            return _piece(interp, args)
        case itertools.accumulate:
            return _accumulate(interp, args, kwargs)
        case builtins.map if len(sources) > 1:
            return interp.call(Static(meanings.mapped_apart), (args[0], _zip(interp, sources, strict=False)))
        case _:
            return interp.call(Static(MEANINGS[fn]), args, kwargs)


def _by_meaning(fn: Callable[..., Any]) -> Handler:
    """The handler of a function of `itertools` that is the generator which says what it means, whatever it goes through."""

    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        if any(map(is_unknown, args)):
            return None
        return interp.call(Static(MEANINGS[fn]), tuple(walks.iterated(interp, arg) for arg in args), kwargs)

    return handler


def _longest(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """``itertools.zip_longest`` of what is indexed by position: an iterator would be taken from, one item after the other."""
    if any(map(is_unknown, args)) or not set(kwargs) <= {"fillvalue"}:
        return None
    sources = tuple(walks.iterated(interp, arg) for arg in args)
    if any(isinstance(source, Once) for source in sources):
        return None
    return interp.call(Static(meanings.longest), (Tuple(sources), kwargs.get("fillvalue", NONE)))


def _repeat(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    return interp.call(Static(meanings.repeated_on if len(args) + len(kwargs) < 2 else meanings.repeated), args, kwargs)


def _cycle(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """``itertools.cycle(source)`` of what does not change: Python keeps the items that it gave the first time."""
    if is_unknown(args[0]):
        return None
    fixed = isinstance(args[0], Tuple | Range) or (isinstance(args[0], Lit) and isinstance(args[0].value, tuple | str | range))
    if not fixed:
        message = "`cycle` of what may change, of which Python keeps the items that it gave the first time"
        raise interp.error(message, "give it a tuple: `tuple(…)`")
    return interp.call(Static(meanings.cycled), args)


def _zip(interp: Interpreter, args: Args, *, strict: bool) -> Value:
    places = [k for k, arg in enumerate(args) if generators.code_of(arg) is not None]
    if len(places) == 1:
        (place,) = places
        parts = [walks.opened(interp, arg) if k != place else arg for k, arg in enumerate(args)]
        strict = strict and len(args) > 1
        if not strict or _equally_long(interp, [part for k, part in enumerate(parts) if k != place]):
            return _around(interp, parts, place, strict=strict)
        args = tuple(parts)
    sources = Tuple(tuple(interp.call(Lit(iter), (arg,)) for arg in args))
    return interp.call(Static(meanings.abreast), (sources, Lit(strict)))


def _around(interp: Interpreter, parts: list[Value], place: int, *, strict: bool) -> Value:
    """A `zip` of a generator and what is gone through by position."""
    before, after = Zip(tuple(parts[:place])), Zip(tuple(parts[place + 1 :]))
    given = Tuple(before.parts), parts[place], Tuple(after.parts)
    if not strict:
        return interp.call(Static(meanings.together), (*given, _length(interp, before), _length(interp, after)))
    texts = (_differs(place, "longer"), _differs(place, "shorter")) if place else (_differs(1, "shorter"), _differs(1, "longer"))
    return interp.call(
        Static(meanings.together_to_the_end), (*given, _length(interp, Zip(before.parts + after.parts)), *map(Lit, texts))
    )


def _equally_long(interp: Interpreter, parts: list[Value]) -> bool:
    if any(map(iteration.is_endless, parts)):
        return False
    return all(iteration.same_length(interp, parts[0], part) for part in parts[1:])


def _differs(place: int, how: str) -> str:
    """What Python says of the argument of a strict `zip` at a `place`."""
    return f"zip() argument {place + 1} is {how} than argument{' ' if place == 1 else 's 1-'}{place}"


def _length(interp: Interpreter, source: Zip) -> Value:
    endless = all(map(iteration.is_endless, source.parts))
    return Lit(iteration.ENDLESS) if endless else iteration.length(interp, source)


def _piece(interp: Interpreter, args: Args) -> Value:
    source, *given = args
    bounds = (NONE, *given, NONE) if len(given) == 1 else (*given, NONE)[:3]
    counted = (
        default if bound == NONE else interp.call(Static(iterations.bound_of_a_piece), (as_index(interp, bound), Lit(k == 2)))
        for k, (bound, default) in enumerate(zip(bounds, _BOUNDS, strict=True))
    )
    return interp.call(Static(meanings.piece), (source, *counted))


_BOUNDS = Lit(0), Lit(iteration.ENDLESS), Lit(1)


def _accumulate(interp: Interpreter, args: Args, kwargs: Kwargs) -> Value:
    fn = args[1] if len(args) > 1 else kwargs.get("func", NONE)
    fn = Lit(operator.add) if fn == NONE else fn
    start = kwargs.get("initial", NONE)
    if start == NONE:
        return interp.call(Static(meanings.accumulated), (args[0], fn))
    return interp.call(Static(meanings.accumulated_from), (args[0], fn, start))


def _next_of_each(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    strict = interp.static(args[1], "`strict`")
    sources = interp.items(args[0])
    found: list[Value] = []
    for k, source in enumerate(sources):
        item = _next_of(interp, source)
        if item is None:
            if strict and k:
                return interp.fail(ValueError, _differs(k, "shorter"))
            if strict and (longer := _first_left(interp, sources)) is not None:
                return interp.fail(ValueError, _differs(longer, "longer"))
            return NONE
        found.append(item)
    return Tuple(tuple(found))


def _first_left(interp: Interpreter, sources: Sequence[Value]) -> int | None:
    """Which of the iterators after the first, asked in turn, has another item."""
    return next((k for k, source in enumerate(sources) if k and _next_of(interp, source) is not None), None)


def _next_of(interp: Interpreter, source: Value) -> Value | None:
    if not isinstance(source, Once):
        raise interp.error("a `zip` of generators with an object of which nothing is known", "make a list of that: `list(…)`")
    return suspended.advance(interp, source, sure=False)


def _item_of(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    return iteration.item_at(interp, *args)


_CALLING = (map, filter, itertools.starmap, itertools.filterfalse, itertools.takewhile, itertools.dropwhile)
"""What has a function as its first argument, and goes through the others."""

MEANINGS: dict[Any, Callable[..., Any]] = {
    enumerate: meanings.counted,
    map: meanings.mapped,
    itertools.starmap: meanings.mapped_apart,
    filter: meanings.kept,
    itertools.chain: meanings.chained,
    itertools.chain.from_iterable: meanings.chained_from,
    itertools.pairwise: meanings.neighbours,
    itertools.filterfalse: meanings.left_out,
    itertools.takewhile: meanings.taken_while,
    itertools.dropwhile: meanings.dropped_while,
    itertools.compress: meanings.compressed,
}
_ALWAYS = (itertools.filterfalse, itertools.takewhile, itertools.dropwhile, itertools.compress)
TABLE: dict[Any, Handler] = {
    intrinsics.new_generator: _new,
    intrinsics.yielded: _yielded,
    meanings.item_of: _item_of,
    meanings.next_of_each: _next_of_each,
    itertools.zip_longest: _longest,
    itertools.repeat: _repeat,
    itertools.cycle: _cycle,
    **{fn: _by_meaning(fn) for fn in _ALWAYS},
}
