"""Arrays that lie in memory in every way, as arguments, globals and attributes, by functions that ask how they lie.

A reshape is a view of its argument or a copy as that lies, and so is the cotangent's. Elements may lie at the same place (strides
of zero, windows), apart, backwards, off the bounds of their type, or be read-only.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from tests.tables.cell import Cell, Written

Array = np.ndarray[Any, Any]
BASE = np.random.default_rng(0).uniform(0.5, 2.0, (3, 3))


class Plain(np.ndarray):
    """Arrays of a class that changes nothing."""


def _strided(strides: tuple[int, int], read_only: bool = False) -> Callable[[], Array]:
    def made() -> Array:
        return np.lib.stride_tricks.as_strided(np.linspace(0.5, 2.5, 16), (3, 3), strides, writeable=not read_only)

    return made


LAYOUTS: Mapping[str, Callable[[], Array]] = {
    "rows": BASE.copy,
    "columns": lambda: np.asfortranarray(BASE),
    "transposed": lambda: BASE.T.copy().T,
    "backwards": lambda: BASE[::-1, ::-1].copy()[::-1, ::-1],
    "backwards, columns": lambda: BASE.T.copy().T[:, ::-1],
    "steps": lambda: np.repeat(np.repeat(BASE, 2, 0), 2, 1)[::2, ::2],
    "one row": lambda: np.broadcast_to(BASE[0], (3, 3)),
    "one column": lambda: np.broadcast_to(BASE[:, :1], (3, 3)),
    "one number": lambda: np.broadcast_to(BASE[1, 1], (3, 3)),
    "one row, writable": _strided((0, 8)),
    "one column, writable": _strided((8, 0)),
    "windows": _strided((8, 8)),
    "windows, read-only": _strided((8, 8), read_only=True),
    "windows of steps": _strided((8, 16)),
    "windows backwards": lambda: _strided((16, 8))()[::-1],
    "windows, partly": _strided((24, 16)),
    "unaligned": lambda: np.frombuffer(b"\0" + BASE.tobytes(), np.uint8)[1:].view(np.float64).reshape(3, 3),
    "of a class": lambda: BASE.copy().view(Plain),
    "field": lambda: np.array([[(v, 1) for v in row] for row in BASE], [("a", "f8"), ("b", "i1")])["a"],
    "single": lambda: _strided((0, 8))().astype(np.float32),
}
BODIES = (
    "z = A.T.ravel()\n    return (z[:3] * z[-3:]).sum() * x[0, 0]",
    "z = A.ravel()\n    return (z[:3] * z[-3:]).sum() * x[0, 0]",
    "z = A.T.reshape(-1)\n    return z[1] * z[2] * z[4] + x[1, 1]",
    "z = A.T.reshape(9, order='F')\n    return z[1] * z[2] * z[4] + x[1, 1]",
    "z = A.T.ravel(order='K')\n    return (z[:3] * z[-3:]).sum() * x[0, 0]",
    "z = A.swapaxes(0, 1).reshape(1, 9)\n    return (z ** 2).sum() + z[0, 1] * z[0, 3]",
    "z = A[1:].reshape(6)\n    return z[0] * z[3] * x[2, 2]",
    "z = A[:, 1:].ravel()\n    return z[0] * z[3] * x[2, 2]",
    "s = 0.0\n    for i in range(3):\n        for j in range(3):\n            s += A[i, j] ** 2 * x[j, i]\n    return s",
    "s = 0.0\n    for row in A:\n        for v in row:\n            s = 0.5 * s + v * v\n    return s * x[0, 1]",
    "y = A.copy()\n    y[1:] += y[:-1]\n    return (y ** 2).sum() * x[0, 1]",
    "y = np.array(A, order='C')\n    y.ravel()[0] = x[1, 1]\n    return (y ** 2).sum()",
    "y = A.flatten()\n    y[0] = x[1, 2]\n    return (y ** 2).sum()",
    "y = np.array(A, copy=True, order='K')\n    z = y.T.ravel()\n    z[0] = 2.0\n    return (y ** 2).sum() * x[0, 0]",
    "return np.linalg.norm(A @ x.T)",
    "return np.einsum('ij,ji->', A, x) * np.trace(A)",
    "z = A.diagonal()\n    return z[0] * z[1] * z[2] * x[0, 0]",
    "return np.sum(np.sort((A + np.arange(9.0).reshape(3, 3)).ravel())[2:5] ** 2) * x[0, 0]",
    "y = np.zeros(9)\n    y[:] = A.T.ravel()\n    return y[1] * y[3] * x[0, 0]",
    "return np.sum(np.concatenate([A.T.ravel()[:4], x.ravel()[2:5]]) ** 2)",
)
PLACES = {
    "argument": ("", "x"),
    "written": ("", "x"),
    "outside": ("", "W"),
    "attribute": ("class Box: pass\nBOX = Box()\nBOX.w = W\n", "BOX.w"),
}


def cells() -> Iterator[Cell]:
    """Every body on an array of each layout, in each place."""
    for (layout, made), body, (place, (prelude, read)) in itertools.product(LAYOUTS.items(), BODIES, PLACES.items()):
        if place == "written" and not made().flags.writeable:
            continue  # a derivative works on a copy
        first = "x[0, 1] = x[1, 0] * x[2, 2]\n    " if place == "written" else ""
        text = f"{prelude}def f(x):\n    {first}{body.replace('A', read)}\n"
        args = made() if place in ("argument", "written") else BASE.copy()
        written = Written(text, {} if place in ("argument", "written") else {"W": made()})
        yield Cell(f"{layout}, {place}: {body}", written, (args,))
