"""Between values and signatures: the arguments that a tree describes, and the tree of a result."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from adxform.frontend.access import Access
from adxform.frontend.outside import from_outside
from adxform.frontend.signature import MUTABLE, Fixed, Leaf, Node, Tree, child_name, scalar_type
from adxform.frontend.values import NONE, Maybe, Ref, Static, Tuple, Value
from adxform.ir.ops import Lit, Operand, Var
from adxform.ir.types import Object, Type

if TYPE_CHECKING:
    from adxform.frontend.interpreter import Interpreter


def argument(
    interp: Interpreter, tree: Tree, name: str, leaf: Callable[[Leaf, str], Value], shared: Callable[[], bool] = bool
) -> Value:
    """The value of an argument described by `tree`; `leaf` gives each number or array.

    `shared` says of each list, dict and dataclass in order whether it occurs elsewhere too.
    """
    match tree:
        case Leaf():
            return leaf(tree, name)
        case Fixed(lit):
            return from_outside(interp, lit.value, Access((), lit))
        case Node(kind, cls, keys, children):
            twice = kind in MUTABLE and shared()
            pairs = zip(keys, children, strict=True)
            items = tuple(argument(interp, child, child_name(name, key), leaf, shared) for key, child in pairs)
            match kind:
                case "tuple" | "namedtuple":
                    return Tuple(items, cls)
                case "list" | "dict":
                    return interp.heap.new(kind, cls, keys, items, shared=twice)
                case _:
                    return interp.heap.new("instance", cls, keys, items, shared=twice)


def result(interp: Interpreter, value: Value) -> tuple[Tree, tuple[Operand, ...]]:
    """The tree of a result and its leaves in order."""
    leaves: list[Operand] = []
    return _result(interp, value, leaves), tuple(leaves)


def _result(interp: Interpreter, value: Value, leaves: list[Operand]) -> Tree:
    value = interp.force(interp.use(value))
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
        case Tuple(items, cls):
            keys: tuple[Any, ...] = tuple(range(len(items))) if cls is tuple else cls._fields  # type: ignore[attr-defined]
            return Node(
                "tuple" if cls is tuple else "namedtuple", cls, keys, tuple(_result(interp, item, leaves) for item in items)
            )
        case Ref(kind="list" | "dict" as kind, cls=cls):
            contents = interp.contents(value)
            return Node(kind, cls, contents.keys, tuple(_result(interp, item, leaves) for item in contents.items))
        case Ref(kind="instance", cls=cls) if dataclasses.is_dataclass(cls):
            contents = interp.contents(value)
            names = tuple(field.name for field in dataclasses.fields(cls))
            fields = [contents.get(name) for name in names]
            return Node("dataclass", cls, names, tuple(_result(interp, item or NONE, leaves) for item in fields))
        case _:
            raise interp.error(
                "a value of this kind cannot be returned", "return numbers, arrays, tuples, lists, dicts or dataclasses"
            )


def rebuilt(interp: Interpreter, value: Value, leaves: Iterator[Value]) -> Value:
    """A value of the structure of `value` with `leaves` for its numbers and arrays."""
    match value:
        case Var():
            return next(leaves)
        case Maybe(_, held):
            return rebuilt(interp, held, leaves)
        case Lit(literal):
            return value if scalar_type(literal) is None else next(leaves)
        case Tuple(items, cls):
            return Tuple(tuple(rebuilt(interp, item, leaves) for item in items), cls)
        case Ref(kind, cls):
            contents = interp.contents(value)
            return interp.heap.new(kind, cls, contents.keys, tuple(rebuilt(interp, item, leaves) for item in contents.items))
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
        case Tuple(items):
            for item in items:
                yield from leaves_of(interp, item)
        case Ref():
            for item in interp.contents(value).items:
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
