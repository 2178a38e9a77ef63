"""Iterators: what they go through, how they are walked over in part or whole, and what is asked of them inside or after."""

from __future__ import annotations

import csv
import io
import itertools
import json
import re
from collections.abc import Iterator
from functools import reduce

import numpy as np

from tests.tables.cell import Cell, program

KINDS = {
    "a list": "iter([x[0], x[1], x[2], x[3]])",
    "numbers": "iter([3, 1, 2, 4])",
    "as many as told": "iter(x)",
    "a long list": "iter([v * 2 for v in x[:k]])",
    "a text": "map(ord, 'abcd')",
    "words": "map(len, 'a bb ccc'.split())",
    "keys": "iter({1: 2, 3: 4, 5: 6})",
    "values": "iter({'a': x[0], 'b': x[1]}.values())",
    "a range": "iter(range(4))",
    "a long range": "iter(range(k))",
    "map": "map(lambda v: v * 2, x)",
    "map of a list": "map(lambda v: v * 2, [x[0], x[1], x[2]])",
    "backwards": "reversed([x[0], x[1], x[2]])",
    "zip": "(lambda z: map(sum, z))(zip([1, 2, 3], [x[0], x[1], x[2]]))",
    "starmap": "itertools.starmap(lambda i, v: i * v, enumerate(x))",
    "chain": "itertools.chain([x[0], x[1]], [x[2]])",
    "filter": "filter(None, [1, 2, 0, 3])",
    "islice": "itertools.islice(x, 3)",
    "accumulate": "itertools.accumulate([x[0], x[1], x[2]])",
    "product": "map(sum, itertools.product([1, 2], [x[0], x[1]]))",
    "count": "itertools.islice(itertools.count(3, -2), 4)",
    "a file": "map(float, io.StringIO('1\\n2\\n3\\n4\\n'))",
    "unknown numbers": "iter(json.loads('[1, 2, 3, 4]'))",
    "matches": "map(float, re.findall('.', '1234'))",
}
"""What makes an iterator over numbers."""
INSIDE = {
    "list": "t = t + x[0] * len(list(it))",
    "tuple": "t = t + x[0] * len(tuple(it))",
    "for": "for b in it:\n            t = t * 0.5 + b * x[0]",
    "for that ends": "for b in it:\n            t = t + b * x[0]\n            break",
    "sum": "t = t + x[0] * sum(1 for _ in it)",
    "zip": "t = t + x[0] * len(list(zip(it, [1, 2])))",
    "comprehension": "t = t + x[0] * len([b for b in it])",
    "display": "t = t + x[0] * len([*it])",
    "in": "t = t + x[0] * (7 in it)",
    "any": "t = t + x[0] * any(b > 2 for b in it)",
    "a helper": "t = t + x[0] * total(it)",
}
"""What is asked of an iterator inside a loop over it."""
PARTS = {
    "in": "u = 1 in it",
    "any of a generator": "u = any(v > 1 for v in it)",
    "all of a generator": "u = all(v > 1 for v in it)",
    "any": "u = any(it)",
    "for that ends": "u = 0\n    for v in it:\n        u = v\n        break",
    "for that may end": "u = 0\n    for v in it:\n        u = v\n        if v > 1.5:\n            break",
    "zip": "u = sum(a * b for a, b in zip([1, 2], it))",
    "zip that asks first": "u = sum(a * b for a, b in zip(it, [1, 2]))",
    "islice": "u = sum(itertools.islice(it, 2))",
    "a helper": "u = first(it)",
    "a generator to a helper": "u = first(v for v in it)",
    "enumerate": "u = 0\n    for k_, v in enumerate(it):\n        u = v * k_\n        if k_ == 1:\n            break",
    "reduce": "u = reduce(lambda a, b: a + b * len(list(it)), it)",
    "largest": "u = max(it, key=lambda v: v + sum(it))",
    "all of it": "u = sum(it)",
}
"""What takes some of the items of an iterator."""
AFTER = {"list": "len(list(it))", "sum": "sum(it)", "in": "(2 in it)", "a helper": "total(it)"}
"""What is asked of what is left."""
MAKERS = {
    "reversed": "reversed(l)",
    "iter": "iter(l)",
    "enumerate": "map(sum, enumerate(l))",
    "zip": "map(sum, zip(l, reversed(l)))",
    "map": "map(lambda v: v * 2, l)",
    "map backwards": "map(lambda v: v, reversed(l))",
    "chain": "itertools.chain(reversed(l), l)",
    "islice": "itertools.islice(l, 2)",
    "product": "map(sum, itertools.product(l, [1]))",
}
"""What makes an iterator over a list that changes before it is walked over."""
CHANGES = {
    "append": "l.append(x[3])",
    "insert": "l.insert(0, x[3])",
    "pop": "l.pop()",
    "pop the first": "l.pop(0)",
    "del": "del l[1]",
    "clear": "l.clear()",
    "extend": "l.extend([x[3], x[4]])",
    "+=": "l += [x[3]]",
    "set": "l[0] = x[3]",
    "slice": "l[1:] = [x[4]]",
    "reverse": "l.reverse()",
}
COUNTS = {
    "up": "",
    "from 3": "3",
    "from below": "-2",
    "down": "2, -1",
    "from below by 3": "-4, 3",
    "by nothing": "2, 0",
    "told": "k, -k",
}
"""Where a count begins, and its step."""
COUNTED = {
    "for": "t = x[0]\n    for i in {c}:\n        t = t * 0.5 + i * x[1]\n        if abs(i) > 3 or t > 4:\n            return t",
    "zip": "return sum(i * v for i, v in zip({c}, x))",
    "zip of a list": "return sum(i * v for i, v in zip([x[0], x[1]], {c}))",
    "enumerate": "t = 0\n    for j, i in enumerate({c}):\n        t = t + i * x[j]\n        if j == 3:\n            return t",
    "map": "return sum(map(lambda i, v: i * v, {c}, x))",
    "islice": "return x[0] * sum(itertools.islice({c}, 1, 4))",
    "appended": "l = []\n    for i in {c}:\n        l.append(x[0] * i)\n        if len(l) == 3:\n            return sum(l)",
}
"""What goes through a count."""
STATES = {
    "groups": ("itertools.groupby(s)", "len(list({v}[1]))", "1"),
    "a file": ("io.StringIO('1\\n2\\n3\\n4\\n')", "float({v})", "len(it.readline())"),
    "a file to its end": ("io.StringIO('1\\n2\\n3\\n4\\n')", "float({v})", "len(it.read())"),
    "matches": ("re.finditer('.', s)", "len({v}.group())", "len(list(it))"),
    "the next match": ("re.finditer('.', s)", "len({v}.group())", "len(next(it).group())"),
    "rows": ("csv.reader(io.StringIO('1,2\\n3,4'))", "float({v}[1])", "1"),
}
"""Iterators of which nothing is known before the run, a number of an item, and what the body asks of the iterator."""
WALKS = {
    "for": "for v in it:\n        t = t + x[0] * {n} * {b}",
    "enumerate": "for i, v in enumerate(it):\n        t = t + x[i] * {n} * {b}",
    "zip": "for w, v in zip(x, it):\n        t = t + w * {n} * {b}",
    "zip that asks first": "for v, w in zip(it, x[:2]):\n        t = t + w * {n} * {b}\n    t = t + x[1] * len(list(it))",
    "map": "for n in map(lambda v: {n} * {b}, it):\n        t = t + x[0] * n",
    "sum": "t = sum(x[0] * {n} * {b} for v in it)",
    "comprehension": "t = np.sum(np.array([x[0] * {n} * {b} for v in it]))",
    "appended": "l = []\n    for v in it:\n        l.append(x[0] * {n} * {b})\n    t = sum(l)",
    "for that ends": "for v in it:\n        t = t + x[0] * {n}\n        if t > 1.5:\n            break\n    t = t + x[1] * {b}",
    "any": "t = x[0] * any({n} > 1 for v in it) + x[1] * {b}",
    "a helper": "t = x[0] * total({n} for v in it) + x[1] * {b}",
    "reduce": "t = reduce(lambda a, v: a + x[0] * {n} * {b}, it, x[1])",
}
HELPERS = """def first(items):
    for v in items:
        return v
    return 0


def total(items):
    t = 0
    for v in items:
        t = t * 2 + v
    return t


"""
NAMES = {"itertools": itertools, "io": io, "re": re, "csv": csv, "json": json, "reduce": reduce}
X = (np.array([0.72, 1.31, 2.13, 1.42, 1.93]), 3)


def _bodies() -> Iterator[tuple[str, str]]:
    for (kind, made), (way, inside) in itertools.product(KINDS.items(), INSIDE.items()):
        yield (
            f"{kind}: {way} inside for",
            f"it = {made}\n    t = 0.0\n    for a in it:\n        {inside}\n        t = t + a * x[1]\n    return t",
        )
    for (kind, made), (way, part), (then, after) in itertools.product(KINDS.items(), PARTS.items(), AFTER.items()):
        yield f"{kind}: {way}, then {then}", f"it = {made}\n    {part}\n    return x[0] * u + x[1] * {after}"
    for (kind, made), (change, changed) in itertools.product(MAKERS.items(), CHANGES.items()):
        for of, first in {"written out": "[x[0], x[1], x[2]]", "long": "[v * 2 for v in x[:k]]"}.items():
            walk = "t = x[0]\n    for v in it:\n        t = t * 0.5 + v"
            yield (
                f"{kind} of a list {of}, then {change}",
                f"l = {first}\n    it = {made}\n    {changed}\n    {walk}\n    return t",
            )
    for (count, args), (way, counted) in itertools.product(COUNTS.items(), COUNTED.items()):
        yield f"count {count}: {way}", counted.format(c=f"itertools.count({args})")
    for (state, (made, number, asked)), (way, walk) in itertools.product(STATES.items(), WALKS.items()):
        body = walk.format(n=number.format(v="v"), b=asked)
        yield f"{state}: {way}", f"s = 'aabccc'\n    it = {made}\n    t = 0.0\n    {body}\n    return t"


def cells() -> Iterator[Cell]:
    """Every iterator by every walk over it, by what is asked of it meanwhile and afterwards."""
    for name, body in _bodies():
        yield Cell(name, program(f"{HELPERS}def f(x, k):\n    {body}\n", **NAMES), X, orders=1)
