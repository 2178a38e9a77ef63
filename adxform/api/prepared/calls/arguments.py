"""Whether an argument is like the one that was prepared for: quickly, by a check made beforehand, or in words.

A check is made of the description of one argument, once. It appends the leaves that a rule takes, and gives up at whatever it is
not made for: `misfit` then says what is wrong, or that nothing is.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, assert_never

import numpy as np

from adxform.frontend.signature import Fixed, Leaf, Node, Signature, Tree, leaf_types, meta_of, parts, python_class, same_static
from adxform.ir.kinds import settled_type
from adxform.ir.ops import Lit
from adxform.ir.spans import own_attribute
from adxform.ir.types import Array, Dim, Scalar, Size, Type
from adxform.runtime.dispatch.leaf_flattening import alike

Check = Callable[[Any, list[Any]], bool]
Pair = tuple[int, int, int, int]
"""Two lengths: the place of an array and an axis of it, of each. The second one may be known: then its place is -1."""
ALIKE: Mapping[Scalar, tuple[type, type]] = {
    Scalar("float64", weak=True): (float, np.float64),
    Scalar("float64"): (np.float64, float),
    Scalar("complex128", weak=True): (complex, np.complex128),
    Scalar("complex128"): (np.complex128, complex),
}
"""The class of a number, and the one that stands for it: Python's for NumPy's, and the other way round."""


def check_of(tree: Tree, known: Iterator[Lit | None]) -> Check:
    """The check for an argument described by `tree`; `known` are the values, or ``None``, of this leaf and those after it."""
    match tree:
        case Leaf(type=type_):
            lit = next(known)
            return _leaf(type_) if lit is None else _static(lit.value)
        case Fixed(lit):
            return _static(lit.value)
        case Node(kind, cls, keys, children, meta):
            return _node(kind, cls, keys, tuple([check_of(child, known) for child in children]), meta)
        case _:
            assert_never(tree)


def _leaf(type_: Type) -> Check:
    match type_:
        case Array(dtype, shape) if shape is not None:
            return _array(np.dtype(dtype), tuple(size == 1 for size in shape))
        case Scalar():
            return _number(type_)
        case _:
            return lambda value, leaves: False


def _array(dtype: np.dtype[Any], ones: tuple[bool, ...]) -> Check:
    count, some, ndarray = len(ones), any(ones), np.ndarray

    def check(value: Any, leaves: list[Any]) -> bool:
        if type(value) is not ndarray or value.dtype != dtype:
            return False
        shape = value.shape
        if len(shape) != count or (tuple([length == 1 for length in shape]) != ones if some else 1 in shape):
            return False
        leaves.append(value)
        return True

    return check


def equal_pairs(signature: Signature, known: Container[int]) -> list[Pair]:
    """The lengths of what a rule takes, leaves but for those `known`, that `signature` says are equal."""
    groups: dict[int, list[tuple[int, int]]] = {}
    numbers = iter(signature.lengths)
    trees = (*signature.args, *(tree for _, tree in signature.kwargs))
    types = [type_ for i, type_ in enumerate(chain.from_iterable(map(leaf_types, trees))) if i not in known]
    for place, type_ in enumerate(types):
        for axis, size in enumerate(type_.shape or () if isinstance(type_, Array) else ()):
            if isinstance(size, Dim) and (number := next(numbers, None)) is not None:
                groups.setdefault(number, []).append((place, axis))
    known_lengths = [(*one, -1, -number) for number, found in groups.items() if number < 0 for one in found]
    return known_lengths + [(*ahead, *one) for number, (ahead, *rest) in groups.items() if number >= 0 for one in rest]


def lengths_check(pairs: Sequence[Pair]) -> Callable[[Sequence[Any]], bool] | None:
    """Says of what a rule takes whether `pairs` of lengths are equal; ``None`` where there are none."""
    last: list[Any] = [None]
    arrays = tuple(dict.fromkeys(place for pair in pairs for place in pair[::2] if place >= 0))

    def check(leaves: Sequence[Any]) -> bool:
        shapes = [leaves[place].shape for place in arrays]
        if shapes == last[0]:
            return True
        if any(leaves[a].shape[i] != (leaves[b].shape[j] if b >= 0 else j) for a, i, b, j in pairs):
            return False
        last[0] = shapes
        return True

    return check if pairs else None


def _number(type_: Scalar) -> Check:
    alike = ALIKE.get(type_) or (python_class(type_.dtype, type_.weak),)
    cls = alike[0]

    def check(value: Any, leaves: list[Any]) -> bool:
        if type(value) is cls:
            leaves.append(value)
            return True
        if type(value) in alike:
            leaves.append(cls(value))
            return True
        return False

    return check


def _static(expected: Any) -> Check:
    return lambda value, leaves: same_static(value, expected)


def _node(kind: str, cls: type, keys: tuple[Any, ...], checks: tuple[Check, ...], meta: Fixed | None) -> Check:

    def check(given: object, leaves: list[Any]) -> bool:
        if type(given) is not cls or ((meta is not None or kind == "dataclass") and meta_of(given) != meta):
            return False
        value: Any = given
        children: Any
        if kind == "registered":
            _, own, children = parts(value) or ("", (), ())
            if own != keys:
                return False
        elif kind == "dataclass":
            children = [getattr(value, key) for key in keys]
        elif len(value) != len(keys) or (kind == "dict" and tuple(value) != keys):
            return False
        else:
            children = value.values() if kind == "dict" else value
        return all(child(item, leaves) for child, item in zip(checks, children, strict=True))

    return check


def fitted(value: Any, type_: Type) -> Any:
    """`value`, which fits `type_`, as a rule for `type_` takes it: Python's numbers and NumPy's stand for one another."""
    cls = ALIKE[type_][0] if isinstance(type_, Scalar) and type_ in ALIKE else None
    return value if cls is None or type(value) is cls else cls(value)


def misfit(expected: Tree, got: Tree, path: str, *, sizes: bool = True) -> tuple[str, str, str] | None:
    """The path to the first difference of an argument from the expected one, and both in words; ``None`` without one.

    `sizes`: lengths of one and others differ.
    """
    match expected, got:
        case Leaf(type=left), Leaf(type=right):
            return None if types_fit(left, right, sizes) else (path, described(expected), described(got))
        case Fixed(), Fixed():
            return None if expected == got else (path, described(expected), described(got))
        case Node(kind, _, keys, children), Node() if alike(expected, got):
            for key, one, other in zip(keys, children, got.children, strict=True):
                step = f".{key}" if kind in ("namedtuple", "dataclass") else f"[{key!r}]"
                found = misfit(one, other, path + step, sizes=sizes)
                if found is not None:
                    return found
            return None
        case _:
            return path, described(expected), described(got)


def tree_misfits(
    names: Iterable[str],
    expected: Sequence[Tree | None],
    wanted: Mapping[str, Tree | None],
    args: Sequence[Tree | None],
    kwargs: Mapping[str, Tree | None],
) -> list[str]:
    """A line for each of `args` and `kwargs` that differs from those `expected` and `wanted`, as far as both are known.

    Lengths count for nothing.
    """
    if len(args) != len(expected) or set(kwargs) != set(wanted):
        return [f"expected {call_shape(len(expected), wanted)}, got {call_shape(len(args), kwargs)}"]
    named = zip(names, expected, args, strict=False)
    pairs = [*named, *((name, tree, kwargs[name]) for name, tree in wanted.items())]
    found = [misfit(one, other, name, sizes=False) for name, one, other in pairs if one is not None and other is not None]
    return [line(*parts) for parts in found if parts is not None]


def types_fit(expected: Type, got: Type, sizes: bool) -> bool:
    """Whether a value of type `got` may be given for one of type `expected`."""
    match expected, got:
        case Scalar(), Scalar():
            known = settled_type(got)  # inside a function it may be of several kinds
            same = isinstance(known, Scalar) and expected in ALIKE and known in ALIKE and expected.dtype == known.dtype
            return same or expected == known
        case Array(dtype, shape), Array(other, lengths):
            if dtype != other or shape is None or lengths is None:
                return dtype == other
            ones = not sizes or all((a == 1) == (b == 1) for a, b in zip(shape, lengths, strict=False))
            return len(shape) == len(lengths) and ones
        case _:
            return expected == got


def described(tree: Tree) -> str:
    """An argument in words."""
    match tree:
        case Leaf(type=Array(dtype, None)):
            return f"an array of {dtype}"
        case Leaf(type=Array(dtype, tuple(shape))):
            return f"an array of {dtype} of shape {shaped(shape)}"
        case Leaf(type=Scalar(dtype, weak)):
            return f"a Python {python_class(dtype, weak).__name__}" if weak else f"a number of type {dtype}"
        case Leaf():
            return "an array of objects"
        case Fixed(lit):
            return static_described(lit.value)
        case Node("dict", cls, keys):
            name = cls.__name__
            return f"a {name} with the keys {', '.join(map(repr, keys))}" if keys else f"an empty {name}"
        case Node("tuple" | "list" as kind, _, keys):
            return f"a {kind} of {len(keys)}"
        case Node(cls=cls):
            return f"a {cls.__qualname__}"
        case _:
            assert_never(tree)


def static_described(value: Any) -> str:
    """A value that is compared as a whole, in words."""
    name = own_attribute(value, "__qualname__")
    if isinstance(name, str):
        return f"`{name}`"
    text = repr(value) if value is None or isinstance(value, str | bytes | bool | int | float | complex | tuple) else ""
    return text if text and len(text) < 60 else f"a {type(value).__qualname__}"


def shaped(shape: tuple[Size, ...]) -> str:
    """A shape in which every length that is not one is ``n``."""
    lengths = ", ".join("n" if isinstance(size, Dim) else str(size) for size in shape)
    return f"({lengths},)" if len(shape) == 1 else f"({lengths})"


def line(path: str, expected: str, got: str) -> str:
    """One line of an error."""
    return f"`{path}`: expected {expected}, got {got}"


def call_shape(count: int, names: Iterable[str]) -> str:
    """How many arguments there are, and their names."""
    keywords = ", ".join(f"`{name}`" for name in names)
    return f"{count} positional argument{'s' * (count != 1)}" + (f" and {keywords}" if keywords else "")
