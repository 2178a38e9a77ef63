"""Arrays made of the items of a list: by what the items are, by what makes one array of them, by how many there are."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from tests.tables.cell import Cell, program

ITEMS = {
    "numbers": "x[0] * n",
    "floats": "0.5 * n",
    "vectors": "x * n",
    "parts": "x[1:] * n",
    "matrices": "np.outer(x, x) * n",
    "columns": "x[:, None] * n",
    "solids": "x[:, None, None] * np.ones((1, 2, 2)) * n",
    "lists": "[v * n for v in x]",
    "tuples": "(x[0] * n, x[1])",
    "pairs of vectors": "(x * n, x[0])",
    "frames": "x[n - n : n - n + size] * n",
    "windows": "np.ones(2) * x[:size] * n",
    "blocks": "np.outer(x[:size], x) * n",
}
NAMES = ("array", "asarray", "stack", "vstack", "hstack", "dstack", "column_stack", "block")
JOINS = {
    **{
        f"{name}": f"np.{name}(rows)"
        for name in ("array", "asarray", "stack", "vstack", "hstack", "dstack", "column_stack", "block")
    },
    **{f"concatenate {axis}": f"np.concatenate(rows, axis={axis})" for axis in (0, 1, -1, 2, -3, None)},
    **{f"stack {axis}": f"np.stack(rows, {axis})" for axis in (0, 1, -1, 4)},
    "of a tuple": "np.concatenate(tuple(rows))",
    "of a part": "np.vstack(rows[1:])",
    "backwards": "np.hstack(rows[::-1])",
    "of new items": "np.hstack([r * 2 for r in rows])",
    "beside another": "np.concatenate([np.ones(3)] + rows)",
    "rows of the whole": "np.array(rows)[:, 0]",
    "times a vector": "rows * x[:2]",
    "product": "np.dot(rows, x[:2])",
    "mean": "np.mean(rows, axis=0)",
    "largest": "np.max(rows)",
    "spread": "np.std(rows, axis=-1)",
    "steps": "np.diff(rows, axis=0)",
    "transposed": "np.transpose(rows)",
    "where": "np.where(np.array(rows) > 0.6, rows, 0.0)",
    "of singles": "np.array(rows, dtype=float) * 2.0",
    "median": "np.median(rows)",
    "extended": "np.array(grown([x], rows))",
    "extended pairs": "np.array(grown([(x[0], x[1])], rows))",
    "extended triples": "np.array(grown([(x[0], x[1], 1.0)], rows))",
    "both": "np.array(rows + rows)",
}
OF_SOMETHING = ("mean", "spread", "median")
"""What is NaN of nothing: the table `edges` has that."""
BLOCKS = {
    "one row": "[a, b]",
    "rows": "[[a, b], [b, a]]",
    "one": "[[a]]",
    "an array": "a",
    "beside numbers": "[a, 1.0]",
    "numbers": "[[1.0, x[0]], [x[1], 2.0]]",
    "three deep": "[[[a], [b]]]",
    "vectors below matrices": "[[a], [x]]",
    "lists of other depths": "[[a], b]",
    "an empty list": "[]",
    "an empty list inside": "[[a], []]",
    "a tuple": "(a, b)",
    "a tuple inside": "[[a], (b,)]",
    "other heights": "[[a, b.T]]",
}


def grown(items, rows):
    items = list(items)
    items.extend(rows)
    return items


def cells() -> Iterator[Cell]:
    """Every join of every kind of items, of no, one and three of them; and `np.block` of blocks that are written out."""
    x = np.array([0.5, 1.2, -0.7])
    for (items, item), (join, made), count in itertools.product(ITEMS.items(), JOINS.items(), (0, 1, 3)):
        if count == 0 and join in OF_SOMETHING:
            continue
        text = f"def f(x, n, size):\n    rows = []\n    while n > 0:\n        rows.append({item})\n        n -= 1\n"
        smooth = join not in ("largest", "where", "median", "spread")
        function = program(f"{text}    y = {made}\n    return np.sum(y * y * 1.5) + y.ndim\n", grown=grown)
        yield Cell(f"{items}, {join}, {count}", function, (x, count, 2), smooth)
    for name, blocks in BLOCKS.items():
        text = f"def f(x, m):\n    a, b = m * 2.0, m[:, :2] * x[0]\n    y = np.block({blocks})\n"
        function = program(f"{text}    return np.sum(y * y * 1.5) + y.ndim\n")
        for rows in (1, 3):
            yield Cell(f"np.block of {name}, {rows}", function, (x, np.arange(3.0 * rows).reshape(rows, 3) - 1.0))
