"""``x.shape = …``: what other names, views and copies see of it, against the plain call and differences; what cannot be told."""

from __future__ import annotations

import numpy as np
import pytest

import adxform
from adxform.errors import AliasError
from tests.tables.cell import Cell, judge, program

Y = np.array([2.0, 0.3, -1.0, 0.5])
M = np.arange(12.0).reshape(3, 4) / 5 - 0.93
HELPER = """def h(b):
    return b, 1


class Held:
    def __init__(self, a):
        self.a = a

    def lie(self, shape):
        self.a.shape = shape


"""

FOLLOWED = {
    "made by a function": "a = np.arange(12.0) * y[0]\na.shape = (3, 4)\nreturn np.sum(a * x * x)",
    "one length left out": "a = x * y\na.shape = 4, -1\na.shape = -1\nreturn np.sum(a * a * np.arange(12))",
    "another name": "a = x * y\nb = a\na.shape = 12\nb[3] = y[0]\nreturn np.sum(b * b) * a[3] * len(b) + a.ndim",
    "the same by a function": "a = x * y\nb = np.asarray(a)\na.shape = 12\nreturn np.sum(b * b) * b.ndim + a[0]",
    "out": "a = x * y\nb = np.add(a, 1, out=a)\na.shape = 12\nreturn np.sum(b * b) * b.ndim + a[0]",
    "views keep theirs": (
        "a = x * y\nv = a[1:]\na.shape = 12\nv[0, 0] = y[0]\na[5] = y[1]\nreturn np.sum(a * a) + np.sum(v * v * x[1:])"
    ),
    "of a view": "a = x * y\nv = a[1:]\nv.shape = 8\nv[3] = y[0]\nreturn np.sum(a * a) + np.sum(v * v)",
    "of columns": "a = x * y\nv = a[:, 1:]\nv.shape = 9\nreturn np.sum(a * a) + np.sum(v * v)",
    "of a transpose": "a = (x * y).T\na.shape = 12\nreturn np.sum(a * a)",
    "an axis more": "a = y * y\na.shape += (1,)\nreturn np.sum(a @ a.T * np.outer(y, y))",
    "filled before": (
        "a = np.zeros(12)\nfor i in range(12):\n    a[i] = y[i % 4] * i\nif y[0] > 0:\n    a[3:7] = y"
        "\na.shape = (3, 4)\nreturn np.sum(a * x)"
    ),
    "in a loop": "s = 0.0\nfor k in range(3):\n    a = x * y[k]\n    a.shape = 12\n    s += a[k] ** 2\nreturn s",
    "in a branch": (
        "if y[0] > 0:\n    a = x * y\n    a.shape = 12\nelse:\n    a = np.arange(12.0)\nreturn np.sum(a * np.arange(12))"
    ),
    "made on either path": (
        "if y[0] > 0:\n    a = x * y\nelse:\n    a = np.ones((3, 4)) * y[1]\nv = a[1:]\na.shape = 12\na[5] *= y[2]"
        "\nreturn np.sum(a * a) + np.sum(v * v)"
    ),
    "made by a function that asks": "a = np.resize(x, 8)\na.shape = (2, 4)\na[1] *= y\nreturn np.sum(a * a)",
    "in a helper": "def g(b):\n    c = b * b\n    c.shape = 12\n    return c\nreturn np.sum(g(x) * np.arange(12))",
    "in a recursion": (
        "def g(b, k):\n    c = b * 2\n    c.shape = 12\n    return c[3] if k < 1 else g(b * y, k - 1) + c[3]\nreturn g(x, 3)"
    ),
    "in `with`": "a = x * y\nb = a\nwith np.errstate(all='ignore'):\n    a.shape = 12\nreturn np.sum(b * b) * b.ndim + a.ndim",
    "returned by a helper": "a = x * y\nb = h(a)[0]\na.shape = 12\nreturn np.sum(b * b) * b.ndim",
    "lengths of the run": "n = len(y)\na = np.outer(y, y)\na.shape = n * n\nreturn np.sum(a[:: n + 1] ** 2) * x[0, 0]",
    "in a list": "a = x * y\nl = [a, y]\na.shape = 12\nreturn np.sum(l[0] * np.arange(12)) * l[0].ndim + a[3]",
    "in a tuple": "a = x * y\nt = h(a), 2\na.shape = 12\nreturn np.sum(t[0][0] * np.arange(12)) * t[0][0].ndim",
    "in a tuple around": (
        "a = x * y\nt = h(a)\nfor s in ('u', 'v'):\n"
        "    a.shape = 12 if s == 'u' else (2, 6)\nreturn np.sum(t[0][1] * t[0][0]) * t[0].ndim"
    ),
    "in an object": "s = Held(x * y)\ns.a.shape = 12\ns.a[2] = y[1]\nreturn np.sum(s.a * np.arange(12)) * s.a.ndim",
    "in an object, by its own name": "s = Held(x * y)\na = s.a\ns.a.shape = 12\nreturn np.sum(a) * a.ndim",
    "in an object, by a method": "s = Held(x * y)\ns.lie(12)\nv = s.a[3:]\ns.lie((4, 3))\nv[0] = y[0]\nreturn s.a[1] @ s.a[2]",
    "in two objects": "s = Held(x * y)\nt = Held(s.a)\nt.lie(12)\nd = {'a': s.a}\ns.lie((2, 6))\nreturn t.a[0] @ d['a'][1]",
    "of another number of axes": "s = Held(np.atleast_2d(y * 2))\ns.lie((4, 1))\nreturn np.sum(x @ s.a) * s.a[1, 0]",
    "of a view in an object": "a = x * y\ns = Held(a[1:])\ns.lie(8)\ns.a[3] = y[0]\nreturn np.sum(a * a) + s.a[1]",
    "another size": "a = x * y\na.shape = (5, 2)\nreturn np.sum(a)",
}


def written(text: str) -> str:
    """A program of these lines, with a helper before it."""
    return HELPER + "def f(x, y):\n" + "".join(f"    {line}\n" for line in text.split("\n"))


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("name", FOLLOWED)
def test_all_names_see_the_new_shape(name: str, order: str) -> None:
    verdict = judge(Cell(name, program(written(FOLLOWED[name])), (np.array(M, order=order), Y)))
    assert verdict.kind == "right", verdict.reason


REFUSED = {
    "an argument": "x.shape = 12\nreturn np.sum(x)",
    "an array of the caller's": "def g(b):\n    b.shape = 12\na = x * y\ng(a)\nreturn np.sum(a) * a.ndim",
    "walked over by a list": "a = x * y\nl = [a]\ni = iter(l)\nnext(i)\na.shape = 12\nreturn np.sum(next(i, a))",
    "in an object, by a name outside": "a = x * y\ns = Held(a)\ndef g():\n    s.a.shape = 12\ng()\nreturn np.sum(s.a) * a.ndim",
    "in an object, on one path": "s = Held(x * y)\nif y[0] > 0:\n    s.a.shape = 12\nreturn np.sum(s.a) * s.a.ndim",
    "in an object, of an argument": "s = Held(x)\ns.a.shape = 12\nreturn np.sum(s.a) * s.a.ndim",
    "captured": "a = x * y\ng = lambda: a.ndim\na.shape = 12\nreturn np.sum(a) * g()",
    "a default": "a = x * y\ndef g(b=a):\n    return b.ndim\na.shape = 12\nreturn np.sum(a) * g()",
    "a method of it": "a = x * y\ng = a.sum\na.shape = 12\nreturn g(axis=0)",
    "walked over": "a = x * y\ni = iter(a)\na.shape = 12\nreturn np.sum(next(i))",
    "on one path": "a = x * y\nif y[0] > 0:\n    a.shape = 12\nreturn np.sum(a) * a.ndim",
    "perhaps another name": "a = x * y\nb = a if y[0] > 0 else x\na.shape = 12\nreturn np.sum(b) * b.ndim",
    "made on one path": "u = x * y\nif y[0] > 0:\n    a = u\nelse:\n    a = x * 2\na.shape = 12\nreturn np.sum(a) * u.ndim",
    "in a list on either path": (
        "r = []\nif y[0] > 0:\n    a = x * y\n    r.append(a)\nelse:\n    a = x * 2\n    r.append(a)"
        "\na.shape = 12\nreturn np.sum(r[0])"
    ),
    "another name on one path": (
        "if y[0] > 0:\n    a = x * y\n    b = a\nelse:\n    a, b = x * 2, x * 3\na.shape = 12\nreturn np.sum(b) * b.ndim"
    ),
    "carried by a loop": "a, b = x * y, x * 1\nfor k in range(len(y)):\n    b = a\na.shape = 12\nreturn np.sum(b) * b.ndim",
    "perhaps the same": "a = x * y\nb = np.atleast_2d(a)\na.shape = 12\nreturn np.sum(b) * b.ndim",
    "in `try`": "a = x * y\ntry:\n    a.shape = 12\nexcept ValueError:\n    pass\nreturn np.sum(a)",
}


@pytest.mark.parametrize("name", REFUSED)
def test_where_names_cannot_be_told_it_is_refused(name: str) -> None:
    text = written(REFUSED[name])
    with pytest.raises(AliasError, match="which names it has") as refused:
        adxform.grad(program(text))(M.copy(), Y)
    assert ".shape = 12" in text.split("\n")[refused.value.span.line - 1]
