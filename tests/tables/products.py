"""Chains of products and products of vectors: by the ranks, lengths and axes of their operands, and the form of the call."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.tables.cell import Cell, program

WEIGHED = "    return np.sum(r * r * np.cos(np.arange(float(np.size(r)))).reshape(np.shape(r)))\n"
CHAINS = {
    "a list": "r = np.linalg.multi_dot([{names}])",
    "a tuple": "r = np.linalg.multi_dot(({names},))",
    "a list with a name": "parts = [{names}]\n    r = np.linalg.multi_dot(parts)",
    "a list that grows": "p = []\n    for part in ({names},):\n        p.append(1.5 * part)\n    r = np.linalg.multi_dot(p)",
    "by keyword": "r = np.linalg.multi_dot(arrays=[{names}])",
    "with out": "r = np.linalg.multi_dot([{names}], out=np.zeros((2, 2)))",
    "into an array": "r = np.zeros((2, 2))\n    np.linalg.multi_dot([{names}], out=r)",
}
SHAPES: dict[int, tuple[tuple[int, ...], ...]] = {
    0: ((), ()),
    1: ((3,), (2,)),
    2: ((2, 3), (3, 2)),
    3: ((4, 2, 3), (4, 3, 2)),
}
"""Of each rank, an operand at an even place of a chain and one at an odd place."""
LAST = {2: {0: (), 1: (3,), 2: (3, 2), 3: (4, 3, 2)}, 3: {0: (), 1: (2,), 2: (2, 3), 3: (4, 2, 3)}}
ROWS: dict[int, tuple[int, ...]] = {1: (), 2: (2,), 3: (4, 2)}
"""The lengths beside that of the vectors, of an operand of each rank."""
AXES = (
    "",
    ", axis=0",
    ", axis=1",
    ", axis=-1",
    ", axisa=0",
    ", axisb=0",
    ", axisc=0",
    ", 0, 0, 0",
    ", 0, 1",
    ", 0, -1, 1",
    ", axisa=1, axisb=0, axisc=1",
    ", axis=2",
)
VECTORS = {
    "arguments": ("a", "b"),
    "lists": ("[a[0], a[1], a[0]]", "b"),
    "pairs": ("np.array([a[0], a[1]])", "np.array([b[0], b[1]])"),
    "a constant": ("a", "np.array([1.0, 2.0, -1.0])"),
    "integers": ("np.array([1, 2, 3])", "a"),
    "half a constant": ("[0.0, 0.0, 1.0]", "a"),
    "a method of it": ("a.T.T", "b[:]"),
    "itself": ("a", "a"),
}


OF_ONE = ("a, a", "a, v", "v, a", "v, v", "a, a, a", "v, a, v", "a, a.T, a, v", "2.0, a", "a, 2.0", "a, a[:2]", "a, a, a[:2]")


def array(*shape: int, shift: float = 0.0) -> Any:
    """Values of both signs in general position; a number where there are no axes."""
    found = np.cos(np.arange(float(np.prod(shape))) * 1.7 + sum(shape) + shift).reshape(shape) * 1.3
    return found if shape else float(found)


def cells() -> Iterator[Cell]:
    """Chains of no, one, two, three, four and five operands, then products of vectors."""
    yield from _chains()
    for (p, m), (q, n) in itertools.product(itertools.product(ROWS, (2, 3, 4)), itertools.product(ROWS, (2, 3))):
        for axes in AXES if m < 4 else AXES[:2]:
            found = {"a": _vectors(p, m, axes, "axisa"), "b": _vectors(q, n, axes, "axisb")}
            what = f"{p} axes of {m} and {q} of {n}{' along others' * bool(axes)}"
            yield _cell(f"np.cross(a, b{axes})", what, f"r = np.cross(a, b{axes})", found)
    for (what, (a, b)), m, dtype in itertools.product(VECTORS.items(), (2, 3), (np.float64, np.float32)):
        found = {"a": array(m).astype(dtype), "b": array(m, shift=1.0)}
        yield _cell(f"np.cross({a}, {b})", f"of {what} of {m} {dtype.__name__}", f"r = np.cross({a}, {b})", found)
    for p, q in ((0, 1), (1, 0), (0, 0)):
        yield _cell("np.cross(a, b)", f"{p} and {q} axes", "r = np.cross(a, b)", {"a": array(*(3,) * p), "b": array(*(3,) * q)})
    for m, n in itertools.product((1, 2, 3), (2, 3)):
        spread = {"a": array(1, m), "b": array(4, n)}
        yield _cell("np.cross(a, b)", f"one row of {m} and rows of {n}", "r = np.cross(a, b)", spread)
        spread = {"a": array(4, 1, m), "b": array(3, n)}
        yield _cell("np.cross(a, b)", f"rows of {m} against rows of {n}", "r = np.cross(a, b)", spread)


def _chains() -> Iterator[Cell]:
    yield _cell("multi_dot of nothing", "", "r = a + np.sum(np.linalg.multi_dot([]))", {"a": array(2)})
    for ranks in itertools.chain.from_iterable(itertools.product(SHAPES, repeat=count) for count in (1, 2, 3)):
        chain = _operands(ranks)
        yield _cell("multi_dot", f"ranks {ranks}", CHAINS["a list"].format(names=", ".join(chain)), chain)
    for first, last, count in itertools.product((1, 2), (1, 2), (4, 5)):
        chain = _operands((first, *(2,) * (count - 2), last))
        yield _cell("multi_dot", f"{count} operands, {first} and {last}", CHAINS["a list"].format(names=", ".join(chain)), chain)
    for (form, text), ranks in itertools.product(CHAINS.items(), ((2, 2), (1, 2, 2), (2, 2, 2), (2, 2, 2, 2), (2, 1))):
        chain = _operands(ranks)
        if "out" in text and len(chain) % 2:
            chain["c"] = array(2, 2)
        yield _cell("multi_dot", f"{form}, ranks {ranks}", text.format(names=", ".join(chain)), chain)
    square = {"a": array(3, 3), "v": array(3)}
    for names in OF_ONE:
        yield _cell("multi_dot", f"of {names}", f"r = np.linalg.multi_dot([{names}])", square)
        ahead = f"i = np.arange(9).reshape(3, 3)\n    r = np.linalg.multi_dot([i, {names}]) + np.sum(v) + np.sum(a)"
        yield _cell("multi_dot", f"of integers, {names}", ahead, square)
        single = {"a": array(3, 3).astype(np.float32), "v": array(3)}
        yield _cell("multi_dot", f"of {names} in single precision", f"r = np.linalg.multi_dot([{names}])", single)
    yield _cell("multi_dot", "of lists", "r = np.linalg.multi_dot([[[1.0, 2.0, 0.5]], a, a])", {"a": array(3, 3)})
    yield _cell("multi_dot", "of lists of two", "r = np.linalg.multi_dot([[[1.0, 2.0, 0.5]], a])", {"a": array(3, 3)})
    yield _cell("multi_dot", "of one array", "r = np.linalg.multi_dot(a)", {"a": array(3, 2, 2)})
    yield _cell("multi_dot", "of one array of two", "r = np.linalg.multi_dot(a)", {"a": array(2, 2, 2)})
    yield _cell("multi_dot", "of one matrix", "r = np.linalg.multi_dot(a)", {"a": array(2, 2)})
    yield _cell("multi_dot", "of a list argument", "r = np.linalg.multi_dot(a)", {"a": [array(2, 3), array(3, 2), array(2, 2)]})
    yield _cell("multi_dot", "of rows of one", "r = np.linalg.multi_dot([a, b, a])", {"a": array(1, 1), "b": array(1, 1)})


def _operands(ranks: tuple[int, ...]) -> dict[str, Any]:
    """Operands of `ranks` that fit beside one another, where NumPy multiplies any such."""
    chain = {}
    for place, rank in enumerate(ranks):
        shape = SHAPES[rank][place % 2]
        if place and place == len(ranks) - 1 and rank in (1, 2):
            shape = LAST[2 if place % 2 else 3][rank]
        chain["abcde"[place]] = array(*shape, shift=float(place))
    return chain


def _vectors(rank: int, length: int, axes: str, name: str) -> Any:
    """Vectors of `length`, along the axis that the text `axes` says."""
    found = array(*ROWS[rank], length, shift=float(len(name)))
    words = [word.strip() for word in axes.split(",") if word.strip()]
    given = {("axisa", "axisb", "axisc")[place] if "=" not in word else word.split("=")[0]: int(word.split("=")[-1])
             for place, word in enumerate(words)}  # fmt: skip
    place = given.get("axis", given.get(name, -1))
    return np.moveaxis(found, -1, place) if -rank <= place < rank else found


def _cell(call: str, what: str, body: str, args: dict[str, Any]) -> Cell:
    text = f"def f({', '.join(args)}):\n    {body}\n{WEIGHED}"
    return Cell(f"{call} {what}".strip(), program(text), tuple(args.values()))
