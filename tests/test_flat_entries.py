"""``x.flat``, read, written and walked over, of arrays in several orders of memory: against the plain call and differences."""

from __future__ import annotations

import contextlib
import warnings

import numpy as np
import pytest

import adxform
from adxform.errors import AdxError
from adxform.primitives.declare import name_of
from adxform.primitives.definitions import DEFINITIONS
from adxform.primitives.table import TABLE
from tests.tables.cell import Cell, judge, program

Y = np.array([2.0, 0.3, -1.0, 0.5])
M = np.arange(12.0).reshape(3, 4) / 5 - 0.93
LAYOUTS = {
    "C order": M,
    "Fortran order": np.asfortranarray(M),
    "strides": (np.arange(48.0).reshape(6, 8) / 20 - 0.3)[::2, ::-2],
    "one axis": M.reshape(-1),
    "three axes": np.arange(12.0).reshape(2, 3, 2).transpose(2, 0, 1) / 5 - 0.83,
}


def right(text: str, x: np.ndarray) -> None:
    """See that the program of these lines has the right value and derivatives at `x`."""
    lines = "".join(f"    {line}\n" for line in text.split("\n"))
    verdict = judge(Cell(text, program(f"def f(x, y):\n{lines}"), (x, Y)))
    assert verdict.kind == "right", verdict.reason


IN_ANY_LAYOUT = {
    "numbers": "return x.flat[3] * x.flat[-2] * y[0]",
    "numbers of the run": "k = int(y[0]) + 1\nreturn x.flat[k] * x.flat[-k]",
    "slices": "return np.sum(x.flat[2:7] ** 2 * np.arange(1, 6)) + np.sum(x.flat[::-3] ** 3)",
    "places": (
        "return np.sum(x.flat[[0, 3, 3, -1]] ** 2) + np.sum(x.flat[np.array([[0, 3], [3, -1]])] * np.array([[1, 2], [3, 4.0]]))"
    ),
    "a mask": "return np.sum(x.flat[x.ravel() > 0] ** 2)",
    "walked over": "s = 0.0\nfor v in x.T.flat:\n    s = s * 0.9 + v * v\nreturn s",
    "counted": "s = 0.0\nfor i, v in enumerate(x.flat):\n    s = s * 0.9 + v * v * i\nreturn s",
    "written": "z = x * 2\nz.flat[5] = y[1]\nz.flat[-1] = y[0] ** 2\nreturn np.sum(z**2 * x)",
    "a slice written": "z = x * 2\nz.flat[2:6] = y\nz.T.flat[1:9:3] = y[2]\nreturn np.sum(z**3)",
    "shorter and longer": "z = x * 2\nz.flat[1:10] = y[:2]\nz.flat[:2] = y\nreturn np.sum(z**3)",
    "places written": "z = x * 2\nz.flat[[0, 5, 0]] = y[1:]\nz.flat[z.ravel() > 2] = y[3]\nreturn np.sum(z**3)",
    "all written": "z = x * 2\nz.T.flat = y\nreturn np.sum(z**3 * x)",
    "all of another": "z = x * 1\nz.flat = x.T.flat\nz.flat[:] = (z * x).flat\nreturn np.sum(z * z * x)",
    "added to": "z = x * 2\nz.flat[5] += y[1]\nz.flat[2:5] *= y[1:]\nz.flat[[0, 1, 0]] += y[0]\nreturn np.sum(z**3)",
    "written while walked over": (
        "z = x * 1\ns = 0.0\nfor i, v in enumerate(z.flat):\n"
        "    s = s * 0.9 + v * v\n    z.flat[i] = s\n    z.flat[z.size - 1 - i] = v * y[0]\nreturn np.sum(z * z) + s"
    ),
    "under a name": (
        "z = x * 1\ng = z.flat\nfor i in range(1, len(g)):\n    g[i] = g[i - 1] * y[0] + g[i] ** 2\nreturn np.sum(z * z)"
    ),
    "functions of arrays": "return np.dot(x.flat, x.flat) + np.max(x.flat) * np.mean(x.flat) + np.sum(x.flat) * np.size(x.flat)",
    "an argument": "x.flat[3] = y[1]\nx.flat[::5] = y[0]\nreturn np.sum(x * x)",
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", IN_ANY_LAYOUT)
def test_entries_come_in_the_order_of_the_axes(name: str, layout: str) -> None:
    right(IN_ANY_LAYOUT[name], LAYOUTS[layout])


PROGRAMS = {
    "a list": "l = list(x.flat)\nreturn l[3] * l[5] + sum([v * v for v in x.flat])",
    "builtins": "return sum(x.flat) * max(x.flat) + sorted(x.flat)[2] * y[0] + len(x.flat)",
    "side by side": "return sum(a * b for a, b in zip(x.flat, x.T.flat)) + sum(map(lambda v, w: v * w, x.flat, y.flat))",
    "only one walk": "f = x.flat\nreturn sum(f) * y[0] + sum(f) + y[1]",
    "only one walk in a loop": (
        "f, s = x.flat, 0.0\nfor k in range(3):\n    for v in f:\n        s = s * 0.9 + v * v * (k + 1)"
        "\nreturn s"
    ),
    "walks in a loop": "s = 0.0\nfor k in range(3):\n    for v in x.flat:\n        s = s * 0.9 + v * v * k\nreturn s",
    "a view": "z = x * 1\nw = z[1:]\nz.flat[5] = y[1]\nw.flat[0] += y[0]\nreturn np.sum(w * w) + np.sum(z)",
    "a copy of the array itself": "z = x * 1\nz.flat[1:5] = z[0].copy()\nreturn np.sum(z * z)",
    "out of range": "return x.flat[x.size]",
    "out of range, below": "return x.flat[-x.size - 1]",
    "out of range, written": "z = x * 1\nz.flat[99] = y[0]\nreturn np.sum(z)",
    "out of range of nothing": "return np.zeros((3, 0)).flat[0] * x[0, 0]",
    "out of range of nothing, written": "z = np.zeros((0, 3))\nz.flat[0] = y[0]\nreturn np.sum(z)",
    "no place": "z = x * 1\nz.flat[()] = y[0]\nreturn np.sum(z)",
    "deleted": "z = x * 1\ndel z.flat[0]\nreturn np.sum(z)",
    "a complex number": "z = x * 1\nz.flat[0:2] = 1j\nreturn np.sum(z)",
    "two numbers": "return x.flat[0, 1]",
    "arithmetic": "return np.sum(x.flat + 1)",
    "compared": "return np.sum((x.flat > 0) * x.ravel()) + np.sum((x.flat == x.T.flat) * x.ravel())",
    "a copy": "return np.sum(x.flat.copy() ** 2) + np.sum(x.flat.base)",
    "its class": "return x[0, 0] if isinstance(x.flat, np.flatiter) else x[0, 1]",
    "a branch": "z = x * 1\nif y[0] > 0:\n    z.flat[3] = y[1]\nelse:\n    z.flat[2] = y[1]\nreturn np.sum(z * z)",
    "chosen": "f = x.flat if y[0] > 0 else x.T.flat\nreturn f[3] * 2",
    "a helper": "def h(a, k):\n    return a.flat[k] ** 2 + (h(a, k - 1) if k > 0 else 0.0)\nreturn h(x, 5)",
    "while": "z = x * 1\nf, g = z.flat, x.flat\nwhile z[0, 0] < 50:\n    f[0] = f[0] * 2 + g[3] + 9\nreturn np.sum(z * z)",
    "left by a break": "s = 0.0\nfor v in x.flat:\n    s += v * v\n    if s > 1:\n        break\nreturn s",
    "the diagonals": "a = np.zeros((4, 4))\na.flat[::5] = y\na.flat[1::5] = y[:3]\nreturn np.sum(a @ a) * x[0, 0]",
    "the least": "return x.flat[np.argmax(x)] ** 2 + x.flat[np.abs(x).argmin()] + np.sum(x.flat[np.argsort(x, axis=None)[:3]])",
    "lists stored": "z = x * 1\nz.flat[:3] = [y[0], y[1] ** 2, 3]\nz.flat[4:8] = np.outer(y[:2], y[:2])\nreturn np.sum(z * x)",
    "complex numbers": "z = x + 1j * x\nz.flat[1:3] = y[:2] * 1j\nz.real.flat[5] = y[3]\nreturn np.sum(np.abs(z) ** 2)",
    "whole numbers": "k = np.zeros((2, 3), int)\nk.flat[1:4] = y[:3]\nreturn np.sum(k) * y[1]",
    "a view to read": "z = np.broadcast_to(y, (3, 4))\nreturn sum(z.flat) * z.flat[5]",
    "no axes": (
        "z = np.array(x[0, 0])\nz.flat[0] = y[0] * 2\nz.flat = z.flat[0] * y[1]"
        "\nreturn z * y[1] + list(z.flat)[0] + len(z.flat)"
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str) -> None:
    right(PROGRAMS[name], M)


def test_other_arrays() -> None:
    right(
        "s = np.sum(y)\nfor v in x.flat:\n    s = s * 0.9 + v * v\nx.flat[:] = y\nreturn s + len(x.flat) + np.sum(x.flat)",
        np.zeros((0, 3)),
    )
    right("z = x * 1\nz.flat[1:3] = y[:2]\nreturn np.sum(z**2) + x.flat[3]", np.float32(M))


REFUSED = {
    "z.flat[1:5] = z[0]": "shares memory",
    "z.T.flat = z": "shares memory",
    "z = sum(g) + g[0]": "begins anew",
    "z = x[0, 0] if 3.0 in x.flat else x[0, 1]": "FlatEntries",
    "np.copyto(z.flat, y[0])": "may write to it",
    "np.add(y, 1, out=z.flat)": "may write to it",
    "z.flat[[True] * 12] = y": "truth values",
    "z.flat[1:3] = (v for v in y)": "no number, array or list",
    "z.flat = None": "no number, array or list",
    "z = z * (2.0 if iter(g) is g else 3.0)": "walks over",
}


@pytest.mark.parametrize("line", REFUSED)
def test_what_is_refused_has_a_place(line: str) -> None:
    f = program(f"def f(x, y):\n    z, g = x * 1, x.flat\n    {line}\n    return np.sum(z)\n")
    with pytest.raises(AdxError, match=REFUSED[line]) as refused:
        adxform.grad(f)(M, Y)
    assert refused.value.span.line == 3


def sharing() -> list[str]:
    """Calls of functions of NumPy's with a result that shares the memory of the array whose `.flat` they are given."""
    ways = ("(z.flat)", "(z.flat, 0)", "(z.flat, [0, 1])", "(z.flat, 1)", "(z.flat, 1, 0)", "([0, 1], z.flat)", "(1, z.flat)")
    found = []
    for fn in dict.fromkeys((*TABLE, *DEFINITIONS)):
        if not name_of(fn).startswith("np.") or name_of(fn).startswith("np.ndarray") or isinstance(fn, np.ufunc):
            continue
        for way in ways:
            z = np.array([0.1, 0.2, 0.3, 0.4])
            with contextlib.suppress(Exception), warnings.catch_warnings(action="ignore"):
                made = eval(f"fn{way}", {"fn": fn, "z": z})
                if any(np.shares_memory(one, z) for one in (made if isinstance(made, tuple | list) else [made])):
                    found.append(name_of(fn) + way)
                    break
    return found


def test_functions_that_share_its_memory_do_not_take_it() -> None:
    calls = sharing()
    assert {"np.array(z.flat)", "np.copy(z.flat)", "np.split(z.flat, [0, 1])"} <= set(calls)
    assert "np.polynomial.polynomial.polyder(z.flat, 0)" in calls
    for call in calls:
        with pytest.raises(AdxError, match=r"x\.flat"):
            adxform.vjp(program(f"def f(z):\n    return {call}\n"), np.array([0.1, 0.2, 0.3, 0.4]))


NOT_TAKEN = {
    "stored by its class": "z = x * 2\nnp.flatiter.__setitem__(z.flat, 0, y[1])\nreturn np.sum(z * z)",
    "an array of it": "z = x * 2\nw = np.array(z.flat)\nw[0] = y[0]\nreturn np.sum(w) * np.sum(z)",
    "tiled once": "z = x * 2\nw = np.tile(z.flat, 1)\nw[0] = y[0]\nreturn np.sum(w) * np.sum(z)",
    "no derivative of it": (
        "z = x.ravel() * 2\nw = np.polynomial.polynomial.polyder(z.flat, 0)\nw[0] = y[0]\nreturn np.sum(w) * np.sum(z)"
    ),
    "no integral of it": (
        "z = x.ravel() * 2\nw = np.polynomial.chebyshev.chebint(z.flat, m=0)\nw[0] = y[0]\nreturn np.sum(w) * np.sum(z)"
    ),
    "a copy of it": "z = x * 2\nw = np.copy(z.flat)\nw[0] = y[0]\nreturn np.sum(w) * np.sum(z)",
}


@pytest.mark.parametrize("name", NOT_TAKEN)
def test_arrays_of_it_that_may_share_memory_are_refused(name: str) -> None:
    lines = "".join(f"    {line}\n" for line in NOT_TAKEN[name].split("\n"))
    with pytest.raises(AdxError, match=r"x\.flat"):
        adxform.vjp(program(f"def f(x, y):\n{lines}"), M, Y)
