"""How far an iterator has been walked: not at all, some of its items, which are known one by one, or to its end.

The contents of its `state` are what it goes through, under ``"source"``, and how many items were taken of that, under
``"taken"``. While it is walked over by what cannot be asked how far that is, and where a walk may have ended at any item, what
is left of it is not known: the contents are a `Poison` that says why.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from adxform import runtime
from adxform.errors import AdxError
from adxform.frontend.containers import keyed_lists
from adxform.frontend.evaluate.classes import protocols
from adxform.frontend.evaluate.classes.class_contents import is_librarys
from adxform.frontend.evaluate.control_flow import iteration, openings
from adxform.frontend.evaluate.objects import doubtful_keys
from adxform.frontend.evaluate.objects.object_contents import Contents
from adxform.frontend.evaluate.signals import WalkedAgain
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import (
    Enumerate,
    Generator,
    Mapped,
    Method,
    Once,
    Poison,
    Range,
    Ref,
    Rest,
    Slice,
    Static,
    Steps,
    Tuple,
    Value,
    Zip,
    is_unknown,
)
from adxform.ir.ops import Lit, Var
from adxform.ir.types import Array, Object
from adxform.primitives.definitions.of_python import lazy_builtins

_KEYS = ("taken", "source")
_UNOPENED = Lit(False)
NO_MORE = Lit(-1)
"""What was taken of an iterator that has nothing left."""
LEFT = "a loop may have left it before its end"
_MEANWHILE = Poison("it is walked over here")


@dataclass(frozen=True, slots=True, eq=False)
class _Opened:
    source: Value


def iterator(
    interp: Interpreter,
    open_: Callable[[Steps], Value],
    early: tuple[Value, ...] = (),
    cls: type | None = None,
    sources: tuple[Value, ...] = (),
    behind: tuple[tuple[Any, Any, Poison], ...] = (),
    streams: tuple[Var | None, ...] = (),
    generator: Generator | None = None,
) -> Once:
    """An iterator over what `open_` will return of `sources`, for Python of the class `cls`."""
    unknown = any(is_unknown(source) or (isinstance(source, Once) and source.unknown) for source in sources)
    return Once(
        interp.heap.new("iterator", Once, _KEYS, (Lit(0), _UNOPENED)), open_, early, cls, unknown, behind, streams, generator
    )


def taken_of(interp: Interpreter, once: Once) -> int | None:
    """How many items were taken of an iterator; ``None`` after the last."""
    contents: Any = interp.heap.contents[once.state]
    taken = contents.get("taken") if isinstance(contents, Contents) else None
    if not isinstance(taken, Lit):
        if once.generator is not None and isinstance(contents, Poison) and contents.why == LEFT:
            place = once.generator.whole.fn.span
            if place not in interp.knowledge.walked_again:
                raise WalkedAgain(place)
        why = contents.why if isinstance(contents, Poison) else "whether it was walked over before depends on the run"
        raise unknown_rest(interp, why)
    return None if taken == NO_MORE else taken.value


def unknown_rest(interp: Interpreter, why: str) -> AdxError:
    """The error for an iterator of which it is not known what it has left."""
    return interp.error(f"what is left of this iterator cannot be told: {why}", "make it a list, or anew where it is used")


def refuse_in_part(interp: Interpreter, source: Value) -> None:
    """Refuse, in a ``try``, an iterator of which a container takes item by item: those before one that raises stay in it."""
    if interp.level is not None and isinstance(source, Once):
        message = "a container takes the items of an iterator in a `try`, of which those before an exception would stay in it"
        raise interp.error(message, "make a list of the items first: `list(…)`")


def counting(interp: Interpreter, once: Once) -> tuple[Value, Value] | None:
    """What goes on without an end through `once`, with how many were taken, which only the run may know; ``None`` of others."""
    contents: Any = interp.heap.contents[once.state]
    if once.cls is not itertools.count or not isinstance(contents, Contents):
        return None
    taken = contents.get("taken")
    return (once.open(""), taken) if isinstance(taken, Lit | Var) and taken != NO_MORE else None


def count_on(interp: Interpreter, once: Once, taken: Value) -> None:
    """Let one more than `taken` be taken of what goes on without an end."""
    interp.heap.contents[once.state] = Contents(_KEYS, (iteration.add(interp, taken, Lit(1)), _UNOPENED))


def begin(interp: Interpreter, once: Once) -> int | None:
    """How many items were taken of a generator; unless it is at its end, its caller walks over it from here on."""
    taken = taken_of(interp, once)
    if taken:
        raise unknown_rest(interp, "some of its items were taken before")
    if taken is not None:
        interp.heap.contents[once.state] = _MEANWHILE
    return taken


def begun(interp: Interpreter, once: Once, stepwise: Steps = "") -> tuple[Value, int]:
    """What an iterator goes through from its first item on, and how many were taken; until told, no one else takes any.

    The walk is `stepwise` where other code runs between its items.
    """
    if (endless := counting(interp, once)) is not None and isinstance(endless[1], Var):
        interp.heap.contents[once.state] = _MEANWHILE
        return after(interp, *endless), 0
    taken = taken_of(interp, once)
    if stepwise:
        _check_streams(interp, once)
    contents: Any = interp.heap.contents[once.state]
    held = contents.get("source")
    interp.heap.contents[once.state] = _MEANWHILE
    if taken is None:
        return Tuple(()), 0
    if isinstance(held, Static) and isinstance(held.value, _Opened):
        openings.check(interp, once)
        return held.value.source, taken
    if held != _UNOPENED:
        raise unknown_rest(interp, "what it goes through depends on the run")
    builder = interp.builder.last()
    start = len(builder.ops)
    found = opened(interp, once.open(stepwise))
    openings.keep(interp, once, builder, start)
    return found, taken


def record(interp: Interpreter, once: Once, source: Value, taken: int) -> None:
    """Let `taken` items of `source` be all that was taken of an iterator."""
    interp.heap.contents[once.state] = Contents(_KEYS, (Lit(taken), Static(_Opened(source))))


def leave(interp: Interpreter, once: Once, left: str = "") -> None:
    """End a walk over an iterator: after its last item, or before it, for a reason `left`: what it has left then is not known."""
    if left:
        _check_streams(interp, once)
        interp.heap.contents[once.state] = Poison(left)
        return
    interp.heap.contents[once.state] = Contents(_KEYS, (NO_MORE, _UNOPENED))
    for ref, contents, meanwhile in once.behind:
        now: Any = interp.heap.contents[ref]
        if now is meanwhile:
            interp.heap.contents[ref] = contents


def _check_streams(interp: Interpreter, once: Once) -> None:
    """See that what a generator went through may have been gone through to its end before its items are taken."""
    for cursor in once.streams:
        if cursor is None:
            message = "a generator goes through an object of which nothing is known in a loop, and may be left before its end"
            raise interp.error(message, "make it a list first: `list(…)`")
        interp.builder.effect(runtime.check_walked, cursor, span=interp.span)


def after(interp: Interpreter, source: Value, taken: int | Value) -> Value:
    """What is left of `source`, of which only a run can tell how many items it has, after some were taken."""
    first = Lit(taken) if isinstance(taken, int) else taken
    match source:
        case Var(_, Array()):
            return interp.call(Lit(operator.getitem), (source, Slice(first, Lit(None), Lit(None))))
        case Range(start, stop, step):
            return Range(iteration.item_at(interp, source, first), stop, step)
        case Enumerate(items, start):
            return Enumerate(after(interp, items, taken), iteration.add(interp, start, first))
        case Zip(parts):
            return Zip(tuple(after(interp, part, taken) for part in parts))
        case Mapped(fn, items):
            return Mapped(fn, after(interp, items, taken))
        case _:
            raise unknown_rest(interp, "its items are not known one by one any more")


def iterated(interp: Interpreter, source: Value) -> Value:
    """`source`; of an object with an ``__iter__`` of the program's own, the iterator that it returns.

    Where that is an object with a ``__next__`` of its own, it is a generator that asks it for item after item.
    """
    source = interp.force(interp.listed(interp.seen(source)), said="'NoneType' object is not iterable")
    source = doubtful_keys.walked(interp, keyed_lists.walked(interp, source))
    found = iterator_of(interp, source)
    if found is source and not _is_asked(source):
        return source
    method = next_of(interp, found)
    return found if method is None else interp.call(Static(lazy_builtins.asked), (method,), hint="items")


def _is_asked(source: Value) -> bool:
    """Whether `source` may be an object with methods of the program's own."""
    objects = isinstance(source, Static | Tuple) or (isinstance(source, Ref) and source.kind == "instance")
    return objects and not (isinstance(source, Static) and is_librarys(type(source.value)))  # the rows of a sparse matrix


def iterator_of(interp: Interpreter, source: Value) -> Value:
    """What ``__iter__`` of an object returns, if that is the program's own; else `source`."""
    method = protocols.special(interp, source, "__iter__") if _is_asked(source) else None
    if method is None:
        return source
    if isinstance(method, Method) and method.fn == Lit(iter):  # of a list or dict that the object is
        return iterated(interp, method.args[0])
    found = interp.call(method, (), hint="items")
    if isinstance(found, Ref) and found.kind == "instance" and next_of(interp, found) is None:
        interp.fail(TypeError, f"iter() returned non-iterator of type '{found.cls.__name__}'")
    return found


def next_of(interp: Interpreter, value: Value) -> Value | None:
    """The method ``__next__`` of an object, if that is the program's own."""
    return protocols.special(interp, value, "__next__") if isinstance(value, Ref | Static) and _is_asked(value) else None


def rest(interp: Interpreter, source: Value, stepwise: Steps = "") -> Value:
    """What is left of `source`, if that is an iterator, whose walk begins here; else `source`."""
    source = iterated(interp, source)
    if not isinstance(source, Once):
        if stepwise == "calls" and is_unknown(source):
            cursor = interp.emit(runtime.Cursor, (interp.operand(source),), Object(), "cursor")
            interp.builder.effect(runtime.check_walked, cursor, span=interp.span)
        return source
    found, taken = begun(interp, source, stepwise)
    if taken and iteration.known_places(interp, found) is None:
        return after(interp, found, taken)
    return Rest(found, taken) if taken else found


@contextmanager
def walked(interp: Interpreter, sources: tuple[Value, ...], stepwise: Steps = "") -> Iterator[tuple[Value, ...]]:
    """What is left of each of `sources`, which are walked over meanwhile, to their ends."""
    sources = tuple(iterated(interp, source) for source in sources)
    yield tuple(rest(interp, source, stepwise) for source in sources)
    for source in sources:
        if isinstance(source, Once):
            leave(interp, source)


def opened(interp: Interpreter, source: Value) -> Value:
    """What is left of `source`, which is walked over at once, to its end."""
    with walked(interp, (source,)) as (found,):
        return found


def searched(interp: Interpreter, source: Value, tell: Callable[[Value], bool | None], left: str) -> Value:
    """What a search through `source` looks at, which ends at the first item of which `tell` says yes.

    Where it says ``None``, only a run can tell, and what is left of an iterator is not known, which `left` says. A generator
    is left to the search.
    """
    source = iterated(interp, source)
    if not isinstance(source, Once) or source.generator is not None:
        return source
    found, taken = begun(interp, source, "some")
    places = iteration.known_places(interp, found)
    if places is None:
        leave(interp, source, left)
        return found
    items: list[Value] = []
    sure = True
    for k, place in enumerate(places[taken:], taken + 1):
        items.append(place())
        told = tell(items[-1])
        sure = sure and told is not None
        if told and sure:
            record(interp, source, found, k)
            return Tuple(tuple(items))
    leave(interp, source, "" if sure else left)
    return Tuple(tuple(items))
