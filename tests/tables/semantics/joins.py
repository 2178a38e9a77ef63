"""Joins: a name that holds one kind on one path and another kind on another, and what is then done with it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from tests.tables.cell import Cell
from tests.tables.semantics.operands import KINDS, NUMBERS, Program

# Lines that leave `m` as `a` or as `b`, by the integer `n`, 0 or 1.
FORMS: dict[str, tuple[str, ...]] = {
    "branch": ("if n:", "    m = b", "else:", "    m = a"),
    "expression": ("m = b if n else a",),
    "optional branch": ("m = a", "if n:", "    m = b"),
    "loop": ("m = a", "for _ in range(n):", "    m = b"),
    "while": ("m, k = a, 0", "while k < n:", "    m = b", "    k += 1"),
    "break": ("m = a", "for k in range(2):", "    if k >= n:", "        break", "    m = b"),
    "tuple": ("m, q = (a, b) if n == 0 else (b, a)",),
    "early": ("def pick(p, q):", "    if n == 0:", "        return p", "    return q", "m = pick(a, b)"),
    "list": ("cells = [a, b]", "m = cells[n]"),
    "comprehension": ("m = [a if k == 0 else b for k in range(2)][n]",),
    "appended": ("out = []", "for k in range(2):", "    out.append(a if k == 0 else b)", "m = out[n]"),
}
USES = {"itself": "m", "product": "m * x", "sum": "x + m", "power": "x ** m", "array": "np.sum(np.array([1.5, 2.5]) * m) * x"}
SOME = ("bool", "int", "float", "float32", "float64", "int8", "longdouble", "0-d", "one", "array", "None")


def cells() -> Iterator[Cell]:
    """Each form on each pair of kinds, on both paths; what is done with the value goes round."""
    turn = itertools.cycle(itertools.product(USES, (0, 1)))
    for form, (left, right) in itertools.product(FORMS, itertools.product(NUMBERS, NUMBERS)):
        use, n = next(turn)
        if left != right:
            yield cell(form, (left, 1.7), (right, 2.6), use, n)
    for form, (left, right), use, n in itertools.product(FORMS, itertools.permutations(SOME, 2), ("itself", "product"), (0, 1)):
        yield cell(form, (left, 1.7), (right, 2.6), use, n)


def cell(form: str, first: tuple[str, float], second: tuple[str, float], use: str, n: int) -> Cell:
    """The cell of one form; `n` is an argument, which may become known, or an element of an array, which only a run can tell."""
    left, right = first[0], second[0]
    written = Program()
    for name, (kind, number) in zip("ab", (first, second), strict=True):
        written.argument(name, KINDS[kind](number))
    if (left, right) > (right, left):
        written.argument("n", n)
    else:
        written.argument("ns", np.array([n]))
        written.lines.append("n = int(ns[0])")
    written.lines += FORMS[form]
    return written.cell(f"{form} of {left} and {right}, {n}, {use}", USES[use])
