"""Lists and tuples as long as only the run can tell, which arrays hold: they are no arrays for what a program does with them."""

from __future__ import annotations

import numpy as np
import pytest

from tests.tables.cell import Cell, judge, program

X = np.array([0.6, 1.3, -0.4, 2.1])
Y = np.array([2.05, 0.3, -1.1, 0.55])
HELD = {
    "floats": "[x[j] * y[j] for j in range(n)]",
    "whole numbers": "[j % 2 for j in range(n)]",
    "a tuple": "tuple([x[j] * y[j] for j in range(n)])",
    "a range": "range(n)",
}
USES = """
np.power(x[0], l) | np.exp(l)
l * 2 | 2 * l | l * np.int64(2) | x[0] * l | np.float32(2) * l | True * l | l * 1.0 | l + l | l + x | x[:3] + l
x[:3] * l | l / x[:3] | -l | abs(l) | l @ l | x[:3] @ l | l - m | l // 2 | l ** 2 | l > 0 | l > m | l == m | l != m
not l | l and m | l or m | l is l | l.sum() | l.shape | l[0.0] | l[[0, 1]] | l[np.array([0, 1])] | l[(0,)] | l[0, 1]
l[None] | l[...] | l[np.int64(1)] | l[-9] | l[1:] | x[0] in l | l.index(l[1]) | l.count(l[0]) | float(l) | round(l)
isinstance(l, np.ndarray) | type(l) is tuple | len(l) | list(l) | a[l] | a[tuple(l)] | a[:, l] | a[l, 0]
a[np.array(l, int)] | np.take(a, l) | np.add.at(a, l, 1.0) | np.block(l) | np.block([l]) | np.concatenate(l)
np.concatenate([l, x]) | np.stack(l) | np.vstack(l) | np.column_stack(l) | np.append(l, 1.0) | np.trim_zeros(l)
np.select([np.array(l) > 0], [l]) | np.choose([0, 1, 0], [l, m]) | np.where(np.array(l) > 0, l, m) | np.full((2, 3), l)
np.sum(l, axis=1) | np.dot(l, m) | np.outer(l, m) | np.sort(l) | np.interp(0.3, [0, 1, 2], l) | np.broadcast_to(l, (2, 3))
np.array([l, m]) | [*l, 1.0] | dict(enumerate(l)) | list(zip(l, m)) | sum(l) | max(l) | sorted(l)[0]
np.vectorize(lambda v: v * v)(l) | any(l) | hash(l)
np.take(x, l) | x.take(l) | np.repeat(x[:3], l) | np.full(l[1:], x[0]) | np.polyval(l, x[0]) | np.stack([l, m]) | np.kron(l, x)
np.array(l) @ y[:3] | np.array(l, float) * x[0] | np.fromiter(l, float) | np.mean(l) | np.einsum("i,i", l, y[:3]) | np.shape(l)
np.average(y[:3], weights=np.add(l, 1)) | np.put(a[0], l, y[0]) | np.trapezoid(y[:3], l)
"""
CASES = [use.strip() for line in USES.strip().split("\n") for use in line.split(" | ")]


@pytest.mark.parametrize("held", HELD)
@pytest.mark.parametrize("use", CASES)
def test_they_are_right_or_refused(use: str, held: str) -> None:
    lines = "n = int(abs(x[1]) + 2)", "a = np.outer(x, y)", f"l, m = {HELD[held]}, [y[j] for j in range(n)]", f"r = {use}"
    text = "def f(x, y):\n" + "".join(f"    {line}\n" for line in lines) + "    return r, np.sum(a) * x[0]\n"
    verdict = judge(Cell(use, program(text), (X, Y), bits=False))
    assert verdict.kind in ("right", "refused"), verdict.reason
