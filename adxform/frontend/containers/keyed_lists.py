"""Dicts of which only the run knows the keys: a list of these, in the order in which they came, and one of what is under them.

d[k] = v                        # place = place_under(keys, k); where there is none, keys.append(k), items.append(v)
for k, v in d.items(): …        # for k, v in zip(keys, items): …
"""

from __future__ import annotations

import operator
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from adxform import runtime
from adxform.frontend.containers import list_arrays, list_kinds, lists_of_lists, object_lists
from adxform.frontend.evaluate.classes.class_contents import find
from adxform.frontend.evaluate.objects.object_contents import AnyContents, Contents, Doubtful, Keyed
from adxform.frontend.evaluate.outside.guards import constant
from adxform.frontend.evaluate.signals import Grows
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, Ref, Static, Tuple, Value, View, Zip
from adxform.ir.kinds import alternatives
from adxform.ir.ops import Lit, Var
from adxform.ir.types import Object, Scalar, is_float
from adxform.primitives.definitions.of_python import item_places, keyed_items


def under(interp: Interpreter, ref: Ref, key: Value, *, stored: bool = False) -> Keyed | None:
    """What a dict holds of which only the run knows the keys, or may, once it has `key`; ``None`` for any other dict or key.

    Where something is `stored` under `key`, it may be a new one in a dict that has known ones so far.
    """
    held = interp.keyed(ref)
    if held is not None:
        if not _is_key(interp, key, known=True):
            raise interp.error(
                "a key of a dict of which only a run knows the keys that is no number or text, nor a tuple of those",
                "number what is meant: `k = int(…)`",
            )
        _refuse_nan(interp, key)
        return held
    may_be = _may_be_added_to(interp, ref) if stored or interp.doubtful(ref) is not None else _is_empty(interp, ref)
    if not may_be or not _is_key(interp, key, known=False):
        return None
    if not interp.loops.chooses:
        interp.loops.would_choose = True
        return None
    begun(interp, ref)
    _refuse_nan(interp, key)
    return interp.keyed(ref)


def asked(interp: Interpreter, value: Value, key: Value) -> Keyed | None:
    """What a dict holds that is asked for `key`, if only the run knows its keys, or this one beside some that are in doubt."""
    if not isinstance(value, Ref) or (interp.keyed(value) is None and interp.doubtful(value) is None):
        return None
    return under(interp, value, key)


def _refuse_nan(interp: Interpreter, key: Value) -> None:
    """Let the run refuse a key that is NaN: Python finds it where it is the same object."""
    for part in key.items if isinstance(key, Tuple) else (key,):
        if isinstance(part, Tuple):
            _refuse_nan(interp, part)
        elif isinstance(part, Var) and is_float(part.type):
            interp.require(interp.operand(interp.call(Lit(operator.eq), (part, part))), runtime.nan_key)


def is_new(interp: Interpreter, ref: Ref, key: Value) -> bool:
    """Whether `key` is one that only the run knows, of a dict without items, which has none such so far."""
    return _is_key(interp, key, known=False) and _is_empty(interp, ref)


def begun(interp: Interpreter, ref: Ref) -> bool:
    """Whether `ref` can be, and now is, a dict of which only the run knows the keys, but for those that it has already."""
    if not _may_be_added_to(interp, ref):
        return False
    contents = interp.contents_or_doubt(ref)
    interp.adds_keys |= bool(contents.keys)
    parts = tuple(constant(interp, key) for key in contents.keys), contents.items
    if isinstance(contents, Doubtful):
        keys, items = (interp.call(Static(item_places.those_there), (Tuple(part), Tuple(contents.there))) for part in parts)
    else:
        keys, items = map(interp.new_list, parts)
        if list_arrays.are_lists(contents.items) and not lists_of_lists.begun(interp, items, stored=True):
            return False
        if any(type(key) is str for key in contents.keys):
            object_lists.begun(interp, keys)
    assert isinstance(keys, Ref)
    assert isinstance(items, Ref)
    interp.hold(ref, Keyed(keys, items, frozenset().union(*interp.loops.deciding)))
    return True


def on_paths(interp: Interpreter, ref: Ref, sides: Sequence[AnyContents]) -> Grows | None:
    """What a dict of lists becomes that has other keys on each path of `sides`: one of which only the run knows the keys."""
    known = [side for side in sides if isinstance(side, Contents)]
    if len(known) < len(sides) or len({side.keys for side in known}) == 1 or not interp.knowledge.adds_keys:
        return None
    if not all(list_arrays.are_lists(side.items) for side in known if side.keys):
        return None
    if not _alike(key for side in known for key in side.keys) or not _may_be_added_to(interp, ref):
        return None
    interp.adds_keys = True
    return Grows(ref, keyed=True)


def _is_empty(interp: Interpreter, ref: Ref) -> bool:
    return _may_be_added_to(interp, ref) and not interp.contents_or_doubt(ref).keys


def _may_be_added_to(interp: Interpreter, ref: Ref) -> bool:
    """Whether only the run may know which further keys `ref` gets, a dict that the function makes: lists can hold what it has."""
    held = interp.heap.contents.get(ref)
    if not isinstance(held, Contents | Doubtful) or ref.cls not in (dict, defaultdict) or ref.outside or ref.shared:
        return False
    if isinstance(held, Doubtful) and not (held.ordered and interp.of_numbers(held.items)):
        return False
    plain = list_arrays.are_lists(held.items) or not any(isinstance(item, Ref) for item in held.items)
    return plain and _alike(held.keys) and (not held.keys or interp.knowledge.adds_keys) and interp.identity(ref) is None


def _alike(keys: Iterable[Any]) -> bool:
    """Whether all of `keys` are texts, or all are whole numbers or tuples of those: a list can hold them and more."""
    given = list(keys)
    return all(map(_is_whole, given)) or all(type(key) is str for key in given)


def _is_whole(key: Any) -> bool:
    return type(key) is int or (type(key) is tuple and bool(key) and all(map(_is_whole, key)))


def _is_told_by_items(cls: type) -> bool:
    """Whether tuples of the class `cls` are equal where their items are, as keys too."""
    return all(find(cls, name) is find(tuple, name) for name in ("__eq__", "__hash__"))


def _is_key(interp: Interpreter, key: Value, *, known: bool) -> bool:
    """Whether `key` is a number or a text that only the run knows, or a tuple with one; or, with `known`, whatever knows it."""
    match key:
        case Var(type=Scalar() as type_):
            real = all(np.dtype(kind.dtype).kind in "iubf" for kind in alternatives(type_))
            return real and (known or not interp.integers.followed(key))
        case Var(type=Object()):
            return True
        case Lit(int() | float() | str()):
            return known
        case Tuple(items, cls) if items and _is_told_by_items(cls):
            return all(_is_key(interp, item, known=True) for item in items) and (
                known or any(_is_key(interp, item, known=False) for item in items)
            )
        case _:
            return False


def load(interp: Interpreter, ref: Ref, held: Keyed, key: Value, hint: str) -> Value:
    """``d[key]``"""
    if ref.meta is None or ref.meta == NONE:
        return interp.call(Static(keyed_items.found_under), (held.keys, held.items, key), hint=hint)
    if is_walked(interp, held):
        return interp.call(Lit(operator.getitem), (held.items, _known_place(interp, held, key)), hint=hint)
    if isinstance(ref.meta, Static | Lit) and ref.meta.value is list:
        _of_lists(interp, held)
    return interp.call(Static(keyed_items.made_under), (held.keys, held.items, key, ref.meta), hint=hint)


def store(interp: Interpreter, held: Keyed, key: Value, value: Value) -> None:
    """``d[key] = value``"""
    if interp.parts_walked(held) - {"keys"}:
        raise interp.walked_change("dict")
    if _is_list(value):
        _of_lists(interp, held)
    if is_walked(interp, held):
        interp.call(Lit(operator.setitem), (held.items, _known_place(interp, held, key), value), wanted=False)
        return
    interp.call(Static(keyed_items.put_under), (held.keys, held.items, key, value), wanted=False)


def set_default(interp: Interpreter, held: Keyed, key: Value, default: Value) -> Value:
    """``d.setdefault(key, default)``"""
    if _is_list(default):
        _of_lists(interp, held)
    if is_walked(interp, held):
        return interp.call(Lit(operator.getitem), (held.items, _known_place(interp, held, key)))
    return interp.call(Static(keyed_items.kept_under), (held.keys, held.items, key, default))


def get(interp: Interpreter, held: Keyed, key: Value, default: Value) -> Value:
    """``d.get(key, default)``"""
    several = interp.portions(held.items)
    if several is not None and isinstance(default, Ref):
        default = lists_of_lists.adopted(interp, held.items, default)
    return interp.call(Static(keyed_items.got_under), (held.keys, held.items, key, default))


def pop(interp: Interpreter, held: Keyed, key: Value, default: Value | None) -> Value:
    """``d.pop(key)``, or ``d.pop(key, default)``"""
    if interp.parts_walked(held):
        raise interp.walked_change("dict")
    if default is None:
        return interp.call(Static(keyed_items.taken_under), (held.keys, held.items, key))
    return interp.call(Static(keyed_items.taken_or), (held.keys, held.items, key, default))


def contains(interp: Interpreter, held: Keyed, key: Value) -> Value:
    """``key in d``"""
    return interp.call(Static(keyed_items.is_under), (held.keys, key))


def _known_place(interp: Interpreter, held: Keyed, key: Value) -> Value:
    """The place of a key of a dict that a loop walks over: the run refuses a new one, for which Python raises when it goes on."""
    place = interp.call(Static(keyed_items.place_under), (held.keys, key))
    there = interp.operand(interp.call(Lit(operator.ge), (place, Lit(0))))
    if there != Lit(True):
        interp.require(there, runtime.new_key)
    return place


def is_walked(interp: Interpreter, held: Keyed) -> bool:
    """Whether a loop walks over a dict, to which Python adds no key then."""
    return any(held.keys in refs or held.items in refs for refs in interp.loops.walking) or bool(interp.parts_walked(held))


def copied(interp: Interpreter, ref: Ref, cls: type) -> Ref:
    """A new dict of class `cls` of the same keys and items."""
    held = interp.keyed(ref)
    assert held is not None
    if interp.portions(held.items) is not None:
        raise interp.error("a dict of lists of which only a run knows the keys is copied", "copy it in a loop, list by list")
    keys, items = (interp.call(Lit(list), (part,)) for part in (held.keys, held.items))
    assert isinstance(keys, Ref)
    assert isinstance(items, Ref)
    made = interp.heap.new("dict", cls, (), (), meta=ref.meta if cls is ref.cls else None)
    interp.heap.contents[made] = Keyed(keys, items, held.params)
    return made


def are_pairs(interp: Interpreter, given: Value) -> bool:
    """Whether `given` is a list of pairs of which only a run can tell the keys."""
    columns = interp.columns(given)
    if columns is not None:
        return len(columns.lists) == 2 and columns.keys is None and _are_keys(interp, columns.lists[0])
    if not isinstance(given, Ref) or given.kind != "list" or interp.is_long(given) or interp.portions(given) is not None:
        return False
    pairs = [item.items for item in interp.contents(given).items if isinstance(item, Tuple) and len(item.items) == 2]
    return bool(pairs) and any(_is_key(interp, pair[0], known=False) for pair in pairs)


def _are_keys(interp: Interpreter, items: Ref) -> bool:
    """Whether all items of a list are whole numbers or tuples of those, which only the run knows."""
    if (columns := interp.columns(items)) is not None:
        return columns.cls is tuple and all(_are_keys(interp, part) for part in columns.lists)
    if interp.seen(items) is not items:
        return True
    filled = interp.filled(items)
    return filled is not None and _is_key(interp, Var("key", list_kinds.row_type(filled)), known=False)


def walked(interp: Interpreter, source: Value) -> Value:
    """What a walk over `source` goes through: the lists of a dict of which only the run knows the keys, if it is one."""
    ref = source.of if isinstance(source, View) else source
    held = interp.keyed(ref) if isinstance(ref, Ref) else None
    if held is None:
        return source
    if isinstance(source, View) and source.part != "keys":
        return held.items if source.part == "values" else Zip((held.keys, held.items))
    return held.keys


def _is_list(value: Value) -> bool:
    return isinstance(value, Ref) and value.kind == "list"


def _of_lists(interp: Interpreter, held: Keyed) -> None:
    """Let the items of a dict be as many lists as only the run can tell, if it has none so far."""
    contents = interp.heap.contents.get(held.items)
    if isinstance(contents, Contents) and not contents.items:
        lists_of_lists.begun(interp, held.items, stored=True)
