"""Names that a path leaves without a value, and which of two errors comes first: each cell raises exactly what Python raises.

A cell is a way in which `z` may come to have no value, a way in which it is read, and an argument that decides. A few say what
becomes of errors of statements whose value nobody needs, and of two errors of one statement.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from tests.tables.cell import Cell, program

GIVEN = {
    "never": "pass",
    "branch": "if n > 1:\n    z = x * 2.0",
    "branch on the float": "if x * n > 1.0:\n    z = x * 2.0",
    "other branch": "if n > 1:\n    y = x\nelse:\n    z = x * 2.0",
    "inner branch": "if n > 0:\n    if n > 1:\n        z = x * 2.0\n    else:\n        y = x",
    "raising branch": "if n > 1:\n    z = x * 2.0\nelif n > 5:\n    raise ValueError(n)",
    "long chain": "if n > 3:\n    z = x\nelif n > 2:\n    z = x * 3.0\nelif n > 1:\n    y = x\nelif n > 0:\n    z = x * x",
    "range": "for k in range(n):\n    z = x * (k + 1)",
    "array": "for t in v[:n]:\n    z = x * t",
    "left early": "for t in v:\n    if n < 1:\n        break\n    z = x * t",
    "passed over": "for t in v:\n    if t * n < 1.0:\n        continue\n    z = x * t",
    "loop and branch": "for k in range(3):\n    if k < n - 1:\n        z = x * (k + 1)",
    "while": "k = 0\nwhile k < n:\n    z = x + k\n    k += 1",
    "while true": "k = 0\nwhile True:\n    k += 1\n    if k > n:\n        break\n    z = x * k",
    "loop variable": "for z in v[:n]:\n    pass",
    "unpacked": "for k in range(n):\n    y, z = x, x * 2.0",
    "deleted": "z = x * 2.0\nif n > 1:\n    del z",
    "deleted at once": "z = x\ndel z",
    "deleted and made": "z = x\nfor k in range(n):\n    y = z * x\n    del z\n    if k < 1:\n        z = y",
    "array of it": "if n > 1:\n    z = v * x",
    "list": "if n > 1:\n    z = [x, 2.0]",
    "none": "z = None\nif n > 1:\n    del z",
    "function": "if n > 1:\n    def z():\n        return x",
    "condition in a loop": "for k in range(3):\n    if k == n:\n        y = z\n    if k > 0:\n        z = x * k",
    "of the pass before": "y = 0.0\nfor k in range(3):\n    if k >= 3 - n:\n"
    "        y = y + z * x\n    if k > 0:\n        z = x * k\nz = y",
}
READ = {
    "returned": "return z",
    "in an expression": "return np.sum(z) * x + 1.0",
    "only read": "z\nreturn x * x",
    "copied": "y = z\nreturn x * x",
    "copied and dropped": "y = z\ny = x\nreturn y * y",
    "in a tuple": "return (x, z)",
    "in a list": "y = [x, z]\nreturn y[0] * x",
    "in a dict": "return {'a': z, 'b': x}['b']",
    "an argument": "def g(a, b):\n    return a * x\nreturn g(x, z)",
    "by keyword": "def g(a, b):\n    return a * x\nreturn g(b=z, a=x)",
    "default": "def g(a, b=z):\n    return a * x\nreturn g(x)",
    "captured": "def g(a):\n    return z\nreturn g(x)",
    "captured, not called": "def g(a):\n    return z\nreturn x * x",
    "captured twice": "def g(a):\n    return (lambda: z)()\nreturn g(x)",
    "lambda": "g = lambda a: z\nreturn (g(x), x)",
    "comprehension": "return [z for a in (1.0, 2.0)][0]",
    "source of a comprehension": "return [a for a in (z, x)][1]",
    "condition of a comprehension": "return sum(a * x for a in (1.0, 2.0) if z is not None)",
    "generator": "return sum(x * (z is None) for a in (1.0, 2.0))",
    "in an unpassed loop": "y = x\nfor k in range(0):\n    y = z\nreturn y * y",
    "in a loop": "y = x\nfor k in range(2):\n    y = y + np.sum(z)\nreturn y",
    "in an untaken branch": "if n > 9:\n    return z\nreturn x * x",
    "after a check": "if n == 2:\n    return np.sum(z) * x\nreturn x * x",
    "tested": "if z is None:\n    return x\nreturn x * x",
    "short circuit": "return x * x if n < 1 or z is not None else x",
    "in place": "z += x\nreturn x * np.sum(z)",
    "deleted": "del z\nreturn x * x",
    "made anew": "z = x * 3.0\nreturn z * z",
    "chained": "y = z = x * 3.0\nreturn y * z",
    "compared": "return x if z == 3.0 else x * x",
    "text": "y = f'{z}'\nreturn x * x",
    "asserted": "assert z is not None\nreturn x * x",
    "attribute": "z.real\nreturn x * x",
    "raised": "if z is None:\n    raise ValueError(n)\nreturn x * x",
    "helper": "return helper(n, x) * x",
}
HELPER = "def helper(n, x):\n    if n > 1:\n        z = x\n    return z\n"

ERRORS = {
    "dead item": "y = [x, x][n + 7]\nreturn x * x",
    "dead key": "y = {'a': x}['b']\nreturn x * x",
    "dead attribute": "y = x.nothing\nreturn x * x",
    "dead call": "y = helper(x)\nreturn x * x",
    "dead name": "y = nothing\nreturn x * x",
    "dead unpacking of a list": "a, b = [x]\nreturn x * x",
    "dead assertion": "assert n < 0, 'n'\nreturn x * x",
    "dead branch": "if n > 9:\n    y = 1 / 0\nreturn x * x",
    "dead comparison": "y = [x] < 3\nreturn x * x",
    "dead pop": "[].pop()\nreturn x * x",
    "two names": "return a + b",
    "name and division": "return nothing + 1 / 0",
    "division and name": "return 1 / (n - n) + nothing",
    "key and name": "return {}['a'] * nothing",
    "index and key": "return v[n + 9] * {}['a']",
    "key and index": "return {}['a'] * v[n + 9]",
    "shapes and index": "return np.sum(v + np.ones(n)) * v[n + 9]",
    "index and shapes": "return v[n + 9] * np.sum(v + np.ones(n))",
    "index in a sum and division": "return np.sum(v[n + 9] / (n - n))",
    "arguments before the call": "return nothing(v[9])",
    "callee before arguments": "return x.nothing(v[9])",
    "value before target": "v[9] = {}['a']\nreturn x",
    "target of an augmented one first": "v[9] += {}['a']\nreturn x",
    "left before right": "return float('a') + int('b') + [][0]",
    "condition first": "return v[9] if {}['a'] else nothing",
    "keys before values": "return {nothing: [][0]}",
    "raise what fails": "raise ValueError([][n])",
    "assert what fails": "assert [][n], nothing",
    "logarithm and index": "import math\nreturn math.log(-n) + v[n + 9]",
    "index and logarithm": "import math\nreturn v[n + 9] + math.log(-n)",
    "float division and index": "return x / (n * 0.0) + v[n + 9]",
    "index and float division": "return v[n + 9] + x / (n * 0.0)",
    "two statements": "a = v[n + 9]\nb = {}['a']\nreturn a + b",
    "two statements, the other way": "b = {}['a']\na = v[n + 9]\nreturn a + b",
    "dead one first": "a = v[n + 9]\nb = {}['a']\nreturn b",
    "printed": "print(v[n + 9], end='')\nreturn x",
}

DEAD = {
    "dead division": "y = 1 / (n - 2)\nreturn x * x",
    "dead division of floats": "y = x / (n - 2.0)\nreturn x * x",
    "dead index": "y = v[n + 7]\nreturn x * x",
    "dead shapes": "y = v + np.ones(n)\nreturn x * x",
    "dead shapes of a call": "y = np.dot(v, np.ones(n))\nreturn x * x",
    "dead logarithm": "import math\ny = math.log(n - 9)\nreturn x * x",
    "dead conversion": "y = float('a')\nreturn x * x",
    "dead integer": "y = int(x * np.inf)\nreturn x * x",
    "dead zeros": "y = np.zeros(n - 7)\nreturn x * x",
    "dead solve": "y = np.linalg.inv(np.zeros((n, n)))\nreturn x * x",
    "dead unpacking": "a, b = v\nreturn x * x",
    "dead overflow": "y = (x * 1e300) ** n ** n\nreturn x * x",
    "dead errors in a loop": "for k in range(n + 3):\n    y = v[k]\nreturn x * x",
    "dead store": "y = np.zeros(3)\ny[n + 7] = x\nreturn x * x",
    "dead truth": "y = 1 if v else 2\nreturn x * x",
}
"""Errors that only a run can tell, of statements whose value nothing needs: a derivative may pass them over."""


def cells() -> Iterator[Cell]:
    """Each way to have no value by each way to read it, in calls where it has one and where not; then the errors."""
    for (made, given), (how, read) in itertools.product(GIVEN.items(), READ.items()):
        text = f"{HELPER}def f(x, v, n):\n" + indented(f"{given}\n{read}")
        function = program(text)
        for n in (0, 1, 2, 3):
            yield Cell(f"{made}; {how}; n = {n}", function, (0.7, np.array([0.3, 1.7, 0.4]), n))
    for name, body in ERRORS.items():
        text = "def helper():\n    return 1.0\ndef f(x, v, n):\n" + indented(body)
        yield Cell(name, program(text), (0.7, np.array([0.3, 1.7, 0.4]), 2))


def indented(lines: str) -> str:
    """`lines` as the body of a function."""
    return "".join(f"    {line}\n" for line in lines.splitlines())
