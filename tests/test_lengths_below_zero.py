"""Numbers that say how long something is may be below zero: ranges and lists are empty then, arrays are not made.

And a length that was cut off at zero is not what it was when it grows again: of ``n = -1``, ``max(n, 0) + 1`` is one.
"""

from __future__ import annotations

import numpy as np
import pytest

from tests.tables.cell import Cell, judge, program

OF_NUMBERS = {
    "comprehensions": "a = [x * i for i in range(n - 1)]\n    return sum(a) * x + len(a)",
    "nested comprehensions": "a = [[x * i for i in range(n)] for _ in range(n - 1)]\n    return len(a) * x",
    "repeated twice": "a = [x] * n\n    a += n * [x * x]\n    return sum(a) * len(a)",
    "one by one": "a = [x] * n\n    b = [x] * (n - 1)\n    b.append(x * x)\n    return sum(a) + sum(b) * len(b)",
    "repeated lists": "a = [x * i for i in range(n)]\n    a *= n\n    t = tuple(a) * (n - 1)\n    return sum(a) + sum(t)",
    "tuples": "return sum((x,) * n) + len((x, 2.0) * (n + 1)) + sum([x] * n + [x * x] * (n + 2))",
    "zipped": "a = [x * i for i in range(n - 1)]\n    b = [x] * n\n    return sum([p * q * x for p, q in zip(a, b)]) - len(b)",
    "zipped with a longer one": "a = [x] * (max(n, 0) + 1)\n    return sum([u * u for u, k in zip(a, range(n + 1))])",
    "of a length and more": "a = [x] * (len([x] * n) + 1)\n    return sum([u * x for u, k in zip(a, range(n + 1))])",
    "joined paths": (
        "k = max(n, 0) if x > 0 else n\n    a = [x for _ in range(k)] + [x * i for i in range(k + 1)]\n    return sum(a) * len(a)"
    ),
    "an array that is spread": (
        "m = max(n - 2, 0) + 2\n    if n not in (1, m):\n        return x\n    return np.sum(np.full(m, x) * (np.ones(n) * x))"
    ),
    "arrays": "y = np.zeros(n) + x\n    return np.sum(y) * x",
}
OF_LENGTHS = {
    "windows": "return sum([np.sum(x[i : i + 3]) * x[i] for i in range(len(x) - 2)])",
    "lists of differences": "w = [x[i] * 2 for i in range(len(x) - 3)] + [x[0]] * (len(x) - 4)\n    return sum(w) * len(w)",
    "slices up to a number below zero": "return np.sum(np.zeros(max(len(x) - 3, 0)) * x[: len(x) - 3]) + np.sum(x[: len(x) - 3])",
    "a slice and more": "y = x[1:]\n    return np.sum((np.zeros(len(y) + 1) + 2.0) * x)",
    "a longer slice and more": "y = x[3:]\n    z = np.zeros(len(y) + 3) + np.sum(x)\n    return np.sum(z * z)",
    "filled up": "a = [v * v for v in x[2:]]\n    b = [0.0, 0.0] + a\n    return sum([u * v + v for u, v in zip(b, x)])",
}


@pytest.mark.parametrize("body", OF_NUMBERS.values(), ids=OF_NUMBERS)
def test_numbers(body: str) -> None:
    f = program(f"def f(x, n):\n    {body}\n")
    for n in (-3, -1, 0, 1, 2, 4):
        verdict = judge(Cell(f"{n}", f, (1.5, n)))
        assert verdict.kind == "right", (n, verdict.reason)


@pytest.mark.parametrize("body", OF_LENGTHS.values(), ids=OF_LENGTHS)
def test_lengths(body: str) -> None:
    f = program(f"def f(x):\n    {body}\n")
    for length in (0, 1, 2, 3, 5):
        if length or "x[0]" not in body:
            verdict = judge(Cell(f"{length}", f, (np.linspace(0.5, 1.5, length),)))
            assert verdict.kind == "right", (length, verdict.reason)
