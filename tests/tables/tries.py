"""``try``: what raises, where in the body and in what, what was bound or written before, and what becomes of the exception."""

from __future__ import annotations

import itertools
import math
import textwrap
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

import adxform
from tests.tables.cell import Cell, Raised, Written, judge, outcome


class OutOfRange(ValueError):
    """An exception of the program's own."""


def checked(y: Any, n: Any) -> Any:
    """Write, and then refuse what was written."""
    y[1] *= 2.0
    if n:
        raise OutOfRange(f"not {n}")
    return y[1] * y[0]


def summed(x: Any, n: Any) -> Any:
    """Raise in the middle of a loop."""
    total = 0.0
    for i in range(len(x)):
        if n and i == 2:
            raise ValueError("two")
        total += x[i] ** 2
    return total


def handed(x: Any, n: Any) -> Any:
    """Handle what a helper raises, and raise another one."""
    try:
        return summed(x, n) * x[0]
    except ValueError as error:
        raise KeyError("handed") from error


def tried(x: Any, n: Any) -> Any:
    """Return from the body or from a handler."""
    try:
        return x[0] / x[9 * n]
    except IndexError:
        return x[1] * 3.0
    finally:
        x = x * 2.0


RAISING = {
    "primitive": "v = np.linalg.solve(np.array([[1.0 - n, 0.0], [0.0, x[0]]]), x[:2])[1] + x[2]",
    "factor": "v = np.sum(np.linalg.cholesky(np.outer(x, x) * n * -1.0 + np.eye(4)) * 0.5) + x[0]",
    "raise": "if n:\n    raise OutOfRange('no')\nv = x[0] * 2.0",
    "class": "if n > 0:\n    raise ValueError\nv = x[0] * x[3]",
    "index": "v = x[9 * n] * x[1]",
    "item": "v = [x[0], x[1] * 2.0][3 * n]",
    "division": "v = float(x[0]) / (1 - n)",
    "logarithm": "v = math.log(1.0 - n) + x[0] * x[1]",
    "conversion": "v = float('no' if n else '1.5') * x[0]",
    "helper": "v = checked(y, n)",
    "loop": "v = summed(x, n) * y[1]",
    "handed": "v = handed(x, n)",
    "tried": "v = tried(x, n)",
    "store": "y[7 * n] = x[1] * x[2]\nv = y[0]",
    "assertion": "assert not n, 'one'\nv = x[3] ** 2",
    "shapes": "v = np.sum(x[n:] * x)",
    "comprehension": "v = sum([x[i + 3 * n] * y[i] for i in range(3)])",
    "condition": "v = x[0] if x[9 * n] > 0.0 else x[1]",
}
BEFORE = "a = x[1] * x[2]\ny[0] *= x[3]\nlog.append(a)"
AFTER = "a = a * 2.0 + v\ny[2] += v\nlog.append(v)"
WHERE = {
    "first": "{raising}\n" + AFTER.replace("a * 2.0", "2.0"),
    "middle": BEFORE + "\n{raising}\n" + AFTER,
    "last": BEFORE + "\n{raising}",
}
CATCHES = {
    "all": "except Exception as error",
    "bare": "except",
    "some": "except (ValueError, ArithmeticError, AssertionError)",
    "two": "except LookupError as error:\n    a = x[3]\nexcept ValueError",
    "none": "except StopIteration",
}
HANDLER = {
    "default": "v = x[0] * a",
    "passed": "pass",
    "reads": "v = a * y[0] + y[1] * x[0]",
    "reraised": "a = 0.0\nraise",
    "other": "raise RuntimeError('other')",
    "conditional": "if y[1] > 2.0:\n    raise\nv = y[1]",
    "return": "return a * y[0] * x[0]",
    "writes": "y[3] = v * x[1]\nlog.append(x[0] * 2.0)",
}
ENDS = {
    "": "",
    "else": "else:\n    v = v * x[2]\n    y[1] += v",
    "finally": "finally:\n    y[2] *= x[0]\n    a = a + 1.0",
    "both": "else:\n    v = v * x[1]\nfinally:\n    y[1] += a",
    "leaves": "finally:\n    if n > 1:\n        return y[0] * a",
}
AROUND = {
    "plain": "{it}",
    "loop": "for k in range(3):\n    n = m * (k == 1)\n{inner}\n    s += v * (k + 1)",
    "continued": "for k in range(3):\n    n = m * (k != 1)\n{inner_continue}\n    s += v * y[0]",
    "broken": "for k in range(4):\n    n = m * (k == 2)\n{inner_break}\n    s += v * y[0]",
    "while": "while k < 3:\n    k += 1\n    n = m * (k == 2)\n{inner}\n    s += v",
    "branch": "if x[0] > 0.1:\n{inner}\n    s = v * 2.0",
    "nested": "try:\n{inner}\n    s += v\nexcept (LookupError, RuntimeError, ValueError, ArithmeticError):\n    s = v * a + x[0]",
    "finished": "try:\n{inner}\n    s += v\nfinally:\n    y[0] += a",
    "with": "with np.errstate(all='ignore'):\n{inner}\n    s += v",
}


def _program(raising: str, where: str, catches: str, handler: str, ends: str, around: str) -> str:
    body = textwrap.indent(WHERE[where].replace("{raising}", RAISING[raising]), "    ")
    end = f"\n{ENDS[ends]}" if ends else ""

    def attempt(instead: str = "") -> str:
        handled = textwrap.indent(instead or HANDLER[handler], "    ")
        return f"try:\n{body}\n{CATCHES[catches]}:\n{handled}{end}"

    def inner(text: str) -> str:
        return textwrap.indent(text, "    ")

    whole = AROUND[around]
    for name, text in (
        ("{it}", attempt()),
        ("{inner}", inner(attempt())),
        ("{inner_continue}", inner(attempt(HANDLER[handler] + "\ncontinue"))),
        ("{inner_break}", inner(attempt(HANDLER[handler] + "\nbreak"))),
    ):
        whole = whole.replace(name, text)
    begin = "y = x.copy()\nlog = []\na = x[0]\nv = x[2]\ns = 0.0\nk = 0\nn = m"
    close = "return s + v * a + np.sum(y * y) + sum(log)"
    return "def f(x, m):\n" + textwrap.indent(f"{begin}\n{whole}\n{close}\n", "    ")


def _judged(cell: Cell) -> tuple[str, str]:
    """As any cell; the exception says what that of the plain call does."""
    verdict = judge(replace(cell, judged_by=None))
    function: Any = cell.function
    plain = outcome(lambda: function(cell.args[0].copy(), cell.args[1]))
    if verdict.kind == "right" and isinstance(plain, Raised):
        got = outcome(lambda: adxform.value_and_grad(function)(*cell.args))
        listed = isinstance(plain.error, IndexError)  # lists of numbers are arrays, which say it in words of their own
        if not isinstance(got, Raised) or (got.error.args != plain.error.args and not listed):
            return "wrong", f"{got!r}, plainly {plain.error!r}"
    return verdict.kind, verdict.reason


def cells(every: int = 1) -> Iterator[Cell]:
    """What may raise, by where it stands, what catches it and what comes after; with `every`, one program of so many in a row."""
    names = {"math": math, "OutOfRange": OutOfRange, "checked": checked, "summed": summed, "handed": handed, "tried": tried}
    point = np.array([1.3, 0.7, 1.1, 0.6])
    for parts in itertools.islice(itertools.product(RAISING, WHERE, CATCHES, HANDLER, ENDS, AROUND), 0, None, every):
        text = _program(*parts)
        for n in (0, 1, 2):
            if n == 2 and "leaves" not in parts:
                continue
            yield Cell(" / ".join((*filter(None, parts), str(n))), Written(text, names), (point, n), judged_by=_judged)
