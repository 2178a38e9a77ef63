"""Each primitive in each form of its call, with each operand the only one that moves, given in each way that NumPy takes.

Operands are arrays of every rank, lists, tuples, numbers of Python's and of NumPy's, arrays of no axes, truth values and whole
numbers; ranks are mixed. Calls that the function itself does not take are left out: what is judged is that adxform takes no less,
and that it follows what moves through every operand.
"""

from __future__ import annotations

import cmath
import itertools
import math
import operator
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from adxform.primitives.declare import name_of
from tests.tables import edges
from tests.tables.cell import Cell, program
from tests.tables.operand_forms import ALONG, AXES, SEVERAL

WEIGHTS = np.cos(np.arange(512.0))


def _numbers(shape: tuple[int, ...], seed: int) -> Any:
    return np.random.default_rng(seed).uniform(0.15, 0.85, shape)


def _square(seed: int) -> Any:
    root = _numbers((3, 3), seed)
    return root @ root.T + np.eye(3) + 0.01 * np.triu(_numbers((3, 3), seed + 1), 1)


def given(place: int) -> dict[str, Any]:
    """What the operand at `place` may be, by a word for it."""
    x, y = _numbers((3,), 10 + place), _numbers((2, 3), 20 + place)
    return {
        "float": float(x[0]),
        "vector": x,
        "matrix": y,
        "square": _square(30 + place),
        "cube": _numbers((2, 2, 3), 40 + place),
        "row": _numbers((1, 3), 50 + place),
        "np.float64": x[1],
        "0-d": np.array(x[2]),
        "list": x.tolist(),
        "tuple": tuple(x.tolist()),
        "rows": y.tolist(),
        "truths": x > 0.5,
        "truth": True,
        "whole": np.array([2, 1, 3]) + place,
        "int": 2 + place,
        "listed truths": [True, False, True],
    }


KINDS = tuple(given(0))
BROAD = (("vector", "matrix"), ("float", "list"), ("0-d", "rows"), ("truths", "vector"))
"""Pairs for functions that broadcast, of which the table of edges has the rest."""


def cells(every: int = 1) -> Iterator[Cell]:
    """Each form, or one in `every`, on each choice of operands that it takes, with each that can move the only one that does."""
    for expression, choices in itertools.islice(forms(), 0, None, every):
        names = compile(expression, "form", "eval").co_names
        letters = [letter for letter in "xyz" if letter in names]
        function = _called(expression, letters)
        for kinds in choices(len(letters)):
            values = [given(place)[kind] for place, kind in enumerate(kinds)]
            found = _outcome(function, values)
            if found is None:
                continue
            for place, value in enumerate(values):
                if _moves(value):
                    yield _cell(expression, letters, kinds, values, place, found)


Choices = Callable[[int], Iterator[tuple[str, ...]]]


def forms() -> Iterator[tuple[str, Choices]]:
    """The expressions that are judged, each with what its operands may be."""
    seen = set()
    for expression in SEVERAL:
        seen.add(expression)
        yield expression, _all
    for name, axis in itertools.product(ALONG, AXES):
        yield f"np.{name}(x, axis={axis})", _of_axes
    for fn in edges.public():
        broad = isinstance(fn, np.ufunc) or getattr(fn, "__module__", "") == "_operator"
        for number, expression in enumerate(dict.fromkeys(text for text, _ in edges.forms(fn, name_of(fn)))):
            if expression not in seen and not _coarse(expression):
                seen.add(expression)
                yield expression, _broad if broad else _all if number == 0 else _others


def _all(count: int) -> Iterator[tuple[str, ...]]:
    """One operand of every kind; two of a few kinds, or one of any beside a vector or a matrix; three in pairs of those."""
    if count == 1:
        yield from ((kind,) for kind in KINDS)
    elif count == 2:
        beside = (pair for kind in KINDS for pair in ((kind, "vector"), ("vector", kind)))
        yield from dict.fromkeys((*itertools.product(("float", "vector", "matrix"), repeat=2), ("square", "square"), *beside))
    elif count == 3:
        for kind in ("float", "vector", "matrix", "list", "truths"):
            yield from dict.fromkeys((("vector",) * k + (kind,) + ("vector",) * (2 - k)) for k in range(3))


def _broad(count: int) -> Iterator[tuple[str, ...]]:
    if count == 2:
        yield from (pair for one in BROAD for pair in (one, one[::-1]))
    elif count == 1:
        yield from ((kind,) for kind in ("list", "0-d", "tuple"))


def _others(count: int) -> Iterator[tuple[str, ...]]:
    """For a further form of a function: what is no array."""
    if count == 1:
        yield from (("0-d",), ("list",))
    else:
        yield from (pair + ("vector",) * (count - 2) for pair in BROAD)


def _of_axes(count: int) -> Iterator[tuple[str, ...]]:
    yield from ((kind,) for kind in ("vector", "matrix"))


def _called(expression: str, letters: list[str]) -> Callable[..., Any]:
    return program(f"def f({', '.join(letters)}):\n    return {expression}\n", cmath=cmath, math=math, operator=operator)


def _outcome(function: Callable[..., Any], values: list[Any]) -> Any:
    """What the plain call returns; ``None`` where it raises, or returns what is no number or array of these."""
    try:
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            found = function(*values)
    except Exception:
        return None
    parts = found if isinstance(found, tuple | list) else (found,)
    plain = all(
        isinstance(part, np.ndarray | np.generic | int | float) and np.asarray(part).dtype.kind in "fiub" for part in parts
    )
    return found if parts and plain and found is not values[0] and max(map(np.size, parts)) <= WEIGHTS.size else None


def _moves(value: Any) -> bool:
    return np.asarray(value).dtype.kind == "f"


def _cell(expression: str, letters: list[str], kinds: tuple[str, ...], values: list[Any], place: int, found: Any) -> Cell:
    """The cell of `expression` as a function of the operand at `place`, with the others known or read from outside."""
    moving = letters[place]
    fixed = {letter: value for letter, value in zip(letters, values, strict=True) if letter != moving}
    body = f"    r = {expression}\n    return {_measured(found)}"
    if not any(_moves(part) for part in (found if isinstance(found, tuple | list) else (found,))):
        body += f" * np.sum({moving})"
    function = program(
        f"def f({moving}):\n{body}\n", **{"cmath": cmath, "math": math, "operator": operator, "w": WEIGHTS, **fixed}
    )
    said = ", ".join(f"{letter} {kind}" for letter, kind in zip(letters, kinds, strict=True))
    return Cell(f"{expression}: {said}; {moving} moves", function, (values[place],), smooth="np.nextafter" not in expression)


def _coarse(expression: str) -> bool:
    return "float32" in expression or "float16" in expression


def _measured(found: Any) -> str:
    """A number that tells the elements of the result, ``r``, apart."""
    if isinstance(found, tuple | list):
        return "(" + " + ".join(_part(part, f"r[{k}]") for k, part in enumerate(found)) + ")"
    return _part(found, "r")


def _part(found: Any, name: str) -> str:
    if not np.shape(found):
        return f"{name} * {name} * 0.5"
    shape = np.shape(found)
    return f"np.sum({name} * {name} * w[: {np.size(found)}].reshape({shape!r}))"
