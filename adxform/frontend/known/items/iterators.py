"""Iterators: those that builtins and `itertools` make, each looked into when it is walked over, and those over generators."""

from __future__ import annotations

import itertools
import re
from contextlib import nullcontext
from dataclasses import dataclass
from types import GeneratorType
from typing import Any

import numpy as np

from adxform import runtime
from adxform.errors import AdxError
from adxform.frontend.containers.methods import Answer, Args, Handler, Kwargs
from adxform.frontend.evaluate.classes import protocols
from adxform.frontend.evaluate.classes.python_classes import VIEWS, class_of
from adxform.frontend.evaluate.control_flow import iteration, loop_trips, suspended, walks
from adxform.frontend.evaluate.control_flow.meanwhile import Since, changes, changing_nothing
from adxform.frontend.evaluate.control_flow.retries import Standing
from adxform.frontend.evaluate.control_flow.templates import changed_objects
from adxform.frontend.evaluate.objects.heap import Heap
from adxform.frontend.evaluate.objects.object_contents import Contents
from adxform.frontend.evaluate.objects.value_parts import parts_of
from adxform.frontend.evaluate.operands import are_static
from adxform.frontend.evaluate.signals import Lost, Promote
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.structures import items_of
from adxform.frontend.evaluate.survey import one_way
from adxform.frontend.evaluate.values import (
    NONE,
    Enumerate,
    FunctionValue,
    Method,
    Once,
    Poison,
    Ref,
    Static,
    Steps,
    Tuple,
    Value,
    View,
    Zip,
    is_unknown,
)
from adxform.frontend.known.items import generator_objects
from adxform.frontend.known.items.lazy_items import IN_PART, LAZY, STEP_BY_STEP, backwards, count_from
from adxform.frontend.known.items.tuple_choices import SETTLED
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.ops import Block, Call, Lit, Var
from adxform.ir.types import Object, Scalar
from adxform.ir.walk import all_ops
from adxform.primitives.definitions.of_python import lazy_builtins as meanings


def _lazily(fn: Any, handler: Handler, step_by_step: Handler | None = None, in_part: Handler | None = None) -> Handler:
    """The iterator that `fn` makes, whose arguments are looked at when it is walked over.

    Where code runs between its items that is with `step_by_step`; where that code may also end the walk, with `in_part`.
    """

    def made(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        sources = args[called:] if fn in (zip, map) else args[called : called + 1] if fn is not itertools.chain else ()
        if (number := next(filter(_is_number, sources), None)) is not None:
            return _not_iterable(interp, number, "reversible" if fn is reversed else "iterable")
        args = (*args[:called], *(walks.iterated(interp, arg) for arg in args[called:]))
        if (found := generator_objects.of_generator(interp, fn, args, kwargs)) is not None:
            return found
        span = interp.span
        if fn is not reversed:
            args = (*args[:called], *(walks.iterated(interp, arg) for arg in args[called:]))
        keys = _keys_of(interp, args)

        def walked(stepwise: Steps) -> Value:
            here, interp.span = interp.span, span
            _refuse_other_keys(interp, args, keys)
            left = "another iterator may have gone through a part of it"
            stepwise = stepwise if step_by_step is not None else "calls" if stepwise else ""

            in_steps = stepwise in ("all", "some")

            def source(arg: Value) -> Value:
                ahead = isinstance(arg, Once) and arg.unknown and ends_early and not in_steps
                found = walks.rest(interp, arg, "calls" if ahead else stepwise)
                if isinstance(arg, Once):
                    walks.leave(interp, arg, left)
                return loop_trips.stream(interp, found) if in_steps and fn is not reversed else found

            # One of several may end before this one does, which then has something left.
            ends_early = fn is itertools.islice or len(args) - called > 1
            ahead = changing_nothing(interp, fn.__name__) if stepwise == "calls" else nullcontext()
            with ahead:
                given: list[Value] = []
                changing = 0
                for arg in args[called:]:
                    since = Since(interp)
                    given.append(source(arg))
                    changing += since.changed()
                    if not in_steps and changing > _CHANGING.get(fn, 0 if called else 1):
                        raise since.error(fn.__name__)
                found = (handler_of[stepwise] or handler)(interp, (*args[:called], *given), kwargs, hint)
            assert found is not None
            interp.span = here
            return found

        early = args if step_by_step is None else tuple(part for arg in args if isinstance(arg, Once) for part in arg.early)
        if fn in (itertools.chain.from_iterable, itertools.accumulate):  # which look into them as well
            early = (*args, *_held(interp, args))
        return walks.iterator(interp, walked, early, class_made_by(fn, args), args)

    handler_of: dict[Steps, Handler | None] = {"": None, "calls": None, "all": step_by_step, "some": in_part or step_by_step}
    called = 1 if fn in (map, filter, itertools.starmap) else 0  # the function comes first
    return made


def _held(interp: Interpreter, sources: Args) -> list[Value]:
    """The lists, dicts and objects in `sources`, in what functions among them use, and in those, each once."""
    found: list[Value] = []
    left = [item for source in sources for item in _parts_of(interp, source)]
    while left:
        item = left.pop()
        if not isinstance(item, Ref) or item not in found:
            found += [item] if isinstance(item, Ref) else []
            left += _parts_of(interp, item)
    return found


def _parts_of(interp: Interpreter, value: Value) -> list[Value]:
    match value:
        case FunctionValue() | Method():
            return list(parts_of(value))
        case Ref() if not isinstance(interp.heap.contents[value], Contents):
            return []
        case Tuple() | Ref():
            return list(items_of(interp, value))
        case _:
            return iteration.known_items(interp, value) or [] if isinstance(value, View | Zip | Enumerate) else []


_CHANGING = {itertools.chain: 1000, itertools.chain.from_iterable: 1000, itertools.accumulate: 0}
"""How many of the iterators that are gone through may change something: they are gone through one after another."""


def _keys_of(interp: Interpreter, sources: Args) -> list[Any]:
    """The keys of each dict or set among `sources`."""
    refs = [source.of if isinstance(source, View) else source for source in sources]
    held: list[Any] = [interp.heap.contents[ref] for ref in refs if isinstance(ref, Ref) and ref.kind in ("dict", "set")]
    return [contents.keys if isinstance(contents, Contents) else contents for contents in held]


def _refuse_other_keys(interp: Interpreter, sources: Args, keys: list[Any]) -> None:
    """Refuse to go through dicts and sets among `sources` that had other `keys` when an iterator over them was made."""
    if _keys_of(interp, sources) != keys:
        message = "a dict or a set has other keys than when this iterator over it was made"
        raise interp.error(message, "make the iterator after the change, or of a copy: `iter(list(…))`")


def class_made_by(fn: Any, args: Args) -> type | None:
    """The class of the iterator that ``fn(*args)`` is; ``None`` where that of its argument is not known."""
    if fn not in (iter, reversed):
        return fn if isinstance(fn, type) else type(fn.__self__) if not isinstance(fn.__self__, type) else fn.__self__
    cls = class_of(args[0])
    if cls is None or not issubclass(cls, _WALKED):
        return None
    sample = _EMPTY.get(cls) if cls in _EMPTY else cls()
    return type(fn(sample))


_WALKED = (list, tuple, dict, set, frozenset, str, bytes, range, np.ndarray, *VIEWS.values())
_EMPTY: dict[type, Any] = {range: range(0), np.ndarray: np.zeros(1), **{cls: getattr({}, part)() for part, cls in VIEWS.items()}}
"""Something to walk over of classes that are not called without arguments."""


def _at_once(fn: Any, handler: Handler) -> Handler:
    """The iterator that `fn` makes, over what is settled when it is made."""

    def made(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        found = handler(interp, tuple(walks.opened(interp, arg) for arg in args), kwargs, hint)
        assert found is not None
        return walks.iterator(interp, lambda stepwise: found, cls=class_made_by(fn, args))

    return made


def _backwards(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """``reversed(x)``: what the object's own method returns, or an iterator."""
    method = protocols.special(interp, args[0], "__reversed__")
    if method is not None:
        return interp.call(method, (), hint=hint)
    handler = backwards(interp, args[0])
    return _lazily(reversed, handler, handler)(interp, args, kwargs, hint)


def _is_number(value: Value) -> bool:
    """Whether `value` is one number of a known class, or ``None``, which nothing walks over."""
    if isinstance(value, Lit):
        return value.value is None or isinstance(value.value, int | float | complex)
    return isinstance(value, Var) and isinstance(value.type, Scalar) and not value.type.kinds


def _not_iterable(interp: Interpreter, value: Value, word: str) -> Answer:
    cls = class_of(value)
    return interp.fail(TypeError, f"'{'object' if cls is None else cls.__name__}' object is not {word}")


def _iter(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    if len(args) > 1:
        raise interp.error("`iter` of a function and the value at which it ends", "write the loop out")
    if _is_number(args[0]):
        return _not_iterable(interp, args[0], "iterable")
    source = walks.iterator_of(interp, args[0])
    if walks.next_of(interp, source) is not None:
        return source
    if is_unknown(source):
        return interp.emit(iter, (interp.operand(source),), Object(), hint)
    if isinstance(source, Once):
        return source
    keys = _keys_of(interp, args)

    def walked(stepwise: Steps) -> Value:
        _refuse_other_keys(interp, args, keys)
        return source

    return walks.iterator(interp, walked, cls=class_made_by(iter, args))


def _next(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    once, *default = args
    if (method := walks.next_of(interp, once)) is not None:
        return interp.call(Static(meanings.asked_or), (method, *default), hint=hint) if default else interp.call(method, ())
    if not isinstance(once, Once):
        return None
    begun = once.generator is None or suspended.stands(interp, once)
    saved = Standing.of(interp)
    try:
        with one_way(interp):
            found = suspended.advance(interp, once, sure=not default)
    except (AdxError, Lost, Promote):
        if begun:
            raise
        saved.restore(interp)
        return interp.call(Static(meanings.first_or if default else meanings.first_of), args, hint=hint)
    if found is None:
        return default[0] if default else interp.fail(StopIteration, "")
    return found


@dataclass(frozen=True, slots=True, eq=False)
class _Before:
    """What all objects held before a generator ran, and what had been written."""

    heap: Heap
    builder: Builder
    ops: int


def _before(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    return Static(_Before(interp.heap.copy(), interp.builder, len(interp.builder.ops)))


def _generator(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """The iterator over the items of a generator, which ran to its end: what it changed is not known until all are taken."""
    items, begins, *searched = args
    assert isinstance(begins, Static)
    assert isinstance(begins.value, _Before)
    before = begins.value
    if searched == [Lit(True)] and changes(tuple(before.builder.ops[before.ops :])):
        message = "a generator that `any` or `all` may leave early changes something"
        raise interp.error(message, "write the loop out: `for item in items: …`")
    behind: list[tuple[Ref, Any, Poison]] = []
    for ref in changed_objects(before.heap, [interp.heap]):
        meanwhile = Poison("a generator changes it, which may not have run to its end")
        behind.append((ref, interp.heap.contents[ref], meanwhile))
        interp.heap.contents[ref] = meanwhile
    streams = [
        op.outs[0] if op in before.builder.ops else None
        for op in all_ops(Block((), tuple(before.builder.ops[before.ops :]), ()))
        if isinstance(op, Call) and op.fn == Lit(runtime.Cursor)
    ]
    return walks.iterator(interp, lambda stepwise: items, cls=GeneratorType, behind=tuple(behind), streams=tuple(streams))


def _takes_all(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    fn = args[0]
    if not isinstance(fn, Static | Lit) or getattr(fn.value, "__module__", None) != "builtins":
        message = "a generator is given to a function of the program's own that has the name of a builtin"
        raise interp.error(message, "give the function another name")
    return NONE


def _searches(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """Whether a function called with a generator over a source is `any` or `all`, and the source what only a run goes through."""
    fn, source = args
    unknown = is_unknown(source) or (isinstance(source, Once) and source.unknown)
    return Lit(unknown and isinstance(fn, Static | Lit) and fn.value in (any, all))


def _matches(fn: Any) -> Handler:
    """``re.finditer`` and the like: an iterator over what is found, where the text is known."""

    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        if not are_static(interp, (*args, *kwargs.values())):
            return None
        given = [interp.static(arg, "an argument") for arg in args]
        try:
            found = tuple(fn(*given, **{key: interp.static(arg, "an argument") for key, arg in kwargs.items()}))
        except (TypeError, ValueError, re.error):  # the run raises it
            return None
        return interp.call(Lit(iter), (Tuple(tuple(map(Lit, found))),))

    return handler


def _grouped(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    if "key" not in kwargs and len(args) == 1 and isinstance(args[0], Lit):
        return None  # the run groups the letters of a text
    return interp.call(Static(meanings.groups_of), args, kwargs, hint)


TABLE: dict[Any, Handler] = {
    re.finditer: _matches(re.finditer),
    re.Pattern.finditer: _matches(re.Pattern.finditer),
    intrinsics.generator_begins: _before,
    intrinsics.generator: _generator,
    intrinsics.searches: _searches,
    intrinsics.takes_all: _takes_all,
    iter: _iter,
    next: _next,
    **{fn: _lazily(fn, handler, STEP_BY_STEP.get(fn), IN_PART.get(fn)) for fn, handler in LAZY.items()},
    **{fn: _at_once(fn, handler) for fn, handler in SETTLED.items()},
    itertools.count: _at_once(itertools.count, count_from),
    reversed: _backwards,
    itertools.groupby: _grouped,
}
