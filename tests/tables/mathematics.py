"""Every function of `math` at the edges of its domain: what it raises is raised in every mode and at second order.

The functions are those that take one float or two, alone and times their argument, on Python's numbers, NumPy's and elements of
arrays; of two arguments both move, or one is a literal. Values and first derivatives are judged as those of other tables, at
infinities, NaN and numbers without all their digits the values alone; then the three ways to a second derivative have to raise
what the plain call raises, or say the same.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import adxform
from tests.oracle import float_leaves, pack, rebuild, unpack
from tests.tables.agreement import ORDERS
from tests.tables.cell import Cell, Raised, differs, judge, outcome, program, refusal

INF, NAN = math.inf, math.nan
SMALLEST = 1e-320
ONE_EDGES = (0.0, -0.0, 1.0, -1.0, 0.5, 2.0, -2.0, 3.0, 170.7, 710.0, SMALLEST, INF, -INF, NAN)
TWO_EDGES = (0.0, -0.0, 1.0, -1.0, 2.0, 0.5, INF, -INF, NAN)
LITERALS = ("2.0", "0.0", "0.5", "-1.0", "1", "2", "0", "True")
ONE = (
    *("acos", "acosh", "asin", "asinh", "atan", "atanh", "cbrt", "ceil", "cos", "cosh", "degrees", "erf", "erfc", "exp", "exp2"),
    *("expm1", "fabs", "floor", "gamma", "isfinite", "lgamma", "log", "log10", "log1p", "log2", "radians", "sin", "sinh", "sqrt"),
    *("tan", "tanh", "trunc"),
)
TWO = ("atan2", "copysign", "fmod", "hypot", "log", "pow", "remainder", "dist")
KINDS: dict[str, Callable[[float], Any]] = {"number": float, "float64": np.float64}
SHAPES = {"alone": "{}", "times": "{} * {}"}


def cells() -> Iterator[Cell]:
    """All cells, those of one program one after another."""
    single, pairs = [(value,) for value in ONE_EDGES], list(itertools.product(TWO_EDGES, repeat=2))
    for shape, form in SHAPES.items():
        for name in ONE:
            yield from _of(shape, form, f"math.{name}({{0}})", "x", single)
        for name in TWO:
            call = f"math.{name}([{{0}}], [{{1}}])" if name == "dist" else f"math.{name}({{0}}, {{1}})"
            yield from _of(shape, form, call, "x, z", pairs)
            for literal in LITERALS:
                yield from _of(shape, form, call.format("{0}", literal), "x", [(value,) for value in TWO_EDGES])
                yield from _of(shape, form, call.format(literal, "{0}"), "x", [(value,) for value in TWO_EDGES])


def _of(shape: str, form: str, call: str, params: str, points: list[tuple[float, ...]]) -> Iterator[Cell]:
    names = params.split(", ")
    name = f"{call.format(*names)} {shape}"
    function = program(f"def f({params}):\n    return {form.format(call.format(*names), 'x')}\n", math=math)
    for kind, make in KINDS.items():
        for point in points:
            yield Cell(f"{name}: {kind} at {point}", function, tuple(make(v) for v in point), judged_by=_judged)
    items = [f"x[{k}]" for k in range(len(names))]
    function = program(f"def f(x):\n    return {form.format(call.format(*items), 'x[0]')}\n", math=math)
    for point in points:
        yield Cell(f"{name}: element at {point}", function, (np.array(point),), judged_by=_judged)


def _judged(cell: Cell) -> tuple[str, str]:
    """The verdict on the value and the first order, and then on three ways to the second."""
    numbers = pack(float_leaves(cell.args))
    ordinary = bool(np.isfinite(numbers).all() and not np.any(np.abs(numbers) == SMALLEST))
    plain = outcome(lambda: cell.function(*cell.args))
    if ordinary:
        smooth = bool(np.all(numbers)) and _has_neighbours(cell)
        first = judge(Cell(cell.name, cell.function, cell.args, smooth=smooth))
        if first.kind != "right":
            return first.kind, first.reason
    elif (said := _values(cell, plain)) is not None:
        return said
    if not isinstance(plain, Raised | float):
        return "right", ""
    found = [outcome(lambda order=order: _product(cell, order)) for order in ORDERS]
    for got in found:
        if (said := refusal(got)) is not None:
            return said
    if isinstance(plain, Raised):
        strange = [got for got in found if not isinstance(got, Raised) or got.kind is not plain.kind]
        return ("wrong", f"hvp: {strange[0]!r}, plainly {plain.error!r}") if strange else ("right", "")
    if any(isinstance(got, Raised) for got in found):
        return "wrong", f"hvp raises: {found}, plainly {plain!r}"
    if not ordinary or not np.isfinite(plain) or _is_power_of_zero(cell):
        return "right", ""
    alike = all(np.allclose(found[0], other, rtol=1e-7, atol=1e-9, equal_nan=True) for other in found[1:])
    return ("right", "") if alike else ("wrong", f"orders: {found}")


def _values(cell: Cell, plain: Any) -> tuple[str, str] | None:
    """What is wrong with the values in both modes, or with what they raise; what refuses the cell."""
    tangents = rebuild(cell.args, iter([np.ones_like(leaf)[()] for leaf in float_leaves(cell.args)]))
    for got in (
        outcome(lambda: adxform.vjp(cell.function, *cell.args)),
        outcome(lambda: adxform.jvp(cell.function, cell.args, tangents)),
    ):
        if (said := refusal(got)) is not None:
            return said
        if said := differs(plain, got if isinstance(got, Raised) else got[0]):
            return "wrong", said
    return None


def _has_neighbours(cell: Cell) -> bool:
    """Whether the function has values where differences ask for them."""
    leaves = float_leaves(cell.args)
    x = pack(leaves)
    for signs in itertools.product((-0.01, 0.01), repeat=len(x)):
        shifted = unpack(x + np.array(signs) * np.maximum(1.0, np.abs(x)), leaves)
        point = rebuild(cell.args, iter([part if np.ndim(part) else float(part) for part in shifted]))
        if isinstance(outcome(lambda point=point: cell.function(*point)), Raised):
            return False
    return True


def _product(cell: Cell, order: str) -> Any:
    places = tuple(range(len(cell.args)))
    vectors = rebuild(cell.args, iter([np.ones_like(leaf)[()] for leaf in float_leaves(cell.args)]))
    return pack(float_leaves(adxform.hvp(cell.function, places, mode=order)(*cell.args, vectors)))


def _is_power_of_zero(cell: Cell) -> bool:
    """Whether the mixed second derivative by base and exponent is asked at base zero, where there is none."""
    return "math.pow(x, z)" in cell.name or ("math.pow(x[0], x[1])" in cell.name and pack(float_leaves(cell.args))[0] == 0)
