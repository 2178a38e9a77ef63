"""How a loop goes over what it walks: so many times, each with its item, or as long as there are more."""

from __future__ import annotations

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from adxform import runtime
from adxform.frontend.evaluate.control_flow.iteration import (
    ENDLESS,
    ONE,
    ZERO,
    is_endless,
    item_at,
    known_places,
    length,
    loaded,
    subtract,
)
from adxform.frontend.evaluate.objects.object_contents import AnyContents, Portions
from adxform.frontend.evaluate.objects.value_parts import parts_of
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import (
    Enumerate,
    FunctionValue,
    Mapped,
    Once,
    Range,
    Ref,
    Rest,
    Reversed,
    Stream,
    Value,
    View,
    Zip,
    is_int,
    is_unknown,
)
from adxform.ir.ops import Lit, Operand, Var
from adxform.ir.types import BOOL, INT, Array, Dim, Object, Scalar, Type


@dataclass(frozen=True, slots=True)
class Trip:
    """A counted loop: the arguments of its range, the type and name of its index, and the item at an index."""

    start: Operand
    stop: Operand
    step: Operand
    item: Callable[[Any], Value]
    hint: str = "i"
    type: Type = INT


def listed_unknown(interp: Interpreter, source: Value) -> Value:
    """`source`; where nothing is known of it, the list of what it goes through, which is looked up by position."""
    return interp.emit(list, (interp.operand(source),), Object(), "items") if is_unknown(source) else source


def listed_together(interp: Interpreter, sources: tuple[Value, ...], *, strict: bool = False) -> tuple[Value, ...]:
    """The `sources` of a `zip`; those of which nothing is known as lists of what a `strict` one or another takes of them."""
    if not any(map(is_unknown, sources)):
        return sources
    counted = tuple(source if is_unknown(source) else Range(ZERO, length(interp, source), ONE) for source in sources)
    taken = interp.emit(runtime.walked_together, (Lit(strict), *map(interp.operand, counted)), Object(), "items")
    return tuple(
        interp.emit(operator.getitem, (taken, Lit(k)), Object(), "items") if is_unknown(source) else source
        for k, source in enumerate(sources)
    )


def lists_in(interp: Interpreter, source: Value) -> tuple[Ref, ...]:
    """The lists and dicts that a walk over `source` looks at, iteration by iteration."""
    match source:
        case Ref() | View(Ref()):
            ref = source.of if isinstance(source, View) else source
            portion = interp.portion(ref)
            if portion is not None:
                return lists_in(interp, portion.pairs)
            columns = interp.columns(ref)
            return (ref, *(() if columns is None else (inner for part in columns.lists for inner in lists_in(interp, part))))
        case Zip(parts):
            return tuple(ref for part in parts for ref in lists_in(interp, part))
        case Enumerate(items) | Reversed(items) | Mapped(_, items):
            return lists_in(interp, items)
        case Rest(items) | Stream(of=items) if items is not None:
            return lists_in(interp, items)
        case Once(early=early):
            return tuple(ref for part in early for ref in lists_in(interp, part))
        case FunctionValue():
            return tuple(ref for part in parts_of(source) for ref in lists_in(interp, part))
        case _:
            return ()


def seen_of(interp: Interpreter, ref: Ref) -> AnyContents:
    """What a walk over a list or dict sees of it: of a list of lists which they are, and not how many others there are."""
    contents = interp.heap.contents[ref]
    return interp.heap.contents[contents.places] if isinstance(contents, Portions) and contents.places is not None else contents


def has_stream(source: Value) -> bool:
    """Whether the end of `source` is only found by going there."""
    match source:
        case Stream():
            return True
        case Enumerate(items) | Mapped(_, items):
            return has_stream(items)
        case Zip(parts):
            return any(map(has_stream, parts))
        case _:
            return False


def stream(interp: Interpreter, source: Value) -> Value:
    """`source`; where nothing is known of it, what goes through it item by item."""
    if not is_unknown(source):
        return source
    return Stream(interp.emit(runtime.Cursor, (interp.operand(source),), Object(), "cursor"))


More = Callable[[Value], Value]


def turns(interp: Interpreter, source: Value) -> tuple[list[More], int | None]:
    """What is asked in turn before item `k` of `source`, which has a stream, and how many it has at most where that is known."""
    match source:
        case Stream(cursor):
            return ([lambda k: interp.emit(runtime.advance, (cursor,), BOOL, "more")] if source.asks else []), None
        case Enumerate(items) | Mapped(_, items) if has_stream(source):
            return turns(interp, items)
        case Zip(parts) if has_stream(source):
            found = [turns(interp, part) for part in parts]
            counts = [count for _, count in found if count is not None]
            return [more for part, _ in found for more in part], min(counts, default=None)
        case _ if is_endless(source):
            return [], None
        case _:
            known = known_places(interp, source)
            count = Lit(len(known)) if known is not None else length(interp, source)
            return [lambda k: interp.call(Lit(operator.gt), (count, k), hint="more")], None if known is None else len(known)


def promotable(interp: Interpreter, source: Value) -> frozenset[Var]:
    """The parameters that decide how many items `source` has, if nothing else does."""
    match source:
        case Enumerate(items) | Reversed(items) | Mapped(_, items):
            return promotable(interp, items)
        case Zip(parts):
            return frozenset().union(*(promotable(interp, part) for part in parts))
        case _:
            found = deciding(interp, source)
            return frozenset() if any(var.name in interp.integers.of_arguments for var in found) else found


def deciding(interp: Interpreter, source: Value) -> frozenset[Var]:
    """The parameters, and lengths of arguments, that decide how many items `source` has, if nothing else does."""
    match source:
        case Range(start, stop, step):
            found: frozenset[Var] = frozenset()
            for part in (start, stop, step):
                if isinstance(part, Var):
                    origin = interp.integers.followed(part)
                    if not origin:
                        return frozenset()
                    found |= origin
            return found
        case Enumerate(items) | Reversed(items) | Mapped(_, items):
            return deciding(interp, items)
        case Var(_, Array(_, (Dim(base), *_))) if base in interp.integers.of_arguments:
            return interp.integers.of_arguments[base]
        case Ref(kind="list"):
            filled, columns = interp.filled(source), interp.columns(source)
            if columns is not None:
                return deciding(interp, interp.counted_list(columns))
            return frozenset() if filled is None else filled.params
        case Zip(parts):
            return frozenset().union(*(deciding(interp, part) for part in parts))
        case _:
            return frozenset()


def trip(interp: Interpreter, source: Value, hint: str) -> Trip:
    """The counted loop over `source`; `hint` names the item."""
    match source:
        case Range(start, stop, step):
            for part in (start, stop, step):
                if not is_int(part) and not (isinstance(part, Var) and isinstance(part.type, Object | Scalar)):
                    raise interp.error("the bounds of a range must be integers", "convert them with `int(…)`")
            return Trip(interp.operand(start), interp.operand(stop), interp.operand(step), lambda index: index, hint)
        case Reversed(Range(start, stop, Lit(1))):
            first, last = subtract(interp, stop, ONE), subtract(interp, start, ONE)
            return Trip(interp.operand(first), interp.operand(last), Lit(-1), lambda index: index, hint)
        case Reversed(Var(_, Array()) as x):
            first = subtract(interp, length(interp, x), ONE)
            return Trip(interp.operand(first), Lit(-1), Lit(-1), lambda index: loaded(interp, x, index, hint))
        case Var(_, Array() as type_) as x:
            if type_.shape is None:
                message = "this may be a number or an array, so it cannot be iterated over"
                raise interp.unknown(message, "give it one kind on every path", x)
            stop = length(interp, x)
            return Trip(ZERO, interp.operand(stop), ONE, lambda index: loaded(interp, x, index, hint))
        case Var(_, Object()):
            items = listed_unknown(interp, source)
            return Trip(ZERO, interp.operand(length(interp, items)), ONE, lambda index: item_at(interp, items, index))
        case Var():
            raise interp.error("a number cannot be iterated over", "iterate over a range or an array")
        case _:
            stop = Lit(ENDLESS) if is_endless(source) else length(interp, source)
            return Trip(ZERO, interp.operand(stop), ONE, lambda index: item_at(interp, source, index))
