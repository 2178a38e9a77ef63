"""Starred targets, and items and slices of ranges and of lists of pairs, against the plain function and differences."""

from __future__ import annotations

import numpy as np
import pytest

import adxform
from tests.tables.cell import Cell, judge, program

X = np.array([0.5, 1.5, -0.7, 2.0])
STARRED = (
    "a, *b = x; r = a * sum(v * v for v in b)",
    "*a, b = x; r = b * sum(a)",
    "a, *b, c = x; r = a * c * len(b) + b[-1] ** 2",
    "*a, = x; r = a[0] * a[3]",
    "a, b, *c = x[:2]; r = a * b + len(c) + sum(c)",
    "a, *b = x[0], x[1], x[2]; r = a * b[0] + b[1] ** 2",
    "a, *b = [v for v in x if v > 0.1]; r = a + sum(v * v for v in b)",
    "a, *b = np.outer(x, x); r = a @ b[0] + b[-1].sum()",
    "a, *b = zip(x, x[1:]); r = a[1] * sum(p * q for p, q in b)",
    "(i, a), *b = enumerate(x, 3); r = i * a + sum(k * v for k, v in b)",
    "i, *b, j = range(len(x)); r = x[i] * x[j] + sum(x[k] ** 3 for k in b)",
    "a, *b = reversed(x); r = a ** 2 + 2.0 * sum(b)",
    "a, *b = map(lambda v: v * v, x); r = a ** 2 * b[0] + len(b)",
    "a, *b = {'p': x[0], 'q': x[1]}.values(); r = a ** 2 * b[0]",
    "a, *(b, c) = x[0], x[1], x[2]; r = a * b + c * c",
    "(a, *b), c = x, x[1]; r = a * c + sum(b)",
    "d = {}; a, *d['k'] = x; r = a * sum(d['k'])",
    "a, *b = x; b[0] = 5.0 * a; r = x[1] * b[0] + sum(b)",
    "z = [v * 2 for v in x]; a, *b = z; b.append(a); z[1] = 0.0; r = sum(v * v for v in b) + sum(z)",
    "n, *m = x.reshape(2, 2).shape; r = x.sum() * n + m[0]",
    "r = sum(a * b[0] for a, *b in [(x[0], x[1]), (x[3], x[1], x[2])])",
    "d = dict(zip(['p', 'q'], x)); r = d['p'] * d['q'] ** 2",
    "d = dict(zip(('p', 'q'), [v for v in x if v > 0.1])); r = d['p'] * d['q'] ** 2",
    "a, b, c, d, e, *f = x; r = a",
    "a, b, *c = (x[0],); r = a",
)


@pytest.mark.parametrize("line", STARRED)
def test_a_starred_target_takes_the_rest(line: str) -> None:
    lines = line.replace("; ", "\n    ")
    verdict = judge(Cell(line, program(f"def f(x):\n    {lines}\n    return r\n"), (X,), orders=1, bits=False))
    assert verdict.kind == "right", verdict.reason


def test_a_list_is_taken_apart_from_its_head_in_a_loop() -> None:
    text = "def f(x):\n    s, r = 0.0, list(x)\n    while r:\n        h, *r = r\n        s = 0.5 * s + h * h\n    return s\n"
    np.testing.assert_allclose(adxform.grad(program(text))(X), 2.0 * X * 0.5 ** np.arange(3.0, -1.0, -1.0), rtol=1e-14)


def test_a_list_of_lists_that_loses_items_on_one_path() -> None:
    text = (
        "def f(y):\n    s, i = [[v, 1] for v in y], 0\n    while i < len(s) - 1:\n        if s[i][0] > s[i + 1][0]:\n"
        "            s[i] = [s[i][0] + s.pop(i + 1)[0], 2]\n        else:\n            i += 1\n    return s[0][0]\n"
    )
    assert adxform.grad(program(text))([1.0, 3.0, 2.0]) == [1.0, 0.0, 0.0]
    assert adxform.grad(program(text))([3.0, 1.0, 2.0]) == [1.0, 1.0, 1.0]


COUNTED = (
    "g(*x[:1], x[1], *x[2:])",
    "g(*np.exp(x[:1]), x[1], *np.exp(x[2:]))",
    "g(*np.diff(x)) * g(*np.cumsum(x))",
    "g(*np.concatenate([x[:1], x]))",
    "g(*np.hstack([x[:2], x[3:]]))",
    "g(*np.delete(x, 1)) + g(*np.append(x, 1.0))",
    "g(*x.reshape(-1, 2).T[1]) + g(*x.reshape(2, -1).sum(axis=1))",
    "g(*np.outer(x, x).ravel()) + g(*np.outer(x, x).flatten()[:5])",
    "g(*np.outer(x, x)[np.triu_indices(4)])",
    "g(*x[[0, 2, 1]]) + g(*np.sort(x)[:2])",
    "g(*(v**2 for v in x[1:])) + g(*[v for v in x[:-1]])",
)


@pytest.mark.parametrize("expression", COUNTED)
def test_what_is_made_of_an_argument_is_given_item_by_item(expression: str) -> None:
    text = f"def g(a, b=1.0, *rest):\n    return a * b + sum(rest)\n\ndef f(x):\n    return {expression}\n"
    for x in (X, X[::-1].copy()):
        verdict = judge(Cell(expression, program(text), (x,), orders=1, bits=False))
        assert verdict.kind == "right", verdict.reason


OF_CONSTANTS = (
    "c = tuple(np.add((0, 1), (1, 0))); r = x[0] * (GRID[c[0]][c[1]] in 'bc')",
    "c = 0, 0\nfor m in (0, 1), (1, 0):\n    c = tuple(np.add(c, m))\nr = x[0] ** len(GRID[c[0]]) * (GRID[c[0]][c[1]] in 'd')",
    "c = tuple(int(v) for v in np.array([0, 1]) + np.array([1, 0])); r = x[0] * {(1, 1): 2.0}[c]",
    "i, j = np.subtract([3, 2], 2); r = x[0] * (GRID[i][j] in 'bc')",
    "r = x[0]\nfor k in np.arange(2):\n    r = r * 1.1 if GRID[0][k] == 'b' else r ** 2",
    "r = x[0]\nfor i, j in np.array([[0, 1], [1, 0]]):\n    r = r * {'a': 1.5, 'b': 2.5}[GRID[0][i]] + (GRID[1][j] == 'd')",
    "m = np.array([0, 1]); m[0] = 1; i, j = m; r = x[0] * (i + j) + x[1] * (GRID[i][j] == 'd')",
    "r = 0.0; m = np.arange(3)\nfor k in m:\n    m[2] = 0\n    r = r + x[k] ** 2",
    "c = STEP.DOWN((0, 0)); r = x[0] * (GRID[c[0]][c[1]] in 'cd')",
    "c = (0, 0)\nfor step in STEP:\n    c = tuple(np.add(c, step.value))\nr = x[0] * (GRID[c[0]][c[1]] in 'cd')",
)
HEAD = """
import enum

import numpy as np

GRID = ("ab", "cd")


class STEP(enum.Enum):
    DOWN = (1, 0)
    RIGHT = (0, 1)

    def __call__(self, cell):
        return tuple(np.add(cell, self.value))


"""


@pytest.mark.parametrize("line", OF_CONSTANTS)
def test_arrays_of_constants_choose_characters_and_keys(line: str) -> None:
    body = line.replace("; ", "\n").replace("\n", "\n    ")
    verdict = judge(Cell(line, program(f"{HEAD}def f(x):\n    {body}\n    return r\n"), (X,), orders=1, bits=False))
    assert verdict.kind == "right", verdict.reason
