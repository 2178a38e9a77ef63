"""What is put in order: `sorted`, and places in what is in order."""

from __future__ import annotations

import bisect
import operator
from typing import Any

import numpy as np

from adxform import runtime
from adxform.errors import AdxError
from adxform.frontend.containers import collecting, list_arrays, lists_of_lists
from adxform.frontend.containers import tuple_columns as of_tuples
from adxform.frontend.containers.methods import Answer, Args, Handler, Kwargs
from adxform.frontend.evaluate.control_flow import iteration, loop_trips
from adxform.frontend.evaluate.control_flow.joined_types import number_type
from adxform.frontend.evaluate.control_flow.retries import Standing
from adxform.frontend.evaluate.objects.chosen_items import columns_of, may_choose, of_the_run
from adxform.frontend.evaluate.operands import given_to_unknown
from adxform.frontend.evaluate.set_orders import without_order
from adxform.frontend.evaluate.signals import Lost, Promote
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.structures import all_leaves
from adxform.frontend.evaluate.survey import one_way
from adxform.frontend.evaluate.values import NONE, Enumerate, Range, Ref, Static, Tuple, Value, Zip
from adxform.frontend.known.items import own_order
from adxform.frontend.known.items.iterables import kinds_in, listed, of_python, rows, walking
from adxform.ir.kinds import alternatives
from adxform.ir.ops import Lit, Var
from adxform.ir.types import INT, Array, Object, Scalar, is_inexact, rank
from adxform.primitives.definitions.of_python import binary_heaps, iterations
from adxform.primitives.definitions.of_python.compared import ByComparison


def _sorted(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    source = _walked(interp, args[0], kwargs)
    if _has_key(kwargs) and isinstance(source, Range) and not iteration.is_endless(source):
        return _places_by_a_key(interp, (source, *args[1:]), kwargs, hint)
    found = _of_many(interp, source, kwargs, hint)
    if found is not None:
        return found
    items = interp.items(source)
    keys = _deciding([interp.call(kwargs["key"], (item,)) for item in items] if _has_key(kwargs) else items)
    if own_order.are_objects(interp, keys):
        return _by_their_own_order(interp, items, keys, kwargs)
    found = _ordered_by_run(interp, items, keys, kwargs)
    return _ordered_now(interp, items, keys, kwargs) if found is None else found


def _has_key(kwargs: Kwargs) -> bool:
    return kwargs.get("key", NONE) != NONE


def _walked(interp: Interpreter, source: Value, kwargs: Kwargs) -> Value:
    """`source`, or a list of its items where it is none, or where each is known and compared as an object that the key makes."""
    if not _has_key(kwargs):
        source = without_order(interp, source)
    if isinstance(source, Zip | Enumerate) and iteration.known_items(interp, source) is None:
        source = listed(interp, source)
    if _has_key(kwargs) and _compares(kwargs["key"]) and iteration.literal_trips(interp, source) is not None:
        return interp.new_list(tuple(interp.items(source)))
    return source


def _of_many(interp: Interpreter, source: Value, kwargs: Kwargs, hint: str) -> Value | None:
    """The items of `source` in order as the run puts them, where they are not put in order one by one: lists, tuples, numbers."""
    has_key = _has_key(kwargs)
    if has_key and (several := interp.portions(source)) is not None:
        return lists_of_lists.ordered(interp, several, _order(interp, source, kwargs))
    if (columns := interp.columns(source)) is not None:
        if not has_key and columns.cls is not tuple and (params := loop_trips.deciding(interp, source)):
            raise Promote(params)  # so many objects are asked for their order
        return of_tuples.ordered(interp, columns, _order(interp, source, kwargs))
    if _is_known(interp, source) or (has_key and _is_ordered_one_by_one(interp, source, kwargs["key"])):
        return None
    if (found := _of_many_kinds(interp, source, kwargs)) is not None:
        return found
    weak = _refuse_mixed(interp, source) or of_python(interp, source)
    kinds = kinds_in(interp, source)
    return collecting.new_list(interp, sorted_rows(interp, source, kwargs, hint), weak=weak, kinds=kinds)


def _ordered_now(interp: Interpreter, items: list[Value], keys: list[Value], kwargs: Kwargs) -> Value:
    """Items in the order of `keys`, which are known when compiling or are made so."""
    for key in keys:
        if isinstance(key, Var):
            interp.static(key, "an item to sort")
    known = [interp.static(key, "an item to sort, or its key,") for key in keys]
    reverse = _is_reversed(interp, kwargs)
    try:
        order = sorted(range(len(items)), key=known.__getitem__, reverse=reverse)
    except (TypeError, ValueError) as error:  # a text beside a number, an array among keys: the program's own
        return interp.fail(type(error), str(error))
    return interp.new_list(tuple(items[k] for k in order))


def _places_by_a_key(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """The numbers of a range in the order of their keys: as rows of an array, or one by one where their keys are no numbers."""
    saved = Standing.of(interp)
    try:
        with one_way(interp):
            found = sorted_rows(interp, args[0], kwargs, hint)
    except (AdxError, Lost):
        if params := loop_trips.deciding(interp, args[0]):
            raise Promote(params) from None
        if iteration.literal_trips(interp, args[0]) is None:
            raise
        saved.restore(interp)
        return _sorted(interp, (interp.new_list(tuple(interp.items(args[0]))), *args[1:]), kwargs, hint)
    return collecting.new_list(interp, found, weak=of_python(interp, args[0]), kinds=kinds_in(interp, args[0]))


def _deciding(keys: list[Value]) -> list[Value]:
    """What decides on the order of `keys`: of tuples that begin with different numbers or texts, which are known, these."""
    firsts = [key.items[0] for key in keys if isinstance(key, Tuple) and key.items]
    known = [first.value for first in firsts if isinstance(first, Lit) and isinstance(first.value, int | float | str)]
    return firsts if len(known) == len(keys) == len(set(known)) else keys


def _ordered_by_run(interp: Interpreter, items: list[Value], keys: list[Value], kwargs: Kwargs) -> Value | None:
    """Items in the order of `keys`, which only the run knows: numbers, tuples of those, and a few that branches may choose.

    ``None`` for all else.
    """
    told = of_the_run(interp, Tuple(tuple(part for key in keys for part in all_leaves(interp, key))))
    if told is None:
        return None
    of_numbers = interp.of_numbers(tuple(items)) or columns_of(interp, tuple(items)) is not None
    if not of_numbers and (len(items) > _CHOSEN_IN_ORDER or not may_choose(interp, told, len(items))):
        return None
    places, source = _places(interp, interp.new_list(tuple(keys)), Lit(len(items)), kwargs), interp.new_list(tuple(items))
    order = [interp.call(Lit(operator.getitem), (places, Lit(k))) for k in range(len(items))]
    return interp.new_list(tuple(interp.call(Lit(operator.getitem), (source, place)) for place in order))


_CHOSEN_IN_ORDER = 12
"""How many items are put in order by branches: each place is one for each item."""


def _is_reversed(interp: Interpreter, kwargs: Kwargs) -> bool:
    return bool(interp.static(kwargs.get("reverse", Lit(False)), "`reverse`"))


def _by_their_own_order(interp: Interpreter, items: list[Value], keys: list[Value], kwargs: Kwargs) -> Value:
    """Items in the order of `keys`, among which are objects that are asked for it."""
    reverse = _is_reversed(interp, kwargs)
    places = own_order.places_now(interp, keys, reverse=reverse)
    if places is not None:
        return interp.new_list(tuple(items[place] for place in places))
    if reverse:  # equal ones keep their order all the same
        items, keys = items[::-1], keys[::-1]
    found = None
    if len(items) <= _CHOSEN_IN_ORDER:
        found = _ordered_by_run(interp, items, list(own_order.ranks(interp, keys)), {})
    if found is None:
        message = f"more than {_CHOSEN_IN_ORDER} objects are sorted by a method of their own, as only a run can tell"
        raise interp.error(message, "give `sorted` a `key` that is a number")
    return interp.new_list(tuple(interp.items(found)[::-1])) if reverse else found


def _of_many_kinds(interp: Interpreter, source: Value, kwargs: Kwargs) -> Value | None:
    """The known items of `source` in order, numbers that keep their kinds.

    ``None`` where some that are compared are not as large as a float; with a key, complex numbers are put in order too.
    """
    items, key = iteration.known_items(interp, source) or [], kwargs.get("key", NONE)
    types = [number_type(item) for item in items]
    kinds = {kind for type_ in types if isinstance(type_, Scalar) for kind in alternatives(type_)}
    if len(kinds) < 2 or not all(isinstance(type_, Scalar) for type_ in types):
        return None
    if key == NONE and not all(map(_is_as_a_float, items)):
        return None
    keys = [_as_a_float(interp, item) if key == NONE else interp.call(key, (item,)) for item in items]
    return _ordered_by_run(interp, items, keys, kwargs)


def _as_a_float(interp: Interpreter, item: Value) -> Value:
    """The float that equals the number `item`, which a run refuses to put in order where there may be none."""
    value, type_ = interp.call(Lit(float), (item,)), number_type(item)
    if isinstance(item, Var) and isinstance(type_, Scalar) and not all(map(is_inexact, alternatives(type_))):
        beyond = interp.call(Lit(operator.gt), (interp.call(Lit(abs), (value,)), Lit(2.0**53)))
        interp.require(interp.operand(interp.call(Lit(operator.not_), (beyond,))), runtime.not_put_in_order)
    return value


def _is_as_a_float(item: Value) -> bool:
    """Whether `item` is a number to which some float of Python is equal, unless it is a large integer of the run."""
    type_ = number_type(item)
    if isinstance(item, Lit) and isinstance(item.value, int):
        return abs(item.value) <= 2**53
    return isinstance(type_, Scalar) and all(
        np.dtype(kind.dtype).kind in "biuf" and np.dtype(kind.dtype).itemsize <= 8 for kind in alternatives(type_)
    )


def _refuse_mixed(interp: Interpreter, source: Value) -> bool:
    """Whether the known items of `source` are numbers of Python; refused where they are of several kinds, or are arrays.

    What is sorted becomes an array first, and its items would be of one kind afterwards.
    """
    known = iteration.known_items(interp, source)
    types = [number_type(item) for item in known or ()]
    if any(type_ is None or isinstance(type_, Object) for type_ in types):
        return False
    kinds = {kind for type_ in types for kind in (alternatives(type_) if isinstance(type_, Scalar) else (type_,))}
    if len(kinds) > 1 or any(isinstance(kind, Array) for kind in kinds):
        raise interp.error("numbers of different kinds, or arrays, are put in order", "make them one kind, e.g. with `float(…)`")
    return any(isinstance(kind, Scalar) and kind.weak for kind in kinds)


def _is_known(interp: Interpreter, source: Value) -> bool:
    """Whether the items of `source` are numbers or texts that are known now."""
    known = iteration.known_items(interp, source)
    return known is not None and all(not isinstance(item, Var) or interp.integers.origins.get(item) for item in known)


def _compares(key: Value) -> bool:
    """Whether the function `key` makes objects of items that a function of two compares."""
    return isinstance(key, Ref) and key.cls is ByComparison


def _is_ordered_one_by_one(interp: Interpreter, source: Value, key: Value) -> bool:
    """Whether some items of `source`, which are known one by one, are arrays, or all are compared as objects that `key` makes."""
    known = iteration.known_items(interp, source) or ()
    return (_compares(key) and bool(known)) or any(
        isinstance(item, Var) and isinstance(item.type, Array) and item.type.shape != () for item in known
    )


def sorted_rows(interp: Interpreter, source: Value, kwargs: Kwargs, hint: str) -> Value:
    """The items of `source` in order, as an array."""
    reverse = kwargs.get("reverse", Lit(False))
    items = rows(interp, source)
    if kwargs.get("key", NONE) == NONE:
        refuse_rows(interp, items)
        return interp.call(Static(iterations.sorted_rows), (items, reverse), hint=hint)
    return interp.call(Lit(operator.getitem), (items, _order(interp, source, kwargs)), hint=hint)


def _order(interp: Interpreter, source: Value, kwargs: Kwargs) -> Value:
    """The places of the items of `source` in order, by the last part of their keys first: equal items keep their order."""
    key = kwargs.get("key", NONE)
    keys = source if key == NONE else listed(interp, interp.call(Static(iterations.mapped), (key, source)))
    return _places(interp, keys, iteration.length(interp, source), kwargs)


def _places(interp: Interpreter, keys: Value, count: Value, kwargs: Kwargs) -> Value:
    """The places of `count` items with these `keys` in order."""
    places = interp.call(Lit(np.arange), (count,))
    parts = _parts_of_keys(interp, keys)
    for part in reversed(parts):
        ranks = _ranks_by_run(interp, part)
        by = rows(interp, _ranked(interp, part) if len(parts) > 1 else part) if ranks is None else ranks
        refuse_rows(interp, by)
        if len(parts) > 1:
            _require_numbers(interp, by)
        ordered = interp.call(Lit(operator.getitem), (by, places))
        places = interp.call(Static(iterations.rows_sorted_by), (places, ordered, kwargs.get("reverse", Lit(False))))
    return places


def _ranked(interp: Interpreter, part: Value) -> Value:
    """`part`, or of known texts their places among all of them in order: those decide between tuples that begin alike."""
    known = iteration.known_items(interp, part) or []
    texts = [item.value for item in known if isinstance(item, Lit) and isinstance(item.value, str)]
    if not texts or len(texts) < len(known):
        return part
    places = {text: place for place, text in enumerate(sorted(set(texts)))}
    return interp.new_list(tuple(Lit(places[text]) for text in texts))


def _ranks_by_run(interp: Interpreter, part: Value) -> Value | None:
    """The places of texts, of which only the run knows how many they are, among all of them in order; ``None`` of all else."""
    seen = interp.seen(part)
    if not isinstance(seen, Var) or seen not in interp.of_run.lists:
        return None
    return interp.emit(runtime.ranks, (seen,), Array("int64", (interp.integers.fresh_dim(),)), "ranks")


def _require_numbers(interp: Interpreter, by: Value) -> None:
    """Let a run refuse to put tuples in order by `by`, the items at one of their places, if there is NaN among them."""
    if isinstance(by, Var) and isinstance(by.type, Array) and is_inexact(by.type):
        missing = interp.call(Lit(np.any), (interp.call(Lit(np.isnan), (by,)),))
        interp.require(interp.operand(interp.call(Lit(operator.not_), (missing,))), runtime.missing_in_order)


def _parts_of_keys(interp: Interpreter, keys: Value) -> list[Value]:
    """A list for each place in `keys`, where these are tuples."""
    columns = interp.columns(keys)
    if columns is not None and columns.keys is not None:
        raise interp.error("dicts or objects are put in order", "give a `key` that is a number, or a tuple of numbers")
    if columns is not None:
        return [inner for part in columns.lists for inner in _parts_of_keys(interp, part)]
    known = iteration.known_items(interp, keys)
    tuples = [item.items for item in known or () if isinstance(item, Tuple)]
    if not tuples or len(tuples) != len(known or ()) or len({len(items) for items in tuples}) > 1:
        return [keys]
    lists = [interp.new_list(items) for items in zip(*tuples, strict=True)]
    return [inner for part in lists for inner in _parts_of_keys(interp, part)]


def refuse_rows(interp: Interpreter, items: Value) -> None:
    """Refuse to put in order what are no numbers: arrays, which cannot be, and lists, which go by their first items first."""
    if not isinstance(items, Var) or rank(items.type) != 1:
        message = "lists or arrays are put in order, which derivatives keep as the rows of an array"
        raise interp.error(message, "give a `key` that is a number, or a tuple of numbers")


def _place_in_order(fn: Any, meaning: Any) -> Handler:
    """``bisect_left(items, x)`` and its like: a whole number, which nothing moves; objects are asked as its `meaning` says."""

    def handler(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
        if (
            not kwargs
            and len(args) == 2
            and own_order.are_objects(interp, [*(iteration.known_items(interp, args[0]) or ()), args[1]])
        ):
            return interp.call(Static(meaning), args, hint=hint)
        if "key" in kwargs:
            return None
        long = interp.filled(args[0]) if args else None  # an array is asked for its items as a list is
        first = () if long is None else (list_arrays.so_far(interp, long),)
        operands = (*first, *(given_to_unknown(interp, arg) for arg in args[len(first) :]))
        return interp.emit(fn, operands, INT, hint, {key: interp.operand(arg) for key, arg in kwargs.items()})

    return handler


TABLE: dict[Any, Handler] = {
    sorted: walking(_sorted),
    bisect.bisect_left: _place_in_order(bisect.bisect_left, binary_heaps.place_left),
    bisect.bisect_right: _place_in_order(bisect.bisect_right, binary_heaps.place_right),
}
