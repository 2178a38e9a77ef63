"""Lists of a few objects that one is put into or taken out of where only a run can tell: those after it move.

What is at each place then is one of two or three objects, as the run says. A list of numbers or tuples becomes one of the run.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from adxform.frontend.evaluate.objects.chosen_items import may_choose, one_of
from adxform.frontend.evaluate.objects.functions_apart import is_choosable
from adxform.frontend.evaluate.objects.object_contents import list_contents
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import OneOf, Ref, Static, Value
from adxform.ir.ops import Lit, Var
from adxform.primitives.definitions.of_python import item_places


def put_in(interp: Interpreter, ref: Ref, index: Value, item: Value) -> bool:
    """Whether ``ref.insert(index, item)`` is done: `index` is one that only a run can tell, and `ref` has few items."""
    items = interp.contents(ref).items
    if not _are_objects((item, *items)) or not may_choose(interp, index, len(items) + 1):
        return False
    place = interp.call(Static(item_places.place_to_insert), (index, Lit(len(items))))
    before, own = (item, *items), (*items, item)
    _write(interp, ref, item_places.inserted_at, (before, own, (item,) * len(own)), place)
    return True


def taken_out(interp: Interpreter, ref: Ref, index: Value, place_of: Callable[..., Any], what: str) -> Value | None:
    """What ``ref.pop(index)`` gives, where only a run can tell `index` and `ref` has few items; ``None`` for any other."""
    items = interp.contents(ref).items
    if not isinstance(index, Var) or not _are_objects(items) or not may_choose(interp, index, len(items)):
        return None
    place = interp.call(Static(place_of), (index, Lit(len(items))))
    assert isinstance(place, Var)
    found = one_of(interp, items, place, what)
    _write(interp, ref, item_places.without_one, (items[:-1], items[1:]), place)
    return found


def _are_objects(items: tuple[Value, ...]) -> bool:
    """Whether `items` are objects, lists or dicts, of which a program can tell which is which afterwards."""
    return all(isinstance(item, Ref | OneOf) or (isinstance(item, Static) and is_choosable(item)) for item in items)


def _write(interp: Interpreter, ref: Ref, chosen: Callable[..., Any], rows: tuple[tuple[Value, ...], ...], place: Value) -> None:
    moved = [interp.call(Static(chosen), (*row, place, Lit(k))) for k, row in enumerate(zip(*rows, strict=True))]
    interp.write(ref, list_contents(tuple(moved)))
