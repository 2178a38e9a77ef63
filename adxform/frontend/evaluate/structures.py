"""Between values and signatures: the arguments that a tree describes, and the tree of a result."""

from __future__ import annotations

import collections
import dataclasses
import operator
import types
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from adxform.frontend.derivative_operators import Operator
from adxform.frontend.evaluate.classes.class_contents import refuse_named_tuple
from adxform.frontend.evaluate.outside.guards import constant, from_outside, guard_class
from adxform.frontend.evaluate.records.knowledge import Given
from adxform.frontend.evaluate.state import Interpreter
from adxform.frontend.evaluate.values import NONE, Maybe, Method, Once, Poison, Ref, Static, Tuple, Value
from adxform.frontend.signature import MUTABLE, Fixed, Leaf, Node, Tree, child_name, registration
from adxform.frontend.signature.access import Access
from adxform.ir.kinds import scalar_type
from adxform.ir.ops import Lit, Operand, Var
from adxform.ir.spans import is_user
from adxform.ir.types import Object, Type


def argument(
    interp: Interpreter, tree: Tree, name: str, leaf: Callable[[Leaf, str], Value], number: Callable[[], tuple[int, bool]]
) -> Value:
    """The value of an argument described by `tree`; `leaf` gives each number or array.

    `number` says of each list, dict and dataclass in order which one it is, and that it occurs elsewhere too.
    """
    match tree:
        case Leaf():
            return leaf(tree, name)
        case Fixed(lit):
            return from_outside(interp, lit.value, Access((), lit))
        case Node(kind, cls, keys, children, meta):
            guard_class(interp, cls)
            own, twice = number() if kind in MUTABLE else (None, False)
            pairs = zip(keys, children, strict=True)
            items = tuple(argument(interp, child, child_name(name, key), leaf, number) for key, child in pairs)
            known = None if meta is None or kind == "dataclass" else constant(interp, meta.lit.value)
            made: Value
            match kind:
                case "tuple" | "namedtuple":
                    refuse_named_tuple(interp, cls)
                    return Tuple(items, cls)
                case "list" | "dict":
                    made = interp.heap.new(kind, cls, keys, items, shared=twice, meta=known)
                case "registered":
                    made = put_together(interp, cls, (known or NONE, Tuple(items)), twice)
                case _:
                    beside: tuple[str, ...] = () if meta is None else meta.lit.value
                    way = f"make it a field of {cls.__name__}, or pass it as an argument of its own"
                    why = "`{}` is an attribute of a {} beside its fields"
                    unread = (Poison(why.format(name, cls.__name__), way=way) for name in beside)
                    made = interp.heap.new("instance", cls, (*keys, *beside), (*items, *unread), shared=twice)
            interp.identify(made, Given(own, keys))
            return made


def result(interp: Interpreter, value: Value) -> tuple[Tree, tuple[Operand, ...]]:
    """The tree of a result and its leaves in order."""
    leaves: list[Operand] = []
    return _result(interp, value, leaves), tuple(leaves)


def _result(interp: Interpreter, value: Value, leaves: list[Operand]) -> Tree:
    value = interp.seen(interp.force(interp.use(value), returned=True))
    match value:
        case Var(_, type_):
            leaves.append(value)
            return Leaf(type_)
        case Lit(literal):
            type_or_none = scalar_type(literal)
            if type_or_none is None:
                return Fixed(value)
            leaves.append(value)
            return Leaf(type_or_none)
        case Static():
            return Fixed(Lit(interp.pin(value)))
        case Once():
            raise interp.error("an iterator is returned", "return what it goes through: `list(…)`")
        case _:
            return _structure(interp, value, leaves)


def _structure(interp: Interpreter, value: Value, leaves: list[Operand]) -> Tree:
    """The tree of a structure that is returned; its leaves are added to `leaves`."""
    match value:
        case Tuple(items, cls):
            keys: tuple[Any, ...] = tuple(range(len(items))) if cls is tuple else cls._fields  # type: ignore[attr-defined]
            return Node(
                "tuple" if cls is tuple else "namedtuple", cls, keys, tuple(_result(interp, item, leaves) for item in items)
            )
        case Ref(kind="list" | "dict" as kind, cls=cls) if cls is not collections.deque:
            contents = interp.contents(value)
            known = None if value.meta is None else Fixed(Lit(interp.static(value.meta, "the default of a result")))
            return Node(kind, cls, contents.keys, tuple(_result(interp, item, leaves) for item in contents.items), known)
        case Ref(kind="instance", cls=cls) if registration(cls) is not None:
            items, meta, found = taken_apart(interp, value)
            given = Fixed(Lit(interp.static(meta, "what it takes to make a structure")))
            return Node("registered", cls, found, tuple(_result(interp, item, leaves) for item in items), given)
        case Ref(kind="instance", cls=cls) if dataclasses.is_dataclass(cls) and not issubclass(cls, Operator):
            contents = interp.contents(value)
            names = tuple(field.name for field in dataclasses.fields(cls))
            fields = [contents.get(name) or interp.attribute(value, name) for name in names]
            return Node("dataclass", cls, names, tuple(_result(interp, item, leaves) for item in fields))
        case _:
            raise interp.error(
                "a value of this kind cannot be returned", "return numbers, arrays, tuples, lists, dicts or dataclasses"
            )


def items_of(interp: Interpreter, value: Tuple | Ref) -> tuple[Value, ...]:
    """The parts of a structure."""
    if isinstance(value, Tuple):
        return value.items
    if value.kind == "instance" and registration(value.cls) is not None:
        return taken_apart(interp, value)[0]
    return interp.contents(value).items


def made_like(interp: Interpreter, value: Tuple | Ref, items: Sequence[Value]) -> Value:
    """A structure like `value` with `items` for its parts."""
    if isinstance(value, Tuple):
        return Tuple(tuple(items), value.cls)
    if value.kind == "instance" and registration(value.cls) is not None:
        return put_together(interp, value.cls, (taken_apart(interp, value)[1], Tuple(tuple(items))), False)
    return interp.heap.new(value.kind, value.cls, interp.contents(value).keys, tuple(items), meta=value.meta)


def same_kind(interp: Interpreter, value: Ref, other: Ref) -> bool:
    """Whether two structures of one class agree in what else it takes to make one, as far as that is known."""
    if value.kind != "instance" or registration(value.cls) is None:
        return value.meta == other.meta
    one, another = (taken_apart(interp, ref)[1] for ref in (value, other))
    return not (isinstance(one, Lit) and isinstance(another, Lit)) or one == another


def taken_apart(interp: Interpreter, ref: Ref) -> tuple[tuple[Value, ...], Value, tuple[Any, ...]]:
    """The children of an instance of a registered class, what else it takes to make one, and the keys of the children."""
    found = interp.call(_registered(interp, ref.cls, "flatten_func"), (ref,))
    children, meta, *entries = interp.items(found)
    items = tuple(interp.items(children))
    named = bool(entries) and entries[0] != NONE
    return items, meta, tuple(interp.static(entries[0], "the keys of a structure")) if named else tuple(range(len(items)))


def put_together(interp: Interpreter, cls: type, given: tuple[Value, Value], shared: bool) -> Value:
    """An instance of a registered class, from what else it takes and its children."""
    made = interp.call(_registered(interp, cls, "unflatten_func"), given)
    if not isinstance(made, Ref) or made.cls is not cls:
        raise interp.error(
            f"how a {cls.__name__} is made cannot be followed", "make it by its constructor when it is unflattened"
        )
    contents = interp.contents(made)
    return interp.heap.new(made.kind, cls, contents.keys, contents.items, shared=True) if shared else made


def _registered(interp: Interpreter, cls: type, which: str) -> Value:
    """One of the functions that `cls` is registered with, guarded like any other that a call finds outside."""
    found = getattr(registration(cls), which)
    access = Access((("registration", cls.__name__), ("attribute", which)), Lit(cls))
    bound: tuple[Value, ...] = ()
    if isinstance(found, operator.methodcaller):
        name = found.__reduce__()[1][0]
        found, access = getattr(cls, name), Access((("attribute", name),), Lit(cls))
    elif isinstance(found, types.MethodType):
        bound = (constant(interp, found.__self__),)
        found, access = found.__func__, access.to("attribute", "__func__")
    while (
        isinstance(found, types.FunctionType) and hasattr(found, "__wrapped__") and not is_user(found)
    ):  # what `optree` itself puts around a method
        found, access = found.__wrapped__, access.to("attribute", "__wrapped__")
    return Method(from_outside(interp, found, access), bound)


def rebuilt(interp: Interpreter, value: Value, leaves: Iterator[Value]) -> Value:
    """A value of the structure of `value` with `leaves` for its numbers and arrays."""
    match value:
        case Var():
            return next(leaves)
        case Maybe(_, held):
            return rebuilt(interp, held, leaves)
        case Lit(literal):
            return value if scalar_type(literal) is None else next(leaves)
        case Tuple() | Ref():
            return made_like(interp, value, [rebuilt(interp, item, leaves) for item in items_of(interp, value)])
        case _:
            return value


def leaves_of(interp: Interpreter, value: Value) -> Iterator[Value]:
    """The numbers and arrays in `value`, in order."""
    match value:
        case Var():
            yield value
        case Maybe(_, held):
            yield from leaves_of(interp, held)
        case Lit(literal):
            if scalar_type(literal) is not None:
                yield value
        case Tuple() | Ref():
            for item in items_of(interp, value):
                yield from leaves_of(interp, item)
        case _:
            return


def all_leaves(interp: Interpreter, value: Value) -> Iterator[Value]:
    """As `leaves_of`, with everything else that is not a structure too."""
    match value:
        case Tuple(items):
            for item in items:
                yield from all_leaves(interp, item)
        case Ref(kind="list" | "dict"):
            for item in interp.contents(value).items:
                yield from all_leaves(interp, item)
        case _:
            yield value


def literal_type(operand: Operand) -> Type:
    """The type of a literal number."""
    found = scalar_type(operand.value) if isinstance(operand, Lit) else None
    return found or Object()
