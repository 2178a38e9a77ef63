"""In which order Python walks over a set.

It depends on the hashes of the elements, on the size of the table and on all that was added and taken out before. So the
program's set is made once more, a real one, by the same constructors, operators and methods, and that one is walked over.
Where it cannot be, because elements come from a set of the caller's or paths differ, the set is known but for its order.
"""

from __future__ import annotations

import enum
import operator
import sys
import types
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from adxform.frontend.evaluate.objects.object_contents import Contents, Made, SetElements
from adxform.frontend.evaluate.outside.guards import guard
from adxform.frontend.evaluate.outside.settled import is_listed, may_change
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Ref, Static, Tuple, Value
from adxform.frontend.signature.access import Access, InThisProcess
from adxform.ir.ops import Lit


@dataclass(frozen=True, slots=True)
class Loose:
    """A set that has the elements of `held`, in an order that is not known."""

    held: Iterable[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Operation(Made):
    """What ``fn(*given)`` makes; of `base`, what it is after ``fn(base, *given)``.

    `held` has the real set until something more is done to it. `everywhere`: constants of the code, which come in another order
    when the code was read from a file, did not decide the order.
    """

    fn: Callable[..., Any]
    given: tuple[Any, ...]
    base: Operation | None = None
    held: list[set[Any]] = field(default_factory=list)
    everywhere: bool = True


ITSELF = object()
"""Stands among what is given for the set that is changed."""


def real(made: Any) -> Any:
    """The set that `made` is, which is not to be changed; anything else as it is."""
    if isinstance(made, Loose):
        return made.held
    if not isinstance(made, Operation):
        return made
    if not made.held:
        later = [made]
        while later[-1].base is not None:
            later.append(later[-1].base)
        first = later.pop()
        found = first.fn(*map(real, first.given))
        while later:
            _change(found, later.pop())
        made.held.append(found)
    return made.held[0]


def _change(held: set[Any], step: Operation) -> Any:
    return step.fn(held, *(held if one is ITSELF else real(one) for one in step.given))


def done(fn: Callable[..., Any], *given: Any) -> Any:
    """What ``fn(*given)`` returns; of a set, its contents."""
    found = fn(*map(real, given))
    if type(found) is not set:
        return found
    return _contents(Operation(fn, given, None, [found], _everywhere(given)) if not _loose(given) else Loose(found))


def changed(contents: Contents, fn: Callable[..., Any], *given: Any) -> tuple[Any, Contents]:
    """What ``fn`` returns of a set with `contents`, and the contents that it has afterwards."""
    made = contents.made if isinstance(contents, SetElements) else None
    if not isinstance(made, Operation) or _loose(given):
        held = set(contents.keys)
        found = fn(held, *map(real, given))
        return found, _contents(Loose(held))
    held = real(made)
    kept = tuple(ITSELF if one is made else one for one in given)
    step = Operation(fn, kept, made, [], made.everywhere and _everywhere(given))
    others = [held if one is ITSELF else real(one) for one in kept]
    made.held.clear()
    try:
        found = fn(held, *others)
    except BaseException:
        made.held.clear()  # made anew where it is asked for
        raise
    step.held.append(held)
    return found, _contents(step)


def _contents(made: Operation | Loose) -> Contents:
    keys = tuple(real(made))
    items = tuple(map(Lit, keys))
    return SetElements(keys, items, made if isinstance(made, Operation) else None)


def _loose(given: Iterable[Any]) -> bool:
    return any(isinstance(one, Loose) for one in given)


def _everywhere(given: Iterable[Any]) -> bool:
    return all(one.everywhere if isinstance(one, Operation) else _apart(one) for one in given)


def _apart(given: Any, size: int | None = None) -> bool:
    """Whether no two elements of a frozen set have one place in its table: then it does not matter which came first."""
    if not isinstance(given, frozenset):
        return True
    mask = max(_SMALLEST, ((given.__sizeof__() if size is None else size) - _EMPTY) // _ENTRY) - 1
    return len({hash(item) & mask for item in given}) == len(given)


_SMALLEST, _ENTRY, _EMPTY = 8, 16, set().__sizeof__()
"""Entries of the smallest table, bytes of an entry, and bytes of a set that has no table beside itself."""

_NUMBERS = (bool, int, float, complex, np.bool_, np.integer, np.inexact)
_OF_PROCESS = (str, bytes, types.FunctionType, types.BuiltinFunctionType, types.ModuleType, type(...), type(NotImplemented))
EVERYWHERE, HERE, NOWHERE = 2, 1, 0


def constancy(item: Any) -> int:
    """Whether the hash of an element is the same in every process, the same in this one, or whatever its class says."""
    cls = type(item)
    if item is None:
        return EVERYWHERE if sys.version_info >= (3, 12) else HERE
    if cls in _NUMBERS or isinstance(item, np.generic):
        return EVERYWHERE if isinstance(item, _NUMBERS) and item == item else NOWHERE  # that of NaN is where it is
    if cls in (tuple, frozenset):
        return min(map(constancy, item), default=EVERYWHERE)
    if cls in _OF_PROCESS:
        return HERE
    hashes: Any = cls.__hash__
    own = hashes is object.__hash__ or (isinstance(item, enum.Enum) and hashes in (enum.Enum.__hash__, int.__hash__))
    return HERE if own else NOWHERE


def ordered(interp: Interpreter, contents: Contents | frozenset[Any]) -> tuple[Any, ...]:
    """The elements of a set in the order in which Python walks over them.

    Raises:
        UnsupportedOperationError: it is not known.
    """
    frozen = isinstance(contents, frozenset)
    keys: tuple[Any, ...] = tuple(contents) if isinstance(contents, frozenset) else contents.keys
    if len(keys) < 2:
        return keys
    made = contents.made if isinstance(contents, SetElements) else None
    constant = min(map(constancy, keys))
    if constant == NOWHERE:
        raise refusal(interp, "which has elements whose hash only their class knows")
    if (id(contents) in interp.outer.unordered) if frozen else not isinstance(made, Operation):
        raise refusal(interp, "which is made of one from outside, or in another way on another path")
    if frozen or constant == HERE or not (isinstance(made, Operation) and made.everywhere):
        guard(interp, Access(), InThisProcess())
    return keys


def refusal(interp: Interpreter, which: str) -> Exception:
    """The error for a walk over a set whose order is not known."""
    return interp.error(f"the order of a set is asked for, {which}", "sort it first: `for k in sorted(s)`")


def frozen(interp: Interpreter, found: frozenset[Any], given: Iterable[Any]) -> Lit:
    """A frozen set made of what was `given`; its order is not known where that of something given is not."""
    if _loose(given):
        interp.outer.unordered[id(found)] = found
    return Lit(found)


def as_given(interp: Interpreter, value: Value) -> Any:
    """A set as an operand of `done` and `changed`; ``None`` for what is none."""
    match value:
        case Ref(kind="set"):
            contents = interp.contents(value)
            made = contents.made if isinstance(contents, SetElements) else None
            return Loose(set(contents.keys)) if made is None else made
        case Lit(frozenset() as held):
            return Loose(held) if id(held) in interp.outer.unordered else held
        case Static(frozenset() as held) if type(held) is frozenset and not may_change(held):
            guard(interp, Access(), InThisProcess())
            return Loose(held) if id(held) in interp.outer.unordered else interp.settle(value)
        case Static(held) if isinstance(held, frozenset) or is_listed(held):
            return Loose(interp.settle(value))
        case _:
            return None


def without_order(interp: Interpreter, value: Value) -> Value:
    """`value`; a set of numbers or texts as the tuple of them in order, for what asks for no order."""
    match value:
        case Ref(kind="set"):
            keys = interp.contents(value).keys
        case Lit(frozenset() as held):
            keys = tuple(held)
        case Static(held) if is_listed(held) or (type(held) is frozenset and not may_change(held)):
            keys = tuple(held)
        case _:
            return value
    if not _in_line(keys):
        return value
    if isinstance(value, Static):
        interp.settle(value)
    return Tuple(tuple(map(Lit, sorted(keys))))


def _in_line(items: tuple[Any, ...]) -> bool:
    """Whether each of two different `items` is the smaller one, or the other is."""
    if all(isinstance(item, bool | int | float | np.bool_ | np.integer | np.floating) for item in items):
        return all(operator.eq(item, item) for item in items)
    if all(type(item) is tuple and len(item) == len(items[0]) for item in items):
        return all(map(_in_line, zip(*items, strict=True)))
    return len({type(item) for item in items}) == 1 and type(items[0]) in (str, bytes)


def rebuilt(interp: Interpreter, contents: Contents) -> Any:
    """Of what ``set(…)`` makes a set with `contents` that is walked over as this one is, whatever is done to it then.

    Raises:
        UnsupportedOperationError: it is not known, or `set` makes none.
    """
    made = contents.made if isinstance(contents, SetElements) else None
    given = _one_after_the_other(made)
    if given is not None:
        return given
    keys = ordered(interp, contents)
    if len(keys) < 2:
        return keys
    again, held = set(keys), real(made)
    alike = tuple(again) == keys and again.__sizeof__() == held.__sizeof__() and _apart(frozenset(keys), held.__sizeof__())
    if not alike or not _only_grew(made) or min(map(constancy, keys)) != EVERYWHERE:
        raise refusal(interp, "which is given to a function that adxform cannot look into")
    return keys


def _one_after_the_other(made: Any) -> tuple[Any, ...] | frozenset[Any] | None:
    """What `set` goes through to make the set, if it was made so or by adding elements; ``None`` if not."""
    added: list[tuple[Any, ...]] = []
    while isinstance(made, Operation) and made.base is not None:
        if made.fn is set.add:
            added.append(made.given)
        elif made.fn is set.update and all(type(one) is tuple for one in made.given):
            added += reversed(made.given)
        else:
            return None
        made = made.base
    if not isinstance(made, Operation) or made.fn is not set or not all(type(one) in (tuple, frozenset) for one in made.given):
        return None
    first = made.given[0] if made.given else ()
    if isinstance(first, frozenset):
        return None if added else first
    return (*first, *(item for part in reversed(added) for item in part))


def _only_grew(made: Any) -> bool:
    """Whether nothing was taken out of the set, which leaves traces in its table."""
    while made.base is not None:
        if made.fn not in (set.add, set.update, operator.ior):
            return False
        made = made.base
    return True


def as_constant(interp: Interpreter, value: Value) -> Value:
    """`value`; a set that is walked over as that of the program is, for a function that is run now and does not change it."""
    if not isinstance(value, Ref) or value.kind != "set":
        return value
    contents = interp.contents(value)
    if (
        not isinstance(contents, SetElements)
        or contents.made is None
        or min(map(constancy, contents.keys), default=HERE) == NOWHERE
    ):
        return value
    ordered(interp, contents)
    return Static(real(contents.made))


def refuse_unordered(interp: Interpreter, value: Any) -> None:
    """Refuse to give a function a set of which only the elements are known."""
    if isinstance(value, frozenset) and len(value) > 1 and id(value) in interp.outer.unordered:
        raise refusal(interp, "which is made of one from outside")


def note_orders(interp: Interpreter, fn: Any, values: Iterable[Any]) -> None:
    """Note that ``fn(*values)`` is run now, which may ask for the order of frozen sets among `values`."""
    for found in () if _asks_no_order(fn) else _sets_in(values):
        ordered(interp, found)


def _asks_no_order(fn: Any) -> bool:
    """Whether what `fn` returns of sets does not follow from their order, but for that of a set that it returns."""
    owner = getattr(fn, "__objclass__", type(getattr(fn, "__self__", None)))
    method = owner is frozenset and fn.__name__ not in ("__iter__", "__repr__", "__str__", "__reduce__")
    return method or fn in (bool, frozenset) or (getattr(fn, "__module__", "") == "_operator" and fn is not operator.indexOf)


def _sets_in(values: Iterable[Any]) -> Iterable[frozenset[Any]]:
    for value in values:
        if isinstance(value, frozenset):
            yield value
        elif type(value) in (tuple, list):
            yield from _sets_in(value)
        elif type(value) is dict:
            yield from _sets_in((*value, *value.values()))


def note_result(interp: Interpreter, result: Any, values: Iterable[Any]) -> None:
    """Note that `result`, if it is a frozen set, was made of `values`, of which some have an order that is not known."""
    if isinstance(result, frozenset) and any(id(value) in interp.outer.unordered or is_listed(value) for value in values):
        interp.outer.unordered[id(result)] = result
