"""What is infinite or missing goes through a sum of products, and the program leaves out what comes of it: it has no slope.

The cells are a product of three axes: what multiplies (products of vectors and matrices, polynomials, sums of squares), in which
way the program leaves out what is not finite, and where that comes from: an array beside the function, or one that it computes.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping

import numpy as np

from tests.tables.cell import Cell, program

PRODUCTS = (
    *("M @ p", "np.matmul(M, p)", "M.dot(p)", "np.dot(M, p)", "p @ M.T", "np.dot(p, M.T)", "np.inner(M, p)", "np.inner(p, M)"),
    *("np.vecdot(M, p)", "np.tensordot(M, p, 1)", "np.tensordot(M, np.outer(p, p), ((1,), (0,)))", "M @ np.outer(p, p)"),
    *("np.outer(p, p[:2]).T @ M.T", "M @ np.ones((4, 3, 2)) * p[:2]", "np.outer(M[:, 1], p)", "np.outer(p, M)"),
    *("np.einsum('ij,j->i', M, p)", "np.einsum('ij,j->ij', M, p)", "np.einsum('ij,ik,j,k->i', M, M, p, p)"),
    *("np.einsum('ij,k', M, p)", "np.cross(M, p)", "np.cross(p, M)", "np.kron(M[:, 1], p)", "np.convolve(M[:, 1], p)"),
    *("np.array([np.vdot(row, p) for row in M])", "np.linalg.multi_dot([M, np.outer(p, p), p])", "np.stack([M, M + 1.0]) @ p"),
    *("np.polyval(p, M[:, 1])", "np.prod(M * p, axis=1)", "np.cumprod(M * p, axis=1)", "np.var(M * p, axis=1)"),
    "np.sqrt(np.sum((M - p) ** 2, axis=1))",
)
LEAVING: Mapping[str, str] = {
    "where": "return np.sum(np.where(np.isfinite(y), y, 0.0) ** 2)",
    "mask": "return np.sum(y[np.isfinite(y)] ** 2)",
    "replaced": "y = y * 1.0\n    y[~np.isfinite(y)] = 0.5\n    return np.sum(y ** 2)",
    "nan_to_num": "return np.sum(np.nan_to_num(y, nan=0.5, posinf=1.0, neginf=-1.0) ** 2)",
    "nansum": "return np.nansum(np.where(np.isinf(y), np.nan, y) ** 2)",
    "clip": "return np.sum(np.clip(y, -7.0, 7.0) ** 2)",
    "minimum": "return np.sum(np.minimum(y, 7.0) ** 2)",
    "fmin": "return np.sum(np.fmin(np.abs(y), 7.0))",
    "row": "y = y * 1.0\n    y[1] = 0.5\n    return np.sum(y ** 2)",
    "elements": "y = y * 1.0\n    for i, v in enumerate(y):\n        if not np.all(np.isfinite(v)):\n            y[i] = 0.5\n"
    "    return np.sum(y ** 2)",
    "whole": "y = y * 1.0\n    y[:] = np.where(np.isfinite(y), y, 0.5)\n    return np.sum(y ** 2)",
    "slice": "y = y * 1.0\n    y[1:] = 0.5\n    return np.sum(y ** 2)",
    "view": "y = y * 1.0\n    rows = y[:3]\n    rows[...] = 0.5\n    return np.sum(y ** 2)",
    "replaced in a loop": "y = y * 1.0\n    for _ in range(len(p)):\n        y[:] = 0.5 * len(p)\n"
    "    return np.sum(y ** 2) + np.sum(p)",
    "scaled, then replaced": "y = y * 1.0\n    for _ in range(3):\n        y[1:] = y[:-1] * np.sum(y)\n    y[1:] = 0.5\n"
    "    return np.sum(y ** 2) + np.sum(p)",
    "in place": "y = y * 1.0\n    np.clip(y, -7.0, 7.0, out=y)\n    return np.sum(y ** 2)",
    "sorted": "return np.sum(np.sort(np.ravel(y))[1:3] ** 2)",
    "median": "return np.median(y) ** 2",
    "quantile": "return np.quantile(y, 0.3) ** 2",
    "running": "return np.sum(np.minimum.accumulate(np.ravel(y)) ** 2)",
    "branch": "s = 0.0\n    for v in y:\n        if np.all(np.isfinite(v)):\n            s += np.sum(v ** 2)\n    return s",
}
TEXT = "def f({}):\n    {}\n    y = {}\n    {}\n"
TABLE = np.array([[1.0, 2.0, 0.5], [0.25, 1.5, 1.1], [0.75, 0.9, 2.2], [2.1, 0.6, 1.3]])
POINT = np.array([0.5, -0.3, 0.7])


def cells() -> Iterator[Cell]:
    """All cells at whose point the function is finite."""
    for product, (way, ending) in itertools.product(PRODUCTS, LEAVING.items()):
        for bad in (np.nan, np.inf, -np.inf):
            given = _with(TABLE, bad)
            f = program(TEXT.format("p", "M = given", product, ending), given=given)
            yield from _finite(Cell(f"{product}, {way}, {bad} given", f, (POINT,)))
        for source, bad in (("np.exp", 1000.0), ("np.sqrt", -1.0)):
            f = program(TEXT.format("p, a", f"M = {source}(a)", product, ending))
            yield from _finite(Cell(f"{product}, {way}, {source} of {bad}", f, (POINT, _with(TABLE, bad))))


def _with(table: np.ndarray, bad: float) -> np.ndarray:
    changed = table.copy()
    changed[1, 1] = bad
    return changed


def _finite(cell: Cell) -> Iterator[Cell]:
    """`cell`, if its function gives a number: nothing is said of what is used where it is missing."""
    with np.errstate(all="ignore"):
        if np.isfinite(cell.function(*cell.args)):
            yield cell
