"""Copies of objects, by `copy.copy` and `copy.deepcopy`."""

from __future__ import annotations

import copy
import copyreg
import types
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from adxform.frontend.containers import sets
from adxform.frontend.containers.methods import Answer, Args, Handler, Kwargs
from adxform.frontend.evaluate.classes import own_containers, protocols
from adxform.frontend.evaluate.classes.class_contents import MISSING, find, is_generated, is_native
from adxform.frontend.evaluate.control_flow.attempts import branch
from adxform.frontend.evaluate.objects.value_parts import with_parts
from adxform.frontend.evaluate.outside.guards import guard
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import (
    NONE,
    Enumerate,
    FunctionValue,
    Mapped,
    Maybe,
    Method,
    Once,
    OneOf,
    Poison,
    Ref,
    Rest,
    Reversed,
    Slice,
    Static,
    Stream,
    Tuple,
    Value,
    View,
    Zip,
)
from adxform.frontend.known.of_objects import copies_from_outside
from adxform.frontend.signature.access import Access, Contains
from adxform.ir.ops import Lit, Var
from adxform.ir.types import Array, Object
from adxform.primitives.definitions.arrangements.flat_entries import FlatEntries


def _copied_by_class(interp: Interpreter, value: Value, name: str, given: Args) -> Answer:
    """What the method `name` of an object says that its copy is; ``None`` where its class leaves that to Python."""
    cls = protocols.class_of(value)
    if cls is None or not isinstance(value, Tuple | Ref) or not protocols.is_object(value):
        return None
    method = None if own_containers.is_of_plain(find(cls, name)) else protocols.special(interp, value, name)
    if method is not None:
        return interp.call(method, given)
    own_containers.refuse_copy(interp, value)
    for hook in _OF_COPIES:
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


_OF_COPIES = ("__reduce_ex__", "__reduce__", "__getstate__", "__setstate__", "__getnewargs__", "__getnewargs_ex__", "__new__")
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
        case Ref(cls=cls) if cls is FlatEntries:
            return interp.fail(TypeError, "cannot pickle 'numpy.flatiter' object")
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
        case Maybe() as value:
            return _where_there(interp, value, lambda held: interp.call(Lit(copy.copy), (held,), hint=hint), hint)
        case Method() as value:
            return replace(value)  # another object of the same parts
        case Tuple(items, cls) if cls is not tuple:
            return Tuple(items, cls)
        case value:
            return _as_it_is(interp, value, copy.copy)


def _where_there(interp: Interpreter, value: Maybe, copied: Callable[[Value], Value], hint: str) -> Value:
    """What `copied` makes of a value where it is not ``None``."""
    present = interp.operand(value.present)
    if isinstance(present, Lit) or present in interp.assumed:
        return copied(value.value) if present != Lit(False) else NONE
    return branch(interp, present, lambda: [copied(value.value)], lambda: [NONE], [hint], interp.span)[0]


def _as_it_is(interp: Interpreter, value: Value, copied: Callable[[Any], Any]) -> Value:
    """`value`, if a copy of it is that itself, or cannot be told from it; of a constant what `copied` makes."""
    if isinstance(value, Lit) and isinstance(value.value, frozenset | np.dtype | slice):
        return Lit(copied(value.value))
    if isinstance(value, View):
        interp.fail(TypeError, f"cannot pickle 'dict_{value.part}' object")
    if isinstance(value, Once | Zip | Enumerate | Mapped | Reversed | Rest | Stream | Poison):
        raise interp.error("an iterator is copied", "make a list of its items: `list(…)`")
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
        case Ref(cls=cls) if cls is FlatEntries:
            return _copy(interp, (value,), {}, "flat")
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
        case Maybe():
            return _deeply_where_there(interp, value, seen)
        case _:
            return _deeply_of_no_container(interp, value, seen)


def _deeply_of_no_container(interp: Interpreter, value: Value, seen: dict[Value, Value]) -> Answer:
    """The same of what holds nothing that can be looked up: methods, bounds and numbers."""
    match value:
        case Method(fn, args, given) if value.partial or isinstance(fn, FunctionValue) or _is_of_python(fn):
            held = _parts(interp, (*args, *(one for _, one in given)), seen)
            return None if held is None else with_parts(value, (fn, *held))
        case Slice():
            return replace(value)  # another one of the same bounds
        case OneOf(things=functions) if any(isinstance(one, Method) for one in functions):
            raise interp.error("a method that the run chooses is copied with its object", "copy the object in each branch")
        case _:
            return _as_it_is(interp, value, copy.deepcopy)


def _is_of_python(fn: Value) -> bool:
    """Whether a method is written in Python: a copy of one written in C is that itself."""
    return isinstance(fn, Static | Lit) and isinstance(fn.value, types.FunctionType)


def _deeply_where_there(interp: Interpreter, value: Maybe, seen: dict[Value, Value]) -> Answer:
    """A deep copy of what may be ``None``; what it is a copy of is copied once, also where it is held without that doubt."""
    held = value.value
    if isinstance(held, Var | Ref) and held in seen:
        return Maybe(value.present, seen[held])

    def copied(there: Value) -> Value:
        found = copied_deeply(interp, there, dict(seen))
        if found is None:
            raise interp.error("what may be `None` is copied deeply by code that nobody looks into", "copy it in a branch")
        return found

    made = _where_there(interp, value, copied, "copied")
    if isinstance(held, Var | Ref):
        seen[held] = made.value if isinstance(made, Maybe) else made
    return made


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
