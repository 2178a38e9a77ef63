"""Tangents, cotangents and gradients: values with the structure of the value that they belong to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from operator import itemgetter
from typing import Any, assert_never

import numpy as np

from adxform.errors import TangentMismatchError
from adxform.frontend.signature import Fixed, Leaf, Node, Tree, describe
from adxform.ir.types import Array, Scalar, Type, is_complex, is_float, is_inexact
from adxform.runtime.dispatch.refusals import definition, name_of
from adxform.runtime.dispatch.result_structures import assemble, leaves_of


def settled(gradient: Any, type_: Type, taken: list[Any] | None) -> Any:
    """`gradient` of a leaf of type `type_` as the caller gets it.

    A number stays a number of the leaf's precision. An array is memory of its own, writable, and none of `taken`; it joins those.
    Without `taken` an array stays where it is.
    """
    if isinstance(type_, Scalar):
        number = gradient[()] if isinstance(gradient, np.ndarray) else gradient
        if type_.weak:
            cls = complex if is_complex(type_) else float
            return number if isinstance(number, cls) else cls(number)
        return number if np.result_type(number) == type_.dtype else np.dtype(type_.dtype).type(number)
    if isinstance(gradient, np.ndarray) and isinstance(type_, Array) and gradient.dtype != type_.dtype:
        gradient = gradient.astype(type_.dtype)
    if taken is not None and isinstance(gradient, np.ndarray):
        if gradient.base is not None or not gradient.flags.writeable or among(gradient, taken):
            gradient = gradient.copy()
        taken.append(gradient)
    return gradient


def alongside(values: Sequence[Any], tree: Tree, tangents: Iterable[Any]) -> Iterator[Any]:
    """The `tangents` of those of `values`, in structure `tree`, that are floats, in their precision: a run may choose it."""
    moving = (value for value, leaf in zip(values, leaves_of(tree), strict=True) if is_inexact(leaf.type))
    for value, tangent in zip(moving, tangents, strict=True):
        dtype = getattr(value, "dtype", None)
        if (cls := type(value)) in (float, complex) and not isinstance(tangent, cls | np.ndarray):
            yield cls(tangent)
        elif dtype is None or dtype.kind not in "fc" or getattr(tangent, "dtype", _DOUBLE) == dtype:
            yield tangent
        else:
            yield tangent.astype(dtype) if isinstance(tangent, np.ndarray) else dtype.type(tangent)


_DOUBLE = np.dtype(np.float64)


def among(value: Any, others: list[Any]) -> bool:
    """Whether `value` itself is one of `others`."""
    for other in others:  # noqa: SIM110 - a generator would cost more than the loop
        if other is value:
            return True
    return False


def placed(tree: Tree, values: Iterator[Any], zero: Any = 0.0) -> Any:
    """The structure `tree` with `values` for its float leaves, `zero` for known floats, and ``None`` for everything else."""
    match tree:
        case Leaf():
            return next(values) if is_inexact(tree.type) else None
        case Fixed():
            return zero if isinstance(tree.lit.value, float | complex) else None
        case Node():
            return assemble(tree, [placed(child, values, zero) for child in tree.children])
        case _:
            assert_never(tree)


def placer(tree: Tree) -> Callable[[Sequence[Any]], Any]:
    """`placed` for the structure `tree`, chosen once: what puts values for its float leaves into it."""
    match tree:
        case Leaf() if is_inexact(tree.type):
            return itemgetter(0)
        case Node("tuple", _, _, children) if all(isinstance(child, Leaf) and is_inexact(child.type) for child in children):
            return tuple
        case _:
            return lambda values: placed(tree, iter(values))


def perturbations(fn: Callable[..., Any], what: str, values: Any, given: Any) -> list[Any]:
    """The leaves of `given`, a tangent or cotangent of `values`, one for each float leaf of `values`.

    Raises:
        TangentMismatchError: structure, shape or dtype differ.
    """
    tree, leaves = describe(values, what)
    return matched(fn, what, tree, leaves, given)


def matched(fn: Callable[..., Any], what: str, tree: Tree, leaves: Sequence[Any], given: Any) -> list[Any]:
    """The leaves of `given` for the float leaves of the structure `tree`, of which `leaves` are the values.

    Raises:
        TangentMismatchError: structure, shape or dtype differ.
    """
    try:
        return matching(what, tree, leaves, given)
    except MisfitError as misfit:
        raise TangentMismatchError(
            f"`{misfit.path}` for `{name_of(fn)}` does not fit: expected {misfit.expected}, got {misfit.got}",
            span=definition(fn),
            help=f"give the {what} the structure, shape and dtype of the value it belongs to",
        ) from None


def matching(what: str, tree: Tree, leaves: Sequence[Any], given: Any) -> list[Any]:
    """As `matched`, for a caller who words the error.

    Raises:
        MisfitError: structure, shape or dtype differ.
    """
    if type(given) is np.ndarray and type(tree) is Leaf and is_inexact(tree.type):
        value = leaves[0]
        if type(value) is np.ndarray and value.dtype == given.dtype and value.shape == given.shape:
            return [given]
    other, others = described_along(tree, given, what)
    return list(Match(iter(leaves), iter(others)).walk(tree, other, what))


def described_along(tree: Tree, given: Any, what: str) -> tuple[Tree, list[Any]]:
    """The structure of `given` and its leaves, with its dicts in the order that they have in the structure `tree`."""
    other, others = describe(given, what)
    return _in_order(tree, other, iter(others))


def _in_order(tree: Tree, other: Tree, leaves: Iterator[Any]) -> tuple[Tree, list[Any]]:
    """`other` and its `leaves`, with its dicts in the order that they have in `tree`."""
    match other:
        case Leaf():
            return other, [next(leaves)]
        case Fixed():
            return other, []
        case Node("dict", _, keys, children) if isinstance(tree, Node) and tree.kind == "dict" and set(tree.keys) == set(keys):
            likes = dict(zip(tree.keys, tree.children, strict=True))
            given = {key: _in_order(likes[key], child, leaves) for key, child in zip(keys, children, strict=True)}
            keys, parts = tree.keys, [given[key] for key in tree.keys]
        case Node(_, _, keys, children):
            own = tree.children if isinstance(tree, Node) and len(tree.children) == len(children) else children
            parts = [_in_order(*both, leaves) for both in zip(own, children, strict=True)]
        case _:
            assert_never(other)
    return replace(other, keys=keys, children=tuple([part for part, _ in parts])), [leaf for _, found in parts for leaf in found]


def matcher(tree: Tree) -> Callable[[Sequence[Any], Any], list[Any] | None]:
    """`matching` for values of the structure `tree`, as far as that is quickly told; ``None`` where it takes a closer look."""
    match tree:
        case Leaf() if is_inexact(tree.type):
            return matched_leaf
        case Node("tuple", _, _, children) if all(isinstance(child, Leaf) and is_inexact(child.type) for child in children):
            return matched_leaves
        case _:
            return lambda values, given: None


def matched_leaf(values: Sequence[Any], given: Any) -> list[Any] | None:
    """`given` for the one leaf ``values[0]``, if it is of the very same type."""
    value = values[0]
    cls = type(value)
    if type(given) is not cls or (cls is np.ndarray and (given.dtype != value.dtype or given.shape != value.shape)):
        return None
    return [given]


def matched_leaves(values: Sequence[Any], given: Any) -> list[Any] | None:
    """The items of `given`, a tuple, if each is of the very same type as its leaf."""
    if type(given) is not tuple or len(given) != len(values):
        return None
    for i, value in enumerate(values):
        cls, other = type(value), given[i]
        if type(other) is not cls or (cls is np.ndarray and (other.dtype != value.dtype or other.shape != value.shape)):
            return None
    return list(given)


def settler(types: Sequence[Type]) -> Callable[[Sequence[Any], list[Any] | None], list[Any]]:
    """What makes of the gradients of leaves of `types` what the caller gets: see `settled`."""
    steps = tuple([_settling(type_) for type_ in types])
    match steps:
        case (only,):
            return lambda found, taken: [only(found[0], taken)]
        case _:
            return lambda found, taken: [steps[i](value, taken) for i, value in enumerate(found)]


def finisher(tree: Tree, types: Sequence[Type]) -> Callable[[Sequence[Any], list[Any] | None], Any]:
    """What makes of the gradients of the leaves of `tree`, which are of `types`, the structure that the caller gets."""
    if isinstance(tree, Leaf) and is_inexact(tree.type):
        only = _settling(*types)
        return lambda found, taken: only(found[0], taken)
    place, settle = placer(tree), settler(types)
    return lambda found, taken: place(settle(found, taken))


def _settling(type_: Type) -> Callable[[Any, list[Any] | None], Any]:
    """`settled` for `type_`, without a call of it where there is nothing to do."""
    ndarray = np.ndarray
    dtype = np.dtype(type_.dtype) if isinstance(type_, Array) else None

    def number(value: Any, taken: list[Any] | None) -> Any:
        return value if type(value) is float else settled(value, type_, taken)

    def array(value: Any, taken: list[Any] | None) -> Any:
        if taken is None:
            return value
        if type(value) is not ndarray or value.base is not None or not value.flags.writeable or value.dtype is not dtype:
            return settled(value, type_, taken)
        for other in taken:
            if other is value:
                return settled(value, type_, taken)
        taken.append(value)
        return value

    match type_:
        case Scalar(_, weak):
            return number if weak and is_float(type_) else lambda value, taken: settled(value, type_, taken)
        case _:
            return array


class MisfitError(Exception):
    """A tangent or cotangent does not fit the value at `path`."""

    def __init__(self, path: str, expected: str, got: str) -> None:
        super().__init__(path, expected, got)
        self.path, self.expected, self.got = path, expected, got


@dataclass
class Match:
    """A walk through a value and its tangent side by side."""

    leaves: Iterator[Any]
    others: Iterator[Any]

    def walk(self, tree: Tree, other: Tree, path: str) -> Iterator[Any]:
        """The tangent of each float leaf."""
        match tree, other:
            case Leaf(), Leaf():
                value, given = next(self.leaves), next(self.others)
                if is_inexact(tree.type) and not _moves(value):
                    yield self.still(value, given, path)
                elif is_inexact(tree.type):
                    yield self.fitted(value, given, path)
                elif np.any(given):
                    raise MisfitError(path, f"zero or None (the value is {kind(value)}, which has no derivative)", kind(given))
            case Leaf(), Fixed() if other.lit.value is None and not is_inexact(tree.type):
                next(self.leaves)
            case Leaf(), Fixed() if other.lit.value is None and not _moves(value := next(self.leaves)):
                yield self.still(value, None, path)
            case Fixed(), Fixed():
                pass
            case Node(), Node() if alike(tree, other):
                for key, left, right in zip(tree.keys, tree.children, other.children, strict=True):
                    yield from self.walk(left, right, f"{path}[{key!r}]")
            case _:
                raise MisfitError(path, described(tree), described(other))

    def still(self, value: Any, given: Any, path: str) -> Any:
        """The tangent of `value`, which is a float on another path: zero, whatever is `given`."""
        return np.zeros(np.shape(value))[()]

    def fitted(self, value: Any, given: Any, path: str) -> Any:
        """`given` as a tangent of the float or float array `value`."""
        if isinstance(value, np.ndarray):
            if np.shape(given) != value.shape:
                raise MisfitError(path, kind(value), kind(given))
            if isinstance(given, np.ndarray | np.generic) and given.dtype == value.dtype:
                return np.asarray(given)
            if value.shape == () and isinstance(given, float | int) and not isinstance(given, bool | np.generic):
                return np.asarray(given, value.dtype)
            raise MisfitError(path, kind(value), kind(given))
        is_real = not isinstance(value, complex | np.complexfloating)
        if np.shape(given) or isinstance(given, bool) or (is_real and isinstance(given, complex)):
            raise MisfitError(path, kind(value), kind(given))
        number = given[()] if isinstance(given, np.ndarray) else given
        if isinstance(number, np.generic) and not isinstance(number, np.floating if is_real else np.inexact):
            raise MisfitError(path, kind(value), kind(given))
        if isinstance(value, np.generic):
            if isinstance(number, np.generic) and number.dtype != value.dtype:
                raise MisfitError(path, kind(value), kind(given))
            return value.dtype.type(number)
        return float(number) if is_real else complex(number)


def _moves(value: Any) -> bool:
    """Whether `value`, a float on some path, is one on the path that was taken."""
    return isinstance(value, float | complex) or (isinstance(value, np.ndarray | np.generic) and value.dtype.kind in "fc")


def alike(left: Node, right: Node) -> bool:
    """Whether two nodes are the same container with the same keys."""
    same = (left.kind, left.cls, left.keys, len(left.children)) == (right.kind, right.cls, right.keys, len(right.children))
    return same and left.meta == right.meta


def described(tree: Tree) -> str:
    """`tree` in a few words."""
    match tree:
        case Leaf(type=Array(dtype, shape)):
            return f"an array of {dtype} with {len(shape or ())} axes"
        case Leaf():
            return "a number"
        case Fixed():
            return repr(tree.lit.value)
        case Node("dict"):
            return f"a dict with the keys {', '.join(map(repr, tree.keys))}" if tree.keys else "an empty dict"
        case Node():
            return f"a {tree.kind} of {len(tree.children)}"
        case _:
            assert_never(tree)


def kind(value: Any) -> str:
    """`value` by type, and an array by shape and dtype."""
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} of shape {value.shape}"
    if isinstance(value, np.generic):
        return f"a number of type {value.dtype}"
    return f"a Python {type(value).__name__}"
