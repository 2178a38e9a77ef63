"""Templates: values in which `Slot`s stand for variables of a joined result, and `Built` for an object made of joined parts.

`Joiner.merge` makes one, `instantiate` gives it variables, and `collect` finds the operand of each slot for the value of a path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from adxform.frontend.evaluate.contents import Collected, Columns, Contents, Doubtful, HeldByRun, Portion, SetElements, in_doubt
from adxform.frontend.evaluate.function_parts import bound_in, code_of, with_bound
from adxform.frontend.evaluate.heap import NO_OTHERS, Heap, Originals
from adxform.frontend.evaluate.values import FunctionValue, Maybe, Method, OneFunction, Ref, Tuple, Value, is_undefined
from adxform.ir.ops import UNDEFINED, Lit, Operand, Var
from adxform.ir.types import Scalar, Type

NOT_THERE: tuple[Value, Value] = (Lit(False), UNDEFINED)
"""What is under a key that an object does not have, as `Doubtful` says it."""

_PYTHON = {"bool": False, "int64": 0, "float64": 0.0, "complex128": 0j}


@dataclass(frozen=True, slots=True)
class Slot:
    """A variable of the joined result, with its type."""

    type: Type


@dataclass(frozen=True, slots=True)
class Built:
    """An object that is a different one on each path, with the same kind, class and keys."""

    kind: Any
    cls: type
    keys: tuple[Any, ...]
    items: tuple[Template, ...]
    meta: Value | None = None
    originals: Originals = NO_OTHERS

    def whole(self) -> Any:
        """What stands for all that the object holds, if that is no item one by one; else the template itself."""
        first = self.items[0] if self.items else None
        return first if isinstance(first, Collected | Columns | Portion | Doubtful | HeldByRun) else self


Template: TypeAlias = Any
"""A `Value` whose parts may be `Slot` and `Built`."""


def is_optional(value: Template) -> bool:
    """Whether `value` is ``None`` or may be."""
    return isinstance(value, Maybe) or (isinstance(value, Lit) and value.value is None)


def what_is_there(value: Template) -> Template:
    """`value` where it is not ``None``."""
    return value.value if isinstance(value, Maybe) else UNDEFINED if is_optional(value) else value


def placeholder(type_: Type) -> Operand:
    """What stands for a number of `type_` where there is none, so that it can be kept and given back like one."""
    if not isinstance(type_, Scalar):
        return UNDEFINED
    return Lit(_PYTHON[type_.dtype] if type_.weak else np.dtype(type_.dtype).type(0))


def has_slots(template: Template) -> bool:
    """Whether anything in `template` becomes a variable or an object of its own."""
    match template:
        case Slot() | Built() | Maybe():
            return True
        case OneFunction(which, functions):
            return has_slots(which) or any(map(has_slots, functions))
        case Collected(buffer=buffer, count=count):
            return has_slots(buffer) or has_slots(count)
        case Portion(place=place):
            return has_slots(place)
        case HeldByRun(var):
            return has_slots(var)
        case Tuple(items) | Contents(items=items) | Columns(lists=items):
            return any(map(has_slots, items))
        case Doubtful(_, items, there):
            return any(map(has_slots, (*items, *there)))
        case FunctionValue() | Method():
            return any(map(has_slots, bound_in(template)))
        case _:
            return False


def slots(template: Template) -> Iterator[Slot]:
    """The slots of `template`, in order."""
    match template:
        case Slot():
            yield template
        case Maybe(present, held):
            yield from (*slots(present), *slots(held))
        case Collected(buffer=buffer, count=count):
            yield from (*slots(buffer), *slots(count))
        case OneFunction(which, functions):
            for part in (which, *functions):
                yield from slots(part)
        case Portion(place=place):
            yield from slots(place)
        case HeldByRun(var):
            yield from slots(var)
        case Tuple(items) | Built(items=items) | Contents(items=items) | Columns(lists=items):
            for item in items:
                yield from slots(item)
        case Doubtful(_, items, there):
            for item in (*items, *there):
                yield from slots(item)
        case FunctionValue() | Method():
            for item in bound_in(template):
                yield from slots(item)
        case _:
            return


def builts(template: Template) -> Iterator[Built]:
    """The objects in `template` that are different ones on each path, in order."""
    match template:
        case Built(items=items):
            yield template
        case Maybe(_, held):
            items = (held,)
        case OneFunction(_, functions):
            items = functions
        case Tuple(items) | Contents(items=items) | Columns(lists=items) | Doubtful(_, items, _):
            pass
        case FunctionValue() | Method():
            items = bound_in(template)
        case _:
            return
    for item in items:
        yield from builts(item)


def may_be_one(templates: Iterable[Template]) -> list[int]:
    """Of each object in `templates` that is another one on each path, the number of the first that may be the same object."""
    groups: list[int] = []
    members: list[set[Ref]] = []
    for n, built in enumerate(one for template in templates for one in builts(template)):
        refs = {*built.originals.refs, *built.originals.made}
        met = {group for group, others in zip(groups, members, strict=True) if not refs.isdisjoint(others)}
        members.append(refs)
        groups = [min(met) if group in met else group for group in groups] + [min(met, default=n)]
    return groups


def instantiate(template: Any, make: Callable[[Type], Var], heap: Heap) -> Any:
    """`template` with a variable made for each slot, in order."""
    match template:
        case Slot(type_):
            return make(type_)
        case Tuple(items, cls):
            return Tuple(tuple(instantiate(item, make, heap) for item in items), cls)
        case Maybe(present, held):
            return Maybe(instantiate(present, make, heap), instantiate(held, make, heap))
        case OneFunction(which, functions) if has_slots(template):
            return OneFunction(instantiate(which, make, heap), tuple(instantiate(part, make, heap) for part in functions))
        case Collected(buffer=buffer, count=count):
            return replace(template, buffer=instantiate(buffer, make, heap), count=instantiate(count, make, heap))
        case Columns(lists):
            return replace(template, lists=tuple(instantiate(part, make, heap) for part in lists))
        case Portion(place=place):
            return replace(template, place=instantiate(place, make, heap))
        case Doubtful(keys, items, there):
            parts = tuple(instantiate(item, make, heap) for item in (*items, *there))
            return replace(template, items=parts[: len(keys)], there=parts[len(keys) :])
        case HeldByRun(var):
            return replace(template, var=instantiate(var, make, heap))
        case Built(kind, cls, keys, items, meta, originals):
            ref = Ref(kind, cls, shared=True, meta=meta)
            parts = tuple(instantiate(item, make, heap) for item in items)
            heap.contents[ref] = Contents(keys, parts) if template.whole() is template else parts[0]
            heap.note_originals(ref, originals)
            return ref
        case SetElements():
            return template
        case Contents(keys, items):
            return Contents(keys, tuple(instantiate(item, make, heap) for item in items))
        case FunctionValue() | Method():
            if not has_slots(template):
                return template
            return with_bound(template, (instantiate(part, make, heap) for part in bound_in(template)))
        case _:
            return template


def collect(template: Template, value: Any, heap: Heap, operand: Callable[[Value], Operand]) -> Iterator[Operand]:
    """The operand of each slot of `template` on the path that has `value`, in order."""
    if is_undefined(value):
        for _ in slots(template):
            yield UNDEFINED
        return
    match template:
        case Maybe(present, inner):
            there = value.present if isinstance(value, Maybe) else Lit(not is_optional(value))
            yield from collect(present, there, heap, operand)
            if is_optional(value) and not isinstance(value, Maybe):
                yield from (placeholder(slot.type) for slot in slots(inner))
            else:
                yield from collect(inner, what_is_there(value), heap, operand)
        case OneFunction():
            yield from _collect_function(template, value, heap, operand)
        case Slot():
            yield operand(value)
        case Tuple(items):
            for item, part in zip(items, value.items, strict=True):
                yield from collect(item, part, heap, operand)
        case Built() | Contents() | Doubtful() | Collected() | Columns() | Portion() | HeldByRun():
            held: Any = heap.contents[value] if isinstance(value, Ref) else value
            for item, part in _parts(template.whole() if isinstance(template, Built) else template, held):
                yield from collect(item, part, heap, operand)
        case FunctionValue() | Method():
            for item, part in zip(bound_in(template), bound_in(value), strict=True):
                yield from collect(item, part, heap, operand)
        case _:
            return


def _parts(template: Any, held: Any) -> Iterable[tuple[Template, Any]]:
    """Each part of the `template` of what an object holds with what a path has for it that ends with `held`."""
    match template:
        case Collected(buffer=buffer, count=count):
            return (buffer, held.buffer), (count, held.count)
        case Columns(lists):
            return zip(lists, held.lists, strict=True)
        case Portion(place=place):
            return ((place, held.place),)
        case HeldByRun(var):
            return ((var, held.var),)
        case Doubtful(keys, items, there):
            found = [in_doubt(held).get(key) or NOT_THERE for key in keys]
            pairs = zip(items, (item for _, item in found), strict=True)
            return [*pairs, *zip(there, (there for there, _ in found), strict=True)]
        case _:
            return zip(template.items, held.items, strict=True)


def _collect_function(template: OneFunction, value: Any, heap: Heap, operand: Callable[[Value], Operand]) -> Iterator[Operand]:
    """The number of the function that a path has, and what is in each of those that it may be; of others, what stands for it."""
    held = value.functions if isinstance(value, OneFunction) else (value,)
    which = value.which if isinstance(value, OneFunction) else Lit(heap.contents.number_of(value))
    yield from collect(template.which, which, heap, operand)
    own = {code_of(function): function for function in held}
    for function in template.functions:
        found = own.get(code_of(function))
        if found is None:
            yield from (placeholder(slot.type) for slot in slots(function))
        else:
            yield from collect(function, found, heap, operand)


@dataclass(frozen=True, slots=True)
class Joined:
    """Templates of the values with which paths end, by their hints, and of what the objects hold that change on one of them."""

    values: list[Template]
    held: dict[Ref, Any]
    hints: list[str]

    def instantiate(self, make: Callable[[str, Type], Var], heap: Heap) -> list[Value]:
        """The values, with a variable made for each slot by its hint and type, once `heap` has what the objects hold."""
        values = [
            instantiate(template, partial(make, hint), heap) for template, hint in zip(self.values, self.hints, strict=True)
        ]
        for ref, template in self.held.items():
            if ref.kind == "carried" and isinstance(template, Contents):
                pairs = zip(template.keys, template.items, strict=True)
                items = tuple(instantiate(item, partial(make, hint), heap) for hint, item in pairs)
                heap.contents[ref] = Contents(template.keys, items)
                continue
            hint = ref.cls.__name__.lower() + "_item" if ref.kind != "instance" else "field"
            heap.contents[ref] = instantiate(template, partial(make, hint), heap)
        return values

    def may_be_one(self) -> list[int]:
        """Which of the objects that are other ones on each path may be one object: see `may_be_one`."""
        return may_be_one((*self.values, *self.held.values()))

    def collect(self, values: Sequence[Value] | None, heap: Heap, operand: Callable[[Value], Operand]) -> tuple[Operand, ...]:
        """The operand of each slot on the path that ends with `values` and `heap`; undefined, if it has no end and so none."""
        found: list[Operand] = []
        for k, template in enumerate(self.values):
            found += collect(template, UNDEFINED if values is None else values[k], heap, operand)
        for ref, template in self.held.items():
            found += collect(template, UNDEFINED if values is None else heap.contents[ref], heap, operand)
        return tuple(found)


def changed_objects(start: Heap, heaps: list[Heap]) -> list[Ref]:
    """The objects of `start` whose contents differ in one of `heaps`."""
    return [ref for ref, contents in start.contents.items() if any(heap.contents[ref] is not contents for heap in heaps)]
