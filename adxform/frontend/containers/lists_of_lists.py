"""Lists of lists, as many as only a run can tell: a list of the places that they have in their family, see `portions`."""

from __future__ import annotations

import operator
from dataclasses import replace

import numpy as np

from adxform import runtime
from adxform.frontend.containers import list_arrays
from adxform.frontend.containers.portions import all_places, family_of, is_new, named, of_others, place_in_family
from adxform.frontend.evaluate.control_flow import iteration
from adxform.frontend.evaluate.objects.object_contents import (
    AnyContents,
    Collected,
    Contents,
    ListFamily,
    Portion,
    Portions,
    list_contents,
)
from adxform.frontend.evaluate.signals import Grows
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, Ref, Slice, Static, Value, is_int
from adxform.ir.ops import Lit, Var
from adxform.ir.types import Array
from adxform.primitives.definitions.of_python import item_places, iterations

EVERYTHING = Slice(NONE, NONE, NONE)


def begun(interp: Interpreter, ref: Ref, *, stored: bool = False, family: ListFamily | None = None) -> bool:
    """Whether `ref`, a list of lists known one by one, can be, and now is, one of as many lists as only a run can tell.

    `stored`: other lists are stored in it where only a run knows, or, of a `family`, some of its lists.
    """
    held = interp.heap.contents.get(ref)
    if isinstance(held, Portions) and stored and held.places is None and family in (None, held.of):
        interp.hold(ref, replace(held, places=all_places(interp, held.of)))
        return True
    known = _known(interp, held, family)
    if known is None or ref.outside or ref.shared or (family and family.pairs not in interp.heap.contents):
        return False
    lists = [item for item in known.items if isinstance(item, Ref) and item.kind == "list" and item.cls is list]
    found = _together(interp, lists, family) if len(set(lists)) == len(known.items) else None
    if found is None:
        return False
    stored, (family, own) = stored or family is not None, found
    all_of_them = not stored and interp.made_lists(family) == Lit(len(own)) and own == [Lit(k) for k in range(len(own))]
    interp.hold(ref, Portions(family, None if all_of_them else interp.new_list(tuple(own))))
    return True


def _known(interp: Interpreter, held: AnyContents | None, family: ListFamily | None) -> Contents | None:
    """What a list holds whose items are known one by one: nothing, however it is held, of one that is empty so far."""
    match held:
        case Contents():
            return held
        case Collected(buffer=Var(type=Array(_, (0, *_))), done=True):
            return list_contents(())
        case Portions(of=own) if family not in (None, own) and interp.made_lists(own) == Lit(0):
            return list_contents(())
        case _:
            return None


def _together(interp: Interpreter, lists: list[Ref], family: ListFamily | None) -> tuple[ListFamily, list[Value]] | None:
    """The family of which `lists` are, or now are, and at which place each is; ``None`` where they are of none, or of several."""
    known = [interp.portion(one) for one in lists]
    family = next((portion.of for portion in known if portion is not None), family)
    if family is not None:
        pairs = zip(lists, known, strict=True)
        if any(portion.of is not family if portion is not None else not is_new(interp, one) for one, portion in pairs):
            return None
        return family, [place_in_family(interp, family, one) for one in lists]
    if any(one.outside or one.shared or interp.identity(one) is not None for one in lists):
        return None
    rows = [interp.heap.contents[one] for one in lists]
    items = [row.items for row in rows if isinstance(row, Contents)]
    if len(items) < len(rows):
        return None
    family = family_of(interp, items)
    for k, one in enumerate(lists):
        interp.write(one, Portion(family, Lit(k)))
    return family, [Lit(k) for k in range(len(lists))]


def add(interp: Interpreter, ref: Ref, several: Portions, item: Value) -> None:
    """Put the list `item` after the lists so far.

    Raises:
        Grows: it is of another family, if `ref` can be held as a list of such lists.
    """
    portion = interp.portion(item)
    if portion is not None and portion.of is not several.of:
        raise Grows(ref, of_lists=True, stored=True, family=portion.of, reason=of_others(interp))
    if several.places is None and interp.portion(item) is None:
        place_in_family(interp, several.of, item, ref)
        return
    family, places = _placed(interp, ref)
    interp.call(interp.attribute(places, "append"), (place_in_family(interp, family, item),))


def _placed(interp: Interpreter, ref: Ref) -> tuple[ListFamily, Ref]:
    """The family of the lists of `ref`, and the list of their places, which `ref` has from here on."""
    begun(interp, ref, stored=True)
    several = interp.portions(ref)
    assert several is not None
    assert several.places is not None
    return several.of, several.places


def call(interp: Interpreter, ref: Ref, name: str, args: tuple[Value, ...]) -> Value:
    """What the method `name` of the list of lists `ref` returns: it pops one, inserts one, or reverses them."""
    family, places = _placed(interp, ref)
    if name == "insert":
        args = args[0], place_in_family(interp, family, args[1])
    found = interp.call(interp.attribute(places, name), args)
    return named(interp, family, found, ()) if name == "pop" else NONE


def delete(interp: Interpreter, ref: Ref, index: Value) -> None:
    """``del lists[index]``"""
    interp.call(Lit(operator.delitem), (_placed(interp, ref)[1], index))


def copied(interp: Interpreter, several: Portions, part: Value = EVERYTHING) -> Ref:
    """A list of the lists of another, or of `part` of them."""
    places = interp.call(Lit(operator.getitem), (several.places or all_places(interp, several.of), part))
    return _of_places(interp, several.of, places)


def _of_places(interp: Interpreter, family: ListFamily, places: Value) -> Ref:
    """A new list of the lists of a family that are at `places`."""
    assert isinstance(places, Ref)
    made = interp.heap.new("list", list, (), ())
    interp.heap.contents[made] = Portions(family, places)
    return made


def ordered(interp: Interpreter, several: Portions, order: Value) -> Ref:
    """A list of the lists of another in the `order` of an array of places in that."""
    places = interp.call(Lit(np.array), (several.places or all_places(interp, several.of),))
    chosen = interp.call(Lit(operator.getitem), (places, order))
    return _of_places(interp, several.of, interp.call(interp.attribute(chosen, "tolist"), ()))


def extend(interp: Interpreter, ref: Ref, more: Value) -> bool:
    """Whether lists can be, and now are, put after those of `ref`, one of the two of as many lists as only a run can tell."""
    several = interp.portions(more)
    if several is not None and interp.portions(ref) is None:
        held = interp.contents(ref).items
        places = interp.new_list(tuple([place_in_family(interp, several.of, item) for item in held]))
        interp.write(ref, Portions(several.of, places))
    family, places = _placed(interp, ref)
    if several is None:
        known = iteration.known_items(interp, more)
        for item in known or ():
            interp.call(interp.attribute(ref, "append"), (item,))
        return known is not None
    if several.of is family:
        interp.call(interp.attribute(places, "extend"), (several.places or all_places(interp, several.of),))
    return several.of is family


def replace_items(interp: Interpreter, ref: Ref, others: Portions) -> None:
    """Let the list of lists `ref` have the lists that another one has, of its family."""
    _, places = _placed(interp, ref)
    assert others.places is not None
    interp.write(places, interp.heap.contents[others.places])


def as_array(interp: Interpreter, ref: Ref) -> Value:
    """The array that NumPy makes of lists of numbers as long as one another."""
    some = interp.operand(interp.call(Lit(operator.gt), (interp.call(Lit(len), (ref,)), Lit(0))))
    if some != Lit(True):
        interp.require(some, runtime.empty_list)
    return interp.call(Static(iterations.rows_of_lists), (ref,), hint="items")


def chained(interp: Interpreter, ref: Ref) -> Value:
    """A list of the items of all lists, one list after the other."""
    return interp.call(Static(iterations.items_of_lists), (ref,), hint="items")


def adopted(interp: Interpreter, ref: Ref, item: Value) -> Value:
    """`item`, a list, as one of the lists of which the list of lists `ref` has some."""
    if begun(interp, ref, stored=True) or interp.portions(ref) is not None:
        several = interp.portions(ref)
        assert several is not None
        place_in_family(interp, several.of, item)
    return item


def store(interp: Interpreter, ref: Ref, index: Value, value: Value) -> bool:
    """Whether the list `value` can be, and now is, stored at `index` of the list of lists `ref`, which only a run can tell."""
    several = interp.portions(ref)
    if not isinstance(value, Ref) or value.kind != "list" or not is_int(index):
        return False
    if several is None:
        items = interp.contents(ref).items
        if not isinstance(index, Var) or interp.integers.followed(index) or not list_arrays.are_lists((*items, value)):
            return False
        if not interp.loops.chooses or _of_one_length(interp, (*items, value)):
            interp.loops.would_choose |= not interp.loops.chooses
            return False
        if not begun(interp, ref, stored=True):
            return False
    family, places = _placed(interp, ref)
    interp.call(Lit(operator.setitem), (places, index, place_in_family(interp, family, value)))
    return True


def _of_one_length(interp: Interpreter, lists: tuple[Value, ...]) -> bool:
    """Whether lists have as many items each, so that one array may have them all."""
    held = [interp.heap.contents[one] for one in lists if isinstance(one, Ref)]
    lengths = {len(one.keys) if isinstance(one, Contents) else 0 for one in held}
    return len(lengths) == 1 and all(lengths)


def at(interp: Interpreter, several: Portions, index: Value) -> Value:
    """The list at `index` of as many as only a run can tell, or a list of those that a slice takes."""
    if isinstance(index, Slice):
        return copied(interp, several, index)
    if several.places is not None:
        return named(interp, several.of, interp.call(Lit(operator.getitem), (several.places, index)), ())
    place = interp.call(Static(item_places.place_of_item), (index, interp.made_lists(several.of)))
    return named(interp, several.of, place, (), index, several.of)
