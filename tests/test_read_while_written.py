"""Where NumPy reads one operand while it writes to another, these share no memory: what comes of it would be by chance.

Each way to write is tried with what is apart from the target, against the plain call and differences, and with views of it, with
which NumPy's own value is that of no copy: a located refusal.
"""

from __future__ import annotations

import numpy as np
import pytest

import adxform
from adxform.errors import AliasError
from tests.tables.cell import Cell, judge, program

WAYS = {
    "a mask": "y[m] = {}",
    "a mask in a tuple": "y[(m,)] = {}",
    "a list of truth values": "y[[True, False, True, True, False, True]] = {}",
    "truth values of the run": "y[[x[0] > 0, False, x[1] > 0, True, False, True]] = {}",
    "a mask of a matrix": "y.reshape(2, 3)[m.reshape(2, 3)] = {}",
    "a special method": "y.__setitem__(m, {})",
    "np.place": "np.place(y, m, {})",
    "np.place by keywords": "np.place(arr=y, mask=m, vals={})",
    "np.fill_diagonal": "np.fill_diagonal(y[:4].reshape(2, 2), {})",
    "np.concatenate": "np.concatenate([{}, x[:2]], out=y)",
    "np.stack": "np.stack([{}, x[:4]], out=y8.reshape(2, 4))",
    "np.ptp": "np.ptp({}.reshape(2, 2), 1, out=y[:2])",
}
SOURCES = {
    "a slice": "y8[1:5]",
    "backwards": "y8[3::-1]",
    "on one path": "(y8[:4] if x[0] > 0 else x[:4])",
}
APART = ("z[1:5]", "y8[1:5].copy()", "z[3::-1]", "y8[[3, 0, 1, 2]]")
X, MASK = np.array([0.31, 0.73, 1.2, -0.4, 0.9, 0.5]), np.array([True, False, True, True, False, True])


def written(way: str, source: str) -> str:
    """A program that writes `source` to a part of an array of eight numbers, of which `y` is a view."""
    return f"""def f(x, m):
    y8, z = np.concatenate([x, x[:2] ** 2]), x * 3
    y = y8[:6]
    {WAYS[way].format(source)}
    return np.sum(y8 * np.arange(1.0, 9.0)) + y[0] * y[3]
"""


@pytest.mark.parametrize("way", WAYS)
def test_what_is_apart_is_written(way: str) -> None:
    for source in APART:
        verdict = judge(Cell(f"{way}, {source}", program(written(way, source)), (X, MASK)))
        assert verdict.kind == "right", (source, verdict.reason)


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
@pytest.mark.parametrize("way", WAYS)
def test_views_of_the_target_are_refused(way: str, source: str) -> None:
    f = program(written(way, source))
    for derive in (lambda: adxform.grad(f)(X, MASK), lambda: adxform.jvp(f, (X, MASK), (X, None))):
        with pytest.raises(AliasError) as refused:
            derive()
        assert refused.value.span.line == 4


def test_inside_other_functions() -> None:
    put = "def put(a, v, m):\n    a[m] = v\n\n\n"
    nested = "def f(x, m):\n    def g(y):\n        y = y * 1\n        put(y, y[:4], m)\n        return y @ y\n"
    for inside in (
        "def f(x, m):\n    y = x * 1\n    put(y, y[:4], m)\n    return y @ y\n",
        nested + "    return np.sum(adxform.grad(g)(x))\n",
        "def f(x, m, k=2):\n    y = x * 1\n    put(y, y[:4], m)\n    return y @ y if k < x[0] else f(y, m, k - 1)\n",
    ):
        with pytest.raises(AliasError) as refused:
            adxform.grad(program(put + inside, adxform=adxform))(X, MASK)
        assert refused.value.span.line == 2
