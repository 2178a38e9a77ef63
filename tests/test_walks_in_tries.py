"""Walks over what a ``try`` makes or is given, whose handlers are for errors that adxform's own loads cannot raise.

Each body runs in a ``try``; where it raises, the result is another one. Judged by the plain call and by differences.
"""

from __future__ import annotations

import itertools
import textwrap

import numpy as np
import pytest

from tests.tables.cell import Cell, judge, program

BODIES = {
    "values of a dict": """
        d = {}
        for t in x:
            d[int(t > 0.5)] = d.get(int(t > 0.5), 0.5) * t
        s = sum(d[k] for k in d)
    """,
    "keys of a dict": """
        d = {}
        for t in x:
            d[int(t > 0.5)] = d.get(int(t > 0.5), 0.5) * t
        s = 0.0
        for k in d:
            s += d[k]
    """,
    "groups that grow": """
        d = [[]]
        for t in x:
            if t > 0.5:
                d.append([])
            d[-1].append(t)
        s = sum(sum(t * t for t in k) * len(k) for k in d)
    """,
    "lists that the run chooses": """
        c = [[] for _ in range(2)]
        for t in x:
            c[int(t > 0.5)].append(t)
        s = 0.0
        for k in c:
            for t in k:
                s += t * t
    """,
    "sums of those": """
        c = [[] for _ in range(2)]
        for t in x:
            c[int(t > 0.5)].append(t)
        s = sum(sum(t * t for t in k) for k in c)
    """,
    "lists stored": """
        c = [[] for _ in range(3)]
        for t in x:
            c[int(t * 4) % 3] = [t]
        s = sum(sum(t * t for t in k) for k in c)
    """,
    "tuples on a condition": """
        r = []
        for t in x:
            if t > 0.5:
                r.append((t, t * t))
        s = sum(a * b for a, b in r)
    """,
    "parts of an array": "s = np.sum(np.split(x[:2], 2)[0] * 2)",
    "pairs": "s = sum(a * b for a, b in itertools.combinations(x, 2)) + sum(itertools.accumulate(x))",
    "products": "s = sum(a * b for a, b in itertools.product(x, x))",
    "a set": "s = sum({i % 3 for i in range(5)}) * x[0]",
    "items that may raise": """
        a, b, c = [1 / float(x[i]) for i in range(3)]
        s = a * b + c
    """,
    "as many as the run says": """
        r = [1 / float(x[k % 3]) for k in range(int(x[0] * 10))]
        s = sum(t * t for t in r)
    """,
    "left once it is filled": """
        c, k = [[] for _ in range(2)], 0
        while k < len(x):
            c[int(x[k] > 0.5)].append(x[k])
            k += 1
        if x[1] > 1:
            raise ValueError
        s = sum(c[0]) + 2 * sum(c[1])
    """,
    "another try inside": """
        c = [[] for _ in range(2)]
        try:
            for t in x:
                if t > 1:
                    raise KeyError
                c[int(t > 0.5)].append(t)
        except KeyError:
            c[0].append(x[0] ** 2)
        if len(c[1]) > 1:
            raise ValueError
        s = sum(c[0]) + 2 * sum(c[1])
    """,
    "in a loop, and a `finally`": """
        s = 0.0
        for k in range(2):
            try:
                c = [[] for _ in range(3)]
                for i, t in enumerate(x):
                    if t * k > 1:
                        raise ValueError
                    c[int(t > 0.5) + 1].append(t)
                    c[i].append(t * t)
                s += sum(sum(r) * j for j, r in enumerate(c))
            except ValueError:
                s = s * x[0]
            finally:
                s += x[1]
    """,
    "items that a generator counts": """
        c = [1 / float(t) for t in x if t < 1.0]
        s = sum(c) * len(c)
    """,
}
POINTS = (np.array([0.3, 0.7, 1.2]), np.array([0.3, 0.0, 0.2]), np.array([1.3, 2.7, 0.6]))


@pytest.mark.parametrize("handled", ["ArithmeticError, LookupError, ValueError", "ZeroDivisionError, IndexError, ValueError"])
@pytest.mark.parametrize("name", BODIES)
def test_walks_in_a_try(name: str, handled: str) -> None:
    body = textwrap.indent(textwrap.dedent(BODIES[name]).strip("\n"), "        ")
    text = f"def f(x):\n    try:\n{body}\n    except ({handled}):\n        s = x[0] * 3.0\n    return s\n"
    function = program(text, itertools=itertools)
    for at in POINTS:
        verdict = judge(Cell(name, function, (at,)))
        assert verdict.kind == "right", (at, verdict.reason)
