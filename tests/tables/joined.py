"""Numbers of two kinds where paths meet, whole in one run and a float in another: how they meet, and what is done with them."""

from __future__ import annotations

import copy
import functools
import itertools
import math
import operator
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.tables.cell import Cell, program

JOINS = {
    "the greater": ["m = max(a, n)"],
    "the least with a literal": ["m = min(a, 2)"],
    "branch": ["if a > n:", "    m = a", "else:", "    m = n"],
    "expression": ["m = a if a > n else n"],
    "greatest so far": ["m = 0", "for t in (a, 0.25):", "    m = max(m, t) if a > n else max(m, n)"],
    "grows in a loop": ["m, i = n, 0", "while i < n:", "    m = max(m, a)", "    i += 1"],
    "with NumPy's": ["if a > n:", "    m = x[0]", "else:", "    m = n"],
    "NumPy's with a size": ["if a > n:", "    m = x.size", "else:", "    m = x[0]"],
    "NumPy's two": ["if a > n:", "    m = x[0]", "else:", "    m = np.int64(n)"],
    "floats of both": ["m = x[0] if a > n else a"],
    "truth and whole": ["if a > n:", "    m = a > 0", "else:", "    m = n"],
    "truth and float": ["if a > n:", "    m = a", "else:", "    m = n > 0"],
    "or": ["m = (a > n and a) or n"],
    "helper": ["def pick(u, v):", "    if u > v:", "        return u", "    return v", "m = pick(a, n)"],
}
USES = {
    "float": "float(m)",
    "int": "int(m)",
    "bool": "bool(m)",
    **{
        text: text
        for text in ("m * 1.0", "m * 1", "1.0 * m", "m + 0.0", "0.0 + m", "m + 0", "m - 0.0", "m - 0", "m / 1", "m / 1.0")
    },
    **{
        text: text
        for text in ("m // 1", "m % 3", "m ** 1", "m ** 1.0", "m ** 2", "m ** -1", "+m", "-m", "-(-m)", "m * m", "m - m", "m / 3")
    },
    **{
        text: text
        for text in (
            "round(m)",
            "round(m, 1)",
            "max(m, 0)",
            "min(m, 100)",
            "max(m, 0.0)",
            "sum([m])",
            "sum([m, 0])",
            "divmod(m, 2)[0]",
        )
    },
    **{
        text: text
        for text in (
            "np.float64(m)",
            "np.multiply(m, 1)",
            "np.multiply(m, 1.0)",
            "np.add(m, 0)",
            "np.square(m)",
            "np.maximum(m, 0)",
        )
    },
    **{
        text: text
        for text in (
            "np.negative(m)",
            "np.array([m])[0]",
            "np.array([m, 1])[0]",
            "np.zeros(3)[1] + m",
            "np.full(2, m)[0]",
            "np.sum([m])",
        )
    },
    **{
        text: text
        for text in (
            "np.prod([m, 1])",
            "np.mean([m])",
            "np.array([m, 3]) // 2",
            "np.arange(3) * m",
            "np.repeat([m], 2)",
            "np.tile(m, 2)",
        )
    },
    **{
        text: text
        for text in (
            "math.floor(m)",
            "math.sqrt(abs(a) + m * m)",
            "math.fsum([m])",
            "m if m > 0 else 0",
            "m * True",
            "m.real",
            "m.conjugate()",
        )
    },
    **{text: text for text in ("[m][0]", "(m,)[0]", "copy.copy(m)", "operator.pos(m)", "functools.reduce(operator.add, [m, 0])")},
    "of an integer": "m.bit_length()",
    "is it whole": "isinstance(m, int) * x[0]",
    "its class": "(type(m) is int) * x[0]",
    "its text": "len(str(m)) * x[0]",
    "an index": "x[m]",
    "a length": "np.zeros(m)",
    "a range": "sum(x[0] for _ in range(m))",
}
STORES = {
    "array of it": "np.array([m, 1])",
    "of it twice": "np.array([m] * 2)",
    "filled with it": "np.full(2, m)",
    "repeated": "np.repeat([m], 2)",
    "tiled": "np.tile(m, 2)",
    "times places": "np.arange(2) * m",
    "added to whole numbers": "np.ones(2, dtype=int) + m",
    "zeros like it": "np.zeros_like(np.array([m, 1]))",
    "halved": "np.array([m, 1]) / 2",
    "roots": "np.sqrt(np.abs(np.array([m, 1])))",
    "beside a float": "np.array([m, x[0]])",
    "converted": "np.array([m, 1], dtype=float)",
    "floats times it": "np.ones(2) * m",
}
CHANGES = {
    "stored": ["y[0] = x[0]"],
    "slice": ["y[:] = x[:2]"],
    "increased": ["y += x[:2]"],
    "item increased": ["y[1] += x[0]"],
    "scaled": ["y *= 0.5"],
    "copied to": ["np.copyto(y, x[:2])"],
    "filled": ["y.fill(x[0])"],
    "like it": ["y = np.full_like(y, x[0])"],
    "put": ["np.put(y, [0], [x[0]])"],
}
POINTS = ((1.5, 0.5, 2), (1.5, 2.5, 2), (1.5, 1.25, 1), (0.25, -0.0, 0))


def cells() -> Iterator[Cell]:
    """Every use of every join, and every change of an array that is made of one, at points on either side."""
    given: dict[str, Any] = {"functools": functools, "operator": operator, "math": math, "copy": copy}
    forms = [(name, [f"return {text}"]) for name, text in USES.items()]
    forms += [
        (f"{name}, {how}", [f"y = {text}", *lines, "return np.sum(y * x[:2])"])
        for (name, text), (how, lines) in itertools.product(STORES.items(), CHANGES.items())
    ]
    for (join, meet), (name, lines) in itertools.product(JOINS.items(), forms):
        body = "".join(f"    {line}\n" for line in (*meet, *lines))
        function = program(f"def f(x, a, n):\n{body}", **given)
        for first, a, n in POINTS:
            yield Cell(f"{name}: {join} at {a}, {n}", function, (np.array([first, 2.0, -0.5]), a, n), smooth=a > 0)
