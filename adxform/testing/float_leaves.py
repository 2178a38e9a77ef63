"""The floats in structures: drawn, moved, copied with their order in memory, and compared."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np

from adxform.frontend.signature import Node, meta_of, parts
from adxform.runtime import private
from adxform.runtime.dispatch.result_structures import assemble


def is_float(leaf: Any) -> bool:
    """Whether `leaf` is a number or an array of floats, real or complex."""
    return isinstance(leaf, float | complex | np.inexact) or (isinstance(leaf, np.ndarray) and leaf.dtype.kind in "fc")


def wide(value: Any) -> Any:
    """`value` as an array in double precision."""
    return np.asarray(value, complex if np.iscomplexobj(value) else float)


def is_flat(value: Any) -> bool:
    """Whether `value` is a float, a float array, or a tuple of those."""
    return is_float(value) or (isinstance(value, tuple | list) and bool(value) and all(map(is_float, value)))


def _children(tree: Any) -> list[Any] | None:
    structure = None if isinstance(tree, np.ndarray) else parts(tree)
    return None if structure is None else list(structure[2])


def floats_in(tree: Any) -> Iterator[Any]:
    """The float leaves of a structure, in order."""
    children = _children(tree)
    if children is not None:
        for child in children:
            yield from floats_in(child)
    elif is_float(tree):
        yield tree


def pairs_in(tree: Any, other: Any) -> Iterator[tuple[Any, Any]]:
    """The float leaves of `tree` with what `other`, of the same structure, has in their place."""
    children = _children(tree)
    if children is not None:
        for child, partner in zip(children, _children(other) or (), strict=True):
            yield from pairs_in(child, partner)
    elif is_float(tree):
        yield tree, other


def picked(tree: Any, other: Any) -> list[Any]:
    """What `other`, of the structure of `tree`, has in the places of its float leaves."""
    return [part for _, part in pairs_in(tree, other)]


_KEEP = object()


def with_floats(tree: Any, values: Iterator[Any], other: Any = _KEEP) -> Any:
    """`tree` with `values` for its float leaves, and every other leaf kept, or replaced by `other`."""
    structure = None if isinstance(tree, np.ndarray) else parts(tree)
    if structure is not None:
        kind, keys, children = structure
        return assemble(Node(kind, type(tree), keys, (), meta_of(tree)), [with_floats(item, values, other) for item in children])
    return next(values) if is_float(tree) else tree if other is _KEEP else other


def random_like(leaf: Any, rng: np.random.Generator) -> Any:
    """Numbers drawn by `rng` in the form of `leaf`."""
    drawn = rng.standard_normal(np.shape(leaf))
    if np.iscomplexobj(leaf):
        drawn = drawn + 1j * rng.standard_normal(np.shape(leaf))
    return np.asarray(drawn, leaf.dtype) if isinstance(leaf, np.ndarray) else type(leaf)(drawn)


def zero_like(leaf: Any) -> Any:
    """Zeros in the form of `leaf`."""
    return np.zeros(leaf.shape, leaf.dtype) if isinstance(leaf, np.ndarray) else type(leaf)(0.0)


def _laid_out(values: Any, like: Any) -> Any:
    """`values` in the memory order of `like`, with gaps where it has some: whether a reshape copies can depend on it."""
    wide = complex if np.iscomplexobj(like) else float
    out = private(like) if like.dtype == wide else np.empty_like(like, wide)
    out[...] = values
    return out


def copied(tree: Any) -> Any:
    """A deep copy of `tree` in which each float array keeps its order in memory."""
    return with_floats(copy.deepcopy(tree), iter([private(x) if isinstance(x, np.ndarray) else x for x in floats_in(tree)]))


def doubled(leaf: Any) -> Any:
    """`leaf` in double precision."""
    if isinstance(leaf, np.ndarray):
        return _laid_out(leaf, leaf)
    return wide(leaf)[()] if isinstance(leaf, np.generic) else leaf


def moved_by(leaf: Any, direction: Any, step: float) -> Any:
    """`leaf` in double precision, moved; an array without axes stays an array."""
    moved = doubled(leaf) + step * doubled(direction)
    if not isinstance(leaf, np.ndarray):
        return moved
    return _laid_out(np.asarray(moved), leaf)


def inner_product(one: list[Any], other: list[Any]) -> float:
    """The real part of the sum of the products of `one` and `other`, part by part."""
    return sum(float(np.sum(wide(a) * wide(b)).real) for a, b in zip(one, other, strict=True))


def largest_error(got: list[Any], expected: list[Any]) -> float:
    """The largest difference, relative to the largest number expected, or to one; infinite where shapes or NaNs differ."""
    worst = 0.0
    scale = max([1.0, *(float(np.max(np.abs(part), initial=0.0)) for part in expected)])
    for one, other in zip(got, expected, strict=True):
        a, b = wide(one), wide(other)
        if a.shape != b.shape or (np.isnan(a) != np.isnan(b)).any():
            return float("inf")
        with np.errstate(invalid="ignore"):
            difference = np.where((a == b) | np.isnan(a), 0.0, np.abs(a - b))
        worst = max(worst, float(np.max(difference, initial=0.0)) / scale)
    return worst


def have_same_bits(one: Any, other: Any) -> bool:
    """Whether two structures hold the same bits."""
    pairs = zip(floats_in(one), floats_in(other), strict=True)
    return all(_are_bits_equal(np.asarray(a), np.asarray(b)) for a, b in pairs)


def _are_bits_equal(a: Any, b: Any) -> bool:
    """Whether two arrays hold the same bits; a `longdouble` has more bytes than digits, which may be anything."""
    if a.dtype.type in (np.longdouble, np.clongdouble):
        return a.dtype == b.dtype and bool(np.array_equal(a, b, equal_nan=True))
    return bool(a.tobytes() == b.tobytes())
