"""Copies of objects, by `copy.copy` and `copy.deepcopy`."""

from __future__ import annotations

import copy
import copyreg
from collections.abc import Iterable
from typing import Any

import numpy as np

from adxform.frontend.containers import sets
from adxform.frontend.containers.methods import Answer, Args, Handler, Kwargs
from adxform.frontend.evaluate.classes import own_containers, protocols
from adxform.frontend.evaluate.classes.class_contents import MISSING, find, is_generated, is_native
from adxform.frontend.evaluate.outside.guards import guard
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import Ref, Static, Tuple, Value
from adxform.frontend.known.of_objects import copies_from_outside
from adxform.frontend.signature.access import Access, Contains
from adxform.ir.ops import Lit, Var
from adxform.ir.types import Array, Object


def _copied_by_class(interp: Interpreter, value: Value, name: str, given: Args) -> Answer:
    """What the method `name` of an object says that its copy is; ``None`` where its class leaves that to Python."""
    cls = protocols.class_of(value)
    if cls is None or not isinstance(value, Tuple | Ref) or not protocols.is_object(value):
        return None
    method = None if own_containers.is_of_plain(find(cls, name)) else protocols.special(interp, value, name)
    if method is not None:
        return interp.call(method, given)
    own_containers.refuse_copy(interp, value)
    for hook in _OF_COPIES if isinstance(value, Ref) else (*_OF_COPIES, "__new__"):
        found = find(cls, hook)
        if found is not MISSING and not is_native(found) and not _by_library(found):
            raise interp.error(
                f"`{cls.__name__}` defines `{hook}`, which says how it is copied", "write `__copy__` or a function"
            )
    registered = cls in copyreg.dispatch_table
    guard(interp, Access((("attribute", "dispatch_table"),), Lit(copyreg)), Contains(Lit(cls), registered))
    if registered:
        raise interp.error(f"how `{cls.__name__}` is copied is registered in `copyreg`", "write `__copy__` or a function")
    return None


_OF_COPIES = ("__reduce_ex__", "__reduce__", "__getstate__", "__setstate__", "__getnewargs__", "__getnewargs_ex__")
"""By what else a class says how its objects are copied."""


def _by_library(found: Any) -> bool:
    """Whether a method is that of `dataclasses` or of named tuples, which copy what is there."""
    made = getattr(found, "__func__", found)
    return made is object.__new__ or getattr(made, "__module__", "") in ("dataclasses", "collections") or is_generated(made)


def _copy(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    own = _copied_by_class(interp, args[0], "__copy__", ())
    if own is not None:
        return own
    match args[0]:
        case Var(_, Array()):
            return interp.call(Lit(np.ndarray.copy), args[:1], hint=hint)
        case Ref(kind="instance", cls=cls) as ref:
            contents, items = interp.contents(ref), own_containers.held(interp, ref)
            if items is not None:
                contents = contents.put(own_containers.ITEMS, interp.call(interp.attribute(items, "copy"), (), hint=hint))
            return interp.heap.new("instance", cls, contents.keys, contents.items)
        case Ref(cls=type() as cls) as ref if issubclass(cls, tuple):
            return ref
        case Ref() as ref:
            return interp.call(interp.attribute(ref, "copy"), (), hint=hint)
        case Var(_, Object()):
            return None
        case Static() as given:
            return copies_from_outside.made_of(interp, given)
        case value:
            return value


def _deepcopy(interp: Interpreter, args: Args, kwargs: Kwargs, hint: str) -> Answer:
    return copied_deeply(interp, args[0], {})


def copied_deeply(interp: Interpreter, value: Value, seen: dict[Value, Value]) -> Answer:
    """``copy.deepcopy(value)``; `seen` are the copies so far, so that what is held twice is copied once."""
    if isinstance(value, Var | Ref) and value in seen:
        return seen[value]
    own = _copied_by_class(interp, value, "__deepcopy__", (interp.heap.new("dict", dict, (), ()),))
    if own is not None:
        seen[value] = own
        return own
    match value:
        case Static():
            return _from_outside_deeply(interp, value, seen)
        case Var(_, Object()):
            return None
        case Tuple(items, cls):
            parts = _parts(interp, items, seen)
            return None if parts is None else Tuple(parts, cls)
        case Ref(kind="set"):
            seen[value] = sets.made(interp, sets.made_of_list, sets.given(interp, value))
            return seen[value]
        case Ref(kind, cls) if not interp.is_long(value):
            contents = interp.contents(value)
            parts = _parts(interp, contents.items, seen)
            if parts is not None:
                seen[value] = interp.heap.new(kind, cls, contents.keys, parts, meta=value.meta)
            return seen.get(value)
        case Var() | Ref():
            found = _copy(interp, (value,), {}, value.base if isinstance(value, Var) else "items")
            if found is not None:
                seen[value] = found
            return found
        case _:
            return value


def _parts(interp: Interpreter, items: Iterable[Value], seen: dict[Value, Value]) -> tuple[Value, ...] | None:
    """Deep copies of `items`; ``None`` where one of them has none."""
    parts = [copied_deeply(interp, item, seen) for item in items]
    known = tuple(part for part in parts if part is not None)
    return known if len(known) == len(parts) else None


def _from_outside_deeply(interp: Interpreter, value: Static, seen: dict[Value, Value]) -> Answer:
    """A deep copy of an object from outside; ``None`` of one that holds itself, or that cannot be looked into."""
    if id(value.value) in interp.copying or (made := copies_from_outside.made_of(interp, value)) is None:
        return None
    interp.copying.add(id(value.value))
    try:
        return copied_deeply(interp, made, seen)
    finally:
        interp.copying.discard(id(value.value))


TABLE: dict[Any, Handler] = {copy.copy: _copy, copy.deepcopy: _deepcopy}
