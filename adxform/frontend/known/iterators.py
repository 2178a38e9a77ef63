"""Iterators: those that builtins make of others (`zip`, `map`, `enumerate` and their like), and those of `itertools`."""

from __future__ import annotations

import itertools
import operator
from contextlib import nullcontext
from dataclasses import dataclass
from types import GeneratorType
from typing import Any

import numpy as np

from adxform import runtime
from adxform.errors import AdxError
from adxform.frontend.containers import collecting, lists_of_lists
from adxform.frontend.containers.methods import Answer, Args, Handler, Kwargs
from adxform.frontend.evaluate.classes import protocols
from adxform.frontend.evaluate.classes.python_classes import VIEWS, class_of
from adxform.frontend.evaluate.control_flow import iteration, suspended, walks
from adxform.frontend.evaluate.control_flow.joins import alike_rows, number_type
from adxform.frontend.evaluate.control_flow.meanwhile import Since, changes, changing_nothing
from adxform.frontend.evaluate.control_flow.retries import Standing
from adxform.frontend.evaluate.control_flow.templates import changed_objects
from adxform.frontend.evaluate.keys import as_index
from adxform.frontend.evaluate.signals import Lost, Promote
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.structures import items_of
from adxform.frontend.evaluate.survey import one_way
from adxform.frontend.evaluate.values import (
    NONE,
    Contents,
    Enumerate,
    FunctionValue,
    Heap,
    Mapped,
    Method,
    Once,
    Poison,
    Range,
    Ref,
    Reversed,
    Slice,
    Static,
    Steps,
    Stream,
    Tuple,
    Value,
    View,
    Zip,
    is_int,
    is_unknown,
)
from adxform.frontend.known import generator_objects
from adxform.frontend.known.iterables import listed, rows
from adxform.frontend.signature import python_class
from adxform.ir import intrinsics
from adxform.ir.build import Builder
from adxform.ir.ops import Block, Call, Lit, Operand, Var
from adxform.ir.types import Array, Object, Scalar
from adxform.ir.walk import all_ops
from adxform.primitives.definitions import iterations
from adxform.primitives.definitions import lazy_builtins as meanings


def _zip(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    strict = "strict" in kwargs and bool(interp.static(kwargs["strict"], "`strict`"))
    if any(map(is_unknown, args)):
        return Zip(iteration.listed_together(interp, args, strict=strict))
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
    if not strict or not any(map(iteration.has_stream, args)):
        return _zip(interp, args, kwargs, hint)
    counted: list[Operand] = []
    for part in args:
        if iteration.has_stream(part) and not isinstance(part, Stream):
            message = "a strict `zip` of a `zip`, `map` or `enumerate` of what only a run goes through"
            raise interp.error(message, "make it a list first: `list(…)`")
        own = part.cursor if isinstance(part, Stream) else Range(Lit(0), iteration.length(interp, part), Lit(1))
        counted.append(interp.operand(own))
    cursor = interp.emit(runtime.strictly, counted, Object(), "cursor")
    known = (None if isinstance(part, Stream) else part for part in args)
    return Zip(tuple(Stream(cursor, k, part, k == 0) for k, part in enumerate(known)))


def _zip_in_part(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    if any(map(iteration.has_stream, args)):
        return _zip_in_steps(interp, args, kwargs, hint)
    strict = "strict" in kwargs and interp.static(kwargs["strict"], "`strict`")
    if strict and any(not _same_length(interp, args[0], part) for part in args[1:]):
        message = "a strict `zip` of sequences that may differ in length, which a loop may leave early"
        raise interp.error(message, "make a list of it first")
    return Zip(args)


def _same_length(interp: Interpreter, first: Value, part: Value) -> bool:
    lengths = [iteration.length(interp, source) for source in (first, part)]
    sizes = [interp.sizes.get(length) if isinstance(length, Var) else length for length in lengths]
    return sizes[0] is not None and sizes[0] == sizes[1]


def _enumerate(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    start = as_index(interp, args[1] if len(args) > 1 else kwargs.get("start", Lit(0)))
    return Enumerate(iteration.listed_unknown(interp, args[0]), start)


def _reversed(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    source = args[0]
    if is_unknown(source):
        return interp.emit(list, (interp.emit(reversed, (interp.operand(source),), Object()),), Object(), "items")
    return Reversed(source)


def _reversed_list(interp: Interpreter, source: Ref) -> Handler:
    """The handler of ``reversed(source)``, which begins where the list `source` ends now."""
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


def _product(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    repeat = interp.static(kwargs["repeat"], "`repeat`") if "repeat" in kwargs else 1
    if any(iteration.literal_trips(interp, arg) is None for arg in args):
        sources = args * repeat
        pools = tuple(rows(interp, arg) for arg in args) * repeat
        if len(pools) == 2 and all(map(_is_of_numbers, pools)):
            return _own_numbers(interp, interp.call(Static(iterations.crossed), pools), sources)
        lengths = Tuple(tuple(interp.call(Lit(len), (pool,)) for pool in pools))
        return _tuples_at(interp, sources, pools, interp.call(Static(iterations.places_crossed), (lengths,)))
    lists = [interp.items(arg) for arg in args]
    return Tuple(tuple(Tuple(parts) for parts in itertools.product(*lists, repeat=repeat)))


def _places(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """``np.ndindex``: the places of an array of a shape."""
    shape = args if len(args) != 1 or not isinstance(args[0], Tuple | Ref) else tuple(interp.items(args[0]))
    if len(shape) == 0:
        return Tuple((Tuple(()),))
    ranges = tuple(Range(Lit(0), length, Lit(1)) for length in shape)
    return Zip(ranges) if len(ranges) == 1 else _product(interp, ranges, {}, hint)


def _places_with_entries(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """``np.ndenumerate``: the places of an array, each with what is there when its turn comes."""
    match args:
        case (Var(_, Array(_, shape)) as x,) if shape:
            places = _places(interp, (interp.attribute(x, "shape"),), kwargs, hint)
            assert places is not None
            return Mapped(Method(Static(iterations.entry_at), (x,)), walks.opened(interp, places))
        case _:
            raise interp.error("`np.ndenumerate` of what is no array of known rank", "make it an array: `np.asarray(x)`")


def _combinations(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    return _choices(interp, itertools.combinations, args, operator.gt)


def _permutations(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    return _choices(interp, itertools.permutations, (*args, *kwargs.values()), operator.ne)


def _combinations_again(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    return _choices(interp, itertools.combinations_with_replacement, args, operator.ge)


def _choices(interp: Interpreter, fn: Any, args: Args, follows: Any) -> Value:
    """A way of choosing some items of a sequence, in which the place of each one `follows` those of the ones before it."""
    source = args[0]
    count = interp.static(args[1], "a count") if len(args) > 1 else None
    if iteration.literal_trips(interp, source) is not None:
        items = interp.items(source)
        return Tuple(tuple(Tuple(parts) for parts in fn(items, len(items) if count is None else count)))
    if count is None:
        raise interp.error("permutations of as many items as only a run can tell", "say how many are taken")
    items_ = rows(interp, source)
    if count != 2 or not _is_of_numbers(items_):
        given = interp.call(Lit(len), (items_,)), Lit(count), Lit(follows)
        places = interp.call(Static(iterations.places_chosen), given)
        return _tuples_at(interp, (source,) * count, (items_,) * count, places)
    if fn is itertools.permutations:
        found = interp.call(Static(iterations.pairs_of_different), (items_,))
    else:
        found = interp.call(Static(iterations.pairs_in_order), (items_, Lit(1 if fn is itertools.combinations else 0)))
    return _own_numbers(interp, found, (source, source))


def _is_of_numbers(pool: Value) -> bool:
    return isinstance(pool, Var) and isinstance(pool.type, Array) and pool.type.shape is not None and len(pool.type.shape) == 1


def _tuples_at(interp: Interpreter, sources: tuple[Value, ...], pools: tuple[Value, ...], places: Value) -> Value:
    """Tuples of the items of `sources`, which are in `pools`, at `places`: numbers as they are now, rows as each is looked at."""
    if all(map(_is_of_numbers, pools)):
        return _own_numbers(interp, interp.call(Static(iterations.taken), (Tuple(pools), places)), sources)
    held = {pool: interp.call(Lit(np.copy), (pool,)) if _is_of_numbers(pool) else pool for pool in pools}
    fn = Method(Static(iterations.items_at), (_makers(interp, sources), Tuple(tuple(held[pool] for pool in pools))))
    return Mapped(fn, walks.opened(interp, Zip(tuple(interp.items(places)))))


def _own_numbers(interp: Interpreter, tuples: Value, sources: tuple[Value, ...]) -> Value:
    """`tuples` of items of arrays as those of `sources`: of Python's own numbers where these have them."""
    if all(_own_class(interp, source) is None for source in sources):
        return tuples
    return Mapped(Method(Static(iterations.made_of), (_makers(interp, sources),)), walks.opened(interp, tuples))


def _makers(interp: Interpreter, sources: tuple[Value, ...]) -> Value:
    """What makes of an item of the array of each source what the source holds."""
    classes = (_own_class(interp, source) for source in sources)
    return Tuple(tuple(Static(iterations.itself if cls is None else cls) for cls in classes))


def _own_class(interp: Interpreter, source: Value) -> type | None:
    """The class of the items of `source` where these are Python's own numbers, which an array of them does not hold."""
    filled = interp.filled(source)
    if filled is not None:
        type_ = filled.buffer.type
        return python_class(type_.dtype, weak=True) if filled.weak and isinstance(type_, Array) and not filled.nested else None
    match source:
        case Range():
            return int
        case Reversed(items):
            return _own_class(interp, items)
        case Tuple() | Ref(kind="list"):
            kinds = {number_type(item) for item in interp.items(source)}
            classes = {
                python_class(one.dtype, weak=True) for one in kinds if isinstance(one, Scalar) and one.weak and not one.kinds
            }
            if not classes or len(kinds) != len(classes):
                return None
            return classes.pop() if len(classes) == 1 else float if classes <= {int, float} else None
        case _:
            return None


def _pairwise(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    known = iteration.known_items(interp, args[0])
    if known is not None:
        return Tuple(tuple(Tuple(pair) for pair in itertools.pairwise(known)))
    return _own_numbers(interp, interp.call(Static(iterations.neighbours), (rows(interp, args[0]),)), (args[0], args[0]))


def _chain(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    if all(iteration.known_items(interp, arg) is not None for arg in args):
        return Tuple(tuple(item for arg in args for item in interp.items(arg)))
    args = tuple(arg for arg in args if iteration.known_items(interp, arg) != [])
    classes = {_own_class(interp, arg) for arg in args}
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


def _count_from(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
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
    return Mapped(fn, Zip(iteration.listed_together(interp, tuple(sources))))


def _each_apart(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    fn, source = args
    return Mapped(fn, iteration.listed_unknown(interp, source))


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
                return iteration.stream(interp, found) if in_steps and fn is not reversed else found

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
        case FunctionValue(captures=captures):
            return [part for _, part in captures]
        case Method(fn, args):
            return [fn, *args]
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
_EMPTY: dict[type, Any] = {
    range: range(0),
    np.ndarray: np.zeros(1),
    **{cls: getattr({}, part)() for part, cls in VIEWS.items()},
}
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
    handler = _reversed_list(interp, args[0]) if isinstance(args[0], Ref) and args[0].kind == "list" else _reversed
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


_ITERATORS: dict[Any, Handler] = {
    zip: _zip,
    enumerate: _enumerate,
    map: _map,
    filter: _filter,
    itertools.pairwise: _pairwise,
    itertools.chain: _chain,
    itertools.chain.from_iterable: _chain_from,
    itertools.islice: _islice,
    itertools.accumulate: _accumulate,
    itertools.starmap: _starmap,
}
_STEP_BY_STEP: dict[Any, Handler] = {
    zip: _zip_in_steps,
    enumerate: _enumerate,
    map: _each,
    itertools.starmap: _each_apart,
}
_IN_PART: dict[Any, Handler] = {zip: _zip_in_part}
_SETTLED: dict[Any, Handler] = {
    itertools.product: _product,
    np.ndindex: _places,
    np.ndenumerate: _places_with_entries,
    itertools.combinations: _combinations,
    itertools.combinations_with_replacement: _combinations_again,
    itertools.permutations: _permutations,
    itertools.count: _count_from,
}
TABLE: dict[Any, Handler] = {
    intrinsics.generator_begins: _before,
    intrinsics.generator: _generator,
    intrinsics.searches: _searches,
    intrinsics.takes_all: _takes_all,
    iter: _iter,
    next: _next,
    **{fn: _lazily(fn, handler, _STEP_BY_STEP.get(fn), _IN_PART.get(fn)) for fn, handler in _ITERATORS.items()},
    **{fn: _at_once(fn, handler) for fn, handler in _SETTLED.items()},
    reversed: _backwards,
}
