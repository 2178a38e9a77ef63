"""Arrays and lists in a list whose length only a run can tell: what they are, how they come in, what is changed, what is read.

Python's list holds the things themselves: a change of one is seen in the other. A derivative's list has copies, so that a program
which could tell is refused.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from tests.tables.cell import Cell, Written

ITEMS = {
    "array": "x * (k + 1)",
    "array of zeros": "np.zeros(3)",
    "part of an array": "y[k : k + 3]",
    "list": "[x[0] * k, x[1], 2.0 * x[2]]",
    "list of numbers": "[0.5, 1.5, k * 1.0]",
    "list of items": "[v * k for v in x]",
    "repeated list": "[0.0] * len(x)",
    "array or another": "(x * k if x[0] > 0.1 else x + 1.0)",
}
BEFORE = {
    "as it is": "",
    "changed before": "{row}[1] = x[0] * (k + 1)\n",
    "changed in a loop before": "for j in range(3):\n    {row}[j] = x[j] * k\n",
}
FIRST = "row = {item}\n{before}"
LOOP = "rows = []\nfor k in range(m):\n    row = {item}\n    {before}"
WAYS = {
    "appended": f"{LOOP}rows.append(row)\n    {{inside}}",
    "appended by while": "rows, k = [], 0\nwhile k < m:\n    row = {item}\n    {before}rows.append(row)\n    {inside}k += 1\n",
    "appended in a branch": f"{LOOP}if k != 1:\n        rows.append(row)\n    {{inside}}",
    "appended to a first": f"k = 0\n{FIRST}first = row\n{LOOP.replace('[]', '[first]')}rows.append(row)\n    {{inside}}",
    "the same each time": f"k, rows = 1, []\n{FIRST}for k in range(m):\n    rows.append(row)\n    {{inside}}",
    "carried": "k, rows = 1, []\nrow = {item}\nfor k in range(m):\n    {before}rows.append(row)\n    {inside}",
    "set": f"rows = [x * 1.0 for k in range(m)]\nk = 1\n{FIRST}rows[1] = row\n{{inside}}",
    "a comprehension": "rows = [{item} for k in range(m)]\nrow = rows[1]\nk = 1\n{before}{inside}",
    "twice": f"{LOOP}rows.append(row)\n    rows.append(row)\n    {{inside}}",
}
INSIDE = {
    "": "",
    ", changed inside": "row[0] = 3.0 * x[1]\n",
    ", changed there inside": "rows[-1][0] = 3.0 * x[1]\n",
    ", bound anew": "row = x * 0.5\n",
}
AFTER = {
    "nothing": "",
    "original": "row[0] = 5.0 * x[2]\n",
    "item": "rows[-1][0] = 5.0 * x[2]\n",
    "item by a name": "it = rows[-1]\nit[0] = 5.0 * x[2]\n",
    "all items": "for it in rows:\n    it[0] = 5.0 * x[2]\n",
    "item of a part": "part = rows[1:]\npart[-1][0] = 5.0 * x[2]\n",
    "item of a copy": "part = list(rows)\npart[-1][0] = 5.0 * x[2]\n",
    "item of a sum": "part = rows + rows\npart[-1][0] = 5.0 * x[2]\n",
    "item put again": "rows.append(rows[0])\nrows[-1][0] = 5.0 * x[2]\n",
}
READS = {
    "items": "rows[-1][0] * 2.0 + rows[0][0] * rows[0][1] + rows[1][2]",
    "original": "row[0] * 2.0 + row[1]",
    "array": "np.sum(np.array(rows) ** 2)",
}


def cells() -> Iterator[Cell]:
    """Every way of every item, before every change, by every read; the result is times a float, as in `mixed`."""
    axes = itertools.product(ITEMS.items(), BEFORE.items(), WAYS.items(), INSIDE.items(), AFTER.items(), READS.items())
    for (item, made), (before, first), (way, text), (within, inside), (after, change), (read, result) in axes:
        if within and after != "nothing":
            continue
        body = "m = 0\nwhile s > 0.2:\n    s, m = s * 0.5, m + 1\ny = np.concatenate((x, x * x, x))\n"
        body += put(put(text, "before", first.format(row="row")), "inside", inside).replace("{item}", made) + "\n"
        body += f"{change}return ({result}) * x[0]"
        lines = "\n".join(f"    {line}" for line in body.splitlines() if line.strip())
        name = f"{item} {before}, {way}{within}, then {after}: {read}"
        yield Cell(name, Written(f"def f(x, s):\n{lines}\n"), (np.array([0.5, 1.2, -0.7]), 1.5), orders=1)


def put(text: str, place: str, lines: str) -> str:
    """`text` with `lines` at `place`, indented as it is there."""
    head, found, tail = text.partition("{" + place + "}")
    if not found:
        return text
    indent = head.rpartition("\n")[2]
    return put(head + lines.replace("\n", "\n" + indent) + tail, place, lines)
