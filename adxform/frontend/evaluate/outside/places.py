"""Attributes and variables outside of the function that it sets: the run sets them where the statement stands.

What is set may be read back in the same call, with its derivative: a cell of the heap has it, so that paths are joined and loops
carry it like what any other object holds. The first look at a function meets the statements, and starts again with the cells
there from the beginning (`Sets`). A place holds what it held before the call until it is set: each call reads that, and assumes
nothing of a place that is only set.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import replace
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any

import numpy as np

from adxform import runtime
from adxform.errors import AdxError, GlobalMutationError
from adxform.frontend.evaluate.classes.class_contents import told_by
from adxform.frontend.evaluate.objects.object_contents import Contents
from adxform.frontend.evaluate.outside.guards import guard, outside_write
from adxform.frontend.evaluate.records.knowledge import Given
from adxform.frontend.evaluate.signals import Sets
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, PlaceOutside, Poison, Ref, Static, Tuple, Value
from adxform.frontend.signature.access import Access, Equals, Guard, HasClass, Is, Owns, SameAs
from adxform.frontend.types import forgotten_kinds
from adxform.ir.ops import Call, Lit, Operand, Var
from adxform.ir.spans import is_followed, own_dict
from adxform.ir.types import Object, Scalar
from adxform.ir.walk import variables

_BEFORE = Static(object())
"""In a cell, as long as nothing was set: what the place holds before the call."""
_GIVEN_AWAY = Poison("it is kept outside of the function, where it may be changed", way="keep a copy there")


def begin(interp: Interpreter) -> None:
    """Make a cell for each place that the function is known to set. What is read of it after joined paths is read now."""
    for key, place in interp.knowledge.places.items():
        interp.outer.cells[key] = interp.heap.new("instance", type(place.owner), ("value",), (_BEFORE,))
    for key, place in interp.knowledge.places.items():
        if place.joined and told_by(place.owner, place.name) is None and hasattr(place.owner, place.name):
            interp.heap.contents[interp.outer.cells[key]] = _holding(
                interp.attribute(Static(place.owner, place.access), place.name)
            )


def _holding(value: Value) -> Contents:
    return Contents(("value",), (value,))


def is_set(interp: Interpreter, owner: Any, name: str) -> bool:
    """Whether the attribute `name` of `owner` was set in this call."""
    return load(interp, owner, name) is not None


def load(interp: Interpreter, owner: Any, name: str) -> Value | None:
    """What the attribute `name` of `owner` was set to; ``None`` where it is what it was before the call."""
    key = PlaceOutside(owner, Access(), name).key
    if key not in interp.outer.cells:
        return None
    interp.outer.asked += 1
    place = interp.knowledge.places[key]
    value = held(interp, place)
    if isinstance(value, Poison) and value is not _GIVEN_AWAY and not value.lost and not place.joined:
        raise Sets(replace(place, joined=True))
    return None if value is _BEFORE else interp.use(value)


def in_classes(interp: Interpreter, cls: type, name: str) -> Value | None:
    """What the attribute `name` was set to that `cls` has of its own or from a base; ``None`` where it has what it had before."""
    for base in cls.__mro__:
        if (found := load(interp, base, name)) is not None:
            return found
        if name in vars(base):
            return None
    return None


def in_classes_of(interp: Interpreter, value: Static, name: str) -> Value | None:
    """What `in_classes` finds for an object from outside. Its class is assumed then, and whether it has one of its own."""
    if isinstance(value.value, type):
        return None
    cls, own = type(value.value), name in own_dict(value.value)
    if any(place.name == name and isinstance(place.owner, type) for place in interp.knowledge.places.values()):
        guard(interp, value.access, HasClass(cls))
        guard(interp, value.access, Owns(name, own))
        return None if own else in_classes(interp, cls, name)
    return None


def held(interp: Interpreter, place: PlaceOutside) -> Value:
    """What the cell of `place` holds now."""
    contents: Any = interp.heap.contents[interp.outer.cells[place.key]]
    return contents if isinstance(contents, Poison) else contents.items[0]


def store(interp: Interpreter, value: Static, name: str, new: Value) -> None:
    """Let the run set the attribute `name` of an object from outside to `new`, of which the object keeps the primal value."""
    owner, access = value.value, value.access
    if access is None:
        raise outside_write(interp, f"the attribute `{name}` of a {type(owner).__name__}")
    place = PlaceOutside(owner, access, name)
    cell = interp.outer.cells.get(place.key)
    if cell is None:
        raise Sets(place)
    if not _is_there(interp, place, new):
        guard(interp, access, Is(owner))
        operands = Lit(owner), Lit(name), given_away(interp, new)
        if isinstance(new, Ref):
            made = interp.emit(runtime.kept_outside, operands, Object(), name)
            interp.outer.objects[made] = new.cls
            new = made
        else:
            interp.builder.effect(runtime.set_outside, *operands, span=interp.span)
    interp.heap.contents[cell] = _holding(new)


def given_away(interp: Interpreter, value: Value, *, whole: bool = True) -> Operand:
    """`value` as something outside keeps it; a list or dict that is kept as a `whole` the program has no more."""
    refs = _lists_in(interp, value)
    if refs is None:
        message = "an object or a function is kept outside of the function"
        raise interp.error(message, "keep numbers, arrays, texts, and tuples, lists and dicts of those", GlobalMutationError)
    kept = interp.operand(value)
    forgotten_kinds.refuse(interp, variables(kept))
    for ref in refs if whole else refs[1:]:
        interp.heap.contents[ref] = _GIVEN_AWAY
    return kept


def _lists_in(interp: Interpreter, value: Value) -> list[Ref] | None:
    """The lists and dicts that the function made in `value`, itself first; ``None`` where anything in it cannot be kept."""
    if not isinstance(value, Ref):
        return [] if can_be_kept(interp, value) else None
    if value.cls not in (list, dict) or value.outside or value.shared or interp.is_long(value):
        return None
    found = [_lists_in(interp, item) for item in interp.contents(value).items]
    return None if None in found else [value, *(ref for some in found for ref in some or ())]


def _is_there(interp: Interpreter, place: PlaceOutside, new: Value) -> bool:
    """Whether `new` is the array or the list that is there already, which was changed in place."""
    path = place.access.to("attribute", place.name)
    found = interp.knowledge.containers.values()
    before = interp.outer.hidden.get(path) or next(
        (interp.outer.containers[id(one.value)] for one in found if one.access == path), None
    )
    return isinstance(new, Var) and not isinstance(new.type, Scalar) and (load(interp, place.owner, place.name) or before) is new


_COMPILED = (BuiltinFunctionType, np.ufunc, type(np.sum))


def can_be_kept(interp: Interpreter, value: Value) -> bool:
    """Whether an object outside can keep `value` as it is: no object that the function makes, and no function of the program's.

    One of a library may be kept, as one is that is imported when it is needed first.
    """
    match value:
        case Var():
            return True
        case Lit(found) | Static(found):
            if isinstance(found, FunctionType):
                return not is_followed(found)
            return isinstance(found, _COMPILED) or not callable(found)
        case Tuple(items):
            return all(can_be_kept(interp, item) for item in items)
        case _:
            return False


def module_of(interp: Interpreter, fn: FunctionType, access: Access | None) -> Static:
    """The module that has the global variables of `fn`, by a path to it."""
    module = sys.modules.get(fn.__globals__.get("__name__", ""))
    if access is None or not isinstance(module, ModuleType) or vars(module) is not fn.__globals__:
        raise outside_write(interp, "a global variable of no module")
    guard(interp, access.to("attribute", "__globals__"), Is(fn.__globals__))
    return Static(module, Access((), Lit(module)))


def free_name(interp: Interpreter, name: str) -> Value | None:
    """What the variable `name` of the module of the function being run was set to; ``None`` where it is what it was before."""
    frame = interp.frames[-1]
    fn = None if frame.scope is None or name in frame.captured else frame.scope.fn
    if fn is None or (id(fn.__globals__), name) not in interp.outer.cells or name in fn.__code__.co_freevars:
        return None
    return load(interp, sys.modules[fn.__globals__["__name__"]], name)


def found_before(interp: Interpreter, sets: Iterable[Call]) -> Iterator[Var]:
    """What a call finds in the places that it sets by `sets`."""
    set_to = {
        (id(op.args[0].value), op.args[1].value) for op in sets if isinstance(op.args[0], Lit) and isinstance(op.args[1], Lit)
    }
    for place in interp.knowledge.places.values():
        path = place.access.to("attribute", place.name)
        steps = len(path.steps)
        for access, var in interp.outer.hidden.items():
            if (id(place.owner), place.name) in set_to and Access(access.steps[:steps], access.root) == path:
                yield var


def told(interp: Interpreter) -> Iterator[Guard]:
    """The places that are set, as something that is assumed: what nobody sees changing must leave them alone."""
    for place in interp.knowledge.places.values():
        yield Guard(place.access.to("attribute", place.name), Equals(NONE))


def told_apart(interp: Interpreter, fn: Any) -> None:
    """Assume that no other path on which something is read leads to a place that is set, where it does not now.

    Raises:
        GlobalMutationError: all attributes of an object are read of which one is set, or an argument may be that object.
    """
    for place in interp.knowledge.places.values():
        _refuse_arguments(interp, place)
        for access, step in _steps(interp):
            if access == place.access or step[1] not in (place.name, "__dict__"):
                continue
            try:
                owner = access.read(fn)
            except Exception:  # what is not there is no such path
                continue
            if isinstance(owner, FunctionType) and step[0] == "global":
                guard(interp, access.to("attribute", "__globals__"), Is(owner.__globals__))
                continue
            same = owner is place.owner or (isinstance(owner, ModuleType) and vars(owner) is place.owner)
            if same and step[1] == "__dict__":
                raise _told_by_all(interp, place)
            if same or type(owner) is type(place.owner):
                guard(interp, access, SameAs(place.access, same))


def _steps(interp: Interpreter) -> Iterator[tuple[Access, tuple[str, Any]]]:
    """Each step on the paths by which something is read, with the path before it."""
    found = dict.fromkeys((*interp.outer.hidden, *(one.access for one in interp.outer.guards)))
    for access in found:
        for taken, step in enumerate(access.steps):
            yield Access(access.steps[:taken], access.root), step


def _told_by_all(interp: Interpreter, place: PlaceOutside) -> AdxError:
    message = (
        f"all attributes of a {type(place.owner).__name__} from outside the function are read, of which `{place.name}` is set"
    )
    return interp.error(message, "read the attributes by their names", GlobalMutationError)


def _refuse_arguments(interp: Interpreter, place: PlaceOutside) -> None:
    """Raise where an argument may be the object of which an attribute is set."""
    for value, known in interp.identities.values():
        if isinstance(known, Given) and isinstance(value, Ref) and value.cls is type(place.owner):
            message = (
                f"`{place.name}` of a {value.cls.__name__} from outside the function is set, which may be an argument as well"
            )
            raise interp.error(message, "pass the object as an argument alone", GlobalMutationError)
