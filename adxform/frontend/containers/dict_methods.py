"""Methods of dicts of known structure, and of ordered ones."""

from __future__ import annotations

import operator
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Literal

from adxform.frontend.containers import keyed_lists
from adxform.frontend.evaluate.control_flow import walks
from adxform.frontend.evaluate.keys import hashed
from adxform.frontend.evaluate.objects import doubtful_keys
from adxform.frontend.evaluate.objects.chosen_items import of_the_run
from adxform.frontend.evaluate.objects.object_contents import Contents
from adxform.frontend.evaluate.outside.guards import constant, itself
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, Ref, Static, Tuple, Value, View
from adxform.ir.ops import Lit
from adxform.primitives.definitions.of_python import item_places

DictHandler = Callable[[Interpreter, tuple[Value, ...], dict[str, Value], str], Value]


def _get(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
    assert isinstance(args[0], Ref)
    if (held := keyed_lists.asked(interp, args[0], args[1])) is not None:
        return keyed_lists.get(interp, held, args[1], (*args, NONE)[2])
    if interp.doubtful(args[0]) is not None:
        key = hashed(interp, args[1], "a dict key", args[0])
        return doubtful_keys.item_or(interp, args[0], key, (*args, NONE)[2], hint)
    if keyed_lists.is_new(interp, args[0], args[1]):
        return (*args, NONE)[2]
    if of_the_run(interp, args[1]) is not None:
        return interp.call(Static(item_places.got), (*args, NONE)[:3], hint=hint)
    found = interp.contents(args[0]).get(hashed(interp, args[1], "a dict key", args[0]))
    return found if found is not None else args[2] if len(args) > 2 else NONE


def _view(part: Literal["keys", "values", "items"]) -> DictHandler:
    def handler(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
        assert isinstance(args[0], Ref)
        return View(args[0], part)

    return handler


def _update(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
    ref = args[0]
    assert isinstance(ref, Ref)
    for other in args[1:]:
        walks.refuse_in_part(interp, other)
    if interp.keyed(ref) is not None:
        for own, item in (pair for other in args[1:] for pair in interp.pairs(other)):
            interp.call(Lit(operator.setitem), (ref, constant(interp, own), item), wanted=False)
        for name, item in kwargs.items():
            interp.call(Lit(operator.setitem), (ref, Lit(name), item), wanted=False)
        return NONE
    contents = interp.contents_or_doubt(ref)
    for other in args[1:]:
        for key, item in interp.pairs(other):
            contents = contents.put(key, item)
    for key, item in kwargs.items():
        contents = contents.put(key, item)
    interp.write(ref, contents)
    return NONE


def _set_default(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
    if isinstance(args[0], Ref) and (held := interp.under_key(args[0], args[1], stored=True)) is not None:
        return keyed_lists.set_default(interp, held, args[1], (*args, NONE)[2])
    ref, key = args[0], hashed(interp, args[1], "a dict key", args[0])
    assert isinstance(ref, Ref)
    if interp.doubtful(ref) is not None:
        kept = doubtful_keys.item_or(interp, ref, key, (*args, NONE)[2])
        doubtful_keys.put(interp, ref, key, kept)
        return kept
    found = interp.contents(ref).get(key)
    if found is None:
        found = args[2] if len(args) > 2 else NONE
        interp.write(ref, interp.contents(ref).put(key, found))
    return found


def _dict_pop(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
    if (keyed := keyed_lists.asked(interp, args[0], args[1])) is not None:
        return keyed_lists.pop(interp, keyed, args[1], args[2] if len(args) > 2 else None)
    ref, key = args[0], hashed(interp, args[1], "a dict key", args[0])
    assert isinstance(ref, Ref)
    if interp.doubtful(ref) is not None:
        return _pop_doubtful(interp, ref, key, args[2] if len(args) > 2 else None)
    contents = interp.contents(ref)
    found = contents.get(key)
    if found is None:
        default = args[2] if len(args) > 2 else None
        return interp.fail(KeyError, key) if default is None else default
    interp.write(ref, contents.without(key))
    return found


def _pop_doubtful(interp: Interpreter, ref: Ref, key: Any, default: Value | None) -> Value:
    """``d.pop(key)`` or ``d.pop(key, default)`` of a dict of which only the run knows whether it has the key."""
    if default is not None:
        kept: Value | None = doubtful_keys.item_or(interp, ref, key, default)
    else:
        kept = doubtful_keys.found(interp, ref, key, KeyError, key)
    doubtful_keys.drop(interp, ref, key)
    return interp.fail(KeyError, key) if kept is None else kept


def _pop_item(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
    ref = args[0]
    assert isinstance(ref, Ref)
    contents = interp.contents(ref)
    if not contents.keys:
        return interp.fail(KeyError, "popitem(): dictionary is empty")
    interp.write(ref, Contents(contents.keys[:-1], contents.items[:-1]))
    return Tuple((itself(interp, contents.keys[-1]), contents.items[-1]))


def _end_of(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], place: int) -> bool:
    """Whether a method of an ordered dict is asked for its last item, which `last` says, by name or at this place."""
    given = args[place] if len(args) > place else kwargs.get("last", Lit(True))
    return bool(interp.static(given, "`last`"))


def _pop_end(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
    ref, last = args[0], _end_of(interp, args, kwargs, 1)
    assert isinstance(ref, Ref)
    contents = interp.contents(ref)
    if last or not contents.keys:
        return interp.fail(KeyError, "dictionary is empty") if not contents.keys else _pop_item(interp, args[:1], {}, hint)
    interp.write(ref, Contents(contents.keys[1:], contents.items[1:]))
    return Tuple((itself(interp, contents.keys[0]), contents.items[0]))


def _move_to_end(interp: Interpreter, args: tuple[Value, ...], kwargs: dict[str, Value], hint: str) -> Value:
    ref, key, last = args[0], hashed(interp, args[1], "a dict key", args[0]), _end_of(interp, args, kwargs, 2)
    assert isinstance(ref, Ref)
    contents = interp.contents(ref)
    if contents.get(key) is None:
        return interp.fail(KeyError, key)
    pairs = list(zip(contents.keys, contents.items, strict=True))
    own, others = [pair for pair in pairs if pair[0] == key], [pair for pair in pairs if pair[0] != key]
    ordered = [*others, *own] if last else [*own, *others]
    interp.write(ref, Contents(tuple(kept for kept, _ in ordered), tuple(item for _, item in ordered)))
    return NONE


DICT_METHODS: dict[tuple[type, str], DictHandler] = {
    (dict, "get"): _get,
    (dict, "keys"): _view("keys"),
    (dict, "values"): _view("values"),
    (dict, "items"): _view("items"),
    (dict, "update"): _update,
    (dict, "setdefault"): _set_default,
    (dict, "pop"): _dict_pop,
    (dict, "popitem"): _pop_item,
    (OrderedDict, "popitem"): _pop_end,
    (OrderedDict, "move_to_end"): _move_to_end,
}
