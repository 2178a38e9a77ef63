"""Whose memory the result of a call is: its own, or that of an operand, as NumPy has it.

Every form of `tests.tables.edges` and of `tests.tables.call_forms` whose result is an array, on operands that a view may be
taken of: what the call took is changed afterwards and the result read, the result is changed and the operands read, and of two
equal calls one result is changed and the other read. What shares memory where NumPy's does not, or the other way round, has
another value.
"""

from __future__ import annotations

import cmath
import math
import operator
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from tests.tables import call_forms, edges
from tests.tables.cell import Cell, program
from tests.tables.edge_operands import OPERANDS, SMOOTH

LABELS = ("plain", "one", "f32", "transposed", "fortran", "reversed", "cube", "stack", "stacks", "alike", "equal")
CHANGES = {
    "operands": "r = {call}\n{change}return np.sum(np.cos(r))",
    "result": "r = {call}\nr *= 1.5\nreturn np.sum(np.cos(r)) + {read}",
    "result of two": "before = {call}\nr = {call}\nr *= 1.5\nreturn np.sum(np.cos(r)) + np.sum(np.sin(before))",
}


def cells(every: int = 1) -> Iterator[Cell]:
    """Each call on its operands, by what of it is changed; with `every`, one call of so many in a row."""
    for number, (expression, label, given) in enumerate(_calls()):
        if number % every:
            continue
        arrays = [name for name, value in given.items() if isinstance(value, np.ndarray)]
        parts = {
            "call": expression,
            "change": "".join(f"{name} *= 1.5\n" for name in arrays),
            "read": " + ".join(f"np.sum(np.sin({name}))" for name in arrays) or "0.0",
        }
        copies = "".join(f"{name} = 1.0 * {name}_\n" for name in arrays)
        params = ", ".join(f"{name}_" if name in arrays else name for name in given)
        smooth = "float" not in expression and label.split()[-1] in SMOOTH - {"f32"}  # single precision tells little
        for what, body in CHANGES.items():
            lines = (copies + body.format(**parts)).replace("\n", "\n    ")
            function = program(f"def f({params}):\n    {lines}\n", cmath=cmath, math=math, operator=operator)
            yield Cell(f"{expression} of {label}: {what}", function, tuple(given.values()), orders=1, bits=False, smooth=smooth)


def _calls() -> Iterator[tuple[str, str, dict[str, Any]]]:
    """The calls whose result is an array of floats, or holds one: an expression, what it is given, and that by its name."""
    for fn in edges.public():
        for expression, kinds in edges.forms(fn, edges.name_of(fn)):
            for kind in kinds.split():
                for label in LABELS:
                    if label in OPERANDS[kind]:
                        yield from _if_array(expression, f"{kind} {label}", dict(zip("xyz", OPERANDS[kind][label], strict=False)))
    for cell in call_forms.cells():
        names = cell.function.__code__.co_varnames[: cell.function.__code__.co_argcount]
        call, *operands = re.split(r"(?<=[)\]]) (?=\d)", cell.name)
        yield from _if_array(call, " ".join((*operands, "plain")), dict(zip(names, cell.args, strict=True)))


def _if_array(expression: str, label: str, given: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    names = compile(expression, "form", "eval").co_names
    used = {name: value for name, value in given.items() if name in names}
    copies = {name: np.copy(value) if isinstance(value, np.ndarray) else value for name, value in used.items()}
    try:
        with np.errstate(all="ignore"):
            found = eval(expression, {"np": np, "cmath": cmath, "math": math, "operator": operator, **copies})
    except Exception:  # what NumPy does not take
        return
    if not any(map(_moves, used.values())):
        return
    if _moves(found):
        yield expression, label, used
    if isinstance(found, tuple | list):
        yield from ((f"{expression}[{k}]", label, used) for k in (0, len(found) - 1) if found and _moves(found[k]))


def _moves(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.kind == "f" and value.ndim > 0
