"""Copies of what may be ``None``, of methods and partial applications: a change of one is not seen in the other."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tables.cell import Cell, judge, program

POINT = np.array([0.7, 1.3, 0.4])
HEADER = """
import collections, copy, functools
class Plain:
    def __init__(self, v):
        self.v = v
    def go(self, u):
        return u * self.v
"""
MAYBE = "v = x * 2.0 if x[0] > {} else None"
USED = "if w is not None:\n    w[0] = x[1] * 3.0\n    return np.sum(v * x) + np.sum(w)\nreturn x[0]"
RIGHT = {
    "array": f"{MAYBE.format(0.1)}\nw = copy.copy(v)\n{USED}",
    "deep array": f"{MAYBE.format(0.1)}\nw = copy.deepcopy(v)\n{USED}",
    "nothing": f"{MAYBE.format(5.1)}\nw = copy.copy(v)\n{USED}",
    "object": "v = Plain(x[0]) if x[0] > 0.1 else None\nw = copy.copy(v)\nif w is None:\n    return x[0]\n"
    "w.v = x[1] * 3.0\nreturn v.v * x[0] + w.v",
    "field": f"{MAYBE.format(0.1)}\nb = Plain(v)\nw = copy.deepcopy(b)\nif w.v is not None:\n    w.v[0] = 3.0 * x[1]\n"
    "    return np.sum(b.v * x) + np.sum(w.v)\nreturn 0.0",
    "item": f"{MAYBE.format(0.1)}\nb = [v]\nw = copy.deepcopy(b)\nif w[0] is not None:\n    w[0][0] = 3.0 * x[1]\n"
    "    return np.sum(b[0] * x) + np.sum(w[0])\nreturn 0.0",
    "method": "p = Plain(x * 1.0)\ng = copy.deepcopy(p.go)\np.v[0] = x[1]\nreturn np.sum(g(x[2]))",
    "method of an array": "p = x * 1.0\ng = copy.deepcopy(p.dot)\np[0] = x[1] * 2\nreturn g(x)",
    "partial": "p = x * 1.0\ng = copy.deepcopy(functools.partial(np.dot, p))\np[0] = x[1] * 2\nreturn g(x)",
    "shallow partial": "p = x * 1.0\ng = copy.copy(functools.partial(np.dot, p))\np[0] = x[1] * 2\nreturn g(x)",
    "keys": "d = {'a': x[0]}\nk = copy.copy(d.keys())\nreturn x[0] * len(k)",
    "one of two": "v = x * 1.0\nw = v.copy()\nreturn x[0] * (1.0 + (v is w))",
    "text as a sequence": "v = 'one' if x[0] > 0.1 else 'two'\nmatch v:\n    case [a, *b]:\n        return x[0]\nreturn x[1]",
    "queue as a sequence": "match collections.deque([x[0], x[1]]):\n    case [a, *b]:\n        return a * b[0]\nreturn x[1]",
    "scalar": "v = x[1] if x[0] > 0.1 else None\nreturn x[0] if np.isscalar(v) else x[1]",
}
REFUSED = {
    "iterator": "it = iter([x[0], x[1], x[2]])\njt = copy.copy(it)\na = next(it)\nreturn a * next(jt) + next(jt)",
    "class of what may be missing": "v = x[1] if x[0] > 5.1 else None\nreturn x[0] if v.__class__ is float else x[1]",
    "array beside None": f"{MAYBE.format(0.1)}\nreturn x[0] if np.any(v == None) else x[1]",
    "looked at ahead": "import itertools\ny = x * 1.0\nit = itertools.islice(y, 3)\na = next(it)\ny *= 2.0\nreturn a * next(it)",
}


def judged(body: str) -> str:
    lines = "\n".join(f"    {line}" for line in body.splitlines())
    verdict = judge(Cell("", program(f"{HEADER}\ndef f(x):\n{lines}\n"), (POINT,)))
    return f"{verdict.kind} {verdict.reason}"


@pytest.mark.parametrize("name", RIGHT)
def test_a_copy_is_no_second_name(name: str) -> None:
    assert judged(RIGHT[name]).startswith("right"), judged(RIGHT[name])


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_copied_or_told_is_refused(name: str) -> None:
    assert judged(REFUSED[name]).startswith("refused"), judged(REFUSED[name])
