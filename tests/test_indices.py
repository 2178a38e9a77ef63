"""Indices of arrays that a program makes by itself: tuples, `np.ix_`, `np.s_` and what nobody can look into."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import adxform
from adxform.errors import AdxError
from tests.tables.cell import Cell, judge, program

X = np.array([0.6, 1.3, -0.4, 2.1])
Y = np.array([2.05, 0.3, -1.1, 0.55])
NAMES = """
from collections import namedtuple
Place = namedtuple('Place', 'i j')
"""


def written(text: str) -> str:
    """A program of these lines after a matrix `a` is made."""
    lines = f"a = np.outer(x, y)\n{text}".split("\n")
    return NAMES + "def f(x, y):\n" + "".join(f"    {line}\n" for line in lines)


RIGHT = {
    "a tuple of a row of places": "k = tuple(np.argwhere(a > 0.2)[0])\nreturn np.sum(a[k] ** 2)",
    "tuples of rows": (
        "for k in np.argwhere(a > 0.2):\n    a[tuple(k)] = x[0] * a[tuple(k)] ** 2\n"
        "s = sum(a[k] for k in map(tuple, np.argwhere(a > 0.2)))\nreturn np.sum(a * a) + s"
    ),
    "a tuple of a length of an argument": "k = tuple(np.argmax(a, axis=0)[:2])\nreturn np.sum(a[k] ** 2) + np.sum(a[list(k)])",
    "added at a tuple": (
        "np.add.at(a, tuple(np.argwhere(a > 0.2)[0]), x[0])\nnp.subtract.at(a, tuple(np.array([[0, 1], [1, 1]])), y[1])"
        "\nreturn np.sum(a**2)"
    ),
    "a named tuple": (
        "k, r = Place(1, 2), Place(slice(0, 2), 1)\nb = a[k]\na[k] = x[0] ** 2\na[r] *= y[1]\nreturn np.sum(a**2) + b"
    ),
    "ix_ of ranges": (
        "k = np.ix_(range(1, len(x)), range(0, len(x), 2))\nb = a[k]\nb[1] = y[2] * 3\na[k] = y[0] * x[:2]\na[k] *= y[1]"
        "\nreturn np.sum(a**2) + np.sum(b**3)"
    ),
    "ranges": (
        "n = len(x)\na[range(n), range(n)] = 0.0\na[range(n - 1, -1, -1), 0] += y\nb = a[range(2)]\nb[0] = 7.0 * x[1]"
        "\na[:, range(1, n, 2)] = a[:, range(0, n - 1, 2)][:, ::-1] ** 2\nnp.add.at(a, (range(n), range(n)), x[0])"
        "\nreturn np.sum(a**3) + np.sum(b * b) + np.sum(a[range(0)])"
    ),
    "ix_ of lengths of the run": (
        "n = int(abs(x[1]) + 1)\na[np.ix_(range(n), [0, 2])] *= y[1]\ni, j = np.ix_(range(n), range(2))"
        "\nreturn np.sum(a[i, j] ** 2 * (i + 1)) + np.sum(a)"
    ),
    "slices are equal": (
        "n = int(abs(x[1]) + 2)\nk, r = slice(0, n), slice(0, 3)"
        "\nreturn (k == r) * x[0] + (k != r) * x[1] + (k == slice(0, 2)) * x[2] + np.sum(a[k])"
    ),
    "s_ and index_exp": (
        "for k in [np.s_[:2], np.s_[1:, 0], np.index_exp[1], np.s_[..., 1], np.s_[[0, 1], 2], np.s_[x > 0]]:"
        "\n    a[k] = a[k] * y[0] + 1\nb = a[np.s_[0:2]]\nb[0] = 1.0\nreturn np.sum(a**2)"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", RIGHT)
def test_programs(name: str) -> None:
    verdict = judge(Cell(name, program(written(RIGHT[name])), (X, Y)))
    assert verdict.kind == "right", verdict.reason


UNSEEN = {"first": slice(0, 2), "both": [0, 1]}.get
"""Gives an index, and cannot be looked into."""

REFUSED = {
    "k = tuple([j for j in range(int(abs(x[0]) + 2))])\nreturn np.sum(a[k] ** 2)": "how many items",
    "k = tuple([j for j in range(int(abs(x[0]) + 2))])\na[k] = 0.0\nreturn np.sum(a)": "how many items",
    "k = tuple([j for j in range(int(abs(x[0]) + 2))])\nnp.add.at(a, k, x[0])\nreturn np.sum(a)": "how many items",
    "b = a[index('first')]\nb[0] = y\nreturn np.sum(a)": "may share memory",
    "a[index('both')] = a[index('both')] * 2\nb = a[index('both')]\nreturn np.sum(a) + np.sum(b)": "may share memory",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_only_the_run_can_tell_is_refused(text: str) -> None:
    f: Any = program(written(text), index=UNSEEN)
    with pytest.raises(AdxError, match=REFUSED[text]) as refused:
        adxform.grad(f)(X, Y)
    assert refused.value.span.line > 0


def test_stores_under_an_unseen_index_are_undone() -> None:
    text = "for _ in range(3):\n    a[index('first')] = np.cos(y) * x[1]\nreturn np.sum(a**2)"
    verdict = judge(Cell(text, program(written(text), index=UNSEEN), (X, Y)))
    assert verdict.kind == "right", verdict.reason


SPREAD = {
    "one": "b = np.broadcast_arrays(a)[0]\nb[1] = y[2] * 3\nreturn np.sum(a * y) + np.sum(b**2)",
    "of one shape": "b, c = np.broadcast_arrays(a, a * 2)\nb[1] = y[2] * 3\nc *= 2\nreturn np.sum(a * c)",
    "read": "b, c = np.broadcast_arrays(x[:, None], y)\nreturn np.sum(b * c**2)",
    "of what is written": "b, c = np.broadcast_arrays(x, a)\na[1] = y[2] * 3\nd = b.copy()\nd[0] = 1\nreturn np.sum(b * c + d)",
}  # fmt: skip


@pytest.mark.parametrize("name", SPREAD)
def test_arrays_that_are_broadcast_together(name: str) -> None:
    verdict = judge(Cell(name, program(written(SPREAD[name])), (X, Y)))
    assert verdict.kind == "right", verdict.reason


@pytest.mark.parametrize("line", ["b[1] = y[2]", "c[1] = y", "b.T[0] += 1", "c *= 2"])
def test_views_that_numpy_spreads_are_not_written_to(line: str) -> None:
    f = program(written(f"b, c = np.broadcast_arrays(x * 1, a)\n{line}\nreturn np.sum(b * c)"))
    with pytest.raises(AdxError, match="read only"):
        adxform.grad(f)(X, Y)
