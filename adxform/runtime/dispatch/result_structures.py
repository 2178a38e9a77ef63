"""Values of known structure at the edge of the API: taken apart by `describe`, put together again here."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from operator import itemgetter
from typing import Any, assert_never

from adxform.frontend.signature import Fixed, Leaf, Node, Tree, registration
from adxform.runtime import record


def rebuild(tree: Tree, leaves: Iterator[Any]) -> Any:
    """The value of structure `tree` with `leaves` for its leaves, in order."""
    match tree:
        case Leaf():
            return next(leaves)
        case Fixed():
            return tree.lit.value
        case Node():
            return assemble(tree, [rebuild(child, leaves) for child in tree.children])
        case _:
            assert_never(tree)


def builder(tree: Tree) -> Callable[[Sequence[Any]], Any]:
    """`rebuild` for the structure `tree`, chosen once: what makes a value of its leaves."""
    match tree:
        case Leaf():
            return itemgetter(0)
        case Node("tuple", _, _, children) if all(isinstance(child, Leaf) for child in children):
            return tuple
        case _:
            return lambda leaves: rebuild(tree, iter(leaves))


def assemble(node: Node, children: list[Any]) -> Any:
    """The tuple, list, dict, named tuple or dataclass of `node` that holds `children`."""
    match node.kind:
        case "tuple":
            return tuple(children)
        case "list":
            return children
        case "dict":
            items = zip(node.keys, children, strict=True)
            return node.cls(items) if node.meta is None else node.cls(node.meta.lit.value, items)
        case "namedtuple":
            return tuple.__new__(node.cls, children)
        case "dataclass":
            return record(node.cls, **dict(zip(node.keys, children, strict=True)))
        case "registered":
            assert node.meta is not None
            return registration(node.cls).unflatten_func(node.meta.lit.value, tuple(children))
        case _:
            assert_never(node.kind)


def leaves_of(tree: Tree) -> Iterator[Leaf]:
    """The leaves of `tree`, in order."""
    match tree:
        case Leaf():
            yield tree
        case Fixed():
            return
        case Node():
            for child in tree.children:
                yield from leaves_of(child)
        case _:
            assert_never(tree)


def named_ends(tree: Tree, path: str) -> Iterator[tuple[str, Leaf | Fixed]]:
    """Each leaf and each fixed value of `tree` with the expression that reaches it from `path`."""
    match tree:
        case Leaf() | Fixed():
            yield path, tree
        case Node():
            for key, child in zip(tree.keys, tree.children, strict=True):
                step = f".{key}" if tree.kind in ("namedtuple", "dataclass") else f"[{key!r}]"
                yield from named_ends(child, path + step)
        case _:
            assert_never(tree)
