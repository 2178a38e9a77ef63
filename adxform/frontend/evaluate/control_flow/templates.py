"""Templates: values in which `Slot`s stand for variables of a joined result, and `Built` for an object made of joined parts.

`Joiner.merge` makes one, `instantiate` gives it variables, and `collect` finds the operand of each slot for the value of a path.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias

import numpy as np

from adxform.frontend.evaluate.objects.functions_apart import NUMBER, code_key, of_class
from adxform.frontend.evaluate.objects.heap import NO_OTHERS, Heap, Originals
from adxform.frontend.evaluate.objects.object_contents import Collected, Columns, Contents, Doubtful, HeldByRun, Portion, in_doubt
from adxform.frontend.evaluate.objects.value_parts import parts_of, with_parts
from adxform.frontend.evaluate.values import FunctionValue, Maybe, Method, OneOf, Ref, Tuple, Value, is_undefined
from adxform.ir.ops import UNDEFINED, Lit, Operand, Var
from adxform.ir.types import BOOL, INT, Scalar, Type

NOT_THERE: tuple[Value, Value] = (Lit(False), UNDEFINED)
"""What is under a key that an object does not have, as `Doubtful` says it."""

_MANY, _DEEP = 400, 5
"""How many variables what paths have together is made of at most, where it is a tree so deep."""

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
    return isinstance(template, Slot | Built | Maybe) or any(map(has_slots, parts_of(template)))


def slots(template: Template) -> Iterator[Slot]:
    """The slots of `template`, in order."""
    if isinstance(template, Slot):
        yield template
    for part in template.items if isinstance(template, Built) else parts_of(template):
        yield from slots(part)


def in_parts(value: Value, template_of: Callable[[Value], Template]) -> Template:
    """The template of `value`, with `template_of` each of its parts, if it has any: whether and which it is, the run decides."""
    match value:
        case Maybe(_, held):
            return Maybe(Slot(BOOL), template_of(held))  # type: ignore[arg-type]
        case OneOf(_, things):
            return OneOf(Slot(INT), tuple(map(template_of, things)))  # type: ignore[arg-type]
        case Tuple() | FunctionValue() | Method():
            return with_parts(value, map(template_of, parts_of(value)))
        case _:
            return value


def builts(template: Template) -> Iterator[Built]:
    """The objects in `template` that are different ones on each path, in order."""
    if isinstance(template, Built):
        yield template
    for part in template.items if isinstance(template, Built) else parts_of(template):
        yield from builts(part)


def deepest(template: Template, within: tuple[type, ...] = ()) -> int:
    """How many objects of one class are in one another at most in `template`, which is `within` objects of these classes."""
    if isinstance(template, Built):
        within = (*within, template.cls) if template.kind == "instance" else within
        parts = template.items
    else:
        parts = parts_of(template)
    own = within.count(within[-1]) if within else 0
    return max((deepest(part, within) for part in parts if has_slots(part)), default=own)


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
        case Built(kind, cls, keys, items, meta, originals):
            ref = Ref(kind, cls, shared=True, meta=meta)
            held = tuple(instantiate(item, make, heap) for item in items)
            heap.contents[ref] = Contents(keys, held) if template.whole() is template else held[0]
            heap.note_originals(ref, originals)
            return ref
        case _ if has_slots(template):
            return with_parts(template, [instantiate(part, make, heap) for part in parts_of(template)])
        case _:
            return template


def collect(template: Template, value: Any, heap: Heap, operand: Callable[[Value], Operand]) -> Iterator[Operand]:
    """The operand of each slot of `template` on the path that has `value`, in order."""
    if is_undefined(value):
        for _ in slots(template):
            yield UNDEFINED
        return
    match template:
        case Slot():
            yield operand(value)
        case Maybe(present, inner):
            there = value.present if isinstance(value, Maybe) else Lit(not is_optional(value))
            yield from collect(present, there, heap, operand)
            if is_optional(value) and not isinstance(value, Maybe):
                yield from (placeholder(slot.type) for slot in slots(inner))
            else:
                yield from collect(inner, what_is_there(value), heap, operand)
        case OneOf():
            yield from _collect_one_of(template, value, heap, operand)
        case _:
            for part, on_path in _pairs(template, value, heap):
                yield from collect(part, on_path, heap, operand)


def _pairs(template: Any, value: Any, heap: Heap) -> Iterable[tuple[Template, Any]]:
    """Each part of `template` with that of `value`, which a path has and which holds what `heap` says."""
    if isinstance(template, Built):
        template = template.whole()
    inner = template.items if isinstance(template, Built) else parts_of(template)
    if not inner:
        return ()
    held: Any = heap.contents[value] if isinstance(value, Ref) else value
    if isinstance(template, Doubtful):
        found = [in_doubt(held).get(key) or NOT_THERE for key in template.keys]
        return zip(inner, (*(item for _, item in found), *(there for there, _ in found)), strict=True)
    return zip(inner, held.items if isinstance(template, Built) else parts_of(held), strict=True)


def one_or_several(value: Any) -> tuple[Any, ...]:
    """The things of which the run says which one `value` is; itself, where it is one."""
    return value.things if isinstance(value, OneOf) else (value,)


def thing_key(thing: Any) -> Any:
    """What tells `thing` apart from others among which a run chooses."""
    return NUMBER if isinstance(thing, Slot) else code_key(thing)


def _collect_one_of(template: OneOf, value: Any, heap: Heap, operand: Callable[[Value], Operand]) -> Iterator[Operand]:
    """The number of the thing that a path has, and what is in each of those that it may be; of others, what stands for it."""

    def key(thing: Any) -> Any:  # an object that this path has made is one of its class after it
        made = isinstance(thing, Ref) and all(thing is not other for other in template.things)
        return of_class(thing.cls) if made or isinstance(thing, Built) else thing_key(thing)

    which = value.which if isinstance(value, OneOf) else Lit(heap.contents.number_of(value, key(value)))
    yield from collect(template.which, which, heap, operand)
    own = {key(thing): thing for thing in one_or_several(value)}
    for thing in template.things:
        found = own.get(key(thing))
        if found is None:
            yield from (placeholder(slot.type) for slot in slots(thing))
        else:
            yield from collect(thing, found, heap, operand)


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

    def has_outgrown(self) -> bool:
        """Whether objects hold objects of their own class so deep, on some path, that there is no end to what there may be."""
        templates = (*self.values, *self.held.values())
        if sum(1 for template in templates for _ in slots(template)) <= _MANY:
            return False
        return any(deepest(template) > _DEEP for template in templates)

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
    first, last = heaps[0].contents, heaps[-1].contents  # there are one or two, and many objects
    return [ref for ref, contents in start.contents.items() if first[ref] is not contents or last[ref] is not contents]
