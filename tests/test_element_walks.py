"""`np.nditer`, of arrays in several orders of memory: against the plain call and differences; lists of views without axes."""

from __future__ import annotations

import numpy as np
import pytest

import adxform
from adxform.errors import AdxError
from tests.tables.cell import Cell, judge, program

Y = np.array([2.0, 0.3, -1.0, 0.5])
M = np.arange(12.0).reshape(3, 4) / 5 - 0.93

BY_ROWS = {
    "each element": "s = 0.0\nfor v in np.nditer(x):\n    s = s * 0.9 + v * v\nreturn s",
    "a generator": "return sum(float(v) ** 2 for v in np.nditer(x))",
    "with its place": (
        "it = np.nditer(x, flags=['multi_index'])\ns = 0.0\nfor v in it:\n"
        "    i, j = it.multi_index\n    s += v * v * (i + 2 * j) * y[j] + x[it.multi_index]\nreturn s"
    ),
    "until it is finished": (
        "it = np.nditer(x, flags=['multi_index'])\ns = 0.0\nwhile not it.finished:\n"
        "    s = s * 0.9 + it[0] ** 2 * y[it.multi_index[1]]\n    s += it.shape[1]\n    it.iternext()\nreturn s * it.ndim"
    ),
    "by its number": "it = np.nditer(x, flags=['c_index'])\ns = 0.0\nfor v in it:\n    s += v * v * it.index\nreturn s",
    "written": (
        "z = x * 2\nwith np.nditer(z, op_flags=['readwrite']) as it:\n    for v in it:\n        v[...] = v * v + y[0]\n"
        "return np.sum(z * x)"
    ),
    "written in its place": (
        "z = y * 1\nit = np.nditer(z, op_flags=['readwrite'])\nwhile not it.finished:\n"
        "    it[0] = it[0] * x[0, 1]\n    it.iternext()\nreturn np.sum(z * z)"
    ),
    "of an array that is filled": (
        "z = np.zeros((3, 4))\nfor i in range(3):\n    z[i] = x[i] * y[i]\n"
        "for v in np.nditer(z):\n    z[0, 0] += v * v\nreturn np.sum(z)"
    ),
    "two arrays": "s = 0.0\nfor a, b in np.nditer([x, y]):\n    s += a * b * b\nreturn s",
    "one and a number": "s = 0.0\nfor a, b in np.nditer([x, y[0]]):\n    s += a * b * b\nreturn s",
    "one into another": (
        "z = np.zeros_like(x)\nfor a, b in np.nditer([x, z], op_flags=[['readonly'], ['writeonly']]):\n"
        "    b[...] = a * a * y[1]\nreturn np.sum(z * x)"
    ),
    "arrays of other ranks": "s = 0.0\nfor a, b, c in np.nditer([x, x[:, :1], y]):\n    s = s * 0.9 + a * b * c\nreturn s",
    "their operands": "it = np.nditer([x, y])\nreturn np.sum(it.operands[1] * y) + it.itersize * it.nop * len(it) * x[0, 0]",
    "again": "it = np.nditer(x)\na = sum(v * v for v in it)\nit.reset()\nreturn a + sum(v**3 for v in it) * next(np.nditer(y))",
    "nothing": "s = y[0] * 1\nfor v in np.nditer(x[:0], flags=['zerosize_ok']):\n    s += v\nreturn s",
    "nothing at all": "s = y[0] * 1\nfor v in np.nditer(x[:0]):\n    s += v\nreturn s",
}
IN_ANY_ORDER = {
    "by rows, as is said": "s = 0.0\nfor v in np.nditer(x.T, order='C'):\n    s = s * 0.9 + v * v\nreturn s",
    "each row": "s = 0.0\nfor row in x:\n    for v in np.nditer(row):\n        s = s * 0.9 + v**2\nreturn s",
    "a column": "s = 0.0\nfor v in np.nditer(x[:, 1]):\n    s = s * 0.9 + v**2\nreturn s",
    "a number": "s = 0.0\nfor v in np.nditer(y[0]):\n    s += v * v * x[0, 0]\nreturn s",
    "left and gone on": (
        "it = np.nditer(y)\ns = 0.0\nfor v in it:\n    s += v * v\n    if v < 0:\n        break\n"
        "for v in it:\n    s += 3 * v * v * x[0, 1]\nreturn s"
    ),
    "step by step": "it = np.nditer(y)\nreturn next(it) * next(it) + x[0, 0]",
    "past the end": "it = np.nditer(y)\nfor v in it:\n    pass\nreturn it[0]",
    "a length past the end": "it = np.nditer(x[0], flags=['multi_index'])\nfor v in it:\n    pass\nreturn it.shape[0] * y[0]",
    "a place that it does not keep": "it = np.nditer(y)\nreturn it.multi_index[0] * y[0]",
    "views that are kept": "k = []\nz = y * 1\nfor v in np.nditer(z):\n    k.append(v)\nz[1] = x[0, 0]\nreturn k[1] * k[0]",
}


def judged(text: str, x: np.ndarray) -> str:
    """The verdict on the program of these lines at `x`."""
    lines = "".join(f"    {line}\n" for line in text.split("\n"))
    verdict = judge(Cell(text, program(f"def f(x, y):\n{lines}"), (x, Y)))
    assert verdict.kind in ("right", "refused"), verdict.reason
    return verdict.kind


@pytest.mark.parametrize("name", BY_ROWS)
def test_elements_come_in_the_order_of_rows(name: str) -> None:
    assert judged(BY_ROWS[name], M) == "right"
    assert judged(BY_ROWS[name], np.repeat(M, 2, 0)[::2]) == "right"


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("name", IN_ANY_ORDER)
def test_elements_come_as_is_said(name: str, order: str) -> None:
    assert judged(IN_ANY_ORDER[name], np.array(M, order=order)) == "right"


@pytest.mark.parametrize("x", [M.T, M[::-1], M[:, ::-1], np.asfortranarray(M)], ids=["columns", "upwards", "leftwards", "F"])
@pytest.mark.parametrize("name", ["each element", "with its place", "two arrays"])
def test_the_order_of_memory_is_refused_by_the_run(name: str, x: np.ndarray) -> None:
    assert judged(BY_ROWS[name].replace("y[j]", "y[j % 2]").replace("[x, y]", "[x, x]"), x) == "refused"


REFUSED = {
    "written, though it is only read": "for v in np.nditer(x):\n    v[...] = 2.0\nreturn x[0, 0]",
    "changed, though it is only read": "w = x * 1\nfor v in np.nditer(w):\n    u = v[...]\n    u *= 2\nreturn w[0, 0]",
    "written on a path": "for v in np.nditer(x):\n    u = v if v > 0 else x[0, 0, ...]\n    u[...] = 3\nreturn x[0, 0]",
    "a flag": "return sum(np.sum(v) for v in np.nditer(x, flags=['external_loop']))",
    "an array of its own": "for a, b in np.nditer([x, None]):\n    b[...] = a\nreturn x[0, 0]",
    "by columns": "return sum(v * v for v in np.nditer(x, order='F'))",
    "a dtype": "return sum(v * v for v in np.nditer(x, op_dtypes=['float32'], flags=['buffered'], casting='same_kind'))",
    "its axes": "it = np.nditer(x)\nreturn it.ndim * x[0, 0]",
    "what else it has": "return x[0, 0] * len(np.nditer(x).itviews)",
    "its class": "return x[0, 0] * isinstance(np.nditer(x), np.nditer)",
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_not_followed_is_refused(name: str) -> None:
    lines = "".join(f"    {line}\n" for line in REFUSED[name].split("\n"))
    with pytest.raises(AdxError):
        adxform.vjp(program(f"def f(x):\n{lines}"), M)


WITHOUT_AXES = {
    "appended": "for i in range(len(z)):\n    k.append(z[i, ...])",
    "a comprehension": "k = [z[i, ...] for i in range(len(z))]",
    "read-only": "for i in range(len(z)):\n    k.append(np.broadcast_to(z[i, ...], ()))",
    "in tuples": "for i in range(len(z)):\n    k.append((z[i, ...], i))\nk = [a for a, _ in k]",
    "in the place of numbers": "k = [0.5 * v for v in x]\nfor i in range(len(z)):\n    k[i] = z[i, ...]",
    "mapped": "k = list(map(lambda i: z[i, ...], range(len(z))))",
    "of an unknown length": "n = 0\nwhile n < len(z) and z[n] < 90:\n    k.append(z[n, ...])\n    n += 1",
    "many": "for i in range(400):\n    k.append(z[i % 4, ...])",
}


@pytest.mark.parametrize("after", ["z[1] = x[0] ** 2", "for v in k[:2]:\n    v *= x[0]"], ids=["array written", "views written"])
@pytest.mark.parametrize("way", WITHOUT_AXES)
def test_views_without_axes_in_lists_stay_views(way: str, after: str) -> None:
    text = f"z = x * 1\nk = []\n{WITHOUT_AXES[way]}\n{after}\nreturn k[1] * k[0] * k[3] + np.sum(z * z)"
    lines = "".join(f"    {line}\n" for line in text.split("\n"))
    verdict = judge(Cell(text, program(f"def f(x):\n{lines}"), (Y,)))
    assert verdict.kind == "right" or (verdict.kind == "refused" and way in ("of an unknown length", "many")), verdict.reason
