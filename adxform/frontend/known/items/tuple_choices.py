"""Tuples of items that are chosen: products, combinations and permutations, neighbours, and the places of arrays."""

from __future__ import annotations

import itertools
import operator
from typing import Any

import numpy as np

from adxform.frontend.containers.methods import Answer, Args, Handler, Kwargs
from adxform.frontend.evaluate.control_flow import iteration, walks
from adxform.frontend.evaluate.control_flow.joined_types import number_type
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Mapped, Method, Range, Ref, Reversed, Static, Tuple, Value, Zip
from adxform.frontend.known.items.iterables import rows
from adxform.frontend.signature import python_class
from adxform.ir.ops import Lit, Var
from adxform.ir.types import Array, Scalar
from adxform.primitives.definitions.of_python import iterations


def _product(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    repeat = interp.static(kwargs["repeat"], "`repeat`") if "repeat" in kwargs else 1
    if any(iteration.literal_trips(interp, arg) is None for arg in args):
        sources = args * repeat
        pools = tuple(rows(interp, arg) for arg in args) * repeat
        if len(pools) == 2 and all(map(_is_of_numbers, pools)):
            return own_numbers(interp, interp.call(Static(iterations.crossed), pools), sources)
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
    return own_numbers(interp, found, (source, source))


def _is_of_numbers(pool: Value) -> bool:
    return isinstance(pool, Var) and isinstance(pool.type, Array) and pool.type.shape is not None and len(pool.type.shape) == 1


def _tuples_at(interp: Interpreter, sources: tuple[Value, ...], pools: tuple[Value, ...], places: Value) -> Value:
    """Tuples of the items of `sources`, which are in `pools`, at `places`: numbers as they are now, rows as each is looked at."""
    if all(map(_is_of_numbers, pools)):
        return own_numbers(interp, interp.call(Static(iterations.taken), (Tuple(pools), places)), sources)
    held = {pool: interp.call(Lit(np.copy), (pool,)) if _is_of_numbers(pool) else pool for pool in pools}
    fn = Method(Static(iterations.items_at), (_makers(interp, sources), Tuple(tuple(held[pool] for pool in pools))))
    return Mapped(fn, walks.opened(interp, Zip(tuple(interp.items(places)))))


def own_numbers(interp: Interpreter, tuples: Value, sources: tuple[Value, ...]) -> Value:
    """`tuples` of items of arrays as those of `sources`: of Python's own numbers where these have them."""
    if all(own_class(interp, source) is None for source in sources):
        return tuples
    return Mapped(Method(Static(iterations.made_of), (_makers(interp, sources),)), walks.opened(interp, tuples))


def _makers(interp: Interpreter, sources: tuple[Value, ...]) -> Value:
    """What makes of an item of the array of each source what the source holds."""
    classes = (own_class(interp, source) for source in sources)
    return Tuple(tuple(Static(iterations.itself if cls is None else cls) for cls in classes))


def own_class(interp: Interpreter, source: Value) -> type | None:
    """The class of the items of `source` where these are Python's own numbers, which an array of them does not hold."""
    filled = interp.filled(source)
    if filled is not None:
        type_ = filled.buffer.type
        return python_class(type_.dtype, weak=True) if filled.weak and isinstance(type_, Array) and not filled.nested else None
    match source:
        case Range():
            return int
        case Reversed(items):
            return own_class(interp, items)
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


def pairwise(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    """``itertools.pairwise(items)``"""
    known = iteration.known_items(interp, args[0])
    if known is not None:
        return Tuple(tuple(Tuple(pair) for pair in itertools.pairwise(known)))
    return own_numbers(interp, interp.call(Static(iterations.neighbours), (rows(interp, args[0]),)), (args[0], args[0]))


SETTLED: dict[Any, Handler] = {
    itertools.product: _product,
    np.ndindex: _places,
    np.ndenumerate: _places_with_entries,
    itertools.combinations: _combinations,
    itertools.combinations_with_replacement: _combinations_again,
    itertools.permutations: _permutations,
}
"""Those that look at what they are given when they are called."""
