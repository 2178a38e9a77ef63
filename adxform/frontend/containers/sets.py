"""Sets of known elements: what Python does with them is done with real ones, see `adxform.frontend.evaluate.set_orders`."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable
from typing import Any

from adxform.frontend.containers import object_sets
from adxform.frontend.evaluate.control_flow import walks
from adxform.frontend.evaluate.keys import hashed
from adxform.frontend.evaluate.objects.object_contents import Contents
from adxform.frontend.evaluate.outside.guards import itself
from adxform.frontend.evaluate.set_orders import as_given, changed, done, frozen, ordered
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, Ref, Value, View
from adxform.ir.ops import Lit

SetHandler = Callable[[Interpreter, tuple[Value, ...], dict[str, Value], str], Value]
_ELEMENT = "an element of a set"


def made(interp: Interpreter, fn: Callable[..., Any], *given: Any) -> Value:
    """What ``fn(*given)`` returns: a fresh set, a frozen one, or an answer."""
    try:
        found = done(fn, *given)
    except TypeError as error:
        return interp.fail(TypeError, str(error))
    if isinstance(found, Contents):
        ref = interp.heap.new("set", set, (), ())
        interp.heap.contents[ref] = found
        return ref
    return frozen(interp, found, given) if isinstance(found, frozenset) else Lit(found)


def change(interp: Interpreter, ref: Ref, fn: Callable[..., Any], *given: Any) -> Any:
    """What ``fn`` returns of the set `ref`, which it changes.

    Raises:
        KeyError: what Python says.
    """
    before = interp.contents(ref)
    if fn in (set.add, set.discard, set.remove) and (given[0] in before.keys) is (fn is set.add):
        if fn is set.remove:
            raise KeyError(given[0])
        return None
    found, contents = changed(before, fn, *given)
    interp.write(ref, contents)
    return found


def given(interp: Interpreter, value: Value) -> Any:
    """What `value` goes through, as what Python's sets tell apart: sets, dicts, their views, and all else."""
    walks.refuse_in_part(interp, value)
    value = walks.opened(interp, value)
    found = as_given(interp, value)
    if found is not None:
        return found
    match value:
        case Ref(kind="dict"):
            return _dict(interp, value, dict.fromkeys(interp.contents(value).keys))
        case View(of, "keys"):
            return _dict(interp, of, dict.fromkeys(interp.contents(of).keys)).keys()
        case View(of, "items"):
            contents = interp.contents(of)
            pairs = zip(contents.keys, contents.items, strict=True)
            return _dict(interp, of, {key: hashed(interp, item, _ELEMENT) for key, item in pairs}).items()
        case _:
            return tuple(hashed(interp, item, _ELEMENT) for item in interp.items(value))


def made_of_list(held: set[Any]) -> set[Any]:
    """A set of the elements of `held`, one after the other, which is what a deep copy is."""
    return set(list(held))  # noqa: C414 - a copy of a set keeps more of it


def _dict(interp: Interpreter, ref: Ref, items: dict[Any, Any]) -> Any:
    """A dict of the class of `ref`: of those that are no plain ones, sets do not know the length beforehand."""
    if ref.cls is dict:
        return items
    return defaultdict(None, items) if issubclass(ref.cls, defaultdict) else OrderedDict(items)


def _new(fn: type) -> SetHandler:
    def handler(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
        if fn is set and len(args) == 1 and interp.loops.chooses and (found := object_sets.made(interp, args[0])) is not None:
            return found
        interp.loops.would_choose |= fn is set and len(args) == 1 and not interp.loops.chooses
        return made(interp, fn, *(given(interp, arg) for arg in args))

    return handler


def _changes(fn: Any) -> SetHandler:
    """A method of a set that changes it, and may raise."""

    def handler(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
        ref = args[0]
        assert isinstance(ref, Ref)
        if object_sets.changed(interp, ref, fn, args[1:]):
            return NONE
        operands = [_operand(interp, fn, arg) for arg in args[1:]]
        if fn is set.pop:
            ordered(interp, interp.contents(ref))
        try:
            found = change(interp, ref, fn, *operands)
        except (KeyError, TypeError) as error:
            return interp.fail(type(error), error.args[0] if error.args else "")
        return NONE if found is None else itself(interp, found)

    return handler


def _asks(fn: Any) -> SetHandler:
    """A method of a set that gives another set, or an answer."""

    def handler(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
        return made(interp, fn, given(interp, args[0]), *(given(interp, arg) for arg in args[1:]))

    return handler


def _operand(interp: Interpreter, fn: Any, arg: Value) -> Any:
    """What a method of a set is given: an element, or the elements of another collection."""
    if fn not in (set.add, set.discard, set.remove):
        return given(interp, arg)
    if isinstance(arg, Ref) and arg.kind == "set" and fn is not set.add:  # a set is looked for as a frozen one
        return frozenset(interp.contents(arg).keys)
    return hashed(interp, arg, _ELEMENT)


_CHANGES: tuple[Any, ...] = (
    set.add,
    set.discard,
    set.remove,
    set.pop,
    set.clear,
    set.update,
    set.intersection_update,
    set.difference_update,
    set.symmetric_difference_update,
)
_QUESTIONS: tuple[Any, ...] = (
    set.copy,
    set.union,
    set.intersection,
    set.difference,
    set.symmetric_difference,
    set.issubset,
    set.issuperset,
    set.isdisjoint,
)
SET_METHODS: dict[tuple[type, str], SetHandler] = {
    **{(set, fn.__name__): _changes(fn) for fn in _CHANGES},
    **{(set, fn.__name__): _asks(fn) for fn in _QUESTIONS},
}
new_set, new_frozen_set = _new(set), _new(frozenset)
