"""Derivatives that share no code with adxform: central differences, extrapolated, on the function itself."""

from __future__ import annotations

import copy
import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import optree
from numpy.typing import NDArray

Vector = NDArray[np.float64]


def leaves(tree: Any) -> Iterator[Any]:
    """Yield the leaves of nested tuples, lists, dicts (by sorted key) and dataclasses, from left to right."""
    match tree:
        case tuple() | list():
            for item in tree:
                yield from leaves(item)
        case dict():
            for key in sorted(tree):
                yield from leaves(tree[key])
        case _ if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
            for field in dataclasses.fields(tree):
                yield from leaves(getattr(tree, field.name))
        case _ if registered(tree):
            yield from leaves(list(optree.tree_flatten_one_level(tree)[0]))
        case None:
            pass
        case _:
            yield tree


def registered(tree: Any) -> bool:
    """Tell whether `tree` is of a class that was registered with `optree`, for all namespaces."""
    entry = optree.register_pytree_node.get(type(tree))
    return entry is not None and entry.kind is optree.PyTreeKind.CUSTOM


def is_float(leaf: Any) -> bool:
    """Tell whether a leaf is a real number or an array of real numbers that can move."""
    return isinstance(leaf, (float, np.floating)) or (isinstance(leaf, np.ndarray) and leaf.dtype.kind == "f")


def float_leaves(tree: Any) -> list[Any]:
    """Return the leaves of `tree` that can move."""
    return [leaf for leaf in leaves(tree) if is_float(leaf)]


def rebuild(tree: Any, values: Iterator[Any]) -> Any:
    """Return `tree` with its floating leaves taken from `values`, in order; everything else stays."""
    match tree:
        case tuple() if hasattr(tree, "_fields"):
            return type(tree)(*(rebuild(item, values) for item in tree))
        case tuple() | list():
            return type(tree)(rebuild(item, values) for item in tree)
        case dict():
            moved = {key: rebuild(tree[key], values) for key in sorted(tree)}
            kept = copy.copy(tree)
            kept.update(moved)
            return kept
        case _ if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
            fields = {field.name: rebuild(getattr(tree, field.name), values) for field in dataclasses.fields(tree)}
            return dataclasses.replace(tree, **fields)
        case _ if registered(tree):
            children, metadata, _, made = optree.tree_flatten_one_level(tree)
            return made(metadata, [rebuild(item, values) for item in children])
        case _:
            return next(values) if is_float(tree) else tree


def pack(items: Sequence[Any]) -> Vector:
    """Return the leaves as one float64 vector."""
    return np.concatenate([np.zeros(0), *(np.ravel(np.asarray(item, dtype=np.float64)) for item in items)])


def unpack(flat: Vector, like: Sequence[Any]) -> list[Any]:
    """Return pieces of `flat` with the shapes and kinds of the leaves `like`, in double precision."""
    pieces: list[Any] = []
    start = 0
    for leaf in like:
        size = int(np.size(leaf))
        piece = flat[start : start + size]
        start += size
        if isinstance(leaf, np.ndarray):
            moved = np.empty_like(leaf, dtype=np.float64)
            moved[...] = piece.reshape(leaf.shape)
            pieces.append(moved)
        else:
            pieces.append(np.float64(piece[0]) if isinstance(leaf, np.floating) else float(piece[0]))
    return pieces


def double(leaf: Any) -> Any:
    """Return a float leaf in double precision: the oracle also judges float32 programs."""
    if isinstance(leaf, np.ndarray):
        return leaf.astype(np.float64)
    return np.float64(leaf) if isinstance(leaf, np.floating) else leaf


def flat_function(
    function: Callable[..., Any], args: tuple[Any, ...], wrt: tuple[int, ...]
) -> tuple[Callable[[Vector], Vector], Vector]:
    """Return `function` as a map from the vector of active leaves to the vector of floating results, and the point."""
    moving = float_leaves([args[i] for i in wrt])

    def flat(x: Vector) -> Vector:
        active = rebuild([copy.deepcopy(args[i]) for i in wrt], iter(unpack(x, moving)))
        call = [active[wrt.index(i)] if i in wrt else _doubled(args[i]) for i in range(len(args))]
        return pack(float_leaves(function(*call)))

    return flat, pack(moving)


def _doubled(tree: Any) -> Any:
    moved = copy.deepcopy(tree)
    return rebuild(moved, iter([double(leaf) for leaf in float_leaves(moved)]))


def central_jacobian(flat: Callable[[Vector], Vector], x: Vector, step: float = 2e-2) -> tuple[Vector, float]:
    """Return the Jacobian of `flat` at `x` (outputs by inputs) and an estimate of its largest error.

    Ridders' method: central differences at shrinking steps, extrapolated to zero; the entry of the table with the
    smallest estimated error is taken, for each column and each output.

    Source: C. J. F. Ridders, Accurate computation of F'(x) and F'(x) F''(x), Advances in Engineering Software 4 (1982).
    """
    rows = flat(x.copy()).size
    jacobian = np.zeros((rows, x.size))
    worst = 0.0
    for column in range(x.size):
        best, error = _ridders(flat, x, column, step * max(1.0, abs(float(x[column]))))
        jacobian[:, column] = best
        worst = max(worst, float(np.max(error, initial=0.0)))
    return jacobian, worst


def _ridders(flat: Callable[[Vector], Vector], x: Vector, column: int, step: float) -> tuple[Vector, Vector]:
    shrink, depth = 2.0, 7
    table: list[list[Vector]] = []
    best = error = np.zeros(0)
    for i in range(depth):
        row = [_difference(flat, x, column, step)]
        for j in range(i):
            factor = shrink ** (2 * (j + 1))
            row.append((factor * row[j] - table[i - 1][j]) / (factor - 1.0))
        table.append(row)
        if i == 0:
            best, error = row[0], np.full(row[0].shape, np.inf)
        for j in range(1, i + 1):
            guess = np.maximum(np.abs(row[j] - row[j - 1]), np.abs(row[j] - table[i - 1][j - 1]))
            better = guess < error
            best, error = np.where(better, row[j], best), np.where(better, guess, error)
        step /= shrink
    return best, error


def _difference(flat: Callable[[Vector], Vector], x: Vector, column: int, step: float) -> Vector:
    above, below = x.copy(), x.copy()
    above[column] += step
    below[column] -= step
    slope: Vector = (flat(above) - flat(below)) / (above[column] - below[column])
    return slope
