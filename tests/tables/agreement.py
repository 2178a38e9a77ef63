"""The judge of the modes: whether forward and reverse mode, and the three ways to a second derivative, say the same of a point.

At a point of finite numbers the Jacobian is taken column by column in forward mode and row by row in reverse mode, so that most
lanes of each tangent and cotangent are zero, and compared entry by entry: NaN for NaN, an infinity for the same infinity. Where
an argument is itself infinite or NaN, zero times it is NaN as in all arithmetic, in one lane of one mode or another: there the
transpose identity is asked of tangents and cotangents without zeros, and infinite and NaN are alike; so is a number to NaN
where nothing of the value is finite. Where the arguments are
finite and the value is not, an entry may be NaN in one mode and zero in the other, for the same reason. Then, where arguments and
value are finite, Hessian products of a weighted sum of the results, by forward over reverse, reverse over forward and reverse
over reverse mode.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

import adxform
from tests.oracle import Vector, float_leaves, pack, rebuild, unpack
from tests.tables.cell import Cell, Raised, outcome, program, refusal

DTYPES = {8: np.float64, 4: np.float32, 2: np.float16}
TOLERANCE = {8: 1e-8, 4: 2e-3, 2: 6e-2}


ORDERS = ("forward-over-reverse", "reverse-over-forward", "reverse-over-reverse")


def programs(body: str, params: str, **names: Any) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """The function ``f(params)`` that the source `body` defines, and a weighted sum of its results."""
    text = f"""{body}
def total({params}):
    y = f({params})
    return np.sum(y * (1.0 + 0.25 * np.cos(np.arange(float(np.size(y)))).reshape(np.shape(y))))
"""
    total = program(text, "total", **names)
    return total.__globals__["f"], total


def agreeing(total: Callable[..., Any]) -> Callable[[Cell], tuple[str, str]]:
    """A judge of cells of a function, the weighted sum of whose results is `total`."""

    def judged(cell: Cell) -> tuple[str, str]:
        plain = outcome(lambda: cell.function(*copy.deepcopy(cell.args)))
        finite = bool(np.all(np.isfinite(pack(float_leaves(cell.args)))))
        rows, columns = outcome(lambda: _rows(cell, finite)), outcome(lambda: _columns(cell, finite))
        for said in (refusal(rows), refusal(columns)):
            if said is not None:
                return said
        if any(isinstance(got, Raised) for got in (plain, rows, columns)):
            kinds = [got.kind.__name__ if isinstance(got, Raised) else "" for got in (plain, rows, columns)]
            alike = len(set(kinds)) == 1
            return (
                ("right", "") if alike else ("wrong", f"raised: plainly {kinds[0]!r}, reverse {kinds[1]!r}, forward {kinds[2]!r}")
            )
        lost = not finite and _are_lost(rows, columns, plain)
        settled = finite and bool(np.all(np.isfinite(pack(float_leaves(plain)))))
        if finite and not settled and rows.shape == columns.shape:
            apart = np.isnan(rows) & (columns == 0) | np.isnan(columns) & (rows == 0)
            rows, columns = np.where(apart, 0.0, rows), np.where(apart, 0.0, columns)
        if not lost and not _same(columns, rows, _width(cell, plain)):
            return "wrong", f"the modes differ: forward {columns.tolist()}, reverse {rows.tolist()}"
        if cell.orders < 2 or not settled or not float_leaves(plain) or not float_leaves(cell.args):
            return "right", ""
        return _second(cell, total, plain, at_pole=not np.isfinite(rows).all())

    return judged


def _are_lost(rows: Vector, columns: Vector, plain: Any) -> bool:
    """Whether no mode has a finite number for a point that is not finite itself, or one has none where the value has none."""
    finite = [bool(np.isfinite(found).all()) for found in (rows, columns)]
    return not any(finite) or (not all(finite) and not np.isfinite(pack(float_leaves(plain))).any())


def _rows(cell: Cell, finite: bool) -> Vector:
    """The Jacobian by reverse mode, or one number of it."""
    args = copy.deepcopy(cell.args)
    value, pullback = adxform.vjp(cell.function, *args)
    if not finite:
        back = pullback(rebuild(value, iter(_dense(float_leaves(value)))))
        return np.array([pack(_moved(cell.args, back)) @ pack(_dense(float_leaves(cell.args)))])
    rows = []
    for unit in _units(float_leaves(value)):
        back = pullback(rebuild(value, iter(unit)))
        rows.append(pack(_moved(cell.args, back)))
    return np.array(rows) if rows else np.zeros((0, 0))


def _columns(cell: Cell, finite: bool) -> Vector:
    """The Jacobian by forward mode, or the same number of it."""
    columns = []
    moving = float_leaves(cell.args)
    if not finite:
        value, slope = adxform.jvp(cell.function, copy.deepcopy(cell.args), _tangents(cell.args, _dense(moving)))
        return np.array([pack(_dense(float_leaves(value))) @ pack(float_leaves(slope))])
    for unit in _units(moving):
        value, slope = adxform.jvp(cell.function, copy.deepcopy(cell.args), _tangents(cell.args, unit))
        columns.append(pack(float_leaves(slope)) if float_leaves(value) else np.zeros(0))
    return np.array(columns).T


def _units(like: list[Any]) -> list[list[Any]]:
    """For each number in the leaves `like`: leaves that are one there and zero elsewhere."""
    size = sum(int(np.size(leaf)) for leaf in like)
    return [_cast(unpack(row, like), like) for row in np.eye(size)]


def _dense(like: list[Any]) -> list[Any]:
    """Leaves like those of `like` without zeros."""
    size = sum(int(np.size(leaf)) for leaf in like)
    return _cast(unpack(0.75 + 0.5 * np.cos(np.arange(float(size))), like), like)


def _cast(parts: list[Any], like: list[Any]) -> list[Any]:
    return [
        part.astype(leaf.dtype) if isinstance(leaf, np.ndarray) else type(leaf)(part)
        for part, leaf in zip(parts, like, strict=True)
    ]


def _tangents(args: tuple[Any, ...], parts: list[Any]) -> tuple[Any, ...]:
    given = iter(parts)
    return tuple(rebuild(arg, given) if float_leaves(arg) else None for arg in args)


def _moved(args: tuple[Any, ...], back: tuple[Any, ...]) -> list[Any]:
    return [leaf for arg, part in zip(args, back, strict=True) if float_leaves(arg) for leaf in float_leaves(part)]


def _width(cell: Cell, plain: Any) -> int:
    """The bytes of the smallest floating dtype of a cell: gradients have that of their argument."""
    return min([8, *(np.asarray(leaf).dtype.itemsize for leaf in float_leaves((cell.args, plain)))])


def _same(one: Vector, other: Vector, width: int) -> bool:
    if one.size + other.size == 0:
        return True
    if one.shape != other.shape:
        return False
    one, other, tolerance = one.astype(DTYPES[width]), other.astype(DTYPES[width]), TOLERANCE[width]
    scale = float(np.max(np.abs(one[np.isfinite(one)]), initial=1.0))
    return bool(np.allclose(one.astype(float), other.astype(float), tolerance, tolerance * min(scale, 1e6), equal_nan=True))


def _second(cell: Cell, total: Callable[..., Any], plain: Any, *, at_pole: bool) -> tuple[str, str]:
    """Compare three ways to the product of the Hessian of the weighted sum with a direction that is zero in every second lane.

    Where the first derivative is infinite already, infinities of both signs are added up in some order, or not: they are as NaN.
    """
    moving = float_leaves(cell.args)
    whole = np.cos(np.arange(1.0, 1.0 + len(pack(moving))))
    wrt = tuple(i for i, arg in enumerate(cell.args) if float_leaves(arg))
    for direction in (whole, np.where(np.arange(len(whole)) % 2, 0.0, whole)):
        tangents = _tangents(cell.args, _cast(unpack(direction, moving), moving))
        vectors = tuple(tangents[i] for i in wrt)
        found: dict[str, Vector] = {}
        for order in ORDERS:
            product = adxform.hvp(total, wrt, mode=order)
            got = outcome(lambda product=product, vectors=vectors: product(*copy.deepcopy(cell.args), vectors))
            if (said := refusal(got)) is not None:
                return said[0], f"{order}: {said[1]}"
            if isinstance(got, Raised):
                return "wrong", f"{order} raises {got.error!r}"
            slopes = pack([leaf for part in got for leaf in float_leaves(part)])
            found[order] = np.where(np.isinf(slopes), np.nan, slopes) if at_pole else slopes
        first, *others = found.values()
        if not all(_same(first, other, _width(cell, plain)) for other in others):
            return "wrong", f"orders: { ({name: value.tolist() for name, value in found.items()}) }"
    return "right", ""
