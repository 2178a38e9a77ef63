"""Dicts and objects in a list whose length only a run can tell: what they are, how they come in, what is changed, what is read.

As `held`, of things with fields: Python's list holds the things themselves, and a derivative's list has a list for each field.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tests.tables.cell import Cell, Written
from tests.tables.held import put

HEADER = """
import collections
import copy
import dataclasses

class Box:
    def __init__(self, v, w):
        self.v = v
        self.w = w
    def grow(self):
        self.v = self.v * 3.0

@dataclasses.dataclass
class Pair:
    v: float
    w: float

Point = collections.namedtuple("Point", "v w")

"""


@dataclass(frozen=True, slots=True)
class Thing:
    """What a list is filled with: how each is made from `t`, how one, `#`, is changed, and what is read of it."""

    made: str
    changes: tuple[str, ...]
    read: str


THINGS = {
    "dict": Thing("{'v': t, 'w': x[0]}", ("#['v'] = x[1]", "#['w'] *= t", "#.update(v=x[1])"), "#['v'] * #['w']"),
    "object": Thing("Box(t, x[0])", ("#.v = x[1]", "#.grow()", "setattr(#, 'w', t)"), "#.v * #.w"),
    "dataclass": Thing("Pair(t, x[0])", ("#.w = x[1]", "#.v -= x[0]"), "#.v * #.w"),
    "named tuple": Thing("Point(t, x[0])", (), "#.v * #.w"),
    "dict with a text": Thing(
        "{'name': 'a' if k != 1 else 'b', 'v': t}",
        ("#['name'] = 'b'", "#['v'] += x[1]"),
        "#['v'] * (2.0 if #['name'] == 'b' else 1.0)",
    ),
    "object with an array": Thing("Box(x * t, k)", ("#.v[0] = t", "#.v = x * 0.5", "#.w += 1"), "np.sum(#.v) * (#.w + 1)"),
    "object with a list": Thing("Box([t, x[1]], 1.0)", ("#.v[0] = x[1]", "#.v = [x[1], t]"), "#.v[0] * #.v[1]"),
    "object in an object": Thing(
        "Box(Pair(t, x[1]), k)", ("#.v.w = t", "#.v = Pair(x[0], t)", "#.w += 2"), "#.v.v * #.v.w * (#.w + 1)"
    ),
    "dict in a tuple": Thing("(k, {'v': t})", ("#[1]['v'] = x[1]",), "(#[0] + 1) * #[1]['v']"),
}
EMPTY = "rows, t, k = [], x[0], 0\n"
FIRST = "t, k = x[2] ** 2, 0\nrow = {item}\n"
LOOP = "while s > 0.2:\n    s, t, k = s * 0.5, t * s, k + 1\n    "
COUNTED = "m = 0\nwhile s > 0.2:\n    s, m = s * 0.5, m + 1\nrows = []\nfor k in range(m):\n    t = x[0] * (k + 1)\n    "
NEW = "row = {item}\n    "
PUT = "rows.append(row)\n    {inside}"
WAYS = {
    "appended": EMPTY + LOOP + NEW + PUT,
    "appended by for": COUNTED + NEW + PUT,
    "appended in a branch": f"{FIRST}rows = []\n{LOOP}if k != 2:\n        {NEW}    {PUT}",
    "appended to a first": f"{FIRST}first = row\nrows = [first]\n" + LOOP + NEW + PUT,
    "the same each time": f"{FIRST}rows = []\n" + LOOP + PUT,
    "carried": f"{FIRST}rows = []\n{LOOP}{PUT}\n    {NEW}",
    "carried behind": f"{FIRST}rows = []\nlast = row\n{LOOP}rows.append(last)\n    last = row\n    {{inside}}\n    {NEW}",
    "twice": EMPTY + LOOP + NEW + "rows.append(row)\n    " + PUT,
    "inserted": EMPTY + LOOP + NEW + "rows.insert(0, row)\n    {inside}",
    "in an attribute": f"box, t, k = Box([], 0.0), x[0], 0\n{LOOP}{NEW}box.v.append(row)\n    {{inside}}\nrows = box.v",
    "one of two": f"{FIRST}rows = [row]\nother = {{item}}\n{LOOP}row = row if k > 1 else other\n    {PUT}",
    "set": f"{EMPTY}{LOOP}rows.append({{item}})\nk = 7\nrow = {{item}}\nrows[1] = row\n{{inside}}",
    "a deque": "rows, t, k = collections.deque(maxlen=3), x[0], 0\n" + LOOP + NEW + PUT,
}
INSIDE = {
    "": "",
    ", changed inside": "{change row}",
    ", changed there inside": "{change rows[-1]}",
    ", the first changed inside": "{change rows[0]}",
    ", bound anew": "row = {item}",
}
AFTER = {
    "nothing": "",
    "original": "{change row}",
    "item": "{change rows[-1]}",
    "item by a name": "it = rows[-1]\n{change it}",
    "all items": "for it in rows:\n    {change it}",
    "the largest": "it = max(rows, key=lambda r: {read r})\n{change it}",
    "item of a part": "part = rows[1:]\nit = part[-1]\n{change it}",
    "item of a copy": "part = list(rows)\nit = part[-1]\n{change it}",
    "item of a filter": "part = [r for r in rows if {read r} > 0.0]\nit = part[-1]\n{change it}",
    "item in order": "part = sorted(rows, key=lambda r: {read r})\nit = part[0]\n{change it}",
    "item put again": "rows.append(rows[0])\nit = rows[-1]\n{change it}",
    "item put elsewhere": "part = [rows[0]]\nit = part[0]\n{change it}",
    "a copy of an item": "it = copy.copy(rows[-1])\n{change it}",
    "items by their places": "for k in range(len(rows)):\n    it = rows[k]\n    {change it}\n    {change rows[-1]}",
    "item stored again in a loop": "for j in range(2):\n    it = rows[0]\n    {change it}\n    rows[0] = rows[1]",
    "item put again in a loop": "for j in range(2):\n    {change rows[-1]}\n    rows.append(rows[0])",
    "item before it moves": "it = rows[0]\nrows.insert(0, rows.pop())\n{change it}",
    "item in another order": "it = rows[-1]\nrows.sort(key=lambda r: {read r})\n{change it}",
    "item taken out": "it = rows.pop()\n{change it}",
}
READS = {
    "items": "sum((j + 1) * {read r} for j, r in enumerate(rows))",
    "original": "{read row} + 1.0",
    "item by a name": "{read it} + {read rows[0]}",
    "identity": "2.0 * t if rows[-1] is row else t",
    "member": "2.0 * t if row in rows else t",
    "first and last": "2.0 * t if rows[0] is rows[-1] else t",
    "equal": "2.0 * t if rows[-1] == row else t",
}


def cells() -> Iterator[Cell]:
    """Every way of every thing, before every change, by every read."""
    axes = itertools.product(THINGS.items(), WAYS.items(), INSIDE.items(), AFTER.items(), READS.items())
    for (kind, thing), (way, text), (within, inside), (after, later), (read, result) in axes:
        if (within and after != "nothing") or ("{read it}" in result and "it =" not in later):
            continue
        body = f"{put(text, 'inside', inside)}\n{later}\nreturn ({result}) * x[0]"
        changes = thing.changes if "{change" in body else ("",)
        for change in changes:
            lines = "\n".join(f"    {line}" for line in _filled(body, thing, change).splitlines() if line.strip())
            name = f"{kind}, {way}{within}, then {after} by {change}: {read}"
            yield Cell(name, Written(f"{HEADER}def f(x, s):\n{lines}\n"), (np.array([0.5, 1.2, -0.7]), 1.5), orders=1)


def _filled(body: str, thing: Thing, change: str) -> str:
    """`body` with what it makes of `thing`, reads of it and does to it by `change`."""
    head, found, tail = body.partition("{")
    if not found:
        return body
    what, _, rest = tail.partition("}")
    word, _, name = what.partition(" ")
    texts = {"item": thing.made, "read": f"({thing.read.replace('#', name)})", "change": change.replace("#", name)}
    return head + texts[word] + _filled(rest, thing, change)
